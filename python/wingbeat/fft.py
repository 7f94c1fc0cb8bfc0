# SPDX-License-Identifier: Apache-2.0
"""Fourier, cosine and sine transforms with SciPy's names and arguments.

What all functions share:

x            an array of any library, or what numpy makes an array of. The result is of the same
             library and on the same device. fp16, bf16, fp32 and fp64, real and complex; integers
             are taken as float64.
n, s         the length, or one per axis: longer axes are cropped, shorter ones padded with zeros;
             None keeps the array's, of half a spectrum the 2 (n - 1) it is of; so does -1 in s, but
             of half a spectrum it is the array's too, as in SciPy.
axis, axes   along which to transform.
norm         "backward" (None): the inverse is divided by the number of points; "forward": the
             forward transform is; "ortho": both, by its square root.
overwrite_x  x may be overwritten: where the result has the dtype and the shape of x, it is x.
workers      the most threads on a processor, negative ones counted from all; None: as many as are
             worth it, see `set_workers`. Results do not depend on it.
plan         a `wingbeat.Plan` made for such arrays, see `wingbeat.plan_for`.
out          an array for the result, of its shape and dtype; it may be x.
stream       of a GPU, the stream to run on: an integer, or an object with `__cuda_stream__`; None:
             the current stream of the array's library. Calls return before a GPU has finished.

Raised: ValueError for lengths, axes and norms that do not exist, TypeError for dtypes, RuntimeError
where a driver fails, MemoryError without memory.

>>> import numpy as np
>>> from wingbeat import fft
>>> fft.ifft(fft.fft([1.0, 2.0, 3.0])).real.round(12)
array([1., 2., 3.])
"""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.fft import fftfreq, rfftfreq

from wingbeat import _wingbeat
from wingbeat._arguments import MAX_LENGTH, integer, lengths_and_axes, scale_of, thread_count
from wingbeat._arrays import library_of
from wingbeat._kinds import COSINES, SINES
from wingbeat._transform import Request, at_once, transform, transform_row
from wingbeat._types import Array, Axes, Norm

__all__ = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft",
           "fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2",
           "fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn",
           "dct", "idct", "dst", "idst", "dctn", "idctn", "dstn", "idstn",
           "fftfreq", "rfftfreq", "fftshift", "ifftshift",
           "next_fast_len", "prev_fast_len", "set_workers", "get_workers"]

if TYPE_CHECKING:
    from wingbeat.plan import Plan

_row, _axes = _wingbeat.transform_row, _wingbeat.transform_axes
_FORWARD, _INVERSE = _wingbeat.kind_forward, _wingbeat.kind_inverse
_FROM_REAL, _TO_REAL = _wingbeat.kind_forward_from_real, _wingbeat.kind_inverse_to_real


def fft(x: Array, n: int | None = None, axis: int = -1, norm: Norm = None,
        overwrite_x: bool = False, workers: int | None = None, *, plan: Plan | None = None,
        out: Array | None = None, stream: Any = None) -> Array:
    """Returns the bins sum_j x[j] exp(-2 pi i jk/n), k = 0 .. n-1, as complex numbers.

    >>> fft.fft([0, 1, 0, 0]).round(12)
    array([ 1.+0.j, -0.-1.j, -1.+0.j,  0.+1.j])
    """
    if workers is None and plan is None and stream is None:
        result = _row(_FORWARD, False, x, n, axis, norm, False, overwrite_x, out)
        if result is not None:
            return result
    return transform_row(_FORWARD, False, x, n, axis, norm, False, overwrite_x, workers,
                         plan, out, stream)


