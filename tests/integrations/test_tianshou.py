"""The example that learns with Tianshou."""

import pytest

pytest.importorskip("tianshou", reason="needs the extra tianshou")

from running import run_example


def test_the_example_learns():
    small = ["--decisions", "40_000", "--num-envs", "64", "--width", "64"]
    lines = run_example("tianshou_ppo.py", *small, "--opponents", "random")
    shares = [float(line.split("wins ")[1].split("%")[0]) for line in lines]
    assert len(shares) > 3
    assert shares[-1] > shares[0] + 5
