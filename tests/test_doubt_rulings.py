"""The rules of Doubt and its rulings D1 to D18, one by one, with every card set by the test.

``deal({0: "A A 5"}, ...)`` deals those cards to seat 0 and the rest as it comes; ``put`` adds cards
and puts them down; ``doubt`` and ``stands`` settle what the others say to it.
"""

import itertools
from collections import Counter

import numpy as np
import pytest

from kuku_env.arena.match import play_match
from kuku_env.arena.statistics import standings
from kuku_env.bots import make_policy
from kuku_env.core.game import IllegalActionError, OptionError
from kuku_env.core.jit import PLAIN_PYTHON
from kuku_env.envs.match import Match
from kuku_env.games import find_game

GAME = find_game("doubt")
CARDS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "Joker"]


def deal(hands, *, start=0, **options):
    """A match in which these cards are dealt to these seats, and to the others what is left."""
    match = Match(GAME, explicit_chance=True, **options)
    if match.record.fixed_first < 0:
        match.resolve(start)
    n, total = match.num_players, match.options.cards
    first = int(match.record.player)
    wanted = {seat: cards.split() for seat, cards in hands.items()}
    rest = Counter({CARDS[k]: int(count) for k, count in enumerate(match.record.copies)})
    rest.subtract(card for cards in wanted.values() for card in cards)
    assert min(rest.values()) >= 0
    rest = list(rest.elements())
    for k in range(n):
        seat = (first + k) % n
        cards = wanted.get(seat, [])
        size = total // n + (k < total % n)
        assert len(cards) <= size
        # Others' cards come from the top, so that a hand of low cards gets no more of them.
        cards = cards + [rest.pop() for _ in range(size - len(cards))]
        for card in cards:
            match.resolve(CARDS.index(card))
    return match


def add(match, cards):
    for card in cards.split():
        match.act(f"add {card}")


def put(match, cards):
    """The seat to act puts these cards down."""
    assert match.view(0)["phase"] == "play"
    add(match, cards)
    match.act("put down")


def ask(match, seat):
    """The next to be asked is this seat."""
    if match.at_chance:
        match.resolve(seat)
    assert match.to_act == seat


def give(match, cards):
    """Cards that chance draws."""
    for card in cards.split():
        match.resolve(CARDS.index(card))


def doubt(match, seat, *drawn):
    ask(match, seat)
    match.act("doubt")
    for cards in drawn:
        give(match, cards)


def stands(match):
    """Nobody doubts."""
    while match.view(0)["phase"] == "respond":
        if match.at_chance:
            match.resolve(match.chance_outcomes()[0][0])
        match.act("let go")


def legal(match):
    return match.view(match.to_act)["legal"]


def told(match, *kinds):
    return [event for event in match.events() if event["type"] in kinds]


def hand(match, seat):
    """A seat's cards, in order."""
    counts = match.view(seat)["hand"]
    return " ".join(card for card in CARDS for _ in range(counts.get(card, 0)))


def sizes(match):
    return [seat["cards"] for seat in match.view(0)["seats"]]


def known(match, observer, seat):
    return match.view(observer)["seats"][seat]["known"]


def places(match):
    assert match.over
    return match.record.place[: match.num_players].tolist()


# A pack of six cards, A to 3 twice, or of nine, thrice; a quiet table otherwise.
SIX = {"ranks": 3, "suits": 2, "max_play": 2, "hand_limit": None, "call_order": "clockwise"}
NINE = {**SIX, "suits": 3, "max_play": 3}


# ---- the site's rules and the encyclopedia's ----------------------------------------------------


def test_all_cards_are_dealt_and_hands_differ_by_one_at_most():
    for n in range(2, 9):
        match = Match(GAME, seed=n, num_players=n)
        assert sum(sizes(match)) == 52
        assert max(sizes(match)) - min(sizes(match)) <= 1


def test_the_start_player_begins_with_the_ace_and_the_number_counts_up_to_the_king_and_on():
    match = Match(GAME, seed=1, num_players=4, call_order="clockwise")
    called = []
    for _ in range(15):
        view = match.view(match.to_act)
        called.append((view["number"], match.to_act))
        put(match, next(iter(view["hand"])))
        stands(match)
    first = called[0][1]
    assert called == [(CARDS[k % 13], (first + k) % 4) for k in range(15)]


def test_one_to_four_cards_go_down_and_there_is_no_pass():
    match = deal({0: "A A A A 2"}, num_players=4)
    assert all(text.startswith("add") for text in legal(match))
    put(match, "A A A A")
    assert match.view(1)["put"] == 4
    assert match.view(1)["pile"] == 4


def test_a_player_may_lie_without_need():
    match = deal({0: "A 2"}, num_players=4)
    put(match, "2")
    stands(match)
    assert match.view(1)["number"] == "2"


