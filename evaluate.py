"""``kuku evaluate``, for a clone: pit bots against each other and say how strong they are.

python evaluate.py scripted-normal scripted-easy random --players 2 4 --games 20000
python evaluate.py runs/demo/bot scripted-easy --self-play 1000
"""

from __future__ import annotations

import sys

from kuku_env.command import evaluate


def main() -> int:
    return evaluate.main(sys.argv[1:], "python evaluate.py")


if __name__ == "__main__":
    sys.exit(main())
