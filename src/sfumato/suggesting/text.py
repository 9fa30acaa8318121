"""A suggestion as a recipe that a steward reads like a conversation."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.microfile.attribute import Kind
from sfumato.suggesting.roles import Suggested
from sfumato.suggesting.suggestion import CODED, Suggestion


def recipe_text(
    made: Suggestion,
    *,
    recipe: str,
    path: str,
    seed: int | None = None,
    how: Mapping[str, Any] | None = None,
    files: Mapping[str, str] | None = None,
) -> str:
    """Write a recipe with a comment on every suggestion.

    Parameters
    ----------
    made
        What is suggested.
    recipe
        The recipe's own name.
    path
        The microfile, as seen from the recipe's folder.
    seed
        What demonstrations draw from, if anything.
    how
        How it is read: arguments of :func:`sfumato.read`.
    files
        The files of the hierarchies, attribute by attribute.
    """
    drawn = [] if seed is None else [f"seed = {seed}  # for demonstrations: whoever knows it can repeat all draws\n"]
    parts = [
        _greeting(made, recipe),
        *drawn,
        _microfile(made, path, dict(how or {})),
        _protect(made, files or {}),
        _group(),
    ]
    return "\n".join(parts)


def _greeting(made: Suggestion, recipe: str) -> str:
    return (
        f"# A first recipe for {made.records:,} records of {len(made.attributes):,} attributes, suggested by sfumato\n"
        "# from names, kinds and counts. It runs as it is, but only you know what others know: read it, correct it,\n"
        "# and run it:\n"
        f"#     sfumato protect {quoted(recipe)}\n"
        "# What begins with # is a comment; take the # away from a setting to use it.\n"
    )


def _microfile(made: Suggestion, path: str, how: dict[str, Any]) -> str:
    lines = ["[microfile]", f"path = {quoted(path)}"]
    kinds = dict(how.pop("kinds", None) or {}) | made.kinds
    missing = how.pop("missing", None) or {}
    lines += [f"{name} = {written(value)}" for name, value in how.items() if value]
    if identifiers := made.of_role("identifier"):
        lines += ["", "# These are never released.", *_listed("identifiers", identifiers)]
    else:
        lines += ["", "# Nothing seems to name a person; what does is never released.", '# identifiers = ["..."]']
    for weight in made.of_role("weight"):
        lines += ["", f"weight = {quoted(weight.name)}  # {weight.reason}"]
    if kinds:
        lines += ["", "# Kinds that are not as guessed.", f"kinds = {written(kinds)}"]
    if made.coded:
        codes = kinds | dict.fromkeys(made.coded, Kind.CATEGORICAL.value)
        where = "in place of the line above" if kinds else "so"
        lines += ["", f"# Whole numbers of at most {CODED} values: if they are codes and no amounts, say {where}:"]
        lines += [f"# kinds = {written(codes)}"]
    if missing:
        lines += ["", "# Codes that mean a missing value.", f"missing = {written(missing)}"]
    if made.missing:
        where = "in place of the line above" if missing else "so"
        lines += ["", f"# These codes look as if they meant that a value is missing. If they do, say {where}:"]
        lines += [f"# missing = {written(made.missing)}"]
    return "\n".join(lines) + "\n"


def _protect(made: Suggestion, files: Mapping[str, str]) -> str:
    lines = [
        "[[protect]]",
        'method = "boxes"  # each record gets the intervals of a box that k records share',
        '# method = "fuzzy-c-means"  # words such as low and high in place of intervals, if all of quasi are numbers',
        "",
        f"# What others may know; together it singles out {made.singled_out:.1%} of the records.",
        *_listed("quasi", made.of_role("quasi")),
        "",
        f"k = {made.k}  # {made.why_k}",
    ]
    for one in made.of_role("household"):
        lines.append(f"household = {quoted(one.name)}  # {one.reason}")
        lines.append("# keep_household = true  # releases households under new numbers; boxes become wider for it")
    if sensitive := made.of_role("sensitive"):
        lines += [
            "",
            "# What nobody should learn of a person; it is released as it is.",
            *_listed("sensitive", sensitive),
        ]
        lines += [
            "# l = 2    # every box has so many values of each of these",
            "# t = 0.3  # and shares of them like the file's",
        ]
    if rest := made.of_role("none"):
        lines += ["", "# Released as they are, and not looked at:"]
        lines += [f"#     {quoted(one.name)}: {one.reason}" for one in rest]
    lines.append("")
    if made.preserve:
        lines += ["# Statistics that stay as exact as they can; name those that the release is for.", "preserve = ["]
        lines += [f"    {quoted(one)}," for one in made.preserve] + ["]"]
    else:
        lines += ["# No quasi attribute is an amount, so no mean needs to be preserved."]
    if files:
        lines += [
            "",
            "# Codes by their first signs. The files list codes of at least k records, or all codes that begin alike,",
            "# whether they occur or not; rarer ones are released as * only. Put your own classification in their",
            "# place if you have one.",
            f"hierarchies = {written(files)}",
        ]
    lines += ["", "# suppress = 0.01  # up to 1 % of the records may be left out, where that buys much"]
    return "\n".join(lines) + "\n"


def _group() -> str:
    lines = [
        "Does a group of people stand out at some places? A mask hides where; it stands before the boxes,",
        "in a [[protect]] of its own:",
        "    [[protect]]",
        '    method = "group"',
        '    vital = { ATTRIBUTE = ["VALUE"] }  # who belongs to it',
        '    parameter = "ATTRIBUTE"  # what tells the place',
        '    hide = "outliers"',
        "    against = true  # also from who looks with somebody else's file, as sfumato attack does:",
        "    [attack]",
        '    third_party = "FILE"  # it has the same attributes',
    ]
    return "".join(f"# {line}\n" for line in lines)


def _listed(setting: str, attributes: Sequence[Suggested]) -> list[str]:
    return [f"{setting} = [", *(f"    {quoted(one.name)},  # {one.reason}" for one in attributes), "]"]


def quoted(text: str) -> str:
    r"""Write a text in TOML.

    >>> print(quoted('a "b"'))
    "a \"b\""
    """
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def written(value: Any) -> str:
    """Write a value in TOML.

    >>> written({"age": [-1, 99]}), written("x")
    ('{ "age" = [-1, 99] }', '"x"')
    """
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{quoted(name)} = {written(its)}" for name, its in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(written(one) for one in value) + "]"
    return quoted(value) if isinstance(value, str) else repr(value)
