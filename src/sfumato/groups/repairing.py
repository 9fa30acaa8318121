"""The repair loop: exchange places until attacks that learned from other files no longer find the hidden ones.

What an attack takes a record for does not depend on where the record is. So each of its looks is remembered as a
sighting, and exchanges go on until no sighting shows a hidden place; then it looks again with fresh random numbers,
until several looks in a row have found nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from sfumato.arrays import Counts, Flags, Reals
from sfumato.errors import SettingError, UnattainableError
from sfumato.groups.evolving import evolved
from sfumato.groups.exchange import influence_of
from sfumato.groups.filling import filled
from sfumato.groups.greedy import swap_greedily
from sfumato.groups.group import Places
from sfumato.groups.influence import Influence
from sfumato.groups.masking import Masked, Task, refuse_standing_out, spared_in, task_of, with_places_of
from sfumato.groups.outliers import FEWEST
from sfumato.groups.record import record_of
from sfumato.groups.regions import looks_within, members_of
from sfumato.groups.reshaping import reshape
from sfumato.groups.rounding import largest_remainders
from sfumato.groups.sighting import Sighting
from sfumato.groups.swapping import Swaps, swap_exactly, unproven
from sfumato.groups.task import Reshaping
from sfumato.microfile.microfile import Microfile
from sfumato.microfile.selection import attributes_of
from sfumato.progress import Progress
from sfumato.randomness import Secret

if TYPE_CHECKING:
    from sfumato.groups.mask import GroupMask

QUIET = 3
"""An attack has failed when so many looks in a row, each with fresh random numbers, have found nothing."""
LOOKS = 12
"""After so many looks of which the last still found something, the repair is given up."""
TRIES = 6
"""So often places are exchanged on account of one sighting."""
MARGIN = 3.0
"""So many times the level of an attack is that at which its looks must find nothing, so that others do not either."""
STRICTER = 2.0
"""By so much the level is raised from try to try, because sums of grades do not follow whole records exactly, and from
look to look, because each sees somewhat else."""
STRICTEST = 0.5
PARTS = 10
"""Sums of grades are reshaped in tenths of a member."""
ITSELF = "the vital attributes"


def repair(settings: GroupMask, microfile: Microfile, progress: Progress, secret: Secret) -> Masked:
    """Exchange places until none of the attacks that a mask is set against finds a hidden place."""
    progress("counting", 0.0)
    task = task_of(settings, microfile, secret)
    if any(not np.array_equal(attack.group.members(microfile), task.members) for attack in settings.against or ()):
        raise SettingError(
            "against: an attack looks for another group than the mask hides",
            hint="let both have the same members; other groups need masks and attacks of their own",
        )
    loop = _Loop(task, influence_of(settings, microfile), task.places)
    if not {*attributes_of(settings.group.vital, setting="vital")} <= {*settings.identifiers}:
        # who sees the vital attributes needs no attack
        open_eyes = Sighting(ITSELF, task.members.astype(np.float64), settings.alpha, settings.robust)
        loop.remember(open_eyes)
        loop.quieten(progress)
    quiet = look = 0
    while quiet < QUIET:
        if look == LOOKS:
            raise loop.unattainable(f"{LOOKS} looks with fresh random numbers were not enough")
        # who draws nothing at random sees the same each time
        lookers = [attack for attack in settings.against or () if look == 0 or attack.random]
        seen = [attack.sighting(microfile, attempt=look, progress=progress) for attack in lookers]
        if look == 0:
            loop.begin(seen)
        look += 1
        loop.remember(*seen)
        found = bool(loop.shown())
        quiet = 0 if found else quiet + 1 if seen else QUIET
        loop.strictness += found
        loop.quieten(progress)
    after = with_places_of(microfile, settings, loop.order)
    seen_openly = loop.remembered[0].name == ITSELF
    if seen_openly:
        refuse_standing_out(task, after)
    record = record_of(replace(task, hidden=loop.hidden), loop.swaps(), after, at_least=None)
    record["against"] = loop.told(look) | {"vital_released": seen_openly}
    return Masked(after, record)


@dataclass
class _Loop:
    """Where records are by now, and what was seen so far."""

    task: Task
    influence: Influence
    places: Places
    order: Counts = field(init=False)
    """From which record of the original file each has its place."""
    hidden: tuple[int, ...] = field(init=False)
    remembered: list[Sighting] = field(default_factory=list)
    tries: dict[int, int] = field(default_factory=dict)
    """How often places were exchanged on account of each sighting, by its number."""
    strictness: int = 0
    """How many looks have found something so far."""
    exchanges: list[Swaps] = field(default_factory=list)
    first: list[Sighting] = field(default_factory=list)
    """The first look of each attack."""

    def __post_init__(self) -> None:
        self.order = np.arange(self.task.microfile.records)
        self.hidden = self.task.hidden

    def begin(self, seen: list[Sighting]) -> None:
        """Take the first look of each attack; places to hide are told region by region as it does."""
        self.first = seen
        settings, regions = self.task.settings, seen[0].regions
        if settings.hide == "outliers" and regions is not None:
            looks = looks_within(
                self.task.signal, regions, alpha=settings.alpha, robust=settings.robust, unit=1.0, levels=(1.0,)
            )
            found = {place for its in looks.values() for place in its}
            self.hidden = tuple(sorted(found - {*self.task.known}))
        if not self.hidden:
            raise SettingError(
                "hide: the group stands out nowhere, so that there is nothing to hide from an attack",
                hint="name the places to hide",
            )

    def remember(self, *seen: Sighting) -> None:
        self.remembered += seen

    def shown(self) -> dict[int, tuple[int, ...]]:
        """Return which hidden places each sighting shows, by its number; nothing for one that shows none."""
        found = {
            number: its.shown(self.places, self.hidden, alpha=_strict(its.alpha, MARGIN))
            for number, its in enumerate(self.remembered)
        }
        return {number: places for number, places in found.items() if places}

    def quieten(self, progress: Progress) -> None:
        """Exchange places until no sighting shows a hidden place."""
        while shown := self.shown():
            number = min(shown, key=lambda one: (self.tries.get(one, 0), one))
            tries = self.tries.get(number, 0)
            if tries == TRIES:
                raise self.unattainable(f"{TRIES} exchanges on account of one look were not enough")
            self.tries[number] = tries + 1
            sighting = self.remembered[number]
            alpha = _strict(sighting.alpha, MARGIN * STRICTER ** (tries + self.strictness))
            try:
                swaps = self._exchanged(replace(sighting, alpha=alpha), progress)
            except UnattainableError as error:
                raise self.unattainable(error.message) from None
            order = self.order
            order[swaps.leaving], order[swaps.coming] = order[swaps.coming], order[swaps.leaving]
            self.places = Places(self.task.places.codes[order], self.task.places.labels)
            self.exchanges.append(swaps)

    def _exchanged(self, sighting: Sighting, progress: Progress) -> Swaps:
        """Find who takes whose place so that one sighting shows no hidden place."""
        settings, task = self.task.settings, self.task
        spared = spared_in(settings, task.microfile)
        free = ~np.logical_or.reduce([its.claimed for its in self.remembered]) & ~spared & (self.places.codes >= 0)
        movable = sighting.claimed & ~spared
        change = self._change(sighting, movable, free)
        if not change.any():
            raise UnattainableError("nobody whom it takes for a member can leave the hidden places")
        if settings.swap == "memetic":
            crisp = sighting.crisp(self.places)
            seen = replace(
                task, places=self.places, members=sighting.claimed, quantity=crisp, signal=crisp, hidden=self.hidden
            )
            seen = replace(seen, movable=movable, candidates=free)
            flagged = self._flagged(sighting)
            return evolved(seen, flagged, seen.counts + change, self.influence, progress)
        how = swap_exactly if settings.swap == "exact" else swap_greedily
        return how(
            self.influence,
            self.places.codes,
            movable,
            free,
            change,
            labels=task.names,
            threads=settings.threads,
            progress=progress,
        )

    def _change(self, sighting: Sighting, movable: Flags, free: Flags) -> Counts:
        """Return by how many of those who are taken for members each place shall change."""
        signal, there = sighting.signal(self.places).values, self.places.count(movable)
        # what one of them is worth at each place, and at places without any
        usual = float(sighting.memberships[movable].mean()) if movable.any() else 1.0
        worth = np.divide(signal, sighting.crisp(self.places).values, out=np.full(signal.size, usual), where=signal > 0)
        room = self.places.count(free)
        change = np.zeros(signal.size, dtype=np.int64)
        for places in members_of(sighting.regions, signal.size):
            own = np.flatnonzero(np.isin(places, self.hidden))
            if places.size < FEWEST or not own.size:
                continue
            wanted = self._reshaped(sighting, places, own, signal[places], room[places] * usual)
            less = np.minimum(np.ceil(np.maximum(signal[places] - wanted, 0.0) / worth[places]), there[places])
            gain = np.maximum(wanted - signal[places], 0.0)
            shrunk = int(less.sum())
            if shrunk and gain.any():
                more = largest_remainders(gain, shrunk, upper=np.where(gain > 0, room[places], 0).astype(np.int64))
                change[places] = more - less.astype(np.int64)
        return change

    def _reshaped(self, sighting: Sighting, places: Counts, own: Counts, signal: Reals, room: Reals) -> Reals:
        """Return sums of grades in a region in which no hidden place stands out."""
        settings, numbers = self.task.settings, {int(place): number for number, place in enumerate(places)}
        parts = 1 if (signal == np.floor(signal)).all() else PARTS
        counts = largest_remainders(signal * parts, round(float(signal.sum()) * parts))
        decoys = [
            numbers[place] for place in self.places.numbers_of(settings.decoys, setting="decoys") if place in numbers
        ]
        task = Reshaping(
            counts,
            hidden=tuple(own.tolist()),
            fixed=tuple(numbers[place] for place in self.task.known if place in numbers),
            capacities=counts + np.floor(room * parts).astype(np.int64),
            alpha=sighting.alpha,
            robust=sighting.robust,
            labels=tuple(self.task.names[place] for place in places),
            panel=True,
            person=sighting.unit * parts,
        )
        if settings.reshape == "least":
            # sums of grades are not counts of records, so that what is proven of them would be worth nothing
            start = filled(task)
            if start is not None:
                return start / parts
        wanted = reshape(
            settings.reshape,
            task,
            wavelet=settings.wavelet,
            level=settings.level,
            decoys=decoys,
            rng=self.task.secret.stream("decoys"),
        )
        return wanted / parts

    def _flagged(self, sighting: Sighting) -> Any:
        """Return whether counts of those who are taken for members show a hidden place."""

        def flagged(counts: Counts | Reals) -> tuple[int, ...]:
            found: list[int] = []
            for places in members_of(sighting.regions, counts.size):
                own = np.flatnonzero(np.isin(places, self.hidden))
                if places.size >= FEWEST and own.size:
                    its = Reshaping(
                        counts[places],
                        tuple(own.tolist()),
                        alpha=sighting.alpha,
                        robust=sighting.robust,
                        panel=True,
                    )
                    found += places[list(its.flagged(its.counts))].tolist()
            return tuple(found)

        return flagged

    def swaps(self) -> Swaps:
        """Return all exchanges together."""
        if len(self.exchanges) == 1:
            return self.exchanges[0]
        pairs = [np.column_stack([one.leaving, one.coming]) for one in self.exchanges]
        return unproven(self.influence, np.concatenate([np.empty((0, 2), dtype=np.int64), *pairs]))

    def told(self, looks: int) -> dict[str, Any]:
        """Return what the steward is told of the attacks and of the price."""
        values = self.task.microfile.records * len(self.task.microfile.names)
        parts = [self.task.microfile.encoded(name).codes for name in self.task.settings.group.parameter]
        # of a place that several attributes tell, often only some of them change
        changed = sum(int((codes != codes[self.order]).sum()) for codes in parts)
        labels, before = self.places.labels, self.task.places
        return {
            "looks": looks,
            "exchanges": len(self.exchanges),
            "attacks": [
                {
                    "name": its.name,
                    "found_before": [labels[place] for place in its.shown(before, self.hidden)],
                    "found_after": [labels[place] for place in its.shown(self.places, self.hidden)],
                    "before": its.signal(before).as_dict(),
                    "after": its.signal(self.places).as_dict(),
                }
                for its in self.first
            ],
            "changed_values": changed,
            "share_of_values": changed / values,
        }

    def unattainable(self, why: str) -> UnattainableError:
        """Say which attack still finds hidden places, and what would help."""
        still = {self.remembered[number].name: len(places) for number, places in self.shown().items()}
        told = " and ".join(f"{name} still finds {_places(count)}" for name, count in still.items())
        return UnattainableError(
            f"against: {told or 'the attacks find new places again and again'}; {why}",
            hint="hide fewer places, keep fewer attributes, or release less of what the attack looks at",
        )


def _strict(alpha: float, times: float) -> float:
    """Return a stricter level."""
    return max(alpha, min(STRICTEST, alpha * times))


def _places(count: int) -> str:
    return f"{count:,} hidden place{'s' * (count > 1)}"
