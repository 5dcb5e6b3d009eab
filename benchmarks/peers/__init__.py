"""What we compare ourselves with, a module a library. One subject a process:
``python -m benchmarks.peers.pgx leduc --cores 0``.

Nothing here is imported by the package, and each library only by the subject that needs it: a
library that is not installed costs its own subjects alone.
"""
