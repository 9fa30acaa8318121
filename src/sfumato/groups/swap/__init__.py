"""Swaps of places between records that bring about a new signal at the least cost."""
