"""How wide a box should be in each attribute, so that it holds k records and blurs a statistic least."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from sfumato.array_types import Reals
from sfumato.errors import SettingError
from sfumato.kernels.elementary_functions import exponentials, logarithms


def optimal_half_widths(
    sensitivities: ArrayLike,
    density: ArrayLike,
    *,
    k: float,
    l: float = 0,  # noqa: E741  # the field's own letter
    epsilon: ArrayLike | None = None,
    caps: ArrayLike | None = None,
) -> Reals:
    """Return the half-widths of the box around each point that blurs a statistic least.

    Parameters
    ----------
    sensitivities
        How much the statistic moves with each attribute: one row an attribute, one column a point; or one number an
        attribute, for a single point.
    density
        Records per unit of volume at each point; or one number for all.
    k
        How many records a box should hold.
    l
        How many different values of each attribute a box should have room for.
    epsilon
        By how much values of each attribute must differ to count as different; of the shape of the sensitivities, or
        one number an attribute. Needed if ``l`` is not 0.
    caps
        The largest half-widths, as half the range of each attribute; infinite where there is none. Same shapes.

    Returns
    -------
    Half-widths of the shape of the sensitivities, with ``density * prod(2 half_widths) == k``; the least box that has
    room for ``l`` values where that already holds k records; the caps where even those do not.

    Notes
    -----
    Attributes that the statistic does not move with are widened first. Among several of them the volume is not
    determined by the papers: they are widened to the same share of their caps (of their least widths without caps).

    Examples
    --------
    >>> optimal_half_widths([4.0, 2.0, 1.0], 1000.0, k=8).round(9).tolist()
    [0.05, 0.1, 0.2]
    >>> optimal_half_widths([4.0, 2.0, 1.0], 1000.0, k=8, l=2, epsilon=[0.1, 0.02, 0.01]).round(4).tolist()
    [0.1, 0.0707, 0.1414]
    """
    a = _numbers("sensitivities", sensitivities)
    if a.ndim not in (1, 2) or a.shape[0] == 0:
        raise SettingError(
            f"sensitivities has the shape {a.shape}", hint="give one row an attribute and one column a point"
        )
    _positive("k", k, zero=False)
    _positive("l", l, zero=True)
    rows = a[:, None] if a.ndim == 1 else a
    least, largest = _limits(rows, l, epsilon, caps)
    held = _numbers("density", density)
    if held.shape not in ((), rows.shape[1:]) or (a.ndim == 1 and held.ndim):
        raise SettingError(
            f"density has the shape {held.shape}, there are {rows.shape[1]:,} points",
            hint="give one number a point, or one for all",
        )
    with np.errstate(divide="ignore"):
        # XK13 sec. II: rho 2^n prod Delta_i = k; in logs, for products of many widths leave the range of floats
        volume = np.broadcast_to(math.log(k) - logarithms(held) - len(rows) * math.log(2.0), rows.shape[1:])
        logs = logarithms(rows), logarithms(least), logarithms(largest)
    widths = _solve(volume, *_free_first(volume, *logs))
    with np.errstate(over="ignore"):
        # what sits at a limit is exactly there
        half_widths = np.select([widths <= logs[1], widths >= logs[2]], [least, largest], exponentials(widths)).clip(
            least, largest
        )
    if not np.isfinite(half_widths).all():
        raise SettingError(
            "the half-widths are not finite: the density is too small for boxes without caps",
            hint="give caps, as half the range of each attribute",
        )
    return half_widths.reshape(a.shape)


def uncertainties(sensitivities: ArrayLike, half_widths: ArrayLike) -> Reals:
    """Return by how much the box around each point blurs the statistic, times the number of records.

    Parameters
    ----------
    sensitivities
        As for :func:`optimal_half_widths`.
    half_widths
        Of the same shape, or one number an attribute.

    Examples
    --------
    >>> float(uncertainties([1.0, 4.0], [0.5, 0.25]))
    1.5
    """
    a, widths = _numbers("sensitivities", sensitivities), _numbers("half_widths", half_widths)
    if a.ndim not in (1, 2):
        raise SettingError(f"sensitivities has the shape {a.shape}", hint="give one row an attribute")
    # g(x) = sum a_i Delta_i; printed n c(x), which it is where no limit binds, see ERRATA 000-12
    return np.asarray((a * _shaped("half_widths", widths, a)).sum(axis=0))


def asymptotic_uncertainty(
    sensitivities: ArrayLike, density: ArrayLike, *, k: float, caps: ArrayLike | None = None
) -> float:
    """Return the half-width of the linear range of a statistic if every record had its optimal box.

    Cells that tile space can do no better as long as they are small. Boxes around their outermost records are
    narrower than the cells around them, so a release can.

    Parameters
    ----------
    sensitivities, density, k, caps
        As for :func:`optimal_half_widths`, with the records as points.

    Examples
    --------
    >>> round(asymptotic_uncertainty([[1.0, 1.0], [4.0, 4.0]], [25.0, 100.0], k=4), 9)
    0.6
    """
    blurs = np.atleast_1d(uncertainties(sensitivities, optimal_half_widths(sensitivities, density, k=k, caps=caps)))
    if blurs.size == 0:
        raise SettingError("there are no points", hint="give one column per record")
    # XF13 sec. II: Delta = n/N sum c(x)
    return float(blurs.mean())


def _numbers(name: str, values: ArrayLike) -> Reals:
    """Return what is given as numbers that are 0 or more; infinite ones only as caps."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        # a foreign message could show values
        raise SettingError(f"{name} does not hold numbers", hint="give an array of numbers") from None
    for is_wrong, problem in (
        (np.isnan(numbers), "missing (NaN)"),
        (numbers < 0, "negative"),
        (np.isinf(numbers) & (name != "caps"), "infinite"),
    ):
        if is_wrong.any():
            raise SettingError(
                f"{name}: {int(is_wrong.sum()):,} are {problem}", hint=f"{name} are finite and 0 or more"
            )
    return numbers


