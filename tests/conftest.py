from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from sfumato.randomness import BYTES, Secret
from tests.recipes import GOOD, REGIONS, people

# the first call of a kernel compiles it
settings.register_profile("sfumato", deadline=None)
settings.load_profile("sfumato")

DATA = Path(os.environ.get("SFUMATO_DATA") or Path(__file__).parents[2] / "shared" / "data")


@pytest.fixture(scope="session")
def real_data() -> Callable[[str], Path]:
    """Find a file of real microdata, or skip."""

    def find(name: str) -> Path:
        path = DATA / name
        if not path.exists():
            pytest.skip(f"real microdata {name} is not in {DATA}; set SFUMATO_DATA to the folder that has it")
        return path

    return find


@pytest.fixture(scope="session", autouse=True)
def repeatable_secrets() -> Iterator[None]:
    """Draw secrets by a test's file in place of the operating system, so that a test that fails can be repeated."""
    draws: Counter[str] = Counter()

    def drawn(cls: type[Secret]) -> Secret:
        test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
        draws[test] += 1
        return cls(hashlib.sha256(f"{test.partition('::')[0]} {draws[test]}".encode()).digest()[:BYTES])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Secret, "drawn", classmethod(drawn))
        yield


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder with a microfile and a hierarchy."""
    people().write_csv(tmp_path / "people.csv", separator=";")
    (tmp_path / "trees").mkdir()
    (tmp_path / "trees" / "region.csv").write_text("".join(f"{name};{name[0]};*\n" for name in REGIONS))
    return tmp_path


@pytest.fixture
def recipe(folder: Path) -> Callable[..., Path]:
    """Write a recipe into that folder."""

    def write(text: str = GOOD, name: str = "people.toml") -> Path:
        (folder / name).write_text(text)
        return folder / name

    return write
