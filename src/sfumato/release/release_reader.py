"""Opens a written release."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from sfumato.errors import ReleaseError, SfumatoError
from sfumato.microfile import Microfile
from sfumato.release.codebook import Codebook
from sfumato.release.opened_release import OpenedRelease, open_files, require_release
from sfumato.release.release import Release


def open_release(folder: str | Path) -> Release:
    """Open a written release, refusing one whose files do not belong together."""
    path = Path(folder)
    require_release(path)
    return release_of(open_files(path, compare=False), path)


def release_of(opened: OpenedRelease, path: Path) -> Release:
    """Make a release of the files that were read from a folder."""
    try:
        table = None if opened.findings else opened.table
    except SfumatoError as error:
        raise ReleaseError(f"{path} is not intact: {error.message}") from None
    if opened.certificate is None or opened.codebook is None or table is None:
        raise ReleaseError(
            f"{path} is not intact: " + "; ".join(f"{f.about} {f.message}" for f in opened.findings),
            hint="sfumato audit gives the details; fetch the release again",
        )
    try:
        release = Release(
            _with_orders(table, opened.codebook),
            promise=opened.certificate.promise,
            forms=opened.codebook.forms(),
            hierarchies=opened.codebook.hierarchies(),
            settings=opened.certificate.settings,
        )
    except SfumatoError as error:
        raise ReleaseError(f"{path} is not intact: {error.message}") from None
    release.codebook = opened.codebook
    release.folder = path
    return release


def _with_orders(table: Microfile, codebook: Codebook) -> Microfile:
    """Give ordinal texts the type of ordered categories; a file holds them as plain text."""
    orders = {
        name: entry.order
        for name, entry in codebook.attributes.items()
        if entry.order and table.series(name).dtype == pl.String
    }
    ordered = {name: table.series(name).cast(pl.Enum(order), strict=False) for name, order in orders.items()}
    for name, series in ordered.items():
        if series.null_count() != table.series(name).null_count():
            raise ReleaseError(f"column {name!r} holds categories that the codebook's order does not list")
    return table.with_columns(ordered) if ordered else table
