"""``kuku play``: a game in the terminal, in text, against bots (in the browser: ``web``).

The bots are asked through the protocol's own functions, with a view of their seat and nothing else.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kuku_env.bots import BotError, ExportedPolicy
from kuku_env.command.serve import refuse
from kuku_env.core.game import Game, OptionError, Policy, Repair
from kuku_env.envs.match import Match
from kuku_env.envs.records import write_record
from kuku_env.envs.words import LANGUAGES, action_words, event_words
from kuku_env.games import find_game
from kuku_env.protocol import LEVELS, Bots, ProtocolError
from kuku_env.protocol.answers import act, advise
from kuku_env.protocol.request import LARGEST, Question, Situation, read_situation

_WORDS = {
    "seats": ("You sit at seat {seat}. {others}", "あなたは席{seat}です。{others}"),
    "sits": ("Seat {seat}: {bot}.", "席{seat}: {bot}。"),
    "help": (
        "Type an action as it is shown (its last word or its beginning is enough), or: legal, "
        "hint, table, history, help, quit.",
        "表示された行動を入力(最後の語か先頭だけでも可)。ほかに: 候補 (legal)、ヒント (hint)、"
        "場 (table)、履歴 (history)、ヘルプ (help)、終了 (quit)。",
    ),
    "ask": ("you> ", "あなた> "),
    "hand": ("your cards: {cards}", "手札: {cards}"),
    "you_can": ("you can: {list}", "できること: {list}"),
    "unknown": ("{text!r} is nothing you can do now.", "「{text}」は今できません。"),
    "repaired": ("“{text}” is taken as: {list}; {why}.", "「{text}」は{list}とします。{why}。"),
    "undone": ("“{text}”: {why}.", "「{text}」: {why}。"),
    "dropped": ("“{text}” is dropped.", "「{text}」は取り消しです。"),
    "several": ("Which of these? {list}", "どれですか? {list}"),
    "won": ("You win.", "あなたの勝ちです。"),
    "lost": ("You come in place {place}.", "あなたは{place}位です。"),
    "drawn": ("The game was cut short: {reward:+.2f} for you.", "打ち切り: 得点{reward:+.2f}。"),
    "review": ("— what everybody held —", "― 全員の手札の振り返り ―"),
    "left": ("You leave the table.", "席を立ちました。"),
    "saved": ("Saved {path}.", "{path}に保存しました。"),
}
_COMMANDS = {
    "help": ("help", "?", "ヘルプ"),
    "legal": ("legal", "候補"),
    "hint": ("hint", "ヒント"),
    "table": ("table", "場"),
    "history": ("history", "履歴"),
    "quit": ("quit", "終了"),
}
WEB_ONLY = ("host", "port", "games", "most", "bots_run", "page")
_SHOWN_ACTIONS = 4  # of a kind; of more the first and the last are shown


class _Leave(Exception):
    """The player wants to stop."""


def play(options: argparse.Namespace) -> int:
    """Play one game; 0 when it ends or the player leaves, 2 for what cannot be played."""
    if options.web:
        from kuku_env.command.web import serve_page

        return serve_page(options)
    for name in WEB_ONLY:
        if getattr(options, name) is not None:
            return refuse("play", f"--{name.replace('_', '-')} is for --web alone")
    try:
        table = _sit_down(options)
    except KeyError as error:
        return refuse("play", error.args[0])
    except (BotError, OptionError, ProtocolError, ValueError) as error:
        return refuse("play", str(error))
    table.welcome()
    try:
        table.play()
    except (_Leave, EOFError):
        print()
        table.say("left")
        return 0
    table.end()
    if options.save is not None:
        try:
            write_record(options.save, table.match)
        except OSError as error:
            return refuse("play", f"cannot write {options.save}: {error.strerror}")
        table.say("saved", path=options.save)
    return 0


def _sit_down(options: argparse.Namespace) -> _Table:
    game = find_game(options.game)
    rules = {name: rule_value(text) for name, text in options.rule}
    known = {"num_players": options.players} if options.players is not None else {}
    # Options are checked before they are taken for arguments of Match.
    game.make_options(options.preset, **{**rules, **known})
    match = Match(game, seed=options.seed, preset=options.preset, **{**rules, **known})
    if not 0 <= options.seat < match.num_players:
        raise ValueError(f"--seat must be from 0 to {match.num_players - 1}, given {options.seat}")
    if options.seed is not None and options.seed > LARGEST:
        raise ValueError(f"--seed must be at most {LARGEST}, given {options.seed}")
    registry = Bots()
    if options.bots is None:
        chosen = [registry.best(game, match.options)]
    else:
        chosen = [_bot(registry, game, name) for name in options.bots]
    others = [seat for seat in range(match.num_players) if seat != options.seat]
    seated = {seat: chosen[k % len(chosen)] for k, seat in enumerate(others)}
    for bot in seated.values():
        if hasattr(bot, "accepts"):
            bot.accepts(match.options)
    return _Table(match, options.seat, seated, options.seed, options.lang)


def _bot(registry: Bots, game: Game, name: str) -> Policy:
    if name in LEVELS:
        return registry.of_level(game, name)
    if name not in registry.names(game) and Path(name).is_dir():
        return ExportedPolicy(name, game)
    return registry.find(game, name)


def rule_value(text: str) -> Any:
    """An option's value as JSON reads it, or else as text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


