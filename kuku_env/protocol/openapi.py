"""What the HTTP server's OpenAPI description says of requests and replies, as JSON Schemas."""

from __future__ import annotations

from typing import Any

from kuku_env.envs.words import LANGUAGES
from kuku_env.protocol.hosting import MOST_SEATS
from kuku_env.protocol.registry import LEVELS
from kuku_env.protocol.request import LARGEST, MAX_NAME, MAX_TEMPERATURE
from kuku_env.protocol.wire import CODES

Schema = dict[str, Any]

_CHANCE: Schema = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
_CARD: Schema = {"type": ["integer", "string"]}
_ID: Schema = {"type": ["string", "integer", "null"], "maxLength": MAX_NAME}

QUESTION: Schema = {
    "type": "object",
    "additionalProperties": False,
    "description": "Either view or events; bot, or level, or neither for the server's default.",
    "properties": {
        "id": {**_ID, "description": "comes back in the reply"},
        "op": {"type": "string", "description": "may be left out: the path says it"},
        "bot": {"type": ["string", "null"], "maxLength": MAX_NAME, "description": "its name"},
        "level": {"enum": [*LEVELS, None]},
        "view": {"type": ["object", "null"], "description": "all that one seat knows"},
        "events": {
            "type": ["array", "null"],
            "items": {"type": "object"},
            "description": "the seat's stream so far, in place of a view",
        },
        "seed": {
            "type": ["integer", "null"],
            "minimum": 0,
            "maximum": LARGEST,
            "description": "the same request with the same seed gets the same reply",
        },
        "temperature": {
            "type": ["number", "null"],
            "minimum": 0,
            "maximum": MAX_TEMPERATURE,
            "default": 1,
            "description": "0: the likeliest action; 1: as the bot plays",
        },
        "lang": {"enum": [*LANGUAGES, None], "default": "en"},
    },
}

REPAIRING: Schema = {
    "type": "object",
    "additionalProperties": False,
    "description": "Either view or events, of the seat that acted.",
    "properties": {
        **{key: QUESTION["properties"][key] for key in ("id", "op", "view", "events", "lang")},
        "act": {"type": "string", "description": "the text of an action, legal or not"},
    },
}

_NUMBER: Schema = {"type": "integer", "minimum": 0, "maximum": LARGEST}
_TABLE: Schema = {
    "type": "string",
    "minLength": 1,
    "maxLength": MAX_NAME,
    "description": "the id of a held game",
}


def _request(properties: Schema, *required: str) -> Schema:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(required),
        "properties": {
            "id": {**_ID, "description": "comes back in the reply"},
            "op": {"type": "string", "description": "may be left out: the path says it"},
            **properties,
        },
    }


NEW: Schema = _request(
    {
        "game": {"type": "string", "description": "id or short name"},
        "rules": {"type": ["object", "null"], "description": "options, where not the default"},
        "seats": {
            "type": ["array", "null"],
            "minItems": 1,
            "maxItems": MOST_SEATS,
            "items": {"type": ["string", "null"], "maxLength": MAX_NAME},
            "description": "who sits there: a bot's name, a level, or null for an open seat",
        },
        "seed": {
            **_NUMBER,
            "type": ["integer", "null"],
            "description": "the same cards and dice each time",
        },
    },
    "game",
)
PLAY: Schema = _request(
    {
        "table": _TABLE,
        "decision": {**_NUMBER, "description": "the number of the decision that is meant"},
        "action": {"type": "string", "minLength": 1, "maxLength": MAX_NAME},
    },
    "table",
    "decision",
    "action",
)
NOW: Schema = _request(
    {
        "table": _TABLE,
        "seat": {
            **_NUMBER,
            "type": ["integer", "null"],
            "description": "an open seat; null: that which decides",
        },
    },
    "table",
)

TABLE: Schema = {
    "type": "object",
    "required": ["id", "table", "decision", "sitting", "view", "events"],
    "properties": {
        "id": _ID,
        "table": _TABLE,
        "decision": {**_NUMBER, "description": "the number of the decision that is waited for"},
        "sitting": {"type": "array", "items": {"type": ["string", "null"]}},
        "view": {"type": "object", "description": "all that the open seat knows"},
        "events": {
            "type": "array",
            "items": {"type": "object"},
            "description": "the open seat's stream so far",
        },
        "record": {
            "type": "array",
            "items": {"type": "object"},
            "description": "all that happened, once the game is over",
        },
    },
}

