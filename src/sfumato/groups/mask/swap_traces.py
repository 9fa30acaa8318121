"""Traces of the swaps: released attributes that would show which records were swapped.

Where an attribute determines the place, or the place determines the attribute, a swapped record is the exception to
that rule, and everybody can look for exceptions. What an attribute or a pair of attributes would show is measured as
somebody with the release would look for it: a record is suspected if few of those that share its value have its place,
if few of those at its place have its value, or if the two occur together far less often than by chance. The steward
knows which records were swapped, so the share of the suspects that really were is known too. It is compared with the
share before the swaps, where the same suspicion falls on records that are unusual anyway. The same test is applied
to a model that has learned from all released attributes together how values and places are related.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sfumato.array_types import Codes, Counts, Flags, Reals
from sfumato.errors import SettingError
from sfumato.groups.group import Group
from sfumato.groups.mask.attribute_roles import combined_codes, joint_codes, n_codes
from sfumato.groups.mask.mask_settings import MaskSettings
from sfumato.groups.mask.place_prediction import PlaceModel
from sfumato.kernels.elementary_functions import logarithms
from sfumato.measures import group_codes
from sfumato.microfile import Microfile
from sfumato.record_filter import attributes_of
from sfumato.release import Release

SUSPICIOUS_SHARES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2)
"""Records are suspected up to each of these shares in turn."""
MIN_PRECISION = 0.2
"""An attribute shows the swaps only if at least this share of the suspects was swapped,"""
MIN_LIFT = 5.0
"""if the odds of this are at least this many times those of members and others anyway, and those of the suspects
before the swaps,"""
MIN_RECALL = 0.05
"""and if at least this share of the swapped records is identified,"""
FEWEST_IDENTIFIED = 3
"""and at least this many of them."""
FINE_PARTS = 300
"""Numeric attributes with more values than this are also tested in this many parts of equal size."""
MAX_PAIRS = 500
"""At most this many pairs of attributes are tested,"""
PAIR_WORK = 30_000_000
"""and fewer if their number times the records exceeds this: first those that contradict the new places most."""
COARSE_PARTS = 20
"""For the model over all attributes, numeric attributes with more values than this are cut into this many parts."""
MODEL_WORK = 500_000_000
"""The model has fewer attributes if their number times records times places exceeds this: the most contradictory."""
MAX_TABLE = 20_000_000
"""The model leaves out attributes whose values times places exceed this."""
SUSPECTS_PER_SWAPPED = (0.25, 0.5, 1.0, 2.0)
"""Of the records that the model finds least likely at their place, these multiples of the number of swapped records
are suspected in turn,"""
SQUARED_DEVIATIONS = 16.0
"""and what it identifies must exceed the expectation by the root of this many standard deviations."""
MAX_NAMED = 3
"""At most this many of the attributes that contribute most are named."""


@dataclass(frozen=True)
class SwapTrace:
    """Attributes by which swapped records can be picked out."""

    names: tuple[str, ...]
    """One attribute or two; or those that contribute most, if it takes all of them together."""
    suspects: int
    """The number of records that look swapped."""
    identified: int
    """The number of suspects that were swapped."""
    swapped: int
    """The number of all swapped records."""
    together: bool = False
    """Whether it takes a model over all released attributes."""

    @property
    def precision(self) -> float:
        """The share of the suspects that were swapped."""
        return self.identified / self.suspects

    @property
    def recall(self) -> float:
        """The share of the swapped records that are identified."""
        return self.identified / self.swapped


def refuse_traces(settings: MaskSettings, before: Microfile, after: Microfile, release: Release) -> None:
    """Refuse a release in which an attribute, a pair or all of them together show which records were swapped.

    Parameters
    ----------
    settings
        The mask.
    before, after
        The file before and after places were swapped.
    release
        What would be published.
    """
    parameter = settings.group.parameter
    if any(name not in release.codebook.attributes for name in parameter):
        # nothing contradicts a place that is not released
        return
    trace = next(swap_traces(before, after, settings.group, release), None)
    if trace is None:
        return
    named = " and ".join(map(repr, trace.names))
    by_which, attributes = ("by it", "it") if len(trace.names) == 1 else ("by them", "one of them")
    if trace.together:
        named = f"all released attributes together, most of all {', '.join(map(repr, trace.names))},"
        by_which, attributes = "by a model of the place", "some of them"
    raise SettingError(
        f"group mask: {named} would show who was swapped: {trace.recall:.0%} of the swapped records can be picked "
        f"out {by_which}, and {trace.precision:.0%} of the records that look swapped are",
        hint=f"withhold {attributes} (identifiers), let {attributes} move with the place (along), or release "
        f"{attributes} in coarser categories (as quasi attributes)",
        setting="identifiers",
        column=trace.names[0],
    )


def swap_traces(before: Microfile, after: Microfile, group: Group, release: Release) -> Iterator[SwapTrace]:
    """Yield released attributes, then pairs of them, then all together, that show which records were swapped.

    Parameters
    ----------
    before, after
        The file before and after places were swapped, record by record.
    group
        The hidden group. That members are swapped more often than others is not a finding.
    release
        What would be published. Attributes that it generalises are tested in that form, if no record is suppressed.
    """
    parameter = group.parameter
    crossings = (_PlaceCrossing(joint_codes(before, parameter)), _PlaceCrossing(joint_codes(after, parameter)))
    swapped = _places_differ(before, after, parameter)
    if not swapped.any():
        return
    # the distribution of members over places is what swaps are meant to change
    excluded = {*parameter, *attributes_of(group.vital, setting="vital")}
    columns = dict(_columns(before, after, excluded, release))
    weights, members = swapped.astype(np.float64), group.members(before)
    expected = np.where(
        members, *(float(weights[people].mean()) if people.any() else 0.0 for people in (members, ~members))
    )
    contradictions: dict[str, float] = {}
    for name, versions in columns.items():
        for was, now in versions:
            if (trace := _trace((name,), crossings, (was, now), weights, expected)) is not None:
                yield trace
        was, now = versions[-1]
        contradictions[name] = crossings[0].fit(was, swapped) - crossings[1].fit(now, swapped)
    ranked = sorted(columns, key=lambda name: (-contradictions[name], name))
    pairs = sorted(itertools.combinations(range(len(ranked)), 2), key=lambda pair: (pair[0] + pair[1], pair))
    for first, second in pairs[: min(MAX_PAIRS, PAIR_WORK // before.records)]:
        names = ranked[first], ranked[second]
        was, now = (combined_codes([columns[name][-1][when] for name in names]) for when in (0, 1))
        if (trace := _trace(names, crossings, (was, now), weights, expected)) is not None:
            yield trace
    numeric = [name for name in ranked if _is_numeric(before, name, release)]
    for n_parts in (COARSE_PARTS, FINE_PARTS) if numeric else (FINE_PARTS,):
        coded = {name: columns[name][0] for name in ranked}
        coded |= {
            name: (_equal_parts(coded[name][0], n_parts), _equal_parts(coded[name][1], n_parts)) for name in numeric
        }
        if (trace := _model_trace(coded, crossings, swapped, members)) is not None:
            yield trace


def _is_numeric(before: Microfile, name: str, release: Release) -> bool:
    """Say whether an attribute is released exactly and has more numbers than the model takes one by one."""
    values = before.encoded(name).values
    exact = release.codebook.attributes[name].form.exact
    return exact and values.size > COARSE_PARTS and values.dtype.kind in "biuf"


def _model_trace(
    columns: Mapping[str, tuple[Codes, Codes]],
    crossings: tuple[_PlaceCrossing, _PlaceCrossing],
    swapped: Flags,
    members: Flags,
) -> SwapTrace | None:
    """Return what a model over all attributes shows of the swaps, of everybody or of members, if it is too much."""
    n_places = crossings[1].n_places
    names = [name for name, (_, now) in columns.items() if n_codes(now) * n_places <= MAX_TABLE]
    names = names[: MODEL_WORK // (swapped.size * n_places)]
    if len(names) < 2:
        return None
    was, now = (PlaceModel(crossings[when].places, [columns[name][when] for name in names]) for when in (0, 1))
    (before, _), (after, likelier_places) = was.margins(), now.margins()
    n_swapped = int(swapped.sum())
    best: tuple[SwapTrace, Flags] | None = None
    for among in (np.ones_like(swapped), members):
        n_among = int(swapped[among].sum())
        for multiple in SUSPECTS_PER_SWAPPED:
            n_suspected = min(max(round(multiple * n_among), 1), int(among.sum()))
            suspected, unusual = (
                among & (margins <= np.partition(margins[among], n_suspected - 1)[n_suspected - 1])
                for margins in (after, before)
            )
            suspects, identified = int(suspected.sum()), int(swapped[suspected].sum())
            if identified < max(FEWEST_IDENTIFIED, MIN_RECALL * n_swapped, MIN_PRECISION * suspects):
                continue
            suspected_members = int((suspected & members).sum())
            rates = [float(swapped[people].mean()) if people.any() else 0.0 for people in (members, ~members)]
            expected = suspected_members * rates[0] + (suspects - suspected_members) * rates[1]
            anyway = float(swapped[unusual].mean()) * suspects
            if all(
                _is_lifted(identified, suspects, number) and _is_significant(identified, suspects, number)
                for number in (expected, anyway)
            ) and (best is None or identified > best[0].identified):
                best = SwapTrace((), suspects, identified, n_swapped, together=True), suspected & swapped
    if best is None:
        return None
    contributions = now.contributions(np.flatnonzero(best[1]), likelier_places)
    strongest = sorted(range(len(names)), key=lambda index: (-contributions[index], index))[:MAX_NAMED]
    return replace(best[0], names=tuple(names[index] for index in strongest))


def _is_significant(identified: int, suspects: int, expected: float) -> bool:
    """Say whether more are identified than chance explains."""
    variance = expected * (suspects - expected) / suspects
    return identified > expected and (identified - expected) ** 2 >= SQUARED_DEVIATIONS * variance


class _PlaceCrossing:
    """Places, and how often values occur at them."""

    def __init__(self, places: Codes) -> None:
        self.places, self.n_places = places, int(places.max()) + 1
        self.counts = np.bincount(places, minlength=self.n_places)

    def cells(self, values: Codes) -> tuple[Codes, Counts, Counts, Counts]:
        """Return the cell of each record, and the number of records in each cell, with its value and at its place."""
        cells, sizes = group_codes([values, self.places], [n_codes(values), self.n_places])
        with_value, at_place = np.zeros(sizes.size, dtype=np.int64), np.zeros(sizes.size, dtype=np.int64)
        with_value[cells], at_place[cells] = np.bincount(values)[values], self.counts[self.places]
        return cells, sizes.astype(np.int64), with_value, at_place

    def shares(self, values: Codes) -> tuple[Codes, Counts, tuple[Reals, Reals, Reals]]:
        """Return the cell of each record, the cells' sizes, and how usual each is, without the record itself."""
        cells, sizes, n_with_value, n_at_place = self.cells(values)
        n_others, with_value, at_place = sizes - 1.0, n_with_value - 1.0, n_at_place - 1.0
        usual = np.ones(sizes.size)
        of_value = np.divide(n_others, with_value, out=usual.copy(), where=with_value > 0)
        of_place = np.divide(n_others, at_place, out=usual.copy(), where=at_place > 0)
        expected = with_value * at_place / self.places.size
        return cells, sizes, (of_value, of_place, np.divide(n_others, expected, out=usual, where=expected > 0))

    def fit(self, values: Codes, chosen: Flags) -> float:
        """Return how well the values of chosen records fit their places: the mean log share of the place."""
        cells, sizes, with_value, _ = self.cells(values)
        share = (sizes - 1 + 1 / self.n_places) / with_value
        return float(logarithms(share)[cells[chosen]].mean())


