# SPDX-License-Identifier: Apache-2.0
"""wingbeat.image beside scipy.ndimage.convolve, colour by colour."""

import numpy as np
import pytest
import scipy.ndimage

import wingbeat
from other_libraries import assert_same, each_library
from wingbeat import _sums, image

RNG = np.random.default_rng(36)


def expected_of(picture, kernel, border, cval=0):
    """Returns what SciPy has for each colour, in double precision; alpha as it is."""
    result = picture.astype(np.float64)
    planes = result.reshape(result.shape[:2] + (-1,))
    taps = kernel.reshape(kernel.shape[:2] + (-1,)).astype(np.float64)
    n_channels = planes.shape[2]
    for c in range(n_channels - (n_channels in (2, 4))):
        planes[..., c] = scipy.ndimage.convolve(planes[..., c].copy(), taps[..., c % taps.shape[2]],
                                                mode=border, cval=cval)
    return result


@pytest.mark.parametrize("border", image.BORDERS)
@pytest.mark.parametrize("dtype, tolerance", [("float64", 1e-12), ("float32", 1e-5),
                                              ("float16", 3e-3), ("uint8", 1e-5)])
def test_borders_are_those_of_scipy(border, dtype, tolerance):
    for depth in [(), (1,), (2,), (3,), (4,)]:
        shape = tuple(RNG.integers(1, 20, 2)) + depth
        picture = (100 * RNG.random(shape)).astype(dtype)
        colours = [(), (3,)][RNG.integers(2)] if depth in [(3,), (4,)] else ()
        kernel = RNG.random(tuple(RNG.integers(1, 12, 2)) + colours) - 0.3
        for cval in (0, 9):
            result = image.convolve(picture, kernel, border, cval)
            expected = expected_of(picture, kernel, border, cval)
            assert result.dtype == ("float32" if dtype == "uint8" else dtype)
            assert result.shape == shape
            largest = np.abs(expected).max() + 100 * np.abs(kernel).sum()
            np.testing.assert_allclose(result, expected, rtol=0, atol=tolerance * largest)


