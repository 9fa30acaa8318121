"""Pages in Debian's chromium, as a reader sees them: what a page says to the console, asks for, and how wide it is."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

WIDTHS = (1280, 390)
PATIENCE = 600_000
"""Milliseconds until a condition that does not come true fails a test, on a busy machine too."""
LOOK = """() => {
  const shown = one => one.getBoundingClientRect().width > 0;
  const wide = [...document.body.querySelectorAll("*")].filter(one => {
    const box = one.getBoundingClientRect();
    return box.width > 0 && box.right > innerWidth + 1 && !one.closest("[data-md-component=sidebar], .md-nav");
  });
  const texts = [...document.querySelectorAll("svg text")].filter(one => one.textContent.trim() && shown(one));
  const beyond = one => {
    const own = one.getBoundingClientRect(), all = one.closest("svg").getBoundingClientRect();
    return own.left < all.left - 1 || own.right > all.right + 1 || own.top < all.top - 1 || own.bottom > all.bottom + 1;
  };
  const meets = (one, other) => {
    const [a, b] = [one, other].map(text => text.getBoundingClientRect());
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  };
  const labels = texts.filter(one => one.closest(".role-axis-label"));
  const covered = texts.filter(one => one.closest(".role-axis-title") && labels.some(label => meets(one, label)));
  return {
    cut: texts.filter(beyond).map(one => one.textContent),
    covered: covered.map(one => one.textContent),
    title: document.title,
    width: document.documentElement.scrollWidth,
    room: innerWidth,
    widest: wide.slice(0, 3).map(one => one.outerHTML.slice(0, 80)),
    pictures: [...document.querySelectorAll("main img")].map(one => [one.currentSrc, one.naturalWidth]),
    drawn: [...document.querySelectorAll("svg")].filter(one => one.getBoundingClientRect().width > 100).length,
    formulas: [...document.querySelectorAll("math")].filter(shown).length,
    scrolled: [...document.querySelectorAll(".formula")].filter(one =>
      one.scrollWidth > one.clientWidth || getComputedStyle(one).overflow != "visible").length,
    text: document.body.innerText,
  };
}"""


@dataclass
class Seen:
    """What a page did and looks like at one width."""

    page: dict[str, Any]
    console: list[str] = field(default_factory=list)
    """Errors and warnings, of scripts too."""
    asked: list[str] = field(default_factory=list)
    """The addresses of all requests."""
    failed: list[str] = field(default_factory=list)
    """Requests that failed, or were answered by an error."""

    @property
    def fits(self) -> bool:
        """Whether nothing makes the page scroll sideways."""
        return bool(self.page["width"] <= self.page["room"])

    @property
    def undrawn(self) -> list[str]:
        """Pictures that are not drawn."""
        return [address for address, width in self.page["pictures"] if not width]


class Browser:
    """One chromium, whose page is used for everything, one address after the other."""

    def __init__(self, page: Any) -> None:
        self.page = page
        # how soon a page is ready depends on what else the machine does
        page.set_default_timeout(PATIENCE)
        self.heard = Seen({})
        page.on("console", lambda said: said.type in ("error", "warning") and self.heard.console.append(said.text))
        page.on("pageerror", lambda error: self.heard.console.append(str(error)))
        page.on("request", lambda request: self.heard.asked.append(request.url))
        # what is left unasked because the next page is opened has not failed
        page.on("requestfailed", lambda it: it.failure != "net::ERR_ABORTED" and self.heard.failed.append(it.url))
        page.on("response", lambda answer: answer.status >= 400 and self.heard.failed.append(answer.url))

    def look(self, address: str, widths: Sequence[int] = WIDTHS) -> list[Seen]:
        """Open an address, scroll through it, and tell what was seen at each width."""
        found = []
        for width in widths:
            self.heard = Seen({})
            self.page.set_viewport_size({"width": width, "height": 900})
            if not found:
                self.page.goto(address, wait_until="load")
            # pictures are loaded when they come into view
            self.page.evaluate("scrollTo(0, document.body.scrollHeight)")
            self.page.wait_for_function("[...document.images].every(one => one.complete)")
            self.heard.page = self.page.evaluate(LOOK)
            found.append(self.heard)
        return found


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start chromium, or skip the test where there is none."""
    # PyPI's playwright is only the driver; its own browsers are not fetched
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium")
    if path is None:
        pytest.skip("chromium is not installed; it shows how pages look in a browser")
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=["--no-sandbox"], timeout=PATIENCE)
        try:
            yield Browser(started.new_page())
        finally:
            started.close()
