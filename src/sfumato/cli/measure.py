"""``sfumato measure``: how safe any table is."""

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
from sfumato.cli.show import console, emit, plain, progress_shown, table, verdict
from sfumato.errors import SettingError
from sfumato.measures.kept import Why, explain, keeps
from sfumato.measures.promise import Promise
from sfumato.measures.summary import leaning_on_missing, summarize
from sfumato.measures.uniques import Uniques, minimal_uniques
from sfumato.microfile.hierarchy import Hierarchy
from sfumato.microfile.reading import read

ROLES = ("quasi", "sensitive", "weight", "household", "shared")
LIMITS = ("k", "l", "diversity", "c", "t", "alpha", "beta", "delta", "max_risk")


@with_reading
@with_settings(Promise, fields=(*ROLES, *LIMITS))
def measure(
    file: File,
    *,
    given: dict[str, Any],
    missing_as: Annotated[
        str, typer.Option(help="What a missing value is: 'own', a value (safe), or 'wildcard', any (as sdcMicro).")
    ] = "own",
    hierarchy: Annotated[
        list[str] | None, typer.Option(help="Hierarchy of a sensitive attribute, for t.", metavar="COLUMN=FILE")
    ] = None,
    uniques: Annotated[bool, typer.Option("--uniques", help="Also find minimal sample uniques (SUDA).")] = False,
    exact_risk: Annotated[bool, typer.Option("--exact-risk", help="Exact risk where sdcMicro approximates.")] = False,
    how: dict[str, Any],
    json: Json = False,
    seed: Seed = None,
) -> None:
    """Measure how safe a table is: k, l, t, risk and more. With limits: exit 1 if one is broken."""
    roles = {name: given[name] for name in ROLES if name in given} | {"missing": missing_as}
    for name in ("quasi", "sensitive", "shared"):
        roles[name] = names(roles.get(name))
    limits = {name: given[name] for name in LIMITS if name in given}
    if not roles["quasi"]:
        raise SettingError("--quasi is missing", hint="sfumato profile FILE suggests columns")
    # k = 1 is no limit
    promise = Promise(**roles, **{"k": 1, **limits})
    trees = {name: Hierarchy.from_csv(path) for name, path in pairs("--hierarchy", hierarchy).items()}
    with progress_shown() as progress:
        microfile = read(file, **how, progress=progress)
        progress("measuring", 0.0)
        kept = keeps(microfile, promise, hierarchies=trees, exact_risk=exact_risk)
        safety = kept.safety
        content = {"quasi": list(roles["quasi"]), "sensitive": list(roles["sensitive"]), **summarize(safety)}
        content["violations"] = {str(size): safety.k.violations(size).records for size in (2, 3, 5)}
        reasons: list[Why] = []
        if limits:
            reasons = explain(kept, microfile, hierarchies=trees)
            content["holds"] = kept.holds
            content["why"] = [reason.summary() for reason in reasons]
        if uniques:
            wild = missing_as == "wildcard"
            content["uniques"] = _counted(minimal_uniques(microfile, roles["quasi"], wildcards=wild, progress=progress))
    with verdict(kept=not reasons):
        emit(content) if json else _print(content)


def _counted(found: Uniques) -> dict[str, Any]:
    return {
        "records": found.records,
        "by_size": {str(size): int(n) for size, n in enumerate(found.sizes.tolist(), start=1)},
        "contributions": {name: round(share, 6) for name, share in found.contributions.items()},
        "highest_dis_score": round(float(found.disclosive().max()), 6),
    }


def _print(content: dict[str, Any]) -> None:
    out = console()
    risk, broken = content["risk"], content["violations"]
    rows: list[tuple[str, object, str]] = [
        ("k", content["k"], "records of the smallest block"),
        ("below 2 / 3 / 5", " / ".join(plain(broken[size]) for size in ("2", "3", "5")), "records in smaller blocks"),
        ("expected re-identifications", risk["expected"], f"{risk['rate']:.3%} of the records"),
        ("highest risk", risk["highest"], "of a record"),
        ("above the main part", risk["above_main_part"], "records at a higher risk than most"),
    ]
    if content["households"] is not None:
        rows.append(("households", content["households"], "in the block that has fewest"))
        rows.append(("household re-identifications", risk["household_expected"], "records, expected"))
        together = content["together"]
        rows.append(("households known together", together["unique"], f"of {plain(together['homes'])}, by all members"))
        if together["laid"] is not None:
            rows.append(
                ("k, laid upon each other", together["laid"]["k"], "if members tell of each other what they share")
            )
    if content["other_reading"] is not None:
        other = content["other_reading"]
        reading = "could be any" if other["missing"] == "wildcard" else "counts as a value"
        rows.append(("k, read otherwise", other["k"], f"if a missing value {reading}"))
    title = f"{plain(content['records'])} records in {plain(content['blocks'])} blocks"
    out.print(table(title, ("measure", "value", "meaning"), rows))
    if content["attributes"]:
        told = content["attributes"]
        shown = ("l", "entropy_l", "recursive_c", "t", "distance", "alpha", "beta", "enhanced_beta", "delta")
        by_measure = [(measure, *(a[measure] for a in told.values())) for measure in shown]
        out.print(table("Sensitive attributes", ("measure", *told), by_measure))
        for line in leaning_on_missing(content):
            out.print(line, markup=False)
        for name, a in told.items():
            if a["unknown_to_hierarchy"]:
                unknown = plain(a["unknown_to_hierarchy"])
                out.print(f"The hierarchy of {name} does not know the values of {unknown} records.", markup=False)
    if "uniques" in content:
        found = content["uniques"]
        rows_of = [(name, share) for name, share in found["contributions"].items()]
        title = f"{plain(found['records'])} records have minimal sample uniques"
        out.print(table(title, ("attribute", "part in their scores"), rows_of))
    if "holds" in content:
        out.print("The limits are kept." if content["holds"] else "Limits are broken:")
        for reason in content["why"]:
            out.print(f"  {reason['message']}", markup=False)
