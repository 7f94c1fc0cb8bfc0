# SPDX-License-Identifier: Apache-2.0
"""Transforms whose arrays have to be converted, copied or described first.

The functions of `wingbeat.fft` call `_wingbeat.transform_row` and `transform_axes`, which take numpy
arrays of floating point as they are, and come here where those return None, or where the caller
limits threads, gives a plan or names a stream.
"""

import numpy as np

from wingbeat import _arrays, _wingbeat
from wingbeat._arguments import thread_count

FROM_REAL = _wingbeat.kind_forward_from_real
TO_REAL = _wingbeat.kind_inverse_to_real
COMPLEX = (_wingbeat.kind_forward, _wingbeat.kind_inverse)


def transform(kind, is_inverse, x, lengths, axes, norm, *, orthogonalize=False, overwrite_x=False,
              workers=None, plan=None, out=None, stream=None):
    """Returns the transform of any array. `lengths` and `axes` are tuples, of None where an axis
    keeps its length."""
    if plan is not None:
        raise NotImplementedError("a precomputed plan was given; call it, or leave plan out")
    if workers is not None:
        with _wingbeat.ThreadLimit(thread_count(workers)):
            return transform(kind, is_inverse, x, lengths, axes, norm, orthogonalize=orthogonalize,
                             overwrite_x=overwrite_x, out=out, stream=stream)
    library = _arrays.library_of(x)
    call = _of_numpy if library is _arrays.numpy_library else _described
    return call(library, kind, is_inverse, x, lengths, axes, norm, orthogonalize, overwrite_x, out,
                stream)


def result_shape(shape, kind, lengths, axes):
    """Returns the shape of the result for an array of `shape`, and all lengths."""
    result = list(shape)
    complete = []
    for axis, n in zip(axes, lengths):
        is_last = len(complete) + 1 == len(axes)
        if n is None:
            n = 2 * (shape[axis] - 1) if is_last and kind == TO_REAL else shape[axis]
        if n < 1:
            raise ValueError(f"invalid number of data points ({n}) specified")
        complete.append(n)
        result[axis] = n // 2 + 1 if is_last and kind == FROM_REAL else n
    return tuple(result), tuple(complete)


def input_shape(shape, kind, lengths, axes):
    """Returns the shape of what a transform reads, zeros that pad it included."""
    needed = list(shape)
    for axis, n in zip(axes, lengths):
        needed[axis] = n
    if kind == TO_REAL:
        needed[axes[-1]] = lengths[-1] // 2 + 1
    return tuple(needed)


def _of_numpy(library, kind, is_inverse, x, lengths, axes, norm, orthogonalize, overwrite_x, out,
              stream):
    if stream is not None:
        raise ValueError("a stream was given with an array in memory of the processor, which has "
                         "none; leave stream out")
    x = library.converted(np.asarray(x), kind)
    axes = _within(axes, x.ndim)
    result = _wingbeat.transform_axes(kind, is_inverse, x, lengths, axes, norm, orthogonalize,
                                      overwrite_x, out)
    if result is not None:
        return result
    shape, lengths = result_shape(x.shape, kind, lengths, axes)
    if 0 in x.shape or 0 in shape:
        result = np.zeros(shape, library.result_type(x.dtype, kind))
    else:
        x = _padded(x, input_shape(x.shape, kind, lengths, axes), axes)
        result = _wingbeat.transform_axes(kind, is_inverse, x, lengths, axes, norm, orthogonalize,
                                          False, None)
    return result if out is None else _written(library, out, result)


def _written(library, out, result):
    library.require_out(out, result.shape, result.dtype)
    out[...] = result
    return out


def _within(axes, rank):
    """Returns axes counted from 0."""
    for axis in axes:
        if not -rank <= axis < rank:
            raise IndexError(f"axis {axis} is out of bounds for an array of {rank} dimensions")
    return tuple(axis % rank for axis in axes)


def _padded(x, shape, axes):
    """Returns a packed copy of the numpy array x; beyond three axes it has the zeros as well, which
    no plan supplies for so many."""
    if len(axes) <= 3:
        return np.array(x, order="C", copy=True)
    padded = np.zeros(shape, x.dtype)
    part = tuple(slice(0, min(have, need)) for have, need in zip(x.shape, shape))
    padded[part] = x[part]
    return padded
