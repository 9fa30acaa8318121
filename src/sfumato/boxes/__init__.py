"""Boxes of at least k records, shaped so that the statistics that matter stay exact."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