def ifft(x: Array, n: int | None = None, axis: int = -1, norm: Norm = None,
         overwrite_x: bool = False, workers: int | None = None, *, plan: Plan | None = None,
         out: Array | None = None, stream: Any = None) -> Array:
    """Returns sum_k x[k] exp(+2 pi i jk/n) / n: the inverse of `fft`.

    >>> fft.ifft([4, 0, 0, 0])
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    if workers is None and plan is None and stream is None:
        result = _row(_INVERSE, True, x, n, axis, norm, False, overwrite_x, out)
        if result is not None:
            return result
    return transform_row(_INVERSE, True, x, n, axis, norm, False, overwrite_x, workers,
                         plan, out, stream)


def rfft(x: Array, n: int | None = None, axis: int = -1, norm: Norm = None,
         overwrite_x: bool = False, workers: int | None = None, *, plan: Plan | None = None,
         out: Array | None = None, stream: Any = None) -> Array:
    """Returns bins 0 .. n/2 of real numbers; the others are their mirror image.

    >>> fft.rfft([1, 1, 1, 1])
    array([4.+0.j, 0.+0.j, 0.+0.j])
    """
    if workers is None and plan is None and stream is None:
        result = _row(_FROM_REAL, False, x, n, axis, norm, False, overwrite_x, out)
        if result is not None:
            return result
    return transform_row(_FROM_REAL, False, x, n, axis, norm, False, overwrite_x, workers,
                         plan, out, stream)


def irfft(x: Array, n: int | None = None, axis: int = -1, norm: Norm = None,
          overwrite_x: bool = False, workers: int | None = None, *, plan: Plan | None = None,
          out: Array | None = None, stream: Any = None) -> Array:
    """Returns n real numbers from bins 0 .. n/2, n even if not given: the inverse of `rfft`.

    >>> fft.irfft([4, 0, 0])
    array([1., 1., 1., 1.])
    """
    if workers is None and plan is None and stream is None:
        result = _row(_TO_REAL, True, x, n, axis, norm, False, overwrite_x, out)
        if result is not None:
            return result
    return transform_row(_TO_REAL, True, x, n, axis, norm, False, overwrite_x, workers,
                         plan, out, stream)


def hfft(x: Array, n: int | None = None, axis: int = -1, norm: Norm = None,
         overwrite_x: bool = False, workers: int | None = None, *, plan: Plan | None = None,
         out: Array | None = None, stream: Any = None) -> Array:
    """Returns the real spectrum, of n bins, of a signal whose second half is the conjugate of the
    first: x has its elements 0 .. n/2.

    >>> fft.hfft([1, 0, 0])
    array([1., 1., 1., 1.])
    """
    return _hermitian(x, (n,), (axis,), norm, workers, plan, out, stream)


def ihfft(x: Array, n: int | None = None, axis: int = -1, norm: Norm = None,
          overwrite_x: bool = False, workers: int | None = None, *, plan: Plan | None = None,
          out: Array | None = None, stream: Any = None) -> Array:
    """Returns elements 0 .. n/2 of the signal whose real spectrum is x: the inverse of `hfft`.

    >>> fft.ihfft([1, 1, 1, 1]).real
    array([1., 0., 0.])
    """
    return _inverse_hermitian(x, (n,), (axis,), norm, workers, plan, out, stream)


def _hermitian(x, lengths, axes, norm, workers, plan, out, stream):
    # A real result is the inverse transform of the conjugate.
    request = Request(_TO_REAL, False, lengths, axes, norm, conjugates_input=True)
    return transform(request, x, workers=workers, plan=plan, out=out, stream=stream)


def _inverse_hermitian(x, lengths, axes, norm, workers, plan, out, stream):
    request = Request(_FROM_REAL, True, lengths, axes, norm, conjugates_output=True)
    return transform(request, x, workers=workers, plan=plan, out=out, stream=stream)


def _along_axes(kind, is_inverse, x, s, axes, norm, overwrite_x, workers, plan, out, stream,
                orthogonalize=False):
    if not hasattr(x, "shape"):
        x = library_of(x).array(x)
    lengths, axes = lengths_and_axes(x.shape, s, axes)
    if not axes:
        if kind in (_FROM_REAL, _TO_REAL):
            raise ValueError("at least 1 axis must be transformed; give axes, or an array that has "
                             "some")
        scale_of(norm, is_inverse)
        if workers is not None:
            thread_count(workers)
        if plan is not None:
            raise ValueError("a plan was given and no axes, along which it would transform; leave "
                             "plan out")
        with nullcontext() if stream is None else library_of(x).running_on(stream, x):
            return x if out is None else _copied(x, out)
    if plan is None and stream is None:
        if workers is None:
            result = _axes(kind, is_inverse, x, lengths, axes, norm, orthogonalize, overwrite_x,
                           out)
        else:
            result = at_once(kind, is_inverse, x, lengths, axes, norm, orthogonalize, overwrite_x,
                             workers, out)
        if result is not None:
            return result
    return transform(Request(kind, is_inverse, lengths, axes, norm, orthogonalize, overwrite_x), x,
                     workers=workers, plan=plan, out=out, stream=stream)


def _copied(x, out):
    library = library_of(x)
    if not hasattr(library, "assign"):
        raise TypeError(f"out was given for an array of type {type(x).__name__}, which wingbeat does "
                        "not write; leave out out")
    library.require_out(out, x.shape, library.dtype_name(x), x)
    library.assign(out, x)
    return out


def fftn(x: Array, s: Axes = None, axes: Axes = None, norm: Norm = None, overwrite_x: bool = False,
         workers: int | None = None, *, plan: Plan | None = None, out: Array | None = None,
         stream: Any = None) -> Array:
    """Returns `fft` along each of the axes; all of them if none are given.

    >>> fft.fftn(np.ones((2, 2)))
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    return _along_axes(_FORWARD, False, x, s, axes, norm, overwrite_x, workers, plan, out, stream)


