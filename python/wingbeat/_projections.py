# SPDX-License-Identifier: Apache-2.0
"""Projections of a volume and their correlations with an image."""

import numpy as np

from wingbeat import _sums


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
