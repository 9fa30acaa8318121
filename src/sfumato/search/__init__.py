"""Evolutionary operators, shared by what searches with them: pure functions on arrays."""
