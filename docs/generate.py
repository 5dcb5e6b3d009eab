"""Write what the documentation takes from the code: tables between markers, and the JSON spec.

``python docs/generate.py`` writes; with ``--check`` it writes nothing and fails where a file is not
what the code says.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

from kuku_env.core.game import Game
from kuku_env.core.layout import Layout
from kuku_env.games import games

ROOT = Path(__file__).parents[1]


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in lines)


def _fields(layout: Layout) -> str:
    rows = [
        [
            f"`{f.name}`",
            str(layout.start(f.name)),
            "×".join(map(str, f.shape)),
            f"0–{f.high}",
            f.meaning,
        ]
        for f in layout.fields
    ]
    return _table(["field", "first cell", "shape", "values", "meaning"], rows)


def observation(game: Game) -> str:
    layout = game.layout
    return f"{layout.size} cells, layout id `{layout.id}`.\n\n{_fields(layout)}"


def secrets(game: Game) -> str:
    return f"{game.secrets.size} cells.\n\n{_fields(game.secrets)}"


def actions(game: Game) -> str:
    layout, rows = game.layout, []
    for block in layout.actions:
        first = layout.start(block.name)
        last = first + block.size - 1
        texts = list(dict.fromkeys(re.sub(r"\{\d\}", "SEAT", text) for text in block.texts))
        shown = [texts[0], "…", texts[-1]] if len(texts) > 3 else texts
        text = ", ".join(f"`{t}`" if t != "…" else t for t in shown)
        ids = f"{first}" if first == last else f"{first}–{last}"
        rows.append([ids, f"`{block.name}`", text, block.meaning])
    return f"{layout.num_actions} actions.\n\n{_table(['ids', 'block', 'texts', 'meaning'], rows)}"


def options(game: Game) -> str:
    spec = game.spec()
    rows = [[f"`{o['name']}`", f"`{json.dumps(o['default'])}`", o["doc"]] for o in spec["options"]]
    return _table(["option", "default", "meaning"], rows)


def presets(game: Game) -> str:
    sets = game.information_sets
    rows = [
        [
            f"`{name}`",
            f"{sets[name]:,}" if name in sets else "",
            ", ".join(f"`{key}={value}`" for key, value in chosen.items()),
        ]
        for name, chosen in game.presets.items()
    ]
    return _table(["preset", "information sets", "options"], rows)


TABLES: dict[str, Callable[[Game], str]] = {
    "observation": observation,
    "secrets": secrets,
    "actions": actions,
    "options": options,
    "presets": presets,
}


def _fill(text: str) -> str:
    """Put each table between its markers: ``<!-- table: GAME NAME -->`` and ``<!-- end -->``."""
    known = {game.name: game for game in games()}

    def table(found: re.Match[str]) -> str:
        made = TABLES[found["table"]](known[found["game"]])
        return f"{found['head']}\n\n{made}\n\n<!-- end -->"

    marker = r"(?P<head><!-- table: (?P<game>\S+) (?P<table>\S+) -->).*?<!-- end -->"
    return re.sub(marker, table, text, flags=re.DOTALL)


def contents() -> dict[Path, str]:
    """What every generated file should hold."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    made = {page: _fill(page.read_text(encoding="utf-8")) for page in pages}
    for game in games():
        spec = json.dumps(game.spec(), indent=1, ensure_ascii=False)
        made[ROOT / "docs" / "spec" / f"{game.name}.json"] = f"{spec}\n"
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail on a difference")
    check = parser.parse_args().check
    stale = []
    for path, text in contents().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(str(path.relative_to(ROOT)))
            if not check:
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
    if check and stale:
        sys.exit(f"not what the code says: {', '.join(stale)}; run make docs")
    print("\n".join(stale) or "all up to date")


if __name__ == "__main__":
    main()
