# SPDX-License-Identifier: Apache-2.0
"""Convolutions, correlations and filters, with the names and arguments of `scipy.signal`.

    fftconvolve oaconvolve convolve correlate convolve2d correlate2d choose_conv_method
    StreamFilter    filters a signal that arrives in pieces
    long_conv       kernels as long as the signals, with gates: for state-space models; many calls by
                    PreparedLongConv

A call forward transforms, multiplies, transforms back and crops in two or three passes over memory;
no padded array and no spectrum of the result exist. Plans are kept: `cache_info`, `cache_clear`.
Arrays are numpy's, or what numpy makes an array of; the convolutions and correlations take torch's
and CuPy's too, on their device and its current stream. Results have SciPy's dtypes: float16 gives
float32, integers give float64, where one of two arrays is complex or double both count as that.
long double, Python's numbers and integers whose sums may pass 2^46 are summed as they are, directly.

>>> import numpy as np
>>> from wingbeat import signal
>>> signal.fftconvolve([1., 2., 3.], [0., 1., 0.5]).round(6)
array([0. , 1. , 2.5, 4. , 1.5])
"""

from __future__ import annotations

import time
import warnings
from collections import OrderedDict
from typing import Any

import numpy as np

from wingbeat import _sums, _wingbeat
from wingbeat._arguments import count, lengths_and_axes
from wingbeat._device import OfDevice, queue_on
from wingbeat._types import Array, Axes

__all__ = ["PreparedLongConv", "StreamFilter", "cache_clear", "cache_info", "cache_resize",
           "choose_conv_method", "convolve", "convolve2d", "correlate", "correlate2d", "fftconvolve",
           "long_conv", "oaconvolve"]

_MODE_TEXT = "cceptable mode flags are 'valid', 'same', or 'full'."
_METHOD_TEXT = "Acceptable method flags are 'auto', 'direct', or 'fft'."
_BOUNDARIES = {"fill": "constant", "pad": "constant", "wrap": "wrap", "circular": "wrap",
               "symm": "symmetric", "symmetric": "symmetric"}


def fftconvolve(in1: Array, in2: Array, mode: str = "full", axes: Axes = None) -> Array:
    """Convolves two arrays by transforms.

    in1, in2  arrays of as many dimensions, real or complex. Beside the axes their lengths are equal,
              or one is 1 and repeated
    mode      "full": all sums, s1 + s2 - 1 along an axis; "same": as many as in1 has, centred;
              "valid": those that need no zeros, where one array is at least as long in each axis
    axes      the axes to convolve along; without, all

    Returns an array of the dtype that the module states. ValueError for arrays, modes and axes that
    do not fit, in SciPy's words.

    >>> fftconvolve(np.ones((2, 3)), np.ones((2, 2)), axes=1).round(6)
    array([[1., 2., 2., 1.],
           [1., 2., 2., 1.]])
    """
    library, in1, in2 = _sums.operands(in1, in2)
    if in1.ndim == in2.ndim == 0:
        return in1 * in2
    if in1.ndim != in2.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality; they have "
                         f"{in1.ndim} and {in2.ndim} dimensions")
    dtype = _sums.common_type(in1, in2)
    if 0 in (*in1.shape, *in2.shape):
        return library.empty(in1, (0,), "float64" if dtype is None else dtype.name)
    in1, in2, axes = _with_axes(in1, in2, mode, axes)
    if not axes:
        return _as_first(in1 * in2, in1.shape, mode)
    if dtype is None:
        result = _sums.summed_by_numpy(in1, in2, axes, mode)
    else:
        result = _sums.transformed(in1, in2, axes, mode, dtype)
    return _as_first(result, in1.shape, mode)


def oaconvolve(in1: Array, in2: Array, mode: str = "full", axes: Axes = None) -> Array:
    """Convolves two arrays of which one is much longer, by overlapping blocks.

    Arguments and results are those of `fftconvolve`, which cuts a long signal along one axis into
    blocks too, where they cost less: both names are one function here.

    >>> oaconvolve(np.ones(5), [1., 1.], "valid").round(6)
    array([2., 2., 2., 2.])
    """
    return fftconvolve(in1, in2, mode, axes)


