"""LearnedAttack: an adversary who does not stop at rules, with what machine learning offers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from pydantic import Field

from sfumato.arrays import Flags, Reals
from sfumato.attacks.attack_base import Attack
from sfumato.errors import SettingError
from sfumato.microfile.attribute import Kind
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.progress import Progress
from sfumato.quiet_repr import quiet

PARTS = 10
"""A regression sees numbers in so many parts, so that a habit in the middle of them can count."""
CERTAIN = 6
"""So many decimals of a chance are the same on every machine."""
MOST_CATEGORIES = 60
"""An attribute with more categories than this tells them apart no further: the rarest are one."""


class LearnedAttack(Attack):
    """Learn who belongs to a group by gradient boosting or logistic regression, and find the group's places by it."""

    learner: Literal["boosting", "logistic"] = "boosting"
    """What learns: trees boosted by gradients, or a logistic regression."""
    min_confidence_ratio: float = Field(default=0.75, gt=0)
    """Who is taken for a member: whose odds are at least this, and no fewer than the third-party file has members."""

    @property
    def random(self) -> bool:
        """Whether each attempt learns something else: trees are stopped by a random part of the file."""
        return self.learner == "boosting"

    @property
    def name(self) -> str:
        """What the attack is called."""
        return "gradient boosting" if self.learner == "boosting" else "logistic regression"

    def _learn(
        self, people: Microfile, vital: Flags, seeds: np.random.SeedSequence, progress: Progress
    ) -> LearnedModel:
        boosting = self.learner == "boosting"
        features = [_Feature.of(people, name, parts=1 if boosting else PARTS) for name in self._telling(people)]
        seed = int(seeds.generate_state(1)[0])
        progress(f"learning by {self.name}", 0.0)
        learner = _boosting(features, seed) if boosting else _logistic()
        table = _table(people, features)
        with _on_threads(self.threads):
            learner.fit(table, vital)
            chances = _chances(learner, table)
        progress(f"learning by {self.name}", 1.0)
        # odds of at least gamma, as a rule's confidence ratio; whoever knows how many members to expect finds as many
        ratio = self.min_confidence_ratio
        many = float(np.partition(chances, -int(vital.sum()))[-int(vital.sum())])
        return LearnedModel(learner, tuple(features), min(ratio / (1.0 + ratio), many), self.threads)

    def _telling(self, people: Microfile) -> tuple[str, ...]:
        """Return what is looked at; an attribute without any value is refused if it is named, else left out."""
        names = self.looked_at(people)
        blank = {name for name in names if people.is_blank(name)}
        if blank and (self.attributes or len(blank) == len(names)):
            first = next(name for name in names if name in blank)
            raise SettingError(
                f"attributes: {first!r} has only missing values in the third-party file, so that it tells nothing",
                hint="leave it out",
                setting="attributes",
                column=first,
            )
        return tuple(name for name in names if name not in blank)


@quiet
@dataclass(frozen=True)
class _Feature:
    """An attribute as a learner sees it."""

    name: str
    kind: Kind
    categories: tuple[str, ...] = ()
    """Of an attribute of categories: those that are told apart, the commonest first."""
    edges: tuple[float, ...] = ()
    """Of numbers that are told in parts: where these meet."""

    @classmethod
    def of(cls, people: Microfile, name: str, *, parts: int) -> _Feature:
        kind = people.attribute(name).kind
        if kind is Kind.NUMERIC:
            numbers = people.numbers(name)
            known = numbers[~np.isnan(numbers)]
            shares = np.arange(1, parts) / parts
            return cls(name, kind, edges=tuple(np.unique(np.quantile(known, shares)).tolist()) if known.size else ())
        encoded = people.encoded(name)
        counts = np.bincount(encoded.codes[encoded.codes >= 0], minlength=encoded.values.size)
        common = np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]
        if kind is Kind.ORDINAL:
            common = np.sort(common)
        return cls(name, kind, tuple(str(value) for value in encoded.values[common].tolist()))

    def column(self, people: Microfile) -> Reals:
        """Return numbers, of categories their place among those that are told apart; NaN for all others."""
        if self.name not in people.attributes:
            raise SettingError(
                f"the attacked file has no attribute {self.name!r}, which the attack has learned about",
                hint="harmonise the files, or name the attributes to look at",
                setting="attributes",
                column=self.name,
            )
        kind = people.attribute(self.name).kind
        if (kind is Kind.NUMERIC) != (self.kind is Kind.NUMERIC):
            raise SettingError(
                f"{self.name!r} is {kind} in the attacked file, but {self.kind} in the third-party file",
                hint="declare its kind in both files",
                setting="attributes",
                column=self.name,
            )
        if self.kind is Kind.NUMERIC:
            numbers = people.numbers(self.name)
            if not self.edges:
                return numbers
            return np.where(np.isnan(numbers), np.nan, np.searchsorted(self.edges, numbers, side="right"))
        encoded = people.encoded(self.name)
        places = {category: float(place) for place, category in enumerate(self.categories)}
        found = np.array([*(places.get(str(value), np.nan) for value in encoded.values.tolist()), np.nan])
        return found[encoded.codes]


@dataclass(frozen=True)
class LearnedModel:
    """What a learner has learned about a group."""

    learner: Any
    """A fitted classifier of scikit-learn."""
    features: tuple[_Feature, ...]
    cut: float
    """Who has at least this chance is taken for a member."""
    threads: int | None = None

    def memberships(self, microfile: Any, *, threads: int | None = None) -> Reals:
        """Return each record's chance to be a member; nought for those who are not taken for one."""
        table = _table(as_microfile(microfile), self.features)
        with _on_threads(threads or self.threads):
            chances = _chances(self.learner, table)
        found: Reals = np.where(chances >= self.cut, chances, 0.0)
        return found


def _table(people: Microfile, features: Sequence[_Feature]) -> Reals:
    return np.column_stack([feature.column(people) for feature in features])


def _chances(learner: Any, table: Reals) -> Reals:
    """Return each record's chance to be a member, without the last digits, in which machines differ."""
    return np.asarray(learner.predict_proba(table)[:, 1]).round(CERTAIN)


def _boosting(features: Sequence[_Feature], seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier

    nominal = [feature.kind is Kind.CATEGORICAL for feature in features]
    return HistGradientBoostingClassifier(categorical_features=nominal, random_state=seed)


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    return make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression(max_iter=500))


def _on_threads(threads: int | None) -> Any:
    """Let libraries use so many threads; by default one, for theirs wait for each other busily where cores are few."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(threads or 1)