_KNOWLEDGE: Schema = {
    "bot": {"type": "string"},
    "win": {**_CHANCE, "description": "my chance to win; null: not told"},
    "lie": {**_CHANCE, "description": "the chance that the claim is a lie; null: not told"},
    "pairs": {
        "type": ["array", "null"],
        "items": {
            "type": "array",
            "prefixItems": [_CARD, _CARD, {"type": "number"}],
            "minItems": 3,
            "maxItems": 3,
        },
        "description": "the likeliest pairs that lie there, with probabilities; null: not told",
    },
    "not_told": {
        "type": "object",
        "additionalProperties": {"type": "string"},
        "description": "why what is null is null",
    },
}

ACT: Schema = {
    "type": "object",
    "required": ["id", "action", "action_id", "probabilities", "win", "lie", "pairs", "bot"],
    "properties": {
        "id": _ID,
        "action": {"type": "string"},
        "action_id": {"type": "integer", "minimum": 0},
        "probabilities": {
            "type": "object",
            "additionalProperties": {"type": "number", "minimum": 0, "maximum": 1},
            "description": "what the action was drawn from, by the text of each legal action",
        },
        **_KNOWLEDGE,
    },
}

ADVISE: Schema = {
    "type": "object",
    "required": ["id", "bot", "best", "actions", "win", "lie", "pairs", "lang", "words"],
    "properties": {
        "id": _ID,
        "best": {"type": "string"},
        "actions": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["action", "action_id", "win", "preference"],
                "properties": {
                    "action": {"type": "string"},
                    "action_id": {"type": "integer", "minimum": 0},
                    "win": {**_CHANCE, "description": "my chance to win after it"},
                    "preference": {**_CHANCE, "description": "how often the bot does it"},
                },
            },
            "description": "every legal action, best first",
        },
        **_KNOWLEDGE,
        "lang": {"enum": list(LANGUAGES)},
        "words": {"type": "string", "description": "the same for people, line by line"},
    },
}

REPAIR: Schema = {
    "type": "object",
    "required": ["id", "acts", "within", "lang", "words"],
    "properties": {
        "id": _ID,
        "acts": {
            "type": "array",
            "items": {"type": "string"},
            "description": "the legal acts that it stands for, in their order; none: it is undone",
        },
        "within": {
            "type": ["string", "null"],
            "description": "a key of the view: once its value changes, what is left is dropped",
        },
        "lang": {"enum": list(LANGUAGES)},
        "words": {"type": "string", "description": "why, for people"},
    },
}

ERROR: Schema = {
    "type": "object",
    "required": ["id", "error"],
    "properties": {
        "id": _ID,
        "error": {
            "type": "object",
            "additionalProperties": False,
            "required": ["code", "message"],
            "properties": {
                "code": {"enum": list(CODES)},
                "field": {"type": "string", "description": "such as claims[2].number"},
                "message": {"type": "string"},
            },
        },
    },
}


def failing(words: str) -> Schema:
    """OpenAPI of a reply that is an error."""
    return {"description": words, "content": {"application/json": {"schema": ERROR}}}


ERRORS: dict[int | str, Schema] = {
    status: failing(words)
    for status, words in (
        (400, "bad_json"),
        (404, "unknown_bot, unknown_op or unknown_table"),
        (409, "illegal_action, wrong_rules or stale"),
        (413, "too_large"),
        (422, "bad_view"),
        (503, "too_many"),
    )
}


def asking(request: Schema, reply: Schema) -> Schema:
    """OpenAPI of a request that gets such a reply."""
    body = {"required": True, "content": {"application/json": {"schema": request}}}
    return {"requestBody": body, **_replies("the reply", reply)}


def telling(words: str) -> Schema:
    """OpenAPI of what is only to be read."""
    return _replies(words, {"type": "object"})


def _replies(words: str, schema: Schema) -> Schema:
    content = {"application/json": {"schema": schema}}
    return {"responses": {"200": {"description": words, "content": content}}}
