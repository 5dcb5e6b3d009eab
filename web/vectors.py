"""Test vectors for the JavaScript runtime: what Python makes of views, into a folder.

    python web/vectors.py web/kuku-bots/build/vectors

``layouts.json``: layout by name. ``views.jsonl``: views of random games with the compiled
observation and mask, and what exported bots answer. ``malformed.jsonl``: views with one thing wrong
(or right all the same), and the path that Python's encoder complains of. ``bots/``: the bundled
bots, and one that gives every output a network may have.
"""

from __future__ import annotations

import base64
import hashlib
import importlib
import json
import random
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from kuku_env.bots import BotError, ExportedPolicy
from kuku_env.bots.named import SHIPPED
from kuku_env.core.checks import ViewError
from kuku_env.core.encoder import ViewEncoder
from kuku_env.core.game import Game
from kuku_env.core.layout import ActionBlock, Field, Layout
from kuku_env.envs.match import Match
from kuku_env.games import games
from kuku_env.protocol.answers import act
from kuku_env.protocol.request import Question, Situation

VIEWS = 2000  # of each game
MALFORMED = 1500  # of each game
TEMPERATURES = (1.0, 1.0, 0.0, 0.3, 2.5)

# Tables of all kinds are told where the tests of Python find them.
sys.path.append(str(Path(__file__).parents[1] / "tests"))
variety = importlib.import_module("variety")