def convolve(in1: Array, in2: Array, mode: str = "full", method: str = "auto") -> Array:
    """Convolves two arrays along all of their axes, by transforms or by the sums themselves.

    in1, in2, mode  as `fftconvolve` has them
    method          "fft": transforms; "direct": sums; "auto": what `choose_conv_method` returns

    The result has the dtype of in1 * in2: integers stay integers, by rounding. Tensors and CuPy's arrays
    are convolved by transforms, with the dtype of `fftconvolve`. By transforms, a
    number that is NaN or infinite makes all of the result so, with a RuntimeWarning.

    >>> convolve([1, 2, 3], [1, 1])
    array([1, 3, 5, 3])
    """
    library, in1, in2 = _sums.operands(in1, in2)
    if in1.ndim == in2.ndim == 0:
        return in1 * in2
    if in1.ndim != in2.ndim:
        raise ValueError("volume and kernel should have the same dimensionality; they have "
                         f"{in1.ndim} and {in2.ndim} dimensions")
    _require_mode(mode, "A")
    if _swaps(mode, in1.shape, in2.shape, range(in1.ndim)):
        in1, in2 = in2, in1
    if library is not _sums.numpy_library:
        if method not in ("auto", "fft"):
            raise ValueError(f"method is {method!r}; only numpy arrays are summed directly, so choose "
                             "'auto' or 'fft'")
        return fftconvolve(in1, in2, mode)
    return _convolved(in1, in2, mode, method)


def correlate(in1: Array, in2: Array, mode: str = "full", method: str = "auto") -> Array:
    """Correlates two arrays along all of their axes: c[n] = sum over j of conj(in2[j]) in1[n + j].

    Arguments, dtypes and methods are those of `convolve`. Value 0 of "full" has the last value of
    in2 on the first of in1.

    >>> correlate([0., 1., 2.], [1., 2.], "valid").round(6)
    array([2., 5.])
    """
    _, in1, in2 = _sums.operands(in1, in2)
    if in1.ndim == in2.ndim == 0:
        return in1 * in2.conj()
    if in1.ndim != in2.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality; they have "
                         f"{in1.ndim} and {in2.ndim} dimensions")
    _require_mode(mode, "A")
    return convolve(in1, _sums.reversed_conjugate(in2), mode, method)


def convolve2d(in1: Array, in2: Array, mode: str = "full", boundary: str = "fill",
               fillvalue: float = 0) -> Array:
    """Convolves two arrays of two dimensions.

    mode       as in `fftconvolve`
    boundary   what lies outside in1: "fill" has `fillvalue`, "wrap" repeats in1, "symm" reflects it
               at the edge of its outermost values. Of "valid", nothing does
    fillvalue  a number

    The result has the dtype of in1 * in2. Short kernels are summed directly, and so is what holds
    NaN or infinity. Tensors and CuPy's arrays are convolved by transforms, with the dtype of
    `fftconvolve`.

    >>> convolve2d([[1, 2], [3, 4]], [[1, 1]], boundary="wrap")
    array([[3, 3, 3],
           [7, 7, 7]])
    """
    library, in1, in2 = _of_two_dimensions(in1, in2, "convolve2d")
    if _swaps(mode, in1.shape, in2.shape, (0, 1)):
        in1, in2 = in2, in1
    return _bounded(library, in1, in2, mode, boundary, fillvalue)


