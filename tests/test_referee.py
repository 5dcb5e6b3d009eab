"""The referee itself: the rulebook's example passes to the letter, and what is not by the rules is
refused at its line."""

import copy
import json
from itertools import pairwise, product

import pytest
from referee import (
    DEFAULT_RULES,
    HEAD,
    PAIRS,
    PRODUCTS,
    Referee,
    RuleViolation,
    check_record,
    play_random,
    seat_stream,
)

SMALL_DECK = [1, 0, 1, 1, 2, 0, 0, 0, 0, 1]


def game(**rules):
    return {**HEAD, "rules": {**DEFAULT_RULES, **rules}, "seed": 7}


def act(seat, action, *cards):
    event = {"type": "act", "seat": seat, "action": action}
    return {**event, "cards": list(cards), "private": [seat]} if cards else event


def to_seat(kind, seat, *cards):
    return {"type": kind, "seat": seat, "cards": list(cards), "private": [seat]}


def show(low, high, claim, truth, loser):
    return {"type": "show", "cards": [low, high], "claim": claim, "truth": truth, "loser": loser}


def end(rewards, places, truncated=False):
    return {"type": "end", "rewards": rewards, "places": places, "truncated": truncated}


def example():
    """The rulebook's example (seats A 0, B 1, C 2), with lives invented and played on to an end."""
    return [
        game(num_players=3),
        to_seat("lives", 0, 3, 8),
        to_seat("lives", 1, 1, "L"),
        to_seat("lives", 2, 7, 5),
        {"type": "round", "start": 0},
        to_seat("draw", 0, 4, 6),
        act(0, "claim 24"),
        act(1, "accept"),
        to_seat("look", 1, 4, 6),
        act(1, "discard low", 4),
        to_seat("draw", 1, 6),
        act(1, "claim 36"),
        act(2, "accept"),
        to_seat("look", 2, 6, 6),
        act(2, "discard both", 6, 6),
        to_seat("draw", 2, 2, 9),
        act(2, "claim 45"),
        {"type": "reveal", "cards": [2, 5]},
        act(0, "doubt"),
        show(2, 9, 45, False, 2),
        act(2, "flip first"),
        {"type": "flip", "seat": 2, "card": 7},
        act(2, "start 2"),
        # The rulebook stops here. A sees through C, who is out; then B's claim is true.
        {"type": "round", "start": 2},
        to_seat("draw", 2, 3, "L"),
        act(2, "claim 12"),
        act(0, "see L 3"),
        show("L", 3, 12, False, 2),
        {"type": "flip", "seat": 2, "card": 5},
        {"type": "out", "seat": 2},
        act(2, "start 1"),
        {"type": "round", "start": 1},
        to_seat("draw", 1, 5, 4),
        act(1, "claim 20"),
        act(0, "doubt"),
        show(4, 5, 20, True, 0),
        {"type": "out", "seat": 0},
        end([-0.5, 1.0, -0.5], [2, 1, 3]),
    ]


def refused(record, line_number, words=""):
    with pytest.raises(RuleViolation) as caught:
        check_record(record)
    assert caught.value.line_number == line_number, caught.value
    assert words in caught.value.message


def following(*events):
    """A referee that has been fed these events."""
    referee = Referee()
    for event in events:
        referee.feed(event)
    return referee


def test_the_rulebooks_example_passes_to_the_letter():
    check_record(example())
    check_record(json.dumps(event) for event in example())


