"""The arena: what is planned is played, seats are balanced, chance is out of the bots' reach, and
the intervals mean what they say."""

import json
import random
import time
from collections import Counter
from math import comb

import numpy as np
import pytest

import evaluate
from kuku_env.arena import (
    ArenaError,
    action_shares,
    balanced_teams,
    clustered_share,
    field_teams,
    head_to_head,
    make_plan,
    measure_shares,
    play_match,
    self_play,
    shares_by_seat,
    standings,
)
from kuku_env.arena.plan import dice
from kuku_env.arena.report import match_report
from kuku_env.bots import BotError, make_policy
from kuku_env.core.chance import choose
from kuku_env.core.game import OptionError
from kuku_env.envs.match import Match

GAME = "kuku-doubt"
SIZES = [(bots, players) for bots in range(1, 8) for players in range(2, 7)]


def bots(*names):
    return [make_policy(name, GAME) for name in names]


def plan_for(num_bots, players, games, seed=0):
    return make_plan(balanced_teams(num_bots, players), games, seed)


def cycle(num_bots, players):
    return comb(num_bots, players % num_bots) * players


class Answers:
    """A bot that gives what a function makes of the mask."""

    name = "answers"

    def __init__(self, answer):
        self.answer = answer

    def probabilities(self, observation, action_mask):
        return self.answer(observation, action_mask)


def uniform(_, mask):
    return mask.astype(np.float32) / mask.sum(axis=1, keepdims=True)


def same(a, b):
    for field in ("rewards", "decisions", "truncated", "deal_seeds"):
        np.testing.assert_array_equal(getattr(a, field), getattr(b, field))
    np.testing.assert_array_equal(a.style.chosen, b.style.chosen)
    np.testing.assert_array_equal(a.style.possible, b.style.possible)


# ---------------------------------------------------------------- plans


@pytest.mark.parametrize(("num_bots", "players"), SIZES)
def test_every_bot_holds_each_seat_equally_often(num_bots, players):
    for games in (cycle(num_bots, players), 3 * cycle(num_bots, players) + 1):
        plan = plan_for(num_bots, players, games)
        held = [np.bincount(plan.line_ups[:, seat], minlength=num_bots) for seat in range(players)]
        assert np.ptp(held) == 0
        assert games <= plan.games < games + cycle(num_bots, players)


@pytest.mark.parametrize(("num_bots", "players"), SIZES)
def test_no_deal_is_seated_alike_twice_and_all_rotations_come(num_bots, players):
    plan = plan_for(num_bots, players, 2 * cycle(num_bots, players))
    seated = set(zip(plan.deal.tolist(), map(tuple, plan.line_ups.tolist()), strict=True))
    assert len(seated) == plan.games
    for deal, line_up in seated:
        assert (deal, line_up[1:] + line_up[:1]) in seated


def test_four_bots_at_two_players_are_all_pairs_both_ways():
    plan = plan_for(4, 2, 1200)
    counts = Counter(map(tuple, plan.line_ups.tolist()))
    assert counts == {(a, b): 100 for a in range(4) for b in range(4) if a != b}


def test_three_bots_at_four_players_double_each_in_turn():
    assert balanced_teams(3, 4) == [(0, 0, 1, 2), (0, 1, 1, 2), (0, 1, 2, 2)]


def test_neighbours_vary():
    plan = plan_for(4, 4, 400)
    left_of_0 = [line_up[(list(line_up).index(0) + 1) % 4] for line_up in plan.line_ups]
    assert min(np.bincount(left_of_0)[1:]) > 50


def test_a_longer_plan_begins_with_the_shorter():
    short, long = plan_for(3, 4, 120), plan_for(3, 4, 1200)
    np.testing.assert_array_equal(short.line_ups, long.line_ups[: short.games])
    for ours, theirs in zip(short.chance(), long.chance(), strict=True):
        np.testing.assert_array_equal(ours, theirs[: len(ours)])


def test_deals_and_dice_differ_between_games():
    seeds, keys = plan_for(3, 4, 3000).chance()
    assert len(set(seeds.tolist())) == len(seeds)
    assert len(set(keys.tolist())) == len(keys)
    assert ((seeds >= 0) & (seeds < 2**53)).all()
    assert not np.intersect1d(seeds, plan_for(3, 4, 3000, seed=1).chance()[0]).size


