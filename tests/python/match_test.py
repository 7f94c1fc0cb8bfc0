# SPDX-License-Identifier: Apache-2.0
"""wingbeat.match beside scikit-image, OpenCV and sums over every window."""

import math

import numpy as np
import pytest

import wingbeat
from wingbeat import match
from other_libraries import OnlyDlpack

RNG = np.random.default_rng(35)
PADS = ("constant", "edge", "reflect", "symmetric", "wrap", "linear_ramp", "maximum")


def noise(shape, dtype="float64", mean=0):
    return (mean + 100 * RNG.random(shape)).astype(dtype)


def random_sizes(rank, least=2):
    """Returns shapes of an image and of a template that is not larger."""
    image = RNG.integers(4, 20, rank)
    return tuple(image), tuple(int(RNG.integers(least, n + 1)) for n in image)


def coefficients(image, template):
    """Returns correlation coefficients, summed window by window."""
    windows = np.lib.stride_tricks.sliding_window_view(image.astype(np.float64), template.shape)
    axes = tuple(range(image.ndim, 2 * image.ndim))
    windows = windows - windows.mean(axes, keepdims=True)
    taps = template - template.mean(dtype=np.float64)
    power = (windows**2).sum(axes) * (taps**2).sum()
    return (windows * taps).sum(axes) / np.sqrt(power)


@pytest.mark.parametrize("rank", [2, 3])
@pytest.mark.parametrize("dtype, tolerance", [("float64", 1e-8), ("uint8", 1e-8),
                                              ("float32", 1e-4), ("float16", 1e-4)])
def test_coefficients_are_their_sums(rank, dtype, tolerance):
    for _ in range(10):
        shape, size = random_sizes(rank)
        image, template = noise(shape, dtype, 50), noise(size, dtype)
        result = match.match_template(image, template)
        assert result.dtype == ("float32" if dtype in ("float16", "float32") else "float64")
        np.testing.assert_allclose(result, coefficients(image, template), atol=tolerance)


@pytest.mark.parametrize("mode", PADS)
@pytest.mark.parametrize("pad_input", [False, True])
def test_templates_are_matched_as_by_skimage(mode, pad_input):
    feature = pytest.importorskip("skimage.feature")
    for _ in range(10):
        shape, size = random_sizes(RNG.integers(2, 4))
        image, template = noise(shape), noise(size)
        options = {"constant_values": 7} if mode == "constant" else {}
        options |= {"pad_input": pad_input, "mode": mode}
        np.testing.assert_allclose(match.match_template(image, template, **options),
                                   feature.match_template(image, template, **options), atol=1e-7)


def test_parts_that_do_not_vary_score_0():
    image = np.full((12, 12), 1000.0)
    image[8:, 8:] += RNG.random((4, 4))
    scores = match.match_template(image, noise((3, 3)))
    assert (scores[:6, :6] == 0).all() and (scores[8:, 8:] != 0).all()
    assert (match.match_template(noise((5, 5)), np.ones((2, 2))) == 0).all()
    assert (match.match_scores(image, noise((3, 3)))[:6, :6] == 0).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("value", [0.1, 0.3, 1 / 3, 123.456, 100000.1, 1e200])
def test_constant_templates_and_parts_score_0(dtype, value):
    value = value if dtype == "float64" else value % 1e30
    image, constant = RNG.standard_normal((40, 50)).astype(dtype), np.full((5, 7), value, dtype)
    assert (match.match_template(image, constant) == 0).all()
    assert (match.match_scores(image, constant) == 0).all()
    even, template = np.full((40, 50), value, dtype), noise((5, 5), dtype)
    even[0, 0] *= 4
    assert (match.match_template(even, template)[1:, 1:] == 0).all()
    assert (match.match_scores(even, template)[1:, 1:] == 0).all()


