"""Record linkage: which released records an outside file seems to identify, and how many of these links are correct."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from pydantic import Field

from sfumato.array_types import Counts, Flags
from sfumato.errors import SettingError
from sfumato.microfile import Microfile, as_microfile
from sfumato.progress import Progress, silent
from sfumato.quiet_repr import quiet
from sfumato.release import Release
from sfumato.roles import Names
from sfumato.settings import Settings

Method = Literal["containment", "nearest", "probabilistic", "inversion"]
SHUFFLED = "truth: the order of a written release cannot be used, because its records are shuffled"
ORDER = "order"
"""The value of ``truth`` if the records of both files are in the same order."""


@dataclass(frozen=True, repr=False)
class Links:
    """The links that one method makes.

    All shares are of the outside records. Measures that need the truth are None if it is not known.
    """

    sizes: Counts
    """The number of candidates of each outside record: the released records that match best or, by containment, all
    that match."""
    among: Flags | None
    """Whether an outside record's own record is among its candidates."""

    def __repr__(self) -> str:
        correct = "unknown" if self.expected is None else f"{self.right:.2%}, by chance {self.expected:.2%}"
        return f"Links of {self.tried:,} outside records: unique {self.unique:.2%}; correct {correct}"

    @property
    def tried(self) -> int:
        """The number of outside records."""
        return int(self.sizes.size)

    @property
    def reached(self) -> float:
        """The share with at least one candidate."""
        return float((self.sizes > 0).mean())

    @property
    def unique(self) -> float:
        """The share with exactly one candidate: an attacker can claim these links."""
        return float((self.sizes == 1).mean())

    @property
    def right(self) -> float | None:
        """The share with exactly one candidate, which is the correct one."""
        return None if self.among is None else float(((self.sizes == 1) & self.among).mean())

    @property
    def precision(self) -> float | None:
        """The share of correct links among unique ones; None also if there are none."""
        return None if self.right is None or not self.unique else self.right / self.unique

    @property
    def covered(self) -> float | None:
        """The share whose own record is among its candidates."""
        return None if self.among is None else float(self.among.mean())

    @property
    def expected(self) -> float | None:
        """The expected share of correct links if one candidate of each outside record is chosen at random."""
        if self.among is None:
            return None
        return float(np.divide(self.among, self.sizes, out=np.zeros(self.tried), where=self.sizes > 0).mean())

    @property
    def candidates(self) -> float | None:
        """The mean number of candidates of outside records with at least one."""
        return float(self._positive_sizes.mean()) if self._positive_sizes.size else None

    @property
    def fewest(self) -> int | None:
        """The smallest number of candidates of an outside record with at least one."""
        return int(self._positive_sizes.min()) if self._positive_sizes.size else None

    @property
    def _positive_sizes(self) -> Counts:
        return self.sizes[self.sizes > 0]

    def below(self, k: int) -> int:
        """Return the number of outside records with candidates, but fewer than k."""
        return int(((self.sizes > 0) & (self.sizes < k)).sum())

    def summary(self) -> dict[str, Any]:
        """Return the measures as JSON content."""
        shares = ("tried", "reached", "unique", "right", "precision", "covered", "expected", "candidates", "fewest")
        return {name: getattr(self, name) for name in shares}


@quiet
@dataclass(frozen=True)
class Linked:
    """The links between an outside file and a release."""

    on: tuple[str, ...]
    """The attributes on which records are linked."""
    truth: str | None
    """How the correct links are known: a column, "order" or "own"; None if they are not."""
    records: int
    """The number of records in the release."""
    methods: dict[Method, Links]
    """The links of each method."""
    agreement: dict[str, tuple[float, float]] = field(default_factory=dict)
    """For the probabilistic method, the probabilities m and u that each attribute agrees in records of the same person
    and of different people."""

    def __getitem__(self, method: Method) -> Links:
        return self.methods[method]

    @cached_property
    def tried(self) -> int:
        """The number of outside records."""
        return next(iter(self.methods.values())).tried

    def summary(self) -> dict[str, Any]:
        """Return the measures of all methods as JSON content."""
        return {
            "on": list(self.on),
            "truth": self.truth,
            "records": self.records,
            "tried": self.tried,
            "methods": {name: links.summary() for name, links in self.methods.items()},
            "agreement": {name: {"m": m, "u": u} for name, (m, u) in self.agreement.items()},
        }


class Linkage(Settings):
    """An attacker who links the records of an outside file with those of a release to identify people.

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
    """The attributes on which records are linked, by their names before protection. Default: the quasi attributes that
    the outside file has; for a table without a promise, all common attributes."""
    truth: str | None = None
    """How the correct links are known: a column of both files that identifies people, or "order" if both files have
    their records in the same order, as a file and its release in memory. Default: they are not known."""
    methods: tuple[Method, ...] = Field(default=("containment", "nearest", "probabilistic", "inversion"), min_length=1)
    """containment: all records that could be the person's; nearest: those with the smallest distance; probabilistic:
    those with the highest match weight; inversion: all records in the ranges that inverted grades allow, for fuzzy sets
    only."""
    missing: Literal["any", "own"] = "any"
    """How missing values of either file are compared: "any" matches every value; "own" matches only another missing
    value, which is what an attacker with the original knows."""
    overlap: float = Field(default=1.0, gt=0, le=1)
    """For the probabilistic method: the share of the outside records whose person is in the release."""
    certainty: float = Field(default=0.0, ge=0, lt=1)
    """For the probabilistic method: the smallest probability of a match for a record to be a candidate."""
    seed: int = Field(default=0, ge=0)
    """For the probabilistic method: the seed of the sample of pairs, which is drawn if there are too many."""
    threads: int | None = Field(default=None, ge=1, le=1024)
    """The number of threads; the result does not depend on it. Default: the number of cores."""

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
            A release; or any table, to see what could be identified if it were released unchanged.
        outside
            The outside file: a microfile or a frame. The original file is the worst case.
        own
            Instead of ``truth``: the position in the release of each outside record's own record, from 0, or -1 if it
            has none.
        progress
            Called with the share done.

        Raises
        ------
        SettingError
            If the files have no attributes in common, if their kinds differ, or if the truth cannot be determined.
        """
        from sfumato.attacks.link_records import link

        released = release if isinstance(release, Release) else None
        table = as_microfile(release) if released is None else released.microfile
        people = as_microfile(outside)
        forms = {} if released is None else {name: entry.form for name, entry in released.codebook.attributes.items()}
        if released is not None and released.folder is not None and self.truth == ORDER:
            raise SettingError(SHUFFLED, hint="attack the release in memory, before it is written")
        return link(
            self,
            table,
            forms,
            () if released is None else released.promise.quasi,
            people,
            None if own is None else np.asarray(own),
            progress,
        )
