"""Properties that every game keeps, in random games with options of all kinds."""

import copy
import json
import pickle
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy import every_game
from variety import is_complete, most_decisions, move_at_random, options_of

from kuku_env.core.chance import generator_states
from kuku_env.core.game import ILLEGAL, IllegalActionError
from kuku_env.envs.match import Match
from kuku_env.games import find_game

pytestmark = pytest.mark.usefixtures("toy_is_known")
SEEDS = st.integers(0, 2**64 - 1)


def positions(match, seed, moves=200):
    """Play on at random and yield before each move, and at the end."""
    chance = random.Random(seed)
    first = chance.choice([0.1, 0.5, 0.9])
    while not match.over and moves > 0:
        yield match
        move_at_random(match, chance, first)
        moves -= 1
    yield match


def drawn_match(data, game, explicit=False):
    options = data.draw(options_of(game))
    return Match(game, seed=data.draw(SEEDS), explicit_chance=explicit, **options)


# ---- legal actions -----------------------------------------------------------------------------


@every_game
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_the_mask_is_exactly_what_step_accepts_and_the_rest_changes_no_byte(game, data):
    check_masks(drawn_match(data, game), data.draw(SEEDS))


def check_masks(match, seed):
    """In a random game the mask is what ``step`` accepts, and what it refuses changes no byte."""
    game, size = match.game, match.game.layout.num_actions
    actions = [*range(size), -1, -2, -size, size, size + 1, 127, 128, 256, 2**31, -(2**31), 2**40]
    actions += [2**62, -(2**63), 2**63 - 1]
    for _ in positions(match, seed):
        mask = np.zeros(len(actions), bool)
        if not match.over:
            mask[:size] = match.observe(match.to_act)[1]
            assert mask.any()  # no dead end
        before = match.S.tobytes()
        clones = np.repeat(match.S, len(actions))
        for k, action in enumerate(actions):
            accepted = game.kernels.step(clones, k, action) != ILLEGAL
            assert accepted == mask[k], action
            assert (clones[k : k + 1].tobytes() == before) == (not accepted), action
        for seat in range(match.num_players):
            if seat != match.to_act:
                assert not match.observe(seat)[1].any()


@every_game
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_refused_actions_say_what_is_legal_and_change_nothing(game, data):
    match = drawn_match(data, game)
    size = game.layout.num_actions
    for _ in positions(match, data.draw(SEEDS), data.draw(st.integers(0, 60))):
        pass
    before, moves = match.S.tobytes(), list(match.moves)
    legal = match.legal_actions()
    for action in {*range(-1, size + 1), 2**31, 2**64, -(2**200), 10**400} - {*legal}:
        with pytest.raises(IllegalActionError) as caught:
            match.step(action)
        assert str(action) in str(caught.value) if abs(action) < 2**64 else True
        assert all(str(a) in str(caught.value) for a in legal)
    for action in (1.0, "0", None, True, np.bool_(True), np.float64(0), [0], b"0"):
        with pytest.raises(TypeError, match="integer"):
            match.step(action)
    for seat in (-1, match.num_players, 2**40):
        with pytest.raises(ValueError, match="seat"):
            match.observe(seat)
    with pytest.raises(ValueError, match="not possible"):
        match.resolve(0)
    assert (match.S.tobytes(), match.moves) == (before, moves)
    for action in legal[:3]:
        twin = match.clone()
        twin.step(np.int16(action))
        assert twin.moves == [*moves, action]


# ---- whole games -------------------------------------------------------------------------------


@every_game
@pytest.mark.parametrize("explicit", [False, True])
@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_whole_games(game, explicit, data):
    check_whole_game(drawn_match(data, game, explicit), data.draw(SEEDS))


def check_whole_game(match, seed):
    """A random game keeps its cards and ends in time; its rewards are as they must be."""
    n, r = match.num_players, match.record
    returns, fates, decisions, moves = np.zeros(n), np.zeros(n, bool), 0, 0
    deciding = False
    for _ in positions(match, seed, 10**6):
        decisions += deciding
        assert r.decisions == decisions <= most_decisions(match)
        deciding = match.to_act >= 0
        assert sum([deciding, match.at_chance, match.over]) == 1
        assert bool(match.legal_actions()) == deciding
        assert is_complete(match)
        returns += r.rewards[:n]
        assert not r.rewards[:n][fates].any()  # a fate is paid once
        fates = r.place[:n] > 0
        assert not r.returns[:n][~fates].any()
        assert not r.rewards[n:].any()
        moves += 1
    assert match.over
    assert len(match.moves) == moves - 1
    assert list(returns) == list(match.returns)
    assert sum(match.returns) == pytest.approx(0, abs=1e-12)
    assert match.chance_outcomes() == []
    places = [int(place) for place in r.place[:n]]
    assert places == [1 + sum(other < place for other in places) for place in places]
    by_place = dict(zip(places, match.returns, strict=True))
    assert [by_place[place] for place in places] == list(match.returns)  # equal places, equal pay
    paid = [round(by_place[k], 12) for k in sorted(by_place)]  # an average is rounded
    assert paid == sorted(paid, reverse=True)
    end = match.events()[-1]
    assert (end["type"], end["places"], end["truncated"]) == ("end", places, bool(r.truncated))
    assert end["rewards"] == list(match.returns)


