"""The command ``kuku``; see ``main``."""
