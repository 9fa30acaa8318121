"""Groups: their signals over places, and masks that hide what these would reveal.

The rooms, from the top: :mod:`~sfumato.groups.mask` (the protection), :mod:`~sfumato.groups.swap` and
:mod:`~sfumato.groups.reshape` (its two steps), :mod:`~sfumato.groups.proof` (proofs of minimality); below them the
group, its signals and its outliers. Everything is loaded when first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
