"""Plain recounting of written releases: the csv module, pyarrow, dictionaries and exact fractions."""

from __future__ import annotations

import datetime
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl

from tests.generated_cases.files import Failure, Written, plain
from tests.generated_cases.tables import EPOCH, Column, Table

SLACK = Fraction(1, 10**9)
"""What rounding may add to a limit that is itself computed in floating point."""
TOLD = 1e-9
"""Certificates give measures to twelve digits."""


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
    paths: Mapping[str, Callable[[Any], tuple[Any, ...]]] | None = None,
) -> Iterator[Failure]:
    """Count k, l and t of what is visible; ``paths`` go from a sensitive value to the root of its hierarchy."""
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
    if written.certificate["measured"]["blocks"] != len(blocks):
        yield Failure("certificate", f"{len(blocks)} blocks, it says {written.certificate['measured']['blocks']}")
    for name in sensitive:
        trait = f"{name} ({table.columns[name].trait})"
        for failure in _sensitive(name, written, blocks, settings, (paths or {}).get(name)):
            yield Failure(failure.kind, f"{trait}: {failure.message}")


def _sensitive(
    name: str,
    written: Written,
    blocks: list[list[int]],
    settings: dict[str, Any],
    path: Callable[[Any], tuple[Any, ...]] | None,
) -> Iterator[Failure]:
    """Count l and t of one attribute, beside the limits and beside what the certificate says."""
    cells = written.cells[name]
    whole = Counter(cells)
    parts = [Counter(cells[row] for row in block) for block in blocks]
    for part in parts:
        yield from _diversity(part, settings)
    told = written.certificate["measured"]["attributes"][name]
    fewest = min(map(len, parts))
    if told["l"] != fewest:
        yield Failure("certificate", f"l is {fewest}, it says {told['l']}")
    if path is None:
        farthest = max(_distance(name, part, whole, written, settings) for part in parts)
    else:
        farthest = max(_along_tree(part, whole, path) for part in parts)
    if settings.get("t") is not None and farthest > Fraction(settings["t"]) + SLACK:
        yield Failure("t", f"{float(farthest):.6f} > {settings['t']}")
    if abs(float(farthest) - told["t"]) > TOLD:
        yield Failure("certificate", f"t is {float(farthest)}, it says {told['t']}")


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


def _distance(
    name: str, part: Counter[Any], whole: Counter[Any], written: Written, settings: dict[str, Any]
) -> Fraction:
    """Return how far the values of a block are from those of the table."""
    entry = written.codebook[name]
    ordered = entry["kind"] in ("numeric", "ordinal")
    if settings.get("distances", {}).get(name, "ordered" if ordered else "equal") == "equal":
        return sum((abs(_share(part, cell) - _share(whole, cell)) for cell in whole), Fraction(0)) / 2
    order = entry["order"]
    known = sorted(
        (cell for cell in whole if cell is not None),
        key=(lambda cell: order.index(str(cell))) if order else (lambda cell: cell),
    )
    distance = _ordered(known, part, whole)
    return max(distance, abs(_share(part, None) - _share(whole, None))) if None in whole else distance


def _along_tree(part: Counter[Any], whole: Counter[Any], path: Callable[[Any], tuple[Any, ...]]) -> Fraction:
    """Return the distance where values are as far apart as their lowest common node is high; missing ones as the root.

    Each node settles what its children have too much against what others have too little.
    """
    if not sum(count for cell, count in part.items() if cell is not None):
        return Fraction(0)
    ways = _joining({cell: (cell, *path(cell)) for cell in whole if cell is not None})
    height = max(map(len, ways.values())) - 1
    root = next(way[-1] for way in ways.values())
    missing = ((None,) * height) + (root,)
    extras = {ways.get(cell, missing): _share(part, cell) - _share(whole, cell) for cell in whole}
    distance = Fraction(0)
    for level in range(1, height + 1):
        nodes: dict[tuple[Any, ...], list[Fraction]] = defaultdict(list)
        for key, extra in extras.items():
            nodes[key[1:]].append(extra)
        for its in nodes.values():
            surplus, deficit = (sum((max(sign * one, Fraction(0)) for one in its), Fraction(0)) for sign in (1, -1))
            distance += Fraction(level, height) * min(surplus, deficit)
        extras = {node: sum(its, Fraction(0)) for node, its in nodes.items()}
    return distance


