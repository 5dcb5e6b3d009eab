"""Write what the documentation takes from the code and from the recorded benchmark: tables and
examples between markers, the JSON spec, and the plot of speeds.

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
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # benchmarks/ is run from the clone, never installed

from benchmarks import tables as speeds  # noqa: E402
from benchmarks.plot import speeds_plot  # noqa: E402
from kuku_env.core.game import Game  # noqa: E402
from kuku_env.core.layout import Layout  # noqa: E402
from kuku_env.envs.match import Match  # noqa: E402
from kuku_env.games import games  # noqa: E402
from kuku_env.protocol import Service  # noqa: E402

RECORDED = json.loads((ROOT / "benchmarks" / "results.json").read_text(encoding="utf-8"))


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


def example_match() -> Match:
    """Seat 1 of two is to answer a claim."""
    match = Match("kuku-doubt", seed=7, num_players=2, first_player=0)
    match.act("claim 24")
    return match


def example_view() -> str:
    return _json(example_match().view(1), indent=1)


def example_stream() -> str:
    return "\n".join(map(_json, example_match().stream(1)))


def example_hello() -> str:
    """The reply with one game and two bots of those there are."""
    request = {"id": 1, "op": "hello"}
    reply = Service().reply(request)
    game = next(game for game in reply["games"] if game["name"] == "kuku-doubt")
    game["presets"] = "…"
    bots = [bot for bot in reply["bots"] if bot["name"] in ("random", "scripted-normal")]
    reply |= {"games": [game], "bots": [bot for bot in bots if bot["game"] == game["game"]]}
    return f"{_json(request)}\n{_json(reply, indent=1)}"


def example_act() -> str:
    return _conversation({"id": 2, "op": "act", "bot": "scripted-normal", "seed": 5})


def example_advise() -> str:
    return _conversation({"id": 3, "op": "advise", "bot": "scripted-normal"})


def example_advise_ja() -> str:
    return _conversation({"id": 4, "op": "advise", "bot": "scripted-normal", "lang": "ja"})


def example_repair() -> str:
    """A card is put face up on other table cards."""
    match = Match("liars-cry", seed=7, num_players=3, first_player=0)
    for kind in ("lead", "play"):
        match.act(next(act for act in match.view(0)["legal"] if act.startswith(kind)))
    view = match.view(1)
    request = {"id": 5, "op": "repair", "act": f"lead {view['hand'][0]}"}
    return f"{_cut_short(request)}\n{_json(Service().reply({**request, 'view': view}), indent=1)}"


def example_new() -> str:
    return _held()[0]


def example_play() -> str:
    return _held()[1]


def _held() -> tuple[str, str]:
    """Two requests about a held game, and what is new in the replies."""
    service = Service()
    new = {"id": 6, "op": "new", "game": "kuku-doubt", "seats": [None, "normal", "easy"], "seed": 7}
    told = service.reply(new)
    play = {"id": 7, "op": "play", "table": "…", "decision": told["decision"]}
    play["action"] = told["view"]["legal"][0]
    after = service.reply({**play, "table": told["table"]})
    return f"{_json(new)}\n{_shortened(told)}", f"{_json(play)}\n{_shortened(after)}"


def _shortened(told: dict[str, Any]) -> str:
    """A held game without the id, which is another each time, and with the last events alone."""
    view = {key: told["view"][key] for key in ("seat", "phase", "to_act", "hand")}
    events = ["…", *told["events"][-2:]]
    told = {**told, "table": "…", "view": {**view, "…": "…"}, "events": events}
    return _json(told, indent=1).replace('"…": "…"', "…").replace('["…", ', "[…, ")


def example_errors() -> str:
    """A request without a view, a bot that there is not, a view with something wrong in it."""
    view = example_match().view(1)
    wrong = {**view, "claims": [{**view["claims"][0], "number": 11}]}
    lines = []
    for number, change in enumerate(({}, {"bot": "nobody", "view": view}, {"view": wrong}), 8):
        request = {"id": number, "op": "act", "bot": "random", **change}
        shown = _json(request).replace(_json(view), "{…}").replace(_json(wrong), "{…}")
        lines += [shown, _json(Service().reply(request))]
    return "\n".join(lines)


def _conversation(request: dict[str, Any]) -> str:
    """The request with its view cut short, and the reply with the first and last of many."""
    view = example_match().view(1)
    reply = Service().reply({**request, "view": view})
    for key in ("probabilities", "actions"):
        if key in reply:
            reply[key] = _ends(reply[key])
    told = _json(reply, indent=1).replace('{"…": "…"}', "…").replace('"…": "…"', "…")
    return f"{_cut_short(request)}\n{told}"


def _cut_short(request: dict[str, Any]) -> str:
    """The request with a view that is not shown."""
    return f'{_json(request)[:-1]}, "view": {{…}}}}'


def _ends(many: Any) -> Any:
    if isinstance(many, dict):
        entries = list(many.items())
        return dict([*entries[:3], ("…", "…"), entries[-1]])
    return [*many[:2], {"…": "…"}, many[-1]]


def _json(value: Any, indent: int | None = None) -> str:
    """JSON; with an indent, an entry of the outermost object a line."""
    if indent is None or not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    lines = [f'{" " * indent}"{key}": {_json(inner)}' for key, inner in value.items()]
    return "{\n" + ",\n".join(lines) + "\n}"


EXAMPLES: dict[str, Callable[[], str]] = {
    name.removeprefix("example_"): made
    for name, made in list(globals().items())
    if name.startswith("example_") and name != "example_match"
}


def speed(name: str) -> str:
    """What the recorded benchmark says of a group, or in one of its other tables."""
    whole = {
        "summary": speeds.summary,
        "own-start": speeds.own_start,
        "surroundings": speeds.surroundings,
    }
    return whole[name](RECORDED) if name in whole else speeds.table_of(RECORDED, name)


def _fill(text: str) -> str:
    """Put each table between its markers: ``<!-- table: GAME NAME -->`` and ``<!-- end -->``; each
    example: ``<!-- example: NAME -->``; and what was measured: ``<!-- speed: NAME -->``."""
    known = {game.name: game for game in games()}

    def table(found: re.Match[str]) -> str:
        made = TABLES[found["table"]](known[found["game"]])
        return f"{found['head']}\n\n{made}\n\n<!-- end -->"

    def example(found: re.Match[str]) -> str:
        return f"{found['head']}\n\n```json\n{EXAMPLES[found['name']]()}\n```\n\n<!-- end -->"

    def told(found: re.Match[str]) -> str:
        return f"{found['head']}\n\n{speed(found['name'])}\n\n<!-- end -->"

    shown = r"(?P<head><!-- example: (?P<name>\S+) -->).*?<!-- end -->"
    text = re.sub(shown, example, text, flags=re.DOTALL)
    measured = r"(?P<head><!-- speed: (?P<name>\S+) -->).*?<!-- end -->"
    text = re.sub(measured, told, text, flags=re.DOTALL)
    marker = r"(?P<head><!-- table: (?P<game>\S+) (?P<table>\S+) -->).*?<!-- end -->"
    return re.sub(marker, table, text, flags=re.DOTALL)


CODE = re.compile(r"^```.*?^```$", flags=re.DOTALL | re.MULTILINE)


def _with_code_of(source: str, translation: str) -> str:
    """A translated page with the code blocks of the page that it translates."""
    blocks = CODE.findall(source)
    found = len(CODE.findall(translation))
    if found != len(blocks):
        sys.exit(
            f"README.ja.md has {found} code blocks, README.md {len(blocks)}: translate it anew"
        )
    rest = iter(blocks)
    return CODE.sub(lambda _: next(rest), translation)


def contents() -> dict[Path, str]:
    """What every generated file should hold."""
    pages = [*sorted(ROOT.glob("README*.md")), *sorted((ROOT / "docs").glob("*.md"))]
    made = {page: _fill(page.read_text(encoding="utf-8")) for page in pages}
    english, japanese = ROOT / "README.md", ROOT / "README.ja.md"
    made[japanese] = _with_code_of(made[english], made[japanese])
    made[ROOT / "docs" / "speeds.svg"] = speeds_plot(RECORDED)
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
