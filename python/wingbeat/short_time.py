# SPDX-License-Identifier: Apache-2.0
"""Short-time transforms: rows of samples as frames that overlap, the spectrum of each under a
window and what is made of it (powers, bands, logarithms), and their inverse.

    ShortTime   a description, which transforms arrays when called; `inverse` goes back
    Stream      its frames of a signal that arrives in pieces
    window      weights by name
    mel         weights of mel bands
    csd, coherence   cross spectra, averaged

Descriptions that equal those of other libraries:

    torch_stft librosa_stft scipy_stft short_time_fft vocoder_stft       complex spectra
    scipy_spectrogram welch                                              powers
    torchaudio_mel whisper kaldi_fbank                                   bands

Samples are [.., L], results [.., F, T], in memory frame by frame; averages are [.., F]. Arrays are
numpy's, torch's, CuPy's or PyOpenCL's, computed where they are: float64 and complex128 in double
precision, others in single precision; int16, float16 and bfloat16 are read as they are, other
integers of up to 16 bits are converted to float32, wider ones to float64. Gradients are in
`wingbeat.torch`.

>>> import numpy as np
>>> from wingbeat import short_time
>>> short_time.torch_stft(400, 160)(np.ones(16000, np.float32)).shape
(201, 101)
"""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, Callable, Literal

import numpy as np

from wingbeat import _short_rows, _wingbeat
from wingbeat._arguments import (boolean, choice, count, integer, named, number, positive,
                                 positive_number)
from wingbeat._frames import ShortTime, Stream, weights_of, window
from wingbeat._types import Array

__all__ = ["ShortTime", "Stream", "coherence", "csd", "kaldi_fbank", "librosa_stft", "mel",
           "scipy_stft", "scipy_spectrogram", "short_time_fft", "torch_stft", "torchaudio_mel",
           "vocoder_stft", "welch", "whisper", "window"]


def mel(n_bands: int, n_fft: int, rate: float, low: float = 0.0, high: float | None = None, *,
        scale: Literal["htk", "slaney"] = "slaney", equal_areas: bool = True,
        straight_in_mels: bool = False) -> np.ndarray:
    """Returns the weights [band, bin] of triangular bands whose edges are equally spaced in mels
    from `low` to `high` Hz; None: half of `rate`, the samples a second.

    scale             "slaney": linear below 1 kHz; "htk": 2595 log10(1 + f / 700)
    equal_areas       whether weights are divided by half of a band's width in Hz ("slaney" norm);
                      otherwise peaks are 1
    straight_in_mels  whether triangles are straight in mels, as Kaldi's, otherwise in Hz

    The defaults are librosa's. ValueError for impossible bands.

    >>> mel(2, 8, 8.0, equal_areas=False).round(3)
    array([[0.  , 0.75, 0.5 , 0.  , 0.  ],
           [0.  , 0.  , 0.5 , 0.75, 0.  ]])
    """
    choice(scale, ("htk", "slaney"), "scale")
    given = SimpleNamespace(
        bands=positive(n_bands, "n_bands"), n_fft=positive(n_fft, "n_fft"),
        rate_hz=positive_number(rate, "rate"), low_hz=number(low, "low"),
        high_hz=0.0 if high is None else positive_number(high, "high"),
        scale=("htk", "slaney").index(scale),
        have_equal_areas=boolean(equal_areas, "equal_areas"),
        are_straight_in_mels=boolean(straight_in_mels, "straight_in_mels"))
    with named({"low_hz": "low", "high_hz": "high"}):
        return _wingbeat.mel_weights(given)


def _given_or(value, default, name):
    """Returns an integer above 0, or the default for None."""
    return default if value is None else positive(value, name)


