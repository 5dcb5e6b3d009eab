"""The rulebook of Liar's Cry and its rulings L1 to L15, one by one, every card set by the test.

``deal("C1 C2", "C3 Key", ...)`` deals these hands to seats 0, 1, ... from a deck of just these
cards; ``play`` then takes texts of actions.
"""

from collections import Counter

import numpy as np
import pytest
from liars_cry_tables import ALIKE, GAME, KINDS, deck

from kuku_env.arena import play_match
from kuku_env.bots.simple import RandomPolicy
from kuku_env.core.chance import generator_states
from kuku_env.core.game import IllegalActionError, OptionError
from kuku_env.envs.aec import BluffingEnv
from kuku_env.envs.batch import BatchEnv
from kuku_env.envs.match import Match
from kuku_env.games.liars_cry.options import Options
from kuku_env.games.liars_cry.repairs import repair


def deal(*hands, dealer=0, left="", **options):
    """A match with these hands, ``left`` staying out of the deal."""
    cards = [hand.split() for hand in hands]
    copies = Counter(card for hand in (*cards, left.split()) for card in hand)
    options = {"deals": 1, "copies": deck(**copies), **options}
    match = Match(GAME, explicit_chance=True, num_players=len(hands), **options)
    if "first_player" not in options:
        match.resolve(dealer)
    give(match, *hands)
    return match


def give(match, *hands):
    for hand in hands:
        for card in hand.split():
            match.resolve(KINDS.index(card))


def play(match, *moves):
    for move in moves:
        match.act(move)


def legal(match):
    return [GAME.layout.action_texts[action] for action in match.legal_actions()]


def told(match, *kinds):
    """Events of these kinds so far."""
    return [event for event in match.events() if event["type"] in kinds]


def ended(match):
    """The reason for which the last deal ended."""
    return told(match, "deal_end")[-1]["reason"]


def hand(match, seat):
    return " ".join(match.view(seat)["hand"])


def taken(match, seat):
    return match.view(0)["seats"][seat]["taken"]


def scores(match):
    return [seat["score"] for seat in match.view(0)["seats"]]


def table(match, seat):
    """Table cards as a seat sees them: (C3) face down, (?) unknown."""
    cards = match.view(seat)["table"]
    return " ".join(
        c["card"] if c["face_up"] else f"({c['card'] if c['card'] else '?'})" for c in cards
    )


A = "C1 C1 C2 C7 Hanyu"
B = "C1 C3 C3 C6 Hanyu"
C = "C2 C4 C5 KeyA Hanyu"


# ---- the deal -----------------------------------------------------------------------------------


def test_the_deck_is_the_reconstruction_of_36_cards():
    options = Options()
    assert options.copies == (4, 4, 4, 4, 4, 4, 4, 1, 1, 1, 5)
    assert options.points == (1, 2, 3, 4, 5, 6, 7, 5, 5, 5, 0)
    assert options.leads == (1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0)
    assert sum(options.copies) == 36


