"""Writing TOML: a value, a whole file, or changes to a file whose comments and order stay as they are."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time
from typing import Any

from sfumato.errors import SettingError, SettingPath
from sfumato.toml_document import Span, spans_of

LINE_LENGTH = 100
"""Longer lists are written with one entry per line."""


class _NotEditableError(Exception):
    """The text is written in a way that cannot be changed in place."""


def toml_value(value: Any) -> str:
    r"""Write a value in TOML.

    >>> print(toml_value({"age": [-1, 99], "my text": 'a "b"'}))
    { age = [-1, 99], "my text" = "a \"b\"" }
    """
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{toml_key(key)} = {toml_value(entry)}" for key, entry in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, Sequence):
        return f"[{', '.join(toml_value(entry) for entry in value)}]"
    raise SettingError(
        f"a {type(value).__name__} cannot be written in TOML", hint="write the data to a file, and give its path"
    )


def toml_key(key: str) -> str:
    """Write a key in TOML.

    >>> toml_key("age"), toml_key("net income")
    ('age', '"net income"')
    """
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else toml_value(key)


def toml_text(content: Mapping[str, Any]) -> str:
    """Write a TOML file: first its plain keys, then its tables."""
    plain = {key: value for key, value in content.items() if not _has_header(value)}
    blocks = [_pairs(plain)] if plain else []
    blocks += [_block(key, value) for key, value in content.items() if _has_header(value)]
    return "\n".join(blocks)


def edited_toml(text: str, content: Mapping[str, Any]) -> str:
    r"""Return a TOML text with new content; comments and order stay where nothing changes.

    Parameters
    ----------
    text
        The TOML file as it is.
    content
        What the new text is to say.

    Examples
    --------
    >>> print(edited_toml("k = 5  # enough?\nquasi = [\n    'age',  # public\n]", {"k": 6, "quasi": ["age", "sex"]}))
    k = 6  # enough?
    quasi = [
        'age',  # public
        "sex",
    ]
    """
    editor = _Editor(text)
    try:
        editor.change_table((), tomllib.loads(text), content)
        edited = editor.apply()
        if same_toml(tomllib.loads(edited), content):
            return edited
    except (_NotEditableError, tomllib.TOMLDecodeError):
        pass
    return toml_text(content)


def _has_header(value: Any) -> bool:
    return isinstance(value, Mapping) or _is_table_list(value)


def _is_table_list(value: Any) -> bool:
    return isinstance(value, Sequence) and bool(value) and all(isinstance(entry, Mapping) for entry in value)


def _block(key: str, value: Any) -> str:
    if isinstance(value, Mapping):
        return f"[{toml_key(key)}]\n{_pairs(value)}"
    return "\n".join(f"[[{toml_key(key)}]]\n{_pairs(entry)}" for entry in value)


def _pairs(table: Mapping[str, Any]) -> str:
    return "".join(f"{toml_key(key)} = {_broken_value(value)}\n" for key, value in table.items())


def _broken_value(value: Any) -> str:
    """Write a value, with one entry per line if it is a long list."""
    text = toml_value(value)
    if len(text) <= LINE_LENGTH or not isinstance(value, Sequence) or isinstance(value, str):
        return text
    return "[\n" + "".join(f"    {toml_value(entry)},\n" for entry in value) + "]"


def same_toml(first: Any, second: Any) -> bool:
    """Say whether two values are the same in TOML, where 1, 1.0 and true differ; other objects must be identical."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(same_toml(first[key], second[key]) for key in first)
    if isinstance(first, list | tuple) and isinstance(second, list | tuple):
        return len(first) == len(second) and all(map(same_toml, first, second))
    if first is second:
        return True
    plain = isinstance(first, str | int | float | date | time) and type(first) is type(second)
    return plain and (first == second or first != first)


