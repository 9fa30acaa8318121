"""Folders that somebody edited and sealed again, to smuggle out what the certificate does not tell."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import MicrofileError, ReleaseError
from sfumato.release import audit_folder
from sfumato.release.certificate import ColumnFacts, digest_of, seal_of, to_json
from sfumato.release.data_file import column_facts, read_data
from sfumato.release.edge_grids import grid_of

NAME = "Ada Lovelace"
RECORDS = 40


def table() -> pl.DataFrame:
    place = np.arange(RECORDS)
    return pl.DataFrame(
        {
            "region": np.where(place < 20, "north", "south"),
            "size": np.where(place < 20, 0.0, 1.5),
            "ill": np.array(["flu", "gout", "none", "asthma"])[place % 4],
            "pay": 1000 + 10 * place,
            "note": [None if one % 3 else "x" for one in place.tolist()],
        }
    )


@pytest.fixture(params=["parquet", "csv"])
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    promise = sf.Promise(quasi=["region", "size"], sensitive="ill", k=20, l=4)
    return sf.Release(
        sf.Microfile(table(), titles={"ill": "Illness"}, labels={"ill": {"flu": "Influenza"}}), promise=promise
    ).write(tmp_path / "out", format=request.param)


@pytest.fixture
def boxed(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Write a release of boxes."""
    return protected(**getattr(request, "param", {})).write(tmp_path / "out")


def patients() -> pl.DataFrame:
    random = np.random.default_rng(1)
    return pl.DataFrame(
        {
            "age": random.integers(20, 90, 200),
            "way": random.choice(["car", "bus", "walk", "bike"], 200),
            "ill": random.choice(["flu", "gout", "none", "asthma"], 200),
            "pay": random.integers(1000, 5000, 200),
        }
    )


def protected(**settings: object) -> sf.Release:
    usual = {"quasi": ["age", "way"], "sensitive": "ill", "k": 10, "l": 2, "preserve": ["mean(age)"]}
    return sf.Boxes(**(usual | settings)).protect(patients())


def data_of(folder: Path) -> Path:
    return next(folder.glob("data.*"))


def reseal(folder: Path, frame: pl.DataFrame | None = None, **changes: object) -> None:
    """Make certificate and digests fit what the folder now holds.

    Parameters
    ----------
    folder
        The release.
    frame
        The cells, if they were changed.
    changes
        Parts of the certificate to replace.
    """
    content = json.loads((folder / "certificate.json").read_text()) | changes
    content["data"]["sha256"] = digest_of(data_of(folder))
    content["codebook"] = digest_of(folder / "codebook.json")
    if frame is not None:
        facts = column_facts(frame)
        content["data"]["columns"] = {name: one.model_dump() for name, one in facts.items()}
    for _ in range(2):
        content["seal"] = seal_of(content)
        (folder / "certificate.json").write_text(to_json(content))
        # what the audit itself measures is what it wants to read
        content["measured"] = audit_folder(folder).measured or content["measured"]


def write(frame: pl.DataFrame, file: Path) -> None:
    """Write as a release is written, so that nothing but the cells is odd."""
    if file.suffix == ".csv":
        frame.write_csv(file, quote_style="non_numeric")
    else:
        options = {"compression": "zstd", "compression_level": 3, "statistics": False, "row_group_size": 1 << 18}
        frame.write_parquet(file, **options)


def read(folder: Path) -> pl.DataFrame:
    file = data_of(folder)
    return pl.read_parquet(file) if file.suffix == ".parquet" else pl.read_csv(file)


def change_cells(folder: Path, column: str, cells: pl.Series) -> None:
    frame = read(folder).with_columns(cells.alias(column))
    write(frame, data_of(folder))
    reseal(folder, frame)


def edit_codebook(folder: Path, name: str, **changes: object) -> None:
    file = folder / "codebook.json"
    content = json.loads(file.read_text())
    content["attributes"][name] |= changes
    file.write_text(to_json(content))
    reseal(folder)


def edit_settings(folder: Path, **settings: object) -> None:
    reseal(folder, settings=settings)