def correlate2d(in1: Array, in2: Array, mode: str = "full", boundary: str = "fill",
                fillvalue: float = 0) -> Array:
    """Correlates two arrays of two dimensions: c[n] = sum over j of conj(in2[j]) in1[n + j].

    Arguments are those of `convolve2d`. In mode "same" value n // 2 of an axis of in2 meets in1's, n
    its length, as in SciPy.

    >>> correlate2d([[1, 2, 3]], [[0, 1]], "valid")
    array([[2, 3]])
    """
    library, in1, in2 = _of_two_dimensions(in1, in2, "correlate2d")
    if _swaps(mode, in1.shape, in2.shape, (0, 1)):
        return _sums.reversed_conjugate(correlate2d(in2, in1, mode, boundary, fillvalue))
    taps = _sums.reversed_conjugate(in2)
    if mode == "same" and boundary in ("fill", "pad"):
        result = _bounded(library, in1, taps, "full", boundary, fillvalue)
        return result[tuple(slice(n // 2, n // 2 + h) for h, n in zip(in1.shape, taps.shape))]
    if mode == "same":  # a zero more moves the centre of an even length
        taps = _sums.padded(library, taps, [(0, 1 - n % 2) for n in taps.shape], "constant")
    return _bounded(library, in1, taps, mode, boundary, fillvalue)


def choose_conv_method(in1: Array, in2: Array, mode: str = "full", measure: bool = False) -> Any:
    """Returns "direct" or "fft": how `convolve` is quicker and exact.

    Sums are for short arrays, and for numbers that transforms would round: Python's numbers, long
    double, two arrays of bool, integers whose sums may pass 2^46. With `measure`, the others are
    convolved both ways: returns (method, {"fft": seconds, "direct": seconds}).

    >>> choose_conv_method(np.ones(1000), np.ones(1000))
    'fft'
    """
    in1, in2 = _sums.host_operands("choose_conv_method", in1, in2)
    _require_mode(mode, "A")
    if measure:
        times = {name: _seconds(lambda: convolve(in1, in2, mode, name))
                 for name in ("fft", "direct")}
        is_quicker = times["fft"] < times["direct"]
        return ("fft" if is_quicker and not _needs_sums(in1, in2) else "direct"), times
    if _needs_sums(in1, in2) or _sums.is_short(in1, in2, range(in1.ndim)):
        return "direct"
    return "fft"


class StreamFilter(OfDevice):
    """Filters a signal that arrives in pieces: y[n] = sum over j of taps[j] x[n - j].

    taps      one dimension of 1 to 65,536 numbers
    min_step  outputs come `step` at once, at least so many: a small one keeps the delay short, a
              large one keeps all processors at work; 32,768 by default
    dtype     of samples and outputs: float32, float64, complex64 or complex128; that of the taps
              by default, float64 for integers
    device    where it runs: a `wingbeat.Device`, a `wingbeat.Queue`, or an engine's name; the host
              by default. Samples and outputs are numpy's

    Outputs have the same bits however the signal is cut, and are those of mode "full", in order.
    ValueError for taps and dtypes that do not fit.

    >>> average = StreamFilter([0.5, 0.5], min_step=4)
    >>> pieces = [average.push([1., 3.]), average.push([5.]), average.flush()]
    >>> np.concatenate(pieces).round(6)
    array([0.5, 2. , 4. , 2.5])
    """

    def __init__(self, taps: Array, min_step: int = _wingbeat.default_step, dtype: Any = None,
                 device: Any = None) -> None:
        taps = _sums.host_array("StreamFilter", taps)
        try:
            dtype = _sums.common_type(taps) if dtype is None else np.dtype(dtype).newbyteorder("=")
        except TypeError:
            raise TypeError(f"dtype is {dtype!r}; choose float32, float64, complex64 or complex128"
                            ) from None
        kind = None if dtype is None else getattr(_wingbeat, f"StreamFilter_{dtype.name}", None)
        if kind is None:
            raise TypeError(f"a filter of dtype {dtype or taps.dtype} was asked for; choose "
                             "float32, float64, complex64 or complex128")
        _sums.require_numbers("taps", taps)
        if taps.ndim != 1:
            raise ValueError(f"taps have {taps.ndim} dimensions; give one")
        if taps.dtype.kind == "c" and dtype.kind != "c":
            raise TypeError(f"taps are complex and the filter is of {dtype}; give a complex dtype")
        min_step = count(min_step, "min_step")
        self._dtype = dtype
        self._filter = kind(np.ascontiguousarray(taps, dtype), min_step, queue_on(device))

    @property
    def dtype(self) -> np.dtype:
        """The dtype of samples and outputs."""
        return self._dtype

    @property
    def step(self) -> int:
        """The number of outputs that come at once."""
        return self._filter.step

    @property
    def block(self) -> int:
        """The length of the transforms."""
        return self._filter.block

    def push(self, samples: Array) -> np.ndarray:
        """Takes samples [n], any number, and returns the outputs that are complete: whole steps."""
        samples = _sums.host_array("push", samples)
        _sums.require_numbers("samples", samples)
        if samples.ndim != 1:
            raise ValueError(f"samples have {samples.ndim} dimensions; give one")
        if samples.dtype.kind == "c" and self._dtype.kind != "c":
            raise TypeError(f"samples are complex and the filter is of {self._dtype}; make it of a "
                             "complex dtype")
        return self._filter.push(np.ascontiguousarray(samples, self._dtype))

    def flush(self) -> np.ndarray:
        """Ends the signal and returns the rest of its outputs: in all n + len(taps) - 1 of n samples,
        and none of none. The next sample begins another signal."""
        return self._filter.flush()


def long_conv(x: Array, k: Array, causal: bool = True, gate: Array | None = None,
              skip: Array | None = None, *, gate_before: Array | None = None,
              lengths: Array | None = None, paired: bool = True) -> Array:
    """Convolves signals with kernels as long as they are: y = gate * (k (*) u + skip * u), of
    u = gate_before * x.

    x            [.., channels, L]
    k            [channels, K], or [K] for all channels
    causal       y[n] = sum over j of k[j] u[n - j], j from 0 to n. Otherwise k is centred on n: its
                 value (K - 1) / 2, rounded down, meets u[n]
    gate         [.., channels, L], or what broadcasts to it
    skip         [channels], or a number for all
    gate_before  as gate is
    lengths      [..], or what broadcasts to it: how many values each signal of the batch has, 0 to L.
                 Those behind are not read, whatever they are, and count as 0; y is 0 there
    paired       whether signals 2p and 2p + 1 of the batch share a row of the transform, of real
                 numbers: NaN or infinity in one is then in both, and rounding is relative to the louder
                 one. Without, each has a row of its own, which takes up to twice as long

    Returns y as x is, of the dtype that x, k and the others have in common. Of real numbers padding is
    in no memory, and gates and skip are on the way. Kernels for many calls: `PreparedLongConv`.
    Gradients, and tensors: `wingbeat.torch.long_conv`. ValueError for shapes that do not fit.

    >>> long_conv(np.ones((1, 4)), np.array([[1., 0.5, 0.25]])).round(6)
    array([[1.  , 1.5 , 1.75, 1.75]])
    """
    return _long_conv(x, k, causal, skip, gate, gate_before, lengths, paired, None)


class PreparedLongConv:
    """`long_conv` with kernels whose spectra are kept from call to call.

    k, causal, skip, paired  as `long_conv` has them, copied

    The spectra of the latest 4 shapes and dtypes of signals are kept, of real numbers.

    >>> prepared = PreparedLongConv(np.array([[1., 0.5, 0.25]]))
    >>> prepared(np.ones((1, 4))).round(6)
    array([[1.  , 1.5 , 1.75, 1.75]])
    """

    def __init__(self, k: Array, causal: bool = True, skip: Array | None = None, *,
                 paired: bool = True) -> None:
        self._kernels, self._spectra = k, OrderedDict()
        if not _is_number(k):
            self._kernels = np.array(_sums.host_array("PreparedLongConv", k))
        if skip is not None and not _is_number(skip):
            skip = np.array(_sums.host_array("PreparedLongConv", skip))
        self._options = causal, skip, paired

    def __call__(self, x: Array, gate: Array | None = None, *, gate_before: Array | None = None,
                 lengths: Array | None = None) -> Array:
        causal, skip, paired = self._options
        return _long_conv(x, self._kernels, causal, skip, gate, gate_before, lengths, paired,
                          self._spectra)


def _long_conv(x, k, causal, skip, gate, gate_before, lengths, paired, kept):
    x, k = _sums.host_operands("long_conv", x, k, other="wingbeat.torch.long_conv")
    for name, value in (("causal", causal), ("paired", paired)):
        if not isinstance(value, (bool, np.bool_)):
            raise TypeError(f"{name} is of type {type(value).__name__}; give True or False, and gate "
                            "and skip by their names")
    if x.ndim == 0 or k.ndim not in (1, 2) or 0 in x.shape[-1:] or 0 in k.shape:
        raise ValueError(f"x has shape {x.shape} and k {k.shape}; give x as [.., channels, L] and k "
                         "as [channels, K] or [K]")
    if k.ndim == 2 and (x.ndim < 2 or k.shape[0] not in (1, x.shape[-2])):
        raise ValueError(f"k has {k.shape[0]} channels and x has shape {x.shape}; give x as [.., "
                         "channels, L]")
    given = {name: each if _is_number(each) else np.asarray(each) for name, each in (
        ("x", x), ("k", k), ("gate", gate), ("skip", skip), ("gate_before", gate_before))
        if each is not None}
    arrays = {name: each for name, each in given.items() if not _is_number(each)}
    for name, each in arrays.items():
        if _sums.common_type(each) is None:
            raise TypeError(f"{name} is of {each.dtype}; give numbers of up to double precision")
    dtype = np.result_type(_sums.common_type(*arrays.values()), *filter(_is_number, given.values()))
    gate, skip, gate_before = (
        None if name not in given else _broadcast(name, given[name], shape, dtype)
        for name, shape in (("gate", x.shape), ("skip", x.shape[-2:-1]), ("gate_before", x.shape)))
    lengths = None if lengths is None else _lengths(lengths, x.shape)
    if x.size == 0:
        return np.empty(x.shape, dtype)
    begin, end = _sums.long_taps(x.shape[-1], k.shape[-1], causal)
    k = k[..., begin:end]
    if dtype.kind == "f":
        return _long_rows(x, k, skip, (gate_before, gate, lengths, bool(causal), bool(paired)), dtype,
                          kept)
    return _long_transforms(x, k, causal, skip, gate, gate_before, lengths, dtype)


def _lengths(lengths, shape):
    """Returns how many values each signal of the batch has."""
    lengths = np.asarray(lengths)
    if lengths.dtype.kind not in "iu":
        raise TypeError(f"lengths is of dtype {lengths.dtype}; give integers")
    if lengths.size and not 0 <= int(lengths.min()) <= int(lengths.max()) <= shape[-1]:
        raise ValueError(f"lengths are from {lengths.min()} to {lengths.max()}; give 0 to "
                         f"{shape[-1]}, the length of x")
    return _broadcast("lengths", lengths.astype(np.uint32), shape[:-2], np.uint32)


def _long_rows(x, k, skip, options, dtype, kept):
    """Returns long convolutions of real signals, by the library's own plan of them."""
    def packed(values, shape):
        return None if values is None else np.ascontiguousarray(values, dtype).reshape(shape)

    gate_before, gate, lengths, *flags = options
    channels = x.shape[-2] if x.ndim > 1 else 1
    rows = (-1, channels, x.shape[-1])
    signals = packed(x, rows)
    kernels = np.ascontiguousarray(np.broadcast_to(k, (channels, k.shape[-1])), dtype)
    skip = packed(skip, channels)
    if lengths is not None:  # 32 bits of any type
        lengths = np.ascontiguousarray(lengths).reshape(-1).view(np.float32)
    options = packed(gate_before, rows), packed(gate, rows), lengths, *flags
    spectra = None
    if kept is not None:
        spectra = kept.get((signals.shape, dtype))
        if spectra is None:
            n_bytes = _wingbeat.prepare_long(signals, kernels, skip, options, None)
            spectra = np.empty(n_bytes // 4, np.float32)
            _wingbeat.prepare_long(signals, kernels, skip, options, spectra)
            kept[signals.shape, dtype] = spectra
            while len(kept) > 4:
                kept.popitem(last=False)
    y = (np.empty if lengths is None else np.zeros)(x.shape, dtype)
    _wingbeat.long_convolve(signals, kernels, skip, options, spectra, y.reshape(rows), False)
    return y


def _long_transforms(x, k, causal, skip, gate, gate_before, lengths, dtype):
    """Returns long convolutions of complex signals."""
    is_there = True if lengths is None else np.arange(x.shape[-1]) < np.reshape(
        lengths, (*lengths.shape, *(1,) * (x.ndim - lengths.ndim)))
    u = np.where(is_there, x, 0)
    if gate_before is not None:
        u = u * np.where(is_there, gate_before, 0)
    kernels = k.reshape((1,) * (x.ndim - k.ndim) + k.shape)
    mode = "full" if causal else "same"
    y = _sums.transformed(u, kernels, [x.ndim - 1], mode, dtype)[..., :x.shape[-1]]
    if skip is not None:
        y = y + skip[..., None] * u
    if gate is not None:
        y = np.where(is_there, gate, 0) * y
    return y if lengths is None else np.where(is_there, y, 0)


def cache_info() -> dict[str, int]:
    """Returns the kept convolutions of this process: how many, at most how many, and how often a call
    found one and did not.

    >>> sorted(cache_info())
    ['capacity', 'hits', 'misses', 'size']
    """
    return dict(zip(("size", "capacity", "hits", "misses"), _wingbeat.convolution_cache_info()))


def cache_clear() -> None:
    """Drops the kept convolutions.

    >>> cache_clear()
    >>> cache_info()["size"]
    0
    """
    _wingbeat.convolution_cache_clear()


def cache_resize(capacity: int) -> None:
    """Keeps at most `capacity` convolutions from now on, the latest ones used.

    >>> cache_resize(32)
    >>> cache_info()["capacity"]
    32
    """
    _wingbeat.convolution_cache_resize(count(capacity, "capacity"))


def _is_number(value):
    """Whether a value is Python's number, which does not widen an array's."""
    return type(value) in (int, float, complex)


def _broadcast(name, value, shape, dtype):
    """Returns an array of this shape, of Python's numbers one of this dtype."""
    value = np.asarray(value, dtype if _is_number(value) else None)
    try:
        return np.broadcast_to(value, shape)
    except ValueError:
        raise ValueError(f"{name} has shape {value.shape}; give {shape}, or what broadcasts to it") from None


def _require_mode(mode, initial):
    if mode not in tuple(_sums.MODES):
        raise ValueError(initial + _MODE_TEXT)


def _swaps(mode, shape1, shape2, axes):
    """Returns whether mode "valid" exchanges the arrays, because the second one is the larger."""
    if mode != "valid":
        return False
    if all(shape1[axis] >= shape2[axis] for axis in axes):
        return False
    if all(shape2[axis] >= shape1[axis] for axis in axes):
        return True
    raise ValueError("For 'valid' mode, one must be at least as large as the other in every "
                     f"dimension; the shapes are {tuple(shape1)} and {tuple(shape2)}")


def _with_axes(in1, in2, mode, axes):
    """Returns the arrays, exchanged where mode "valid" does so, and the axes along which neither has
    length 1: along others the product is the convolution."""
    is_stated = axes is not None
    _, axes = lengths_and_axes(in1.shape, None, axes)
    if is_stated and not axes:
        raise ValueError("when provided, axes cannot be empty; leave them out for all")
    axes = [axis for axis in axes if in1.shape[axis] != 1 and in2.shape[axis] != 1]
    for d, (n1, n2) in enumerate(zip(in1.shape, in2.shape)):
        if d not in axes and n1 != n2 and 1 not in (n1, n2):
            raise ValueError(f"incompatible shapes for in1 and in2: {in1.shape} and {in2.shape}")
    _require_mode(mode, "a")
    if _swaps(mode, in1.shape, in2.shape, axes):
        in1, in2 = in2, in1
    return in1, in2, axes


def _as_first(result, shape, mode):
    """Returns the centred part of a result that has the first array's shape, in mode "same"."""
    if mode != "same" or result.shape == shape:
        return result
    starts = [(have - want) // 2 for have, want in zip(result.shape, shape)]
    return result[tuple(slice(start, start + n) for start, n in zip(starts, shape))]


def _convolved(in1, in2, mode, method):
    """Returns the convolution along all axes, of the dtype of in1 * in2."""
    if method == "auto":
        method = choose_conv_method(in1, in2, mode)
    if method not in ("fft", "direct"):
        raise ValueError(_METHOD_TEXT)
    if in1.size == 0 or in2.size == 0:
        return np.array([])
    if method == "direct":
        return _direct(in1, in2, mode)
    dtype = np.result_type(in1, in2)
    result = fftconvolve(in1, in2, mode)
    if dtype.kind in "biu" and result.dtype.kind == "f":
        result = np.round(result)
    if result.dtype.kind in "fc" and result.size and not np.isfinite(result.flat[0]):
        warnings.warn("Use of fft convolution on input with NAN or inf results in NAN or inf "
                      "output. Consider using method='direct' instead.", RuntimeWarning,
                      stacklevel=3)
    return result.astype(dtype, copy=False)


def _direct(in1, in2, mode):
    """Returns the sums, of the dtype of in1 * in2."""
    dtype = np.result_type(in1, in2)
    axes = range(in1.ndim)
    common = _sums.common_type(in1, in2)
    if common is None or dtype == bool or (
            dtype.kind in "iu" and not _sums.holds_integers_exactly(in1, in2)):
        return _sums.summed_by_numpy(in1, in2, axes, mode)
    # Along axes on which one array has length 1 too: there the sum has one product.
    return _sums.summed(in1, in2, axes, mode, common).astype(dtype, copy=False)


def _needs_sums(in1, in2):
    """Returns whether transforms would round what sums do not."""
    if _sums.common_type(in1, in2) is None or (in1.dtype == bool and in2.dtype == bool):
        return True
    are_integers = in1.dtype.kind in "biu" and in2.dtype.kind in "biu"
    return are_integers and not _sums.holds_integers_exactly(in1, in2)


def _seconds(call):
    """Returns the least time of three calls, after one that plans."""
    call()
    times = []
    for _ in range(3):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def _of_two_dimensions(in1, in2, name):
    library, in1, in2 = _sums.operands(in1, in2)
    if not in1.ndim == in2.ndim == 2:
        raise ValueError(f"{name} inputs must both be 2-D arrays; they have {in1.ndim} and "
                         f"{in2.ndim} dimensions")
    return library, in1, in2


def _bounded(library, in1, in2, mode, boundary, fillvalue):
    """Returns the convolution of two images, the first one continued by its boundary."""
    _require_mode(mode, "A")
    if boundary not in tuple(_BOUNDARIES):
        raise ValueError("Acceptable boundary flags are 'fill', 'circular' (or 'wrap'), and "
                         "'symmetric' (or 'symm').")
    is_numpy = library is _sums.numpy_library
    dtype = np.result_type(in1, in2) if is_numpy else _sums.common_type(in1, in2)
    convolved = _convolved_exactly if is_numpy else fftconvolve
    fill, is_filled = _fill_number(fillvalue, dtype), _BOUNDARIES[boundary] == "constant"
    if mode == "valid" or (is_filled and fill == 0):
        return convolved(in1, in2, mode)
    if 0 in in1.shape:
        raise ValueError(f"in1 has shape {in1.shape}, which no boundary continues; give an image")
    around = []
    for length, taps in zip(in1.shape, in2.shape):
        start = _sums.result_start(taps, mode)
        end = start + _sums.result_length(length, taps, mode)
        # A kernel that reaches beyond less than its length leaves some of the image out.
        around.append((max(taps - 1 - start, 0), max(end - length, 0)))
    if is_filled and dtype.kind in "fc" and not (
            is_numpy and choose_conv_method(in1, in2, mode) == "direct"):
        # A large fill, or NaN, concerns no sums but those that it takes part in.
        wide = np.result_type(dtype, np.float64).name
        with np.errstate(invalid="ignore"):
            terms = library.packed(in2, (0, 1), in2.shape, wide) * fill.item()
        result = convolved(in1, in2, mode)
        result += _sums.border_sums(library, terms, in1.shape,
                                    [_sums.result_start(taps, mode) for taps in in2.shape],
                                    result.shape)
        return result
    in1 = in1.astype(dtype, copy=False) if is_numpy else library.packed(in1, (0, 1), in1.shape,
                                                                         dtype.name)
    continued = _sums.padded(library, in1, around, _BOUNDARIES[boundary], fill.item())
    return convolved(continued, in2, "valid")


def _convolved_exactly(in1, in2, mode):
    """As `_convolved` with the method "auto", but for NaN and infinity, which stay where they are."""
    if choose_conv_method(in1, in2, mode) == "direct":
        return _direct(in1, in2, mode)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        result = _convolved(in1, in2, mode, "fft")
    if result.size and not np.isfinite(result.flat[0]):
        return _direct(in1, in2, mode)
    return result


def _fill_number(fillvalue, dtype):
    fill = np.asarray(fillvalue)
    if fill.dtype.kind not in "biufc":
        raise TypeError(f"`fillvalue` is of type {type(fillvalue).__name__}; give a number")
    if fill.size != 1:
        raise ValueError("`fillvalue` must be scalar or an array with one element; it has "
                         f"{fill.size}")
    if fill.dtype.kind == "c" and dtype.kind != "c":
        raise ValueError("could not cast `fillvalue` directly to the output type, which is "
                         f"{dtype}; give a real number")
    return fill.reshape(()).astype(dtype)
