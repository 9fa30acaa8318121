"""What all protections share, and that a new one needs its own file and an entry in the registry only."""

from __future__ import annotations

import json

import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import SettingError, UnattainableError
from sfumato.k_sweep import other_k
from sfumato.protection_registry import METHODS, Method, settings_classes
from sfumato.protections import Protection, Stage
from sfumato.recipe import Recipe
from sfumato.release.audit import audit_folder
from tests.protections.rounding import Rounding

PLACES = ("A", "B", "C", "D", "E")


@pytest.fixture
def rounding(monkeypatch):
    module = "tests.protections.rounding"
    method = Method(
        "round",
        "rounding",
        "Rounding: values were rounded.",
        f"{module}:Rounding",
        public_settings_path=f"{module}:RoundingPublicSettings",
    )
    monkeypatch.setitem(METHODS, "round", method)


def census() -> pl.DataFrame:
    """People of five places; members of the group stand out in C."""
    members = dict(zip(PLACES, (4, 5, 40, 3, 6), strict=True))
    rows = [
        (place, "army" if number < members[place] else "shop", 20 + number % 40, f"{place}{number}")
        for place in PLACES
        for number in range(100)
    ]
    return pl.DataFrame(rows, schema=["area", "work", "age", "name"], orient="row")


MASK = {"method": "group", "vital": {"work": ["army"]}, "parameter": "area", "hide": ["C"], "influential": ["age"]}
ROUND = {"method": "round", "quasi": ["age"], "k": 20}


def recipe(*protections: dict[str, object]) -> Recipe:
    microfile = {"frame": census(), "identifiers": ["name"]}
    return Recipe.from_dict({"seed": 3, "microfile": microfile, "protect": list(protections)})


def test_all_protections_share_settings_and_declare_their_stage():
    common = set(Protection.model_fields)
    for method, model in settings_classes():
        assert issubclass(model, Protection), method.name
        assert common <= set(model.model_fields), method.name
        assert model.stage is (Stage.GROUPS if method.name == "group" else Stage.PEOPLE)


def test_settings_of_a_method_come_before_those_that_all_have():
    for _, model in settings_classes():
        names = list(model.model_fields)
        assert names[0] in ("quasi", "group")
        assert names.index("identifiers") > names.index(names[0])


def test_a_new_protection_runs_after_a_mask_and_is_written(rounding, tmp_path):
    release = recipe(MASK, ROUND).run()
    assert release.settings == {
        "method": "round",
        "suppress": 0.0,
        "base": 10,
        "exchanged": {"attributes": ["area"]},
    }
    opened = sf.open_release(release.write(tmp_path / "out"))
    assert opened.audit().holds
    assert opened.audit().k >= 20
    assert opened.settings["base"] == 10
    mean = opened.estimate("mean(age)")
    assert mean.lower <= census()["age"].mean() <= mean.upper


def test_nothing_follows_a_new_protection_of_people(rounding):
    with pytest.raises(SettingError, match=r"protect\[1\]: nothing can follow method = 'round'"):
        recipe(ROUND, MASK)


def test_other_values_of_k_are_tried_for_a_new_protection(rounding):
    settings = Rounding(quasi=["age"], identifiers=["name"], k=20)
    refused = {
        alternative.k: bool(alternative.summary()["refused"]) for alternative in other_k(settings, census(), [300])
    }
    assert refused == {20: False, 300: True}
    with pytest.raises(UnattainableError, match="too small"):
        settings.changed(k=300).protect(census())


def test_a_setting_of_another_method_is_refused_in_a_certificate(rounding, tmp_path):
    folder = recipe(ROUND).run().write(tmp_path / "out")
    certificate = json.loads((folder / "certificate.json").read_text())
    certificate["settings"]["edges"] = "snapped"
    (folder / "certificate.json").write_text(json.dumps(certificate, indent=2) + "\n")
    messages = [finding.message for finding in audit_folder(folder).findings]
    assert "settings: 'edges' is not a setting of a release" in messages
