from kuku_env.core.layout import ActionBlock, Field, Layout
from toy.options import SEATS

GAME_ID = "test/Coin-v0"
FACES = ("heads", "tails")
HEADS, TAILS, BELIEVE, DOUBT = range(4)

LAYOUT = Layout(
    GAME_ID,
    1,
    (
        Field(
            "phase",
            (2,),
            1,
            "phase",
            "one_hot",
            "what is asked",
            ("say", "answer", "over", "chance"),
        ),
        Field("seat", (SEATS,), 1, "seat", "one_hot", "my seat", tuple(range(SEATS))),
        Field("coin", (2,), 1, "coin?", "one_hot", "how it fell, if I know", FACES),
        Field("said", (2,), 1, "said?", "one_hot", "what seat 0 said", FACES),
    ),
    (
        ActionBlock("say", ("say heads", "say tails"), "say how the coin fell"),
        ActionBlock("answer", ("believe", "doubt"), "believe or doubt it"),
    ),
)
SECRETS = Layout(
    f"{GAME_ID}/secrets", 1, (Field("coin", (2,), 1, "coin", "one_hot", "the coin", FACES),)
)
