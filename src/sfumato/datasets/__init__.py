"""Generated microfiles, for demonstrations and tests without outside data: nobody in them lives."""

from sfumato.datasets.census import census
from sfumato.datasets.country import AREAS, STATES, bases, colleges
from sfumato.datasets.health import health_survey

__all__ = ["AREAS", "STATES", "bases", "census", "colleges", "health_survey"]
