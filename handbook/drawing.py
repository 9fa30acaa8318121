"""Small SVG drawings for the guide, readable on a light and on a dark page, without a script, a font or a request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from math import hypot

STYLE = """
text { font: 14px system-ui, "Segoe UI", Roboto, Arial, sans-serif; fill: #24292f }
.small { font-size: 12.5px } .strong { font-weight: 600 } .middle { text-anchor: middle } .end { text-anchor: end }
.panel { fill: #ffffff; stroke: #d0d7de } .axis { stroke: #8b949e; fill: none } .dashed { stroke-dasharray: 5 4 }
.blue { fill: #0b63c5; stroke: #0b63c5 }
.red { fill: #c0392b; stroke: #c0392b } .grey { fill: #8b949e; stroke: #8b949e }
.pale { fill-opacity: .16 } .line { fill: none; stroke-width: 2 }
text.blue, text.red { stroke: none }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .panel { fill: #161b22; stroke: #444c56 }
  .blue { fill: #6cb0ff; stroke: #6cb0ff } .red { fill: #ff8a75; stroke: #ff8a75 }
}"""


@dataclass(frozen=True)
class Scale:
    """Where numbers lie on a drawing: ``low`` at ``start``, ``high`` at ``stop``."""

    low: float
    high: float
    start: float
    stop: float

    def __call__(self, number: float) -> float:
        """Return the position of a number."""
        return self.start + (number - self.low) / (self.high - self.low) * (self.stop - self.start)


@dataclass
class Drawing:
    """An SVG drawing to which shapes are added; what is added later covers what came before."""

    title: str
    height: int
    width: int = 480
    elements: list[str] = field(default_factory=list)

    def text(self, x: float, y: float, words: str, style: str = "") -> None:
        """Add one line of text."""
        self.elements.append(f'<text x="{x:.1f}" y="{y:.1f}" class="{style}">{escape(words)}</text>')

    def line(self, start: tuple[float, float], stop: tuple[float, float], style: str = "axis") -> None:
        """Add a straight line."""
        self.path([start, stop], style)

    def path(self, points: list[tuple[float, float]], style: str) -> None:
        """Add lines from point to point."""
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.elements.append(f'<polyline points="{places}" class="{style}"/>')

    def arrow(self, start: tuple[float, float], stop: tuple[float, float], style: str = "axis") -> None:
        """Add a straight line with a head at its end."""
        along = (stop[0] - start[0], stop[1] - start[1])
        length = hypot(*along)
        x, y = 7 * along[0] / length, 7 * along[1] / length
        self.path([start, stop], style)
        self.path([(stop[0] - x - y / 2, stop[1] - y + x / 2), stop, (stop[0] - x + y / 2, stop[1] - y - x / 2)], style)

    def card(self, x: float, y: float, width: float, lines: Sequence[str], style: str = "blue pale") -> None:
        """Add a rectangle with lines of text, of which the first is strong."""
        self.box(x, y, width, 14 + 20 * len(lines), style, 5)
        for number, words in enumerate(lines):
            self.text(x + width / 2, y + 22 + 20 * number, words, "small middle" + ("" if number else " strong"))

    def box(self, x: float, y: float, width: float, height: float, style: str, radius: float = 0) -> None:
        """Add a rectangle by its upper left corner."""
        self.elements.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{radius}" class="{style}"/>'
        )

    def dot(self, x: float, y: float, style: str, radius: float = 5) -> None:
        """Add a filled circle."""
        self.elements.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" class="{style}"/>')

    def svg(self) -> str:
        """Return the drawing as an SVG file that is drawn a third larger where there is room."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width * 4 // 3}" height="{self.height * 4 // 3}" '
            f'viewBox="0 0 {self.width} {self.height}" role="img">'
        )
        panel = f'<rect x=".5" y=".5" width="{self.width - 1}" height="{self.height - 1}" rx="6" class="panel"/>'
        body = [head, f"<title>{escape(self.title)}</title>", f"<style>{STYLE}</style>", panel, *self.elements]
        return "\n".join([*body, "</svg>", ""])
