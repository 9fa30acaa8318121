"""The release: the data that may be published, with its promise and its codebook."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np

from sfumato.array_types import Reals
from sfumato.errors import ReleaseError, SettingError, UnattainableError
from sfumato.fork_guard import begin_work
from sfumato.measures import Promise
from sfumato.microfile import Hierarchy, as_microfile
from sfumato.notebook_tables import table
from sfumato.progress import Progress, silent, within
from sfumato.randomness import Secret
from sfumato.release.audit import audit_folder, audit_table
from sfumato.release.audit_checks import AuditCheck
from sfumato.release.audit_result import Audit
from sfumato.release.codebook import Codebook, describe
from sfumato.release.data_file import released_frame
from sfumato.release.opened_release import table_of
from sfumato.release.public_settings import PublicSettings
from sfumato.release.release_writer import Format, Order, write_release
from sfumato.release.steward_facts import StewardFacts
from sfumato.release.value_bounds import NumericBounds, bounds_of, numeric_names
from sfumato.representations import Form
from sfumato.statistics import (
    Dismiss,
    Dismissal,
    Estimate,
    Regression,
    Statistic,
    dismissal_of,
    estimate_of,
    parse,
    sensitivities,
)


class Release:
    """A table that may be published, and what it promises.

    Parameters
    ----------
    table
        The table to publish: a microfile or a frame. Declared missing codes become missing values: several of them,
        left in the table, would distinguish records that are measured as alike.
    promise
        The limits that it satisfies.
    forms
        How attributes are released, where not exactly: ``{"age": Interval()}`` means the columns ``age.lo``
        and ``age.hi``.
    hierarchies
        Hierarchies of sensitive attributes, where ``t`` is promised with a hierarchical distance.
    identifiers
        Names of columns that must never be released: a table that still has one is refused.
    settings
        How it was protected, as far as that may be public.
    private
        What only the steward may keep: counts of the original, what was hidden, and so on.
    secret
        What its random numbers are derived from; default: a new one.
    notes
        What the steward should know about choices that were made, in sentences; they are not written.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"age": ["20-39", "20-39", "40-59", "40-59"], "ill": ["a", "b", "b", "c"]})
    >>> release = Release(table, promise=Promise(quasi="age", sensitive="ill", k=2, l=2))
    >>> release.audit().holds
    True
    """

    def __init__(
        self,
        table: Any,
        *,
        promise: Promise,
        forms: Mapping[str, Form] | None = None,
        hierarchies: Mapping[str, Hierarchy] | None = None,
        identifiers: Sequence[str] = (),
        settings: PublicSettings | Mapping[str, Any] | None = None,
        private: StewardFacts | Mapping[str, Any] | None = None,
        secret: Secret | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        # a kind guessed from suppressed records would reveal something about them, as would a category only they have
        self.microfile = as_microfile(table).with_codes_missing().with_kinds_guessed_again().with_used_categories()
        present = [name for name in identifiers if name in self.microfile.attributes]
        if present:
            raise ReleaseError(f"identifier {present[0]!r} is still in the table", hint="remove it before releasing")
        self.promise = promise
        self.codebook: Codebook = describe(self.microfile, forms=forms or {}, hierarchies=hierarchies or {})
        self.settings = settings.as_dict() if isinstance(settings, PublicSettings) else dict(settings or {})
        self.private = private.as_dict() if isinstance(private, StewardFacts) else dict(private or {})
        self.secret = Secret.drawn() if secret is None else secret
        self.notes = [*self.secret.notes(), *notes]
        self.folder: Path | None = None

    @property
    def public(self) -> PublicSettings:
        """The settings as a typed value; malformed ones are left out."""
        return PublicSettings.of(self.settings)

    @property
    def steward(self) -> StewardFacts:
        """What only the steward may know, as a typed value."""
        return StewardFacts.of(self.private)

    @property
    def table(self) -> Any:
        """The table, of the kind of frame that came in."""
        return self.microfile.frame

    def __repr__(self) -> str:
        return f"Release of {self.microfile.records:,} records, k = {self.promise.k}"

    def _repr_html_(self) -> str:
        rows = [(name, entry.kind.value, entry.form.form) for name, entry in self.codebook.attributes.items()]
        limits = ", ".join(f"{name} = {limit:g}" for name, limit in self.promise.limits.items())
        quasi = ", ".join(self.promise.quasi)
        notes = [f"Promised for {quasi}: {limits}." if quasi else "No promise is made about individuals."]
        return table(repr(self), ("attribute", "kind", "released as"), rows, notes=notes)

    def audit(self, *, checks: Sequence[AuditCheck] = ()) -> Audit:
        """Measure the table against the promise; for an opened release, its files.

        Parameters
        ----------
        checks
            Further checks of an opened release, which need more than its files: whether it still hides groups, or what
            an outside file links.
        """
        begin_work()
        if self.folder is not None:
            return audit_folder(self.folder, checks=checks)
        if checks:
            raise ReleaseError("further checks need a written release", hint="write it, and audit what was written")
        frame = released_frame(self.microfile)
        return audit_table(table_of(frame, self.codebook), self.promise, self.codebook)

    @overload
    def estimate(
        self,
        statistic: str,
        *,
        weight: str | None = None,
        dismiss: Dismiss | None = None,
        calibrate: bool | None = None,
        progress: Progress = silent,
    ) -> Estimate | Any: ...

    @overload
    def estimate(
        self,
        statistic: list[str] | tuple[str, ...],
        *,
        weight: str | None = None,
        dismiss: Dismiss | None = None,
        calibrate: bool | None = None,
        progress: Progress = silent,
    ) -> list[Estimate | Any]: ...

    def estimate(
        self,
        statistic: str | list[str] | tuple[str, ...],
        *,
        weight: str | None = None,
        dismiss: Dismiss | None = None,
        calibrate: bool | None = None,
        progress: Progress = silent,
    ) -> Estimate | Any:
        """Estimate a statistic of the original from the release: its value and its range.

        The result is an :class:`~sfumato.statistics.Estimate`; for ``regress`` it is a
        :class:`~sfumato.statistics.Regression`, with one estimate per coefficient. A list of statistics gives a list of
        results in the same order.

        A type checker cannot read the text of a statistic: every result is typed as an ``Estimate`` or ``Any``.
        Before the coefficients of a regression are used, ``assert isinstance(found, sf.statistics.Regression)`` says
        which it is.

        Parameters
        ----------
        statistic
            ``mean(x)``, ``var(x)``, ``std(x)``, ``cov(x, y)``, ``corr(x, y)`` or ``regress(y ~ x1 + x2)``, of the
            records of this release that have all its attributes; or a list of these.
        weight
            The attribute that weights the records.
        dismiss
            Also estimate the statistic with rare, wide boxes left out (``"crisp"``) or weighted less (``"fuzzy"``):
            ``weighted``, which is never guaranteed; default: what the settings of the release say, or ``"none"``.
        calibrate
            Whether these weights must preserve the moments that the statistic consists of; if not, it is biased.
            Default: what the settings say, or true.
        progress
            Called while a regression is estimated, which takes longest.

        Examples
        --------
        >>> import polars as pl
        >>> from sfumato.representations import Interval
        >>> table = pl.DataFrame({"age.lo": [20, 20, 40, 40], "age.hi": [39, 39, 59, 59]})
        >>> release = Release(table, promise=Promise(quasi="age", k=2), forms={"age": Interval()})
        >>> found = release.estimate("mean(age)")
        >>> found.value, found.attained
        (39.5, (30.0, 49.0))
        >>> [one.value for one in release.estimate(["mean(age)", "var(age)"])]
        [39.5, 100.0]
        """
        begin_work()
        dismissal = self._dismissal(dismiss=dismiss, calibrate=calibrate)
        if isinstance(statistic, str) or not isinstance(statistic, Iterable):
            return self._estimate(statistic, weight, dismissal, progress)
        # a mistake in the last statistic is found before the first one is computed
        for text in statistic:
            parse(text)
        estimates = []
        for position, text in enumerate(statistic):
            progress(text, position / len(statistic))
            step = within(progress, position / len(statistic), (position + 1) / len(statistic))
            estimates.append(self._estimate(text, weight, dismissal, step))
        return estimates

    def _estimate(
        self, statistic: str, weight: str | None, dismissal: Dismissal | None, progress: Progress
    ) -> Estimate | Regression:
        parsed, bounds = self._known(statistic, weight)
        return estimate_of(
            parsed,
            bounds.lo,
            bounds.hi,
            bounds.weights,
            left_out=bounds.left_out,
            weight=weight,
            dismissal=dismissal,
            progress=progress,
        )

    def sensitivities(self, statistic: str, *, weight: str | None = None) -> dict[str, Reals]:
        """Return the derivative of the statistic by each record's value, times the number of records.

        Taken at the midpoints of the boxes; NaN for records that lack a value. Parameters are as for
        :meth:`estimate`.
        """
        _, bounds = self._known(statistic, weight)
        middles = {name: low + 0.5 * (bounds.hi[name] - low) for name, low in bounds.lo.items()}
        slopes = sensitivities(statistic, middles, bounds.weights)
        spread = {name: np.full((*slope.shape[:-1], self.microfile.records), np.nan) for name, slope in slopes.items()}
        for name, slope in slopes.items():
            spread[name][..., bounds.complete] = slope
        return spread

    def exchanged_in(self, attributes: Sequence[str], weight: str | None = None) -> str | None:
        """Return the first of these attributes whose swapped values would change a statistic of them."""
        # not from the typed settings: a malformed one must not make a range look guaranteed
        exchanged = self.settings.get("exchanged", {}).get("attributes", [])
        touched = next((name for name in attributes if name in exchanged), None)
        alone = len(attributes) == 1 and weight is None and not self.settings.get("suppress")
        return None if touched is None or (alone and not self._lacks(touched)) else touched

    def _lacks(self, name: str) -> bool:
        """Whether a record lacks an attribute: it may have been removed, and may have come from another record."""
        columns = self.codebook.attributes[name].form.columns(name) if name in self.codebook.attributes else ()
        return any(self.microfile.encoded(column).has_missing for column in columns)

    def _dismissal(self, **requested_settings: Any) -> Dismissal | None:
        """Complete the requested dismissal with what the settings say."""
        requested = {name: value for name, value in requested_settings.items() if value is not None}
        defaults: dict[str, Any] = {"dismiss": "none", "calibrate": True}
        dismissal_of(**(defaults | requested))
        stated = {name: self.settings[name] for name in defaults if self.settings.get(name) is not None}
        try:
            return dismissal_of(**(defaults | stated | requested), requested="dismiss" in requested)
        except SettingError as error:
            raise ReleaseError(f"the settings of the release: {error.message}", hint=error.hint) from None

    def _known(self, statistic: str, weight: str | None) -> tuple[Statistic, NumericBounds]:
        """Read a statistic and find the bounds of its attributes."""
        parsed = parse(statistic)
        if name := self.exchanged_in(parsed.attributes, weight):
            raise SettingError(
                f"{parsed.text}: values of {name!r} may have been swapped between records, so no range is guaranteed",
                hint="a range needs this attribute alone, without weights, and no record suppressed or without a value",
                column=name,
            )
        numeric = numeric_names(self.microfile, self.codebook)
        parsed.check(numeric, [name for name in self.codebook.attributes if name not in numeric])
        return parsed, bounds_of(self.microfile, self.codebook, parsed.attributes, weight)

    def write(
        self,
        folder: str | Path,
        *,
        format: Format = "parquet",
        order: Order = "shuffled",
        force: bool = False,
        seed: int | None = None,
        progress: Progress = silent,
    ) -> Path:
        """Write the release: data, certificate and codebook, all or nothing.

        What could help to undo the release (the secret, and what ``private`` holds) is written beside it, into
        ``<folder>.private``, readable by its owner only. The same release is written with the same bytes each time.

        Parameters
        ----------
        folder
            The folder to write to.
        format
            ``"parquet"`` or ``"csv"``. Cells of a CSV that a spreadsheet would run as a formula get an
            apostrophe in front, which opening the release removes.
        order
            ``"shuffled"`` (the order of the original may identify), or ``"kept"``.
        force
            Whether an existing release may be replaced; its confidential record is then removed.
        seed
            For demonstrations: what the order is drawn from in place of the release's secret. Whoever knows or guesses
            it can repeat the order.
        progress
            Called while writing.

        Raises
        ------
        ReleaseError
            If the release fails its own audit, or cannot be written.
        """
        return write_release(self, folder, format=format, order=order, force=force, seed=seed, progress=progress)


def refuse_unkept(release: Release) -> None:
    """Refuse a release that fails its own audit: values written with fewer digits may be closer or further apart.

    Without sensitive attributes only blocks and their sizes count, which writing does not change.
    """
    if not release.promise.sensitive:
        return
    audit = release.audit()
    if not audit.holds:
        raise UnattainableError(
            "the result does not satisfy its promise once it is written: "
            + "; ".join(finding.message for finding in audit.findings),
            hint="relax the limit, or round sensitive values to what a release can hold: 64 bits and microseconds",
        )
