from __future__ import annotations

import csv
import gzip
import io
import os

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import MicrofileError, SettingError
from sfumato.microfile import Kind
from sfumato.microfile.delimited_text import read_delimited


def written(tmp_path, content: str | bytes, name: str = "people.csv"):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_a_plain_file(tmp_path):
    people = sf.read(written(tmp_path, "age,sex,zip\n31,f,02139\n,m,10001\n"))
    assert [a.kind for a in people.attributes.values()] == [Kind.NUMERIC, Kind.CATEGORICAL, Kind.CATEGORICAL]
    assert people.series("age").to_list() == [31, None]
    assert people.series("zip").to_list() == ["02139", "10001"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(tmp_path, delimiter):
    rows = [["a", "b b", "c"], ["1", "x", "2.5"], ["2", "y", "3.5"]]
    people = sf.read(written(tmp_path, "\n".join(delimiter.join(row) for row in rows)))
    assert people.names == ["a", "b b", "c"]
    assert people.numbers("c").tolist() == [2.5, 3.5]


def test_a_decimal_comma_is_found(tmp_path):
    people = sf.read(written(tmp_path, "a;b\n1,5;x\n-2,25;y\n"))
    assert people.numbers("a").tolist() == [1.5, -2.25]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_the_encoding_is_found(tmp_path, encoding):
    people = sf.read(written(tmp_path, "land,n\nÖsterreich,1\nEspaña,2\n".encode(encoding)))
    assert people.series("land").to_list() == ["Österreich", "España"]
    assert people.names == ["land", "n"]


def test_gzipped(tmp_path):
    assert sf.read(written(tmp_path, gzip.compress(b"a,b\n1,2\n"), "x.csv.gz")).records == 1
    with pytest.raises(MicrofileError, match="cut off or damaged"):
        sf.read(written(tmp_path, gzip.compress(b"a,b\n1,2\n" * 99)[:-9], "y.csv.gz"))


cells = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")) | st.sampled_from('",\n;'), max_size=6)


@given(st.lists(st.tuples(cells, cells, st.integers(-99, 99)), min_size=1, max_size=20), st.integers(16, 80))
def test_any_table_in_any_blocks_is_read_as_the_csv_module_reads_it(tmp_path_factory, rows, block):
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(["a", "b", "n"])
    writer.writerows(rows)
    path = tmp_path_factory.mktemp("csv") / "x.csv"
    path.write_text(text.getvalue(), encoding="utf-8", newline="")
    frame, _ = read_delimited(path, encoding="utf-8", delimiter=",", decimal=".", text=["a", "b"], block=block)
    assert frame.get_column("n").to_list() == [row[2] for row in rows]
    for place, name in enumerate(["a", "b"]):
        read = frame.get_column(name).cast(pl.String).fill_null("").to_list()
        assert read == [row[place] for row in rows]


def test_a_type_that_widens_late_starts_over(tmp_path):
    lines = "".join(f"{i}\n" for i in range(2000))
    path = written(tmp_path, "code\n" + lines + "007\n")
    frame, _ = read_delimited(path, block=512)
    assert frame.get_column("code").cast(pl.String).to_list()[-2:] == ["1999", "007"]
    path = written(tmp_path, "code\n" + lines + "0.5\n")
    assert read_delimited(path, block=512)[0].schema["code"] == pl.Float64


@pytest.mark.parametrize("codes", [["E10", "E11", "E10"], ["e5", "E-5", "-E5"], [".e5", ".", "E1"], ["٣", "٤", "٣"]])
def test_an_exponent_needs_digits_before_it(tmp_path, codes):
    people = sf.read(written(tmp_path, "icd,n\n" + "".join(f"{code},1\n" for code in codes)))
    assert people.attribute("icd").kind is Kind.CATEGORICAL
    assert people.series("icd").to_list() == codes


def test_codes_among_numbers_are_counted_as_text(tmp_path):
    with pytest.raises(MicrofileError, match=r"text among the numbers of column 'icd' \(1 of 3 cells\)"):
        sf.read(written(tmp_path, "icd\nE10\n1\n2\n"))


tokens = st.text("0123456789.eE+-", min_size=1, max_size=7)


@given(st.lists(tokens, min_size=1, max_size=5), st.sampled_from(["", "NA\n", "?\n"]))
def test_every_cell_is_a_number_as_python_reads_it_or_the_text_itself(tmp_path_factory, column, gap):
    path = written(tmp_path_factory.mktemp("csv"), "x,y\n" + "".join(f"{cell},1\n" for cell in [*column, *gap.split()]))
    try:
        people = sf.read(path, missing=["?"])
    except MicrofileError as error:
        refusal = str(error)
    else:
        refusal = ""
    if refusal:
        assert "text among the numbers" in refusal or "infinite values" in refusal
        return
    read = people.series("x").to_list()[: len(column)]
    if people.series("x").dtype.is_numeric():
        assert read == [None if cell == "." else float(cell) for cell in column]
    else:
        assert read == column


def test_whole_amounts_beyond_64_bits_stay_reals_beside_missing_codes(tmp_path):
    assert sf.read(written(tmp_path, "x\n1e20\n?\n2\n"), missing="?").series("x").to_list() == [1e20, None, 2.0]


def test_a_year_zero_is_no_date(tmp_path):
    people = sf.read(written(tmp_path, "born\n0000-01-01\n2001-02-28\n"))
    assert people.series("born").to_list() == ["0000-01-01", "2001-02-28"]


def test_missing_codes_leave_numbers(tmp_path):
    people = sf.read(written(tmp_path, "age,job\n31,?\nNA,x\n?,NA\n"), missing=["?"])
    assert people.numbers("age").tolist()[0] == 31
    assert people.encoded("age").missing.tolist() == [False, True, True]
    assert people.encoded("job").values.tolist() == ["NA", "x"]


@pytest.mark.parametrize("missing", ["NAA", ["NAA"], {"age": "NAA"}, {"age": ["NAA"]}])
def test_missing_codes_may_be_one_or_several(tmp_path, missing):
    people = sf.read(written(tmp_path, "age,job\n31,A\nNAA,N\n"), missing=missing)
    assert people.encoded("age").codes.tolist() == [0, -1]
    assert people.encoded("job").codes.tolist() == [0, 1]


def test_long_numbers_are_codes(tmp_path):
    people = sf.read(written(tmp_path, "id,n\n" + "".join(f"1234567890123456789{i},{i}\n" for i in range(3))))
    assert people.encoded("id").values.size == 3
    people = sf.read(written(tmp_path, "id,n\n123456789012345678,1\n123456789012345679,2\n1.5,3\nNA,4\n"))
    assert people.encoded("id").values.size == 4


def test_numbers_with_gaps_are_numbers(tmp_path):
    people = sf.read(written(tmp_path, "x,y,z\n1.5,NA,NA\nNA,2,NA\n.,NaN,a\n"))
    np.testing.assert_array_equal(people.numbers("x"), [1.5, np.nan, np.nan])
    np.testing.assert_array_equal(people.numbers("y"), [np.nan, 2, np.nan])
    assert people.encoded("z").values.tolist() == ["NA", "a"]


def test_categories_are_kept_as_they_are_written(tmp_path):
    people = sf.read(written(tmp_path, "icd,x\n10.10,1\n10.1,1\n"), kinds={"icd": "categorical"})
    assert people.encoded("icd").values.tolist() == ["10.1", "10.10"]


def test_quotes_in_a_file_that_quotes_nothing(tmp_path):
    people = sf.read(written(tmp_path, 'a,b\n5" pipe,1\n6" pipe,2\n'))
    assert people.encoded("a").values.tolist() == ['5" pipe', '6" pipe']


@pytest.mark.parametrize(
    "text", ["a,b\r1,x\r2,y\r", "a, b\n1, x\n2, y\n", "a;b\r\n1;x\r\n2;y", "\n\na,b\n1,x\n2,y\n\n"]
)
def test_odd_lines(tmp_path, text):
    people = sf.read(written(tmp_path, text))
    assert people.series("a").to_list() == [1, 2]
    assert people.series("b").to_list() == ["x", "y"]


def test_blanks_after_delimiters(tmp_path):
    people = sf.read(written(tmp_path, "aaaaa, b\n" + "1, x\n" * 300_000))
    assert people.encoded("b").values.tolist() == ["x"]
    for text in ("a, b\n" + "1, x\n" * 300_000 + '7, "Paris, TX"\n', 'a, b\n1, "y"\n'):
        with pytest.raises(MicrofileError, match="a space after every delimiter, and quotes"):
            sf.read(written(tmp_path, text))


def test_damage_far_into_a_file(tmp_path):
    text = ("n,v\n" + "Muller,1\n" * 200_000 + "Zoë,3\n" * 50).encode() + b"Zo\xeb,3\n"
    with pytest.raises(MicrofileError, match=r"byte 1,800,35\d of the file is damaged"):
        sf.read(written(tmp_path, text))
    text = ("n,v\n" + "Muller,1\n" * 200_000).encode() + "Zoë,3\n".encode("cp1252")
    assert sf.read(written(tmp_path, text)).encoded("n").values.tolist() == ["Muller", "Zoë"]


def test_very_wide_files(tmp_path):
    names = ",".join(f"c{i}" for i in range(5_000))
    assert len(sf.read(written(tmp_path, f"{names}\n{','.join('1' * 5_000)}\n")).names) == 5_000
    assert sf.read(written(tmp_path, f"a,b\n{'x' * 200_000},1\n")).records == 1


def test_a_parquet_name_is_no_pattern(tmp_path):
    for name in ("g1.parquet", "g[1].parquet", "g*.parquet"):
        pl.DataFrame({"x": [len(name)]}).write_parquet(tmp_path / name)
    assert sf.read(tmp_path / "g[1].parquet").series("x").to_list() == [12]
    assert sf.read(tmp_path / "g*.parquet").series("x").to_list() == [10]


def test_dates_are_numbers(tmp_path):
    people = sf.read(written(tmp_path, "born,n\n1999-12-31,1\n2001-02-28,2\nNA,3\n"))
    assert people.attribute("born").kind is Kind.NUMERIC
    assert people.encoded("born").codes.tolist() == [0, 1, -1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("a,b\n", "header but no records"),
        ("a,a\n1,2\n", "columns 1 and 2 have the same name"),
        ("a,b\n1,SECRET\n3\n", "record 2 has 1 fields, the header 2"),
        ("a,b\n1,2,SECRET\n", "record 1 has 3 fields, the header 2"),
        ("a,b\n1,2\n\n3,4\n", "record 2 is blank"),
        ('a,b\n1,"SECRET\n', "record 1 opens a quote that is never closed"),
        ('a,b\n1,"SECRET"x\n', "record 1 has text after a closing quote"),
        ('a,b\n1,"x"\n2,SECRET"\n', "record 2 has a quote inside a field"),
        ("x;s\n1,5;a\n2,5;b\n1.500;c\n3,5;d\n", "text among the numbers of column 'x'"),
        ("n,b\nMüller,1\nMüller,2\n".encode() + b"SECRET\xff,3\n", "byte 31 of the file is damaged"),
        ("age,b\n1,2\n2,2\nSECRET,2\n", r"text among the numbers of column 'age' \(1 of 3 cells\)"),
        (b"a,b\n\x00\x01,SECRET\n", "not a text file"),
        ("a\rb,c\n1,SECRET\n", "the header has a carriage return without a newline"),
        ("a,b\r1,SECRET\n2,3\n", "the header has a carriage return without a newline"),
    ],
)
def test_broken_files_are_refused_without_showing_them(tmp_path, content, message):
    with pytest.raises(MicrofileError, match=message) as caught:
        sf.read(written(tmp_path, content))
    assert "SECRET" not in str(caught.value)
    assert str(caught.value).startswith("people.csv: ")


