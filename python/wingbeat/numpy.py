# SPDX-License-Identifier: Apache-2.0
"""wingbeat as the transforms of numpy: functions with the rules of `numpy.fft`, and a patch.

>>> import numpy as np
>>> import wingbeat.numpy
>>> with wingbeat.numpy.patched():
...     np.fft.fft(np.ones(4))
array([4.+0.j, 0.+0.j, 0.+0.j, 0.+0.j])

The patch reaches code that calls `np.fft.fft`; a function that was imported by name before stays
numpy's. To numpy goes what wingbeat does not take: long double, objects, axes that are named twice,
arrays of other libraries, and what numpy too refuses.
"""

from __future__ import annotations

import functools
import threading
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


_COMPUTES_IN_DOUBLE = np.__version__.startswith("1.")  # whatever the dtype, and has no `out`


def _is_ours(a):
    """Whether an array is numpy's own and of numbers, and no long double."""
    overrides = not isinstance(a, np.ndarray) and hasattr(type(a), "__array_function__")
    return not overrides and np.asarray(a).dtype.char in "?bhilqBHILQefdFD"


def _run(name, a, out, lengths, axes, norm):
    """Runs with numpy's rules for `out`: of another dtype, it gets the result as numpy casts; and
    without it, real results along one axis of float16 are float16."""
    transform = getattr(_fft, name)
    if _COMPUTES_IN_DOUBLE:
        a = a.astype(np.result_type(a, np.float64), copy=False)
    if isinstance(out, tuple):
        (out,) = out
    try:
        result = transform(a, lengths, axes, norm, out=out)
    except TypeError:
        if not isinstance(out, np.ndarray):
            raise
        np.copyto(out, transform(a, lengths, axes, norm), casting="same_kind")
        return out
    has_one_axis = not isinstance(axes, tuple) or len(axes) == 1
    is_narrow = out is None and has_one_axis and a.dtype == np.float16
    return result.astype(np.float16) if is_narrow and result.dtype == np.float32 else result


#: What wingbeat refuses is numpy's to do, or to refuse in its own words.
_Refusals = (ValueError, TypeError, IndexError)


def _row_function(name):
    original = _originals[name]

    @functools.wraps(original)
    def function(a, n=None, axis=-1, norm=None, out=None):
        try:
            if _is_ours(a):
                return _run(name, np.asarray(a), out, n, axis, norm)
        except _Refusals:
            pass
        return original(a, n, axis, norm, *(() if out is None else (out,)))

    return function


def _axes_function(name):
    original = _originals[name]
    default_axes = (-2, -1) if name.endswith("2") else None

    @functools.wraps(original)
    def function(a, s=None, axes=default_axes, norm=None, out=None):
        is_deprecated = s is not None and axes is None  # numpy warns of it
        try:
            if _is_ours(a) and not is_deprecated:
                array = np.asarray(a)
                chosen = tuple(range(array.ndim) if axes is None else axes)
                if chosen and (s is None or None not in s):
                    return _run(name[:-1] + "n", array, out, s, chosen, norm)
        except _Refusals:
            pass
        return original(a, s, axes, norm, *(() if out is None else (out,)))

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
