"""LearnedAttack: an attacker who uses gradient boosting or logistic regression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from pydantic import Field

from sfumato.array_types import Flags, Reals
from sfumato.attacks.attack_base import Attack
from sfumato.errors import SettingError
from sfumato.microfile import Kind, Microfile, as_microfile
from sfumato.progress import Progress
from sfumato.quiet_repr import quiet

N_BINS = 10
"""The number of quantile bins of a numeric attribute in a regression, so that it can fit peaks in the middle."""
DECIMALS = 6
"""Probabilities are rounded to this number of decimals, which are the same on every machine."""
MAX_CATEGORIES = 60
"""The largest number of categories of an attribute that are distinguished; rarer ones count as one."""


class LearnedAttack(Attack):
    """An attack with a classifier of members: gradient boosting or logistic regression."""

    learner: Literal["boosting", "logistic"] = "boosting"
    """The classifier: gradient boosting of trees, or logistic regression."""
    min_confidence_ratio: float = Field(default=0.75, gt=0)
    """The odds from which a record is classified as a member; lower if otherwise fewer records of the third-party file
    would be classified as members than it has members."""

    @property
    def random(self) -> bool:
        """Whether attempts learn different models: early stopping of trees uses a random part of the file."""
        return self.learner == "boosting"

    @property
    def name(self) -> str:
        """The name of the attack in results."""
        return "gradient boosting" if self.learner == "boosting" else "logistic regression"

    def _learn(
        self, people: Microfile, vital: Flags, seeds: np.random.SeedSequence, progress: Progress
    ) -> LearnedModel:
        boosting = self.learner == "boosting"
        features = [_Feature.of(people, name, n_bins=1 if boosting else N_BINS) for name in self._non_blank(people)]
        seed = int(seeds.generate_state(1)[0])
        progress(f"learning by {self.name}", 0.0)
        learner = _boosting(features, seed) if boosting else _logistic()
        table = _table(people, features)
        with _on_threads(self.threads):
            learner.fit(table, vital)
            probabilities = _probabilities(learner, table)
        progress(f"learning by {self.name}", 1.0)
        # odds of at least gamma, as the confidence ratio of a rule; lower if that classifies fewer records than the
        # file has members, because an attacker may know the size of the group
        ratio, n_vital = self.min_confidence_ratio, int(vital.sum())
        quantile = float(np.partition(probabilities, -n_vital)[-n_vital])
        return LearnedModel(learner, tuple(features), min(ratio / (1.0 + ratio), quantile), self.threads)

    def _non_blank(self, people: Microfile) -> tuple[str, ...]:
        """Return the attributes used; one with only missing values is refused if it is listed, otherwise left out."""
        names = self.attributes_used(people)
        blank = {name for name in names if people.is_blank(name)}
        if blank and (self.attributes or len(blank) == len(names)):
            first = next(name for name in names if name in blank)
            raise SettingError(
                f"attributes: {first!r} has only missing values in the third-party file",
                hint="leave it out",
                setting="attributes",
                column=first,
            )
        return tuple(name for name in names if name not in blank)


@quiet
@dataclass(frozen=True)
class _Feature:
    """An attribute as input of a classifier."""

    name: str
    kind: Kind
    categories: tuple[str, ...] = ()
    """The categories that are distinguished, the most frequent first."""
    edges: tuple[float, ...] = ()
    """The edges between bins of numbers."""

    @classmethod
    def of(cls, people: Microfile, name: str, *, n_bins: int) -> _Feature:
        kind = people.attribute(name).kind
        if kind is Kind.NUMERIC:
            numbers = people.numbers(name)
            numbers = numbers[~np.isnan(numbers)]
            shares = np.arange(1, n_bins) / n_bins
            edges = np.unique(np.quantile(numbers, shares)).tolist() if numbers.size else ()
            return cls(name, kind, edges=tuple(edges))
        encoded = people.encoded(name)
        counts = np.bincount(encoded.codes[encoded.codes >= 0], minlength=encoded.values.size)
        common = np.argsort(-counts, kind="stable")[:MAX_CATEGORIES]
        if kind is Kind.ORDINAL:
            common = np.sort(common)
        return cls(name, kind, tuple(str(value) for value in encoded.values[common].tolist()))

    def column(self, people: Microfile) -> Reals:
        """Return the attribute as numbers: values, bins, or indices of categories; NaN for categories left out."""
        if self.name not in people.attributes:
            raise SettingError(
                f"the attacked file has no attribute {self.name!r}, which the model uses",
                hint="harmonise the files, or list the attributes that both have",
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
        indices = {category: float(index) for index, category in enumerate(self.categories)}
        index_of_code = np.array([*(indices.get(str(value), np.nan) for value in encoded.values.tolist()), np.nan])
        return index_of_code[encoded.codes]


@dataclass(frozen=True)
class LearnedModel:
    """A classifier of who belongs to a group."""

    learner: Any
    """A fitted classifier of scikit-learn."""
    features: tuple[_Feature, ...]
    cut: float
    """The probability from which a record is classified as a member."""
    threads: int | None = None

    def memberships(self, microfile: Any, *, threads: int | None = None) -> Reals:
        """Return each record's probability of membership; 0 for records that are classified as others."""
        table = _table(as_microfile(microfile), self.features)
        with _on_threads(threads or self.threads):
            probabilities = _probabilities(self.learner, table)
        memberships: Reals = np.where(probabilities >= self.cut, probabilities, 0.0)
        return memberships


def _table(people: Microfile, features: Sequence[_Feature]) -> Reals:
    return np.column_stack([feature.column(people) for feature in features])


def _probabilities(learner: Any, table: Reals) -> Reals:
    """Return each record's probability of membership, rounded because machines differ in the last digits."""
    return np.asarray(learner.predict_proba(table)[:, 1]).round(DECIMALS)


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
    """Limit the threads of libraries; by default to one, because their threads slow each other down on few cores."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(threads or 1)
