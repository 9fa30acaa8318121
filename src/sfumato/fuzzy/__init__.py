"""Fuzzy sets of an attribute's values: shapes, linguistic variables, partitions and how their members are counted."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
