"""Attacks: what an attacker with another file learns about a group or a person, beside a baseline."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
