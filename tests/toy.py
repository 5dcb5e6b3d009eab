"""A second game, the smallest that fulfils the contract: what stands on games must not lean on one.

Coin: a coin is tossed and shown to seat 0, who says how it fell, truly or not. Every other seat in
turn believes or doubts it; who is right gets a point from seat 0, who is wrong gives one.
"""

import sys
from dataclasses import dataclass, field

import numpy as np
import pytest

from kuku_env.core.chance import below
from kuku_env.core.game import FATES_KNOWN, ILLEGAL, PLAYED, Game, check_int, record_type
from kuku_env.core.jit import njit
from kuku_env.core.layout import ActionBlock, Field, Layout
from kuku_env.games import games

SEATS = 3
SAYING, ANSWERING, OVER, CHANCE = range(4)
HEADS, TAILS, BELIEVE, DOUBT = range(4)
UNKNOWN = -1
FACES = ("heads", "tails")


@dataclass(frozen=True)
class Options:
    num_players: int = field(default=2, metadata={"doc": "seats, 2 or 3"})

    def __post_init__(self):
        check_int("num_players", self.num_players, 2, SEATS)

    def write(self, record):
        record.num_players = self.num_players


STATE = record_type(
    [
        ("rng", np.uint64),
        ("rewards", np.float64, SEATS),
        ("returns", np.float64, SEATS),
        ("num_players", np.int64),
        ("decisions", np.int64),
        ("phase", np.int64),
        ("turn", np.int64),
        ("coin", np.int64),
        ("said", np.int64),
        ("logged", np.int64),
        ("explicit_chance", np.bool_),
        ("truncated", np.bool_),
        ("place", np.int8, SEATS),
        ("doubts", np.int8, SEATS),
        ("log", np.int8, (4, 3)),
    ]
)

LAYOUT = Layout(
    "test/Coin-v0",
    1,
    (
        Field("phase", (2,), 1, "phase", "one_hot", "what is asked", ("say", "answer")),
        Field("seat", (SEATS,), 1, "seat", "one_hot", "my seat", tuple(range(SEATS))),
        Field("coin", (2,), 1, "coin", "one_hot", "how it fell, if I know", FACES),
        Field("said", (2,), 1, "said", "one_hot", "what seat 0 said", FACES),
    ),
    (
        ActionBlock("say", ("say heads", "say tails"), "say how the coin fell"),
        ActionBlock("answer", ("believe", "doubt"), "believe or doubt it"),
    ),
)
SECRETS = Layout(
    "test/Coin-v0/secrets", 1, (Field("coin", (2,), 1, "coin", "one_hot", "the coin", FACES),)
)


# ---- rules -------------------------------------------------------------------------------------


@njit
def note(s, kind, a, b):
    row = s.log[s.logged]
    row[0], row[1], row[2] = kind, a, b
    s.logged += 1


@njit
def quiet(s):
    s.logged = 0
    s.rewards[:] = 0.0


@njit
def toss(s, outcome):
    s.coin = outcome
    note(s, CHANCE, outcome, 0)
    s.phase = SAYING


@njit
def is_legal(s, action):
    if s.phase == SAYING:
        return action in (HEADS, TAILS)
    return s.phase == ANSWERING and action in (BELIEVE, DOUBT)


@njit
def act(s, action):
    quiet(s)
    note(s, s.phase, s.turn, action)
    s.decisions += 1
    if s.phase == SAYING:
        s.said = action
        s.phase = ANSWERING
    else:
        s.doubts[s.turn] = action == DOUBT
    s.turn += 1
    if s.turn == s.num_players:
        end(s)


@njit
def end(s):
    s.phase = OVER
    s.turn = 0
    lied = s.said != s.coin
    for seat in range(1, s.num_players):
        point = 1.0 if (s.doubts[seat] == 1) == lied else -1.0
        s.rewards[seat] = point
        s.rewards[0] -= point
    s.returns[:] = s.rewards
    for seat in range(s.num_players):
        s.place[seat] = 1
        for other in range(s.num_players):
            s.place[seat] += s.returns[other] > s.returns[seat]
    note(s, OVER, 0, 0)


@njit
def start(s):
    quiet(s)
    s.returns[:] = 0.0
    s.decisions = 0
    s.place[:] = 0
    s.doubts[:] = 0
    s.turn = 0
    s.coin = s.said = UNKNOWN
    s.phase = CHANCE
    if not s.explicit_chance:
        toss(s, below(s, 2))


