"""The rulebook and its rulings K1 to K20, one by one, with every card set by the test.

``deal("38", "1L")`` deals those life cards (L is the Liar) to seats 0 and 1; ``play`` then takes
texts of actions, and cards that leave the pile as ``+46``.
"""

import itertools
from collections import Counter

import numpy as np
import pytest

from kuku_env.core.game import IllegalActionError, OptionError
from kuku_env.envs.match import Match
from kuku_env.games import find_game

GAME = find_game("kuku-doubt")
CARDS = "L123456789"
PRODUCTS = sorted({a * b for a in range(1, 10) for b in range(1, 10)})
PAIRS = list(itertools.combinations_with_replacement(CARDS, 2))
RULEBOOK_DECK = (3, 3, 3, 4, 4, 4, 4, 4, 3, 3)


def deal(*lives, first=0, **options):
    """A match with these life cards, seat ``first`` to draw its two cards."""
    match = Match(GAME, explicit_chance=True, num_players=len(lives), **options)
    for cards in lives:
        play(match, f"+{cards}")
    if "first_player" not in options:
        match.resolve(first)
    return match


def play(match, *moves):
    for move in moves:
        if move.startswith("+"):
            for card in move[1:]:
                match.resolve(CARDS.index(card))
        else:
            match.act(move)


def legal(match):
    seat, n = match.to_act, match.num_players
    return [GAME.telling.action_text(action, seat, n) for action in match.legal_actions()]


def lie(match, cards, *choices):
    """The start player draws these cards, claims 81, is doubted and loses; then what it chooses."""
    play(match, f"+{cards}", "claim 81", "doubt", *choices)


def told(match, *kinds):
    """Events of these kinds so far."""
    return [event for event in match.events() if event["type"] in kinds]


def deck(**copies):
    """``deck(c2=3, L=1)``: so many copies of each card, none of the others."""
    return [copies.get(card if card == "L" else f"c{card}", 0) for card in CARDS]


# ---- the rulebook ------------------------------------------------------------------------------


def private(kind, seat, *cards):
    return {"type": kind, "seat": seat, "cards": list(cards), "private": [seat]}


def act(seat, action, *cards):
    event = {"type": "act", "seat": seat, "action": action}
    return {**event, "cards": list(cards), "private": [seat]} if cards else event


def test_the_rulebooks_example_to_the_letter():
    match = deal("38", "1L", "75")
    play(match, "+46", "claim 24")  # A
    play(match, "accept", "discard low", "+6", "claim 36")  # B
    play(match, "accept", "discard both", "+29", "claim 45", "+25")  # C
    play(match, "doubt")  # A: 18, not 45
    assert match.to_act == 2
    assert legal(match) == ["flip first", "flip second"]
    play(match, "flip first")
    assert match.to_act == 2
    assert legal(match) == ["start 2", "start 0", "start 1"]
    play(match, "start 2")
    assert match.events()[1:] == [
        private("lives", 0, 3, 8),
        private("lives", 1, 1, "L"),
        private("lives", 2, 7, 5),
        {"type": "round", "start": 0},
        private("draw", 0, 4, 6),
        act(0, "claim 24"),
        act(1, "accept"),
        private("look", 1, 4, 6),
        act(1, "discard low", 4),
        private("draw", 1, 6),
        act(1, "claim 36"),
        act(2, "accept"),
        private("look", 2, 6, 6),
        act(2, "discard both", 6, 6),
        private("draw", 2, 2, 9),
        act(2, "claim 45"),
        {"type": "reveal", "cards": [2, 5]},
        act(0, "doubt"),
        {"type": "show", "cards": [2, 9], "claim": 45, "truth": False, "loser": 2},
        act(2, "flip first"),
        {"type": "flip", "seat": 2, "card": 7},
        act(2, "start 2"),
        {"type": "round", "start": 2},
    ]
    view = match.view(0)
    assert [seat["lives"] for seat in view["seats"]] == [2, 2, 1]
    assert [seat["face_up"] for seat in view["seats"]] == [[], [], [7]]
    assert view["table"] == {"2": 2, "5": 1, "9": 1}
    assert view["discards"] == 3
    assert view["pile"] == 35 - 3 * 2 - 2 - 1 - 2 - 2


