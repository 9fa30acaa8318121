"""``sfumato init``: a starter recipe for a file."""

from __future__ import annotations

import csv
import io
import os
import re
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.options import File, Json, Seed, with_reading
from sfumato.cli.output import emit, lines, progress_shown, tables
from sfumato.errors import SettingError
from sfumato.microfile import check_readable, read
from sfumato.report import check_file, write_file
from sfumato.sources import FileSource
from sfumato.suggesting import Suggestion, recipe_text, suggest
from sfumato.views import suggestion_table


@with_reading
def init(
    file: File,
    *,
    out: Annotated[
        Path | None,
        typer.Option(help="The recipe file; default: beside the file, with its name.", metavar="RECIPE.toml"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing recipe.")] = False,
    how: dict[str, Any],
    json: Json = False,
    seed: Seed = None,
) -> None:
    """Write a starter recipe for a file, with a reason for each suggestion."""
    source = Path(file)
    check_readable(source)
    recipe = check_file(out or source.with_name(f"{_stem(source)}.toml"), what="recipe", formats=[".toml"])
    _refuse_existing([recipe], force=force)
    with progress_shown() as progress:
        suggestion = suggest(read(source, **how, progress=progress), progress=progress)
    files = {name: f"{recipe.stem}-{_in_file_name(name)}.csv" for name in suggestion.hierarchies}
    if len(set(files.values())) < len(files):
        files = {name: f"{recipe.stem}-{number}.csv" for number, name in enumerate(files, start=1)}
    _refuse_existing([recipe.with_name(file) for file in files.values()], force=force)
    path = os.path.relpath(source.resolve(), recipe.resolve().parent)
    options = {name: value for name, value in how.items() if value}
    origin = FileSource(path=Path(path).as_posix(), **options)
    text = recipe_text(suggestion, recipe=recipe.name, source=origin, seed=seed, files=files)
    for name, levels in suggestion.hierarchies.items():
        write_file(recipe.with_name(files[name]), _csv(levels), what="hierarchy")
    # last, so that the files that it names exist
    write_file(recipe, text.encode(), what="recipe")
    if json:
        emit(_as_json(suggestion, recipe, {name: str(recipe.with_name(file)) for name, file in files.items()}))
    else:
        _show(suggestion, recipe)


def _stem(path: Path) -> str:
    """Return a file's name without its endings, also ``.csv.gz``."""
    return Path(path.stem).stem if path.suffix.lower() == ".gz" else path.stem


def _in_file_name(name: str) -> str:
    r"""Write an attribute's name as part of a file's.

    >>> _in_file_name("post code/home")
    'post-code-home'
    """
    return re.sub(r"[^\w.-]+", "-", name)[:60].strip("-.") or "codes"


def _refuse_existing(paths: list[Path], *, force: bool) -> None:
    for path in paths:
        if path.exists() and not force:
            raise SettingError(
                f"{path} already exists", hint="choose another name with --out, or use --force", setting="out"
            )


def _csv(levels: dict[str, tuple[str, ...]]) -> bytes:
    """Write a hierarchy in ARX's form."""
    text = io.StringIO()
    csv.writer(text, delimiter=";", lineterminator="\n").writerows(
        (code, *ancestors) for code, ancestors in levels.items()
    )
    return text.getvalue().encode()


def _as_json(suggestion: Suggestion, recipe: Path, files: dict[str, str]) -> dict[str, Any]:
    return {
        "recipe": str(recipe),
        "records": suggestion.records,
        "attributes": [
            {"name": attribute.name, "role": attribute.role, "reason": attribute.reason}
            for attribute in suggestion.attributes
        ],
        **{role: suggestion.names(role) for role in ("quasi", "sensitive")},
        "identifiers": suggestion.names("identifier"),
        **{role: next(iter(suggestion.names(role)), None) for role in ("weight", "household")},
        "k": suggestion.k,
        "why_k": suggestion.why_k,
        "singled_out": round(suggestion.singled_out, 6),
        "preserve": list(suggestion.preserve),
        "hierarchies": files,
        "kinds": suggestion.kinds,
        "perhaps_missing": suggestion.missing,
        "perhaps_categorical": list(suggestion.coded),
    }


def _show(suggestion: Suggestion, recipe: Path) -> None:
    tables(suggestion_table(suggestion))
    lines(
        [
            f"k = {suggestion.k}: {suggestion.why_k}.",
            f"Recipe written to {recipe}. Read it, correct it, then run: sfumato protect {recipe}",
        ]
    )
