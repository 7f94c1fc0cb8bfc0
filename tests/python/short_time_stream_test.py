# SPDX-License-Identifier: Apache-2.0
"""Streams of frames have the bits of the description at once, however a signal is cut."""

import pickle

import numpy as np
import pytest

from other_libraries import each_library
from short_time_test import rows
from wingbeat import short_time
from wingbeat.short_time import ShortTime, Stream

DESCRIPTIONS = {
    "torch": short_time.torch_stft(32, 8, window="hann"),
    "reflect": short_time.torch_stft(31, 9, 20, window="hamming", normalized=True),
    "librosa": short_time.librosa_stft(64, win_length=50, pad_mode="edge"),
    "scipy": short_time.scipy_stft(nperseg=24, nfft=32),
    "peer": short_time.short_time_fft(short_time.window("hann", 21), 7, mfft=32),
    "mel": short_time.torchaudio_mel(n_fft=64, n_mels=8, has_log=True, floor=1e-5),
    "kaldi": short_time.kaldi_fbank(1000, 4, 20.0, snip_edges=False),
    "slack": ShortTime(7, 9, before=8, slack=-20),
}


def cuts(n, seed):
    rng = np.random.default_rng(seed)
    return np.sort(rng.integers(0, n + 1, int(rng.integers(0, 40))))


@pytest.mark.parametrize("dtype", ("float32", "float64", "complex64", "complex128", "int16"))
@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_the_bits_at_once(name, dtype):
    made = DESCRIPTIONS[name]
    if dtype.startswith("complex") and made.bands is not None:
        pytest.skip("bands are of real samples")
    x = (rows(500, dtype=np.complex128 if "complex" in dtype else np.float64) * 30).astype(dtype)
    at_once = made(x)
    for group in 1, 3, 16:
        stream = made.stream(group, "float32" if dtype == "int16" else dtype)
        for seed in range(3):  # the next signal begins after a flush
            pieces = np.split(x, cuts(len(x), seed))
            frames = [*(stream.push(piece) for piece in pieces), stream.flush()]
            result = np.concatenate(frames, axis=1)
            assert result.dtype == at_once.dtype
            np.testing.assert_array_equal(result, at_once)
    assert stream.flush().shape == (len(at_once), 0)


def test_the_latency_is_reached():
    for made, group in ((DESCRIPTIONS["torch"], 4), (DESCRIPTIONS["slack"], 3)):
        stream, longest, n_frames = made.stream(group), 0, 0
        for n in range(1, 400):
            more = stream.push(np.zeros(1, np.float32)).shape[1]
            if more:
                longest = max(longest, made.before + n - n_frames * made.hop)
            n_frames += more
        assert longest == stream.latency


def test_a_stream_is_of_its_device():
    stream = Stream(DESCRIPTIONS["torch"], device="reference", dtype=np.complex64)
    assert stream.dtype == np.complex64
    assert stream.push(np.ones(400, np.complex64)).shape == (32, 48)
    with pytest.raises(TypeError, match="neither pickled nor copied"):
        pickle.dumps(stream)


@each_library
def test_other_libraries(library):
    x, stream = rows(300, dtype=np.float32), DESCRIPTIONS["torch"].stream()
    given = library.of_numpy(x)
    try:
        frames = stream.push(given), stream.flush()
    except TypeError as refusal:
        assert "samples are on a GPU; give" in str(refusal)
    else:
        assert type(frames[0]) is type(frames[1]) is type(given)
        np.testing.assert_array_equal(np.concatenate([library.to_numpy(each) for each in frames],
                                                     axis=1), DESCRIPTIONS["torch"](x))
