"""The rules of Kuku Doubt on a structured record; K-numbers are rulings of docs/kuku_doubt.md.

A pile is kept as counts of ranks: no one knows its order, so drawing a rank with probability
count/size is the same game as shuffling. Every random event is a chance phase: resolved at once
from the record's generator, or, with ``explicit_chance``, left to the caller (``resolve``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kuku_env.core.chance import below, pick
from kuku_env.core.game import record_type
from kuku_env.core.jit import njit
from kuku_env.games.kuku_doubt.cards import (
    CLAIM_NUMBER,
    LIVES,
    MAX_PLAYERS,
    NUM_CLAIMS,
    NUM_PAIRS,
    NUM_RANKS,
    PAIR_HIGH,
    PAIR_LOW,
    PAIR_PRODUCT,
)
from kuku_env.games.kuku_doubt.layout import (
    ACCEPT,
    CLAIM,
    DISCARD_BOTH,
    DISCARD_HIGH,
    DISCARD_LOW,
    DOUBT,
    FLIP,
    HISTORY,
    MANY,
    NUM_ACTIONS,
    SEE,
    START,
    TALLIES,
)

# Phases: the five in which a player decides, then the two in which nobody does.
RESPOND, DISCARDING, CLAIMING, FLIPPING, STARTING, OVER, CHANCE = range(7)
PHASES = ("respond", "discard", "claim", "flip", "start", "over", "chance")

# What a chance phase is about.
DEAL_LIFE, DRAW_FIRST, DRAW_CARD, REVEAL_CARD = range(4)

# What happened in the last step, in order: rows of the record's log (kind, four numbers).
LIFE, ROUND, DREW, ACT, LOOK, THREW, REVEALED, SHOWN, FLIPPED, RESHUFFLED, RECYCLED, OUT, END = (
    range(13)
)
LOG_ROWS = 16  # a deal writes most: twelve life cards, the round, two cards drawn

# A seat's public record (K19).
TRUE_CLAIMS, CAUGHT_LIES, DOUBTS_RIGHT, DOUBTS_WRONG, SEES_RIGHT, SEES_WRONG, ACCEPTS = range(7)
NUM_TALLIES = len(TALLIES)

# A claim of this round: its seat, its number, the cards discarded before it and, known to its seat
# alone, the pair it saw, the cards it discarded and the pair it passed (as rank + 1, 0 = none).
NO_CARD = -1
BY, NUMBER, DISCARDED, SAW, THROWN, PASSED, CLAIM_CELLS = 0, 1, 2, 3, 5, 7, 9

# Single numbers are int64: one type, so that each function is compiled once.
STATE = record_type(
    [
        ("rng", np.uint64),
        ("rewards", np.float64, MAX_PLAYERS),  # of the last step, by seat
        ("returns", np.float64, MAX_PLAYERS),  # of the whole game so far
        # options
        ("max_decisions", np.int64),
        ("max_accepts", np.int64),
        ("num_players", np.int64),
        ("fixed_first", np.int64),
        ("life_cards", np.int64),
        ("duel_lives", np.bool_),
        ("consistent", np.bool_),
        ("placement", np.bool_),
        ("explicit_chance", np.bool_),
        ("copies", np.int8, NUM_RANKS),
        ("allowed", np.int8, NUM_CLAIMS),
        # whose decision, and which
        ("decisions", np.int64),
        ("phase", np.int64),
        ("turn", np.int64),
        ("chance", np.int64),
        ("todo", np.int64),  # random events left in this chance phase
        ("truncated", np.bool_),
        # cards
        ("pile", np.int8, NUM_RANKS),
        ("box", np.int8, NUM_RANKS),  # the discards
        ("table", np.int8, NUM_RANKS),
        ("pile_size", np.int64),
        ("box_size", np.int64),
        ("table_size", np.int64),
        ("pair", np.int8, 2),  # held or passed: there is only one in the game
        # players
        ("living", np.int64),
        ("lives", np.int8, MAX_PLAYERS),
        ("life", np.int8, (MAX_PLAYERS, LIVES)),  # in the order dealt
        ("face_up", np.int8, (MAX_PLAYERS, LIVES)),
        ("place", np.int8, MAX_PLAYERS),  # 0 while playing
        ("tallies", np.int8, (MAX_PLAYERS, NUM_TALLIES)),  # each stops at MANY
        ("my_discards", np.int8, (MAX_PLAYERS, NUM_RANKS)),  # since the last reshuffle
        ("seen_before", np.int8, (MAX_PLAYERS, NUM_RANKS)),  # gone into a reshuffle
        # this round
        ("accepts", np.int64),
        ("claims_made", np.int64),
        ("claims", np.int8, (HISTORY, CLAIM_CELLS)),  # a ring, claim k at k % HISTORY
        ("saw", np.int8, 2),  # by the seat to move, in its present turn
        ("thrown", np.int8, 2),
        ("thrown_count", np.int64),
        # last step
        ("logged", np.int64),
        ("log", np.int8, (LOG_ROWS, 5)),
    ]
)


@njit
def note(s: Any, kind: int, a: int = 0, b: int = 0, c: int = 0, d: int = 0) -> None:
    """Write down one happening of this step."""
    row = s.log[s.logged]
    row[0], row[1], row[2], row[3], row[4] = kind, a, b, c, d
    s.logged += 1


# ---------------------------------------------------------------- set-up


@njit
def deal(s: Any) -> None:
    """Start a game: shuffle, deal the life cards, find the first start player."""
    s.logged = 0
    s.rewards[:] = 0.0
    s.returns[:] = 0.0
    s.decisions = 0
    s.truncated = False
    s.box[:] = 0
    s.table[:] = 0
    s.pile_size = 0
    for r in range(NUM_RANKS):
        s.pile[r] = s.copies[r]
        s.pile_size += s.copies[r]
    s.box_size = 0
    s.table_size = 0
    s.pair[:] = NO_CARD
    s.living = s.num_players
    s.lives[:] = 0
    s.lives[: s.num_players] = LIVES
    s.life[:] = NO_CARD
    s.face_up[:] = 0
    s.place[:] = 0
    s.tallies[:] = 0
    s.my_discards[:] = 0
    s.seen_before[:] = 0
    s.turn = 0
    s.claims_made = 0
    s.accepts = 0
    start_turn(s)
    if s.life_cards > 0:
        wait_for_chance(s, DEAL_LIFE, s.num_players * s.life_cards)
    else:
        find_first(s)
    settle(s)


@njit
def find_first(s: Any) -> None:
    """K2: the first start player is drawn, or fixed."""
    if s.fixed_first >= 0:
        start_round(s, s.fixed_first)
    else:
        wait_for_chance(s, DRAW_FIRST, 1)


@njit
def start_round(s: Any, seat: int) -> None:
    """The start player draws two cards, and will claim."""
    note(s, ROUND, seat)
    s.claims_made = 0
    s.accepts = 0
    s.turn = seat
    start_turn(s)
    if s.pile_size + s.box_size < 2:
        recycle_table(s)
    draw(s, 2)


@njit
def start_turn(s: Any) -> None:
    s.saw[:] = NO_CARD
    s.thrown[:] = NO_CARD
    s.thrown_count = 0


# ---------------------------------------------------------------- the draw pile


@njit
def draw(s: Any, count: int) -> None:
    wait_for_chance(s, DRAW_CARD, count)


@njit
def remember_reshuffle(s: Any, seat: int, with_table: bool) -> None:
    """What a seat knew of the discards is void; that it saw these cards is not."""
    for r in range(NUM_RANKS):
        seen = s.my_discards[seat, r]
        if with_table:
            seen += s.table[r]
        s.seen_before[seat, r] = max(s.seen_before[seat, r], seen)
        s.my_discards[seat, r] = 0


@njit
def reshuffle(s: Any) -> None:
    """K6: all discards become the new pile."""
    note(s, RESHUFFLED, s.box_size)
    for seat in range(s.num_players):
        remember_reshuffle(s, seat, False)
    move_cards(s.box, s.pile)
    s.pile_size += s.box_size
    s.box_size = 0


@njit
def move_cards(source: Any, target: Any) -> None:
    """A loop, because numba takes seconds to compile array arithmetic."""
    for r in range(NUM_RANKS):
        target[r] += source[r]
        source[r] = 0


@njit
def recycle_table(s: Any) -> None:
    """K6, K18: pile, discards and table cards become one pile."""
    note(s, RECYCLED, s.table_size)
    for seat in range(s.num_players):
        remember_reshuffle(s, seat, True)
    move_cards(s.box, s.pile)
    move_cards(s.table, s.pile)
    s.pile_size += s.box_size + s.table_size
    s.box_size = 0
    s.table_size = 0


# ---------------------------------------------------------------- chance


@njit
def wait_for_chance(s: Any, kind: int, count: int) -> None:
    """Enter a chance phase of ``count`` random events; K6: an empty pile is filled when needed."""
    s.phase = CHANCE
    s.chance = kind
    s.todo = count
    if kind != DRAW_FIRST and s.pile_size == 0:
        reshuffle(s)


@njit
def settle(s: Any) -> None:
    """Resolve chance from the record's own generator, unless the caller wants to."""
    while s.phase == CHANCE and not s.explicit_chance:
        if s.chance == DRAW_FIRST:
            resolve(s, below(s, s.num_players))
        else:
            resolve(s, pick(s, s.pile, s.pile_size))


