from __future__ import annotations

import csv
import datetime
import json
import stat
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import ReleaseError, SettingError
from sfumato.release.certificate import certificate_schema

TABLE = pl.DataFrame(
    {
        "age.lo": [20, 20, 40, 40],
        "age.hi": [30, 30, 50, 50],
        "job": ["=1+1", "=1+1", "'=x", "'=x"],
        "ill": ["a", "b", "b", "c"],
        "code": ["007", "1.50", "NA", "true"],
        "pay": [1.0, -0.0, None, 1e-300],
        "big": [2**62, -(2**62), None, 0],
        "day": [datetime.date(2020, 1, 1), None, datetime.date(1900, 12, 31), datetime.date(2020, 1, 1)],
        "time": [datetime.datetime(2020, 1, 1, 12, 30, 15, 250), None, None, datetime.datetime(1999, 1, 1)],
        "flag": [True, False, None, True],
        "note": ["a,b", 'say "x"', "two\nlines", None],
        "mark": ["\ufeffx", " =1", "\n=1", ""],
        "-x": ["-1", "+2", "@a", "\tb"],
    }
)
PROMISE = sf.Promise(quasi=["age", "job"], sensitive="ill", k=2, l=2)


def released(table=TABLE, **options):
    return sf.Release(table, promise=PROMISE, forms={"age": sf.Interval()}, **options)


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_what_is_written_is_what_is_opened(tmp_path, format):
    release = released()
    assert release.audit().holds
    release.write(tmp_path / "out", format=format, order="kept")
    opened = sf.open_release(tmp_path / "out")
    assert opened.audit().holds
    expected = TABLE.with_columns(mark=TABLE["mark"].set(TABLE["mark"] == "", None))
    assert opened.table.equals(expected)
    assert opened.promise == PROMISE
    assert opened.codebook == release.codebook
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [
        "certificate.json",
        "codebook.json",
        f"data.{format}",
    ]


def test_cells_that_a_spreadsheet_would_run_are_neutralised(tmp_path):
    released().write(tmp_path / "out", format="csv", order="kept")
    lines = (tmp_path / "out" / "data.csv").read_text().splitlines()
    assert lines[0].split(",")[-1] == '"\'-x"'
    assert lines[1].startswith('20,30,"\'=1+1","a","007",')
    assert "\"''=x\"" in lines[3]
    with (tmp_path / "out" / "data.csv").open(newline="") as file:
        for row in list(csv.reader(file))[1:]:
            assert not any(cell.lstrip().startswith(("=", "+", "@")) for cell in row)


def test_the_same_seed_gives_the_same_bytes_whatever_the_order_was(tmp_path):
    released().write(tmp_path / "a", seed=3)
    released(TABLE.reverse()).write(tmp_path / "b", seed=3)
    released().write(tmp_path / "c", seed=4)
    files = {name: (tmp_path / name / "data.parquet").read_bytes() for name in "abc"}
    assert files["a"] == files["b"]
    assert (tmp_path / "a" / "certificate.json").read_bytes() == (tmp_path / "b" / "certificate.json").read_bytes()
    big = pl.DataFrame({"q": list(range(50)) * 2})
    for seed in (3, 4):
        sf.Release(big, promise=sf.Promise(quasi="q", k=2)).write(tmp_path / f"big{seed}", seed=seed)
    one, other = (pl.read_parquet(tmp_path / f"big{seed}" / "data.parquet") for seed in (3, 4))
    assert one["q"].to_list() != other["q"].to_list() != big["q"].to_list()
    assert one.sort("q").equals(other.sort("q"))