def main(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    layouts = {game.id: game.layout for game in games()} | {VOCABULARY.game: VOCABULARY}
    specs = {name: layout.to_json() for name, layout in layouts.items()}
    (folder / "layouts.json").write_text(json.dumps(specs))
    views: list[dict[str, Any]] = []
    malformed = [*vocabulary_views()]
    for game in games():
        bots = exported_bots(game, folder / "bots")
        played = list(positions(game))
        views += answered(played, bots)
        malformed += mutations(specs[game.id], [one["view"] for one in played])
    write_lines(folder / "views.jsonl", views)
    write_lines(folder / "malformed.jsonl", malformed)
    print(f"{len(views)} views, {len(malformed)} malformed ones in {folder}")


def write_lines(path: Path, lines: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def told(cells: NDArray[np.int8]) -> str:
    return base64.b64encode(cells.tobytes()).decode()


# ---------------------------------------------------------------- views


def tables(game: Game) -> list[dict[str, Any]]:
    """Tables of every size and preset, and odd ones."""
    return [*variety.tables_of(game), *({"preset": preset} for preset in game.presets)]


def positions(game: Game) -> Iterator[dict[str, Any]]:
    """Views with observation and mask, from games played at random on all tables in turn."""
    chance = random.Random(0)
    made = seed = 0
    while True:
        table = tables(game)[seed % len(tables(game))]
        match = Match(game, seed=seed, **table)
        patience = chance.choice([0.2, 0.6, 0.9])  # how often the first legal action is taken
        for _ in range(120):
            if chance.random() < 0.2 or match.over:
                seat = chance.randrange(match.num_players)
                seat = match.to_act if match.to_act >= 0 and chance.random() < 0.8 else seat
                yield position(match, seat)
                made += 1
                if made == VIEWS:
                    return
            if match.over:
                break
            legal = match.legal_actions()
            match.step(legal[0] if chance.random() < patience else chance.choice(legal))
        seed += 1


def position(match: Match, seat: int) -> dict[str, Any]:
    observation, mask = match.observe(seat)
    return {"match": match.clone(), "view": match.view(seat), "cells": (observation, mask)}


def answered(
    played: list[dict[str, Any]], bots: dict[str, ExportedPolicy]
) -> Iterator[dict[str, Any]]:
    """Lines of ``views.jsonl``."""
    for seed, one in enumerate(played):
        observation, mask = one["cells"]
        question = Question(None, None, seed, TEMPERATURES[seed % len(TEMPERATURES)], "en")
        line = {
            "view": one["view"],
            "observation": told(observation),
            "action_mask": told(mask),
            "seed": seed,
            "temperature": question.temperature,
            "bots": {},
        }
        if mask.any():
            line["bots"] = {name: answer(bot, question, **one) for name, bot in bots.items()}
        yield line


def answer(
    bot: ExportedPolicy, question: Question, match: Match, view: Any, cells: Any
) -> dict[str, Any]:
    """What a bot replies by the protocol, and ``values``; or the rule for which it refuses."""
    try:
        bot.accepts(match.options)
    except BotError as error:
        rule = re.search(r"plays with (\w+) in", str(error))
        assert rule is not None
        return {"refused": f"rules.{rule[1]}"}
    observation, mask = (part[None] for part in cells)
    legal = dict(zip(np.flatnonzero(mask).tolist(), view["legal"], strict=True))
    situation = Situation(bot.game, match.options, view, observation, mask, legal)
    values = bot.answers(observation, mask).get("action_values")
    by_text = (
        {text: float(values[0, a]) for a, text in legal.items()} if values is not None else None
    )
    return {**act(bot, situation, question), "values": by_text}


# ---------------------------------------------------------------- bots


def exported_bots(game: Game, folder: Path) -> dict[str, ExportedPolicy]:
    """The bundled bots of a game, copied into a folder, and one with every output."""
    found = {}
    for source in sorted((SHIPPED / game.name).glob("*/bot.json")):
        name = f"{game.name}/{source.parent.name}"
        shutil.copytree(source.parent, folder / name)
        found[name] = ExportedPolicy(folder / name)
    name = f"{game.name}/probe"
    write_probe(game, folder / name)
    found[name] = ExportedPolicy(folder / name)
    return found


def write_probe(game: Game, folder: Path) -> None:
    """A bot of random weights that gives all that FORMATS names, at every table."""
    graph = probe_graph(game)
    card = {
        "format": 1,
        "name": "probe",
        "game": game.id,
        "layout": game.layout.to_json(),
        "rules": {},
        "outputs": [output.name for output in graph.graph.output],
        "beliefs": {belief.name: belief.when for belief in game.beliefs},
        "sha256": hashlib.sha256(graph.SerializeToString()).hexdigest(),
    }
    folder.mkdir(parents=True)
    (folder / "policy.onnx").write_bytes(graph.SerializeToString())
    (folder / "bot.json").write_text(json.dumps(card))


def probe_graph(game: Game) -> Any:
    """One layer for each output; int8 in, the mask inside the graph."""
    cells, actions = game.layout.size, game.layout.num_actions
    outputs = {
        "probabilities": (actions, "Softmax"),
        "action_values": (actions, "Sigmoid"),
        "value": (game.max_players, "Softmax"),
    }
    sizes = {field.name: field.size for field in game.secrets.fields}
    for belief in game.beliefs:
        size = sizes[belief.name]
        outputs[belief.name] = (size, "Softmax" if size > 1 else "Sigmoid")
    chance = np.random.default_rng(0)
    nodes = [
        helper.make_node("Cast", ["observation"], ["cells"], to=TensorProto.FLOAT),
        helper.make_node("Cast", ["action_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Cast", ["action_mask"], ["legal"], to=TensorProto.BOOL),
    ]
    weights = [numpy_helper.from_array(np.float32(-1e9), "never")]
    for name, (size, shape) in outputs.items():
        matrix = chance.normal(0, 0.05, (cells, size)).astype(np.float32)
        weights.append(numpy_helper.from_array(matrix, f"{name}_weights"))
        nodes.append(helper.make_node("MatMul", ["cells", f"{name}_weights"], [f"{name}_raw"]))
        raw = f"{name}_raw"
        if name == "probabilities":
            nodes.append(helper.make_node("Where", ["legal", raw, "never"], ["logits"]))
            nodes.append(helper.make_node(shape, ["logits"], ["chances"], axis=-1))
            nodes.append(helper.make_node("Mul", ["chances", "mask"], [name]))
        elif size == 1:
            nodes.append(helper.make_node(shape, [raw], [f"{name}_column"]))
            weights.append(numpy_helper.from_array(np.array([1], np.int64), f"{name}_axis"))
            nodes.append(helper.make_node("Squeeze", [f"{name}_column", f"{name}_axis"], [name]))
        else:
            nodes.append(helper.make_node(shape, [raw], [name]))
    given = [("observation", cells), ("action_mask", actions)]
    inputs = [helper.make_tensor_value_info(n, TensorProto.INT8, ["N", k]) for n, k in given]
    results = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N"] if size == 1 else ["N", size])
        for name, (size, _) in outputs.items()
    ]
    graph = helper.make_graph(nodes, "probe", inputs, results, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)])
    model.ir_version = 10
    onnx.checker.check_model(model)
    return model


# ---------------------------------------------------------------- malformed views


JUNK: list[Any] = [
    *(None, True, False, 0, 1, 3, -1, 99, 2.5, 10**30, "", "L", "3", "respond", "accept"),
    *([], {}, [1], [None], [9, 9, 9, 9], {"3": 2}, {"L": -1}, {"seat": 0}, [[]]),
]


def mutations(spec: dict[str, Any], views: list[Any]) -> Iterator[dict[str, Any]]:
    """Lines of ``malformed.jsonl``: views where something, somewhere, is something else."""
    chance = random.Random(1)
    for _ in range(MALFORMED):
        view = json.loads(json.dumps(chance.choice(views)))
        mutate(view, chance)
        yield judged(spec, view)
    for view in (None, [], "view", 3, {}):
        yield judged(spec, view)


