"""Attributes that depend on the place: those that move along with it, and those that would show who was exchanged.

Where an attribute tells the place, or the place tells the attribute, an exchanged record is the exception to that rule,
and everybody can look for exceptions. What an attribute or a pair of attributes would show is measured as somebody with
the release would look for it: a record is suspected if few of those that share its value have its place, if few of
those at its place have its value, or if the two occur together far less often than by chance. The steward knows which
records were exchanged, so the share of the suspects that really were is known too. It is compared with the share before
the exchange, where the same suspicion falls on records that are unusual anyway. The same is asked of a model that has
learned from all released attributes together how values and places go together.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from sfumato.arrays import Codes, Counts, Flags, Reals
from sfumato.errors import SettingError
from sfumato.groups.place_model import PlaceModel
from sfumato.groups.together import choices_of
from sfumato.kernels.elementary import logarithms
from sfumato.measures.blocks import group_codes
from sfumato.microfile.forms import Exact
from sfumato.microfile.microfile import Microfile
from sfumato.microfile.selection import attributes_of

if TYPE_CHECKING:
    from sfumato.groups.group import Group
    from sfumato.groups.mask import GroupMask
    from sfumato.release.release import Release

EVIDENCE = 30
"""An attribute describes the place only if so many records could have contradicted it."""
SUSPICIOUS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2)
"""Records are suspected up to each of these shares in turn."""
PRECISION = 0.2
"""An attribute shows the exchange only if at least this share of the suspects was exchanged,"""
LIFT = 5.0
"""if the odds of this are so many times those of members and others anyway, and of the suspects before the exchange,"""
FOUND = 0.05
"""and if at least this share of the exchanged records is found,"""
FEWEST_FOUND = 3
"""and at least so many of them."""
CELLS = 300
"""Numbers with more values than this are also looked at as this many parts of equal size."""
PAIRS = 500
"""So many pairs of attributes are looked at,"""
WORK = 30_000_000
"""and fewer if they times the records are more than this: those first that contradict the new places most."""
PARTS = 20
"""For the model over all attributes, numbers with more values than this are put into this many parts."""
MODEL_WORK = 500_000_000
"""It has fewer attributes if they times records times places are more than this: those that contradict most."""
TABLE = 20_000_000
"""It leaves out attributes whose values times places are more than this."""
SUSPECTED = (0.25, 0.5, 1.0, 2.0)
"""Of the records that it finds least likely where they are, so many times the exchanged ones are suspected in turn,"""
CERTAIN = 16.0
"""and what it finds must exceed what is expected by the root of this many standard deviations."""
NAMED = 3
"""So many of the attributes that tell it most are named."""


@dataclass(frozen=True)
class Telltale:
    """Attributes beside which exchanged records can be picked out."""

    names: tuple[str, ...]
    """One attribute or two; or those that tell most, if it takes all of them together."""
    suspects: int
    """How many records look exchanged."""
    found: int
    """How many of them were."""
    exchanged: int
    """How many were in all."""
    together: bool = False
    """Whether it takes a model over all released attributes."""

    @property
    def precision(self) -> float:
        """The share of the suspects that were exchanged."""
        return self.found / self.suspects

    @property
    def share(self) -> float:
        """The share of the exchanged records that are found."""
        return self.found / self.exchanged


def along_of(settings: GroupMask, microfile: Microfile) -> tuple[str, ...]:
    """Return the attributes that move with the place: those of the settings, or all that have one value per place."""
    if settings.along is not None:
        return tuple(settings.along)
    chosen = [name for setting, its in choices_of(settings) for name in attributes_of(its, setting=setting)]
    own = {*settings.group.parameter, *settings.identifiers, *settings.keep, *chosen, settings.weight}
    places = _joint(microfile, settings.group.parameter)
    counts = np.bincount(places)
    if microfile.records - int((counts > 0).sum()) < EVIDENCE:
        return ()
    return tuple(name for name in microfile.names if name not in own and _describes(microfile, name, places))


def _describes(microfile: Microfile, name: str, places: Codes) -> bool:
    """Say whether all records of a place have the same value of an attribute, and not all places the same."""
    codes = microfile.encoded(name).with_missing()
    first = np.zeros(int(places.max()) + 1, dtype=codes.dtype)
    first[places] = codes
    return bool((first[places] == codes).all()) and bool((codes != codes[0]).any())


def refuse_telltale(settings: GroupMask, before: Microfile, after: Microfile, release: Release) -> None:
    """Refuse a release in which an attribute, a pair or all of them together show which records were exchanged.

    Parameters
    ----------
    settings
        The mask.
    before, after
        The file before and after places were exchanged.
    release
        What would leave.
    """
    parameter = settings.group.parameter
    if any(name not in release.codebook.attributes for name in parameter):
        # without the place nothing contradicts it
        return
    told = next(telltales(before, after, settings.group, release), None)
    if told is None:
        return
    which = " and ".join(map(repr, told.names))
    beside, them = ("beside it", "it") if len(told.names) == 1 else ("beside them", "one of them")
    if told.together:
        which = f"all released attributes together, most of all {', '.join(map(repr, told.names))},"
        beside, them = "by a model of the place", "some of them"
    raise SettingError(
        f"group mask: {which} would show who was exchanged: {told.share:.0%} of the exchanged records can be picked "
        f"out {beside}, and {told.precision:.0%} of the records that look exchanged are",
        hint=f"withhold {them} (identifiers), let {them} move with the place (along), or release {them} in coarser "
        "categories (as quasi attributes)",
    )


def telltales(before: Microfile, after: Microfile, group: Group, release: Release) -> Iterator[Telltale]:
    """Yield released attributes, then pairs of them, then all together, that show which records were exchanged.

    Parameters
    ----------
    before, after
        The file before and after places were exchanged, record by record.
    group
        Who is hidden. That members are exchanged more often than others is no finding.
    release
        What would leave. Attributes that it has in a coarser form are looked at in that form, if no record is left out.
    """
    parameter = group.parameter
    looks = (_Look(_joint(before, parameter)), _Look(_joint(after, parameter)))
    exchanged = _places_differ(before, after, parameter)
    if not exchanged.any():
        return
    # how members spread over places is what an exchange is to change
    own = {*parameter, *attributes_of(group.vital, setting="vital")}
    columns = dict(_columns(before, after, own, release))
    weights, members = exchanged.astype(np.float64), group.members(before)
    expected = np.where(members, *(float(weights[who].mean()) if who.any() else 0.0 for who in (members, ~members)))
    contradictions: dict[str, float] = {}
    for name, versions in columns.items():
        for was, now in versions:
            if (found := _shown((name,), looks, (was, now), weights, expected)) is not None:
                yield found
        was, now = versions[-1]
        contradictions[name] = looks[0].fit(was, exchanged) - looks[1].fit(now, exchanged)
    ranked = sorted(columns, key=lambda name: (-contradictions[name], name))
    pairs = sorted(itertools.combinations(range(len(ranked)), 2), key=lambda pair: (pair[0] + pair[1], pair))
    for first, second in pairs[: min(PAIRS, WORK // before.records)]:
        names = ranked[first], ranked[second]
        was, now = (_combined([columns[name][-1][when] for name in names]) for when in (0, 1))
        if (found := _shown(names, looks, (was, now), weights, expected)) is not None:
            yield found
    numbers = [name for name in ranked if _is_number(before, name, release)]
    for parts in (PARTS, CELLS) if numbers else (CELLS,):
        coded = {name: columns[name][0] for name in ranked}
        coded |= {name: (_parts(coded[name][0], parts), _parts(coded[name][1], parts)) for name in numbers}
        if (found := _shown_together(coded, looks, exchanged, members)) is not None:
            yield found


def _is_number(before: Microfile, name: str, release: Release) -> bool:
    """Say whether an attribute is released as it is and has more numbers than a model takes one by one."""
    values = before.encoded(name).values
    exact = isinstance(release.codebook.attributes[name].form, Exact)
    return exact and values.size > PARTS and values.dtype.kind in "biuf"


def _shown_together(
    columns: Mapping[str, tuple[Codes, Codes]],
    looks: tuple[_Look, _Look],
    exchanged: Flags,
    members: Flags,
) -> Telltale | None:
    """Return what a model over all attributes shows of the exchange, of everybody or of members, if it is too much."""
    size = looks[1].size
    names = [name for name, (_, now) in columns.items() if _size(now) * size <= TABLE]
    names = names[: MODEL_WORK // (exchanged.size * size)]
    if len(names) < 2:
        return None
    was, now = (PlaceModel(looks[when].places, [columns[name][when] for name in names]) for when in (0, 1))
    (before, _), (after, others) = was.margins(), now.margins()
    all_moved = int(exchanged.sum())
    best: tuple[Telltale, Flags] | None = None
    for among in (np.ones_like(exchanged), members):
        moved = int(exchanged[among].sum())
        for share in SUSPECTED:
            some = min(max(round(share * moved), 1), int(among.sum()))
            suspected, unusual = (
                among & (its <= np.partition(its[among], some - 1)[some - 1]) for its in (after, before)
            )
            suspects, found = int(suspected.sum()), int(exchanged[suspected].sum())
            if found < max(FEWEST_FOUND, FOUND * all_moved, PRECISION * suspects):
                continue
            of_members = int((suspected & members).sum())
            rates = [float(exchanged[who].mean()) if who.any() else 0.0 for who in (members, ~members)]
            expected = of_members * rates[0] + (suspects - of_members) * rates[1]
            anyway = float(exchanged[unusual].mean()) * suspects
            if all(
                _lifted(found, suspects, each) and _is_certain(found, suspects, each) for each in (expected, anyway)
            ) and (best is None or found > best[0].found):
                best = Telltale((), suspects, found, all_moved, together=True), suspected & exchanged
    if best is None:
        return None
    told = now.contributions(np.flatnonzero(best[1]), others)
    most = sorted(range(len(names)), key=lambda number: (-told[number], number))[:NAMED]
    return replace(best[0], names=tuple(names[number] for number in most))


def _is_certain(found: int, suspects: int, expected: float) -> bool:
    """Say whether so many are found that chance does not explain it."""
    variance = expected * (suspects - expected) / suspects
    return found > expected and (found - expected) ** 2 >= CERTAIN * variance


class _Look:
    """Places, and how often values occur at them."""

    def __init__(self, places: Codes) -> None:
        self.places, self.size = places, int(places.max()) + 1
        self.counts = np.bincount(places, minlength=self.size)

    def cells(self, values: Codes) -> tuple[Codes, Counts, Counts, Counts]:
        """Return the cell of each record, and of each cell its records, those of its value and those of its place."""
        numbers, sizes = group_codes([values, self.places], [_size(values), self.size])
        value, place = np.zeros(sizes.size, dtype=np.int64), np.zeros(sizes.size, dtype=np.int64)
        value[numbers], place[numbers] = np.bincount(values)[values], self.counts[self.places]
        return numbers, sizes.astype(np.int64), value, place

    def shares(self, values: Codes) -> tuple[Codes, Counts, tuple[Reals, Reals, Reals]]:
        """Return the cell of each record, their sizes, and how usual each is; a record does not vouch for itself."""
        numbers, sizes, value, place = self.cells(values)
        others, with_value, at_place = sizes - 1.0, value - 1.0, place - 1.0
        usual = np.ones(sizes.size)
        of_value = np.divide(others, with_value, out=usual.copy(), where=with_value > 0)
        of_place = np.divide(others, at_place, out=usual.copy(), where=at_place > 0)
        expected = with_value * at_place / self.places.size
        return numbers, sizes, (of_value, of_place, np.divide(others, expected, out=usual, where=expected > 0))

    def fit(self, values: Codes, chosen: Flags) -> float:
        """Return how well the values of chosen records go with their places: the mean log share of the place."""
        numbers, sizes, value, _ = self.cells(values)
        share = (sizes - 1 + 1 / self.size) / value
        return float(logarithms(share)[numbers[chosen]].mean())


def _shown(
    names: tuple[str, ...], looks: tuple[_Look, _Look], values: tuple[Codes, Codes], exchanged: Reals, expected: Reals
) -> Telltale | None:
    """Return what attributes show of the exchange, if it is too much."""
    numbers, sizes, usual = looks[1].shares(values[1])
    moved, chances = (np.bincount(numbers, weights=each, minlength=sizes.size) for each in (exchanged, expected))
    all_moved = int(exchanged.sum())
    least = max(FEWEST_FOUND, FOUND * all_moved)
    best: Telltale | None = None
    unusual: dict[tuple[int, float], float] = {}
    for measure, limit in itertools.product(range(len(usual)), SUSPICIOUS):
        suspected = usual[measure] <= limit
        suspects, found = int(sizes[suspected].sum()), int(moved[suspected].sum())
        if found < max(least, PRECISION * suspects) or not _lifted(found, suspects, float(chances[suspected].sum())):
            continue
        if not unusual:
            # the same look at the file before, where it finds only what is unusual about these records anyway
            unusual = _shares_found(looks[0], values[0], exchanged)
        if _lifted(found, suspects, unusual[measure, limit] * suspects) and (best is None or found > best.found):
            best = Telltale(names, suspects, found, all_moved)
    return best


def _lifted(found: int, suspects: int, expected: float) -> bool:
    """Say whether the odds of a suspect to be exchanged are far above those that are expected."""
    return found * (suspects - expected) >= LIFT * expected * (suspects - found)


def _shares_found(look: _Look, values: Codes, exchanged: Reals) -> dict[tuple[int, float], float]:
    """Return the share of the suspects that are exchanged, by measure and limit."""
    numbers, sizes, usual = look.shares(values)
    moved = np.bincount(numbers, weights=exchanged, minlength=sizes.size)
    found = {}
    for measure, limit in itertools.product(range(len(usual)), SUSPICIOUS):
        suspected = usual[measure] <= limit
        found[measure, limit] = float(moved[suspected].sum()) / max(int(sizes[suspected].sum()), 1)
    return found


def _places_differ(before: Microfile, after: Microfile, parameter: Sequence[str]) -> Flags:
    differ = np.zeros(before.records, dtype=np.bool_)
    for name in parameter:
        was, now = before.encoded(name), after.encoded(name)
        # an exchange keeps the values that occur, and so their codes
        differ |= was.codes != now.codes
    return differ


def _columns(
    before: Microfile, after: Microfile, own: Collection[str], release: Release
) -> Iterator[tuple[str, list[tuple[Codes, Codes]]]]:
    """Yield each released attribute before and after: as it is, and if it has many values also in parts."""
    whole = release.microfile.records == before.records
    for name, entry in release.codebook.attributes.items():
        if name in own or name not in before.attributes:
            continue
        if not isinstance(entry.form, Exact) and whole:
            codes = _joint(release.microfile, entry.form.columns(name))
            yield name, [(codes, codes)]
            continue
        was, now = before.encoded(name), after.encoded(name)
        versions = [(was.with_missing(), now.with_missing())]
        if was.values.size > CELLS and was.values.dtype.kind in "biuf":
            versions.append((_parts(was.with_missing(), CELLS), _parts(now.with_missing(), CELLS)))
        yield name, versions


def _parts(codes: Codes, parts: int) -> Codes:
    """Put neighbouring values together, so that all parts have about as many records."""
    below = np.cumsum(np.bincount(codes)) - 1
    return (below * parts // codes.size)[codes].astype(np.int32)


def _joint(microfile: Microfile, names: Sequence[str]) -> Codes:
    """Return a number for each combination of some attributes, missing values being values too."""
    return _combined([microfile.encoded(name).with_missing() for name in names])


def _combined(columns: Sequence[Codes]) -> Codes:
    return columns[0] if len(columns) == 1 else group_codes(columns, [_size(codes) for codes in columns])[0]


def _size(codes: Codes) -> int:
    return int(codes.max()) + 1
