"""Bluffing card games: rules, environments and bots."""

__version__ = "0.1.0"
