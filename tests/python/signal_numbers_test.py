# SPDX-License-Identifier: Apache-2.0
"""Convolutions of integers, NaN and masks, and in mode "same" of arrays that are repeated."""

import numpy as np
import pytest

from wingbeat import fft, signal

RNG = np.random.default_rng(21)


@pytest.mark.parametrize("method", ("auto", "fft", "direct"))
@pytest.mark.parametrize("dtype,bits", (("i8", 30), ("u8", 31), ("i4", 20), ("u1", 8), ("i2", 15)))
def test_integers_are_exact_by_every_method(dtype, bits, method):
    first, second = (RNG.integers(0, 2**bits, n).astype(dtype) for n in (1200, 1100))
    if np.dtype(dtype).kind == "i":
        first, second = first - 2**(bits - 1), second - 2**(bits - 1)
    expected = np.convolve(first.astype(object), second.astype(object))
    wrapped = np.array([n % 2**64 for n in expected], np.uint64).astype(first.dtype)
    np.testing.assert_array_equal(signal.convolve(first, second, method=method), wrapped)
    flipped = signal.correlate(first, second[::-1], method=method)
    np.testing.assert_array_equal(flipped, wrapped)


@pytest.mark.parametrize("n_taps", (2, 300, 2**16))
def test_integers_up_to_the_bound_round_to_the_right_ones(n_taps):
    tap = 2**10
    signs = RNG.choice([-1, 1], (2, 2**16))
    first, second = signs[0] * (2**46 // (tap * n_taps) - 1), signs[1, :n_taps] * tap
    result = signal.fftconvolve(first, second)
    assert result.dtype == np.float64
    some = RNG.integers(0, result.size, 50)
    for n in some:
        low, high = max(0, n - 2**16 + 1), min(n, n_taps - 1)
        assert result[n] == int(np.dot(second[low:high + 1], first[n - high:n - low + 1][::-1]))


@pytest.mark.parametrize("name", ("fftconvolve", "oaconvolve"))
@pytest.mark.parametrize("dtype", ("f4", "f8", "c16", "i4", "g", "O"))
def test_mode_same_keeps_what_is_repeated_beside_the_axes(name, dtype):
    one, seven = np.arange(5).reshape(1, 5).astype(dtype), np.arange(21).reshape(7, 3).astype(dtype)
    result = getattr(signal, name)(one, seven, "same", axes=1)
    assert result.shape == (7, 5) and result.flags.c_contiguous
    for row, taps in zip(result, seven):
        wanted = np.convolve(one[0], taps, "same").astype(complex)
        np.testing.assert_allclose(row.astype(complex), wanted, atol=1e-4)
    assert getattr(signal, name)(one, seven, "same").shape == (1, 5)  # along both axes, as SciPy


@pytest.mark.parametrize("mode", ("full", "same", "valid"))
@pytest.mark.parametrize("dtype", ("f4", "f8", "c8", "c16", "g"))
@pytest.mark.parametrize("bad", (np.nan, np.inf, -np.inf))
def test_oaconvolve_keeps_nan_in_the_sums_that_have_it(mode, dtype, bad):
    x, taps = (RNG.standard_normal(shape).astype(dtype) for shape in ((3, 4000), (1, 31)))
    x[1, 1000] = bad
    wanted = np.stack([np.convolve(np.where(np.isfinite(row), row, 0), taps[0], mode) for row in x])
    has_bad = np.convolve(~np.isfinite(x[1]), np.ones(31), mode) > 0
    result = signal.oaconvolve(x, taps, mode, axes=1)
    assert result.dtype == wanted.dtype
    assert np.isnan(result[1, has_bad]).all() and has_bad.sum() == 31
    result[1, has_bad] = wanted[1, has_bad]
    np.testing.assert_allclose(result, wanted, rtol=0, atol=1e-3 if dtype in ("f4", "c8") else 1e-9)
    taps[0, 3] = bad
    assert np.isnan(signal.oaconvolve(x, taps, "valid", axes=1)).all()


@pytest.mark.parametrize("first,second", (((40, 5), (9, 1)), ((6, 40, 5), (6, 9, 5))))
@pytest.mark.parametrize("mode", ("full", "same", "valid"))
def test_results_along_a_first_axis_are_contiguous(first, second, mode):
    x, taps = RNG.standard_normal(first), RNG.standard_normal(second)
    axis = len(first) - 2
    for name in ("fftconvolve", "oaconvolve"):
        result = getattr(signal, name)(x, taps, mode, axes=axis)
        assert result.flags.c_contiguous
        moved = getattr(signal, name)(np.moveaxis(x, axis, -1), np.moveaxis(taps, axis, -1), mode,
                                      axes=-1)
        np.testing.assert_allclose(result, np.moveaxis(moved, -1, axis), rtol=0, atol=1e-12)


def calls_of_masked(x):
    for name in ("fft", "rfft", "hfft", "dct", "fftn", "fftshift"):
        yield lambda name=name: getattr(fft, name)(x)
    yield lambda: fft.fft(x, workers=1)
    yield lambda: fft.fft(x.astype("i4"))
    for name in ("fftconvolve", "oaconvolve", "convolve", "correlate"):
        yield lambda name=name: getattr(signal, name)(x, np.ones(3))
        yield lambda name=name: getattr(signal, name)(np.ones(3), x)
    yield lambda: signal.long_conv(x, np.ones(3))
    yield lambda: signal.StreamFilter(x)
    yield lambda: signal.StreamFilter(np.ones(3)).push(x)


def test_masked_values_are_refused_and_masks_without_any_taken():
    x = np.ma.masked_array([1.0, 2, 3, 4], [0, 1, 0, 0])
    for call in calls_of_masked(x):
        with pytest.raises(TypeError, match="masked values"):
            call()
    for call in calls_of_masked(np.ma.masked_array([1.0, 2, 3, 4])):
        call()
