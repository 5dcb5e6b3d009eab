"""The snippets of docs/integrations.md run, but for the length of training."""

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "integrations.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("heading", "library", "shorter"),
    [
        ("Stable-Baselines3", "sb3_contrib", {"1_000_000": "1", "n_steps=64": "n_steps=2"}),
        ("OpenSpiel", "pyspiel", {"range(20)": "range(1)"}),
        (
            "RLlib",
            "ray.rllib",
            {
                "range(100)": "range(1)",
                "num_env_runners=2": "num_env_runners=0",
                "use_kl_loss=False": "train_batch_size_per_learner=64, minibatch_size=64",
            },
        ),
        ("Opponents", "kuku_env", {}),
        ("TorchRL", "torchrl", {}),
    ],
)
def test_code_on_the_page_runs(heading, library, shorter):
    pytest.importorskip(library, reason="needs the library")
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    blocks = re.findall(r"^```python\n(.*?)^```$", section, flags=re.DOTALL | re.MULTILINE)
    code = "\n".join(blocks)
    for long, short in shorter.items():
        assert long in code
        code = code.replace(long, short)
    exec(code, {"__name__": "page"})