def test_the_deck_is_the_rulebooks():
    match = Match(GAME, num_players=6, explicit_chance=True)
    assert sum(RULEBOOK_DECK) == 35
    assert match.chance_outcomes() == [
        (rank, pytest.approx(copies / 35)) for rank, copies in enumerate(RULEBOOK_DECK)
    ]


def test_a_claim_is_not_lower_than_the_last_of_the_round():
    match = deal("38", "14")
    play(match, "+46", "claim 24", "accept", "discard low", "+3")
    assert legal(match) == [f"claim {number}" for number in PRODUCTS if number >= 24]
    play(match, "claim 24", "doubt")  # 18: a lie
    assert match.record.place[1] == 2


@pytest.mark.parametrize(
    ("cards", "claim", "answer", "loser"),
    [
        ("46", 24, "doubt", 1),
        ("38", 24, "doubt", 1),  # another pair of the same product is the truth as well
        ("46", 25, "doubt", 0),
        ("LL", 1, "doubt", 0),
        ("L9", 9, "doubt", 0),
        ("46", 24, "see 4 6", 0),
        ("46", 24, "see 3 8", 1),
        ("34", 12, "see 2 6", 1),
        ("46", 36, "see 4 6", 0),
        ("L9", 9, "see L 9", 0),
        ("L9", 9, "see 1 9", 1),
        ("64", 24, "see 4 6", 0),  # in whatever order they were drawn
    ],
)
def test_who_loses(cards, claim, answer, loser):
    match = deal("55", "77", "33")
    play(match, f"+{cards}", f"claim {claim}", answer)
    assert match.to_act == loser
    shown = told(match, "show")[-1]
    assert shown["loser"] == loser
    assert shown["truth"] == ("L" not in cards and int(cards[0]) * int(cards[1]) == claim)
    assert Counter(match.view(0)["table"]) == Counter(cards)


def test_two_cards_are_turned_up_only_after_both_were_discarded():
    match = deal("55", "77")
    play(match, "+12", "claim 2", "accept", "discard high", "+3", "claim 3")
    assert match.view(0)["table"] == {}
    play(match, "accept", "discard both", "+44", "claim 16")
    assert match.at_chance
    assert match.view(1)["table"] == {}
    play(match, "+8L")
    assert match.view(1)["table"] == {"L": 1, "8": 1}


# ---- K1 to K20 ---------------------------------------------------------------------------------


@pytest.mark.parametrize("n", range(2, 7))
def test_k1_two_to_six_players(n):
    view = Match(GAME, num_players=n, seed=n).view(0)
    assert [seat["lives"] for seat in view["seats"]] == [2] * n
    assert view["pile"] == 35 - 2 * n - 2


@pytest.mark.parametrize("n", [0, 1, 7, -2])
def test_k1_no_other_number_of_players(n):
    with pytest.raises(OptionError, match="num_players"):
        Match(GAME, num_players=n)


def test_k1_a_seat_plays_on_however_small_the_pile():
    match = deal("22", "22", copies=deck(c2=4, c3=1, c4=1))
    play(match, "+34", "claim 12")
    assert match.view(1)["pile"] == match.view(1)["discards"] == 0
    play(match, "accept", "discard high", "+4", "claim 12")
    assert legal(match)[:2] == ["accept", "doubt"]


def test_k2_the_first_start_player_is_drawn():
    match = Match(GAME, num_players=5, life_cards=0, explicit_chance=True)
    assert match.chance_outcomes() == [(seat, pytest.approx(0.2)) for seat in range(5)]
    starts = Counter(Match(GAME, num_players=3, seed=seed).to_act for seed in range(300))
    assert sorted(starts) == [0, 1, 2]
    assert min(starts.values()) > 60


