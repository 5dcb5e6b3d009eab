"""Scripted players of Doubt: readable, stateless, playing from fields of the observation.

``easy`` plays like a beginner: it tells the truth when it can, lies with any one card when it
cannot, and doubts now and then, the more cards are put down the more often. ``normal`` counts cards
(D9): it weighs how likely the player holds what was called against how a liar plays, doubts when
that is worth the risk and nobody else is likely to, and lies with the cards that its own coming
turns need last.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kuku_env.core.jit import njit
from kuku_env.games.doubt.cards import JOKER, MAX_PLAYERS, NUM_KINDS, NUM_RANKS
from kuku_env.games.doubt.layout import ADD, DOUBT, LAYOUT, LET_GO, NUM_ACTIONS, PUT_DOWN
from kuku_env.games.doubt.state import (
    CAUGHT_LIES,
    DOUBTS_RIGHT,
    DOUBTS_WRONG,
    NUM_TALLIES,
    PLAYS,
    RESPOND,
    SHOWN_TRUE,
)

(
    _PHASE, _PLAYER, _NUMBER, _PUT, _PLAYERS, _DECK, _CHECK_ONE, _PENALTY, _HAND, _ADDED, _PILE,
    _MINE, _SHOWN, _IN_PLAY, _CARDS, _KNOWN, _RECORD, _HAND_LIMIT, _NEXT_ONLY,
) = (
    LAYOUT.start(name)
    for name in (
        "phase", "player", "number", "put", "num_players", "deck", "check_one", "penalty", "hand",
        "added", "pile", "pile_mine", "pile_shown", "in_play", "cards", "known", "record",
        "hand_limit", "next_only",
    )
)  # fmt: skip

# How scripted-normal thinks people play.
HONESTY = 0.95  # the truth, where the cards for it are there
TRUST = 4.0  # shown plays after which a player's own record counts as much as what is usual
LIE_GROWTH = 0.3  # a lie of one card more is so much as likely
DOUBTING = 0.15  # share of the others' plays that somebody doubts, as long as little is known
WATCHED = 8.0  # plays after which a player's own doubts count as much as that

# How it plays itself. Fitted by play against the others.
STEADINESS = 20.0  # weight of a choice grows as exp(STEADINESS * advantage)
SHARE = 0.3  # what a right doubt brings, to be shared by all others
DANGER = 1.0  # and what more, the fewer cards the player has left
SMALL_PILE = 4  # cards in the pile that a right doubt brings but half of that for
LAST_CARD = 4.0  # and instead, where the player would win at once
BASE = 0.8  # what a wrong doubt costs where the pile is small
PATIENCE = 4  # cards in the pile beside mine at which it costs half as much more as it may
TOO_MANY = 1.5  # and instead, where the hand limit is passed
JOKER_PILE = 6  # from so many cards in the pile on, a joker is better than a lie


@njit
def place_of_one(obs: Any, at: int, size: int) -> int:
    """Which of some cells is 1; 0 if none is."""
    for k in range(size):
        if obs[at + k] == 1:
            return k
    return 0


@njit
def normalise(mask: Any, out: Any) -> None:
    """Turn non-negative weights into probabilities over the legal actions."""
    total, legal = 0.0, 0
    for a in range(NUM_ACTIONS):
        if mask[a] == 0 or not out[a] > 0.0:
            out[a] = 0.0
        total += out[a]
        legal += mask[a]
    for a in range(NUM_ACTIONS):
        if total > 0.0:
            out[a] /= total
        elif mask[a]:
            out[a] = 1.0 / legal


@njit
def left(obs: Any, card: int) -> int:
    """Cards of a kind that I hold and have not added."""
    return int(obs[_HAND + card]) - int(obs[_ADDED + card])


@njit
def cards_added(obs: Any) -> int:
    count = 0
    for card in range(NUM_KINDS):
        count += int(obs[_ADDED + card])
    return count


# ---------------------------------------------------------------- easy


@njit
def easy(obs: Any, mask: Any, out: Any) -> None:
    """A beginner's probabilities, float64 (NUM_ACTIONS,)."""
    out[:] = 0.0
    number = place_of_one(obs, _NUMBER, NUM_RANKS)
    if obs[_PHASE + RESPOND] == 1:
        player = place_of_one(obs, _PLAYER, MAX_PLAYERS)
        doubt = min(0.6, 0.08 + 0.08 * int(obs[_PUT]))
        if obs[_CARDS + player] == 0:
            doubt = 0.9
        out[DOUBT], out[LET_GO] = doubt, 1.0 - doubt
    elif mask[ADD + number]:
        out[ADD + number] = 1.0
    elif mask[PUT_DOWN]:
        out[PUT_DOWN] = 1.0
    else:
        for card in range(NUM_KINDS):
            out[ADD + card] = left(obs, card)
    normalise(mask, out)


