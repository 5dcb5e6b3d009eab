"""Games over HTTP, and the page to play them on. Needs the extra ``serve``."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from kuku_env import __version__
from kuku_env.core.checks import shown
from kuku_env.protocol.http import body_of, not_found, respond
from kuku_env.protocol.service import failure
from kuku_env.protocol.wire import ProtocolError, read_json
from kuku_env.web.asked import OPS
from kuku_env.web.desk import Desk

MAX_BYTES = 16 << 10  # of a request: the longest that is meant has a few hundred
BOT_FILES = ("bot.json", "policy.onnx")


def make_app(desk: Desk, page: Path) -> FastAPI:
    """The application: ``POST /play/OP``, and the files of the page (and of bots it may ask)."""
    app = FastAPI(
        title="kuku-env", version=__version__, docs_url=None, redoc_url=None, openapi_url=None
    )
    app.add_exception_handler(HTTPException, not_found)
    safe = _headers(page)

    @app.middleware("http")
    async def add_headers(request: Request, call_next: Any) -> Response:
        response: Response = await call_next(request)
        response.headers.update(safe)
        return response

    @app.post("/play/{op}")
    async def play(op: str, request: Request) -> Response:
        if op not in OPS:
            raise HTTPException(404)
        try:
            # A form of another site's page cannot send this type, its scripts not without asking.
            kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind != "application/json":
                words = f"the content type must be application/json, given {shown(kind)}"
                raise ProtocolError("bad_json", words)
            asked = read_json(await body_of(request, MAX_BYTES))
        except ProtocolError as error:
            return respond(failure(error))
        return respond(await run_in_threadpool(desk.reply, op, asked))

    @app.get("/bots/{name}/{file}")
    def bot(name: str, file: str) -> Response:
        folder = desk.house.folder(name)
        if folder is None or file not in BOT_FILES:
            raise HTTPException(404)
        return FileResponse(folder / file)

    @app.get("/healthz")
    def healthz() -> Response:
        return respond({"ok": True})

    app.mount("/", StaticFiles(directory=page, html=True))
    return app


def _headers(page: Path) -> dict[str, str]:
    """Headers of every answer: the page runs its own scripts alone, and nothing is kept."""
    inline = re.findall(r"<script type=\"importmap\">(.*?)</script>", _text(page), re.DOTALL)
    scripts = " ".join(f"'sha256-{_digest(script)}'" for script in inline)
    policy = f"default-src 'self'; img-src data:; script-src 'self' 'wasm-unsafe-eval' {scripts}"
    return {
        "content-security-policy": f"{policy}; frame-ancestors 'none'; base-uri 'none'".strip(),
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "no-cache",
    }


def _text(page: Path) -> str:
    return (page / "index.html").read_text("utf-8")


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
