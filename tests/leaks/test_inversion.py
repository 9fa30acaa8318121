"""Inverting grades: whoever knows the sets and a record's other attributes computes which values have its grades."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import ReleaseError, UnattainableError
from sfumato.fuzzy.codebook_sets import on_levels
from sfumato.fuzzy.grade_inversion import invert
from tests.partitions.tables import METHODS, people

AGES = np.arange(15.0, 90.0)
NEAR = 1.0
"""An age counts as recovered if the guess is at most so many years away."""


def recovered(file: pl.DataFrame, release: sf.Release) -> float:
    """Guess each record's age from its published grades and its true hours; return the share that is recovered."""
    (name,) = (name for name in release.promise.quasi if "age" in name)
    form = release.codebook.attributes[name].form
    sets = form.public_sets()
    # records keep their order, and none is left out
    assert release.microfile.records == file.height
    parts, lacking = form.released_level_counts(release.microfile, name)
    assert not lacking.any()
    hours = file["hours"].to_numpy().astype(float)
    grid = np.stack([np.repeat(AGES[None], file.height, axis=0), np.repeat(hours[:, None], AGES.size, axis=1)], axis=2)
    columns = ["age", "hours"].index
    values = grid.reshape(-1, 2)[:, [columns(attribute) for attribute in sets.attributes]]
    tried = on_levels(sets.grades(values), form.levels).reshape(file.height, AGES.size, -1)
    tried = tried > 0 if form.shown == "words" else tried
    same = (tried == parts[:, None]).all(axis=2)
    truth = file["age"].to_numpy()
    assert same[np.arange(file.height), (truth - AGES[0]).astype(int)].all()
    # the middle of the ages that are left
    middles = np.array([np.median(AGES[row]) for row in same])
    return float((np.abs(middles - truth) <= NEAR).mean())


def guessed(file: pl.DataFrame) -> float:
    """Return the share that the best guess for everybody is near to."""
    truth = file["age"].to_numpy()
    return max(float((np.abs(truth - age) <= NEAR).mean()) for age in AGES)


@pytest.mark.parametrize(
    ("method", "before"), [("fuzzy-c-means", 0.56), ("gustafson-kessel", 0.6655), ("sets", 0.7385)]
)
def test_fine_grades_do_not_give_ages_back(figure, method, before):
    file = people(3, 2000)
    asked = sf.FuzzyPartition(quasi=["age", "hours"], method=method, shown="grades", levels=20, k=1, force=True, seed=0)
    release = asked.protect(file)
    now, baseline = recovered(file, release), guessed(file)
    figure(f"ages within a year by inverting grades on 20 levels: {method}", now=now, baseline=baseline, before=before)
    audit = release.audit()
    assert audit.holds
    # what the release says of itself is what the attack finds
    inverted = audit.measured["fuzzy"]["inversion"]["age"]
    assert inverted["narrowest"] >= 0.1 * inverted["extent"]
    assert now < 0.3
    # the attack itself works: with the grades on all 20 levels it gives most ages back
    exact = with_levels(file, release, 20)
    assert abs(recovered(file, exact) - before) < 0.1
    found = [finding.message for finding in exact.audit().findings]
    assert any("width: inverting the words or grades of a record" in message for message in found)


def with_levels(file: pl.DataFrame, release: sf.Release, levels: int) -> sf.Release:
    """Return the same sets with grades on other levels."""
    forms, columns = {}, {}
    for name, entry in release.codebook.attributes.items():
        if name not in release.promise.quasi:
            continue
        sets = entry.form.public_sets()
        form = forms[name] = entry.form.model_copy(update={"levels": levels})
        values = np.stack([file[attribute].to_numpy().astype(float) for attribute in sets.attributes], axis=1)
        parts = on_levels(sets.grades(values), levels)
        columns |= dict(zip(form.columns(name), (parts / levels).T, strict=True))
    promise = sf.Promise(quasi=release.promise.quasi, k=1)
    return sf.Release(pl.DataFrame(columns), promise=promise, forms=forms)


