"""Results as small tables for notebooks: plain HTML without scripts, readable without colours."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

MOST_ROWS = 30
"""A table shows so many rows, and says how many more there are."""


def table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], *, more: int = 0, notes: Sequence[str] = ()
) -> str:
    """Return a table as HTML; all that it shows is text to the browser, whatever it holds.

    Parameters
    ----------
    title, columns, rows
        What it shows; numbers are set to the right.
    more
        How many rows there are that are not given.
    notes
        Sentences below it.

    Examples
    --------
    >>> table("<b>", ["n"], [[1234]])[:34]
    '<table><caption style="text-align:'
    """
    left, right = (f' style="text-align:{side};padding:0.1em 0.6em"' for side in ("left", "right"))
    numeric = [all(_is_number(row[place]) for row in rows) for place in range(len(columns))]
    sides = [right if its else left for its in numeric]
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


def as_text(cell: object) -> str:
    """Write a number as people read it.

    >>> as_text(1234567), as_text(0.123456789), as_text(None), as_text(66872.4)
    ('1,234,567', '0.1235', '-', '66,872')
    """
    if cell is None:
        return "-"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    if isinstance(cell, float):
        return f"{cell:,.4g}" if abs(cell) < 9999.5 else f"{cell:,.0f}"
    return str(cell)