def in_order(folder: Path) -> np.ndarray:
    """Return where the records of the first block stand."""
    return read(folder)["region"].to_numpy() == "north"


def nan_payloads(folder: Path) -> None:
    frame, first = read(folder), in_order(folder)
    bits = frame["size"].to_numpy().copy().view(np.uint64)
    bits[first] = np.uint64(0x7FF8000000000001) + np.arange(20, dtype=np.uint64)
    change_cells(folder, "size", pl.Series(bits.view(np.float64)))


def negative_zeros(folder: Path) -> None:
    numbers, first = read(folder)["size"].to_numpy().copy(), in_order(folder)
    numbers[np.flatnonzero(first)[:1]] = -0.0
    change_cells(folder, "size", pl.Series(numbers))


def empty_texts(folder: Path) -> None:
    notes = read(folder)["note"]
    change_cells(folder, "note", notes.set(pl.Series(np.arange(RECORDS) < 9) & notes.is_null(), ""))


def empty_cells(folder: Path) -> None:
    """In a CSV, quote some of the empty cells."""
    file = data_of(folder)
    lines = file.read_text().splitlines()
    lines[1:9] = [line + '""' if line.endswith(",") else line for line in lines[1:9]]
    file.write_text("\n".join(lines) + "\n")
    columns = json.loads((folder / "certificate.json").read_text())["data"]["columns"]
    reseal(folder, read_data(file, {name: ColumnFacts(**its) for name, its in columns.items()}))


def declared_missing(folder: Path) -> None:
    edit_codebook(folder, "pay", missing=["1000", "1010"])


def parquet_metadata(folder: Path) -> None:
    read(folder).write_parquet(data_of(folder), metadata={"who": NAME}, statistics=False, compression="zstd")
    reseal(folder)


def parquet_gap(folder: Path) -> None:
    """Put a name between the pages and the footer."""
    file = data_of(folder)
    content = file.read_bytes()
    (length,) = struct.unpack("<I", content[-8:-4])
    file.write_bytes(content[: -8 - length] + NAME.encode() + content[-8 - length :])
    reseal(folder)


def parquet_statistics(folder: Path) -> None:
    read(folder).write_parquet(data_of(folder), statistics=True, compression="zstd")
    reseal(folder)


def parquet_dictionary(folder: Path) -> None:
    """Put a name into a dictionary, at a place that no record points to."""
    cells = read(folder).to_arrow()
    place = cells.column_names.index("note")
    notes = cells.column(place).combine_chunks().dictionary_encode()
    names = pa.DictionaryArray.from_arrays(notes.indices, pa.array([*notes.dictionary.to_pylist(), NAME]))
    pq.write_table(cells.set_column(place, "note", names), data_of(folder), store_schema=False, write_statistics=False)
    assert NAME.encode() in data_of(folder).read_bytes()
    reseal(folder)


def trailing_zeros(folder: Path) -> None:
    file = data_of(folder)
    lines = file.read_text().splitlines()
    lines[1:8] = [line.replace(",0.0,", ",0.00,").replace(",1.5,", ",1.50,") for line in lines[1:8]]
    file.write_text("\n".join(lines) + "\n")
    reseal(folder)


def quoted_numbers(folder: Path) -> None:
    file = data_of(folder)
    lines = file.read_text().splitlines()
    lines[3] = lines[3].replace(",1.5,", ',"1.5",').replace(",0.0,", ',"0.0",')
    file.write_text("\n".join(lines) + "\n")
    reseal(folder)


def blanks_in_json(folder: Path) -> None:
    file = folder / "codebook.json"
    file.write_text(file.read_text().replace('"zone": ""', '"zone":   ""', 1))
    reseal(folder)


def change_certificate(folder: Path, *path: str, value: object) -> None:
    """Change one entry of the certificate after everything was measured."""
    file = folder / "certificate.json"
    content = json.loads(file.read_text())
    inner = content
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    content["seal"] = seal_of(content)
    file.write_text(to_json(content))


