"""A steward's record of a hidden group, as masks write it."""

from __future__ import annotations

from typing import Any

SECRET_PLACE = "Hiddenville"


def group(**changed: Any) -> dict[str, Any]:
    usual: dict[str, Any] = {
        "mask": {
            "group": {"vital": {"MIL": [1]}, "parameter": ["POWPUMA"]},
            "hide": [SECRET_PLACE],
            "influential": ["AGEP"],
        },
        "hidden": [SECRET_PLACE],
        "known": ["Fort Known"],
        "cost": 12.5,
        "optimal": True,
        "swaps": [[987654, 876543]],
        "moved": 71,
        "at_least": 71,
        "proven": True,
        "changed_records": 142,
        "before": {"Elsewhere": 4, SECRET_PLACE: 83, "Fort Known": 60},
        "after": {"Elsewhere": 75, SECRET_PLACE: 12, "Fort Known": 60},
        "outliers": {"before": [SECRET_PLACE, "Fort Known"], "after": ["Fort Known"]},
        "tables": {"AGEP": {"share": 0.031, "largest_cell_change": 9}},
    }
    return usual | changed


def record(seal: str, *groups: dict[str, Any]) -> dict[str, Any]:
    return {
        "seal": seal,
        "original_records": 4321,
        "protection": {"k": 2, "seed": 13579},
        "groups": list(groups or [group()]),
        "seed": 24680,
        "order": "shuffled",
    }
