"""Runs an example as its readers do."""

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"


def run_example(name: str, *arguments: str) -> list[str]:
    """What it printed, line by line, of a short run on one core."""
    command = [sys.executable, str(EXAMPLES / name), "--threads", "1", "--measure-games", "1000"]
    done = subprocess.run(
        [*command, *arguments], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
