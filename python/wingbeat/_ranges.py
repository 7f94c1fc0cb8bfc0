# SPDX-License-Identifier: Apache-2.0
"""Magnitudes that searches take: they keep scores in float32, whose range is 2^-126 to 2^128."""

import math

import numpy as np

_PLANE = (-2, -1)


def scaled(x, dtype):
    """Returns (x times powers of two, their negated exponents [..][1][1]): one of each [y][x] that
    makes its values smaller than 1, where their squares and products could leave dtype's range. NaN
    is passed over."""
    real = np.ascontiguousarray(x).view(x.real.dtype) if x.dtype.kind == "c" else x
    bounds = (each.reduce(real, _PLANE, keepdims=True, initial=0).astype(np.float64)
              for each in (np.fmax, np.fmin))
    exponents = np.frexp(np.maximum(*map(np.abs, bounds)))[1]
    exponents[np.abs(exponents) <= (30 if np.dtype(dtype) == np.float32 else 400)] = 0
    if not exponents.any():
        return x, exponents
    real = np.ldexp(real.astype(np.float64), -exponents)
    return (real.view(np.complex128) if x.dtype.kind == "c" else real), exponents


def log_norms(x):
    """Returns log2 of the root of the sum of squares of each [y][x], -infinity of zeros."""
    x, exponents = scaled(x, np.float64)
    x = np.ascontiguousarray(x).view(x.real.dtype) if x.dtype.kind == "c" else x
    with np.errstate(divide="ignore"):
        return (np.log2(np.einsum("...yx,...yx->...", x, x, dtype=np.float64)) / 2
                + exponents[..., 0, 0])


def require_kept(log_image, log_templates, points, dtype):
    """Raises ValueError for templates whose scores, which are at most the product of the norms, do
    not fit in float32; nor, in that precision, inverse transforms of `points` before their scale.
    """
    log_scores = np.atleast_1d(log_image + log_templates)
    most = 128 - (math.log2(points) if np.dtype(dtype) == np.float32 else 0)
    is_refused = np.isfinite(log_scores) & ((log_scores < -126) | (log_scores > most))
    if is_refused.any():
        number = int(is_refused.argmax())
        raise ValueError(
            f"scores of template {number} of these could reach 1e{log_scores[number] * 0.30103:.0f}"
            f", and a search in {np.dtype(dtype)} keeps scores in float32, from 1e-38 to "
            f"1e{int(most * 0.30103)}; scale the image, or call match_scores with doubles, whose "
            "scores are float64")
