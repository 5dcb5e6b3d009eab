"""Documentation that is generated must be what the code says."""

import re
import runpy
from pathlib import Path

import pytest

import kuku_env
from kuku_env.envs.register import solo_id
from kuku_env.envs.tree import measure_tree
from kuku_env.games import find_game, games

ROOT = Path(__file__).parents[1]


def test_generated_tables_and_specs_are_up_to_date():
    contents = runpy.run_path(str(ROOT / "docs" / "generate.py"))["contents"]()
    stale = [str(path) for path, text in contents.items() if path.read_text("utf-8") != text]
    assert not stale, "run make docs"


def test_code_in_the_readme_runs():
    """One after the other, in one module, as a reader would try them."""
    page = (ROOT / "README.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 4
    exec("\n".join(blocks), {"__name__": "readme"})


def test_the_japanese_readme_tells_the_same():
    """The same code, tables, pictures and links in the same order, section by section."""
    english, japanese = (
        (ROOT / name).read_text("utf-8").replace(other, "OTHER")
        for name, other in (("README.md", "README.ja.md"), ("README.ja.md", "README.md"))
    )
    code = r"^```.*?^```$"
    assert len(re.findall(code, english, flags=re.DOTALL | re.MULTILINE)) >= 10
    for part in (code, r"^\|[^\n]*$", r"^#+ ", r"src=\S+", r"^<!-- [^\n]*$"):
        found = [
            re.findall(part, page, flags=re.DOTALL | re.MULTILINE) for page in (english, japanese)
        ]
        assert found[0] == found[1], part
    links = [sorted(re.findall(r"\]\(([^)]+)\)", page)) for page in (english, japanese)]
    assert links[0] == links[1]


@pytest.mark.parametrize("game", games(), ids=lambda game: game.name)
def test_every_environment_id_has_a_version_history(game):
    page = (ROOT / "docs" / f"{game.name.replace('-', '_')}.md").read_text("utf-8")
    history = page.partition("## Version history")[2]
    version = re.escape(game.id.rpartition("-")[2])
    for name in (game.id, solo_id(game)):
        assert re.search(rf"^\| `{version}` \|.*`{name}`", history, flags=re.MULTILINE)


def test_the_citation_is_of_this_version():
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\nversion: {kuku_env.__version__}\n" in citation


def test_code_of_the_evaluation_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "evaluation.md").read_text("utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE)
    names = {"__name__": "page"}
    exec(block, names)
    assert names["result"].rewards.shape == (240, 4)
    assert names["result"].deal_seeds.shape == (60,)


def test_the_report_in_the_docs_is_what_the_page_says():
    """Made by the documented command, and by a template as it is now."""
    page = (ROOT / "docs" / "evaluation.md").read_text("utf-8")
    report = (ROOT / "docs" / "report.html").read_text("utf-8")
    (command,) = re.findall(r"^kuku evaluate selfplay.*$", page, flags=re.MULTILINE)
    assert f"<pre>{command}</pre>" in report
    template = (ROOT / "kuku_env" / "arena" / "report.html.jinja").read_text("utf-8")
    styles = re.compile(r"<style>.*?</style>", re.DOTALL)
    assert styles.search(report).group() == styles.search(template).group()


def pages():
    """The README shows the main game, and every game has a page."""
    yield ROOT / "README.md", find_game("kuku-doubt")
    for game in games():
        yield ROOT / "docs" / f"{game.name.replace('-', '_')}.md", game


@pytest.mark.parametrize(("page", "game"), list(pages()), ids=lambda part: part.name)
def test_pages_show_every_observation_field_and_action_block(page, game):
    text = page.read_text("utf-8")
    for part in (*game.layout.fields, *game.layout.actions):
        assert f"`{part.name}`" in text


SIZES = [(game, name, size) for game in games() for name, size in game.information_sets.items()]


@pytest.mark.parametrize(("game", "preset", "size"), SIZES, ids=lambda value: str(value)[:20])
def test_presets_have_the_documented_number_of_information_sets(game, preset, size):
    assert len(measure_tree(game, preset).information_sets) == size
