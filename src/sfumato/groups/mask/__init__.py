"""The group mask: settings, protection, verification, and what the steward keeps.

Everything is loaded when first used, so that an audit needs no compiled kernels.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
