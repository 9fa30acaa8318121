"""Results as small tables for notebooks: plain HTML without scripts, legible without colour."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from sfumato.formatting import cell as as_text

MOST_ROWS = 30
"""The largest number of rows that a table shows; a line below it counts the others."""


def table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], *, more: int = 0, notes: Sequence[str] = ()
) -> str:
    """Return a table as HTML in which all content is escaped.

    Parameters
    ----------
    title, columns, rows
        The content; numbers are aligned to the right.
    more
        The number of further rows that are not passed.
    notes
        Sentences below the table.

    Examples
    --------
    >>> table("<b>", ["n"], [[1234]])[:34]
    '<table><caption style="text-align:'
    """
    left, right = (f' style="text-align:{side};padding:0.1em 0.6em"' for side in ("left", "right"))
    sides = [right if all(_is_number(row[column]) for row in rows) else left for column in range(len(columns))]
    lines = [f"<table><caption{left}><strong>{escape(title)}</strong></caption>", "<thead><tr>"]
    lines += [f'<th scope="col"{side}>{escape(name)}</th>' for name, side in zip(columns, sides, strict=True)]
    lines.append("</tr></thead><tbody>")
    for row in rows[:MOST_ROWS]:
        cells = (f"<td{side}>{escape(as_text(cell))}</td>" for cell, side in zip(row, sides, strict=True))
        lines.append(f"<tr>{''.join(cells)}</tr>")
    lines.append("</tbody></table>")
    more += max(len(rows) - MOST_ROWS, 0)
    lines += [f"<p>{escape(note)}</p>" for note in ([f"and {more:,} more", *notes] if more else notes)]
    return "\n".join(lines)


def _is_number(cell: object) -> bool:
    return cell is None or isinstance(cell, int | float) or (isinstance(cell, str) and cell.endswith("%"))
