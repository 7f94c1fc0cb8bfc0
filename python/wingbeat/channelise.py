# SPDX-License-Identifier: Apache-2.0
"""Filter banks, which cut a band into channels.

    channelize_poly   a critically sampled polyphase filter bank, as in `cupyx.signal`
    Channeliser       from samples of a digitiser to heaps of channelised voltages, with delays,
                      phases, gains, a part of the band, missing samples, quantisation

`docs/signal_path.md` of the repository has the formulas of the `Channeliser`.

>>> import numpy as np
>>> from wingbeat import channelise
>>> tone = np.exp(2j * np.pi * 3 / 8 * np.arange(64))
>>> spectra = channelise.channelize_poly(tone, np.ones(8), 8)
>>> print(spectra.shape, abs(spectra[:, 5]).round(6).argmax())
(8, 8) 3
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple, Sequence

import numpy as np

from wingbeat import _arguments, _sums, _wingbeat, fft
from wingbeat._device import OfDevice, queue_on
from wingbeat._types import Array

__all__ = ["Channeliser", "Counts", "Delay", "Heap", "Level", "channelize_poly"]

_MISSING_AT_ONCE = 2**22  #: Samples, a fraction of a second's work.
OUTPUTS = ("int4", "int8", "int16", "float16", "float32")


def channelize_poly(x: Array, h: Array, n_chans: int) -> Array:
    """Cuts a signal's band into channels, critically sampled: one output per n_chans samples.

    x        [n], real or complex, of numpy, torch or CuPy
    h        [taps * n_chans], a low-pass filter; numbers beyond whole taps are ignored
    n_chans  the number of channels

    Returns [n_chans][n // n_chans], complex64 or complex128: channel k is the sum over c of v[p, c]
    exp(2 pi i c k / n_chans), where v[p, c] is the sum over t of h[t n_chans + c]
    x[(p - t) n_chans + n_chans - 1 - c]. Samples before x[0] are 0. ValueError for other shapes.

    >>> channelize_poly(np.ones(6), np.ones(4), 2).round(6)
    array([[2.+0.j, 4.+0.j, 4.+0.j],
           [0.+0.j, 0.+0.j, 0.+0.j]])
    """
    library, x, h = _sums.operands(x, h)
    if x.ndim != 1 or h.ndim != 1:
        raise ValueError(f"x has {x.ndim} dimensions and h {h.ndim}; give one of each")
    n_chans = _arguments.integer(n_chans, "n_chans")
    if n_chans < 1 or len(h) < n_chans:
        raise ValueError(f"n_chans is {n_chans} and h has {len(h)} values; give 1 channel or more, "
                         "and a filter with a value for each")
    dtype = _sums.common_type(x, h)
    if dtype is None:
        raise TypeError(f"x is of {x.dtype} and h of {h.dtype}; give numbers of up to double "
                         "precision")
    n_taps, n_points = len(h) // n_chans, len(x) // n_chans
    if n_points == 0:
        return library.empty(x, (n_chans, 0), np.result_type(dtype, np.complex64).name)
    rows = library.packed(x[:n_points * n_chans], (0,), (n_points, n_chans), dtype.name)
    rows = rows.flip(1) if hasattr(rows, "flip") else rows[:, ::-1]
    taps = library.packed(h[:n_taps * n_chans], (0,), (n_taps, n_chans), dtype.name)
    filtered = taps[0] * rows
    for t in range(1, min(n_taps, n_points)):
        filtered[t:] += taps[t] * rows[:-t]
    return fft.ifft(filtered, axis=1, norm="forward").T


class Delay(NamedTuple):
    """A delay and a phase as a linear function of time, in samples of the ADC and radians. A
    positive delay makes the signal arrive later, a positive phase multiplies it by exp(i phase)."""

    delay: float = 0.0
    rate: float = 0.0  #: Samples per sample, from -1 to 1.
    phase: float = 0.0
    phase_rate: float = 0.0  #: Radians per sample.
    start: int = 0  #: Output time from which it applies; delay and phase are those at it.

    @classmethod
    def of_seconds(cls, adc_rate_hz: float, delay_s: float = 0.0, rate: float = 0.0,
                   phase_rad: float = 0.0, phase_rate_rad_s: float = 0.0,
                   start_s: float = 0.0) -> Delay:
        """Returns a `Delay` from times in seconds; the start is rounded to the nearest sample."""
        return cls(delay_s * adc_rate_hz, rate, phase_rad, phase_rate_rad_s / adc_rate_hz,
                   round(start_s * adc_rate_hz))

    def numbers(self) -> tuple:
        reals = (_arguments.number(getattr(self, name), name)
                 for name in ("delay", "rate", "phase", "phase_rate"))
        return _arguments.integer(self.start, "start"), *reals


class Level(NamedTuple):
    """The level of one polarisation's samples, each counted once, without missing ones."""

    n_samples: int
    sum_of_squares: int
    dbfs: float  #: Mean power relative to a sine of full scale, in dB.
    histogram: np.ndarray  #: Of values from -2^(bits - 1) on.


class Counts(NamedTuple):
    """Counts of heaps so far."""

    sent: int
    withheld: int  #: Heaps that missing samples touch.
    skipped: int  #: Heaps whose windows start before the kept samples.


@dataclass(eq=False, repr=False)
class Heap:
    """One heap of channelised voltages.

    timestamp    output time of its first spectrum, in samples of the ADC
    data         [channel][spectrum][polarisation], as stored: "int8", "int16" and "float16" with a
                 last axis [re, im], "float32" as complex64, "int4" as bytes with re in the upper
                 half
    saturated    [polarisation] the number of limited complex values
    is_complete  [polarisation] False if missing samples count as 0
    n_spectra    number of valid spectra, from the first on; less than all only from `flush`
    """

    timestamp: int
    data: np.ndarray
    saturated: list[int]
    is_complete: list[bool]
    n_spectra: int

    def __repr__(self):
        return (f"<wingbeat.channelise.Heap at {self.timestamp}: {self.data.shape[0]} channels, "
                f"{self.n_spectra} spectra>")

    @property
    def values(self) -> np.ndarray:
        """The heap as complex64, [channel][spectrum][polarisation]."""
        if self.data.dtype == np.uint8:
            halves = self.data.view(np.int8)
            real, imaginary = halves >> 4, (halves << 4) >> 4
            return real.astype(np.float32) + 1j * imaginary.astype(np.float32)
        if self.data.dtype == np.complex64:
            return self.data
        parts = self.data.astype(np.float32)
        return parts.view(np.complex64)[..., 0]


class Channeliser(OfDevice):
    """Channelises a stream of samples: a polyphase filter bank, delays, phases and gains,
    quantisation.

    adc_rate_hz       samples per second
    channels          2 to 65,536, a product of 2, 3, 5, 7, 11 and 13
    taps              of the filter bank, 1 to 64
    window            "hann" or "rectangular", for the filter bank's weights, times a sinc of cutoff
    weight_cutoff     0 to 4
    sample_bits       of a real sample, or of each part of a complex one
    complex_samples   samples are complex, a band around 0 Hz as wide as the sample rate
    polarisations     1 or 2
    spectra_per_heap  16 or a multiple of 32; None: 2^20 / channels, a power of two
    output            "int4", "int8", "int16", "float16" or "float32"
    dither            True or False; None: for integers
    between           "float16": banks of several launches on "cuda" and "opencl" store half the
                      bytes between them; "float32" or None: not. Refused if nothing is stored
    seed              of the dither; 0 without
    gains             [polarisation][channel] or [polarisation], complex; None: 1
    delays            [polarisation] a `Delay`, or a list of them sorted by start; None: 0
    centre_hz, decimation, pass_bandwidth_hz, filter_taps
                      a part of the band in place of all of it: around centre_hz, 1/decimation of it
    missing           for heaps with missing samples: "withhold" omits them, "zero_fill" counts
                      missing samples as 0 and marks the heap
    evaluation        the time at which delays are evaluated: "window_start" or "window_centre"
    first_sample      number of the first sample; samples of negative number must be missing
    kept_samples      kept in addition to those that the next heap needs, for growing delays
    device            a `wingbeat.Device`, a `wingbeat.Queue`, an engine's name; the host by default

    `push` takes samples in pieces of any length, `flush` ends a recording; both return heaps. Heaps
    do not depend on how the stream is cut. ValueError for numbers and shapes that do not fit.

    >>> bank = Channeliser(1e6, channels=16, taps=4, polarisations=1, spectra_per_heap=16,
    ...                    output="float32")
    >>> tone = np.round(400 * np.cos(np.pi / 16 * 5 * np.arange(700))).astype(np.int16)
    >>> heaps = bank.push(tone)
    >>> [(heap.timestamp, int(abs(heap.values[:, 0, 0]).argmax())) for heap in heaps]
    [(0, 5)]
    """

    def __init__(self, adc_rate_hz: float, channels: int = 4096, taps: int = 16, *,
                 window: Literal["hann", "rectangular"] = "hann", weight_cutoff: float = 1.0,
                 sample_bits: int = 10, complex_samples: bool = False, polarisations: int = 2,
                 spectra_per_heap: int | None = None,
                 output: Literal["int4", "int8", "int16", "float16", "float32"] = "int8",
                 dither: bool | None = None, between: Literal["float32", "float16", None] = None,
                 seed: int = 0, gains: Array | None = None,
                 delays: Sequence[Delay | Sequence[Delay]] | None = None,
                 centre_hz: float | None = None, decimation: int | None = None,
                 pass_bandwidth_hz: float | None = None, filter_taps: int | None = None,
                 missing: Literal["withhold", "zero_fill"] = "withhold",
                 evaluation: Literal["window_start", "window_centre"] = "window_start",
                 first_sample: int = 0, kept_samples: int = 2**20, device: Any = None) -> None:
        complex_samples = _arguments.boolean(complex_samples, "complex_samples")
        spec = SimpleNamespace(
            complex_samples=complex_samples,
            dither=None if dither is None else int(_arguments.boolean(dither, "dither")),
            window=_chosen("window", window, ("hann", "rectangular")),
            output=_chosen("output", output, OUTPUTS),
            missing=_chosen("missing", missing, ("withhold", "zero_fill")),
            evaluation=_chosen("evaluation", evaluation, ("window_start", "window_centre")),
            gains=None if gains is None else _gain_lists(gains, polarisations),
            delays=[], narrowband=None, between=between)
        for name, value in (("adc_rate_hz", adc_rate_hz), ("weight_cutoff", weight_cutoff)):
            setattr(spec, name, _arguments.number(value, name))
        for name, value in (
                ("channels", channels), ("taps", taps), ("sample_bits", sample_bits),
                ("seed", seed), ("polarisations", polarisations),
                ("spectra_per_heap", 0 if spectra_per_heap is None else spectra_per_heap)):
            setattr(spec, name, _arguments.count(value, name))
        if between is not None:
            _chosen("between", between, ("float32", "float16"))
        if isinstance(delays, Delay):
            raise TypeError("delays is one Delay; give a list with one for each polarisation")
        if delays is not None:
            spec.delays = [[_numbers(each) for each in _models(models)]
                           for models in _listed("delays", delays)]
        if (centre_hz is None) != (decimation is None):
            raise ValueError("one of centre_hz and decimation was given; give both for a part of "
                             "the band, or none")
        if centre_hz is not None:
            spec.narrowband = SimpleNamespace(
                centre_hz=_arguments.number(centre_hz, "centre_hz"),
                decimation=_arguments.count(decimation, "decimation"),
                pass_bandwidth_hz=None if pass_bandwidth_hz is None else _arguments.number(
                    pass_bandwidth_hz, "pass_bandwidth_hz"),
                filter_taps=0 if filter_taps is None else _arguments.count(filter_taps,
                                                                           "filter_taps"))
        elif (pass_bandwidth_hz, filter_taps) != (None, None):
            raise ValueError("pass_bandwidth_hz and filter_taps are of a part of the band; give "
                             "centre_hz and decimation too")
        self._polarisations, self._is_complex = polarisations, complex_samples
        self._shape, self._output = (channels, polarisations), output
        with _arguments.named({"narrowband.": "", ", or 0": ", or None"}):
            self._bank = _wingbeat.Channeliser(
                spec, _arguments.integer(first_sample, "first_sample"),
                _arguments.count(kept_samples, "kept_samples"), queue_on(device))

    def push(self, samples: Array, present: Array | None = None,
             packet_samples: int = 4096) -> list[Heap]:
        """Takes the next samples, and returns the heaps that are complete.

        samples         [polarisation][n] integers, or [n] for one; complex ones with a last axis
                        [re, im]
        present         [polarisation][packet] whether each packet of `packet_samples` arrived; the
                        last one may be shorter; None: all

        On "cuda" and "opencl" a later call returns the last heaps.
        """
        samples = _sums.host_array("push", samples)
        rank = 2 + self._is_complex
        if samples.ndim == rank - 1 and self._polarisations == 1:
            samples = samples[None]
        parts = (2,) if self._is_complex else ()
        if samples.ndim != rank or samples.shape[0] != self._polarisations or (
                samples.shape[2:] != parts):
            raise ValueError(f"samples have shape {samples.shape}; give [{self._polarisations}, n"
                             f"{', 2' if self._is_complex else ''}]")
        rows = [np.ascontiguousarray(row) for row in _as_int16(samples)]
        return self._heaps(self._bank.push_integers(
            rows, samples.shape[1], _flags(present),
            _arguments.count(packet_samples, "packet_samples")))

    def push_packed(self, packed: Sequence[Array], count: int, present: Array | None = None,
                    packet_samples: int = 4096) -> list[Heap]:
        """Takes samples as streams of bits, [polarisation][byte] of uint8, each of the `count`
        samples with its most significant bit first. Otherwise as `push`."""
        rows = [np.asarray(row) for row in _listed("packed", packed)]
        for row in rows:
            if row.dtype != np.uint8:
                raise TypeError(f"packed samples are of dtype {row.dtype}; give bytes, of uint8")
        rows = [np.ascontiguousarray(row).reshape(-1) for row in rows]
        return self._heaps(self._bank.push_packed(
            rows, _arguments.count(count, "count"), _flags(present),
            _arguments.count(packet_samples, "packet_samples")))

    def push_missing(self, count: int) -> list[Heap]:
        """Takes `count` samples of each polarisation that are missing. Returns heaps as `push`.
        Time and, with "zero_fill", memory grow with the count; `jump` skips a long gap at once."""
        count, heaps = _arguments.count(count, "count"), []
        for first in range(0, max(count, 1), _MISSING_AT_ONCE):  # signals are handled in between
            n_samples = min(count - first, _MISSING_AT_ONCE)
            heaps += self._heaps(self._bank.push_integers([], n_samples, [], 4096))
        return heaps

    def finish(self) -> list[Heap]:
        """Waits for the heaps in flight, and returns them."""
        return self._heaps(self._bank.finish())

    def flush(self) -> list[Heap]:
        """Waits for the heaps in flight, and returns them and the partly filled heap, of which only
        the first `n_spectra` count. The stream may continue."""
        return self._heaps(self._bank.flush())

    def jump(self, next_sample: int) -> None:
        """Sets the number of the sample that is pushed next. Heaps that need any before it count as
        skipped."""
        self._bank.jump(_arguments.integer(next_sample, "next_sample"))

    def add_delays(self, models: Sequence[Delay]) -> int:
        """Adds a `Delay` for each polarisation, which applies from its start on and replaces later
        ones. Returns the output time from which all heaps follow it. Any thread may call this."""
        models = _listed("models", models)
        if len(models) != self._polarisations:
            raise ValueError(f"{len(models)} delays were given for {self._polarisations} "
                             "polarisations; give one each")
        return self._bank.add_delays([_numbers(each) for each in models])

    def add_gains(self, gains: Array, start: int = 0) -> int:
        """Uses these gains, [polarisation][channel] or [polarisation], for spectra that start at
        output time `start` or later. Returns the same as `add_delays`."""
        start = _arguments.integer(start, "start")
        return self._bank.add_gains(start, _gain_lists(gains, self._polarisations))

    @property
    def sizes(self) -> _wingbeat.ChanneliserSizes:
        """Sizes in samples: `spectrum_samples` from one spectrum to the next, `window_samples`,
        `heap_samples`, `spectra_per_heap`, `transform`, and others."""
        return self._bank.sizes

    @property
    def levels(self) -> list[Level]:
        """[polarisation] a `Level` of the samples so far."""
        return [Level(*numbers) for numbers in self._bank.levels()]

    @property
    def counts(self) -> Counts:
        """`Counts` of the heaps so far."""
        return Counts(*self._bank.counts())

    def explain(self) -> str:
        """Returns the launches and the bytes of a heap, in words."""
        return self._bank.explain()

    def _heaps(self, found):
        return [Heap(timestamp, self._stored(data), saturated, is_complete, n_spectra)
                for timestamp, data, saturated, is_complete, n_spectra in found]

    def _stored(self, data):
        """Returns a heap's bytes as an array."""
        channels, polarisations = self._shape
        if self._output == "int4":
            return data.reshape(channels, -1, polarisations)
        if self._output == "float32":
            return data.view(np.complex64).reshape(channels, -1, polarisations)
        return data.view(self._output).reshape(channels, -1, polarisations, 2)


def _chosen(name, given, choices):
    return choices.index(_arguments.choice(given, choices, name))


def _listed(name, given):
    try:
        return list(given)
    except TypeError:
        raise TypeError(f"{name} is of type {type(given).__name__}; give one for each "
                        "polarisation") from None


def _models(models):
    is_list = isinstance(models, (list, tuple)) and not isinstance(models, Delay)
    return list(models) if is_list else [models]


def _numbers(delay):
    _arguments.instance(delay, Delay, "a delay", "give a wingbeat.channelise.Delay")
    return delay.numbers()


def _gain_lists(gains, polarisations):
    try:
        gains = np.asarray(gains, np.complex64)
    except (TypeError, ValueError):
        raise TypeError(f"gains are of type {type(gains).__name__}; give numbers, [polarisation] "
                        "or [polarisation][channel]") from None
    if gains.ndim not in (1, 2) or gains.shape[0] != polarisations:
        raise ValueError(f"gains have shape {gains.shape}; give [{polarisations}] or "
                         f"[{polarisations}, channels]")
    return gains.reshape(polarisations, -1).tolist()


def _flags(present):
    if present is None:
        return []
    flags = np.asarray(present, bool)
    if flags.ndim != 2:
        raise ValueError(f"present has {flags.ndim} dimensions; give [polarisation][packet]")
    return flags.tolist()


def _as_int16(samples):
    if samples.dtype.kind not in "iu":
        raise TypeError(f"samples are of dtype {samples.dtype}; give integers, and round others")
    if samples.size and samples.dtype.itemsize + (samples.dtype.kind == "u") > 2 and not (
            -2**15 <= samples.min() and samples.max() < 2**15):
        raise ValueError(f"samples reach from {samples.min()} to {samples.max()}; give integers of "
                         "16 bits")
    return samples.astype(np.int16, copy=False)
