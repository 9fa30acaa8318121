"""Attacks: what outside knowledge gives away about a group, and how well it was found."""

from sfumato.attacks.adequacy import Adequacy, adequacy
from sfumato.attacks.bayes_test import Evidence, evidence_of, log_bayes_factors

__all__ = ["Adequacy", "Evidence", "adequacy", "evidence_of", "log_bayes_factors"]
