"""``sfumato profile``: what is in a file."""

from __future__ import annotations

import shlex
from typing import Any

from sfumato.cli.options import File, Json, Seed, as_options, with_reading
from sfumato.cli.output import emit, lines, progress_shown, tables


@with_reading
def profile(
    file: File,
    *,
    how: dict[str, Any],
    json: Json = False,
    seed: Seed = None,
) -> None:
    """Show what is in a file: kinds, missing values, uniqueness, which columns identify."""
    from sfumato.measures import profile as profile_of
    from sfumato.microfile import read
    from sfumato.views import attributes_table, combinations_table, household_warnings

    with progress_shown() as progress:
        result = profile_of(read(file, **how, progress=progress), progress=progress)
    content: dict[str, Any] = {
        "records": result.records,
        "attributes": [
            {
                "name": a.name,
                "kind": a.kind.value,
                "missing": a.missing,
                "distinct": a.distinct,
                "unique": a.unique,
                "role": a.role,
                "title": a.title,
            }
            for a in result.attributes
        ],
        "combinations": [
            {"names": list(c.names), "unique": c.unique, "share": round(c.share, 6)} for c in result.combinations
        ],
        "homes": list(result.homes),
    }
    if json:
        emit(content)
        return
    tables(attributes_table(result), combinations_table(result))
    lines(household_warnings(result))
    words = ["sfumato", "measure", file, "--quasi", ",".join(result.of_role("quasi")) or "COLUMN,COLUMN"]
    for role in ("sensitive", "weight", "household"):
        guessed = result.of_role(role)
        if guessed and (role == "sensitive" or len(guessed) == 1):
            words += [f"--{role}", ",".join(guessed)]
    lines(["Roles are guessed from names and counts: check them. Next:", shlex.join([*words, *as_options(how)])])
