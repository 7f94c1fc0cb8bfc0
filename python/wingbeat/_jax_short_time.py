# SPDX-License-Identifier: Apache-2.0
"""Short-time transforms of JAX's arrays, as calls of XLA. See `wingbeat.jax`.

Spectra are linear in samples and in weights, so that the transform and its two gradients are each
other's derivatives; gradients of gradients of features are composed of spectra and JAX's functions.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from wingbeat import _spectral, _wingbeat
from wingbeat._arguments import count, instance
from wingbeat._arrays import is_traced
from wingbeat._short_rows import (SPECTRA, TAKEN, are_of_complex, frames_of, library_form,
                                  require_lengths, require_weight, require_within, text_of)
from wingbeat._types import Array
from wingbeat.short_time import ShortTime

_TARGET = "wingbeat_short_time"
_KINDS = "run", "inverse", "gradient", "window_gradient", "inverse_gradient"


@lru_cache(maxsize=None)
def _register():
    """Registers the transform with XLA, once."""
    for platform, is_on_cuda in ("cpu", False), ("CUDA", True):
        jax.ffi.register_ffi_target(_TARGET, _wingbeat.xla_short_time(is_on_cuda),
                                    platform=platform)


@lru_cache(maxsize=1024)
def _key_of(spec):
    """Returns two numbers by which compiled calls name a description, and states it for them."""
    digest = hashlib.sha256(text_of(spec).encode()).digest()
    key = np.frombuffer(digest[:16], np.int64).tolist()
    _wingbeat.state_short_time(library_form(spec), key)
    return key


@lru_cache(maxsize=1024)
def _with(spec, **changed):
    return replace(spec, **changed)


def _real(x):
    return jnp.float64 if x.dtype in (jnp.float64, jnp.complex128) else jnp.float32


def _is_complex(x):
    return jnp.issubdtype(x.dtype, jnp.complexfloating)


def _value(x, is_complex=None):
    """Returns the dtype in which x is computed, or that of complex or real numbers beside it."""
    is_complex = _is_complex(x) if is_complex is None else is_complex
    return jnp.result_type(_real(x), jnp.complex64) if is_complex else _real(x)


def _result(kind, spec, frames, length, is_complex, x, window):
    """Returns shape and dtype of a call's result."""
    if kind == "window_gradient":
        return window.shape, window.dtype
    if kind == "gradient":
        return x.shape, _value(x)
    if kind == "inverse":
        return (*x.shape[:-2], length), _value(x, is_complex)
    columns = spec.columns(_is_complex(x))
    if kind == "inverse_gradient":
        return (*x.shape[:-1], frames, columns), _value(x, True)
    shape = () if spec.are_averaged else (frames_of(spec, x.shape[-1]),)
    return (*x.shape[:-1], *shape, columns), _value(x, spec.exponent == 0)


def _called(kind, spec, x, window, given=None, lengths=None, frames=0, length=0, is_complex=False):
    """Calls the library with x and what is not None of `given` and `lengths`. is_complex: whether
    an inverse gives complex rows."""
    numbers = np.array([_KINDS.index(kind), frames, lengths is not None, *_key_of(spec)], np.int64)

    @jax.custom_batching.custom_vmap
    def call(x, window, *others):
        shape, dtype = _result(kind, spec, frames, length, is_complex, x, window)
        if any(0 in each for each in (shape, x.shape, *(other.shape for other in others))):
            return jnp.zeros(shape, dtype)
        _register()
        return jax.ffi.ffi_call(_TARGET, jax.ShapeDtypeStruct(shape, dtype))(
            x, window, *others, request=numbers)

    @call.def_vmap
    def _(size, is_batched, *operands):
        # A batch of all but weights is one of rows; otherwise each is computed apart.
        if kind != "window_gradient" and not is_batched[1]:
            return call(*(each if is_one or i == 1 else jnp.broadcast_to(each, (size, *each.shape))
                          for i, (each, is_one) in enumerate(zip(operands, is_batched)))), True
        batched = [each for each, is_one in zip(operands, is_batched) if is_one]

        def alone(batched):
            batched = iter(batched)
            return call(*(next(batched) if is_one else each
                          for each, is_one in zip(operands, is_batched)))
        return jax.lax.map(alone, batched), True

    return call(x, window, *(each for each in (given, lengths) if each is not None))


