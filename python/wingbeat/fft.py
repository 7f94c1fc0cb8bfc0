# SPDX-License-Identifier: Apache-2.0
"""Fourier, cosine and sine transforms with SciPy's names and arguments.

Arguments that all functions share:

x            an array of any library, or anything that numpy converts to one. The result belongs to
             the same library and is on the same device. fp16, bf16, fp32 and fp64, real and
             complex; integers are taken as float64.
n, s         the length, or one per axis: longer axes are cropped, shorter ones padded with zeros;
             None: the array's length, but 2 (bins - 1) for a half spectrum; -1 in s: the array's
             length, for half spectra too, as in SciPy.
axis, axes   along which to transform.
norm         "backward" (None): the inverse is divided by the number of points; "forward": the
             forward transform is; "ortho": both are divided by its square root.
overwrite_x  x may be overwritten: if the result has the dtype and the shape of x, it is x.
workers      the most threads on a processor, negative numbers counted from all; None: as many as
             help, see `set_workers`. Results do not depend on it.
plan         a `wingbeat.Plan` for such arrays, see `wingbeat.plan_for`.
out          an array for the result, of its shape and dtype; it may be x.
stream       on a GPU, the stream to run on: an integer, or an object with `__cuda_stream__`; None:
             the current stream of the array's library. Calls return before a GPU has finished.

Raises ValueError for lengths, axes and norms that do not exist, TypeError for dtypes, RuntimeError
if a driver fails, MemoryError without memory.

>>> import numpy as np
>>> from wingbeat import fft
>>> fft.ifft(fft.fft([1.0, 2.0, 3.0])).real.round(12)
array([1., 2., 3.])
"""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from typing import Any

import numpy as np

from wingbeat import _wingbeat
from wingbeat._arguments import MAX_LENGTH, count, lengths_and_axes, thread_count
from wingbeat._arrays import library_of
from wingbeat._calls import axes_function, real_axes_function, real_row_function, row_function
from wingbeat._types import Array, Axes, named, of_one

__all__ = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft",
           "fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2",
           "fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn",
           "dct", "idct", "dst", "idst", "dctn", "idctn", "dstn", "idstn",
           "fftfreq", "rfftfreq", "fftshift", "ifftshift",
           "next_fast_len", "prev_fast_len", "set_workers", "get_workers"]


@named(row_function)
def fft():
    """Returns the bins sum_j x[j] exp(-2 pi i jk/n), k = 0 .. n-1, as complex numbers.

    >>> fft.fft([0, 1, 0, 0]).round(12)
    array([ 1.+0.j, -0.-1.j, -1.+0.j,  0.+1.j])
    """


@named(row_function)
def ifft():
    """Returns sum_k x[k] exp(+2 pi i jk/n) / n: the inverse of `fft`.

    >>> fft.ifft([4, 0, 0, 0])
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """


@named(row_function)
def rfft():
    """Returns bins 0 .. n/2 of real numbers; the others are their mirror image.

    >>> fft.rfft([1, 1, 1, 1])
    array([4.+0.j, 0.+0.j, 0.+0.j])
    """


@named(row_function)
def irfft():
    """Returns n real numbers from bins 0 .. n/2, n even if not given: the inverse of `rfft`.

    >>> fft.irfft([4, 0, 0])
    array([1., 1., 1., 1.])
    """


@named(row_function)
def hfft():
    """Returns the real spectrum, of n bins, of a Hermitian signal, whose elements 0 .. n/2 are x.

    >>> fft.hfft([1, 0, 0])
    array([1., 1., 1., 1.])
    """


@named(row_function)
def ihfft():
    """Returns elements 0 .. n/2 of the signal whose real spectrum is x: the inverse of `hfft`.

    >>> fft.ihfft([1, 1, 1, 1]).real
    array([1., 0., 0.])
    """


@named(axes_function)
def fftn():
    """Returns `fft` along each of the axes; all of them if none are given.

    >>> fft.fftn(np.ones((2, 2)))
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """


@named(axes_function)
def fft2():
    """As `fftn`, along two axes, the last ones if none are given.

    >>> fft.fft2(np.ones((3, 2, 2))).shape
    (3, 2, 2)
    """


