"""One case: a random table, random settings, the release written, and what a recount of its files finds."""

from __future__ import annotations

import random
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

import sfumato as sf
from sfumato.boxes.placing import place
from sfumato.errors import SfumatoError
from tests.generated_cases import recount
from tests.generated_cases.narrowed import NARROWED
from tests.generated_cases.recount import Failure
from tests.generated_cases.tables import CLOCKS, Column, Table, draw_column

NOT_FOR_USERS = ("does not keep its own promise", "is not intact", "lie outside the boxes")
"""Refusals that tell of a mistake of ours, not of the settings."""


@dataclass
class Outcome:
    """How a case ended."""

    seed: int
    method: str
    refusal: str = ""
    """The library's own error, if it refused."""
    failures: list[Failure] = field(default_factory=list)
    checked: int = 0
    """How many statistics were compared with exact arithmetic."""


def run(seed: int, *, wide: bool = False) -> Outcome:
    """Make a case of a seed and recount it; ``wide`` also draws what is narrowed away."""
    rng = random.Random(seed)
    narrowed = frozenset() if wide else frozenset(NARROWED)
    method = rng.choices(["boxes", "fuzzy", "group", "measures"], [65, 15, 12, 8])[0]
    outcome = Outcome(seed, method)
    case: Callable[[random.Random, frozenset[str], Path], Iterator[Failure | int]] = {
        "boxes": _boxes,
        "fuzzy": _fuzzy,
        "group": _group,
        "measures": _measures,
    }[method]
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            for found in case(rng, narrowed, Path(folder) / "out"):
                if isinstance(found, int):
                    outcome.checked += found
                elif found.kind not in narrowed:
                    outcome.failures.append(found)
        except SfumatoError as error:
            outcome.refusal = f"{type(error).__name__}: {error.message}"
            if any(words in error.message for words in NOT_FOR_USERS):
                outcome.failures.append(Failure("made what it may not", outcome.refusal))
        except (Exception, BaseException) as error:
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise
            where = traceback.extract_tb(error.__traceback__)
            ours = [frame for frame in where if "sfumato" in frame.filename]
            place_of = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "?"
            told = str(error).splitlines()
            message = f"{type(error).__name__} at {place_of}: {told[0][:120] if told else ''}"
            kind = "warning" if isinstance(error, Warning) else "foreign exception"
            outcome.failures.append(Failure(kind, message))
    return outcome


def _table(rng: random.Random, narrowed: frozenset[str], columns: int) -> Table:
    n = rng.choice([12, 40, 40, 90, 160])
    found = {"tag": Column("tag", list(range(n)), pl.Int64(), True)}
    found |= {f"c{number}": draw_column(rng, n, narrowed=narrowed) for number in range(columns)}
    return Table(found, n)


def _microfile(rng: random.Random, table: Table, narrowed: frozenset[str]) -> sf.Microfile:
    """Hand the table over as one of the libraries' frames, or through a file."""
    frame = table.frame()
    way = rng.choice(["polars", "polars", "pandas", "pyarrow"])
    given: Any = frame
    if way == "pandas" and "pandas" not in narrowed:
        given = frame.to_pandas(use_pyarrow_extension_array=True)
    elif way == "pyarrow":
        given = frame.to_arrow()
    return sf.Microfile(given, kinds=table.kinds(), missing=table.missing_codes())


def _choice(rng: random.Random, options: list[str], narrowed: frozenset[str]) -> str:
    return rng.choice([option for option in options if option not in narrowed])


def _roles(rng: random.Random, table: Table) -> tuple[list[str], list[str]]:
    names = [name for name in table.columns if name != "tag"]
    rng.shuffle(names)
    quasi = names[: rng.randint(1, min(4, len(names)))]
    left = names[len(quasi) :]
    return quasi, left[: rng.choice([0, 1, 1, 2])]


def _limits(rng: random.Random, sensitive: list[str], table: Table) -> dict[str, Any]:
    found: dict[str, Any] = {"k": rng.choice([2, 2, 3, 5])}
    if sensitive and rng.random() < 0.5:
        found |= {"l": rng.choice([1.5, 2, 3])}
        found |= rng.choice([{}, {}, {"diversity": "entropy"}, {"diversity": "recursive", "c": 2.0, "l": 2}])
        if found.get("diversity", "distinct") == "distinct":
            found["l"] = int(found["l"])
    if sensitive and rng.random() < 0.4:
        found["t"] = rng.choice([0.2, 0.35, 0.6])
        if rng.random() < 0.3:
            found["distances"] = {sensitive[0]: "equal"}
    return found