def fft2(x: Array, s: Axes = None, axes: Axes = (-2, -1), norm: Norm = None,
         overwrite_x: bool = False, workers: int | None = None, *, plan: Plan | None = None,
         out: Array | None = None, stream: Any = None) -> Array:
    """As `fftn`, along two axes, the last ones if none are given.

    >>> fft.fft2(np.ones((3, 2, 2))).shape
    (3, 2, 2)
    """
    return _along_axes(_FORWARD, False, x, s, axes, norm, overwrite_x, workers, plan, out, stream)


def ifftn(x: Array, s: Axes = None, axes: Axes = None, norm: Norm = None,
          overwrite_x: bool = False, workers: int | None = None, *, plan: Plan | None = None,
          out: Array | None = None, stream: Any = None) -> Array:
    """Returns the inverse of `fftn`.

    >>> fft.ifftn(fft.fftn(np.eye(2))).real.round(12)
    array([[1., 0.],
           [0., 1.]])
    """
    return _along_axes(_INVERSE, True, x, s, axes, norm, overwrite_x, workers, plan, out, stream)


def ifft2(x: Array, s: Axes = None, axes: Axes = (-2, -1), norm: Norm = None,
          overwrite_x: bool = False, workers: int | None = None, *, plan: Plan | None = None,
          out: Array | None = None, stream: Any = None) -> Array:
    """As `ifftn`, along two axes, the last ones if none are given.

    >>> fft.ifft2(np.ones((3, 2, 2))).shape
    (3, 2, 2)
    """
    return _along_axes(_INVERSE, True, x, s, axes, norm, overwrite_x, workers, plan, out, stream)


def rfftn(x: Array, s: Axes = None, axes: Axes = None, norm: Norm = None,
          overwrite_x: bool = False, workers: int | None = None, *, plan: Plan | None = None,
          out: Array | None = None, stream: Any = None) -> Array:
    """Returns `rfft` along the last of the axes, then `fft` along the others.

    >>> fft.rfftn(np.ones((4, 6))).shape
    (4, 4)
    """
    return _along_axes(_FROM_REAL, False, x, s, axes, norm, overwrite_x, workers, plan, out, stream)


def rfft2(x: Array, s: Axes = None, axes: Axes = (-2, -1), norm: Norm = None,
          overwrite_x: bool = False, workers: int | None = None, *, plan: Plan | None = None,
          out: Array | None = None, stream: Any = None) -> Array:
    """As `rfftn`, along two axes, the last ones if none are given.

    >>> fft.rfft2(np.ones((3, 4, 6))).shape
    (3, 4, 4)
    """
    return _along_axes(_FROM_REAL, False, x, s, axes, norm, overwrite_x, workers, plan, out, stream)


