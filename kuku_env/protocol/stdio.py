"""The protocol over standard input and output: a JSON object a line, a reply a line, in order."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import BinaryIO

from kuku_env.protocol.service import Service, failure, line_of

_PIECE = 1 << 16


def serve(service: Service, source: BinaryIO, sink: BinaryIO) -> None:
    """Answer every line of ``source`` on ``sink`` until ``quit``, or until either end is closed.

    A line that is too long is answered at once and read over; no more than the service's
    ``max_bytes`` are ever kept. Blank lines are no requests.
    """
    try:
        while line := source.readline(service.max_bytes + 1):
            whole = line.endswith(b"\n")
            if not whole and len(line) > service.max_bytes:
                reply: bytes | None = line_of(failure(service.too_large()))
            elif line.isspace():
                continue
            else:
                reply = service.reply_to_line(line.rstrip(b"\r\n"))
            if reply is None:
                return
            sink.write(reply)
            sink.flush()
            if not whole:
                _read_over(source)
    except BrokenPipeError:  # nobody listens any more
        return


def _read_over(source: BinaryIO) -> None:
    """Read up to the end of a line, and forget it."""
    while (piece := source.readline(_PIECE)) and not piece.endswith(b"\n"):
        pass


def serve_process(service: Service) -> None:
    """Serve this process's own standard input and output.

    Whatever else is printed goes to standard error, so that it cannot get between the replies.
    """
    sys.stdout.flush()
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        serve(service, sys.stdin.buffer, sink)
    except KeyboardInterrupt:
        return
    finally:
        with suppress(BrokenPipeError):
            sink.close()
