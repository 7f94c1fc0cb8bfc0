# SPDX-License-Identifier: Apache-2.0
"""Transforms of JAX's arrays, under `jit`, `vmap` and `grad`, on processors and NVIDIA GPUs.

Functions have the names and arguments of `jax.numpy.fft`; `dct`, `dst`, their inverses and `dctn` ..
beside, as SciPy defines them. float16, bfloat16 (spectra: complex64), float32, float64, complex64
and complex128, of any length. Integers are taken in JAX's default dtype.

XLA calls the library itself, on its own stream: nothing is copied to the host, and Python takes no
part once a function is compiled. Gradients are of reverse mode, to any order; `jax.jvp` and what
uses it, as `jax.hessian`, raise TypeError, as of every function with a `custom_vjp`;
`jax.linear_transpose` and `jax.export` raise JAX's errors too. Raised while a function is traced:
ValueError for lengths, norms and axes, TypeError for dtypes.

>>> import jax, jax.numpy as jnp
>>> import wingbeat.jax
>>> jax.grad(lambda x: abs(wingbeat.jax.rfft(x)).sum())(jnp.ones(4)).sum()
Array(4., dtype=float32)
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

try:
    import jax
    import jax.numpy as jnp
except ModuleNotFoundError as absent:
    raise ModuleNotFoundError("wingbeat.jax needs jax, which is not installed here; install "
                              "wingbeat[jax]", name="jax") from absent

from wingbeat import _wingbeat
from wingbeat._adjoints import adjoint_of, weighted_axes
from wingbeat._arguments import integer, lengths_and_axes, scale_of
from wingbeat._arrays import FORWARD, FROM_REAL, INVERSE, TO_REAL, conversion, result_name
from wingbeat._kinds import COSINES, SINES
from wingbeat._types import Array, Axes, Norm

__all__ = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft",
           "fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2",
           "fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn",
           "dct", "idct", "dst", "idst", "dctn", "idctn", "dstn", "idstn"]

_TARGET = "wingbeat_transform"


@lru_cache(maxsize=None)
def _register():
    """Makes the transform known to XLA, once."""
    jax.ffi.register_ffi_target(_TARGET, _wingbeat.xla_host_handler(), platform="cpu")
    jax.ffi.register_ffi_target(_TARGET, _wingbeat.xla_cuda_handler(), platform="CUDA")


class _Request(NamedTuple):
    """A transform; axes are counted from the end, so that more may come in front."""

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
    if len(axes) > 3 or x.size == 0:  # no plan pads along so many
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
    # An empty array carries shape and dtype, which are no values, to the other pass.
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
    """JAX's cotangent is the transpose, with no conjugate: the adjoint between two of them."""
    kind, axes = request.kind, request.axes
    adjoint = adjoint_of(kind, request.lengths[-1])
    weighted = weighted_axes(kind, axes, request.orthogonalize)
    gradient = _weighted(cotangent, weighted, adjoint.before)
    if kind == FROM_REAL:
        gradient = jnp.conj(gradient)
    elif kind in (FORWARD, INVERSE):
        adjoint = adjoint._replace(kind=kind)  # symmetric, and so its own transpose
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
    if name == "complex32":  # which JAX has not
        name = "complex64"
    return x if x.dtype.name == name else x.astype(name)


def _transformed(kind, x, s, axes, scale, orthogonalize=False):
    x = _converted(x, kind)
    lengths, axes = lengths_and_axes(x.shape, s, axes)
    if not axes:
        return x  # as jax.numpy.fft
    complete = []
    for position, (axis, n) in enumerate(zip(axes, lengths)):
        if n is None:
            is_half = kind == TO_REAL and position + 1 == len(axes)
            n = 2 * (x.shape[axis] - 1) if is_half else x.shape[axis]
        least = 2 if kind == COSINES[1][0] else 1
        if not least <= n <= _wingbeat.max_length:
            raise ValueError(f"invalid number of data points ({n}) along axis {axis}; give {least} to "
                             "2^28")
        complete.append(int(n))
    from_end = tuple(axis - x.ndim for axis in axes)
    return _transform(x, _Request(kind, from_end, tuple(complete), scale, bool(orthogonalize)))


def _row(n, axis):
    n, axis = None if n is None else integer(n, "n"), integer(axis, "axis")
    if n is not None and n < 1:
        raise ValueError(f"invalid number of data points ({n}) specified; give 1 or more")
    return (None if n is None else (n,)), (axis,)


def fft(a: Array, n: int | None = None, axis: int = -1, norm: Norm = None) -> jax.Array:
    """Returns the bins sum_j a[j] exp(-2 pi i jk/n), k = 0 .. n-1, as complex numbers.

    >>> fft(jnp.array([0, 1, 0, 0])).imag
    Array([ 0., -1.,  0.,  1.], dtype=float32)
    """
    return fftn(a, *_row(n, axis), norm)


