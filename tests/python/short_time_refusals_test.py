# SPDX-License-Identifier: Apache-2.0
"""Every argument of `wingbeat.short_time` refuses wrong types and values in one sentence that says
what was given and what to do."""

import inspect

import numpy as np
import pytest

from wingbeat import short_time
from wingbeat.short_time import ShortTime

PRESETS = {short_time.torch_stft: {"n_fft": 8}, short_time.librosa_stft: {}, short_time.welch: {},
           short_time.scipy_stft: {}, short_time.scipy_spectrogram: {},
           short_time.short_time_fft: {"win": np.ones(8), "hop": 2}, short_time.whisper: {},
           short_time.torchaudio_mel: {}, short_time.kaldi_fbank: {},
           short_time.vocoder_stft: {"n_fft": 8, "hop": 2}, ShortTime: {"n_fft": 8, "hop": 2},
           short_time.mel: {"n_bands": 4, "n_fft": 64, "rate": 8.0},
           short_time.window: {"name": "hann", "n": 8}}
# Wrong values by parameter, here or for one function alone.
ABOVE_0 = -1, 0, 8.0, True, "8", None, np.ones(2), 2**70
OPTIONAL_ABOVE_0 = -1, 0, 8.0, True, "8", np.ones(2), 2**70
AT_LEAST_0 = -1, 8.5, True, "8", np.ones(2), 2**70
INTEGER = 8.5, "8", np.ones(2), 2**70
RATE = 0, -1.0, np.nan, np.inf, "8", None, 1j, 10**400
NUMBER = np.nan, np.inf, "8", None, 1j, np.ones(2), 10**400
NOT_NEGATIVE = -1.0, *NUMBER
FLAG = 3, "yes", None, np.ones(2)
NAME = "x", 3, np.ones(2)
WINDOW = "x", 3.0, np.ones((2, 2)), 1j * np.ones(8), np.ones(0), ["a"]
WRONG = {
    **dict.fromkeys(("n_fft", "hop", "nperseg", "n_mels", "n_bands", "n"), ABOVE_0),
    **dict.fromkeys(("hop_length", "win_length", "nfft", "mfft"), OPTIONAL_ABOVE_0),
    **dict.fromkeys(("noverlap", "before", "window_at", "pad"), AT_LEAST_0),
    **dict.fromkeys(("slack", "phase_shift", "phase_origin"), INTEGER),
    **dict.fromkeys(("fs", "sample_rate", "rate", "frame_length", "frame_shift", "power"), RATE),
    **dict.fromkeys(("low", "f_min"), NOT_NEGATIVE),
    **dict.fromkeys(("high", "f_max"), (0, -1.0, np.nan, 1e9, "8", 1j)),
    "time_origin": ("8", 1j, np.ones(2)),
    **dict.fromkeys(("center", "normalized", "align_to_window", "padded", "snip_edges", "periodic",
                     "equal_areas", "straight_in_mels", "removes_mean", "is_one_sided", "has_log",
                     "are_averaged"), FLAG),
    **dict.fromkeys(("pad_mode", "boundary", "scaling", "detrend", "scale_to", "norm", "mel_scale",
                     "edge", "name", "onesided"), NAME),
    **dict.fromkeys(("window", "win"), WINDOW),
    **dict.fromkeys(("emphasis", "gain", "shift"), NUMBER),
    **dict.fromkeys(("exponent", "power_floor", "power_offset", "floor", "offset", "least_weight",
                     "range"), NOT_NEGATIVE),
    "bands": (np.ones(3), np.ones((2, 3)), "x", 3, np.full((2, 5), np.nan)),
    "window_fn": (*WINDOW[:-1], lambda n: np.ones((n, 2))), "wkwargs": ({"periodic": True},),
}
OWN = {(ShortTime, "scale"): (0, *NUMBER), (short_time.mel, "scale"): NAME,
       (short_time.torchaudio_mel, "normalized"): NAME,
       (short_time.scipy_stft, "noverlap"): (*AT_LEAST_0, 256),
       (short_time.welch, "noverlap"): (*AT_LEAST_0, 256, 300),
       (short_time.short_time_fft, "phase_shift"): (*INTEGER, 8, -8),
       (short_time.vocoder_stft, "hop"): (*ABOVE_0, 9),
       (short_time.short_time_fft, "win"): (*WINDOW, "hann", None),
       (short_time.short_time_fft, "mfft"): (*OPTIONAL_ABOVE_0, 7)}
