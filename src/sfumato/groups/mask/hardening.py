"""Hardening: swap places until attacks that learned from other files no longer find the hidden ones.

What an attack takes a record for does not depend on where the record is. So each view of an attack is remembered, and
places are swapped until no remembered view shows a hidden place; then the attack looks again with fresh random
numbers, until several views in a row have shown nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sfumato.array_types import Counts, Flags, Reals
from sfumato.errors import SettingError, UnattainableError
from sfumato.groups.adversary_view import VITAL_ATTRIBUTES, AdversaryView
from sfumato.groups.group import Places
from sfumato.groups.integer_rounding import largest_remainders
from sfumato.groups.mask.attribute_roles import influence_of
from sfumato.groups.mask.mask_settings import MaskSettings
from sfumato.groups.mask.mask_task import Masked, MaskTask, spared_records, task_of, with_places_of
from sfumato.groups.mask.mask_verification import refuse_standing_out
from sfumato.groups.mask.memetic_mask import evolved_swaps
from sfumato.groups.mask.steward_record import record_of
from sfumato.groups.regional_signals import detected_within, places_by_region
from sfumato.groups.reshape.initial_solution import initial_counts
from sfumato.groups.reshape.methods import reshape
from sfumato.groups.reshaping_problem import Reshaping
from sfumato.groups.swap.greedy_swaps import swap_greedily
from sfumato.groups.swap.optimal_swaps import Swaps, swap_exactly, unproven
from sfumato.groups.swap.swap_cost import Influence
from sfumato.groups.thompson_tau import FEWEST
from sfumato.microfile import Microfile
from sfumato.progress import Progress
from sfumato.randomness import Secret
from sfumato.record_filter import attributes_of

QUIET_VIEWS = 3
"""An attack has failed when this many views in a row, each with fresh random numbers, have shown nothing."""
MAX_VIEWS = 12
"""The hardening is given up if the last of this many views still showed something."""
MAX_TRIES = 6
"""How often places are swapped because of one view."""
MARGIN = 3.0
"""Views must show nothing at this multiple of an attack's level, so that later views do not either."""
STRICTER = 2.0
"""The factor by which the level is raised from try to try, because sums of grades do not follow whole records exactly,
and from view to view, because each differs a little."""
STRICTEST = 0.5
TENTHS = 10
"""Sums of grades are reshaped in tenths of a member."""


def harden(settings: MaskSettings, microfile: Microfile, progress: Progress, secret: Secret) -> Masked:
    """Swap places until none of the attacks that a mask is set against finds a hidden place."""
    progress("counting", 0.0)
    task = task_of(settings, microfile, secret)
    if any(not np.array_equal(attack.group.members(microfile), task.members) for attack in settings.against or ()):
        raise SettingError(
            "against: an attack looks for another group than the mask hides",
            hint="give both the same members; other groups need their own masks and attacks",
            setting="against",
        )
    hardening = _Hardening(task, influence_of(settings, microfile), task.places)
    if not {*attributes_of(settings.group.vital, setting="vital")} <= {*settings.identifiers}:
        # where the vital attributes are released, observers need no attack
        direct = AdversaryView(VITAL_ATTRIBUTES, task.members.astype(np.float64), settings.alpha, settings.robust)
        hardening.remember(direct)
        hardening.hide_from_views(progress)
    n_quiet = n_views = 0
    while n_quiet < QUIET_VIEWS:
        if n_views == MAX_VIEWS:
            raise hardening.unattainable(f"{MAX_VIEWS} views with fresh random numbers were not enough")
        # an attack that draws nothing at random sees the same each time
        attacks = [attack for attack in settings.against or () if n_views == 0 or attack.random]
        views = [attack.sighting(microfile, attempt=n_views, progress=progress) for attack in attacks]
        if n_views == 0:
            hardening.begin(views)
        n_views += 1
        hardening.remember(*views)
        revealed = bool(hardening.revealed())
        n_quiet = 0 if revealed else n_quiet + 1 if views else QUIET_VIEWS
        hardening.strictness += revealed
        hardening.hide_from_views(progress)
    after = with_places_of(microfile, settings, hardening.sources)
    vital_released = hardening.views[0].name == VITAL_ATTRIBUTES
    if vital_released:
        refuse_standing_out(task, after)
    record = record_of(replace(task, hidden=hardening.hidden), hardening.swaps(), after, at_least=None)
    record["against"] = hardening.summary(n_views) | {"vital_released": vital_released}
    return Masked(after, record)


