"""Attacks on a group, for the steward alone: what each makes of it, place by place, before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pydantic import Field

from sfumato.attacks.disclosure import Verdict
from sfumato.report.estimates import INK
from sfumato.report.page import Card, Picture, Section, Table, count, counted, listed
from sfumato.report.pictures import offline
from sfumato.report.records import RecordPart

if TYPE_CHECKING:
    import altair as alt

STEP, HEIGHT = 16, 170
TRUE, SEEN = "#bdbdbd", "#d95f0e"
DRAWN = 26
"""So many places are drawn in a report: those that stand out or are found, and those with most members."""
WHEN = {"unprotected": "before", "released": "after"}
"""What was attacked, as readers of a report call it."""


class Place(RecordPart):
    """What an attack makes of one place."""

    place: str
    region: str | None
    true: float
    auxiliary: float

    @property
    def name(self) -> str:
        """The place with its region."""
        return self.place if self.region is None else f"{self.region}: {self.place}"


class Evidenced(RecordPart):
    """How strong the evidence of an attack is."""

    value: float
    words: str


class Seen(RecordPart):
    """What one attack found, as its summary and the steward's record tell it."""

    attack: str
    disclosed: tuple[str, ...]
    stands_out: tuple[str, ...]
    found: tuple[str, ...]
    correlation: float
    chance_correlation: float = 1.0
    follows: bool = False
    youden: float
    bayes: Evidenced
    signals: tuple[Place, ...]

    @property
    def title(self) -> str:
        """Its name at the beginning of a sentence."""
        return f"{self.attack[:1].upper()}{self.attack[1:]}"


class Attacked(RecordPart):
    """What the steward kept of an attack."""

    attacks: dict[str, tuple[Seen, ...]] = Field(min_length=1)
    third_party: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def last(self) -> tuple[Seen, ...]:
        """What was found in the release."""
        return self.attacks.get("released", next(reversed(self.attacks.values())))

    @property
    def places(self) -> list[str]:
        """The places that some attack gives away in the release."""
        return list(dict.fromkeys(place for one in self.last for place in one.disclosed))


def disclosure_chart(verdicts: Mapping[str, Verdict]) -> alt.VConcatChart:
    """Draw what each attack finds beside the truth.

    Only for the steward: it shows where the group is.

    Parameters
    ----------
    verdicts
        What was attacked, as "before" and "after", with what was found.
    """
    found = [
        (when, Seen.model_validate(one.summary())) for when, verdict in verdicts.items() for one in verdict.disclosures
    ]
    return offline(_chart(found))


def _chart(found: Sequence[tuple[str, Seen]]) -> alt.VConcatChart:
    import altair as alt

    # one scale an attack, so that before and after can be compared
    highest: dict[str, float] = {}
    for _, one in found:
        highest[one.attack] = max([highest.get(one.attack, 0.0), *(place.auxiliary for place in one.signals)])
    charts = [_one(when, one, highest[one.attack]) for when, one in found]
    chart: alt.VConcatChart = alt.vconcat(*charts).configure_axis(labelColor=INK, titleColor=INK)
    return chart


def _one(when: str, found: Seen, highest: float) -> alt.LayerChart:
    import altair as alt

    rows = [
        {
            "place": place.name,
            "members": place.true,
            "seen": place.auxiliary,
            "stands out": place.place in found.stands_out,
            "found": place.place in found.found,
        }
        for place in found.signals
    ]
    names = [place.name for place in found.signals]
    regions = any(place.region is not None for place in found.signals)
    base = alt.Chart(alt.InlineData(values=rows))
    x = alt.X("place:N", sort=sorted(names) if regions else names, title=None)
    members = alt.Y("members:Q", title="members (bars)")
    scale = alt.Scale(domain=[0, highest or 1.0])
    seen = alt.Y("seen:Q", title="taken for members (line)", scale=scale)
    bars = base.mark_bar(color=TRUE, stroke=INK, strokeWidth=0.5).encode(x=x, y=members)
    # told by a sign too, so that colour is not needed
    true = base.transform_filter("datum['stands out']").mark_text(text="▼", dy=-8, color=INK, fontSize=10)
    line = base.mark_line(color=SEEN, point=alt.OverlayMarkDef(color=SEEN, size=18)).encode(x=x, y=seen)
    marks = base.transform_filter("datum['found']").mark_point(
        shape="circle", size=110, color=SEEN, strokeWidth=2, filled=False
    )
    title = alt.TitleParams(
        f"{found.title}, {when}",
        subtitle=[
            "▼ the group stands out; ○ the attack finds the place.",
            f"{len(found.disclosed)} of {counted(len(found.stands_out), 'place')} disclosed, "
            f"{len(found.found) - len(found.disclosed)} found falsely.",
        ],
        anchor="start",
        color=INK,
        subtitleColor=INK,
    )
    truth = alt.layer(bars, true.encode(x=x, y=members))
    guess = alt.layer(line, marks.encode(x=x, y=seen))
    both: alt.LayerChart = alt.layer(truth, guess).resolve_scale(y="independent")
    shown: alt.LayerChart = both.properties(width=alt.Step(STEP), height=HEIGHT, title=title)
    return shown