@njit
def chance_weights(s: Any, weights: Any) -> None:
    """Relative probabilities of the outcomes of a chance phase, int64 (NUM_RANKS,)."""
    weights[:] = 0
    if s.chance == DRAW_FIRST:
        weights[: s.num_players] = 1
    else:
        for r in range(NUM_RANKS):
            weights[r] = s.pile[r]


@njit
def resolve(s: Any, outcome: int) -> None:
    """One random event has happened: a rank left the pile, or a seat was drawn."""
    s.todo -= 1
    if s.chance == DRAW_FIRST:
        start_round(s, outcome)
        return
    s.pile[outcome] -= 1
    s.pile_size -= 1
    if s.chance == DEAL_LIFE:
        dealt_life(s, outcome)
    elif s.chance == DRAW_CARD:
        drew(s, outcome)
    else:
        revealed(s, outcome)


@njit
def dealt_life(s: Any, rank: int) -> None:
    k = 0
    while s.life[s.turn, k] != NO_CARD:
        k += 1
    s.life[s.turn, k] = rank
    note(s, LIFE, s.turn, rank)
    if k + 1 == s.life_cards:
        s.turn += 1
    if s.todo == 0:
        find_first(s)
    else:
        wait_for_chance(s, DEAL_LIFE, s.todo)