@pytest.mark.parametrize(("cards", "loser"), [("2 2", 2), ("A 2", 0), ("A A", 0), ("3", 0)])
def test_one_wrong_card_is_a_lie_and_the_loser_takes_the_whole_pile(cards, loser):
    match = deal({3: "K", 0: "A A 2 2 3"}, num_players=4, start=3, call_order="clockwise")
    put(match, "K")  # as an ace: a lie that stands
    stands(match)
    before = sizes(match)
    put(match, cards)  # as twos
    count = len(cards.split())
    match.act("let go")
    doubt(match, 2)
    shown = told(match, "show")[-1]
    assert (shown["cards"], shown["number"]) == (cards.split(), "2")
    assert (shown["truth"], shown["loser"]) == (loser == 2, loser)
    before[0] -= count
    before[loser] += count + 1
    assert sizes(match) == before
    assert match.view(1)["pile"] == 0
    assert told(match, "take")[-1]["cards"] == [*cards.split(), "K"]


def test_the_first_doubt_counts():
    match = deal({0: "A 2"}, num_players=4)
    put(match, "2")
    doubt(match, 3)
    assert match.view(1)["phase"] == "play"
    assert match.view(0)["seats"][3]["record"]["doubts_right"] == 1
    assert match.view(0)["seats"][1]["record"]["doubts_right"] == 0


def test_the_first_to_be_out_wins_and_the_others_rank_by_cards_left():
    match = deal({0: "A A", 1: "2 2", 2: "3 3"}, num_players=3, **SIX)
    put(match, "A")
    stands(match)
    put(match, "2")
    stands(match)
    put(match, "3")
    stands(match)
    put(match, "A")
    stands(match)
    assert places(match) == [1, 2, 2]
    assert match.returns.tolist() == [1.0, -0.5, -0.5]
    assert told(match, "end")[0]["truncated"] is False


def test_three_hands_of_three_sizes_make_three_places():
    match = deal({0: "A A", 1: "2 2", 2: "3 3"}, num_players=3, **SIX)
    put(match, "A")
    stands(match)
    put(match, "2 2")
    doubt(match, 2)  # wrong: 2 takes three cards, and 1 has won
    assert places(match) == [2, 1, 3]
    assert match.returns.tolist() == [0.0, 1.0, -1.0]


# ---- D1 -----------------------------------------------------------------------------------------


def test_d1_the_order_of_asking_is_drawn_afresh_for_every_play():
    match = deal({0: "A"}, num_players=4)
    put(match, "A")
    for others in ([1, 2, 3], [1, 3]):
        outcomes = [(seat, pytest.approx(1 / len(others))) for seat in others]
        assert match.chance_outcomes() == outcomes
        match.resolve(others[1])
        match.act("let go")
    assert match.to_act == 1  # the last needs no draw


def test_d1_clockwise_from_the_players_left():
    match = deal({}, num_players=4, start=2, call_order="clockwise")
    put(match, next(iter(match.view(2)["hand"])))
    order = []
    while match.view(0)["phase"] == "respond":
        order.append(match.to_act)
        match.act("let go")
    assert order == [3, 0, 1]


def test_d1_nobody_learns_who_was_asked_and_let_go():
    """Whatever the order, and whoever has been asked, it looks the same to the seat."""
    seen = set()
    for order in itertools.permutations([1, 2, 3]):
        match = deal({0: "A"}, num_players=4)
        put(match, "A")
        for seat in order:
            if seat == 3:
                break
            ask(match, seat)
            watch = match.view(3)
            assert (watch["phase"], watch["to_act"], watch["legal"]) == ("respond", None, [])
            seen.add(match.information_state(3) + match.observe(3)[0].tobytes().hex())
            match.act("let go")
            if match.to_act != 3:
                seen.add(match.information_state(3) + match.observe(3)[0].tobytes().hex())
    assert len(seen) == 1
    asked = set()
    for order in ([3], [1, 3], [1, 2, 3], [2, 1, 3]):
        match = deal({0: "A"}, num_players=4)
        put(match, "A")
        for seat in order[:-1]:
            ask(match, seat)
            match.act("let go")
        ask(match, 3)
        asked.add(match.information_state(3) + match.observe(3)[0].tobytes().hex())
    assert len(asked) == 1


def test_d1_a_doubt_ends_the_asking():
    match = deal({0: "A 2"}, num_players=4)
    put(match, "A")
    doubt(match, 2)
    assert match.view(0)["phase"] == "play"
    assert [event["seat"] for event in told(match, "ask")] == [2]


# ---- D2 -----------------------------------------------------------------------------------------


def test_d2_cards_are_added_one_by_one_then_put_down():
    match = deal({0: "A A 2", 1: "2 3 3"}, num_players=3, **NINE)
    assert legal(match) == ["add A", "add 2"]
    add(match, "A")
    assert legal(match) == ["put down", "add A", "add 2"]
    add(match, "2")
    assert legal(match) == ["put down", "add A"]
    add(match, "A")
    assert legal(match) == ["put down"]
    match.act("put down")
    assert sizes(match)[0] == 0


def test_d2_at_max_play_only_put_down_is_legal():
    match = deal({0: "A 2"}, num_players=4, preset="traditional")
    add(match, "2")
    assert legal(match) == ["put down"]
    with pytest.raises(IllegalActionError):
        match.act("add A")


