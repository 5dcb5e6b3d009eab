from dataclasses import dataclass, field

from kuku_env.core.game import check_int

SEATS = 3


@dataclass(frozen=True)
class Options:
    num_players: int = field(default=2, metadata={"doc": "seats, 2 or 3"})

    def __post_init__(self):
        check_int("num_players", self.num_players, 2, SEATS)

    def write(self, record):
        record.num_players = self.num_players
