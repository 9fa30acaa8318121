"""Pieces of Markdown that the reference is made of."""

from __future__ import annotations

import re


def entry(name: str, kind: str, told: str) -> str:
    """Write a name with its type, and what it is below.

    >>> print(entry("k", "int", "Each box has at least so many records."))
    `k` <span class="type">`int`</span>
    :   Each box has at least so many records.
    """
    shown = f"`{name}`" + (f' <span class="type">`{kind}`</span>' if kind else "")
    # a definition needs some text
    below = re.sub(r"^(?=.)", "    ", told or "&nbsp;", flags=re.MULTILINE).lstrip()
    return f"{shown}\n:   {below}"


def code(text: str, language: str = "python") -> str:
    """Write a block of code."""
    return f"```{language}\n{text}\n```"
