from __future__ import annotations

import json
import re
import shlex

import pytest

from handbook.reference import generated_pages
from sfumato.cli import main
from sfumato.datasets import health_survey
from sfumato.report.charts.disclosure_chart import attacks_chart
from sfumato.views.steward_record import GroupAttack
from tests.generated import PAGES, ROOT, contents
from tests.pages import as_run


@pytest.mark.parametrize("name", PAGES)
def test_pages_print_what_they_say(tmp_path, name):
    page = (ROOT / name).read_text()
    assert as_run(page, tmp_path) == page
    if name == "README.md":
        assert sorted(file.name for file in (tmp_path / "out").iterdir()) == [
            "certificate.json",
            "codebook.json",
            "data.parquet",
        ]


def test_the_commands_of_the_readme_run_in_their_order(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    health_survey(3000).frame.write_csv("people.csv")
    block = (ROOT / "README.md").read_text().partition("## On the command line")[2].split("```")[1]
    codes = {}
    for words in (shlex.split(line, comments=True) for line in block.strip().splitlines()):
        with pytest.raises(SystemExit) as stopped:
            main(words[1:])
        codes[words[1]] = stopped.value.code or 0
    # the people are not safe by themselves, and the first recipe knows no adversary
    assert {verb: code for verb, code in codes.items() if code} == {"measure": 1, "attack": 2}
    assert "has no [attack]" in capsys.readouterr().err


def test_schemas_and_tables_of_settings_are_those_of_the_code():
    stale = [path.name for path, content in contents().items() if path.read_text() != content]
    assert not stale, "run make schema"


def test_the_picture_of_an_attack_has_the_words_of_the_code():
    picture = (ROOT / "docs/pictures/attack.svg").read_text()
    place = {"place": "A01", "region": None, "true": 1, "auxiliary": 1.0}
    attack = GroupAttack.model_validate(
        {
            **{"attack": "logistic regression", "signals": [place], "bayes": {"value": 0, "words": ""}},
            **{"disclosed": [], "stands_out": ["A01"], "found": [], "correlation": 0, "youden": 0},
        }
    )
    (panel,) = attacks_chart([("released", attack)]).to_dict()["vconcat"]
    assert panel["title"]["text"] in picture
    assert panel["title"]["subtitle"][0] in picture
    axes = re.findall(r"[a-z ]+ \((?:bars|line)\)", json.dumps(panel))
    assert len(set(axes)) == 2
    assert all(axis in picture for axis in axes)
    # what the README says of it
    before, after = re.findall(r">(\d+) of (\d+) places disclosed, 0 found falsely", picture)
    assert f"finds {before[0]} of the {before[1]} places where they are outliers" in (ROOT / "README.md").read_text()
    assert after == ("0", before[1])


def test_the_documentation_names_every_page():
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")} | set(
        generated_pages()
    )
    assert pages == set(re.findall(r": (\S+\.md)", (ROOT / "mkdocs.yml").read_text()))


def test_the_map_of_the_house_names_every_room():
    rooms = [one for one in (ROOT / "src/sfumato").iterdir() if one.suffix == ".py" or (one / "__init__.py").exists()]
    names = {f"{one.name}/" if one.is_dir() else one.name for one in rooms} - {"__init__.py", "__main__.py"}
    design = (ROOT / "docs/design.md").read_text()
    assert sorted(name for name in names if name not in design) == []


def test_the_way_of_the_data_goes_through_files_that_exist():
    files = {path.as_posix() for folder in ("src", "handbook", "tests") for path in (ROOT / folder).rglob("*.py")}
    named = set(re.findall(r"`([\w/]+\.py)", (ROOT / "docs/architecture.md").read_text()))
    assert len(named) > 50
    assert sorted(name for name in named if not any(path.endswith(f"/{name}") for path in files)) == []


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_of_pages_that_mkdocs_does_not_see_lead_somewhere(name):
    for target, heading in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", (ROOT / name).read_text()):
        page = ROOT / (target or name)
        assert page.is_file(), target
        assert not heading or heading in anchors(page.read_text()), f"{target}#{heading}"


def anchors(page):
    """Return how links name the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page, flags=re.MULTILINE)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in headings}
