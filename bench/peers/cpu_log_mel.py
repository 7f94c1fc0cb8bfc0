# SPDX-License-Identifier: Apache-2.0
"""Times log-mel features on the processor: torch, librosa and SciPy, one minute at 16 kHz, frames
of 400 samples 160 apart, 80 bands:
    python cpu_log_mel.py THREADS [SECONDS]
Each one's least and median time of all turns is printed as a row of JSON. One after another: the
threads of one that still wait in turns would slow down the next.
"""

import json
import os
import sys
import time

THREADS = int(sys.argv[1])
for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[name] = str(THREADS)

import librosa  # noqa: E402
import numpy as np  # noqa: E402
import scipy.fft  # noqa: E402
import scipy.signal  # noqa: E402
import torch  # noqa: E402

torch.set_num_threads(THREADS)
SAMPLES = np.random.default_rng(1).standard_normal(60 * 16000).astype("f4")
WEIGHTS = librosa.filters.mel(sr=16000, n_fft=400, n_mels=80)
WINDOW = scipy.signal.get_window("hann", 400).astype("f4")


def torch_features(x=torch.from_numpy(SAMPLES), weights=torch.from_numpy(WEIGHTS),
                   window=torch.from_numpy(WINDOW)):
    """Whisper's way, without its limit of range."""
    bins = torch.stft(x, 400, 160, window=window, return_complex=True)
    powers = bins[..., :-1].abs() ** 2
    return torch.clamp(weights @ powers, min=1e-10).log10()


def librosa_features():
    levels = librosa.feature.melspectrogram(y=SAMPLES, sr=16000, n_fft=400, hop_length=160,
                                            n_mels=80, pad_mode="reflect")
    return np.log10(np.maximum(levels[:, :-1], 1e-10))


def scipy_features():
    """Strided frames and scipy.fft.rfft: the fastest way found in it."""
    padded = np.pad(SAMPLES, 200, mode="reflect")
    frames = np.lib.stride_tricks.sliding_window_view(padded, 400)[::160][:-1] * WINDOW
    bins = scipy.fft.rfft(frames, axis=1, workers=THREADS)
    powers = bins.real ** 2 + bins.imag ** 2
    return np.log10(np.maximum(powers @ WEIGHTS.T, 1e-10)).T


SHORT_TIME = scipy.signal.ShortTimeFFT(WINDOW, 160, 16000, fft_mode="onesided")


def scipy_class_features():
    bins = SHORT_TIME.stft(SAMPLES, p0=0, p1=6000, padding="even")
    return np.log10(np.maximum(WEIGHTS @ (bins.real ** 2 + bins.imag ** 2), 1e-10))


def main(seconds):
    peers = {"torch": torch_features, "librosa": librosa_features, "scipy": scipy_features,
             "scipy.signal.ShortTimeFFT": scipy_class_features}
    expected = scipy_features()
    for name in ("torch", "librosa"):
        assert np.allclose(np.asarray(peers[name]()), expected, atol=1e-3), name
    for name, features in peers.items():
        times = []
        end = time.monotonic() + seconds / len(peers)
        while time.monotonic() < end:
            start = time.perf_counter()
            features()
            times.append(1e6 * (time.perf_counter() - start))
        print(json.dumps([name, THREADS, round(min(times)), round(float(np.median(times)))]))


with torch.inference_mode():
    main(float(sys.argv[2]) if len(sys.argv) > 2 else 20)
