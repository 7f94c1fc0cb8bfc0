# SPDX-License-Identifier: Apache-2.0
"""Spectra with the arguments of SciPy's spectral functions, by descriptions of
`wingbeat.short_time`, for arrays of any library with such transforms."""

from __future__ import annotations

import warnings
from typing import Any, Callable, NamedTuple

import numpy as np

from wingbeat._short_rows import require_weight, scipy_scale
from wingbeat.short_time import ShortTime
from wingbeat.short_time import window as named_window

_EDGES = {"zeros": "zeros", "even": "reflect", "constant": "replicate", "odd": None, None: "zeros"}
_OWN = {"hann": "hann", "hamming": "hamming", "blackman": "blackman", "boxcar": "ones"}


class Library(NamedTuple):
    """The transforms of a library's arrays: transform(rows, description), inverse(spectra,
    description, length, is_complex), and pad(x, widths, mode) by numpy's modes edge and reflect."""

    transform: Callable[..., Any]
    inverse: Callable[..., Any]
    pad: Callable[..., Any]


class Segments(NamedTuple):
    """The frames of a row."""

    weights: np.ndarray
    hop: int
    n_fft: int

    @property
    def n(self):
        return len(self.weights)


def moved(x, source, destination):
    """Returns a view of x with one axis in another place, as numpy.moveaxis."""
    rank = len(x.shape)
    if not (-rank <= source < rank and -rank <= destination < rank):
        raise ValueError(f"axis is {source} and x has {rank} dimensions; give an axis that it has")
    order = [d for d in range(rank) if d != source % rank]
    order.insert(destination % rank, source % rank)
    return x.permute(order) if hasattr(x, "permute") else x.transpose(order)


def weights_of(window, n):
    """Returns n weights by name, or the given ones."""
    if not isinstance(window, (str, tuple)):
        return np.asarray(window)
    name = window.removesuffix("_periodic") if isinstance(window, str) else window
    if name in _OWN:
        return named_window(_OWN[name], n)
    if name in (("tukey", 0.25), ("tukey_periodic", 0.25)):
        return named_window("tukey", n)
    try:
        from scipy.signal import get_window
    except ModuleNotFoundError as absent:
        raise ModuleNotFoundError(f"the window is {window!r}, which SciPy computes and is not "
                                  "installed here; give weights", name="scipy") from absent
    return get_window(window, n)


def segments(length, window, nperseg, noverlap, nfft, overlap=2):
    """Returns the frames of a row by SciPy's rules; without noverlap a 1 / overlap of each is in
    the next."""
    if nperseg is not None and int(nperseg) < 1:
        raise ValueError(f"Parameter nperseg={nperseg} is refused: nperseg must be a positive "
                         "integer")
    if isinstance(window, (str, tuple)):
        n = 256 if nperseg is None else int(nperseg)
        if length is not None and n > length:
            warnings.warn(f"nperseg={n} is greater than signal length = {length}, using nperseg = "
                          f"{length}", stacklevel=4)
            n = length
    weights = weights_of(window, n if isinstance(window, (str, tuple)) else None)
    if weights.ndim != 1:
        raise ValueError(f"window must be 1-D, and it has shape {weights.shape}; give a row of "
                         "weights")
    n = len(weights)
    if np.iscomplexobj(weights):
        raise ValueError("the window is complex; give real weights")
    if nperseg is not None and not isinstance(window, (str, tuple)) and n != int(nperseg):
        raise ValueError("value specified for nperseg is different from length of window, "
                         f"{nperseg} and {n}: window must have length of {nperseg}")
    if length is not None and n > length:
        raise ValueError(f"window is longer than input signal, {n} and {length}; give fewer "
                         "weights")
    n_fft = n if nfft is None else int(nfft)
    if n_fft < n:
        raise ValueError("nfft must be greater than or equal to nperseg. They are "
                         f"{n_fft} and {n}")
    noverlap = n // overlap if noverlap is None else int(noverlap)
    if noverlap >= n:
        raise ValueError(f"noverlap must be less than nperseg. They are {noverlap} and {n}")
    return Segments(weights, n - noverlap, n_fft)


def sides(x, return_onesided):
    """Returns x, complex if its spectra have two sides, and whether they have one."""
    is_complex = "complex" in str(x.dtype)
    is_one_sided = bool(return_onesided) and not is_complex
    if is_one_sided or is_complex:
        return x, is_one_sided
    if isinstance(x, np.ndarray):
        return x.astype(np.result_type(x, np.complex64)), False
    return x + 0j, False


def frequencies(n_fft, fs, is_one_sided):
    return np.fft.rfftfreq(n_fft, 1 / fs) if is_one_sided else np.fft.fftfreq(n_fft, 1 / fs)


def _without_line(frames):
    """Returns frames [.., n] less the straight line that fits each best."""
    i = np.arange(frames.shape[-1]) - (frames.shape[-1] - 1) / 2
    frames = frames - frames.mean(-1, keepdims=True)
    return frames - (frames @ i / max(i @ i, 1))[..., None] * i


