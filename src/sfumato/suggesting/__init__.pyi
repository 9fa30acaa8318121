from .recipe_writer import recipe_text
from .role_guesses import Suggested
from .suggestion import Suggestion, suggest

__all__ = [
    "Suggested",
    "Suggestion",
    "recipe_text",
    "suggest",
]
