"""What protecting a file did: for the steward, beside the report of the release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from sfumato.boxes import BoxFacts
from sfumato.formatting import count, counted
from sfumato.recipe import Recipe
from sfumato.release import Release, ReleaseEvidence, beside
from sfumato.views.audit import risk_phrase
from sfumato.views.cautions import cautions
from sfumato.views.hidden_groups import group_costs
from sfumato.views.method import edge_sentences, grid_list, inversion_sentences, revealing_edges, uncertainty_sentences
from sfumato.views.promise import original_values, released_households, withheld_households
from sfumato.views.risk import identifying_attributes

UNPROTECTED = "Individuals are not protected: a group mask hides groups only. Add a protection of individuals after it."
REPEATED = "This is the release of the confidential record, byte for byte."
DIFFERENT = (
    "This is not the release of the confidential record: the file, the recipe, the options or the software differ."
)


def size_sentence(release: Release, evidence: ReleaseEvidence) -> str:
    """Say how many records are released, in how many blocks, and how many are suppressed."""
    blocks = evidence.audit.measured.get("blocks")
    where = "" if blocks is None else f" in {counted(blocks, 'block')}"
    suppressed = release.steward.left_out
    suppression = f"{count(suppressed) if suppressed else 'none'} suppressed"
    return f"{counted(release.microfile.records, 'record')}{where}, {suppression}."


def warnings_of(recipe: Recipe, release: Release, evidence: ReleaseEvidence, raised: Sequence[str]) -> list[str]:
    """Return the warnings that deserve attention, each once.

    Parameters
    ----------
    recipe, release, evidence
        What was asked for, made and measured.
    raised
        The warnings raised while protecting.
    """
    repeated_below = detail_notes(recipe, release)
    return [line for line in dict.fromkeys((*identifying_attributes(evidence), *raised)) if line not in repeated_below]


def detail_notes(recipe: Recipe, release: Release) -> list[str]:
    """Say whether preserved statistics may be inexact because of attributes that none of them uses."""
    return recipe.protections[-1].concerns(release)


def individual_sentences(release: Release, evidence: ReleaseEvidence) -> Iterator[str]:
    """Say what the promise about individuals means and what it does not prevent."""
    measured = evidence.audit.measured
    yield from original_values(evidence)
    yield from withheld_households(evidence)
    yield from released_households(measured)
    yield from cautions(measured, release.promise)
    yield f"Risk: {risk_phrase(measured)}."


def method_sentences(recipe: Recipe, release: Release, evidence: ReleaseEvidence) -> Iterator[str]:
    """Say what each method did and cost."""
    settings, facts = release.public, release.steward
    if facts.groups and settings.exchanged is not None:
        yield from group_costs(facts.groups, settings.exchanged.attributes)
    if settings.method == "boxes":
        boxes = BoxFacts.of(release.private)
        yield from uncertainty_sentences(boxes.uncertainty or {})
        yield from detail_notes(recipe, release)
        if edges := edge_sentences(settings):
            yield from (*edges, *grid_list(settings), revealing_edges(boxes.shown or 0, release.promise.k))
    yield from inversion_sentences(evidence.audit.measured)


def written_sentence(folder: Path) -> str:
    """Say where the release and the confidential record are."""
    return f"Release written to {folder}. Confidential record in {beside(folder, '.private')}: do not publish."