def test_the_example_asks_the_right_seat_for_the_right_things():
    referee = Referee()
    asked = {}
    for line_number, event in enumerate(example(), 1):
        if event["type"] == "act":
            assert referee.to_act == event["seat"]
            assert event["action"] in referee.legal_actions()
            asked[line_number] = referee.legal_actions()
        else:
            assert referee.legal_actions() == []
        referee.feed(event)
        assert len(referee.all_cards()) == 35
    assert referee.over
    assert asked[7] == [f"claim {number}" for number in PRODUCTS]
    assert asked[8] == ["accept", "doubt"] + [f"see {low} {high}" for low, high in PAIRS]
    assert asked[8][2:5] == ["see L L", "see L 1", "see L 2"]
    assert asked[8][-2:] == ["see 8 9", "see 9 9"]
    assert asked[10] == ["discard low", "discard high", "discard both"]
    assert asked[12] == [f"claim {number}" for number in PRODUCTS if number >= 24]
    assert asked[15] == ["discard low", "discard both"]  # K9
    assert asked[21] == ["flip first", "flip second"]  # K3
    assert asked[23] == ["start 2", "start 0", "start 1"]  # its own seat first, then to the left
    assert asked[31] == ["start 0", "start 1"]  # K4
    assert (len(PAIRS), len(PRODUCTS)) == (55, 36)


# Line numbers count from 1, as in the example above: (line, what it says instead).
CHANGED = {
    "another game": (1, {"game": "kuku/Doubt-v0"}),
    "another format": (1, {"format": 2}),
    "lives shown to all": (2, {"private": [0, 1, 2]}),
    "one life card": (2, {"cards": [3]}),
    "lives of the wrong seat": (2, {"seat": 1, "private": [1]}),
    "a start player who is not there": (5, {"start": 3}),
    "draw by another seat": (6, {"seat": 1, "private": [1]}),
    "draw of three": (6, {"cards": [4, 6, 6]}),
    "no such card": (6, {"cards": [4, 10]}),
    "a rank as a real number": (6, {"cards": [4.0, 6]}),
    "a rank as yes or no": (6, {"cards": [True, 6]}),
    "a claim that is no product": (7, {"action": "claim 11"}),
    "a claim lower than the last": (12, {"action": "claim 21"}),
    "a claim out of turn": (12, {"seat": 2}),
    "an answer that is no action": (8, {"action": "Accept"}),
    "an answer by the wrong seat": (8, {"seat": 2}),
    "a look at other cards": (9, {"cards": [4, 5]}),
    "a look not sorted": (9, {"cards": [6, 4]}),
    "a look by all": (9, {"private": [0, 1, 2]}),
    "a discard of the other card": (10, {"cards": [6]}),
    "a discard named wrongly": (10, {"action": "discard high"}),
    "the higher of two equal cards": (15, {"action": "discard high", "cards": [6]}),
    "a draw of too few": (16, {"cards": [2]}),
    "a reveal of one": (18, {"cards": [2]}),
    "a reveal kept private": (18, {"private": [2]}),
    "the wrong loser": (20, {"loser": 0}),
    "the wrong truth": (20, {"truth": True}),
    "truth as a number": (20, {"truth": 0}),
    "the wrong claim shown": (20, {"claim": 36}),
    "the wrong pair shown": (20, {"cards": [5, 9]}),
    "the pair shown unsorted": (20, {"cards": [9, 2]}),
    "a flip by another seat": (21, {"seat": 1}),
    "the other life card turned": (22, {"card": 5}),
    "a start player who does not exist": (23, {"action": "start 3"}),
    "a start player other than named": (24, {"start": 0}),
    "a named pair in reversed order": (27, {"action": "see 3 L"}),
    "a see-through that was right, lost": (28, {"loser": 0}),
    "a start player who is out": (31, {"action": "start 2"}),
    "a life card turned twice": (29, {"card": 7}),
    "an answer by a seat that is out": (35, {"seat": 2}),
    "a loser who stays": (37, {"seat": 1}),
    "wrong rewards": (38, {"rewards": [-0.5, 1.0, -0.4]}),
    "rewards for two": (38, {"rewards": [-1.0, 1.0]}),
    "no rewards": (38, {"rewards": None}),
    "wrong places": (38, {"places": [3, 1, 2]}),
    "a truncation that was none": (38, {"truncated": True}),
    "a key too many": (8, {"cards": [4, 6]}),
}