@pytest.mark.parametrize("seat", range(3))
def test_k2_the_start_player_of_round_one_can_be_fixed(seat):
    starts = {Match(GAME, num_players=3, seed=s, first_player=seat).to_act for s in range(20)}
    assert starts == {seat}
    match = deal("38", "14", "55", first_player=seat)
    lie(match, "27", "flip first", f"start {(seat + 1) % 3}")
    assert [event["start"] for event in told(match, "round")] == [seat, (seat + 1) % 3]


def test_k3_the_loser_chooses_the_card_and_the_last_one_is_not_asked_for():
    match = deal("38", "14", "55")
    lie(match, "27", "flip second", "start 0")
    assert told(match, "flip") == [{"type": "flip", "seat": 0, "card": 8}]
    loser = match.view(1)["seats"][0]
    assert (loser["lives"], loser["face_up"]) == (1, [8])
    lie(match, "67")
    assert told(match, "flip")[-1] == {"type": "flip", "seat": 0, "card": 3}
    assert legal(match) == ["start 1", "start 2"]


def test_k4_an_eliminated_loser_names_one_of_the_living():
    match = deal("38", "14", "55", first=1)
    lie(match, "27", "flip first", "start 1")
    lie(match, "67")
    assert told(match, "out") == [{"type": "out", "seat": 1}]
    assert match.to_act == 1
    assert legal(match) == ["start 2", "start 0"]  # in the order they sit, from its left
    with pytest.raises(IllegalActionError):
        match.act("start 1")
    play(match, "start 2", "+66")
    assert match.to_act == 2


def test_k5_two_players_play_one_sudden_death_round():
    match = deal("38", "14")
    assert match.view(0)["sudden_death"]
    lie(match, "27")
    assert match.over
    assert list(match.returns) == [-1, 1]


def test_k5_the_last_two_with_different_lives_end_the_game_at_once():
    match = deal("38", "14", "55", first=1)
    lie(match, "12", "flip first", "start 2")
    lie(match, "67", "flip first", "start 2")
    assert not match.view(0)["sudden_death"]
    lie(match, "37")
    assert match.over
    assert list(match.record.lives[:3]) == [2, 1, 0]
    assert list(match.record.place[:3]) == [1, 2, 3]


@pytest.mark.parametrize("lives", [1, 2])
def test_k5_the_last_two_with_the_same_lives_play_on_and_the_next_loser_is_out(lives):
    match = deal("38", "14", "55", first=2)
    if lives == 1:
        lie(match, "16", "flip first", "start 1")
        lie(match, "12", "flip first", "start 0")
        lie(match, "23", "flip first", "start 2")
    else:
        lie(match, "16", "flip first", "start 2")
    lie(match, "37", "start 0")
    assert list(match.record.lives[:3]) == [lives, lives, 0]
    assert match.view(0)["sudden_death"]
    lie(match, "46")
    assert match.over
    assert list(match.record.place[:3]) == [2, 1, 3]


def test_k5_duel_lives():
    match = deal("38", "14", duel_lives=True)
    assert not match.view(0)["sudden_death"]
    lie(match, "27", "flip first", "start 0")
    assert list(match.record.lives[:2]) == [1, 2]  # different, and the game goes on
    lie(match, "66")
    assert match.over
    assert [event["card"] for event in told(match, "flip")] == [3, 8]
    assert list(match.returns) == [-1, 1]


@pytest.mark.parametrize("n", range(3, 7))
def test_k5_duel_lives_is_for_two(n):
    with pytest.raises(OptionError, match="duel_lives"):
        Match(GAME, num_players=n, duel_lives=True)


SIX = {"copies": deck(c1=2, c2=3, c3=1), "life_cards": 0, "duel_lives": True}


