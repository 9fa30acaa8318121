"""Record linkage of two files: from their common attributes to the candidates of each outside record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sfumato.array_types import Counts, Flags, Reals
from sfumato.attacks.comparable_attributes import compare_attributes, linking_attributes, released_sources
from sfumato.attacks.link_candidates import Candidates, CandidateSearch
from sfumato.attacks.linkage import ORDER, Linkage, Linked, Links, Method
from sfumato.errors import SettingError, nearest
from sfumato.formatting import counted
from sfumato.kernels.factorize import first_of_each
from sfumato.kernels.nearest_links import Costs
from sfumato.measures import Blocks, blocks_of
from sfumato.microfile import Microfile
from sfumato.progress import Progress
from sfumato.representations import Exact, Form

MAX_PATTERN_ATTRIBUTES = 12
"""The largest number of attributes for which all patterns of agreement are counted."""


@dataclass(frozen=True)
class FilePair:
    """An outside file and a release, both grouped into distinct records."""

    people: Blocks
    released: Blocks
    true_positions: Counts | None
    """The position in the release of each outside record's own record, -1 if it has none; None if that is unknown."""

    def links(
        self, search: CandidateSearch, costs: Costs, candidates: Candidates, accepted: Flags | None = None
    ) -> Links:
        """Return the candidates of every outside record; ``accepted`` says for which distinct ones they count."""
        counting = np.ones(len(self.people), dtype=np.bool_) if accepted is None else accepted
        sizes = np.where(counting, candidates.sizes, 0)[self.people.numbers]
        if self.true_positions is None:
            return Links(sizes, None)
        among = np.zeros(self.true_positions.size, dtype=np.bool_)
        released = np.flatnonzero(self.true_positions >= 0)
        points = self.people.numbers[released].astype(np.int64)
        blocks = self.released.numbers[self.true_positions[released]].astype(np.int64)
        among[released] = search.among(candidates, costs, points, blocks) & counting[points]
        return Links(sizes, among)


def link(
    settings: Linkage,
    table: Microfile,
    forms: Mapping[str, Form],
    quasi: Sequence[str],
    outside: Microfile,
    true_positions: Counts | None,
    progress: Progress,
) -> Linked:
    """Link an outside file with a released table.

    Parameters
    ----------
    settings, outside, progress
        As for :meth:`Linkage.attack`.
    table, forms, quasi
        The table, the representations of its attributes (default: exact), and its quasi attributes.
    true_positions
        As ``own`` for :meth:`Linkage.attack`.
    """
    progress("comparing", 0.0)
    forms = forms or {name: Exact() for name in table.names}
    sources = released_sources(forms)
    defaults = [name for name, source in sources.items() if source in (quasi or forms) and name != settings.truth]
    names = linking_attributes(forms, outside, settings.on, defaults)
    methods = _methods(settings, forms, [sources[name] for name in names])
    true_positions, truth = _truth(settings, table, forms, outside, true_positions)
    columns = [
        column for source in dict.fromkeys(sources[name] for name in names) for column in forms[source].columns(source)
    ]
    pair = FilePair(blocks_of(outside, names), blocks_of(table, columns), true_positions)
    people = outside.select(names).take(first_of_each(pair.people.numbers, len(pair.people)))
    blocks = table.select(columns).take(first_of_each(pair.released.numbers, len(pair.released)))

    missing_own = settings.missing == "own"

    def search_of(*, inverted: bool) -> CandidateSearch:
        attributes = compare_attributes(blocks, forms, people, names, inverted=inverted, missing_own=missing_own)
        return CandidateSearch(attributes, pair.released.sizes, settings.threads)

    exact = search_of(inverted=False)
    ranges = search_of(inverted=True) if any(forms[sources[name]].invertible for name in names) else exact
    links: dict[Method, Links] = {}
    agreement: dict[str, tuple[float, float]] = {}
    for index, method in enumerate(methods):
        progress(f"linking by {method}", index / len(methods))
        if method == "probabilistic":
            links[method], agreement = _probabilistic(settings, pair, exact)
            continue
        search = exact if method == "containment" else ranges
        if method == "nearest":
            costs = search.distance(missing_own=missing_own)
            links[method] = pair.links(search, costs, search.nearest(costs))
        else:
            costs = search.containment(missing_own=missing_own)
            links[method] = pair.links(search, costs, search.containing(costs))
    progress("linking", 1.0)
    return Linked(names, truth, table.records, links, agreement)


