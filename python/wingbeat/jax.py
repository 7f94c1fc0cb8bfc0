# SPDX-License-Identifier: Apache-2.0
"""Transforms of JAX's arrays, under `jit`, `vmap` and `grad`, on processors and NVIDIA GPUs.

Functions have the names and arguments of `jax.numpy.fft`; in addition `dct`, `dst`, their inverses
and `dctn` .., as SciPy defines them. float16, bfloat16 (spectra: complex64), float32, float64,
complex64 and complex128, of any length. Integers are converted to JAX's default dtype.

`stft` and `istft` have the arguments of `jax.scipy.signal`; `short_time` transforms by any
description of `wingbeat.short_time`, to mel features for example, and `short_time_inverse` goes
back. They read int16 as it is.

XLA calls the library itself, on its own stream: nothing is copied to the host, and Python takes no
part once a function is compiled. Gradients are of reverse mode, to any order. `jax.jvp` and
functions that use it, such as `jax.hessian`, raise TypeError, as for every function with a
`custom_vjp`; `jax.linear_transpose` and `jax.export` raise JAX's errors too. While a function is
traced, ValueError is raised for lengths, norms and axes, TypeError for dtypes.

>>> import jax, jax.numpy as jnp
>>> import wingbeat.jax
>>> jax.grad(lambda x: abs(wingbeat.jax.rfft(x)).sum())(jnp.ones(4)).sum()
Array(4., dtype=float32)
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Callable, NamedTuple

import numpy as np

try:
    import jax
    import jax.numpy as jnp
except ModuleNotFoundError as absent:
    raise ModuleNotFoundError("wingbeat.jax needs jax, which is not installed here; install "
                              "wingbeat[jax]", name="jax") from absent

from wingbeat import _wingbeat
from wingbeat import fft as _fft
from wingbeat._adjoints import adjoint_of, weighted_axes
from wingbeat._arguments import MAX_LENGTH, completed, integer, lengths_and_axes, scale_of
from wingbeat._arrays import conversion, result_name
from wingbeat._calls import made
from wingbeat._jax_short_time import istft, short_time, short_time_inverse, stft
from wingbeat._kinds import (COSINES, FORWARD, FROM_REAL, INVERSE, PLANES, REAL_ROWS, REAL_SOLIDS,
                             ROWS, SOLIDS, TO_REAL, Function)
from wingbeat._types import Array, Axes, Norm, Type

__all__ = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft",
           "fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2",
           "fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn",
           "dct", "idct", "dst", "idst", "dctn", "idctn", "dstn", "idstn",
           "stft", "istft", "short_time", "short_time_inverse"]

_TARGET = "wingbeat_transform"


@lru_cache(maxsize=None)
def _register():
    """Registers the transform with XLA, once."""
    for platform, is_on_cuda in ("cpu", False), ("CUDA", True):
        jax.ffi.register_ffi_target(_TARGET, _wingbeat.xla_transform(is_on_cuda), platform=platform)


class _Request(NamedTuple):
    """A transform; axes are counted from the end, so that others may be added in front."""

    kind: int
    axes: tuple
    lengths: tuple
    scale: int
    orthogonalize: bool


def _fitted(x, axes, lengths):
    """Returns x cropped, or padded with zeros, to these lengths along axes."""
    for axis, n in zip(axes, lengths):
        count = x.shape[axis]
        if n < count:
            x = jax.lax.slice_in_dim(x, 0, n, axis=axis % x.ndim)
        elif n > count:
            width = [(0, n - count if d == axis % x.ndim else 0) for d in range(x.ndim)]
            x = jnp.pad(x, width)
    return x


def _called(x, request):
    _register()
    kind, axes, lengths = request.kind, request.axes, request.lengths
    if len(axes) > 3 or x.size == 0:  # plans pad along at most three
        is_half = kind == TO_REAL
        x = _fitted(x, axes, lengths[:-1] + (lengths[-1] // 2 + 1,) if is_half else lengths)
    shape = list(x.shape)
    for axis, n in zip(axes, lengths):
        shape[axis] = n
    if kind == FROM_REAL:
        shape[axes[-1]] = lengths[-1] // 2 + 1
    result = jax.ShapeDtypeStruct(tuple(shape), result_name(x.dtype.name, kind, False))
    numbers = np.array([kind, request.scale, request.orthogonalize, *axes, *lengths], np.int64)
    return jax.ffi.ffi_call(_TARGET, result, vmap_method="broadcast_all")(x, request=numbers)


@partial(jax.custom_vjp, nondiff_argnums=(1,))
def _transform(x, request):
    return _called(x, request)


def _forward_pass(x, request):
    # An empty array carries shape and dtype, which are not JAX values, to the other pass.
    residual = jnp.empty((0, *(x.shape[axis] for axis in request.axes)), x.dtype)
    return _transform(x, request), residual


def _weighted(x, axes, weights):
    for axis in axes:
        if not weights:
            break
        factors = np.ones(x.shape[axis], np.float32)
        for weight in weights:
            factors[weight.begin:weight.end] = weight.factor
        x = x * factors.astype(x.real.dtype).reshape([-1] + [1] * (-1 - axis))
    return x


def _backward_pass(request, residual, cotangent):
    """JAX's cotangent is the transpose without conjugates, so the adjoint runs between two
    conjugations."""
    kind, axes = request.kind, request.axes
    adjoint = adjoint_of(kind, request.lengths[-1])
    weighted = weighted_axes(kind, axes, request.orthogonalize)
    gradient = _weighted(cotangent, weighted, adjoint.before)
    if kind == FROM_REAL:
        gradient = jnp.conj(gradient)
    elif kind in (FORWARD, INVERSE):
        adjoint = adjoint._replace(kind=kind)  # symmetric, so its own transpose
    gradient = _transform(gradient, request._replace(kind=adjoint.kind))
    gradient = _weighted(gradient, weighted, adjoint.after)
    if kind == TO_REAL:
        gradient = jnp.conj(gradient)
    return (_fitted(gradient, axes, residual.shape[1:]).astype(residual.dtype),)


_transform.defvjp(_forward_pass, _backward_pass)


def _converted(x, kind):
    try:
        x = jnp.asarray(x)
    except (TypeError, ValueError) as refusal:
        if isinstance(x, jax.Array):
            raise
        raise TypeError(f"a is of type {type(x).__name__}, of which JAX makes no array of numbers; "
                        "convert it") from refusal
    name = conversion(x.dtype.name, kind, True, jnp.zeros(()).dtype.name)
    if name == "complex32":  # JAX has no complex32
        name = "complex64"
    return x if x.dtype.name == name else x.astype(name)


def _transformed(called, x, s, axes, norm, kind=None, orthogonalize=False):
    kind = called.kind if kind is None else kind
    scale, conjugates = scale_of(norm, called.is_inverse), called.is_hermitian
    x = _converted(jnp.conj(x) if conjugates and kind == TO_REAL else x, kind)
    lengths, axes = lengths_and_axes(x.shape, s, axes)
    if not axes:
        if conjugates:
            raise ValueError("axes are empty; give one or more, of a half spectrum the last")
        return x  # as in jax.numpy.fft
    lengths = tuple(int(n) for n in completed(lengths, axes, x.shape, kind == TO_REAL))
    least = 2 if kind == COSINES[1][0] else 1
    for axis, n in zip(axes, lengths):
        if not least <= n <= MAX_LENGTH:
            raise ValueError(f"invalid number of data points ({n}) along axis {axis}; give {least} "
                             "to 2^28")
    from_end = tuple(axis - x.ndim for axis in axes)
    result = _transform(x, _Request(kind, from_end, lengths, scale, orthogonalize))
    return jnp.conj(result) if conjugates and kind == FROM_REAL else result


def _row(n, axis):
    n, axis = None if n is None else integer(n, "n"), integer(axis, "axis")
    if n is not None and n < 1:
        raise ValueError(f"invalid number of data points ({n}) specified; give 1 or more")
    return (None if n is None else (n,)), (axis,)


def _row_function(called: Function) -> Callable[..., jax.Array]:
    def function(a: Array, n: int | None = None, axis: int = -1, norm: Norm = None) -> jax.Array:
        return _transformed(called, a, *_row(n, axis), norm)
    return function


def _axes_function(called: Function) -> Callable[..., jax.Array]:
    def function(a: Array, s: Axes = None, axes: Axes = called.axes,
                 norm: Norm = None) -> jax.Array:
        return _transformed(called, a, s, axes, norm)
    return function


def _real_row_function(called: Function) -> Callable[..., jax.Array]:
    def function(x: Array, type: Type = 2, n: int | None = None, axis: int = -1, norm: Norm = None,
                 orthogonalize: bool | None = None) -> jax.Array:
        return _transformed(called, x, *_row(n, axis), norm,
                            *called.of_type(type, norm, orthogonalize))
    return function


def _real_axes_function(called: Function) -> Callable[..., jax.Array]:
    def function(x: Array, type: Type = 2, s: Axes = None, axes: Axes = None, norm: Norm = None,
                 orthogonalize: bool | None = None) -> jax.Array:
        return _transformed(called, x, s, axes, norm,
                            *called.of_type(type, norm, orthogonalize))
    return function


_made = partial(made, _fft, __name__, "jnp.ones((4, 4))", "({})")
fft, ifft, rfft, irfft, hfft, ihfft = _made(_row_function, ROWS)
fft2, ifft2, rfft2, irfft2, hfft2, ihfft2 = _made(_axes_function, PLANES)
fftn, ifftn, rfftn, irfftn, hfftn, ihfftn = _made(_axes_function, SOLIDS)
dct, idct, dst, idst = _made(_real_row_function, REAL_ROWS)
dctn, idctn, dstn, idstn = _made(_real_axes_function, REAL_SOLIDS)