def test_what_could_undo_a_release_is_kept_apart(tmp_path):
    released(private={"original_records": 4711, "path": "SECRET"}).write(tmp_path / "out", seed=987654321)
    for file in (tmp_path / "out").iterdir():
        content = file.read_bytes()
        assert b"SECRET" not in content
        assert b"4711" not in content
        assert b"987654321" not in content
        assert str(tmp_path).encode() not in content
    folder = tmp_path / "out.private"
    (file,) = folder.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    private = json.loads(file.read_text())
    assert (private["original_records"], private["order_seed"]) == (4711, 987654321)
    assert private["secret"].encode() not in b"".join(one.read_bytes() for one in (tmp_path / "out").iterdir())
    assert private["seal"] == json.loads((tmp_path / "out" / "certificate.json").read_text())["seal"]


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_categories_that_no_record_has_do_not_leave(tmp_path, format):
    gone = ["f", "m", "SECRET"]
    frames = [
        pd.DataFrame({"sex": pd.Categorical(["f", "f"], categories=gone, ordered=True)}),
        pd.DataFrame({"sex": pd.Categorical(["f", "f"], categories=gone)}),
        pl.DataFrame({"sex": pl.Series(["f", "f"], dtype=pl.Enum(gone))}),
        pl.DataFrame({"sex": pl.Series(["f", "f", "SECRET"], dtype=pl.Categorical)}).head(2),
    ]
    for place, frame in enumerate(frames):
        labelled = sf.Microfile(frame, labels={"sex": {"f": "female", "SECRET": "SECRET"}})
        folder = tmp_path / str(place)
        sf.Release(labelled, promise=sf.Promise(quasi="sex")).write(folder, format=format)
        assert not any(b"SECRET" in file.read_bytes() for file in folder.iterdir())


def test_an_index_never_leaves(tmp_path):
    frame = pd.DataFrame({"sex": ["f", "f"]}, index=["SECRET1", "SECRET2"])
    sf.Release(frame, promise=sf.Promise(quasi="sex")).write(tmp_path / "out", format="parquet")
    assert b"SECRET" not in (tmp_path / "out" / "data.parquet").read_bytes()


def test_a_release_that_breaks_its_promise_is_not_written(tmp_path):
    release = sf.Release(TABLE, promise=sf.Promise(quasi="job", sensitive="ill", k=3))
    with pytest.raises(ReleaseError, match="k: promised 3, measured 2; 4 records in 2 blocks"):
        release.write(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_release_is_replaced_only_when_asked(tmp_path):
    release = released()
    release.write(tmp_path / "out", seed=1)
    with pytest.raises(ReleaseError, match="already holds a release"):
        release.write(tmp_path / "out", seed=2)
    release.write(tmp_path / "out", format="csv", force=True)
    assert (tmp_path / "out" / "data.csv").exists()
    assert not (tmp_path / "out" / "data.parquet").exists()
    other = tmp_path / "documents"
    other.mkdir()
    (other / "letter.txt").write_text("dear")
    with pytest.raises(ReleaseError, match=r"holds letter.txt, which does not belong to a release"):
        release.write(other, force=True)
    (other / "letter.txt").rename(other / "certificate.json")
    with pytest.raises(ReleaseError, match=r"is not a release: .* is not JSON"):
        release.write(other, force=True)
    (tmp_path / "file").write_text("x")
    with pytest.raises(ReleaseError, match="is not a folder"):
        release.write(tmp_path / "file", force=True)
    with pytest.raises(ReleaseError, match="does not exist"):
        release.write(tmp_path / "nowhere" / "out")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["documents", "file", "out", "out.private"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: released(identifiers=["note"]), "identifier 'note' is still in the table"),
        (lambda: sf.Release(TABLE, promise=PROMISE, forms={"pay": sf.Interval()}), "no column 'pay.lo'"),
        (lambda: sf.Release(TABLE, promise=PROMISE, forms={"ill": sf.Sets(members={"a": ("a",)})}), "2 labels"),
        (lambda: released().write("x", format="xlsx"), "format 'xlsx' is unknown"),
        (lambda: released().write("x", order="sorted"), "order 'sorted' is unknown"),
        (
            lambda: sf.Release(pl.DataFrame({"a": [2**64 - 1] * 2}), promise=sf.Promise(quasi="a")).write("x"),
            "too large",
        ),
        (lambda: sf.Release(pl.DataFrame({" a": [1, 1]}), promise=sf.Promise(quasi=" a")).write("x"), "begins or ends"),
    ],
)
def test_what_is_no_release(make, message):
    with pytest.raises(ReleaseError, match=message):
        make()


