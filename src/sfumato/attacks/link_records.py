"""The way of a linkage: from two files to candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.arrays import Counts, Flags, Reals
from sfumato.attacks.candidate_search import Candidates, Search
from sfumato.attacks.comparable_attributes import common, known_of, owners
from sfumato.attacks.linkage import ORDER, Linkage, Linked, Links, Method
from sfumato.errors import SettingError, nearest
from sfumato.kernels.factorize import first_of_each
from sfumato.kernels.nearest_links import Costs
from sfumato.measures.blocks import Blocks, blocks_of
from sfumato.microfile.microfile import Microfile
from sfumato.progress import Progress
from sfumato.representations import Exact, Form

MOST = 12
"""Of so many attributes all patterns of agreement are counted."""


@dataclass(frozen=True)
class Pair:
    """An outside file and a release, each different record once."""

    people: Blocks
    released: Blocks
    own: Counts | None
    """For each outside record the place of its own one in the release, -1 where it has none; None: not known."""

    def links(self, search: Search, costs: Costs, found: Candidates, sure: Flags | None = None) -> Links:
        """Return candidates record by record; ``sure`` tells of which outside records they count."""
        kept = np.ones(len(self.people), dtype=np.bool_) if sure is None else sure
        sizes = np.where(kept, found.sizes, 0)[self.people.numbers]
        if self.own is None:
            return Links(sizes, None)
        among = np.zeros(self.own.size, dtype=np.bool_)
        there = np.flatnonzero(self.own >= 0)
        points = self.people.numbers[there].astype(np.int64)
        blocks = self.released.numbers[self.own[there]].astype(np.int64)
        among[there] = search.among(found, costs, points, blocks) & kept[points]
        return Links(sizes, among)


def link(
    settings: Linkage,
    table: Microfile,
    forms: Mapping[str, Form],
    quasi: Sequence[str],
    outside: Microfile,
    own: Counts | None,
    progress: Progress,
) -> Linked:
    """Link an outside file with a released table.

    Parameters
    ----------
    settings, outside, own, progress
        As for :meth:`Linkage.attack`.
    table, forms, quasi
        The table, how its attributes stand in it (all exactly, if nothing is said), and what it promises to protect.
    """
    progress("comparing", 0.0)
    forms = forms or {name: Exact() for name in table.names}
    there = owners(forms)
    usual = [name for name, owner in there.items() if owner in (quasi or forms) and name != settings.truth]
    names = common(forms, outside, settings.on, usual)
    wanted = _methods(settings, forms, [there[name] for name in names])
    own, truth = _truth(settings, table, forms, outside, own)
    columns = [
        column for owner in dict.fromkeys(there[name] for name in names) for column in forms[owner].columns(owner)
    ]
    pair = Pair(blocks_of(outside, names), blocks_of(table, columns), own)
    people = outside.select(names).take(first_of_each(pair.people.numbers, len(pair.people)))
    blocks = table.select(columns).take(first_of_each(pair.released.numbers, len(pair.released)))

    missing_own = settings.missing == "own"

    def search_of(*, inverted: bool) -> Search:
        known = known_of(blocks, forms, people, names, inverted=inverted, own=missing_own)
        return Search(known, pair.released.sizes, settings.threads)

    exact = search_of(inverted=False)
    ranges = search_of(inverted=True) if any(forms[there[name]].invertible for name in names) else exact
    found: dict[Method, Links] = {}
    agreement: dict[str, tuple[float, float]] = {}
    for number, method in enumerate(wanted):
        progress(f"linking by {method}", number / len(wanted))
        if method == "probabilistic":
            found[method], agreement = _probabilistic(settings, pair, exact)
            continue
        search = exact if method == "containment" else ranges
        if method == "nearest":
            costs = search.distance(own=missing_own)
            found[method] = pair.links(search, costs, search.nearest(costs))
        else:
            costs = search.containment(own=missing_own)
            found[method] = pair.links(search, costs, search.containing(costs))
    progress("linking", 1.0)
    return Linked(names, truth, table.records, found, agreement)


def _methods(settings: Linkage, forms: Mapping[str, Form], used: Sequence[str]) -> tuple[Method, ...]:
    """Return the methods that apply, refusing those that were asked for and do not."""
    if any(forms[owner].invertible for owner in used):
        return tuple(dict.fromkeys(settings.methods))
    if "inversion" in settings.methods and "methods" in settings.model_fields_set:
        raise SettingError(
            "methods: inversion needs an attribute that is released as fuzzy sets", hint="leave inversion out"
        )
    return tuple(method for method in dict.fromkeys(settings.methods) if method != "inversion")


def _probabilistic(settings: Linkage, pair: Pair, search: Search) -> tuple[Links, dict[str, tuple[float, float]]]:
    if len(search.known) > MOST:
        raise SettingError(
            f"methods: probabilistic takes up to {MOST} attributes (given: {len(search.known)})",
            hint="name fewer with on, or other methods",
        )
    missing_own = settings.missing == "own"
    rng = np.random.default_rng(settings.seed)
    weights = search.weights(pair.people.sizes, own=missing_own, overlap=settings.overlap, rng=rng)
    costs, highest = search.evidence(weights, own=missing_own)
    found = search.nearest(costs)
    probable: Reals = weights.probability(highest - found.costs)
    links = pair.links(search, costs, found, probable >= settings.certainty)
    told = zip(search.known, weights.m.tolist(), weights.u.tolist(), strict=True)
    return links, {its.name: (m, u) for its, m, u in told}


def _truth(
    settings: Linkage, table: Microfile, forms: Mapping[str, Form], outside: Microfile, own: Counts | None
) -> tuple[Counts | None, str | None]:
    """Return for each outside record the place of its own one in the release, and how that is known."""
    truth = settings.truth
    if own is not None:
        if truth is not None:
            raise SettingError("own and truth both tell who is who", hint="give one of them")
        return _checked(own, table, outside), "own"
    if truth is None:
        return None, None
    if truth != ORDER:
        return _by_column(truth, table, forms, outside), truth
    if ORDER in table.attributes or ORDER in outside.attributes:
        raise SettingError(f"truth = {ORDER!r} could also mean the column {ORDER!r}", hint="rename the column")
    if table.records != outside.records:
        raise SettingError(
            f"truth: the order tells nothing, for the release has {table.records:,} records and the outside file "
            f"{outside.records:,}",
            hint="where records were left out, give with own which are whose",
        )
    return np.arange(table.records), truth


def _checked(own: Counts, table: Microfile, outside: Microfile) -> Counts:
    if own.shape != (outside.records,) or own.dtype.kind not in "iu":
        raise SettingError(f"own: give a whole number for each of the {outside.records:,} outside records")
    if own.size and (own.min() < -1 or own.max() >= table.records):
        raise SettingError(f"own: places go from 0 to {table.records - 1:,}, and -1 means none")
    return own.astype(np.int64)


def _by_column(name: str, table: Microfile, forms: Mapping[str, Form], outside: Microfile) -> Counts:
    for where, known in (("release", [n for n in table.names if n in forms]), ("outside file", outside.names)):
        if name not in known:
            raise SettingError(
                f"truth: the {where} has no column {name!r}",
                hint=f"in memory, where nothing is left out, truth={ORDER!r} does; else {nearest(name, known)}",
            )
    encoded = []
    for where, microfile in (("release", table), ("outside file", outside)):
        its = microfile.encoded(name)
        double = microfile.records - int(its.missing.sum()) - its.values.size
        if double or its.has_missing:
            told = f"names {double:,} records twice" if double else f"is missing in {int(its.missing.sum()):,} records"
            raise SettingError(
                f"truth: {name!r} {told} in the {where}, so that it does not tell who is who",
                hint="choose a column that names every record once",
            )
        encoded.append(its)
    place = np.empty(table.records + 1, dtype=np.int64)
    place[encoded[0].codes] = np.arange(table.records)
    place[-1] = -1
    codes = {str(value): code for code, value in enumerate(encoded[0].values.tolist())}
    found = np.array([codes.get(str(value), table.records) for value in encoded[1].values.tolist()])
    if (found == table.records).all():
        raise SettingError(
            f"truth: nobody in the outside file has a {name!r} of the release", hint="write them alike in both files"
        )
    own: Counts = place[found][encoded[1].codes]
    return own
