"""A first recipe for a file: which attribute is what, and why."""

from sfumato.suggesting.roles import Suggested
from sfumato.suggesting.suggestion import Suggestion, suggest
from sfumato.suggesting.text import recipe_text

__all__ = ["Suggested", "Suggestion", "recipe_text", "suggest"]
