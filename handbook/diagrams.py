"""The pictures of the guide that show how something works, without a computed result."""

from __future__ import annotations

from collections.abc import Sequence

from handbook.drawing import Drawing, Scale


def diagrams() -> dict[str, str]:
    """Return these pictures as SVG, by their file names."""
    drawings = {
        "commands": _commands(),
        "folder": _folder(),
        "edges": _edges(),
        "labels": _labels(),
        "swap": _swap(),
        "traces": _traces(),
        "attack-steps": _attack_steps(),
        "tree": _tree(),
        "harmonised": _harmonised(),
        "missing": _missing(),
        "intersection": _intersection(),
        "rare-boxes": _rare_boxes(),
    }
    return {f"{name}.svg": drawing.svg() for name, drawing in drawings.items()}


def _table(drawing: Drawing, x: float, y: float, rows: Sequence[tuple[str, ...]], widths: tuple[float, ...]) -> None:
    """Draw rows of text, of which the first is the heading; a cell that begins with * is red."""
    for number, row in enumerate(rows):
        left = x
        for cell, width in zip(row, widths, strict=True):
            style = "small strong" if not number else "small red strong" if cell.startswith("*") else "small"
            drawing.text(left, y + number * 22, cell.removeprefix("*"), style)
            left += width
        if not number:
            drawing.line((x, y + 7), (x + sum(widths), y + 7))


def _commands() -> Drawing:
    drawing = Drawing("The order of the commands, from a file to a report", height=330)
    drawing.card(20, 20, 130, ["your file"], "grey pale")
    drawing.card(170, 16, 290, ["profile, measure, compare", "what is in it, and how safe is it?"], "blue pale")
    drawing.card(20, 90, 130, ["recipe"], "grey pale")
    drawing.card(170, 86, 290, ["init", "writes a first recipe; you correct it"], "blue pale")
    drawing.card(20, 160, 130, ["release"], "grey pale")
    drawing.card(170, 156, 290, ["protect", "measures, then writes the release or nothing"], "blue pale")
    drawing.card(20, 230, 130, ["checked release"], "grey pale")
    drawing.card(170, 226, 290, ["audit, attack", "does it keep its promise? who is found?"], "blue pale")
    drawing.text(235, 310, "then: estimate for analysts, report for officers", "middle")
    for y in (54, 124, 194):
        drawing.arrow((85, y), (85, y + 34))
    return drawing


def _folder() -> Drawing:
    drawing = Drawing("What is published, and what the steward keeps", height=230)
    drawing.text(120, 28, "publish: out", "middle strong")
    drawing.card(20, 42, 200, ["data.parquet", "the records"], "blue pale")
    drawing.card(20, 104, 200, ["certificate.json", "promise and measures"], "blue pale")
    drawing.card(20, 166, 200, ["codebook.json", "what the columns mean"], "blue pale")
    drawing.text(365, 28, "keep: out.private", "middle strong red")
    drawing.card(265, 42, 200, ["confidential record", "secret, hidden places,", "counts of the original"], "red pale")
    drawing.text(365, 150, "Whoever has both", "small middle")
    drawing.text(365, 168, "could undo the protection.", "small middle")
    return drawing


def _edges() -> Drawing:
    drawing = Drawing("Tight edges show two ages; snapped edges lie on a grid", height=215)
    ages = Scale(24, 52, 40, 450)
    people = (33, 36, 37, 41, 44)
    for y, words, low, high, style in ((64, "tight", 33, 44, "red"), (140, "snapped", 30, 45, "blue")):
        drawing.text(14, y + 3, words, "strong")
        drawing.box(ages(low), y - 20, ages(high) - ages(low), 36, f"{style} pale", 3)
        for age in people:
            drawing.dot(ages(age), y - 2, "grey", 4)
        for end in (low, high):
            drawing.text(ages(end), y - 26, str(end), f"small middle strong {style}")
    for tick in range(30, 51, 5):
        drawing.line((ages(tick), 168), (ages(tick), 174))
        drawing.text(ages(tick), 190, str(tick), "small middle")
    return drawing


