# SPDX-License-Identifier: Apache-2.0
"""Images convolved with kernel images: blurs, glows, sharpening.

    convolve   an image with a kernel, borders by the names of `scipy.ndimage`
    bloom      highlights that glow in the shape of a kernel

Images are [y][x] or [y][x][channel]: 2 channels are grey and alpha, 3 R, G and B, 4 R, G, B and
alpha. Alpha is not convolved, but copied. Kernels are [y][x], for all colours, or [y][x][3], one
for each.

>>> import numpy as np
>>> from wingbeat import image
>>> image.convolve(np.float32([[0, 0, 4, 0, 0]]), np.float32([[1, 2, 1]]), normalise="sum").round(4)
array([[0., 1., 2., 1., 0.]], dtype=float32)
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Literal

import numpy as np

from wingbeat import _arguments, _sums, _wingbeat
from wingbeat._arrays import numpy_library
from wingbeat._device import queue_on
from wingbeat._types import Array, Between, Border, of_image

__all__ = ["BORDERS", "NORMALISATIONS", "bloom", "convolve"]

#: The names of scipy.ndimage, and numpy.pad's.
BORDERS = {"reflect": "symmetric", "grid-mirror": "symmetric", "constant": "constant",
           "grid-constant": "constant", "nearest": "edge", "mirror": "reflect", "wrap": "wrap",
           "grid-wrap": "wrap"}
NORMALISATIONS = (None, "sum", "luminance")

_FUSED_BORDERS = {"symmetric": _wingbeat.border_mirror, "constant": _wingbeat.border_zero,
                  "edge": _wingbeat.border_clamp, "wrap": _wingbeat.border_repeat,
                  "reflect": _wingbeat.border_reflect}
_LUMINANCE = 0.212639, 0.715169, 0.072192


@of_image
def convolve(image: Array, kernel: Array, border: Border = "reflect", cval: float = 0,
             normalise: Literal["sum", "luminance", None] = None, device: Any = None, *,
             between: Between = None) -> Array:
    """Convolves an image with a kernel: each pixel is the sum over (j, i) of kernel[j, i] times the
    image's pixel at (y + h // 2 - j, x + w // 2 - i), as in `scipy.ndimage.convolve`.

    image      [y][x] or [y][x][channel]
    kernel     [h][w] or [h][w][3], of any size
    border     the pixels outside: "reflect" or "grid-mirror" (b a | a b c), "mirror" (c b | a b c),
               "nearest" (a a | a b c), "wrap" or "grid-wrap" (b c | a b c), "constant" or
               "grid-constant" (`cval`, whose size does not affect the rounding of inner pixels)
    normalise  the divisor of kernel values: None, 1; "sum", the sum of their channel, so that even
               areas do not change; "luminance", the luminance of the sums, so that the kernel tints
    device     for numpy's arrays, the device to run on: a `wingbeat.Device`, a `wingbeat.Queue`, an
               engine's name; the host by default. Doubles need the host
    between    "float16" or "bfloat16": the type of spectra between passes, in half the bytes; each
               pass then rounds to 11 or 8 bits, relative to the whole image. "float16" first
               searches the largest pixel, and waits for a GPU to find it

    Image and kernel are numpy's, torch's or CuPy's, both of one library; torch's and CuPy's stay on
    their device. Returns an array of the image's shape: float16 and float32 keep their dtype,
    integers of 8 and 16 bits give float32, others float64. Borders and planes of colours are only
    stored in memory for doubles. ValueError for shapes and names that do not fit, and
    for a numpy kernel whose divisor is 0 or not finite.

    >>> convolve(np.eye(3), np.ones((3, 3)), "constant").round(6)
    array([[2., 2., 1.],
           [2., 3., 2.],
           [1., 2., 2.]])
    """
    library, image, kernel = _sums.operands(image, kernel)
    _arguments.choice(between, _sums.BETWEEN, "between")
    shape = image.shape
    image, kernel = _image_of(library, image), _kernel_of(library, kernel)
    _arguments.choice(border, BORDERS, "border")
    cval = _arguments.number(cval, "cval")
    _arguments.choice(normalise, NORMALISATIONS, "normalise")
    if kernel.shape[2] == 3 and image.shape[2] < 3:
        raise ValueError(f"the kernel has three channels and the image {image.shape[2]}; give "
                         "an image in colours, or one channel")
    kernel = _normalised(library, kernel, normalise)
    padding = BORDERS[border]
    is_by_planes = _wingbeat.view(image).dtype == "float64"
    if device is not None and library is not numpy_library:
        raise ValueError(f"an image of type {type(image).__name__} is convolved where it is; leave "
                         "device out")
    if is_by_planes and between not in (None, "float32"):
        raise ValueError("an image of float64 stores nothing narrower between passes; leave "
                         "between out")
    queue = queue_on(device)
    if is_by_planes and queue is not None and queue.device.engine != _wingbeat.Engine.host:
        raise ValueError("an image of float64 is for the host; leave device out")
    if is_by_planes:
        result = _by_planes(library, image, kernel, padding)
    else:
        result = _fused(library, image, kernel, padding, between, queue)
    if padding == "constant" and cval != 0:
        with np.errstate(invalid="ignore"):
            terms = kernel * cval
        terms[kernel == 0] = 0  # a zero times NaN or infinity is 0, as in SciPy
        lengths = image.shape[:2]
        result[..., :_colours(image)] += _sums.border_sums(
            library, terms, lengths, [n // 2 for n in kernel.shape[:2]], lengths)
    return result.reshape(shape)


@of_image
def bloom(image: Array, kernel: Array, threshold: float = 1.0, strength: float = 1.0,
          border: Border = "reflect", device: Any = None, *, between: Between = None) -> Array:
    """Lets the part of an image above `threshold` glow in the shape of a kernel: that part is
    replaced by `strength` times its convolution with the kernel, which keeps its luminance.

    image, kernel, border, device, between  as in `convolve`

    Returns an array of the image's shape and `convolve`'s dtype. ValueError as in `convolve`.

    >>> bloom(np.float32([[0, 3, 0]]), np.float32([[1, 2, 1]])).round(6)
    array([[0.5, 2. , 0.5]], dtype=float32)
    """
    library, image, kernel = _sums.operands(image, kernel)
    shape = image.shape
    image = _image_of(library, image)
    threshold, strength = (_arguments.number(value, name) for value, name in (
        (threshold, "threshold"), (strength, "strength")))
    bright = (image - threshold).clip(min=0) * strength
    glow = convolve(bright, kernel, border, 0, "luminance", device, between=between)
    return (image - bright + glow).reshape(shape)


def _image_of(library, x):
    """Returns an image [y][x][channel], packed, of a dtype that can be convolved."""
    shape = tuple(x.shape)
    if len(shape) not in (2, 3) or (*shape, 1)[2] > 4 or 0 in shape:
        raise ValueError(f"the image has shape {shape}; give [y, x] or [y, x, channel] of one to "
                         "four channels")
    name = _wingbeat.view(x).dtype
    if name in ("bool", "int8", "uint8", "int16", "uint16"):
        name = "float32"
    elif name in ("int32", "uint32", "int64", "uint64"):
        name = "float64"
    elif name not in ("float16", "float32", "float64"):
        raise TypeError(f"the image is of dtype {name}; give real numbers of up to 64 bits")
    return library.packed(x, range(len(shape)), (*shape[:2], (*shape, 1)[2]), name)


def _kernel_of(library, x):
    """Returns a kernel [h][w][channel] in double precision."""
    shape = tuple(x.shape)
    if len(shape) not in (2, 3) or (*shape, 1)[2] not in (1, 3) or 0 in shape:
        raise ValueError(f"the kernel has shape {shape}; give [h, w] or [h, w, 3]")
    name = _wingbeat.view(x).dtype
    if "complex" in name or not name.startswith(("bool", "int", "uint", "float", "bfloat")):
        raise TypeError(f"the kernel is of dtype {name}; give real numbers")
    return library.packed(x, range(len(shape)), (*shape[:2], (*shape, 1)[2]), "float64")


def _normalised(library, kernel, rule):
    if rule is None:
        return kernel
    sums = kernel.sum((0, 1))
    if rule == "luminance":
        n_channels = len(sums)
        sums = sum(sums[c % n_channels] * share for c, share in enumerate(_LUMINANCE))
    # On a GPU nothing waits for the sums.
    if library is numpy_library and not (np.isfinite(sums).all() and np.all(sums)):
        raise ValueError(f"the kernel's {rule} is {sums}, by which nothing can be divided; give a "
                         "kernel of another sum, or normalise=None")
    return kernel / sums


def _colours(image):
    """Returns the number of channels without alpha."""
    return image.shape[2] - (image.shape[2] in (2, 4))


def _fused(library, image, kernel, padding, between, queue):
    """Returns the convolution in one call of the library, [y][x][channel]."""
    # The library's centre of an even length lies before its middle; one more zero moves it.
    around = [(0, 1 - n % 2) for n in kernel.shape[:2]] + [(0, 0)]
    kernel = _sums.padded(library, kernel, around, "constant")
    result = library.empty(image, image.shape, _wingbeat.view(image).dtype)
    taps = library.packed(kernel, range(3), kernel.shape, "float32")
    peaks = [_sums.peak_of(x, name) if between == "float16" else 0.0
             for name, x in (("image", image), ("kernel", taps))]
    choices = SimpleNamespace(outside=_FUSED_BORDERS[padding], between=between or "float32",
                              image_peak=peaks[0], kernel_peak=peaks[1])
    _wingbeat.convolve_image(image, taps, result, choices, queue)
    return result


def _by_planes(library, image, kernel, padding):
    """Returns the convolution of an image whose border is in memory, [y][x][channel]."""
    dtype = np.dtype("float64")
    around = [(n - 1 - n // 2, n // 2) for n in kernel.shape[:2]]
    result = library.copy(image)
    for c in range(_colours(image)):
        plane = library.packed(image[..., c], range(2), image.shape[:2], dtype.name)
        plane = _sums.padded(library, plane, around, padding)
        taps = kernel[..., c % kernel.shape[2]]
        result[..., c] = _sums.transformed(plane, taps, [0, 1], "valid", dtype)
    return result
