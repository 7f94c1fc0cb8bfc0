# SPDX-License-Identifier: Apache-2.0
"""Convolutions, correlations and filters, with the names and arguments of `scipy.signal`.

    fftconvolve oaconvolve convolve correlate convolve2d correlate2d choose_conv_method
    stft istft spectrogram welch periodogram csd coherence   by frames
    StreamFilter    filters a signal that arrives in pieces
    long_conv       kernels as long as the signals, with gates, for state-space models;
                    PreparedLongConv for many calls

A call forward transforms, multiplies, transforms back and crops in two or three passes over memory;
no padded array and no spectrum of the result exist. Plans are kept: `cache_info`, `cache_clear`.
Arrays are numpy's, or anything that numpy converts to one; the convolutions and correlations also
take torch's and CuPy's, on their device and its current stream. Results have SciPy's dtypes:
float16 gives float32, integers give float64, and if one of two arrays is complex or double, both
count as that. long double, Python's numbers and integers whose sums may exceed 2^46 are summed
directly, without conversion; `convolve` and `correlate` also sum directly if that takes less time.

>>> import numpy as np
>>> from wingbeat import signal
>>> signal.fftconvolve([1., 2., 3.], [0., 1., 0.5]).round(6)
array([0. , 1. , 2.5, 4. , 1.5])
"""

from __future__ import annotations

import time
import warnings
from collections import OrderedDict
from typing import Any, Literal

import numpy as np

from wingbeat import _long_rows, _modes, _sums, _wingbeat
from wingbeat._arguments import bounds, count
from wingbeat._device import OfDevice, queue_on
from wingbeat._signal_spectra import coherence, csd, istft, periodogram, spectrogram, stft, welch
from wingbeat._types import Array, Axes, Mode, of_signals

__all__ = ["PreparedLongConv", "StreamFilter", "cache_clear", "cache_info", "cache_resize",
           "choose_conv_method", "coherence", "convolve", "convolve2d", "correlate", "correlate2d",
           "csd", "fftconvolve", "istft", "long_conv", "oaconvolve", "periodogram", "spectrogram",
           "stft", "welch"]

_METHOD_TEXT = "Acceptable method flags are 'auto', 'direct', or 'fft'."
Boundary = Literal["fill", "pad", "wrap", "circular", "symm", "symmetric"]
_BOUNDARIES = {"fill": "constant", "pad": "constant", "wrap": "wrap", "circular": "wrap",
               "symm": "symmetric", "symmetric": "symmetric"}


@of_signals
def fftconvolve(in1: Array, in2: Array, mode: Mode = "full", axes: Axes = None) -> Array:
    """Convolves two arrays by transforms.

    in1, in2  arrays with equal numbers of dimensions, real or complex. In other dimensions than the
              axes, lengths are equal, or one is 1 and repeated
    mode      "full": all sums, s1 + s2 - 1 along an axis; "same": the shape of in1, centred;
              "valid": sums that need no zeros, if one array is at least as long in each axis
    axes      the axes to convolve along; None: all

    Returns an array of the dtype that the module states; for integers it holds integers if sums
    stay below 2^46. ValueError for arrays, modes and axes that do not fit, in SciPy's words.

    >>> fftconvolve(np.ones((2, 3)), np.ones((2, 2)), axes=1).round(6)
    array([[1., 2., 2., 1.],
           [1., 2., 2., 1.]])
    """
    library, in1, in2 = _sums.operands(in1, in2)
    if _modes.have_no_axes(in1, in2):
        return in1 * in2
    dtype = _sums.common_type(in1, in2)
    if 0 in (*in1.shape, *in2.shape):
        return library.empty(in1, (0,), "float64" if dtype is None else dtype.name)
    in1, in2, stated, axes = _modes.with_axes(in1, in2, mode, axes)
    if not axes:
        return _modes.as_first(library, in1 * in2, in1.shape, stated, mode)
    if dtype is None:
        result = _sums.summed_by_numpy(in1, in2, axes, mode)
    else:
        result = _sums.transformed(in1, in2, axes, mode, dtype)
        if _sums.are_integers(in1, in2) and _sums.holds_integers_exactly(in1, in2):
            np.rint(result, result)
    return _modes.as_first(library, result, in1.shape, stated, mode)


