"""How a release was protected, what its columns are, and what made it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato.errors import SettingError
from sfumato.microfile.forms import Exact, Form, Fuzzy, Interval, Sets
from sfumato.release.fuzziness import fuzzy_forms
from sfumato.report.boxes import boxes_chart
from sfumato.report.evidence import Evidence
from sfumato.report.page import Picture, Section, Table, count, counted, listed, number, share
from sfumato.report.promised import UNPROTECTED, exchanged

METHODS = {
    "boxes": "Boxes: records were sorted into boxes of at least k, shaped for the statistics to be preserved, and each "
    "gets the ends of its box in place of its values.",
    "fuzzy-c-means": "Fuzzy c-means: values were replaced by fuzzy sets around centres that were found in the data.",
    "gustafson-kessel": "Gustafson-Kessel: values were replaced by fuzzy sets, also long ones, around centres that "
    "were found in the data.",
    "k-means": "k-means: values were replaced by the nearest of some centres that were found in the data.",
    "sets": "Fuzzy sets: values of each attribute were replaced by words, or grades, of ranges that flow into each "
    "other.",
    "exchange": "Exchange: records took each other's place, so that groups of people do not stand out anywhere.",
}
EDGES = {
    "snapped": "Ends of boxes lie on round grids.",
    "tight": "Ends of boxes are tight: they are exact values of some records.",
    "tiling": "Ends of boxes lie where the space was cut, and boxes cover all of it.",
}
SIZE = {"width": 440, "height": 320}


def protection_section(evidence: Evidence) -> Section | None:
    """Say how it was protected."""
    if evidence.certificate is None:
        return None
    settings = evidence.settings
    method = settings.get("method")
    told = METHODS.get(str(method), "The certificate does not say by which method it was protected.")
    sentences = [told, *_edges(settings), *exchanged(evidence)]
    replaced = settings.get("replaced")
    if isinstance(replaced, list) and replaced:
        sentences.append(f"Replaced: {listed(replaced)}.")
    suppress = settings.get("suppress")
    if isinstance(suppress, int | float):
        left = f"Up to {share(suppress)} of the records may have been left out."
        sentences.append(left if suppress else "Nobody was left out.")
    if not evidence.certificate.promise.quasi:
        sentences.append(UNPROTECTED)
    return Section("protection", "How it was protected", tuple(sentences), (*_grids(evidence), *_sets(evidence)))


def _edges(settings: Mapping[str, Any]) -> list[str]:
    where = EDGES.get(str(settings.get("edges")))
    return [] if where is None else [where]


def shown_edges(shown: int, k: int) -> str:
    """Say how many records' own values the ends of boxes are, as the steward measured it on the original.

    >>> shown_edges(0, 5)
    'No end is a value that fewer than 5 records have.'
    >>> shown_edges(1, 5)
    'Some ends are exact values that fewer than 5 records have: those of 1 record.'
    """
    if not shown:
        return f"No end is a value that fewer than {k:,} records have."
    return f"Some ends are exact values that fewer than {k:,} records have: those of {counted(shown, 'record')}."


def exactness(told: Mapping[str, Any]) -> list[str]:
    """Say how far statistics may be off, beside the formula's optimum, as far as the steward's record tells it."""
    achieved, optimum, ratio = (told.get(name) for name in ("achieved", "optimum", "ratio"))
    if not isinstance(achieved, int | float):
        return []
    lines = [
        f"On average a preserved statistic may be off by {achieved:g} times its wanted accuracy (linear).",
        "Wanted is a tenth of the statistic, unless preserve says otherwise.",
    ]
    if not isinstance(optimum, int | float) or not isinstance(ratio, int | float):
        return lines
    if ratio < 1:
        lines.append(
            f"That is better than the formula's optimum of {optimum:g}: it expects evenly spread records, and values "
            "that many share need no width."
        )
    else:
        lines.append(
            f"The optimum of the formula, for boxes of their attributes alone, is {optimum:g}: this is {ratio:g} times "
            "as much."
        )
    return lines


def _grids(evidence: Evidence) -> tuple[Table, ...]:
    grids = evidence.setting("grids")
    rows = tuple((name, number(step) if isinstance(step, int | float) else str(step)) for name, step in grids.items())
    return (Table("Grids on which ends of boxes lie", ("Attribute", "Multiples of"), rows),) if rows else ()


def _sets(evidence: Evidence) -> tuple[Table, ...]:
    """Say what fuzzy sets mean, and how exactly grades can be inverted."""
    if evidence.codebook is None:
        return ()
    tables = [
        Table(f"{name}, told as {form.shown}", ("Fuzzy set", "Means"), tuple(form.sets.items()))
        for name, form in fuzzy_forms(evidence.codebook).items()
    ]
    inverted = evidence.audit.measured.get("fuzzy", {}).get("inversion", {})
    rows = tuple(
        (name, *(number(its[part]) for part in ("narrowest", "hundredth", "median", "extent")), share(its["exposed"]))
        for name, its in inverted.items()
    )
    if rows:
        columns = (
            "Attribute",
            "Mean width left for the worst record",
            "Width left for one record in 100 at most",
            "Mean width left for half of the records at most",
            "Extent of the sets",
            "Records given back to within 1 % of it",
        )
        title = "What the fuzzy sets of a record leave open to somebody who knows all its other attributes"
        tables.append(Table(title, columns, rows))
    return tuple(tables)


def boxes_section(evidence: Evidence) -> Section | None:
    """Draw the boxes of two attributes, where there are some."""
    if evidence.release is None:
        return None
    try:
        chart = boxes_chart(evidence.release)
    except SettingError:
        # there are no two attributes with boxes
        return None
    title = chart.to_dict()["title"]
    caption = f"{title['text']}. {'; '.join(title['subtitle'])}."
    # said in the caption, where it can be read at any width
    plain = chart.properties(title="", **SIZE)
    told = "Each rectangle is a box: all that is told of its records is that they lie in it. Darker is where several "
    told += "boxes that differ in further attributes lie upon each other."
    picture = Picture(plain, caption, f"Rectangles of boxes in two attributes. {caption}")
    return Section("boxes", "Boxes", (told,), (), (picture,))


def codebook_section(evidence: Evidence) -> Section | None:
    """Say what each attribute is and how it stands in the data."""
    if evidence.codebook is None:
        return None
    rows = []
    for name, entry in evidence.codebook.attributes.items():
        title = f"{name}: {entry.title}" if entry.title else name
        rows.append((title, entry.kind.value, _role(evidence, name), _form(name, entry.form)))
    table = Table("Attributes of the release", ("Attribute", "Kind", "Role", "How it is told"), tuple(rows))
    return Section("codebook", "Codebook", (), (table,))


def _role(evidence: Evidence, name: str) -> str:
    if evidence.certificate is None:
        return "-"
    promise = evidence.certificate.promise
    roles = {
        "others may know it": name in promise.quasi,
        "sensitive": name in promise.sensitive,
        "weight": name == promise.weight,
        "household": name == promise.household,
        "may be exchanged": name in evidence.exchanged,
    }
    return ", ".join(role for role, plays in roles.items() if plays) or "-"


def _form(name: str, form: Form) -> str:
    match form:
        case Exact():
            return "as it is"
        case Interval():
            return f"between {listed(form.columns(name))}"
        case Sets():
            return f"as one of {counted(len(form.members), 'set')} of categories"
        case Fuzzy():
            how = "words" if form.shown == "words" else f"grades on {form.levels} levels"
            return f"as {how} of {count(len(form.sets))} fuzzy sets"


def software_section(evidence: Evidence) -> Section | None:
    """Say what made the release, and by which digests its files are known."""
    certificate = evidence.certificate
    if certificate is None:
        return None
    versions = tuple(certificate.software.items())
    digests = (
        (certificate.data.file, certificate.data.sha256),
        ("codebook.json", certificate.codebook),
        ("seal of certificate.json", certificate.seal),
    )
    told = (
        "A digest changes with every byte of its file. The seal finds edits; it is no signature: compare it with the "
    )
    told += "steward's own record."
    return Section(
        "software",
        "Software and digests",
        (told,),
        (
            Table("Made with", ("Software", "Version"), versions),
            Table("Digests (SHA-256)", ("File", "Digest"), digests, digits=True),
        ),
    )


def words_section() -> Section:
    """Explain the words that a reader may not know."""
    words = (
        ("Block", "The records that look alike in everything that others may know of a person."),
        ("k", "The number of records in the smallest block: the more, the harder it is to find a person."),
        ("l", "How many different sensitive values the records of a block have: with one, they would be given away."),
        (
            "t",
            "How far the sensitive values of a block are from those of the whole file: near 0, a block tells nothing.",
        ),
        ("Risk", "The probability that somebody who knows a person finds this person's record."),
        ("Audit", "Measuring everything anew from the files, without believing what they say."),
    )
    return Section("words", "Words", (), (Table("Words used here", ("Word", "Means"), words),))
