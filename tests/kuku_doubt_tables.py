"""Tables of Kuku Doubt of all kinds: see variety.py."""

from collections import Counter

# Small decks, where the pile runs out again and again.
FEW = [1, 0, 1, 1, 2, 0, 0, 0, 0, 1]
DOZEN = [1, 1, 2, 2, 2, 1, 1, 1, 0, 1]

TABLES = [
    *({"num_players": n} for n in range(2, 7)),
    {"num_players": 2, "duel_lives": True, "life_cards": 1, "first_player": 1},
    {"num_players": 3, "reward": "placement", "max_decisions": 25},
    {"num_players": 4, "see_through": "consistent", "max_accepts": 2, "life_cards": 0},
    {"num_players": 3, "life_cards": 1, "copies": FEW, "claims": [1, 6, 9, 81]},
    {"num_players": 3, "copies": DOZEN},
    {"num_players": 3, "copies": [2] * 10, "life_cards": 1},
    {"num_players": 2, "life_cards": 0, "copies": [0, 0, 2, 0, 0, 0, 0, 0, 0, 0]},
    {"num_players": 2, "duel_lives": True, "life_cards": 1, "copies": FEW},
    {"num_players": 6, "reward": "placement", "max_decisions": 60},
    {"num_players": 5, "copies": DOZEN, "life_cards": 1},
    {"num_players": 2, "max_decisions": 1},
]


def random_options(chance):
    n, life_cards = chance.randint(2, 6), chance.randint(0, 2)
    copies = chance.choice(
        [
            [3, 3, 3, 4, 4, 4, 4, 4, 3, 3],
            [0] * 10,  # a deck as small as can be
            [chance.randint(0, 4) for _ in range(10)],
        ]
    )
    for rank in chance.sample(range(10), 10):
        lacking = n * life_cards + 2 - sum(copies)
        copies[rank] += max(0, min(4 - copies[rank], lacking))
    products = sorted({a * b for a in range(1, 10) for b in range(1, 10)})
    return {
        "num_players": n,
        "life_cards": life_cards,
        "copies": copies,
        "first_player": chance.choice([None, *range(n)]),
        "duel_lives": n == 2 and chance.random() < 0.5,
        "see_through": chance.choice(["any", "consistent"]),
        "reward": chance.choice(["winner", "placement"]),
        "max_accepts": chance.choice([None, *range(5)]),
        "claims": sorted(chance.sample(products, chance.choice([1, 2, 5, 20]))) or None,
        "max_decisions": chance.choice([1000, 1000, 120, 40, 7, 1]),
    }


def is_complete(match):
    """Every card of the deck is somewhere, and the sizes are those of the heaps."""
    s = match.record
    loose = Counter(int(card) for card in (*s.pair, *s.life.ravel()) if card >= 0)
    cards = [int(s.pile[r] + s.box[r] + s.table[r]) + loose[r] for r in range(10)]
    sizes = [s.pile.sum(), s.box.sum(), s.table.sum()]
    return cards == [*match.options.copies] and sizes == [s.pile_size, s.box_size, s.table_size]
