"""Learning curves over several runs, read from TensorBoard files."""

import numpy as np
import pytest
from torch.utils.tensorboard import SummaryWriter

from agents import curves
from agents.curves import CurvesError, common_curves, read_run, table

TAG = "wins_2_players/scripted-easy"


def write_run(folder, points, tag=TAG):
    """Measurements (decisions, share) in a file of their own."""
    with SummaryWriter(str(folder)) as writer:
        for k, (decisions, share) in enumerate(points):
            writer.add_scalar(tag, share, decisions, walltime=1000.0 * decisions + k)
            writer.add_scalar("speed/decisions_a_second", 5.0, decisions)
    return folder


@pytest.fixture
def runs(tmp_path):
    points = [[(0, 0.2), (100, 0.4)], [(0, 0.4), (50, 0.5), (200, 0.8)], [(20, 0.3), (120, 0.7)]]
    return [write_run(tmp_path / f"seed-{k}", told) for k, told in enumerate(points)]


def test_curves_cover_what_all_runs_cover_with_students_interval(runs):
    (curve,) = common_curves(runs)
    assert (curve.players, curve.against) == (2, "scripted-easy")
    assert (curve.decisions[0], curve.decisions[-1]) == (20, 100)
    np.testing.assert_allclose(curve.shares[:, 0], [0.24, 0.44, 0.3], atol=1e-6)
    np.testing.assert_allclose(curve.shares[:, -1], [0.4, 0.6, 0.62], atol=1e-6)
    expected = 4.302653 * np.std([0.4, 0.6, 0.62], ddof=1) / np.sqrt(3)
    assert curve.margin[-1] == pytest.approx(expected, rel=1e-5)
    assert "| 2 | scripted-easy | 3 | 100 | 54.0 % |" in table([curve])


def test_a_single_run_has_no_interval(runs):
    (curve,) = common_curves(runs[:1])
    assert np.isnan(curve.margin).all()
    assert table([curve]).endswith("| 40.0 % | – |")


def test_points_beyond_the_checkpoint_of_a_resumed_run_are_dropped(tmp_path):
    with SummaryWriter(str(tmp_path)) as writer:
        told = [(10, 0.1), (20, 0.2), (30, 0.9), (25, 0.3), (40, 0.4)]
        for when, (decisions, share) in enumerate(told):
            writer.add_scalar(TAG, share, decisions, walltime=when)
    points = read_run(tmp_path)[2, "scripted-easy"]
    assert points[:, 0].tolist() == [10, 20, 25, 40]


def test_runs_without_a_common_curve_are_refused(tmp_path, runs):
    other = write_run(tmp_path / "other", [(0, 0.5)], "wins_4_players/random")
    with pytest.raises(CurvesError, match=r"nothing in common.*wins|nothing in common.*random"):
        common_curves([*runs, other])
    late = write_run(tmp_path / "late", [(900, 0.5)])
    with pytest.raises(CurvesError, match="never measured at a common time"):
        common_curves([*runs, late])
    with pytest.raises(CurvesError, match="nowhere holds no measurements"):
        read_run(tmp_path / "nowhere")


def test_the_command_draws_and_prints(runs, tmp_path, monkeypatch, capsys):
    out = tmp_path / "docs" / "curves.svg"
    monkeypatch.setattr("sys.argv", ["curves", *map(str, runs), "--out", str(out)])
    assert curves.main() == 0
    assert "against scripted-easy" in out.read_text("utf-8")
    assert "54.0 %" in capsys.readouterr().out
    before = out.read_bytes()
    assert curves.main() == 0
    assert out.read_bytes() == before
    assert [path.name for path in out.parent.iterdir()] == ["curves.svg"]


def test_the_command_refuses_other_formats(runs, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["curves", str(runs[0]), "--out", str(tmp_path / "a.pdf")])
    assert curves.main() == 1
    assert "allowed: a name ending .svg or .png" in capsys.readouterr().err
    assert not (tmp_path / "a.pdf").exists()
