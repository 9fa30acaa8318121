"""What every part of the steward's records has in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class RecordPart(BaseModel):
    """A part of a record; what a later version adds is not read."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)
