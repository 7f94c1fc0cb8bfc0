# SPDX-License-Identifier: Apache-2.0
"""SciPy's rules for the arrays and modes of convolutions, and the choice between direct sums and
transforms."""

import numpy as np

from wingbeat import _sums, _wingbeat
from wingbeat._arguments import lengths_and_axes

_MODE_TEXT = "cceptable mode flags are 'valid', 'same', or 'full'."


def have_no_axes(in1, in2, names="in1 and in2"):
    """Returns whether both are numbers. Raises ValueError if their numbers of dimensions differ."""
    if in1.ndim != in2.ndim:
        raise ValueError(f"{names} should have the same dimensionality; they have {in1.ndim} and "
                         f"{in2.ndim} dimensions")
    return in1.ndim == 0


def require_mode(mode, initial):
    if mode not in tuple(_sums.MODES):
        raise ValueError(initial + _MODE_TEXT)


def swaps(mode, shape1, shape2, axes):
    """Returns whether mode "valid" exchanges the arrays because the second one is larger."""
    if mode != "valid":
        return False
    if all(shape1[axis] >= shape2[axis] for axis in axes):
        return False
    if all(shape2[axis] >= shape1[axis] for axis in axes):
        return True
    raise ValueError("For 'valid' mode, one must be at least as large as the other in every "
                     f"dimension; the shapes are {tuple(shape1)} and {tuple(shape2)}")


def with_axes(in1, in2, mode, axes):
    """Returns the arrays (exchanged if mode "valid" does so), the given axes, and those of them
    along which neither array has length 1; along the others the convolution is a product."""
    is_stated = axes is not None
    _, stated = lengths_and_axes(in1.shape, None, axes)
    if is_stated and not stated:
        raise ValueError("when provided, axes cannot be empty; leave them out for all")
    axes = [axis for axis in stated if in1.shape[axis] != 1 and in2.shape[axis] != 1]
    for d, (n1, n2) in enumerate(zip(in1.shape, in2.shape)):
        if d not in axes and n1 != n2 and 1 not in (n1, n2):
            raise ValueError(f"incompatible shapes for in1 and in2: {in1.shape} and {in2.shape}")
    require_mode(mode, "a")
    if swaps(mode, in1.shape, in2.shape, axes):
        in1, in2 = in2, in1
    return in1, in2, stated, axes


def as_first(library, result, shape, axes, mode):
    """Returns in mode "same" the centre of a result, with the first array's lengths along the axes.
    Other dimensions may be repeated."""
    if mode != "same":
        return result
    part = [slice(None)] * result.ndim
    for axis in axes:
        start = (result.shape[axis] - shape[axis]) // 2
        part[axis] = slice(start, start + shape[axis])
    part = result[tuple(part)]
    return result if part.shape == result.shape else library.copy(part)


def direct(in1, in2, mode):
    """Returns direct sums, in the dtype of in1 * in2."""
    dtype = np.result_type(in1, in2)
    if dtype == bool or _sums.common_type(in1, in2) is None:
        return _sums.summed_by_numpy(in1, in2, range(in1.ndim), mode)
    sums = _wingbeat.sum_arrays(*alike(in1, in2), mode, "direct", False)
    return sums.astype(dtype, copy=False)


def alike(in1, in2):
    """Returns the arrays in the common dtype of their sums; integers stay integers."""
    dtype = np.result_type(in1, in2)
    if dtype.kind not in "iu":
        dtype = _sums.common_type(in1, in2)
    return [np.asarray(each).astype(dtype, copy=False) for each in (in1, in2)]


def quicker_method(in1, in2, mode):
    if needs_sums(in1, in2) or _wingbeat.are_sums_quicker(*alike(in1, in2), mode):
        return "direct"
    return "fft"


def needs_sums(in1, in2):
    """Returns whether transforms would round results that direct sums compute exactly."""
    if _sums.common_type(in1, in2) is None or (in1.dtype == bool and in2.dtype == bool):
        return True
    return _sums.are_integers(in1, in2) and not _sums.holds_integers_exactly(in1, in2)


def fill_number(fillvalue, dtype):
    fill = np.asarray(fillvalue)
    if fill.dtype.kind not in "biufc":
        raise TypeError(f"`fillvalue` is of type {type(fillvalue).__name__}; give a number")
    if fill.size != 1:
        raise ValueError("`fillvalue` must be scalar or an array with one element; it has "
                         f"{fill.size}")
    if fill.dtype.kind == "c" and dtype.kind != "c":
        raise ValueError("could not cast `fillvalue` directly to the output type, which is "
                         f"{dtype}; give a real number")
    return fill.reshape(()).astype(dtype)