def change_k_slightly(folder: Path) -> None:
    change_certificate(folder, "measured", "k", value=20.000000001)


def change_risk_slightly(folder: Path) -> None:
    rate = json.loads((folder / "certificate.json").read_text())["measured"]["risk"]["rate"]
    change_certificate(folder, "measured", "risk", "rate", value=rate + 3.14159e-10)


def without_null(folder: Path) -> dict[str, object]:
    risk = json.loads((folder / "certificate.json").read_text())["measured"]["risk"]
    return {name: value for name, value in risk.items() if value is not None}


def rename_column(folder: Path, name: str) -> None:
    file = folder / "codebook.json"
    content = json.loads(file.read_text())
    content["attributes"] = {name if one == "note" else one: its for one, its in content["attributes"].items()}
    file.write_text(to_json(content))
    frame = read(folder).rename({"note": name})
    write(frame, data_of(folder))
    reseal(folder, frame)


FORGERIES = {
    "a measure of a name": lambda folder: change_certificate(folder, "measured", NAME, value=None),
    "a risk of a name": lambda folder: change_certificate(folder, "measured", "risk", NAME, value=None),
    "a measure left out": lambda folder: change_certificate(folder, "measured", "risk", value=without_null(folder)),
    "digits of a count": change_k_slightly,
    "digits of a measure": change_risk_slightly,
    "false for zero": lambda folder: change_certificate(folder, "measured", "risk", "above_main_part", value=False),
    "a name as a version": lambda folder: change_certificate(folder, "software", "numpy", value="Ada_Lovelace-HIV+"),
    "digits of whole numbers": lambda folder: change_certificate(folder, "data", "columns", "pay", "scale", value=37),
    "an invisible column": lambda folder: rename_column(folder, "note\u200b"),
    "a column that commands a terminal": lambda folder: rename_column(folder, "\x1b]0;owned\x07note"),
    "declared missing": declared_missing,
    "a setting that is none": lambda folder: edit_settings(folder, remark=NAME),
    "text in a setting": lambda folder: edit_settings(folder, method=NAME),
    "a name in a setting": lambda folder: edit_settings(folder, exchanged={"attributes": [NAME], "share": 0.1}),
    "an odd exchange": lambda folder: edit_settings(folder, exchanged=[NAME]),
    "a statistic of a name": lambda folder: edit_settings(folder, preserve=[{"statistic": f"mean(`{NAME}`)"}]),
    "text among versions": lambda folder: reseal(folder, software={"sfumato": NAME}),
    "a name with a point as a version": lambda folder: reseal(folder, software={"sfumato": NAME.replace(" ", ".")}),
    "a label of nobody's code": lambda folder: edit_codebook(folder, "ill", labels={"flu": "Influenza", "zz": NAME}),
    "an invisible title": lambda folder: edit_codebook(folder, "ill", title="Illness\u200b\u200c"),
    "a title of a terminal": lambda folder: edit_codebook(folder, "ill", title="\x1b]0;owned\x07Illness"),
    "a title like a file": lambda folder: edit_codebook(folder, "ill", title="Illness " * 200),
    "an order of names": lambda folder: edit_codebook(folder, "ill", order=["flu", "gout", "none", "asthma", NAME]),
    "a zone of a name": lambda folder: edit_codebook(folder, "pay", zone=NAME),
    "a hierarchy of names": lambda folder: edit_codebook(
        folder, "ill", hierarchy={one: [NAME, "0"] for one in ("flu", "gout", "none", "asthma")}
    ),
    "blanks in JSON": blanks_in_json,
    "negative zeros": negative_zeros,
}
OF_PARQUET = {
    "a column that ends in a blank": lambda folder: rename_column(folder, "note "),
    "NaN payloads": nan_payloads,
    "empty texts": empty_texts,
    "metadata": parquet_metadata,
    "bytes before the footer": parquet_gap,
    "statistics": parquet_statistics,
    "an unused dictionary entry": parquet_dictionary,
}
OF_CSV = {"trailing zeros": trailing_zeros, "quoted numbers": quoted_numbers, "quoted empty cells": empty_cells}


