"""Random columns of every kind, each with its values as plain Python objects."""

from __future__ import annotations

import datetime
import random
import string
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl

ODD_TEXTS = (
    "=1+1", "'=1", "@x", "-", "+3", "a,b", 'say "so"', "two\nlines", "tab\there", " blank ", "NA", "null", "E10", "1e5",
    "007", "Ünïcode", "東京", "e\u0301", "\u200bhidden", "a;b", "'", "x" * 200, ".", "true", "2020-01-01", "{a}", "[b]",
    "*",
)  # fmt: skip  # one below the other they would fill a page
CLOCKS = ("dates", "times in ms", "times in us", "times in ns", "durations", "times of day")
EPOCH = datetime.datetime(1970, 1, 1)


@dataclass(frozen=True)
class Column:
    """One column: its values, None where missing, and how the library is told of it."""

    trait: str
    values: list[Any]
    dtype: pl.DataType
    numeric: bool
    codes: tuple[Any, ...] = ()
    """Values that are declared to mean missing."""
    kind: Any = None
    """The declared kind, if any."""
    whole_clock: int = 1
    """Of a column of times, how many nanoseconds one unit has; the values are whole numbers of units."""

    @property
    def temporal(self) -> bool:
        return self.dtype.is_temporal()

    def missing(self, value: Any) -> bool:
        return value is None or value != value or value == "" or value in self.codes

    def exact(self, value: Any) -> Fraction:
        """Return a number, date or time as an exact number; of times, in nanoseconds."""
        return Fraction(int(value) if isinstance(value, bool) else value) * (self.whole_clock if self.temporal else 1)

    def series(self, name: str) -> pl.Series:
        if self.temporal:
            return pl.Series(name, self.values, dtype=pl.Int64).cast(self.dtype)
        return pl.Series(name, self.values, dtype=self.dtype)


@dataclass(frozen=True)
class Table:
    """A random table. The column ``tag`` tells records apart, so that they are found again in a written file."""

    columns: dict[str, Column]
    records: int
    homes: list[Any] = field(default_factory=list)

    def frame(self) -> pl.DataFrame:
        return pl.DataFrame([column.series(name) for name, column in self.columns.items()])

    def missing_codes(self) -> dict[str, list[Any]]:
        return {name: list(column.codes) for name, column in self.columns.items() if column.codes}

    def kinds(self) -> dict[str, Any]:
        return {name: column.kind for name, column in self.columns.items() if column.kind is not None}

    def named(self, *, numeric: bool) -> list[str]:
        return [name for name, its in self.columns.items() if name != "tag" and its.numeric is numeric]


def _few_integers(rng: random.Random, n: int) -> Column:
    top = rng.choice([1, 3, 9, 80])
    return Column("few integers", [rng.randint(0, top) for _ in range(n)], pl.Int64(), True)


def _integers(rng: random.Random, n: int) -> Column:
    dtype, limit = rng.choice([(pl.Int8(), 100), (pl.Int32(), 10**6), (pl.Int64(), 10**12), (pl.UInt16(), 60_000)])
    low = 0 if dtype == pl.UInt16 else -limit
    return Column("integers", [rng.randint(low, limit) for _ in range(n)], dtype, True)


def _around_2_53(rng: random.Random, n: int) -> Column:
    spread = rng.choice([3, 50, 10**6])
    return Column("integers around 2^53", [2**53 + rng.randint(-spread, spread) for _ in range(n)], pl.Int64(), True)


def _above_2_53(rng: random.Random, n: int) -> Column:
    base, spread = rng.choice([2**55, 10**17, 2**62]), rng.choice([5, 1000, 10**15])
    sign = rng.choice([1, -1])
    return Column(
        "integers above 2^53", [sign * base + rng.randint(-spread, spread) for _ in range(n)], pl.Int64(), True
    )


def _unsigned(rng: random.Random, n: int) -> Column:
    return Column("integers above 2^63", [2**63 + rng.randint(-9, 9**9) for _ in range(n)], pl.UInt64(), True)


def _reals(rng: random.Random, n: int) -> Column:
    scale = rng.choice([1.0, 1e-6, 1e6, 1e100, 1e-100])
    draw = rng.choice([rng.gauss, lambda a, b: rng.lognormvariate(a, b) - 0.5])
    return Column("reals", [draw(0.0, 1.0) * scale for _ in range(n)], pl.Float64(), True)


def _rounded(rng: random.Random, n: int) -> Column:
    digits = rng.choice([1, 2, 3])
    values = [round(rng.lognormvariate(3, 2), digits) * rng.choice([1, 1, 1, 0]) for _ in range(n)]
    return Column("rounded reals", values, pl.Float64(), True)


def _small_reals(rng: random.Random, n: int) -> Column:
    # what 32 bits hold, 64 hold too
    values = pl.Series([rng.gauss(50, 20) for _ in range(n)], dtype=pl.Float32).cast(pl.Float64).to_list()
    return Column("32-bit reals", values, pl.Float32(), True)


def _zeros(rng: random.Random, n: int) -> Column:
    values = [rng.choice([0.0, -0.0, 0.5, float("nan"), 1.25]) for _ in range(n)]
    return Column("signed zeros and NaN", values, pl.Float64(), True)


def _infinite(rng: random.Random, n: int) -> Column:
    return Column("infinity", [rng.choice([1.0, float("inf"), -2.5]) for _ in range(n)], pl.Float64(), True)


def _decimals(rng: random.Random, n: int) -> Column:
    values = [Decimal(rng.randint(-(10**6), 10**6)).scaleb(-2) for _ in range(n)]
    return Column("decimals", values, pl.Decimal(18, 2), True)