def _positive(name: str, value: float, *, zero: bool) -> None:
    if not (math.isfinite(value) and (value > 0 or (zero and value == 0))):
        raise SettingError(f"{name} = {value}", hint=f"{name} is finite and {'0 or more' if zero else 'above 0'}")


def _shaped(name: str, values: Reals, like: Reals) -> Reals:
    """Stretch one number an attribute over the points."""
    if values.shape == like.shape:
        return values
    if values.shape == like.shape[:1]:
        return np.broadcast_to(values[:, None], like.shape)
    raise SettingError(
        f"{name} has the shape {values.shape}, the sensitivities have {like.shape}",
        hint="give one number an attribute, or one for each attribute and point",
    )


def _limits(a: Reals, l: float, epsilon: ArrayLike | None, caps: ArrayLike | None) -> tuple[Reals, Reals]:  # noqa: E741  # XK13's l
    """Return the least and the largest half-widths."""
    least, largest = np.zeros(a.shape), np.full(a.shape, np.inf)
    if epsilon is not None:
        # XK13 sec. IV: 2 Delta_i >= l eps_i; what a box really holds is counted elsewhere, see ERRATA 001-10
        least = l * _shaped("epsilon", _numbers("epsilon", epsilon), a) / 2
    elif l > 0:
        raise SettingError(f"l = {l} without epsilon", hint="say in epsilon by how much values must differ")
    if caps is not None:
        largest = _shaped("caps", _numbers("caps", caps), a)
        if not largest.all():
            raise SettingError("caps: some are 0", hint="a box needs some width; leave constant attributes out")
        if (largest < least).any():
            raise SettingError(
                "caps: some are below l epsilon / 2", hint="raise these caps, or lower l or epsilon of the attribute"
            )
    boundless = ((a == 0) & np.isinf(largest)).any(axis=0)
    # the infimum is not a box, see ERRATA 001-8
    if (boundless & (least == 0).any(axis=0)).any():
        raise SettingError(
            "some sensitivities are 0, so that no box is the best: widening these attributes costs nothing",
            hint="give caps, as half the range of each attribute",
        )
    return least, largest


def _free_first(volume: Reals, a: Reals, least: Reals, largest: Reals) -> tuple[Reals, Reals, Reals]:
    """Rewrite logs of sensitivities and limits where attributes cost nothing: these take all the volume they can."""
    free = np.isneginf(a)
    if not free.any():
        return a, least, largest
    # ERRATA 001-8: zero-cost attributes absorb the volume, the others sit at their least widths
    enough = volume <= np.where(free, largest, least).sum(axis=0)
    reference = np.where(np.isposinf(largest), least, largest)
    return (
        np.where(free, np.where(enough, -reference, 0.0), a),
        np.where(free & ~enough, largest, least),
        np.where(~free & enough & free.any(axis=0), least, largest),
    )


def _solve(volume: Reals, a: Reals, least: Reals, largest: Reals) -> Reals:
    """Find clip(log c - log a_i, least, most) whose sum is the volume, everything in logs.

    The sum grows with c along a broken line that bends where an attribute leaves its least or reaches its largest
    width. The bends are sorted; sums over the attributes that grow after each of them tell where the volume is met.
    """
    bends = np.concatenate([a + least, a + largest])
    order = np.argsort(bends, axis=0, kind="stable")
    bends = np.take_along_axis(bends, order, axis=0)

    def after(start: Reals, end: Reals) -> Reals:
        """Sum up what each attribute adds when it starts and when it ends growing."""
        steps = np.take_along_axis(np.concatenate([start, end]), order, axis=0)
        return np.cumsum(steps, axis=0)

    unit = np.ones_like(a)
    bounded, ending = np.where(np.isneginf(least), 0.0, least), np.where(np.isposinf(largest), 0.0, largest)
    growing = after(unit, -unit)
    level = after(-a - bounded, a + ending) + bounded.sum(axis=0)
    finite = np.where(np.isinf(bends), 0.0, bends)
    reached = np.where(np.isinf(bends), bends, growing * finite + level)
    passed = (reached <= volume).sum(axis=0)
    last = np.maximum(passed - 1, 0)[None]
    number, flat, bend = (np.take_along_axis(each, last, axis=0)[0] for each in (growing, level, bends))
    # ERRATA 001-7: the single c that gives the volume; it stays at a bend after which nothing grows
    c = np.where(number > 0, (volume - flat) / np.maximum(number, 1.0), bend)
    # ERRATA 001-6: the least box is taken only if it holds k records
    c = np.where(passed > 0, c, -np.inf)
    # c - a is rounded, so limits are recognised by the bends
    return np.select([c <= a + least, c >= a + largest], [least, largest], c - a)
