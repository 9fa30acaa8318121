from __future__ import annotations

import pytest

from sfumato.release.opened_release import certificate_of
from sfumato.release.steward_store import keep
from sfumato.report import write_report
from tests.browser import WIDTHS, chromium
from tests.report.charts.test_alternatives_chart import TOLD as OTHERS
from tests.report.records import group
from tests.report.releases import HOSTILE, written
from tests.report.test_attacked import attacked


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


@pytest.mark.parametrize("edition", ["public", "private"])
def test_pages_fit_every_width_and_ask_for_nothing(browser, tmp_path, edition):
    places = {f"a place with a long name {number}": number for number in range(40)}
    groups = [group(before=places, after=places), group()]
    private = {"groups": groups, "alternatives": OTHERS}
    folder = written(tmp_path / "out", name=f"{HOSTILE}{'long' * 60}", private=private)
    (own,) = (tmp_path / "out.private").iterdir()
    keep(folder, certificate_of(folder), "attack", attacked("Nowhere"))
    page, _ = write_report(folder, private=own if edition == "private" else None)
    seen = browser.look(page.as_uri())
    assert [one.page["room"] for one in seen] == list(WIDTHS)
    assert [address for one in seen for address in one.asked] == [page.as_uri()]
    for one in seen:
        assert not one.console
        assert one.fits, one.page["widest"]
        # whatever font is there; only the endless name of an attribute is cut off
        assert [text for text in one.page["cut"] if HOSTILE not in text] == []
        assert one.page["covered"] == []
        assert one.page["drawn"] == page.read_text().count("<svg ") > 3
        assert one.page["title"].endswith("out: report on a release")


def test_a_page_that_is_wrong_would_be_noticed(browser, tmp_path):
    page, _ = write_report(written(tmp_path / "out"))
    wrong = (
        '<div style="width:2000px">x</div><script>document.title = "run"</script><img src="http://127.0.0.1:9/x.png">'
    )
    page.write_text(page.read_text().replace("<main>", f"<main>{wrong}"))
    seen = browser.look(page.as_uri())
    assert not any(one.fits for one in seen)
    assert any("Content Security Policy" in line for line in seen[0].console)
    assert seen[0].undrawn
    # nothing runs, whatever gets into the page
    assert all(one.page["title"].endswith("report on a release") for one in seen)
