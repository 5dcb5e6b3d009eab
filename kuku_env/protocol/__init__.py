"""The bot protocol: bots for front ends in any language, as JSON over stdio or HTTP.

``Service`` answers requests; ``stdio`` and ``http`` carry them. See docs/protocol.md.
"""

from kuku_env.protocol.registry import LEVELS, Bots
from kuku_env.protocol.service import PROTOCOL, Service
from kuku_env.protocol.wire import CODES, MAX_BYTES, ProtocolError

__all__ = ["CODES", "LEVELS", "MAX_BYTES", "PROTOCOL", "Bots", "ProtocolError", "Service"]