def _boxes(rng: random.Random, narrowed: frozenset[str], out: Path) -> Iterator[Failure | int]:
    table = _table(rng, narrowed, rng.randint(2, 6))
    quasi, sensitive = _roles(rng, table)
    settings = _limits(rng, sensitive, table)
    settings["edges"] = rng.choice(["snapped", "snapped", "snapped", "tight", "tiling"])
    settings["suppress"] = rng.choice([0.0, 0.0, 0.1, 0.3])
    settings["missing"] = rng.choice(["merged", "merged", "own"])
    if rng.random() < 0.3 and settings["edges"] != "tiling":
        settings["passes"] = rng.choice([0, 3])
    numbers = [name for name in table.named(numeric=True) if not table.columns[name].temporal]
    known = [name for name in numbers if name in quasi]
    if known and rng.random() < 0.4:
        settings["preserve"] = [f"mean({known[0]})", *([f"corr({known[0]}, {known[1]})"] if len(known) > 1 else [])]
    trees = {name: tree for name in quasi if rng.random() < 0.2 and (tree := _hierarchy(rng, table.columns[name]))}
    if trees and "hierarchies" not in narrowed:
        settings["hierarchies"] = trees
    homes: list[Any] = []
    if rng.random() < 0.2 and "households" not in narrowed:
        homes = [rng.randint(0, table.records // 2) for _ in range(table.records)]
        table.columns["home"] = Column("homes", homes, pl.Int64(), True)
        settings |= {"household": "home", "keep_household": rng.random() < 0.3}
    if rng.random() < 0.2:
        table.columns["w"] = Column(
            "weights", [rng.randint(1, 40) / 4 for _ in range(table.records)], pl.Float64(), True
        )
        settings["weight"] = "w"
    people = _microfile(rng, table, narrowed)
    release = sf.Boxes(quasi=quasi, sensitive=sensitive, **settings).protect(people)
    written = _written(rng, release, out)
    yield from recount.promise(written, table, quasi, sensitive, settings, homes)
    yield from recount.inside(written, table, quasi)
    yield from recount.exact(written, table, [*quasi, "home"])
    if settings["edges"] == "snapped":
        yield from recount.edges(written, table, quasi)
    if settings["edges"] == "tiling":
        yield from recount.tiling(written, table, quasi)
    if settings["edges"] == "tiling" and "placing" not in narrowed:
        newcomers = table.frame()[written.tags]
        again = place(sf.open_release(out), sf.Microfile(newcomers, kinds=table.kinds(), missing=table.missing_codes()))
        yield from recount.placed(written, table, quasi, again.frame)
    yield from _estimates(rng, table, written, out, numbers)


def _hierarchy(rng: random.Random, column: Column) -> sf.Hierarchy | None:
    if column.trait in ("few integers", "rounded reals"):
        return sf.Hierarchy.intervals([5, 20])
    if column.trait == "dates":
        return sf.Hierarchy.dates()
    if column.trait in ("categories", "odd texts", "ordinals"):
        values = sorted({value for value in column.values if value is not None})
        known = values[: len(values) - rng.choice([0, 0, 1])]
        return sf.Hierarchy.from_mapping(
            {value: (f"g{place % 2}", "*") for place, value in enumerate(known)} or {"a": ("*",)}
        )
    if column.trait == "nearly unique texts":
        return sf.Hierarchy.prefixes(4)
    return None


def _written(rng: random.Random, release: sf.Release, out: Path) -> recount.Written:
    release.write(out, format=rng.choice(["parquet", "csv"]), order=rng.choice(["shuffled", "kept"]), seed=1)
    audit = sf.open_release(out).audit()
    written = recount.read(out)
    if not audit.holds:
        written.failures.append(Failure("audit", "; ".join(finding.message for finding in audit.findings)[:200]))
    return written


def _estimates(
    rng: random.Random, table: Table, written: recount.Written, out: Path, numbers: list[str]
) -> Iterator[Failure | int]:
    release = sf.open_release(out)
    numbers = [name for name in numbers if written.is_numeric(name)]
    asked = [f"{what}({name})" for name in numbers[:3] for what in ("mean", "var", "std")]
    if len(numbers) > 1:
        one, other = rng.sample(numbers, 2)
        asked += [f"cov({one}, {other})", f"corr({one}, {other})", f"regress({one} ~ {other})"]
    for statistic in asked:
        weight = "w" if "w" in table.columns and rng.random() < 0.5 else None
        try:
            found = release.estimate(statistic, weight=weight)
        except SfumatoError:
            continue
        parts = dict(found.items()) if isinstance(found, sf.statistics.Regression) else {"": found}
        for coefficient, part in parts.items():
            if part.guaranteed:
                yield 1
                yield from recount.statistic(written, table, statistic, coefficient, weight, part.lower, part.upper)


def _fuzzy(rng: random.Random, narrowed: frozenset[str], out: Path) -> Iterator[Failure | int]:
    table = _table(rng, narrowed, rng.randint(1, 3))
    clocks = frozenset() if rng.random() < 0.1 else frozenset(CLOCKS)
    numbers = {
        f"x{number}": draw_column(rng, table.records, narrowed=narrowed | clocks, numeric=True) for number in (1, 2, 3)
    }
    table.columns.update(numbers)
    quasi = rng.sample(list(numbers), rng.randint(1, 3))
    others = [name for name in table.columns if name not in (*quasi, "tag")]
    sensitive = rng.sample(others, min(1, len(others)))
    settings = _limits(rng, sensitive, table)
    settings |= {
        "method": _choice(rng, ["fuzzy-c-means", "gustafson-kessel", "k-means", "sets"], narrowed),
        "sets": rng.choice([2, 3, 4]),
        "scale": rng.choice(["deviation", "range", "none"]),
        "shown": rng.choice(["words", "grades"]),
        "suppress": rng.choice([0.0, 0.2]),
        "levels": rng.choice([2, 4, 10]),
    }
    release = sf.FuzzyPartition(quasi=quasi, sensitive=sensitive, **settings).protect(_microfile(rng, table, narrowed))
    written = _written(rng, release, out)
    yield from recount.promise(written, table, quasi, sensitive, settings, [])
    yield from recount.exact(written, table, quasi)
    yield from recount.grades(written, quasi)


def _group(rng: random.Random, narrowed: frozenset[str], out: Path) -> Iterator[Failure | int]:
    places = [f"p{number}" for number in range(rng.choice([5, 8, 14] if "three places" in narrowed else [3, 5, 8, 14]))]
    peak = rng.choice(places)
    n = 60 * len(places) // 3
    where, who = [], []
    for _ in range(n):
        spot = rng.choice(places)
        where.append(spot)
        who.append("m" if rng.random() < (0.7 if spot == peak else 0.12) else "o")
    found = {
        "tag": Column("tag", list(range(n)), pl.Int64(), True),
        "place": Column("categories", where, pl.String(), False),
        "who": Column("categories", who, pl.String(), False),
        **{f"c{number}": draw_column(rng, n, narrowed=narrowed) for number in range(rng.randint(1, 3))},
    }
    table = Table(found, n)
    members = sf.Group(vital={"who": ["m"]}, parameter="place")
    hide = rng.choice(["outliers", [peak]])
    reshapings = ["least", "least", "wavelet", "decoy"]
    reshapings += [] if "reshaping by moments" in narrowed else ["moments"]
    settings = {
        "reshape": rng.choice(reshapings),
        "swap": rng.choice(["exact", "exact", "greedy"]),
        "hide": hide,
        "influential": [name for name in found if name.startswith("c")],
    }
    release = sf.GroupMask(group=members, **settings).protect(_microfile(rng, table, narrowed))
    written = _written(rng, release, out)
    yield from recount.exact(written, table, ["place"])
    yield from recount.masked(
        written, table, members="m", hidden=None if hide == "outliers" else hide, reshape=str(settings["reshape"])
    )


def _measures(rng: random.Random, narrowed: frozenset[str], out: Path) -> Iterator[Failure | int]:
    """Measure and describe a table as it is; only foreign exceptions can be wrong, and k."""
    table = _table(rng, narrowed, rng.randint(2, 6))
    people = _microfile(rng, table, narrowed)
    quasi, sensitive = _roles(rng, table)
    sf.profile(people)
    safety = sf.measure(people, quasi=quasi, sensitive=sensitive)
    yield from recount.measured(table, quasi, sensitive, safety)
    people._repr_html_()