def test_d2_added_cards_are_private_and_count_as_in_hand_until_put_down():
    match = deal({0: "A A 2"}, num_players=4)
    before = [match.information_state(seat) for seat in (1, 2, 3)]
    views = [match.view(seat) for seat in (1, 2, 3)]
    add(match, "A 2")
    assert [match.information_state(seat) for seat in (1, 2, 3)] == before
    assert [match.view(seat) for seat in (1, 2, 3)] == views
    assert sizes(match)[0] == 13
    assert match.view(0)["added"] == {"A": 1, "2": 1}
    assert match.view(0)["hand"]["A"] == 2
    match.act("put down")
    assert sizes(match)[0] == 11
    assert match.view(0)["added"] == {}
    assert match.view(0)["hand"]["A"] == 1
    assert [event.get("cards") for event in match.stream(1)[-2:]].count(2) == 1


def test_d2_suits_do_not_matter():
    assert LAYOUT_TEXTS[3:] == tuple(f"add {card}" for card in CARDS)


LAYOUT_TEXTS = GAME.layout.action_texts


# ---- D3 -----------------------------------------------------------------------------------------


def last_card(cards, **options):
    """Seat 0 plays the one card and then, as an ace, its last."""
    match = deal({0: cards, 1: "2 2", 2: "3 A"}, num_players=3, **{**SIX, **options})
    put(match, cards.split()[0])
    stands(match)
    put(match, "2")
    stands(match)
    put(match, "3")
    stands(match)
    put(match, cards.split()[1])
    return match


def test_d3_the_last_card_can_be_doubted_and_being_true_wins():
    match = last_card("3 A")
    assert not match.over
    assert legal(match) == ["let go", "doubt"]
    doubt(match, 1)
    assert places(match) == [1, 3, 2]
    assert told(match, "take")[0]["seat"] == 1
    assert match.returns.tolist() == [1.0, -1.0, 0.0]


def test_d3_a_false_last_card_that_is_doubted_does_not_win():
    match = last_card("A 3")
    doubt(match, 1)
    assert not match.over
    assert hand(match, 0) == "A 2 3 3"
    assert match.to_act == 1


def test_d3_a_false_last_card_that_nobody_doubts_wins():
    match = last_card("A 3")
    stands(match)
    assert places(match)[0] == 1
    assert told(match, "show") == []


def test_d3_the_winner_is_out_only_when_all_have_let_go():
    match = last_card("A 3")
    match.act("let go")
    assert not match.over
    match.act("let go")
    assert match.over


# ---- D4 -----------------------------------------------------------------------------------------


def test_d4_a_pile_taker_above_the_limit_is_out_and_the_cards_start_a_new_pile():
    match = deal({0: "A 2 2", 1: "2 3 3"}, num_players=3, **{**NINE, "hand_limit": 3})
    put(match, "2")
    doubt(match, 1)  # 0 takes its card back: three cards are not more than the limit
    assert match.view(0)["seats"][0]["in_play"]
    put(match, "3")  # as a 2
    stands(match)
    put(match, "3")
    doubt(match, 0)  # it was true: 0 takes two cards and holds five
    assert [event["type"] for event in match.events()[-3:]] == ["take", "set_aside", "out"]
    assert match.record.place[0] == 0  # it depends on who is still to be out
    assert [seat["in_play"] for seat in match.view(1)["seats"]] == [False, True, True]
    assert match.at_chance
    give(match, "A 2 2 3 3")  # fewer than 13: what is left
    view = match.view(1)
    assert (view["pile"], view["pile_start"], view["aside"]) == (5, 5, 0)
    assert (view["to_act"], view["number"]) == (1, "A")
    assert sizes(match) == [0, 2, 2]


def some(match, count):
    """So many cards of the seat to act."""
    return " ".join(hand(match, match.to_act).split()[:count])


def test_d4_hand_limit_26_exceeded_twice_and_13_cards_start_each_new_pile():
    hands = {0: "A A A A 5 5 5 5 8", 1: "2 2 2 2", 2: "3 3 3 3", 3: "4 4 4 4"}
    match = deal(hands, preset="kirakuken", call_order="clockwise")
    for cards in ("A A A A", "2 2 2 2", "3 3 3 3", "4 4 4 4"):
        put(match, cards)
        stands(match)
    put(match, "5 5 5 5")
    doubt(match, 1)  # 9 + 20 cards
    assert told(match, "out") == [{"type": "out", "seat": 1}]
    assert len(told(match, "set_aside")[0]["cards"]) == 29
    give(match, "A A A A 2 2 2 2 3 3 3 3 4")
    assert match.stream(2)[-2] == {"type": "new_pile", "cards": 13}  # nobody knows which
    assert match.stream(1)[-2] == {"type": "new_pile", "cards": 13}
    view = match.view(2)
    assert (view["pile"], view["aside"], view["to_act"], view["number"]) == (13, 16, 2, "6")
    assert view["pile_shown"] == view["pile_mine"] == {}
    put(match, some(match, 4))
    stands(match)
    put(match, some(match, 4))
    stands(match)
    put(match, "8")
    doubt(match, 2)  # 5 + 22 cards
    assert [event["seat"] for event in told(match, "out")] == [1, 2]
    for _ in range(13):
        match.resolve(match.chance_outcomes()[0][0])
    view = match.view(3)
    assert (view["pile"], view["aside"], view["to_act"], view["number"]) == (13, 30, 3, "9")
    assert [len(event["cards"]) for event in told(match, "new_pile")] == [13, 13]
    put(match, some(match, 1))
    stands(match)
    put(match, some(match, 4))
    stands(match)
    assert places(match) == [1, 3, 4, 2]  # the later out ranks lower
    assert match.returns == pytest.approx([1, -1 / 3, -1, 1 / 3])


