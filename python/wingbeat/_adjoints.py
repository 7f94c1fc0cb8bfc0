# SPDX-License-Identifier: Apache-2.0
"""Adjoints of transforms: each is another transform between two weightings.

A transform is a matrix. The matrix of an FFT is symmetric, so its transpose is the same FFT, and
its adjoint the FFT of the other direction. If a kind reads or writes half of a symmetric signal,
weights multiply the elements that stand for two.
"""

from typing import NamedTuple, Optional

from wingbeat import _wingbeat
from wingbeat._kinds import FORWARD, FROM_REAL, INVERSE, TO_REAL

__all__ = ["Weight", "Adjoint", "adjoint_of", "weighted_axes"]


class Weight(NamedTuple):
    """A factor for elements `begin` to `end` - 1 of an axis. A negative index counts from the end;
    an `end` of None is the end."""

    begin: int
    end: Optional[int]
    factor: float


class Adjoint(NamedTuple):
    """The adjoint of a kind: weights, a transform, weights. For a complex result of real numbers,
    it is the adjoint in the real part of the inner product."""

    kind: int
    before: tuple = ()
    after: tuple = ()


# For kinds from reals to reals without `orthogonalize`. With it, their matrices are orthogonal up
# to a factor, and the weights are 1.
_ADJOINTS = {
    FORWARD: Adjoint(INVERSE),
    INVERSE: Adjoint(FORWARD),
    _wingbeat.kind_dct1: Adjoint(_wingbeat.kind_dct1,
                                 (Weight(0, 1, 2.0), Weight(-1, None, 2.0)),
                                 (Weight(0, 1, 0.5), Weight(-1, None, 0.5))),
    _wingbeat.kind_dct2: Adjoint(_wingbeat.kind_dct3, before=(Weight(0, 1, 2.0),)),
    _wingbeat.kind_dct3: Adjoint(_wingbeat.kind_dct2, after=(Weight(0, 1, 0.5),)),
    _wingbeat.kind_dct4: Adjoint(_wingbeat.kind_dct4),
    _wingbeat.kind_dst1: Adjoint(_wingbeat.kind_dst1),
    _wingbeat.kind_dst2: Adjoint(_wingbeat.kind_dst3, before=(Weight(-1, None, 2.0),)),
    _wingbeat.kind_dst3: Adjoint(_wingbeat.kind_dst2, after=(Weight(-1, None, 0.5),)),
    _wingbeat.kind_dst4: Adjoint(_wingbeat.kind_dst4),
}


def _interior(n, factor):
    """Returns the weight of those bins of a half spectrum of n points that stand for two."""
    return (Weight(1, (n + 1) // 2, factor),)


def adjoint_of(kind, n):
    """Returns the adjoint of a kind whose last axis has n points."""
    if kind == FROM_REAL:
        return Adjoint(TO_REAL, before=_interior(n, 0.5))
    if kind == TO_REAL:
        return Adjoint(FROM_REAL, after=_interior(n, 2.0))
    return _ADJOINTS[kind]


def weighted_axes(kind, axes, orthogonalize):
    """Returns the axes along which the weights apply."""
    if kind in (FROM_REAL, TO_REAL):
        return axes[-1:]
    return () if orthogonalize else axes
