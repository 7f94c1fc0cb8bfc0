# SPDX-License-Identifier: Apache-2.0
"""Templates found in images.

    match_template          correlation coefficients of one template, as scikit-image defines them
    match_scores            OpenCV's six scores, by their names
    Search                  many templates: the best score of each place and which template had it,
                            mean, variance, counts, peaks; no map of any template is written
    SearchPart              what a search for some of the templates kept, to be merged with others
    match_template_dft_2d   slices through a volume's transform, as torch-2dtm calls it

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
from wingbeat._projections import central_slices, unit_projections, wrapped_correlation
from wingbeat._types import Array
from wingbeat.search import Peak, Search, SearchPart

__all__ = ["Peak", "Search", "SearchPart", "match_scores", "match_template",
           "match_template_dft_2d"]

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
    template         as many, none longer than the image's
    pad_input        False: place n of the result is the template on image[n:n + h], H - h + 1
                     places an axis. True: as many as the image has, the template centred on each:
                     its value h // 2 on place n. The image is continued by half a template
    mode             how `numpy.pad` continues it: "constant", "edge", "reflect", ..
    constant_values  of mode "constant"

    Computed in double precision; returns float32 for float16 and float32, float64 for other
    numbers. 0 where the template or the image's part does not vary, or by no more than sums of them
    round. One value of the image or of the template that is NaN or infinite makes all scores NaN.
    ValueError for a template that is larger than the image, or of other dimensions.

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
        if not image.min() <= constant <= image.max():  # spoils scores of others
            inside = tuple(slice(before, n - after)
                           for n, (before, after) in zip(image.shape, around))
            scores[inside] = _coefficients(image, template)
    else:  # a ramp is as long as the template, of which half is met
        image = np.pad(image, [(n, n) for n in shape], mode)
        scores = _coefficients(image[tuple(slice(n - before, after - n) for n, (before, after)
                                           in zip(shape, around))], template)
    return scores.astype(dtype, copy=False)


def match_scores(image: Array, template: Array, method: Score = "ccoeff_normed") -> np.ndarray:
    """Returns OpenCV's scores of a template with each part of an image.

    image     [y][x], or [y][x][channel], whose channels are summed
    template  as many dimensions and channels, not larger
    method    of the parts I and the template T: "sqdiff" sum (T - I)^2, "ccorr" sum T I, "ccoeff"
              the same of both without their means, of each channel; with "_normed", divided by
              sqrt(sum T^2 sum I^2), of "ccoeff" without means. cv2's names, as "TM_CCOEFF_NORMED",
              are taken too

    Returns [H - h + 1][W - w + 1], float64 for doubles and integers above 16 bits, else float32.
    A normed score is 0, and of "sqdiff_normed" 1, where the template's or the part's squares are 0,
    of "ccoeff_normed" without means, or no more than sums of them round. Normed scores, and squared
    differences, are within 2^-16 of themselves at least, as a bound of the rounding of each part of
    the image tells: what fp32 would not resolve is computed in fp64. One value that is NaN or
    infinite makes all scores NaN. ValueError for other methods and shapes that do not fit.

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

    image_dft          [H][W // 2 + 1], `rfft2` of the image, whitened or filtered before
    template_dft       [d][d][d // 2 + 1], `rfftn` of a volume of d^3, d even, its first two axes
                       shifted by `fftshift`
    rotation_matrices  [orientation][3][3], of vectors (x, y, z)
    filters            [..][d][d // 2 + 1], one for each defocus, as `rfft2` orders bins

    Slices are interpolated linearly between bins; their mean is taken out, their contrast reversed.
    Each projection loses the mean of its edge and is scaled to variance 1 among the zeros around
    it.

    Returns [..][orientation][H][W] of real numbers, torch's for tensors and numpy's for arrays:
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
            or d < 2 or volume_bins.shape != (d, d, d // 2 + 1) or d % 2 != 0
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
    slices = -central_slices(volume_bins, rotations)
    slices[..., 0, 0] = 0
    filtered = slices * filters[..., None, :, :]
    projections = np.fft.fftshift(fft.irfft2(filtered, (d, d)), (-2, -1))
    projections = unit_projections(projections, height, width).astype(real, copy=False)
    # The image wraps around, and its mean is taken out in place of each projection's.
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
    """Returns the scores of two or three dimensions, in double precision."""
    if image.ndim == 2:
        return _scores(*(np.ascontiguousarray(x[..., None]) for x in (image, template)),
                       "ccoeff_normed")
    # Of volumes. Transforms and differences of sums round by the image's mean.
    image, template = (np.ldexp(x, -np.frexp(np.abs(x).max())[1]) for x in (image, template))
    image, taps = image - image.mean(), template - template.mean()
    taps -= taps.mean()  # which rounded as the values do
    products = _sums.transformed(image, taps, [0, 1, 2], "valid", image.dtype, True)
    sums, squares = image, image**2
    energy, power, epsilon = squares.sum(), (taps**2).sum(), np.finfo(np.float64).eps
    for axis, n in enumerate(template.shape):
        sums, squares = (_sums.window_sums(each, n, axis) for each in (sums, squares))
    variation = squares - sums**2 / template.size
    # What is no more than sums, transforms, or the mean of the template round.
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
