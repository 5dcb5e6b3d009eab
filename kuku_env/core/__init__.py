"""What every game stands on; no game is named here."""
