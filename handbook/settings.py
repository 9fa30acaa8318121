"""Tables of settings, made from their fields."""

from __future__ import annotations

import json
import re

from sfumato.settings import Settings


def settings_table(model: type[Settings]) -> str:
    """Return all fields of settings as a table."""
    rows = ["| setting | default | what it is |", "|---|---|---|"]
    for name, field in model.model_fields.items():
        usual = None if field.is_required() else field.get_default(call_default_factory=True)
        # settings within settings have a table of their own
        default = "" if field.is_required() or isinstance(usual, Settings) else f"`{json.dumps(usual)}`"
        told = re.sub(r"\s+", " ", field.description or "").replace("``", "`").replace("|", "\\|")
        rows.append(f"| `{name}` | {'' if default in ('`null`', '`{}`', '`[]`') else default} | {told} |")
    return "\n".join(rows)