def test_dice_are_even_and_depend_on_their_arguments_alone():
    keys = plan_for(1, 2, 200).chance()[1]
    rolls = np.concatenate([dice(keys, np.full(len(keys), t)) for t in range(500)])
    assert rolls.min() >= 0
    assert rolls.max() < 1
    counts = np.histogram(rolls, 50, (0, 1))[0]
    chi2 = ((counts - counts.mean()) ** 2 / counts.mean()).sum()
    assert 20 < chi2 < 90  # 49 degrees of freedom
    assert dice(keys[3:4], np.array([7]))[0] == rolls[7 * len(keys) + 3]


def test_choice_never_falls_on_an_impossible_action():
    chances = np.array([[0, 0.25, 0, 0.75, 0]] * 4, np.float32)
    rolls = np.array([0.0, 0.2499, 0.25, 1 - 2.0**-52])
    assert choose(chances, rolls).tolist() == [1, 1, 3, 3]


# ---------------------------------------------------------------- matches


def test_results_are_the_same_for_any_batch_and_threads():
    three = bots("scripted-normal", "scripted-easy", "random")
    reference = play_match(GAME, three, 4, 120, seed=5, threads=1, batch_size=120)
    for threads, batch_size in ((1, 1), (2, 7), (3, 1000), (500, 1)):
        same(reference, play_match(GAME, three, 4, 120, 5, threads=threads, batch_size=batch_size))


def test_each_game_is_that_of_its_deal_and_dice_played_alone():
    two = bots("scripted-easy", "random")
    result = play_match(GAME, two, 3, 60, seed=9)
    keys = result.plan.chance()[1]
    for game in range(result.plan.games):
        deal = int(result.deal_seeds[result.plan.deal[game]])
        match, count = Match(GAME, seed=deal, num_players=3), 0
        while not match.over:
            seat = match.to_act
            rows = [part[None] for part in match.observe(seat)]
            chances = two[result.plan.line_ups[game, seat]].probabilities(*rows)
            match.step(int(choose(chances, dice(keys[game : game + 1], np.array([count])))[0]))
            count += 1
        np.testing.assert_allclose(match.returns, result.rewards[game], atol=1e-6)
        assert count == result.decisions[game]


def draw_and_seed():
    """Use up, and set, everybody's random numbers."""
    np.random.seed(1)  # noqa: NPY002
    random.seed(1)
    np.random.default_rng().random(99)


KEPT = []
MISCHIEF = {
    "draws random numbers": lambda observation, mask: draw_and_seed(),
    "spoils what it was given": lambda observation, mask: (observation.fill(0), mask.fill(1)),
    "keeps everything": lambda observation, mask: KEPT.append((observation, mask)),
    "stalls": lambda observation, mask: time.sleep(0.01),
    "answers at once": lambda observation, mask: None,
}


@pytest.mark.parametrize("mischief", MISCHIEF.values(), ids=MISCHIEF)
def test_a_bot_cannot_touch_deals_or_games_of_others(mischief):
    def meddle(observation, mask):
        answer = uniform(observation, mask)
        mischief(observation, mask)
        return answer

    honest = bots("scripted-easy", "random", "scripted-normal", "random")
    a = play_match(GAME, honest, 2, 240, seed=3)
    b = play_match(GAME, [*honest[:3], Answers(meddle)], 2, 240, seed=3)
    same(a, b)  # the meddler plays at random too, and gained nothing
    c = play_match(GAME, [*honest[:3], *bots("scripted-normal")], 2, 240, seed=3)
    np.testing.assert_array_equal(a.deal_seeds, c.deal_seeds)
    np.testing.assert_array_equal(a.plan.line_ups, c.plan.line_ups)
    others = (a.plan.line_ups != 3).all(axis=1)
    np.testing.assert_array_equal(a.rewards[others], c.rewards[others])
    assert (a.rewards[~others] != c.rewards[~others]).any()


def test_stronger_scripts_win_more():
    result = play_match(GAME, bots("scripted-normal", "scripted-easy", "random"), 4, 3000, seed=1)
    normal, easy, random = (standing.share for standing in standings(result))
    assert normal.low > easy.high
    assert easy.low > random.high


