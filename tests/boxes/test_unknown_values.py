"""Values that a hierarchy does not know: they are released as anything, and nothing lists them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import SettingError
from sfumato.measures import detail_of, intersect_households
from sfumato.microfile.hierarchy import Hierarchy
from sfumato.representations import Sets

KNOWN = [f"{code}" for code in range(100, 120)]
RARE = [f"9{code:02d}" for code in range(40)]
HIERARCHY = Hierarchy.from_mapping({code: (f"{code[:2]}*", "***") for code in KNOWN})


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(1)
    zips = [*rng.choice(KNOWN, 560).tolist(), *RARE]
    frame = pl.DataFrame({"zip": zips, "age": rng.integers(0, 90, 600), "ill": rng.choice(["a", "b", "c"], 600)})
    return sf.Microfile(frame, kinds={"zip": "categorical"})


@pytest.fixture(scope="module")
def release(people):
    return sf.Boxes(quasi=["zip", "age"], sensitive="ill", k=5, hierarchies={"zip": HIERARCHY}).protect(people)


def test_nothing_lists_them(release, tmp_path):
    assert release.audit().holds
    assert release.codebook.attributes["zip"].form.open
    release.write(tmp_path / "out")
    for file in (tmp_path / "out").glob("*.json"):
        assert not [code for code in RARE if f'"{code}"' in file.read_text()]


def test_they_tell_nothing(people, release):
    form = release.codebook.attributes["zip"].form
    gone = detail_of(release.microfile, quasi=["zip"], forms={"zip": form}).attributes["zip"]
    anything = release.microfile.series("zip").is_in(list(form.open)).to_numpy()
    assert anything.sum() >= len(RARE)
    assert (gone[anything] == 1.0).all()
    assert (gone[~anything] < 1.0).all()


def test_an_outside_file_finds_their_records_among_the_others(people, release):
    # in memory the order is kept, so that each record's own is known
    found = sf.Linkage(on=["zip", "age"], methods=["containment"]).attack(release, people, own=range(600))
    links = found.methods["containment"]
    assert links.among.all()
    assert links.sizes.min() >= 5


def test_laid_upon_each_other_anything_takes_nothing_away():
    table = sf.Microfile(pl.DataFrame({"home": [1, 1, 2, 2], "zip": ["*", "10*", "*", "*"]}))
    form = Sets(members={"*": (), "10*": ("101", "102")}, open=("*",))
    laid = intersect_households(table, ["zip"], {"zip": form}, household="home")
    assert (laid.sharpened, laid.contradicted) == (1, 0)
    first, second, third, fourth = laid.blocks.numbers.tolist()
    assert first == second != third == fourth


def test_a_hierarchy_of_something_else_is_refused(people):
    other = Hierarchy.from_mapping({"north": ("*",), "south": ("*",)})
    with pytest.raises(SettingError, match="'zip' knows none of its 60 values"):
        sf.Boxes(quasi=["zip"], k=5, hierarchies={"zip": other}).protect(people)


def test_a_tiling_must_know_every_value(people):
    with pytest.raises(SettingError, match="that of 'zip' does not know 40"):
        sf.Boxes(quasi=["zip", "age"], k=5, edges="tiling", hierarchies={"zip": HIERARCHY}).protect(people)