def test_k6_the_reshuffle_comes_when_a_card_is_drawn_from_an_empty_pile():
    match = deal("", "", **SIX)
    play(match, "+23", "claim 6", "accept", "discard both", "+21", "claim 6", "+12")
    assert (match.view(0)["pile"], match.view(0)["discards"]) == (0, 2)
    assert told(match, "reshuffle") == []  # nobody needs a card yet
    play(match, "accept", "discard low")
    assert told(match, "reshuffle") == [{"type": "reshuffle", "cards": 3}]
    assert match.chance_outcomes() == [(k, pytest.approx(1 / 3)) for k in (1, 2, 3)]


def test_k6_a_reveal_turns_up_as_many_as_there_are():
    match = deal("", "", copies=deck(c2=1, c3=1, c4=3), life_cards=0, duel_lives=True)
    play(match, "+23", "claim 6", "accept", "discard both", "+44", "claim 16")
    play(match, "+4", "+2")  # 4 from the pile, 2 of the two reshuffled discards
    play(match, "accept", "discard both", "+34", "claim 16", "+4", "accept", "discard both")
    play(match, "+34", "claim 16")
    assert not match.at_chance  # neither pile nor discards hold a card
    assert [event["cards"] for event in told(match, "reveal")] == [[4], [2], [4]]
    assert match.to_act == 0


def test_k6_a_round_without_two_cards_takes_the_table_in_but_no_life_card():
    match = deal("3", "9", "9", copies=deck(c2=1, c3=1, c4=1, c9=2), life_cards=1)
    lie(match, "24", "start 0")
    assert told(match, "table_recycled") == [{"type": "table_recycled", "cards": 2}]
    lie(match, "24", "start 1")
    assert told(match, "flip") == [{"type": "flip", "seat": 0, "card": 3}]
    assert [outcome for outcome, _ in match.chance_outcomes()] == [2, 4]
    play(match, "+42")
    assert match.view(1)["table"] == {}
    assert match.view(1)["seats"][0]["face_up"] == [3]


def test_k6_nothing_else_takes_a_card_from_the_table():
    match = deal("", "", **SIX)
    lie(match, "23", "start 1")
    lie(match, "12", "start 0", "+12")
    assert match.view(0)["table"] == {"1": 1, "2": 2, "3": 1}
    assert told(match, "table_recycled", "reshuffle") == []


def test_k7_a_claim_is_a_product_of_the_times_table_and_the_first_is_free():
    match = deal("38", "14")
    play(match, "+LL")
    assert legal(match) == [f"claim {number}" for number in PRODUCTS]
    assert len(PRODUCTS) == 36
    with pytest.raises(ValueError, match="claim 11"):
        match.act("claim 11")
    match = deal("38", "14", "55")
    lie(match, "27", "flip first", "start 0", "+24")
    assert legal(match) == [f"claim {number}" for number in PRODUCTS]  # of every round


def test_k7_claims():
    match = deal("38", "14", claims=(6, 12, 20))
    play(match, "+27")
    assert legal(match) == ["claim 6", "claim 12", "claim 20"]
    play(match, "claim 12", "accept", "discard low", "+5")
    assert legal(match) == ["claim 12", "claim 20"]


def test_k7_max_accepts_is_for_each_round():
    match = deal("38", "14", "55", max_accepts=1)
    play(match, "+27", "claim 14")
    assert legal(match)[:2] == ["accept", "doubt"]
    play(match, "accept", "discard low", "+5", "claim 81")
    assert legal(match) == ["doubt", *(f"see {a} {b}" for a, b in PAIRS)]
    play(match, "doubt", "flip first", "start 0", "+44", "claim 16")
    assert legal(match)[0] == "accept"
    assert "accept" not in legal_after_one_claim(max_accepts=0)


def legal_after_one_claim(**options):
    match = deal("38", "14", **options)
    play(match, "+34", "claim 12")
    return legal(match)


def test_k7_copies():
    match = deal("23", "23", copies=deck(L=1, c2=3, c3=3))
    assert match.view(0)["pile"] == 3
    assert match.chance_outcomes() == [(k, pytest.approx(1 / 3)) for k in (0, 2, 3)]


