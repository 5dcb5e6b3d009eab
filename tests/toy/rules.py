import numpy as np

from kuku_env.core.chance import below
from kuku_env.core.game import record_type
from kuku_env.core.jit import njit
from toy.layout import BELIEVE, DOUBT, HEADS, TAILS
from toy.options import SEATS

SAYING, ANSWERING, OVER, CHANCE = range(4)
UNKNOWN = -1

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
