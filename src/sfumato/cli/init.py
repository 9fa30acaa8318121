"""``sfumato init``: a first recipe for a file."""

from __future__ import annotations

import csv
import io
import os
import re
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.options import File, Json, Seed, with_reading
from sfumato.cli.show import console, emit, plain, progress_shown, table
from sfumato.errors import SettingError
from sfumato.microfile.reading import read
from sfumato.report.files import check_file, write_file
from sfumato.suggesting import Suggestion, recipe_text, suggest


@with_reading
def init(
    file: File,
    *,
    out: Annotated[
        Path | None, typer.Option(help="The recipe; default: beside the file, named after it.", metavar="RECIPE.toml")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a recipe that is there.")] = False,
    how: dict[str, Any],
    json: Json = False,
    seed: Seed = None,
) -> None:
    """Write a first recipe for a file, with the reason of every suggestion."""
    source = Path(file)
    recipe = check_file(out or source.with_name(f"{_stem(source)}.toml"), what="recipe", formats=[".toml"])
    _refuse_there([recipe], force=force)
    with progress_shown() as progress:
        made = suggest(read(source, **how, progress=progress), progress=progress)
    files = {name: f"{recipe.stem}-{_in_file_name(name)}.csv" for name in made.hierarchies}
    if len(set(files.values())) < len(files):
        files = {name: f"{recipe.stem}-{number}.csv" for number, name in enumerate(files, start=1)}
    _refuse_there([recipe.with_name(one) for one in files.values()], force=force)
    path = os.path.relpath(source.resolve(), recipe.resolve().parent)
    text = recipe_text(made, recipe=recipe.name, path=Path(path).as_posix(), seed=seed, how=how, files=files)
    for name, levels in made.hierarchies.items():
        write_file(recipe.with_name(files[name]), _csv(levels), what="hierarchy")
    # last, so that what it names is there
    write_file(recipe, text.encode(), what="recipe")
    if json:
        emit(_as_json(made, recipe, {name: str(recipe.with_name(one)) for name, one in files.items()}))
    else:
        _show(made, recipe)


def _stem(path: Path) -> str:
    """Return a file's name without its endings, also ``.csv.gz``."""
    return Path(path.stem).stem if path.suffix.lower() == ".gz" else path.stem


def _in_file_name(name: str) -> str:
    r"""Write an attribute's name as part of a file's.

    >>> _in_file_name("post code/home")
    'post-code-home'
    """
    return re.sub(r"[^\w.-]+", "-", name)[:60].strip("-.") or "codes"


def _refuse_there(paths: list[Path], *, force: bool) -> None:
    for path in paths:
        if path.exists() and not force:
            raise SettingError(f"there is a file {path} already", hint="choose another name by --out, or say --force")


def _csv(levels: dict[str, tuple[str, ...]]) -> bytes:
    """Write a hierarchy in ARX's form."""
    text = io.StringIO()
    csv.writer(text, delimiter=";", lineterminator="\n").writerows((code, *its) for code, its in levels.items())
    return text.getvalue().encode()


def _as_json(made: Suggestion, recipe: Path, files: dict[str, str]) -> dict[str, Any]:
    return {
        "recipe": str(recipe),
        "records": made.records,
        "attributes": [{"name": one.name, "role": one.role, "reason": one.reason} for one in made.attributes],
        **{role: made.names(role) for role in ("quasi", "sensitive")},
        "identifiers": made.names("identifier"),
        **{role: next(iter(made.names(role)), None) for role in ("weight", "household")},
        "k": made.k,
        "why_k": made.why_k,
        "singled_out": round(made.singled_out, 6),
        "preserve": list(made.preserve),
        "hierarchies": files,
        "kinds": made.kinds,
        "perhaps_missing": made.missing,
        "perhaps_categorical": list(made.coded),
    }


def _show(made: Suggestion, recipe: Path) -> None:
    out = console()
    rows = [(one.name, one.role, one.reason) for one in made.attributes]
    out.print(table(f"{plain(made.records)} records", ("attribute", "role", "why"), rows))
    out.print(f"k = {made.k}: {made.why_k}.", markup=False)
    out.print(f"The recipe lies in {recipe}. Read it, correct it, then: sfumato protect {recipe}", markup=False)