def irfftn(x: Array, s: Axes = None, axes: Axes = None, norm: Norm = None,
           overwrite_x: bool = False, workers: int | None = None, *, plan: Plan | None = None,
           out: Array | None = None, stream: Any = None) -> Array:
    """Returns the inverse of `rfftn`: `ifft` along all axes but the last, then `irfft`.

    >>> fft.irfftn(fft.rfftn(np.ones((4, 5))), s=(4, 5)).shape
    (4, 5)
    """
    return _along_axes(_TO_REAL, True, x, s, axes, norm, overwrite_x, workers, plan, out, stream)


def irfft2(x: Array, s: Axes = None, axes: Axes = (-2, -1), norm: Norm = None,
           overwrite_x: bool = False, workers: int | None = None, *, plan: Plan | None = None,
           out: Array | None = None, stream: Any = None) -> Array:
    """As `irfftn`, along two axes, the last ones if none are given.

    >>> fft.irfft2(np.ones((3, 4, 4))).shape
    (3, 4, 6)
    """
    return _along_axes(_TO_REAL, True, x, s, axes, norm, overwrite_x, workers, plan, out, stream)


def _axes_of_half(x, s, axes):
    lengths, axes = lengths_and_axes(library_of(x).array(x).shape, s, axes)
    if not axes:
        raise ValueError("at least 1 axis must be transformed; give axes, or an array that has "
                         "some")
    return lengths, axes


def hfftn(x: Array, s: Axes = None, axes: Axes = None, norm: Norm = None,
          overwrite_x: bool = False, workers: int | None = None, *, plan: Plan | None = None,
          out: Array | None = None, stream: Any = None) -> Array:
    """Returns the real spectrum of a signal that is Hermitian over all axes together.

    >>> fft.hfftn(np.ones((2, 3))).shape
    (2, 4)
    """
    lengths, axes = _axes_of_half(x, s, axes)
    return _hermitian(x, lengths, axes, norm, workers, plan, out, stream)


def hfft2(x: Array, s: Axes = None, axes: Axes = (-2, -1), norm: Norm = None,
          overwrite_x: bool = False, workers: int | None = None, *, plan: Plan | None = None,
          out: Array | None = None, stream: Any = None) -> Array:
    """As `hfftn`, along two axes, the last ones if none are given.

    >>> fft.hfft2(np.ones((5, 2, 3))).shape
    (5, 2, 4)
    """
    lengths, axes = _axes_of_half(x, s, axes)
    return _hermitian(x, lengths, axes, norm, workers, plan, out, stream)


def ihfftn(x: Array, s: Axes = None, axes: Axes = None, norm: Norm = None,
           overwrite_x: bool = False, workers: int | None = None, *, plan: Plan | None = None,
           out: Array | None = None, stream: Any = None) -> Array:
    """Returns the inverse of `hfftn`.

    >>> fft.ihfftn(fft.hfftn(np.ones((2, 3)))).real.round(12)
    array([[1., 1., 1.],
           [1., 1., 1.]])
    """
    lengths, axes = _axes_of_half(x, s, axes)
    return _inverse_hermitian(x, lengths, axes, norm, workers, plan, out, stream)


def ihfft2(x: Array, s: Axes = None, axes: Axes = (-2, -1), norm: Norm = None,
           overwrite_x: bool = False, workers: int | None = None, *, plan: Plan | None = None,
           out: Array | None = None, stream: Any = None) -> Array:
    """As `ihfftn`, along two axes, the last ones if none are given.

    >>> fft.ihfft2(np.ones((5, 2, 4))).shape
    (5, 2, 3)
    """
    lengths, axes = _axes_of_half(x, s, axes)
    return _inverse_hermitian(x, lengths, axes, norm, workers, plan, out, stream)


def _kind_of(table, type, is_inverse):
    try:
        return table[type][is_inverse]
    except (KeyError, TypeError):
        raise ValueError(f"Transform type {type!r} is none of 1, 2, 3 and 4; choose one of "
                         "them") from None