def change_setting(folder: Path, **settings: object) -> None:
    for name, value in settings.items():
        change_certificate(folder, "settings", name, value=value)


def ages_as_importances(folder: Path) -> None:
    told = [{"statistic": "mean(age)", "importance": age + 0.5} for age in patients()["age"].to_list()]
    change_setting(folder, preserve=told)


def noise_in_edges(folder: Path) -> None:
    """Hide a number in digits that nobody sees, and say that the grid is as fine."""
    low, high = (pl.col(f"age.{end}").cast(pl.Float64) for end in ("lo", "hi"))
    frame = read(folder).with_columns(low + 1e-12 * high, high)
    write(frame, data_of(folder))
    reseal(folder, frame)
    change_setting(folder, grids={"age": grid_of(frame["age.lo"], frame["age.hi"])})


def noise_below_the_grid(folder: Path) -> None:
    low, high = (pl.col(f"age.{end}").cast(pl.Float64) for end in ("lo", "hi"))
    frame = read(folder).with_columns(low * (1 + 4 * np.finfo(float).eps), high)
    write(frame, data_of(folder))
    reseal(folder, frame)


ILLNESSES = ["asthma", "flu", "gout", "none"]


def rewrite_illnesses(folder: Path, forms: list[str]) -> None:
    """Write the same illness in several ways, so that each block has several."""
    frame = read(folder)
    cells = frame["ill"].replace_strict(ILLNESSES, forms)
    file = folder / "codebook.json"
    content = json.loads(file.read_text())
    content["attributes"]["ill"]["labels"] = {}
    file.write_text(to_json(content))
    change_cells(folder, "ill", cells)


LOOK_ALIKES = {
    "trailing blanks": ["flu", "flu ", "flu  ", "flu   "],
    "invisible characters": ["flu", "flu\u200b", "fl\u00adu", "flu\ufe0f"],
    "other alphabets": ["cancer", "c\u0430ncer", "canc\u0435r", "\u0441\u0430ncer"],
    "numbers written in several ways": ["1", "1.0", "01", "+1"],
    "blanks and dashes": ["HIV-+", "HIV - +", "HIV\u2013+", "HIV\u2212 +"],
    "shapes": ["flu 0", "fIu O", "fIu 0", "flu O"],
    "forms of letters": ["gr\u00e9", "gre\u0301", "\uff47r\u00e9", "GR\u00c9"],
}


def rewrite_hierarchy(folder: Path, levels: list[str], t: float | None = None) -> None:
    """Put levels on top of a hierarchy, or in its place where ``t`` is promised."""
    file = folder / "codebook.json"
    content = json.loads(file.read_text())
    hierarchy = content["attributes"]["ill"]["hierarchy"]
    for value, nodes in hierarchy.items():
        hierarchy[value] = levels if t is not None else [*nodes, *levels]
    file.write_text(to_json(content))
    if t is None:
        reseal(folder)
        return
    frame = read(folder)
    blocks = frame.select(pl.struct("age.lo", "age.hi", "way").rank("dense")).to_series().to_numpy()
    frame = frame.with_columns(pl.Series("ill", np.array(ILLNESSES)[blocks % 4]))
    write(frame, data_of(folder))
    promise = json.loads((folder / "certificate.json").read_text())["promise"]
    reseal(folder, frame, promise=promise | {"t": t})


MANY_BITS = int.from_bytes(b"Ada Lovelace, born in 1815, has the flu" * 8, "big")
OF_SETTINGS = {
    "ages as importances": ages_as_importances,
    "digits of an importance": lambda folder: change_setting(
        folder, preserve=[{"statistic": "mean(age)", "importance": 1.8151210}]
    ),
    "blanks in a statistic": lambda folder: change_setting(
        folder, preserve=[{"statistic": "mean(  age \t)", "importance": 1.0}]
    ),
    "a large number as a grid": lambda folder: change_setting(folder, grids={"age": 27182818284.59}),
    "no grid": lambda folder: change_setting(folder, grids={}),
    "other edges": lambda folder: change_setting(folder, edges="tiling"),
    "digits of a share": lambda folder: change_setting(folder, suppress=0.9123456789),
    "text for a share": lambda folder: change_setting(folder, suppress="0.0000000000"),
    "a negative distance": lambda folder: change_setting(folder, apart={"age": {"l": 2.0, "epsilon": -3.0}}),
    "a year as l": lambda folder: change_setting(folder, apart={"age": {"l": 1815.0}}),
    "many bits in a number of levels": lambda folder: change_setting(folder, asked_levels=MANY_BITS),
    "levels of no sets": lambda folder: change_setting(folder, levels=815),
    "noise in edges": noise_in_edges,
    "noise below the grid": noise_below_the_grid,
}


