# SPDX-License-Identifier: Apache-2.0
"""Templates found in images.

    match_template          correlation coefficients of one template, as scikit-image defines them
    match_scores            OpenCV's six scores, by their names
    Search                  many templates: the best score of each place and its template, mean,
                            variance, counts, peaks; no map of any template is written
    SearchPart              what a search for some of the templates kept, to be merged with others
    OrientationSearch       projections of a volume at many orientations, made on the device
    match_template_dft_2d   slices through a volume's transform, with torch-2dtm's interface

>>> import numpy as np
>>> from wingbeat import match
>>> image = np.zeros((8, 8)); image[2:4, 5:7] = [[1, 2], [3, 4]]
>>> scores = match.match_template(image, np.array([[1., 2.], [3., 4.]]))
>>> print(*np.unravel_index(scores.argmax(), scores.shape), scores.max().round(6))
2 5 1.0
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from wingbeat import _arguments, _sums, _wingbeat, fft
from wingbeat._arrays import numpy_library
from wingbeat._projections import unit_projections, wrapped_correlation
from wingbeat._types import Array
from wingbeat.orientation_search import Detection, OrientationSearch, Refined, ScoreTable
from wingbeat.search import Peak, Search, SearchPart

__all__ = ["Detection", "OrientationSearch", "Peak", "Refined", "ScoreTable", "Search",
           "SearchPart", "match_scores", "match_template", "match_template_dft_2d"]

#: How `numpy.pad` continues an array.
PADDINGS = ("constant", "edge", "linear_ramp", "maximum", "mean", "median", "minimum", "reflect",
            "symmetric", "wrap", "empty")
Score = Literal["sqdiff", "sqdiff_normed", "ccorr", "ccorr_normed", "ccoeff", "ccoeff_normed",
                "TM_SQDIFF", "TM_SQDIFF_NORMED", "TM_CCORR", "TM_CCORR_NORMED", "TM_CCOEFF",
                "TM_CCOEFF_NORMED"]
SCORES = ("sqdiff", "sqdiff_normed", "ccorr", "ccorr_normed", "ccoeff", "ccoeff_normed")


@np.errstate(invalid="ignore")
def match_template(image: Array, template: Array, pad_input: bool = False,
                   mode: Literal["constant", "edge", "reflect", "symmetric", "wrap"] = "constant",
                   constant_values: float = 0) -> np.ndarray:
    """Returns the correlation coefficients of a template with each part of an image, from -1 to 1.

    image            2 or 3 dimensions
    template         as many dimensions, none longer than the image's
    pad_input        False: place n of the result is for the template on image[n:n + h]; an axis has
                     H - h + 1 places. True: an axis has H places, and place n is for the template
                     whose value h // 2 lies on it. The image is continued by half a template
    mode             how `numpy.pad` continues the image: "constant", "edge", "reflect", ..
    constant_values  the value for mode "constant"

    Computes in double precision; returns float32 for float16 and float32, float64 for other
    numbers. A coefficient is 0 if the template or the image's part is constant, up to the rounding
    of sums. One value that is NaN or infinite, in image or template, makes all coefficients NaN.
    ValueError for a template that is larger than the image, or has other dimensions.

    >>> match_template(np.eye(4), np.eye(2), pad_input=True).shape
    (4, 4)
    """
    image, template = _fitting(_sums.real_array(image, "image"),
                               _sums.real_array(template, "template"))
    _arguments.choice(mode, PADDINGS, "mode")
    constant = _arguments.number(constant_values, "constant_values")
    dtype, shape = image.dtype, template.shape
    image, template = image.astype(np.float64), template.astype(np.float64)
    around = [(n // 2, n - 1 - n // 2) for n in shape]
    if not pad_input:
        scores = _coefficients(image, template)
    elif mode == "constant":
        scores = _coefficients(np.pad(image, around, constant_values=constant), template)
        if not image.min() <= constant <= image.max():  # would spoil the scores inside
            inside = tuple(slice(before, n - after)
                           for n, (before, after) in zip(image.shape, around))
            scores[inside] = _coefficients(image, template)
    else:  # numpy's ramp needs the template's full length
        image = np.pad(image, [(n, n) for n in shape], mode)
        scores = _coefficients(image[tuple(slice(n - before, after - n) for n, (before, after)
                                           in zip(shape, around))], template)
    return scores.astype(dtype, copy=False)


def match_scores(image: Array, template: Array, method: Score = "ccoeff_normed") -> np.ndarray:
    """Returns OpenCV's scores of a template with each part of an image.

    image     [y][x], or [y][x][channel], whose channels are summed
    template  as many dimensions and channels, not larger
    method    for the part I and the template T: "sqdiff" sum (T - I)^2; "ccorr" sum T I; "ccoeff"
              sum T I after the mean of each channel is subtracted from both. "_normed" divides by
              sqrt(sum T^2 sum I^2), for "ccoeff" after the means are subtracted. cv2's names, such
              as "TM_CCOEFF_NORMED", are accepted too

    Returns [H - h + 1][W - w + 1], float64 for doubles and integers above 16 bits, else float32.
    If the squares of the template or of the part are 0 (for "ccoeff_normed" after the means are
    subtracted, up to the rounding of sums), a normed score is 0, and "sqdiff_normed" 1. The
    relative error of normed scores and squared differences is at most 2^-16: a bound on the
    rounding of each part decides whether it is computed again in fp64. One value that is NaN or
    infinite makes all scores NaN. ValueError for other methods, and for shapes that do not fit.

    >>> match_scores(np.float32([[1, 2, 3]]), np.float32([[2, 3]]), "sqdiff").round(4)
    array([[2., 0.]], dtype=float32)
    """
    name = method.lower().removeprefix("tm_") if isinstance(method, str) else method
    if name not in SCORES:
        raise ValueError(f"method is {method!r}; choose one of {', '.join(SCORES)}")
    image, template = (_sums.host_array("match_scores", each) for each in (image, template))
    is_double = any(each.dtype.itemsize > (4 if each.dtype.kind == "f" else 2)
                    for each in (image, template))
    dtype = np.float64 if is_double else np.float32
    is_bytes = image.dtype == np.uint8 and not is_double
    image, template = _fitting(_sums.real_array(image, "image", np.uint8 if is_bytes else dtype),
                               _sums.real_array(template, "template", dtype))
    if image.ndim == 2:
        image, template = image[..., None], template[..., None]
    elif image.shape[2] != template.shape[2]:
        raise ValueError(f"the image has {image.shape[2]} channels and the template "
                         f"{template.shape[2]}; give as many")
    return _scores(image, template, name)


def match_template_dft_2d(image_dft: Array, template_dft: Array, rotation_matrices: Array,
                          filters: Array) -> Array:
    """Correlates an image with projections of a volume, as `torch_2dtm.match_template_dft_2d` does.

    image_dft          [H][W // 2 + 1], `rfft2` of the whitened or filtered image
    template_dft       [d][d][d // 2 + 1], `rfftn` of a volume of d^3, d even and at least 4, its
                       first two axes shifted by `fftshift`
    rotation_matrices  [orientation][3][3], for vectors (x, y, z)
    filters            [..][d][d // 2 + 1], one for each defocus, in the order of `rfft2`

    Projections are made by `OrientationSearch`, in float32: slices are interpolated linearly
    between bins; their mean is removed, their contrast reversed. The mean of each projection's edge
    is subtracted from it, and it is scaled to variance 1 in an image of zeros.

    Returns real numbers [..][orientation][H][W], as a tensor for tensors and otherwise for numpy:
    sums over the image, which wraps around. ValueError for shapes that do not fit.

    >>> volume = np.random.default_rng(0).standard_normal((8, 8, 8)).astype(np.float32)
    >>> bins = np.fft.fftshift(np.fft.rfftn(volume), (0, 1)).astype(np.complex64)
    >>> image_bins = np.fft.rfft2(np.ones((16, 16), np.float32)).astype(np.complex64)
    >>> match_template_dft_2d(image_bins, bins, np.eye(3)[None], np.ones((2, 8, 5))).shape
    (2, 1, 16, 16)
    """
    torch = _torch_of(image_dft)
    image_bins, volume_bins, rotations, filters = (
        numpy_library.array(x) if _torch_of(x) is None else x.detach().cpu().resolve_conj().numpy()
        for x in (image_dft, template_dft, rotation_matrices, filters))
    for name, x in (("bins of image_dft", image_bins), ("bins of template_dft", volume_bins),
                    ("filters", filters)):
        _sums.require_numbers(name, x)
    d = volume_bins.shape[0] if volume_bins.ndim else 0
    if (image_bins.ndim != 2 or image_bins.shape[0] < 1 or image_bins.shape[1] < 2
            or d < 4 or volume_bins.shape != (d, d, d // 2 + 1) or d % 2 != 0
            or rotations.ndim != 3 or rotations.shape[1:] != (3, 3)
            or filters.shape[-2:] != (d, d // 2 + 1)):
        raise ValueError(f"image_dft has shape {image_bins.shape}, template_dft "
                         f"{volume_bins.shape}, rotation_matrices {rotations.shape} and filters "
                         f"{filters.shape}; give [H, W/2 + 1], [d, d, d/2 + 1] with an even d, [n, "
                         "3, 3] and [.., d, d/2 + 1]")
    height, width = image_bins.shape[0], 2 * (image_bins.shape[1] - 1)
    if d > height or d > width:
        raise ValueError(f"template_dft is of a volume of {d}^3 and image_dft of an image of "
                         f"{height} x {width}; give an image that is no smaller")
    real = np.float64 if image_bins.dtype == np.complex128 else np.float32
    kept = OrientationSearch(np.zeros((d, d)), volume_bins, filters, moments=False)
    projections = kept.project(rotations).swapaxes(0, 1).reshape(
        filters.shape[:-2] + (len(rotations), d, d))
    projections = unit_projections(projections, height, width).astype(real, copy=False)
    # The image wraps around, and its mean is subtracted instead of each projection's.
    bins = image_bins.copy()
    bins[0, 0] = 0
    image = fft.irfft2(bins, (height, width)).astype(real, copy=False)
    scores = wrapped_correlation(image, projections)
    return scores if torch is None else torch.from_numpy(scores).to(image_dft.device)


def _fitting(image, template):
    if image.ndim not in (2, 3) or image.ndim != template.ndim:
        raise ValueError(f"the image has {image.ndim} dimensions and the template {template.ndim}; "
                         "give two or three, as many of both")
    if any(n < m for n, m in zip(image.shape, template.shape)) or template.size == 0:
        raise ValueError(f"Image must be larger than template: the image has shape {image.shape} "
                         f"and the template {template.shape}")
    return image, template


def _scores(image, template, name):
    """Returns scores of packed arrays [y][x][channel], in the precision of the template."""
    scores = np.empty([n - m + 1 for n, m in zip(image.shape[:2], template.shape)], template.dtype)
    kind, _, normed = name.partition("_")
    _wingbeat.template_scores(image.ctypes.data, image.shape, template.ctypes.data, template.shape,
                              scores.ctypes.data, template.dtype == np.float64,
                              image.dtype == np.uint8, ("sqdiff", "ccorr", "ccoeff").index(kind),
                              normed != "")
    return scores


def _coefficients(image, template):
    """Returns the coefficients in two or three dimensions, in double precision."""
    if image.ndim == 2:
        return _scores(*(np.ascontiguousarray(x[..., None]) for x in (image, template)),
                       "ccoeff_normed")
    # Volumes: transforms and differences of sums round relative to the image's mean.
    image, template = (np.ldexp(x, -np.frexp(np.abs(x).max())[1]) for x in (image, template))
    image, taps = image - image.mean(), template - template.mean()
    taps -= taps.mean()  # the first mean was rounded
    products = _sums.transformed(image, taps, [0, 1, 2], "valid", image.dtype, True)
    sums, squares = image, image**2
    energy, power, epsilon = squares.sum(), (taps**2).sum(), np.finfo(np.float64).eps
    for axis, n in enumerate(template.shape):
        sums, squares = (_sums.window_sums(each, n, axis) for each in (sums, squares))
    variation = squares - sums**2 / template.size
    # Below the rounding of sums, of transforms, or of the template's mean.
    is_flat = (variation <= 2 * template.size.bit_length() * epsilon * squares) | (
        variation <= (8 * epsilon)**2 * energy) | (
            power <= (16 * epsilon)**2 * (template**2).sum())
    scores = products / np.sqrt(np.where(is_flat, 1, variation * power))
    return np.where(is_flat, 0, scores.clip(-1, 1))


def _torch_of(x):
    """Returns the module of a tensor; None for other arrays."""
    if type(x).__module__.split(".")[0] != "torch":
        return None
    import torch
    return torch
