# SPDX-License-Identifier: Apache-2.0
"""Transforms whose arrays have to be converted, copied or described first.

The functions of `wingbeat.fft` call `_wingbeat.transform_row` and `transform_axes`, which take
arrays of numpy, torch and CuPy of floating point as they are, and come here where those return
None, or where the caller limits threads, gives a plan or names a stream.
"""

from contextlib import nullcontext
from typing import NamedTuple

import numpy as np

from wingbeat import _wingbeat
from wingbeat._arguments import length, thread_count
from wingbeat._arrays import (FROM_REAL, TO_REAL, ForeignLibrary, conversion, library_of,
                              numpy_library, result_name)


class Request(NamedTuple):
    """A transform, whatever the array."""

    kind: int             #: `_wingbeat.kind_forward` ..
    is_inverse: bool      #: Which of a pair of functions was called; `norm` depends on it.
    lengths: tuple        #: One per axis; None where the axis keeps its own.
    axes: tuple
    norm: str = None
    orthogonalize: bool = False
    overwrite_x: bool = False
    conjugates_input: bool = False
    conjugates_output: bool = False

    def on(self, rank):
        """Returns the request with axes counted from 0."""
        for axis in self.axes:
            if not -rank <= axis < rank:
                raise IndexError(f"axis {axis} is out of bounds for an array of {rank} dimensions")
        return self._replace(axes=tuple(axis % rank for axis in self.axes))


def at_once(kind, is_inverse, x, lengths, axes, norm, orthogonalize, overwrite_x, workers, out):
    """Returns the transform of an array that the extension reads by itself; None for others."""
    with _wingbeat.ThreadLimit(thread_count(workers)):
        return _wingbeat.transform_axes(kind, is_inverse, x, lengths, axes, norm, orthogonalize,
                                        overwrite_x, out)


def transform_row(kind, is_inverse, x, n, axis, norm, orthogonalize, overwrite_x, workers, plan,
                  out, stream):
    """Returns the transform of any array along one axis."""
    if plan is not None and workers is None and stream is None:
        call = kind, is_inverse, n, axis, norm, orthogonalize, overwrite_x
        if getattr(plan, "last_call", None) == call:  # and then checked
            result = plan.run_as_expected(x, x if overwrite_x and out is None else out)
            if result is not None:
                return result
        result = _planned(Request(kind, is_inverse, (n,), (axis,), norm, orthogonalize,
                                  overwrite_x), x, plan, None, out, None)
        plan.last_call = call
        return result
    if workers is not None and plan is None and stream is None:
        result = at_once(kind, is_inverse, x, (n,), (axis,), norm, orthogonalize, overwrite_x,
                         workers, out)
        if result is not None:
            return result
    return transform(Request(kind, is_inverse, (n,), (axis,), norm, orthogonalize, overwrite_x), x,
                     workers=workers, plan=plan, out=out, stream=stream)


def transform(request, x, *, workers=None, plan=None, out=None, stream=None):
    """Returns the transform of any array."""
    if plan is not None:
        return _planned(request, x, plan, workers, out, stream)
    library = library_of(x)
    call = _of_numpy if library is numpy_library else _described
    if isinstance(library, ForeignLibrary):
        call = _of_foreign
    limit = nullcontext() if workers is None else _wingbeat.ThreadLimit(thread_count(workers))
    with limit, nullcontext() if stream is None else library.running_on(stream, x):
        return call(library, request, x, out)


def _planned(request, x, plan, workers, out, stream):
    """Runs a plan that the caller made."""
    from wingbeat.plan import Plan
    if not isinstance(plan, Plan):
        raise TypeError(f"plan is of type {type(plan).__name__}; give a precomputed plan of "
                        "wingbeat.plan_for")
    if request.conjugates_input or request.conjugates_output:
        raise ValueError("hfft and ihfft conjugate beside their transform and take no plan; leave "
                         "plan out")
    x = library_of(x).array(x)
    request = request.on(len(x.shape))
    plan.require_for(request, x.shape, result_shape(x.shape, request)[0])
    if out is None and request.overwrite_x:
        out = x
    elif out is None and plan.in_place:
        raise ValueError("the plan works in place and x was not given up; give overwrite_x=True, or "
                         "out=x")
    with nullcontext() if workers is None else _wingbeat.ThreadLimit(thread_count(workers)):
        return plan(x, out, stream=stream)


def result_shape(shape, request):
    """Returns the shape of the result for an array of `shape`, and all lengths."""
    result, complete = list(shape), []
    for axis, n in zip(request.axes, request.lengths):
        is_last = len(complete) + 1 == len(request.axes)
        if n is None:
            is_halved = is_last and request.kind == TO_REAL
            n = 2 * (shape[axis] - 1) if is_halved else shape[axis]
        complete.append(length(n))
        result[axis] = n // 2 + 1 if is_last and request.kind == FROM_REAL else n
    return tuple(result), tuple(complete)


def _input_shape(shape, request):
    """Returns the shape of what a transform reads, zeros that pad it included."""
    needed = list(shape)
    for axis, n in zip(request.axes, request.lengths):
        needed[axis] = n
    if request.kind == TO_REAL:
        needed[request.axes[-1]] = request.lengths[-1] // 2 + 1
    return tuple(needed)


