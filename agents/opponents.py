"""Opponents to measure by in Kuku Doubt: an honest script, and bots with a planted flaw.

A best response that finds little against the flawed ones is no evidence against the others.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from kuku_env.bots import make_policy
from kuku_env.bots.simple import check_batch
from kuku_env.core.game import Game, Policy
from kuku_env.games.kuku_doubt.cards import CLAIMS, NUM_RANKS, PAIR_PRODUCT
from kuku_env.games.kuku_doubt.layout import ACCEPT, CLAIM, DISCARD_LOW, DOUBT, FLIP, LAYOUT, SEE
from kuku_env.games.kuku_doubt.state import CLAIMING, DISCARDING, RESPOND

_NUMBERS = np.array(CLAIMS)
_WAYS = (_NUMBERS[:, None] == PAIR_PRODUCT).sum(1)
_FIRST_WAY = (_NUMBERS[:, None] == PAIR_PRODUCT).argmax(1)

Rows = NDArray[np.int8]


def _cells(observation: Rows, name: str) -> Rows:
    return observation[:, LAYOUT.offsets[name]]


def _phase(observation: Rows) -> NDArray[np.int64]:
    return _cells(observation, "phase").argmax(1)


class HonestPolicy:
    """Tells the truth whenever it may, else the lowest number that two pairs make.

    Accepts first claims up to 20. Of other first claims it doubts 45 % and names the first pair to
    55 %; of claims after an accept it doubts 70 % and names to 30 %. Discards the lower card.
    """

    def __init__(self, game: Game) -> None:
        self.game, self.name = game, "honest"

    def probabilities(self, observation: Rows, action_mask: Rows) -> NDArray[np.float32]:
        """See kuku_env.core.game.Policy."""
        check_batch(self.game, observation, action_mask)
        wanted = np.zeros(action_mask.shape)
        phase = _phase(observation)
        for here, fill in ((RESPOND, _respond), (CLAIMING, _claim)):
            rows = np.flatnonzero(phase == here)
            wanted[rows] = fill(observation[rows], action_mask[rows])
        wanted[phase == DISCARDING, DISCARD_LOW] = 1
        wanted[phase > CLAIMING] = 1
        wanted *= action_mask
        return (wanted / wanted.sum(1, keepdims=True)).astype(np.float32)


def _respond(observation: Rows, action_mask: Rows) -> NDArray[np.float64]:
    rows, wanted = np.arange(len(observation)), np.zeros(action_mask.shape)
    number = _cells(observation, "last_claim").argmax(1)
    first = _cells(observation, "claims_made")[:, 0] == 1
    believed = first & (_NUMBERS[number] <= 20) & (action_mask[:, ACCEPT] == 1)
    wanted[:, DOUBT] = np.where(first, 0.45, 0.7)
    wanted[rows, SEE + _FIRST_WAY[number]] = np.where(first, 0.55, 0.3)
    wanted[believed] = 0
    wanted[believed, ACCEPT] = 1
    return wanted


def _claim(observation: Rows, action_mask: Rows) -> NDArray[np.float64]:
    rows, wanted = np.arange(len(observation)), np.zeros(action_mask.shape)
    legal = action_mask[:, CLAIM:FLIP] == 1
    hand = _cells(observation, "hand")
    product = (np.arange(NUM_RANKS) ** hand).prod(1)
    truth = legal & (product[:, None] == _NUMBERS)
    plausible = legal & (_WAYS == 2)
    chosen = legal.argmax(1)
    for better in (plausible, truth):
        chosen = np.where(better.any(1), better.argmax(1), chosen)
    wanted[rows, CLAIM + chosen] = 1
    return wanted


class Flawed:
    """A bot whose probabilities are changed: ``change`` writes into (observation, mask, chances).

    Rows that it leaves without any chance are played evenly.
    """

    def __init__(
        self, bot: Policy, name: str, change: Callable[[Rows, Rows, NDArray[np.float32]], None]
    ) -> None:
        self.bot, self.name, self._change = bot, name, change

    def probabilities(self, observation: Rows, action_mask: Rows) -> NDArray[np.float32]:
        """See kuku_env.core.game.Policy."""
        chances = self.bot.probabilities(observation, action_mask).copy()
        self._change(observation, action_mask, chances)
        chances[chances.sum(1) == 0] = 1
        chances *= action_mask
        shares: NDArray[np.float32] = chances / chances.sum(1, keepdims=True)
        return shares


def never_accept(observation: Rows, action_mask: Rows, chances: NDArray[np.float32]) -> None:
    chances[:, ACCEPT] = 0


def believe_from_40(observation: Rows, action_mask: Rows, chances: NDArray[np.float32]) -> None:
    """Whatever is claimed from 40 up is accepted."""
    claimed = _cells(observation, "claim_numbers")[:, 0]
    believed = (_phase(observation) == RESPOND) & (claimed >= 40) & (action_mask[:, ACCEPT] == 1)
    chances[believed] = 0
    chances[believed, ACCEPT] = 1


FLAWS = {"never-accept": never_accept, "believe-from-40": believe_from_40}


def make_opponent(text: str, game: Game) -> Policy:
    """A bot by name or folder, ``honest``, or a flaw of a bot: ``never-accept:scripted-normal``.

    Raises BotError for a bot that is not known.
    """
    if game.id != LAYOUT.game:
        return make_policy(text, game)
    flaw, _, bot = text.partition(":")
    if bot and flaw in FLAWS:
        return Flawed(make_opponent(bot, game), text, FLAWS[flaw])
    return HonestPolicy(game) if text == "honest" else make_policy(text, game)