@pytest.mark.parametrize("players", [2, 4])
def test_equal_bots_come_out_even(players):
    """In nineteen of twenty matches, for intervals of 95 %."""
    even, level = [], []
    for seed in range(40):
        result = play_match(GAME, bots("random", "random", "random"), players, 96, seed)
        assert result.labels == ("random #1", "random #2", "random #3")
        rows, against = standings(result), head_to_head(result)
        even += [row.share.low < 1 / players < row.share.high for row in rows]
        level += [share.low < 0.5 < share.high for row in against for share in row if share]
        assert [row[i] for i, row in enumerate(against)] == [None] * 3
        assert sum(row.wins for row in rows) == pytest.approx(result.plan.games)
        assert rows[0].times_fair == pytest.approx(rows[0].share.value * players)
    assert np.mean(even) > 0.9
    assert np.mean(level) > 0.9


def test_head_to_head_of_two_players_is_the_share_of_games_won():
    result = play_match(GAME, bots("scripted-easy", "random", "random"), 2, 300, seed=4)
    seats, wins = result.plan.line_ups, result.wins
    met = (seats == 0).any(axis=1) & (seats == 1).any(axis=1)
    won = wins[met][seats[met] == 0].mean()
    assert head_to_head(result)[0][1].value == pytest.approx(won)
    assert head_to_head(result)[1][0].value == pytest.approx(1 - won)


def test_survivors_of_a_truncated_game_share_the_win():
    result = play_match(GAME, bots("random", "scripted-easy"), 4, 40, max_decisions=1)
    assert result.truncated.all()
    np.testing.assert_allclose(result.wins, 0.25)


def test_style_counts_every_decision():
    result = play_match(GAME, bots("scripted-easy", "random"), 3, 90, seed=1)
    style = result.style
    assert style.decisions.sum() == result.decisions.sum() == style.chosen.sum()
    assert (style.chosen <= style.possible).all()
    rates = dict(zip(style.blocks, style.rates()[1], strict=True))
    assert rates["claim"] == 1  # whoever may claim must
    assert 0 < rates["accept"] < 0.5 < rates["see"]  # 1 accept, 1 doubt, 55 pairs
    assert not style.contested()[style.blocks.index("claim")]


def test_self_play_gives_each_game_a_deal_and_tells_the_acceptance_rate():
    easy, random = (self_play(GAME, bot, 4, 400) for bot in bots("scripted-easy", "random"))
    assert easy.plan.games == easy.plan.num_deals == 400
    accept = easy.style.blocks.index("accept")
    assert easy.style.rates()[0, accept] > random.style.rates()[0, accept] > 0


@pytest.mark.parametrize(("challengers", "field", "players"), [(1, 1, 4), (2, 3, 2), (2, 2, 4)])
def test_challengers_meet_the_field_and_not_each_other(challengers, field, players):
    teams = field_teams(challengers, field, players)
    plan = make_plan(teams, 600, 0)
    sits = plan.line_ups < challengers
    assert (sits.sum(axis=1) == 1).all()
    held = np.bincount(plan.line_ups.ravel(), minlength=challengers + field)
    assert np.ptp(held[:challengers]) == np.ptp(held[challengers:]) == 0
    with pytest.raises(ArenaError, match="at least one challenger"):
        field_teams(0, field, players)
    with pytest.raises(ArenaError, match="at least 2 players"):
        field_teams(challengers, field, 1)


def test_public_counts_tell_of_style():
    result = play_match(GAME, bots("scripted-easy", "random"), 3, 90, seed=1)
    lies, doubts, _ = (column[0] for column in zip(*measure_shares(result), strict=True))
    assert 0 < lies.value < measure_shares(result)[1][0].value  # who claims at random lies most
    assert doubts.low <= doubts.value <= doubts.high
    rates = result.style.rates()
    for bot, row in enumerate(action_shares(result)):
        for k, share in enumerate(row):
            assert share is None or share.value == pytest.approx(rates[bot, k])
    counted = result.tallies.sum(axis=(0, 1))
    took = result.chosen.sum(axis=(0, 1))[result.style.blocks.index("accept")]
    assert counted[list(result.game.tallies).index("accepts")] == took


