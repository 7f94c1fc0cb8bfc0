# SPDX-License-Identifier: Apache-2.0
"""Images convolved with kernel images: blurs, glows, sharpening.

    convolve   an image with a kernel, borders by the names of `scipy.ndimage`
    bloom      highlights that glow in the shape of a kernel

Images are [y][x] or [y][x][channel]: 2 channels are grey and alpha, 3 R, G and B, 4 those and alpha. Alpha
is not convolved: it stays as it is. Kernels are [y][x], for all colours, or [y][x][3], one for each.

>>> import numpy as np
>>> from wingbeat import image
>>> image.convolve(np.float32([[0, 0, 4, 0, 0]]), np.float32([[1, 2, 1]]), normalise="sum").round(4)
array([[0., 1., 2., 1., 0.]], dtype=float32)
"""

import numpy as np

from wingbeat import _sums, _wingbeat
from wingbeat._device import queue_on

__all__ = ["BORDERS", "NORMALISATIONS", "bloom", "convolve"]

#: The names of scipy.ndimage, and numpy.pad's.
BORDERS = {"reflect": "symmetric", "grid-mirror": "symmetric", "constant": "constant",
           "grid-constant": "constant", "nearest": "edge", "mirror": "reflect", "wrap": "wrap",
           "grid-wrap": "wrap"}
NORMALISATIONS = (None, "sum", "luminance")

_FUSED_BORDERS = {"symmetric": _wingbeat.border_mirror, "constant": _wingbeat.border_zero,
                  "edge": _wingbeat.border_clamp, "wrap": _wingbeat.border_repeat}
_LUMINANCE = np.array([0.212639, 0.715169, 0.072192])


def convolve(image, kernel, border="reflect", cval=0, normalise=None, device=None):
    """Convolves an image with a kernel: each pixel is the sum over (j, i) of kernel[j, i] times the
    image's pixel at (y + h // 2 - j, x + w // 2 - i), as `scipy.ndimage.convolve` has it.

    image      [y][x] or [y][x][channel]
    kernel     [h][w] or [h][w][3], of any size
    border     what lies outside: "reflect" or "grid-mirror" (b a | a b c), "mirror" (c b | a b c),
               "nearest" (a a | a b c), "wrap" or "grid-wrap" (b c | a b c), "constant" or
               "grid-constant", which has `cval`
    normalise  what kernel values are divided by: None, nothing; "sum", the sum of their channel, so
               that even areas stay; "luminance", the luminance of the sums, so that the kernel tints
    device     where it runs: a `wingbeat.Device`, a `wingbeat.Queue`, an engine's name; the host by
               default. Arrays are numpy's. Doubles, and the border "mirror", are for the host

    Returns the image's shape: float16 and float32 as they are, float32 for integers of 8 and 16 bits,
    float64 for others. Neither borders nor planes of colours exist in memory but for doubles and
    "mirror". ValueError for shapes and names that do not fit, and for a kernel without a sum.

    >>> convolve(np.eye(3), np.ones((3, 3)), "constant").round(6)
    array([[2., 2., 1.],
           [2., 3., 2.],
           [1., 2., 2.]])
    """
    image, kernel = _image_of(image), _kernel_of(kernel)
    if border not in BORDERS:
        raise ValueError(f"border is {border!r}; choose one of {', '.join(BORDERS)}")
    if normalise not in NORMALISATIONS:
        raise ValueError(f"normalise is {normalise!r}; choose None, 'sum' or 'luminance'")
    colours = image.reshape(image.shape[:2] + (-1,))
    if kernel.shape[2] == 3 and colours.shape[2] < 3:
        raise ValueError(f"the kernel has three channels and the image {colours.shape[2]}; give "
                         "an image in colours, or one channel")
    kernel = _normalised(kernel, normalise)
    padding = BORDERS[border]
    on_host = image.dtype == np.float64 or padding == "reflect"
    if on_host and device is not None:
        raise ValueError(f"an image of {image.dtype} with border {border!r} is for the host; leave "
                         "device out")
    if on_host:
        result = _on_host(colours, kernel, padding, cval)
    else:
        result = _fused(colours, kernel, padding, cval, queue_on(device))
    return result.reshape(image.shape)


