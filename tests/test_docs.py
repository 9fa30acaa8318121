from __future__ import annotations

import re

import pytest

from tests.generated import EXAMPLES, PRINTS, ROOT, contents, example_of, printed_by


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_print_what_they_say(tmp_path, name):
    code = example_of((ROOT / name).read_text())
    assert printed_by(code, tmp_path) == [said for _, said in PRINTS.findall(code)]
    if name == "README.md":
        assert sorted(file.name for file in (tmp_path / "out").iterdir()) == [
            "certificate.json",
            "codebook.json",
            "data.parquet",
        ]


def test_schemas_and_tables_of_settings_are_those_of_the_code():
    stale = [path.name for path, content in contents().items() if path.read_text() != content]
    assert not stale, "run make schema"


def test_the_documentation_names_every_page():
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    assert pages == set(re.findall(r": (\S+\.md)", (ROOT / "mkdocs.yml").read_text()))
