"""Fuzzy and crisp partitions of quasi attributes."""

from sfumato.partitions.partition import FuzzyPartition

__all__ = ["FuzzyPartition"]
