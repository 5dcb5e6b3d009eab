"""What learns: networks, self-play, checkpoints, export. Needs torch; run from a clone."""