def ifft(a: Array, n: int | None = None, axis: int = -1, norm: Norm = None) -> jax.Array:
    """Returns the inverse of `fft`.

    >>> ifft(jnp.array([4, 0, 0, 0])).real
    Array([1., 1., 1., 1.], dtype=float32)
    """
    return ifftn(a, *_row(n, axis), norm)


def rfft(a: Array, n: int | None = None, axis: int = -1, norm: Norm = None) -> jax.Array:
    """Returns bins 0 .. n/2 of real numbers.

    >>> rfft(jnp.ones(4)).real
    Array([4., 0., 0.], dtype=float32)
    """
    return rfftn(a, *_row(n, axis), norm)


def irfft(a: Array, n: int | None = None, axis: int = -1, norm: Norm = None) -> jax.Array:
    """Returns n real numbers from bins 0 .. n/2, n even if not given: the inverse of `rfft`.

    >>> irfft(jnp.array([4, 0, 0]))
    Array([1., 1., 1., 1.], dtype=float32)
    """
    return irfftn(a, *_row(n, axis), norm)


def hfft(a: Array, n: int | None = None, axis: int = -1, norm: Norm = None) -> jax.Array:
    """Returns the real spectrum, of n bins, of a signal whose elements 0 .. n/2 are those of a and
    whose others are their conjugates, mirrored.

    >>> hfft(jnp.array([1, 0, 0]))
    Array([1., 1., 1., 1.], dtype=float32)
    """
    return hfftn(a, *_row(n, axis), norm)


def ihfft(a: Array, n: int | None = None, axis: int = -1, norm: Norm = None) -> jax.Array:
    """Returns the inverse of `hfft`.

    >>> ihfft(jnp.ones(4)).real
    Array([1., 0., 0.], dtype=float32)
    """
    return ihfftn(a, *_row(n, axis), norm)


def fft2(a: Array, s: Axes = None, axes: Axes = (-2, -1), norm: Norm = None) -> jax.Array:
    """Returns `fftn` over two axes.

    >>> fft2(jnp.ones((2, 2)))[0, 0].real
    Array(4., dtype=float32)
    """
    return fftn(a, s, axes, norm)


def ifft2(a: Array, s: Axes = None, axes: Axes = (-2, -1), norm: Norm = None) -> jax.Array:
    """Returns `ifftn` over two axes.

    >>> ifft2(jnp.ones((2, 2)))[0, 0].real
    Array(1., dtype=float32)
    """
    return ifftn(a, s, axes, norm)


def rfft2(a: Array, s: Axes = None, axes: Axes = (-2, -1), norm: Norm = None) -> jax.Array:
    """Returns `rfftn` over two axes.

    >>> rfft2(jnp.ones((4, 4))).shape
    (4, 3)
    """
    return rfftn(a, s, axes, norm)


def irfft2(a: Array, s: Axes = None, axes: Axes = (-2, -1), norm: Norm = None) -> jax.Array:
    """Returns `irfftn` over two axes.

    >>> irfft2(jnp.ones((4, 3))).shape
    (4, 4)
    """
    return irfftn(a, s, axes, norm)


def hfft2(a: Array, s: Axes = None, axes: Axes = (-2, -1), norm: Norm = None) -> jax.Array:
    """Returns `hfftn` over two axes.

    >>> hfft2(jnp.ones((4, 3))).shape
    (4, 4)
    """
    return hfftn(a, s, axes, norm)


def ihfft2(a: Array, s: Axes = None, axes: Axes = (-2, -1), norm: Norm = None) -> jax.Array:
    """Returns `ihfftn` over two axes.

    >>> ihfft2(jnp.ones((4, 4))).shape
    (4, 3)
    """
    return ihfftn(a, s, axes, norm)


def fftn(a: Array, s: Axes = None, axes: Axes = None, norm: Norm = None) -> jax.Array:
    """Returns `fft` along each of the axes; all, or the last len(s), if none are given.

    >>> fftn(jnp.ones((2, 2, 2)))[0, 0, 0].real
    Array(8., dtype=float32)
    """
    return _transformed(FORWARD, a, s, axes, scale_of(norm, False))


def ifftn(a: Array, s: Axes = None, axes: Axes = None, norm: Norm = None) -> jax.Array:
    """Returns the inverse of `fftn`.

    >>> ifftn(fftn(jnp.ones(2))).real
    Array([1., 1.], dtype=float32)
    """
    return _transformed(INVERSE, a, s, axes, scale_of(norm, True))


def rfftn(a: Array, s: Axes = None, axes: Axes = None, norm: Norm = None) -> jax.Array:
    """Returns `rfft` along the last of the axes and `fft` along the others.

    >>> rfftn(jnp.ones((2, 4))).shape
    (2, 3)
    """
    return _transformed(FROM_REAL, a, s, axes, scale_of(norm, False))


def irfftn(a: Array, s: Axes = None, axes: Axes = None, norm: Norm = None) -> jax.Array:
    """Returns the inverse of `rfftn`.

    >>> irfftn(rfftn(jnp.ones(4)))
    Array([1., 1., 1., 1.], dtype=float32)
    """
    return _transformed(TO_REAL, a, s, axes, scale_of(norm, True))


