# SPDX-License-Identifier: Apache-2.0
"""Makes the functions of `wingbeat.fft` from a kind, along one axis or several, for any array."""

from __future__ import annotations

from contextlib import nullcontext
from types import ModuleType
from typing import TYPE_CHECKING, Any, Callable, Iterator, TypeVar

from wingbeat import _wingbeat
from wingbeat._arguments import lengths_and_axes, scale_of, thread_count
from wingbeat._arrays import library_of
from wingbeat._kinds import FROM_REAL, FUNCTIONS, TO_REAL, Function
from wingbeat._transform import Request, transform, transform_row
from wingbeat._types import Array, Axes, Norm, Type

if TYPE_CHECKING:
    from wingbeat._types import AxesFunction, RealAxesFunction, RealRowFunction, RowFunction
    from wingbeat.plan import Plan

Made = TypeVar("Made")
_row, _axes = _wingbeat.transform_row, _wingbeat.transform_axes


def row_function(name: str) -> RowFunction:
    called = FUNCTIONS[name]
    kind, is_inverse, is_at_once = called.kind, called.is_inverse, not called.is_hermitian

    def function(x: Array, n: int | None = None, axis: int = -1, norm: Norm = None,
                 overwrite_x: bool = False, workers: int | None = None, *, plan: Plan | None = None,
                 out: Array | None = None, stream: Any = None) -> Array:
        if is_at_once and plan is None and stream is None:
            result = _row(kind, is_inverse, x, n, axis, norm, False, overwrite_x, out, workers)
            if result is not None:
                return result
        return transform_row(kind, is_inverse, x, n, axis, norm, False, overwrite_x, workers, plan,
                             out, stream)
    return function


def axes_function(name: str) -> AxesFunction:
    called = FUNCTIONS[name]

    def function(x: Array, s: Axes = None, axes: Axes = called.axes, norm: Norm = None,
                 overwrite_x: bool = False, workers: int | None = None, *, plan: Plan | None = None,
                 out: Array | None = None, stream: Any = None) -> Array:
        return _along_axes(called, called.kind, x, s, axes, norm, False, overwrite_x, workers,
                           plan, out, stream)
    return function


def real_row_function(name: str) -> RealRowFunction:
    called = FUNCTIONS[name]
    is_inverse = called.is_inverse

    def function(x: Array, type: Type = 2, n: int | None = None, axis: int = -1, norm: Norm = None,
                 overwrite_x: bool = False, workers: int | None = None,
                 orthogonalize: bool | None = None, *, plan: Plan | None = None,
                 out: Array | None = None, stream: Any = None) -> Array:
        kind, orthogonalize = called.of_type(type, norm, orthogonalize)
        if plan is None and stream is None:
            result = _row(kind, is_inverse, x, n, axis, norm, orthogonalize, overwrite_x, out,
                          workers)
            if result is not None:
                return result
        return transform_row(kind, is_inverse, x, n, axis, norm, orthogonalize, overwrite_x,
                             workers, plan, out, stream)
    return function


def real_axes_function(name: str) -> RealAxesFunction:
    called = FUNCTIONS[name]

    def function(x: Array, type: Type = 2, s: Axes = None, axes: Axes = None, norm: Norm = None,
                 overwrite_x: bool = False, workers: int | None = None,
                 orthogonalize: bool | None = None, *, plan: Plan | None = None,
                 out: Array | None = None, stream: Any = None) -> Array:
        kind, orthogonalize = called.of_type(type, norm, orthogonalize)
        return _along_axes(called, kind, x, s, axes, norm, orthogonalize, overwrite_x, workers,
                           plan, out, stream)
    return function


def made(texts: ModuleType, module: str, ones: str, shape: str, maker: Callable[[Function], Made],
         names: tuple) -> Iterator[Made]:
    """Yields these functions for a module of another library, with the texts of `wingbeat.fft`.

    ones, shape  texts for the library's 4 x 4 array of ones, and for a shape
    """
    for name in names:
        function = maker(FUNCTIONS[name])
        function.__module__, function.__name__, function.__qualname__ = module, name, name
        kind = FUNCTIONS[name].kind
        width = 3 if kind == FROM_REAL else 6 if kind == TO_REAL else 4
        text, _, _ = getattr(texts, name).__doc__.partition(">>>")
        function.__doc__ = (f"{text}>>> {name}({ones}).shape\n    {shape.format(f'4, {width}')}\n"
                            "    ")
        yield function


def _along_axes(called, kind, x, s, axes, norm, orthogonalize, overwrite_x, workers, plan, out,
                stream):
    is_inverse = called.is_inverse
    if not hasattr(x, "shape"):
        x = library_of(x).array(x)
    lengths, axes = lengths_and_axes(x.shape, s, axes)
    if not axes:
        return _without_axes(kind, is_inverse, x, norm, workers, plan, out, stream)
    if kind == TO_REAL and lengths[-1] is None and x.shape[axes[-1]] == 1:
        lengths = *lengths[:-1], 1  # as SciPy has it along several axes
    if plan is None and stream is None and not called.is_hermitian:
        n_threads = 0 if workers is None else thread_count(workers)
        result = _axes(kind, is_inverse, x, lengths, axes, norm, orthogonalize, overwrite_x, out,
                       n_threads)
        if result is not None:
            return result
    return transform(Request(kind, is_inverse, lengths, axes, norm, orthogonalize, overwrite_x), x,
                     workers, plan, out, stream)


def _without_axes(kind, is_inverse, x, norm, workers, plan, out, stream):
    if kind in (FROM_REAL, TO_REAL):
        raise ValueError("at least 1 axis must be transformed; give axes, or an array that has "
                         "some")
    scale_of(norm, is_inverse)
    if workers is not None:
        thread_count(workers)
    if plan is not None:
        raise ValueError("a plan was given and no axes, along which it would transform; leave "
                         "plan out")
    library = library_of(x)
    with nullcontext() if stream is None else library.running_on(stream, x):
        if out is None:
            return x
        if not hasattr(library, "assign"):
            raise TypeError(f"out was given for an array of type {type(x).__name__}, which "
                            "wingbeat does not write; leave out out")
        library.require_out(out, x.shape, _wingbeat.view(x).dtype, x)
        library.assign(out, x)
        return out