def test_d4_one_player_left_wins_with_cards_in_hand():
    options = {**SIX, "hand_limit": 3}
    match = deal({0: "A 2 3", 1: "A 2 3"}, num_players=2, **options)
    put(match, "A")
    stands(match)
    put(match, "2")
    doubt(match, 0)
    assert places(match) == [2, 1]
    assert sizes(match) == [0, 2]
    assert [event["type"] for event in match.events()[-4:]] == ["take", "set_aside", "out", "end"]


# ---- D5, D16 ------------------------------------------------------------------------------------


def checked(*drawn, cards="A A 2", jokers=0):
    """Seat 0 puts these cards down as aces, seat 1 doubts and draws."""
    options = {**NINE, "check": "one", "ranks": 4, "jokers": jokers}
    match = deal({0: f"{cards} 4", 1: "3 3 3 4"}, num_players=3, **options)
    put(match, cards)
    doubt(match, 1)
    before = match.clone()
    give(match, " ".join(drawn))
    return before, match


def test_d5_one_card_is_drawn_at_random_from_those_put_down():
    match, _ = checked()
    assert match.at_chance
    assert match.chance_outcomes() == [(0, pytest.approx(2 / 3)), (1, pytest.approx(1 / 3))]


def test_d5_the_doubt_succeeds_if_the_drawn_card_does_not_match():
    match = checked("2")[1]
    assert told(match, "show")[0] == {
        **{"type": "show", "cards": ["2"], "number": "A", "truth": False, "loser": 0}
    }
    assert sizes(match) == [4, 4, 4]


def test_d5_a_lie_is_not_caught_where_a_true_card_is_drawn():
    match = checked("A")[1]
    assert told(match, "show")[0]["truth"] is True
    assert sizes(match) == [1, 7, 4]


def test_d16_the_others_stay_face_down_and_only_who_takes_them_sees_them():
    match = checked("A")[1]
    shown = {"type": "show", "cards": ["A"], "number": "A", "truth": True, "loser": 1}
    for seat in range(3):
        assert shown in match.stream(seat)
    assert match.stream(1)[-2] == {"type": "take", "seat": 1, "cards": ["A", "A", "2"]}
    assert match.stream(2)[-2] == {"type": "take", "seat": 1, "cards": 3}
    assert known(match, 2, 1) == {"A": 1}
    assert known(match, 0, 1) == {"A": 2, "2": 1}


def test_d16_a_drawn_joker_is_true():
    match = checked("Joker", cards="2 Joker", jokers=1)[1]
    assert told(match, "show")[0]["truth"] is True
    assert told(match, "take")[0]["seat"] == 1


# ---- jokers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("cards", "loser"), [("A A A Joker", 1), ("A A 2 Joker", 0)])
def test_a_joker_among_four_never_differs(cards, loser):
    match = deal({0: "A A A 2 Joker"}, num_players=4, jokers=1, call_order="clockwise")
    put(match, cards)
    doubt(match, 1)
    assert told(match, "show")[0]["loser"] == loser


def test_four_jokers_are_true_as_any_number():
    match = deal({0: "Joker Joker Joker Joker"}, num_players=3, jokers=4, call_order="clockwise")
    put(match, "Joker Joker Joker Joker")
    doubt(match, 1)
    assert told(match, "show")[0]["truth"] is True


# ---- D6, D13 ------------------------------------------------------------------------------------


def test_d6_equal_hands_share_a_place_and_the_average_of_its_rewards():
    match = deal({0: "A A", 1: "2 2", 2: "3 3"}, num_players=3, **SIX)
    put(match, "A A")
    stands(match)
    assert places(match) == [1, 2, 2]
    assert match.returns.tolist() == [1.0, -0.5, -0.5]


def test_d6_reward_win_is_for_the_winner_alone():
    match = deal({0: "A A", 1: "2 2", 2: "3 3"}, num_players=3, reward="win", **SIX)
    put(match, "A A")
    doubt(match, 1)
    assert places(match) == [1, 3, 2]
    assert match.returns.tolist() == [1.0, -0.5, -0.5]


