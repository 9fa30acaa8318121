"""What Python users hand over, and what they are told while it works."""

from __future__ import annotations

import logging
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

import sfumato as sf
from sfumato.errors import MicrofileError, SettingError
from sfumato.groups import Memetic
from sfumato.recipe import Recipe
from tests.recipes import people

TABLE = people().select("age", "hours", "region", "ill")


class Exporter:
    """A table of a library that nobody knows, which exports a stream of Arrow."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


def arrow() -> pa.Table:
    return TABLE.to_arrow()


@pytest.mark.parametrize(
    "given",
    [
        lambda: pa.RecordBatchReader.from_batches(arrow().schema, arrow().to_batches(max_chunksize=100)),
        lambda: ds.dataset(arrow()),
        lambda: ds.dataset(arrow()).scanner(),
        lambda: arrow().combine_chunks().to_batches()[0],
        lambda: Exporter(arrow()),
        arrow,
        TABLE.to_pandas,
        TABLE.lazy,
    ],
    ids=["reader", "dataset", "scanner", "batch", "stream", "table", "pandas", "lazy"],
)
def test_whatever_holds_a_table_is_taken(given):
    found = sf.Microfile(given())
    assert found.names == TABLE.columns
    assert np.array_equal(found.numbers("age"), TABLE["age"].to_numpy())
    assert sf.Boxes(quasi=["age"], k=5, identifiers=["hours"]).protect(given()).audit().k >= 5


def test_a_stream_that_was_read_is_refused():
    reader = pa.RecordBatchReader.from_batches(arrow().schema, arrow().to_batches())
    sf.Microfile(reader)
    with pytest.raises(MicrofileError, match=r"no records|cannot be read"):
        sf.Microfile(reader)


@pytest.mark.parametrize("given", [TABLE["age"], TABLE["age"].to_pandas(), arrow()["age"], pa.array([1, 2])])
def test_one_column_is_no_table(given):
    with pytest.raises(MicrofileError, match="is one column, not a table") as refused:
        sf.Microfile(given)
    assert "to_frame" in str(refused.value)


@pytest.mark.parametrize(
    "names",
    [TABLE.to_pandas().columns[:2], np.array(["age", "hours"]), pd.Series(["age", "hours"]), ("age", "hours")],
    ids=["index", "array", "series", "tuple"],
)
def test_names_are_taken_as_frames_give_them(names):
    assert sf.Boxes(quasi=names, k=5).quasi == ("age", "hours")
    assert sf.Roles(quasi=names).quasi == ("age", "hours")


@pytest.mark.parametrize("names", [{"age", "hours"}, {"age": 1}, 5, b"age"])
def test_what_has_no_order_is_not_a_list_of_names(names):
    with pytest.raises(SettingError, match="give a name or a list of names"):
        sf.Boxes(quasi=names, k=5)


@pytest.mark.parametrize("address", ["postgresql://user:pw-7Q@host/db", "s3://key:pw-7Q@bucket/x.parquet"])
def test_an_address_is_refused_without_its_password(address, folder, recipe):
    with pytest.raises(SettingError, match="is a URL, not a file") as refused:
        sf.read(address)
    assert "pw-7Q" not in str(refused.value)
    text = f'[microfile]\npath = "{address}"\n[[protect]]\nmethod = "boxes"\nquasi = ["age"]\nk = 5\n'
    with pytest.raises(SettingError, match="is a URL, not a file") as refused:
        Recipe.from_toml(recipe(text))
    assert "pw-7Q" not in str(refused.value)


FORKED = """
import os, sys
import polars as pl
import sfumato as sf

frame = pl.DataFrame({"age": list(range(50)) * 4})
microfile = sf.Microfile(frame)
release = sf.Boxes(quasi=["age"], k=5).protect(microfile)
works = (lambda: sf.Microfile(frame), lambda: sf.Boxes(quasi=["age"], k=5).protect(microfile), release.audit,
         lambda: release.estimate("mean(age)"), lambda: release.write("nowhere"))
for work in works:
    child = os.fork()
    if child == 0:
        try:
            work()
        except sf.errors.SfumatoError as error:
            os._exit(7 if "forked" in str(error) and "spawn" in str(error) else 8)
        os._exit(9)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(sf.Microfile(frame).records)
