"""Actions and events of Liar's Cry in words, English and Japanese."""

from kuku_env.core.game import Words

WORDS = Words(
    actions=(
        (r"lead (\S+)", "lead {0} face up", "{0}を表で出す"),
        (r"play (\S+)", "play {0} face down", "{0}を伏せて出す"),
        (r"play", "play a card face down", "1枚伏せて出す"),
        (r"collect", "collect the table", "場を回収する"),
        (r"doubt", "doubt", "ダウト"),
        (r"take (\d+)", "take card {0} of the table into hand", "場の{0}枚目を手札に入れる"),
        (r"skip", "skip", "スキップ"),
    ),
    events=(
        ("deal", None, "seat {seat} is dealt {cards}", "席{seat}に配る: {cards}"),
        ("look", None, "seat {seat} looks at {cards}", "席{seat}が見る: {cards}"),
        (
            "show",
            True,
            "seat {seat}'s card is turned up: {card}, which is true",
            "席{seat}の札を公開: {card}、本当",
        ),
        (
            "show",
            False,
            "seat {seat}'s card is turned up: {card}, which is a lie",
            "席{seat}の札を公開: {card}、嘘",
        ),
        ("taken", None, "seat {seat} takes the table: {cards}", "席{seat}が場札を取る: {cards}"),
        (
            "deal_end",
            None,
            "the deal is over; points by seat: {points}",
            "ディール終了。点数(席順): {points}",
        ),
    ),
)
