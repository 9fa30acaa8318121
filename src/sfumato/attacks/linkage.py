"""Linkage: which records of a release an outside file can claim to recognise, and how many of the claims are right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from pydantic import Field

from sfumato.arrays import Counts, Flags
from sfumato.errors import SettingError
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.progress import Progress, silent
from sfumato.quiet_repr import quiet
from sfumato.release.release import Release
from sfumato.roles import Names
from sfumato.settings import Settings

Method = Literal["containment", "nearest", "probabilistic", "inversion"]
ORDER = "order"
"""The truth that the records of both files follow each other alike."""


@dataclass(frozen=True, repr=False)
class Links:
    """What one method links.

    All shares are of the outside records. Where it is not known who is who, what would need it is None.
    """

    sizes: Counts
    """How many released records are candidates of each outside one: those that fit best, or, by containment, at all."""
    among: Flags | None
    """Whether an outside record's own one is among its candidates."""

    def __repr__(self) -> str:
        told = "not known" if self.expected is None else f"{self.right:.2%}, {self.expected:.2%} by lot"
        return f"Links of {self.tried:,} outside records: {self.unique:.2%} unique; right: {told}"

    @property
    def tried(self) -> int:
        """How many outside records there are."""
        return int(self.sizes.size)

    @property
    def reached(self) -> float:
        """The share with a candidate."""
        return float((self.sizes > 0).mean())

    @property
    def unique(self) -> float:
        """The share with one candidate only: these links can be claimed."""
        return float((self.sizes == 1).mean())

    @property
    def right(self) -> float | None:
        """The share with one candidate only, which is the right one."""
        return None if self.among is None else float(((self.sizes == 1) & self.among).mean())

    @property
    def precision(self) -> float | None:
        """The share of right links among those claimed; None also where none is."""
        return None if self.right is None or not self.unique else self.right / self.unique

    @property
    def covered(self) -> float | None:
        """The share whose own record is among its candidates."""
        return None if self.among is None else float(self.among.mean())

    @property
    def expected(self) -> float | None:
        """The share of right links to be expected if one candidate of each outside record is drawn by lot."""
        if self.among is None:
            return None
        return float(np.divide(self.among, self.sizes, out=np.zeros(self.tried), where=self.sizes > 0).mean())

    @property
    def candidates(self) -> float | None:
        """How many candidates an outside record that has one has on average."""
        some = self.sizes[self.sizes > 0]
        return float(some.mean()) if some.size else None

    @property
    def fewest(self) -> int | None:
        """The fewest candidates of an outside record that has one."""
        some = self.sizes[self.sizes > 0]
        return int(some.min()) if some.size else None

    def below(self, k: int) -> int:
        """Return how many outside records have candidates, but fewer than k."""
        return int(((self.sizes > 0) & (self.sizes < k)).sum())

    def summary(self) -> dict[str, Any]:
        """Return plain numbers."""
        shares = ("tried", "reached", "unique", "right", "precision", "covered", "expected", "candidates", "fewest")
        return {name: getattr(self, name) for name in shares}


@quiet
@dataclass(frozen=True)
class Linked:
    """What an outside file links to a release."""

    on: tuple[str, ...]
    """The attributes that link."""
    truth: str | None
    """How it is known who is who: by a column, by the order of records, by ``own``, or not."""
    records: int
    """Records of the release."""
    methods: dict[Method, Links]
    """What each method links."""
    agreement: dict[str, tuple[float, float]] = field(default_factory=dict)
    """By the probabilistic method, how probably each attribute agrees in records of the same person, and of others:
    m and u."""

    def __getitem__(self, method: Method) -> Links:
        return self.methods[method]

    @cached_property
    def tried(self) -> int:
        """How many outside records there are."""
        return next(iter(self.methods.values())).tried

    def summary(self) -> dict[str, Any]:
        """Return plain numbers."""
        return {
            "on": list(self.on),
            "truth": self.truth,
            "records": self.records,
            "tried": self.tried,
            "methods": {name: its.summary() for name, its in self.methods.items()},
            "agreement": {name: {"m": m, "u": u} for name, (m, u) in self.agreement.items()},
        }


class Linkage(Settings):
    """Link the records of an outside file with those of a release, as somebody would who wants to recognise people.

    Examples
    --------
    >>> from sfumato.boxes import Boxes
    >>> from sfumato.datasets import health_survey
    >>> people = health_survey(2000)
    >>> release = Boxes(quasi=["age", "income"], identifiers="name", k=10).protect(people)
    >>> linked = Linkage(truth="order").attack(release, people)
    >>> linked["containment"].fewest >= 10, linked["containment"].unique
    (True, 0.0)
    >>> plain = Linkage(on=["age", "income"], truth="order").attack(people, people)
    >>> plain["containment"].right > 0.5
    True
    """

    on: Names = ()
    """Attributes that link, by the names that they have before protection; default: the quasi attributes that the
    outside file has, or of a bare table all that both have."""
    truth: str | None = None
    """How it is known which released record is whose: a column that is in both files and names people, or "order" where
    the records of both follow each other alike, as those of a file and of its release in memory do. Default: it is not
    known."""
    methods: tuple[Method, ...] = Field(default=("containment", "nearest", "probabilistic", "inversion"), min_length=1)
    """containment: all records that could be the person's; nearest: the least distant; probabilistic: those with the
    highest match weight; inversion: all within the ranges that inverted grades leave, of fuzzy sets only."""
    missing: Literal["any", "own"] = "any"
    """What a missing value of either file is: one that could be any, or a value of its own, which only another missing
    one is like; this is what somebody who has the original itself knows."""
    overlap: float = Field(default=1.0, gt=0, le=1)
    """Of the probabilistic method: the share of the outside records that are of somebody in the release."""
    certainty: float = Field(default=0.0, ge=0, lt=1)
    """Of the probabilistic method: only records that match with at least this probability are candidates."""
    seed: int = Field(default=0, ge=0)
    """Of the probabilistic method: what the pairs depend on that are drawn where there are too many."""
    threads: int | None = Field(default=None, ge=1, le=1024)
    """How many threads; the result does not depend on it. Default: as many as there are cores."""

    def attack(
        self,
        release: Release | Microfile | Any,
        outside: Microfile | Any,
        *,
        own: Sequence[int] | Counts | None = None,
        progress: Progress = silent,
    ) -> Linked:
        """Link an outside file.

        Parameters
        ----------
        release
            A release; or any table, to see what would be recognised if it were released as it is.
        outside
            The outside file, a microfile or a frame that becomes one. The original file is the worst case.
        own
            In place of ``truth``: for each outside record the place of its own one in the release, from 0 on, or -1.
        progress
            Called while linking.

        Raises
        ------
        SettingError
            If the files have no attributes in common, or of different kinds, or if who is who cannot be told.
        """
        from sfumato.attacks.link_records import link

        released = release if isinstance(release, Release) else None
        table = as_microfile(release) if released is None else released.microfile
        people = as_microfile(outside)
        forms = {} if released is None else {n: e.form for n, e in released.codebook.attributes.items()}
        if released is not None and released.folder is not None and self.truth == ORDER:
            raise SettingError(
                "truth: the order of a written release tells nothing, for its records are shuffled",
                hint="attack the release in memory, before it is written",
            )
        return link(
            self,
            table,
            forms,
            () if released is None else released.promise.quasi,
            people,
            None if own is None else np.asarray(own),
            progress,
        )
