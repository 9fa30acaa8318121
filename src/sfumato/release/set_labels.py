"""Whether the labels of sets say what stands behind them, as boxes write them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from sfumato.microfile.forms import Sets, set_label
from sfumato.microfile.generalization import Intervals
from sfumato.release.codebook import Codebook


def mislabelled(codebook: Codebook, settings: Mapping[str, Any]) -> Iterator[str]:
    """Say which sets of a codebook are not what their labels say.

    Labels of releases that boxes did not make are words of their publisher.

    Parameters
    ----------
    codebook
        That of the release.
    settings
        Its public settings.
    """
    boxes = settings.get("method") == "boxes"
    for name, entry in codebook.attributes.items():
        form = entry.form
        if not isinstance(form, Sets):
            continue
        if form.closed != (boxes and settings.get("edges") == "snapped" and form.chosen != "nodes"):
            yield f"says wrongly whether labels of {name!r} name more than occurs"
        if (form.open or form.nodes) and form.chosen != "nodes":
            yield f"has nodes or open labels of {name!r}, which are no nodes of a hierarchy"
        if strange := len({*form.open} - form.members.keys()) or len(form.open) - len({*form.open}):
            yield f"has {strange:,} open labels of {name!r} that are none, or twice"
        odd = sum(not _is_fitting(form, label, members, boxes=boxes) for label, members in form.members.items())
        if odd:
            yield f"has {odd:,} labels of {name!r} that are not those of the categories behind them"
        if form.chosen == "ranges" and not _is_ordered(form):
            yield f"has ranges of {name!r} that follow no common order"


def _is_fitting(form: Sets, label: str, members: tuple[str, ...], *, boxes: bool) -> bool:
    if len(set(members)) < len(members) or (not members and label not in form.open):
        return False
    if isinstance(form.nodes, Intervals) and any(one.startswith("[") and not form.is_node(one) for one in members):
        return False
    if not boxes:
        return True
    if form.chosen == "ranges":
        return label == (members[0] if len(members) == 1 else f"{members[0]} to {members[-1]}")
    if form.chosen == "nodes" and form.nodes is None:
        # a node's own name is the publisher's, but one with a single value is that value
        return len(members) != 1 or label in (*form.open, members[0])
    if members == (label,) or label == set_label(members):
        return form.chosen == "nodes" or list(members) == sorted(members)
    # a category that is named as a set of others is released with them
    others = [member for member in members if member != label]
    return label in members and label == set_label(others) and list(members) == sorted(members)


def _is_ordered(form: Sets) -> bool:
    """Whether all ranges are runs of one order of categories."""
    following: dict[str, str] = {}
    for members in form.members.values():
        for one, other in itertools.pairwise(members):
            if following.setdefault(one, other) != other:
                return False
    return len(set(following.values())) == len(following)
