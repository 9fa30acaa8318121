"""From a column to integer codes: the rank of each value among the distinct ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.array_types import Codes, Flags
from sfumato.errors import MicrofileError
from sfumato.microfile.attribute import Attribute, Code, Kind
from sfumato.quiet_repr import quiet

DENSE_CELLS = 1 << 20
"""A lookup table with this number of cells is always cheap; larger tables are limited by the number of records."""


@quiet
@dataclass(frozen=True, slots=True)
class Encoded:
    """A column as codes.

    ``values[code]`` is the value: numbers ascend, categories follow their declared order or sort as
    text. Only values that occur are listed.
    """

    codes: Codes
    """One per record, -1 where the value is missing."""
    values: NDArray[Any]
    """The distinct values."""

    @property
    def missing(self) -> Flags:
        """Where the value is missing."""
        return self.codes < 0

    def with_missing(self) -> Codes:
        """Return the codes, in which missing values have a code of their own, the last."""
        return np.where(self.missing, np.int32(self.values.size), self.codes)

    @property
    def has_missing(self) -> bool:
        """Whether any value is missing."""
        return bool(self.codes.size) and int(self.codes.min()) < 0


def encode(series: pl.Series, attribute: Attribute) -> Encoded:
    """Encode a column according to its attribute."""
    dtype = series.dtype
    if dtype == pl.Boolean:
        series = series.cast(pl.String)
    if series.dtype.is_numeric() or series.dtype.is_temporal():
        encoded = _encode_numbers(series)
    elif isinstance(series.dtype, pl.String | pl.Categorical | pl.Enum):
        encoded = _encode_text(series)
    elif dtype == pl.Null:
        encoded = Encoded(np.full(len(series), -1, dtype=np.int32), np.empty(0))
    else:
        raise MicrofileError(
            f"column {attribute.name!r} holds {dtype}, not numbers or categories",
            hint="drop the column, or unnest it into plain columns",
            column=attribute.name,
        )
    encoded = _without(encoded, attribute)
    if attribute.kind is Kind.ORDINAL and attribute.order:
        encoded = _reordered(encoded, attribute)
    return encoded


def _encode_numbers(series: pl.Series) -> Encoded:
    from sfumato.kernels.factorize import rank_bounded

    if series.dtype.is_temporal():
        physical = _encode_numbers(series.to_physical())
        days = pl.Series(physical.values.astype(np.int64)).cast(series.to_physical().dtype).cast(series.dtype)
        return Encoded(physical.codes, days.to_numpy())
    if series.dtype.is_float():
        # adding zero makes -0.0 and 0.0 one value
        numbers = series.cast(pl.Float64).to_numpy() + 0.0
        return _encode_sparse(pl.Series(numbers, nan_to_null=True))
    low, high = series.min(), series.max()
    if low is None or high is None:
        return Encoded(np.full(len(series), -1, dtype=np.int32), np.empty(0, dtype=np.int64))
    if series.dtype.is_decimal() or series.dtype in (pl.UInt64, pl.Int128, pl.UInt128):
        return _encode_sparse(series)
    span = int(high) - int(low) + 1  # type: ignore[arg-type]  # polars types min() for all dtypes at once
    if span > max(DENSE_CELLS, 4 * len(series)):
        return _encode_sparse(series)
    has_null = series.null_count() > 0
    valid = series.is_not_null().to_numpy() if has_null else np.empty(0, dtype=np.bool_)
    numbers = (series.fill_null(low) if has_null else series).to_numpy().astype(np.int64, copy=False)
    codes, values = rank_bounded(numbers, valid, int(low), span)  # type: ignore[arg-type]  # as above
    return Encoded(codes, values)


def _encode_sparse(series: pl.Series) -> Encoded:
    codes = (series.rank("dense").cast(pl.Int32) - 1).fill_null(-1).to_numpy()
    if series.dtype.is_decimal() or series.dtype in (pl.Int128, pl.UInt128):
        return Encoded(codes, np.array(series.drop_nulls().unique().sort().to_list(), dtype=object))
    numbers = series.drop_nulls().to_numpy()
    values = np.empty(int(codes.max(initial=-1)) + 1, dtype=numbers.dtype)
    # the ranks give the order, so that the numbers are sorted only once
    values[codes[codes >= 0]] = numbers
    return Encoded(codes, values)


def _encode_text(series: pl.Series) -> Encoded:
    from sfumato.kernels.factorize import rank_bounded

    if not isinstance(series.dtype, pl.Categorical):
        series = series.cast(pl.Categorical(pl.Categories.random()))
    physical = series.to_physical()
    high = physical.max()
    if high is None:
        return Encoded(np.full(len(series), -1, dtype=np.int32), np.empty(0, dtype=object))
    valid = series.is_not_null().to_numpy() if series.null_count() else np.empty(0, dtype=np.bool_)
    appearance, _ = rank_bounded(
        physical.fill_null(0).to_numpy().astype(np.int64),
        valid,
        0,
        int(high) + 1,  # type: ignore[arg-type]  # polars types max() for all dtypes at once
    )
    unique = series.drop_nulls().unique()
    names = unique.cast(pl.String).gather(unique.to_physical().arg_sort())
    # the order of UTF-8 is that of Python's texts
    order = names.arg_sort().to_numpy().astype(np.int64)
    return _permuted(Encoded(appearance, np.array(names.to_list(), dtype=object)), order)


def _permuted(encoded: Encoded, order: NDArray[np.int64]) -> Encoded:
    """Keep the values at ``order``, in that order; all others become missing."""
    ranks = np.full(encoded.values.size + 1, -1, dtype=np.int32)
    ranks[order] = np.arange(order.size, dtype=np.int32)
    return Encoded(ranks[encoded.codes], encoded.values[order])


def written_codes(code: Code) -> tuple[str, ...]:
    """Return how columns of different types would write a code.

    >>> written_codes(1.0), written_codes("01")
    (('1.0', '1'), ('01',))
    """
    if isinstance(code, str):
        return (code,)
    as_integer = (str(int(code)),) if float(code).is_integer() else ()
    return tuple(dict.fromkeys((str(float(code)), *as_integer)))


def is_one_of(value: object, codes: Iterable[Code]) -> bool:
    """Whether a value is one of the codes, whatever their types.

    >>> is_one_of(99, ("?", "99")), is_one_of("NA", ("?",)), is_one_of("99", (99,))
    (True, False, True)
    """
    if isinstance(value, str):
        return any(value == str(code) for code in codes)
    for code in codes:
        try:
            if float(code) == float(value):  # type: ignore[arg-type]  # dates end in the handler
                return True
        except (TypeError, ValueError):
            if str(code) == str(value):
                return True
    return False


def _without(encoded: Encoded, attribute: Attribute) -> Encoded:
    if not attribute.missing and encoded.values.dtype != object:
        return encoded
    present = np.flatnonzero(~_among(encoded.values, ("", *attribute.missing)))
    return encoded if present.size == encoded.values.size else _permuted(encoded, present)


def _among(values: NDArray[Any], codes: Sequence[Code]) -> Flags:
    """Apply :func:`is_one_of` to many values."""
    if values.dtype.kind in "iuf":
        return np.isin(values.astype(np.float64), [float(code) for code in codes if _is_number(code)])
    texts = set(map(str, codes))
    flags = (value in texts if isinstance(value, str) else is_one_of(value, codes) for value in values.tolist())
    return np.fromiter(flags, dtype=np.bool_, count=values.size)


def _is_number(code: Code) -> bool:
    try:
        float(code)
    except (ValueError, OverflowError):
        return False
    return True


def _reordered(encoded: Encoded, attribute: Attribute) -> Encoded:
    ranks = {str(category): rank for rank, category in enumerate(attribute.order)}
    names = [str(value) for value in encoded.values.tolist()]
    unknown = sum(name not in ranks for name in names)
    if unknown:
        raise MicrofileError(
            f"column {attribute.name!r} holds {unknown} categories that its declared order does not list",
            hint="list all categories in the order, or declare the others missing",
            setting=("kinds", attribute.name),
            column=attribute.name,
        )
    order = sorted(range(len(names)), key=lambda index: ranks[names[index]])
    return _permuted(encoded, np.array(order, dtype=np.int64))
