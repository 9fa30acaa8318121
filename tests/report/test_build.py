from __future__ import annotations

import html
import json
import re
import stat

import pytest

from sfumato.errors import ReleaseError, SettingError
from sfumato.release import release_writer
from sfumato.release.measured_release import evidence_of
from sfumato.report import atomic_file, build, write_report
from tests.report.records import SECRET_PLACE, group, record
from tests.report.releases import HOSTILE, written

PRIVATE = (SECRET_PLACE, "Fort Known", "POWPUMA", "13579", "4321", "Confidential edition")


@pytest.fixture
def release(tmp_path):
    return written(tmp_path / "out")


@pytest.fixture
def steward(release, tmp_path):
    def write(*groups, seal=None):
        path = tmp_path / "record.json"
        own = json.loads((release / "certificate.json").read_text())["seal"]
        path.write_text(json.dumps(record(seal or own, *groups)))
        return path

    return write


def text_of(page: str) -> str:
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page.partition("<body>")[2])))


def test_the_first_screen_says_it_in_plain_words(release):
    path, evidence = write_report(release)
    page = path.read_text()
    first = text_of(page).partition("How it was protected")[0]
    assert evidence.audit.holds
    assert "✓ Yes. Verified: the files are intact" in first
    assert "every record has the same released values of these as at least 3 others (k = 4)" in first
    assert "is expected to re-identify 3 of 14 records (21.4%)" in first
    assert "risk of a single record is 25% (1 in 4)" in first
    assert "an attacker who also knows the 1 attribute that is released unchanged (ill)." in first
    assert "Mean of age" in first
    assert "Correlation of age and pay" in first


def test_below_it_stands_everything(release):
    page = write_report(release)[0].read_text()
    text = text_of(page)
    assert re.findall(r'<h2 id="(\w+)"', page) == [
        "verdict",
        "limits",
        "protection",
        "boxes",
        "blocks",
        "risk",
        "statistics",
        "tradeoff",
        "attacks",
        "codebook",
        "software",
        "words",
    ]
    assert set(re.findall(r'href="#(\w+)"', page)) == set(re.findall(r'<h2 id="(\w+)"', page)) - {"verdict"}
    assert "The edges of boxes lie on round grids" in text
    assert "14 records in 3 blocks" in text
    assert "between age.lo and age.hi" in text
    certificate = json.loads((release / "certificate.json").read_text())
    for digest in (certificate["seal"], certificate["codebook"], certificate["data"]["sha256"]):
        assert digest in text
    # two statistics, two distributions, the boxes, and risk against detail
    assert page.count("<svg ") == page.count('role="img" aria-label="') == page.count("<figcaption>") == 6
    assert page.count("<table") == page.count("<caption>") > 5