@of_signals
def oaconvolve(in1: Array, in2: Array, mode: Mode = "full", axes: Axes = None) -> Array:
    """Convolves two arrays, one much longer than the other, by overlapping blocks.

    Arguments and results are those of `fftconvolve`, which also cuts a long signal along one axis
    into blocks if that costs less. In numpy's arrays, NaN and infinity only make those sums NaN
    that contain them; with SciPy, those of a block; in `fftconvolve`, and in arrays of other
    libraries, all sums.

    >>> oaconvolve(np.ones(5), [1., 1.], "valid").round(6)
    array([2., 2., 2., 2.])
    """
    library, in1, in2 = _sums.operands(in1, in2)
    result = fftconvolve(in1, in2, mode, axes)
    if (library is not _sums.numpy_library or _sums.is_finite(result)
            or _sums.is_finite(in1) and _sums.is_finite(in2)):
        return result
    finite = [np.isfinite(each) for each in (in1, in2)]
    result = fftconvolve(*(np.where(*each, 0) for each in zip(finite, (in1, in2))), mode, axes)
    missing = [1.0 - each for each in finite]
    all_sums = [np.ones(each.shape) for each in finite]
    touched = fftconvolve(missing[0], all_sums[1], mode, axes)
    touched += fftconvolve(all_sums[0], missing[1], mode, axes)
    result[touched > 0.5] = np.nan
    return result


@of_signals
def convolve(in1: Array, in2: Array, mode: Mode = "full",
             method: Literal["auto", "direct", "fft"] = "auto") -> Array:
    """Convolves two arrays along all of their axes, by transforms or by the sums themselves.

    in1, in2, mode  as in `fftconvolve`
    method          "fft": transforms; "direct": sums; "auto": the method that `choose_conv_method`
                    returns

    The result has the dtype of in1 * in2: integers stay integers, by rounding. Tensors and CuPy's
    arrays are convolved by transforms, with the dtype of `fftconvolve`. By transforms, a NaN or
    infinite number makes the whole result NaN or infinite, with a RuntimeWarning.

    >>> convolve([1, 2, 3], [1, 1])
    array([1, 3, 5, 3])
    """
    result = _wingbeat.sum_arrays(in1, in2, mode, method, False)
    if result is not None:
        return result
    library, in1, in2 = _sums.operands(in1, in2)
    if _modes.have_no_axes(in1, in2, "volume and kernel"):
        return in1 * in2
    _modes.require_mode(mode, "A")
    if _modes.swaps(mode, in1.shape, in2.shape, range(in1.ndim)):
        in1, in2 = in2, in1
    if library is not _sums.numpy_library:
        if method not in ("auto", "fft"):
            raise ValueError(f"method is {method!r}; only numpy arrays are summed directly, so "
                             "choose 'auto' or 'fft'")
        return fftconvolve(in1, in2, mode)
    return _convolved(in1, in2, mode, method)


@of_signals
def correlate(in1: Array, in2: Array, mode: Mode = "full",
              method: Literal["auto", "direct", "fft"] = "auto") -> Array:
    """Correlates two arrays along all of their axes: c[n] = sum over j of conj(in2[j]) in1[n + j].

    Arguments, dtypes and methods are those of `convolve`. Value 0 of "full" is the product of the
    first value of in1 and the last of in2.

    >>> correlate([0., 1., 2.], [1., 2.], "valid").round(6)
    array([2., 5.])
    """
    result = _wingbeat.sum_arrays(in1, in2, mode, method, True)
    if result is not None:
        return result
    _, in1, in2 = _sums.operands(in1, in2)
    if _modes.have_no_axes(in1, in2):
        return in1 * in2.conj()
    _modes.require_mode(mode, "A")
    return convolve(in1, _sums.reversed_conjugate(in2), mode, method)