# ---------------------------------------------------------------- normal


@njit
def normal(obs: Any, mask: Any, out: Any) -> None:
    """The card counter's probabilities, float64 (NUM_ACTIONS,)."""
    out[:] = 0.0
    if obs[_PHASE + RESPOND] == 1:
        normal_response(obs, out)
    else:
        normal_play(obs, mask, out)
    normalise(mask, out)


@njit
def living(obs: Any) -> int:
    count = 0
    for seat in range(MAX_PLAYERS):
        count += int(obs[_IN_PLAY + seat])
    return count


# Whether to doubt ................................................................


@njit
def normal_response(obs: Any, out: Any) -> None:
    """Doubt where the pile goes to a liar more often than the risk allows."""
    lie = lie_chance(obs)
    if obs[_CHECK_ONE] == 1 and obs[_PUT] > 1:
        lie *= 0.75  # the card that is drawn may be a true one
    advantage = lie * gain(obs) * others_let_go(obs) - (1.0 - lie) * loss(obs)
    out[DOUBT] = 1.0 / (1.0 + np.exp(-STEADINESS * advantage))
    out[LET_GO] = 1.0 - out[DOUBT]


@njit
def gain(obs: Any) -> float:
    """What a right doubt brings, most where the player would win at once or soon."""
    player = place_of_one(obs, _PLAYER, MAX_PLAYERS)
    held = int(obs[_CARDS + player])
    if held == 0:
        return LAST_CARD
    pile = int(obs[_PILE])
    return pile / (pile + SMALL_PILE) * (SHARE / (living(obs) - 1) + DANGER / (1.0 + held))


@njit
def others_let_go(obs: Any) -> float:
    """Chance that nobody else doubts, by how often the others have done so in this game."""
    if obs[_NEXT_ONLY] == 1:
        return 1.0
    player = place_of_one(obs, _PLAYER, MAX_PLAYERS)
    plays = 0
    for seat in range(MAX_PLAYERS):
        plays += int(obs[_RECORD + NUM_TALLIES * seat + PLAYS])
    chance = 1.0
    for seat in range(1, MAX_PLAYERS):
        if seat != player and obs[_IN_PLAY + seat] == 1:
            at = _RECORD + NUM_TALLIES * seat
            doubts = int(obs[at + DOUBTS_RIGHT]) + int(obs[at + DOUBTS_WRONG])
            seen = plays - int(obs[at + PLAYS])
            chance *= 1.0 - min(0.9, (WATCHED * DOUBTING + doubts) / (WATCHED + seen))
    return chance


@njit
def loss(obs: Any) -> float:
    """What a wrong one costs: the more, the larger the pile is beside what I hold."""
    if obs[_PENALTY] == 0:  # nobody takes the pile
        return 1.0
    hand, pile, limit = int(obs[_CARDS]), int(obs[_PILE]), int(obs[_HAND_LIMIT])
    if limit > 0 and hand + pile > limit:
        return TOO_MANY
    return BASE + pile / (pile + PATIENCE + hand)


