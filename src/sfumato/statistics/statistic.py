"""What every statistic can do: read itself, give its value, range and sensitivities, and describe itself.

Arrays of points have one row per attribute, in the statistic's order, and one column per record. Shares are the
records' weights, scaled to sum to one. A statistic has one or more targets: a mean has one, a regression one per
coefficient.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

import numpy as np

from sfumato.array_types import Reals
from sfumato.errors import SettingError, most_similar
from sfumato.formatting import listed
from sfumato.kernels.algebra import product
from sfumato.progress import Progress
from sfumato.statistics.cost_terms import CostTerms
from sfumato.statistics.interval_sample import LARGEST, Sample
from sfumato.statistics.moments import RecordMoments
from sfumato.statistics.rounding_error import ROUNDING
from sfumato.statistics.statistic_range import StatisticRange
from sfumato.statistics.tokens import Span, Tokens, Word, error_at, quoted
from sfumato.statistics.variance_range import middles_variance

RELATIVE = 0.1
"""The target accuracy if none is given, as a share of the statistic."""
FLOOR = 0.1
"""A statistic near zero gets the accuracy of one that has this share of its natural size."""


@dataclass(frozen=True)
class Evaluation:
    """One target of a statistic, evaluated for a sample."""

    value: float
    """At the middles of the boxes."""
    range: StatisticRange
    """The range of the statistic."""
    half_widths: Sequence[float]
    """The part of half the width of the linear range that each attribute causes."""
    sampling_error: float
    """The sampling error."""


@dataclass(frozen=True)
class Statistic(ABC):
    """A statistic of some attributes of a microfile.

    A subclass is one statistic. It sets ``name``, ``form`` and ``title``, implements the abstract methods, and is
    listed in :mod:`sfumato.statistics.registry`; the parser, estimates, boxes, report and command line ask it.
    """

    name: ClassVar[str]
    """How it is called in a text: ``corr``."""
    form: ClassVar[str]
    """How it is written: ``corr(x, y)``."""
    title: ClassVar[str]
    """How reports call it: ``Correlation``."""
    n_attributes: ClassVar[int] = 1
    """How many attributes it takes."""
    signed: ClassVar[bool] = False
    """Whether it matters that it is above or below zero."""

    attributes: tuple[str, ...]
    """In the order of the text; of a regression, the outcome comes first."""
    text: str = field(compare=False)
    """As it was written."""
    spans: tuple[Span, ...] = field(compare=False, repr=False)
    """Where each attribute is in the text."""

    # syntax

    @classmethod
    def read(cls, tokens: Tokens) -> Self:
        """Read what stands between the parentheses."""
        return cls.of_words(tokens.words("an attribute", separator=",", count=cls.n_attributes), tokens.text)

    @classmethod
    def of_words(cls, words: Sequence[Word], text: str) -> Self:
        """Return the statistic of some attributes, refusing a repeated one."""
        names = [word.name for word in words]
        for number, word in enumerate(words):
            if word.name in names[:number]:
                message = f"{word.name!r} is listed twice"
                raise error_at(word.span, message, text, hint=cls.hint_if_repeated(word.name), column=word.name)
        return cls(tuple(names), text, tuple(word.span for word in words))

    @classmethod
    def hint_if_repeated(cls, attribute: str) -> str | None:
        """Return what to write instead, if an attribute is listed twice."""
        return None

    @property
    def canonical(self) -> str:
        """The text in which everybody writes it.

        >>> from sfumato.statistics import parse
        >>> parse("cov( 'a' ,b )").canonical
        'cov(a, b)'
        """
        return f"{self.name}({self._arguments(list(map(quoted, self.attributes)))})"

    def _arguments(self, names: list[str]) -> str:
        return ", ".join(names)

    def check(self, numeric: Collection[str], not_numeric: Collection[str] = ()) -> None:
        """Refuse an attribute that does not exist or is not numeric.

        Parameters
        ----------
        numeric
            The numeric attributes.
        not_numeric
            The other attributes.
        """
        for name, span in zip(self.attributes, self.spans, strict=True):
            if name in numeric:
                continue
            hint = f"numeric attributes: {', '.join(numeric) or 'none'}"
            message = f"{name!r} is not numeric"
            if name not in not_numeric:
                message = f"unknown attribute {name!r}"
                similar = most_similar(name, [*numeric, *not_numeric])
                hint = hint if similar is None else f"did you mean {similar!r}?"
            raise error_at(span, message, self.text, hint=hint, column=name)

    # words

    @property
    def coefficients(self) -> tuple[str, ...]:
        """The names of its coefficients, if it is a vector; none for a single number."""
        return ()

    @property
    def targets(self) -> tuple[str, ...]:
        """The numbers that it consists of: its coefficients, or itself."""
        return self.coefficients or (self.text,)

    def described(self, coefficient: str | None = None) -> str:
        """Return its name in words: ``Correlation of age and hours``."""
        return f"{self.title} of {listed(self.attributes)}"

    def has_sign(self, coefficient: str | None = None) -> bool:
        """Return whether it matters that it, or one of its coefficients, is above or below zero."""
        return self.signed

    # value and sensitivities

    @abstractmethod
    def values(self, points: Reals, shares: Reals) -> Reals:
        """Return the statistic of exact points, one number per target; NaN where it is undefined."""

    @abstractmethod
    def slopes(self, points: Reals, shares: Reals) -> Reals:
        """Return how much the statistic moves per unit of each value: targets, attributes, records; 0 or more."""

    @abstractmethod
    def influences(self, points: Reals, shares: Reals) -> Reals:
        """Return how much another record like each would move the statistic, times the number of records.

        One row per target. The sum of their squares, times the squared shares of the records, is the square of the
        sampling error: with A^2 their mean square and M equal records it is A / sqrt(M).
        """

    @abstractmethod
    def natural_sizes(self, spreads: Reals) -> Reals:
        """Return the usual size of each target, given the standard deviation of each attribute."""

    def sensitivities(self, points: Reals, shares: Reals) -> Reals:
        """Return a_i = N |dC/dx_i|, or |dC/dx_i| / w where weights differ; a record of weight 0 moves nothing."""
        slopes = self.slopes(points, shares)
        return np.divide(slopes, shares, out=np.zeros_like(slopes), where=shares > 0)

    def accuracies(self, accuracy: float | None, points: Reals, shares: Reals) -> Reals:
        """Return Delta_0 of each target; XF13 has 0.1 C, which may be 0 or negative, see ERRATA 000-11."""
        values = self.values(points, shares)
        if accuracy is not None:
            return np.full(values.size, accuracy)
        spreads = np.sqrt(product((points - product(points, shares)[:, None]) ** 2, shares))
        accuracies = RELATIVE * np.maximum(abs(values), FLOOR * self.natural_sizes(spreads))
        return np.where(accuracies > 0, accuracies, RELATIVE * FLOOR)

    def cost_terms(self, records: RecordMoments, accuracy: float | None) -> CostTerms:
        """Return what a unit of each attribute's width costs at each record, in units of the target accuracy.

        Here they are the sensitivities of the records themselves. Statistics whose derivatives are affine in a
        record's values say so instead, which is faster: see :class:`MomentStatistic`.

        Parameters
        ----------
        records
            The values of the attributes, and their weights.
        accuracy
            The target accuracy; None: a tenth of the statistic.
        """
        points, complete = records.complete(self.attributes)
        weights = None if records.weights is None else records.weights[complete]
        columns = dict(zip(self.attributes, points, strict=True))
        sample = Sample(columns, columns, self.attributes, weights)
        self.check_defined(sample)
        factors = 1.0 / len(self.targets) / self.accuracies(accuracy, points, sample.shares)
        sensitivities = self.sensitivities(points, sample.shares)
        by_record = {}
        for row, name in enumerate(self.attributes):
            by_record[name] = np.full(complete.size, np.nan)
            by_record[name][complete] = product(factors, sensitivities[:, row])
        return CostTerms(by_record=by_record)

    # range

    @property
    def varying(self) -> tuple[str, ...]:
        """The attributes that must vary for the statistic to be defined."""
        return ()

    def check_defined(self, sample: Sample) -> None:
        """Refuse a sample for which the statistic is undefined."""
        for name in self.varying:
            noise = max(8 * ROUNDING * abs(sample.bounds[name].middle), 1.0 / LARGEST)
            if not middles_variance(sample, name)[0] > noise**2:
                raise SettingError(
                    f"{self.text} is undefined: {name!r} is constant",
                    hint="choose an attribute that varies",
                    column=name,
                )

    def evaluate(self, sample: Sample, progress: Progress) -> list[Evaluation]:
        """Return each target's value, range and errors, computed from the distinct boxes."""
        boxes = sample.boxes
        self.check_defined(sample)
        values = self.values(boxes.middles, boxes.shares)
        slopes = self.slopes(boxes.middles, boxes.shares)
        half_widths = (slopes * boxes.halves).sum(axis=2)
        errors = np.sqrt(product(self.influences(boxes.middles, boxes.shares) ** 2, boxes.squares))
        if all(bounds.exact for bounds in sample.bounds.values()):
            ranges = [StatisticRange.exact(value) for value in values.tolist()]
        else:
            ranges = self.ranges(sample, values, slopes, progress)
        return [
            Evaluation(*target)
            for target in zip(values.tolist(), ranges, half_widths.tolist(), errors.tolist(), strict=True)
        ]

    def ranges(self, sample: Sample, values: Reals, slopes: Reals, progress: Progress) -> list[StatisticRange]:
        """Return the range of each target, given its value and slopes at the middles of the distinct boxes.

        A statistic overrides this by what it can prove. Without a proof the estimate is not guaranteed.
        """
        return [StatisticRange.unproved(value, value) for value in values.tolist()]
