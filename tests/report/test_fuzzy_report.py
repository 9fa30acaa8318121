from __future__ import annotations

from sfumato import FuzzyPartition
from sfumato.datasets import health_survey
from sfumato.report import write_report
from tests.report.test_writing import text_of


def test_fuzzy_sets_are_told_in_words(tmp_path):
    people = health_survey(400).select(["age", "hours", "income"])
    partition = FuzzyPartition(quasi=["age", "hours"], method="sets", sets=2, k=3, shown="grades", levels=2)
    folder = partition.protect(people).write(tmp_path / "out")
    text = text_of(write_report(folder)[0].read_text())
    assert "values of each attribute were replaced by words" in text
    assert "age, told as grades" in text
    assert "as grades on 2 levels of 2 fuzzy sets" in text
    assert "What the fuzzy sets of a record leave open to somebody who knows all its other attributes" in text
    assert "No statistic was to be preserved by name. Told as they are, and of full use: income." in text
    assert "Told as fuzzy sets, which have no sharp ends, so that no range is sure: age and hours." in text