def test_a_byte_order_mark_at_the_start_of_the_data_is_kept(tmp_path):
    table = pl.DataFrame({"q": ["\ufeffx", "\ufeffx"]})
    sf.Release(table, promise=sf.Promise(quasi="q")).write(tmp_path / "out", format="csv")
    assert sf.open_release(tmp_path / "out").table.equals(table)


def test_the_sign_of_zero_does_not_show_the_order(tmp_path):
    for name, zeros in (("a", [0.0, -0.0, -0.0]), ("b", [-0.0, -0.0, 0.0])):
        sf.Release(pl.DataFrame({"q": zeros}), promise=sf.Promise(quasi="q")).write(
            tmp_path / name, seed=1, format="csv"
        )
    assert (tmp_path / "a" / "data.csv").read_bytes() == (tmp_path / "b" / "data.csv").read_bytes()


def test_times_are_written_as_the_clock_showed_them(tmp_path):
    moment = pl.Series([datetime.datetime(2020, 6, 1)] * 2).dt.replace_time_zone("Europe/Vienna")
    sf.Release(pl.DataFrame({"q": [1, 1], "at": moment}), promise=sf.Promise(quasi="q")).write(tmp_path / "out")
    opened = sf.open_release(tmp_path / "out")
    assert opened.table["at"].to_list() == [datetime.datetime(2020, 6, 1)] * 2
    assert opened.codebook.attributes["at"].zone == "Europe/Vienna"


def test_the_codebook_of_a_hierarchy_names_no_value_that_is_not_released(tmp_path):
    original = sf.Microfile(pl.DataFrame({"q": ["x"] * 10, "s": [*"aaaabbccc", "SECRET"]}))
    tree = sf.Hierarchy.automatic(original, "s", least=1)
    promise = sf.Promise(quasi="q", sensitive="s", t=0.9, distances={"s": "hierarchical"})
    kept = original.filter([name != "SECRET" for name in original.series("s")])
    sf.Release(kept, promise=promise, hierarchies={"s": tree}).write(tmp_path / "out")
    assert not any(b"SECRET" in file.read_bytes() for file in (tmp_path / "out").iterdir())


def test_codes_and_labels_are_found_whatever_type_wrote_them():
    microfile = sf.Microfile(pl.DataFrame({"q": [1.0, 99.0]}), missing={"q": ["99"]}, labels={"q": {1: "yes"}})
    release = sf.Release(microfile, promise=sf.Promise(quasi="q"))
    assert release.table["q"].to_list() == [1.0, None]
    assert release.codebook.attributes["q"].labels == {"1.0": "yes"}


def test_a_release_of_an_earlier_format_is_refused_by_name(tmp_path):
    released().write(tmp_path / "out")
    file = tmp_path / "out" / "certificate.json"
    file.write_text(file.read_text().replace("sfumato-release-2", "sfumato-release-1"))
    with pytest.raises(ReleaseError, match="earlier format sfumato-release-1, which this version does not read"):
        sf.open_release(tmp_path / "out")


