# SPDX-License-Identifier: Apache-2.0
"""wingbeat as the transforms of numpy: functions with the rules of `numpy.fft`, and a patch.

>>> import numpy as np
>>> import wingbeat.numpy
>>> with wingbeat.numpy.patched():
...     np.fft.fft(np.ones(4))
array([4.+0.j, 0.+0.j, 0.+0.j, 0.+0.j])

The patch reaches code that calls `np.fft.fft`; a function that was imported by name before stays
numpy's. To numpy go long double, axes that are named twice, and arrays of other libraries.
"""

from __future__ import annotations

import functools
import operator
import threading
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Iterator

import numpy as np

from wingbeat import fft as _fft

__all__ = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "rfft2", "irfft2",
           "fftn", "ifftn", "rfftn", "irfftn", "patch", "restore", "patched"]

_ROWS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
_PLANES = ("fft2", "ifft2", "rfft2", "irfft2")
_SOLIDS = ("fftn", "ifftn", "rfftn", "irfftn")
_originals = {name: getattr(np.fft, name) for name in _ROWS + _PLANES + _SOLIDS}


def _is_ours(a):
    """Whether an array is numpy's own, and no long double."""
    overrides = not isinstance(a, np.ndarray) and hasattr(type(a), "__array_function__")
    return not overrides and np.asarray(a).dtype not in (np.longdouble, np.clongdouble)


def _written(result, out):
    """Writes a result to an `out` of another dtype, as numpy casts."""
    np.copyto(out, result, casting="same_kind")
    return out


def _narrowed(result, a, out):
    """Returns real results of float16 as float16, which numpy makes of one axis."""
    is_narrow = out is None and result.dtype == np.float32 and np.asarray(a).dtype == np.float16
    return result.astype(np.float16) if is_narrow else result


def _run(transform, a, out, lengths, axes, norm):
    """Runs with numpy's rules for `out`, and in numpy's words for lengths that do not exist."""
    if isinstance(out, tuple):
        (out,) = out
    if out is not None and not isinstance(out, np.ndarray):
        raise TypeError(f"return arrays must be of ArrayType, and out is of type "
                        f"{type(out).__name__}; give a numpy array")
    try:
        try:
            return transform(a, lengths, axes, norm, out=out)
        except TypeError:
            if out is None:
                raise
        return _written(transform(a, lengths, axes, norm), out)
    except ValueError as error:
        words = str(error)
        if words.startswith("invalid number of data points"):
            raise ValueError(f"Invalid number of FFT data points: {words}") from None
        if words.startswith("out has shape"):
            raise ValueError(f"output array has wrong shape: {words}") from None
        raise


def _row_function(name):
    original, transform = _originals[name], getattr(_fft, name)

    @functools.wraps(original)
    def function(a, n=None, axis=-1, norm=None, out=None):
        if not _is_ours(a):
            return original(a, n, axis, norm, out)
        return _narrowed(_run(transform, np.asarray(a), out, n, axis, norm), a, out)

    return function


def _lengths_and_axes(a, s, axes):
    """Returns (s, axes) by numpy's rules, with its warnings."""
    if s is not None:
        s = list(s)
        if axes is None:
            warnings.warn("`axes` should not be `None` if `s` is not `None`; give the axes, which "
                          "numpy will require", DeprecationWarning, stacklevel=4)
        if None in s:
            warnings.warn("an array containing `None` values to `s` was given, which numpy will "
                          "refuse; give -1 for the array's length", DeprecationWarning,
                          stacklevel=4)
    if axes is None:
        axes = range(-(a.ndim if s is None else len(s)), 0)
    axes = tuple(operator.index(axis) for axis in axes)
    if s is not None and len(s) != len(axes):
        raise ValueError(f"Shape and axes have different lengths: {len(s)} and {len(axes)}")
    return s, axes


def _axes_function(name):
    original, transform = _originals[name], getattr(_fft, name[:-1] + "n")
    default_axes = (-2, -1) if name.endswith("2") else None

    @functools.wraps(original)
    def function(a, s=None, axes=default_axes, norm=None, out=None):
        if not _is_ours(a):
            return original(a, s, axes, norm, out)
        a = np.asarray(a)
        given = s
        s, axes = _lengths_and_axes(a, s, axes)
        if len({axis % max(a.ndim, 1) for axis in axes}) != len(axes) or not axes:
            return original(a, given, axes, norm, out)
        if s is not None:
            s = [-1 if n is None else n for n in s]
            if name.startswith("irfft") and given[-1] is None:
                s[-1] = 2 * (a.shape[axes[-1]] - 1)
        result = _run(transform, a, out, s, axes, norm)
        return _narrowed(result, a, out) if len(axes) == 1 else result

    return function


if TYPE_CHECKING:
    from numpy.fft import (fft, fft2, fftn, hfft, ifft, ifft2, ifftn, ihfft, irfft, irfft2, irfftn,
                           rfft, rfft2, rfftn)
for _name in _ROWS:
    globals()[_name] = _row_function(_name)
for _name in _PLANES + _SOLIDS:
    globals()[_name] = _axes_function(_name)

_count = 0
_guard = threading.Lock()


def patch() -> None:
    """Replaces the functions of `numpy.fft` for this process, until `restore` was called as often.

    >>> wingbeat.numpy.patch()
    >>> np.fft.rfft is wingbeat.numpy.rfft
    True
    >>> wingbeat.numpy.restore()
    """
    global _count
    with _guard:
        _count += 1
        if _count == 1:
            for name in _originals:
                setattr(np.fft, name, globals()[name])


def restore() -> None:
    """Undoes one `patch`; the last one puts numpy's functions back.

    >>> wingbeat.numpy.patch(); wingbeat.numpy.patch(); wingbeat.numpy.restore()
    >>> np.fft.rfft is wingbeat.numpy.rfft
    True
    >>> wingbeat.numpy.restore()
    >>> np.fft.rfft is wingbeat.numpy.rfft
    False
    """
    global _count
    with _guard:
        if _count == 0:
            raise RuntimeError("restore was called more often than patch; call patch first")
        _count -= 1
        if _count == 0:
            for name, original in _originals.items():
                setattr(np.fft, name, original)


@contextmanager
def patched() -> Iterator[None]:
    """Patches `numpy.fft` within a `with` statement.

    >>> with wingbeat.numpy.patched():
    ...     np.fft.fftn(np.ones((2, 2))).real
    array([[4., 0.],
           [0., 0.]])
    """
    patch()
    try:
        yield
    finally:
        restore()