@pytest.mark.parametrize("n", range(3, 8))
def test_all_cards_are_dealt_equally_and_what_is_left_over_stays_out(n):
    match = Match(GAME, num_players=n, seed=n)
    assert [seat["hand"] for seat in match.view(0)["seats"]] == [36 // n] * n
    assert match.record.pile_size == 36 % n
    assert match.chance_outcomes() == []


@pytest.mark.parametrize("n", [0, 2, 8, 3.0, True])
def test_three_to_seven_players(n):
    with pytest.raises(OptionError, match="num_players"):
        Match(GAME, num_players=n)


def test_a_hand_is_drawn_card_by_card_from_what_is_left():
    match = Match(GAME, num_players=3, explicit_chance=True)
    assert match.chance_outcomes() == [(seat, pytest.approx(1 / 3)) for seat in range(3)]
    match.resolve(2)
    copies = Options().copies
    assert match.chance_outcomes() == [(k, pytest.approx(c / 36)) for k, c in enumerate(copies)]
    match.resolve(KINDS.index("KeyA"))
    assert KINDS.index("KeyA") not in dict(match.chance_outcomes())


@pytest.mark.parametrize("dealer", range(3))
def test_the_dealer_acts_first(dealer):
    match = deal(A, B, C, dealer=dealer)
    assert match.to_act == dealer
    assert match.view(0)["dealer"] == dealer
    assert match.view(0)["phase"] == "lead"


# ---- one deal -----------------------------------------------------------------------------------


def test_a_lead_is_a_leadable_card_face_up_and_who_led_acts_on():
    match = deal(A, B, C, dealer=2)
    assert legal(match) == ["lead C2", "lead C4", "lead C5"]  # no Key Person, no Hanyu
    play(match, "lead C4")
    assert [table(match, seat) for seat in range(3)] == ["C4"] * 3
    assert match.view(0)["lead"] == "C4"
    assert match.to_act == 2
    assert match.view(0)["phase"] == "act"


def test_play_is_any_card_face_down_and_the_turn_passes():
    match = deal(A, B, C)
    play(match, "lead C1")
    assert legal(match) == ["play C1", "play C2", "play C7", "play Hanyu", "collect", "skip"]
    play(match, "play C7")
    assert match.to_act == 1
    assert [table(match, seat) for seat in range(3)] == ["C1 (C7)", "C1 (?)", "C1 (?)"]
    play(match, "play C1", "play KeyA")
    assert match.to_act == 0
    assert table(match, 0) == "C1 (C7) (?) (?)"
    assert told(match, "act")[-1] == {
        "type": "act",
        "seat": 2,
        "action": "play KeyA",
        "cards": ["KeyA"],
        "private": [2],
    }
    assert match.stream(0)[-1] == {"type": "act", "seat": 2, "action": "play", "cards": 1}


def test_collect_looks_at_all_face_down_cards_takes_one_and_the_rest_are_taken_cards():
    match = deal(A, B, C)
    play(match, "lead C1", "play C7", "skip", "play KeyA", "play C1", "collect")
    assert match.to_act == 1
    assert legal(match) == ["take 1", "take 3", "take 4"]  # position 2 is a Hanyu face up
    assert table(match, 1) == "C1 (C7) Hanyu (KeyA) (C1)"
    assert table(match, 2) == "C1 (?) Hanyu (KeyA) (?)"
    assert told(match, "look") == [
        {"type": "look", "seat": 1, "cards": ["C7", "KeyA", "C1"], "private": [1]}
    ]
    play(match, "take 1")
    assert hand(match, 1) == "C1 C3 C3 C6 C7"
    assert taken(match, 1) == {"C1": 2, "KeyA": 1, "Hanyu": 1}
    assert match.view(0)["seats"][1]["points"] == 7
    assert told(match, "taken") == [
        {"type": "taken", "seat": 1, "cards": ["C1", "Hanyu", "KeyA", "C1"]}
    ]
    assert (match.to_act, match.view(0)["phase"]) == (1, "lead")


def test_doubt_right_the_liar_takes_all_and_the_doubter_acts_on():
    match = deal(A, B, C)
    play(match, "lead C1", "play C1", "play C6", "doubt")
    assert told(match, "show") == [
        {"type": "show", "seat": 1, "position": 2, "card": "C6", "truth": False}
    ]
    assert taken(match, 1) == {"C1": 2, "C6": 1}
    assert taken(match, 2) == {}
    assert (match.to_act, match.view(0)["phase"]) == (2, "lead")
    record = [seat["record"] for seat in match.view(0)["seats"]]
    assert record[0] == {"true_cards": 1, "lies": 0, "doubts_right": 0, "doubts_wrong": 0}
    assert record[1] == {"true_cards": 0, "lies": 1, "doubts_right": 0, "doubts_wrong": 0}
    assert record[2] == {"true_cards": 0, "lies": 0, "doubts_right": 1, "doubts_wrong": 0}


def test_doubt_wrong_the_doubter_takes_all_and_the_next_player_acts_on():
    match = deal(A, B, C)
    play(match, "lead C1", "play C1", "doubt")
    assert told(match, "show") == [
        {"type": "show", "seat": 0, "position": 1, "card": "C1", "truth": True}
    ]
    assert taken(match, 1) == {"C1": 2}
    assert (match.to_act, match.view(0)["phase"]) == (2, "lead")
    assert match.view(0)["seats"][1]["record"]["doubts_wrong"] == 1


def test_there_is_nothing_to_doubt_without_a_face_down_card():
    match = deal(A, B, C)
    play(match, "lead C1")
    assert "doubt" not in legal(match)
    play(match, "skip")
    assert "doubt" not in legal(match)
    with pytest.raises(IllegalActionError):
        play(match, "doubt")


def test_skip_is_a_hanyu_face_up_and_the_turn_passes():
    match = deal(A, "C1 C3 C3 C6 C7", C)
    play(match, "lead C1", "skip")
    assert [table(match, seat) for seat in range(3)] == ["C1 Hanyu"] * 3
    assert match.to_act == 1
    assert "skip" not in legal(match)  # no Hanyu in hand
    assert hand(match, 0) == "C1 C2 C7"


def test_doubt_is_of_the_last_face_down_card_over_the_hanyus_on_it():
    match = deal(A, B, C)
    play(match, "lead C1", "play C7", "skip", "doubt")
    assert told(match, "show")[0]["seat"] == 0
    assert taken(match, 0) == {"C1": 1, "C7": 1, "Hanyu": 1}
    assert match.to_act == 2


# ---- the three ends of a deal -------------------------------------------------------------------


def test_a_deal_ends_when_a_hand_holds_the_three_key_persons():
    match = deal("C1 C2 KeyA", "C3 KeyB KeyC", "C1 C1 C1")
    play(match, "lead C1", "play KeyA", "collect")
    assert not match.over  # the collector is asked first
    play(match, "take 1")
    assert match.over
    end = told(match, "deal_end")[0]
    assert end == {
        "type": "deal_end",
        "reason": "key_persons",
        "hands": [["C2"], ["C3", "KeyA", "KeyB", "KeyC"], ["C1", "C1", "C1"]],
        "points": [2, 19, 3],
    }


def test_two_key_persons_end_nothing():
    match = deal("C1 C2 KeyA", "C3 KeyB KeyC", "C1 C1 C1")
    play(match, "lead C2", "play C1", "play KeyC", "collect", "take 1")
    assert not match.over
    assert match.to_act == 2


def test_a_deal_ends_when_a_hand_is_empty():
    match = deal("C1 C2", "C3 C3", "C1 C2")
    play(match, "lead C1", "play C2", "collect", "take 1")
    assert match.over
    assert ended(match) == "empty_hand"
    assert told(match, "deal_end")[0]["points"] == [0, 3 + 3 + 2 + 1, 3]


def test_a_deal_ends_when_the_player_to_act_has_no_leadable_card():
    match = deal("C1 C2 C4", "KeyA KeyB Hanyu", "C1 C2 C3")
    play(match, "lead C1", "play C2", "doubt")
    assert match.over
    assert ended(match) == "no_lead"
    assert told(match, "deal_end")[0]["points"] == [4 + 1 + 2, 10, 6]


def test_only_the_player_to_act_needs_a_leadable_card():
    match = deal("C1 C2 C4", "KeyA KeyB Hanyu", "C1 C2 C3")
    play(match, "lead C1", "play C2", "play KeyA", "doubt")  # seat 1 lied: seat 2 acts on
    assert not match.over
    assert match.to_act == 2


def test_what_the_collector_takes_can_be_led():
    match = deal("C1 C2 C4", "KeyA KeyB Hanyu", "C1 C2 C3")
    play(match, "lead C1", "play C4", "collect", "take 1")
    assert not match.over
    assert legal(match) == ["lead C4"]


# ---- going out ----------------------------------------------------------------------------------


def test_who_played_the_last_card_face_down_is_out_after_the_next_turn():
    match = deal("C1 C2", "C3 C4", "C1 C2")
    play(match, "lead C1", "play C2")
    assert told(match, "out") == []
    assert "doubt" in legal(match)  # the next player may still doubt it
    play(match, "play C3")
    assert told(match, "out") == [{"type": "out", "seat": 0}]
    play(match, "play C1")
    assert match.to_act == 1  # seat 0 is passed over
    assert not match.over


def test_who_put_down_a_last_hanyu_is_out_at_once():
    match = deal("C1 Hanyu", "C3 C4", "C1 C2")
    play(match, "lead C1", "skip")
    assert told(match, "out") == [{"type": "out", "seat": 0}]
    play(match, "play C3", "play C1")
    assert match.to_act == 1


def test_the_last_player_takes_all_table_cards_at_once():
    match = deal("C1 C2", "C3 C4", "C1 C2")
    play(match, "lead C1", "play C2", "play C3", "play C1", "play C4")
    assert told(match, "out") == [{"type": "out", "seat": 0}]
    play(match, "play C2")  # seat 2's last card: seat 1 is out, seat 2 is left
    assert told(match, "out") == [{"type": "out", "seat": 0}, {"type": "out", "seat": 1}]
    assert told(match, "taken") == [
        {"type": "taken", "seat": 2, "cards": ["C1", "C2", "C3", "C1", "C4", "C2"]}
    ]
    assert match.over
    assert ended(match) == "empty_hand"
    assert told(match, "deal_end")[0]["points"] == [0, 0, 13]


def test_the_last_player_takes_the_table_whatever_is_held():
    match = deal("C1 Hanyu", "Hanyu Hanyu", "C1 C2")
    play(match, "lead C1", "skip", "skip", "play C2", "skip")
    assert match.over
    assert told(match, "taken")[0]["seat"] == 2
    assert told(match, "deal_end")[0]["hands"] == [[], [], ["C1"]]
    assert told(match, "deal_end")[0]["points"] == [0, 0, 1 + 2 + 1]


# ---- score and match ----------------------------------------------------------------------------


def short_deals(match, *dealers):
    """Deals in which the dealer cannot lead: each ends at once, with the points that are held."""
    for dealer in dealers:
        hands = ["C1", "C1", "C1"]
        hands[dealer] = "KeyA"
        give(match, *hands)


# Nothing in the hands can be led: a deal ends at once.
NO_LEAD = {"left": "C7", "leads": [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]}
SHORT = {"num_players": 3, "copies": deck(C1=2, KeyA=1), "explicit_chance": True}


def test_points_are_taken_cards_plus_hand():
    match = deal("C1 C2 KeyA", "C3 C6 C7", "C1 C1 Hanyu")
    play(match, "lead C2", "play KeyA", "collect", "take 1", "lead C7", "collect", "lead C6")
    play(match, "play C3", "doubt", "lead C1", "play C1", "collect", "take 1")
    assert hand(match, 0) == "C1 C1"
    play(match, "lead C1", "play C1", "collect", "take 1")
    assert match.over
    ends = told(match, "deal_end")[0]
    assert ends["hands"] == [[], ["C1", "KeyA"], ["Hanyu"]]
    assert ends["points"] == [1, 2 + 7 + 6 + 3 + 1 + 1 + 5, 0]


@pytest.mark.parametrize("n", range(3, 8))
def test_a_match_is_one_deal_for_each_player_each_dealing_once(n):
    match = Match(GAME, num_players=n, seed=n)
    chance = np.random.default_rng(n)
    while not match.over:
        match.step(int(chance.choice(match.legal_actions())))
    dealers = [event["dealer"] for event in told(match, "deal") if event["seat"] == 0]
    assert sorted(dealers) == list(range(n))
    assert dealers == [(dealers[0] + k) % n for k in range(n)]  # L14: the deal passes left
    assert len(told(match, "deal_end")) == n
    totals = np.sum([event["points"] for event in told(match, "deal_end")], axis=0)
    assert scores(match) == totals.tolist()
    assert match.record.place[int(np.argmin(totals))] == 1  # the lowest total wins


@pytest.mark.parametrize("deals", [1, 2, 5, 7])
def test_the_number_of_deals_is_an_option(deals):
    match = Match(GAME, num_players=3, deals=deals, seed=1)
    chance = np.random.default_rng(1)
    assert match.view(0)["deals_left"] == deals - 1
    while not match.over:
        match.step(int(chance.choice(match.legal_actions())))
    assert len(told(match, "deal_end")) == deals


# ---- L1 to L15 ----------------------------------------------------------------------------------


def test_l1_collect_without_a_face_down_card_takes_the_face_up_ones_and_asks_nothing():
    match = deal(A, B, C)
    play(match, "lead C1", "skip", "collect")
    assert hand(match, 1) == B
    assert taken(match, 1) == {"C1": 1, "Hanyu": 1}
    assert told(match, "look") == []
    assert (match.to_act, match.view(0)["phase"]) == (1, "lead")


@pytest.mark.parametrize("card", ["Hanyu", "KeyA"])
def test_l2_hanyu_and_key_persons_are_lies_when_played_face_down(card):
    match = deal("C1 C2 C2 " + card, "C3 C3 C3 C3", "C4 C4 C4 C4")
    play(match, "lead C1", f"play {card}", "doubt")
    assert not told(match, "show")[0]["truth"]
    assert taken(match, 0) == {"C1": 1, card: 1}


def test_l3_equal_is_the_same_kind_whatever_the_points():
    match = deal("C5 C1 C1", "KeyA C5 C2", "C4 C4 C4", points=[5] * 11)
    play(match, "lead C5", "play C1", "play C5", "doubt")
    assert told(match, "show")[0]["truth"]
    assert taken(match, 2) == {"C5": 2, "C1": 1}


def test_l4_leftover_cards_score_for_nobody():
    match = deal("C1 C2", "C3 C3", "C1 C2", left="C7 C7")
    play(match, "lead C1", "play C2", "collect", "take 1")
    assert sum(told(match, "deal_end")[0]["points"]) == 1 + 2 + 3 + 3 + 1 + 2


@pytest.mark.parametrize(
    ("points", "places", "rewards"),
    [
        ([1, 2, 3], [1, 2, 3], [1, 0, -1]),
        ([2, 2, 3], [1, 1, 3], [0.5, 0.5, -1]),
        ([1, 3, 3], [1, 2, 2], [1, -0.5, -0.5]),
        ([3, 3, 3], [1, 1, 1], [0, 0, 0]),
        ([4, 5, 1, 4], [2, 4, 1, 2], [0, -1, 1, 0]),
        ([4, 5, 1, 2], [3, 4, 1, 2], [-1 / 3, -1, 1, 1 / 3]),
    ],
)
def test_l5_ties_share_a_rank_and_the_average_of_what_it_pays(points, places, rewards):
    match = deal(*(f"C{k}" for k in points), **NO_LEAD)
    assert match.over
    assert list(match.record.place[: len(points)]) == places
    assert list(match.returns) == pytest.approx(rewards)
    end = told(match, "end")[0]
    assert (end["places"], end["truncated"]) == (places, False)


def test_l5_reward_by_points_is_the_others_mean_minus_ones_own_over_40_a_deal():
    match = deal("C4", "C5", "C1", "C2", reward="points", **NO_LEAD)
    others = [(12 - own) / 3 - own for own in (4, 5, 1, 2)]
    assert list(match.returns) == pytest.approx([value / 40 for value in others])
    match = Match(GAME, reward="points", deals=2, **SHORT)
    match.resolve(0)
    short_deals(match, 0, 1)
    assert scores(match) == [6, 6, 2]
    assert list(match.returns) == pytest.approx([-2 / 80, -2 / 80, 4 / 80])


def test_l5_rewards_come_at_the_end_of_the_match():
    match = Match(GAME, num_players=3, seed=4)
    chance = np.random.default_rng(4)
    while not match.over:
        assert not match.record.rewards.any()
        assert not match.record.place.any()
        match.step(int(chance.choice(match.legal_actions())))
    assert match.record.place[:3].all()


def test_l6_too_many_decisions_truncate_the_match():
    match = deal(A, B, C, max_decisions=3)
    play(match, "lead C1", "play C1")
    assert not match.over
    play(match, "play C1")
    assert match.over
    assert match.record.truncated
    assert told(match, "end")[0]["truncated"]
    assert Options().max_decisions == 1000


def test_l6_a_match_that_ends_by_its_last_decision_is_not_truncated():
    match = deal("C1 C2", "C3 C3", "C1 C2", max_decisions=4)
    play(match, "lead C1", "play C2", "collect", "take 1")
    assert match.over
    assert not match.record.truncated


def test_l7_a_seat_knows_its_own_face_down_cards_and_those_it_looks_at():
    match = deal(A, B, C)
    play(match, "lead C1", "play C7", "play C6", "play KeyA")
    tables = ["C1 (C7) (?) (?)", "C1 (?) (C6) (?)", "C1 (?) (?) (KeyA)"]
    assert [table(match, seat) for seat in range(3)] == tables
    assert [card["seat"] for card in match.view(0)["table"]] == [0, 0, 1, 2]
    play(match, "collect")
    assert table(match, 0) == "C1 (C7) (C6) (KeyA)"
    assert table(match, 1) == tables[1]
    assert match.stream(1)[-1] == {"type": "look", "seat": 0, "cards": 3}


def test_l7_hands_of_others_are_hidden_and_their_sizes_public():
    match = deal(A, B, C)
    play(match, "lead C1", "play C7")
    assert [seat["hand"] for seat in match.view(2)["seats"]] == [3, 5, 5]
    assert [match.view(seat)["hand"] for seat in (1, 2)] == [B.split(), C.split()]
    assert [event["cards"] for event in match.stream(2)[1:4]] == [5, 5, C.split()]


def test_l8_an_empty_hand_ends_the_deal_whether_its_owner_is_out_or_not():
    match = deal("C1 C2", "C3 C4", "C1 C2")  # not out yet
    play(match, "lead C1", "play C2", "collect", "take 1")
    assert ended(match) == "empty_hand"
    match = deal("C1 C2", "C3 C4", "C1 C2")  # out
    play(match, "lead C1", "play C2", "play C3", "collect", "take 1")
    assert told(match, "out") == [{"type": "out", "seat": 0}]
    assert ended(match) == "empty_hand"


def test_l8_the_owner_of_an_empty_hand_may_take_the_table():
    match = deal("C1 C2", "C3 C4", "C1 C2")
    play(match, "lead C1", "play C2", "doubt")
    assert taken(match, 0) == {"C1": 1, "C2": 1}
    assert match.over
    assert ended(match) == "empty_hand"
    assert told(match, "deal_end")[0]["points"] == [3, 7, 3]


def test_l9_ones_own_card_cannot_be_doubted():
    match = deal(A, B, C)
    play(match, "lead C1", "play C7", "skip", "skip")
    assert match.to_act == 0
    assert match.view(0)["last_face_down"] == 0
    assert "doubt" not in legal(match)


def test_l9_the_card_of_a_player_who_is_out_cannot_be_doubted_and_no_earlier_one_can():
    match = deal("C1 C2", "C3 Hanyu", "C1 Hanyu")
    play(match, "lead C1", "play C2", "skip")
    assert told(match, "out") == [{"type": "out", "seat": 0}]
    assert match.to_act == 2
    assert match.view(2)["last_face_down"] == 0
    assert legal(match) == ["play C1", "play Hanyu", "collect", "skip"]
    match = deal("C1 C2 C2", "C3 Hanyu C1", "C1 Hanyu C1")
    play(match, "lead C1", "play C2", "play C3", "skip", "play C2", "skip")
    assert told(match, "out") == [{"type": "out", "seat": 0}]
    assert "doubt" not in legal(match)  # the last is seat 0's, seat 1's lies before it


def two_are_left(last):
    """Seat 0 is out, seat 1 has put its last card face down, seat 2 holds one card, ``last``."""
    match = deal("C1 C2", "C3 C4", f"C1 {last}")
    play(match, "lead C1", "play C2", "play C3", "play C1", "play C4")
    assert told(match, "out") == [{"type": "out", "seat": 0}]
    assert match.to_act == 2
    return match


def test_l10_a_last_hanyu_is_out_before_the_player_whose_last_card_lies_face_down():
    match = two_are_left("Hanyu")
    play(match, "skip")
    assert told(match, "out")[1:] == [{"type": "out", "seat": 2}]
    assert told(match, "taken")[0]["seat"] == 1
    assert match.over
    assert ended(match) == "empty_hand"


def test_l10_of_two_last_cards_face_down_the_first_is_out_and_the_second_takes_the_table():
    match = two_are_left("C2")
    play(match, "play C2")
    assert told(match, "out")[1:] == [{"type": "out", "seat": 1}]
    assert told(match, "taken")[0]["seat"] == 2
    assert match.over


def test_l10_with_more_players_both_go_out_the_hanyu_first():
    match = deal("C1 C2", "C3 Hanyu", "C1 C2", "C4 C4", dealer=3)
    play(match, "lead C4", "play C4", "play C1", "play C3", "play C1", "play C2", "skip")
    assert [event["seat"] for event in told(match, "out")] == [3, 1, 0]
    assert told(match, "taken")[0]["seat"] == 2


def test_l11_a_dealer_without_a_leadable_card_ends_the_deal_at_once():
    match = Match(GAME, deals=3, **SHORT)
    match.resolve(1)
    short_deals(match, 1)
    assert told(match, "deal_end") == [
        {
            "type": "deal_end",
            "reason": "no_lead",
            "hands": [["C1"], ["KeyA"], ["C1"]],
            "points": [1, 5, 1],
        }
    ]
    short_deals(match, 2, 0)
    assert match.over  # each of them counts as dealt
    assert [event["dealer"] for event in told(match, "deal")] == [1, 1, 1, 2, 2, 2, 0, 0, 0]
    assert scores(match) == [7, 7, 7]
    assert list(match.record.place[:3]) == [1, 1, 1]


def test_l11_such_deals_end_without_a_decision():
    found = 0
    for seed in range(20):
        match = Match(GAME, num_players=3, copies=deck(C1=1, KeyA=9), deals=2, seed=seed)
        if match.over:
            found += 1
            assert match.moves == []
            assert len(told(match, "deal_end")) == 2
    assert found > 5


def test_l11_key_persons_dealt_together_end_the_deal_only_at_a_check():
    hands = ["C1 C1 C1 C2", "C3 KeyA KeyB KeyC", "C2 C4 C4 C4"]
    match = deal(*hands)
    assert not match.over
    play(match, "lead C1", "play C1", "play C3", "play C2")
    assert not match.over  # no check yet
    play(match, "collect", "take 1")
    assert ended(match) == "key_persons"
    match = deal(*hands)
    play(match, "lead C1", "play C1", "play KeyB", "doubt")  # it is held no longer
    assert not match.over


def test_l12_who_leads_the_last_card_can_only_collect_and_the_deal_ends():
    match = deal("C1 C2", "C3 C3", "C4 C4")
    play(match, "lead C1", "collect", "lead C2")
    assert hand(match, 0) == ""
    assert legal(match) == ["collect"]
    assert told(match, "out") == []
    play(match, "collect")
    assert match.over
    assert ended(match) == "empty_hand"
    assert told(match, "deal_end")[0]["points"] == [3, 6, 8]


def test_l13_whose_card_was_taken_is_public_its_kind_known_to_two():
    match = deal(A, B, C)
    play(match, "lead C1", "play C7", "play C6", "collect", "take 1")
    event = told(match, "act")[-1]
    assert event == {
        "type": "act",
        "seat": 2,
        "action": "take 1",
        "cards": ["C7"],
        "private": [0, 2],
    }
    acts = [[e for e in match.stream(seat) if e["type"] == "act"][-1] for seat in range(3)]
    assert [act["cards"] for act in acts] == [["C7"], 1, ["C7"]]
    assert match.view(0)["seats"][2]["took_mine"] == {"C7": 1}
    assert match.view(1)["seats"][2]["took_mine"] == {}
    assert match.view(2)["took"] == {"C7": 1}


def test_l13_the_take_is_asked_even_with_one_card_and_may_be_ones_own():
    match = deal(A, B, C)
    play(match, "lead C1", "play C7", "skip", "skip", "collect")
    assert legal(match) == ["take 1"]
    play(match, "take 1")
    assert hand(match, 0) == "C1 C2 C7 Hanyu"
    assert told(match, "act")[-1]["private"] == [0]
    assert match.view(0)["took"] == match.view(0)["seats"][0]["took_mine"] == {}


def test_l13_hands_are_shown_at_the_end_of_a_deal():
    match = deal("C1 C2", "C3 C3", "C1 C2")
    play(match, "lead C1", "play C2", "collect", "take 1")
    shown = [event for event in match.stream(0) if event["type"] == "deal_end"]
    assert shown[0]["hands"] == [[], ["C2", "C3", "C3"], ["C1", "C2"]]


def test_l14_the_first_dealer_is_drawn_or_fixed():
    starts = Counter(Match(GAME, num_players=3, seed=seed).view(0)["dealer"] for seed in range(90))
    assert sorted(starts) == [0, 1, 2]
    assert min(starts.values()) > 10
    for seat in range(3):
        match = Match(GAME, num_players=3, first_player=seat, seed=0)
        assert match.to_act == match.view(0)["dealer"] == seat


def test_l14_names_of_the_kinds():
    lead = next(block for block in GAME.layout.actions if block.name == "lead")
    assert list(lead.texts) == [f"lead {kind}" for kind in KINDS]


def test_l15_on_truncation_table_cards_score_for_nobody():
    match = deal(A, B, C, max_decisions=6)
    play(match, "lead C1", "play C1", "play C3", "doubt", "lead C5", "play KeyA")
    assert match.over
    end = told(match, "deal_end")[0]
    assert end["reason"] == "truncated"
    assert end["points"] == [2 + 7, 1 + 1 + 3 + 1 + 3 + 6, 2 + 4]
    assert table(match, 0) == "C5 (?)"


def test_l15_a_match_cut_short_while_a_card_is_to_be_taken():
    match = deal(A, B, C, max_decisions=3)
    play(match, "lead C1", "play C7", "collect")
    assert match.over
    assert told(match, "deal_end")[0]["points"] == [1 + 2, 13, 16]
    assert table(match, 1) == "C1 (?)"


def test_l15_a_new_deal_that_nobody_acted_in_scores_the_hands():
    match = deal("C1 C2", "C3 C3", "C1 C2", deals=3, max_decisions=4)
    play(match, "lead C1", "play C2", "collect", "take 1")
    give(match, "C1 C1", "C2 C2", "C3 C3")
    assert match.over
    ends = told(match, "deal_end")
    assert [end["reason"] for end in ends] == ["empty_hand", "truncated"]
    assert ends[1]["hands"] == [["C1", "C1"], ["C2", "C2"], ["C3", "C3"]]
    assert scores(match) == [0 + 2, 9 + 4, 3 + 6]


# ---- irregular acts -----------------------------------------------------------------------------


def repaired(match, seat, act):
    return repair(match.view(seat), act).acts


def carry_out(match, seat, act, *takes):
    """An irregular act by its repair; ``takes`` are the answers to which card to take."""
    before, done = match.view(seat), 0
    meant = repair(before, act)
    for answer in (*takes, None):
        while (due := meant.due(before, match.view(seat), done)) is not None:
            play(match, due)
            done += 1
        if answer is not None:
            play(match, answer)
    return match


def test_a_face_up_card_on_table_cards_is_a_collect_and_then_the_lead():
    match = deal(A, B, C)
    play(match, "lead C1", "play C7")
    assert repaired(match, 1, "lead C6") == ("collect", "lead C6")
    carry_out(match, 1, "lead C6", "take 1")
    assert table(match, 1) == "C6"
    assert hand(match, 1) == "C1 C3 C3 C7 Hanyu"
    assert (match.to_act, match.view(1)["phase"]) == (1, "act")


def test_a_face_up_card_where_no_card_is_to_be_taken():
    match = carry_out_after_lead("lead C7")
    assert table(match, 0) == "C7"
    assert taken(match, 0) == {"C1": 1}


def carry_out_after_lead(act):
    match = deal(A, B, C)
    play(match, "lead C1")
    return carry_out(match, 0, act)


def test_where_the_collection_ends_the_deal_the_card_goes_back_to_hand():
    match = deal("C1 C2", "C3 C4", "C1 C2")
    play(match, "lead C1", "play C2")
    carry_out(match, 1, "lead C4", "take 1")
    assert match.over
    assert told(match, "deal_end")[0]["hands"][1] == ["C2", "C3", "C4"]


def test_the_card_is_not_led_in_the_next_deal():
    match = deal("C1 C2", "C3 C4", "C1 C2", deals=2)
    play(match, "lead C1", "play C2")
    before = match.view(1)
    meant = repair(before, "lead C4")
    play(match, meant.due(before, match.view(1), 0), "take 1")
    give(match, "C1 C1", "C3 C4", "C2 C2")
    assert match.to_act == 1  # it deals, and holds that card again
    assert meant.due(before, match.view(1), 1) is None
    assert meant.dropped(before, match.view(1))


def test_an_exposed_card_counts_as_in_hand_during_the_check():
    match = deal("C1 C1 Hanyu", "C3 C4 Hanyu", "C2 C2 Hanyu", dealer=1)
    play(match, "lead C4", "skip", "skip", "skip")
    assert hand(match, 1) == "C3"
    carry_out(match, 1, "lead C3")
    assert taken(match, 1) == {"C4": 1, "Hanyu": 3}
    assert table(match, 1) == "C3"  # the hand was not empty, and the deal goes on
    assert legal(match) == ["collect"]


def test_a_doubt_of_a_hanyu_is_a_doubt_of_the_last_face_down_card():
    match = deal(A, B, C)
    play(match, "lead C1", "play C7", "skip")
    assert repaired(match, 2, "doubt") == ("doubt",)
    carry_out(match, 2, "doubt")
    assert taken(match, 0) == {"C1": 1, "C7": 1, "Hanyu": 1}


def test_a_doubt_of_a_hanyu_without_a_face_down_card_is_undone():
    match = deal(A, B, C)
    play(match, "lead C1", "skip")
    assert repaired(match, 1, "doubt") == ()


def test_a_doubt_of_a_card_that_cannot_be_doubted_is_undone():
    match = deal(A, B, C)
    play(match, "lead C1", "play C7", "skip", "skip")
    assert repaired(match, 0, "doubt") == ()  # L9: its own


def test_a_face_up_card_from_a_player_not_to_act_without_table_cards_is_undone():
    match = deal(A, B, C)
    play(match, "lead C1", "play C1", "doubt")  # a wrong doubt: seat 2 acts on, not seat 1
    assert match.to_act == 2
    assert repaired(match, 1, "lead C3") == ()


@pytest.mark.parametrize("moves", [[], ["lead C2", "play C2"]])
def test_a_key_person_face_up_is_undone(moves):
    match = deal("C2 C2 KeyA", "C1 C1 KeyB", "C1 C1 C1")
    play(match, *moves)
    seat = match.to_act
    key = "KeyB" if seat else "KeyA"
    assert repaired(match, seat, f"lead {key}") == ()


@pytest.mark.parametrize("act", ["play C3", "collect", "doubt", "skip", "lead C6"])
def test_any_other_act_out_of_turn_is_undone(act):
    match = deal(A, B, C)
    play(match, "lead C1", "play C7", "play C3", "play C2")
    assert match.to_act == 0
    assert repaired(match, 1, act) == ()


def test_legal_acts_stand_for_themselves():
    match = deal(A, B, C)
    assert repaired(match, 0, "lead C7") == ("lead C7",)
    play(match, "lead C7")
    assert repaired(match, 0, "lead Hanyu") == repaired(match, 0, "skip") == ("skip",)
    assert repaired(match, 0, "play C1") == ("play C1",)


def test_what_cannot_be_done_at_all_is_undone():
    match = deal(A, B, C)
    assert repaired(match, 0, "lead Hanyu") == ()  # it cannot be led
    assert repaired(match, 0, "lead C6") == ()  # it is not held
    assert repaired(match, 0, "collect") == ()
    play(match, "lead C1", "play C7", "collect")
    assert repaired(match, 1, "lead C6") == ()  # which card to take is asked
    assert repaired(match, 1, "take 1") == ("take 1",)
    match = deal("C1", "C2", "C3", **NO_LEAD)
    assert repaired(match, 0, "lead C1") == ()  # the match is over


@pytest.mark.parametrize("act", ["lead", "lead C9", "shout", "play", "take 0", None, 3])
def test_a_text_that_is_no_act_is_an_error(act):
    with pytest.raises(ValueError, match="no action"):
        repair(deal(A, B, C).view(0), act)


def test_step_still_refuses_an_irregular_act():
    match = deal(A, B, C)
    play(match, "lead C1", "play C7")
    before = match.S.tobytes()
    with pytest.raises(IllegalActionError):
        play(match, "lead C6")
    assert match.S.tobytes() == before


# ---- matches in which nobody is asked ----------------------------------------------------------


NOBODY_ASKED = {"num_players": 3, "copies": deck(C1=1, KeyA=9), "deals": 1}  # two of three


def test_a_batch_deals_again_where_nobody_was_asked():
    batch = BatchEnv(GAME, 64, seed=0, **NOBODY_ASKED)
    turns, generators = batch.reset(), generator_states(1, 64)
    for _ in range(20):
        assert (turns.seat >= 0).all()
        assert turns.action_mask.any(axis=1).all()
        turns = batch.step(batch.sample(generators))
    batch.restart(0, 5)
    assert batch.turns().seat[0] >= 0
    batch = BatchEnv(GAME, 64, seed=0, autoreset=False, **NOBODY_ASKED)
    assert (batch.reset().seat < 0).any()


def test_an_environment_in_which_nobody_is_asked_is_over_with_its_rewards():
    env = BluffingEnv(GAME, **NOBODY_ASKED)
    ends = 0
    for seed in range(20):
        env.reset(seed=seed)
        ends += env.match.over
        rewards = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            seen, reward, terminated, truncated, _ = env.last()
            rewards[agent] += reward
            mask = seen["action_mask"]
            env.step(None if terminated or truncated else int(np.flatnonzero(mask)[0]))
        assert list(rewards.values()) == list(env.match.returns)
    assert ends > 5


def test_the_arena_counts_matches_in_which_nobody_is_asked():
    bot = RandomPolicy(GAME)
    result = play_match(GAME, [bot, bot], games=60, threads=2, batch_size=4, **NOBODY_ASKED)
    assert (result.decisions == 0).any()
    for game, deal_of in enumerate(result.plan.deal):
        match = Match(GAME, seed=int(result.deal_seeds[deal_of]), **NOBODY_ASKED)
        if match.over:
            assert result.decisions[game] == 0
            assert list(result.rewards[game]) == list(match.returns)
        else:
            assert result.decisions[game] > 0


# ---- options ------------------------------------------------------------------------------------


ELEVEN = [1] * 11
WRONG = {
    "num_players": [2, 8, None, "3", 3.0],
    "first_player": [-1, 4, "0", True],
    "deals": [0, 8, 1.0, True],
    "reward": ["winner", None, 1],
    "max_decisions": [0, 10**7, None],
    "copies": [ELEVEN[:10], [*ELEVEN, 1], [13, *ELEVEN[1:]], [-1, *ELEVEN[1:]], 36, [1.0] * 11],
    "points": [[16] * 11, [-1] * 11, None, [True] * 11],
    "leads": [[2] * 11, ELEVEN[:3], [True] * 11],
    "preset": ["huge"],
    "jokers": [2],
}


@pytest.mark.parametrize(("name", "value"), [(k, v) for k in WRONG for v in WRONG[k]], ids=str)
def test_a_wrong_option_is_refused_by_name_with_what_is_allowed(name, value):
    with pytest.raises(OptionError) as caught:
        Match(GAME, **{name: value})
    assert caught.value.name == name
    assert str(caught.value).endswith(caught.value.allowed)


def test_a_deck_holds_a_card_for_each_player_and_no_more_than_the_rulebooks():
    with pytest.raises(OptionError, match="from 4 cards"):
        Match(GAME, num_players=4, copies=deck(C1=3))
    with pytest.raises(OptionError, match="to 36"):
        Match(GAME, num_players=4, copies=deck(C1=12, C2=12, C3=12, C4=1))
    assert Match(GAME, num_players=3, copies=ALIKE, seed=0).view(0)["seats"][0]["hand"] == 12


def test_a_deck_holds_a_card_that_can_be_led():
    with pytest.raises(OptionError, match="leads"):
        Match(GAME, num_players=3, copies=deck(KeyA=12, Hanyu=4))
    with pytest.raises(OptionError, match="leads"):
        Match(GAME, num_players=3, leads=[0] * 11)


def test_lists_and_numpys_integers_are_options_too():
    one = Match(GAME, num_players=np.int64(3), copies=[np.int8(2)] * 11, seed=1)
    two = Match(GAME, num_players=3, copies=(2,) * 11, seed=1)
    assert one.options == two.options
    assert one.events() == two.events()


@pytest.mark.parametrize("preset", sorted(GAME.presets))
def test_presets_play_to_an_end(preset):
    for seed in range(5):
        match = Match(GAME, preset=preset, seed=seed)
        chance = np.random.default_rng(seed)
        while not match.over:
            match.step(int(chance.choice(match.legal_actions())))
        assert sum(match.returns) == pytest.approx(0)
