"""sfumato: anonymize microdata, and know how exact and how safe the release is.

Everything is loaded when first used, so that importing costs nothing.
"""

import lazy_loader

from sfumato.version import __version__ as __version__

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
