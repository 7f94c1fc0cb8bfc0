# SPDX-License-Identifier: Apache-2.0
"""wingbeat.jax's short-time transforms against jax.scipy.signal, against the descriptions that
numpy's arrays are transformed by, and their gradients against finite differences.

On a machine with a GPU that JAX knows the same tests run there.
"""

import doctest
import itertools
from dataclasses import replace

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="jax is not installed here")

import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import wingbeat.jax as wj  # noqa: E402
from short_time_test import random_description  # noqa: E402
from wingbeat import _jax_short_time, short_time  # noqa: E402


@pytest.fixture(autouse=True)
def double_precision():
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def noise(*shape, is_complex=False, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    return jnp.asarray(x + 1j * rng.standard_normal(shape) if is_complex else x)


def close(a, b, tolerance=1e-12):
    assert a.dtype == b.dtype and a.shape == b.shape
    np.testing.assert_allclose(a, b, rtol=tolerance,
                               atol=tolerance * max(float(abs(b).max()), 1e-3))


@pytest.mark.parametrize("options", (
    {}, {"nperseg": 33, "nfft": 40, "noverlap": 8}, {"boundary": None, "padded": False},
    {"boundary": "even"}, {"boundary": "odd", "padded": False}, {"boundary": "constant"},
    {"window": np.hamming(50), "nperseg": 50, "detrend": "constant"}, {"return_onesided": False},
    {"fs": 7.0, "axis": 0}), ids=str)
def test_stft_and_istft_as_jax(options):
    x = noise(700, 3) if "axis" in options else noise(2, 3, 700)
    f, t, spectra = wj.stft(x, **options)
    for own, theirs in zip((f, t, spectra), jax.scipy.signal.stft(x, **options)):
        close(own, theirs)
    given = {name: value for name, value in options.items()
             if name in ("window", "nperseg", "noverlap", "nfft", "fs")}
    given["input_onesided"] = options.get("return_onesided", True)
    given["boundary"] = options.get("boundary", "zeros") is not None
    if "axis" in options:
        given.update(freq_axis=0, time_axis=-1)
    if options.get("nfft") is None:  # JAX 0.10 then has another length of frames
        expected = jax.scipy.signal.istft(spectra, **given)[1]
        result = wj.istft(spectra, **given)[1]
        where = slice(None) if given["boundary"] else slice(1, -1)  # a sample without weight
        close(result[..., where], expected[..., where], 1e-9)


def weights_of(made):
    return jnp.asarray(made.window)


@pytest.mark.parametrize("seed", range(24))
def test_descriptions(seed):
    made, x = random_description(seed), noise(2, 3, 60)
    close(wj.short_time(x, made), jnp.asarray(made(np.asarray(x))), 1e-11)
    lengths = np.array([[60, 17, 41], [1, 30, 59]])
    if not made.range:
        close(wj.short_time(x, made, lengths), jnp.asarray(made(np.asarray(x), lengths)), 1e-11)
    if made.exponent == 0:
        z = noise(2, 60, is_complex=True)
        close(wj.short_time(z, made), jnp.asarray(made(np.asarray(z))), 1e-11)


@pytest.mark.parametrize("seed", range(1, 10))
def test_gradients(seed):
    made = replace(random_description(seed), range=0.0)
    x, weights = noise(2, 25), weights_of(made)
    assert made.frames_of(25) > 0

    def check(function, *given):
        check_grads(function, given, 2, modes=("rev",), rtol=1e-4, atol=1e-4)
    check(lambda x, w: wj.short_time(x, made, window=w), x, weights)
    check(lambda x: wj.short_time(x, made, np.array([25, 14])), x)
    if made.exponent == 0:
        z = noise(2, 25, is_complex=True)
        check(lambda z, w: wj.short_time(z, made, window=w), z, weights)


@pytest.mark.parametrize("is_complex", (False, True))
def test_gradients_of_the_inverse(is_complex):
    for n, width in (8, 7), (9, 9):
        made = short_time.ShortTime(n, 3, np.hamming(width), before=2, scale=0.5, phase_origin=3)
        spectra = noise(2, n if is_complex else n // 2 + 1, 5, is_complex=True)
        check_grads(lambda s: wj.short_time_inverse(s, made, 17, leaves_zeros=True), (spectra,), 2,
                    modes=("rev",), rtol=1e-4, atol=1e-4)
        check_grads(lambda s, w: wj.short_time_inverse(s, made, 17, w), (spectra, weights_of(made)),
                    2, modes=("rev",), rtol=1e-4, atol=1e-4)


def test_gradients_as_jax():
    x = noise(2, 700)

    def loss(stft):
        return lambda x: (abs(stft(x, nperseg=64)[2])**1.5).sum()
    close(jax.grad(loss(wj.stft))(x), jax.grad(loss(jax.scipy.signal.stft))(x), 1e-9)
    spectra = wj.stft(x, nperseg=64)[2] * 1.5

    def loss_of_inverse(istft):
        return lambda spectra: (istft(spectra, nperseg=64)[1]**4).sum()
    close(jax.grad(loss_of_inverse(wj.istft))(spectra),
          jax.grad(loss_of_inverse(jax.scipy.signal.istft))(spectra), 1e-9)


def test_the_maximum_of_a_row_shares_its_gradient():
    made = short_time.ShortTime(4, 4, exponent=2, has_log=True, range=1.0)
    x = jnp.tile(jnp.asarray([3.0, 0, 0, 0, 1, 0, 0, 0]), 2)  # flat spectra, two of them loudest
    levels = wj.short_time(x, made)
    close(levels.min(), levels.max() - 1)
    gradient = jax.grad(lambda x: wj.short_time(x, made).sum())(x)
    # 12 levels, 6 of them limited, each to the mean of the 6 loudest.
    assert gradient[0] == gradient[8] == pytest.approx(2 * 6 / 3)
    assert gradient[4] == gradient[12] == 0


def test_silence_has_no_gradient():
    for made in (short_time.whisper(), short_time.torchaudio_mel(power=1.0, n_mels=20),
                 short_time.ShortTime(64, 16, exponent=0.3)):
        gradient = jax.grad(lambda x: wj.short_time(x, made).sum())(jnp.zeros(4000))
        assert not gradient.any()


@pytest.mark.parametrize("made", (
    short_time.torch_stft(16, 5, window="hann"),
    short_time.torchaudio_mel(n_fft=16, n_mels=3)), ids=("stft", "mel"))
def test_jit_and_vmap(made):
    x, windows = noise(3, 4, 60), weights_of(made) + abs(noise(3, 16))

    def function(x, window=None):
        return abs(wj.short_time(x, made, window=window))**2
    expected = function(x)
    close(jax.jit(function)(x), expected)
    for axis in 0, 1:
        close(jax.vmap(function, axis, axis)(x), expected)
    close(jax.jit(jax.vmap(jax.vmap(function)))(x), expected)
    rows = jnp.stack([jax.grad(lambda row: function(row).sum())(row) for row in x[0]])
    close(jax.jit(jax.vmap(jax.grad(lambda row: function(row).sum())))(x[0]), rows)
    # Windows, beside which each row is computed apart.
    each = jnp.stack([function(x[i], windows[i]) for i in range(3)])
    close(jax.vmap(function)(x, windows), each)
    close(jax.vmap(function, (None, 0))(x[0], windows)[1], function(x[0], windows[1]))

    def of_window(window, x):
        return jax.grad(lambda window: function(x, window).sum())(window)
    each = jnp.stack([of_window(windows[0], row) for row in x])
    close(jax.jit(jax.vmap(of_window, (None, 0)))(windows[0], x), each)
    lengths = jnp.array([60, 30, 7, 1])
    ragged = jax.vmap(lambda x, n: wj.short_time(x, made, n))(x[0], lengths)
    close(ragged, wj.short_time(x[0], made, lengths))


def test_inverses_of_a_batch():
    made, x = short_time.torch_stft(16, 4, window="hann"), noise(3, 2, 60)
    spectra = wj.short_time(x, made)
    for axis in 0, 1:
        back = jax.jit(jax.vmap(lambda s: wj.short_time_inverse(s, made, 60), axis, axis))(spectra)
        close(back, x, 1e-9)
    gradient = jax.vmap(jax.grad(lambda s: (wj.short_time_inverse(s, made, 60)**3).sum()))
    close(gradient(spectra)[2],
          jax.grad(lambda s: (wj.short_time_inverse(s, made, 60)**3).sum())(spectra[2]))


@pytest.mark.parametrize("dtype, result", (("int16", "complex64"), ("bfloat16", "complex64"),
                                           ("float16", "complex64"), ("int32", "complex128"),
                                           ("complex64", "complex64")))
def test_dtypes(dtype, result):
    made = short_time.torch_stft(64, window="hann")
    x = (noise(2, 500) * 50).astype(dtype)
    spectra = wj.short_time(x, made)
    wide = np.asarray(x.astype("complex128" if dtype == "complex64" else "float64"))
    assert spectra.dtype == result
    assert abs(spectra - made(wide)).max() < 3e-6 * abs(spectra).max()
    if dtype in ("bfloat16", "float16"):
        assert jax.grad(lambda x: abs(wj.short_time(x, made)).sum())(x).dtype == x.dtype


def test_empty():
    made = short_time.torch_stft(16, center=False)
    assert wj.short_time(jnp.zeros((2, 10)), made).shape == (2, 9, 0)
    assert wj.short_time(jnp.zeros((0, 100)), made).shape == (0, 9, 22)
    assert not wj.short_time_inverse(jnp.zeros((9, 0), complex), made, 5).any()
    gradient = jax.grad(lambda x: abs(wj.short_time(x, made)).sum())(jnp.ones((2, 10)))
    assert gradient.shape == (2, 10) and not gradient.any()


def test_equal_descriptions_are_one(monkeypatch):
    stated = []
    monkeypatch.setattr(_jax_short_time._wingbeat, "state_short_time",
                        lambda form, key: stated.append(tuple(key)))
    for _ in range(2):
        _jax_short_time._key_of(short_time.torch_stft(48, 12, window="hann"))
        _jax_short_time._key_of(short_time.torchaudio_mel(n_fft=48, n_mels=3))
        _jax_short_time._key_of(short_time.torchaudio_mel(n_fft=48, n_mels=4))
    assert len(set(stated)) == 3


def test_a_description_that_is_not_stated_is_an_error(monkeypatch):
    made = short_time.torch_stft(46, 11)
    monkeypatch.setattr(_jax_short_time, "_key_of", lambda spec: [1, 2])
    with pytest.raises(Exception, match="this process did not state"):
        wj.short_time(noise(100), made).block_until_ready()


MADE = short_time.torch_stft(16, window="hann")


@pytest.mark.parametrize("error, text, call", (
    (ValueError, "x is a number", lambda x: wj.short_time(1.0, MADE)),
    (TypeError, "description is of type str", lambda x: wj.short_time(x, "whisper")),
    (ValueError, "the window has shape", lambda x: wj.short_time(x, MADE, window=jnp.ones(3))),
    (ValueError, "bands are of real", lambda x: wj.short_time(x + 0j, short_time.whisper())),
    (ValueError, "spectra have shape", lambda x: wj.short_time_inverse(x, MADE)),
    (ValueError, "have squared weights", lambda x: wj.short_time_inverse(
        jnp.ones((9, 4)), short_time.torch_stft(16, window="hann", center=False))),
    (ValueError, "Unknown boundary", lambda x: wj.stft(x, boundary="wrap")),
    (ValueError, "detrend is 'linear'", lambda x: wj.stft(x, nperseg=8, detrend="linear")),
    (ValueError, "noverlap must be less", lambda x: wj.stft(x, nperseg=8, noverlap=8)),
    (ValueError, "at least 2d", lambda x: wj.istft(x)),
))
def test_refusals(error, text, call):
    with pytest.raises(error, match=text):
        call(noise(60))


def test_examples():
    jax.config.update("jax_enable_x64", False)
    result = doctest.testmod(_jax_short_time)
    assert result.attempted and not result.failed
    assert all(">>>" in getattr(wj, name).__doc__ for name in wj.__all__)


def test_lengths_outside_rows():
    x, description = jnp.ones((2, 900)), short_time.torch_stft(64, window="hann")
    for wrong in [900, 901], np.array([-1, 3]), jnp.array([-1, 3]):
        with pytest.raises(ValueError, match="lengths are from .* give 0 to 900"):
            wj.short_time(x, description, wrong)
    clamped = jax.jit(lambda n: wj.short_time(x, description, n))(jnp.array([-1, 901]))
    close(clamped, wj.short_time(x, description, [0, 900]))
    with pytest.raises(ValueError, match="lengths has shape"):
        wj.short_time(x, description, 3)
    with pytest.raises(TypeError, match="lengths is of dtype float64; give integers"):
        wj.short_time(x, description, [3.0, 2.0])


def test_nan_is_not_the_largest_level():
    x = np.random.default_rng(0).standard_normal((2, 4000))
    x[0, 2000] = np.nan
    expected = short_time.whisper()(x)
    assert np.isnan(expected).any((0, 1)).sum() < 5
    np.testing.assert_allclose(wj.short_time(x, short_time.whisper()), expected, atol=1e-9)


@pytest.mark.parametrize("n_fft", (1, 2))
def test_frames_whose_bins_do_not_tell_complex_samples(n_fft):
    made = short_time.ShortTime(n_fft, 1)
    x = np.random.default_rng(0).standard_normal((2, 30, 2)).view(np.complex128)[..., 0]
    spectra = wj.short_time(x, made)
    window = jnp.ones(n_fft)
    for given in {}, {"window": window}:
        close(wj.short_time_inverse(spectra, made, is_complex=True, **given), jnp.asarray(x))
    check_grads(lambda *given: wj.short_time_inverse(
        given[0], made, window=given[1], is_complex=True), (spectra, window), 1, ("rev",))
    with pytest.raises(ValueError, match="give is_complex"):
        wj.short_time_inverse(spectra, made)
    x = np.arange(20) * (1 + 1j)
    close(wj.istft(wj.stft(x, nperseg=2)[2], nperseg=2, input_onesided=False)[1][:20],
          jnp.asarray(x))
