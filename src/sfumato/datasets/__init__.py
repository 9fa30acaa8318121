"""Synthetic microfiles for demonstrations and tests: the people in them do not exist."""

from sfumato.datasets.census import census
from sfumato.datasets.geography import AREAS, STATES, bases, colleges
from sfumato.datasets.health import health_survey

__all__ = ["AREAS", "STATES", "bases", "census", "colleges", "health_survey"]
