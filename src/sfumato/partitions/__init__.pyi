from .fuzzy_partition import FuzzyPartition
from .partition_facts import PartitionPublicSettings

__all__ = [
    "FuzzyPartition",
    "PartitionPublicSettings",
]