@njit
def drew(s: Any, rank: int) -> None:
    note(s, DREW, s.turn, rank)
    s.pair[0 if s.pair[0] == NO_CARD else 1] = rank
    if s.todo > 0:
        draw(s, s.todo)
        return
    if s.pair[0] > s.pair[1]:
        s.pair[0], s.pair[1] = s.pair[1], s.pair[0]
    ask(s, CLAIMING, s.turn)


@njit
def revealed(s: Any, rank: int) -> None:
    note(s, REVEALED, rank)
    s.table[rank] += 1
    s.table_size += 1
    reveal(s, s.todo)


@njit
def reveal(s: Any, count: int) -> None:
    """Turn up cards from the pile, as many as there are (K6), then pass the pair on."""
    if count > 0 and s.pile_size + s.box_size > 0:
        wait_for_chance(s, REVEAL_CARD, count)
    else:
        pass_on(s)


# ---------------------------------------------------------------- decisions


@njit
def ask(s: Any, phase: int, seat: int) -> None:
    """Wait for a player's decision; K12: too many of them truncate the game."""
    s.phase = phase
    s.turn = seat
    if s.decisions >= s.max_decisions:
        truncate(s)


@njit
def step(s: Any, action: int) -> None:
    """Carry out a legal action of the player to decide, and all that follows from it."""
    s.logged = 0
    s.rewards[:] = 0.0
    s.decisions += 1
    note(s, ACT, s.turn, action)
    if s.phase == RESPOND:
        if action == ACCEPT:
            accept(s)
        elif action == DOUBT:
            doubt(s)
        else:
            see_through(s, action - SEE)
    elif s.phase == DISCARDING:
        discard(s, action)
    elif s.phase == CLAIMING:
        claim(s, action - CLAIM)
    elif s.phase == FLIPPING:
        flip(s, s.turn, action - FLIP)
    else:
        start_round(s, (s.turn + action - START) % s.num_players)
    settle(s)


@njit
def count(s: Any, seat: int, tally: int) -> None:
    """Add to a seat's public record, which stops at MANY."""
    s.tallies[seat, tally] = min(s.tallies[seat, tally] + 1, MANY)


@njit
def accept(s: Any) -> None:
    """Take the pair and look at it."""
    s.accepts += 1
    count(s, s.turn, ACCEPTS)
    start_turn(s)
    s.saw[0], s.saw[1] = s.pair[0], s.pair[1]
    note(s, LOOK, s.turn, s.pair[0], s.pair[1])
    ask(s, DISCARDING, s.turn)


@njit
def discard(s: Any, action: int) -> None:
    """Discard one or both face down, and draw as many."""
    if action == DISCARD_LOW or action == DISCARD_BOTH:
        throw(s, 0)
    if action == DISCARD_HIGH or action == DISCARD_BOTH:
        throw(s, 1)
    note(s, THREW, s.turn, s.thrown_count, s.thrown[0], s.thrown[1])
    draw(s, s.thrown_count)