def test_a_column_of_mostly_numbers_can_be_declared_categorical(tmp_path):
    path = written(tmp_path, "code,b\n42,1\n43,2\n42S,3\n")
    people = sf.read(path, kinds={"code": "categorical"})
    assert people.encoded("code").values.tolist() == ["42", "42S", "43"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"encoding": "utf-8"}, MicrofileError, "not encoded in utf-8"),
        ({"encoding": "klingon"}, SettingError, "encoding 'klingon' is not known"),
        ({"encoding": "utf-16"}, MicrofileError, "not encoded in utf-16"),
        ({"encoding": "rot13"}, SettingError, "encoding 'rot13' is not known"),
        ({"delimiter": '"'}, SettingError, "is not supported"),
        ({"delimiter": "ab"}, SettingError, "delimiter 'ab'"),
        ({"decimal": "'"}, SettingError, "decimal"),
        ({"delimiter": ",", "decimal": ","}, SettingError, "same character"),
    ],
)
def test_wrong_descriptions_of_a_file(tmp_path, options, error, message):
    with pytest.raises(error, match=message):
        sf.read(written(tmp_path, b"a,b\nx,\xe9\xff\n"), **options)


def test_files_that_are_not_there(tmp_path):
    written(tmp_path, "a\n1\n", "people.csv")
    with pytest.raises(MicrofileError, match=r"did you mean 'people.csv'"):
        sf.read(tmp_path / "peple.csv")
    with pytest.raises(MicrofileError, match="is a folder"):
        sf.read(tmp_path)
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(MicrofileError, match="is a pipe or a device"):
        sf.read(tmp_path / "pipe.csv")
    with pytest.raises(MicrofileError, match="name is too long"):
        sf.read("x" * 5000 + ".csv")
    with pytest.raises(MicrofileError, match="does not exist"):
        sf.read("pe\0ple.csv")
    with pytest.raises(SettingError, match="unsupported file type"):
        sf.read(written(tmp_path, "x", "people.xlsx"))


def test_parquet(tmp_path):
    frame = pl.DataFrame(
        {
            "a": [1, 2, None],
            "b": ["x", None, "y"],
            "d": pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 1, 3), eager=True),
        }
    )
    frame.write_parquet(tmp_path / "x.parquet")
    people = sf.read(tmp_path / "x.parquet")
    assert people.encoded("b").codes.tolist() == [0, -1, 1]
    assert isinstance(people.series("b").dtype, pl.Categorical)
    with pytest.raises(MicrofileError, match="not a Parquet file"):
        sf.read(written(tmp_path, "nonsense", "y.parquet"))


def test_progress_is_told(tmp_path):
    told = []
    sf.read(written(tmp_path, "a\n1\n"), progress=lambda task, share: told.append((task, share)))
    assert told[-1] == ("reading people.csv", 1.0)


def test_adult(real_data):
    people = sf.read(real_data("adult/adult_train.csv.gz"), missing=["?"])
    assert people.records == 32561
    incomplete = sum(people.encoded(name).missing for name in people.names) > 0
    assert int(incomplete.sum()) == 2399
