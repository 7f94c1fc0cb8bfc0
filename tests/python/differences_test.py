# SPDX-License-Identifier: Apache-2.0
"""What docs/differences.md says of wingbeat where other libraries do something else: a test a
row."""

import numpy as np
import pytest

import wingbeat.fft
import wingbeat.match
import wingbeat.numpy
import wingbeat.signal

LENGTHS = (3, 8, 15, 64, 100, 1000, 1009, 4096)
HALVES = ("irfft", "irfft2", "irfftn", "hfft")


def noise(*shape, dtype=np.float64):
    values = np.random.default_rng(7).standard_normal((2, *shape))
    return (values[0] + 1j * values[1] if np.dtype(dtype).kind == "c" else values[0]).astype(dtype)


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("name,dtype", (("fft", "c8"), ("rfft", "f4"), ("irfft", "c8"),
                                        ("dct", "f4")))
def test_nan_stays_in_its_row(name, dtype, n):
    transform = getattr(wingbeat.fft, name)
    x = noise(6, n, dtype=dtype)
    clean = transform(x)
    x[2, 0] = np.nan
    result = transform(x)
    assert np.isnan(result[2]).all()
    np.testing.assert_array_equal(np.delete(result, 2, 0), np.delete(clean, 2, 0))


@pytest.mark.parametrize("dtype", ("f4", "f8"))
@pytest.mark.parametrize("name", ("fft", "ifft", "rfft", "irfft"))
def test_a_row_has_the_same_bits_alone(name, dtype):
    transform = getattr(wingbeat.fft, name)
    for n in (8, 15, 16, 60, 64, 100, 1000, 1024, 4096):
        x = noise(16, n, dtype=dtype).astype(dtype if name == "rfft" else f"c{2 * int(dtype[1])}")
        rows = transform(x)
        for row in (0, 5, 15):
            np.testing.assert_array_equal(rows[row], transform(x[row]), str(n))


@pytest.mark.parametrize("name", HALVES)
def test_half_spectra_are_kept(name):
    x = noise(5, 8, 9, dtype="c8")
    before = x.copy()
    for given in (x, x[0], x[::2]):
        getattr(wingbeat.fft, name)(given)
        getattr(wingbeat.numpy, name)(given)
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("axes", ((0, 0), (0, -2)))
def test_repeated_axes(axes):
    x = noise(3, 4, dtype="c16")
    with pytest.raises(ValueError, match="axes"):
        wingbeat.fft.fftn(x, axes=axes)
    twice = 3 * x[-np.arange(3) % 3]  # numpy's rule: a transform of the transform
    np.testing.assert_allclose(wingbeat.numpy.fftn(x, axes=axes), twice, atol=1e-14)


@pytest.mark.parametrize("name", ("fft", "rfft", "irfft", "dct"))
def test_nothing_to_transform_is_refused(name):
    transform = getattr(wingbeat.fft, name)
    with pytest.raises(ValueError):
        transform(noise(4), n=0)
    with pytest.raises(ValueError):
        transform(noise(0))


def test_subnormal_numbers_are_kept():
    x = np.full(16, 1e-40, np.float32)
    assert wingbeat.fft.rfft(x)[0].real == pytest.approx(1.6e-39, rel=1e-4)


@pytest.mark.parametrize("n", (3, 60, 400, 1009))
def test_halves_have_any_length(n):
    x = noise(n, dtype=np.float16)
    result = wingbeat.fft.rfft(x)
    assert result.dtype == np.complex64
    np.testing.assert_allclose(result, np.fft.rfft(x.astype(float)), atol=1e-5 * n)


def test_coefficients_of_a_large_mean():
    place = (40, 60)
    for mean in (1e3, 1e4, 1e6):
        image = (mean + 0.3 * noise(128, 128)).astype(np.float32)
        template = image[40:56, 60:76]
        for scores in (wingbeat.match.match_template(image, template),
                       wingbeat.match.match_scores(image, template, "ccoeff_normed")):
            assert np.unravel_index(scores.argmax(), scores.shape) == place
            assert np.abs(scores).max() == pytest.approx(1, abs=1e-5)


def test_constant_templates_score_0():
    image = noise(32, 32, dtype=np.float32)
    template = np.full((5, 5), 3, np.float32)
    np.testing.assert_array_equal(wingbeat.match.match_scores(image, template, "ccoeff_normed"), 0)
    np.testing.assert_array_equal(wingbeat.match.match_template(image, template), 0)