def edit_sets(folder: Path, **changes: object) -> None:
    form = json.loads((folder / "codebook.json").read_text())["attributes"]["way"]["form"]
    edit_codebook(folder, "way", form=form | changes)


def edit_members(folder: Path, change: Callable[[list[str]], list[str]]) -> None:
    """Change what stands behind the label of the most categories."""
    members = json.loads((folder / "codebook.json").read_text())["attributes"]["way"]["form"]["members"]
    widest = max(members, key=lambda label: len(members[label]))
    edit_sets(folder, members=members | {widest: change(members[widest])})


OF_SETS = {
    "a name behind a label": lambda folder: edit_members(folder, lambda its: sorted([*its, NAME])),
    "one category behind a label": lambda folder: edit_members(folder, lambda its: its[:1]),
    "nothing behind a label": lambda folder: edit_members(folder, lambda its: []),
    "a category many times": lambda folder: edit_members(folder, lambda its: its + its[:1] * 1815),
    "categories in another order": lambda folder: edit_members(folder, lambda its: its[::-1]),
    "labels that are not closed": lambda folder: edit_sets(folder, closed=False),
    "a name as a mask": lambda folder: edit_sets(
        folder, chosen="nodes", closed=False, nodes={"kind": "prefixes", "length": 3, "mask": NAME}
    ),
    "nodes that are none": lambda folder: edit_sets(folder, nodes={"kind": "prefixes", "length": 3, "mask": "*"}),
}


def refused(folder: Path) -> list[str]:
    found = audit_folder(folder)
    return [f"{one.about}: {one.message}" for one in found.findings]


def check(folder: Path, forge, name: str, figure) -> None:
    assert audit_folder(folder).holds
    forge(folder)
    found = refused(folder)
    figure(f"resealed, {name} ({data_of(folder).suffix[1:]}): passes the audit", now=not found, baseline=0, before=1)
    assert found
    assert not any(NAME in message for message in found if "names" not in message)


@pytest.mark.parametrize("name", FORGERIES)
def test_forged_folders_do_not_pass(folder, name, figure):
    check(folder, FORGERIES[name], name, figure)


@pytest.mark.parametrize("name", OF_SETTINGS)
def test_forged_settings_do_not_pass(boxed, name, figure):
    check(boxed, OF_SETTINGS[name], name, figure)


@pytest.mark.parametrize("name", OF_SETS)
def test_forged_sets_do_not_pass(boxed, name, figure):
    check(boxed, OF_SETS[name], name, figure)


def test_own_words_for_sets_are_noted(tmp_path):
    """Labels that boxes did not make say what their publisher wants, so that audits count them as words."""
    forms = {"region": sf.Sets(members={"north": ("Ayr", NAME), "south": ("Kent", "Devon")})}
    sf.Release(table(), promise=sf.Promise(quasi="region", k=20), forms=forms).write(tmp_path / "out")
    found = audit_folder(tmp_path / "out")
    assert found.holds
    assert any("6 titles, labels and explanations" in note for note in found.notes)


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_look_alikes_are_not_diverse(folder, name, figure):
    check(folder, lambda folder: rewrite_illnesses(folder, LOOK_ALIKES[name]), f"l by {name}", figure)


