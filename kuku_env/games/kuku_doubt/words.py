"""Actions and events of Kuku Doubt in words, English and Japanese."""

from kuku_env.core.game import Words

WORDS = Words(
    actions=(
        (r"accept", "accept", "受け取る"),
        (r"doubt", "doubt", "ダウト"),
        (r"see (\S+) (\S+)", "see through: {0} and {1}", "見破る({0}と{1})"),
        (r"discard low", "discard the lower card", "小さいほうを捨てる"),
        (r"discard high", "discard the higher card", "大きいほうを捨てる"),
        (r"discard one", "discard one card", "1枚捨てる"),
        (r"discard both", "discard both cards", "2枚とも捨てる"),
        (r"claim (\S+)", "claim {0}", "「{0}」と宣言"),
        (r"flip first", "turn up the first life card", "1枚目のライフを表にする"),
        (r"flip second", "turn up the second life card", "2枚目のライフを表にする"),
        (r"start (\d)", "seat {0} starts the next round", "次のラウンドは席{0}から"),
    ),
    events=(
        (
            "lives",
            None,
            "seat {seat} is dealt life cards: {cards}",
            "席{seat}にライフカード: {cards}",
        ),
        ("round", None, "— a round, seat {start} starts —", "― ラウンド開始、席{start}から ―"),
        ("draw", None, "seat {seat} draws {cards}", "席{seat}が引く: {cards}"),
        ("look", None, "seat {seat} looks at {cards}", "席{seat}が見る: {cards}"),
        ("reveal", None, "turned up onto the table: {cards}", "場に表向きで出る: {cards}"),
        (
            "show",
            True,
            "turned up: {cards}; {claim} is true, seat {loser} loses",
            "札を公開: {cards}。「{claim}」は本当、席{loser}の負け",
        ),
        (
            "show",
            False,
            "turned up: {cards}; {claim} is a lie, seat {loser} loses",
            "札を公開: {cards}。「{claim}」は嘘、席{loser}の負け",
        ),
        ("flip", None, "seat {seat} loses a life: {card}", "席{seat}のライフが表に: {card}"),
        (
            "reshuffle",
            None,
            "the discards are shuffled, a pile of {cards}",
            "捨て札を山札に: {cards}",
        ),
        ("table_recycled", None, "the table is shuffled in, {cards}", "場の札も山札に: {cards}"),
    ),
)