def test_d13_the_penalty_and_the_limit_are_settled_before_the_end_is_looked_for():
    options = {**SIX, "hand_limit": 3}
    match = deal({0: "A A", 1: "2 2", 2: "3 3"}, num_players=3, **options)
    put(match, "A A")
    doubt(match, 1)  # 0 has no cards left; 1 takes two, holds four and is out before that is seen
    assert [event["type"] for event in match.events()[-4:]] == ["take", "set_aside", "out", "end"]
    assert places(match) == [1, 3, 2]
    assert sizes(match) == [0, 0, 2]


# ---- D7, D17 ------------------------------------------------------------------------------------


def test_d7_a_game_is_truncated_and_ranked_by_cards_left():
    match = deal({0: "A A", 1: "2 2", 2: "3 3"}, num_players=3, max_decisions=1, **SIX)
    put(match, "A")
    stands(match)
    assert match.record.truncated
    assert told(match, "end")[0]["truncated"] is True
    assert places(match) == [1, 2, 2]
    assert match.returns.tolist() == [1.0, -0.5, -0.5]


def test_d7_default_max_decisions():
    assert GAME.make_options().max_decisions == 2000


def test_d17_truncation_waits_until_the_play_in_progress_is_settled():
    match = deal({0: "A 2", 1: "2 3", 2: "3 A"}, num_players=3, max_decisions=2, **SIX)
    put(match, "2")
    assert not match.over
    match.act("let go")
    assert not match.over
    doubt(match, 2)
    assert match.over
    assert match.record.decisions == 4
    assert told(match, "take")[0]["seat"] == 0
    assert places(match) == [1, 1, 1]
    assert match.returns.tolist() == [0.0, 0.0, 0.0]


def test_d17_a_win_in_the_last_play_is_a_win():
    match = deal({0: "A A", 1: "2 3", 2: "3 2"}, num_players=3, max_decisions=1, **SIX)
    put(match, "A A")
    stands(match)
    assert not match.record.truncated
    assert places(match) == [1, 2, 2]


def test_d17_with_reward_win_those_with_fewest_cards_share_a_truncated_game():
    options = {**SIX, "reward": "win", "max_decisions": 5}
    match = deal({0: "A A", 1: "2 2", 2: "3 3"}, num_players=3, **options)
    put(match, "A")
    stands(match)
    put(match, "2")
    stands(match)
    assert match.record.truncated
    assert places(match) == [1, 1, 3]
    assert match.returns.tolist() == [0.25, 0.25, -0.5]


# ---- D8 -----------------------------------------------------------------------------------------


def watched():
    """0: an ace; 1: a 3 as a 2, caught by 2."""
    match = deal({0: "A 2 2", 1: "2 3 3", 2: "A A 3"}, num_players=3, **NINE)
    put(match, "A")
    stands(match)
    put(match, "3")
    doubt(match, 2)
    return match


def test_d8_a_seat_knows_its_own_cards_in_the_pile():
    match = deal({0: "A 2 2", 1: "2 3 3", 2: "A A 3"}, num_players=3, **NINE)
    put(match, "A")
    assert [match.view(seat)["pile_mine"] for seat in range(3)] == [{"A": 1}, {}, {}]
    assert [match.view(seat)["pile"] for seat in range(3)] == [1, 1, 1]
    assert match.view(2)["seats"][0]["claims"] == {"A": 1}


def test_d8_a_seat_knows_which_of_its_cards_and_of_those_shown_another_has_picked_up():
    match = watched()
    assert hand(match, 1) == "A 2 3 3"
    assert known(match, 0, 1) == {"A": 1, "3": 1}
    assert known(match, 2, 1) == {"3": 1}
    assert known(match, 1, 1) == {}
    assert match.view(2)["seats"][1]["took"] == {"A": 1, "2": 1}


def test_d8_a_card_shown_again_is_no_longer_where_it_was():
    match = watched()
    put(match, "3")  # 2
    stands(match)
    put(match, "2")  # 0, as an ace
    stands(match)
    put(match, "A")  # 1, as a 2: the ace that 0 knew of
    assert known(match, 0, 1) == {"A": 1, "3": 1}  # for all that 0 can tell
    doubt(match, 2)
    assert known(match, 0, 1) == {"A": 1, "2": 1, "3": 1}  # taken up again with 0's own 2
    assert known(match, 2, 1) == {"A": 1, "3": 2}
    assert match.view(0)["seats"][1]["record"]["caught_lies"] == 2


def test_d8_who_takes_a_pile_sees_what_had_come_back():
    match = watched()
    put(match, "A")  # 2, as a 3
    stands(match)
    put(match, "2")  # 0, as an ace
    stands(match)
    put(match, "3")  # 1, as a 2: one that 0 knew of
    stands(match)
    put(match, "3")  # 2
    doubt(match, 0)  # who takes A 2 3 3
    assert hand(match, 0) == "A 2 2 3 3"
    assert known(match, 0, 1) == {}  # the 3, and, who knows, the ace
    assert known(match, 1, 0) == {"3": 2}  # its own, and the one shown
    assert known(match, 2, 0) == {"A": 1, "3": 1}


