# SPDX-License-Identifier: Apache-2.0
"""wingbeat as the transforms of numpy: functions with the rules of `numpy.fft`, and a patch.

>>> import numpy as np
>>> import wingbeat.numpy
>>> with wingbeat.numpy.patched():
...     np.fft.fft(np.ones(4))
array([4.+0.j, 0.+0.j, 0.+0.j, 0.+0.j])

The patch reaches code that calls `np.fft.fft`; a function that was imported by name before stays
numpy's. Calls that wingbeat does not take go to numpy: long double, objects, repeated axes,
arguments that numpy refuses too, and arrays of classes with their own `__array_function__`, such as
astropy's quantities, which keep their units.

Without scaling, and for real numbers that stand for complex ones, numpy 2 computes float32 in
float64 and rounds the result. These functions do the same, with a tenth of single precision's
error. `wingbeat.fft`, and a patch with `single=True`, take the time of single precision.
"""

from __future__ import annotations

import functools
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Iterator

import numpy as np

from wingbeat import fft as _fft
from wingbeat._arguments import boolean
from wingbeat._kinds import FUNCTIONS, PLANES, ROWS, SOLIDS

__all__ = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "rfft2", "irfft2",
           "fftn", "ifftn", "rfftn", "irfftn", "patch", "restore", "patched"]

_originals = {name: getattr(np.fft, name) for name in ROWS + PLANES + SOLIDS
              if hasattr(np.fft, name)}  # numpy has no hfft2 and hfftn


_COMPUTES_IN_DOUBLE = np.__version__.startswith("1.")  # for any dtype, and has no `out`
_DISPATCH = np.ndarray.__array_function__


def _is_ours(a, out):
    """Whether an array is numpy's own, of numbers but not long double, and neither it nor `out`
    belongs to a class that overrides numpy's functions."""
    for each in (a, *(out if isinstance(out, tuple) else (out,))):
        if type(each) is not np.ndarray and getattr(
                type(each), "__array_function__", _DISPATCH) is not _DISPATCH:
            return False
    return np.asarray(a).dtype.char in "?bhilqBHILQefdFD"


def _is_widened(name, a, norm):
    """Whether numpy computes single and half precision in double precision and rounds: if real
    numbers stand for complex ones, or if it multiplies by no factor. By default only inverse
    functions have a factor, others with a norm."""
    is_scaled = name.startswith("i") != (norm == "forward") or norm == "ortho"
    takes_reals = a.dtype.kind == "f" and name not in (
        "rfft", "ihfft", "rfft2", "rfftn", "irfft2", "irfftn")
    is_narrow = a.dtype.char in "efF" and not (_patches and _patches[-1])
    return is_narrow and (not is_scaled or takes_reals)


def _run(name, a, out, lengths, axes, norm):
    """Runs with numpy's rules for `out`: an `out` of another dtype gets the result cast by numpy;
    without `out`, real results along one axis of float16 are float16."""
    transform = getattr(_fft, name)
    if _COMPUTES_IN_DOUBLE:
        a = a.astype(np.result_type(a, np.float64), copy=False)
    if isinstance(out, tuple):
        (out,) = out
    given, is_widened = a, _is_widened(name, a, norm)
    if is_widened:
        a = a.astype(np.result_type(a, np.float64))
    try:
        result = transform(a, lengths, axes, norm, out=None if is_widened else out)
    except TypeError:
        if not isinstance(out, np.ndarray):
            raise
        result = transform(a, lengths, axes, norm)
    if out is not None and result is not out:
        if not isinstance(out, np.ndarray) or out.shape != result.shape:
            raise ValueError(f"out does not have shape {result.shape}")  # numpy's sentence
        np.copyto(out, result, casting="same_kind")
        return out
    has_one_axis = not isinstance(axes, tuple) or len(axes) == 1
    if given.dtype == np.float16 and result.dtype.kind == "f" and out is None and has_one_axis:
        return result.astype(np.float16)
    if is_widened:
        return result.astype(np.float32 if result.dtype.kind == "f" else np.complex64)
    return result