def _labels() -> Drawing:
    drawing = Drawing("An exact label shows that one judge is in the block; a closed one does not", height=235)
    for place, (job, count) in enumerate((("nurse", 3), ("clerk", 2), ("judge", 1))):
        for one in range(count):
            drawing.dot(60 + place * 130 + one * 20, 50, "red" if count == 1 else "grey", 7)
        drawing.text(60 + place * 130, 80, job, "small")
    drawing.text(14, 26, "six people in a block", "strong")
    drawing.text(14, 122, "exact label", "strong")
    drawing.text(150, 122, "{clerk, judge, nurse}")
    drawing.text(150, 142, "somebody in this block is a judge", "small red")
    drawing.text(14, 182, "closed label", "strong")
    drawing.text(150, 182, "{clerk, judge, lawyer, nurse}")
    drawing.text(150, 202, "a judge, a lawyer, or both", "small")
    return drawing


def _swap() -> Drawing:
    drawing = Drawing("Two similar people exchange their places", height=210)
    widths = (80.0, 50.0, 50.0)
    drawing.text(14, 28, "before", "strong")
    _table(drawing, 14, 58, [("town", "age", "army"), ("*Camden", "24", "yes"), ("*Ford", "25", "no")], widths)
    drawing.arrow((208, 80), (262, 80))
    drawing.text(280, 28, "after", "strong")
    _table(drawing, 280, 58, [("town", "age", "army"), ("*Ford", "24", "yes"), ("*Camden", "25", "no")], widths)
    drawing.text(14, 150, "Camden has one soldier less, Ford one more.", "small")
    drawing.text(14, 172, "Both towns have as many residents as before.", "small")
    drawing.text(14, 194, "The two people are similar, so little else changes.", "small")
    return drawing


def _traces() -> Drawing:
    drawing = Drawing("An exchanged record that keeps the region of its old place is easy to see", height=215)
    widths = (90.0, 90.0)
    rows = [("town", "region"), ("Ford", "south"), ("Ford", "south"), ("Ford", "*north"), ("Ford", "south")]
    drawing.text(14, 28, "region stays behind", "strong")
    _table(drawing, 14, 58, rows, widths)
    drawing.text(14, 190, "This person was exchanged.", "small red")
    drawing.text(256, 28, "region moves along", "strong")
    _table(drawing, 256, 58, [row if row[1] != "*north" else ("Ford", "south") for row in rows], widths)
    drawing.text(256, 190, "No record contradicts its town.", "small")
    return drawing


def _attack_steps() -> Drawing:
    drawing = Drawing("How another file gives a group away", height=275)
    drawing.card(16, 20, 190, ["somebody's other file", "habits and membership"], "grey pale")
    drawing.arrow((206, 47), (258, 47))
    drawing.card(262, 20, 202, ["a rule is learned", "young, male, walks to work:", "probably a soldier"], "blue pale")
    drawing.arrow((363, 94), (363, 124))
    drawing.card(16, 128, 190, ["your release", "habits, no membership"], "grey pale")
    drawing.arrow((206, 155), (258, 155))
    drawing.card(262, 128, 202, ["each record gets a guess", "0 to 1: a soldier?"], "blue pale")
    drawing.arrow((363, 182), (363, 208))
    drawing.card(262, 212, 202, ["sums by place", "a high sum: the base"], "red pale")
    return drawing


def _tree() -> Drawing:
    drawing = Drawing("A hierarchy of six areas", height=215)
    drawing.card(205, 14, 70, ["*"], "grey pale")
    for side, letter in enumerate("AB"):
        x = 95 + side * 220
        drawing.line((240, 48), (x + 35, 78))
        drawing.card(x, 78, 70, [letter], "blue pale")
        for area in range(3):
            left = 20 + side * 225 + area * 72
            drawing.line((x + 35, 112), (left + 30, 142))
            drawing.card(left, 142, 60, [f"{letter}0{area + 1}"], "blue pale")
    drawing.text(14, 204, "area, state, anywhere: A01;A;*", "small")
    return drawing