@named(axes_function)
def ifftn():
    """Returns the inverse of `fftn`.

    >>> fft.ifftn(fft.fftn(np.eye(2))).real.round(12)
    array([[1., 0.],
           [0., 1.]])
    """


@named(axes_function)
def ifft2():
    """As `ifftn`, along two axes, the last ones if none are given.

    >>> fft.ifft2(np.ones((3, 2, 2))).shape
    (3, 2, 2)
    """


@named(axes_function)
def rfftn():
    """Returns `rfft` along the last of the axes, then `fft` along the others.

    >>> fft.rfftn(np.ones((4, 6))).shape
    (4, 4)
    """


@named(axes_function)
def rfft2():
    """As `rfftn`, along two axes, the last ones if none are given.

    >>> fft.rfft2(np.ones((3, 4, 6))).shape
    (3, 4, 4)
    """


@named(axes_function)
def irfftn():
    """Returns the inverse of `rfftn`: `ifft` along all axes but the last, then `irfft`.

    >>> fft.irfftn(fft.rfftn(np.ones((4, 5))), s=(4, 5)).shape
    (4, 5)
    """


@named(axes_function)
def irfft2():
    """As `irfftn`, along two axes, the last ones if none are given.

    >>> fft.irfft2(np.ones((3, 4, 4))).shape
    (3, 4, 6)
    """


@named(axes_function)
def hfftn():
    """Returns the real spectrum of a signal that is Hermitian over all axes together.

    >>> fft.hfftn(np.ones((2, 3))).shape
    (2, 4)
    """


@named(axes_function)
def hfft2():
    """As `hfftn`, along two axes, the last ones if none are given.

    >>> fft.hfft2(np.ones((5, 2, 3))).shape
    (5, 2, 4)
    """


@named(axes_function)
def ihfftn():
    """Returns the inverse of `hfftn`.

    >>> fft.ihfftn(fft.hfftn(np.ones((2, 3)))).real.round(12)
    array([[1., 1., 1.],
           [1., 1., 1.]])
    """


@named(axes_function)
def ihfft2():
    """As `ihfftn`, along two axes, the last ones if none are given.

    >>> fft.ihfft2(np.ones((5, 2, 4))).shape
    (5, 2, 3)
    """


@named(real_row_function)
def dct():
    """Returns the cosine transform of type 1 to 4. Real arrays stay real; both parts of complex
    ones are transformed. `orthogonalize`, by default if norm is "ortho", scales the first or last
    elements so that the transform is an orthogonal matrix under that norm.

    >>> fft.dct([1, 1, 1, 1]).round(12)
    array([8., 0., 0., 0.])
    """


@named(real_row_function)
def idct():
    """Returns the inverse of `dct` of that type.

    >>> fft.idct([8, 0, 0, 0])
    array([1., 1., 1., 1.])
    """


@named(real_row_function)
def dst():
    """Returns the sine transform of type 1 to 4; as `dct` otherwise.

    >>> fft.dst([0, 1, 0], type=1).round(12)
    array([ 2.,  0., -2.])
    """


@named(real_row_function)
def idst():
    """Returns the inverse of `dst` of that type.

    >>> fft.idst(fft.dst([1, 2, 3])).round(12)
    array([1., 2., 3.])
    """


@named(real_axes_function)
def dctn():
    """Returns `dct` along each of the axes; all of them if none are given.

    >>> fft.dctn(np.ones((2, 2)))
    array([[16.,  0.],
           [ 0.,  0.]])
    """


@named(real_axes_function)
def idctn():
    """Returns the inverse of `dctn`.

    >>> fft.idctn(fft.dctn(np.eye(2))).round(12)
    array([[1., 0.],
           [0., 1.]])
    """


@named(real_axes_function)
def dstn():
    """Returns `dst` along each of the axes; all of them if none are given.

    >>> fft.dstn(np.ones((3, 4))).shape
    (3, 4)
    """


@named(real_axes_function)
def idstn():
    """Returns the inverse of `dstn`.

    >>> fft.idstn(fft.dstn(np.eye(2))).round(12)
    array([[1., 0.],
           [0., 1.]])
    """