def attacked_card(attacked: Attacked) -> Card:
    """Say on the first screen of the private edition whether the group is disclosed."""
    places, true = attacked.places, len(attacked.last[0].stands_out)
    if places:
        told = (
            f"✗ The group is disclosed: attacks find {count(len(places))} of {counted(true, 'place')} where it stands "
            "out."
        )
    elif followed := [one for one in attacked.last if one.follows]:
        worst = max(followed, key=lambda one: one.correlation - one.chance_correlation)
        told = (
            f"✗ The group is disclosed: no place is found by itself, but what {worst.attack} sees goes with the true "
            f"signal (correlation {worst.correlation:.2f}, by chance up to {worst.chance_correlation:.2f})."
        )
    else:
        which = "the place" if true == 1 else f"one of the {count(true)} places"
        told = f"✓ The group is not disclosed: no attack finds {which} where it stands out."
    before = {place for one in attacked.attacks.get("unprotected", ()) for place in one.disclosed}
    known = f"Without protection, {count(len(before))} would be found." if "unprotected" in attacked.attacks else ""
    return Card("What attacks find", (told, *((known,) if known else ())))


def attacked_section(attacked: Attacked) -> Section:
    """Show what each attack found before and after."""
    learned = f" They learned from {listed(attacked.third_party)}." if attacked.third_party else ""
    sentences = (
        "Somebody who has another file learns there how members of the group live, and looks for them in the release."
        f"{learned} An attack gives a place away if it finds it and the group really stands out there.",
        *(f"Note: {note}." for note in attacked.notes),
    )
    found = [(WHEN.get(when, when), one) for when, its in attacked.attacks.items() for one in its]
    rows = tuple(
        (
            f"{one.title}, {when}",
            listed(one.found),
            listed(one.disclosed),
            count(len(one.stands_out)),
            f"{one.youden:.2f}",
            f"{one.bayes.value:.2f} ({one.bayes.words})",
            f"{one.correlation:.2f}",
        )
        for when, one in found
    )
    columns = ("Attack", "Finds", "Rightly", "Of", "Youden's J", "Evidence", "Correlation")
    names = list(dict.fromkeys(one.attack for _, one in found))
    pictures = tuple(_picture([(when, one) for when, one in found if one.attack == name]) for name in names)
    return Section(
        "disclosure", "Attacks on the group", sentences, (Table("What attacks find", columns, rows),), pictures
    )


def _picture(found: Sequence[tuple[str, Seen]]) -> Picture:
    """Draw one attack, before and after, at the places that matter."""
    first = found[0][1]
    asked = {place for _, one in found for place in (*one.stands_out, *one.found)}
    order = sorted(first.signals, key=lambda place: (place.place not in asked, -place.true))
    chosen = {place.name for place in order[:DRAWN]}
    drawn = [
        (when, one.model_copy(update={"signals": tuple(p for p in one.signals if p.name in chosen)}))
        for when, one in found
    ]
    some = f"; {len(chosen)} of {len(first.signals)} places" if len(chosen) < len(first.signals) else ""
    caption = f"{first.title}: members as bars, what the attack takes for members as a line{some}"
    seen = "; ".join(f"{when}: finds {listed(one.found)}, rightly {listed(one.disclosed)}" for when, one in found)
    return Picture(_chart(drawn), caption, f"Bars and a line by place. {seen}.")
