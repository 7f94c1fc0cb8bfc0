# SPDX-License-Identifier: Apache-2.0
"""The spectral functions of `wingbeat.signal` against scipy.signal's. SciPy's own tests of them run
by the plugin `wingbeat_signal`."""

import doctest
import warnings

import numpy as np
import pytest

from other_libraries import each_library
from short_time_test import close
from wingbeat import _signal_spectra, signal

scipy_signal = pytest.importorskip("scipy.signal", reason="scipy is not installed here")

RNG = np.random.default_rng(2)


def noise(*shape, dtype=np.float64):
    x = RNG.standard_normal(shape) * 50 + 3
    if np.dtype(dtype).kind == "c":
        x = x + 1j * RNG.standard_normal(shape)
    return x.astype(dtype)


def all_close(results, expected, tolerance=1e-11):
    assert len(results) == len(expected)
    for one, other in zip(results, expected):
        assert one.dtype == other.dtype
        close(one / max(abs(other).max(), 1e-9), other / max(abs(other).max(), 1e-9), tolerance)


def both(name, *given, tolerance=1e-11, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        all_close(getattr(signal, name)(*given, **options),
                  getattr(scipy_signal, name)(*given, **options), tolerance)


def bent(frames):
    """Returns frames without their cubic trend, which no word of `detrend` removes."""
    i = np.linspace(-1, 1, frames.shape[-1])
    basis = np.linalg.qr(np.vander(i, 4))[0]
    return frames - (frames @ basis) @ basis.T


FRAMES = ({}, {"nperseg": 64, "noverlap": 48}, {"nperseg": 33, "nfft": 40, "window": "hamming"},
          {"window": np.hanning(51)[1:50]}, {"window": ("kaiser", 5.0), "nperseg": 50})
TRENDS = (False, "constant", "linear", bent)


@pytest.mark.parametrize("frames", FRAMES, ids=str)
def test_powers(frames):
    x = noise(2, 3, 700)
    for detrend in TRENDS:
        for scaling in "density", "spectrum":
            given = {**frames, "fs": 7.0, "detrend": detrend, "scaling": scaling}
            both("welch", x, **given)
            both("spectrogram", x, **given)
    both("welch", x, average="median", **frames)
    both("welch", x, return_onesided=False, **frames)
    both("welch", noise(700, dtype=np.complex128), return_onesided=False, **frames)
    both("welch", noise(4, 700).T, axis=0, **frames)
    both("spectrogram", noise(2, 700, 3), axis=1, **frames)
    both("spectrogram", noise(2, 700, 3), axis=-2, **frames)


@pytest.mark.parametrize("mode", ("psd", "complex", "magnitude", "angle", "phase"))
def test_modes(mode):
    x = noise(2, 900)
    both("spectrogram", x, mode=mode, detrend=False, tolerance=1e-6 if mode == "phase" else 1e-9)


@pytest.mark.parametrize("options", (
    {}, {"nfft": 500}, {"nfft": 1024}, {"window": "hann", "detrend": "linear"},
    {"window": None, "scaling": "spectrum", "fs": 3.0}, {"return_onesided": False}), ids=str)
def test_periodogram(options):
    both("periodogram", noise(2, 700), **options)
    both("periodogram", noise(700, 2), axis=0, **options)


@pytest.mark.parametrize("frames", FRAMES, ids=str)
def test_cross_spectra(frames):
    x, y = noise(2, 700), noise(700)
    y = y + 0.5 * x[0]
    for detrend in TRENDS:
        both("csd", x, y, detrend=detrend, **frames)
        both("coherence", x, y, detrend=detrend, **frames)
    both("csd", x, x[:, :500], **frames)
    both("csd", x[:, 400:], x, **frames)
    both("csd", x.T, y[:, None], axis=0, average="median", **frames)
    both("csd", x + 1j, y, return_onesided=False, **frames)
    both("csd", x, x, **frames)
    assert signal.coherence(x, y)[1].max() <= 1 + 1e-12


@pytest.mark.parametrize("boundary", ("zeros", "even", "odd", "constant", None))
@pytest.mark.parametrize("padded", (True, False))
def test_stft(boundary, padded):
    x = noise(2, 3, 703)
    for frames in FRAMES:
        for detrend in TRENDS:
            both("stft", x, boundary=boundary, padded=padded, detrend=detrend,
                 **{"nperseg": None, **frames})
    both("stft", noise(2, 703, 3), boundary=boundary, padded=padded, axis=1, scaling="psd", fs=5.0)
    both("stft", x, boundary=boundary, padded=padded, return_onesided=False)
    both("stft", x + 1j, boundary=boundary, padded=padded, return_onesided=False)


@pytest.mark.parametrize("is_one_sided", (True, False))
def test_istft(is_one_sided):
    x = noise(2, 3, 703) if is_one_sided else noise(2, 3, 703, dtype=np.complex128)
    for frames in FRAMES:
        _, _, spectra = signal.stft(x, return_onesided=is_one_sided, **{"nperseg": None, **frames})
        given = {**frames, "input_onesided": is_one_sided}
        if frames.get("window") is not None:  # without nperseg SciPy takes frames to be even
            given["nperseg"] = frames.get("nperseg", len(frames["window"]))
        t, y = signal.istft(spectra + 0.1, **given)
        close(y, scipy_signal.istft(spectra + 0.1, **given)[1], 1e-8)
        close(t, np.arange(y.shape[-1]) / 1.0)
        close(signal.istft(spectra, **given)[1][..., :703], x, 1e-8)
        turned = np.moveaxis(spectra, (-1, -2), (0, 1))  # [frame][bin][..]
        back = signal.istft(turned, time_axis=0, freq_axis=1, **given)[1]
        close(np.moveaxis(back, 0, -1), y - signal.istft(spectra * 0 + 0.1, **given)[1], 1e-8)
    with pytest.warns(UserWarning, match="NOLA condition failed"):
        _, y = signal.istft(signal.stft(noise(700), boundary=None)[2], boundary=False)
    assert y[0] == 0


@pytest.mark.parametrize("dtype", (np.int16, np.int32, np.float16, np.float32, np.complex64))
def test_dtypes(dtype):
    x = noise(2, 700, dtype=dtype)
    sides = {"return_onesided": x.dtype.kind != "c"}
    for name in "stft", "welch", "periodogram", "spectrogram":
        ours, theirs = (getattr(module, name)(x, detrend=False, **sides)[-1]
                        for module in (signal, scipy_signal))
        if dtype != np.float16:  # of which SciPy makes float64 in some functions
            assert ours.dtype == theirs.dtype, name
        close(ours / abs(theirs).max(), theirs / abs(theirs).max(), 2e-5)


@each_library
def test_other_libraries(library):
    x = noise(2, 700, dtype=np.float32)
    given = library.of_numpy(x)
    for name in "stft", "welch", "spectrogram", "periodogram":
        close(library.to_numpy(getattr(signal, name)(given)[-1]), getattr(signal, name)(x)[-1],
              1e-4)
    for boundary in "even", "odd", "constant":
        close(library.to_numpy(signal.stft(given, boundary=boundary)[2]),
              signal.stft(x, boundary=boundary)[2], 1e-4)
    close(library.to_numpy(signal.stft(given, return_onesided=False)[2]),
          signal.stft(x, return_onesided=False)[2], 1e-4)
    close(library.to_numpy(signal.istft(signal.stft(given)[2])[1])[:, :700], x, 1e-3)
    other = library.of_numpy(x[:, ::-1].copy())
    for name in "csd", "coherence":
        close(library.to_numpy(getattr(signal, name)(given, other)[1]),
              getattr(signal, name)(x, x[:, ::-1])[1], 1e-2)
    for call in (lambda: signal.welch(given, average="median"),
                 lambda: signal.spectrogram(given, mode="angle")):
        with pytest.raises(TypeError, match="give a numpy array"):
            call()
    with pytest.raises(ValueError, match="or numpy arrays"):
        signal.welch(given, detrend="linear")


X = noise(100)


@pytest.mark.parametrize("call, error, text", (
    (lambda: signal.stft(X, scaling="density"), ValueError, "scaling='density' not in"),
    (lambda: signal.welch(X, scaling="psd"), ValueError, "scaling='psd' not in"),
    (lambda: signal.stft(X, boundary="wrap"), ValueError, "Unknown boundary option 'wrap'"),
    (lambda: signal.stft(X, axis=1), ValueError, "axis is 1 and x has 1 dimensions"),
    (lambda: signal.welch(X, nperseg=0), ValueError, "nperseg must be a positive integer"),
    (lambda: signal.welch(X, nperseg=16, noverlap=16), ValueError, "noverlap must be less than"),
    (lambda: signal.welch(X, nperseg=16, nfft=8), ValueError, "nfft must be greater than"),
    (lambda: signal.welch(X, window=np.ones((2, 2))), ValueError, "window must be 1-D"),
    (lambda: signal.welch(X, window=np.ones(8) + 1j), ValueError, "give real weights"),
    (lambda: signal.welch(X, window=np.ones(8), nperseg=9), ValueError, "have length of 9"),
    (lambda: signal.welch(X, window=np.ones(101)), ValueError, "longer than input signal"),
    (lambda: signal.welch(X, detrend="cubic"), ValueError, "detrend is 'cubic'"),
    (lambda: signal.welch(X, average="mode"), ValueError, "average is 'mode'; choose one of"),
    (lambda: signal.spectrogram(X, mode="power"), ValueError, "mode is 'power'; choose one of"),
    (lambda: signal.periodogram(X, window=np.ones(8)), ValueError, "must be the same size"),
    (lambda: signal.csd(np.ones((2, 100)), np.ones((3, 100))), ValueError, "cannot be broadcast"),
    (lambda: signal.istft(X), ValueError, "at least 2d"),
    (lambda: signal.istft(np.ones((9, 4)), nperseg=16, nfft=20), ValueError, "spectra have shape"),
    (lambda: signal.istft(X[None], time_axis=0, freq_axis=-2), ValueError, "differing time"),
    (lambda: signal.welch(np.ma.masked_less(X, 0)), TypeError, "mask"),
))
def test_refusals(call, error, text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        with pytest.raises(error, match=text):
            call()


def test_a_long_window_is_shortened():
    with pytest.warns(UserWarning, match="nperseg=256 is greater than signal length = 100"):
        result = signal.welch(X)[1]
    close(result, signal.welch(X, nperseg=100)[1])


def test_empty():
    for name in "welch", "periodogram":
        assert [each.shape for each in getattr(signal, name)(np.zeros((3, 0)))] == [(3, 0)] * 2
    assert signal.csd(np.zeros((5, 0)), X)[1].shape == (5, 0)
    assert signal.stft(np.zeros((3, 0)))[2].shape == (3, 0)


def test_examples():
    result = doctest.testmod(_signal_spectra)
    assert result.attempted >= 7 and not result.failed
