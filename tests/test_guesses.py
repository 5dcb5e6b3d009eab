"""What bots guess: the truth that guesses are learned from, and that they are learned."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from toy import GAME as COIN
from toy import GAMES
from variety import tables_of

from agents.experience import Experience, shares, turned
from agents.guesses import guess_losses
from agents.network import PolicyValueNetwork
from agents.presets import make_options
from agents.selfplay import SelfPlay
from kuku_env.core.game import Belief
from kuku_env.envs.match import Match
from kuku_env.games import find_game

KUKU = find_game("kuku-doubt")
BELIEVING = [game for game in GAMES if game.beliefs]
every_believing_game = pytest.mark.parametrize("game", BELIEVING, ids=lambda game: game.name)


# ---------------------------------------------------------------- what is hidden


def waiting_claims(game, matches=120):
    """Matches at random in which a claim or a play waits for an answer, on tables of all kinds."""
    for seed in range(matches):
        match = Match(game, seed=seed, **tables_of(game)[seed % len(tables_of(game))])
        chance = np.random.default_rng(seed)
        for _ in range(60):
            if match.over:
                break
            if "doubt" in match.view(match.to_act)["legal"]:
                yield match
            match.step(int(chance.choice(match.legal_actions())))


@every_believing_game
def test_a_lie_is_what_a_doubt_turns_up(game):
    told = {True: 0, False: 0}
    for match in waiting_claims(game):
        lie = bool(game.secrets.unpack(match.secrets(match.to_act))["lie"][0])
        seen = len(match.events())
        match = match.clone()
        match.act("doubt")
        shown = next(event for event in match.events()[seen:] if event["type"] == "show")
        if match.rules().get("check") == "one" and lie:  # a true card of several may be shown
            continue
        assert shown["truth"] is not lie
        told[lie] += 1
    assert min(told.values()) > 5
    assert max(told.values()) > 200


def test_the_pair_is_the_one_that_a_doubt_turns_up():
    texts, start = KUKU.layout.action_texts, KUKU.layout.start("see")
    for match in waiting_claims(KUKU, matches=60):
        (pair,) = np.flatnonzero(KUKU.secrets.unpack(match.secrets(match.to_act))["pairs"])
        seen = len(match.events())
        match = match.clone()
        match.act("doubt")
        shown = next(event for event in match.events()[seen:] if event["type"] == "show")
        assert texts[start + pair] == f"see {shown['cards'][0]} {shown['cards'][1]}"


@pytest.mark.parametrize("belief", [Belief("coins", "say"), Belief("coin", "shout")])
def test_beliefs_are_about_what_there_is(belief):
    with pytest.raises(ValueError, match="belief"):
        replace(COIN, beliefs=(belief,))


# ---------------------------------------------------------------- who wins


def test_the_highest_share_the_win():
    returns = torch.tensor([[1.0, -0.5, -0.5], [0.5, 0.5, -1.0], [0.0, 0.0, 0.0], [-1.0, 1.0, 0.0]])
    present = torch.ones(4, 3, dtype=torch.bool)
    present[2:, 2] = False
    wanted = [[1, 0, 0], [0.5, 0.5, 0], [0.5, 0.5, 0], [0, 1, 0]]
    assert shares(returns, present).tolist() == wanted


def test_seats_are_counted_from_the_one_that_decides():
    by_seat = torch.tensor([[0.1, 0.2, 0.7, 0.0], [0.1, 0.2, 0.3, 0.4]])
    turn, players = torch.tensor([2, 3]), torch.tensor([3, 4])
    relative = turned(by_seat, turn, players)
    assert relative.tolist() == turned(by_seat, turn, players).tolist()
    assert torch.allclose(relative, torch.tensor([[0.7, 0.1, 0.2, 0.0], [0.4, 0.1, 0.2, 0.3]]))
    assert torch.equal(turned(relative, -turn, players), by_seat)


def test_decisions_learn_who_won_or_what_was_to_be_hoped_for():
    e = Experience(4, np.array([3]), replace(KUKU, max_players=3))
    nothing, over = np.zeros((1, 3), np.float32), np.array([True])
    e.seat[3:, 0] = torch.tensor([0, 1, 2, 1])
    e.seat[2] = 2  # was decided in the round before
    for row, (rewards, ends) in enumerate([([0, -0.5, 0], 0), ([1, 0, -0.5], 1)], start=3):
        e.note(row, np.float32([rewards]), over & bool(ends))
    e.note(5, nothing, ~over)
    e.note(6, nothing, ~over)
    e.credit(1.0, torch.tensor([[0.2, 0.3, 0.5]]))
    won, hoped = [[0, 1, 0], [1, 0, 0], [0, 0, 1]], [[0.5, 0.2, 0.3], [0.3, 0.5, 0.2]]
    assert torch.allclose(e.outcome[2:5, 0], torch.tensor(won, dtype=torch.float32))
    assert torch.allclose(e.outcome[5:, 0], torch.tensor(hoped))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_winners_of_whole_games_are_learned_from(game):
    """By what each seat's own decisions were paid, over games that end within a round."""
    sizes = tuple(range(game.min_players, game.max_players + 1))
    options = replace(make_options("quick"), steps=400, games=2 * len(sizes), threads=1, seed=3,
                      widths=(8,), **PLAIN)  # fmt: skip
    learner = learner_of(game, options, sizes)
    learner._collect(None)
    e = learner.experience
    e.credit(1.0, learner._hopes())
    checked = 0
    for column in range(options.games):
        begin = e.seats
        for end in (e.seats + e.over[e.seats :, column].nonzero().flatten()).tolist():
            total, n = e.reward[begin : end + 1, column].sum(0), int(e.num_players[column])
            winners = (total[:n] >= total[:n].max() - 1e-6).nonzero().flatten().tolist()
            for row in range(begin, end + 1):
                seat = int(e.seat[row, column])
                wanted = torch.zeros(e.seats)
                wanted[[(w - seat) % n for w in winners]] = 1 / len(winners)
                assert torch.allclose(e.outcome[row, column], wanted)
                checked += 1
            begin = end + 1
    assert checked > 200