def test_codes_with_one_label_are_not_diverse(folder, figure):
    check(
        folder,
        lambda folder: edit_codebook(folder, "ill", labels=dict.fromkeys(ILLNESSES, "HIV")),
        "l by codes with one label",
        figure,
    )


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_look_alikes_cannot_be_protected(name):
    frame = patients().with_columns(pl.col("ill").replace_strict(ILLNESSES, LOOK_ALIKES[name]))
    for protection in (
        sf.Boxes(quasi=["age", "way"], sensitive="ill", k=10, l=2),
        sf.FuzzyPartition(quasi=["age"], sensitive="ill", k=10, method="fuzzy-c-means", sets=3),
    ):
        with pytest.raises(MicrofileError, match=r"column 'ill' .sensitive. has 4 values that look like another one"):
            protection.protect(frame)
    labels = {"ill": dict.fromkeys(ILLNESSES[:3], "HIV")}
    with pytest.raises(MicrofileError, match=r"'ill' .sensitive. has 3 values"):
        sf.Boxes(quasi=["age"], sensitive="ill", k=10).protect(sf.Microfile(patients(), labels=labels))


PARENTS = sf.Hierarchy.from_mapping({"flu": ("a", "*"), "gout": ("b", "*"), "none": ("c", "*"), "asthma": ("a", "*")})
DIGITS = [str(number) for number in np.random.default_rng(0).integers(1, 10**9, 300)]


@pytest.mark.parametrize("boxed", [{"l": None, "t": 0.9, "hierarchies": {"ill": PARENTS}}], indirect=True)
@pytest.mark.parametrize("levels", [DIGITS, ["0"] * 300, ["0"]], ids=["numbers", "roots", "a root"])
def test_levels_that_join_nothing_do_not_pass(boxed, levels, figure):
    name = f"{len(levels)} more levels, {len(set(levels))} of them different"
    check(boxed, lambda folder: rewrite_hierarchy(folder, levels), name, figure)


@pytest.mark.parametrize("boxed", [{"l": None, "t": 0.9, "hierarchies": {"ill": PARENTS}}], indirect=True)
def test_repeated_roots_bring_nothing_closer(boxed, figure):
    """In blocks of one illness each, t = 0.05 was kept by dividing all distances by 300."""
    rewrite_hierarchy(boxed, ["0"] * 300, t=0.05)
    found = audit_folder(boxed)
    # a block of one value lacks the shares of all others
    rarest = read(boxed)["ill"].value_counts(normalize=True)["proportion"].min()
    figure("t of blocks of one value each, with 300 roots", now=found.t, baseline=1 - rarest, before=0.002567)
    assert found.t == pytest.approx(1 - rarest)
    assert any(finding.message.startswith("t") for finding in found.findings if finding.about == "promise")


@pytest.mark.parametrize("folder", ["parquet"], indirect=True)
@pytest.mark.parametrize("name", OF_PARQUET)
def test_forged_parquet_files_do_not_pass(folder, name, figure):
    check(folder, OF_PARQUET[name], name, figure)


@pytest.mark.parametrize("folder", ["csv"], indirect=True)
@pytest.mark.parametrize("name", OF_CSV)
def test_forged_csv_files_do_not_pass(folder, name, figure):
    check(folder, OF_CSV[name], name, figure)


@pytest.mark.parametrize("folder", ["parquet"], indirect=True)
def test_a_bomb_is_refused_by_its_footer(folder, tmp_path, figure):
    """A run-length page announces thousands of millions of records in a few bytes; it grows when it is read."""
    harmless = tmp_path / "harmless.parquet"
    harmless.write_bytes(bomb(1000, groups=3))
    assert pl.read_parquet(harmless)["q"].to_list() == [7] * 3000
    file = data_of(folder)
    file.write_bytes(bomb(2**31 - 1, groups=256))
    size = file.stat().st_size
    reseal(folder)
    found = refused(folder)
    figure("Parquet bomb: cells that are read of each byte", now=0, baseline=0, before=256 * (2**31 - 1) / size)
    assert any("announces 549,755,813,632 records" in message for message in found)
    with pytest.raises(ReleaseError, match="announces 549,755,813,632 records"):
        sf.open_release(folder)


