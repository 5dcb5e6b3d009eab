"""Actions and events of Doubt in words, English and Japanese."""

from kuku_env.core.game import Words

WORDS = Words(
    actions=(
        (r"let go", "let it go", "見送る"),
        (r"doubt", "doubt", "ダウト"),
        (r"put down", "put the cards down", "伏せて出す"),
        (r"add (\S+)", "add {0} to what is put down", "出す札に{0}を加える"),
    ),
    events=(
        ("deal", None, "seat {seat} is dealt {cards}", "席{seat}に配る: {cards}"),
        ("start", None, "seat {seat} starts", "席{seat}から始める"),
        ("turn", None, "— seat {seat}, number {number} —", "― 席{seat}の番、数は{number} ―"),
        ("ask", None, "seat {seat} may call", "席{seat}は止めるか"),
        (
            "show",
            True,
            "turned up: {cards}; {number} is true, seat {loser} loses",
            "札を公開: {cards}。「{number}」は本当、席{loser}の負け",
        ),
        (
            "show",
            False,
            "turned up: {cards}; {number} is a lie, seat {loser} loses",
            "札を公開: {cards}。「{number}」は嘘、席{loser}の負け",
        ),
        ("take", None, "seat {seat} takes the pile: {cards}", "席{seat}が山を取る: {cards}"),
        (
            "exchange",
            None,
            "seat {seat} gets from seat {from}: {cards}",
            "席{from}から席{seat}へ: {cards}",
        ),
        (
            "set_aside",
            None,
            "seat {seat}'s cards are set aside: {cards}",
            "席{seat}の札を脇へ: {cards}",
        ),
        ("new_pile", None, "a new pile is begun: {cards}", "新しい山: {cards}"),
    ),
)
