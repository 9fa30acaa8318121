"""What a recipe says as plain tables, and where a setting is written in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sfumato.errors import SettingError, SettingPath, SfumatoError, path_text
from sfumato.quiet_repr import quiet
from sfumato.toml_document import TomlDocument
from sfumato.toml_writing import same_toml

AnyError = TypeVar("AnyError", bound=SfumatoError)


@quiet
@dataclass(frozen=True)
class RecipeContent:
    """The tables of a recipe, and the file that they were read from, if any."""

    tables: dict[str, Any]
    """The tables as they are written, of dictionaries, lists and plain values."""
    folder: Path
    """The folder from which relative paths start."""
    document: TomlDocument | None = None
    """The file, which knows the line of each setting."""

    def says_the_same(self, other: RecipeContent) -> bool:
        """Say whether other tables are the same, seen from the same folder; a frame must be the same object."""
        return self.folder == other.folder and same_toml(self.tables, other.tables)

    @contextmanager
    def locating(self, table: SettingPath) -> Iterator[None]:
        """Let errors say where in the recipe their setting is written.

        Parameters
        ----------
        table
            The table that is at work; settings that it does not give itself may come from another.
        """
        try:
            yield
        except SfumatoError as error:
            path = self.find(table, error.setting, error.column)
            if not error.setting and path == table and not isinstance(error, SettingError):
                raise
            raise self.located(error.prefixed(path_text(table)), path) from None

    def located(self, error: AnyError, path: SettingPath) -> AnyError:
        """Return an error that names the path of its setting and, if there is a file, the line."""
        if self.document is None:
            return error.changed(setting=path)
        return error.changed(setting=path, file=self.document.path, line=self.document.line(path))

    def find(self, table: SettingPath, setting: SettingPath, column: str | None) -> SettingPath:
        """Return the path of a setting as it is written.

        Parameters
        ----------
        table
            Where it is looked for first.
        setting
            Its path within the table.
        column
            The attribute concerned, whose entry in the setting is looked for.
        """
        protections = self.tables.get("protect", ())
        n_protections = len(protections) if isinstance(protections, list) else 0
        tables = [("microfile",), ("attack",), *(("protect", number) for number in range(n_protections))]
        holders = [holder for holder in (table, *tables) if setting and setting[0] in _keys(self._at(holder))]
        path, node = (holders or [table])[0], self._at((holders or [table])[0])
        skipped: SettingPath = ()
        for step in setting:
            key = _named_entry(node, step) if isinstance(step, str) and isinstance(node, list) else step
            if key in _keys(node):
                path, node, skipped = (*path, key), node[key], ()
            else:
                # a list of one may be written without brackets, and settings within settings beside the outer ones
                skipped = (*skipped, step)
        if column is not None and not skipped:
            return (*path, *_entry_path(node, column, is_table=not setting))
        return (*path, *skipped)

    def _at(self, path: SettingPath) -> Any:
        node: Any = self.tables
        for key in path:
            node = node[key] if key in _keys(node) else None
        return node


def _keys(node: Any) -> Sequence[str | int]:
    return list(node) if isinstance(node, Mapping) else range(len(node)) if isinstance(node, list) else ()


def _named_entry(entries: list[Any], name: str) -> int | str:
    """Return the position of the entry of a list that is a text, or a table that holds it."""
    matches = (position for position, entry in enumerate(entries) if _entry_path([entry], name))
    return next(matches, name)


def _entry_path(node: Any, name: str, *, is_table: bool = False) -> SettingPath:
    """Return the path of the first entry that is a name: a key of a table, an entry of a list, a text.

    Parameters
    ----------
    node
        The value of a setting, or a table of settings.
    name
        What is looked for.
    is_table
        Whether the keys of ``node`` are settings, which are no entries.
    """
    for key in _keys(node):
        if (isinstance(node[key], str) and node[key] == name) or (key == name and not is_table):
            return (key,)
        if inner := _entry_path(node[key], name):
            return (key, *inner)
    return ()


def plain_tables(content: Any) -> Any:
    """Copy dictionaries and lists, so that nobody changes them later; None, which TOML does not have, is left out."""
    if isinstance(content, Mapping):
        return {str(key): plain_tables(value) for key, value in content.items() if value is not None}
    if isinstance(content, list | tuple):
        return [plain_tables(value) for value in content]
    return content
