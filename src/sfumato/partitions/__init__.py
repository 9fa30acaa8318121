"""Fuzzy and crisp partitions of quasi attributes."""

from sfumato.partitions.fuzzy_partition import FuzzyPartition

__all__ = ["FuzzyPartition"]
