"""Plain recounting of written releases: the csv module, pyarrow, dictionaries and exact fractions."""

from __future__ import annotations

import csv
import datetime
import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from tests.generated_cases.tables import EPOCH, Column, Table

SLACK = Fraction(1, 10**9)
"""What rounding may add to a limit that is itself computed in floating point."""


ROUNDING = Fraction(1, 10**13)
"""By so much of its size a statistic in floating point may miss an exact one."""


class Failure(NamedTuple):
    """Something that a recount found wrong."""

    kind: str
    message: str


@dataclass
class Written:
    """The files of a release: cells by column, in the file's order."""

    cells: dict[str, list[Any]]
    codebook: dict[str, Any]
    certificate: dict[str, Any]
    failures: list[Failure] = field(default_factory=list)

    @property
    def tags(self) -> list[int]:
        return self.cells["tag"]

    def form(self, name: str) -> dict[str, Any]:
        return self.codebook[name]["form"]

    def columns(self, name: str) -> list[str]:
        """Return the file's columns of an attribute."""
        form = self.form(name)
        if form["form"] == "interval":
            return [f"{name}.lo", f"{name}.hi"]
        if form["form"] == "fuzzy" and form.get("shown") == "grades":
            return [f"{name}.{word}" for word in form["sets"]]
        return [name]

    def is_numeric(self, name: str) -> bool:
        return name in self.codebook and self.codebook[name]["kind"] == "numeric"


def read(folder: Path) -> Written:
    """Read the files of a release."""
    certificate = json.loads((folder / "certificate.json").read_text())
    codebook = json.loads((folder / "codebook.json").read_text())["attributes"]
    types = {name: facts["type"] for name, facts in certificate["data"]["columns"].items()}
    data = folder / certificate["data"]["file"]
    cells = _read_parquet(data) if data.suffix == ".parquet" else _read_csv(data, types)
    return Written(cells, codebook, certificate)


def _read_parquet(path: Path) -> dict[str, list[Any]]:
    from pyarrow import parquet

    table = parquet.ParquetFile(path).read()
    return {name: [_plain(cell) for cell in table.column(name).to_pylist()] for name in table.column_names}


def _plain(cell: Any) -> Any:
    """Make a date or time the number of nanoseconds since 1970."""
    if isinstance(cell, datetime.datetime):
        return _nanoseconds(cell)
    if isinstance(cell, datetime.date):
        return (cell - EPOCH.date()).days * 86_400 * 10**9
    return cell


def _nanoseconds(moment: datetime.datetime) -> int:
    since = moment.replace(tzinfo=None) - EPOCH
    return ((since.days * 86_400 + since.seconds) * 10**6 + since.microseconds) * 1000


def _read_csv(path: Path, types: dict[str, str]) -> dict[str, list[Any]]:
    with path.open(newline="", encoding="utf-8") as lines:
        header, *rows = list(csv.reader(lines))
    names = [name if name in types else name[1:] for name in header]
    return {name: [_cell(row[place], types[name]) for row in rows] for place, name in enumerate(names)}


def _cell(text: str, wanted: str) -> Any:
    if text == "":
        return None
    if wanted == "integer":
        return int(text)
    if wanted == "real":
        return float(text)
    if wanted == "date":
        return _plain(datetime.date.fromisoformat(text))
    if wanted == "datetime":
        return _nanoseconds(datetime.datetime.fromisoformat(text))
    if wanted == "boolean":
        return {"true": True, "false": False}[text]
    # an apostrophe guards what a spreadsheet would run
    bare = text.lstrip("'")
    runs = bare.lstrip()[:1] in tuple("=+-@＝＋－＠") or bare[:1] in tuple("\t\r\n")
    return text[1:] if text.startswith("'") and bare and runs else text


def _exact(value: Any, column: Column) -> Fraction:
    """Return a number, date or time of the original as an exact number."""
    if isinstance(value, bool):
        return Fraction(int(value))
    return Fraction(value) * (column.whole_clock if column.temporal else 1)