@pytest.mark.parametrize("dtype, tolerance", [("float64", 1e-10), ("float32", 1e-6)])
@pytest.mark.parametrize("scale, offset", [(1, 1e4), (1, 1e7), (1e-20, 0), (1e20, 0), (1e-160, 0),
                                           (1e200, 0)])
def test_scores_keep_their_digits_with_any_mean_and_scale(scale, offset, dtype, tolerance):
    scale = scale if dtype == "float64" else np.clip(scale, 1e-30, 1e30)
    image, template = RNG.standard_normal((2, 40, 50))
    image, template = ((scale * each + offset).astype(dtype) for each in (image, template[:6, :5]))
    unit = [(each.astype(np.float64) - offset) / scale for each in (image, template)]
    expected = coefficients(*unit)
    np.testing.assert_allclose(match.match_template(image, template), expected, atol=tolerance)
    np.testing.assert_allclose(match.match_scores(image, template), expected, atol=tolerance)
    np.testing.assert_allclose(match.Search(image, (6, 5)).add(template).best if scale == 1
                               else expected, expected, atol=1e-6)


def test_squares_of_differences_do_not_cancel():
    image = RNG.standard_normal((40, 50)) + 1e6
    template = image[5:9, 6:11] + 1e-3
    windows = np.lib.stride_tricks.sliding_window_view(image, template.shape)
    expected = ((windows - template)**2).sum((2, 3))
    np.testing.assert_allclose(match.match_scores(image, template, "sqdiff"), expected, atol=1e-11)
    np.testing.assert_allclose(match.match_scores(image, template, "sqdiff_normed"),
                               expected / np.sqrt((windows**2).sum((2, 3)) * (template**2).sum()),
                               rtol=1e-6, atol=1e-24)


def test_a_spike_concerns_its_own_windows():
    image, template = RNG.standard_normal((40, 50)), RNG.standard_normal((6, 5))
    expected = coefficients(image, template)
    image[0, 0] = 1e7
    far = slice(1, None), slice(1, None)
    np.testing.assert_allclose(match.match_template(image, template)[far], expected[far], atol=1e-7)
    np.testing.assert_allclose(match.match_scores(image, template)[far], expected[far], atol=1e-7)


def test_what_fp32_would_not_resolve_is_computed_in_fp64():
    image, template = RNG.standard_normal((2, 150, 140)).astype("float32")
    template = template[:6, :5]
    expected = coefficients(image, template)
    image[0, 0] = 1e7
    far = slice(1, None), slice(1, None)
    np.testing.assert_allclose(match.match_scores(image, template)[far], expected[far], atol=2e-5)
    image = RNG.standard_normal((150, 140)).astype("float32") + 1000
    template = image[70:110, 30:90].copy()
    template[0, 0] += 0.25
    assert match.match_scores(image, template, "sqdiff")[70, 30] == pytest.approx(0.0625, rel=1e-3)
    assert (match.match_scores(image, image[70:110, 30:90], "sqdiff") == 0).sum() == 1


@pytest.mark.parametrize("method", match.SCORES)
@pytest.mark.parametrize("dtype, scale", [("float32", 1e-39), ("float32", 2e-40),
                                          ("float32", 1e-42), ("float64", 1e-310)])
@pytest.mark.parametrize("size", [(6, 5), (40, 50)])
def test_values_below_the_normal_numbers_have_scores(method, dtype, scale, size):
    image = (scale * RNG.standard_normal((150, 100))).astype(dtype)
    part = image[20:20 + size[0], 30:30 + size[1]]
    factor = 2.0**(130 if dtype == "float32" else 1020)
    whole, template = (each * np.float64(factor) for each in (image, part))
    if method.endswith("_normed"):
        expected = match.match_scores(whole, template, method)
        np.testing.assert_allclose(match.match_scores(image, part, method), expected, atol=1e-4)
        return
    assert np.all(match.match_scores(image, part, method) == 0)  # of products below all numbers
    if method != "sqdiff":
        expected = match.match_scores(whole, template, method) / factor
        np.testing.assert_allclose(
            match.match_scores(image, template.astype(dtype), method), expected, rtol=0,
            atol=1e-4 * np.abs(expected).max() + np.finfo(dtype).smallest_subnormal)