def _detrended(rows, cut, detrend, axis):
    """Returns the frames of numpy's rows one after another, each without its trend, and how they
    are cut."""
    if not isinstance(rows, np.ndarray):
        raise ValueError(f"detrend is {detrend!r}; give 'constant' or False, or numpy arrays")
    frames = np.lib.stride_tricks.sliding_window_view(rows, cut.n, -1)[..., ::cut.hop, :]
    if detrend == "linear":
        frames = _without_line(frames)
    elif callable(detrend):
        frames = np.moveaxis(detrend(np.moveaxis(frames, -1, axis)), axis, -1)
    else:
        raise ValueError(f"detrend is {detrend!r}; give 'constant', 'linear', a function or False")
    return frames.reshape(*rows.shape[:-1], -1), cut._replace(hop=cut.n)


def described(library, rows, cut, fs, scaling, detrend, axis, boundary=None, padded=False, **more):
    """Returns rows and the description of their spectra; rows are continued where no edge rule says
    how."""
    before = 0 if boundary is None else cut.n // 2
    behind, edge = before, _EDGES[boundary]
    is_native = detrend in (False, None, "constant")
    if not is_native or edge is None or padded and edge != "zeros":
        widths = [(0, 0)] * (len(rows.shape) - 1) + [(before, before)]
        if boundary == "odd":
            rows = 2 * library.pad(rows, widths, "edge") - library.pad(rows, widths, "reflect")
        elif before:
            mode = {"zeros": "constant", "even": "reflect", "constant": "edge"}[boundary]
            rows = library.pad(rows, widths, mode)
        before, behind, edge = 0, 0, "zeros"
    slack = before + behind - cut.n
    if padded and is_native:
        slack += cut.hop - 1
    elif padded:
        n_behind = -(rows.shape[-1] - cut.n) % cut.hop
        rows = library.pad(rows, [(0, 0)] * (len(rows.shape) - 1) + [(0, n_behind)], "constant")
    if not is_native:
        rows, cut = _detrended(rows, cut, detrend, axis)
    given = {"window_at": 0, "before": before, "slack": slack, "edge": edge,
             "removes_mean": detrend == "constant", "scale": scipy_scale(cut.weights, scaling, fs)}
    return rows, ShortTime(cut.n_fft, cut.hop, cut.weights, **{**given, **more})


def require_scaling(scaling, words):
    if scaling not in words:
        raise ValueError(f"Parameter scaling={scaling!r} not in {words}!")


def stft(library, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, boundary,
         padded, axis, scaling):
    """Returns (frequencies, times, spectra)."""
    require_scaling(scaling, ["spectrum", "psd"])
    if boundary not in _EDGES:
        raise ValueError(f"Unknown boundary option {boundary!r}, must be one of: "
                         "['even', 'odd', 'constant', 'zeros', None]")
    if 0 in x.shape:
        empty = np.empty(x.shape)
        return empty, empty, x
    rows, is_one_sided = sides(moved(x, axis, -1), return_onesided)
    cut = segments(rows.shape[-1], window, nperseg, noverlap, nfft)
    rows, spec = described(library, rows, cut, fs, scaling, detrend, axis, boundary, padded)
    spectra = library.transform(rows, spec)
    middle = 0 if boundary is not None else cut.n / 2
    times = (np.arange(spectra.shape[-1]) * cut.hop + middle) / fs
    return (frequencies(cut.n_fft, fs, is_one_sided), times,
            moved(spectra, -2, axis if axis >= 0 else axis - 1))


def istft(library, spectra, fs, window, nperseg, noverlap, nfft, input_onesided, boundary,
          time_axis, freq_axis, scaling):
    """Returns (times, samples), 0 where no weight is."""
    require_scaling(scaling, ["spectrum", "psd"])
    rank = len(spectra.shape)
    if rank < 2:
        raise ValueError("Input stft must be at least 2d! Give [.., F, T]")
    if freq_axis % rank == time_axis % rank:
        raise ValueError("Must specify differing time and frequency axes! Both are "
                         f"{time_axis % rank}")
    n_bins = spectra.shape[freq_axis]
    n_default = 2 * (n_bins - 1) if input_onesided else n_bins
    if nperseg is None:
        nperseg = len(window) if not isinstance(window, (str, tuple)) else n_default
    if nfft is None:
        nfft = max(n_default, n_default + 1 if input_onesided and nperseg == n_default + 1 else 0)
    cut = segments(None, window, nperseg, noverlap, nfft)
    frequency_place = freq_axis % rank - (freq_axis % rank > time_axis % rank)
    spectra = moved(moved(spectra, time_axis, -1), frequency_place, -2)
    middle = cut.n // 2 if boundary else 0
    spec = ShortTime(cut.n_fft, cut.hop, cut.weights, window_at=0, before=middle,
                     scale=scipy_scale(cut.weights, scaling, fs), least_weight=1e-10)
    n_frames = spectra.shape[-1]
    length = cut.n + (n_frames - 1) * cut.hop - 2 * middle
    if n_frames and length > 0:
        try:
            require_weight(spec, length, n_frames)
        except ValueError as refusal:
            warnings.warn(f"NOLA condition failed, STFT may not be invertible: {refusal}",
                          stacklevel=3)
    x = library.inverse(spectra, spec, max(length, 0), not input_onesided)
    time_place = time_axis % rank - (freq_axis % rank < time_axis % rank)
    return np.arange(x.shape[-1]) / fs, moved(x, -1, time_place)