def _blocks(written: Written, quasi: Sequence[str]) -> list[list[int]]:
    """Group the file's rows by their raw quasi cells; fuzzy sets may be of several attributes together."""
    names = [name for name, entry in written.codebook.items() if name in quasi or entry["form"]["form"] == "fuzzy"]
    columns = [written.cells[column] for name in names for column in written.columns(name)]
    blocks: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for row, key in enumerate(zip(*columns, strict=True)):
        blocks[tuple(None if cell != cell else cell for cell in key)].append(row)
    return list(blocks.values())


def promise(
    written: Written,
    table: Table,
    quasi: Sequence[str],
    sensitive: Sequence[str],
    settings: dict[str, Any],
    homes: list[Any],
) -> Iterator[Failure]:
    """Count k, l and t of what is visible."""
    yield from written.failures
    records = len(written.tags)
    if len(set(written.tags)) != records or not set(written.tags) <= set(range(table.records)):
        yield Failure("records", "records were lost, made up or doubled")
        return
    if table.records - records > settings.get("suppress", 0) * table.records + 1e-9:
        yield Failure("left out", f"{table.records - records} of {table.records}")
    blocks = _blocks(written, quasi)
    smallest = min(map(len, blocks))
    if smallest < settings["k"]:
        yield Failure("k", f"{smallest} < {settings['k']}")
    if written.certificate["measured"].get("k") != smallest:
        yield Failure("certificate", f"k is {smallest}, it says {written.certificate['measured'].get('k')}")
    if homes:
        fewest = min(len({homes[written.tags[row]] for row in block}) for block in blocks)
        if fewest < settings["k"]:
            yield Failure("k", f"{fewest} households < {settings['k']}")
    for name in sensitive:
        cells = written.cells[name]
        whole = Counter(cells)
        for block in blocks:
            part = Counter(cells[row] for row in block)
            trait = f"{name} ({table.columns[name].trait})"
            for failure in (*_diversity(part, settings), *_closeness(name, part, whole, written, settings)):
                yield Failure(failure.kind, f"{trait}: {failure.message}")
                return


def _diversity(part: Counter[Any], settings: dict[str, Any]) -> Iterator[Failure]:
    wanted, how = settings.get("l"), settings.get("diversity", "distinct")
    if wanted is None:
        return
    counts = sorted(part.values(), reverse=True)
    total = sum(counts)
    if how == "distinct" and len(counts) < wanted:
        yield Failure("l", f"{len(counts)} < {wanted}")
    if how == "entropy":
        entropy = -sum(count / total * math.log(count / total) for count in counts)
        if math.exp(entropy) < wanted - 1e-9:
            yield Failure("l", f"entropy {math.exp(entropy)} < {wanted}")
    if how == "recursive" and not counts[0] < settings["c"] * sum(counts[int(wanted) - 1 :]):
        yield Failure("l", "recursive")


def _closeness(
    name: str, part: Counter[Any], whole: Counter[Any], written: Written, settings: dict[str, Any]
) -> Iterator[Failure]:
    if settings.get("t") is None:
        return
    entry = written.codebook[name]
    ordered = entry["kind"] in ("numeric", "ordinal")
    if settings.get("distances", {}).get(name, "ordered" if ordered else "equal") == "equal":
        shares = {cell: _share(part, cell) - _share(whole, cell) for cell in whole}
        distance = sum(map(abs, shares.values())) / 2
    else:
        order = entry["order"]
        known = sorted(
            (cell for cell in whole if cell is not None),
            key=(lambda cell: order.index(str(cell))) if order else (lambda cell: cell),
        )
        distance = _ordered(known, part, whole)
        if None in whole:
            distance = max(distance, abs(_share(part, None) - _share(whole, None)))
    if distance > Fraction(settings["t"]) + SLACK:
        yield Failure("t", f"{float(distance):.6f} > {settings['t']}")


def _ordered(known: list[Any], part: Counter[Any], whole: Counter[Any]) -> Fraction:
    there, everywhere = (Counter({cell: its[cell] for cell in known}) for its in (part, whole))
    if not there.total() or len(known) < 2:
        return Fraction(0)
    running, distance = Fraction(0), Fraction(0)
    for cell in known:
        running += _share(there, cell) - _share(everywhere, cell)
        distance += abs(running)
    return distance / (len(known) - 1)