def _joining(ways: dict[Any, tuple[Any, ...]]) -> dict[Any, tuple[Any, ...]]:
    """Leave out the levels at which no values meet that were still apart, but not the root."""
    height = max(map(len, ways.values()), default=0)
    nodes = [len({way[level:] for way in ways.values()}) for level in range(height)]
    levels = [level for level in range(1, height) if nodes[level] < nodes[level - 1]] or [height - 1]
    return {cell: (cell, *(way[level] for level in levels)) for cell, way in ways.items()}


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
        parts = [written.cells[part] for part in written.columns(name)]
        for row, tag in enumerate(written.tags):
            if wrong := _beside(column, form, [cells[row] for cells in parts], column.values[tag]):
                yield Failure("outside", f"{column.trait}: {wrong}")
                break


def _beside(column: Column, form: dict[str, Any], cells: list[Any], value: Any) -> str:
    """Say what is wrong if a box does not hold a value in one attribute; a box without ends holds any."""
    if any(cell is None for cell in cells):
        return "" if all(cell is None for cell in cells) else "one end is missing"
    if column.missing(value):
        return "a missing value has a box"
    if form["form"] == "interval":
        low, high = (_edge(cell, column) for cell in cells)
        return "" if low <= column.exact(value) <= high else f"{value!r} is not in {cells}"
    if form["form"] != "sets" or cells[0] in form.get("open", []):
        return ""
    members = form["members"][cells[0]]
    if form.get("nodes") and any(_below(value, column, member) for member in members):
        return ""
    known = _spellings(value, column) & set(members) or _same_number(value, members)
    return "" if known else f"{value!r} is not behind {cells[0]!r}"


def _edge(cell: Any, column: Column) -> Fraction:
    """Return an edge as an exact number; of short decimals as it is written, for doubles stand for these."""
    return Fraction(repr(cell)) if column.trait == "decimals" and isinstance(cell, float) else Fraction(cell)


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
        return int(column.exact(value)) // 1000 == cell // 1000
    if isinstance(value, Decimal):
        return cell in (value, float(value))
    return bool(cell == value)


def apart(
    written: Written, table: Table, quasi: Sequence[str], wanted: float, epsilon: Mapping[str, float]
) -> Iterator[Failure]:
    """Check that every box has so many values of each quasi attribute that lie far enough apart."""
    for block in _blocks(written, quasi):
        for name in quasi:
            column = table.columns[name]
            if written.cells[written.columns(name)[0]][block[0]] is None:
                continue
            values = [column.values[written.tags[row]] for row in block]
            if name not in epsilon:
                found = len(set(values))
            else:
                found, last = 0, None
                for value in sorted(column.exact(value) for value in values):
                    if last is None or value - last >= Fraction(epsilon[name]) * (1 - SLACK):
                        found, last = found + 1, value
            if found < wanted:
                yield Failure("l", f"{column.trait}: {found} values apart < {wanted}")
                return


def edges(written: Written, table: Table, quasi: Sequence[str], k: int) -> Iterator[Failure]:
    """Check that no edge is the value of a record of its box that fewer than k records of the file have.

    Of real numbers, which hardly lie on a grid by chance, no edge may be the value of any record.
    """
    for name in quasi:
        column = table.columns[name]
        if written.form(name)["form"] != "interval":
            continue
        counts = Counter(column.exact(value) for value in column.values if not column.missing(value))
        if min(counts, default=0) >= 0:
            # the lowest edge of an attribute without negative values, whether a zero occurs or not
            counts[Fraction(0)] = k
        ends = [
            [None if cell is None else _edge(cell, column) for cell in written.cells[part]]
            for part in written.columns(name)
        ]
        own = [column.values[tag] for tag in written.tags]
        shown = {
            end
            for its in ends
            for end, value in zip(its, own, strict=True)
            if end is not None and end == column.exact(value) and counts[end] < k
        }
        if column.trait == "reals":
            shown |= {end for its in ends for end in its if end is not None and 0 < counts[end] < k}
        if shown:
            yield Failure("edge", f"{column.trait}: {len(shown)} edges are values of records")


