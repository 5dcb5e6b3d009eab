"""Exported bots: the same probabilities as torch, on every table, and clear refusals."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import jsonschema
import numpy as np
import onnx
import pytest
import torch

import kuku_env
from agents import export
from agents.export import ExportError, export_bot
from agents.network import Choice, PolicyValueNetwork
from kuku_env.bots import BotError, ExportedPolicy, make_policy
from kuku_env.core.chance import generator_states
from kuku_env.envs.batch import BatchEnv
from kuku_env.games import find_game

GAME = find_game("kuku-doubt")
TABLES = [
    {"num_players": n, "see_through": rule} for n in range(2, 7) for rule in ("any", "consistent")
]


@pytest.fixture(scope="module")
def network() -> PolicyValueNetwork:
    torch.manual_seed(5)
    made = PolicyValueNetwork(GAME, (32, 32))
    for parameter in made.parameters():  # as if it had learned something
        torch.nn.init.normal_(parameter, std=0.4)
    return made


def write(network: torch.nn.Module, folder: Path) -> Path:
    export_bot(network, GAME, folder, name="probe", tables=TABLES, origin={"seed": 5}, strength={})
    return folder


@pytest.fixture(scope="module")
def exported(network: PolicyValueNetwork, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(network, tmp_path_factory.mktemp("bots") / "probe")


@pytest.mark.parametrize("num_players", range(2, 7))
def test_onnx_equals_torch_on_real_states(
    network: PolicyValueNetwork, exported: Path, num_players: int
) -> None:
    bot = ExportedPolicy(exported)
    env = BatchEnv(GAME, 64, num_players=num_players, see_through="any")
    generators = generator_states(num_players, 64)
    turns = env.reset(seed=num_players)
    for _ in range(30):
        theirs = bot.answers(turns.observation, turns.action_mask)
        assert set(theirs) == {"probabilities", *bot.outputs}
        with torch.no_grad():
            ours = network.answers(
                torch.from_numpy(turns.observation), torch.from_numpy(turns.action_mask)
            )
        for name, answer in theirs.items():
            assert answer.dtype == np.float32
            assert answer.shape == ours[name].shape
            assert np.abs(answer - ours[name].numpy()).max() < 1e-5
        for name in ("probabilities", "action_values"):
            assert (theirs[name][turns.action_mask == 0] == 0).all()
        for name in ("probabilities", "value", "pairs"):
            assert np.abs(theirs[name].sum(1) - 1).max() < 1e-5
        assert (theirs["value"][:, num_players:] == 0).all()
        turns = env.step(env.sample(generators))


def test_a_network_that_tells_probabilities_alone_tells_these(tmp_path: Path) -> None:
    class Even(torch.nn.Module):
        def forward(self, observation: torch.Tensor, action_mask: torch.Tensor) -> Choice:
            chances = action_mask / action_mask.sum(1, keepdim=True)
            return Choice(chances, chances.log())

    bot = ExportedPolicy(write(Even(), tmp_path / "even"))
    assert bot.outputs == ()
    assert bot.card["outputs"] == ["probabilities"]
    assert bot.card["beliefs"] == {}


def test_any_batch_size_plays(exported: Path) -> None:
    bot = ExportedPolicy(exported)
    turns = BatchEnv(GAME, 7, num_players=3).reset(seed=0)
    whole = bot.probabilities(turns.observation, turns.action_mask)
    one = bot.probabilities(turns.observation[:1], turns.action_mask[:1])
    assert np.allclose(whole[:1], one, atol=1e-6)


def test_the_card_follows_its_schema(exported: Path) -> None:
    card = json.loads((exported / "bot.json").read_text())
    path = Path(kuku_env.__file__).parent / "bots" / "bot.schema.json"
    jsonschema.validate(card, json.loads(path.read_text()))
    assert card["outputs"] == ["probabilities", "action_values", "value", "lie", "pairs"]
    assert card["beliefs"] == {"lie": "doubt", "pairs": "doubt"}
    assert card["rules"]["num_players"] == [2, 3, 4, 5, 6]
    assert card["rules"]["see_through"] == ["any", "consistent"]
    assert card["rules"]["reward"] == ["winner"]
    assert "first_player" not in card["rules"]
    assert {path.name for path in exported.iterdir()} == {"bot.json", "policy.onnx"}


def without_weights(file: Path) -> bytes:
    """What a file of a bot says; weights, being any bytes, hold any three by chance."""
    if file.suffix != ".onnx":
        return file.read_bytes()
    model = onnx.load(file)
    for weights in model.graph.initializer:
        weights.ClearField("raw_data")
    return bytes(model.SerializeToString())


def test_no_path_of_the_exporting_machine_is_told(exported: Path) -> None:
    for folder in (exported, *Path(kuku_env.__file__).parent.glob("bots/shipped/*/*")):
        for file in folder.iterdir():
            told = file.read_bytes()
            assert b".py" not in without_weights(file)
            assert str(Path(__file__).parents[1]).encode() not in told


def test_tables_it_was_not_trained_on_are_refused(exported: Path) -> None:
    bot = ExportedPolicy(exported)
    bot.accepts(GAME.make_options(num_players=6, see_through="consistent", first_player=2))
    with pytest.raises(BotError, match="reward"):
        bot.accepts(GAME.make_options(reward="placement"))
    with pytest.raises(BotError, match=r"plays with \w+ in"):
        bot.accepts(GAME.make_options("tiny"))


def test_other_layouts_and_damaged_files_are_refused(exported: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(exported, tmp_path / "bot")
    card, graph = folder / "bot.json", folder / "policy.onnx"
    good_card, good_graph = card.read_text(), graph.read_bytes()
    other = json.loads(good_card)
    other["layout"]["id"] = "kuku/KukuDoubt-v0:0:0"
    card.write_text(json.dumps(other))
    with pytest.raises(BotError, match=r"layout kuku/KukuDoubt-v0:0:0; this version has"):
        make_policy(folder, GAME)
    card.write_text(good_card[:100])
    with pytest.raises(BotError, match="damaged"):
        make_policy(folder, GAME)
    card.write_text(good_card)
    graph.write_bytes(good_graph[:-1])
    with pytest.raises(BotError, match=r"damaged: its SHA-256"):
        make_policy(folder, GAME)
    graph.unlink()
    with pytest.raises(BotError, match="cannot read"):
        make_policy(folder, GAME)
    with pytest.raises(BotError, match="no bot"):
        make_policy(tmp_path / "nowhere", GAME)


def test_a_bot_is_replaced_but_nothing_else(
    network: PolicyValueNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "write_graph", lambda *_: (b"a graph", ["probabilities"]))
    folder = write(network, tmp_path / "bot")
    (folder / "old").touch()
    write(network, folder)
    assert not (folder / "old").exists()
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "letter.txt").touch()
    with pytest.raises(ExportError, match="is no exported bot"):
        write(network, mine)
    assert [path.name for path in mine.iterdir()] == ["letter.txt"]


def test_a_folder_that_cannot_be_written(network: PolicyValueNetwork, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ExportError, match="cannot write"):
        write(network, tmp_path / "file" / "bot")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_failed_export_leaves_nothing(
    network: PolicyValueNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full_disk(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(torch.onnx, "export", full_disk)
    with pytest.raises(ExportError, match="No space left"):
        write(network, tmp_path / "bot")
    assert list(tmp_path.iterdir()) == []
