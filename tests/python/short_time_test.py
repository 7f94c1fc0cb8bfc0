# SPDX-License-Identifier: Apache-2.0
"""`wingbeat.short_time` against its formula, summed directly, and against the libraries that its
descriptions name; those that are not installed here are skipped.
"""

import copy
import dataclasses
import importlib.util
import pathlib
import pickle
import re

import numpy as np
import pytest

import wingbeat
from other_libraries import each_library
from wingbeat import short_time
from wingbeat.short_time import ShortTime

PADDED = {"zeros": "constant", "reflect": "reflect", "symmetric": "symmetric", "replicate": "edge",
          "circular": "wrap"}
RNG = np.random.default_rng(1)


def rows(*shape, dtype=np.float64):
    x = RNG.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * RNG.standard_normal(shape)
    return x.astype(dtype)


def spectra_of(made, x):
    """Returns the spectra [bin][frame] of a row by the definition."""
    n, reach = made.n_fft, made.before + made.n_fft + made.hop + abs(made.slack) + len(x)
    e = np.pad(x.astype(np.result_type(x, np.float64)), reach, PADDED[made.edge])
    j = made.window_at + np.arange(made.n_weights)
    k = np.arange(n if x.dtype.kind == "c" else n // 2 + 1)
    roots = np.exp(-2j * np.pi * np.outer(k, j - made.phase_origin) / n)
    frames = []
    for t in range(made.frames_of(len(x))):
        begin = reach + t * made.hop - made.before + made.window_at
        frame = e[begin:begin + made.n_weights]
        if made.removes_mean:
            frame = frame - frame.mean()
        frame = frame - made.emphasis * np.concatenate((frame[:1], frame[:-1]))
        frames.append(made.scale * roots @ (np.asarray(made.window) * frame))
    return np.array(frames).T.reshape(len(k), -1)


def results_of(made, x):
    """Returns what is made of a row's spectra by the definition."""
    spectra = spectra_of(made, x)
    if made.exponent == 0:
        return spectra
    q = (np.maximum(abs(spectra)**2, made.power_floor) + made.power_offset)**(made.exponent / 2)
    if made.is_one_sided:
        q[1:(made.n_fft + 1) // 2] *= 2
    if made.are_averaged:
        return q.mean(1)
    if made.bands is not None:
        q = made.bands @ q
    if made.has_log:
        q = made.gain * np.log(np.maximum(q, made.floor) + made.offset) + made.shift
    return np.maximum(q, q.max() - made.range) if made.range else q


def close(result, expected, tolerance=1e-12):
    assert result.shape == expected.shape
    np.testing.assert_allclose(result, expected, rtol=0,
                               atol=tolerance * max(abs(expected).max(initial=0), 1))


def random_description(seed):
    rng = np.random.default_rng(seed)
    n_fft = int(rng.integers(1, 40))
    n_weights = int(rng.integers(1, n_fft + 1))
    before = int(rng.integers(0, 2 * n_fft))
    given = {"window_at": int(rng.integers(0, n_fft - n_weights + 1)), "before": before,
             "edge": str(rng.choice(list(PADDED))), "slack": int(rng.integers(-n_fft, before + 1)),
             "phase_origin": int(rng.integers(-n_fft, n_fft)), "scale": float(rng.uniform(0.1, 2)),
             "removes_mean": bool(rng.integers(2)), "emphasis": float(rng.choice([0, 0.97]))}
    if seed % 3:
        given.update(exponent=float(rng.choice([1, 2, 0.3])), power_floor=0.01,
                     power_offset=float(rng.choice([0, 0.1])), is_one_sided=bool(rng.integers(2)))
        if seed % 2:
            given.update(bands=rng.uniform(size=(5, n_fft // 2 + 1)), has_log=True, floor=0.02,
                         offset=0.01, gain=0.4, shift=1.0, range=float(rng.choice([0, 0.2])))
    return ShortTime(n_fft, int(rng.integers(1, n_fft + 5)), rng.uniform(0.1, 1, n_weights),
                     **given)


@pytest.mark.parametrize("seed", range(60))
def test_the_definition(seed):
    made = random_description(seed)
    x = rows(2, 3, 60)
    result = made(x)
    expected = np.array([[results_of(made, each) for each in row] for row in x])
    close(result, expected, 1e-11)
    assert result.swapaxes(-1, -2).flags.c_contiguous
    lengths = np.array([[60, 17, 41], [1, 30, 59]])
    ragged = made(x, lengths)
    behind = np.where(np.arange(60) < lengths[..., None], x, np.nan)
    np.testing.assert_array_equal(made(behind, lengths), ragged)
    for i, row in enumerate(x):
        for j, each in enumerate(row):
            alone = results_of(dataclasses.replace(made, range=0.0), each[:lengths[i, j]])
            if not made.range:
                close(ragged[i, j][:, :alone.shape[1]], alone, 1e-11)
    if seed % 3 == 0:
        z = rows(2, 60, dtype=np.complex128)
        close(made(z), np.array([spectra_of(made, each) for each in z]), 1e-11)


@pytest.mark.parametrize("dtype, result", ((np.int16, np.complex64), (np.uint8, np.complex64),
                                           (np.float16, np.complex64), (np.float32, np.complex64),
                                           (np.int32, np.complex128), (np.complex64, np.complex64)))
def test_dtypes(dtype, result):
    x = (rows(100) * 50).astype(dtype) if np.dtype(dtype).kind != "c" else rows(100, dtype=dtype)
    made = short_time.torch_stft(16, window="hann")
    assert made(x).dtype == result
    close(made(x), spectra_of(made, x), 1e-5 if result == np.complex64 else 1e-12)
    close(made(x[::2]), spectra_of(made, x[::2]), 1e-5)  # not packed


def test_an_impulse_before_the_window():
    impulse = np.eye(1, 1000)[0]
    made = short_time.torch_stft(200, 100, 100, center=False)
    assert made(impulse).shape == (101, 9) and not made(impulse).any()
    aligned = short_time.torch_stft(200, 100, 100, center=False, align_to_window=True)
    expected = np.exp(-2j * np.pi * np.arange(101) * 50 / 200)
    assert aligned(impulse).shape == (101, 10)
    close(aligned(impulse)[:, 0], expected)
    odd = short_time.torch_stft(32, 7, 21, center=False, align_to_window=True)
    assert odd(rows(203)).shape == (17, 27)  # which torch 2.15 fails in


def test_hops_and_frames_by_default():
    assert short_time.torch_stft(512, win_length=256).frames_of(4096) == 33
    assert short_time.librosa_stft(512, win_length=256).frames_of(4096) == 65
    assert short_time.torchaudio_mel(n_fft=512, win_length=256).frames_of(4096) == 33
    assert short_time.torch_stft(400)(np.ones(1)).shape == (201, 1)  # reflected again and again
    assert short_time.torch_stft(512, 320, window="hann").inverse(
        np.ones((257, 51), complex)).shape == (16000,)


def test_times_are_those_of_the_middle():
    for n_fft, win_length in (32, 32), (33, 33), (32, 21):
        made = short_time.librosa_stft(n_fft, 8, win_length)
        assert made.times(100).tolist() == list(range(0, 8 * made.frames_of(100), 8))
    assert short_time.welch(nperseg=21).times(43).tolist() == [10.5, 21.5, 32.5]  # as SciPy's
    assert short_time.scipy_stft(nperseg=21, boundary=None).times(32).tolist() == [10.5, 21.5]


def test_nan_stays_in_its_frames():
    x = rows(2, 4000)
    x[0, 2000] = np.nan
    is_nan = np.isnan(short_time.torch_stft(400, 100, window="hamming")(x)).any(-2)
    assert is_nan[0].nonzero()[0].tolist() == [19, 20, 21, 22] and not is_nan[1].any()


@pytest.mark.parametrize("nperseg, noverlap, nfft", ((32, None, None), (21, 14, 32), (31, 11, 31)))
@pytest.mark.parametrize("options", (
    {}, {"boundary": None}, {"padded": False}, {"boundary": "even", "padded": False},
    {"boundary": "constant", "padded": False}, {"scaling": "psd", "fs": 7.0}))
def test_scipy_stft(nperseg, noverlap, nfft, options):
    signal = pytest.importorskip("scipy.signal")
    x = rows(2, 203)
    given = {"nperseg": nperseg, "noverlap": noverlap, "nfft": nfft, **options}
    made = short_time.scipy_stft(**given)
    times, frequencies = made.times(203, 7.0), made.frequencies(7.0)
    f, t, expected = signal.stft(x, **{**given, "fs": 7.0 if "fs" in given else 1.0})
    close(made(x), expected)
    if "fs" in given:
        close(frequencies, f)
        close(times, t)
    if options == {}:
        _, expected = signal.istft(expected, **given)
        close(made.inverse(made(x), 203), expected[:, :203], 1e-9)


def test_scipy_powers():
    signal = pytest.importorskip("scipy.signal")
    x, y = rows(2, 3000) + 3, rows(2, 3000)
    for scaling in "density", "spectrum":
        close(short_time.scipy_spectrogram(fs=5.0, scaling=scaling)(x),
              signal.spectrogram(x, 5.0, scaling=scaling)[2])
        made = short_time.welch(fs=5.0, nperseg=100, scaling=scaling)
        close(made(x), signal.welch(x, 5.0, nperseg=100, scaling=scaling)[1])
        close(short_time.csd(x, y, made), signal.csd(x, y, 5.0, nperseg=100, scaling=scaling)[1])
    for nperseg, nfft, detrend in ((101, None, False), (100, 128, "constant")):
        close(short_time.welch(nperseg=nperseg, nfft=nfft, detrend=detrend)(x),
              signal.welch(x, nperseg=nperseg, nfft=nfft, detrend=detrend)[1])
    z = rows(1000, dtype=np.complex128)
    close(short_time.welch(nperseg=100, is_one_sided=False)(z),
          signal.welch(z, nperseg=100, return_onesided=False)[1])


@pytest.mark.parametrize("phase_shift", (0, None, 5, -3, 14, -17))  # beyond a window's ends, too
@pytest.mark.parametrize("n, hop, mfft", ((32, 8, 32), (31, 9, 31), (21, 7, 32), (22, 7, 33)))
def test_short_time_fft(phase_shift, n, hop, mfft):
    signal = pytest.importorskip("scipy.signal")
    for weights, scale in ((short_time.window("hann", n), None), (rows(n), "magnitude"),
                           (np.r_[rows(n - 4), 0, 0, 0, 0], "psd")):
        peer = signal.ShortTimeFFT(weights, hop, 3.0, mfft=mfft, phase_shift=phase_shift,
                                   scale_to=scale)
        made = short_time.short_time_fft(weights, hop, 3.0, mfft, phase_shift, scale)
        x = rows(2, 203)
        close(made(x), peer.stft(x))
        close(made.times(203, 3.0), peer.t(203))
        close(made.inverse(made(x), 203), x, 1e-9)


def test_librosa():
    librosa = pytest.importorskip("librosa")
    x = rows(2, 3001)
    for given in ({"n_fft": 256}, {"n_fft": 255, "hop_length": 60, "win_length": 100},
                  {"n_fft": 256, "pad_mode": "reflect"}, {"n_fft": 256, "pad_mode": "edge"},
                  {"n_fft": 256, "center": False}):
        made = short_time.librosa_stft(**given)
        close(made(x), librosa.stft(x, **given))
        padded = {name: value for name, value in given.items() if name != "pad_mode"}
        if given.get("center", True):
            close(made.inverse(made(x), 3001, leaves_zeros=True),
                  librosa.istft(librosa.stft(x, **given), length=3001, **padded), 1e-8)
    for scale in "slaney", "htk":
        for norm in "slaney", None:
            bands = short_time.mel(40, 512, 16000, 30, 7000, scale=scale, equal_areas=bool(norm))
            close(bands, librosa.filters.mel(sr=16000, n_fft=512, n_mels=40, fmin=30, fmax=7000,
                                             htk=scale == "htk", norm=norm, dtype=np.float64))


def test_whisper():
    x = rows(2, 16000) * np.array([[1], [0.001]])
    for n_mels in 80, 128:
        powers = abs(spectra_of(short_time.torch_stft(400, 160, window="hann"), x[0]))[:, :-1]**2
        levels = np.log10(np.maximum(short_time.mel(n_mels, 400, 16000) @ powers, 1e-10))
        expected = (np.maximum(levels, levels.max() - 8) + 4) / 4
        close(short_time.whisper(n_mels)(x)[0], expected)
        close(short_time.whisper(n_mels)(x)[1], short_time.whisper(n_mels)(x[1]))
    silence = short_time.whisper()(np.zeros(16000))
    close(silence, np.full((80, 100), -1.5))


def test_openai_whisper():
    whisper = pytest.importorskip("whisper")
    x = rows(16000, dtype=np.float32)
    close(short_time.whisper()(x), whisper.log_mel_spectrogram(x).numpy(), 2e-5)


@pytest.mark.parametrize("snip_edges", (True, False))
def test_kaldi(snip_edges):
    knf = pytest.importorskip("kaldi_native_fbank")
    options = knf.FbankOptions()
    options.frame_opts.dither = 0
    options.frame_opts.snip_edges = snip_edges
    options.mel_opts.num_bins = 80
    peer = knf.OnlineFbank(options)
    x = (rows(16000) * 3000).astype(np.int16)
    peer.accept_waveform(16000, x.astype(np.float32).tolist())
    peer.input_finished()
    expected = np.array([peer.get_frame(t) for t in range(peer.num_frames_ready)])
    made = short_time.kaldi_fbank(n_bands=80, snip_edges=snip_edges)
    close(made(x).T, expected, 3e-4)
    close(made(np.zeros(400)), np.full_like(made(np.zeros(400)), -15.942385), 1e-7)
    if snip_edges:
        assert made(x[:399]).shape == (80, 0)


def test_vocoders():
    x = rows(2560)
    made = short_time.vocoder_stft(1024, 256)
    padded = np.pad(x, 384, "reflect")
    close(made(x), short_time.torch_stft(1024, 256, window="hann", center=False)(padded))
    assert made.inverse(made(x)).shape == (2560,)
    close(made.inverse(made(x)), x, 1e-9)
    bands = short_time.mel(80, 1024, 22050, 0, 8000)  # HiFi-GAN's
    given = {"exponent": 1, "power_offset": 1e-9, "bands": bands, "has_log": True, "floor": 1e-5}
    levels = np.log(np.maximum(bands @ np.sqrt(abs(made(x))**2 + 1e-9), 1e-5))
    close(short_time.vocoder_stft(1024, 256, **given)(x), levels)


def test_torchaudio_scales():
    x = rows(4000)
    plain = short_time.torchaudio_mel(n_fft=512, win_length=400)(x)
    close(short_time.torchaudio_mel(n_fft=512, win_length=400, normalized=True)(x),
          plain / (short_time.window("hann", 400)**2).sum())
    close(short_time.torchaudio_mel(n_fft=512, win_length=400, normalized="frame_length")(x),
          plain / 512)


def test_inverse():
    x = rows(3, 500)
    for made in (short_time.torch_stft(32, 8, window="hann"), short_time.torch_stft(33, 10, 31,
                 window="hamming", normalized=True), short_time.torch_stft(32, phase_origin=3)):
        n_frames = made.frames_of(500)
        reached = (n_frames - 1) * made.hop - made.before + made.n_fft
        y = made.inverse(made(x), 500, leaves_zeros=True)
        close(y[:, :min(reached, 500) - 9], x[:, :min(reached, 500) - 9], 1e-7)
        assert made.inverse(made(x)).shape == (3, (n_frames - 1) * made.hop - made.slack)
        far = made.inverse(made(x), 700, leaves_zeros=True)
        assert far.shape == (3, 700) and not far[:, reached:].any()
        z = rows(500, dtype=np.complex128)
        close(made.inverse(made(z), 480), z[:480], 1e-8)
    y = short_time.torch_stft(32, 8, window="hann")
    turned = y(x)
    turned.imag[:, [0, -1]] = 7  # counts in no library
    np.testing.assert_array_equal(y.inverse(turned), y.inverse(y(x)))
    lengths = np.array([500, 77, 320])
    ragged = y.inverse(y(x, lengths), 500, lengths)
    for row, back, length in zip(x, ragged, lengths):
        close(back[:length], row[:length], 1e-7)


@pytest.mark.parametrize("n_fft", (1, 2))
def test_frames_whose_bins_do_not_tell_complex_samples(n_fft):
    made = ShortTime(n_fft, 1)
    for x in rows(2, 30), rows(2, 30, dtype=np.complex128):
        y = made.inverse(made(x), is_complex=x.dtype.kind == "c")
        assert y.dtype == x.dtype
        close(y, x)
        with pytest.raises(ValueError, match="give is_complex"):
            made.inverse(made(x))
    with pytest.raises(ValueError, match="spectra have shape"):
        short_time.torch_stft(8).inverse(np.zeros((5, 3), complex), is_complex=True)


def test_samples_without_weight_are_named():
    made = short_time.torch_stft(32, 8, window="hann", center=False)
    x = rows(96)
    with pytest.raises(ValueError, match="1 samples of a row, from 0 on, have squared weights"):
        made.inverse(made(x))
    y = made.inverse(made(x), leaves_zeros=True)
    assert y[0] == 0
    close(y[1:], x[1:], 1e-6)
    given = dataclasses.replace(made, window=short_time.window("hamming", 32))
    close(given.inverse(given(x)), x)


def test_rows_that_are_empty():
    made = short_time.torch_stft(16, center=False)
    assert made(np.zeros((2, 10))).shape == (2, 9, 0)
    assert made(np.zeros((0, 100))).shape == (0, 9, 22)
    assert made.inverse(np.zeros((9, 0), complex), 5).tolist() == [0] * 5


@pytest.mark.parametrize("call, error, text", (
    (lambda: ShortTime(8.0, 2), TypeError, "n_fft is of type float; give an integer"),
    (lambda: ShortTime(8, -2), ValueError, "hop is -2; give 1 or more"),
    (lambda: ShortTime(8, 2, np.ones(9)), ValueError, "the window has 9 weights and n_fft is 8"),
    (lambda: ShortTime(8, 2, np.ones((2, 2))), ValueError, "the window has shape"),
    (lambda: ShortTime(8, 2, edge="odd"), ValueError, "edge is 'odd'; choose one of zeros"),
    (lambda: ShortTime(8, 2, bands=np.ones((2, 4))), ValueError, "bands has shape"),
    (lambda: ShortTime(8, 2, has_log=True)(np.zeros(20)), ValueError, "features.exponent is 0"),
    (lambda: ShortTime(8, 2)(3.0), ValueError, "x is a number"),
    (lambda: ShortTime(8, 2)(np.zeros(20, "M8[s]")), TypeError, "numbers"),
    (lambda: ShortTime(8, 2)(np.zeros(20), [1]), ValueError, "lengths has shape"),
    (lambda: ShortTime(8, 2)(np.zeros((1, 20)), [21]), ValueError, "lengths are from 21 to 21"),
    (lambda: ShortTime(8, 2)(np.zeros((1, 20)), [-1]), ValueError, "lengths are from -1 to -1"),
    (lambda: ShortTime(8, 2)(np.zeros((1, 20)), [2.0]), TypeError, "lengths is of dtype float64"),
    (lambda: ShortTime(8, 2).inverse(np.zeros((4, 3))), ValueError, "spectra have shape"),
    (lambda: short_time.whisper()(np.zeros(3200, complex)), ValueError, "bands are of real"),
    (lambda: short_time.torch_stft(8, align_to_window=True), ValueError, "align_to_window"),
    (lambda: short_time.torch_stft(8, win_length=4, window=np.ones(5)), ValueError, "win_length"),
    (lambda: short_time.scipy_stft(boundary="even"), ValueError, "give padded=False"),
    (lambda: short_time.mel(0, 8, 8.0), ValueError, "bands is 0"),
    (lambda: short_time.window("flat", 8), ValueError, "choose one of"),
))
def test_refusals(call, error, text):
    with pytest.raises(error, match=text.replace("(", r"\(")):
        call()


@each_library
def test_other_libraries(library):
    x = rows(2, 900, dtype=np.float32)
    for made in (short_time.torch_stft(64, window="hann"), short_time.whisper(),
                 short_time.welch()):
        result = made(library.of_numpy(x))
        close(library.to_numpy(result), made(x), 1e-5)
    made = short_time.torch_stft(64, window="hann")
    close(library.to_numpy(made.inverse(made(library.of_numpy(x)), 900)), x, 1e-5)
    lengths = np.array([900, 333])
    close(library.to_numpy(made(library.of_numpy(x), library.of_numpy(lengths))), made(x, lengths),
          1e-5)
    given = dataclasses.replace(made, window=library.of_numpy(short_time.window("hann", 64)))
    close(library.to_numpy(given(library.of_numpy(x))), made(x), 1e-5)


def test_opencl_arrays():
    array = pytest.importorskip("pyopencl.array", reason="pyopencl is not installed here")
    opencl = pytest.importorskip("pyopencl")
    try:
        queue = opencl.CommandQueue(opencl.create_some_context(interactive=False))
    except opencl.Error as absent:
        pytest.skip(str(absent))

    def fetched(result):  # pyopencl fetches packed arrays alone
        assert result.queue == queue
        if result.ndim == 2:
            return result.get()
        return result.transpose((0, 2, 1)).get().swapaxes(1, 2)

    x = rows(2, 900, dtype=np.float32)
    on_device = array.to_device(queue, x)
    for made in (short_time.torch_stft(64, window="hann"), short_time.whisper(),
                 short_time.welch(), short_time.kaldi_fbank()):
        close(fetched(made(on_device)), made(x), 1e-5)
    narrow = (x * 1000).astype(np.int16)
    close(fetched(made(array.to_device(queue, narrow))), made(narrow), 1e-5)
    made = short_time.torch_stft(64, window="hann")
    close(made.inverse(made(on_device), 900).get(), x, 1e-5)
    close(fetched(made(on_device, [900, 333])), made(x, [900, 333]), 1e-5)
    given = dataclasses.replace(made, window=array.to_device(queue, short_time.window("hann", 64)))
    close(fetched(given(on_device)), made(x), 1e-5)


def test_scipy_windows():
    signal = pytest.importorskip("scipy.signal")
    for name in "hann", "hamming", "blackman", ("tukey", 0.25):
        for n in 1, 2, 7, 16, 255:
            for periodic in True, False:
                text = name if isinstance(name, str) else name[0]
                close(short_time.window(text, n, periodic), signal.get_window(name, n, periodic))


def test_copies():
    x, made = rows(2000), short_time.whisper()
    for each in copy.deepcopy(made), pickle.loads(pickle.dumps((made(x), made)[1])):
        np.testing.assert_array_equal(each(x), made(x))


def test_the_page_runs():
    page = pathlib.Path(__file__).parents[2] / "docs" / "short_time.md"
    blocks = re.findall(r"(?ms)^```python\n(.*?)^```", page.read_text())
    assert len(blocks) > 3
    shared = {}
    for block in blocks:
        names = re.findall(r"\b(torch|jax)\b", block)
        if all(importlib.util.find_spec(name) for name in names):
            exec(block, shared)


def test_it_is_of_the_package():
    assert wingbeat.short_time is short_time


def test_what_has_no_result_is_refused():
    for description in short_time.librosa_stft(), short_time.welch():
        with pytest.raises(ValueError, match="length is 0"):
            description(np.zeros(0, np.float32))
    with pytest.raises(TypeError, match="give real weights"):
        short_time.torch_stft(8, window=1j * np.ones(8))
    z = np.ones(300, np.complex64)
    with pytest.raises(ValueError, match="is_one_sided=False"):
        short_time.csd(z, z, short_time.welch(nperseg=64))


def test_means_beside_a_large_constant():
    for constant in 0.9, 300.1:
        x = np.full(4096, constant, np.float32)
        assert short_time.welch(nperseg=1024)(x).max() == 0
