"""Fixtures that several test files use."""

import pytest

from kuku_env.core.game import KNOWN_GAMES


def pytest_addoption(parser):
    parser.addoption(
        "--games", type=int, default=1000, help="random games of each preset that must end"
    )


@pytest.fixture(scope="module")
def toy_is_known():
    """The toy game under ``tests/`` is found by its id, as pickles need it to be."""
    from toy import GAME

    KNOWN_GAMES[GAME.id] = GAME
    yield
    del KNOWN_GAMES[GAME.id]