def bomb(rows: int, groups: int) -> bytes:
    """Write a Parquet file of one column with a single value, from nothing but the format's description."""
    entries = struct.pack("<q", 7)
    dictionary = thrift({1: 2, 2: len(entries), 3: len(entries), 7: {1: 1, 2: 0}}) + entries
    # one bit for each index, then one run of zeros
    indices = b"\x01" + varint(rows << 1) + b"\x00"
    page = thrift({1: 0, 2: len(indices), 3: len(indices), 5: {1: rows, 2: 8, 3: 3, 4: 3}}) + indices
    content, written = b"PAR1", []
    for _ in range(groups):
        start, size = len(content), len(dictionary + page)
        content += dictionary + page
        meta = {1: 2, 2: [0, 8], 3: [b"q"], 4: 0, 5: Long(rows), 6: Long(size), 7: Long(size)}
        meta |= {9: Long(start + len(dictionary)), 11: Long(start)}
        written.append({1: [{2: Long(start), 3: meta}], 2: Long(size), 3: Long(rows)})
    schema = [{4: b"root", 5: 1}, {1: 2, 3: 0, 4: b"q"}]
    footer = thrift({1: 1, 2: schema, 3: Long(rows * groups), 4: written})
    return content + footer + struct.pack("<I", len(footer)) + b"PAR1"


class Long(int):
    """A number of eight bytes."""


def thrift(fields: dict[int, object]) -> bytes:
    content, before = b"", 0
    for number, value in fields.items():
        content += bytes([(number - before) << 4 | kind(value)]) + encoded(value)
        before = number
    return content + b"\x00"


def kind(value: object) -> int:
    return next(
        code for type_, code in ((Long, 6), (int, 5), (bytes, 8), (list, 9), (dict, 12)) if isinstance(value, type_)
    )


def encoded(value: object) -> bytes:
    if isinstance(value, int):
        return varint(value << 1)
    if isinstance(value, bytes):
        return varint(len(value)) + value
    if isinstance(value, dict):
        return thrift(value)
    assert isinstance(value, list)
    head = (
        bytes([len(value) << 4 | kind(value[0])])
        if len(value) < 15
        else bytes([240 | kind(value[0])]) + varint(len(value))
    )
    return head + b"".join(map(encoded, value))


def varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def test_a_file_cannot_command_a_terminal(tmp_path):
    evil = "\x1b[2J\x1b]0;owned\x07\u202e"
    folder = tmp_path / f"out{evil}"
    sf.Release(table(), promise=sf.Promise(quasi=["region"], k=20)).write(folder)
    content = json.loads((folder / "certificate.json").read_text())
    content["measured"][evil] = evil
    content["settings"] = {evil: evil}
    content["seal"] = seal_of(content)
    (folder / "certificate.json").write_text(to_json(content))
    for command in (["audit", str(folder)], ["estimate", str(folder), f"mean({evil})"], ["audit", f"{folder}2"]):
        done = subprocess.run([sys.executable, "-m", "sfumato", *command], capture_output=True, text=True, check=False)
        assert done.returncode in (1, 2)
        for character in "\x1b\x07\u202e":
            assert character not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "front", ["", " ", "\t", "\u00a0", "\u200b", "\ufeff", "\u00ad", "\u202e", "\u2066", "\u3164", "\u0000", "'\u200b"]
)
@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "＝", "＋", "－", "＠", "﹦", "\u2212"])
def test_formulas_are_neutralised_behind_what_cannot_be_seen(tmp_path, front, sign):
    frame = pl.DataFrame({"q": ["a", "a"], "x": [f"{front}{sign}cmd|x", "plain"]})
    sf.Release(frame, promise=sf.Promise(quasi="q", k=2)).write(tmp_path / "out", format="csv", order="kept")
    assert f"\"'{front}{sign}cmd" in (tmp_path / "out" / "data.csv").read_text()
    assert sf.open_release(tmp_path / "out").table["x"].to_list() == frame["x"].to_list()
    assert audit_folder(tmp_path / "out").holds