def test_it_shows_no_value_of_a_record_and_asks_for_nothing(release):
    page = write_report(release)[0].read_text()
    assert "SECRET" not in page
    assert set(re.findall(r"https?://[^\"'\s<]+", page)) == {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert not re.search(
        r"<(script|link|img|iframe|object)\b|\b(src|srcset|onload|xlink:href)=|@import|url\((?!#)", page
    )
    assert "default-src 'none'" in page


def test_parts_of_drawings_have_names_of_their_own(release):
    page = write_report(release)[0].read_text()
    names = re.findall(r'\bid="([^"]+)"', page)
    assert len(names) == len(set(names))
    assert set(re.findall(r"url\(#([^)]+)\)", page)) <= set(names)
    assert any(name.startswith("picture") for name in names)


def test_names_stay_text(tmp_path):
    folder = written(tmp_path / "out <script>", name=HOSTILE)
    page = write_report(folder)[0].read_text()
    assert "<script" not in page.lower()
    assert page.count("&lt;script&gt;") > 10


def test_the_private_edition_shows_groups(release, steward):
    signal = {"before": {"a": 0.1, "b": 0.52}, "after": {"a": 0.31, "b": 0.32}}
    shares = group(mask={"group": {"parameter": ["X", "Y"]}, "signal": "concentration"}, signal=signal, optimal=False)
    path, _ = write_report(release, private=steward(group(), shares))
    page = path.read_text()
    text = text_of(page)
    assert path == release.with_name("out.private.html")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert text.strip().startswith("Confidential edition: for the steward only")
    assert "Confidential" in page.partition("</title>")[0]
    assert "71 members were moved (the minimum) and 142 records were changed. The distortion is 12.5" in text
    assert "(no swap with this outcome costs less)" in text
    assert "a cheaper swap may exist" in text
    assert "The group was an outlier at 2 places before and is at 1 now. It is at no hidden place." in text
    assert "Shares of members before and after" in text
    assert "3.1%" in text
    # in the picture by a word and a sign, not by colour
    assert "Hiddenville (hidden)" in text
    assert "Fort Known (known)" in text
    assert page.count("▼</text>") == 3
    for fact in ("13579", "24680", "4321"):
        assert fact in text


def test_hidden_places_that_still_stand_out_are_named(release, steward):
    shown = group(outliers={"before": [SECRET_PLACE], "after": [SECRET_PLACE]})
    text = text_of(write_report(release, private=steward(shown))[0].read_text())
    assert f"It still is at these hidden places: {SECRET_PLACE}." in text


def test_of_many_places_those_that_matter_are_shown(release, steward):
    before = {f"place {number}": number for number in range(100)} | {SECRET_PLACE: 1}
    after = before | {"place 77": 500}
    page = write_report(release, private=steward(group(before=before, after=after)))[0].read_text()
    text = text_of(page)
    assert "12 of 101 places" in text
    assert "24 of 101 places" in text
    assert "Hiddenville (hidden)" in text
    assert "place 77: 77 before, 500 after" in page


def test_the_public_edition_holds_nothing_private(tmp_path):
    folder = written(
        tmp_path / "out", private={"groups": [group()], "original_records": 4321, "protection": {"s": 13579}}
    )
    page = write_report(folder)[0].read_text()
    (own,) = (tmp_path / "out.private").iterdir()
    private = write_report(folder, private=own)[0].read_text()
    for fact in PRIVATE:
        assert fact not in page
        assert fact in private
    # what both have is the same, but for the number of the first picture
    moved = re.sub(r"picture(\d+)-", lambda found: f"picture{int(found[1]) - 1}-", private)
    both = [text.partition('<h2 id="limits">')[2].partition("</main>")[0] for text in (page, moved)]
    assert both[0] == both[1]


def test_a_record_of_another_release_is_refused(release, steward, tmp_path):
    with pytest.raises(ReleaseError, match="the record belongs to another release"):
        write_report(release, private=steward(seal="0" * 64))
    with pytest.raises(ReleaseError, match=r"invalid entry 'groups.0.before'"):
        write_report(release, private=steward(group(before=5)))
    with pytest.raises(ReleaseError, match="is missing"):
        write_report(release, private=tmp_path / "nowhere.json")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.private", "record.json"]


def test_a_changed_release_does_not_hold_and_is_reported(release):
    data = release / "data.csv"
    data.write_text(data.read_text().replace("SECRET1", "SECRET0"))
    path, evidence = write_report(release)
    text = text_of(path.read_text())
    assert not evidence.audit.holds
    assert "✗ No. The release fails its audit" in text
    assert "column 'ill' has cells that were changed" in text
    assert "Different values of ill in a block (l), at least 3 2 NO" in text
    assert "Nothing is computed, because the files do not match each other" in text
    assert "Mean of age" not in text
    assert "SECRET" not in text


@pytest.mark.parametrize(
    ("file", "content", "told"),
    [
        ("certificate.json", "{", "certificate: certificate.json is not JSON"),
        ("certificate.json", None, "certificate: certificate.json is missing"),
        ("codebook.json", "{}", "codebook: codebook.json does not fit its schema"),
        ("data.csv", None, "data: data.csv is missing"),
        ("data.csv", "x\n1\n", "data: data.csv was changed"),
        ("strange.txt", "", "folder: holds strange.txt"),
    ],
)
def test_a_broken_release_is_reported(release, file, content, told):
    if content is None:
        (release / file).unlink()
    else:
        (release / file).write_text(content)
    path, evidence = write_report(release)
    text = text_of(path.read_text())
    assert not evidence.audit.holds
    assert "✗ No." in text
    assert told in text


def test_a_promise_that_is_broken_in_intact_files_is_reported_in_full(tmp_path, monkeypatch):
    monkeypatch.setattr(release_writer, "audit_table", lambda *_: type("Kept", (), {"holds": True, "measured": {}}))
    path, evidence = write_report(written(tmp_path / "out", promise={"k": 6}))
    text = text_of(path.read_text())
    assert not evidence.audit.holds
    assert "Records in a block (k), at least 6 4 NO" in text
    assert "Mean of age" in text


def test_what_is_no_release_and_where_no_report_can_be(release, tmp_path):
    with pytest.raises(ReleaseError, match="is not a release"):
        write_report(tmp_path)
    with pytest.raises(ReleaseError, match="does not exist"):
        write_report(tmp_path / "nowhere" / "out")
    with pytest.raises(SettingError, match="is inside the release"):
        write_report(release, release / "report.html")
    with pytest.raises(SettingError, match=r"supported: .html"):
        write_report(release, tmp_path / "report.pdf")
    with pytest.raises(SettingError, match="cannot be written"):
        write_report(release, tmp_path / "nowhere" / "report.html")
    assert evidence_of(release).audit.holds


def test_an_interruption_leaves_the_old_report(release, tmp_path, monkeypatch):
    path, _ = write_report(release)
    path.write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic_file.os, "fsync", full)
    with pytest.raises(SettingError, match=r"report .* cannot be written: No space left"):
        write_report(release)
    assert path.read_text() == "old"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["out", "out.html", "out.private"]


def test_the_private_edition_is_never_readable_to_others(release, steward, tmp_path, monkeypatch):
    modes = []
    replace = atomic_file.Path.replace

    def seen(self, target):
        modes.append(stat.S_IMODE(self.stat().st_mode))
        return replace(self, target)

    monkeypatch.setattr(atomic_file.Path, "replace", seen)
    given = tmp_path / "mine.html"
    given.write_text("old")
    given.chmod(0o644)
    write_report(release, given, private=steward())
    assert modes == [0o600]
    assert stat.S_IMODE(given.stat().st_mode) == 0o600


def test_the_same_release_gives_the_same_page(release):
    first = write_report(release)[0].read_bytes()
    assert write_report(release)[0].read_bytes() == first
    assert build.report_path(release, None, edition="public") == release.with_name("out.html")