@dataclass
class _Repairing:
    """What the player did wrongly, being carried out as the acts that it stands for."""

    text: str
    repair: Repair
    before: Mapping[str, Any]  # the player's view when it was done
    done: int = 0

    def next(self, now: Mapping[str, Any]) -> str | None:
        """The act that is due by the player's view, if there is one."""
        act = self.repair.due(self.before, now, self.done)
        self.done += act is not None
        return act

    def dropped(self, now: Mapping[str, Any]) -> bool:
        """Whether what is left will not be done any more."""
        unfinished = self.done < len(self.repair.acts)
        return unfinished and (not now["legal"] or self.repair.dropped(self.before, now))


class _Table:
    """One person's game."""

    def __init__(
        self, match: Match, me: int, bots: Mapping[int, Policy], seed: int | None, lang: str
    ) -> None:
        self.match, self.me, self.bots, self.lang = match, me, bots, lang
        self.question = Question(None, None, seed, 1.0, lang)
        self.told = 0  # events of my stream that were printed
        self.repairing: _Repairing | None = None

    def say(self, key: str, **parts: Any) -> None:
        print(_WORDS[key][LANGUAGES.index(self.lang)].format(**parts))

    def welcome(self) -> None:
        sits = _WORDS["sits"][LANGUAGES.index(self.lang)]
        others = " ".join(sits.format(seat=k, bot=bot.name) for k, bot in self.bots.items())
        self.say("seats", seat=self.me, others=others)
        self.say("help")

    def play(self) -> None:
        """Until the game is over. Raises _Leave or EOFError where the player stops."""
        while not self.match.over:
            self.tell_news()
            if self.match.to_act == self.me:
                self.match.act(self.repaired() or self.ask())
            else:
                self.let_bot_act()
        self.tell_news()
        self.repaired()  # says so where the game ended before all was done

    def tell_news(self) -> None:
        events = self.match.stream(self.me)
        for event in events[self.told :]:
            print(event_words(event, self.lang))
        self.told = len(events)

    def let_bot_act(self) -> None:
        seat = self.match.to_act
        situation = self.situation(seat)
        self.match.act(act(self.bots[seat], situation, self.question)["action"])

    def situation(self, seat: int) -> Situation:
        return read_situation({"view": self.match.view(seat)})

    # ------------------------------------------------------------ the player's turn

    def repaired(self) -> str | None:
        """The act that is due of those that an irregular one stands for."""
        if self.repairing is None:
            return None
        now = self.match.view(self.me)
        act = self.repairing.next(now)
        if self.repairing.dropped(now):
            self.say("dropped", text=self.repairing.text)
            self.repairing = None
        return act

    def begin_repair(self, typed: str, view: Mapping[str, Any]) -> bool:
        """Whether what was typed, which is not legal, is an act that the rules make something of.

        Says what, or why it is undone.
        """
        game, seat, n = self.match.game, self.me, self.match.num_players
        texts = (game.telling.action_text(a, seat, n) for a in range(game.layout.num_actions))
        found = [] if game.repair is None else meant(typed, list(texts))
        if game.repair is None or len(found) != 1:
            return False
        repair = game.repair(view, found[0])
        why = repair.words[LANGUAGES.index(self.lang)]
        if repair.acts:
            self.repairing = _Repairing(found[0], repair, view)
        self.say(
            "repaired" if repair.acts else "undone",
            text=found[0], why=why, list=" · ".join(repair.acts),
        )  # fmt: skip
        return True

    def ask(self) -> str:
        """The text of an action that is legal."""
        view = self.match.view(self.me)
        legal: list[str] = view["legal"]
        if view.get("hand"):
            self.say("hand", cards=_cards(view["hand"]))
        self.say("you_can", list=" · ".join(_in_short(legal)))
        while True:
            typed = input(_WORDS["ask"][LANGUAGES.index(self.lang)]).strip()
            command = next((k for k, names in _COMMANDS.items() if typed in names), None)
            if command is not None:
                self.follow(command, legal)
            elif typed:
                found = meant(typed, legal)
                if len(found) == 1:
                    return found[0]
                if not found and self.begin_repair(typed, view):
                    if (act := self.repaired()) is not None:
                        return act
                    continue
                self.say("several" if found else "unknown", text=typed, list=", ".join(found[:9]))

    def follow(self, command: str, legal: Sequence[str]) -> None:
        if command == "help":
            self.say("help")
        elif command == "legal":
            for text in legal:
                print(f"  {text:<16} {action_words(text, self.lang)}")
        elif command == "hint":
            print(self.hint())
        elif command == "table":
            print(self.match.game.telling.render(self.match.record, self.me))
        elif command == "history":
            for event in self.match.stream(self.me):
                print(event_words(event, self.lang))
        else:
            raise _Leave

    def hint(self) -> str:
        """What the best bot that plays at this table would do."""
        situation = self.situation(self.me)
        bot = Bots().best(self.match.game, situation.options)
        return str(advise(bot, situation, self.question)["words"])

    # ------------------------------------------------------------ the end

    def end(self) -> None:
        """How it went, and everything that was hidden."""
        record = self.match.record
        place = int(record.place[self.me])
        if record.truncated:
            self.say("drawn", reward=float(self.match.returns[self.me]))
        else:
            self.say("won" if place == 1 else "lost", place=place)
        self.say("review")
        for event in self.match.events():
            print(event_words(event, self.lang))


def meant(typed: str, legal: Sequence[str]) -> list[str]:
    """The legal actions that a few typed words may stand for: that very text, or those that end in
    them, or those that begin so."""
    typed = " ".join(typed.split()).lower()
    by_lower = {text.lower(): text for text in legal}
    if typed in by_lower:
        return [by_lower[typed]]
    ending = [text for low, text in by_lower.items() if low.endswith(f" {typed}")]
    return ending or [text for low, text in by_lower.items() if low.startswith(typed)]


def _cards(hand: Any) -> str:
    """Cards that a view lists, or counts by their names."""
    if isinstance(hand, dict):
        hand = [name for name, count in hand.items() for _ in range(count)]
    return " ".join(map(str, hand))


def _in_short(legal: Sequence[str]) -> list[str]:
    """Actions of one kind, told by their first word, are cut short where there are many."""
    kinds: dict[str, list[str]] = {}
    for text in legal:
        kinds.setdefault(text.partition(" ")[0], []).append(text)
    shown = []
    for texts in kinds.values():
        many = len(texts) > _SHOWN_ACTIONS
        shown += [f"{texts[0]} … {texts[-1]}"] if many else texts
    return shown