def test_shares_by_seat_are_those_of_the_bot():
    result = play_match(GAME, bots("scripted-easy", "random"), 2, 200, seed=1)
    for bot, row in enumerate(shares_by_seat(result)):
        mean = np.mean([share.value for share in row])
        assert mean == pytest.approx(standings(result)[bot].share.value)


def test_one_against_a_field_needs_only_its_teams():
    result = play_match(GAME, bots("scripted-easy", "random"), 4, 40, teams=[(0, 1, 1, 1)])
    assert np.bincount(result.plan.line_ups.ravel()).tolist() == [40, 120]
    assert standings(result)[0].share.low > 0.25


# ---------------------------------------------------------------- intervals


@pytest.mark.parametrize(("p", "deals"), [(0.5, 400), (0.25, 30), (0.03, 300), (0.9, 60)])
def test_intervals_hold_the_truth_nineteen_times_in_twenty(p, deals):
    """Games of a deal share its luck: a chance is drawn for each deal, of two or four games."""
    rng, trials = np.random.default_rng(0), 1000
    luck = rng.beta(3 * p, 3 * (1 - p), (trials, deals))
    games = rng.choice([2, 4], (trials, deals))
    wins = rng.binomial(games, luck)
    found = [clustered_share(*row) for row in zip(wins, games, strict=True)]
    held = np.mean([share.low <= p <= share.high for share in found])
    assert 0.93 < held < 0.98


def test_shared_deals_narrow_the_interval_and_shared_luck_widens_it():
    even = np.tile([1, 1], 50)
    lucky = np.tile([2, 0], 50)
    narrow, wide = (clustered_share(wins, np.full(100, 2)) for wins in (even, lucky))
    assert 0 < narrow.high - narrow.low < 0.03
    assert 0.15 < wide.high - wide.low < 0.25


def test_one_sided_results_stay_bounded():
    share = clustered_share(np.full(50, 4), np.full(50, 4))
    assert share.value == share.high == 1
    assert 0.9 < share.low < 0.95
    assert clustered_share([1.0], [2.0]).low == 0  # one deal says nothing
    with pytest.raises(ValueError, match="part and whole"):
        clustered_share([3.0], [2.0])


# ---------------------------------------------------------------- wrong input


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"games": 11}, ArenaError, "at least 12, given 11"),
        ({"seed": -1}, ArenaError, "seed must be .* at least 0, given -1"),
        ({"threads": 0}, ArenaError, "threads must be at least 1, given 0"),
        ({"batch_size": 0}, ArenaError, "batch_size must be at least 1, given 0"),
        ({"num_players": 7}, OptionError, "'num_players' was given 7; allowed: .* 2 to 6"),
        ({"see_through": "no"}, OptionError, "'see_through' was given 'no'"),
        ({"labels": ["a", "b", "a"]}, ArenaError, "3 different names"),
        ({"teams": [(0, 1, 2, 3)]}, ArenaError, "4 numbers of bots from 0 to 2"),
        ({"teams": [(0, 1, 1, 1)]}, ArenaError, r"\[2\] are in none"),
        ({"bots": []}, ArenaError, "at least one of bots"),
    ],
)
def test_wrong_arguments_are_named(changes, error, message):
    given = {"bots": bots("random", "random", "random"), "num_players": 4, "games": 24, **changes}
    with pytest.raises(error, match=message):
        play_match(GAME, **given)


@pytest.mark.parametrize(
    "answer",
    [
        lambda _, mask: np.full(mask.shape, 1 / mask.shape[1], np.float32),
        lambda o, mask: uniform(o, mask) * np.nan,
        lambda o, mask: uniform(o, mask) * 2,
        lambda o, mask: uniform(o, mask)[:, :-1],
        lambda _, mask: mask.argmax(axis=1),
    ],
)
def test_a_bot_that_gives_no_probabilities_is_named(answer):
    with pytest.raises(ArenaError, match="answers must give"):
        play_match(GAME, [Answers(answer), *bots("random")], 2, 400, threads=2)


