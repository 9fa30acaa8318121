from __future__ import annotations

import pytest

from sfumato.errors import SettingError
from sfumato.statistics.parser import parse
from sfumato.statistics.regression import INTERCEPT


@pytest.mark.parametrize(
    ("text", "name", "attributes"),
    [
        ("mean(age)", "mean", ("age",)),
        ("  var( hours-per-week )  ", "var", ("hours-per-week",)),
        ("std(total income)", "std", ("total income",)),
        ("cov(x,y)", "cov", ("x", "y")),
        ('corr("a, b", `c(d)`)', "corr", ("a, b", "c(d)")),
        ("regress(y ~ x1 + x2+x3)", "regress", ("y", "x1", "x2", "x3")),
        ("regress('y~z' ~ `a+b`)", "regress", ("y~z", "a+b")),
        ("mean(größe)", "mean", ("größe",)),
    ],
)
def test_statistics_are_read_as_people_write_them(text, name, attributes):
    found = parse(text)
    assert (found.name, found.attributes) == (name, attributes)
    assert [found.text[start:end] for start, end in found.spans] == list(attributes)


def test_a_regression_has_a_target_for_every_coefficient():
    assert parse("regress(y ~ a + b)").targets == (INTERCEPT, "a", "b")
    assert parse("mean(a)").targets == ("mean(a)",)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("", "a statistic is expected here\n  \n  ^", "written as mean(x), var(x)"),
        ("maen(age)", "unknown statistic 'maen'\n  maen(age)\n  ^^^^", "did you mean 'mean'? available: mean, var"),
        ("mean", "'(' is expected here\n  mean\n      ^", "written as mean(x)"),
        ("mean()", "an attribute is expected here\n  mean()\n       ^", "written as mean(x)"),
        ("mean(age", "')' is expected here\n  mean(age\n          ^", "written as mean(x)"),
        ("mean(age, sex)", "')' is expected here\n  mean(age, sex)\n          ^", "written as mean(x)"),
        ("corr(age)", "',' is expected here\n  corr(age)\n          ^", "written as corr(x, y)"),
        ("mean(age) + 1", "the end is expected here\n  mean(age) + 1\n            ^", "written as mean(x)"),
        ("regress(y, x)", "'~' is expected here\n  regress(y, x)\n           ^", "written as regress(y ~ x1 + x2)"),
        ("regress(y ~ x +)", "an attribute is expected here\n  regress(y ~ x +)\n                 ^", "written as"),
        ("mean('age)", "an attribute is expected here\n  mean('age)\n       ^", "written as mean(x)"),
        ("mean(``)", "an attribute is expected here\n  mean(``)\n       ^", "written as mean(x)"),
        ("cov(a, a)", "'a' is listed twice\n  cov(a, a)\n         ^", "var(a) is the covariance"),
        ("regress(y ~ '(intercept)')", "'(intercept)' is the name of the intercept", None),
        ("regress(y ~ x + y)", "'y' is listed twice\n  regress(y ~ x + y)\n                  ^", None),
    ],
)
def test_a_caret_stands_under_what_is_wrong(text, message, hint):
    with pytest.raises(SettingError) as caught:
        parse(text)
    assert caught.value.message.startswith(message)
    assert (caught.value.hint or "").startswith(hint or "")


def test_of_a_long_text_only_the_place_is_shown():
    with pytest.raises(SettingError) as caught:
        parse("regress(y ~ " + " + ".join(f"x{number}" for number in range(1000)) + " + x7)")
    told, shown, carets = caught.value.message.split("\n")
    assert told == "'x7' is listed twice"
    assert len(shown) < 130
    assert shown[carets.index("^") :].startswith("x7)")


def test_attributes_are_looked_up_with_their_place():
    statistic = parse("  corr(age, hour)")
    with pytest.raises(SettingError) as caught:
        statistic.check(["age", "hours"])
    assert caught.value.message == "unknown attribute 'hour'\n  corr(age, hour)\n            ^^^^"
    assert caught.value.hint == "did you mean 'hours'?"
    with pytest.raises(SettingError, match="'hour' is not numeric") as caught:
        statistic.check(["age"], ["hour"])
    assert caught.value.hint == "numeric attributes: age"
    with pytest.raises(SettingError, match="unknown attribute 'hour'") as caught:
        statistic.check(["age"], ["hours"])
    assert caught.value.hint == "did you mean 'hours'?"
    with pytest.raises(SettingError, match="text such as"):
        parse(3)