def test_d8_the_public_record():
    match = watched()
    put(match, "3")
    doubt(match, 0)
    records = [seat["record"] for seat in match.view(1)["seats"]]
    names = ("plays", "shown_true", "caught_lies", "doubts_right", "doubts_wrong")
    assert [[record[name] for name in names] for record in records] == [
        [1, 0, 0, 0, 1],
        [1, 0, 1, 0, 0],
        [1, 1, 0, 1, 0],
    ]


# ---- D10 ----------------------------------------------------------------------------------------


def test_d10_the_first_player_is_drawn_or_fixed():
    match = Match(GAME, num_players=5, explicit_chance=True)
    assert match.chance_outcomes() == [(seat, pytest.approx(0.2)) for seat in range(5)]
    match = Match(GAME, num_players=5, explicit_chance=True, first_player=3)
    assert match.events()[1] == {"type": "start", "seat": 3}


def test_d10_dealing_starts_at_the_first_player_so_the_first_seats_hold_the_extra_cards():
    match = Match(GAME, num_players=5, first_player=3, seed=1)
    assert sizes(match) == [10, 10, 10, 11, 11]
    assert [event["seat"] for event in told(match, "deal")] == [3, 4, 0, 1, 2]


@pytest.mark.parametrize("cards", ["A", "2"])
@pytest.mark.parametrize("caller", [1, 2, None])
def test_d10_after_every_play_the_seat_to_the_left_of_who_played_acts(cards, caller):
    match = deal({0: "A 2"}, num_players=3)
    put(match, cards)
    if caller is None:
        stands(match)
    else:
        doubt(match, caller)
    assert match.to_act == 1


def test_d10_the_next_seat_is_one_that_is_still_in():
    match = deal({0: "A 2 2", 1: "2 3 3"}, num_players=3, **NINE, penalty="forfeit")
    put(match, "A")
    doubt(match, 1)
    assert match.to_act == 2


@pytest.mark.parametrize("start", range(3))
def test_d10_cheat_only_the_next_player_may_doubt(start):
    match = deal({start: "A 2"}, start=start, num_players=3, preset="cheat")
    caller = (start + 1) % 3
    put(match, "2")
    assert match.to_act == caller
    assert not match.at_chance
    twin = match.clone()
    match.act("let go")
    assert (match.view(0)["phase"], match.to_act) == ("play", caller)
    twin.act("doubt")
    assert told(twin, "take")[0]["seat"] == start
    assert twin.view(0)["number"] == "2"  # advanced


def test_d10_next_means_the_next_seat_that_is_in():
    options = {**NINE, "penalty": "forfeit", "callers": "next"}
    match = deal({0: "A A A", 1: "2 2 2"}, num_players=3, **options)
    put(match, "A")
    doubt(match, 1)
    put(match, "3")  # 2
    match.act("let go")  # 0
    put(match, "A")
    assert match.to_act == 2


# ---- D11 ----------------------------------------------------------------------------------------

EXCHANGE = {"penalty": "exchange"}


def test_d11_the_loser_takes_two_random_cards_of_the_winner_and_the_pile_stays():
    match = deal({0: "A 2 2", 1: "2 3 3"}, num_players=3, **NINE, **EXCHANGE)
    put(match, "2")
    doubt(match, 1)
    assert match.chance_outcomes() == [(1, pytest.approx(1 / 3)), (2, pytest.approx(2 / 3))]
    give(match, "3")
    assert match.chance_outcomes() == [(1, pytest.approx(1 / 2)), (2, pytest.approx(1 / 2))]
    give(match, "2")
    assert [hand(match, seat) for seat in range(3)] == ["A 2 2 3", "3", "A A 3"]
    view = match.view(2)
    assert (view["pile"], view["pile_shown"], view["to_act"]) == (1, {"2": 1}, 1)


def test_d11_both_parties_know_the_cards_moved_and_nobody_else():
    match = deal({0: "A 2 2", 1: "2 3 3"}, num_players=3, **NINE, **EXCHANGE)
    put(match, "2")
    doubt(match, 1)
    give(match, "3 2")
    event = {"type": "exchange", "seat": 0, "from": 1, "cards": ["2", "3"]}
    assert match.stream(0)[-2] == match.stream(1)[-2] == event
    assert match.stream(2)[-2] == {**event, "cards": 2}
    assert known(match, 1, 0) == {"2": 1, "3": 1}
    assert known(match, 2, 0) == {}


def test_d11_a_winner_with_fewer_than_two_cards_gives_what_there_is():
    match = deal({0: "A 2", 1: "2 3", 2: "A 3"}, num_players=3, **SIX, **EXCHANGE)
    put(match, "A")
    doubt(match, 1)
    give(match, "2")
    assert places(match) == [1, 3, 2]  # an emptied hand wins
    assert sizes(match) == [0, 3, 2]


def test_d11_a_winner_without_cards_gives_none():
    match = deal({0: "A A", 1: "2 3", 2: "2 3"}, num_players=3, **SIX, **EXCHANGE)
    put(match, "A A")
    doubt(match, 1)
    assert places(match) == [1, 2, 2]
    assert told(match, "exchange") == []