def fftfreq(n: int, d: float = 1.0, *, xp: Any = None, device: Any = None,
            dtype: Any = None) -> Array:
    """Returns the frequencies of the bins of `fft`, in cycles per unit of the sample spacing d.

    xp             a module of arrays, such as torch or cupy, to which the array belongs. None:
                   numpy
    device, dtype  those of that module; None: its default

    >>> fft.fftfreq(4, 0.1)
    array([ 0. ,  2.5, -5. , -2.5])
    """
    return _frequencies("fftfreq", n, d, xp, device, dtype)


def rfftfreq(n: int, d: float = 1.0, *, xp: Any = None, device: Any = None,
             dtype: Any = None) -> Array:
    """Returns the frequencies of the bins of `rfft`; as `fftfreq` otherwise.

    >>> fft.rfftfreq(4, 0.1)
    array([0. , 2.5, 5. ])
    """
    return _frequencies("rfftfreq", n, d, xp, device, dtype)


def _frequencies(name, n, d, xp, device, dtype):
    if xp is None or xp is np:
        if device not in (None, "cpu"):
            raise ValueError(f"device is {device!r} and the array numpy's; leave device out")
        result = getattr(np.fft, name)(n, d)
        return result if dtype is None else result.astype(dtype)
    options = {"device": device, "dtype": dtype}
    return getattr(xp.fft, name)(n, d=d, **{key: value for key, value in options.items()
                                            if value is not None})


@of_one
def fftshift(x: Array, axes: Axes = None) -> Array:
    """Moves bin 0 to the middle of the axes; of all axes if none are given.

    >>> fft.fftshift(np.arange(5))
    array([3, 4, 0, 1, 2])
    """
    return _shifted(x, axes, lambda n: n // 2)


@of_one
def ifftshift(x: Array, axes: Axes = None) -> Array:
    """Undoes `fftshift`.

    >>> fft.ifftshift(fft.fftshift(np.arange(5)))
    array([0, 1, 2, 3, 4])
    """
    return _shifted(x, axes, lambda n: -(n // 2))


def _shifted(x, axes, shift_of):
    x = library_of(x).array(x)
    _, axes = lengths_and_axes(x.shape, None, axes)
    shifts = tuple(shift_of(x.shape[axis]) for axis in axes)
    if not axes:
        return x
    if isinstance(x, np.ndarray):
        return np.roll(x, shifts, axes)
    if hasattr(x, "__array_namespace__"):
        return x.__array_namespace__().roll(x, shifts, axis=axes)
    package = sys.modules[type(x).__module__.partition(".")[0]]
    if not hasattr(package, "roll"):
        raise TypeError(f"x is of type {type(x).__name__}, whose library {package.__name__} has no "
                        "roll; shift a copy in numpy")
    return package.roll(x, shifts, axes)


def next_fast_len(target: int, real: bool = False) -> int:
    """Returns the least length from `target` on without a prime factor above 13, even if `real`:
    such lengths are the fastest.

    >>> fft.next_fast_len(1019)
    1024
    """
    target = count(target, "target")
    if target == 0:
        return 0
    if target > MAX_LENGTH:
        raise ValueError(f"target is {target}; give a length up to {MAX_LENGTH}, the longest that "
                         "is transformed")
    return _wingbeat.next_good_length(target, bool(real))


def prev_fast_len(target: int, real: bool = False) -> int:
    """Returns the largest such length up to `target`.

    >>> fft.prev_fast_len(1019)
    1014
    """
    target = count(target, "target")
    return 0 if target == 0 else _wingbeat.previous_good_length(target, bool(real))


_limits = threading.local()


@contextmanager
def set_workers(workers: int):
    """Limits the threads that calls of this thread take within a `with` statement.

    >>> with fft.set_workers(1):
    ...     fft.get_workers()
    1
    """
    count = thread_count(workers)
    before = getattr(_limits, "count", None)
    with _wingbeat.ThreadLimit(count):
        _limits.count = count
        try:
            yield
        finally:
            _limits.count = before


def get_workers() -> int | None:
    """Returns the limit of `set_workers`; None if there is none.

    >>> fft.get_workers() is None
    True
    """
    return getattr(_limits, "count", None)
