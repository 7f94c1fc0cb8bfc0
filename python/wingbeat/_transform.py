# SPDX-License-Identifier: Apache-2.0
"""Transforms of arrays that must be converted, copied or described first.

The functions of `wingbeat.fft` call `_wingbeat.transform_row` and `transform_axes`, which take
floating-point arrays of numpy, torch and CuPy. If those return None, or if the caller limits
threads, gives a plan or names a stream, this module runs the transform.
"""

from contextlib import nullcontext
from typing import NamedTuple

from wingbeat import _wingbeat
from wingbeat._arguments import completed, instance, length, limited
from wingbeat._arrays import conversion, library_of, numpy_library, result_name
from wingbeat._kinds import FROM_REAL, TO_REAL


class Request(NamedTuple):
    """The arguments of a transform, apart from the array."""

    kind: int             #: `_wingbeat.kind_forward` ..
    is_inverse: bool      #: The inverse function of its pair was called; `norm` depends on it.
    lengths: tuple        #: One per axis; None keeps the axis's own.
    axes: tuple
    norm: str = None
    orthogonalize: bool = False
    overwrite_x: bool = False

    # For hfft and ihfft, see `_kinds.Function`.
    @property
    def conjugates_input(self):
        return self.kind == TO_REAL and not self.is_inverse

    @property
    def conjugates_output(self):
        return self.kind == FROM_REAL and self.is_inverse

    def on(self, rank):
        """Returns the request with axes counted from 0."""
        for axis in self.axes:
            if not -rank <= axis < rank:
                raise IndexError(f"axis {axis} is out of bounds for an array of {rank} dimensions")
        return self._replace(axes=tuple(axis % rank for axis in self.axes))


def transform_row(kind, is_inverse, x, n, axis, norm, orthogonalize, overwrite_x, workers, plan,
                  out, stream):
    """Returns the transform of any array along one axis."""
    call = kind, is_inverse, n, axis, norm, orthogonalize, overwrite_x
    is_bare = workers is None and stream is None
    # A repeated call was checked the first time.
    if plan is not None and is_bare and getattr(plan, "last_call", None) == call:
        result = plan.run_as_expected(x, x if overwrite_x and out is None else out)
        if result is not None:
            return result
    request = Request(kind, is_inverse, (n,), (axis,), norm, orthogonalize, overwrite_x)
    result = transform(request, x, workers, plan, out, stream)
    if plan is not None and is_bare:
        plan.last_call = call
    return result


def transform(request, x, workers=None, plan=None, out=None, stream=None):
    """Returns the transform of any array."""
    if plan is not None:
        return _planned(request, x, plan, workers, out, stream)
    library = library_of(x)
    call = _of_foreign if hasattr(library, "host_array") else _converted
    with limited(workers), nullcontext() if stream is None else library.running_on(stream, x):
        return call(library, request, x, out)


def _planned(request, x, plan, workers, out, stream):
    """Runs a plan given by the caller."""
    from wingbeat.plan import Plan
    instance(plan, Plan, "plan", "give a precomputed plan of wingbeat.plan_for")
    if request.conjugates_input or request.conjugates_output:
        raise ValueError("hfft and ihfft conjugate beside their transform and take no plan; leave "
                         "plan out")
    x = library_of(x).array(x)
    request = request.on(len(x.shape))
    plan.require_for(request, x.shape, result_shape(x.shape, request)[0])
    if out is None and request.overwrite_x:
        out = x
    elif out is None and plan.in_place:
        raise ValueError("the plan works in place and x was not given up; give overwrite_x=True, "
                         "or out=x")
    with limited(workers):
        return plan(x, out, stream=stream)


def result_shape(shape, request):
    """Returns the shape of the result for an array of `shape`, and all lengths."""
    result, last = list(shape), request.axes[-1]
    lengths = completed(request.lengths, request.axes, shape, request.kind == TO_REAL)
    for axis, n in zip(request.axes, lengths):
        result[axis] = length(n)
    if request.kind == FROM_REAL:
        result[last] = lengths[-1] // 2 + 1
    return tuple(result), lengths


def _input_shape(shape, request):
    """Returns the shape that a transform reads, with its padding."""
    needed = list(shape)
    for axis, n in zip(request.axes, request.lengths):
        needed[axis] = n
    if request.kind == TO_REAL:
        needed[request.axes[-1]] = request.lengths[-1] // 2 + 1
    return tuple(needed)


def _converted(library, request, x, out):
    """Converts x, and copies it if no plan takes its layout."""
    x = library.converted(library.array(x), request.kind)
    if request.conjugates_input:
        x = library.conjugate(x)
    request = request.on(len(x.shape))
    result = _wingbeat.transform_axes(request.kind, request.is_inverse, x, request.lengths,
                                      request.axes, request.norm, request.orthogonalize,
                                      request.overwrite_x, out)
    if result is None:
        shape, lengths = result_shape(x.shape, request)
        view = _wingbeat.view(x)
        name = result_name(conversion(view.dtype, request.kind, library.has_narrow), request.kind,
                           library.has_narrow)
        is_alike = shape == tuple(x.shape) and 0 not in shape and name == view.dtype
        if out is not None:
            library.require_out(out, shape, name, x)
        elif (request.overwrite_x and is_alike and library is not numpy_library
              and view.is_writable):
            out = x
        result = library.empty(x, shape, name) if out is None else out
        run_described(library, request._replace(lengths=lengths), x, result, name)
    return library.conjugate(result, result) if request.conjugates_output else result


def run_described(library, request, x, result, name):
    """Writes the transform of x to `result`. Both have the request's shapes, and dtypes after
    conversion; `name` is the result's."""
    if 0 in x.shape or 0 in result.shape:
        return library.assign(result, 0)

    def execute(source, target):
        return _wingbeat.execute(request.kind, request.is_inverse, source, target, request.lengths,
                                 request.axes, request.norm, request.orthogonalize)

    if execute(x, result):
        return None
    between = library.empty(x, result.shape, name)
    if not execute(x, between):  # no plan takes x either
        source = _padded(library, x, request)
        if execute(source, result):
            return None
        execute(source, between)
    return library.assign(result, between)


def _padded(library, x, request):
    """Returns a packed copy of x; beyond three axes with its padding, because no plan pads more
    than three."""
    if len(request.axes) <= 3:
        return library.copy(x)
    shape = _input_shape(x.shape, request)
    padded = library.empty(x, shape, _wingbeat.view(x).dtype)
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
        result = _converted(numpy_library, request._replace(overwrite_x=False), host, None)
        return library.given_back(result, x)
    x = library.converted(x if hasattr(x, "dtype") else _wingbeat.view(x), request)
    source = _wingbeat.view(x)
    request = request.on(len(source.shape))
    shape, lengths = result_shape(source.shape, request)
    name = result_name(source.dtype, request.kind, False)
    result = _wingbeat.empty_on_device(shape, name, source)
    if not _wingbeat.execute(request.kind, request.is_inverse, source, result, lengths,
                             request.axes, request.norm, request.orthogonalize):
        raise ValueError("x has strides that no plan takes; give a contiguous copy")
    result = library.given_back(result, x)
    return result.conj() if request.conjugates_output else result