@dataclass
class _Hardening:
    """Where records are by now, and what the attacks have seen so far."""

    task: MaskTask
    influence: Influence
    places: Places
    sources: Counts = field(init=False)
    """The record of the original file whose place each record has."""
    hidden: tuple[int, ...] = field(init=False)
    views: list[AdversaryView] = field(default_factory=list)
    tries: dict[int, int] = field(default_factory=dict)
    """How often places were swapped because of each view, by its index."""
    strictness: int = 0
    """The number of views that have shown something so far."""
    swap_rounds: list[Swaps] = field(default_factory=list)
    first_views: list[AdversaryView] = field(default_factory=list)
    """The first view of each attack."""

    def __post_init__(self) -> None:
        self.sources = np.arange(self.task.microfile.records)
        self.hidden = self.task.hidden

    def begin(self, views: list[AdversaryView]) -> None:
        """Take the first view of each attack; outliers to hide are found region by region, as the attack does."""
        self.first_views = views
        settings, regions = self.task.settings, views[0].regions
        if settings.hide == "outliers" and regions is not None:
            detected = detected_within(
                self.task.signal, regions, alpha=settings.alpha, robust=settings.robust, unit=1.0, levels=(1.0,)
            )
            outliers = {place for places in detected.values() for place in places}
            self.hidden = tuple(sorted(outliers - {*self.task.known}))
        if not self.hidden:
            raise SettingError(
                "hide: the group stands out nowhere, so there is nothing to hide from an attack",
                hint="name the places to hide",
                setting="hide",
            )

    def remember(self, *views: AdversaryView) -> None:
        self.views += views

    def revealed(self) -> dict[int, tuple[int, ...]]:
        """Return the hidden places that each view shows, by its index, without views that show none."""
        by_view = {
            index: view.revealed(self.places, self.hidden, alpha=_strict(view.alpha, MARGIN))
            for index, view in enumerate(self.views)
        }
        return {index: places for index, places in by_view.items() if places}

    def hide_from_views(self, progress: Progress) -> None:
        """Swap places until no view shows a hidden place."""
        while revealed := self.revealed():
            index = min(revealed, key=lambda view: (self.tries.get(view, 0), view))
            n_tries = self.tries.get(index, 0)
            if n_tries == MAX_TRIES:
                raise self.unattainable(f"{MAX_TRIES} rounds of swaps because of one view were not enough")
            self.tries[index] = n_tries + 1
            view = self.views[index]
            alpha = _strict(view.alpha, MARGIN * STRICTER ** (n_tries + self.strictness))
            try:
                swaps = self._swaps_against(replace(view, alpha=alpha), progress)
            except UnattainableError as error:
                raise self.unattainable(error.message) from None
            sources = self.sources
            sources[swaps.leaving], sources[swaps.coming] = sources[swaps.coming], sources[swaps.leaving]
            self.places = Places(self.task.places.codes[sources], self.task.places.labels)
            self.swap_rounds.append(swaps)

    def _swaps_against(self, view: AdversaryView, progress: Progress) -> Swaps:
        """Find swaps after which one view shows no hidden place."""
        settings, task = self.task.settings, self.task
        spared = spared_records(settings, task.microfile)
        claimed_by_any = np.logical_or.reduce([remembered.claimed for remembered in self.views])
        candidates = ~claimed_by_any & ~spared & (self.places.codes >= 0)
        movable = view.claimed & ~spared
        change = self._change(view, movable, candidates)
        if not change.any():
            raise UnattainableError("nobody whom it takes for a member can leave the hidden places", setting="against")
        if settings.swap == "memetic":
            crisp = view.crisp_signal(self.places)
            seen_task = replace(
                task, places=self.places, members=view.claimed, quantity=crisp, signal=crisp, hidden=self.hidden
            )
            seen_task = replace(seen_task, movable=movable, candidates=candidates)
            return evolved_swaps(seen_task, self._flagging(view), seen_task.counts + change, self.influence, progress)
        swap = swap_exactly if settings.swap == "exact" else swap_greedily
        return swap(
            self.influence,
            self.places.codes,
            movable,
            candidates,
            change,
            labels=task.printable_labels,
            threads=settings.threads,
            progress=progress,
        )

    def _change(self, view: AdversaryView, movable: Flags, candidates: Flags) -> Counts:
        """Return by how many of the records taken for members each place is to change."""
        signal, n_movable = view.signal(self.places).values, self.places.count(movable)
        # what one of them is worth at each place, and at places without any
        mean_grade = float(view.memberships[movable].mean()) if movable.any() else 1.0
        worth = np.divide(
            signal, view.crisp_signal(self.places).values, out=np.full(signal.size, mean_grade), where=signal > 0
        )
        room = self.places.count(candidates)
        change = np.zeros(signal.size, dtype=np.int64)
        for places in places_by_region(view.regions, signal.size):
            hidden = np.flatnonzero(np.isin(places, self.hidden))
            if places.size < FEWEST or not hidden.size:
                continue
            target = self._reshaped(view, places, hidden, signal[places], room[places] * mean_grade)
            losses = np.minimum(np.ceil(np.maximum(signal[places] - target, 0.0) / worth[places]), n_movable[places])
            gain = np.maximum(target - signal[places], 0.0)
            n_lost = int(losses.sum())
            if n_lost and gain.any():
                gains = largest_remainders(gain, n_lost, upper=np.where(gain > 0, room[places], 0).astype(np.int64))
                change[places] = gains - losses.astype(np.int64)
        return change

    def _reshaped(self, view: AdversaryView, places: Counts, hidden: Counts, signal: Reals, room: Reals) -> Reals:
        """Return sums of grades in a region in which no hidden place stands out."""
        settings, indices = self.task.settings, {int(place): index for index, place in enumerate(places)}
        scale = 1 if (signal == np.floor(signal)).all() else TENTHS
        counts = largest_remainders(signal * scale, round(float(signal.sum()) * scale))
        decoys = [
            indices[place] for place in self.places.indices_of(settings.decoys, setting="decoys") if place in indices
        ]
        problem = Reshaping(
            counts,
            hidden=tuple(hidden.tolist()),
            fixed=tuple(indices[place] for place in self.task.known if place in indices),
            capacities=counts + np.floor(room * scale).astype(np.int64),
            alpha=view.alpha,
            robust=view.robust,
            labels=tuple(self.task.printable_labels[place] for place in places),
            panel=True,
            person=view.unit * scale,
        )
        if settings.reshape == "least":
            # sums of grades are not counts of records, so a proof about them would be worth nothing
            start = initial_counts(problem)
            if start is not None:
                return start / scale
        reshaped = reshape(
            settings.reshape,
            problem,
            wavelet=settings.wavelet,
            level=settings.level,
            decoys=decoys,
            rng=self.task.secret.stream("decoys"),
        )
        return reshaped / scale

    def _flagging(self, view: AdversaryView) -> Callable[[Counts | Reals], tuple[int, ...]]:
        """Return a function that finds the hidden places shown by counts of those who are taken for members."""

        def flagged(counts: Counts | Reals) -> tuple[int, ...]:
            outliers: list[int] = []
            for places in places_by_region(view.regions, counts.size):
                hidden = np.flatnonzero(np.isin(places, self.hidden))
                if places.size >= FEWEST and hidden.size:
                    problem = Reshaping(
                        counts[places],
                        tuple(hidden.tolist()),
                        alpha=view.alpha,
                        robust=view.robust,
                        panel=True,
                    )
                    outliers += places[list(problem.flagged(problem.counts))].tolist()
            return tuple(outliers)

        return flagged

    def swaps(self) -> Swaps:
        """Return the swaps of all rounds together."""
        if len(self.swap_rounds) == 1:
            return self.swap_rounds[0]
        pairs = [np.column_stack([swaps.leaving, swaps.coming]) for swaps in self.swap_rounds]
        return unproven(self.influence, np.concatenate([np.empty((0, 2), dtype=np.int64), *pairs]))

    def summary(self, n_views: int) -> dict[str, Any]:
        """Return what the steward learns about the attacks and the price of hiding from them."""
        n_values = self.task.microfile.records * len(self.task.microfile.names)
        columns = [self.task.microfile.encoded(name).codes for name in self.task.settings.group.parameter]
        # where several attributes give the place, often only some of them change
        n_changed = sum(int((codes != codes[self.sources]).sum()) for codes in columns)
        labels, before = self.places.labels, self.task.places
        return {
            "looks": n_views,
            "exchanges": len(self.swap_rounds),
            "attacks": [
                {
                    "name": view.name,
                    "found_before": [labels[place] for place in view.revealed(before, self.hidden)],
                    "found_after": [labels[place] for place in view.revealed(self.places, self.hidden)],
                    "before": view.signal(before).as_dict(),
                    "after": view.signal(self.places).as_dict(),
                }
                for view in self.first_views
            ],
            "changed_values": n_changed,
            "share_of_values": n_changed / n_values,
        }

    def unattainable(self, reason: str) -> UnattainableError:
        """Say which attack still finds hidden places, and what would help."""
        still_found = {self.views[index].name: len(places) for index, places in self.revealed().items()}
        described = " and ".join(f"{name} still finds {_hidden_places(count)}" for name, count in still_found.items())
        return UnattainableError(
            f"against: {described or 'the attacks keep finding new places'}; {reason}",
            hint="hide fewer places, keep fewer attributes, or release less of what the attack looks at",
            setting="against",
        )


def _strict(alpha: float, factor: float) -> float:
    """Return a stricter level."""
    return max(alpha, min(STRICTEST, alpha * factor))


def _hidden_places(count: int) -> str:
    return f"{count:,} hidden place{'s' * (count > 1)}"
