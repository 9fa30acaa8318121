from .box_facts import BoxFacts, BoxPublicSettings
from .box_task import check
from .boxes import Boxes

__all__ = [
    "BoxFacts",
    "BoxPublicSettings",
    "Boxes",
    "check",
]