@pytest.mark.parametrize("method", METHODS)
def test_the_measured_width_is_that_of_all_values(method):
    """By brute force: the mean length of what grades leave along an attribute, over all values of the other."""
    file = people(1, 1000)
    release = sf.FuzzyPartition(quasi=["age", "hours"], method=method, k=2, suppress=0.3, seed=0).protect(file)
    for name in release.promise.quasi:
        form = release.codebook.attributes[name].form
        sets = form.public_sets()
        parts, lacking = form.released_level_counts(release.microfile, name)
        found = invert(sets, parts[~lacking], form.levels, words=True)
        spans = sets.spans()
        axes = [np.linspace(low, high, 600) for low, high in spans]
        grid = np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)
        shown = on_levels(sets.grades(grid), form.levels) > 0
        for column, one in enumerate(found):
            widths, lines = [], []
            keys, counts = np.unique(parts[~lacking] > 0, axis=0, return_counts=True)
            for key, count in zip(keys, counts, strict=True):
                same = (shown == key).all(axis=1).reshape([600] * len(axes))
                lengths = same.sum(axis=column)
                widths.append(lengths[lengths > 0].mean() / 600 * (spans[column, 1] - spans[column, 0]))
                # a record lies on a line as often as the line is long
                lines += [(length, count * length / lengths.sum()) for length in lengths[lengths > 0].tolist()]
            assert one.narrowest == pytest.approx(min(widths), rel=0.25)
            lengths, weights = np.array(sorted(lines)).T
            rare = lengths[np.searchsorted(np.cumsum(weights), weights.sum() / 100)] / 600
            assert one.hundredth == pytest.approx(rare * (spans[column, 1] - spans[column, 0]), rel=0.5)


def test_an_attribute_that_is_released_twice_is_found():
    file = people(3, 500)
    release = sf.FuzzyPartition(quasi=["age", "hours"], method="sets", k=2, seed=0).protect(file)
    forms = {name: release.codebook.attributes[name].form for name in release.promise.quasi}
    doubled = forms["age"].model_copy(update={"sets": forms["age"].sets})
    table = release.table.with_columns(release.table["age"].alias("once more"))
    twice = sf.Release(table, promise=release.promise, forms={**forms, "once more": doubled})
    assert [finding.message for finding in twice.audit().findings] == [
        "'age' is released as fuzzy sets and also in another attribute: together they may recover it"
    ]
    with pytest.raises(ReleaseError, match="released as fuzzy sets and also in another attribute"):
        twice.write("never")


def test_categories_beside_fuzzy_sets_are_counted(figure):
    """Before, a rare category beside a word singled a record out, outside of the promise."""
    rng = np.random.default_rng(0)
    file = people(3, 600).with_columns(
        region=pl.Series(rng.choice(["north", "south", "isle"], 600, p=[0.6, 0.36, 0.04]))
    )
    roles = {"quasi": ["age", "hours", "region"], "k": 5, "seed": 0}
    with pytest.raises(UnattainableError, match="k = 5 is unattainable"):
        sf.FuzzyPartition(**roles).protect(file)
    release = sf.FuzzyPartition(**roles, suppress=0.15).protect(file)
    assert release.audit().holds
    assert release.promise.quasi == ("age+hours", "region")
    seen = ["age+hours", "region"]
    smallest = release.table.group_by(seen).len()["len"].min()
    assert smallest >= 5
    assert release.settings["replaced"] == ["age", "hours"]
    before = sf.FuzzyPartition(quasi=["age", "hours"], k=5, seed=0).protect(file).table.group_by(seen).len()
    single = before.filter(pl.col("len") < 5)["len"].sum() / 600
    figure("records below k by fuzzy sets and a category that is quasi, too", now=0.0, baseline=0.0, before=single)
    assert single > 0.01
