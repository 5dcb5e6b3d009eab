"""Games in the browser: a server that holds them, and the page to play on. See docs/playing.md.

``House`` says what is played, ``Desk`` answers the page, ``app`` carries it over HTTP.
"""

from pathlib import Path

from kuku_env.core.game import Game
from kuku_env.web.desk import Desk
from kuku_env.web.house import House

__all__ = ["Desk", "House", "page_of"]


def page_of(game: Game) -> Path:
    """The folder of the page that comes with the package. Raises FileNotFoundError: it has none."""
    folder = Path(__file__).parent / "page" / game.name
    if not (folder / "index.html").is_file():
        raise FileNotFoundError(f"there is no page for {game.name}")
    return folder
