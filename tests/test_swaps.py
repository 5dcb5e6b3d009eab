"""Cards that are hidden from a seat change places, and no channel of that seat changes.

Kuku Doubt, whose hidden cards can be exchanged in the past as well, has test_secrecy.py besides.
"""

import random

import pytest
from channels import different, every_channel
from hypothesis import given, settings
from hypothesis import strategies as st
from toy import GAMES, every_game
from variety import hidden_swaps, resolve_at_random, tables_of

from kuku_env.envs.match import Match


def swapping(game):
    """Whether the game says how its hidden cards can be exchanged."""
    match = Match(game, seed=0)
    return any(True for seat in range(match.num_players) for _ in hidden_swaps(match, seat))


SWAPPING = [game for game in GAMES if swapping(game)]
every_swapping_game = pytest.mark.parametrize("game", SWAPPING, ids=lambda game: game.name)


def moved_on(game, options, seed, moves, explicit=False):
    """A match after so many random moves."""
    match, chance = Match(game, seed=seed, explicit_chance=explicit, **options), random.Random(seed)
    while not match.over and len(match.moves) < moves:
        if match.at_chance:
            resolve_at_random(match, chance)
        else:
            match.step(chance.choice(match.legal_actions()))
    return match


@every_swapping_game
@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 10**6), moves=st.integers(0, 120), data=st.data())
def test_hidden_cards_change_places_unnoticed(game, seed, moves, data):
    match = moved_on(game, data.draw(st.sampled_from(tables_of(game))), seed, moves)
    for seat in range(match.num_players):
        received = every_channel(match, seat)
        for other in hidden_swaps(match, seat):
            assert other.S.tobytes() != match.S.tobytes()
            assert different(received, every_channel(other, seat)) == set()


@every_swapping_game
def test_what_is_exchanged_is_seen_by_others(game):
    """Otherwise the test above would prove nothing."""
    seen_by_critics, seen_by_others = 0, 0
    for seed in range(60):
        match = moved_on(game, tables_of(game)[seed % 5], seed, 4 * (seed % 10))
        for seat in range(match.num_players):
            for other in hidden_swaps(match, seat):
                before, after = match.secrets(seat), other.secrets(seat)
                seen_by_critics += before.tobytes() != after.tobytes()
                seen_by_others += any(
                    match.observe(k)[0].tobytes() != other.observe(k)[0].tobytes()
                    for k in range(match.num_players)
                    if k != seat
                )
    assert seen_by_critics > 50
    assert seen_by_others > 50


# ---- another past ------------------------------------------------------------------------------


def outcomes_of(match):
    """Which of a match's moves were outcomes of chance."""
    twin = Match(match.game, seed=0, explicit_chance=True, **match.rules())
    found = []
    for number, move in enumerate(match.moves):
        if twin.at_chance:
            found.append(number)
        replayed(twin, move)
    return found


def replayed(match, move):
    """Whether the move could be made."""
    try:
        (match.resolve if match.at_chance else match.step)(move)
    except ValueError:
        return False
    return True


def other_pasts(match, chance, tries):
    """Matches of the same moves but for two outcomes of chance that have changed places."""
    outcomes = outcomes_of(match)
    for _ in range(tries if len(outcomes) > 1 else 0):
        i, j = chance.sample(outcomes, 2)
        moves = list(match.moves)
        moves[i], moves[j] = moves[j], moves[i]
        twin = Match(match.game, seed=0, explicit_chance=True, **match.rules())
        if moves != match.moves and all(replayed(twin, move) for move in moves):
            yield twin


@every_game
def test_whoever_reads_the_same_stream_receives_the_same(game):
    """Two pasts that the stream of a seat does not tell apart, no other channel does."""
    found, tables = 0, tables_of(game)
    for seed in range(40):
        chance = random.Random(seed)
        match = moved_on(
            game, tables[seed % len(tables)], seed, chance.randrange(10, 120), explicit=True
        )
        for other in other_pasts(match, chance, 6):
            for seat in range(match.num_players):
                if match.stream(seat) == other.stream(seat):
                    found += match.events() != other.events()
                    assert (
                        different(every_channel(match, seat), every_channel(other, seat)) == set()
                    )
    assert found > 20 or game.name == "coin"  # which has but one outcome of chance
