"""Files that are made from the settings' fields: ``python -m tests.generated`` (``make schema``) writes them anew."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from sfumato.boxes import Boxes
from sfumato.recipe import Source, recipe_schema
from sfumato.release.certificate import certificate_schema
from sfumato.settings import Settings

ROOT = Path(__file__).parents[1]
SCHEMAS: Mapping[str, Callable[[], object]] = {
    "src/sfumato/release/certificate.schema.json": certificate_schema,
    "src/sfumato/recipe.schema.json": recipe_schema,
}
TABLES: Mapping[str, tuple[type[Settings], ...]] = {"docs/boxes.md": (Boxes, Source)}


def settings_table(model: type[Settings]) -> str:
    """Return all fields of settings as a table."""
    rows = ["| setting | default | what it is |", "|---|---|---|"]
    for name, field in model.model_fields.items():
        default = "" if field.is_required() else f"`{json.dumps(field.get_default(call_default_factory=True))}`"
        told = re.sub(r"\s+", " ", field.description or "").replace("``", "`").replace("|", "\\|")
        rows.append(f"| `{name}` | {'' if default in ('`null`', '`{}`', '`[]`') else default} | {told} |")
    return "\n".join(rows)


def with_tables(page: str, models: tuple[type[Settings], ...]) -> str:
    """Put the tables of settings between their marks."""
    for model in models:
        begin, end = f"<!-- settings: {model.__name__} -->", "<!-- end -->"
        before, found, rest = page.partition(begin)
        assert found, f"the page has no {begin}"
        page = f"{before}{begin}\n\n{settings_table(model)}\n\n{end}{rest.partition(end)[2]}"
    return page


def contents() -> dict[Path, str]:
    """Return what each file should hold."""
    found = {ROOT / name: json.dumps(make(), indent=2) + "\n" for name, make in SCHEMAS.items()}
    return found | {ROOT / name: with_tables((ROOT / name).read_text(), models) for name, models in TABLES.items()}


if __name__ == "__main__":
    for path, content in contents().items():
        path.write_text(content)
