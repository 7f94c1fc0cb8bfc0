# SPDX-License-Identifier: Apache-2.0
"""Projections of a volume, as slices of its transform, and their correlations with an image."""

import math

import numpy as np

from wingbeat import _sums


def central_slices(bins, rotations):
    """Returns planes through the origin of a volume's half spectrum [z][y][x], as [rotation][y][x]
    with y in the order of `rfft2`. Interpolates linearly between bins; bins outside are 0."""
    bins = _sums.host_array("central_slices", bins)
    _sums.require_numbers("bins", bins)
    rotations = _sums.real_array(rotations, "array of rotations")
    d = bins.shape[0]
    half = d // 2
    y, x = np.meshgrid(np.fft.fftfreq(d, 1 / d), np.arange(half + 1), indexing="ij")
    plane = np.stack([x, y, np.zeros_like(x)]).reshape(3, -1)
    result = np.empty((len(rotations), plane.shape[1]), bins.dtype)
    for i, rotation in enumerate(rotations.astype(np.float64)):
        points = rotation @ plane
        is_mirrored = points[0] < 0
        points = np.where(is_mirrored, -points, points)
        places = (points[2] + half, points[1] + half, points[0])
        values = _interpolated(bins, places)
        result[i] = np.where(is_mirrored, values.conj(), values)
    return result.reshape(len(rotations), d, half + 1)


def _interpolated(values, places):
    """Returns an array's values at fractional places, interpolated from the 8 around each; 0 for
    places outside by more than rounding."""
    rounding = 1e-4
    is_inside = np.ones(places[0].shape, bool)
    below, after = [], []
    for place, n in zip(places, values.shape):
        is_inside &= (place >= -rounding) & (place <= n - 1 + rounding)
        low = np.clip(np.floor(place).astype(np.int64), 0, n - 2)
        below.append(low)
        after.append(np.clip(place - low, 0, 1))
    total = np.zeros(places[0].shape, np.complex128)
    for corner in np.ndindex(2, 2, 2):
        weight = math.prod(part if step else 1 - part for part, step in zip(after, corner))
        total += weight * values[tuple(low + step for low, step in zip(below, corner))]
    return np.where(is_inside, total, 0)


def unit_projections(projections, height, width):
    """Returns projections minus the mean of their edges, scaled to variance 1 in an image of zeros.
    """
    projections = _sums.real_array(projections, "array of projections")
    edges = np.concatenate([projections[..., 0, :], projections[..., -1, :],
                            projections[..., 1:-1, 0], projections[..., 1:-1, -1]], -1)
    projections = projections - edges.mean(-1)[..., None, None]
    n_image = height * width
    mean = projections.sum((-2, -1)) / n_image
    variance = (projections**2).sum((-2, -1)) / n_image - mean**2
    return projections / np.sqrt(variance)[..., None, None]


def wrapped_correlation(image, templates):
    """Returns correlations [..][y][x] with an image that wraps around: the valid part for its
    periodic continuation."""
    image = _sums.real_array(image, "image")
    templates = _sums.real_array(templates, "array of templates")
    if templates.size == 0:
        return np.empty(templates.shape[:-2] + image.shape, image.dtype)
    height, width = templates.shape[-2:]
    continued = np.pad(image, ((0, height - 1), (0, width - 1)), "wrap")
    batch = templates.reshape((-1, height, width))
    scores = _sums.transformed(continued[None], batch, [1, 2], "valid", image.dtype, True)
    return scores.reshape(templates.shape[:-2] + image.shape)