def tiling(written: Written, quasi: Sequence[str]) -> Iterator[Failure]:
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
    """Check that placing the original records gives each its own box back.

    A record that lost a value when it was merged may get another box, which must hold it.
    """
    rows = {tag: row for row, tag in enumerate(again.get_column("tag").to_list())}
    parts = {name: written.columns(name) for name in quasi}
    found = {part: [plain(cell) for cell in again.get_column(part).to_list()] for its in parts.values() for part in its}
    wrong: Counter[str] = Counter()
    for row, tag in enumerate(written.tags):
        merged = any(
            written.cells[its[0]][row] is None and not table.columns[name].missing(table.columns[name].values[tag])
            for name, its in parts.items()
        )
        for name, its in parts.items():
            column, cells = table.columns[name], [found[part][rows[tag]] for part in its]
            if merged:
                wrong[column.trait] += bool(_beside(column, written.form(name), cells, column.values[tag]))
            else:
                wrong[column.trait] += cells != [written.cells[part][row] for part in its]
    for trait, times in (+wrong).items():
        yield Failure("place", f"{trait}: {times} records in another box")


def grades(written: Written, most: int) -> Iterator[Failure]:
    """Check that grades lie on at most so many levels between 0 and 1, and that no record lacks only some."""
    for name, entry in written.codebook.items():
        if entry["form"]["form"] != "fuzzy" or entry["form"]["shown"] != "grades":
            continue
        parts = [written.cells[part] for part in written.columns(name)]
        if any(len({cell is None for cell in row}) > 1 for row in zip(*parts, strict=True)):
            yield Failure("grades", f"{name}: a record has some grades only")
        shown = {cell for part in parts for cell in part if cell is not None}
        if not any(
            all(abs(cell * levels - round(cell * levels)) < 1e-9 for cell in shown) for levels in range(1, most + 1)
        ):
            yield Failure("grades", f"{name}: grades lie on no {most} levels")
        if any(not 0 <= cell <= 1 for cell in shown):
            yield Failure("grades", f"{name}: a grade is beyond 0 and 1")


def measured(table: Table, quasi: Sequence[str], sensitive: Sequence[str], safety: Any) -> Iterator[Failure]:
    """Count k and l of a table as it is; its missing values are one value."""
    blocks: dict[tuple[Any, ...], list[int]] = defaultdict(list)
    for row, key in enumerate(zip(*(_cells(table.columns[name]) for name in quasi), strict=True)):
        blocks[key].append(row)
    fewest = min(map(len, blocks.values()))
    if safety.k.worst != fewest:
        yield Failure("k", f"measured {safety.k.worst}, counted {fewest}")
    for name in sensitive:
        cells = _cells(table.columns[name])
        counted = min(len({cells[row] for row in block}) for block in blocks.values())
        if safety.attributes[name].l.worst != counted:
            yield Failure("l", f"measured {safety.attributes[name].l.worst}, counted {counted}")


def _cells(column: Column) -> list[Any]:
    return [None if column.missing(value) else value for value in column.values]


def values_in(message: str, table: Table) -> set[str]:
    """Return the rare values of records, of five characters or more, that a message shows."""
    words = set(re.findall(r"[^\s,;:()\[\]{}'\"]+", message.replace(",", "")))
    found: set[str] = set()
    for name, column in table.columns.items():
        if name == "tag" or column.trait == "lists":
            continue
        for value, times in Counter(_cells(column)).items():
            if times < 3 and value is not None:
                spellings = {str(value)}
                if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
                    spellings |= {f"{float(value):.{digits}g}" for digits in range(6, 18)}
                found |= {word for word in spellings & words if len(word) >= 5}
    return found
