"""``sfumato profile``: what is in a file."""

from __future__ import annotations

import shlex
from typing import Any

from sfumato.cli.options import File, Json, Seed, as_options, with_reading
from sfumato.cli.show import console, emit, plain, progress_shown, table


@with_reading
def profile(
    file: File,
    *,
    how: dict[str, Any],
    json: Json = False,
    seed: Seed = None,
) -> None:
    """Show what is in a file: kinds, missing values, uniqueness, which columns identify."""
    from sfumato.measures.profile import profile as profile_of
    from sfumato.microfile.reading import read

    with progress_shown() as progress:
        found = profile_of(read(file, **how, progress=progress), progress=progress)
    content: dict[str, Any] = {
        "records": found.records,
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
            for a in found.attributes
        ],
        "combinations": [
            {"names": list(c.names), "unique": c.unique, "share": round(c.share, 6)} for c in found.combinations
        ],
        "homes": list(found.homes),
    }
    if json:
        emit(content)
        return
    out = console()
    columns = ("attribute", "kind", "missing", "distinct", "unique", "probable role")
    rows = [(a.name, a.kind.value, a.missing, a.distinct, a.unique, a.role) for a in found.attributes]
    out.print(table(f"{plain(found.records)} records", columns, rows))
    out.print(
        table(
            "How few attributes single out records",
            ("attributes", "records alone", "share"),
            [(", ".join(c.names), c.unique, f"{c.share:.1%}") for c in found.combinations],
        )
    )
    for name in found.homes:
        out.print(
            f"{name} looks like the number of a household: name it household or identifier. Released as it is, it lets "
            "everybody lay the records of those who live together upon each other.",
            markup=False,
        )
    words = ["sfumato", "measure", file, "--quasi", ",".join(found.of_role("quasi")) or "COLUMN,COLUMN"]
    for role in ("sensitive", "weight", "household"):
        guessed = found.of_role(role)
        if guessed and (role == "sensitive" or len(guessed) == 1):
            words += [f"--{role}", ",".join(guessed)]
    out.print("Roles are guessed from names and counts; correct them. Next:")
    out.print(shlex.join([*words, *as_options(how)]), markup=False)
