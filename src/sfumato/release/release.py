"""The release: what may leave, with its promise and its codebook."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, Literal, overload

import numpy as np
import polars as pl

from sfumato.arrays import Reals
from sfumato.errors import ReleaseError, SettingError, SfumatoError, UnattainableError
from sfumato.forking import begin_work
from sfumato.html import table
from sfumato.logs import logged
from sfumato.measures.promise import Promise
from sfumato.microfile.forms import Form
from sfumato.microfile.hierarchy import Hierarchy
from sfumato.microfile.microfile import Microfile, as_microfile
from sfumato.progress import Progress, silent, within
from sfumato.randomness import Secret
from sfumato.release.audit import Audit, Opened, audit_folder, audit_table, open_files, require_release, table_of
from sfumato.release.bounds import Known, bounds_of, numeric_names
from sfumato.release.certificate import (
    CERTIFICATE,
    CODEBOOK,
    FILES,
    Certificate,
    DataFacts,
    digest_of,
    public_version,
    read_json,
    record_file,
    to_json,
)
from sfumato.release.codebook import Codebook, describe
from sfumato.release.data import column_facts, released_frame, reordered, write_data
from sfumato.release.folder import beside, forget, move_private, new_folder, remove_private, write_private
from sfumato.release.public import misstated, public_settings
from sfumato.release.set_labels import mislabelled
from sfumato.statistics.dismissal import Dismiss, Dismissal, dismissal_of
from sfumato.statistics.estimate import Estimate, Regression
from sfumato.statistics.estimating import estimate_of
from sfumato.statistics.language import Statistic, parse
from sfumato.statistics.sensitivity import sensitivities
from sfumato.version import __version__

SEAL = re.compile("[0-9a-f]{64}")
Format = Literal["parquet", "csv"]
Order = Literal["shuffled", "kept"]


class Release:
    """A table that may leave, and what it promises.

    Parameters
    ----------
    table
        The table as it shall be seen: a microfile or a frame. Declared missing codes become missing values: several
        of them, left in the table, would tell apart records that are measured as alike.
    promise
        The limits that it keeps.
    forms
        How attributes stand in it, where not exactly: ``{"age": Interval()}`` means the columns ``age.lo``
        and ``age.hi``.
    hierarchies
        Hierarchies of sensitive attributes, where ``t`` is promised by a hierarchical distance.
    identifiers
        Names of columns that must never leave: a table that still has one is refused.
    settings
        How it was protected, as far as that may be public.
    private
        What only the steward may keep: counts of the original, what was hidden, and the like.
    secret
        What its random numbers are derived from; default: a new one.
    notes
        What the steward should know of choices that were made, in sentences; they are not written.

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
        settings: Mapping[str, Any] | None = None,
        private: Mapping[str, Any] | None = None,
        secret: Secret | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        # a kind that was guessed from records that are left out would tell of them
        self.microfile = as_microfile(table).with_codes_missing().with_kinds_guessed_again()
        left = [name for name in identifiers if name in self.microfile.attributes]
        if left:
            raise ReleaseError(f"identifier {left[0]!r} is still in the table", hint="leave it out before releasing")
        self.promise = promise
        self.codebook: Codebook = describe(self.microfile, forms=forms or {}, hierarchies=hierarchies or {})
        self.settings = dict(settings or {})
        self.private = dict(private or {})
        self.secret = Secret.drawn() if secret is None else secret
        self.notes = [*self.secret.notes(), *notes]
        self.folder: Path | None = None

    @property
    def table(self) -> Any:
        """The table, of the kind of frame that came in."""
        return self.microfile.frame

    def __repr__(self) -> str:
        return f"Release of {self.microfile.records:,} records, k = {self.promise.k}"

    def _repr_html_(self) -> str:
        rows = [(name, its.kind.value, its.form.form) for name, its in self.codebook.attributes.items()]
        limits = self.promise.model_dump(include={"k", "q", "l", "t", "alpha", "beta", "delta", "max_risk"})
        told = ", ".join(f"{name} = {limit:g}" for name, limit in limits.items() if limit is not None)
        quasi = ", ".join(self.promise.quasi)
        notes = [f"Promised of {quasi}: {told}." if quasi else "Nothing is promised about single people."]
        return table(repr(self), ("attribute", "kind", "released as"), rows, notes=notes)

    def audit(self) -> Audit:
        """Measure the table against the promise; of an opened release, its files."""
        begin_work()
        if self.folder is not None:
            return audit_folder(self.folder)
        return self._audit(released_frame(self.microfile))

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
        """Return a statistic of the original, as far as the release tells it: its value and its range.

        That is an :class:`~sfumato.statistics.Estimate`; of ``regress`` a :class:`~sfumato.statistics.Regression`, one
        estimate per coefficient. A list of statistics gives a list of results in the same order.

        A type checker cannot read the text of a statistic: to it, every result is an ``Estimate`` or of any type.
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
            Also tell what the statistic is if rare, wide boxes are left out (``"crisp"``) or count less (``"fuzzy"``):
            ``weighted``, which is never guaranteed; default: what the settings of the release say, or ``"none"``.
        calibrate
            Whether these weights must keep the moments that the statistic is made of; if not, it is biased. Default:
            what the settings say, or true.
        progress
            Called while a regression is estimated, which takes longest.

        Examples
        --------
        >>> import polars as pl
        >>> from sfumato.microfile.forms import Interval
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
        if isinstance(statistic, str):
            return self._estimate(statistic, weight, dismissal, progress)
        # a mistake in the last one is found before the first one is computed
        for one in statistic:
            parse(one)
        found = []
        for place, one in enumerate(statistic):
            progress(one, place / len(statistic))
            part = within(progress, place / len(statistic), (place + 1) / len(statistic))
            found.append(self._estimate(one, weight, dismissal, part))
        return found

    def _estimate(
        self, statistic: str, weight: str | None, dismissal: Dismissal | None, progress: Progress
    ) -> Estimate | Regression:
        asked, known = self._known(statistic, weight)
        return estimate_of(
            asked,
            known.lo,
            known.hi,
            known.weights,
            left_out=known.left_out,
            weight=weight,
            dismissal=dismissal,
            progress=progress,
        )

    def sensitivities(self, statistic: str, *, weight: str | None = None) -> dict[str, Reals]:
        """Return how much the statistic moves with each record's value, times the number of records.

        Taken at the middles of the boxes; NaN for records that lack a value. Parameters are as for
        :meth:`estimate`.
        """
        _, known = self._known(statistic, weight)
        middles = {name: low + 0.5 * (known.hi[name] - low) for name, low in known.lo.items()}
        found = sensitivities(statistic, middles, known.weights)
        spread = {name: np.full((*its.shape[:-1], self.microfile.records), np.nan) for name, its in found.items()}
        for name, its in found.items():
            spread[name][..., known.complete] = its
        return spread

    def exchanged_in(self, attributes: Sequence[str], weight: str | None = None) -> str | None:
        """Return the first of some attributes whose exchange between records a statistic of them would notice."""
        exchanged = self.settings.get("exchanged", {}).get("attributes", [])
        touched = next((name for name in attributes if name in exchanged), None)
        alone = len(attributes) == 1 and weight is None and not self.settings.get("suppress")
        return None if touched is None or (alone and not self._lacks(touched)) else touched

    def _lacks(self, name: str) -> bool:
        """Whether a record lacks an attribute: it may have lost it, and what it had may have come from another one."""
        columns = self.codebook.attributes[name].form.columns(name) if name in self.codebook.attributes else ()
        return any(self.microfile.encoded(column).has_missing for column in columns)

    def _dismissal(self, **wanted: Any) -> Dismissal | None:
        """Complete what a user wants with what the settings say."""
        given = {name: value for name, value in wanted.items() if value is not None}
        usual: dict[str, Any] = {"dismiss": "none", "calibrate": True}
        dismissal_of(**(usual | given))
        own = {name: self.settings[name] for name in usual if self.settings.get(name) is not None}
        try:
            return dismissal_of(**(usual | own | given), asked="dismiss" in given)
        except SettingError as error:
            raise ReleaseError(f"the settings of the release: {error.message}", hint=error.hint) from None

    def _known(self, statistic: str, weight: str | None) -> tuple[Statistic, Known]:
        """Read a statistic and find the bounds of its attributes."""
        asked = parse(statistic)
        if name := self.exchanged_in(asked.attributes, weight):
            raise SettingError(
                f"{asked.text}: values of {name!r} may have been exchanged between records, so that no range is sure",
                hint="only statistics of this attribute alone, without weights, if no record is left out or lacks it",
            )
        numeric = numeric_names(self.microfile, self.codebook)
        asked.check(numeric, [name for name in self.codebook.attributes if name not in numeric])
        return asked, bounds_of(self.microfile, self.codebook, asked.attributes, weight)

    def _audit(self, frame: pl.DataFrame) -> Audit:
        """Measure what is written, not what it was made of."""
        return audit_table(table_of(frame, self.codebook), self.promise, self.codebook)

    def _measured(self, frame: pl.DataFrame) -> dict[str, Any]:
        """Measure what is to be written, refusing it if it does not keep the promise."""
        audit = self._audit(frame)
        if not audit.holds:
            raise ReleaseError(
                "the release does not keep its own promise and was not written: "
                + "; ".join(finding.message for finding in audit.findings),
                hint="protect it more strongly, or promise less",
            )
        return audit.measured

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

        What could help to undo it (the secret, and what ``private`` holds) is written beside it, into
        ``<folder>.private``, readable by its owner only. The same release is written with the same bytes each time.

        Parameters
        ----------
        folder
            Where to.
        format
            ``"parquet"`` or ``"csv"``. Cells of a CSV that a spreadsheet would run as a formula get an
            apostrophe in front, which opening the release takes away again.
        order
            ``"shuffled"``, because the order of the original identifies, or ``"kept"``.
        force
            Whether a release that is there may be replaced; its private record is removed then.
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
        begin_work()
        with logged("writing") as note:
            note(records=self.microfile.records)
            return self._write(Path(os.path.abspath(folder)), format, order, seed, progress, force=force)

    def _write(
        self, folder: Path, format: Format, order: Order, seed: int | None, progress: Progress, *, force: bool
    ) -> Path:
        _check_choice("format", format, ("parquet", "csv"))
        _check_choice("order", order, ("shuffled", "kept"))
        secret = Secret.chosen(seed, self.secret)
        progress("ordering", 0.0)
        frame = released_frame(self.microfile)
        if order == "shuffled":
            frame = reordered(frame, secret)
        progress("measuring", 0.1)
        measured = self._measured(frame)
        private = {**self.private, **self.secret.record(), "order": order, "format": format}
        private |= {} if seed is None else {"order_seed": seed}
        for name, content in (("settings", self.settings), ("private", private)):
            _check_json(name, content)
        settings = public_settings(self.settings, self.codebook)
        if wrong := next(misstated(settings, self.promise, self.codebook, frame), None):
            raise SettingError(wrong)
        if wrong := next(mislabelled(self.codebook, settings), None):
            raise ReleaseError(f"the codebook {wrong}")
        with ExitStack() as undo, new_folder(folder, force=force, check=_refuse_strangers) as work:
            progress("writing", 0.3)
            certificate = self._fill(work, frame, settings, measured, format)
            # what is read back takes its place in memory
            del frame
            progress("verifying", 0.7)
            _verify(work)
            replaced = _seal_in(folder)
            record = record_file(beside(folder, ".private"), certificate.seal)
            if not record.exists():
                undo.push(lambda kind, *_: _remove_unused(record, folder, certificate) if kind else None)
            write_private(work / ".private", to_json({"seal": certificate.seal, **private}))
            move_private(work / ".private", record)
            progress("verifying", 1.0)
        if replaced is not None and replaced != certificate.seal:
            forget(beside(folder, ".private"), replaced)
        return folder

    def _fill(
        self, work: Path, frame: pl.DataFrame, settings: dict[str, Any], measured: dict[str, Any], format: Format
    ) -> Certificate:
        """Write data, codebook and certificate."""
        data = work / f"data.{format}"
        write_data(frame, data, data.suffix)
        (work / CODEBOOK).write_text(to_json(self.codebook.model_dump(mode="json")), encoding="utf-8")
        certificate = Certificate(
            software=_versions(),
            promise=self.promise,
            measured=measured,
            settings=settings,
            data=DataFacts(file=data.name, sha256=digest_of(data), records=frame.height, columns=column_facts(frame)),
            codebook=digest_of(work / CODEBOOK),
        ).sealed()
        (work / CERTIFICATE).write_text(to_json(certificate.model_dump(mode="json")), encoding="utf-8")
        return certificate


def open_release(folder: str | Path) -> Release:
    """Open a written release, refusing one whose files do not belong together."""
    path = Path(folder)
    require_release(path)
    return release_of(open_files(path, compare=False), path)


def release_of(opened: Opened, path: Path) -> Release:
    """Make a release of the files that were read from a folder."""
    try:
        table = None if opened.findings else opened.table
    except SfumatoError as error:
        raise ReleaseError(f"{path} is not intact: {error.message}") from None
    if opened.certificate is None or opened.codebook is None or table is None:
        raise ReleaseError(
            f"{path} is not intact: " + "; ".join(f"{f.about} {f.message}" for f in opened.findings),
            hint="sfumato audit tells more; fetch the release again",
        )
    try:
        release = Release(
            _with_orders(table, opened.codebook),
            promise=opened.certificate.promise,
            forms=opened.codebook.forms(),
            hierarchies=opened.codebook.hierarchies(),
            settings=opened.certificate.settings,
        )
    except SfumatoError as error:
        raise ReleaseError(f"{path} is not intact: {error.message}") from None
    release.codebook = opened.codebook
    release.folder = path
    return release


def _with_orders(table: Microfile, codebook: Codebook) -> Microfile:
    """Give ordinal texts the type of ordered categories; a file holds them as plain text."""
    orders = {
        name: entry.order
        for name, entry in codebook.attributes.items()
        if entry.order and table.series(name).dtype == pl.String
    }
    ordered = {name: table.series(name).cast(pl.Enum(order), strict=False) for name, order in orders.items()}
    for name, its in ordered.items():
        if its.null_count() != table.series(name).null_count():
            raise ReleaseError(f"column {name!r} holds categories that the codebook's order does not list")
    return table.with_columns(ordered) if ordered else table


def check_folder(folder: str | Path, *, force: bool) -> Path:
    """Refuse a folder that a release cannot be written to, before any work is done."""
    path = Path(os.path.abspath(folder))
    with new_folder(path, force=force, check=_refuse_strangers, keep=False):
        # a system says only when something is made there whether it lets it be made
        return path


def _remove_unused(record: Path, folder: Path, certificate: Certificate) -> None:
    """Remove the private record of a release that has not taken its place.

    An interruption or a failing disk may come after that, and then the record belongs to a release that is there.
    """
    with suppress(ReleaseError):
        if read_json(folder / CERTIFICATE).get("seal") == certificate.seal:
            return
    remove_private(record)


def _check_choice(setting: str, given: str, allowed: Sequence[str]) -> None:
    if given not in allowed:
        raise ReleaseError(f"{setting} {given!r} is not known; allowed: {', '.join(allowed)}")


def _check_json(name: str, content: Mapping[str, Any]) -> None:
    try:
        to_json(content).encode()
    except (TypeError, ValueError):
        raise SettingError(
            f"{name} holds something that JSON cannot", hint="give texts, finite numbers, lists and dictionaries"
        ) from None


def _refuse_strangers(folder: Path) -> None:
    """Refuse to replace a folder that is not a release and nothing else."""
    strange = sorted(path.name for path in folder.iterdir() if path.name not in FILES or not path.is_file())
    if strange:
        raise ReleaseError(f"{folder} holds {strange[0]}, which is no part of a release", hint="choose a new folder")
    try:
        kind = str(read_json(folder / CERTIFICATE).get("format"))
    except ReleaseError as error:
        raise ReleaseError(f"{folder} is no release: {error.message}", hint="choose a new folder") from None
    if not kind.startswith("sfumato-release-"):
        raise ReleaseError(f"{folder} is no release of sfumato", hint="choose a new folder")


def _seal_in(folder: Path) -> str | None:
    """Return the seal of a release that is about to be replaced, if there is one."""
    if not (folder / CERTIFICATE).exists():
        return None
    seal = read_json(folder / CERTIFICATE).get("seal")
    return seal if isinstance(seal, str) and SEAL.fullmatch(seal) else None


def _verify(folder: Path) -> None:
    """Read back what was written: it must be, cell by cell, what was measured."""
    # written a moment ago: comparing its bytes would compare the writer with itself
    findings = open_files(folder, compare=False).findings
    if findings:
        raise ReleaseError(
            "what was written cannot be read back and was removed: "
            + "; ".join(f"{finding.about} {finding.message}" for finding in findings),
            hint="the disk may be damaged; write as Parquet",
        )


def _versions() -> dict[str, str]:
    # of the code that runs, which need not be what is installed
    found = {"sfumato": __version__, "numpy": np.__version__, "polars": pl.__version__}
    return {name: public_version(version) for name, version in found.items()}


def refuse_unkept(release: Release) -> None:
    """Refuse what fails its own audit: values that are written in fewer digits may be nearer to each other or further.

    Without sensitive attributes a release is blocks and their sizes, which writing does not change.
    """
    if not release.promise.sensitive:
        return
    audit = release.audit()
    if not audit.holds:
        raise UnattainableError(
            "the result does not keep its promise as it would be written: "
            + "; ".join(finding.message for finding in audit.findings),
            hint="relax the limit, or round sensitive values to what a release can hold: 64 bits and microseconds",
        )
