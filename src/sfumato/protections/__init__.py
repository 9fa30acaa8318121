"""What protections of single people have in common: their settings, checks and the way to a release."""

from sfumato.protections.input_checks import check_input, refuse_large_k
from sfumato.protections.person_protection import PersonProtection
from sfumato.protections.protected_table import ProtectedTable, release_of

__all__ = [
    "PersonProtection",
    "ProtectedTable",
    "check_input",
    "refuse_large_k",
    "release_of",
]