def dct(x: Array, type: int = 2, n: int | None = None, axis: int = -1, norm: Norm = None,
        overwrite_x: bool = False, workers: int | None = None, orthogonalize: bool | None = None,
        *, plan: Plan | None = None, out: Array | None = None, stream: Any = None) -> Array:
    """Returns the cosine transform of type 1 to 4. Real arrays stay real; both parts of complex
    ones are transformed. `orthogonalize`, by default where norm is "ortho", scales the first or
    last elements so that the transform is an orthogonal matrix under that norm.

    >>> fft.dct([1, 1, 1, 1]).round(12)
    array([8., 0., 0., 0.])
    """
    kind = _kind_of(COSINES, type, False)
    orthogonalize = norm == "ortho" if orthogonalize is None else bool(orthogonalize)
    if workers is None and plan is None and stream is None:
        result = _row(kind, False, x, n, axis, norm, orthogonalize, overwrite_x, out)
        if result is not None:
            return result
    return transform_row(kind, False, x, n, axis, norm, orthogonalize, overwrite_x, workers,
                         plan, out, stream)


def idct(x: Array, type: int = 2, n: int | None = None, axis: int = -1, norm: Norm = None,
         overwrite_x: bool = False, workers: int | None = None, orthogonalize: bool | None = None,
         *, plan: Plan | None = None, out: Array | None = None, stream: Any = None) -> Array:
    """Returns the inverse of `dct` of that type.

    >>> fft.idct([8, 0, 0, 0])
    array([1., 1., 1., 1.])
    """
    kind = _kind_of(COSINES, type, True)
    orthogonalize = norm == "ortho" if orthogonalize is None else bool(orthogonalize)
    if workers is None and plan is None and stream is None:
        result = _row(kind, True, x, n, axis, norm, orthogonalize, overwrite_x, out)
        if result is not None:
            return result
    return transform_row(kind, True, x, n, axis, norm, orthogonalize, overwrite_x, workers,
                         plan, out, stream)


def dst(x: Array, type: int = 2, n: int | None = None, axis: int = -1, norm: Norm = None,
        overwrite_x: bool = False, workers: int | None = None, orthogonalize: bool | None = None,
        *, plan: Plan | None = None, out: Array | None = None, stream: Any = None) -> Array:
    """Returns the sine transform of type 1 to 4; as `dct` otherwise.

    >>> fft.dst([0, 1, 0], type=1).round(12)
    array([ 2.,  0., -2.])
    """
    kind = _kind_of(SINES, type, False)
    orthogonalize = norm == "ortho" if orthogonalize is None else bool(orthogonalize)
    if workers is None and plan is None and stream is None:
        result = _row(kind, False, x, n, axis, norm, orthogonalize, overwrite_x, out)
        if result is not None:
            return result
    return transform_row(kind, False, x, n, axis, norm, orthogonalize, overwrite_x, workers,
                         plan, out, stream)


def idst(x: Array, type: int = 2, n: int | None = None, axis: int = -1, norm: Norm = None,
         overwrite_x: bool = False, workers: int | None = None, orthogonalize: bool | None = None,
         *, plan: Plan | None = None, out: Array | None = None, stream: Any = None) -> Array:
    """Returns the inverse of `dst` of that type.

    >>> fft.idst(fft.dst([1, 2, 3])).round(12)
    array([1., 2., 3.])
    """
    kind = _kind_of(SINES, type, True)
    orthogonalize = norm == "ortho" if orthogonalize is None else bool(orthogonalize)
    if workers is None and plan is None and stream is None:
        result = _row(kind, True, x, n, axis, norm, orthogonalize, overwrite_x, out)
        if result is not None:
            return result
    return transform_row(kind, True, x, n, axis, norm, orthogonalize, overwrite_x, workers,
                         plan, out, stream)