@pytest.mark.parametrize(("line_number", "change"), CHANGED.values(), ids=CHANGED)
def test_a_changed_line_is_refused(line_number, change):
    record = example()
    record[line_number - 1].update(change)
    refused(record, line_number)


def test_a_card_that_is_not_in_the_pile_is_refused():
    """There are three 9s: with two of them dealt as lives one is left to draw, with three none."""
    record = example()
    record[2]["cards"] = [9, 9]
    check_record(record)
    record[3]["cards"] = [7, 9]
    refused(record, 16, "the card 9 is not in the pile")
    record = example()
    record[2]["cards"], record[15]["cards"] = [9, 9], [9, 9]
    refused(record, 16, "the card 9 is not in the pile")


def test_every_line_is_needed_and_may_come_once():
    for record in (example(), *(play_random({"num_players": n}, n) for n in range(2, 7))):
        record = record[:120]
        for index in range(len(record) - 1):
            refused(record[:index] + record[index + 1 :], index + 1)
        for index in range(len(record)):
            refused(record[: index + 1] + record[index:], index + 2)
    refused(example()[:-1], 38, "stops before")
    refused([], 1)


def test_lines_that_are_no_events_are_refused():
    for line in ("{", "[]", "null", "", '{"type":"act"}', '"accept"'):
        record = [json.dumps(event) for event in example()]
        record[7] = line
        refused(record, 8)
        refused([line], 1)
    refused([example()[0], {"type": "lives", "seat": {1}}], 2, "not JSON")


def test_a_refused_event_changes_nothing():
    referee = following(*example()[:6])
    for event in (act(0, "claim 11"), act(1, "claim 24"), to_seat("draw", 0, 4, 6), "{"):
        with pytest.raises(RuleViolation):
            referee.feed(event)
    for event in example()[6:]:
        referee.feed(event)
    assert referee.over


@pytest.mark.parametrize(
    "rules",
    [
        {"num_players": 1},
        {"num_players": 7},
        {"first_player": 4},
        {"duel_lives": True},
        {"claims": [11]},
        {"claims": []},
        {"max_accepts": -1},
        {"copies": [3] * 9},
        {"copies": [9, 0, 0, 0, 0, 0, 0, 0, 0, 0]},
        {"life_cards": 3},
        {"see_through": "none"},
        {"reward": "money"},
        {"max_decisions": 0},
        {"jokers": 2},
    ],
)
def test_rules_that_are_none_are_refused(rules):
    refused([game(**rules)], 1)


# ---- what the options and rulings change -------------------------------------------------------


def opening(**rules):
    """Two seats without life cards; seat 0 has 2 and 3 and is to claim."""
    return [
        game(**{"num_players": 2, "life_cards": 0, "first_player": 0, **rules}),
        to_seat("lives", 0),
        to_seat("lives", 1),
        {"type": "round", "start": 0},
        to_seat("draw", 0, 2, 3),
    ]


def test_a_fixed_first_player():
    refused([*opening()[:3], {"type": "round", "start": 1}], 4)  # K2


def test_allowed_claims():
    referee = following(*opening(claims=[12, 6, 20]))  # K7
    assert referee.legal_actions() == ["claim 6", "claim 12", "claim 20"]
    for event in (act(0, "claim 20"), act(1, "accept"), to_seat("look", 1, 2, 3)):
        referee.feed(event)
    for event in (act(1, "discard high", 3), to_seat("draw", 1, 9)):
        referee.feed(event)
    assert referee.legal_actions() == ["claim 20"]  # K11: still asked


def test_consistent_see_through_names_only_pairs_with_the_claims_product():
    referee = following(*opening(see_through="consistent"), act(0, "claim 12"))  # K8
    assert referee.legal_actions() == ["accept", "doubt", "see 2 6", "see 3 4"]


