# SPDX-License-Identifier: Apache-2.0
"""Descriptions of short-time transforms, their streams, and windows. See `wingbeat.short_time`."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, fields
from typing import Any, Literal

import numpy as np

from wingbeat import _short_rows, _sums, _wingbeat
from wingbeat._arguments import (boolean, choice, count, instance, integer, named, number,
                                 positive, positive_number)
from wingbeat._arrays import numpy_library
from wingbeat._device import OfDevice, queue_on
from wingbeat._types import Array

Edge = Literal["zeros", "reflect", "symmetric", "replicate", "circular"]
_CHECKS = {"int": integer, "float": number, "bool": boolean}
_COUNTS = {"n_fft": positive, "hop": positive, "before": count, "window_at": count}


@dataclass(frozen=True, eq=False)
class ShortTime:
    """The description of a short-time transform. Frame t of a row covers its samples
    t hop - before .. t hop - before + n_fft - 1:

        X[k, t] = scale sum over j of window[j] e[t hop - before + window_at + j]
                                          exp(-2 pi i k (window_at + j - phase_origin) / n_fft)

    n_fft, hop     samples of a frame, any number; samples from one frame to the next
    window         at most n_fft weights [j], an array; None: n_fft ones. An array of torch or CuPy
                   is of the library and device of the samples
    window_at      where in the frame the window begins; None: it is in the middle
    before         samples of frame 0 before the first of the row
    edge           the samples outside a row, however far: "zeros", "reflect" (c b | a b c),
                   "symmetric" (b a | a b c), "replicate" (a a | a b c), "circular" (b c | a b c)
    slack          a row of L samples has the frames t with t hop <= L + slack; None: those that end
                   in the row
    phase_origin   the sample of a frame at which phases are 0
    time_origin    the place in a frame, in samples, whose time `times` returns; None: the middle of
                   the window
    removes_mean   whether the samples under the window lose their mean, in each frame
    emphasis       of this a sample then loses the one before it, the first under the window itself

    Real samples have the bins 0 .. n_fft // 2, complex ones 0 .. n_fft - 1. What is made of them:

        quantity q = (max(|X|^2, power_floor) + power_offset)^(exponent / 2)
        band     m = sum over k of bands[m, k] q[k]
        level    l = gain ln(max(m, floor) + offset) + shift
        limit    max(l, largest l of the row - range)

    exponent       1: magnitudes, 2: powers, any other positive number; 0: complex bins stay
    is_one_sided   whether quantities of real samples count twice except in bins 0 and n_fft / 2
    bands          weights [band, bin]; None: bins stay
    has_log        whether the logarithm is taken
    range          0: no limit
    are_averaged   whether quantities are averaged over the frames of a row (Welch's method)
    least_weight   see `inverse`

    ValueError for descriptions that make no sense, when they are made or called.

    >>> powers = ShortTime(4, 2, window("hann", 4), exponent=2)
    >>> powers(np.float32([0, 1, 2, 3, 4, 5])).round(3)
    array([[16., 64.],
           [ 5., 17.],
           [ 0.,  0.]], dtype=float32)
    """

    n_fft: int
    hop: int
    window: Any = None
    _: KW_ONLY
    window_at: int | None = None
    before: int = 0
    edge: Edge = "zeros"
    slack: int | None = None
    phase_origin: int = 0
    time_origin: float | None = None
    scale: float = 1.0
    removes_mean: bool = False
    emphasis: float = 0.0
    exponent: float = 0.0
    power_floor: float = 0.0
    power_offset: float = 0.0
    is_one_sided: bool = False
    bands: Any = None
    has_log: bool = False
    floor: float = 0.0
    offset: float = 0.0
    gain: float = 1.0
    shift: float = 0.0
    range: float = 0.0
    are_averaged: bool = False
    least_weight: float = 1e-11

    def __post_init__(self) -> None:
        def put(name, value):
            object.__setattr__(self, name, value)

        for field in fields(self):
            value, kind = getattr(self, field.name), field.type.removesuffix(" | None")
            if kind in _CHECKS and (value is not None or kind == field.type):
                check = _COUNTS.get(field.name, _CHECKS[kind])
                put(field.name, check(value, field.name))
        choice(self.edge, _short_rows.EDGES, "edge")
        put("_kept", {})  # the library's form, windows beside rows, lengths that were checked
        put("window", weights_of(self.window, self.n_fft))
        if self.n_weights > self.n_fft:
            raise ValueError(f"the window has {self.n_weights} weights and n_fft is {self.n_fft}; "
                             "give at most as many weights")
        middle = (self.n_fft - self.n_weights) // 2
        put("window_at", middle if self.window_at is None else self.window_at)
        put("slack", self.before - self.n_fft if self.slack is None else self.slack)
        if self.bands is not None:
            try:
                put("bands", np.array(self.bands, np.float64))
            except (TypeError, ValueError):
                raise TypeError(f"bands is of type {type(self.bands).__name__}; give weights "
                                "[band, bin]") from None
            if self.bands.ndim != 2 or self.bands.shape[1] != self.n_fft // 2 + 1:
                raise ValueError(f"bands has shape {self.bands.shape}; give [band, bin] of "
                                 f"{self.n_fft // 2 + 1} bins")

    @property
    def n_weights(self) -> int:
        """The number of weights of the window."""
        return self.window.shape[0]

    def frames_of(self, length: int) -> int:
        """Returns the frames of a row of so many samples."""
        return _short_rows.frames_of(self, count(length, "length"))

    def frequencies(self, rate: float = 1.0) -> np.ndarray:
        """Returns the frequencies of the bins of real samples at `rate` a second."""
        return np.arange(self.n_fft // 2 + 1) * (positive_number(rate, "rate") / self.n_fft)

    def times(self, length: int, rate: float = 1.0) -> np.ndarray:
        """Returns the times of the frames of a row of so many samples; see `time_origin`."""
        origin = self.time_origin
        first = (self.window_at + self.n_weights / 2 if origin is None else origin) - self.before
        samples = np.arange(self.frames_of(length)) * self.hop + first
        return samples / positive_number(rate, "rate")

    def columns(self, is_complex: bool = False) -> int:
        """Returns the numbers of a frame in the result, for real or complex samples."""
        if self.bands is None:
            return self.n_fft if is_complex else self.n_fft // 2 + 1
        if is_complex:
            raise ValueError("bands are of real samples, and x is complex; give its real part")
        return len(self.bands)

    def __call__(self, x: Array, lengths: Any = None) -> Array:
        """Transforms rows [.., L] of samples.

        lengths  integers [..] from 0 to L, or None: the samples of each row; those behind are not
                 read, and edges lie at each row's own end. Frames that a row does not have are
                 those of silence. Lengths in memory of the processor that lie outside are refused;
                 those on a GPU, for which a check would wait, are clamped

        Returns [.., F, T], complex or real; averages [.., F].
        """
        return _short_rows.transformed(self, x, lengths)

    def inverse(self, spectra: Array, length: int | None = None, lengths: Any = None, *,
                is_complex: bool | None = None, leaves_zeros: bool = False) -> Array:
        """Returns rows [.., length] of samples whose frames have these complex spectra [.., F, T],
        or come closest to them by least squares:

            y[n] = (sum over t of window (inverse transform of X[:, t]))[n] / sum over t of window^2

        length        None: the fewest samples that have T frames. Samples that no frame has are 0
        lengths       as in a call; then `length` is that of the longest row
        is_complex    whether samples are complex, with spectra of n_fft bins, or real, with
                      n_fft // 2 + 1. None: as the bins say, if n_fft is above 2
        leaves_zeros  whether samples whose divisor is at most `least_weight` are 0, otherwise
                      refused. They are also 0 if lengths are given, or a window of torch or CuPy,
                      for whose weights a GPU would be waited for

        ValueError names the samples that cannot be divided.

        >>> transform = torch_stft(8, 2, window="hann")
        >>> transform.inverse(transform(np.arange(6.0))).round(6)
        array([0., 1., 2., 3., 4., 5.])
        """
        return _short_rows.inverted(self, spectra, length, lengths, is_complex,
                                    boolean(leaves_zeros, "leaves_zeros"))

    def stream(self, group: int = 16, dtype: Any = "float32", device: Any = None) -> Stream:
        """Returns a `Stream` of these frames.

        >>> torch_stft(8, 2, window="hann").stream(group=1).latency
        13
        """
        return Stream(self, group, dtype, device)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_kept": {}}


class Stream(OfDevice):
    """The frames of a signal that arrives in pieces, with the bits that the description gives them
    at once, however the signal is cut.

    description  without what depends on the whole signal: edge "circular", range, are_averaged
    group        frames are computed so many at a time: few keep the delay short, many use all
                 processors
    dtype        in which samples are taken: float32, float64, complex64 or complex128. Narrower
                 ones are converted, wider ones refused
    device       the device to run on: a `wingbeat.Device`, a `wingbeat.Queue`, or an engine's name;
                 the host by default

    Samples are numpy's, or tensors of torch in memory of the processor, and frames are of the same
    library. ValueError or TypeError for what does not fit.

    >>> stream = Stream(torch_stft(8, 2, window="hann"), group=4)
    >>> x = np.arange(30, dtype=np.float32)
    >>> frames = [stream.push(x[:7]), stream.push(x[7:]), stream.flush()]
    >>> [each.shape for each in frames]
    [(5, 0), (5, 12), (5, 4)]
    """

    def __init__(self, description: ShortTime, group: int = 16, dtype: Any = "float32",
                 device: Any = None) -> None:
        instance(description, ShortTime, "the description", "give a ShortTime")
        if not isinstance(description.window, np.ndarray):
            raise TypeError(f"the window is of type {type(description.window).__name__}; give a "
                            "stream weights of numpy")
        name = getattr(dtype, "name", None) or getattr(dtype, "__name__", dtype)
        choice(name, ("float32", "float64", "complex64", "complex128"), "dtype")
        description.columns("complex" in name)  # refuses bands of complex samples
        kind = getattr(_wingbeat, f"ShortTimeStream_{name}")
        with named({"edge is repeat": "edge is circular", "is_ragged, features.": "",
                    "features.": ""}):
            self._stream = kind(_short_rows.library_form(description), description.window.tolist(),
                                positive(group, "group"), queue_on(device))
        self._dtype, self._has_bins = np.dtype(name), description.exponent == 0
        self._library, self._like = numpy_library, None

    @property
    def dtype(self) -> np.dtype:
        """The dtype in which samples are taken."""
        return self._dtype

    @property
    def latency(self) -> int:
        """The samples from the first of a frame on until `push` returns it, at most, those before
        the signal among them."""
        return self._stream.latency

    def push(self, samples: Array) -> Array:
        """Takes any number of samples [n], and returns the frames [F, T] that are complete and not
        yet returned, in whole groups."""
        self._library, samples = _sums.operands(samples, needs="packed")
        self._like = _short_rows.streamed(self._library, samples, self._dtype.name)
        return self._returned(self._stream.push(self._like))

    def flush(self) -> Array:
        """Ends the signal and returns the rest of its frames. The next sample begins another."""
        return self._returned(self._stream.flush())

    def _returned(self, numbers):
        if self._has_bins:
            numbers = numbers.view(np.result_type(numbers.dtype, np.complex64))
        return self._library.of_numpy(numbers, self._like).T


def weights_of(given, n, periodic=True):
    """Returns a window's weights: numpy's in float64, read-only; those of other libraries as they
    are."""
    if isinstance(given, str):
        given = window(given, n, periodic)
    weights = np.ones(n) if given is None else given
    library, weights = _sums.operands(weights, needs="packed")
    if library is numpy_library:
        weights = _short_rows.real_weights(weights)
        weights.flags.writeable = False
    if len(weights.shape) != 1 or 0 in weights.shape:
        raise ValueError(f"the window has shape {tuple(weights.shape)}; give a row of weights")
    return weights


_COSINES = {"hann": (0.5, 0.5), "hamming": (0.54, 0.46), "blackman": (0.42, 0.5, 0.08),
            "povey": (0.5, 0.5), "ones": (1.0,)}


def window(name: Literal["hann", "hamming", "blackman", "povey", "tukey", "ones"], n: int,
           periodic: bool = True) -> np.ndarray:
    """Returns n weights: a sum of cosines; "povey" is Kaldi's Hann^0.85, "tukey" SciPy's with a
    quarter of tapers.

    periodic  whether the period is n, as of torch, SciPy and librosa, or n - 1 with equal ends, as
              of Kaldi

    >>> window("hann", 4)
    array([0. , 0.5, 1. , 0.5])
    """
    choice(name, (*_COSINES, "tukey"), "the window")
    n = positive(n, "n")
    i, period = np.arange(n), max(n if boolean(periodic, "periodic") else n - 1, 1)
    if n == 1:
        return np.ones(1)
    if name == "tukey":
        width = int(0.25 * period / 2)
        taper = 0.5 * (1 - np.cos(8 * np.pi * np.minimum(i, period - i) / period))
        return np.where((i <= width) | (i >= period - width), taper, 1.0)
    weights = sum((-1)**k * a * np.cos(2 * np.pi * k * i / period)
                  for k, a in enumerate(_COSINES[name]))
    return np.maximum(weights, 0)**0.85 if name == "povey" else weights
