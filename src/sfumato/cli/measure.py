"""``sfumato measure``: measure how safe a table is."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from sfumato.cli.options import (
    File,
    Json,
    Seed,
    names,
    pairs,
    with_reading,
    with_settings,
)
from sfumato.cli.output import emit, lines, progress_shown, tables, verdict
from sfumato.errors import SettingError
from sfumato.measures import (
    TABLE_SETTINGS,
    BrokenLimit,
    Measured,
    Promise,
    Uniques,
    check_promise,
    explain,
    minimal_uniques,
    summarize,
)
from sfumato.microfile import Hierarchy, read
from sfumato.release import broken_limit_facts, weights_note
from sfumato.views import attribute_notes, attribute_tables, limit_lines, safety_table, unique_tables

ROLES = ("quasi", "sensitive", "weight", "household", "shared")
LIMITS = tuple(name for name in Promise.model_fields if name in TABLE_SETTINGS)


@with_reading
@with_settings(Promise, fields=(*ROLES, *LIMITS))
def measure(
    file: File,
    *,
    options: dict[str, Any],
    missing_as: Annotated[
        str,
        typer.Option(
            help="How to count a missing value: as a value of its 'own' (safe), or as a 'wildcard' (as sdcMicro)."
        ),
    ] = "own",
    hierarchy: Annotated[
        list[str] | None, typer.Option(help="Hierarchy of a sensitive attribute, used for t.", metavar="COLUMN=FILE")
    ] = None,
    uniques: Annotated[bool, typer.Option("--uniques", help="Also find minimal sample uniques (SUDA).")] = False,
    exact_risk: Annotated[bool, typer.Option("--exact-risk", help="Exact risk where sdcMicro approximates.")] = False,
    how: dict[str, Any],
    json: Json = False,
    seed: Seed = None,
) -> None:
    """Measure how safe a table is: k, l, t, risk and more. With limits: exit with 1 if one is violated."""
    roles = {name: options[name] for name in ROLES if name in options} | {"missing": missing_as}
    for name in ("quasi", "sensitive", "shared"):
        roles[name] = names(roles.get(name))
    limits = {name: options[name] for name in LIMITS if name in options}
    if not roles["quasi"]:
        raise SettingError("--quasi is missing", hint="sfumato profile FILE suggests columns", setting="quasi")
    # k = 1 sets no limit
    promise = Promise(**roles, **{"k": 1, **limits})
    trees = {name: Hierarchy.from_csv(path) for name, path in pairs("--hierarchy", hierarchy).items()}
    with progress_shown() as progress:
        microfile = read(file, **how, progress=progress)
        progress("measuring", 0.0)
        compliance = check_promise(microfile, promise, hierarchies=trees, exact_risk=exact_risk)
        safety = compliance.safety
        measured = summarize(safety, promise)
        content = {"quasi": list(roles["quasi"]), "sensitive": list(roles["sensitive"]), **measured}
        content["violations"] = {str(size): safety.k.violations(size).records for size in (2, 3, 5)}
        content["notes"] = [] if promise.weight is None else [weights_note(promise.weight, microfile)]
        reasons: list[BrokenLimit] = []
        if limits:
            reasons = explain(compliance, microfile, hierarchies=trees)
            content["holds"] = compliance.holds
            content["why"] = [broken_limit_facts(reason) for reason in reasons]
        if uniques:
            wildcards = missing_as == "wildcard"
            content["uniques"] = _summary(
                minimal_uniques(microfile, roles["quasi"], wildcards=wildcards, progress=progress)
            )
    with verdict(satisfied=not reasons):
        emit(content) if json else _show(content, measured)


def _summary(uniques: Uniques) -> dict[str, Any]:
    return {
        "records": uniques.records,
        "by_size": {str(size): int(n) for size, n in enumerate(uniques.sizes.tolist(), start=1)},
        "contributions": {name: round(share, 6) for name, share in uniques.contributions.items()},
        "highest_dis_score": round(float(uniques.disclosive().max()), 6),
    }


def _show(content: dict[str, Any], measured: Measured) -> None:
    tables(safety_table(content), *attribute_tables(content))
    lines([*attribute_notes(measured), *(f"Note: {note}." for note in content["notes"])])
    tables(*unique_tables(content))
    lines(limit_lines(content))