@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_kuku_doubt_claims_never_fall_and_only_the_living_act(data):
    match = drawn_match(data, find_game("kuku-doubt"))
    for _ in positions(match, data.draw(SEEDS)):
        pass
    n, last, out = match.num_players, 0, set()
    allowed = match.options.claims or range(1, 82)
    for event in match.events():
        words = event.get("action", event["type"]).split()
        if words[0] == "out":
            out.add(event["seat"])
        elif words[0] == "round":
            last = 0
            assert event["start"] not in out
        elif words[0] == "start":
            assert int(words[1]) not in out
        elif words[0] in ("claim", "accept", "doubt", "see", "discard", "flip"):
            assert event["seat"] not in out or words == ["flip"]
        if words[0] == "claim":
            assert int(words[1]) >= last
            last = int(words[1])
            assert last in allowed
    assert {*np.flatnonzero(match.record.lives[:n] == 0)} == out
    if match.over:
        assert match.record.truncated != ((match.record.place[:n] == 1).sum() == 1)


# ---- chance ------------------------------------------------------------------------------------


def next_drawn(state, weights):
    """The generator (64-bit xorshift: 13, 7, 17) and a draw with it, in plain integers."""
    state ^= state << 13 & 2**64 - 1
    state ^= state >> 7
    state ^= state << 17 & 2**64 - 1
    left = (state >> 32) * int(sum(weights)) >> 32
    outcome = 0
    while left >= weights[outcome]:
        left -= int(weights[outcome])
        outcome += 1
    return state, outcome


@every_game
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_explicit_chance_given_what_the_generator_draws_is_the_same_game(game, data):
    options, seed = data.draw(options_of(game)), data.draw(SEEDS)
    drawn = Match(game, seed=seed, **options)
    given_ = Match(game, seed=seed, explicit_chance=True, **options)
    state = int(generator_states(seed, 1)[0])
    for _ in positions(drawn, data.draw(SEEDS)):
        if drawn.moves:
            given_.step(drawn.moves[-1])
        while given_.at_chance:
            outcomes = given_.chance_outcomes()
            assert sum(p for _, p in outcomes) == pytest.approx(1)
            assert all(p > 0 for _, p in outcomes)
            assert given_.legal_actions() == []
            weights = np.zeros(game.max_outcomes, np.int64)
            game.kernels.chance_weights(given_.S, 0, weights)
            assert outcomes == [(k, w / weights.sum()) for k, w in enumerate(weights) if w]
            state, outcome = next_drawn(state, weights)
            given_.resolve(outcome)
        assert int(drawn.record.rng) == state
        for seat in range(drawn.num_players):
            for one, two in zip(drawn.observe(seat), given_.observe(seat), strict=True):
                assert one.tobytes() == two.tobytes()
    assert drawn.events() == given_.events()
    assert list(drawn.returns) == list(given_.returns)


@every_game
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_impossible_outcomes_are_refused_and_change_nothing(game, data):
    match = drawn_match(data, game, explicit=True)
    for _ in positions(match, data.draw(SEEDS), data.draw(st.integers(0, 60))):
        pass
    before = match.S.tobytes()
    possible = [outcome for outcome, _ in match.chance_outcomes()]
    for outcome in [*range(-2, game.max_outcomes + 2), 2**70, 1.0, "1", None, True]:
        if outcome in possible and type(outcome) is int:
            continue
        with pytest.raises(ValueError, match="not possible"):
            match.resolve(outcome)
    if match.at_chance:
        with pytest.raises(IllegalActionError, match="chance"):
            match.step(0)
    assert match.S.tobytes() == before


@every_game
@given(seed=SEEDS, other=SEEDS, n=st.integers(2, 8))
@settings(max_examples=20, deadline=None)
def test_the_same_seed_gives_the_same_game_and_another_seed_another(game, seed, other, n):
    n = min(max(n, game.min_players), game.max_players)
    one, two, three = (Match(game, seed=s, num_players=n) for s in (seed, seed, other))
    for _ in zip(positions(one, 1), positions(two, 1), strict=True):
        assert one.S.tobytes() == two.S.tobytes()
    assert one.events() == two.events()
    assert (seed == other) == (three.record.rng == Match(game, seed=seed, num_players=n).record.rng)


# ---- copies ------------------------------------------------------------------------------------


def views(match):
    return [match.view(seat) for seat in range(match.num_players)]


def repickled(match):
    return pickle.loads(pickle.dumps(match))


@every_game
@pytest.mark.parametrize("explicit", [False, True])
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_copies_continue_the_same_game_on_their_own(game, explicit, data):
    match = drawn_match(data, game, explicit)
    for _ in positions(match, data.draw(SEEDS), data.draw(st.integers(0, 80))):
        pass
    before = match.S.tobytes(), match.moves.copy(), match.events(), views(match)
    seed = data.draw(SEEDS)
    ends = []
    for make in (Match.clone, copy.copy, copy.deepcopy, repickled):
        twin = make(match)
        assert (twin.S.tobytes(), twin.moves, twin.events(), views(twin)) == before
        for _ in positions(twin, seed):
            pass
        again = repickled(twin)
        assert json.dumps(again.events()) == json.dumps(twin.events())
        ends.append((twin.S.tobytes(), twin.moves, list(twin.returns), twin.game is game))
        assert (match.S.tobytes(), match.moves, match.events(), views(match)) == before
    for _ in positions(match, seed):
        pass
    assert ends == [(match.S.tobytes(), match.moves, list(match.returns), True)] * 4