def test_no_more_accepts_than_allowed():
    referee = following(*opening(max_accepts=0), act(0, "claim 12"))
    assert referee.legal_actions()[:2] == ["doubt", "see L L"]


def test_see_through_counts_the_pair_not_the_product():
    """K8, K16: 2 and 6 against 3 and 4 is wrong though the claim was true."""
    record = [*opening(), act(0, "claim 12"), act(1, "see 2 6")]
    record[4]["cards"] = [4, 3]
    record += [show(3, 4, 12, True, 1), {"type": "out", "seat": 1}, end([1, -1], [1, 2])]
    check_record(record)


def test_a_liar_makes_every_claim_a_lie():
    record = [*opening(), act(0, "claim 9"), act(1, "doubt")]
    record[4]["cards"] = [9, "L"]
    record += [show("L", 9, 9, False, 0), {"type": "out", "seat": 0}, end([-1, 1], [2, 1])]
    check_record(record)


def test_duel_lives_and_counters_that_are_spent_first():
    """K5, K7: one life card each; the life without a card goes first and nothing is flipped."""
    lost = [act(0, "claim 9"), act(1, "doubt")]
    record = [
        *opening(duel_lives=True, life_cards=1),
        *lost,
        show(2, 3, 9, False, 0),
        act(0, "start 0"),
        {"type": "round", "start": 0},
        to_seat("draw", 0, 5, 5),
        *lost,
        show(5, 5, 9, False, 0),
        {"type": "flip", "seat": 0, "card": 8},
        {"type": "out", "seat": 0},
        end([-1, 1], [2, 1]),
    ]
    record[1]["cards"], record[2]["cards"] = [8], [1]
    check_record(record)


def test_unequal_lives_of_the_last_two_end_the_game():
    """K20: the other of the two is second, with no `out` of its own."""
    record = example()[:23]
    record += [
        {"type": "round", "start": 2},
        to_seat("draw", 2, 3, 3),
        act(2, "claim 9"),
        act(0, "doubt"),
        show(3, 3, 9, True, 0),
        act(0, "flip second"),
        {"type": "flip", "seat": 0, "card": 8},
        act(0, "start 2"),
        {"type": "round", "start": 2},
        to_seat("draw", 2, 1, 1),
        act(2, "claim 9"),
        act(0, "doubt"),
        show(1, 1, 9, False, 2),
        {"type": "flip", "seat": 2, "card": 5},
        {"type": "out", "seat": 2},
    ]
    check_record([*record, end([-0.5, 1, -0.5], [2, 1, 3])])
    record[0]["rules"]["reward"] = "placement"
    check_record([*record, end([0, 1, -1], [2, 1, 3])])
    refused([*record, {"type": "out", "seat": 0}], len(record) + 1)


@pytest.mark.parametrize(
    ("decisions", "lines"),
    [(1, 7), (2, 9), (3, 11), (6, 16), (7, 18), (8, 20), (9, 22), (10, 25), (12, 30), (13, 33)],
)
def test_truncation_comes_where_the_next_decision_would(decisions, lines):
    """K12, K13, K20."""
    record = example()[:lines]
    record[0]["rules"]["max_decisions"] = decisions
    if decisions < 12:
        check_record([*record, end([0, 0, 0], [1, 1, 1], truncated=True)])
    else:
        check_record([*record, end([0.25, 0.25, -0.5], [1, 1, 3], truncated=True)])
        record[0]["rules"]["reward"] = "placement"
        check_record([*record, end([0.5, 0.5, -1], [1, 1, 3], truncated=True)])
    refused([*record, *example()[lines : lines + 1]], lines + 1)


def test_the_last_decision_allowed_may_end_the_game():
    record = example()
    record[0]["rules"]["max_decisions"] = sum(event["type"] == "act" for event in record)
    check_record(record)


