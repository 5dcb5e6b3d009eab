"""What is told of a game, for every game: views, seat streams, records, action texts, schemas."""

import json
import random

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from variety import move_at_random, state_of, tables_of

from kuku_env.core.encoder import ViewEncoder
from kuku_env.envs.match import Match
from kuku_env.envs.records import read_events, replay, schema, to_lines
from kuku_env.games import games

every_game = pytest.mark.parametrize("game", games(), ids=lambda game: game.name)
every_table = pytest.mark.parametrize(
    ("game", "options"),
    [(game, options) for game in games() for options in tables_of(game)],
    ids=lambda part: str(getattr(part, "name", part)),
)


def played(game, options, seed, *, explicit=False, moves=90):
    """The same match before each move, and at the end or after so many moves."""
    match, chance = Match(game, seed=seed, explicit_chance=explicit, **options), random.Random(seed)
    first = chance.choice([0.1, 0.4, 0.7])  # how often the first legal action is taken
    while not match.over and len(match.moves) < moves:
        yield match
        move_at_random(match, chance, first)
    yield match


def last(game, options, seed, **how):
    *_, match = played(game, options, seed, **how)
    return match


# ---- views -------------------------------------------------------------------------------------


@every_table
def test_the_generic_encoder_writes_the_compiled_observation(game, options):
    encoder = ViewEncoder(json.loads(json.dumps(game.layout.to_json())))  # from JSON alone
    for seed in range(2):
        for match in played(game, options, seed, explicit=seed == 1):
            for seat in range(match.num_players):
                view = json.loads(json.dumps(match.view(seat)))
                observation, mask = match.observe(seat)
                np.testing.assert_array_equal(encoder.observation(view), observation)
                np.testing.assert_array_equal(encoder.action_mask(view), mask)
                assert view["legal"] == [
                    game.telling.action_text(a, seat, match.num_players)
                    for a in np.flatnonzero(mask)
                ]


@every_table
def test_a_seat_stream_alone_gives_the_view(game, options):
    for seed in range(3):
        for moves, match in enumerate(played(game, options, seed)):
            if moves % 7 == seed or match.over:
                for seat in range(match.num_players):
                    told = game.telling.view_of_stream(iter(match.stream(seat)))
                    assert json.dumps(told) == json.dumps(match.view(seat))


@every_game
def test_action_texts_name_one_action_each(game):
    for options in tables_of(game):
        match = last(game, options, 3, moves=20)
        for seat in range(match.num_players):
            for action in np.flatnonzero(match.observe(seat)[1]).tolist():
                text = game.telling.action_text(action, seat, match.num_players)
                assert game.telling.action_id(text, seat, match.num_players) == action
        for text in ("", "no action", "claim", "start 99", "\u0000"):
            with pytest.raises(ValueError, match=r"\S"):
                game.telling.action_id(text, 0, match.num_players)


@every_table
def test_pictures_are_text(game, options):
    for match in played(game, options, 5, moves=30):
        for seat in (None, *range(match.num_players)):
            assert game.telling.render(match.record, seat).strip()


# ---- records -----------------------------------------------------------------------------------


@every_table
def test_a_record_replays_to_the_same_record_and_the_same_state(game, options):
    for seed in range(4):
        match = last(game, options, seed)
        again = replay(read_events(to_lines(match.events())))
        assert to_lines(again.events()) == to_lines(match.events())
        assert state_of(again) == state_of(match)
        assert replay(again.events()).S.tobytes() == again.S.tobytes()


@every_table
def test_a_record_stops_wherever_a_step_is_complete_and_the_game_goes_on(game, options):
    for seed in range(3):
        whole = last(game, options, seed, explicit=True)
        moves = random.Random(seed).randrange(len(whole.moves) + 1)
        match = replay(last(game, options, seed, explicit=True, moves=moves).events())
        for move in whole.moves[len(match.moves) :]:
            (match.resolve if match.at_chance else match.step)(move)
        assert match.events() == whole.events()
        assert state_of(match) == state_of(whole)


@every_table
def test_a_match_can_be_played_by_text(game, options):
    match = last(game, options, 8)
    again = Match(game, seed=8, **options)
    for event in match.events():
        if event["type"] == "act":
            again.act(event["action"])
    assert again.events() == match.events()


# ---- schemas -----------------------------------------------------------------------------------


def first_error(validator, found):
    error = next(validator.iter_errors(found), None)
    return None if error is None else f"{error.message} at {error.json_path}"


@every_game
def test_records_streams_and_views_follow_their_schemas(game):
    record, stream, view = (
        Draft202012Validator(schema(game, kind)) for kind in ("record", "stream", "view")
    )
    for validator in (record, stream, view):
        validator.check_schema(validator.schema)
    for options in tables_of(game):
        for moves, match in enumerate(played(game, options, 5, explicit=True)):
            if moves % 9 == 0 or match.over:
                seat = moves % match.num_players
                assert first_error(view, match.view(seat)) is None
                for event in match.stream(seat):
                    assert first_error(stream, event) is None
        for event in match.events():
            assert first_error(record, event) is None
            assert not record.is_valid({**event, "more": 1})
        told = match.view(0)
        assert not view.is_valid({**told, "more": 1})
        for key in told:
            assert not view.is_valid({k: v for k, v in told.items() if k != key})