def _trace(
    names: tuple[str, ...],
    crossings: tuple[_PlaceCrossing, _PlaceCrossing],
    values: tuple[Codes, Codes],
    swapped: Reals,
    expected: Reals,
) -> SwapTrace | None:
    """Return what attributes show of the swaps, if it is too much."""
    cells, sizes, usual = crossings[1].shares(values[1])
    moved, chances = (np.bincount(cells, weights=column, minlength=sizes.size) for column in (swapped, expected))
    n_swapped = int(swapped.sum())
    fewest = max(FEWEST_IDENTIFIED, MIN_RECALL * n_swapped)
    best: SwapTrace | None = None
    shares_before: dict[tuple[int, float], float] = {}
    for measure, limit in itertools.product(range(len(usual)), SUSPICIOUS_SHARES):
        suspected = usual[measure] <= limit
        suspects, identified = int(sizes[suspected].sum()), int(moved[suspected].sum())
        if identified < max(fewest, MIN_PRECISION * suspects) or not _is_lifted(
            identified, suspects, float(chances[suspected].sum())
        ):
            continue
        if not shares_before:
            # the same test on the file before, where it identifies only what is unusual about these records anyway
            shares_before = _shares_identified(crossings[0], values[0], swapped)
        if _is_lifted(identified, suspects, shares_before[measure, limit] * suspects) and (
            best is None or identified > best.identified
        ):
            best = SwapTrace(names, suspects, identified, n_swapped)
    return best


