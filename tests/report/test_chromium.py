from __future__ import annotations

import html
import re
import shutil
import subprocess

import pytest

from sfumato.release.audit import certificate_of
from sfumato.release.private import keep
from sfumato.report import write_report
from tests.report.records import group
from tests.report.releases import HOSTILE, written
from tests.report.test_attacked import attacked
from tests.report.test_others import TOLD as OTHERS

WIDTHS = (1280, 390)
MEASURE = """<!DOCTYPE html><body>{frames}
<script>
addEventListener("load", () => {{
  const found = [...document.querySelectorAll("iframe")].map(frame => {{
    const page = frame.contentDocument;
    const drawn = [...page.querySelectorAll("svg")].filter(one => one.getBoundingClientRect().width > 100).length;
    return [page.documentElement.scrollWidth, frame.clientWidth, drawn, page.title].join("|");
  }});
  document.body.dataset.found = found.join("\\n");
}});
</script>"""


@pytest.fixture(scope="module")
def look(tmp_path_factory):
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium is not installed; it shows how pages look in a browser")
    profile = tmp_path_factory.mktemp("profile")

    def call(page):
        """Return the width, room, drawings and title of a page at every width, and what the console says."""
        frames = "".join(
            f'<iframe src="{page.as_uri()}" style="width:{w}px;height:900px;border:0"></iframe>' for w in WIDTHS
        )
        wrapper = page.with_name("wrapper.html")
        wrapper.write_text(MEASURE.format(frames=frames))
        options = ("--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--log-level=0")
        options += (f"--user-data-dir={profile}", "--allow-file-access-from-files", "--virtual-time-budget=10000")
        done = subprocess.run(
            [chromium, *options, "--dump-dom", wrapper.as_uri()],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        found = html.unescape(re.search(r'data-found="([^"]*)"', done.stdout)[1])
        console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        return [tuple(line.split("|")) for line in found.splitlines()], console

    return call


@pytest.mark.parametrize("edition", ["public", "private"])
def test_pages_fit_every_width_and_the_console_is_silent(look, tmp_path, edition):
    places = {f"a place with a long name {number}": number for number in range(40)}
    groups = [group(before=places, after=places), group()]
    private = {"groups": groups, "alternatives": OTHERS}
    folder = written(tmp_path / "out", name=f"{HOSTILE}{'long' * 60}", private=private)
    (own,) = (tmp_path / "out.private").iterdir()
    keep(folder, certificate_of(folder), "attack", attacked("Nowhere"))
    page, _ = write_report(folder, private=own if edition == "private" else None)
    found, console = look(page)
    assert not console
    assert [int(room) for _, room, _, _ in found] == list(WIDTHS)
    for width, room, drawn, title in found:
        assert int(width) <= int(room)
        assert int(drawn) == page.read_text().count("<svg ") > 3
        assert title.endswith("out: report of a release")


def test_a_page_that_is_wrong_would_be_noticed(look, tmp_path):
    page, _ = write_report(written(tmp_path / "out"))
    wrong = (
        '<div style="width:2000px">x</div><script>document.title = "run"</script><img src="http://127.0.0.1:9/x.png">'
    )
    page.write_text(page.read_text().replace("<main>", f"<main>{wrong}"))
    found, console = look(page)
    assert all(int(width) > int(room) for width, room, _, _ in found)
    assert any("Content Security Policy" in line for line in console)
    # nothing runs, whatever gets into the page
    assert all(title.endswith("report of a release") for *_, title in found)
