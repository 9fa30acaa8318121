"""Fingerprints of results: digests of their numbers that survive new names and new sentences."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

NAMED, VALUES = "named", "values"
"""The two digests of a fingerprint: of values with their names, and of the values alone."""
Fingerprint = dict[str, str]
Leaf = tuple[str, str]


def digest(content: bytes | str) -> str:
    """Return the SHA-256 digest of bytes or of a text."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def data_fingerprint(frame: pl.DataFrame) -> Fingerprint:
    """Digest every cell in the released order, the types of the columns, and their names."""
    columns = [(column.name, f"{column.dtype}\0" + "\0".join(map(repr, column.to_list()))) for column in frame]
    return {
        NAMED: digest("\1".join(f"{name}\0{cells}" for name, cells in columns)),
        VALUES: digest("\1".join(cells for _, cells in columns)),
    }


def tree_fingerprint(content: Any, *, texts: bool = False) -> Fingerprint:
    """Digest all numbers and booleans in nested mappings, sequences and arrays, with their paths and without.

    Parameters
    ----------
    content
        What was read from JSON, or what ``summary`` returns.
    texts
        Whether texts and empty values count too; otherwise they may change.
    """
    leaves = sorted(leaves_of(content, texts=texts))
    return {
        NAMED: digest("\n".join(f"{path}\0{value}" for path, value in leaves)),
        VALUES: digest("\n".join(sorted(value for _, value in leaves))),
    }


def leaves_of(content: Any, *, texts: bool = False, path: str = "") -> Iterator[Leaf]:
    """Yield the path and the exact text of every number and boolean; of texts and nulls too if asked."""
    if isinstance(content, Mapping):
        for name, part in content.items():
            yield from leaves_of(part, texts=texts, path=f"{path}.{name}")
    elif isinstance(content, list | tuple):
        for place, part in enumerate(content):
            yield from leaves_of(part, texts=texts, path=f"{path}[{place}]")
    elif isinstance(content, np.ndarray):
        yield path, f"{content.dtype.kind}{content.shape} {digest(np.ascontiguousarray(content).tobytes())}"
    elif isinstance(content, bool | np.bool_):
        yield path, str(bool(content))
    elif isinstance(content, int | np.integer):
        yield path, repr(int(content))
    elif isinstance(content, float | np.floating):
        yield path, repr(float(content))
    elif texts:
        yield path, repr(content)


def file_fingerprint(path: Path) -> Fingerprint:
    """Digest the bytes of a file."""
    found = digest(path.read_bytes())
    return {NAMED: found, VALUES: found}