#: What wingbeat refuses is numpy's to do, or to refuse in its own words.
_Refusals = (ValueError, TypeError, IndexError)


class _Function:
    """A function that replaces numpy's and compares equal to it, because classes with
    `__array_function__` look numpy's functions up in tables, which contain this one if they were
    made while it was in numpy's place."""

    def __init__(self, original, call):
        functools.update_wrapper(self, original)
        self._call = call

    def __call__(self, *args, **kwargs):
        return self._call(*args, **kwargs)

    def __eq__(self, other):
        return other is self or other is self.__wrapped__

    def __hash__(self):
        return hash(self.__wrapped__)

    def __reduce__(self):
        return _named, (self.__name__,)

    def __repr__(self):
        return f"<function wingbeat.numpy.{self.__name__}>"


def _named(name):
    return globals()[name]


def _row_function(name):
    original = _originals[name]

    def function(a, n=None, axis=-1, norm=None, out=None):
        try:
            if _is_ours(a, out):
                return _run(name, np.asarray(a), out, n, axis, norm)
        except _Refusals:
            pass
        return original(a, n, axis, norm, *(() if out is None else (out,)))

    return _Function(original, function)


def _axes_function(name):
    original = _originals[name]

    def function(a, s=None, axes=FUNCTIONS[name].axes, norm=None, out=None):
        is_deprecated = s is not None and axes is None  # numpy warns about it
        try:
            if _is_ours(a, out) and not is_deprecated:
                array = np.asarray(a)
                chosen = tuple(range(array.ndim) if axes is None else axes)
                is_of_no_point = (name.startswith("ir") and s is None and chosen
                                  and array.shape[chosen[-1]] == 1)
                if chosen and not is_of_no_point and (s is None or None not in s):
                    return _run(name[:-1] + "n", array, out, s, chosen, norm)
        except _Refusals:
            pass
        return original(a, s, axes, norm, *(() if out is None else (out,)))

    return _Function(original, function)


if TYPE_CHECKING:
    from numpy.fft import (fft, fft2, fftn, hfft, ifft, ifft2, ifftn, ihfft, irfft, irfft2, irfftn,
                           rfft, rfft2, rfftn)
for _name in _originals:
    globals()[_name] = (_row_function if _name in ROWS else _axes_function)(_name)

_patches = []  # the argument `single` of each active patch
_guard = threading.Lock()


def patch(single: bool = False) -> None:
    """Replaces the functions of `numpy.fft` for this process, until `restore` has been called as
    often.

    single  True computes float32 and complex64 in single precision, in less time and memory; False
            in double precision if numpy does. The latest patch decides

    >>> wingbeat.numpy.patch()
    >>> np.fft.rfft is wingbeat.numpy.rfft
    True
    >>> wingbeat.numpy.restore()
    """
    single = boolean(single, "single")
    with _guard:
        _patches.append(single)
        if len(_patches) == 1:
            for name in _originals:
                setattr(np.fft, name, globals()[name])


def restore() -> None:
    """Undoes the latest `patch`; the last one puts numpy's functions back.

    >>> wingbeat.numpy.patch(); wingbeat.numpy.patch(); wingbeat.numpy.restore()
    >>> np.fft.rfft is wingbeat.numpy.rfft
    True
    >>> wingbeat.numpy.restore()
    >>> np.fft.rfft is wingbeat.numpy.rfft
    False
    """
    with _guard:
        if not _patches:
            raise RuntimeError("restore was called more often than patch; call patch first")
        _patches.pop()
        if not _patches:
            for name, original in _originals.items():
                setattr(np.fft, name, original)


@contextmanager
def patched(single: bool = False) -> Iterator[None]:
    """Patches `numpy.fft` within a `with` statement, as `patch` does.

    >>> with wingbeat.numpy.patched():
    ...     np.fft.fftn(np.ones((2, 2))).real
    array([[4., 0.],
           [0., 0.]])
    """
    patch(single)
    try:
        yield
    finally:
        restore()
