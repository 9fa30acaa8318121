"""What is made from the code: schemas, tables of settings, pictures of concepts, what examples print.

``python -m tests.generated`` (``make schema``) writes it again.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from handbook.diagrams import diagrams
from handbook.guide_pictures import guide_pictures
from handbook.pictures import concept_pictures
from sfumato.attacks.fuzzy_rule_attack import FuzzyRuleAttack
from sfumato.attacks.learned_attack import LearnedAttack
from sfumato.attacks.linkage import Linkage
from sfumato.attacks.rule_evolution import RuleEvolution
from sfumato.boxes import Boxes
from sfumato.fuzzy import CategoricalVariable
from sfumato.groups import Group, GroupMask, Memetic
from sfumato.harmonising.attribute_steps import Join
from sfumato.harmonising.value_steps import CodedIntervals, Map
from sfumato.partitions import FuzzyPartition
from sfumato.recipe_schema import recipe_schema
from sfumato.release.certificate import certificate_schema
from sfumato.settings import Settings
from sfumato.sources import FileSource
from tests.pages import BLOCK, as_run

ROOT = Path(__file__).parents[1]
SCHEMAS: Mapping[str, Callable[[], object]] = {
    "src/sfumato/release/certificate.schema.json": certificate_schema,
    "src/sfumato/recipe.schema.json": recipe_schema,
}
TABLES: Mapping[str, tuple[type[Settings], ...]] = {
    "docs/boxes.md": (Boxes,),
    "docs/recipes.md": (FileSource,),
    "docs/partitions.md": (FuzzyPartition,),
    "docs/groups.md": (Group, GroupMask, Memetic),
    "docs/attack.md": (FuzzyRuleAttack, RuleEvolution, LearnedAttack),
    "docs/harmonising.md": (Map, Join, CodedIntervals),
    "docs/variables.md": (CategoricalVariable,),
    "docs/linkage.md": (Linkage,),
}

PAGES = tuple(
    page.relative_to(ROOT).as_posix()
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if BLOCK.search(page.read_text())
)
"""Pages with blocks that are run."""


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
    drawn = concept_pictures() | guide_pictures() | diagrams()
    found |= {ROOT / "docs/pictures" / name: content for name, content in drawn.items()}
    return found | {ROOT / name: with_tables((ROOT / name).read_text(), models) for name, models in TABLES.items()}


def with_answers(page: str) -> str:
    """Put what its blocks print into a page."""
    with tempfile.TemporaryDirectory() as folder:
        return as_run(page, Path(folder))


if __name__ == "__main__":
    for path, content in contents().items():
        path.write_text(content)
    for name in PAGES:
        (ROOT / name).write_text(with_answers((ROOT / name).read_text()))