def _share(counts: Counter[Any], cell: Any) -> Fraction:
    return Fraction(counts[cell], counts.total())


def _below(value: Any, column: Column, node: str) -> bool:
    """Say whether a value is one of a described node: everything, an interval, a month, year or decade, a prefix."""
    if node == "*":
        return True
    if node.startswith("["):
        low, high = (Fraction(end) for end in node[1:-1].split(", "))
        return low <= Fraction(str(value)) < high
    if column.trait == "dates":
        day = (EPOCH + datetime.timedelta(days=value)).date().isoformat()
        return day.startswith(node[:3] if node.endswith("0s") else node)
    return node.endswith("*") and len(node) == len(str(value)) and str(value).startswith(node.rstrip("*"))


def inside(written: Written, table: Table, quasi: Sequence[str]) -> Iterator[Failure]:
    """Check that every record lies in its own box."""
    for name in quasi:
        column, form = table.columns[name], written.form(name)
        for row, tag in enumerate(written.tags):
            value = column.values[tag]
            cells = [written.cells[part][row] for part in written.columns(name)]
            if any(cell is None for cell in cells):
                if not all(cell is None for cell in cells):
                    yield Failure("outside", f"{column.trait}: one end is missing")
                    return
                continue
            if column.missing(value):
                yield Failure("outside", f"{column.trait}: a missing value has a box")
                return
            if form["form"] == "interval":
                if not Fraction(cells[0]) <= _exact(value, column) <= Fraction(cells[1]):
                    yield Failure("outside", f"{column.trait}: {value!r} is not in {cells}")
                    return
            elif form["form"] == "sets" and cells[0] not in form.get("open", []):
                members = form["members"][cells[0]]
                if form.get("nodes") and any(_below(value, column, member) for member in members):
                    continue
                if not _spellings(value, column) & set(members) and not _same_number(value, members):
                    yield Failure("outside", f"{column.trait}: {value!r} is not behind {cells[0]!r}")
                    return