"""


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="there is no fork")
def test_a_forked_process_says_so_and_does_not_hang():
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["7"] * 5 + ["200"]


FRESH = """
import os
import polars as pl
import sfumato as sf

child = os.fork()
if child == 0:
    os._exit(0 if sf.Microfile(pl.DataFrame({"age": [1, 2]})).records == 2 else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="there is no fork")
def test_forking_before_the_first_use_is_fine():
    done = subprocess.run([sys.executable, "-c", FRESH], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0"]


ARMY = sf.Group(vital={"ill": ["x"]}, parameter="region")
SETTINGS = [
    sf.Boxes(quasi=["age"], k=5, preserve=["mean(age)"], prefer={"age": [18, 65]}, epsilon={"age": 2.0}, l=2),
    sf.FuzzyPartition(quasi=["age", "hours"], method="sets", sets={"age": 4}, k=5),
    ARMY,
    sf.GroupMask(group=ARMY, hide=["a1"], influential={"age": 2.0}, swap="memetic", memetic=Memetic(mutation=0.01)),
    sf.GroupMask(group=ARMY, target={"a1": 5}),
    sf.FuzzyRuleAttack(group=ARMY, attributes=["age"]),
    sf.LearnedAttack(group=ARMY, learner="logistic"),
    sf.Linkage(on=["age"]),
    sf.Promise(quasi=["age"], k=5, sensitive="ill", t=0.3),
    sf.Roles(quasi=["age"]),
]


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda one: type(one).__name__)
def test_settings_survive_json_and_pickle(settings):
    assert pickle.loads(pickle.dumps(settings)) == settings
    again = type(settings).model_validate_json(settings.model_dump_json())
    assert again == settings
    assert again.model_fields_set == settings.model_fields_set
    assert again.model_dump_json() == settings.model_dump_json()


def test_counts_and_times_are_logged_and_no_values(folder, recipe, caplog):
    with caplog.at_level(logging.INFO, logger="sfumato"):
        Recipe.from_toml(recipe()).run().write(folder / "out", seed=1)
    told = [record.getMessage() for record in caplog.records if record.name == "sfumato"]
    assert [line.partition(":")[0] for line in told] == ["reading", "boxes", "writing"]
    assert told[0].startswith("reading: 400 records, 8 attributes in ")
    assert told[1].startswith("boxes: 400 records, 0 left out in ")
    assert all(line.endswith(" s") for line in told)


def test_a_failure_is_logged_by_its_kind_alone(caplog):
    with caplog.at_level(logging.INFO, logger="sfumato"), pytest.raises(SettingError):
        sf.Boxes(quasi=["nobody"], k=5).protect(TABLE)
    (line,) = [record.getMessage() for record in caplog.records if record.name == "sfumato"]
    assert line.startswith("boxes: SettingError after ")
    assert "nobody" not in line


class Shares(list):
    def __call__(self, task: str, share: float) -> None:
        assert task
        self.append(share)


@pytest.mark.parametrize(
    "work",
    [
        lambda told: sf.Boxes(quasi=["age", "hours"], k=5).protect(TABLE, progress=told),
        lambda told: sf.Boxes(quasi=["age", "region"], k=5, suppress=0.1).protect(TABLE, progress=told),
        lambda told: sf.FuzzyPartition(quasi=["age"], k=5).protect(TABLE, progress=told),
        lambda told: sf.GroupMask(group=ARMY, hide=["a1"], influential=["age"]).protect(TABLE, progress=told),
    ],
    ids=["boxes", "categories", "partition", "mask"],
)
def test_progress_goes_from_0_to_1_and_never_back(work):
    told = Shares()
    work(told)
    assert told == sorted(told)
    assert told[0] < 0.5
    assert told[-1] == 1.0


def test_progress_of_a_recipe_goes_from_0_to_1_and_never_back(recipe):
    told = Shares()
    mask = '[[protect]]\nmethod = "group"\nvital = { ill = ["x"] }\nparameter = "region"\nhide = ["a1"]\n'
    text = recipe().read_text().replace("[[protect]]", mask + 'influential = ["age"]\n\n[[protect]]', 1)
    Recipe.from_toml(recipe(text.replace('hierarchies = { region = "trees/region.csv" }', ""))).run(progress=told)
    assert told == sorted(told)
    assert told[0] < 0.5
    assert told[-1] == 1.0