@pytest.mark.parametrize("cval", [1e8, -1e30, np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("dtype, tolerance", [("float64", 1e-12), ("float32", 3e-5)])
def test_a_constant_border_concerns_its_own_pixels(cval, dtype, tolerance):
    for shape, taps in [((20, 23), (3, 4)), ((5, 6), (4, 13)), ((1, 9), (6, 1)),
                        ((12, 7, 4), (5, 2, 3)), ((6, 5, 2), (9, 9))]:
        picture = RNG.random(shape).astype(dtype)
        kernel = RNG.random(taps) - 0.3
        kernel[0] = 0
        result = image.convolve(picture, kernel, "constant", cval)
        expected = expected_of(picture, kernel, "constant", cval)
        touched = np.abs(expected_of(np.zeros(shape), np.ones(taps[:2]), "constant", 1)) > 0
        largest = np.where(touched, np.abs(cval), 1) * np.abs(kernel).sum()
        largest = np.where(np.isfinite(largest), largest, 1)
        same = np.isclose(result, expected, rtol=0, atol=tolerance * largest, equal_nan=True)
        assert same.all() and result.dtype == dtype


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_normalisations_keep_areas(dtype):
    even = np.full((30, 40, 3), 5, dtype)
    kernel = RNG.random((9, 9, 3))
    np.testing.assert_allclose(image.convolve(even, kernel, normalise="sum"), 5, rtol=1e-5)
    tinted = image.convolve(even, kernel, normalise="luminance")
    luminance = tinted @ [0.212639, 0.715169, 0.072192]
    np.testing.assert_allclose(luminance, 5, rtol=1e-5)
    ratios = kernel.sum((0, 1)) / kernel.sum((0, 1))[0]
    np.testing.assert_allclose(tinted[0, 0] / tinted[0, 0, 0], ratios, rtol=1e-4)


def test_blooms_keep_light_and_alpha():
    scene = RNG.random((64, 80, 4)).astype(np.float32)
    scene[30:32, 40:43, :3] = 50
    scene[..., 3] *= 3
    kernel = np.exp(-np.hypot(*np.mgrid[-15:16, -15:16]) / 4)
    result = image.bloom(scene, kernel)
    np.testing.assert_allclose(result[..., 3], scene[..., 3], rtol=1e-6)
    assert result[..., :3].sum() == pytest.approx(scene[..., :3].sum(), rel=1e-4)
    assert result[31, 41, 0] < 50 and result[31, 50, 0] > scene[31, 50, 0]
    bright = np.maximum(scene - 1, 0) / 2
    bright[..., 3] = 0
    expected = scene - bright + image.convolve(bright, kernel, normalise="sum")
    np.testing.assert_allclose(image.bloom(scene, kernel, strength=0.5), expected, atol=1e-4)


@each_library
@pytest.mark.parametrize("border", image.BORDERS)
def test_images_of_other_libraries_stay_on_their_device(library, border):
    for dtype, tolerance in (("float32", 1e-5), ("float64", 1e-12), ("float16", 3e-3),
                             ("uint8", 1e-5)):
        for depth, colours in (((), ()), ((1,), ()), ((4,), (3,)), ((3,), ())):
            picture = (100 * RNG.random((17, 20, *depth))).astype(dtype)
            kernel = RNG.random((6, 9, *colours))
            for normalise, cval in ((None, 9), ("sum", 0), ("luminance", 2)):
                assert_same(image.convolve, library, [picture, kernel], tolerance, border=border,
                            normalise=normalise, cval=cval)


@each_library
@pytest.mark.parametrize("cval", [1e8, np.inf, np.nan])
def test_constant_borders_of_other_libraries_are_those_of_numpy(library, cval):
    for dtype, depth in (("float32", ()), ("float64", (4,))):
        arrays = [RNG.random((17, 20, *depth)).astype(dtype), RNG.random((6, 9))]
        expected = image.convolve(*arrays, "constant", cval)
        result = image.convolve(*map(library.of_numpy, arrays), "constant", cval)
        np.testing.assert_allclose(library.to_numpy(result), expected, rtol=1e-5, atol=1e-4)


@each_library
def test_images_of_other_libraries_bloom(library):
    arrays = [3 * RNG.random((20, 30, 4)).astype(np.float32), RNG.random((5, 6))]
    assert_same(image.bloom, library, arrays, 1e-5, threshold=1.5, strength=0.5)
    assert_same(image.bloom, library, arrays, 5e-3, threshold=1.5, strength=0.5, between="float16")
    with pytest.raises(ValueError, match="leave device out"):
        image.convolve(*map(library.of_numpy, arrays), device="host")


@pytest.mark.parametrize("between, digits", [("float16", 11), ("bfloat16", 8)])
@pytest.mark.parametrize("scale", [1e-3, 1, 1e5])
def test_spectra_may_be_stored_in_half_the_bytes(between, digits, scale):
    picture = (scale * RNG.random((40, 50, 3))).astype("float32")
    kernel = RNG.random((7, 9)).astype("float32") / 30
    wide = image.convolve(picture, kernel)
    narrow = image.convolve(picture, kernel, between=between)
    error = np.sqrt(np.mean((narrow - wide)**2) / np.mean(wide**2))
    assert 0 < error < 5 * 2**-digits and narrow.dtype == np.float32
    np.testing.assert_array_equal(image.convolve(picture, kernel, between="float32"), wide)
    bright = image.bloom(picture, kernel, 0.5 * scale, between=between)
    expected = image.bloom(picture, kernel, 0.5 * scale)
    assert 0 < np.abs(bright - expected).max() < 2**-digits * 20 * scale


def test_no_plan_is_made_for_each_peak():
    assert {_sums.peak_of(x * np.ones(3), "image") for x in np.linspace(1.01, 4, 9)} == {4.0}
    assert _sums.peak_of(np.zeros(3), "image") == 1


def test_the_host_may_be_named_for_what_is_for_the_host():
    picture, kernel = RNG.random((9, 8)), RNG.random((3, 3))
    for border in "mirror", "reflect":
        np.testing.assert_array_equal(image.convolve(picture, kernel, border, device="host"),
                                      image.convolve(picture, kernel, border))


def test_images_are_convolved_on_other_devices():
    if wingbeat.why_absent(wingbeat.Engine.opencl):
        pytest.skip("no OpenCL device here")
    picture, kernel = RNG.random((20, 24, 3)).astype(np.float32), RNG.random((5, 4))
    np.testing.assert_allclose(image.convolve(picture, kernel, "wrap", device="opencl"),
                               expected_of(picture, kernel, "wrap"), atol=1e-4)
    np.testing.assert_allclose(image.convolve(picture, kernel, "mirror", device="opencl"),
                               expected_of(picture, kernel, "mirror"), atol=1e-4)


def refusals():
    picture, kernel = np.ones((4, 4), np.float32), np.ones((3, 3))
    yield "choose one of", lambda: image.convolve(picture, kernel, "edge")
    yield "choose one of", lambda: image.convolve(picture, kernel, ["wrap"])
    yield "normalise is", lambda: image.convolve(picture, kernel, normalise="max")
    yield "the image has shape", lambda: image.convolve(np.ones(4), kernel)
    yield "the image has shape", lambda: image.convolve(np.ones((4, 4, 5)), kernel)
    yield "the kernel has shape", lambda: image.convolve(picture, np.ones((3, 3, 2)))
    yield "three channels", lambda: image.convolve(picture, np.ones((3, 3, 3)))
    yield "divided", lambda: image.convolve(picture, kernel - 1, normalise="sum")
    yield "leave device out", lambda: image.convolve(kernel, kernel, device="reference")
    yield "leave between out", lambda: image.convolve(kernel, kernel, between="float16")
    yield "between is 'float64'", lambda: image.convolve(picture, kernel, between="float64")
    yield "holds NaN", lambda: image.convolve(np.float32([[np.nan]]), kernel, between="float16")


@pytest.mark.parametrize("text, call", list(refusals()))
def test_refusals_are_one_sentence(text, call):
    with pytest.raises(ValueError, match=text) as raised:
        call()
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("text, call", [
    ("cval is of type complex", lambda x: image.convolve(x, x, "constant", 1j)),
    ("real numbers", lambda x: image.convolve(x * 1j, x)),
    ("give real", lambda x: image.convolve(x, x * 1j)),
    ("cval is of type str", lambda x: image.convolve(x, x, "constant", "a")),
    ("threshold is of type str", lambda x: image.bloom(x, x, "a")),
    ("strength is of type NoneType", lambda x: image.bloom(x, x, 1, None))])
def test_refusals_of_types_are_one_sentence(text, call):
    with pytest.raises(TypeError, match=text):
        call(np.ones((3, 3)))