def mutate(inner: Any, chance: random.Random) -> None:
    """Replace, remove or add one value somewhere in a JSON value, in place."""
    while True:
        keys = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
        if not keys:
            break
        key = chance.choice(keys)
        if isinstance(inner[key], dict | list) and chance.random() < 0.6:
            inner = inner[key]
            continue
        if chance.random() < 0.2:
            del inner[key]
        else:
            inner[key] = chance.choice(JUNK)
        return
    if isinstance(inner, list):
        inner.append(chance.choice(JUNK))
    else:
        inner["10"] = chance.choice(JUNK)


def judged(spec: dict[str, Any], view: Any) -> dict[str, Any]:
    """A view with the bytes that Python makes of it, or the paths of its complaints."""
    line: dict[str, Any] = {"game": spec["game"], "view": view}
    encoder = ViewEncoder(spec)
    for name, encode in (
        ("observation", encoder.observation),
        ("action_mask", encoder.action_mask),
    ):
        try:
            line[name] = told(encode(view))
        except ViewError as error:
            line[f"{name}_error"] = error.field
    return line


# ---------------------------------------------------------------- every kind of field

# The vocabulary of Field, on a layout of a game that there is not.
VOCABULARY = Layout(
    "test/Vocabulary-v0",
    1,
    (
        Field("scalar", (1,), 5, "a.b", "scalar", ""),
        Field("flag", (1,), 1, "flag?", "flag", ""),
        Field("one_hot", (2,), 1, "word", "one_hot", "", ("x", 'é"\\\n字\x7f', "z", True, 1)),
        Field("cell", (3,), 1, "cell", "cell", ""),
        Field("seat", (4,), 1, "to_act", "seat", ""),
        Field("count", (2,), 2, "cards", "count", "", ("x", "y")),
        Field("index", (3,), 9, "cards", "index", "", ("x", "y")),
        Field("each", (3, 2), 1, "cards", "each_one_hot", "", ("x", "y")),
        Field("vector", (2,), 9, "pair", "vector", ""),
        Field("of_seats", (4, 1), 9, "seats[relative].n", "scalar", ""),
        Field("deep", (4, 2), 9, "seats[relative].m.k?", "index", "", (1, 2)),
        Field("newest", (2,), 9, "list[newest].n", "scalar", ""),
        Field("whole", (2,), 9, "numbers[newest]", "scalar", "", (1, 4)),
        Field("oldest", (2, 1), 9, "list[oldest].n", "scalar", ""),
        Field("last", (2,), 9, "list[-1].pair?", "vector", ""),
    ),
    (
        ActionBlock("stay", ("stay",), ""),
        ActionBlock("go", ("go {0}", "go {1} {0}", "go {2}"), ""),
    ),
)

A_VIEW: dict[str, Any] = {
    "format": 1,
    "game": VOCABULARY.game,
    "rules": {"num_players": 2},
    "seat": 1,
    "to_act": 0,
    "a": {"b": 7},
    "flag": True,
    "word": 'é"\\\n字\x7f',
    "cell": 2,
    "cards": ["y", "y", "x"],
    "pair": [1, 20],
    "seats": [{"n": 3}, {"n": 4, "m": {"k": [2]}}],
    "list": [{"n": 1}, {"n": 2, "pair": [5, 6]}, {"n": 3, "pair": [7, 8]}],
    "numbers": [4, 1, 1],
    "legal": ["go 0 1", "stay"],
}


def vocabulary_views() -> Iterator[dict[str, Any]]:
    """Lines of ``malformed.jsonl`` for the layout of every kind."""
    spec = VOCABULARY.to_json()
    changes: list[dict[str, Any]] = [
        *({"word": word} for word in ("x", "z", True, 1, 0, False, "1")),
        *({"cards": cards} for cards in ({"x": 1, "y": 9}, {"y": -1}, [], ["x"] * 3, ["x"] * 4)),
        *({"legal": legal} for legal in (["go {2}"], ["go 1"], ["go 1", "go 2"], ["go {0}"], None)),
        *({"list": entries} for entries in ([], [{"n": 1}], [{}], [{"n": 1, "pair": [1]}])),
        *({"seat": seat, "to_act": turn} for seat in (0, 1, 2) for turn in (0, 1, 2)),
        {"rules": {"num_players": 5}, "seats": [{"n": 1}] * 5},
        {"numbers": []},
        {"numbers": [1, 2]},
        {"a": None},
        {"__proto__": 3},
        {"cell": 10**30},
        {"flag": None},
    ]
    yield from (judged(spec, A_VIEW | change) for change in changes)
    chance = random.Random(2)
    for _ in range(500):
        view = json.loads(json.dumps(A_VIEW))
        mutate(view, chance)
        yield judged(spec, view)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
