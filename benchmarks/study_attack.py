"""Active duty found by attacks: in ten generated countries before and after the repair, and in census microdata."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

import sfumato as sf
from benchmarks.tables import DATA
from benchmarks.timing import Row
from sfumato.attacks.attack_base import Attack
from sfumato.attacks.disclosed_places import Disclosure, Verdict
from sfumato.attacks.fuzzy_model import FuzzyModel

SEEDS = range(1, 11)
RECORDS = 150_000
HABITS = ("age", "sex", "education", "hours", "weeks", "transport", "departure", "travel_minutes", "income", "moved")
PLACES = {"residence": ("PUMA",), "place of work": ("POWSP", "POWPUMA")}
TELLING = (
    "MIL",
    "MLP",
    "VPS",
    "DRAT",
    "ESR",
    "OCCP",
    "SOCP",
    "INDP",
    "NAICSP",
    "COW",
    "FOD",
    "ST",
    "PUMA",
    "POW",
    "MIG",
)
"""What says outright who is on active duty, by occupation, industry or employment, and where."""
NOTHING = ("RT", "SERIALNO", "SPORDER", "PWGTP", "ADJINC", "DIVISION", "REGION")
"""What says nothing about a person."""
SHOWN = 6
"""So many rules are printed."""


def _sets(attribute: str, **words: tuple[float, ...]) -> dict[str, object]:
    shapes = {2: ("falling", "rising"), 4: ("trapezoidal", "trapezoidal")}
    made = {
        word: {"shape": shapes[len(corners)][place > 0], "corners": list(corners)}
        for place, (word, corners) in enumerate(words.items())
    }
    return {"attribute": attribute, "values": made}


VARIABLES = (
    _sets("age", young=(24, 30), middle=(24, 30, 38, 44), old=(38, 44)),
    _sets("hours", few=(36, 40), usual=(36, 40, 42, 48), many=(42, 48)),
    _sets("departure", night=(330, 390), morning=(330, 390, 480, 540), later=(480, 540)),
    _sets("travel_minutes", little=(10, 15), more=(10, 15)),
    _sets("income", low=(12_000, 20_000), middle=(12_000, 20_000, 60_000, 80_000), high=(60_000, 80_000)),
    _sets("weeks", some=(45, 50), all=(45, 50)),
    {"attribute": "sex", "values": {"male": "male", "female": "female"}},
    {"attribute": "transport", "values": {"car": "car", "walked": ["walked", "bicycle"]}, "rest": "other"},
)
"""For rules about the generated census; TC16's own are for the survey."""


def run() -> Iterator[Row]:
    yield from _countries()
    folders = ("pums_hi", "pums_2018_states")
    if missing := [name for name in folders if not (DATA / name).exists()]:
        print(f"    {' and '.join(missing)} not in {DATA}: not done; set SFUMATO_DATA")
        return
    _survey()


def _countries() -> Iterator[Row]:
    names = ("rules", "boosting", "regression")
    before = [f"{name} before" for name in names]
    after = [f"{name} after" for name in names]
    headings = ("seed", "bases", *before, *after, "records changed", "share of values", "looks", "s")
    print(f"\n| {' | '.join(headings)} |\n|{'---|' * len(headings)}", flush=True)
    found = left = bases = 0
    for seed in SEEDS:
        there, here = (_country(seed, year) for year in (2018, 2020))
        group = sf.Group(vital={"service": [1]}, parameter="workplace")
        attacks = _attacks(group, there, VARIABLES, HABITS, "evolution")
        hide = sf.datasets.bases(seed)
        start = time.perf_counter()
        release = sf.GroupMask(group=group, hide=hide, against=attacks, identifiers=["service"]).protect(here)
        taken = time.perf_counter() - start
        verdicts = sf.judge(attacks, here), sf.judge(attacks, here, release)
        counts = [[_right(one, hide) for one in verdict.disclosures] for verdict in verdicts]
        record = release.private["groups"][0]
        told = record["against"]
        cells = (
            seed,
            len(hide),
            *counts[0],
            *counts[1],
            record["changed_records"],
            f"{told['share_of_values']:.3%}",
            told["looks"],
            f"{taken:.0f}",
        )
        print(f"| {' | '.join(map(str, cells))} |", flush=True)
        found, left, bases = found + max(counts[0]), left + max(counts[1]), bases + len(hide)
    yield Row("planted bases that some attack finds", found, "all bases", bases, "1", found == bases, unit="")
    hidden = bases - left
    yield Row("planted bases that none finds after the repair", hidden, "all bases", bases, "1", left == 0, unit="")


def _right(one: Disclosure, hide: Sequence[str]) -> int:
    return sum(one.labels[place] in hide for place in one.found)


