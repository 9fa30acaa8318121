from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import sfumato as sf


@parametrize_with_checks([sf.FuzzyCMeans(), sf.GustafsonKessel()])
def test_estimator_conventions(estimator, check):
    check(estimator)