@njit
def throw(s: Any, which: int) -> None:
    rank = s.pair[which]
    s.pair[which] = NO_CARD
    s.thrown[s.thrown_count] = rank
    s.thrown_count += 1
    s.box[rank] += 1
    s.box_size += 1
    s.my_discards[s.turn, rank] += 1


@njit
def claim(s: Any, index: int) -> None:
    """Claim a number; whoever discarded both cards then reveals two; the pair is passed on."""
    c = s.claims[s.claims_made % HISTORY]
    c[BY], c[NUMBER], c[DISCARDED] = s.turn, index, s.thrown_count
    for k in range(2):
        c[SAW + k] = s.saw[k] + 1
        c[THROWN + k] = s.thrown[k] + 1
        c[PASSED + k] = s.pair[k] + 1
    s.claims_made += 1
    reveal(s, 2 if s.thrown_count == 2 else 0)


@njit
def last_claim(s: Any) -> Any:
    return s.claims[(s.claims_made - 1) % HISTORY]


@njit
def pass_on(s: Any) -> None:
    """K10: the next living seat on the left responds."""
    seat = (s.turn + 1) % s.num_players
    while s.place[seat] > 0:
        seat = (seat + 1) % s.num_players
    ask(s, RESPOND, seat)


@njit
def doubt(s: Any) -> None:
    """The claim was true: the doubter loses; it was a lie: the previous player loses."""
    loser = s.turn
    if pair_is_as_claimed(s):
        count(s, s.turn, DOUBTS_WRONG)
    else:
        count(s, s.turn, DOUBTS_RIGHT)
        loser = last_claim(s)[BY]
    show(s, loser)


@njit
def see_through(s: Any, named: int) -> None:
    """The named pair is right: the previous player loses; wrong: the caller loses."""
    loser = s.turn
    if s.pair[0] == PAIR_LOW[named] and s.pair[1] == PAIR_HIGH[named]:
        count(s, s.turn, SEES_RIGHT)
        loser = last_claim(s)[BY]
    else:
        count(s, s.turn, SEES_WRONG)
    show(s, loser)


@njit
def pair_is_as_claimed(s: Any) -> bool:
    """A Liar is rank 0, and no claim is 0: a pair that holds one is always a lie."""
    return int(s.pair[0]) * int(s.pair[1]) == CLAIM_NUMBER[last_claim(s)[NUMBER]]


@njit
def show(s: Any, loser: int) -> None:
    """The pair is turned up and becomes table cards; the loser loses a life."""
    c = last_claim(s)
    note(s, SHOWN, s.pair[0], s.pair[1], c[NUMBER], loser)
    count(s, c[BY], TRUE_CLAIMS if pair_is_as_claimed(s) else CAUGHT_LIES)
    for k in range(2):
        s.table[s.pair[k]] += 1
    s.table_size += 2
    s.pair[:] = NO_CARD
    start_turn(s)
    s.claims_made = 0
    lose_life(s, loser)


# ---------------------------------------------------------------- lives and the end


@njit
def face_down(s: Any, seat: int) -> int:
    return int(s.life_cards - s.face_up[seat, 0] - s.face_up[seat, 1])


@njit
def lose_life(s: Any, loser: int) -> None:
    if s.living == 2 and not s.duel_lives:  # K5, K16: sudden death
        s.lives[loser] = 0
        eliminate(s, loser)
        return
    hidden = face_down(s, loser)
    if s.lives[loser] > hidden:  # a life without a card
        s.lives[loser] -= 1
        after_loss(s, loser)
    elif hidden == 1:  # K3: nothing to choose
        flip(s, loser, 1 if s.face_up[loser, 0] else 0)
    else:
        ask(s, FLIPPING, loser)


@njit
def flip(s: Any, loser: int, which: int) -> None:
    """Turn up a life card. Its rank stays in ``life``: what is up is public."""
    s.face_up[loser, which] = 1
    s.lives[loser] -= 1
    note(s, FLIPPED, loser, s.life[loser, which])
    after_loss(s, loser)


@njit
def after_loss(s: Any, loser: int) -> None:
    """K15: elimination, then the end, and only then the next start player (K4)."""
    if s.lives[loser] == 0:
        eliminate(s, loser)
    if s.phase != OVER:
        ask(s, STARTING, loser)


@njit
def eliminate(s: Any, seat: int) -> None:
    note(s, OUT, seat)
    finish(s, seat, s.living)
    s.living -= 1
    first, second = living_pair(s)
    if s.living == 1:
        finish(s, first, 1)
        end(s)
    elif s.living == 2 and s.lives[first] != s.lives[second]:
        winner, other = (first, second) if s.lives[first] > s.lives[second] else (second, first)
        finish(s, other, 2)
        finish(s, winner, 1)
        s.living = 1
        end(s)