def _spellings(value: Any, column: Column) -> set[str]:
    """Return how a value may be written in a codebook."""
    if not column.temporal:
        return {str(value), str(value).lower()}
    moment = EPOCH + datetime.timedelta(microseconds=value * column.whole_clock // 1000)
    return {str(moment.date())} if column.dtype == pl.Date else {str(moment), moment.isoformat()}


def _same_number(value: Any, members: Sequence[str]) -> bool:
    try:
        return float(value) in [float(member) for member in members]
    except (TypeError, ValueError):
        return False


def exact(written: Written, table: Table, changed: Sequence[str]) -> Iterator[Failure]:
    """Check that all other columns left as they came in."""
    for name, column in table.columns.items():
        if name in changed or name not in written.codebook or written.form(name)["form"] != "exact":
            continue
        for row, tag in enumerate(written.tags):
            value, cell = column.values[tag], written.cells[name][row]
            if column.missing(value):
                if cell is not None and cell != value:
                    yield Failure("changed", f"{column.trait}: a missing value became {cell!r}")
                    return
            elif not _same(value, cell, column):
                yield Failure("changed", f"{column.trait}: {value!r} became {cell!r}")
                return


def _same(value: Any, cell: Any, column: Column) -> bool:
    if cell is None:
        return False
    if column.temporal:
        # a release tells times to the microsecond
        return int(_exact(value, column)) // 1000 == cell // 1000
    if isinstance(value, Decimal):
        return cell in (value, float(value))
    return bool(cell == value)


def edges(written: Written, table: Table, quasi: Sequence[str]) -> Iterator[Failure]:
    """Check that no edge is a value that hardly falls on a grid by chance."""
    for name in quasi:
        column = table.columns[name]
        if column.trait not in ("reals", "integers above 2^53") or written.form(name)["form"] != "interval":
            continue
        values = {_exact(value, column) for value in column.values if not column.missing(value)}
        for part in written.columns(name):
            shown = {Fraction(cell) for cell in written.cells[part] if cell is not None} & values - {Fraction(0)}
            if shown:
                yield Failure("edge", f"{column.trait}: {len(shown)} edges are values of records")
                return


def tiling(written: Written, table: Table, quasi: Sequence[str]) -> Iterator[Failure]:
    """Check that no two boxes overlap."""
    boxes = sorted(
        {tuple(written.cells[c][row] for n in quasi for c in written.columns(n)) for row in range(len(written.tags))},
        key=repr,
    )
    for place, one in enumerate(boxes):
        for other in boxes[:place]:
            if _overlap(written, quasi, one, other):
                yield Failure("overlap", f"{one} and {other}")
                return


def _overlap(written: Written, quasi: Sequence[str], one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    at = 0
    for name in quasi:
        form, size = written.form(name), len(written.columns(name))
        mine, theirs = one[at : at + size], other[at : at + size]
        at += size
        if (mine[0] is None) != (theirs[0] is None):
            return False
        if mine[0] is None or mine == theirs:
            continue
        if form["form"] == "interval":
            if not max(mine[0], theirs[0]) < min(mine[1], theirs[1]):
                return False
        elif mine[0] in form.get("open", []) or theirs[0] in form.get("open", []):
            continue
        elif not set(form["members"][mine[0]]) & set(form["members"][theirs[0]]):
            return False
    return True


def placed(written: Written, table: Table, quasi: Sequence[str], again: pl.DataFrame) -> Iterator[Failure]:
    """Check that placing the original records gives each its own box back."""
    rows = {tag: row for row, tag in enumerate(again.get_column("tag").to_list())}
    for name in quasi:
        for part in written.columns(name):
            found = [_plain(cell) for cell in again.get_column(part).to_list()]
            wrong = sum(_differ(found[rows[tag]], written.cells[part][row]) for row, tag in enumerate(written.tags))
            if wrong:
                yield Failure("place", f"{table.columns[name].trait}: {wrong} records in another box")
                return


def _differ(one: Any, other: Any) -> bool:
    if isinstance(one, Decimal):
        one = float(one)
    return bool(one != other)


def grades(written: Written, quasi: Sequence[str]) -> Iterator[Failure]:
    """Check that grades lie between 0 and 1, and that no record lacks only some."""
    for name, entry in written.codebook.items():
        if entry["form"]["form"] != "fuzzy" or entry["form"]["shown"] != "grades":
            continue
        for row in zip(*(written.cells[part] for part in written.columns(name)), strict=True):
            if any(cell is None for cell in row) != all(cell is None for cell in row):
                yield Failure("grades", f"{name}: a record has some grades only")
                return
            if any(cell is not None and not 0 <= cell <= 1 for cell in row):
                yield Failure("grades", f"{name}: a grade is beyond 0 and 1")
                return


def statistic(
    written: Written, table: Table, asked: str, coefficient: str, weight: str | None, lower: float, upper: float
) -> Iterator[Failure]:
    """Compare a guaranteed range with the exact statistic of the released records."""
    names = [part.strip() for part in asked[asked.index("(") + 1 : -1].replace("~", ",").split(",")]
    rows = []
    for row, tag in enumerate(written.tags):
        visible = all(written.cells[part][row] is not None for name in names for part in written.columns(name))
        values = [table.columns[name].values[tag] for name in names]
        if visible and not any(table.columns[name].missing(value) for name, value in zip(names, values, strict=True)):
            heft = Fraction(table.columns[weight].values[tag]) if weight else Fraction(1)
            rows.append((heft, [_exact(value, table.columns[name]) for name, value in zip(names, values, strict=True)]))
    truth = _true_value(asked.partition("(")[0], rows, coefficient)
    if truth is None:
        return
    beyond = max(_above(lower, truth), -_above(upper, truth))
    if beyond > 0:
        traits = ", ".join(table.columns[name].trait for name in names)
        what = asked.partition("(")[0]
        size = max([abs(truth), *(abs(value) for _, values in rows for value in values if what == "mean")])
        kind = "rounding of a range" if beyond <= ROUNDING * size else "range"
        yield Failure(kind, f"{what} {coefficient} of {traits}: {float(truth)!r} not in [{lower!r}, {upper!r}]")


def _above(end: float, truth: Fraction) -> Fraction:
    return Fraction(end) - truth if math.isfinite(end) else Fraction(-1 if end < 0 else 1)


def _true_value(what: str, rows: list[tuple[Fraction, list[Fraction]]], coefficient: str) -> Fraction | None:
    total = sum(heft for heft, _ in rows)
    if not total:
        return None
    means = [sum(heft * values[place] for heft, values in rows) / total for place in range(len(rows[0][1]))]

    def covariance(one: int, other: int) -> Fraction:
        return sum(heft * (v[one] - means[one]) * (v[other] - means[other]) for heft, v in rows) / total

    if what == "mean":
        return means[0]
    if what in ("var", "std"):
        return covariance(0, 0) if what == "var" else _root(covariance(0, 0))
    if what == "cov":
        return covariance(0, 1)
    if what == "corr":
        product = covariance(0, 0) * covariance(1, 1)
        if not product:
            return None
        square = covariance(0, 1) ** 2 / product
        return _root(square) * (1 if covariance(0, 1) >= 0 else -1)
    spread = covariance(1, 1)
    if not spread:
        return None
    slope = covariance(0, 1) / spread
    return means[0] - slope * means[1] if coefficient == "(intercept)" else slope


def _root(value: Fraction) -> Fraction:
    """Return the square root to sixty digits."""
    with localcontext() as context:
        context.prec = 60
        return Fraction((Decimal(value.numerator) / Decimal(value.denominator)).sqrt())


def masked(
    written: Written, table: Table, *, members: str, hidden: list[str] | None, reshape: str
) -> Iterator[Failure]:
    """Check that places keep their numbers of records, and that hidden ones do not stand out."""
    yield from written.failures
    places = table.columns["place"].values
    if Counter(written.cells["place"]) != Counter(places):
        yield Failure("places", "a place has another number of records")
    labels = sorted(set(places))
    count = Counter(
        cell
        for row, cell in enumerate(written.cells["place"])
        if table.columns["who"].values[written.tags[row]] == members
    )
    out = {labels[place] for place in _standing_out([count[label] for label in labels])}
    if wrong := out if hidden is None and reshape != "decoy" else out & set(hidden or ()):
        yield Failure("stands out", f"{len(wrong)} of {len(labels)} places after {reshape}")


def _standing_out(signal: list[int], alpha: float = 0.01) -> set[int]:
    """TC16's modified Thompson tau, robust, one removal at a time."""
    from scipy.stats import t as student

    left = dict(enumerate(map(float, signal)))
    middle = _quantile(sorted(left.values()), 2)
    floor = math.sqrt(math.pi / 2) * sum(abs(value - middle) for value in left.values()) / len(left)
    removed: set[int] = set()
    while len(left) >= 3:
        ascending = sorted(left.values())
        low, centre, high = (_quantile(ascending, quarter) for quarter in (1, 2, 3))
        spread = (high - low) / 1.349 if high > low else floor
        m = len(left)
        critical = student.ppf(1 - alpha / 2, m - 2)
        tau = critical * (m - 1) / (math.sqrt(m) * math.sqrt(m - 2 + critical**2))
        farthest = max(left, key=lambda place: (abs(left[place] - centre), left[place]))
        if abs(left[farthest] - centre) <= tau * spread * (1 + 1e-9):
            break
        removed.add(farthest)
        del left[farthest]
    return removed


def _quantile(ascending: list[float], quarter: int) -> float:
    """Return the median, or that of the lower or upper half, which leaves the median out."""
    n = len(ascending)
    half = n // 2
    part = {1: ascending[:half], 2: ascending, 3: ascending[n - half :]}[quarter]
    return (part[(len(part) - 1) // 2] + part[len(part) // 2]) / 2


def measured(table: Table, quasi: Sequence[str], sensitive: Sequence[str], safety: Any) -> Iterator[Failure]:
    """Count k of a table as it is; its missing values are one value."""
    keys = Counter(
        tuple("missing" if column.missing(value) else (value,) for value, column in zip(row, columns, strict=True))
        for columns in [[table.columns[name] for name in quasi]]
        for row in zip(*(column.values for column in columns), strict=True)
    )
    if safety.k.worst != min(keys.values()):
        yield Failure("k", f"measured {safety.k.worst}, counted {min(keys.values())}")
