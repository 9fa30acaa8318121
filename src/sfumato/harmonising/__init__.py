"""Harmonising: two files made alike, so that what is learned from one can be applied to the other."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
