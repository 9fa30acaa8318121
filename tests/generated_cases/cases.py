"""One case: a random table, random settings, the release written, and what a recount of its files finds."""

from __future__ import annotations

import json
import random
import re
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import FrameType
from typing import Any

import polars as pl

import sfumato as sf
from sfumato.boxes.new_record_placement import place
from sfumato.errors import SfumatoError, SfumatoWarning
from sfumato.recipe import Recipe
from tests.generated_cases import arithmetic, files, places, recount
from tests.generated_cases.files import Failure
from tests.generated_cases.tables import CLOCKS, SIMPLE, Column, Table, draw_column

NOT_FOR_USERS = ("does not satisfy its own promise", "is not intact", "are outside the boxes")
"""Refusals that tell of a mistake of ours, not of the settings."""
MOST_CALLS = 5_000_000
"""A search in which more functions of the library are called runs too long for tables as small as these."""
LIBRARY = str(Path(sf.__file__).parent)

Case = Iterator[Failure | int | Table]
"""What a case yields: its table, failures, and how many statistics were compared."""


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


class TooLong(BaseException):
    """More work than a table of this size may cost; no library code may catch it."""


def run(seed: int) -> Outcome:
    """Make a case of a seed and recount it."""
    rng = random.Random(seed)
    method = rng.choices(["boxes", "fuzzy", "group", "recipe", "measures"], [58, 15, 13, 8, 6])[0]
    outcome = Outcome(seed, method)
    case: Callable[[random.Random, Path], Case] = {
        "boxes": _boxes,
        "fuzzy": _fuzzy,
        "group": _group,
        "recipe": _recipe,
        "measures": _measures,
    }[method]
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", SfumatoWarning)
        table = None
        try:
            for found in case(rng, Path(folder)):
                if isinstance(found, int):
                    outcome.checked += found
                elif isinstance(found, Table):
                    table = found
                else:
                    outcome.failures.append(found)
        except SfumatoError as error:
            outcome.refusal = f"{type(error).__name__}: {error.message}"
            if any(words in error.message for words in NOT_FOR_USERS):
                outcome.failures.append(Failure("made what it may not", outcome.refusal))
            if table is not None and recount.values_in(f"{error.message} {error.hint or ''}", table):
                outcome.failures.append(Failure("value in an error", outcome.refusal))
            named = re.match("column '([^']*)'", error.message)
            if table is not None and named and named[1] not in table.columns:
                outcome.failures.append(Failure("column of our own in an error", outcome.refusal))
        except (KeyboardInterrupt, SystemExit):
            raise
        except TooLong as error:
            outcome.failures.append(Failure("too long", str(error)))
        except BaseException as error:
            # a panic of a foreign library is no Exception
            frames = traceback.extract_tb(error.__traceback__)
            ours = [frame for frame in frames if "sfumato" in frame.filename]
            where = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "?"
            lines = str(error).splitlines()
            message = f"{type(error).__name__} at {where}: {lines[0][:120] if lines else ''}"
            kind = "warning" if isinstance(error, Warning) else "foreign exception"
            outcome.failures.append(Failure(kind, message))
    return outcome


@contextmanager
def counted_calls(most: int = MOST_CALLS) -> Iterator[None]:
    """Stop work in which more of the library's functions are called; what runs in kernels is not counted."""
    calls = 0

    def note(frame: FrameType, event: str, _: Any) -> None:
        nonlocal calls
        if event == "call" and frame.f_code.co_filename.startswith(LIBRARY):
            calls += 1
            if calls > most:
                raise TooLong(f"more than {most:,} calls")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(before)


def _table(rng: random.Random, columns: int, sizes: Sequence[int] = (12, 40, 40, 90, 160)) -> Table:
    n = rng.choice(sizes)
    found = {"tag": Column("tag", list(range(n)), pl.Int64(), True)}
    found |= {f"c{number}": draw_column(rng, n) for number in range(columns)}
    return Table(found, n)


def _microfile(rng: random.Random, table: Table, folder: Path) -> sf.Microfile:
    """Hand the table over as one of the libraries' frames, or through a file."""
    frame = table.frame()
    way = rng.choice(["polars", "polars", "pandas", "pyarrow", "parquet", "csv"])
    told: dict[str, Any] = {"kinds": table.kinds(), "missing": table.missing_codes()}
    if way == "parquet" and not any(column.trait == "times of day" for column in table.columns.values()):
        frame.write_parquet(folder / "table.parquet")
        return sf.read(folder / "table.parquet", **told)
    if way == "csv" and all(column.trait in SIMPLE for column in table.columns.values()):
        frame.write_csv(folder / "table.csv")
        return sf.read(folder / "table.csv", **told)
    given: Any = frame
    if way == "pandas":
        given = frame.to_pandas(use_pyarrow_extension_array=True)
    elif way == "pyarrow":
        given = frame.to_arrow()
    return sf.Microfile(given, **told)


