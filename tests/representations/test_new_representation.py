"""A representation that sfumato does not have works everywhere: it is a class in one file, and a name in a union."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

import numpy as np
import polars as pl
import pytest
from pydantic import Field

import sfumato as sf
from sfumato.array_types import Flags, Reals
from sfumato.measures import detail_of, information_loss
from sfumato.microfile import Microfile
from sfumato.release.codebook import Codebook, Entry
from sfumato.report import write_report
from sfumato.representations import Comparable, Form, Misfit, OutsideFile, Representation
from sfumato.representations.attribute_pair import compare_ranges
from sfumato.representations.representation import is_plain_number


class Rounded(Representation):
    """Multiples of a step, in a column of the attribute's name."""

    form: Literal["rounded"] = "rounded"
    step: float = Field(gt=0)

    def misfits(self, table: Microfile, attribute: str) -> Iterator[Misfit]:
        steps = table.numbers(attribute) / self.step
        if wrong := int((np.rint(steps) != steps).sum()):
            yield Misfit("data", f"{attribute!r} has {wrong:,} values that are not rounded")

    def description(self, attribute: str) -> str:
        return f"rounded to multiples of {self.step:g}"

    def has_bounds(self, table: Microfile, attribute: str) -> bool:
        return is_plain_number(table, attribute)

    def bounds(self, table: Microfile, attribute: str) -> tuple[Reals, Reals]:
        values = table.numbers(attribute)
        return values - self.step / 2, values + self.step / 2

    def estimates(self, table: Microfile, attribute: str) -> dict[str, Reals]:
        return {attribute: table.numbers(attribute)}

    def coverage(self, table: Microfile, attribute: str, original: Microfile | None = None) -> tuple[Reals, Flags]:
        values = table.numbers(attribute)
        span = float(np.ptp(values)) + self.step if original is None else float(np.ptp(original.numbers(attribute)))
        return np.full(values.size, self.step / span), ~np.isnan(values)

    def reconstruct(self, table: Microfile, attribute: str) -> dict[str, pl.Series]:
        return {attribute: table.series(attribute)}

    def compare(self, table: Microfile, attribute: str, outside: OutsideFile) -> list[Comparable]:
        low, high = self.bounds(table, attribute)
        outside_values = compare_ranges(table, (attribute, attribute), outside.microfile, attribute).values
        return [Comparable.of_ranges(attribute, outside_values, low, high)]


AGES = [12, 17, 21, 24, 38, 41, 44, 36, 58, 63, 62, 61]
SEXES = list("fmfmfmfmfmfm")
PEOPLE = pl.DataFrame({"age": AGES, "sex": SEXES})


@pytest.fixture(autouse=True)
def rounded_in_the_union(monkeypatch):
    field = Entry.model_fields["form"]
    extended = Annotated[Form.__origin__ | Rounded, Field(discriminator="form")]  # type: ignore[attr-defined]
    with monkeypatch.context() as patched:
        patched.setattr(field, "annotation", extended.__origin__)
        for model in (Entry, Codebook):
            model.model_rebuild(force=True)
        yield
    for model in (Entry, Codebook):
        model.model_rebuild(force=True)


def release_of(step: int) -> sf.Release:
    rounded = [round(age / step) * step for age in AGES]
    return sf.Release(
        PEOPLE.with_columns(age=pl.Series(rounded)),
        promise=sf.Promise(quasi="age", k=2),
        forms={"age": Rounded(step=step)},
    )


def test_it_is_written_audited_and_opened(tmp_path):
    release_of(20).write(tmp_path / "out")
    opened = sf.open_release(tmp_path / "out")
    assert opened.codebook.attributes["age"].form == Rounded(step=20)
    assert opened.audit().holds
    assert opened.audit().k == 4


def test_wrong_cells_are_found():
    release = sf.Release(PEOPLE, promise=sf.Promise(quasi="sex", k=2), forms={"age": Rounded(step=20)})
    assert [finding.message for finding in release.audit().findings] == ["'age' has 12 values that are not rounded"]


def test_estimates_have_guaranteed_ranges():
    estimate = release_of(20).estimate("mean(age)")
    assert estimate.guaranteed
    assert estimate.lower <= np.mean(AGES) <= estimate.upper
    assert estimate.upper - estimate.lower == pytest.approx(20)


def test_detail_and_information_are_measured():
    release = release_of(20)
    forms = release.codebook.forms()
    assert detail_of(release.microfile, quasi=["age"], forms=forms).mean == pytest.approx(20 / 60)
    assert 0 < information_loss(PEOPLE, release.table, quasi=["age"], forms=forms).mean < 0.2


def test_records_are_linked_by_its_bounds():
    linked = sf.Linkage(on=["age"], truth="order", methods=["containment"]).attack(release_of(20), PEOPLE)
    links = linked["containment"]
    assert links.among.all()
    assert links.sizes.min() >= 4


def test_the_report_describes_it(tmp_path):
    release_of(20).write(tmp_path / "out")
    page = tmp_path / "report.html"
    write_report(tmp_path / "out", page)
    assert "rounded to multiples of 20" in page.read_text(encoding="utf-8")
