"""Make a bot by self-play and export it.

    python train.py --budget demo --run runs/demo
    python train.py --game doubt --preset kirakuken --run runs/doubt
    python train.py --run runs/mine --minutes 60 --widths 256 256
    python train.py --resume runs/mine
    python train.py --learner maskable-ppo --game doubt --run runs/ppo

A run leaves everything in its folder: checkpoints, curves (tensorboard --logdir runs) and, in the
end, the bot: RUN/bot plays from the wheel alone.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeVar

try:
    import tyro
    from rich.console import Console

    from agents.checkpoint import CheckpointError
    from agents.export import ExportError
    from agents.maskable_ppo import PpoOptions, make_ppo_options
    from agents.options import Options
    from agents.presets import make_options
    from agents.run import RunError, resume, start, start_ppo
except ModuleNotFoundError as missing:
    sys.exit(f"train.py needs more than the wheel ({missing}): pip install -e '.[train,evaluate]'")

from kuku_env.bots import BotError
from kuku_env.core.game import OptionError


@dataclass(frozen=True)
class Command:
    options: tyro.conf.OmitArgPrefixes[Options]
    learner: Literal["self-play", "maskable-ppo"] = "self-play"
    """Self-play of all seats, or sb3-contrib's MaskablePPO in one seat against a pool; --help shows
    the options of the one that is chosen."""
    budget: Literal["demo", "quick"] = "demo"
    """Settings to start from, shown as defaults below; what is given beside it is changed."""
    preset: str | None = None
    """A preset of the game's rules: its tables instead of the variants shown below."""
    run: Path | None = None
    """Folder of the run, new or empty; by default runs/TIME."""
    resume: Annotated[Path | None, tyro.conf.arg(metavar="RUN")] = None
    """Go on with this run instead, from its newest checkpoint and with its own options."""


@dataclass(frozen=True)
class PpoCommand:
    options: tyro.conf.OmitArgPrefixes[PpoOptions]
    learner: Literal["self-play", "maskable-ppo"] = "maskable-ppo"
    """Self-play of all seats, or sb3-contrib's MaskablePPO in one seat against a pool."""
    budget: Literal["demo", "quick"] = "demo"
    """Settings to start from, shown as defaults below; what is given beside it is changed."""
    preset: str | None = None
    """A preset of the game's rules: its tables instead of the variants shown below."""
    run: Path | None = None
    """Folder of the run, new or empty; by default runs/TIME. Such a run cannot be resumed."""


C = TypeVar("C", Command, PpoCommand)


def main() -> int:
    console = Console()
    try:
        command = read_command()
        if isinstance(command, Command) and command.resume is not None:
            bot = resume(command.resume, console)
        else:
            folder = command.run or Path("runs") / time.strftime("%Y%m%d-%H%M%S")
            if isinstance(command, Command):
                bot = start(command.options, folder, console)
            else:
                bot = start_ppo(command.options, folder, console)
    except (RunError, CheckpointError, ExportError, OptionError, BotError, OSError) as error:
        print(f"train.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        told = "--resume goes on from the last checkpoint, where the learner keeps them"
        print(f"\ntrain.py: stopped; {told}", file=sys.stderr)
        return 130
    console.print(f"the bot: {bot}", soft_wrap=True)
    return 0


def read_command() -> Command | PpoCommand:
    """The command line. What settles the defaults of all other options is read first."""
    early = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    early.add_argument("--learner", choices=["self-play", "maskable-ppo"], default="self-play")
    early.add_argument("--budget", choices=["demo", "quick"], default="demo")
    early.add_argument("--game", default="kuku-doubt")
    early.add_argument("--preset")
    early.add_argument("--resume")
    known, others = early.parse_known_args()
    if known.resume is not None and (others or len(sys.argv) > 3):
        raise RunError("--resume takes its options from the run: leave the others out")
    basis = known.budget, known.game, known.preset
    if known.learner == "maskable-ppo":
        return _read_with(PpoCommand(make_ppo_options(*basis), preset=known.preset))
    return _read_with(Command(make_options(*basis), preset=known.preset))


def _read_with(default: C) -> C:
    return tyro.cli(type(default), default=default, description=__doc__)


if __name__ == "__main__":
    sys.exit(main())
