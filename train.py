"""Make a bot by self-play and export it.

    python train.py --preset demo --run runs/demo
    python train.py --game doubt --preset kirakuken --run runs/doubt
    python train.py --run runs/mine --minutes 60 --widths 256 256
    python train.py --config runs/mine/config.toml --seed 1 --run runs/again
    python train.py --resume runs/mine
    python train.py --learner maskable-ppo --game doubt --run runs/ppo
    python train.py --learner rllib --address auto --runners 16 --run runs/cluster

A run leaves everything in its folder: its options, checkpoints, curves (tensorboard --logdir runs)
and, in the end, the bot: RUN/bot plays from the wheel alone.
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
    from agents.config import ConfigError, options_from, read_config
    from agents.export import ExportError
    from agents.maskable_ppo import PpoOptions, make_ppo_options
    from agents.options import Options
    from agents.presets import make_options, told_apart
    from agents.rllib_options import ClusterError, RllibOptions, make_rllib_options
    from agents.run import RunError, resume, start
except ModuleNotFoundError as missing:
    sys.exit(f"train.py needs more than the wheel ({missing}): pip install -e '.[train,evaluate]'")

from kuku_env.bots import BotError
from kuku_env.core.game import OptionError


@dataclass(frozen=True)
class Command:
    options: tyro.conf.OmitArgPrefixes[Options]
    learner: Literal["self-play", "maskable-ppo", "rllib"] = "self-play"
    """Self-play of all seats; sb3-contrib's MaskablePPO in one seat against a pool; RLlib's PPO on
    a Ray cluster. --help shows the options of the one that is chosen."""
    preset: tuple[str, ...] = ("demo",)
    """Settings to start from, shown as defaults below: how long to learn (demo, quick, strong), a
    preset of the game's rules, or both; what is given beside it is changed."""
    config: Path | None = None
    """Settings to start from in place of a preset: a file as RUN/config.toml is."""
    run: Path | None = None
    """Folder of the run, new or empty; by default runs/TIME."""
    resume: Annotated[Path | None, tyro.conf.arg(metavar="RUN")] = None
    """Go on with this run instead, from its newest checkpoint and with its own options."""


@dataclass(frozen=True)
class PpoCommand:
    options: tyro.conf.OmitArgPrefixes[PpoOptions]
    learner: Literal["self-play", "maskable-ppo", "rllib"] = "maskable-ppo"
    """Self-play of all seats; sb3-contrib's MaskablePPO in one seat against a pool; RLlib's PPO."""
    preset: tuple[str, ...] = ("demo",)
    """Settings to start from, shown as defaults below: how long to learn (demo, quick), a preset of
    the game's rules, or both; what is given beside it is changed."""
    config: Path | None = None
    """Settings to start from in place of a preset: a file as RUN/config.toml is."""
    run: Path | None = None
    """Folder of the run, new or empty; by default runs/TIME."""
    resume: Annotated[Path | None, tyro.conf.arg(metavar="RUN")] = None
    """Go on with this run instead, from its newest checkpoint and with its own options."""


@dataclass(frozen=True)
class RllibCommand:
    options: tyro.conf.OmitArgPrefixes[RllibOptions]
    learner: Literal["self-play", "maskable-ppo", "rllib"] = "rllib"
    """Self-play of all seats; sb3-contrib's MaskablePPO in one seat against a pool; RLlib's PPO."""
    preset: tuple[str, ...] = ("demo",)
    """Settings to start from, shown as defaults below: how long to learn (demo, quick), a preset of
    the game's rules, or both; what is given beside it is changed."""
    config: Path | None = None
    """Settings to start from in place of a preset: a file as RUN/config.toml is."""
    run: Path | None = None
    """Folder of the run, new or empty; by default runs/TIME."""
    resume: Annotated[Path | None, tyro.conf.arg(metavar="RUN")] = None
    """Go on with this run instead, from its newest checkpoint and with its own options."""


AnyCommand = Command | PpoCommand | RllibCommand
C = TypeVar("C", Command, PpoCommand, RllibCommand)

REFUSED = (
    RunError, ConfigError, CheckpointError, ClusterError, ExportError, OptionError, BotError,
    OSError,
)  # fmt: skip


def main() -> int:
    console = Console()
    try:
        command = read_command()
        if command.resume is not None:
            bot = resume(command.resume, console)
        else:
            folder = command.run or Path("runs") / time.strftime("%Y%m%d-%H%M%S")
            bot = start(command.options, folder, console)
    except ModuleNotFoundError as missing:
        needed = f"this learner needs RLlib ({missing}): pip install -e '.[train,evaluate,rllib]'"
        print(f"train.py: {needed}", file=sys.stderr)
        return 1
    except REFUSED as error:
        print(f"train.py: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\ntrain.py: stopped; --resume goes on from the last checkpoint", file=sys.stderr)
        return 130
    console.print(f"the bot: {bot}", soft_wrap=True)
    return 0


def read_command() -> AnyCommand:
    """The command line. What settles the defaults is read first: learner, preset and game, or a
    file of options."""
    early = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    early.add_argument("--learner", choices=["self-play", "maskable-ppo", "rllib"])
    early.add_argument("--preset", nargs="*")
    early.add_argument("--game", default="kuku-doubt")
    early.add_argument("--config", type=Path)
    early.add_argument("--resume")
    known, others = early.parse_known_args()
    if known.resume is not None and (others or len(sys.argv) > 3):
        raise RunError("--resume takes its options from the run: leave the others out")
    if known.config is not None:
        return _read_with(_from_file(known.config, known.learner, known.preset))
    preset = tuple(known.preset or ("demo",))
    budget, rules = told_apart(preset, known.game)
    if known.learner in (None, "self-play"):
        return _read_with(Command(make_options(budget, known.game, rules), preset=preset))
    if budget == "strong":
        raise RunError(f"--preset strong is for self-play: {known.learner} has demo and quick")
    if known.learner == "rllib":
        return _read_with(
            RllibCommand(make_rllib_options(budget, known.game, rules), preset=preset)
        )
    return _read_with(PpoCommand(make_ppo_options(budget, known.game, rules), preset=preset))


def _from_file(config: Path, learner: str | None, preset: list[str] | None) -> AnyCommand:
    """Defaults from a file of options."""
    if preset is not None:
        raise RunError("--config has settings of its own: leave --preset out")
    meant, values = read_config(config)
    if learner not in (None, meant):
        raise RunError(f"{config} is for the learner {meant}, not {learner}")
    if meant == "self-play":
        return Command(options_from(Options, values), preset=(), config=config)
    if meant == "maskable-ppo":
        return PpoCommand(options_from(PpoOptions, values), preset=(), config=config)
    if meant == "rllib":
        return RllibCommand(options_from(RllibOptions, values), preset=(), config=config)
    known = "self-play, maskable-ppo and rllib"
    raise RunError(f"{config} names the learner {meant!r}; there are {known}")


def _read_with(default: C) -> C:
    return tyro.cli(type(default), default=default, description=__doc__)


if __name__ == "__main__":
    sys.exit(main())