def _require_axes(a, s, axes):
    if not lengths_and_axes(jnp.shape(a), s, axes)[1]:
        raise ValueError("axes are empty; give one or more, of a half spectrum the last")


def hfftn(a: Array, s: Axes = None, axes: Axes = None, norm: Norm = None) -> jax.Array:
    """Returns `hfft` along the last of the axes and `fft` along the others.

    >>> hfftn(ihfftn(jnp.ones(4)))
    Array([1., 1., 1., 1.], dtype=float32)
    """
    _require_axes(a, s, axes)
    return _transformed(TO_REAL, jnp.conj(a), s, axes, scale_of(norm, False))


def ihfftn(a: Array, s: Axes = None, axes: Axes = None, norm: Norm = None) -> jax.Array:
    """Returns the inverse of `hfftn`.

    >>> ihfftn(jnp.ones((2, 4))).shape
    (2, 3)
    """
    _require_axes(a, s, axes)
    return jnp.conj(_transformed(FROM_REAL, a, s, axes, scale_of(norm, True)))


def _between_reals(kinds, is_inverse, x, type, s, axes, norm, orthogonalize):
    if type not in tuple(kinds):
        raise ValueError(f"type is {type}; give 1, 2, 3 or 4")
    if orthogonalize is None:
        orthogonalize = norm == "ortho"
    return _transformed(kinds[type][is_inverse], x, s, axes, scale_of(norm, is_inverse),
                        orthogonalize)


def dct(x: Array, type: int = 2, n: int | None = None, axis: int = -1, norm: Norm = None,
        orthogonalize: bool | None = None) -> jax.Array:
    """Returns the cosine transform of a type, 1 to 4, as `scipy.fft.dct` defines it.

    >>> dct(jnp.ones(2))
    Array([4., 0.], dtype=float32)
    """
    return _between_reals(COSINES, False, x, type, *_row(n, axis), norm, orthogonalize)


def idct(x: Array, type: int = 2, n: int | None = None, axis: int = -1, norm: Norm = None,
         orthogonalize: bool | None = None) -> jax.Array:
    """Returns the inverse of `dct` of that type.

    >>> idct(jnp.array([4.0, 0.0]))
    Array([1., 1.], dtype=float32)
    """
    return _between_reals(COSINES, True, x, type, *_row(n, axis), norm, orthogonalize)


def dst(x: Array, type: int = 2, n: int | None = None, axis: int = -1, norm: Norm = None,
        orthogonalize: bool | None = None) -> jax.Array:
    """Returns the sine transform of a type, 1 to 4, as `scipy.fft.dst` defines it.

    >>> dst(jnp.ones(1))
    Array([2.], dtype=float32)
    """
    return _between_reals(SINES, False, x, type, *_row(n, axis), norm, orthogonalize)


def idst(x: Array, type: int = 2, n: int | None = None, axis: int = -1, norm: Norm = None,
         orthogonalize: bool | None = None) -> jax.Array:
    """Returns the inverse of `dst` of that type.

    >>> idst(jnp.array([2.0]))
    Array([1.], dtype=float32)
    """
    return _between_reals(SINES, True, x, type, *_row(n, axis), norm, orthogonalize)


def dctn(x: Array, type: int = 2, s: Axes = None, axes: Axes = None, norm: Norm = None,
         orthogonalize: bool | None = None) -> jax.Array:
    """Returns `dct` along each of the axes; all if none are given.

    >>> dctn(jnp.ones((2, 2)))[0, 0]
    Array(16., dtype=float32)
    """
    return _between_reals(COSINES, False, x, type, s, axes, norm, orthogonalize)


def idctn(x: Array, type: int = 2, s: Axes = None, axes: Axes = None, norm: Norm = None,
          orthogonalize: bool | None = None) -> jax.Array:
    """Returns the inverse of `dctn`.

    >>> idctn(dctn(jnp.ones((1, 2))))
    Array([[1., 1.]], dtype=float32)
    """
    return _between_reals(COSINES, True, x, type, s, axes, norm, orthogonalize)


def dstn(x: Array, type: int = 2, s: Axes = None, axes: Axes = None, norm: Norm = None,
         orthogonalize: bool | None = None) -> jax.Array:
    """Returns `dst` along each of the axes; all if none are given.

    >>> dstn(jnp.ones((3, 4))).shape
    (3, 4)
    """
    return _between_reals(SINES, False, x, type, s, axes, norm, orthogonalize)


def idstn(x: Array, type: int = 2, s: Axes = None, axes: Axes = None, norm: Norm = None,
          orthogonalize: bool | None = None) -> jax.Array:
    """Returns the inverse of `dstn`.

    >>> idstn(dstn(jnp.ones((1, 1))))
    Array([[1.]], dtype=float32)
    """
    return _between_reals(SINES, True, x, type, s, axes, norm, orthogonalize)