@pytest.mark.parametrize("life_cards", [0, 1])
def test_k7_lives_without_a_card_are_counters_and_go_first(life_cards):
    lives = ["3", "1", "5"] if life_cards else ["", "", ""]
    match = deal(*lives, life_cards=life_cards)
    assert [seat["lives"] for seat in match.view(0)["seats"]] == [2, 2, 2]
    lie(match, "27", "start 0")  # no flip is asked for
    assert told(match, "flip") == []
    assert match.record.lives[0] == 1
    lie(match, "27", "start 1")
    assert len(told(match, "flip")) == life_cards
    assert told(match, "out") == [{"type": "out", "seat": 0}]


@pytest.mark.parametrize("preset", ["tiny", "small", "medium"])
def test_k7_presets_play_to_an_end_and_can_be_changed(preset):
    assert set(GAME.presets) == {"tiny", "small", "medium"}
    for seed in range(20):
        match = Match(GAME, preset=preset, seed=seed)
        rng = np.random.default_rng(seed)
        while not match.over:
            match.step(rng.choice(match.legal_actions()))
        assert not match.record.truncated
    changed = Match(GAME, preset=preset, max_accepts=2).options
    assert (changed.max_accepts, changed.copies) == (2, GAME.presets[preset]["copies"])


def test_k8_see_through_may_name_any_of_the_55_pairs():
    assert len(PAIRS) == 55
    named = [f"see {a} {b}" for a, b in PAIRS]
    assert named[:3] == ["see L L", "see L 1", "see L 2"]
    assert legal_after_one_claim() == ["accept", "doubt", *named]


def test_k8_consistent_masks_all_but_the_claims_product_and_keeps_the_ids():
    options = {"see_through": "consistent"}
    assert legal_after_one_claim(**options) == ["accept", "doubt", "see 2 6", "see 3 4"]
    free, masked = deal("38", "14"), deal("38", "14", **options)
    for match in (free, masked):
        play(match, "+34", "claim 12", "see 3 4")
        assert match.over
    assert free.moves == masked.moves


def test_k9_of_two_equal_cards_only_the_first_can_be_discarded():
    match = deal("38", "14")
    play(match, "+66", "claim 36", "accept")
    assert legal(match) == ["discard low", "discard both"]
    play(match, "discard low")
    assert told(match, "act")[-1]["cards"] == [6]
    match = deal("38", "14")
    play(match, "+67", "claim 42", "accept")
    assert legal(match) == ["discard low", "discard high", "discard both"]


@pytest.mark.parametrize(("action", "cards"), [("low", "3"), ("high", "7"), ("both", "37")])
def test_k9_low_and_high_are_by_rank(action, cards):
    match = deal("38", "14")
    play(match, "+73", "claim 21", "accept", f"discard {action}")
    assert match.chance_outcomes()[0][0] == 0  # a card must be drawn
    assert match.view(1)["discarded_cards"] == [int(card) for card in cards]


def test_k10_the_pair_goes_to_the_next_living_seat_on_the_left():
    match = deal("38", "14", "55", "66", first=1)
    lie(match, "27", "flip first", "start 1")
    lie(match, "67", "start 0")
    responders = []
    play(match, "+24", "claim 8")
    for card in "13L39":
        responders.append(match.to_act)
        play(match, "accept", "discard high", f"+{card}", "claim 81")
    assert responders == [2, 3, 0, 2, 3]
    assert len(match.view(0)["seats"]) == 4  # seats never move


def test_k11_a_single_legal_action_is_still_asked_for():
    match = deal("38", "14")
    play(match, "+27", "claim 81", "accept", "discard low", "+5")
    assert match.to_act == 1
    assert legal(match) == ["claim 81"]