def _long_decimals(rng: random.Random, n: int) -> Column:
    base = 10 ** rng.choice([18, 22])
    values = [Decimal(base + rng.randint(-999, 999)).scaleb(-4) for _ in range(n)]
    return Column("decimals beyond 2^53", values, pl.Decimal(30, 4), True)


def _days(rng: random.Random, n: int) -> Column:
    first, spread = rng.choice([-30_000, 0, 18_000]), rng.choice([30, 10_000])
    return Column(
        "dates", [first + rng.randint(0, spread) for _ in range(n)], pl.Date(), True, whole_clock=86_400 * 10**9
    )


def _times(unit: str, per_second: int) -> Callable[[random.Random, int], Column]:
    def draw(rng: random.Random, n: int) -> Column:
        start = rng.choice([-(10**9), 0, 1_600_000_000]) * per_second
        spread = rng.choice([10 * per_second, 10**6 * per_second, 900])
        return Column(
            f"times in {unit}",
            [start + rng.randint(0, spread) for _ in range(n)],
            pl.Datetime(unit),
            True,
            whole_clock=10**9 // per_second,
        )

    return draw


def _durations(rng: random.Random, n: int) -> Column:
    return Column("durations", [rng.randint(0, 10**9) for _ in range(n)], pl.Duration("us"), True)


def _clock(rng: random.Random, n: int) -> Column:
    return Column("times of day", [rng.randint(0, 86_399) * 10**9 for _ in range(n)], pl.Time(), True)


def _coded(rng: random.Random, n: int) -> Column:
    codes = rng.choice([(-9,), (-7, -8, -9)])
    values = [rng.choice(codes) if rng.random() < 0.2 else rng.randint(0, 60) for _ in range(n)]
    return Column("one missing code" if len(codes) == 1 else "several missing codes", values, pl.Int64(), True, codes)


def _coded_text(rng: random.Random, n: int) -> Column:
    codes = rng.choice([("?",), ("?", "refused")])
    values = [rng.choice([*codes, "a", "b", "c"]) for _ in range(n)]
    trait = "one missing code" if len(codes) == 1 else "several missing codes"
    return Column(trait, values, pl.String(), False, codes)


def _booleans(rng: random.Random, n: int) -> Column:
    share = rng.choice([0.5, 0.05])
    return Column("booleans", [rng.random() < share for _ in range(n)], pl.Boolean(), False)


def _categories(rng: random.Random, n: int) -> Column:
    names = string.ascii_lowercase[: rng.choice([2, 4, 12])]
    dtype = rng.choice([pl.String(), pl.Categorical()])
    return Column("categories", [rng.choice(names) for _ in range(n)], dtype, False)


def _ordinals(rng: random.Random, n: int) -> Column:
    names = ["low", "middle", "high", "top"]
    if rng.random() < 0.5:
        return Column("ordinals", [rng.choice(names) for _ in range(n)], pl.Enum(names), False)
    return Column("ordinals", [rng.choice(names) for _ in range(n)], pl.String(), False, kind=names)


def _numbered(rng: random.Random, n: int) -> Column:
    kind = rng.choice(["categorical", "ordinal"])
    return Column("numbers as categories", [rng.randint(1, 6) for _ in range(n)], pl.Int64(), False, kind=kind)


def _texts(rng: random.Random, n: int) -> Column:
    some = rng.sample(ODD_TEXTS, 6)
    return Column("odd texts", [rng.choice(some) for _ in range(n)], pl.String(), False)


def _names(rng: random.Random, n: int) -> Column:
    return Column("nearly unique texts", [f"n{rng.randint(0, 5 * n)}" for _ in range(n)], pl.String(), False)


def _constant(rng: random.Random, n: int) -> Column:
    numeric = rng.random() < 0.6
    value: Any = rng.choice([0, 7, -3]) if numeric else "same"
    return Column("constants", [value] * n, pl.Int64() if numeric else pl.String(), numeric)


def _absent(rng: random.Random, n: int) -> Column:
    numeric = rng.random() < 0.6
    return Column(
        "all missing", [None] * n, rng.choice([pl.Float64(), pl.Int64()]) if numeric else pl.String(), numeric
    )


def _lists(rng: random.Random, n: int) -> Column:
    return Column("lists", [[rng.randint(0, 3)] for _ in range(n)], pl.List(pl.Int64), False)


FREQUENT = [
    _few_integers, _integers, _reals, _rounded, _days, _booleans, _categories, _ordinals, _numbered, _coded,
    _coded_text, _texts, _decimals, _small_reals, _times("ms", 10**3), _times("us", 10**6), _times("ns", 10**9),
    _around_2_53, _above_2_53,
]  # fmt: skip  # one below the other they would fill a page
RARE = [_zeros, _unsigned, _long_decimals, _infinite, _durations, _clock, _names, _constant, _absent, _lists]


SIMPLE = ("tag", "few integers", "integers", "reals", "rounded reals", "dates", "weights", "homes")
"""What a text file holds unchanged, and is read as the same."""


def draw_column(rng: random.Random, n: int, *, without: Collection[str] = (), numeric: bool | None = None) -> Column:
    """Draw a column of any kind, perhaps with missing values; ``without`` names kinds that have no meaning here."""
    while True:
        column = rng.choice(RARE if rng.random() < 0.06 else FREQUENT)(rng, n)
        if column.trait not in without and numeric in (None, column.numeric):
            break
    share = rng.choice([0.0, 0.0, 0.0, 0.05, 0.3])
    if share and column.trait != "lists":
        holes = [None if rng.random() < share else value for value in column.values]
        column = Column(**{**column.__dict__, "values": holes})
    return column
