"""Categories that no record has: the type of a column can name them, and with them people who were left out."""

from __future__ import annotations

import sys
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl


def without_unused_categories(column: nw.Series[Any]) -> nw.Series[Any]:
    """Return a column whose type lists only categories that occur, in their order; the same one if it already does.

    A categorical of Polars that uses the categories of the whole process is kept: they are not stored with a table.
    """
    native = column.to_native()
    used: Any
    if column.implementation is nw.Implementation.POLARS:
        used = _used_in_polars(native)
    elif column.implementation is nw.Implementation.PYARROW:
        used = _used_in_arrow(native) if hasattr(native.type, "index_type") else native
    elif hasattr(native.dtype, "pyarrow_dtype"):
        used = _used_in_arrow_of_pandas(native)
    else:
        used = native.cat.remove_unused_categories() if hasattr(native.dtype, "categories") else native
    return column if used is native else nw.from_native(used, series_only=True)


def _used_in_polars(series: pl.Series) -> pl.Series:
    dtype = series.dtype
    if isinstance(dtype, pl.Enum):
        occurring = set(series.unique().cast(pl.String).to_list())
        categories = [category for category in dtype.categories.to_list() if category in occurring]
        used: pl.DataType = pl.Enum(categories)
        complete = len(categories) == len(dtype.categories)
    elif isinstance(dtype, pl.Categorical) and not dtype.categories.is_global():
        used = pl.Categorical(pl.Categories.random())
        complete = series.drop_nulls().n_unique() == len(dtype.categories.to_series())
    else:
        return series
    return series if complete else series.cast(pl.String).cast(used)


def _used_in_arrow(column: Any) -> Any:
    """Do it for a chunked array of dictionaries, each of which can have other categories."""
    pa: Any = sys.modules["pyarrow"]

    whole = column.unify_dictionaries().combine_chunks()
    missing = whole.indices.is_null().to_numpy(zero_copy_only=False)
    codes = whole.indices.fill_null(0).to_numpy()
    used = np.unique(codes[~missing])
    if used.size == len(whole.dictionary):
        return column
    # a code under a missing cell would still be written
    codes = np.where(missing, 0, np.searchsorted(used, codes))
    indices = pa.array(codes, type=whole.type.index_type, mask=missing)
    dictionary = whole.dictionary.take(pa.array(used, type=pa.int64()))
    return pa.chunked_array([pa.DictionaryArray.from_arrays(indices, dictionary, ordered=whole.type.ordered)])


def _used_in_arrow_of_pandas(series: Any) -> Any:
    """Do it for a column of pandas that is stored as Arrow."""
    if not hasattr(series.dtype.pyarrow_dtype, "index_type"):
        return series
    pa: Any = sys.modules["pyarrow"]

    stored = pa.array(series.array)
    stored = stored if isinstance(stored, pa.ChunkedArray) else pa.chunked_array([stored])
    used = _used_in_arrow(stored)
    return series if used is stored else type(series)(type(series.array)(used), index=series.index, name=series.name)