def test_k12_max_decisions_truncates():
    assert Match(GAME).options.max_decisions == 1000
    match = deal("38", "14", "55", first=2, max_decisions=9)
    lie(match, "16", "flip first", "start 2")
    lie(match, "37", "start 0")  # seven decisions: two claims, doubts and starts, one flip
    play(match, "+46", "claim 24")
    assert not match.over
    play(match, "doubt")
    assert match.over  # the ninth ended it itself: sudden death
    assert not match.record.truncated

    match = deal("38", "14", "55", first=2, max_decisions=8)
    lie(match, "16", "flip first", "start 2")
    lie(match, "37", "start 0")
    play(match, "+46", "claim 24")
    assert match.over
    assert match.record.truncated
    assert list(match.record.place[:3]) == [1, 1, 3]
    assert told(match, "end")[-1]["truncated"]


def test_k13_the_reward_comes_when_a_players_fate_is_known():
    match = deal("38", "14", "55", "66", first=3)
    lie(match, "27", "flip first", "start 3")
    assert not match.record.rewards.any()
    lie(match, "67")
    assert list(match.record.rewards[:4]) == [0, 0, 0, pytest.approx(-1 / 3)]
    play(match, "start 2")
    assert not match.record.rewards.any()  # once
    lie(match, "24", "flip first", "start 2")
    lie(match, "13", "start 0")
    lie(match, "27")
    assert match.over
    assert list(match.record.rewards[:4]) == [pytest.approx(-1 / 3), 1, 0, 0]
    assert list(match.returns) == pytest.approx([-1 / 3, 1, -1 / 3, -1 / 3])


@pytest.mark.parametrize(("n", "survivors"), [(2, 2), (3, 3), (3, 2), (6, 6), (6, 5)])
def test_k13_survivors_of_a_truncation_share(n, survivors):
    lives = ["55", "66", "77", "44", "33", "28"][:n]
    match = deal(*lives, max_decisions=1 if n == survivors else 8)
    if n > survivors:
        lie(match, "27", "flip first", "start 0")
        lie(match, "67", "start 1", "+34", "claim 12")
    else:
        play(match, "+27", "claim 14")
    share = n / (survivors * (n - 1)) - 1 / (n - 1)
    lost = [-1 / (n - 1)] * (n - survivors)
    assert match.record.truncated
    assert list(match.returns) == pytest.approx([*lost, *[share] * survivors])
    assert sum(match.returns) == pytest.approx(0)


def test_k13_placement_is_linear_from_first_to_first_out():
    match = deal("38", "14", "55", "66", first=3, reward="placement")
    lie(match, "27", "flip first", "start 3")
    lie(match, "67", "start 2")
    lie(match, "24", "flip first", "start 2")
    lie(match, "13", "start 0")
    lie(match, "27")
    assert list(match.returns) == pytest.approx([1 / 3, 1, -1 / 3, -1])


def test_k14_no_table_talk():
    words = Counter(text.split()[0] for text in GAME.layout.action_texts)
    assert words == {
        "accept": 1,
        "doubt": 1,
        "see": 55,
        "discard": 3,
        "claim": 36,
        "flip": 2,
        "start": 6,
    }


def kinds_since_show(match):
    kinds = [event["type"] for event in match.events()]
    return kinds[len(kinds) - kinds[::-1].index("show") - 1 :]


def test_k15_the_order_after_a_loss():
    match = deal("38", "14", "55", first=2)
    lie(match, "16", "flip first", "start 2")
    assert kinds_since_show(match) == ["show", "act", "flip", "act", "round"]
    lie(match, "37", "start 0")
    assert kinds_since_show(match) == ["show", "flip", "out", "act", "round"]
    lie(match, "46")
    assert kinds_since_show(match) == ["show", "out", "end"]
    match = deal("38", "14", "55", first=1)
    lie(match, "12", "flip first", "start 2")
    lie(match, "67", "flip first", "start 2")
    lie(match, "37")
    assert kinds_since_show(match) == ["show", "flip", "out", "end"]  # no start player is named


def test_k16_in_sudden_death_nothing_is_flipped_and_nobody_is_asked():
    match = deal("38", "14")
    lie(match, "27")
    assert kinds_since_show(match) == ["show", "out", "end"]
    assert match.to_act == -1
    assert match.view(1)["seats"][0]["face_up"] == []