def test_a_bot_that_is_not_meant_for_the_table_is_refused():
    def accepts(options):
        if options.num_players > 2:
            raise BotError(f"not at {options.num_players}")

    duellist = Answers(uniform)
    duellist.accepts = accepts
    play_match(GAME, [duellist, *bots("random")], 2, 10)
    with pytest.raises(BotError, match="not at 3"):
        play_match(GAME, [duellist, *bots("random")], 3, 10)


def test_an_error_of_a_bot_ends_the_match():
    with pytest.raises(ZeroDivisionError):
        play_match(GAME, [Answers(lambda _, mask: 1 / 0), *bots("random")], 2, 400, threads=2)


# ---------------------------------------------------------------- evaluate.py


def run(monkeypatch, capsys, *arguments):
    monkeypatch.setattr("sys.argv", ["evaluate.py", *map(str, arguments)])
    code = evaluate.main()
    return code, capsys.readouterr()


def test_evaluate_saves_what_it_prints(monkeypatch, capsys, tmp_path):
    out = tmp_path / "new" / "folder"
    arguments = ("random", "scripted-easy", "random", "--players", 2, 4, "--games", 24)
    more = ("--self-play", 5, "--out", out, "--rules", "reward", "placement")
    code, said = run(monkeypatch, capsys, *arguments, *more)
    assert code == 0, said.err
    tables = ["head_to_head", "ratings", "seats", "standings", "style"]
    files = ["matches", "plan.json", "report.html", "results.json", *(f"{t}.csv" for t in tables)]
    assert sorted(path.name for path in out.iterdir() if path.name[0] != ".") == sorted(files)
    saved = json.loads((out / "results.json").read_text())
    assert [bot["label"] for bot in saved["bots"]] == ["random #1", "scripted-easy", "random #2"]
    assert [match["num_players"] for match in saved["matches"]] == [2, 4]
    assert [match["rules"]["reward"] for match in saved["matches"]] == ["placement"] * 2
    assert len(saved["self_play"]) == 6
    assert saved["command"].startswith("python evaluate.py random")
    for text in ("random #2", "95 % interval", "head to head", "accept", "against itself"):
        assert text in said.out
    share = saved["matches"][0]["bots"][1]["share"]
    assert f"{100 * share['value']:.1f} %" in said.out


def test_evaluate_watches_one_bot_play_itself(monkeypatch, capsys, tmp_path):
    code, said = run(monkeypatch, capsys, "random", "--games", 5, "--out", tmp_path)
    assert code == 0, said.err
    assert {"results.json", "report.html", "style.csv"} <= {
        path.name for path in tmp_path.iterdir()
    }
    assert not (tmp_path / "standings.csv").exists()
    assert "wins per seat" not in said.out


def test_evaluate_plays_the_usual_sizes_that_a_game_has(monkeypatch, capsys, tmp_path):
    given = ("random", "--game", "liars-cry", "--games", 2, "--out", tmp_path)
    code, said = run(monkeypatch, capsys, *given)
    assert code == 0, said.err
    saved = json.loads((tmp_path / "results.json").read_text())
    assert [mirror["num_players"] for mirror in saved["self_play"]] == [4]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody", "random"], "no bot 'nobody': known are"),
        ([], "at least one bot"),
        (["random", "scripted-easy", "--games", "1"], "games must be at least 2, given 1"),
        (["random", "scripted-easy", "--players", "2", "9"], "'num_players' was given 9"),
        (["random", "random", "--game", "chess"], "unknown game 'chess'"),
        (["random", "random", "--rules", "threads", "3"], "'threads' was given 3"),
        (["random", "random", "--rules", "num_players", "3"], "--players"),
        (["random", "random", "--seed", "-3"], "seed must be"),
        (["random", "random", "--out", "/dev/null/x"], "cannot write to /dev/null/x"),
    ],
)
def test_evaluate_refuses_in_one_line(monkeypatch, capsys, tmp_path, arguments, message):
    monkeypatch.chdir(tmp_path)
    code, said = run(monkeypatch, capsys, *arguments)
    assert code == 2
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert message in said.err
    assert list(tmp_path.iterdir()) == []


def test_reports_are_plain_json():
    result = play_match(GAME, bots("random", "scripted-easy"), 2, 20)
    json.dumps(match_report(result), allow_nan=False)