@njit
def encode(s, me, out, mask):
    out[:] = 0
    mask[:] = 0
    if s.phase < OVER:
        out[s.phase] = 1
    out[2 + me] = 1
    if me == 0 and s.coin != UNKNOWN:
        out[5 + s.coin] = 1
    if s.said != UNKNOWN:
        out[7 + s.said] = 1
    for action in range(4):
        mask[action] = s.turn == me and is_legal(s, action)


# ---- kernels -----------------------------------------------------------------------------------


@njit
def deal(S, i):
    start(S[i])


@njit
def step(S, i, action):
    s = S[i]
    if not is_legal(s, action):
        return ILLEGAL
    act(s, action)
    return FATES_KNOWN if s.phase == OVER else PLAYED


@njit
def resolve(S, i, outcome):
    quiet(S[i])
    toss(S[i], outcome)


@njit
def chance_weights(S, i, weights):
    weights[:] = 1


@njit
def observe(S, i, seat, observation, action_mask):
    encode(S[i], seat, observation, action_mask)


@njit
def secrets(S, i, seat, out):
    out[:] = 0
    if S[i].coin != UNKNOWN:
        out[S[i].coin] = 1


@njit
def step_range(
    S,
    actions,
    autoreset,
    first,
    stop,
    observation,
    action_mask,
    seat,
    rewards,
    terminated,
    truncated,
):
    for i in range(first, stop):
        s = S[i]
        rewards[i, :] = 0.0
        terminated[i] = truncated[i] = False
        if actions[i] >= 0:
            act(s, actions[i])
            terminated[i] = s.phase == OVER
            for k in range(SEATS):
                rewards[i, k] = s.rewards[k]
            if terminated[i] and autoreset:
                start(s)
    observe_range(S, first, stop, observation, action_mask, seat)


@njit
def observe_range(S, first, stop, observation, action_mask, seat):
    for i in range(first, stop):
        if S[i].phase < OVER:
            seat[i] = S[i].turn
            encode(S[i], S[i].turn, observation[i].cells, action_mask[i].cells)
        else:
            seat[i] = -1
            observation[i].cells[:] = 0
            action_mask[i].cells[:] = 0


@njit
def secrets_range(S, first, stop, seat, out):
    for i in range(first, stop):
        secrets(S, i, 0, out[i].cells)


# ---- words -------------------------------------------------------------------------------------


def view(s, seat, rules):
    asked = s.phase < OVER and s.turn == seat
    return {
        "format": 1,
        "game": GAME.id,
        "rules": rules,
        "seat": seat,
        "phase": ("say", "answer", "over", "chance")[s.phase],
        "coin": FACES[s.coin] if seat == 0 and s.coin != UNKNOWN else None,
        "said": FACES[s.said] if s.said != UNKNOWN else None,
        "legal": [LAYOUT.action_texts[a] for a in range(4) if asked and is_legal(s, a)],
    }


def happenings(s, rows):
    n, events = int(s.num_players), []
    for kind, a, b in rows:
        if kind == CHANCE:
            events.append({"type": "toss", "cards": [FACES[a]], "private": [0]})
        elif kind == OVER:
            rewards, places = s.returns[:n].tolist(), s.place[:n].tolist()
            end = {"type": "end", "rewards": rewards, "places": places, "truncated": False}
            events.append(end)
        else:
            events.append({"type": "act", "seat": a, "action": LAYOUT.action_texts[b]})
    return events


def seat_event(event, seat):
    told = {key: value for key, value in event.items() if key not in ("private", "seed")}
    return {**told, "cards": 1} if seat not in event.get("private", [seat]) else told


def view_of_stream(events):
    raise NotImplementedError


def outcomes(s, event):
    return [FACES.index(event["cards"][0])] if event["type"] == "toss" else []


def action_text(action, seat, num_players):
    return LAYOUT.action_texts[action]


def action_id(text, seat, num_players):
    if text not in LAYOUT.action_texts:
        raise ValueError(f"no action is called {text!r}")
    return LAYOUT.action_texts.index(text)


def render(s, seat):
    return f"seat {s.turn} is to act"


GAME = Game(
    id="test/Coin-v0",
    name="coin",
    options=Options,
    presets={},
    state=STATE,
    layout=LAYOUT,
    secrets=SECRETS,
    kernels=sys.modules[__name__],
    telling=sys.modules[__name__],
    min_players=2,
    max_players=SEATS,
    max_outcomes=2,
    over=OVER,
    chance=CHANCE,
)

GAMES = [*games(), GAME]
every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