@pytest.mark.parametrize(("lives", "flip", "card"), [("83", "first", 8), ("83", "second", 3)])
def test_k17_flips_are_in_the_order_dealt(lives, flip, card):
    match = deal(lives, "14", "55")
    assert match.view(0)["lives"] == [8, 3]
    lie(match, "27", f"flip {flip}")
    assert told(match, "flip") == [{"type": "flip", "seat": 0, "card": card}]


def test_k17_both_flips_are_legal_even_if_equal():
    match = deal("33", "14", "55")
    lie(match, "27")
    assert legal(match) == ["flip first", "flip second"]


def test_k17_in_a_named_pair_the_liar_is_the_lowest():
    match = deal("38", "14")
    play(match, "+3L", "claim 12")
    for text in ("see 3 L", "see 4 3"):
        with pytest.raises(ValueError, match=text):
            match.act(text)
    play(match, "see L 3")
    assert told(match, "show")[0]["cards"] == ["L", 3]
    assert match.record.place[0] == 2


def test_k18_a_reshuffle_takes_the_cards_just_discarded_and_splits_draw_and_reveal():
    match = deal("", "", copies=deck(c1=1, c2=2, c3=1, c4=1), life_cards=0, duel_lives=True)
    play(match, "+23", "claim 6", "accept", "discard both", "+12", "claim 6", "+4")
    assert told(match, "reshuffle") == [{"type": "reshuffle", "cards": 2}]
    play(match, "+3", "accept", "discard both", "+21", "claim 6", "+2", "doubt")
    kinds = [e["type"] for e in match.events() if e["type"] in ("draw", "reveal", "reshuffle")]
    # the second draw: one card, the reshuffle of the two just discarded, one of those
    assert kinds == [
        *("draw", "draw", "reveal", "reshuffle", "reveal"),
        *("draw", "reshuffle", "draw", "reveal"),
    ]
    assert [event["cards"] for event in told(match, "draw")[2:]] == [[2], [1]]
    assert told(match, "reshuffle")[1] == {"type": "reshuffle", "cards": 2}


def test_k18_an_empty_reveal_writes_no_event():
    match = deal("", "", copies=deck(c2=1, c3=1), life_cards=0)
    play(match, "+23", "claim 6", "accept", "discard both", "+32", "claim 6")
    assert told(match, "reveal") == []
    assert match.to_act == 0


@pytest.mark.parametrize("discarded", [0, 1])
def test_k18_under_two_cards_at_a_rounds_start_everything_is_one_pile(discarded):
    match = deal("", "", copies=deck(c2=1, c3=1, c4=1), life_cards=0, duel_lives=True)
    play(match, "+23", "claim 6")
    if discarded:
        play(match, "accept", "discard low", "+4", "claim 6")
    play(match, "doubt")
    play(match, legal(match)[0])
    assert told(match, "table_recycled") == [{"type": "table_recycled", "cards": 2}]
    assert told(match, "reshuffle") == []
    assert match.chance_outcomes() == [(k, pytest.approx(1 / 3)) for k in (2, 3, 4)]


def test_k18_a_pile_and_discards_of_two_are_enough_for_a_round():
    match = deal("", "", copies=deck(c2=1, c3=1, c4=2), life_cards=0, duel_lives=True)
    play(match, "+23", "claim 6", "accept", "discard low", "+4", "claim 6", "doubt")
    assert (match.view(0)["pile"], match.view(0)["discards"]) == (1, 1)
    play(match, "start 0" if match.to_act == 0 else "start 1", "+42")
    assert told(match, "table_recycled") == []
    assert told(match, "reshuffle") == [{"type": "reshuffle", "cards": 1}]


def test_k18_two_cards_are_enough_for_a_round():
    match = deal("", "", copies=deck(c2=1, c3=1, c4=2), life_cards=0, duel_lives=True)
    lie(match, "23", "start 0", "+44")
    assert told(match, "table_recycled") == []