def test_d11_a_caller_whose_hand_is_emptied_is_out_and_wins():
    match = deal({0: "A 2", 1: "2 3", 2: "A 3"}, num_players=3, **SIX, **EXCHANGE)
    put(match, "2")
    doubt(match, 1)
    give(match, "2 3")
    assert places(match) == [3, 1, 2]
    assert sizes(match) == [3, 0, 2]


def test_d11_shown_cards_stay_known_in_the_pile():
    match = deal({0: "A 2 2", 1: "2 3 3"}, num_players=3, **NINE, **EXCHANGE)
    put(match, "2")
    doubt(match, 1)
    give(match, "3 2")
    assert [match.view(seat)["pile_shown"] for seat in range(3)] == [{"2": 1}] * 3
    assert match.view(0)["pile_mine"] == {}


# ---- D12 ----------------------------------------------------------------------------------------

FORFEIT = {"penalty": "forfeit"}


def test_d12_the_loser_is_out_the_hand_leaves_play_and_the_pile_stays():
    match = deal({0: "A 2 2", 1: "2 3 3"}, num_players=3, **NINE, **FORFEIT)
    put(match, "2")
    doubt(match, 1)
    assert match.stream(1)[-3:-1] == [
        {"type": "set_aside", "seat": 0, "cards": 2},
        {"type": "out", "seat": 0},
    ]
    view = match.view(1)
    assert (view["pile"], view["pile_shown"], view["aside"]) == (1, {"2": 1}, 2)
    assert (view["to_act"], view["number"]) == (1, "2")
    assert match.record.place[:3].tolist() == [3, 0, 0]
    assert match.returns.tolist() == [-1.0, 0.0, 0.0]


def test_d12_earlier_forfeiters_rank_lower_and_one_player_left_wins():
    match = deal({0: "A 2 2", 1: "2 3 3"}, num_players=3, **NINE, **FORFEIT)
    put(match, "2")
    doubt(match, 1)
    put(match, "3")
    doubt(match, 2)
    assert places(match) == [3, 2, 1]
    assert match.returns.tolist() == [-1.0, 0.0, 1.0]


def test_d12_an_empty_hand_that_forfeits_is_out_and_does_not_win():
    match = deal({0: "A 2", 1: "2 3", 2: "A 3"}, num_players=3, **SIX, **FORFEIT)
    put(match, "A 2")
    doubt(match, 1)
    assert not match.over
    assert match.record.place[0] == 3
    assert told(match, "set_aside")[0]["cards"] == []
    assert match.to_act == 1


def test_d12_set_aside_cards_of_a_forfeit_never_come_back():
    for seed in range(5):
        match = Match(GAME, seed=seed, num_players=4, ranks=5, hand_limit=None, **FORFEIT)
        while not match.over:
            match.step(match.legal_actions()[-1])
        assert told(match, "new_pile", "take") == []
        assert told(match, "out")


# ---- D14, D15 -----------------------------------------------------------------------------------


def test_d14_the_number_of_cards_is_public_and_they_may_differ():
    match = deal({0: "A 2 3 4"}, num_players=4)
    put(match, "A 2 3 4")
    act = {"type": "act", "seat": 0, "action": "put down"}
    assert match.stream(0)[-1] == {**act, "cards": ["A", "2", "3", "4"]}
    assert match.stream(1)[-1] == {**act, "cards": 4}


def test_d14_any_number_of_cards_may_be_put_down_where_max_play_is_none():
    match = deal({}, num_players=4, max_play=None)
    put(match, hand(match, 0))
    assert match.view(1)["put"] == 13
    stands(match)
    assert places(match)[0] == 1


def test_d15_the_largest_table_has_the_shapes_of_every_other():
    options = {"num_players": 8, "decks": 4, "jokers": 4, "max_play": 16}
    match = deal({0: "A " * 16}, **options, hand_limit=None)
    assert sum(sizes(match)) == 4 * 52 + 4
    put(match, "A " * 16)
    assert match.view(1)["put"] == 16
    small = Match(GAME, seed=1, preset="tiny")
    assert match.observe(0)[0].shape == small.observe(0)[0].shape == (GAME.layout.size,)
    assert match.observe(0)[1].shape == (GAME.layout.num_actions,)


# ---- D18 and presets ----------------------------------------------------------------------------


@pytest.mark.parametrize("cards", ["A", "2"])
@pytest.mark.parametrize(
    ("preset", "number"), [("traditional", "A"), ("exchange", "A"), ("kirakuken", "2")]
)
def test_d18_the_number_after_a_doubt_is_repeated_or_advances(preset, number, cards):
    match = deal({0: "A 2"}, preset=preset, num_players=3)
    put(match, cards)
    doubt(match, 1)
    while match.at_chance:
        match.resolve(match.chance_outcomes()[0][0])
    assert (match.view(1)["number"], match.to_act) == (number, 1)


