"""Reshaping: a new signal of a group in which hidden places do not stand out."""

from sfumato.groups.reshape.initial_solution import initial_counts
from sfumato.groups.reshape.landing_ranks import with_drawn_ranks
from sfumato.groups.reshape.methods import reshape
from sfumato.groups.reshape.minimal_moves import MinimalMoves, move_fewest

__all__ = ["MinimalMoves", "initial_counts", "move_fewest", "reshape", "with_drawn_ranks"]
