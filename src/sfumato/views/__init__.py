"""Facts and sentences about results, as values.

Each module says one thing about a result: what a release promises, what risk remains, what a method did. Nothing here
prints or draws. Command line, report and notebooks render these values, so that all of them use the same words.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
