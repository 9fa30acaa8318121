"""Labels of sets of categories: how they are written, and whether they say what stands behind them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sfumato.microfile import Described, Intervals

if TYPE_CHECKING:
    from sfumato.representations.category_set import Sets


def set_label(members: Sequence[str]) -> str:
    """Return the label of a set of categories.

    >>> set_label(("car",)), set_label(("bus", "car")), set_label(("a, b", "c"))
    ('car', '{bus, car}', "{'a, b', 'c'}")
    """
    if len(members) == 1:
        return members[0]
    is_plain = not any(character in member for member in members for character in ",{}'")
    return "{" + ", ".join(members if is_plain else map(repr, members)) + "}"


def label_misfits(form: Sets, attribute: str, *, boxes: bool, snapped: bool) -> Iterator[str]:
    """Say where labels are not those of the categories behind them.

    Parameters
    ----------
    form, attribute
        The sets, and whose they are.
    boxes
        Whether boxes wrote the labels; else they are words of the publisher.
    snapped
        Whether edges of boxes are snapped.
    """
    if form.closed != (boxes and snapped and form.chosen != "nodes"):
        yield f"misstates whether labels of {attribute!r} name more categories than occur"
    if (form.open or form.nodes) and form.chosen != "nodes":
        yield f"has nodes or open labels of {attribute!r}, but its labels are not nodes of a hierarchy"
    if strange := len({*form.open} - form.members.keys()) or len(form.open) - len({*form.open}):
        yield f"lists open labels of {attribute!r} that do not exist or are duplicates ({strange:,})"
    odd = sum(not _is_fitting(form, label, members, boxes=boxes) for label, members in form.members.items())
    if odd:
        yield f"has labels of {attribute!r} that do not match the categories behind them ({odd:,})"
    if form.chosen == "ranges" and not _is_ordered(form):
        yield f"has ranges of {attribute!r} that do not follow a common order"


def _is_fitting(form: Sets, label: str, members: tuple[str, ...], *, boxes: bool) -> bool:
    if len(set(members)) < len(members) or (not members and label not in form.open):
        return False
    if isinstance(form.nodes, Intervals) and any(
        member.startswith("[") and not form.is_node(member) for member in members
    ):
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
    remaining = [member for member in members if member != label]
    return label in members and label == set_label(remaining) and list(members) == sorted(members)


def _is_ordered(form: Sets) -> bool:
    """Whether all ranges are runs of one order of categories."""
    successors: dict[str, str] = {}
    for members in form.members.values():
        for category, successor in itertools.pairwise(members):
            if successors.setdefault(category, successor) != successor:
                return False
    return len(set(successors.values())) == len(successors)


def label_shares(form: Sets, categories: Sequence[object] | None) -> dict[str, float]:
    """Return the share of an attribute's values that each label stands for; 0 for a single value.

    Parameters
    ----------
    form
        The sets.
    categories
        All categories; default: those behind the labels. The share of a node, whose values nobody lists, is then that
        of its width, or of the levels of its hierarchy below it.
    """
    if form.nodes is not None and categories is None:
        shares = _node_shares(form, form.nodes)
    else:
        if form.nodes is not None and categories is not None:
            sizes = {label: len(positions) for label, positions in form.behind(categories).items()}
        else:
            sizes = {label: len(members) for label, members in form.members.items()}
        total = max(len(form.categories()) if categories is None else len(categories), 1)
        shares = {label: min(size / total, 1.0) if size > 1 else 0.0 for label, size in sizes.items()}
    return shares | dict.fromkeys(form.open, 1.0)


def _node_shares(form: Sets, nodes: Described) -> dict[str, float]:
    """Return the widths of nodes as shares of the span of all, or how far up their hierarchy they are."""
    ends = {member: nodes.ends(member) for members in form.members.values() for member in members}
    bounded = [pair for pair in ends.values() if pair is not None]
    span = max(high for _, high in bounded) - min(low for low, _ in bounded) if bounded else 0.0

    def share(member: str) -> float:
        pair = ends[member]
        if pair is not None:
            return min((pair[1] - pair[0]) / span, 1.0) if span > 0 else 0.0
        return (nodes.height + 1 - len(nodes.above(member))) / nodes.height if form.is_node(member) else 0.0

    return {label: min(sum(map(share, members)), 1.0) for label, members in form.members.items()}
