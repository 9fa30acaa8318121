"""How a release was protected, what its columns are, and what made it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato.boxes import BoxPublicSettings
from sfumato.formatting import counted, listed, number, share
from sfumato.partitions import PartitionPublicSettings
from sfumato.protection_registry import published_methods
from sfumato.release import Codebook, PublicSettings, ReleaseEvidence, fuzzy_forms
from sfumato.views.model import Passage, Table
from sfumato.views.promise import UNPROTECTED, swapped_values

UNKNOWN_METHOD = "The certificate does not name the method of protection."
EDGES = {
    "snapped": "The edges of boxes lie on round grids.",
    "tight": "The edges of boxes are tight: they are exact values of some records.",
    "tiling": "The edges of boxes are the cuts, and the boxes cover the whole space.",
}


def protection_passage(evidence: ReleaseEvidence) -> Passage | None:
    """Say how the release was protected."""
    if evidence.certificate is None:
        return None
    settings = evidence.settings
    method = published_methods().get(settings.method or "")
    description = UNKNOWN_METHOD if method is None else method.description
    sentences = [description, *edge_sentences(settings), *swapped_values(evidence)]
    if replaced := PartitionPublicSettings.stated_in(settings).replaced:
        sentences.append(f"Replaced attributes: {listed(replaced)}.")
    if settings.suppress:
        sentences.append(f"Up to {share(settings.suppress)} of the records may have been suppressed.")
    elif "suppress" in settings.model_fields_set:
        sentences.append("No record was suppressed.")
    if not evidence.certificate.promise.quasi:
        sentences.append(UNPROTECTED)
    return Passage("protection", "How it was protected", tuple(sentences), (*_grids(evidence), *_set_tables(evidence)))


def edge_sentences(settings: PublicSettings) -> list[str]:
    """Say where the edges of boxes are."""
    stated = BoxPublicSettings.stated_in(settings)
    if stated.edges is None or (stated.edges == "snapped" and not stated.grids):
        return []
    return [EDGES[stated.edges]]


def grid_list(settings: PublicSettings) -> list[str]:
    """Say on which grid the edges of each attribute are."""
    stated = BoxPublicSettings.stated_in(settings)
    if stated.edges != "snapped" or not stated.grids:
        return []
    steps = [f"{name} {step if isinstance(step, str) else f'{step:g}'}" for name, step in stated.grids.items()]
    return [f"Grid steps: {', '.join(steps)}."]


def revealing_edges(n_exact: int, k: int) -> str:
    """Say how many records have a rare value that is an edge, as measured on the original.

    >>> revealing_edges(0, 5)
    'No edge is a value that fewer than 5 records have.'
    >>> revealing_edges(1, 5)
    'Some edges are exact values that fewer than 5 records have; this concerns 1 record.'
    """
    if not n_exact:
        return f"No edge is a value that fewer than {k:,} records have."
    return (
        f"Some edges are exact values that fewer than {k:,} records have; this concerns {counted(n_exact, 'record')}."
    )


def uncertainty_sentences(uncertainty: Mapping[str, Any]) -> list[str]:
    """Say how inexact preserved statistics are, and how they compare with the theoretical optimum."""
    achieved, optimum, ratio = (uncertainty.get(name) for name in ("achieved", "optimum", "ratio"))
    if not isinstance(achieved, int | float):
        return []
    sentences = [
        f"The average error of the preserved statistics is estimated at no more than {achieved:g} times their target "
        "(first-order estimate).",
        "The target is a tenth of the statistic, unless preserve sets another one.",
    ]
    if not isinstance(optimum, int | float) or not isinstance(ratio, int | float):
        return sentences
    if ratio < 1:
        sentences.append(
            f"This is better than the theoretical optimum of {optimum:g}, which assumes evenly spread records: values "
            "that many records share need no width."
        )
    else:
        sentences.append(
            f"The theoretical optimum, for boxes of the statistics' attributes alone, is {optimum:g}; this is "
            f"{ratio:g} times as much."
        )
    return sentences


def _grids(evidence: ReleaseEvidence) -> tuple[Table, ...]:
    grids = BoxPublicSettings.stated_in(evidence.settings).grids
    rows = tuple((name, step if isinstance(step, str) else number(step)) for name, step in grids.items())
    return (Table("Grids of the edges", ("Attribute", "Multiples of"), rows),) if rows else ()


def set_tables(codebook: Codebook) -> list[Table]:
    """Say what the fuzzy sets of each attribute mean."""
    return [
        Table(f"Fuzzy sets of {name}, released as {form.shown}", ("Fuzzy set", "Meaning"), tuple(form.sets.items()))
        for name, form in fuzzy_forms(codebook).items()
    ]


def _set_tables(evidence: ReleaseEvidence) -> tuple[Table, ...]:
    if evidence.codebook is None:
        return ()
    return (*set_tables(evidence.codebook), *inversion_tables(evidence.audit.measured))


def inversion_tables(measured: Mapping[str, Any]) -> list[Table]:
    """Say how precisely the released fuzzy sets can be inverted."""
    inversion = measured.get("fuzzy", {}).get("inversion", {})
    rows = tuple(
        (name, *(number(width[key]) for key in ("narrowest", "hundredth", "median", "extent")), share(width["exposed"]))
        for name, width in inversion.items()
    )
    if not rows:
        return []
    columns = (
        "Attribute",
        "Mean width for the worst record",
        "Width for the worst 1% of the records, at most",
        "Mean width for half of the records, at most",
        "Extent of the sets",
        "Records recovered to within 1% of the extent",
    )
    caption = (
        "How precisely a value is recovered by an attacker who inverts the fuzzy sets and knows all other attributes"
    )
    return [Table(caption, columns, rows)]


def inversion_sentences(measured: Mapping[str, Any]) -> list[str]:
    """Say in words how precisely the released fuzzy sets can be inverted."""
    return [
        f"An attacker who inverts the released words or grades and knows all other attributes recovers {name} to "
        f"within {width['narrowest']:.3g} on average for the worst record, and to within {width['hundredth']:.3g} for "
        f"the worst 1% of the records (extent of {name}: {width['extent']:.3g})."
        for name, width in measured.get("fuzzy", {}).get("inversion", {}).items()
    ]


def codebook_passage(evidence: ReleaseEvidence) -> Passage | None:
    """Say what each attribute is and how it is released."""
    if evidence.codebook is None:
        return None
    rows = []
    for name, entry in evidence.codebook.attributes.items():
        title = f"{name}: {entry.title}" if entry.title else name
        rows.append((title, entry.kind.value, _role(evidence, name), entry.form.description(name)))
    table = Table("Attributes of the release", ("Attribute", "Kind", "Role", "How it is released"), tuple(rows))
    return Passage("codebook", "Codebook", (), (table,))


def _role(evidence: ReleaseEvidence, name: str) -> str:
    if evidence.certificate is None:
        return "-"
    promise = evidence.certificate.promise
    roles = {
        "quasi-identifier": name in promise.quasi,
        "sensitive": name in promise.sensitive,
        "weight": name == promise.weight,
        "household": name == promise.household,
        "may be swapped": name in evidence.exchanged,
    }
    return ", ".join(role for role, applies in roles.items() if applies) or "-"


def software_passage(evidence: ReleaseEvidence) -> Passage | None:
    """Say which software made the release, and list the digests of its files."""
    certificate = evidence.certificate
    if certificate is None:
        return None
    versions = tuple(certificate.software.items())
    digests = (
        (certificate.data.file, certificate.data.sha256),
        ("codebook.json", certificate.codebook),
        ("seal of certificate.json", certificate.seal),
    )
    sentence = (
        "A digest changes with every byte of its file. The seal reveals changes, but it is not a signature: compare it "
        "with the one in the steward's confidential record."
    )
    tables = (
        Table("Software", ("Package", "Version"), versions),
        Table("Digests (SHA-256)", ("File", "Digest"), digests, digits=True),
    )
    return Passage("software", "Software and digests", (sentence,), tables)


def glossary_passage() -> Passage:
    """Explain the words that a reader may not know."""
    words = (
        ("Block", "The records that are released with the same values of all quasi-identifiers (equivalence class)."),
        ("Quasi-identifier", "An attribute that others may know about a person, such as age or place of residence."),
        (
            "k",
            "The number of records in the smallest block. The larger it is, the harder it is to single out a person.",
        ),
        (
            "l",
            "The number of different sensitive values in the least diverse block. If it is 1, the value of a whole "
            "block is disclosed.",
        ),
        (
            "t",
            "The largest distance between the sensitive values of a block and those of the whole file. If it is 0, a "
            "block reveals nothing that the whole file does not.",
        ),
        ("Re-identification risk", "The probability of picking the right record, for somebody who knows the person."),
        ("Audit", "Measuring everything again from the released files, without trusting what they claim."),
    )
    return Passage("words", "Glossary", (), (Table("Terms used in this report", ("Term", "Meaning"), words),))
