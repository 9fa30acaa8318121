"""A first recipe for a file: which attribute is what, and why."""

from sfumato.suggesting.recipe_writer import recipe_text
from sfumato.suggesting.role_guesses import Suggested
from sfumato.suggesting.suggestion import Suggestion, suggest

__all__ = ["Suggested", "Suggestion", "recipe_text", "suggest"]
