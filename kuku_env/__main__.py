"""``python -m kuku_env`` is the command ``kuku``."""

import sys

from kuku_env.command.main import main

sys.exit(main())