def _is_lifted(identified: int, suspects: int, expected: float) -> bool:
    """Say whether the odds that a suspect was swapped are far above the expected odds."""
    return identified * (suspects - expected) >= MIN_LIFT * expected * (suspects - identified)


def _shares_identified(crossing: _PlaceCrossing, values: Codes, swapped: Reals) -> dict[tuple[int, float], float]:
    """Return the share of the suspects that are swapped, by measure and limit."""
    cells, sizes, usual = crossing.shares(values)
    moved = np.bincount(cells, weights=swapped, minlength=sizes.size)
    shares = {}
    for measure, limit in itertools.product(range(len(usual)), SUSPICIOUS_SHARES):
        suspected = usual[measure] <= limit
        shares[measure, limit] = float(moved[suspected].sum()) / max(int(sizes[suspected].sum()), 1)
    return shares


def _places_differ(before: Microfile, after: Microfile, parameter: Sequence[str]) -> Flags:
    differ = np.zeros(before.records, dtype=np.bool_)
    for name in parameter:
        was, now = before.encoded(name), after.encoded(name)
        # swapping retains the set of values, and so their codes
        differ |= was.codes != now.codes
    return differ


def _columns(
    before: Microfile, after: Microfile, excluded: Collection[str], release: Release
) -> Iterator[tuple[str, list[tuple[Codes, Codes]]]]:
    """Yield each released attribute before and after: as it is, and if it has many values also in parts."""
    releases_all = release.microfile.records == before.records
    for name, entry in release.codebook.attributes.items():
        if name in excluded or name not in before.attributes:
            continue
        if not entry.form.exact and releases_all:
            codes = joint_codes(release.microfile, entry.form.columns(name))
            yield name, [(codes, codes)]
            continue
        was, now = before.encoded(name), after.encoded(name)
        versions = [(was.with_missing(), now.with_missing())]
        if was.values.size > FINE_PARTS and was.values.dtype.kind in "biuf":
            versions.append(
                (_equal_parts(was.with_missing(), FINE_PARTS), _equal_parts(now.with_missing(), FINE_PARTS))
            )
        yield name, versions


def _equal_parts(codes: Codes, n_parts: int) -> Codes:
    """Put neighbouring values together, so that all parts have about the same number of records."""
    below = np.cumsum(np.bincount(codes)) - 1
    return (below * n_parts // codes.size)[codes].astype(np.int32)
