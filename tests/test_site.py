from __future__ import annotations

import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.browser import WIDTHS, chromium
from tests.generated import ROOT

SEARCH = """name => {
  const field = document.querySelector("input[name=query]");
  field.focus();
  field.value = name;
  field.dispatchEvent(new KeyboardEvent("keyup", {bubbles: true}));
  return [...document.querySelectorAll("a.md-search-result__link")].some(link => link.href.includes("reference/"));
}"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Say nothing: failed requests are told by the browser."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("site")
    built = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(made)]
    done = subprocess.run(built, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return made


@pytest.fixture(scope="module")
def site(folder):
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


def test_every_page_fits_is_silent_and_asks_nobody_else(folder, site, browser):
    pages = sorted(page.relative_to(folder).as_posix() for page in folder.rglob("*.html"))
    assert len(pages) > 50
    wrong = {}
    for page in pages:
        for width, seen in zip(WIDTHS, browser.look(f"{site}/{page}"), strict=True):
            assert seen.page["room"] == width
            outside = [address for address in seen.asked if not address.startswith((site, "data:", "blob:"))]
            wide = [] if seen.fits else [f"{seen.page['width']} px wide", *seen.page["widest"]]
            found = [*seen.console, *seen.failed, *outside, *wide, *seen.undrawn]
            if found:
                wrong[f"{page} at {width}"] = found
    assert not wrong


def test_formulas_are_drawn(folder, site, browser):
    for page in sorted((folder / "papers").glob("*.html")):
        (seen,) = browser.look(f"{site}/papers/{page.name}", [390])
        assert seen.page["formulas"] == page.read_text().count("<math ") > 10
        assert "\\" not in seen.page["text"]


def test_formulas_do_not_scroll_on_wide_and_narrow_screens(folder, site, browser):
    for page in sorted((folder / "papers").glob("*.html")):
        for seen in browser.look(f"{site}/papers/{page.name}", [1280, 800, 390]):
            assert not seen.page["scrolled"], f"{page.name} at {seen.page['room']}"


def test_the_search_finds_a_public_name(site, browser):
    browser.look(f"{site}/index.html", [1280])
    # what is typed before the search is loaded is lost, so it is typed again until there are results
    browser.page.wait_for_function(SEARCH, arg="Microfile", polling=1000)
    assert not browser.heard.console


def test_a_page_that_is_wrong_would_be_noticed(folder, site, browser):
    wrong = (
        '<div style="width:2000px">x</div><img src="nowhere.png"><script>console.warn("heard")</script>'
        '<img src="http://127.0.0.1:9/x.png">'
    )
    (folder / "wrong.html").write_text((folder / "index.html").read_text().replace("<article", f"{wrong}<article"))
    (seen,) = browser.look(f"{site}/wrong.html", [390])
    (folder / "wrong.html").unlink()
    assert not seen.fits
    assert "heard" in seen.console
    assert f"{site}/nowhere.png" in seen.failed
    assert len(seen.undrawn) == 2
    assert "http://127.0.0.1:9/x.png" in seen.asked
