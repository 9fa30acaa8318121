from __future__ import annotations

from sfumato import FuzzyPartition
from sfumato.datasets import health_survey
from sfumato.report import write_report
from tests.report.test_build import text_of


def test_fuzzy_sets_are_told_in_words(tmp_path):
    people = health_survey(400).select(["age", "hours", "income"])
    partition = FuzzyPartition(quasi=["age", "hours"], method="sets", sets=2, k=3, shown="grades", levels=2)
    folder = partition.protect(people).write(tmp_path / "out")
    text = text_of(write_report(folder)[0].read_text())
    assert "the values of each attribute were replaced by words" in text
    assert "Fuzzy sets of age, released as grades" in text
    assert "as grades on 2 levels of 2 fuzzy sets" in text
    assert "How precisely a value is recovered by an attacker" in text
    assert "No particular statistic was to be preserved. Released unchanged and fully usable: income." in text
    assert "which have no sharp edges and therefore no guaranteed ranges: age and hours." in text