@njit
def lie_chance(obs: Any) -> float:
    """Chance that the cards put down are not all of the number called."""
    player = place_of_one(obs, _PLAYER, MAX_PLAYERS)
    number = place_of_one(obs, _NUMBER, NUM_RANKS)
    put = int(obs[_PUT])
    possible = unseen(obs, number, player) + unseen(obs, JOKER, player)
    sure = int(obs[_KNOWN + NUM_KINDS * player + number])
    if put > possible + sure:
        return 1.0
    held = int(obs[_CARDS + player]) + put
    share = min(0.95, held / max(1.0, hidden_cards(obs)))
    exactly = binomial(possible, put - sure, share)
    none = (1.0 - share) ** possible if sure == 0 else 0.1
    true = HONESTY * exactly
    lie = (none + (1.0 - none) * (1.0 - HONESTY)) * LIE_GROWTH ** (put - 1) * (1.0 - LIE_GROWTH)
    at = _RECORD + NUM_TALLIES * player
    true *= TRUST + int(obs[at + SHOWN_TRUE])
    lie *= TRUST + int(obs[at + CAUGHT_LIES])
    return lie / max(1e-9, true + lie)


@njit
def unseen(obs: Any, card: int, player: int) -> int:
    """Cards of a kind that may be among those put down, as far as I can know."""
    seen = int(obs[_HAND + card]) + int(obs[_MINE + card]) + int(obs[_SHOWN + card])
    for seat in range(MAX_PLAYERS):
        seen += int(obs[_KNOWN + NUM_KINDS * seat + card])
    return max(0, int(obs[_DECK + card]) - seen)


@njit
def hidden_cards(obs: Any) -> float:
    """Cards of the game that I do not hold."""
    cards = 0.0
    for card in range(NUM_KINDS):
        cards += int(obs[_DECK + card]) - int(obs[_HAND + card])
    return cards


@njit
def binomial(trials: int, successes: int, chance: float) -> float:
    """Chance of so many successes (of none, for a negative number)."""
    ways = 1.0
    successes = max(0, successes)
    for k in range(successes):
        ways *= (trials - k) / (k + 1.0)
    return ways * chance**successes * (1.0 - chance) ** max(0, trials - successes)


# What to put down ................................................................


@njit
def normal_play(obs: Any, mask: Any, out: Any) -> None:
    """All true cards there are; else a joker where much is at stake, or the least useful card."""
    number = place_of_one(obs, _NUMBER, NUM_RANKS)
    added = cards_added(obs)
    if mask[ADD + number]:
        out[ADD + number] = 1.0
    elif added > 0:
        out[PUT_DOWN] = 1.0
        if added == int(obs[_ADDED + number]) and only_jokers_left(obs, added):
            out[ADD + JOKER], out[PUT_DOWN] = 1.0, 0.0
    elif mask[ADD + JOKER] and obs[_PILE] >= JOKER_PILE:
        out[ADD + JOKER] = 1.0
    else:
        add_lie(obs, number, out)


@njit
def only_jokers_left(obs: Any, added: int) -> bool:
    """Whether jokers are all that is left: then they may go, and the game is won."""
    return left(obs, JOKER) > 0 and int(obs[_CARDS]) - added == left(obs, JOKER)


@njit
def add_lie(obs: Any, number: int, out: Any) -> None:
    """A card that is false, most likely one that is needed last."""
    players, ranks = living(obs), 0
    while ranks < NUM_RANKS and obs[_DECK + ranks] > 0:
        ranks += 1
    for card in range(ranks):
        if card != number and left(obs, card) > 0:
            out[ADD + card] = float(turns_until(card, number, players, ranks)) ** 3


@njit
def turns_until(card: int, number: int, players: int, ranks: int) -> int:
    """My turns until a rank is called again, where the number advances with every play."""
    turns = 1
    while turns < ranks and (number + turns * players) % ranks != card:
        turns += 1
    return turns


# ---------------------------------------------------------------- loops over a batch


@njit
def easy_rows(observation: Any, action_mask: Any, probabilities: Any) -> None:
    for i in range(observation.shape[0]):
        easy(observation[i], action_mask[i], probabilities[i])


@njit
def normal_rows(observation: Any, action_mask: Any, probabilities: Any) -> None:
    for i in range(observation.shape[0]):
        normal(observation[i], action_mask[i], probabilities[i])


SCRIPTED = {"scripted-easy": easy_rows, "scripted-normal": normal_rows}