# `learns`: whether gradients with respect to the window are wanted; otherwise they are 0. JAX's
# cotangents are conjugates of the library's gradients.
@partial(jax.custom_vjp, nondiff_argnums=(3, 4))
def _short_time(x, window, lengths, spec, learns):
    return _called("run", spec, x, window, None, lengths)


@partial(jax.custom_vjp, nondiff_argnums=(4, 5))
def _gradient(x, window, lengths, g, spec, learns):
    return jnp.conj(_called("gradient", spec, x, window, jnp.conj(g), lengths))


@partial(jax.custom_vjp, nondiff_argnums=(4,))
def _window_gradient(x, window, lengths, g, spec):
    return _called("window_gradient", spec, x, window, jnp.conj(g), lengths)


@partial(jax.custom_vjp, nondiff_argnums=(2, 3, 4, 5))
def _inverse(spectra, window, spec, length, is_complex, learns):
    return _called("inverse", spec, spectra, window, frames=spectra.shape[-2], length=length,
                   is_complex=is_complex)


@partial(jax.custom_vjp, nondiff_argnums=(2, 3))
def _inverse_gradient(g, window, spec, frames):
    return jnp.conj(_called("inverse_gradient", spec, jnp.conj(g), window, frames=frames))


def _kept(function, n_operands):
    """Returns the forward pass, which keeps the operands."""
    def forward(*given):
        return function(*given), given[:n_operands]
    return forward


def _cotangent_of(x, gradient):
    return gradient.astype(x.dtype) if jnp.issubdtype(x.dtype, jnp.inexact) else None


def _of_short_time(spec, learns, kept, g):
    x, window, lengths = kept
    return (_cotangent_of(x, _gradient(x, window, lengths, g, spec, learns)),
            _window_gradient(x, window, lengths, g, spec) if learns else jnp.zeros_like(window),
            None)


def _of_features(place, x, window, lengths, g, spec, learns, c):
    """Returns cotangents of x, window and g from that of the gradient with respect to x (place 0)
    or the window (1)."""
    def first(x, window, g):
        return jax.vjp(lambda x, window: _composed(x, window, lengths, spec, learns),
                       x, window)[1](g)[place]
    dx, dw, dg = jax.vjp(first, x.astype(_value(x)), window, g)[1](c)
    return _cotangent_of(x, dx), dw, None, dg


def _of_gradient(spec, learns, kept, c):
    x, window, lengths, g = kept
    if spec.exponent:
        return _of_features(0, x, window, lengths, g, spec, learns, c)
    return (_cotangent_of(x, jnp.zeros(x.shape, x.dtype)),
            _window_gradient(c, window, lengths, g, spec) if learns else jnp.zeros_like(window),
            None, _short_time(c, window, lengths, spec, learns))


def _of_window_gradient(spec, kept, c):
    x, window, lengths, g = kept
    if spec.exponent:
        return _of_features(1, x, window, lengths, g, spec, True, c)
    return (_cotangent_of(x, _gradient(x, c, lengths, g, spec, True)), jnp.zeros_like(window), None,
            _short_time(x, c, lengths, spec, True))


def _of_inverse(spec, length, is_complex, learns, kept, g):
    spectra, window = kept
    if learns:
        return jax.vjp(lambda *given: _composed_inverse(*given, spec, length, is_complex),
                       spectra, window)[1](g)
    return _inverse_gradient(g, window, spec, spectra.shape[-2]), jnp.zeros_like(window)


def _of_inverse_gradient(spec, frames, kept, c):
    g, window = kept
    return (_inverse(c, window, spec, g.shape[-1], _is_complex(g), False), jnp.zeros_like(window))


_short_time.defvjp(_kept(_short_time, 3), _of_short_time)
_gradient.defvjp(_kept(_gradient, 4), _of_gradient)
_window_gradient.defvjp(_kept(_window_gradient, 4), _of_window_gradient)
_inverse.defvjp(_kept(_inverse, 2), _of_inverse)
_inverse_gradient.defvjp(_kept(_inverse_gradient, 2), _of_inverse_gradient)


