from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_example_of_the_readme_prints_what_it_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)
    exec(code, {})
    said = re.findall(r"print\(.*\) +# (.*)", code)
    assert capsys.readouterr().out.splitlines() == said
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == [
        "certificate.json",
        "codebook.json",
        "data.parquet",
    ]


def test_the_documentation_names_every_page():
    pages = {page.name for page in (ROOT / "docs").glob("*.md")}
    assert pages == set(re.findall(r": (\S+\.md)", (ROOT / "mkdocs.yml").read_text()))