def test_a_refused_release_leaves_no_private_record(tmp_path, monkeypatch):
    def meanwhile(folder):
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "thesis.txt").write_text("years of work")

    monkeypatch.setattr("sfumato.release.release_writer._verify", meanwhile)
    with pytest.raises(ReleaseError, match=r"holds thesis.txt"):
        released().write(tmp_path / "out", force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out" / "thesis.txt").read_text() == "years of work"


def test_an_audit_measures_what_would_be_written():
    moments = pl.Series(["2020-10-25 00:30", "2020-10-25 01:30"]).str.to_datetime().dt.replace_time_zone("UTC")
    table = pl.DataFrame({"at": moments.dt.convert_time_zone("Europe/Berlin")})
    assert sf.Release(table, promise=sf.Promise(quasi="at", k=2)).audit().holds


def test_only_the_working_folder_s_own_name_is_used(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    released().write(".")
    assert len(list((tmp_path / "here.private").iterdir())) == 1


@pytest.mark.parametrize(
    ("options", "write", "message"),
    [
        ({"private": {"x": float("nan")}}, {}, "private holds something that JSON cannot"),
        ({"settings": {"x": object()}}, {}, "settings holds something that JSON cannot"),
        ({}, {"seed": -1}, "seed must be a whole number"),
        ({}, {"seed": "x"}, "seed must be a whole number"),
    ],
)
def test_wrong_settings_write_nothing(tmp_path, options, write, message):
    with pytest.raises(SettingError, match=message):
        released(**options).write(tmp_path / "out", **write)
    assert list(tmp_path.iterdir()) == []


def test_the_shipped_schema_describes_certificates(tmp_path):
    from importlib.resources import files

    import jsonschema

    shipped = json.loads((files("sfumato.release") / "certificate.schema.json").read_text())
    assert shipped == certificate_schema()
    released().write(tmp_path / "out")
    jsonschema.validate(json.loads((tmp_path / "out" / "certificate.json").read_text()), shipped)


@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b", None]), st.sampled_from(["x", "y"]), st.integers(0, 3)),
        min_size=1,
        max_size=40,
    ),
    st.integers(1, 5),
    st.sampled_from(["own", "wildcard"]),
)
def test_a_release_whose_audit_holds_has_no_block_below_k(records, k, missing):
    if all(record[0] is None for record in records):
        return
    frame = pl.DataFrame(records, schema={"p": pl.String, "q": pl.String, "s": pl.Int64}, orient="row")
    promise = sf.Promise(quasi=["p", "q"], sensitive="s", k=k, missing=missing)
    holds = sf.Release(frame, promise=promise).audit().holds
    alike = [
        sum(q == q2 and (p == p2 or (missing == "wildcard" and None in (p, p2))) for p2, q2, _ in records)
        for p, q, _ in records
    ]
    assert holds == (min(alike) >= k)


def test_a_release_names_the_code_that_made_it(tmp_path, monkeypatch):
    monkeypatch.setattr("sfumato.release.release_writer.__version__", "9.9")
    released().write(tmp_path / "out")
    software = json.loads((tmp_path / "out" / "certificate.json").read_text())["software"]
    assert software == {"sfumato": "9.9", "numpy": np.__version__, "polars": pl.__version__}


@pytest.mark.parametrize("kind", ["ordinal", "categorical"])
@pytest.mark.parametrize(
    "tree",
    [
        sf.Hierarchy.intervals([0.2, 0.4]),
        sf.Hierarchy.from_mapping({f"{n / 10:.2f}": ["low" if n < 4 else "high", "*"] for n in range(1, 9)}),
    ],
)
def test_decimals_with_hierarchical_t_keep_their_promise_when_written(tree, kind, tmp_path):
    rng = np.random.default_rng(0)
    pay = pl.Series([Decimal(int(n)) / Decimal(10) for n in rng.integers(1, 9, 300)], dtype=pl.Decimal(10, 2))
    people = sf.Microfile(pl.DataFrame({"age": rng.integers(20, 60, 300), "pay": pay}), kinds={"pay": kind})
    boxes = sf.Boxes(quasi="age", sensitive="pay", k=10, t=0.3, hierarchies={"pay": tree})
    release = boxes.protect(people)
    assert release.audit().holds
    release.write(tmp_path / "out")
    audit = sf.open_release(tmp_path / "out").audit()
    assert audit.holds, audit.findings
    assert audit.measured["attributes"]["pay"]["unknown_to_hierarchy"] == 0
    assert 0 < audit.t <= 0.3


def test_sets_that_no_record_has_do_not_leave(tmp_path):
    table = pl.DataFrame({"town": ["north", "north"]})
    sets = sf.Sets(members={"north": ("a", "b"), "south": ("SECRET",)}, open=("south",))
    release = sf.Release(table, promise=sf.Promise(quasi="town", k=2), forms={"town": sets})
    assert release.codebook.attributes["town"].form == sf.Sets(members={"north": ("a", "b")})
    release.write(tmp_path / "out")
    assert not any(b"SECRET" in file.read_bytes() for file in (tmp_path / "out").iterdir())
