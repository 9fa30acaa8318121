"""The certificate: what a release promises, what was measured, and which files it covers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue

from sfumato.errors import ReleaseError
from sfumato.measures import Promise
from sfumato.settings import Settings

CERTIFICATE = "certificate.json"
CODEBOOK = "codebook.json"
FILES = frozenset({CERTIFICATE, CODEBOOK, "data.parquet", "data.csv"})
"""The files that a release can have."""
EARLIER = ("sfumato-release-1",)
"""Formats of earlier versions, in which declared missing codes remained in the data."""

VERSION = r"^[0-9]{1,4}(\.[0-9]{1,4}){1,3}((a|b|rc)[0-9]{1,2})?(\.post[0-9]{1,2})?(\.dev[0-9]{1,4})?$"
"""A version without what a distributor adds after ``+``, which could be any text."""

ColumnType = Literal["integer", "real", "decimal", "text", "date", "datetime", "boolean"]


class ColumnFacts(Settings):
    """One column of the data."""

    type: ColumnType
    """What its cells are."""
    scale: int | None = Field(default=None, ge=0, le=38)
    """How many digits decimal cells have after the point."""
    sha256: str
    """The digest of its cells, so that a changed column is found by name."""


class DataFacts(Settings):
    """The data file."""

    file: Literal["data.parquet", "data.csv"]
    """Its name."""
    sha256: str
    """Its digest."""
    records: int = Field(ge=0)
    """How many records it has."""
    columns: dict[str, ColumnFacts]
    """Its columns in order."""


class Certificate(Settings):
    """What a release promises and what was measured."""

    format: Literal["sfumato-release-2"] = "sfumato-release-2"
    """The format of this certificate."""
    software: dict[Literal["sfumato", "numpy", "polars"], Annotated[str, Field(pattern=VERSION)]]
    """The versions that made the release."""
    promise: Promise
    """The limits that every block satisfies."""
    measured: dict[str, JsonValue]
    """What was measured on the data."""
    settings: dict[str, JsonValue]
    """How it was protected, as far as that may be public."""
    data: DataFacts
    """The data file."""
    codebook: str
    """The digest of the codebook."""
    seal: str = ""
    """The digest of the rest of this certificate."""

    def sealed(self) -> Certificate:
        """Return the certificate with its seal."""
        return self.model_copy(update={"seal": seal_of(self.model_dump(mode="json"))})


def public_version(version: str) -> str:
    """Return a version as a certificate names it.

    >>> public_version("2.4.0.dev0+git20260101.1a2b3c4")
    '2.4.0.dev0'
    """
    return version.partition("+")[0]


def seal_of(content: Mapping[str, JsonValue]) -> str:
    """Digest a certificate's content without its seal."""
    rest = {key: value for key, value in content.items() if key != "seal"}
    return hashlib.sha256(to_json(rest).encode()).hexdigest()


def to_json(content: Any) -> str:
    """Write JSON in one canonical way."""
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def read_json(path: Path) -> dict[str, JsonValue]:
    """Read a JSON object of a release, refusing what is ambiguous."""
    if path.exists() and not path.is_file():
        raise ReleaseError(f"{path.name} is not a file")
    try:
        content = json.loads(
            path.read_text(encoding="utf-8"), object_pairs_hook=_without_repeats, parse_constant=_refuse
        )
        if not isinstance(content, dict):
            raise ReleaseError(f"{path.name} is not a JSON object")
        to_json(content).encode()
    except FileNotFoundError:
        raise ReleaseError(f"{path.name} is missing") from None
    except OSError:
        raise ReleaseError(f"{path.name} cannot be read") from None
    except (ValueError, RecursionError):
        raise ReleaseError(f"{path.name} is not JSON, or is ambiguous") from None
    return content


def record_file(folder: Path, seal: str) -> Path:
    """Return the file of a release in a folder of confidential records."""
    return folder / f"{seal[:16]}.json"


def read_private(path: Path, certificate: Certificate | None) -> dict[str, JsonValue]:
    """Read the confidential record of a release.

    Parameters
    ----------
    path
        The record, or the folder of records that contains it.
    certificate
        That of the release, if it can be read.
    """
    if not path.is_dir():
        return read_json(path)
    if certificate is None:
        raise ReleaseError(
            f"the record cannot be found in {path}, because the release's certificate cannot be read",
            hint="give the record itself, a file in this folder",
        )
    record = record_file(path, certificate.seal)
    if not record.exists():
        raise ReleaseError(
            f"{path} has no record of this release: {record.name} is missing",
            hint="a record is named after the seal of its release; it may be elsewhere, or the release was replaced",
        )
    return read_json(record)


def _without_repeats(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    content = dict(pairs)
    if len(content) != len(pairs):
        raise ValueError("a key occurs twice")
    return content


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def digest_of(path: Path) -> str:
    """Digest a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def certificate_schema() -> dict[str, Any]:
    """Return the JSON Schema of certificates; it is shipped as ``certificate.schema.json``."""
    schema = Certificate.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
