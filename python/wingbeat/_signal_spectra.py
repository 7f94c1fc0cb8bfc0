# SPDX-License-Identifier: Apache-2.0
"""Spectra of rows in frames, with the names and arguments of `scipy.signal`. See
`wingbeat.signal`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Callable, Literal

import numpy as np

from wingbeat import _spectral, _sums, short_time
from wingbeat._arguments import choice
from wingbeat._types import Array

Detrend = Literal["constant", "linear", False, None] | Callable[[np.ndarray], np.ndarray]
Boundary = Literal["even", "odd", "constant", "zeros", None]
Average = Literal["mean", "median"]
_DENSITY = ["density", "spectrum"]


def _library(x):
    """Returns the transforms of x's library, and x as its array."""
    library, x = _sums.operands(x, needs="packed")
    return _spectral.Library(lambda rows, spec: spec(rows),
                             lambda spectra, spec, length, is_complex: spec.inverse(
                                 spectra, length, is_complex=is_complex, leaves_zeros=True),
                             partial(_sums.padded, library)), x


def stft(x: Array, fs: float = 1.0, window: Any = "hann", nperseg: int | None = 256,
         noverlap: int | None = None, nfft: int | None = None, detrend: Detrend = False,
         return_onesided: bool = True, boundary: Boundary = "zeros", padded: bool = True,
         axis: int = -1, scaling: Literal["spectrum", "psd"] = "spectrum") -> tuple[Any, Any, Any]:
    """Returns (frequencies, times, spectra), with the time axis last, as `scipy.signal.stft`.

    window   a name, weights, or (a name, parameters) of SciPy's get_window
    detrend  "constant" removes the mean of each frame; of numpy arrays "linear" removes a line, and
             a function returns frames without their trends, which then are all in memory

    >>> stft(np.ones(1000))[2].shape
    (129, 9)
    """
    library, x = _library(x)
    return _spectral.stft(library, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided,
                          boundary, padded, axis, scaling)


def istft(Zxx: Array, fs: float = 1.0, window: Any = "hann", nperseg: int | None = None,
          noverlap: int | None = None, nfft: int | None = None, input_onesided: bool = True,
          boundary: bool = True, time_axis: int = -1, freq_axis: int = -2,
          scaling: Literal["spectrum", "psd"] = "spectrum") -> tuple[Any, Any]:
    """Returns (times, samples) that have these spectra, or come closest to them by least squares,
    as `scipy.signal.istft`. Samples without weight are 0, with a UserWarning.

    >>> istft(stft(np.arange(500.0))[2])[1][1:4].round(9)
    array([1., 2., 3.])
    """
    library, x = _library(Zxx)
    return _spectral.istft(library, x, fs, window, nperseg, noverlap, nfft, input_onesided,
                           boundary, time_axis, freq_axis, scaling)


def _rows(x, axis, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, overlap,
          **features):
    """Returns rows, the description of their powers, and the frequencies."""
    library, x = _library(x)
    rows, is_one_sided = _spectral.sides(_spectral.moved(x, axis, -1), return_onesided)
    cut = _spectral.segments(rows.shape[-1], window, nperseg, noverlap, nfft, overlap)
    _spectral.require_scaling(scaling, _DENSITY)
    rows, spec = _spectral.described(library, rows, cut, fs, scaling, detrend, axis,
                                     is_one_sided=is_one_sided, **features)
    return rows, spec, _spectral.frequencies(cut.n_fft, fs, is_one_sided), cut


def spectrogram(x: Array, fs: float = 1.0, window: Any = ("tukey", 0.25),
                nperseg: int | None = None, noverlap: int | None = None, nfft: int | None = None,
                detrend: Detrend = "constant", return_onesided: bool = True,
                scaling: Literal["density", "spectrum"] = "density", axis: int = -1,
                mode: Literal["psd", "complex", "magnitude", "angle", "phase"] = "psd",
                ) -> tuple[Any, Any, Any]:
    """Returns (frequencies, times, powers or what `mode` names), with the time axis last, as
    `scipy.signal.spectrogram`. "angle" and "phase" are of numpy arrays.

    >>> spectrogram(np.ones(1000))[2].shape
    (129, 4)
    """
    choice(mode, ("psd", "complex", "magnitude", "angle", "phase"), "mode")
    exponent = {"psd": 2.0, "magnitude": 1.0}.get(mode, 0.0)
    rows, spec, f, cut = _rows(x, axis, fs, window, nperseg, noverlap, nfft, detrend,
                               return_onesided, scaling, 8, exponent=exponent)
    if mode != "psd":
        spec = replace(spec, is_one_sided=False)
    result = spec(rows)
    if mode in ("angle", "phase"):
        if not isinstance(result, np.ndarray):
            raise TypeError(f"mode is {mode!r}, and x of type {type(x).__name__}; give a numpy "
                            "array")
        result = np.angle(result) if mode == "angle" else np.unwrap(np.angle(result), axis=-2)
    times = (np.arange(result.shape[-1]) * cut.hop + cut.n / 2) / fs
    return f, times, _spectral.moved(result, -2, axis if axis >= 0 else axis - 1)


def _median(powers):
    """Returns the median over frames, divided by its mean for noise."""
    if not isinstance(powers, np.ndarray):
        raise TypeError(f"average is 'median', and x of type {type(powers).__name__}; give a numpy "
                        "array, or 'mean'")
    k = np.arange(2, powers.shape[-1], 2)
    bias = 1 + (1 / (k + 1) - 1 / k).sum()
    if np.iscomplexobj(powers):
        return (np.median(powers.real, -1) + 1j * np.median(powers.imag, -1)) / bias
    return np.median(powers, -1) / bias