def _reals_along_axes(kind, is_inverse, x, s, axes, norm, overwrite_x, workers, orthogonalize, plan,
                      out, stream):
    orthogonalize = norm == "ortho" if orthogonalize is None else bool(orthogonalize)
    return _along_axes(kind, is_inverse, x, s, axes, norm, overwrite_x, workers, plan, out, stream,
                       orthogonalize)


def dctn(x: Array, type: int = 2, s: Axes = None, axes: Axes = None, norm: Norm = None,
         overwrite_x: bool = False, workers: int | None = None, orthogonalize: bool | None = None,
         *, plan: Plan | None = None, out: Array | None = None, stream: Any = None) -> Array:
    """Returns `dct` along each of the axes; all of them if none are given.

    >>> fft.dctn(np.ones((2, 2)))
    array([[16.,  0.],
           [ 0.,  0.]])
    """
    kind = _kind_of(COSINES, type, False)
    return _reals_along_axes(kind, False, x, s, axes, norm, overwrite_x, workers, orthogonalize,
                             plan, out, stream)


def idctn(x: Array, type: int = 2, s: Axes = None, axes: Axes = None, norm: Norm = None,
          overwrite_x: bool = False, workers: int | None = None, orthogonalize: bool | None = None,
          *, plan: Plan | None = None, out: Array | None = None, stream: Any = None) -> Array:
    """Returns the inverse of `dctn`.

    >>> fft.idctn(fft.dctn(np.eye(2))).round(12)
    array([[1., 0.],
           [0., 1.]])
    """
    kind = _kind_of(COSINES, type, True)
    return _reals_along_axes(kind, True, x, s, axes, norm, overwrite_x, workers, orthogonalize,
                             plan, out, stream)


def dstn(x: Array, type: int = 2, s: Axes = None, axes: Axes = None, norm: Norm = None,
         overwrite_x: bool = False, workers: int | None = None, orthogonalize: bool | None = None,
         *, plan: Plan | None = None, out: Array | None = None, stream: Any = None) -> Array:
    """Returns `dst` along each of the axes; all of them if none are given.

    >>> fft.dstn(np.ones((3, 4))).shape
    (3, 4)
    """
    kind = _kind_of(SINES, type, False)
    return _reals_along_axes(kind, False, x, s, axes, norm, overwrite_x, workers, orthogonalize,
                             plan, out, stream)


def idstn(x: Array, type: int = 2, s: Axes = None, axes: Axes = None, norm: Norm = None,
          overwrite_x: bool = False, workers: int | None = None, orthogonalize: bool | None = None,
          *, plan: Plan | None = None, out: Array | None = None, stream: Any = None) -> Array:
    """Returns the inverse of `dstn`.

    >>> fft.idstn(fft.dstn(np.eye(2))).round(12)
    array([[1., 0.],
           [0., 1.]])
    """
    kind = _kind_of(SINES, type, True)
    return _reals_along_axes(kind, True, x, s, axes, norm, overwrite_x, workers, orthogonalize,
                             plan, out, stream)


def fftshift(x: Array, axes: Axes = None) -> Array:
    """Moves bin 0 to the middle of the axes; of all if none are given.

    >>> fft.fftshift(np.arange(5))
    array([3, 4, 0, 1, 2])
    """
    return _shifted(x, axes, lambda n: n // 2)


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
    such lengths are the quickest.

    >>> fft.next_fast_len(1019)
    1024
    """
    target = _length(target)
    if target > MAX_LENGTH:
        raise ValueError(f"target is {target}; give a length up to {MAX_LENGTH}, the longest that is "
                         "transformed")
    return _wingbeat.next_good_length(target, bool(real))


def prev_fast_len(target: int, real: bool = False) -> int:
    """Returns the largest such length up to `target`.

    >>> fft.prev_fast_len(1019)
    1014
    """
    return _wingbeat.previous_good_length(_length(target), bool(real))


def _length(target):
    target = integer(target, "target")
    if target < 1:
        raise ValueError(f"target is {target}; give a length, 1 or more")
    return target


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
    """Returns the limit of `set_workers`; None where there is none.

    >>> fft.get_workers() is None
    True
    """
    return getattr(_limits, "count", None)