def _of_numpy(library, request, x, out):
    x = library.converted(np.asarray(x), request.kind)
    request = request.on(x.ndim)
    if request.conjugates_input:
        x = np.conjugate(x)

    def run(source, overwrite_x, target):
        return _wingbeat.transform_axes(request.kind, request.is_inverse, source, request.lengths,
                                        request.axes, request.norm, request.orthogonalize,
                                        overwrite_x, target)

    result = run(x, request.overwrite_x, out)
    if result is None:
        shape, lengths = result_shape(x.shape, request)
        request = request._replace(lengths=lengths)
        if 0 in x.shape or 0 in shape:
            name = result_name(conversion(x.dtype.name, request.kind, False), request.kind, False)
            result = np.zeros(shape, name)
        else:
            result = run(_padded(library, x, request), False, None)
    if request.conjugates_output:
        np.conjugate(result, result)
    if out is None or result is out:
        return result
    library.require_out(out, result.shape, result.dtype.name, x)
    library.assign(out, result)
    return out


def _described(library, request, x, out):
    x = library.converted(x, request.kind)
    if request.conjugates_input:
        x = library.conjugate(x)
    request = request.on(len(x.shape))
    shape, lengths = result_shape(x.shape, request)
    request = request._replace(lengths=lengths)
    name = result_name(library.dtype_name(x), request.kind, library.has_narrow)
    is_alike = shape == tuple(x.shape) and 0 not in shape and name == library.dtype_name(x)
    if out is None and request.overwrite_x and is_alike and library.view(x).is_writable:
        out = x
    if out is None:
        result = library.empty(x, shape, name)
    else:
        library.require_out(out, shape, name, x)
        result = out
    if 0 not in shape:
        run_described(library, request, x, result, name)
    return library.conjugate(result, result) if request.conjugates_output else result


def run_described(library, request, x, result, name):
    """Writes the transform of x to `result`, of dtype `name`: both converted and of the shapes that
    the request has."""
    if 0 in x.shape:
        return library.assign(result, 0)

    def execute(source, target):
        return _wingbeat.execute(request.kind, request.is_inverse, library.view(source),
                                 library.view(target), request.lengths, request.axes, request.norm,
                                 request.orthogonalize, library.stream_of(x),
                                 library.workspace_near(x))

    if execute(x, result):
        return None
    source = _padded(library, x, request) if _needs_copy(library, x, request) else x
    if source is not x and execute(source, result):
        return None
    between = library.empty(x, result.shape, name)
    execute(source, between)
    return library.assign(result, between)


def _is_padded(x, request):
    return any(have < need for have, need in zip(x.shape, _input_shape(x.shape, request)))


def _needs_copy(library, x, request):
    return not library.view(x).is_readable or (len(request.axes) > 3 and _is_padded(x, request))


def _padded(library, x, request):
    """Returns a packed copy of x; beyond three axes it has the zeros as well, which no plan
    supplies for so many."""
    if len(request.axes) <= 3:
        return library.copy(x)
    shape = _input_shape(x.shape, request)
    padded = library.empty(x, shape, library.dtype_name(x))
    library.assign(padded, 0)
    part = tuple(slice(0, min(have, need)) for have, need in zip(x.shape, shape))
    library.assign(padded[part], x[part])
    return padded


def _of_foreign(library, request, x, out):
    if out is not None:
        raise TypeError(f"out was given for an array of type {type(x).__name__}, which wingbeat "
                        "knows by a protocol alone and does not write; leave out out")
    host = library.host_array(x)
    if host is not None:
        result = _of_numpy(numpy_library, request._replace(overwrite_x=False), host, None)
        return library.of_host(result, x)
    if hasattr(x, "dtype"):
        x = library.converted(x, request.kind, request.conjugates_input)
    elif request.conjugates_input or request.conjugates_output:
        raise TypeError(f"x is of type {type(x).__name__}, known by a protocol alone, and hfft and "
                        "ihfft need its conjugate; call irfft or rfft")
    owner, source, stream = library.imported(x)
    if conversion(source.dtype, request.kind, False) != source.dtype:
        raise TypeError(f"x has dtype {source.dtype}, which this transform does not take, and is "
                        "known by a protocol alone; convert it")
    request = request.on(len(source.shape))
    shape, lengths = result_shape(source.shape, request)
    name = result_name(source.dtype, request.kind, False)
    result, written = _wingbeat.empty_on_device(shape, name, source.device_index, stream)
    workspaces = []

    def allocate(n_bytes):
        memory, view = _wingbeat.empty_on_device((n_bytes // 8 + 1,), "complex64",
                                                 source.device_index, stream)
        workspaces.append(memory)
        return memory, view.pointer

    if not _wingbeat.execute(request.kind, request.is_inverse, source, written, lengths,
                             request.axes, request.norm, request.orthogonalize, stream, allocate):
        raise ValueError("x has strides that no plan takes; give a contiguous copy")
    # The other library does not know the stream.
    _wingbeat.wait(source.device_index, stream)
    del owner
    result = library.exported(result, x)
    return result.conj() if request.conjugates_output else result