def welch(x: Array, fs: float = 1.0, window: Any = "hann", nperseg: int | None = None,
          noverlap: int | None = None, nfft: int | None = None, detrend: Detrend = "constant",
          return_onesided: bool = True, scaling: Literal["density", "spectrum"] = "density",
          axis: int = -1, average: Average = "mean") -> tuple[Any, Any]:
    """Returns (frequencies, powers averaged over frames), as `scipy.signal.welch`. "median" is of
    numpy arrays.

    >>> welch(np.ones((3, 1000)))[1].shape
    (3, 129)
    """
    choice(average, ("mean", "median"), "average")
    _, x = _library(x)
    if 0 in x.shape:
        return np.empty(x.shape), np.empty(x.shape)
    rows, spec, f, _ = _rows(x, axis, fs, window, nperseg, noverlap, nfft, detrend, return_onesided,
                             scaling, 2, exponent=2.0, are_averaged=average == "mean")
    result = spec(rows) if average == "mean" else _median(spec(rows))
    return f, _spectral.moved(result, -1, axis)


def periodogram(x: Array, fs: float = 1.0, window: Any = "boxcar", nfft: int | None = None,
                detrend: Detrend = "constant", return_onesided: bool = True,
                scaling: Literal["density", "spectrum"] = "density",
                axis: int = -1) -> tuple[Any, Any]:
    """Returns (frequencies, powers) of whole rows, as `scipy.signal.periodogram`.

    >>> periodogram(np.ones(16))[1].shape
    (9,)
    """
    _, x = _library(x)
    if 0 in x.shape:
        return np.empty(x.shape), np.empty(x.shape)
    length = x.shape[axis]
    if nfft is not None and nfft < length:
        rows = _spectral.moved(x, axis, -1)[..., :nfft]
        x, length, nfft = _spectral.moved(rows, -1, axis), nfft, None
    window = "boxcar" if window is None else window
    if not isinstance(window, (str, tuple)) and len(window) != length:
        raise ValueError("the size of the window must be the same size of the input on the "
                         f"specified axis. They are {len(window)} and {length}")
    return welch(x, fs, window, length, 0, nfft, detrend, return_onesided, scaling, axis)


def _crossed(x, y, axis, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling):
    """Returns rows of x and y, which are equally long, the description of their powers, and the
    frequencies."""
    library = _library(x)[0]
    both = [_spectral.moved(each, axis, -1) for each in (x, y)]
    longest = max(each.shape[-1] for each in both)
    return_onesided = return_onesided and not any("complex" in str(each.dtype) for each in both)
    rows = []
    for each in both:
        short = longest - each.shape[-1]
        if short:
            each = library.pad(each, [(0, 0)] * (len(each.shape) - 1) + [(0, short)], "constant")
        each, spec, f, _ = _rows(_spectral.moved(each, -1, axis), axis, fs, window, nperseg,
                                 noverlap, nfft, detrend, return_onesided, scaling, 2, exponent=2.0,
                                 are_averaged=True)
        rows.append(each)
    return *rows, spec, f


def _empty_cross(x, y, axis):
    """Returns the result for empty x or y; None if neither is."""
    outer = [tuple(each.shape[d] for d in range(len(each.shape)) if d != axis % len(each.shape))
             for each in (x, y)]
    try:
        shape = list(np.broadcast_shapes(*outer))
    except ValueError:
        raise ValueError("x and y cannot be broadcast together. Beside the axis they have shapes "
                         f"{outer[0]} and {outer[1]}") from None
    if 0 not in (*x.shape, *y.shape):
        return None
    shape.insert(axis % (len(shape) + 1), min(x.shape[axis], y.shape[axis]))
    return np.empty(shape), np.empty(shape)


def csd(x: Array, y: Array, fs: float = 1.0, window: Any = "hann", nperseg: int | None = None,
        noverlap: int | None = None, nfft: int | None = None, detrend: Detrend = "constant",
        return_onesided: bool = True, scaling: Literal["density", "spectrum"] = "density",
        axis: int = -1, average: Average = "mean") -> tuple[Any, Any]:
    """Returns (frequencies, conj(X) Y averaged over frames), as `scipy.signal.csd`: real if x is y.
    Both spectra of all frames are in memory meanwhile.

    >>> csd(np.ones((3, 1000)), np.ones(900))[1].shape
    (3, 129)
    """
    if x is y:
        return welch(x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling,
                     axis, average)
    choice(average, ("mean", "median"), "average")
    x, y = _library(x)[1], _library(y)[1]
    empty = _empty_cross(x, y, axis)
    if empty is not None:
        return empty
    rows_x, rows_y, spec, f = _crossed(x, y, axis, fs, window, nperseg, noverlap, nfft, detrend,
                                       return_onesided, scaling)
    result = short_time.csd(rows_x, rows_y, spec,
                            average=_median if average == "median" else None)
    return f, _spectral.moved(result, -1, axis)


def coherence(x: Array, y: Array, fs: float = 1.0, window: Any = "hann",
              nperseg: int | None = None, noverlap: int | None = None, nfft: int | None = None,
              detrend: Detrend = "constant", axis: int = -1) -> tuple[Any, Any]:
    """Returns (frequencies, coherences from 0 to 1), as `scipy.signal.coherence`. Both spectra of
    all frames are in memory meanwhile.

    >>> coherence(np.arange(1000.0) % 7, np.arange(1000.0) % 7)[1].round(6).max()
    np.float64(1.0)
    """
    x, y = _library(x)[1], _library(y)[1]
    empty = _empty_cross(x, y, axis)
    if empty is not None:
        return empty
    rows_x, rows_y, spec, f = _crossed(x, y, axis, fs, window, nperseg, noverlap, nfft, detrend,
                                       True, "density")
    return f, _spectral.moved(short_time.coherence(rows_x, rows_y, spec), -1, axis)
