"""Synthetic microfiles for demonstrations and tests, whose people do not exist, and presets for real surveys."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