def test_reshuffles_split_draws_and_reveals():
    """K6, K18: a deck of 1 1 2 2 2 3, played by two seats without life cards."""
    record = opening(copies=[0, 2, 3, 1, 0, 0, 0, 0, 0, 0], duel_lives=True)
    record += [
        act(0, "claim 6"),
        act(1, "accept"),
        to_seat("look", 1, 2, 3),
        act(1, "discard both", 2, 3),
        to_seat("draw", 1, 2, 1),
        act(1, "claim 6"),
        {"type": "reveal", "cards": [1, 2]},  # the pile is empty, and stays so until one is needed
        act(0, "accept"),
        to_seat("look", 0, 1, 2),
        act(0, "discard low", 1),
        {"type": "reshuffle", "cards": 3},
        to_seat("draw", 0, 1),  # K18: the very card back
        act(0, "claim 6"),
        act(1, "accept"),
        to_seat("look", 1, 1, 2),
        act(1, "discard both", 1, 2),
        to_seat("draw", 1, 3, 2),  # the pile's last
        act(1, "claim 8"),
        {"type": "reshuffle", "cards": 2},
        {"type": "reveal", "cards": [1, 2]},
        act(0, "accept"),
        to_seat("look", 0, 2, 3),
        act(0, "discard both", 2, 3),
        {"type": "reshuffle", "cards": 2},
        to_seat("draw", 0, 3, 2),
        act(0, "claim 8"),  # and nothing is left to reveal: no event
        act(1, "doubt"),
        show(2, 3, 8, False, 0),
        act(0, "start 1"),
        {"type": "round", "start": 1},
        {"type": "table_recycled", "cards": 6},
        to_seat("draw", 1, 3, 1),
    ]
    following(*record)
    for index, event in enumerate(record):
        if event["type"] in ("reshuffle", "table_recycled"):
            wrong = copy.deepcopy(record)
            wrong[index]["cards"] += 1
            refused(wrong, index + 1)


def test_a_round_without_cards_takes_the_discards_and_the_table():
    """K6, K18: a deck of 2 3 4; the 2 is discarded and comes back."""
    record = opening(copies=[0, 0, 1, 1, 1, 0, 0, 0, 0, 0], duel_lives=True)
    record += [
        act(0, "claim 6"),
        act(1, "accept"),
        to_seat("look", 1, 2, 3),
        act(1, "discard low", 2),
        to_seat("draw", 1, 4),
        act(1, "claim 12"),
        act(0, "doubt"),
        show(3, 4, 12, True, 0),
        act(0, "start 0"),
        {"type": "round", "start": 0},
        {"type": "table_recycled", "cards": 2},
        to_seat("draw", 0, 4, 2),
    ]
    assert following(*record).to_act == 0


# ---- records of the referee's own --------------------------------------------------------------

TABLES = [
    *({"num_players": n} for n in range(2, 7)),
    {"num_players": 2, "duel_lives": True, "life_cards": 1, "first_player": 1},
    {"num_players": 3, "reward": "placement", "max_decisions": 25},
    {"num_players": 4, "see_through": "consistent", "max_accepts": 2, "life_cards": 0},
    {"num_players": 3, "life_cards": 1, "copies": SMALL_DECK, "claims": [1, 6, 9, 81]},
    {"num_players": 2, "life_cards": 0, "copies": [0, 0, 2, 0, 0, 0, 0, 0, 0, 0]},
    {"num_players": 2, "duel_lives": True, "life_cards": 1, "copies": SMALL_DECK},
    {"num_players": 6, "reward": "placement", "max_decisions": 60},
    {"num_players": 2, "max_decisions": 1},
]


