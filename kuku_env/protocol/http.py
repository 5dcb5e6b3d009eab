"""The protocol over HTTP: the same objects, one request a call. Needs the extra ``serve``."""

from __future__ import annotations

import contextlib
import socket
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.middleware.cors import CORSMiddleware
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from kuku_env import __version__
from kuku_env.core.checks import shown
from kuku_env.games import find_game
from kuku_env.protocol.openapi import (
    ACT,
    ADVISE,
    ERRORS,
    NEW,
    NOW,
    PLAY,
    QUESTION,
    REPAIR,
    REPAIRING,
    TABLE,
    asking,
    failing,
    telling,
)
from kuku_env.protocol.service import Service, failure, line_of
from kuku_env.protocol.wire import ProtocolError, too_large

STATUS = {
    "bad_json": 400,
    "unknown_op": 404,
    "unknown_bot": 404,
    "unknown_table": 404,
    "illegal_action": 409,
    "wrong_rules": 409,
    "stale": 409,
    "too_large": 413,
    "bad_view": 422,
    "internal": 500,
    "too_many": 503,
}
LAST_SECONDS = 5  # that requests under way have when the server is stopped
MOST_AT_ONCE = 256  # connections; more are told to come again


def make_app(service: Service, origins: Sequence[str] = ()) -> FastAPI:
    """The application. ``origins`` are the web pages' that a browser lets ask, ``*`` all."""
    app = FastAPI(
        title="kuku-env",
        version=__version__,
        summary="Bots for bluffing card games: what would they do, and why?",
        redirect_slashes=False,
    )
    if origins:
        app.add_middleware(CORSMiddleware, allow_origins=origins, allow_headers=["content-type"])
    app.add_exception_handler(HTTPException, not_found)

    async def answer(request: Request, op: str) -> Response:
        try:
            body = await body_of(request, service.max_bytes)
        except ProtocolError as error:
            return respond(failure(error))
        reply = await run_in_threadpool(service.reply_to_bytes, body, op)
        return respond(reply or {})

    @app.post("/v1/act", openapi_extra=asking(QUESTION, ACT), responses=ERRORS)
    async def act(request: Request) -> Response:
        """Let a bot decide."""
        return await answer(request, "act")

    @app.post("/v1/advise", openapi_extra=asking(QUESTION, ADVISE), responses=ERRORS)
    async def advise(request: Request) -> Response:
        """What a bot thinks of every legal action, in figures and in words."""
        return await answer(request, "advise")

    @app.post("/v1/repair", openapi_extra=asking(REPAIRING, REPAIR), responses=ERRORS)
    async def repair(request: Request) -> Response:
        """What an act that the rules do not allow stands for, where the game's rules repair it."""
        return await answer(request, "repair")

    @app.post("/v1/new", openapi_extra=asking(NEW, TABLE), responses=ERRORS)
    async def new(request: Request) -> Response:
        """Deal a game that is held here."""
        return await answer(request, "new")

    @app.post("/v1/play", openapi_extra=asking(PLAY, TABLE), responses=ERRORS)
    async def play(request: Request) -> Response:
        """Act in a game that is held here."""
        return await answer(request, "play")

    @app.post("/v1/now", openapi_extra=asking(NOW, TABLE), responses=ERRORS)
    async def now(request: Request) -> Response:
        """Look at a game that is held here, as one of its open seats."""
        return await answer(request, "now")

    @app.get("/v1/bots", openapi_extra=telling("software, games and bots, as hello tells them"))
    def bots() -> Response:
        """Who is here."""
        return respond(service.hello())

    @app.get(
        "/v1/spec/{game:path}",
        openapi_extra=telling("options, presets and layout"),
        responses={"4XX": failing("there is no such game")},
    )
    def spec(game: str) -> Response:
        """What front ends need to know of a game, by its id or short name."""
        try:
            return respond(find_game(game).spec())
        except KeyError:
            error = ProtocolError("bad_view", f"no game is called {shown(game)}", "game")
            return respond(failure(error), 404)

    @app.get("/healthz", openapi_extra=telling("ok is true"))
    def healthz() -> Response:
        """Whether the server answers."""
        return respond({"ok": True})

    return app


async def body_of(request: Request, max_bytes: int) -> bytes:
    """The request's body, never more of it than is allowed. Raises ProtocolError (too_large)."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > max_bytes:
            raise too_large(max_bytes)
    return bytes(body)


def respond(reply: Mapping[str, Any], status: int | None = None) -> Response:
    """A reply as JSON; an error's status is that of its code, unless told."""
    if status is None:
        status = STATUS[reply["error"]["code"]] if "error" in reply else 200
    return Response(line_of(reply), status, media_type="application/json")


async def not_found(request: Request, error: Exception) -> Response:
    """Another path or method is an error of the protocol's form too."""
    status = error.status_code if isinstance(error, HTTPException) else 404
    headers = error.headers if isinstance(error, HTTPException) else None
    words = f"{request.method} {shown(request.url.path)} is not answered here"
    response = respond(failure(ProtocolError("unknown_op", words)), status)
    response.headers.update(headers or {})
    return response


def run(service: Service, host: str, port: int, origins: Sequence[str] = ()) -> None:
    """Serve until interrupted or told to end; raises as ``listen`` does."""
    listen(make_app(service, origins), host, port, "listening on {0}, documented at {0}/docs")


def listen(app: FastAPI, host: str, port: int, words: str) -> None:
    """Serve an application until interrupted or told to end; requests under way are answered first.

    Port 0 takes a free one; standard error tells the address in ``words``, at ``{0}``. Raises
    OSError where the address cannot be had.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listening, _quietly():
        # asyncio would set it, but not for a socket made in this way: replies came 40 ms late.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        name = f"[{host}]" if ":" in host else host
        where = f"http://{name}:{listening.getsockname()[1]}"
        print(words.format(where), file=sys.stderr, flush=True)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            server_header=False,
            limit_concurrency=MOST_AT_ONCE,
            timeout_graceful_shutdown=LAST_SECONDS,
        )
        uvicorn.Server(config).run(sockets=[listening])


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Ctrl-C is how one stops a server, and no error."""
    with contextlib.suppress(KeyboardInterrupt):
        yield
