from __future__ import annotations

import pytest

import sfumato as sf


def test_every_public_name_is_there():
    for name in sf.__all__:
        assert getattr(sf, name) is not None
    assert dir(sf) == sorted(sf.__all__)


def test_other_names_are_not():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = sf.nonsense