def bloom(image, kernel, threshold=1.0, strength=1.0, border="reflect", device=None):
    """Lets what is brighter than `threshold` glow in the shape of a kernel: that part of the image, times
    `strength`, is convolved with the kernel, which keeps its luminance, and put in its own place.

    image, kernel, border, device  as `convolve` has them

    Returns the image's shape, of `convolve`'s dtype. ValueError as `convolve`.

    >>> bloom(np.float32([[0, 3, 0]]), np.float32([[1, 2, 1]])).round(6)
    array([[0.5, 2. , 0.5]], dtype=float32)
    """
    image = _image_of(image)
    bright = np.maximum(image - image.dtype.type(threshold), 0) * image.dtype.type(strength)
    return image - bright + convolve(bright, kernel, border, 0, "luminance", device)


def _image_of(x):
    x = _sums.host_array("this function", x)
    if x.ndim not in (2, 3) or (x.ndim == 3 and not 1 <= x.shape[2] <= 4) or x.size == 0:
        raise ValueError(f"the image has shape {x.shape}; give [y, x] or [y, x, channel] of one to "
                         "four channels")
    if x.dtype.kind in "biu" and x.dtype.itemsize <= 2:
        return x.astype(np.float32)
    if x.dtype.kind in "iu":
        return x.astype(np.float64)
    if x.dtype not in (np.float16, np.float32, np.float64):
        raise ValueError(f"the image is of dtype {x.dtype}; give real numbers of up to 64 bits")
    return x.astype(x.dtype.newbyteorder("="), copy=False)


def _kernel_of(x):
    """Returns a kernel [h][w][channel] in double precision."""
    x = _sums.host_array("this function", x)
    if x.ndim not in (2, 3) or (x.ndim == 3 and x.shape[2] not in (1, 3)) or x.size == 0:
        raise ValueError(f"the kernel has shape {x.shape}; give [h, w] or [h, w, 3]")
    if x.dtype.kind not in "biuf":
        raise ValueError(f"the kernel is of dtype {x.dtype}; give real numbers")
    return x.reshape(x.shape[:2] + (-1,)).astype(np.float64)


def _normalised(kernel, rule):
    if rule is None:
        return kernel
    sums = kernel.sum((0, 1))
    if rule == "luminance":
        sums = (np.broadcast_to(sums, 3) * _LUMINANCE).sum(keepdims=True)
    if (sums == 0).any() or not np.isfinite(sums).all():
        raise ValueError(f"the kernel's {rule} is {sums}, by which nothing can be divided; give a "
                         "kernel of another sum, or normalise=None")
    return kernel / sums


def _fused(image, kernel, padding, cval, queue):
    """Returns the convolution in one call of the library, [y][x][channel]."""
    # The library's centre of an even length lies before its middle: a zero more moves it.
    kernel = np.pad(kernel, [(0, 1 - n % 2) for n in kernel.shape[:2]] + [(0, 0)])
    # Around an image from which a constant was taken are zeros.
    is_shifted = padding == "constant" and cval != 0
    colours = slice(0, image.shape[2] - (image.shape[2] in (2, 4)))
    if is_shifted:
        image = image.copy()
        image[..., colours] -= cval
    result = np.empty(image.shape, image.dtype)
    _wingbeat.convolve_image(np.ascontiguousarray(image),
                             np.ascontiguousarray(kernel, np.float32), result,
                             _FUSED_BORDERS[padding], 0, queue)
    if is_shifted:
        result[..., colours] += cval * kernel.sum((0, 1))
    return result


def _on_host(image, kernel, padding, cval):
    """Returns the convolution of an image whose border is in memory, [y][x][channel]."""
    dtype = np.float64 if image.dtype == np.float64 else np.float32
    around = [(n - 1 - n // 2, n // 2) for n in kernel.shape[:2]]
    options = {"constant_values": cval} if padding == "constant" else {}
    result = image.copy()
    for c in range(image.shape[2] - (image.shape[2] in (2, 4))):
        plane = np.pad(image[..., c].astype(dtype), around, padding, **options)
        taps = kernel[..., c % kernel.shape[2]]
        result[..., c] = _sums.transformed(plane, taps, [0, 1], "valid", np.dtype(dtype))
    return result