def _methods(settings: Linkage, forms: Mapping[str, Form], sources: Sequence[str]) -> tuple[Method, ...]:
    """Return the methods that apply; refuse a requested one that does not."""
    if any(forms[source].invertible for source in sources):
        return tuple(dict.fromkeys(settings.methods))
    if "inversion" in settings.methods and "methods" in settings.model_fields_set:
        raise SettingError(
            "methods: inversion needs an attribute that is released as fuzzy sets", hint="leave inversion out"
        )
    return tuple(method for method in dict.fromkeys(settings.methods) if method != "inversion")


def _probabilistic(
    settings: Linkage, pair: FilePair, search: CandidateSearch
) -> tuple[Links, dict[str, tuple[float, float]]]:
    if len(search.attributes) > MAX_PATTERN_ATTRIBUTES:
        raise SettingError(
            f"methods: probabilistic takes up to {MAX_PATTERN_ATTRIBUTES} attributes (given: {len(search.attributes)})",
            hint="list fewer attributes with on, or choose other methods",
        )
    missing_own = settings.missing == "own"
    rng = np.random.default_rng(settings.seed)
    weights = search.weights(pair.people.sizes, missing_own=missing_own, overlap=settings.overlap, rng=rng)
    costs, highest = search.weight_deficit(weights, missing_own=missing_own)
    candidates = search.nearest(costs)
    probabilities: Reals = weights.probability(highest - candidates.costs)
    links = pair.links(search, costs, candidates, probabilities >= settings.certainty)
    estimates = zip(search.attributes, weights.m.tolist(), weights.u.tolist(), strict=True)
    return links, {attribute.name: (m, u) for attribute, m, u in estimates}


def _truth(
    settings: Linkage, table: Microfile, forms: Mapping[str, Form], outside: Microfile, true_positions: Counts | None
) -> tuple[Counts | None, str | None]:
    """Return the position in the release of each outside record's own record, and the source of that knowledge."""
    truth = settings.truth
    if true_positions is not None:
        if truth is not None:
            raise SettingError("own and truth both say which records belong together", hint="give one of them")
        return _checked_positions(true_positions, table, outside), "own"
    if truth is None:
        return None, None
    if truth != ORDER:
        return _positions_by_column(truth, table, forms, outside), truth
    if ORDER in table.attributes or ORDER in outside.attributes:
        raise SettingError(f"truth = {ORDER!r} could also mean the column {ORDER!r}", hint="rename the column")
    if table.records != outside.records:
        raise SettingError(
            f"truth: the order cannot be used, because the release has {table.records:,} records and the outside file "
            f"{outside.records:,}",
            hint="if records were suppressed, give the position of each outside record's own record with own",
        )
    return np.arange(table.records), truth


def _checked_positions(positions: Counts, table: Microfile, outside: Microfile) -> Counts:
    if positions.shape != (outside.records,) or positions.dtype.kind not in "iu":
        raise SettingError(f"own: give a whole number for each of the {outside.records:,} outside records")
    if positions.size and (positions.min() < -1 or positions.max() >= table.records):
        raise SettingError(f"own: positions range from 0 to {table.records - 1:,}; -1 means no record")
    return positions.astype(np.int64)


def _positions_by_column(name: str, table: Microfile, forms: Mapping[str, Form], outside: Microfile) -> Counts:
    """Return the position in the release of the record with the same value of a column, -1 if there is none."""
    columns = {"release": [column for column in table.names if column in forms], "outside file": outside.names}
    for title, names in columns.items():
        if name not in names:
            raise SettingError(
                f"truth: the {title} has no column {name!r}",
                hint=f"for a release in memory without suppressed records use truth={ORDER!r}; {nearest(name, names)}",
            )
    encoded = []
    for title, microfile in (("release", table), ("outside file", outside)):
        column = microfile.encoded(name)
        n_missing = int(column.missing.sum())
        n_duplicates = microfile.records - n_missing - column.values.size
        if n_duplicates or n_missing:
            problem = (
                f"has {counted(n_duplicates, 'duplicate value')}"
                if n_duplicates
                else f"is missing in {counted(n_missing, 'record')}"
            )
            raise SettingError(
                f"truth: {name!r} {problem} in the {title}, so it does not identify records",
                hint="choose a column with a different value in every record",
            )
        encoded.append(column)
    position_of_code = np.empty(table.records + 1, dtype=np.int64)
    position_of_code[encoded[0].codes] = np.arange(table.records)
    position_of_code[-1] = -1
    code_of_value = {str(value): code for code, value in enumerate(encoded[0].values.tolist())}
    codes = np.array([code_of_value.get(str(value), table.records) for value in encoded[1].values.tolist()])
    if (codes == table.records).all():
        raise SettingError(
            f"truth: no value of {name!r} occurs in both files", hint="write the values in the same way in both files"
        )
    positions: Counts = position_of_code[codes][encoded[1].codes]
    return positions