# Fields that others need.
BESIDE = {"power_floor": {"exponent": 2}, "power_offset": {"exponent": 2}, "range": {"exponent": 2},
          "bands": {"exponent": 2}, "is_one_sided": {"exponent": 2},
          **{name: {"exponent": 2, "has_log": True} for name in ("floor", "offset", "gain",
                                                                 "shift")}}


def wrong():
    """Yields (function, parameter, value) for every parameter of every function."""
    for function in PRESETS:
        for name, parameter in inspect.signature(function).parameters.items():
            if parameter.kind is not inspect.Parameter.VAR_KEYWORD:
                for value in OWN.get((function, name), WRONG.get(name)):
                    yield pytest.param(function, name, value,
                                       id=f"{function.__name__}-{name}-{str(value)[:20]}")


def refused(call, *names):
    """Checks that a call is refused in a sentence with one of these names."""
    with pytest.raises((ValueError, TypeError)) as refusal:
        call()
    text = str(refusal.value)
    assert any(word in text for word in ("; give ", "; choose ", "; leave ", "; convert ")), text
    assert any(name in text for name in names), text


@pytest.mark.parametrize("function, name, value", list(wrong()))
def test_wrong_arguments(function, name, value):
    given = {**PRESETS[function], **(BESIDE.get(name, {}) if function is ShortTime else {}),
             name: value}

    def call():
        made = function(**given)
        if isinstance(made, ShortTime):
            made(np.zeros(1000))
    words = {"low": ("bands reach",), "high": ("bands reach",), "f_min": ("bands reach",),
             "f_max": ("bands reach",), "nfft": ("n_fft",), "mfft": ("n_fft",), "scale_to": (),
             "window": ("array",), "win": ("window", "array"), "window_fn": ("window", "array"),
             "name": ("the window",), "bands": ("weights",)}
    refused(call, name, *words.get(name, ()))


@pytest.mark.parametrize("call, name", (
    (lambda: ShortTime(8, 2).frames_of(-1), "length"),
    (lambda: ShortTime(8, 2).frames_of(8.0), "length"),
    (lambda: ShortTime(8, 2).times(-1), "length"),
    (lambda: ShortTime(8, 2).times(20, 0), "rate"),
    (lambda: ShortTime(8, 2).frequencies("x"), "rate"),
    (lambda: ShortTime(8, 2).inverse(np.zeros((5, 3)), -1), "length"),
    (lambda: ShortTime(8, 2).inverse(np.zeros((5, 3)), 10.0), "length"),
    (lambda: ShortTime(8, 2).inverse(np.zeros((5, 3)), leaves_zeros=3), "leaves_zeros"),
    (lambda: ShortTime(8, 2).inverse(np.zeros((5, 3)), is_complex=3), "is_complex"),
    (lambda: ShortTime(8, 2).inverse(np.zeros(5)), "spectra"),
    (lambda: ShortTime(8, 2)(np.zeros(20), "x"), "array"),
    (lambda: short_time.torchaudio_mel(pad=3), "pad"),
    (lambda: short_time.scipy_stft(window=np.array([1.0, -1.0]), noverlap=0), "scaling"),
    (lambda: short_time.welch(window=np.zeros(4)), "scaling"),
    (lambda: short_time.csd(np.ones(400), np.ones(400), short_time.whisper()), "powers"),
    (lambda: short_time.csd(np.ones(400), np.ones(400), short_time.torch_stft(8)), "powers"),
    (lambda: short_time.csd(np.ones(400), np.ones(400), 3), "powers"),
    (lambda: short_time.csd(np.ones(400), np.ones(400), short_time.welch(), 3), "average"),
    (lambda: short_time.coherence(np.ones(400), np.ones(400), short_time.kaldi_fbank()), "powers"),
    (lambda: short_time.Stream(3), "description"),
    (lambda: ShortTime(8, 2).stream(0), "group"),
    (lambda: ShortTime(8, 2).stream(dtype="int16"), "dtype"),
    (lambda: ShortTime(8, 2).stream(device="gpu"), "device"),
    (lambda: ShortTime(8, 2, edge="circular").stream(), "edge is circular"),
    (lambda: short_time.whisper().stream(), "range"),
    (lambda: short_time.welch().stream(), "are_averaged"),
    (lambda: short_time.kaldi_fbank().stream(dtype="complex64"), "bands"),
    (lambda: ShortTime(8, 2).stream().push(np.zeros((2, 8), np.float32)), "samples"),
    (lambda: ShortTime(8, 2).stream().push(np.zeros(8)), "samples"),
    (lambda: ShortTime(8, 2).stream(dtype="float64").push(np.zeros(8, complex)), "samples"),
))
def test_wrong_calls(call, name):
    refused(call, name)