class _Editor:
    """Collects the changes to a text that turn what it says into something else."""

    def __init__(self, text: str) -> None:
        self.text = text if not text or text.endswith("\n") else f"{text}\n"
        self.spans = spans_of(self.text)
        self.unterminated = self.text != text
        self.replacements: list[tuple[int, int, str]] = []

    def apply(self) -> str:
        """Return the text with all changes."""
        text = self.text
        numbered = [(start, end, number) for number, (start, end, _) in enumerate(self.replacements)]
        # from the end, so that offsets stay right
        for start, end, number in sorted(numbered, reverse=True):
            text = text[:start] + self.replacements[number][2] + text[end:]
        return text.removesuffix("\n") if self.unterminated else text

    def change_table(self, path: SettingPath, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        """Change the keys of a table."""
        for key, value in before.items():
            if key not in after:
                self._delete((*path, key))
            elif not same_toml(value, after[key]):
                self._change((*path, key), value, after[key])
        added = {key: value for key, value in after.items() if key not in before}
        if added:
            self._add(path, added)

    def _change(self, path: SettingPath, before: Any, after: Any) -> None:
        span = self.spans.get(path)
        both_tables = isinstance(before, Mapping) and isinstance(after, Mapping)
        both_lists = isinstance(before, list) and isinstance(after, list | tuple) and before and after
        if both_tables and (span is None or span.table or before.keys() == after.keys()):
            self.change_table(path, before, after)
        elif span is None:
            raise _NotEditableError
        elif both_lists and self._entry_span(path, 0).table:
            if not _is_table_list(after):
                raise _NotEditableError
            self._change_list(path, before, after, self._delete_block, self._add_blocks)
        elif both_lists:
            self._change_list(path, before, after, self._delete_entry, self._add_entries)
        elif span.table or (isinstance(before, Mapping) and self.text[span.value] != "{"):
            raise _NotEditableError
        else:
            self._replace(span.value, span.end, toml_value(after))

    def _change_list(
        self,
        path: SettingPath,
        before: Sequence[Any],
        after: Sequence[Any],
        delete: Callable[[SettingPath, int], None],
        add: Callable[[SettingPath, int, Sequence[Any]], None],
    ) -> None:
        """Change a list between the entries at its start and its end that stay the same."""
        n_start = _n_same(before, after)
        n_end = _n_same(before[n_start:][::-1], after[n_start:][::-1])
        old, new = before[n_start : len(before) - n_end], after[n_start : len(after) - n_end]
        n_changed = min(len(old), len(new))
        for position in range(n_changed):
            self._change((*path, n_start + position), old[position], new[position])
        for position in range(n_changed, len(old)):
            delete(path, n_start + position)
        if new[n_changed:]:
            add(path, n_start + n_changed, new[n_changed:])

    def _delete(self, path: SettingPath) -> None:
        """Delete a key with its whole line, or a table with its block."""
        span = self.spans.get(path)
        if span is None:
            raise _NotEditableError
        if span.table:
            for block in [block for block in self.spans if block[: len(path)] == path and self.spans[block].table]:
                start, end = self._line_start(self.spans[block].start), self._line_end(self.spans[block].end)
                if (start, end, "") not in self.replacements:
                    self._replace(start, end, "")
        else:
            start = self._line_start(span.start)
            if self.text[start : span.start].strip():
                raise _NotEditableError
            self._replace(start, self._line_end(span.end), "")

    def _delete_block(self, path: SettingPath, position: int) -> None:
        self._delete((*path, position))

    def _delete_entry(self, path: SettingPath, position: int) -> None:
        """Delete an entry of a list, with its comma and, if it has a line of its own, with its line."""
        span = self._entry_span(path, position)
        start, end = self._line_start(span.start), self._line_end(span.end)
        rest = self.text[span.end : end].lstrip()
        if not self.text[start : span.start].strip() and rest.startswith(",") and rest[1:].lstrip()[:1] in ("", "#"):
            self._replace(start, end, "")
        elif position:
            self._replace(self._entry_span(path, position - 1).end, span.end, "")
        else:
            self._replace(span.start, self._entry_span(path, position + 1).start, "")

    def _add(self, path: SettingPath, added: Mapping[str, Any]) -> None:
        """Add keys to a table after its last one."""
        if path:
            table = self.spans.get(path)
            if table is None or not table.table:
                raise _NotEditableError
            self._insert(self._line_end(table.end), _pairs(added))
            return
        plain = {key: value for key, value in added.items() if not _has_header(value)}
        headers = [span.start for span in self.spans.values() if span.table]
        first_header = self._line_start(min(headers)) if headers else len(self.text)
        ends = [span.end for path, span in self.spans.items() if len(path) == 1 and span.end < first_header]
        self._insert(self._line_end(max(ends)) if ends else first_header, _pairs(plain))
        for key, value in added.items():
            if key not in plain:
                self._insert(len(self.text), "\n" + _block(key, value))

    def _add_blocks(self, path: SettingPath, position: int, entries: Sequence[Any]) -> None:
        """Add tables to a list of tables after the one before the position."""
        last = (*path, max(position - 1, 0))
        ends = [span.end for block, span in self.spans.items() if block[: len(last)] == last]
        key = ".".join(toml_key(str(part)) for part in path if isinstance(part, str))
        blocks = "".join(f"\n[[{key}]]\n{_pairs(entry)}" for entry in entries)
        self._insert(self._line_end(max(ends)), blocks)

    def _add_entries(self, path: SettingPath, position: int, entries: Sequence[Any]) -> None:
        """Add entries to a list after the one before the position."""
        if position == 0:
            first = self._entry_span(path, 0).start
            self._insert(first, "".join(f"{toml_value(entry)}, " for entry in entries))
            return
        span = self._entry_span(path, position - 1)
        start, end = self._line_start(span.start), self._line_end(span.end) - 1
        if self.text[start : span.start].strip() or self._line_end(self.spans[path].end) - 1 == end:
            self._insert(span.end, "".join(f", {toml_value(entry)}" for entry in entries))
            return
        indent = self.text[start : span.start]
        if not self.text[span.end : end].lstrip().startswith(","):
            self._insert(span.end, ",")
        self._insert(end, "".join(f"\n{indent}{toml_value(entry)}," for entry in entries))

    def _entry_span(self, path: SettingPath, position: int) -> Span:
        if (*path, position) not in self.spans:
            raise _NotEditableError
        return self.spans[*path, position]

    def _insert(self, at: int, added: str) -> None:
        if added:
            self.replacements.append((at, at, added))

    def _replace(self, start: int, end: int, replacement: str) -> None:
        self.replacements.append((start, end, replacement))

    def _line_start(self, at: int) -> int:
        return self.text.rfind("\n", 0, at) + 1

    def _line_end(self, at: int) -> int:
        """Return where the line ends, with its newline."""
        return self.text.find("\n", at) + 1 or len(self.text)


def _n_same(first: Sequence[Any], second: Sequence[Any]) -> int:
    """Count the entries at the start of two lists that are the same."""
    return next(
        (n for n, pair in enumerate(zip(first, second, strict=False)) if not same_toml(*pair)),
        min(len(first), len(second)),
    )