def torch_stft(n_fft: int, hop_length: int | None = None, win_length: int | None = None,
               window: Any = None, center: bool = True, pad_mode: str = "reflect",
               normalized: bool = False, align_to_window: bool = False, **more: Any) -> ShortTime:
    """Returns the description of `torch.stft` (2.15), which librosa's and torchaudio's share.

    window  weights, a name, or None: ones
    more    further fields of ShortTime, which every function of this kind takes

    >>> torch_stft(400, window="hann").frames_of(16000)
    161
    """
    n_fft = positive(n_fft, "n_fft")
    win_length = _given_or(win_length, None, "win_length")
    weights = weights_of(window, win_length or n_fft)
    n_weights = weights.shape[0]
    if win_length is not None and n_weights != win_length:
        raise ValueError(f"win_length is {win_length} and the window has {n_weights} weights; give "
                         "one of them")
    is_centred = boolean(center, "center")
    before, slack = _short_rows.torch_frames(n_fft, n_weights, is_centred,
                                             boolean(align_to_window, "align_to_window"))
    given = {"before": before, "slack": slack, "time_origin": before if is_centred else None,
             "scale": n_fft**-0.5 if boolean(normalized, "normalized") else 1.0,
             "edge": _short_rows.edge_of(pad_mode, is_centred)}
    return ShortTime(n_fft, _given_or(hop_length, n_fft // 4, "hop_length"), weights,
                     **{**given, **more})


def librosa_stft(n_fft: int = 2048, hop_length: int | None = None, win_length: int | None = None,
                 window: Any = "hann", center: bool = True, pad_mode: str = "constant",
                 **more: Any) -> ShortTime:
    """Returns the description of `librosa.stft` (1.0): frames as torch's, zeros outside rows.

    >>> librosa_stft(512).hop
    128
    """
    win_length = _given_or(win_length, positive(n_fft, "n_fft"), "win_length")
    return torch_stft(n_fft, win_length // 4 if hop_length is None else hop_length, win_length,
                      window, center, pad_mode, **more)


def _segments(window, nperseg, noverlap, nfft, overlap=2):
    """Returns (n_fft, hop, weights) by SciPy's rules; without noverlap a 1 / overlap of each frame
    is in the next."""
    weights = weights_of(window, positive(nperseg, "nperseg"))
    n_weights = weights.shape[0]
    noverlap = n_weights // overlap if noverlap is None else count(noverlap, "noverlap")
    if noverlap >= n_weights:
        raise ValueError(f"noverlap is {noverlap} and the window has {n_weights} weights; give "
                         "fewer samples than weights")
    return _given_or(nfft, n_weights, "nfft"), n_weights - noverlap, weights


def scipy_stft(fs: float = 1.0, window: Any = "hann", nperseg: int = 256,
               noverlap: int | None = None, nfft: int | None = None,
               boundary: Literal["zeros", "even", "constant", None] = "zeros", padded: bool = True,
               scaling: Literal["spectrum", "psd"] = "spectrum", **more: Any) -> ShortTime:
    """Returns the description of `scipy.signal.stft` (1.18), which cupyx and JAX share.

    ValueError for the boundary "odd", and for "even" and "constant" with padded=True, which would
    continue a row by two rules.

    >>> scipy_stft(nperseg=64).frames_of(100)
    5
    """
    n_fft, hop, weights = _segments(window, nperseg, noverlap, nfft)
    choice(boundary, ("zeros", "even", "constant", None), "boundary")
    if boolean(padded, "padded") and boundary in ("even", "constant"):
        raise ValueError(f"boundary is {boundary!r} and rows are padded by zeros behind it; give "
                         "padded=False")
    n_weights = weights.shape[0]
    before = 0 if boundary is None else n_weights // 2
    choice(scaling, ("spectrum", "psd"), "scaling")
    given = {"window_at": 0, "before": before, "slack": 2 * before - n_weights + padded * (hop - 1),
             "time_origin": None if boundary is None else before,
             "scale": _short_rows.scipy_scale(weights, scaling, fs),
             "edge": {"even": "reflect", "constant": "replicate"}.get(boundary, "zeros")}
    return ShortTime(n_fft, hop, weights, **{**given, **more})


def _powers(fs, window, nperseg, noverlap, nfft, detrend, scaling, more, overlap=2):
    n_fft, hop, weights = _segments(window, nperseg, noverlap, nfft, overlap)
    choice(scaling, ("density", "spectrum"), "scaling")
    choice(detrend, ("constant", False), "detrend")
    given = {"window_at": 0, "slack": -weights.shape[0], "exponent": 2, "is_one_sided": True,
             "scale": _short_rows.scipy_scale(weights, scaling, fs), "removes_mean": bool(detrend)}
    return ShortTime(n_fft, hop, weights, **{**given, **more})


def scipy_spectrogram(fs: float = 1.0, window: Any = "tukey", nperseg: int = 256,
                      noverlap: int | None = None, nfft: int | None = None,
                      detrend: Literal["constant", False] = "constant",
                      scaling: Literal["density", "spectrum"] = "density",
                      **more: Any) -> ShortTime:
    """Returns the description of `scipy.signal.spectrogram` (1.18) of real samples, mode "psd".

    >>> scipy_spectrogram().hop
    224
    """
    return _powers(fs, window, nperseg, noverlap, nfft, detrend, scaling, more, overlap=8)


def welch(fs: float = 1.0, window: Any = "hann", nperseg: int = 256, noverlap: int | None = None,
          nfft: int | None = None, detrend: Literal["constant", False] = "constant",
          scaling: Literal["density", "spectrum"] = "density", **more: Any) -> ShortTime:
    """Returns the description of `scipy.signal.welch` (1.18) of real samples, average "mean". Rows
    have at least nperseg samples. For complex samples give is_one_sided=False.

    >>> welch(nperseg=64)(np.ones((3, 1000))).shape
    (3, 33)
    """
    return _powers(fs, window, nperseg, noverlap, nfft, detrend, scaling,
                   {"are_averaged": True, **more})


def csd(x: Array, y: Array, powers: ShortTime, average: Any = None) -> Array:
    """Returns the means [.., F] over frames of conj(X) Y for rows [.., L], as `scipy.signal.csd`.
    Both spectra of all frames are in memory meanwhile.

    powers   a description of their powers, such as `welch()`, whose scale and sides are taken
    average  a function of [.., F, T] in place of the mean

    >>> csd(np.ones((3, 1000)), np.ones(1000), welch(nperseg=64)).shape
    (3, 33)
    """
    return _short_rows.crossed(powers, x, y, average)


def coherence(x: Array, y: Array, powers: ShortTime) -> Array:
    """Returns |csd|^2 over the powers of x and y, as `scipy.signal.coherence`; see `csd`.

    >>> coherence(np.eye(1, 500, 9), -np.eye(1, 500, 9), welch(nperseg=64)).round(6).min()
    np.float64(1.0)
    """
    return _short_rows.coherent(powers, x, y)


def short_time_fft(win: Any, hop: int, fs: float = 1.0, mfft: int | None = None,
                   phase_shift: int | None = 0,
                   scale_to: Literal["magnitude", "psd", None] = None, **more: Any) -> ShortTime:
    """Returns the description of `scipy.signal.ShortTimeFFT(win, hop, fs, ..).stft` (1.18):
    one-sided of real samples, all frames that touch a row, at its end with a weight other than 0.

    >>> short_time_fft(window("hann", 256), 64).frames_of(4000)
    66
    """
    if win is None or isinstance(win, str):
        raise TypeError(f"win is {win!r}; give an array of weights")
    weights, hop = weights_of(win, 0), positive(hop, "hop")
    n_weights = weights.shape[0]
    mfft = _given_or(mfft, n_weights, "mfft")
    if phase_shift is not None and not -mfft < integer(phase_shift, "phase_shift") < mfft:
        raise ValueError(f"phase_shift is {phase_shift}; give {1 - mfft} to {mfft - 1}, or None")
    middle, before = n_weights // 2, n_weights // 2 + (n_weights - n_weights // 2 - 1) // hop * hop
    first = weights.nonzero()[0][0] if isinstance(weights, np.ndarray) and weights.any() else 0
    choice(scale_to, ("magnitude", "psd", None), "scale_to")
    scaling = {"magnitude": "spectrum"}.get(scale_to, "psd")
    fs = positive_number(fs, "fs")
    given = {"window_at": 0, "before": before, "slack": before - 1 - int(first),
             "scale": 1.0 if scale_to is None else _short_rows.scipy_scale(weights, scaling, fs),
             # SciPy rotates frames of mfft samples by less than a window, whatever mfft is.
             "phase_origin": 0 if phase_shift is None else (middle + phase_shift) % n_weights,
             "time_origin": middle}
    return ShortTime(mfft, hop, weights, **{**given, **more})


def torchaudio_mel(sample_rate: float = 16000, n_fft: int = 400, win_length: int | None = None,
                   hop_length: int | None = None, f_min: float = 0.0, f_max: float | None = None,
                   pad: int = 0, n_mels: int = 128, window_fn: Callable[..., Any] | Any = "hann",
                   power: float = 2.0, normalized: bool | str = False,
                   wkwargs: dict[str, Any] | None = None, center: bool = True,
                   pad_mode: str = "reflect", onesided: Literal[True, None] = None,
                   norm: Literal["slaney", None] = None,
                   mel_scale: Literal["htk", "slaney"] = "htk", **more: Any) -> ShortTime:
    """Returns the description of `torchaudio.transforms.MelSpectrogram` (2.11), whose arguments
    these are, in its order.

    pad        zeros at both ends of rows; only where what lies outside them is zero as well, by
               center=False or pad_mode="constant". `wingbeat.torch.MelSpectrogram` takes any
    window_fn  a function of win_length and `wkwargs`, or weights, or a name
    onesided   has no influence, as in torchaudio, and False is refused

    >>> torchaudio_mel()(np.ones(1000, np.float32)).shape
    (128, 6)
    """
    win_length = _given_or(win_length, positive(n_fft, "n_fft"), "win_length")
    pad = count(pad, "pad")
    if pad and boolean(center, "center") and pad_mode != "constant":
        raise ValueError(f"pad is {pad}, and pad_mode {pad_mode!r} would continue the padded row; "
                         "give pad_mode='constant' or center=False, or call "
                         "wingbeat.torch.MelSpectrogram")
    choice(onesided, (None, True), "onesided")
    choice(normalized, (False, True, "window", "frame_length"), "normalized")
    choice(norm, ("slaney", None), "norm")
    choice(mel_scale, ("htk", "slaney"), "mel_scale")
    if callable(window_fn):
        window_fn = window_fn(win_length, **(wkwargs or {}))
    elif wkwargs is not None:
        raise TypeError("wkwargs is given and window_fn is no function; give one, or weights alone")
    weights = weights_of(window_fn, win_length)
    high = None if f_max is None else positive_number(f_max, "f_max")
    given = {"exponent": positive_number(power, "power"),
             "bands": mel(positive(n_mels, "n_mels"), n_fft,
                          positive_number(sample_rate, "sample_rate"), number(f_min, "f_min"), high,
                          scale=mel_scale, equal_areas=norm == "slaney")}
    if normalized in (True, "window"):
        given["scale"] = _short_rows.scipy_scale(weights, "psd", 1.0)
    centred = torch_stft(n_fft, win_length // 2 if hop_length is None else hop_length, win_length,
                      weights, center, pad_mode, normalized == "frame_length", **given)
    padded = {"before": centred.before + pad, "slack": centred.slack + 2 * pad}
    return replace(centred, **{**padded, **more})


def whisper(n_mels: int = 80, **more: Any) -> ShortTime:
    """Returns the description of openai-whisper's `log_mel_spectrogram` (20250625) of samples at
    16 kHz. Levels are limited to 8 decades below the largest of each row, where openai's takes the
    largest of the batch.

    >>> whisper()(np.zeros(16000, np.float32)).shape
    (80, 100)
    """
    bands = mel(positive(n_mels, "n_mels"), 400, 16000)
    given = {"exponent": 2, "bands": bands, "slack": -160, "has_log": True,
             "floor": 1e-10, "gain": 0.25 / math.log(10), "shift": 1.0, "range": 2.0}
    return torch_stft(400, 160, window="hann", **{**given, **more})


def _samples_of(ms, name, rate):
    n = int(min(positive_number(ms, name) * rate / 1000, 2.0**40))
    return positive(n, f"{name} in samples")


def kaldi_fbank(sample_rate: float = 16000, n_bands: int = 23, low: float = 20.0,
                high: float | None = None, frame_length: float = 25.0, frame_shift: float = 10.0,
                snip_edges: bool = True, window: Any = "povey", **more: Any) -> ShortTime:
    """Returns the description of Kaldi's fbank (kaldi-native-fbank 1.23) without dither and energy.
    Samples count as int16; those in -1 .. 1 are first multiplied by 32768.

    frame_length, frame_shift  in ms
    window                     weights, or a name, of which "povey" is symmetric

    Kaldi's own result is [T, bands], the transpose.

    >>> kaldi_fbank()(np.zeros(16000, np.int16)).shape
    (23, 98)
    """
    rate = positive_number(sample_rate, "sample_rate")
    n_weights = _samples_of(frame_length, "frame_length", rate)
    hop = _samples_of(frame_shift, "frame_shift", rate)
    weights = weights_of(window, n_weights, periodic=False)
    n_fft = 1 << (n_weights - 1).bit_length()
    given = {"window_at": 0, "slack": -n_weights, "removes_mean": True, "emphasis": 0.97,
             "exponent": 2, "has_log": True, "floor": 2.0**-23,
             "bands": mel(n_bands, n_fft, rate, low, high, scale="htk", equal_areas=False,
                          straight_in_mels=True)}
    if not boolean(snip_edges, "snip_edges"):
        given.update(before=n_weights // 2 - hop // 2, slack=hop // 2 - hop, edge="symmetric")
    return ShortTime(n_fft, hop, weights, **{**given, **more})


def vocoder_stft(n_fft: int, hop: int, win_length: int | None = None, window: Any = "hann",
                 **more: Any) -> ShortTime:
    """Returns the description of "same" transforms of vocoders (HiFi-GAN, BigVGAN, Vocos): a row of
    T hop samples has T frames, and the inverse of T frames has T hop samples.

    >>> vocoder_stft(1024, 256).frames_of(2560)
    10
    """
    n_fft, hop = positive(n_fft, "n_fft"), positive(hop, "hop")
    if hop > n_fft:
        raise ValueError(f"hop is {hop} and n_fft {n_fft}; give a hop of at most n_fft")
    before = (n_fft - hop) // 2
    given = {"before": before, "slack": 2 * before - n_fft, "edge": "reflect"}
    weights = weights_of(window, _given_or(win_length, n_fft, "win_length"))
    return ShortTime(n_fft, hop, weights, **{**given, **more})