@pytest.mark.parametrize(
    ("claim", "answer", "claimer", "caller"),
    [
        (24, "doubt", "true_claims", "doubts_wrong"),
        (25, "doubt", "caught_lies", "doubts_right"),
        (24, "see 4 6", "true_claims", "sees_right"),
        (25, "see 4 6", "caught_lies", "sees_right"),
        (24, "see 3 8", "true_claims", "sees_wrong"),
        (25, "see 5 5", "caught_lies", "sees_wrong"),
    ],
)
def test_k19_public_records(claim, answer, claimer, caller):
    match = deal("38", "14", "55")
    play(match, "+12", "claim 2", "accept", "discard both", "+46", f"claim {claim}", "+77", answer)
    records = [seat["record"] for seat in match.view(0)["seats"]]
    expected = [{}, {claimer: 1, "accepts": 1}, {caller: 1}]
    assert [{k: v for k, v in record.items() if v} for record in records] == expected


def test_k20_rewards_sum_to_zero_over_the_game_not_each_step():
    match = deal("38", "14", "55", first=2, reward="placement")
    lie(match, "16", "flip first", "start 2")
    lie(match, "37")
    assert sum(match.record.rewards) == -1
    play(match, "start 0")
    lie(match, "46")
    assert list(match.returns) == [0, 1, -1]


def test_k20_placement_survivors_share_the_average_of_the_top_places():
    match = deal("38", "14", "55", "66", first=3, reward="placement", max_decisions=7)
    lie(match, "27", "flip first", "start 3")
    lie(match, "67", "start 2", "+34")
    assert match.record.truncated
    assert list(match.returns) == pytest.approx([1 / 3, 1 / 3, 1 / 3, -1])


def test_k20_unequal_lives_make_the_other_second():
    match = deal("38", "14", "55", first=1, reward="placement")
    lie(match, "12", "flip first", "start 2")
    lie(match, "67", "flip first", "start 2")
    lie(match, "37")
    assert list(match.returns) == [1, 0, -1]
    assert told(match, "out") == [{"type": "out", "seat": 2}]


# ---- options -----------------------------------------------------------------------------------

WRONG = {
    "num_players": [1, 7, 2.0, "3", None, True],
    "first_player": [-1, 4, "0", 1.0, True],
    "duel_lives": [1, None, "yes", True],  # True with four players
    "see_through": ["none", None, 1, ["any"]],
    "reward": ["money", None, True],
    "max_decisions": [0, -1, 1.5, None, True, 10**7],
    "claims": [(), [11], (0,), (6, 6), (12, 6), (6.0,), "36", 36, {6}],
    "max_accepts": [-1, 1.0, "2", True],
    "copies": [(3,) * 9, (3,) * 11, (5, *(3,) * 9), (-1, *(3,) * 9), (3.0,) * 10, 35, None],
    "life_cards": [-1, 3, None, True],
    "preset": ["huge", 1, ["tiny"]],
    "jokers": [2],
}


@pytest.mark.parametrize(("name", "value"), [(k, v) for k in WRONG for v in WRONG[k]], ids=str)
def test_a_wrong_option_is_refused_by_name_with_what_is_allowed(name, value):
    with pytest.raises(OptionError) as caught:
        Match(GAME, **{name: value})
    error = caught.value
    assert error.name == name
    assert repr(name) in str(error)
    assert error.allowed
    assert str(error).endswith(error.allowed)


def test_a_deck_must_give_lives_to_all_and_a_pair():
    copies = deck(c1=4, c2=4, c3=1)
    with pytest.raises(OptionError, match="at least 10 cards"):
        Match(GAME, num_players=4, copies=copies)
    assert Match(GAME, num_players=3, copies=copies, seed=0).view(0)["pile"] == 1


def test_lists_and_numpys_integers_are_options_too():
    one = Match(GAME, num_players=np.int64(3), copies=[np.int8(3)] * 10, claims=[6, 8], seed=1)
    two = Match(GAME, num_players=3, copies=(3,) * 10, claims=(6, 8), seed=1)
    assert one.options == two.options
    assert one.events() == two.events()