def _roles(rng: random.Random, table: Table) -> tuple[list[str], list[str]]:
    names = [name for name in table.columns if name != "tag"]
    rng.shuffle(names)
    quasi = names[: rng.randint(1, min(4, len(names)))]
    left = names[len(quasi) :]
    return quasi, left[: rng.choice([0, 1, 1, 2])]


def _limits(rng: random.Random, sensitive: list[str]) -> dict[str, Any]:
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


def _households(rng: random.Random, table: Table) -> tuple[dict[str, Any], list[int]]:
    """Let some records live together, or none."""
    if rng.random() < 0.8:
        return {}, []
    homes = [rng.randint(0, table.records // 2) for _ in range(table.records)]
    table.columns["home"] = Column("homes", homes, pl.Int64(), True)
    return {"household": "home", "keep_household": rng.random() < 0.3}, homes


def _weights(rng: random.Random, table: Table) -> dict[str, Any]:
    if rng.random() < 0.8:
        return {}
    weights = [rng.randint(1, 40) / 4 for _ in range(table.records)]
    table.columns["w"] = Column("weights", weights, pl.Float64(), True)
    return {"weight": "w"}


def _boxes(rng: random.Random, folder: Path) -> Case:
    table = _table(rng, rng.randint(2, 6))
    quasi, sensitive = _roles(rng, table)
    settings = _limits(rng, sensitive)
    settings["edges"] = rng.choice(["snapped", "snapped", "snapped", "tight", "tiling"])
    settings["suppress"] = rng.choice([0.0, 0.0, 0.1, 0.3])
    settings["missing"] = rng.choice(["merged", "merged", "own"])
    settings["snap"] = rng.choice([0.04, 0.04, 0.5])
    if rng.random() < 0.3 and settings["edges"] != "tiling":
        settings |= rng.choice([{"passes": 0}, {"passes": 3}, {"refine": True, "seconds": 0.01}])
    numbers = [name for name in table.named(numeric=True) if not table.columns[name].temporal]
    known = [name for name in numbers if name in quasi]
    if known and rng.random() < 0.4:
        settings["preserve"] = [f"mean({known[0]})", *([f"corr({known[0]}, {known[1]})"] if len(known) > 1 else [])]
        settings["detail"] = rng.choice([None, None, 0.0, 0.1, 1.0])
    if known and rng.random() < 0.15:
        settings["prefer"] = {known[0]: rng.choice([[5.0, 20.0], {"multiples": 10.0}])}
    if trees := {name: tree for name in quasi if rng.random() < 0.2 and (tree := _hierarchy(rng, table.columns[name]))}:
        settings["hierarchies"] = trees
    if not sensitive and rng.random() < 0.2:
        # of numbers without a smallest unit it must be said what a difference is
        epsilon = {name: rng.choice([1.0, 3.0]) for name in known}
        settings |= {"l": 2, "epsilon": epsilon}
    paths = _paths(rng, table, sensitive, settings)
    lives, homes = _households(rng, table)
    settings |= lives | _weights(rng, table)
    yield table
    people = _microfile(rng, table, folder)
    boxes = sf.Boxes(quasi=quasi, sensitive=sensitive, **settings)
    with counted_calls():
        release = boxes.protect(people)
    written = _written(rng, release, folder / "out")
    yield from recount.promise(written, table, quasi, sensitive, settings, homes, paths)
    if "epsilon" in settings:
        yield from recount.apart(written, table, quasi, settings["l"], settings["epsilon"])
    yield from recount.inside(written, table, quasi)
    yield from recount.exact(written, table, [*quasi, "home"])
    if settings["edges"] == "snapped":
        yield from recount.edges(written, table, quasi, settings["k"])
    if settings["edges"] == "tiling":
        yield from recount.tiling(written, quasi)
        newcomers = table.frame()[written.tags]
        told = {"kinds": table.kinds(), "missing": table.missing_codes()}
        again = place(sf.open_release(folder / "out"), sf.Microfile(newcomers, **told))
        yield from recount.placed(written, table, quasi, again.frame)
    yield from _estimates(rng, table, written, folder / "out", numbers)
    yield from _repeated(rng, boxes, people, release, folder)


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


def _paths(
    rng: random.Random, table: Table, sensitive: list[str], settings: dict[str, Any]
) -> dict[str, Callable[[Any], tuple[Any, ...]]]:
    """Give some sensitive attributes a hierarchy, by which t measures; return the way from a value to its root."""
    found: dict[str, Callable[[Any], tuple[Any, ...]]] = {}
    for name in sensitive:
        column = table.columns[name]
        if settings.get("t") is None or name in settings.get("distances", {}) or rng.random() < 0.5:
            continue
        if column.trait in ("few integers", "rounded reals", "decimals"):
            tree = sf.Hierarchy.intervals([5, 20])
            found[name] = lambda value: (Fraction(str(value)) // 5, Fraction(str(value)) // 20, "*")
        elif column.trait in ("categories", "odd texts", "ordinals"):
            groups = {value: f"g{number % 2}" for number, value in enumerate(sorted(set(column.values) - {None}))}
            tree = sf.Hierarchy.from_mapping({value: (group, "*") for value, group in groups.items()})
            found[name] = lambda value, groups=groups: (groups[value], "*")
        else:
            continue
        settings["hierarchies"] = settings.get("hierarchies", {}) | {name: tree}
    return found


def _written(rng: random.Random, release: sf.Release, out: Path) -> files.Written:
    release.write(out, format=rng.choice(["parquet", "csv"]), order=rng.choice(["shuffled", "kept"]))
    audit = sf.open_release(out).audit()
    written = files.read(out)
    if not audit.holds:
        written.failures.append(Failure("audit", "; ".join(finding.message for finding in audit.findings)[:200]))
    return written


def _repeated(rng: random.Random, method: Any, people: sf.Microfile, release: sf.Release, folder: Path) -> Case:
    """Check that the secret of a release makes the same files again."""
    if rng.random() < 0.9:
        return
    again = method.protect(people, secret=release.secret)
    for one, name in ((release, "once"), (again, "twice")):
        one.write(folder / name)
    for file in sorted(path.name for path in (folder / "once").iterdir()):
        if (folder / "once" / file).read_bytes() != (folder / "twice" / file).read_bytes():
            yield Failure("secret", f"{file} differs")


def _estimates(rng: random.Random, table: Table, written: files.Written, out: Path, numbers: list[str]) -> Case:
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
                yield from arithmetic.statistic(written, table, statistic, coefficient, weight, part.lower, part.upper)


def _fuzzy(rng: random.Random, folder: Path) -> Case:
    table = _table(rng, rng.randint(1, 3), (12, 160, 160, 300))
    clocks = () if rng.random() < 0.1 else CLOCKS
    numbers = {f"x{number}": draw_column(rng, table.records, without=clocks, numeric=True) for number in (1, 2, 3)}
    table.columns.update(numbers)
    quasi = rng.sample(list(numbers), rng.choice([1, 1, 2, 2, 3]))
    others = [name for name in table.columns if name not in (*quasi, "tag")]
    sensitive = rng.sample(others, min(1, len(others)))
    categories = [name for name in table.named(numeric=False) if name not in sensitive]
    if categories and rng.random() < 0.3:
        quasi.append(categories[0])
    # limits on sensitive values are seldom kept by clusters
    settings = _limits(rng, sensitive if rng.random() < 0.5 else [])
    settings |= {
        "method": rng.choice(["fuzzy-c-means", "gustafson-kessel", "k-means", "sets"]),
        "sets": rng.choice([2, 2, 3, 4]),
        "scale": rng.choice(["deviation", "range", "none"]),
        "shown": rng.choice(["words", "grades"]),
        "suppress": rng.choice([0.0, 0.2, 0.5]),
        "levels": rng.choice([2, 2, 4, 10]),
        "width": rng.choice([0.1, 0.1, 0.05, 0.3]),
    }
    lives, homes = _households(rng, table)
    settings |= lives | _weights(rng, table)
    yield table
    people = _microfile(rng, table, folder)
    partition = sf.FuzzyPartition(quasi=quasi, sensitive=sensitive, **settings)
    with counted_calls():
        release = partition.protect(people)
    written = _written(rng, release, folder / "out")
    yield from recount.promise(written, table, quasi, sensitive, settings, homes)
    yield from recount.exact(written, table, ["home"])
    yield from recount.grades(written, settings["levels"])
    yield from _repeated(rng, partition, people, release, folder)


def _group(rng: random.Random, folder: Path) -> Case:
    labels = [f"p{number}" for number in range(rng.choice([3, 5, 8, 14]))]
    peaks = rng.sample(labels, rng.choice([1, 1, 1, 2, 4]) if len(labels) > 5 else 1)
    n = 20 * len(labels)
    where = [rng.choice(labels) for _ in range(n)]
    who = ["m" if rng.random() < (0.7 if spot in peaks else 0.12) else "o" for spot in where]
    found = {
        "tag": Column("tag", list(range(n)), pl.Int64(), True),
        "place": Column("categories", where, pl.String(), False),
        "who": Column("categories", who, pl.String(), False),
        **{f"c{number}": draw_column(rng, n) for number in range(rng.randint(1, 3))},
    }
    influential = [name for name in found if name.startswith("c")]
    along = []
    if rng.random() < 0.3:
        # one value per place, so that it goes along by itself
        regions = {label: f"r{rng.randint(0, 2)}" for label in labels}
        found["region"] = Column("regions", [regions[spot] for spot in where], pl.String(), False)
        along.append("region")
    table = Table(found, n)
    members = sf.Group(vital={"who": ["m"]}, parameter="place")
    hide = rng.choice(["outliers", peaks])
    settings: dict[str, Any] = {
        "reshape": rng.choice(["least", "least", "wavelet", "decoy", "moments"]),
        "swap": rng.choice(["exact", "exact", "greedy"]),
        "hide": hide,
        "signal": rng.choice(["quantity", "quantity", "concentration"]),
        "influential": influential,
        "alpha": rng.choice([0.01, 0.01, 0.05]),
        **_weights(rng, table),
    }
    fixed = rng.sample([label for label in labels if label not in peaks], rng.choice([0, 0, 0, 1]))
    if fixed:
        settings["known"] = fixed
    wanted: dict[str, int] = {}
    if rng.random() < 0.15:
        wanted = {peaks[0]: rng.randint(1, 8)}
        settings = {name: settings[name] for name in ("swap", "influential")} | {"target": wanted, "known": fixed}
    yield table
    people = _microfile(rng, table, folder)
    mask = sf.GroupMask(group=members, **settings)
    with counted_calls():
        release = mask.protect(people)
    written = _written(rng, release, folder / "out")
    yield from written.failures
    yield from recount.exact(written, table, ["place", *along])
    yield from places.kept(written, table, along)
    yield from places.numbers(written, table, members="m", wanted=wanted, fixed=fixed)
    if not wanted:
        yield from places.hidden(
            written,
            table,
            members="m",
            named=None if hide == "outliers" else hide,
            fixed=fixed,
            share=settings["signal"] == "concentration",
            alpha=settings["alpha"],
            told=release.private["groups"][0]["outliers"]["after"],
        )
    yield from _repeated(rng, mask, people, release, folder)


def _recipe(rng: random.Random, folder: Path) -> Case:
    """Mask a group and put everybody into boxes, by a recipe."""
    n, areas = 200, [100, 210, 320, 430, 540, 650]
    where: list[int | None] = [rng.choice(areas) for _ in range(n)]
    who = ["m" if rng.random() < (0.5 if spot == 320 else 0.1) else "o" for spot in where]
    where = [None if rng.random() < 0.02 else spot for spot in where]
    ages = [None if rng.random() < 0.02 else rng.randint(18, 70) for _ in range(n)]
    table = Table(
        {
            "tag": Column("tag", list(range(n)), pl.Int64(), True),
            "area": Column("places", where, pl.Int64(), True),
            "who": Column("categories", who, pl.String(), False),
            "age": Column("ages", ages, pl.Int64(), True),
            "c0": draw_column(rng, n, without=("lists", "times of day", "durations", "infinity")),
        },
        n,
    )
    yield table
    table.frame().write_parquet(folder / "table.parquet")
    settings = {"k": rng.choice([3, 10]), "suppress": rng.choice([0.0, 0.1])}
    quasi = rng.choice([["area", "age"], ["age"], ["age", "c0"]])
    (folder / "recipe.toml").write_text(
        f"""
[microfile]
path = "table.parquet"
{_toml("kinds", table.kinds())}
{_toml("missing", table.missing_codes())}
[[protect]]
method = "group"
vital = {{ who = ["m"] }}
parameter = "area"
hide = ["320"]
influential = ["age"]
[[protect]]
method = "boxes"
quasi = {json.dumps(quasi)}
k = {settings["k"]}
suppress = {settings["suppress"]}
detail = {rng.choice([0.0, 1.0])}
preserve = ["mean(age)"]
"""
    )
    with counted_calls():
        release = Recipe.from_toml(folder / "recipe.toml").run()
    written = _written(rng, release, folder / "out")
    yield from recount.promise(written, table, quasi, [], settings, [])
    yield from recount.inside(written, table, [name for name in quasi if name != "area"])
    yield from recount.edges(written, table, [name for name in quasi if name != "area"], settings["k"])
    yield from recount.exact(written, table, [*quasi, "area"])
    yield from _estimates(rng, table, written, folder / "out", ["area", "age"])


def _toml(name: str, content: dict[str, Any]) -> str:
    return "".join(f"{name}.{column} = {json.dumps(its)}\n" for column, its in content.items())


def _measures(rng: random.Random, folder: Path) -> Case:
    """Measure and describe a table as it is."""
    table = _table(rng, rng.randint(2, 6))
    yield table
    people = _microfile(rng, table, folder)
    quasi, sensitive = _roles(rng, table)
    sf.profile(people)
    safety = sf.measure(people, quasi=quasi, sensitive=sensitive)
    yield from recount.measured(table, quasi, sensitive, safety)
    people._repr_html_()
