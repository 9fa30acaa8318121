"""Facts and sentences about results, as values.

Each module says one thing about a result: what a release promises, what risk remains, what a method did. Nothing here
prints or draws. Command line, report and notebooks render these values, so that all of them use the same words.
"""

from sfumato.views.model import Card, Passage, Table

__all__ = ["Card", "Passage", "Table"]
