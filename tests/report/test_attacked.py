from __future__ import annotations

import stat

import pytest

from sfumato.attacks import keep_attack
from sfumato.errors import ReleaseError
from sfumato.release import steward_store as private
from sfumato.release.opened_release import certificate_of
from sfumato.release.steward_store import keep, kept
from sfumato.report import write_report
from sfumato.report.charts.disclosure_chart import attacks_chart
from sfumato.views.steward_record import GroupAttack
from tests.report.records import SECRET_PLACE, group
from tests.report.releases import written
from tests.report.test_build import text_of

PLACES = {"Elsewhere": (4, 1.5), SECRET_PLACE: (83, 40.0), "Nowhere": (5, 2.5)}


def seen(*found, attack="fuzzy rules", **changed):
    signals = [
        {"place": place, "region": None, "true": true, "auxiliary": auxiliary, "crisp": 0}
        for place, (true, auxiliary) in PLACES.items()
    ]
    right = [place for place in found if place == SECRET_PLACE]
    usual = {"attack": attack, "disclosed": right, "stands_out": [SECRET_PLACE], "found": list(found)}
    usual |= {"correlation": 0.25, "youden": 0.5, "bayes": {"value": 1.25, "words": "strong"}, "signals": signals}
    return usual | changed


def attacked(*after):
    return {
        "attacks": {"unprotected": [seen(SECRET_PLACE)], "released": [seen(*after)]},
        "third_party": ["other.csv"],
        "notes": ["it is a small file"],
    }


@pytest.fixture
def release(tmp_path):
    return written(tmp_path / "out", private={"groups": [group()]})


def report(release):
    return write_report(release, private=release.with_name("out.private"))


def test_the_private_edition_shows_what_attacks_find(release):
    place = keep(release, certificate_of(release), "attack", attacked("Nowhere"))
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    path, evidence = report(release)
    page = path.read_text()
    text = text_of(page)
    assert evidence.audit.holds
    assert "✓ These attacks, trained on other.csv, do not find the one place where the group is an outlier" in text
    assert "Other attacks or files may." in text
    assert "Without protection, attacks would find 1." in text
    assert "The attacks learned from other.csv." in text
    assert "Note: it is a small file." in text
    assert f"Fuzzy rules, before 1 {SECRET_PLACE} none 0.50 1.25 (strong) 0.25" in text
    assert "Fuzzy rules, after 1 none Nowhere 0.50 1.25 (strong) 0.25" in text
    # in the pictures by signs, not by colour
    assert "▼ the group is an outlier; ○ the attack finds the place." in text
    public = write_report(release)[0].read_text()
    for secret in (SECRET_PLACE, "Fuzzy rules", "other.csv", "the group"):
        assert secret in page
        assert secret not in public


def test_places_that_ranks_disclose_are_drawn_as_found(release):
    ranked = seen("Nowhere", disclosed=[SECRET_PLACE])
    keep(release, certificate_of(release), "attack", {"attacks": {"released": [ranked]}})
    text = text_of(report(release)[0].read_text())
    assert "if more such places are among the highest or lowest estimates than chance explains" in text
    assert f"Fuzzy rules, after 1 {SECRET_PLACE} Nowhere 0.50" in text
    # as many circles as places that are disclosed or found falsely
    assert "1 of 1 place disclosed, 1 found falsely." in text
    chart = attacks_chart([("after", GroupAttack.model_validate(ranked))]).to_dict()
    (rows,) = (rows for rows in chart["datasets"].values() if "found" in rows[0])
    assert [row["place"] for row in rows if row["found"]] == [SECRET_PLACE, "Nowhere"]


def test_a_hidden_group_that_is_found_is_a_broken_promise(release):
    keep(release, certificate_of(release), "attack", attacked(SECRET_PLACE))
    path, evidence = report(release)
    text = text_of(path.read_text())
    assert not evidence.audit.holds
    assert "✗ The group is disclosed: attacks find 1 of 1 place where it is an outlier (Hiddenville)." in text
    assert "attacks find 1 place where a hidden group is an outlier" in text
    assert write_report(release)[1].audit.holds


def test_a_hidden_group_that_estimates_follow_is_a_broken_promise(release):
    following = seen("Nowhere", correlation=0.9, chance_correlation=0.5, follows=True)
    keep(release, certificate_of(release), "attack", {"attacks": {"released": [following]}})
    path, evidence = report(release)
    text = text_of(path.read_text())
    assert not evidence.audit.holds
    assert "✗ The group is disclosed: no single place is found" in text
    assert "the estimates of attacks follow a hidden group more closely than chance explains" in text


def test_a_disclosing_run_does_not_disappear(release):
    certificate = certificate_of(release)
    other_file = {**attacked("Nowhere"), "third_party": ["small.csv"]}
    for record, is_milder in (
        (attacked("Nowhere"), False),
        # worse than the one before, which it replaces
        (attacked(SECRET_PLACE), False),
        # the same attacks on the same file, with other luck
        (attacked("Nowhere"), True),
        # a weaker attack
        (other_file, True),
    ):
        assert keep_attack(release, certificate, record) is is_milder
    assert len(kept(release.with_name("out.private"), certificate, "attack")) == 2
    path, evidence = report(release)
    text = text_of(path.read_text())
    assert not evidence.audit.holds
    assert "✗ The group is disclosed: attacks find 1 of 1 place where it is an outlier (Hiddenville)." in text
    assert "This is the worst of 2 runs with different attacks or files; 1 run discloses the group." in text
    tables = [text.index(f"What attacks trained on {file} find") for file in ("other.csv", "small.csv")]
    assert tables == sorted(tables)
    assert "Fuzzy rules, after 1 Hiddenville none" in text[tables[0] : tables[1]]
    assert "Fuzzy rules, after 1 none Nowhere" in text[tables[1] :]


def test_a_stored_record_that_is_damaged_is_named(release):
    keep(release, certificate_of(release), "attack", {"attacks": {}})
    with pytest.raises(ReleaseError, match="damaged"):
        keep_attack(release, certificate_of(release), attacked())


def test_what_nobody_promised_to_hide_is_told_but_breaks_nothing(tmp_path):
    release = written(tmp_path / "out")
    keep(release, certificate_of(release), "attack", attacked(SECRET_PLACE))
    path, evidence = report(release)
    assert evidence.audit.holds
    assert "✗ The group is disclosed" in text_of(path.read_text())


def test_a_verdict_of_another_form_or_release_is_refused(release):
    certificate = certificate_of(release)
    keep(release, certificate, "attack", {"attacks": {"released": [seen(found=5)]}})
    with pytest.raises(ReleaseError, match=r"invalid entry 'attacks.released.0.found'"):
        report(release)
    place = keep(release, certificate, "attack", attacked())
    place.write_text(place.read_text().replace(certificate.seal, "another"))
    with pytest.raises(ReleaseError, match=f"{place.name} does not belong to this release"):
        report(release)


def test_a_verdict_is_replaced_in_one_step(release, monkeypatch):
    certificate, folder = certificate_of(release), release.with_name("out.private")
    keep(release, certificate, "attack", {"attacks": 1})

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(private, "write_private", full)
    with pytest.raises(ReleaseError, match="No space left"):
        keep(release, certificate, "attack", {"attacks": 2})
    (only,) = kept(folder, certificate, "attack").values()
    assert only["attacks"] == 1
    assert sorted(path.name for path in release.parent.iterdir()) == ["out", "out.private"]
    assert len(list(folder.iterdir())) == 2
    assert list(kept(next(folder.iterdir()), certificate, "attack").values()) == [only]
    assert kept(folder, None, "attack") == {}
