from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

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
