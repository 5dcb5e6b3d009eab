"""Bots that take part in training: as magnets, as rivals, by table size, by name and by folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.cast import Cast
from agents.export import export_bot
from agents.guests import find_guests
from agents.network import PolicyValueNetwork
from agents.presets import make_options
from agents.reference import Reference
from agents.selfplay import SelfPlay
from kuku_env.bots import BotError, make_policy
from kuku_env.envs.batch import BatchEnv
from kuku_env.games import find_game

GAME = find_game("kuku-doubt")
TABLES = [{"num_players": n, "see_through": "consistent"} for n in (2, 3, 4)]


@pytest.fixture(scope="module")
def duel_bot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a bot that plays at tables of two alone, honestly given nothing."""
    folder = tmp_path_factory.mktemp("bots") / "duel"
    network = PolicyValueNetwork(GAME, (8,))
    torch.nn.init.normal_(network.policy.bias)
    export_bot(network, GAME, folder, name="duel", tables=TABLES[:1], origin={}, strength={})
    return folder


def test_the_magnet_is_the_one_of_the_table_size(duel_bot: Path) -> None:
    env = BatchEnv(GAME, 60, tables=TABLES)
    turns = env.reset(seed=1)
    turns = env.step(turns.action_mask.argmax(1))
    games = np.arange(0, 60, 2)
    asked = turns.observation[games], turns.action_mask[games]
    even = PolicyValueNetwork(GAME, (8,)).even(torch.from_numpy(asked[1]))
    sizes = env.num_players[games]
    for magnets in ([f"2:{duel_bot}", "3:scripted-easy", "scripted-normal"],
                    ["scripted-normal", "3:scripted-easy", f"2:{duel_bot}"]):  # fmt: skip
        reference = Reference(magnets, 0.75, GAME, env.options)
        found = reference.log_probabilities(games, *asked, even).exp()
        for size, bot in ((2, duel_bot), (3, "scripted-easy"), (4, "scripted-normal")):
            here = sizes == size
            theirs = make_policy(bot, GAME).probabilities(asked[0][here], asked[1][here])
            wanted = 0.25 * even[here].exp() + 0.75 * torch.from_numpy(theirs)
            legal = asked[1][here] > 0
            assert torch.allclose(found[here][legal], wanted[legal], atol=1e-6)


def test_without_a_magnet_all_kinds_of_action_are_alike() -> None:
    env = BatchEnv(GAME, 6, tables=TABLES)
    turns = env.reset(seed=1)
    even = PolicyValueNetwork(GAME, (8,)).even(torch.from_numpy(turns.action_mask))
    asked = np.arange(6), turns.observation, turns.action_mask
    assert torch.equal(Reference([], 0.75, GAME, env.options).log_probabilities(*asked, even), even)
    only_two = Reference(["2:scripted-easy"], 0.75, GAME, env.options)
    found, here = only_two.log_probabilities(*asked, even), env.num_players == 2
    legal = torch.from_numpy(turns.action_mask > 0)
    others = legal & ~torch.from_numpy(here)[:, None]
    assert torch.allclose(found[others], even[others], atol=1e-5)
    assert not torch.allclose(found[here][legal[here]], even[here][legal[here]], atol=1e-2)


def test_rivals_sit_at_the_tables_that_they_are_for(duel_bot: Path) -> None:
    options = replace(
        make_options("quick"), rivals=(f"2:{duel_bot}", "3:random"), rival_share=1.0,
        opening_bot=None,
    )  # fmt: skip
    env = BatchEnv(GAME, 300, tables=TABLES)
    cast = Cast(options, GAME, env.options, seed=1)
    assert cast.mixed.tolist() == (env.num_players < 4).tolist()
    assert cast.fair.tolist() == (env.num_players == 4).tolist()
    scripted, moves = cast.scripted(env.reset(seed=0))
    assert 0.2 < scripted[env.num_players == 2].mean() < 0.8
    assert len(moves) == scripted.sum()


def test_bots_that_cannot_play_where_they_shall_are_refused(duel_bot: Path) -> None:
    tables = [GAME.make_options(**table) for table in TABLES]
    assert len(find_guests([f"2:{duel_bot}"], GAME, tables)) == 1
    for entry in (str(duel_bot), f"3:{duel_bot}"):
        with pytest.raises(BotError, match=r"cannot take part at every table: duel plays with num"):
            find_guests([entry], GAME, tables)
    with pytest.raises(BotError, match="no bot 'x:random'"):
        find_guests(["x:random"], GAME, tables)


def test_a_run_may_be_pulled_to_any_bot(duel_bot: Path) -> None:
    magnet = f"2:{duel_bot},scripted-normal"
    options = replace(
        make_options("quick"), games=20, players=(2, 3), magnet=magnet, widths=(8,), threads=1,
        variants=("see_through=consistent",),
    )  # fmt: skip
    assert SelfPlay(options).update()["divergence"] > 0
