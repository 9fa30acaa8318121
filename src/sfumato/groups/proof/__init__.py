"""Proofs of minimality: the fewest people that have to move."""
