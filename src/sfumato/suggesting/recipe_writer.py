"""A suggestion written as a recipe, with a comment on every choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sfumato.microfile import Kind
from sfumato.sources import Source
from sfumato.suggesting.role_guesses import Suggested
from sfumato.suggesting.suggestion import CODED, Suggestion
from sfumato.toml_writing import toml_value


def recipe_text(
    suggestion: Suggestion,
    *,
    recipe: str,
    source: Source,
    seed: int | None = None,
    files: Mapping[str, str] | None = None,
) -> str:
    """Write a recipe with a comment on every suggestion.

    Parameters
    ----------
    suggestion
        What is suggested.
    recipe
        The file name of the recipe.
    source
        Where the microfile comes from, and how it is read.
    seed
        The seed of a demonstration, if any.
    files
        The file of each attribute's hierarchy.
    """
    drawn = (
        []
        if seed is None
        else [f"seed = {seed}  # for demonstrations only: whoever knows it can repeat every random choice\n"]
    )
    sections = [
        _greeting(suggestion, recipe),
        *drawn,
        _microfile(suggestion, source),
        _protect(suggestion, files or {}),
        _group(),
    ]
    return "\n".join(sections)


def _greeting(suggestion: Suggestion, recipe: str) -> str:
    return (
        f"# A starter recipe for {suggestion.records:,} records with {len(suggestion.attributes):,} attributes.\n"
        "# sfumato suggests it from names, kinds and counts. It runs as it is, but only you know what others know:\n"
        "# read it, correct it, and run it:\n"
        f"#     sfumato protect {toml_value(recipe)}\n"
        "# Lines that begin with # are comments; remove the # to use a setting.\n"
    )


def _microfile(suggestion: Suggestion, source: Source) -> str:
    settings = source.model_dump(exclude_unset=True)
    lines = ["[microfile]", f"{source.key} = {toml_value(settings.pop(source.key))}"]
    kinds = settings.pop("kinds", {}) | suggestion.kinds
    missing = settings.pop("missing", None) or {}
    lines += [f"{name} = {toml_value(value)}" for name, value in settings.items()]
    if identifiers := suggestion.of_role("identifier"):
        lines += ["", "# These are never released.", *_listed("identifiers", identifiers)]
    else:
        lines += [
            "",
            "# No attribute looks like an identifier. List any that are: they are never released.",
            '# identifiers = ["..."]',
        ]
    for weight in suggestion.of_role("weight"):
        lines += ["", f"weight = {toml_value(weight.name)}  # {weight.reason}"]
    if kinds:
        lines += ["", "# Kinds that differ from the first guess.", f"kinds = {toml_value(kinds)}"]
    if suggestion.coded:
        codes = kinds | dict.fromkeys(suggestion.coded, Kind.CATEGORICAL.value)
        where = "replace the line above by" if kinds else "write"
        lines += ["", f"# Whole numbers with at most {CODED} values. If they are codes, not amounts, {where}:"]
        lines += [f"# kinds = {toml_value(codes)}"]
    if missing:
        lines += ["", "# Codes that mean a missing value.", f"missing = {toml_value(missing)}"]
    if suggestion.missing:
        where = "replace the line above by" if missing else "write"
        lines += ["", f"# These codes look like codes for missing values. If they are, {where}:"]
        lines += [f"# missing = {toml_value(suggestion.missing)}"]
    return "\n".join(lines) + "\n"


def _protect(suggestion: Suggestion, files: Mapping[str, str]) -> str:
    lines = [
        "[[protect]]",
        'method = "boxes"  # each record gets the intervals of a box that at least k records share',
        '# method = "fuzzy-c-means"  # words such as low and high instead of intervals, if all of quasi are numeric',
        "",
        f"# What others may know. Together, these attributes single out {suggestion.singled_out:.1%} of the records.",
        *_listed("quasi", suggestion.of_role("quasi")),
        "",
        f"k = {suggestion.k}  # {suggestion.why_k}",
    ]
    for household in suggestion.of_role("household"):
        lines.append(f"household = {toml_value(household.name)}  # {household.reason}")
        lines.append("# keep_household = true  # releases households under new numbers; boxes become wider")
    if sensitive := suggestion.of_role("sensitive"):
        lines += [
            "",
            "# What nobody should learn about a person. These attributes are released as they are.",
            *_listed("sensitive", sensitive),
        ]
        lines += [
            "# l = 2    # every box has at least this number of distinct values of each",
            "# t = 0.3  # and a distribution close to that of the whole file",
        ]
    if rest := suggestion.of_role("none"):
        lines += ["", "# Released as they are, and not measured:"]
        lines += [f"#     {toml_value(attribute.name)}: {attribute.reason}" for attribute in rest]
    lines.append("")
    if suggestion.preserve:
        lines += ["# Statistics that stay as exact as possible; name those that the release is for.", "preserve = ["]
        lines += [f"    {toml_value(statistic)}," for statistic in suggestion.preserve] + ["]"]
    else:
        lines += ["# No quasi attribute is an amount, so no mean can be preserved."]
    if files:
        lines += [
            "",
            "# Prefix hierarchies of codes. The files list codes of at least k records, or all codes with the same",
            "# prefix, whether they occur or not; rarer codes are released as * only. If you have a classification",
            "# of your own, use it instead.",
            f"hierarchies = {toml_value(files)}",
        ]
    lines += ["", "# suppress = 0.01  # up to 1 % of the records may be suppressed where that makes boxes much smaller"]
    return "\n".join(lines) + "\n"


def _group() -> str:
    lines = [
        "Does a group of people stand out in some places? A group mask hides where. It comes before the boxes,",
        "in a [[protect]] table of its own:",
        "    [[protect]]",
        '    method = "group"',
        '    vital = { ATTRIBUTE = ["VALUE"] }  # who belongs to the group',
        '    parameter = "ATTRIBUTE"  # the attribute that holds the place',
        '    hide = "outliers"',
        "    against = true  # also from an attacker with another file, as in sfumato attack:",
        "    [attack]",
        '    third_party = "FILE"  # with the same attributes',
    ]
    return "".join(f"# {line}\n" for line in lines)


def _listed(setting: str, attributes: Sequence[Suggested]) -> list[str]:
    return [
        f"{setting} = [",
        *(f"    {toml_value(attribute.name)},  # {attribute.reason}" for attribute in attributes),
        "]",
    ]
