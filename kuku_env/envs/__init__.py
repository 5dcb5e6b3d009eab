"""Environments: PettingZoo AEC, a batch of games, one learner's seat, and game records."""