def _harmonised() -> Drawing:
    drawing = Drawing("Two files with the same questions, before and after", height=220)
    drawing.text(14, 28, "their file", "strong")
    _table(drawing, 14, 58, [("AGEP", "SEX", "JWDP"), ("24", "1", "730")], (60.0, 50.0, 60.0))
    drawing.text(14, 140, "your file", "strong")
    _table(drawing, 14, 170, [("age", "sex", "departure"), ("31", "female", "450")], (60.0, 70.0, 70.0))
    drawing.arrow((192, 66), (252, 66))
    drawing.text(222, 52, "steps", "small middle")
    drawing.text(266, 28, "their file, harmonised", "strong")
    _table(drawing, 266, 58, [("age", "sex", "departure"), ("24", "male", "450")], (60.0, 70.0, 70.0))
    drawing.text(266, 170, "Names, codes and units agree:", "small")
    drawing.text(266, 190, "7:30 is 450 minutes in both files.", "small")
    return drawing


def _missing() -> Drawing:
    drawing = Drawing("Two ways to read a missing value", height=225)
    rows = [("age", "sex"), ("30", "f"), ("30", "f"), ("30", "-"), ("40", "m")]
    drawing.text(14, 28, "four records", "strong")
    _table(drawing, 14, 58, rows, (60.0, 50.0))
    for x, title, sizes in ((170, "own", (2, 2, 1, 1)), (330, "wildcard", (3, 3, 3, 1))):
        drawing.text(x, 28, title, "strong")
        drawing.text(x, 58, "records alike", "small strong")
        for row, size in enumerate(sizes):
            drawing.box(x, 68 + row * 22, size * 28, 14, "red" if size == 1 else "blue", 2)
            drawing.text(x + size * 28 + 8, 80 + row * 22, str(size), "small")
    drawing.text(14, 190, "own: a missing value equals only another missing value.", "small")
    drawing.text(14, 210, "wildcard: it equals any value.", "small")
    return drawing


def _intersection() -> Drawing:
    drawing = Drawing("Two members of a household, released with different sets of states", height=200)
    states = ("Anmoor", "Celtau", "Dornach")
    for place, state in enumerate(states):
        drawing.text(200 + place * 100, 36, state, "small middle strong")
    for row, (who, has) in enumerate((("one member", (0, 1)), ("another member", (1, 2)), ("both live in", (1,)))):
        y = 54 + row * 44
        style = "red" if row == 2 else "blue"
        drawing.text(14, y + 20, who, "strong red" if row == 2 else "")
        for place in has:
            drawing.box(155 + place * 100, y, 90, 30, f"{style} pale", 4)
    drawing.text(14, 192, "Each set hides the state. Together they reveal it.", "small")
    return drawing


def _rare_boxes() -> Drawing:
    drawing = Drawing("Weights of boxes by their width", height=235)
    across, up = Scale(0, 10, 50, 450), Scale(0, 1, 180, 50)
    drawing.line((50, 180), (450, 180))
    drawing.line((50, 180), (50, 50))
    drawing.path([(across(0), up(0.6)), (across(10), up(0.6))], "grey line")
    drawing.path([(across(0), up(0.75)), (across(6), up(0.75)), (across(6), up(0)), (across(10), up(0))], "red line")
    drawing.path([(across(0), up(1)), (across(8), up(0)), (across(10), up(0))], "blue line")
    drawing.text(across(10), up(0.6) - 8, "none: all records alike", "small end")
    drawing.text(across(6.1), up(0.3), "crisp: wide boxes left out", "small red")
    drawing.text(across(0.5), up(0.98) - 8, "fuzzy: less weight for wide boxes", "small blue")
    drawing.text(250, 205, "how much a box blurs the statistic", "small middle")
    drawing.text(14, 28, "weight", "small")
    return drawing
