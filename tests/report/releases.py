"""Small releases to report on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

import sfumato as sf
from sfumato.release.certificate import CERTIFICATE, read_json, seal_of, to_json

HOSTILE = '<script>document.title = "hostile"</script>'
SETTINGS: dict[str, Any] = {
    "method": "boxes",
    "edges": "snapped",
    "grids": {"age": 1.0, "pay": 1.0},
    "preserve": [{"statistic": "mean(age)"}, {"statistic": "corr(age, pay)"}],
    "suppress": 0.0,
}


def settings_of(name: str = "pay") -> dict[str, Any]:
    quoted = name if name.isidentifier() else f"`{name}`"
    preserve = [{"statistic": "mean(age)"}, {"statistic": f"corr(age, {quoted})"}]
    return SETTINGS | {"preserve": preserve, "grids": {"age": 1.0, name: 1.0}}


def resealed(folder: Path, **settings: Any) -> Path:
    """Replace settings of a certificate and seal it again, as somebody could who wants it believed."""
    file = folder / CERTIFICATE
    content = read_json(file)
    content["settings"] |= settings
    content["seal"] = seal_of(content)
    file.write_text(to_json(content))
    return folder


def table(name: str = "pay") -> pl.DataFrame:
    ages, pays = [20] * 4 + [30] * 4 + [50] * 6, [1] * 4 + [2] * 4 + [3] * 6
    return pl.DataFrame(
        {
            "age.lo": ages,
            "age.hi": [age + 9 for age in ages],
            f"{name}.lo": pays,
            f"{name}.hi": [pay + 1 for pay in pays],
            # a value that no report may show
            "ill": [f"SECRET{place % 3}" for place in range(14)],
        }
    )


def written(folder: Path, *, name: str = "pay", **changed: Any) -> Path:
    """Write a release of boxes in age and one more attribute."""
    promise = {"quasi": ["age", name], "sensitive": "ill", "k": 4, "l": 3} | changed.pop("promise", {})
    given: dict[str, Any] = {
        "promise": sf.Promise(**promise),
        "forms": {"age": sf.Interval(), name: sf.Interval()},
        "settings": settings_of(name),
    }
    return sf.Release(table(name), **(given | changed)).write(folder, format="csv")
