"""Fuzzy clustering as plainly as it can be written, to compare with."""

from __future__ import annotations

import numpy as np


def plain_distances(records, centres, norms=None):
    """Return squared distances, records x sets."""
    offsets = records[:, None, :] - centres[None]
    if norms is None:
        return (offsets**2).sum(axis=2)
    return np.einsum("nia,iab,nib->ni", offsets, norms, offsets)


def plain_memberships(distances, fuzzifier):
    """Return memberships; centres where a record lies share it."""
    at = distances == 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = (distances.min(axis=1, keepdims=True) / distances) ** (1.0 / (fuzzifier - 1.0))
    ratios = np.where(at.any(axis=1, keepdims=True), at, ratios)
    return ratios / ratios.sum(axis=1, keepdims=True)


def plain_c_means(records, centres, *, fuzzifier=2.0, iterations=10, weights=None):
    """Return the centres and the objectives at the start and after each iteration."""
    weights = np.ones(len(records)) if weights is None else weights
    objectives = []
    for turn in range(iterations + 1):
        distances = plain_distances(records, centres)
        powers = weights[:, None] * plain_memberships(distances, fuzzifier) ** fuzzifier
        objectives.append((powers * distances).sum())
        if turn < iterations:
            centres = (powers.T @ records) / powers.sum(axis=0)[:, None]
    return centres, np.array(objectives)


def plain_gustafson_kessel(records, centres, *, fuzzifier=2.0, iterations=10):
    """Return centres, norms and objectives, without any regularization."""
    n_sets, n_attributes = centres.shape
    variances = records.var(axis=0)
    # round in deviations of attributes, and of determinant 1
    first = np.diag(np.exp(np.log(variances).mean()) / variances)
    norms = np.array([first] * n_sets)
    objectives = []
    for turn in range(iterations + 1):
        distances = plain_distances(records, centres, norms)
        powers = plain_memberships(distances, fuzzifier) ** fuzzifier
        objectives.append((powers * distances).sum())
        if turn < iterations:
            centres = (powers.T @ records) / powers.sum(axis=0)[:, None]
            offsets = records[:, None, :] - centres
            covariances = np.einsum("ni,nia,nib->iab", powers, offsets, offsets) / powers.sum(axis=0)[:, None, None]
            levels = np.linalg.det(covariances) ** (1.0 / n_attributes)
            norms = levels[:, None, None] * np.linalg.inv(covariances)
    return centres, norms, np.array(objectives)