@pytest.mark.parametrize("rules", TABLES, ids=str)
def test_random_play_keeps_the_rules(rules):
    for seed in range(10):
        record = play_random({"max_decisions": 200, **rules}, seed)
        check_record(record)
        copies = record[0]["rules"]["copies"]
        deck = [
            rank for rank, n in zip(["L", *range(1, 10)], copies, strict=True) for _ in range(n)
        ]
        referee = Referee()
        for event in record:
            referee.feed(event)
            assert referee.all_cards() == deck
        last = record[-1]
        assert sum(last["rewards"]) == pytest.approx(0)
        assert (
            sum(event["type"] == "act" for event in record) <= record[0]["rules"]["max_decisions"]
        )
        assert last["truncated"] or last["places"].count(1) == 1


RARE = [
    "table_recycled",
    ("truncated", True),
    ("truncated", False),
    ("draw", "after", "reshuffle"),
    ("reshuffle", "after", "draw"),
    ("reveal", "after", "reshuffle"),
    ("reshuffle", "after", "reveal"),
    ("reveal", 1),
    ("flip", "after", "show"),
    ("end", "after", "out"),
    ("act", "after", "out"),
    ("doubt", True, True),  # the claim was true, and who answered lost
    ("doubt", False, False),
    *(("see", truth, lost) for truth in (True, False) for lost in (True, False)),
]


def test_random_play_reaches_the_rare_events():
    seen = set()
    for rules, seed in product(TABLES, range(12)):
        record = play_random({"max_decisions": 200, **rules}, seed)
        seen.add(("truncated", record[-1]["truncated"]))
        for before, event in pairwise(record):
            seen |= {event["type"], (event["type"], "after", before["type"])}
            if event["type"] == "reveal":
                seen.add(("reveal", len(event["cards"])))
            if event["type"] == "show":
                answer = before["action"].split()[0]
                seen.add((answer, event["truth"], event["loser"] == before["seat"]))
    assert [what for what in RARE if what not in seen] == []


def test_random_play_repeats_itself():
    assert play_random({"num_players": 5}, 3) == play_random({"num_players": 5}, 3)
    assert play_random({"num_players": 5}, 3) != play_random({"num_players": 5}, 4)


# ---- what a seat sees --------------------------------------------------------------------------


def test_a_seat_stream_has_the_cards_of_that_seat_and_numbers_for_the_rest():
    stream = seat_stream(example(), 1)
    assert len(stream) == len(example())
    assert not any("private" in event or "seed" in event for event in stream)
    assert stream[1] == {"type": "lives", "seat": 0, "cards": 2}
    assert stream[2] == {"type": "lives", "seat": 1, "cards": [1, "L"]}
    assert stream[8] == {"type": "look", "seat": 1, "cards": [4, 6]}
    assert stream[9] == {"type": "act", "seat": 1, "action": "discard low", "cards": [4]}
    assert stream[13] == {"type": "look", "seat": 2, "cards": 2}
    assert stream[14] == {"type": "act", "seat": 2, "action": "discard both", "cards": 2}
    assert stream[17] == {"type": "reveal", "cards": [2, 5]}
    other = seat_stream(map(json.dumps, example()), 0)
    assert other[9] == {"type": "act", "seat": 1, "action": "discard one", "cards": 1}
    high = [act(1, "discard high", 6)]
    assert seat_stream(high, 0) == other[9:10]
    assert seat_stream(high, 1)[0]["action"] == "discard high"
    assert other[10] == {"type": "draw", "seat": 1, "cards": 1}


def test_exchanging_hidden_cards_changes_no_stream_but_their_owners():
    """A's first life card for C's second: only these two know, until C's is turned."""
    one, other = example()[:28], example()[:28]
    other[1]["cards"], other[3]["cards"] = [5, 8], [7, 3]
    following(*one)
    following(*other)
    for seat, equal in enumerate([False, True, False]):
        assert (seat_stream(one, seat) == seat_stream(other, seat)) == equal
    one.append({"type": "flip", "seat": 2, "card": 5})
    other.append({"type": "flip", "seat": 2, "card": 3})
    following(*one)
    following(*other)
    assert seat_stream(one, 1) != seat_stream(other, 1)
