from __future__ import annotations

import polars as pl
import pytest

import sfumato as sf


def test_every_public_name_is_there():
    for name in sf.__all__:
        assert getattr(sf, name) is not None
    assert dir(sf) == sorted(sf.__all__)


@pytest.mark.parametrize("convert", [lambda f: f, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow])
def test_everything_takes_frames(convert):
    table = convert(pl.DataFrame({"age": [31, 31, 40], "sex": ["f", "m", "m"]}))
    assert sf.measure(table, quasi=["age", "sex"]).k.worst == 1
    assert sf.profile(table).records == 3
    assert sf.minimal_uniques(table, ["age", "sex"]).records == 3
    assert sf.utility_of(table, table, quasi=["age", "sex"]).penalty == 0
    assert sf.Hierarchy.automatic(table, "age").generalize(table, "sex", level=0).labels.to_list() == ["f", "m", "m"]
    assert sf.Release(table, promise=sf.Promise(quasi="sex", k=1)).audit().holds


def test_other_names_are_not():
    with pytest.raises(AttributeError, match="nonsense"):
        _ = sf.nonsense