def _country(seed: int, year: int) -> sf.Microfile:
    people = sf.datasets.census(RECORDS, seed=seed, year=year)
    named = people.select([*HABITS, "workplace", "service"])
    return sf.harmonise(named, [{"hhmm": "departure"}]).microfile


def _attacks(
    group: sf.Group,
    there: sf.Microfile,
    variables: Sequence[object],
    attributes: Sequence[str],
    search: str,
    harmonise: Sequence[str] = (),
) -> list[Attack]:
    shared = {"group": group, "third_party": there, "attributes": tuple(attributes), "harmonise": harmonise}
    return [
        sf.FuzzyRuleAttack(**shared, variables=variables, search=search),
        sf.LearnedAttack(**shared),
        sf.LearnedAttack(**shared, learner="logistic"),
    ]


def _survey() -> None:
    """Learn from twelve states and from Hawaii three years before; look for active duty in Hawaii 2018."""
    variables = sf.acs_variables()
    names = [variable.attribute for variable in variables]
    earlier = [*sorted((DATA / "pums_2018_states").glob("*.parquet")), *(DATA / "pums_hi").glob("*_hi_2015.parquet")]
    there = _together([_harmonised(file, ["MIL"]) for file in earlier], [*names, "MIL"])
    here = sf.Microfile(pl.read_parquet(next((DATA / "pums_hi").glob("*_hi_2018.parquet"))))
    members = int((there.numbers("MIL") == 1).sum())
    print(f"\nthird party: {there.records:,} records, {members:,} on active duty; attacked: {here.records:,} records")
    whole = _whole(earlier, here)
    for what, parameter in PLACES.items():
        group = sf.Group(vital={"MIL": [1]}, parameter=parameter)
        attacks = _attacks(group, there, variables, names, "exact", ["acs"])
        # who looks at everybody, and at all that the file tells
        seen = [name for name in whole.names if name != "MIL"]
        attacks.append(sf.LearnedAttack(group=group, third_party=whole, attributes=seen))
        verdict = sf.judge(attacks, here)
        _tell(what, verdict)
    print(f"\nall attributes: {len(seen)}")
    model = verdict.disclosures[0].model
    assert isinstance(model, FuzzyModel)
    print(f"\n{len(model.rules)} rules:")
    for rule in model.rules[:SHOWN]:
        print(f"- {rule.words} (support {rule.support:.3f}, ratio {rule.confidence_ratio:.2f})")


def _whole(files: Sequence[Path], here: sf.Microfile) -> sf.Microfile:
    """Return all that the files tell, but for what says outright who is on active duty, and where people are."""
    frames = [pl.read_parquet(file) for file in files]
    common = [name for name in frames[0].columns if all(name in frame.columns for frame in [*frames, here.frame])]
    names = [name for name in common if not name.startswith(TELLING) and name not in NOTHING]
    return sf.Microfile(pl.concat([frame.select("MIL", *names).cast(pl.Float64) for frame in frames]))


def _harmonised(file: Path, beside: Sequence[str]) -> sf.Microfile:
    return sf.harmonise(sf.Microfile(pl.read_parquet(file)), sf.acs_steps(beside=beside)).microfile


def _together(files: Sequence[sf.Microfile], names: Sequence[str]) -> sf.Microfile:
    first = files[0]
    frames = [pl.DataFrame({name: one.series(name).cast(_type(first, name)) for name in names}) for one in files]
    return sf.Microfile(pl.concat(frames), kinds={name: first.attribute(name).kind.value for name in names})


def _type(people: sf.Microfile, name: str) -> type[pl.DataType]:
    return pl.Float64 if people.attribute(name).kind.value == "numeric" else pl.String


def _tell(what: str, verdict: Verdict) -> None:
    first = verdict.disclosures[0]
    names = ["rules", "boosting", "regression", "boosting on all"]
    print(f"\nby {what}: {int(first.true.values.sum())} on active duty at {len(first.labels)} places\n")
    print(f"| place | members | {' | '.join(names)} |\n|---|---|{'---|' * len(names)}")
    for place, label in enumerate(first.labels):
        seen = [f"{one.auxiliary.values[place]:.1f}{' *' if place in one.found else ''}" for one in verdict.disclosures]
        mark = " *" if place in first.standing_out else ""
        print(f"| {label} | {int(first.true.values[place])}{mark} | {' | '.join(seen)} |")
    print("\n| attack | found | right | of | sensitivity | specificity | J | evidence | correlation |")
    print(f"|{'---|' * 9}")
    for name, one in zip(names, verdict.disclosures, strict=True):
        its = one.adequacy
        cells = (name, len(one.found), len(one.disclosed), len(one.standing_out))
        more = (its.sensitivity, its.specificity, its.youden)
        print(
            f"| {' | '.join(map(str, cells))} | {' | '.join(f'{number:.2f}' for number in more)} | {its.bayes} | "
            f"{one.correlation:.2f} |"
        )