@njit
def living_pair(s: Any) -> tuple[int, int]:
    """The first two seats still playing (the second -1 where there is one)."""
    first, second = -1, -1
    for seat in range(s.num_players):
        if s.place[seat] == 0:
            if first < 0:
                first = seat
            elif second < 0:
                second = seat
    return first, second


@njit
def reward_of(s: Any, place: int) -> float:
    """K13: +1 to the winner and -1/(n-1) to all others, or linear by place."""
    n = int(s.num_players)
    if s.placement:
        return 1.0 - 2.0 * (place - 1) / (n - 1)
    return 1.0 if place == 1 else -1.0 / (n - 1)


@njit
def finish(s: Any, seat: int, place: int) -> None:
    pay(s, seat, place, reward_of(s, place))


@njit
def pay(s: Any, seat: int, place: int, reward: float) -> None:
    """A player's fate is known."""
    s.place[seat] = place
    s.rewards[seat] = reward
    s.returns[seat] = reward


@njit
def truncate(s: Any) -> None:
    """K12, K13, K20: the survivors share the win, or the average of the top places."""
    share = 0.0
    for place in range(1, s.living + 1):
        share += reward_of(s, place) / s.living
    for seat in range(s.num_players):
        if s.place[seat] == 0:
            pay(s, seat, 1, share)
    s.truncated = True
    end(s)


@njit
def end(s: Any) -> None:
    s.phase = OVER
    note(s, END)


# ---------------------------------------------------------------- legal actions


@njit
def is_legal(s: Any, action: int) -> bool:
    """Whether the player to decide may take this action."""
    if action < 0 or action >= NUM_ACTIONS:
        return False
    phase = s.phase
    if phase == RESPOND:
        if action == ACCEPT:
            return s.max_accepts < 0 or s.accepts < s.max_accepts
        if action == DOUBT:
            return True
        return action < DISCARD_LOW and may_name(s, action - SEE)
    if phase == DISCARDING:
        if action == DISCARD_HIGH:  # K9
            return s.pair[0] != s.pair[1]
        return action == DISCARD_LOW or action == DISCARD_BOTH
    if phase == CLAIMING:
        return CLAIM <= action < FLIP and may_claim(s, action - CLAIM)
    if phase == FLIPPING:  # K17
        return FLIP <= action < START
    if phase == STARTING:
        k = action - START
        return 0 <= k < s.num_players and s.place[(s.turn + k) % s.num_players] == 0
    return False


@njit
def may_name(s: Any, pair: int) -> bool:
    """K8: any pair, or only those that multiply to the claim."""
    return not s.consistent or PAIR_PRODUCT[pair] == CLAIM_NUMBER[last_claim(s)[NUMBER]]


@njit
def may_claim(s: Any, index: int) -> bool:
    """An allowed number, not lower than the previous claim of this round."""
    return s.allowed[index] == 1 and (s.claims_made == 0 or index >= last_claim(s)[NUMBER])


@njit
def legal_actions(s: Any, mask: Any) -> None:
    """Write the action mask of the player to decide, int8 (NUM_ACTIONS,); all zero for nobody.

    The same as ``is_legal`` for every action, block by block for speed.
    """
    mask[:] = 0
    if s.phase == RESPOND:
        mask[ACCEPT] = s.max_accepts < 0 or s.accepts < s.max_accepts
        mask[DOUBT] = 1
        if s.consistent:
            number = CLAIM_NUMBER[last_claim(s)[NUMBER]]
            for k in range(NUM_PAIRS):
                mask[SEE + k] = PAIR_PRODUCT[k] == number
        else:
            mask[SEE : SEE + NUM_PAIRS] = 1
    elif s.phase == DISCARDING:
        mask[DISCARD_LOW : DISCARD_BOTH + 1] = 1
        mask[DISCARD_HIGH] = s.pair[0] != s.pair[1]
    elif s.phase == CLAIMING:
        floor = 0 if s.claims_made == 0 else int(last_claim(s)[NUMBER])
        for k in range(floor, NUM_CLAIMS):
            mask[CLAIM + k] = s.allowed[k]
    elif s.phase == FLIPPING:
        mask[FLIP : FLIP + LIVES] = 1
    elif s.phase == STARTING:
        for k in range(s.num_players):
            mask[START + k] = s.place[(s.turn + k) % s.num_players] == 0