@of_signals
def convolve2d(in1: Array, in2: Array, mode: Mode = "full", boundary: Boundary = "fill",
               fillvalue: float = 0) -> Array:
    """Convolves two arrays of two dimensions.

    mode       as in `fftconvolve`
    boundary   the values outside of in1: "fill" has `fillvalue`, "wrap" repeats in1, "symm"
               reflects it at the edge of its outermost values. "valid" needs none
    fillvalue  a number

    The result has the dtype of in1 * in2. Short kernels, and arrays with NaN or infinity, are
    summed directly. Tensors and CuPy's arrays are convolved by transforms, with the dtype of
    `fftconvolve`.

    >>> convolve2d([[1, 2], [3, 4]], [[1, 1]], boundary="wrap")
    array([[3, 3, 3],
           [7, 7, 7]])
    """
    library, in1, in2 = _of_two_dimensions(in1, in2, "convolve2d")
    if _modes.swaps(mode, in1.shape, in2.shape, (0, 1)):
        in1, in2 = in2, in1
    return _bounded(library, in1, in2, mode, boundary, fillvalue)


@of_signals
def correlate2d(in1: Array, in2: Array, mode: Mode = "full", boundary: Boundary = "fill",
                fillvalue: float = 0) -> Array:
    """Correlates two arrays of two dimensions: c[n] = sum over j of conj(in2[j]) in1[n + j].

    Arguments are those of `convolve2d`. In mode "same", in2 is centred on its value n // 2 along an
    axis of length n, as in SciPy.

    >>> correlate2d([[1, 2, 3]], [[0, 1]], "valid")
    array([[2, 3]])
    """
    library, in1, in2 = _of_two_dimensions(in1, in2, "correlate2d")
    if _modes.swaps(mode, in1.shape, in2.shape, (0, 1)):
        exchanged = correlate2d(in2, in1, mode, boundary, fillvalue)
        return library.copy(_sums.reversed_conjugate(exchanged))
    taps = _sums.reversed_conjugate(in2)
    if mode == "same" and boundary in ("fill", "pad"):
        result = _bounded(library, in1, taps, "full", boundary, fillvalue)
        part = tuple(slice(n // 2, n // 2 + h) for h, n in zip(in1.shape, taps.shape))
        return library.copy(result[part])
    if mode == "same":  # one more zero moves the centre of an even length
        taps = _sums.padded(library, taps, [(0, 1 - n % 2) for n in taps.shape], "constant")
    return _bounded(library, in1, taps, mode, boundary, fillvalue)


def choose_conv_method(in1: Array, in2: Array, mode: Mode = "full", measure: bool = False) -> Any:
    """Returns "direct" or "fft", the faster method of `convolve` that is exact enough.

    "direct" is for short arrays, and for numbers that transforms would round: Python's numbers,
    long double, two arrays of bool, integers whose sums may exceed 2^46. With `measure`, other
    arrays are convolved both ways: returns (method, {"fft": seconds, "direct": seconds}).

    >>> choose_conv_method(np.ones(1000), np.ones(1000))
    'fft'
    """
    in1, in2 = _sums.host_operands("choose_conv_method", in1, in2)
    _modes.require_mode(mode, "A")
    if measure:
        times = {name: _seconds(lambda: convolve(in1, in2, mode, name))
                 for name in ("fft", "direct")}
        is_quicker = times["fft"] < times["direct"]
        return ("fft" if is_quicker and not _modes.needs_sums(in1, in2) else "direct"), times
    return _modes.quicker_method(in1, in2, mode)


class StreamFilter(OfDevice):
    """Filters a signal that arrives in pieces: y[n] = sum over j of taps[j] x[n - j].

    taps      one dimension of 1 to 65,536 numbers
    min_step  outputs come `step` at a time, at least this many: a small number keeps the delay
              short, a large one uses all processors; 32,768 by default
    dtype     of samples and outputs: float32, float64, complex64 or complex128; by default that of
              the taps, float64 for integers
    device    the device to run on: a `wingbeat.Device`, a `wingbeat.Queue`, or an engine's name;
              the host by default. Samples and outputs are numpy's

    Outputs are those of mode "full", in order; their bits do not depend on how the signal is cut.
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
        taps = _sums.row_of("taps", taps, dtype)
        min_step = count(min_step, "min_step")
        self._dtype = dtype
        self._filter = kind(taps, min_step, queue_on(device))

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
        """Takes any number n of samples [n], and returns the complete outputs, in whole steps."""
        samples = _sums.host_array("push", samples)
        return self._filter.push(_sums.row_of("samples", samples, self._dtype))

    def flush(self) -> np.ndarray:
        """Ends the signal and returns the rest of its n + len(taps) - 1 outputs for n samples; none
        for no samples. The next sample begins another signal."""
        return self._filter.flush()


def long_conv(x: Array, k: Array, causal: bool = True, gate: Array | None = None,
              skip: Array | None = None, *, gate_before: Array | None = None,
              lengths: Array | None = None, paired: bool = True) -> np.ndarray:
    """Convolves signals with kernels of the same length: y = gate * (k (*) u + skip * u) with
    u = gate_before * x.

    x            [.., channels, L]
    k            [channels, K], or [K] for all channels
    causal       y[n] = sum over j of k[j] u[n - j], j from 0 to n. Otherwise k is centred on n:
                 u[n] is multiplied by its value (K - 1) / 2, rounded down
    gate         [.., channels, L], or an array that broadcasts to it
    skip         [channels], or a number for all
    gate_before  as gate
    lengths      [..], or an array that broadcasts to it: the length of each signal of the batch, 0
                 to L. Values behind it are not read and count as 0; y is 0 there
    paired       for real numbers, whether signals 2p and 2p + 1 of the batch share a row of the
                 transform: NaN or infinity in one then spreads to both, and rounding is relative to
                 the louder one. False: each has its own row, which takes up to twice as long

    Returns y with the shape of x, of the common dtype of x, k and the others. For real numbers,
    padding takes no memory, and gates and skip are applied within the passes. For kernels of many
    calls see `PreparedLongConv`; for gradients and tensors, `wingbeat.torch.long_conv`. ValueError
    for shapes that do not fit.

    >>> long_conv(np.ones((1, 4)), np.array([[1., 0.5, 0.25]])).round(6)
    array([[1.  , 1.5 , 1.75, 1.75]])
    """
    return _long_rows.convolved(x, k, causal, skip, gate, gate_before, lengths, paired, None)


class PreparedLongConv:
    """`long_conv` with kernels whose spectra are kept from call to call.

    k, causal, skip, paired  as in `long_conv`, copied

    For real numbers, the spectra of the latest 4 shapes and dtypes of signals are kept.

    >>> prepared = PreparedLongConv(np.array([[1., 0.5, 0.25]]))
    >>> prepared(np.ones((1, 4))).round(6)
    array([[1.  , 1.5 , 1.75, 1.75]])
    """

    def __init__(self, k: Array, causal: bool = True, skip: Array | None = None, *,
                 paired: bool = True) -> None:
        self._kernels, self._spectra = k, OrderedDict()
        if not _long_rows.is_number(k):
            self._kernels = np.array(_sums.host_array("PreparedLongConv", k))
        if skip is not None and not _long_rows.is_number(skip):
            skip = np.array(_sums.host_array("PreparedLongConv", skip))
        self._options = causal, skip, paired

    def __call__(self, x: Array, gate: Array | None = None, *, gate_before: Array | None = None,
                 lengths: Array | None = None) -> np.ndarray:
        causal, skip, paired = self._options
        return _long_rows.convolved(x, self._kernels, causal, skip, gate, gate_before, lengths,
                          paired, self._spectra)


def cache_info() -> dict[str, int]:
    """Returns statistics of the kept convolutions of this process, long ones and those of images
    included: their number and its limit per kind, hits and misses of calls, the bytes of their
    tables and its limit per kind. The limits are 32 and 512 MiB, unless `cache_resize` changes
    them.

    >>> sorted(cache_info())
    ['bytes', 'capacity', 'hits', 'max_bytes', 'misses', 'size']
    """
    return dict(zip(("size", "capacity", "hits", "misses", "bytes", "max_bytes"),
                    _wingbeat.convolution_cache_info()))


def cache_clear() -> None:
    """Drops the kept convolutions.

    >>> cache_clear()
    >>> cache_info()["size"]
    0
    """
    _wingbeat.convolution_cache_clear()


def cache_resize(capacity: int | None = None, max_bytes: int | None = None) -> None:
    """Keeps at most the `capacity` latest convolutions of each kind from now on, whose tables take
    at most `max_bytes`; None does not change a limit. The latest one stays, regardless of its size.

    >>> cache_resize(32)
    >>> cache_info()["capacity"]
    32
    """
    info = cache_info()
    _wingbeat.convolution_cache_resize(*bounds(capacity, max_bytes, info["capacity"],
                                               info["max_bytes"]))


def _convolved(in1, in2, mode, method):
    """Returns the convolution along all axes, of the dtype of in1 * in2."""
    if method == "auto":
        method = _modes.quicker_method(in1, in2, mode)
    if method not in ("fft", "direct"):
        raise ValueError(_METHOD_TEXT)
    if in1.size == 0 or in2.size == 0:
        return np.array([])
    are_integers = _sums.are_integers(in1, in2)
    if method == "direct" or are_integers and not _sums.holds_integers_exactly(in1, in2):
        return _modes.direct(in1, in2, mode)
    dtype = np.result_type(in1, in2)
    result = fftconvolve(in1, in2, mode)
    if are_integers:
        return _sums.as_integers(result, dtype)
    if result.dtype.kind in "fc" and result.size and not np.isfinite(result.flat[0]):
        warnings.warn("Use of fft convolution on input with NAN or inf results in NAN or inf "
                      "output. Consider using method='direct' instead.", RuntimeWarning,
                      stacklevel=3)
    return result.astype(dtype, copy=False)


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
    """Returns the convolution of two images; the boundary extends the first one."""
    _modes.require_mode(mode, "A")
    if boundary not in tuple(_BOUNDARIES):
        raise ValueError("Acceptable boundary flags are 'fill', 'circular' (or 'wrap'), and "
                         "'symmetric' (or 'symm').")
    is_numpy = library is _sums.numpy_library
    dtype = np.result_type(in1, in2) if is_numpy else _sums.common_type(in1, in2)
    convolved = _convolved_exactly if is_numpy else fftconvolve
    fill, is_filled = _modes.fill_number(fillvalue, dtype), _BOUNDARIES[boundary] == "constant"
    if mode == "valid" or (is_filled and fill == 0):
        return convolved(in1, in2, mode)
    if 0 in in1.shape:
        raise ValueError(f"in1 has shape {in1.shape}, which no boundary continues; give an image")
    around = []
    for length, taps in zip(in1.shape, in2.shape):
        start = _sums.result_start(taps, mode)
        end = start + _sums.result_length(length, taps, mode)
        # A negative width, where results do not need all of the image, counts as 0.
        around.append((max(taps - 1 - start, 0), max(end - length, 0)))
    if is_filled and dtype.kind in "fc" and not (
            is_numpy and choose_conv_method(in1, in2, mode) == "direct"):
        # A large fill, or NaN, must not affect sums that do not contain it.
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
    """As `_convolved` with the method "auto", but NaN and infinity only affect the sums that
    contain them."""
    result = _wingbeat.sum_arrays(in1, in2, mode, "auto", False)
    if result is not None:
        return result
    if choose_conv_method(in1, in2, mode) == "direct":
        return _modes.direct(in1, in2, mode)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        result = _convolved(in1, in2, mode, "fft")
    if result.size and not np.isfinite(result.flat[0]):
        return _modes.direct(in1, in2, mode)
    return result
