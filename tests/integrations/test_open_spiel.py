"""The games as OpenSpiel games: its own checks, and its solvers beside ours."""

import json
import random

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra open-spiel")

from open_spiel.python import policy as spiel_policy
from open_spiel.python.algorithms import cfr
from open_spiel.python.algorithms.exploitability import exploitability as spiel_exploitability
from open_spiel.python.observation import make_observation

from agents.exact import exploitability
from agents.tree import build_tree
from kuku_env.core.game import OptionError
from kuku_env.games import games
from kuku_env.integrations.open_spiel import SpielObserver, options_of, parameters, short_name

TINY = [f"{short_name(game)}(preset=tiny)" for game in games()]
# Whole rules, cut short; and what the presets leave out.
OTHERS = [
    "python_kuku_doubt(num_players=3,max_decisions=30,reward=placement)",
    "python_kuku_doubt(num_players=2,duel_lives=True,max_decisions=25,claims=[6 12 24])",
    "python_doubt(num_players=3,ranks=3,hand_limit=-1,max_decisions=30,jokers=1)",
    "python_doubt(num_players=2,ranks=3,suits=2,max_play=2,hand_limit=-1,penalty=exchange,max_decisions=20)",
    "python_liars_cry(num_players=3,deals=1,reward=points)",
    "python_liars_cry(num_players=3,deals=2,max_decisions=25)",
]


@pytest.fixture(params=games(), ids=lambda game: game.name)
def game(request):
    return request.param


def positions(name, seed):
    """A random game's states, the last one included."""
    chance = random.Random(seed)
    state = pyspiel.load_game(name).new_initial_state()
    while True:
        yield state
        if state.is_terminal():
            return
        moves = [o for o, _ in state.chance_outcomes()] if state.is_chance_node() else None
        state.apply_action(chance.choice(moves or state.legal_actions()))


@pytest.mark.parametrize("name", [*TINY, *OTHERS])
def test_openspiel_finds_nothing_wrong(name):
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=2, serialize=True, verbose=False)


def test_every_game_is_registered_with_its_options(game):
    spiel = pyspiel.load_game(short_name(game))
    assert vars(options_of(game, spiel.get_parameters())) == vars(game.make_options())
    assert spiel.num_distinct_actions() == game.layout.num_actions
    for preset in game.presets:
        loaded = pyspiel.load_game(short_name(game), {"preset": preset})
        assert loaded.num_players() == game.make_options(preset).num_players
        assert pyspiel.load_game(str(loaded)).get_parameters() == loaded.get_parameters()


def test_options_survive_the_way_through_parameters(game):
    for preset in game.presets:
        options = game.make_options(preset)
        defaults = parameters(game)
        named = {}
        for name, value in vars(options).items():
            if isinstance(value, tuple):
                named[name] = "[" + " ".join(map(str, value)) + "]"
            elif value is None:
                named[name] = "" if defaults[name] == "" else -1
            else:
                named[name] = value
        assert options_of(game, named) == options


def test_what_is_not_allowed_is_refused():
    with pytest.raises(pyspiel.SpielError, match="players"):
        pyspiel.load_game("python_doubt(players=3)")
    for name, told in (
        ("python_doubt(num_players=99)", "num_players"),
        ("python_doubt(preset=huge)", "preset"),
        ("python_kuku_doubt(claims=[two])", "claims"),
        ("python_kuku_doubt(history=0)", "history"),
    ):
        with pytest.raises(OptionError, match=told):
            pyspiel.load_game(name)
    everyone = pyspiel.PrivateInfoType.ALL_PLAYERS
    kind = pyspiel.IIGObservationType(perfect_recall=False, private_info=everyone)
    with pytest.raises(ValueError, match="may know"):
        make_observation(pyspiel.load_game("python_doubt"), kind)


@pytest.mark.parametrize("name", [*TINY, *OTHERS])
def test_rewards_come_at_the_end_within_the_bounds(name):
    spiel = pyspiel.load_game(name)
    for seed in range(5):
        *before, last = (state.returns() for state in positions(name, seed))
        assert not np.any(before)
        assert sum(last) == pytest.approx(0)
        assert min(last) >= spiel.min_utility()
        assert max(last) <= spiel.max_utility()


@pytest.mark.parametrize("name", TINY)
def test_clones_go_their_own_way(name):
    for state in positions(name, 3):
        if state.is_terminal():
            break
        before = str(state)
        twin = state.clone()
        move = (twin.legal_actions() or [0])[0]
        twin.apply_action(move)
        assert str(state) == before != str(twin)
        assert twin.history() == [*state.history(), move]


@pytest.mark.parametrize("name", [*TINY, OTHERS[0]])
def test_tensors_hold_what_the_seat_observes(name):
    recall = pyspiel.IIGObservationType(perfect_recall=True)
    spiel = pyspiel.load_game(name)
    seen = make_observation(spiel)
    known = make_observation(spiel, recall)
    for state in positions(name, 4):
        for seat in range(spiel.num_players()):
            cells, _ = state.match.observe(seat)
            expected = cells * state.match.game.layout.scale
            seen.set_from(state, seat)
            known.set_from(state, seat)
            assert seen.tensor == pytest.approx(expected)
            assert known.dict["observations"][0] == pytest.approx(expected)
            assert known.dict["seat"].argmax() == seat
            assert json.loads(seen.string_from(state, seat))["seat"] == seat
            if not state.is_terminal():
                assert state.observation_tensor(seat) == pytest.approx(expected)
            for field in state.match.game.layout.fields:
                assert seen.dict[field.name].shape == field.shape


def without_order(text):
    events = json.loads(text)
    for event in events:
        if isinstance(event.get("cards"), list):
            event["cards"].sort(key=str)
    return json.dumps(events)


@pytest.mark.parametrize("name", ["python_kuku_doubt(preset=small)", "python_doubt(preset=tiny)"])
def test_information_state_tensors_are_information_states(name):
    """Equal where the seat knows the same, different where it does not.

    But for the order of cards that came together, which is nothing to play by.
    """
    spiel = pyspiel.load_game(name)
    observer = SpielObserver(spiel.rules, spiel.history)
    by_string, by_tensor = {}, {}
    for seed in range(150):
        for state in positions(name, seed):
            seat = state.current_player()
            if seat < 0:
                continue
            observer.set_from(state, seat)
            key = seat, without_order(observer.string_from(state, seat))
            tensor = observer.tensor.tobytes()
            assert by_string.setdefault(key, tensor) == tensor
            assert by_tensor.setdefault(tensor, key) == key
    assert len(by_string) > 50


@pytest.mark.parametrize("preset", ["tiny", pytest.param("small", marks=pytest.mark.slow)])
def test_exploitability_is_that_of_our_solver(preset):
    spiel = pyspiel.load_game("python_kuku_doubt", {"preset": preset})
    tree = build_tree("kuku-doubt", preset)
    theirs = spiel_exploitability(spiel, spiel_policy.UniformRandomPolicy(spiel))
    assert theirs == pytest.approx(exploitability(tree, tree.uniform()), abs=1e-9)


def test_their_regret_minimisation_runs_on_our_rules():
    spiel = pyspiel.load_game("python_kuku_doubt(preset=tiny)")
    solver = cfr.CFRSolver(spiel)
    before = spiel_exploitability(spiel, spiel_policy.UniformRandomPolicy(spiel))
    for _ in range(10):
        solver.evaluate_and_update_policy()
    assert spiel_exploitability(spiel, solver.average_policy()) < before / 2