def _counts(spec, n_bins):
    """Returns how often bins of real samples stand in a whole spectrum."""
    counts = np.full(n_bins, 2.0)
    counts[0] = 1
    counts[1:][spec.n_fft // 2 - 1:] = 1 + spec.n_fft % 2
    return counts


def _at_least(x, least):
    return jnp.where(x > least, x, least)


def _composed(x, window, lengths, spec, learns):
    """Returns the results as functions of spectra, each of which JAX differentiates."""
    spectra = _short_time(x, window, lengths, _with(spec, **SPECTRA), learns)
    q = spectra.real**2 + spectra.imag**2
    if spec.power_floor:
        q = _at_least(q, spec.power_floor)
    q = q + spec.power_offset
    if spec.exponent != 2:
        q = jnp.where(q > 0, jnp.where(q > 0, q, 1)**(spec.exponent / 2), 0)
    if spec.is_one_sided:
        q = q * _counts(spec, q.shape[-1]).astype(q.dtype)
    if spec.are_averaged:
        return q.mean(-2)
    if spec.bands is not None:
        q = q @ spec.bands.T.astype(q.dtype)
    if spec.has_log:
        q = spec.gain * jnp.log(_at_least(q, spec.floor) + spec.offset) + spec.shift
    return q


def _composed_inverse(spectra, window, spec, length, is_complex):
    """Returns the inverse as two adjoints, of frames and of squared weights."""
    n_frames, n_bins = spectra.shape[-2:]
    slack = (n_frames - 1) * spec.hop - length
    scaled = _with(spec, slack=slack, edge="zeros")
    once = _with(scaled, scale=1.0, phase_origin=0)
    counts = np.ones(n_bins) if is_complex else _counts(spec, n_bins)
    terms = spectra * (counts / (spec.n_fft * spec.scale**2)).astype(window.dtype)
    like = jnp.zeros((*spectra.shape[:-2], length), _value(spectra, is_complex))
    sums = jnp.conj(_gradient(like, window, None, jnp.conj(terms), scaled, True))
    ones = jnp.zeros((n_frames, spec.n_fft // 2 + 1), spectra.dtype).at[:, 0].set(1)
    squares = _gradient(jnp.zeros(length, window.dtype), window**2, None, ones, once, True)
    has_weight = squares > spec.least_weight
    return jnp.where(has_weight, sums / jnp.where(has_weight, squares, 1), 0)


def _array(x, name):
    x = jnp.asarray(x)
    if x.ndim == 0:
        raise ValueError(f"{name} is a number; give an array")
    if x.dtype.name in TAKEN:
        return x
    return x.astype(jnp.zeros(()).dtype)


def _is_on_host(x):
    """Returns whether the values of an array are known, and in memory of the processor."""
    if is_traced(x):
        return False
    return not isinstance(x, jax.Array) or all(each.platform == "cpu" for each in x.devices())


def _weights(window, spec, x):
    """Returns the weights for x, those of the description for None."""
    instance(spec, ShortTime, "the description", "give a wingbeat.short_time.ShortTime")
    weights = spec.window if window is None else window
    weights = jnp.asarray(weights, _real(x))
    if weights.shape != (spec.n_weights,):
        raise ValueError(f"the window has shape {weights.shape} and the description's "
                         f"{spec.n_weights} weights; give as many")
    return weights


def short_time(x: Array, description: ShortTime, lengths: Any = None,
               window: Any = None) -> jax.Array:
    """Transforms rows [.., L] of samples by a description of `wingbeat.short_time`.

    lengths  integers [..], or None: the samples of each row, as in a description's call: refused
             outside 0 to L, or clamped where they are traced or on a GPU
    window   weights in place of the description's, as many; gradients reach them

    Returns [.., F, T], or averages [.., F]. Gradients are those of `wingbeat.torch.short_time`.

    >>> import wingbeat.short_time
    >>> short_time(jnp.ones((2, 4000)), wingbeat.short_time.whisper()).shape
    (2, 80, 25)
    """
    x = _array(x, "x")
    weights = _weights(window, description, x)
    if lengths is not None:
        lengths = lengths if hasattr(lengths, "dtype") else np.asarray(lengths)
        require_lengths(lengths.dtype, lengths.shape, x.shape)
        if _is_on_host(lengths):
            require_within(lengths, x.shape[-1])
        lengths = jnp.asarray(lengths.clip(0, x.shape[-1]), np.int32)
    result = _short_time(x, weights, lengths, _with(description, range=0.0), window is not None)
    if description.range and result.size:
        of_numbers = jnp.where(jnp.isnan(result), -jnp.inf, result)  # NaN is not largest
        largest = of_numbers.max((-1, -2), keepdims=True)
        result = jnp.maximum(result, largest - description.range)
    return result if description.are_averaged else result.swapaxes(-1, -2)


def short_time_inverse(spectra: Array, description: ShortTime, length: int | None = None,
                       window: Any = None, *, is_complex: bool | None = None,
                       leaves_zeros: bool = False) -> jax.Array:
    """Returns rows [.., length] of samples that have, or come closest to, complex spectra
    [.., F, T]: see `wingbeat.short_time.ShortTime.inverse`, whose arguments these are.

    window  weights in place of the description's, as many; gradients reach them, and samples
            without weight are then 0

    >>> import wingbeat.short_time
    >>> transform = wingbeat.short_time.torch_stft(8, 2, window="hann")
    >>> short_time_inverse(short_time(jnp.arange(6.0), transform), transform).shape
    (6,)
    """
    x = _array(spectra, "spectra")
    weights = _weights(window, description, x)
    is_complex = are_of_complex(description.n_fft, x.shape, is_complex)
    x, frames = x.astype(_value(x, True)).swapaxes(-1, -2), x.shape[-1]
    if length is None:
        length = max((frames - 1) * description.hop - description.slack, 1)
    length = count(length, "length")
    if window is None and not leaves_zeros and frames:
        require_weight(description, length, frames)
    return _inverse(x, weights, description, length, is_complex, window is not None)


def stft(x: Array, fs: float = 1.0, window: Any = "hann", nperseg: int = 256,
         noverlap: int | None = None, nfft: int | None = None, detrend: Any = False,
         return_onesided: bool = True, boundary: str | None = "zeros", padded: bool = True,
         axis: int = -1) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Returns (frequencies, times, spectra) with the arguments of `jax.scipy.signal.stft`.

    window   a name or weights that are known while a function is traced; `short_time` takes others
    detrend  False, or "constant": the mean of each frame is removed

    >>> stft(jnp.ones(1000))[2].shape
    (129, 9)
    """
    f, t, spectra = _spectral.stft(
        _LIBRARY, _array(x, "x"), fs, window, nperseg, noverlap, nfft, detrend, return_onesided,
        boundary, padded, axis, "spectrum")
    real = _real(spectra)
    return jnp.asarray(f, real), jnp.asarray(t, real), spectra


def istft(Zxx: Array, fs: float = 1.0, window: Any = "hann", nperseg: int | None = None,
          noverlap: int | None = None, nfft: int | None = None, input_onesided: bool = True,
          boundary: bool = True, time_axis: int = -1,
          freq_axis: int = -2) -> tuple[jax.Array, jax.Array]:
    """Returns (times, samples) with the arguments of `jax.scipy.signal.istft`. Samples without
    weight are 0.

    >>> istft(stft(jnp.ones(1000))[2])[1].shape
    (1024,)
    """
    t, x = _spectral.istft(_LIBRARY, _array(Zxx, "Zxx"), fs, window, nperseg, noverlap, nfft,
                           input_onesided, boundary, time_axis, freq_axis, "spectrum")
    return jnp.asarray(t, _real(x)), x


_LIBRARY = _spectral.Library(
    short_time, lambda spectra, spec, length, is_complex: short_time_inverse(
        spectra, spec, length, is_complex=is_complex, leaves_zeros=True), jnp.pad)