@pytest.mark.parametrize("constant", [1e12, np.inf, np.nan])
def test_a_constant_border_concerns_its_own_scores(constant):
    for shape, size in [((20, 21), (5, 4)), ((9, 8, 7), (3, 4, 2))]:
        image, template = RNG.standard_normal(shape), RNG.standard_normal(size)
        scores = match.match_template(image, template, True, constant_values=constant)
        around = [(n // 2, n - 1 - n // 2) for n in size]
        inside = tuple(slice(before, h - after) for h, (before, after) in zip(shape, around))
        np.testing.assert_allclose(scores[inside], coefficients(image, template), atol=1e-10)
        if constant == 1e12:
            expected = coefficients(np.pad(image, around, constant_values=constant), template)
            np.testing.assert_allclose(scores, expected, atol=1e-4)
        else:
            assert np.isnan(scores).sum() == scores.size - scores[inside].size


def test_values_that_are_no_numbers_are_not_passed_over():
    image, templates = RNG.standard_normal((20, 20)), RNG.standard_normal((3, 4, 4))
    spoiled = image.copy()
    spoiled[3, 4] = np.nan
    for call in (match.match_template, match.match_scores):
        assert np.isnan(call(spoiled, templates[0])).all()
        assert np.isnan(call(image, np.where(templates[0] > 0, np.inf, 0))).all()
    for given in (spoiled, np.where(image > 2, np.inf, image)):
        with pytest.raises(ValueError, match="the image holds NaN or infinity"):
            match.Search(given, (4, 4))
    for at_once in (1, 3):
        search = match.Search(image, (4, 4), at_once=at_once)
        assert (search.best == -np.inf).all()
        assert np.isnan(search.add(np.full((at_once, 4, 4), np.nan)).best).all()
        search.restart().add(templates).add(np.full((4, 4), np.nan))
        assert (search.best == match.Search(image, (4, 4)).add(templates).best).all()


def test_arrays_known_by_dlpack_are_searched():
    image, templates = noise((32, 40), "float32"), noise((3, 8, 8), "float32")
    expected = match.Search(image, (8, 8)).add(templates).best
    search = match.Search(OnlyDlpack(image), (8, 8)).add(OnlyDlpack(templates))
    assert (search.best == expected).all()


def test_arrays_of_jax_are_searched():
    jax = pytest.importorskip("jax")
    image, templates = noise((32, 40), "float32"), noise((3, 8, 8), "float32")
    expected = match.Search(image, (8, 8)).add(templates).best
    host = jax.devices("cpu")[0]
    given = jax.device_put(image, host)
    search = match.Search(given, (8, 8)).add(jax.device_put(templates, host))
    assert (search.best == expected).all()
    narrow = given.astype("bfloat16")
    assert match.Search(narrow, (8, 8)).add(templates).best.shape == expected.shape
    if jax.default_backend() != "cpu":
        with pytest.raises(TypeError, match="on a GPU"):
            match.Search(jax.device_put(image), (8, 8))


@pytest.mark.parametrize("channels", [None, 1, 3])
@pytest.mark.parametrize("method", match.SCORES)
def test_scores_are_those_of_opencv(method, channels):
    cv2 = pytest.importorskip("cv2")
    code = getattr(cv2, "TM_" + method.upper())
    for _ in range(10):
        shape, size = random_sizes(2, least=3)
        depth = () if channels is None else (channels,)
        for dtype in ("float32", "uint8"):
            image, template = noise(shape + depth, dtype), noise(size + depth, dtype)
            result = match.match_scores(image, template, "TM_" + method.upper())
            expected = cv2.matchTemplate(image, template, code)
            assert result.dtype == expected.dtype
            np.testing.assert_allclose(result, expected, rtol=2e-4,
                                       atol=2e-4 * max(1, np.abs(expected).max()))


@pytest.mark.parametrize("method, score", [("sqdiff_normed", 1), ("ccorr_normed", 0),
                                           ("ccoeff_normed", 0)])
def test_parts_of_zeros_score_as_those_that_do_not_vary(method, score):
    image = np.zeros((9, 9), np.float32)
    image[6:, 6:] = noise((3, 3), "float32", 1)
    assert (match.match_scores(image, noise((3, 3), "float32"), method)[:3, :3] == score).all()


@pytest.mark.parametrize("normalised", [True, False])
@pytest.mark.parametrize("dtype, tolerance", [("float32", 1e-4), ("float64", 1e-6)])
def test_a_search_reduces_the_maps_of_all_templates(normalised, dtype, tolerance):
    image = RNG.standard_normal((41, 50)).astype(dtype)
    templates = RNG.standard_normal((11, 6, 9)).astype(dtype)
    templates[3] = image[20:26, 31:40]
    maps = np.array([match.match_template(image, each) if normalised
                     else match.match_scores(image, each, "ccorr") for each in templates])
    threshold = maps.max() / 4
    search = match.Search(image, (6, 9), normalised=normalised, moments=True, threshold=threshold,
                          at_once=4)
    search.add(templates[:5]).add(templates[5]).add(templates[6:])
    scale = tolerance * max(1, np.abs(maps).max())
    assert search.n_templates == 11 and search.shape == maps.shape[1:]
    np.testing.assert_allclose(search.best, maps.max(0), atol=scale)
    chosen = np.take_along_axis(maps, search.index[None], 0)[0]
    np.testing.assert_allclose(chosen, maps.max(0), atol=scale)
    np.testing.assert_allclose(search.mean, maps.mean(0), atol=scale)
    np.testing.assert_allclose(search.variance, maps.var(0),
                               atol=scale * max(1, np.abs(maps).max()))
    is_clear = (np.abs(maps - threshold) > scale).all(0)
    assert (search.counts == (maps > threshold).sum(0))[is_clear].all()
    found = search.peaks(1)[0]
    assert (found.number, found.y, found.x) == (3, 20, 31)
    again = search.restart().add(templates[3])
    assert again.n_templates == 1 and again.peaks(1)[0].number == 0


def test_a_search_takes_half_spectra_and_other_images():
    image, other = RNG.standard_normal((2, 32, 32))
    templates = RNG.standard_normal((3, 8, 8))
    search = match.Search(image, (8, 8), spectra=True).add(np.fft.rfft2(templates))
    values = match.Search(image, (8, 8)).add(templates)
    np.testing.assert_allclose(search.best, values.best, atol=1e-6)
    search.image(other).add(np.fft.rfft2(templates))
    expected = max(match.match_template(other, each).max() for each in templates)
    assert search.best.max() == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("between, digits", [("float16", 8), ("bfloat16", 5)])
def test_a_search_stores_narrow_numbers_between_passes(between, digits):
    image, templates = noise((70, 90), "float32", 100), noise((5, 8, 9), "float32")
    templates[3] = image[20:28, 30:39]
    for options in {}, {"normalised": False}:
        wide = match.Search(image, (8, 9), at_once=2, **options).add(templates)
        if options and between == "float16":
            options = {**options, "template_peak": np.abs(templates).max()}
        narrow = match.Search(image, (8, 9), at_once=2, between=between, **options).add(templates)
        error = np.abs(narrow.best - wide.best).max() / np.abs(wide.best).max()
        assert 0 < error < 4 * 2**-digits
        if not options:
            found = narrow.peaks(1)[0]
            assert (found.number, found.y, found.x) == (3, 20, 30)
    if between == "float16":
        narrow.image(image / 2)
        with pytest.raises(ValueError, match="make another search"):
            narrow.image(100 * image)


def test_a_search_runs_on_other_devices():
    if wingbeat.why_absent(wingbeat.Engine.opencl):
        pytest.skip("no OpenCL device here")
    image, templates = noise((32, 40), "float32"), noise((3, 8, 8), "float32")
    search = match.Search(image, (8, 8), device="opencl").add(templates)
    np.testing.assert_allclose(search.best, match.Search(image, (8, 8)).add(templates).best,
                               atol=1e-4)


def arrays_on_devices(*arrays):
    """Yields the arrays as tensors of each device, CuPy's and PyOpenCL's, where these are here."""
    try:
        import torch
        devices = ["cpu"] + ["cuda"] * torch.cuda.is_available()
        yield from ([torch.from_numpy(x).to(device) for x in arrays] for device in devices)
    except ImportError:
        pass
    try:
        import cupy
        if cupy.cuda.runtime.getDeviceCount() > 0:
            yield [cupy.asarray(x) for x in arrays]
    except Exception:  # CuPy without a driver raises errors of its own
        pass
    try:
        import pyopencl
        import pyopencl.array
        queue = pyopencl.CommandQueue(pyopencl.create_some_context(interactive=False))
        yield [pyopencl.array.to_device(queue, x) for x in arrays]
    except ImportError:
        pass


def test_images_on_devices_are_searched_there():
    image, templates = noise((40, 45), "float32"), noise((5, 7, 6), "float32")
    expected = match.Search(image, (7, 6), moments=True).add(templates)
    kinds = list(arrays_on_devices(image, templates))
    if not kinds:
        pytest.skip("neither torch nor pyopencl here")
    for own_image, own_templates in kinds:
        search = match.Search(own_image, (7, 6), moments=True)
        search.add(own_templates[:2]).add(templates[2]).add(own_templates[3:])
        assert search.n_templates == 5
        np.testing.assert_allclose(search.best, expected.best, atol=1e-4)
        np.testing.assert_allclose(search.mean, expected.mean, atol=1e-4)
        narrow = match.Search(own_image, (7, 6), between="float16").add(own_templates)
        assert 0 < np.abs(narrow.best - expected.best).max() < 2**-6
        with pytest.raises(TypeError, match="convert it"):
            search.add(own_templates.astype("float64") if hasattr(own_templates, "astype")
                       else own_templates.double())


@pytest.mark.parametrize("normalised", [True, False])
def test_images_on_devices_keep_their_digits_and_pass_over_no_nan(normalised):
    image, templates = noise((40, 45), "float32", 1e4), noise((2, 7, 6), "float32")
    spoiled = image.copy()
    spoiled[3, 4] = np.nan
    expected = np.max([match.match_scores(image, each, "ccoeff_normed" if normalised else "ccorr")
                       for each in templates.astype(np.float64)], 0)
    kinds = list(arrays_on_devices(image, templates, spoiled))
    if not kinds:
        pytest.skip("neither torch nor pyopencl here")
    for own_image, own_templates, own_spoiled in kinds:
        search = match.Search(own_image, (7, 6), normalised=normalised).add(own_templates)
        np.testing.assert_allclose(search.best, expected, rtol=1e-4, atol=1e-6)
        try:
            search.image(own_spoiled)
        except ValueError as refused:
            assert normalised and "NaN or infinity" in str(refused)
            assert search.n_templates == 0
        else:
            assert not normalised and np.isnan(search.add(own_templates).best).all()


def slices(volume, rotation, filters):
    """Returns a projection's values by the volume's whole transform, at rotated bins that exist."""
    d = len(volume)
    bins = np.fft.fftn(volume)
    k = np.fft.fftfreq(d, 1 / d).astype(int)
    y, x = np.meshgrid(k, np.arange(d // 2 + 1), indexing="ij")
    rx, ry, rz = np.einsum("ij,jyx->iyx", rotation, np.stack([x, y, 0 * x]))
    plane = -bins[rz % d, ry % d, rx % d]
    plane[0, 0] = 0
    return np.fft.fftshift(np.fft.irfft2(plane * filters))


def test_slices_of_a_volume_are_correlated():
    d, shape = 12, (20, 24)
    smooth = np.fft.rfftn(RNG.standard_normal((d, d, d)))
    smooth[d // 2], smooth[:, d // 2], smooth[..., d // 2] = 0, 0, 0
    volume, image = np.fft.irfftn(smooth), RNG.standard_normal(shape)
    filters = RNG.random((2, d, d // 2 + 1))
    turns = [np.eye(3), [[0, -1, 0], [1, 0, 0], [0, 0, 1]], [[0, 0, 1], [0, 1, 0], [-1, 0, 0]],
             [[-1, 0, 0], [0, 1, 0], [0, 0, -1]]]
    turns = np.array(turns, int)
    scores = match.match_template_dft_2d(np.fft.rfft2(image), np.fft.fftshift(smooth, (0, 1)),
                                         turns, filters)
    assert scores.shape == (2, 4) + shape and scores.dtype == np.float64
    for i, j in np.ndindex(2, 4):
        values = slices(volume, turns[j], filters[i])
        edge = np.concatenate([values[0], values[-1], values[1:-1, 0], values[1:-1, -1]])
        among_zeros = np.zeros(shape)
        among_zeros[:d, :d] = values - edge.mean()
        among_zeros = (among_zeros - among_zeros.mean()) / among_zeros.std()
        for y, x in [(0, 0), (5, 17), (19, 23)]:
            expected = (np.roll(image, (-y, -x), (0, 1)) * among_zeros).sum()
            assert scores[i, j, y, x] == pytest.approx(expected, abs=1e-5)


def test_no_slices_give_no_scores():
    scores = match.match_template_dft_2d(np.ones((4, 3)), np.ones((4, 4, 3)), np.ones((0, 3, 3)),
                                         np.ones((4, 3)))
    assert scores.shape == (0, 4, 4)


def test_slices_of_tensors_are_correlated():
    torch = pytest.importorskip("torch")
    bins = torch.fft.fftshift(torch.fft.rfftn(torch.randn(8, 8, 8)), (0, 1))
    image, filters = torch.fft.rfft2(torch.randn(16, 16)), torch.ones(3, 8, 5)
    scores = match.match_template_dft_2d(image, bins, torch.eye(3)[None], filters)
    assert isinstance(scores, torch.Tensor) and scores.shape == (3, 1, 16, 16)
    expected = match.match_template_dft_2d(image.numpy(), bins.numpy(), np.eye(3)[None],
                                           filters.numpy())
    assert (scores.numpy() == expected).all()


def refusals():
    image = np.ones((6, 6))
    yield ValueError, "larger than template", lambda: match.match_template(image, np.ones((7, 2)))
    yield ValueError, "as many of both", lambda: match.match_template(image, np.ones(3))
    yield TypeError, "real numbers", lambda: match.match_template(image * 1j, image)
    yield ValueError, "choose one of", lambda: match.match_scores(image, image, "best")
    yield ValueError, "channels", lambda: match.match_scores(np.ones((6, 6, 3)), np.ones((2, 2, 1)))
    yield ValueError, "templates", lambda: match.Search(image, (7, 7))
    yield ValueError, "give two", lambda: match.Search(np.ones(5), (1, 1))
    yield ValueError, "shape", lambda: match.Search(image, (3, 3)).add(np.ones((2, 3, 4)))
    yield ValueError, "complex", lambda: match.Search(image, (3, 3)).add(np.ones((3, 3)) * 1j)
    yield ValueError, "the search is of", lambda: match.Search(
        np.ones((6, 4)), (3, 3)).image(np.ones((4, 6)))
    yield TypeError, "real numbers", lambda: match.Search(image, (3, 3)).image(image * 1j)
    yield ValueError, "each at least 1", lambda: match.Search(image, (-1, 3))
    yield ValueError, "mode is 'flat'; choose one of", lambda: match.match_template(
        image, np.ones((2, 2)), mode="flat")
    yield TypeError, "constant_values is of type complex", lambda: match.match_template(
        image, np.ones((2, 2)), constant_values=1j)
    yield TypeError, "threshold is of type str", lambda: match.Search(image, (3, 3), threshold="a")
    yield ValueError, "threshold is NaN, .*; give a number, or None", lambda: match.Search(
        image, (3, 3), threshold=math.nan)
    for option in ("normalised", "moments", "spectra"):
        yield TypeError, f"{option} is of type str; give True or False", lambda option=option: (
            match.Search(image, (3, 3), **{option: "no"}))
    yield ValueError, "at_once is -1", lambda: match.Search(image, (3, 3), at_once=-1)
    yield ValueError, "between is 'half'; choose", lambda: match.Search(
        image, (3, 3), between="half")
    yield ValueError, "template_peak is 0", lambda: match.Search(
        image.astype("float32"), (3, 3), normalised=False, between="float16")
    yield ValueError, "templates have magnitudes above 2.4", lambda: match.Search(
        image.astype("float32"), (3, 3), normalised=False, between="float16",
        template_peak=1.6).add(
            [[[0, -2.5, 0], [0, math.nan, 0], [0, 0, 1]]])
    yield ValueError, "holds NaN", lambda: match.Search(
        math.nan * image.astype("float32"), (3, 3), between="float16")
    yield TypeError, "least is of type str", lambda: match.Search(image, (3, 3)).peaks(1, "a")
    yield ValueError, "count is -1", lambda: match.Search(image, (3, 3)).peaks(-1)
    yield ValueError, "choose one of full, same, valid", lambda: match.Search(
        image, (3, 3), mode=["valid"])
    yield TypeError, "templates are of dtype object", lambda: match.Search(image, (3, 3)).add(
        np.full((3, 3), None))
    yield RuntimeError, "moments=True", lambda: match.Search(image, (3, 3)).mean
    yield RuntimeError, "threshold", lambda: match.Search(image, (3, 3)).counts
    bins, turns, filters = np.ones((4, 4, 3)), np.eye(3)[None], np.ones((4, 3))
    for image_bins, volume in ((image, image), (image, np.ones(())), (np.ones((0, 3)), bins),
                               (np.ones((4, 1)), bins)):
        yield ValueError, "even d", lambda image=image_bins, volume=volume: (
            match.match_template_dft_2d(image, volume, turns, filters))
    masked, objects = np.ma.array(bins, mask=bins > 0), np.full((4, 4), None)
    yield TypeError, "masked values", lambda: match.wrapped_correlation(masked[0], bins)
    yield TypeError, "give numbers", lambda: match.match_template_dft_2d(
        image, np.full((4, 4, 3), None), turns, filters)
    yield TypeError, "give real numbers", lambda: match.match_template_dft_2d(
        image, bins, np.full((1, 3, 3), None), filters)
    yield TypeError, "give real numbers", lambda: match.wrapped_correlation(objects, bins)
    yield TypeError, "masked values", lambda: match.unit_projections(masked, 8, 8)
    yield TypeError, "give numbers", lambda: match.match_template_dft_2d(
        image, bins, turns, np.full((4, 3), None))
    yield ValueError, "no smaller", lambda: match.match_template_dft_2d(
        np.ones((2, 2)), bins, turns, filters)


@pytest.mark.parametrize("kind, text, call", list(refusals()))
def test_refusals_are_one_sentence(kind, text, call):
    with pytest.raises(kind, match=text) as raised:
        call()
    assert "\n" not in str(raised.value)