PLAIN = {"magnet": None, "opening_bot": None, "rivals": (), "variants": ("",)}


def learner_of(game, options, sizes):
    """A learner of any game, the toy among them, which options do not know by name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("agents.selfplay.find_game", lambda _: game)
        return SelfPlay(replace(options, players=sizes))


# ---------------------------------------------------------------- guesses of a network


def test_absent_seats_never_win_and_an_unlearned_network_finds_all_others_alike():
    network = PolicyValueNetwork(KUKU, (8,))
    for players in range(2, 7):
        match = Match(KUKU, seed=1, num_players=players)
        observation, mask = (torch.from_numpy(part)[None] for part in match.observe(match.to_act))
        answers = network.answers(observation, mask)
        assert answers["value"][0, players:].tolist() == [0.0] * (6 - players)
        assert torch.allclose(answers["value"][0, :players], torch.tensor(1 / players))
        legal = mask[0] > 0
        assert torch.allclose(answers["action_values"][0, legal], torch.tensor(1 / players))
        assert (answers["action_values"][0, ~legal] == 0).all()
        assert answers["lie"].shape == (1,)
        assert answers["pairs"].shape == (1, 55)


def test_a_belief_costs_where_it_is_asked_for_alone():
    options = replace(make_options("quick"), games=64, players=(3,), threads=1, **PLAIN)
    learner = SelfPlay(options)
    learner.update()
    e = learner.experience
    losses = guesses_of(PolicyValueNetwork(KUKU, (8,)), e)
    asked = e.action_mask[e.seats :].flatten(0, 1)[:, KUKU.layout.start("doubt")] > 0
    assert 0.1 < asked.float().mean() < 0.9
    assert torch.allclose(losses["lie"], math.log(2) * asked.float())
    assert torch.allclose(losses["pairs"], math.log(55) * asked.float(), atol=1e-5)
    assert torch.allclose(losses["seats"], torch.tensor(math.log(3)), atol=1e-5)


def test_guesses_are_learned():
    options = replace(make_options("quick"), games=200, players=(2,), threads=1, seed=3,
                      minibatch=256, widths=(32,), **PLAIN)  # fmt: skip
    learner = SelfPlay(options)
    for _ in range(25):
        learner.update()
    e = learner.experience
    learned, unlearned = (
        guesses_of(network, e) for network in (learner.network, PolicyValueNetwork(KUKU, (32,)))
    )
    for name, loss in unlearned.items():
        assert learned[name].mean() < 0.985 * loss.mean(), name


def guesses_of(network, e):
    """Losses of a network's guesses over the newest round of experience."""
    rows = slice(e.seats, None)
    names = ("observation", "action", "action_mask", "outcome", "secrets")
    observation, *known = (getattr(e, name)[rows].flatten(0, 1) for name in names)
    with torch.no_grad():
        guesses = network.guess(network.look(observation), observation)
        return guess_losses(KUKU, guesses, *known)


def test_only_decisions_among_equals_teach_guesses():
    options = replace(make_options("quick"), games=100, threads=1, rivals=("random",),
                      rival_share=1.0, opening_bot=None)  # fmt: skip
    learner = SelfPlay(options)
    losses = learner.update()
    assert losses["guess_seats"] == 0.0
    assert losses["policy"] != 0.0
