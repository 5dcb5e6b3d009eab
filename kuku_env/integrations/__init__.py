"""Adapters to libraries that are not part of the base install.

Nothing is imported here: each module needs the library it is named after, and says what to install
where that is missing.
"""