def test_d18_a_number_advances_after_a_play_that_stands_everywhere():
    for preset in ("traditional", "kirakuken", "cheat", "exchange"):
        match = deal({0: "A"}, preset=preset, num_players=3)
        put(match, "A")
        stands(match)
        assert match.view(1)["number"] == "2"


PRESETS = {
    "kirakuken": (4, 4, "anyone", "advance", "all", "pile", 26),
    "traditional": (4, 1, "anyone", "repeat", "all", "pile", None),
    "cheat": (4, 1, "next", "advance", "all", "pile", None),
    "exchange": (3, 1, "anyone", "repeat", "all", "exchange", None),
}


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_fix_the_fields_of_the_table(preset):
    made = GAME.make_options(preset)
    fields = ("num_players", "max_play", "callers", "after_call", "check", "penalty", "hand_limit")
    assert tuple(getattr(made, field) for field in fields) == PRESETS[preset]
    assert (made.decks, made.jokers, made.ends, made.call_order) == (1, 0, "first_out", "random")
    assert (made.reward, made.first_player, made.max_decisions) == ("rank", None, 2000)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"num_players": 1}, "num_players"),
        ({"num_players": 9}, "num_players"),
        ({"decks": 5}, "decks"),
        ({"jokers": 5}, "jokers"),
        ({"jokers": True}, "jokers"),
        ({"max_play": 0}, "max_play"),
        ({"max_play": 5}, "an integer from 1 to 4"),
        ({"max_play": 9, "decks": 2}, "an integer from 1 to 8"),
        ({"callers": "me"}, "'anyone' or 'next'"),
        ({"after_call": "stay"}, "after_call"),
        ({"check": "two"}, "check"),
        ({"penalty": "none"}, "penalty"),
        ({"penalty": "exchange", "hand_limit": 26}, "nobody takes the pile"),
        ({"penalty": "forfeit", "hand_limit": 26}, "nobody takes the pile"),
        ({"num_players": 2, "hand_limit": 25}, "an integer from 26"),
        ({"num_players": 2, "jokers": 1}, "an integer from 27"),
        ({"hand_limit": 0}, "hand_limit"),
        ({"ends": "last_out"}, "first_out"),
        ({"call_order": "fair"}, "call_order"),
        ({"reward": "money"}, "reward"),
        ({"first_player": 4}, "an integer from 0 to 3"),
        ({"max_decisions": 0}, "max_decisions"),
        ({"ranks": 1}, "ranks"),
        ({"ranks": 14}, "ranks"),
        ({"suits": 0}, "suits"),
        ({"num_players": 5, "ranks": 2, "suits": 2, "max_play": 1}, "at most 4"),
    ],
    ids=str,
)
def test_combinations_that_do_not_work_are_refused_with_the_reason(options, words):
    with pytest.raises(OptionError, match=words):
        Match(GAME, **options)


def test_the_hand_limit_is_at_least_the_largest_hand_dealt():
    assert GAME.make_options(num_players=2, hand_limit=26).largest_hand == 26
    assert GAME.make_options(num_players=3, hand_limit=20).largest_hand == 18


# ---- D9 -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["kirakuken", "traditional", "cheat", "exchange"])
def test_d9_bots_answer_every_decision_of_every_preset(preset):
    bots = [make_policy(name, GAME) for name in GAME.scripted]
    match = Match(GAME, preset=preset, seed=3)
    chance = np.random.default_rng(0)
    for _ in range(300):
        if match.over:
            break
        observation, mask = match.observe(match.to_act)
        chances = bots[match.to_act % 2].probabilities(observation[None], mask[None])[0]
        assert chances.sum() == pytest.approx(1, abs=1e-5)
        assert not chances[mask == 0].any()
        match.step(int(chance.choice(len(chances), p=chances / chances.sum())))


def test_d9_normal_counts_its_own_cards():
    """A call of more cards than there can be is a lie, whoever else may doubt it; others may."""
    bot, chances = make_policy("scripted-normal", GAME), []
    for mine in ("A A A 5", "3 4 5 6"):
        match = deal({0: "2 2", 1: mine}, num_players=3)
        put(match, "2 2")
        ask(match, 1)
        observation, mask = match.observe(1)
        both = bot.probabilities(observation[None], mask[None])[0]
        chances.append(both[GAME.layout.start("doubt")])
    assert chances[0] > 0.6
    assert chances[1] < 0.01


@pytest.mark.skipif(PLAIN_PYTHON, reason="hundreds of games")
@pytest.mark.parametrize(
    ("preset", "players"),
    [("kirakuken", 2), ("kirakuken", 4), ("traditional", 3), ("cheat", 4), ("exchange", 3)],
)
def test_d9_normal_beats_easy_and_easy_beats_random(preset, players):
    names = ["scripted-normal", "scripted-easy", "random"]
    for pair in (names[:2], names[1:]):
        bots = [make_policy(name, GAME) for name in pair]
        result = play_match(GAME, bots, players, 300, 1, threads=1, preset=preset)
        better, worse = standings(result)
        assert better.share.low > 1.2 / players, (better, worse)
