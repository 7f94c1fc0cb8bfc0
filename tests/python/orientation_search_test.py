# SPDX-License-Identifier: Apache-2.0
"""Searches over orientations against their definition in double precision."""

import math
from functools import partial

import numpy as np
import pytest

import orientation_oracle as oracle
import wingbeat
from other_libraries import each_library
from wingbeat import match, microscopy
from wingbeat.match import OrientationSearch

RNG = np.random.default_rng(51)
ANGLES = np.array([[0, 0, 0], [10, 90, 90], [200, 37, 311], [77, 122, 5], [340, 180, 47],
                   [0, 0, 90], [31, 90, 0], [31, 90, 30]], float)
OPTICS = microscopy.Optics(1.5, 6200, 5800, 32, phase_shift=12, b_factor=20)
ODD = {"Z31c": 30.0, "Z31s": -20.0, "Z33c": 25.0, "Z44s": 200.0}


def blob(n, spread=10, width=6):
    """Returns a volume [n][n][n] without symmetry, nearly 0 at its faces and at Nyquist, where a
    bin and its mirror image are one and some are outside."""
    grid = np.indices((n, n, n)) - n // 2
    points = np.random.default_rng(0).uniform(-1, 1, (8, 4)) * [*3 * [n / spread], 1]
    return sum((2 + weight)
               * np.exp(-((grid - np.reshape(centre, (3, 1, 1, 1)))**2).sum(0) / width)
               for *centre, weight in points)


def noise(shape):
    return RNG.standard_normal(shape) / math.sqrt(math.prod(shape))


class Example:
    """A search's operands, and all its scores, [template][y][x]."""

    def __init__(self, n, shape, defoci=(0,), zernikes=None, magnification=None):
        zernikes = zernikes or {}
        self.image, volume = noise(shape), blob(n)
        self.spectrum = microscopy.prepare_volume(volume)
        self.magnification = np.eye(2) if magnification is None else magnification
        self.filters = np.array([
            oracle.ctf(n, 1.5, 6200 + each, 5800 + each, 32, phase_shift=12, zernikes=zernikes,
                       magnification=self.magnification) for each in defoci])
        axes = [oracle.axes_of(oracle.rotation(*each), self.magnification) for each in ANGLES]
        scores = oracle.search(self.image, oracle.spectrum_of(volume), axes, self.filters)
        self.scores = scores.reshape(-1, *scores.shape[2:])

    def search(self, **options):
        return OrientationSearch(self.image, self.spectrum, self.filters,
                                 n_orientations=len(ANGLES), magnification=self.magnification,
                                 **options)


def assert_scores(search, scores, tolerance):
    np.testing.assert_allclose(search.best, scores.max(0), atol=tolerance)
    np.testing.assert_allclose(search.mean, scores.mean(0), atol=2 * tolerance)
    np.testing.assert_allclose(search.variance, scores.var(0), atol=5 * tolerance)
    z = (scores.max(0) - scores.mean(0)) / scores.std(0)
    np.testing.assert_allclose(search.z, z, atol=50 * tolerance)
    chosen = np.take_along_axis(scores, search.index[None], 0)[0]
    np.testing.assert_allclose(chosen, scores.max(0), atol=2 * tolerance)


@pytest.mark.parametrize("n, shape, defoci, zernikes, magnification", [
    (24, (48, 64), (-300, 0, 300), {}, None),
    (32, (93, 130), (0, 500), ODD, None),
    (20, (66, 61), (0,), {}, [[1.02, 0.03], [-0.01, 0.97]])])
def test_scores_are_those_of_the_definition(n, shape, defoci, zernikes, magnification):
    example = Example(n, shape, defoci, zernikes, magnification)
    search = example.search(table_threshold=2.5).add(ANGLES)
    assert 0.7 < example.scores.std() < 1.3
    assert search.n_templates == len(ANGLES) * len(defoci) == len(example.scores)
    assert search.shape == search.best.shape == (shape[0] - n + 1, shape[1] - n + 1)
    assert_scores(search, example.scores, 2e-5)
    table = search.table()
    np.testing.assert_allclose(table.score, example.scores[table.number, table.y, table.x],
                               atol=2e-5)
    assert table.lost == 0
    assert abs(len(table.score) - (example.scores > 2.5).sum()) <= 2
    assert len(search.table().score) == 0
    found = search.project(ANGLES[2:4])
    axes = [oracle.axes_of(oracle.rotation(*each), example.magnification) for each in ANGLES[2:4]]
    expected = [oracle.templates_of(example.spectrum, each, example.filters, shape)
                for each in axes]
    np.testing.assert_allclose(found, expected, atol=2e-5 * np.abs(expected).max())


def test_images_may_be_half_spectra():
    example = Example(24, (48, 64))
    search = OrientationSearch(np.fft.rfft2(example.image), example.spectrum, example.filters,
                               n_orientations=len(ANGLES))
    assert_scores(search.add(ANGLES), example.scores, 2e-5)
    search.image(np.fft.rfft2(-example.image)).add(ANGLES)
    assert_scores(search, -example.scores, 2e-5)


def test_order_devices_and_chunks_change_no_bit():
    example = Example(24, (48, 64), (-300, 0))
    whole = example.search(table_threshold=2.0).add(ANGLES)
    dealt = example.search(devices=["host", "host", "host"], table_threshold=2.0)
    dealt.add(microscopy.rotations(ANGLES[3:]), first=3).add(ANGLES[:3], first=0)
    both = example.search(at_once=3, table_threshold=2.0).add(ANGLES[:5]).add(ANGLES[5:])
    table = whole.table()
    for other in (dealt, both):
        for name in ("best", "index", "mean", "variance", "z"):
            np.testing.assert_array_equal(getattr(other, name), getattr(whole, name), name)
        for column, expected in zip(other.table(), table):
            np.testing.assert_array_equal(column, expected)
    assert whole.restart().n_templates == 0 and (whole.index == -1).all()
    np.testing.assert_array_equal(whole.add(ANGLES).best, dealt.best)
    np.testing.assert_array_equal(whole.image(2 * example.image).add(ANGLES).best, 2 * dealt.best)
    first, last = (match.SearchPart.from_bytes(
        example.search().add(ANGLES[begin:end], first=begin).part(len(ANGLES)).to_bytes())
                   for begin, end in ((0, 3), (3, None)))
    merged = last.merge(first)
    assert merged.missing == [] and merged.n_templates == 2 * len(ANGLES)
    for name in ("best", "index", "mean", "variance"):
        np.testing.assert_array_equal(getattr(merged, name), getattr(dealt, name), name)
    with pytest.raises(ValueError, match="of different templates"):
        OrientationSearch(example.image, example.spectrum, 2 * example.filters).add(
            ANGLES[:3]).part(len(ANGLES)).merge(example.search().add(
                ANGLES[3:], first=3).part(len(ANGLES)))
    with pytest.raises(ValueError, match="template 4 was added before"):
        dealt.add(ANGLES[:1], first=2)


@pytest.mark.parametrize("options, tolerance", [({"volume": "float16"}, 3e-3),
                                                ({"between": "bfloat16"}, 6e-2),
                                                ({"between": "float16"}, 6e-3)])
def test_narrow_numbers_move_scores_little(options, tolerance):
    example = Example(24, (48, 64))
    found = example.search(**options).add(ANGLES).best
    assert 0 < np.abs(found - example.scores.max(0)).max() < tolerance


@pytest.mark.parametrize("engine", ["opencl", "cuda"])
def test_other_devices_score_alike(engine):
    if not wingbeat.devices() or wingbeat.why_absent(getattr(wingbeat.Engine, engine)):
        pytest.skip(f"no device of {engine} is here")
    example = Example(24, (48, 64), (-300, 0))
    assert_scores(example.search(device=engine).add(ANGLES), example.scores, 2e-5)


@each_library
def test_arrays_of_other_libraries_are_searched(library):
    example = Example(24, (48, 64), (-300, 0))
    operands = (library.of_numpy(np.float32(x)) for x in (example.image, example.filters))
    image, filters = operands
    search = OrientationSearch(image, library.of_numpy(example.spectrum), filters, n_orientations=8)
    assert_scores(search.add(library.of_numpy(ANGLES)), example.scores, 2e-5)
    again = example.search().add(library.of_numpy(microscopy.rotations(ANGLES)))
    np.testing.assert_array_equal(again.best, example.search().add(ANGLES).best)


def test_planted_particles_are_found():
    n, shape = 32, (96, 120)
    grid = microscopy.orientation_grid(psi_step=30, theta_step=30)
    filters = microscopy.ctf(OPTICS, n, defoci=[-2000, 0, 2000])
    spectrum = microscopy.prepare_volume(blob(n, spread=3, width=3))
    planted = [(150, 1, 5, 60), (477, 2, 60, 8), (300, 0, 40, 70)]
    image = RNG.standard_normal(shape)
    maker = OrientationSearch(np.zeros(shape), spectrum, filters)
    for number, defocus, y, x in planted:
        particle = maker.project(grid[[number]])[0, defocus].astype(float)
        image[y:y + n, x:x + n] += 25 * particle / np.linalg.norm(particle)
    prepared, _ = microscopy.prepare_micrograph(image, whitening=False)
    search = OrientationSearch(prepared, spectrum, filters, n_orientations=len(grid)).add(grid)
    found = search.detections(threshold=4.0)
    assert {(each.number, each.y, each.x) for each in found[:3]} == {
        (3 * number + defocus, y, x) for number, defocus, y, x in planted}
    for each in found:
        assert each.z == pytest.approx((each.score - each.mean) / each.deviation, rel=1e-4)
        assert each.z > 4 and search.best[each.y, each.x] == np.float32(each.score)
    assert len(search.detections(threshold=100.0)) == 0
    assert search.detections(false_positives=1e-3)[0] == found[0]


def test_scores_are_counted_in_bins():
    example = Example(24, (48, 64))
    search = example.search(histogram=(-2, 3, 10)).add(ANGLES)
    counts, _ = np.histogram(example.scores.clip(-1.99, 2.99), 10, (-2, 3))
    assert search.histogram.sum() == example.scores.size
    assert abs(search.histogram.astype(int) - counts).max() <= 2  # by rounding at edges
    with pytest.raises(RuntimeError, match="histogram="):
        example.search().add(ANGLES).histogram


def test_detections_are_refined():
    n, shape = 32, (96, 120)
    grid = microscopy.orientation_grid(psi_step=20, theta_step=20)
    truth, defocus = np.array([[41.0, 66.0, 160.0]]), 150.0
    spectrum = microscopy.prepare_volume(blob(n, spread=3, width=3))
    maker = OrientationSearch(np.zeros((n, n)), spectrum, microscopy.ctf(OPTICS, n, [defocus]))
    particle = maker.project(truth)[0, 0].astype(float)
    image = RNG.standard_normal(shape)
    image[30:30 + n, 41:41 + n] += 30 * particle / np.linalg.norm(particle)
    prepared, whitening = microscopy.prepare_micrograph(image, whitening=False)
    defoci = [-2000, 0, 2000]
    filters = microscopy.projection_filters(OPTICS, n, whitening, defoci)
    search = OrientationSearch(prepared, spectrum, filters, n_orientations=len(grid)).add(grid)
    found = search.detections(threshold=3.0)[:1]

    def refine(**options):
        return search.refine(found, grid, OPTICS, whitening, defoci, psi_step=20, theta_step=20,
                             defocus_step=1000, **options)[0]

    refined = refine()
    turned = microscopy.rotations([refined[3:6], truth[0]])
    angle = np.degrees(np.arccos(min((np.trace(turned[0] @ turned[1].T) - 1) / 2, 1)))
    assert (refined.y, refined.x) == (30, 41) and angle < 3  # that of the grid is off by 7
    assert refined.z > found[0].z
    assert refined.z == pytest.approx((refined.score - refined.mean) / refined.deviation, rel=1e-5)
    assert abs(refined.defocus - defocus) < 500
    assert abs(refine(reach=0).y - found[0].y) == 0
    with pytest.raises(ValueError, match="whole search"):
        search.refine(found, grid[:1], OPTICS, whitening, defoci)
    with pytest.raises(ValueError, match=r"\[n, 3\]"):
        search.refine(found, grid[0], OPTICS, whitening, defoci)
    with pytest.raises(ValueError, match="the angles hold nan; give"):
        search.refine(found, grid * math.nan, OPTICS, whitening, defoci)
    for others in ([], [0], defoci * 2):
        with pytest.raises(ValueError, match=f"defoci has length {len(others)} and the filters' "
                                             "axis of defoci 3; give"):
            search.refine(found, grid, OPTICS, whitening, others)
    for name in ("number", "y", "x"):
        with pytest.raises(ValueError, match=f"a detection's {name} is -5; give 0 or more"):
            search.refine([found[0]._replace(**{name: -5})], grid, OPTICS, whitening, defoci)


def test_projections_show_the_volume_turned():
    n = 32
    volume = np.zeros((n, n, n))
    point = np.array([3, -5, 7])  # (x, y, z) from the centre
    volume[tuple(point[::-1] + n // 2)] = 1
    search = OrientationSearch(np.zeros((n, n)), microscopy.prepare_volume(volume),
                               np.ones((1, n, n // 2 + 1)))
    for angles in ANGLES:
        x, y, _ = microscopy.rotations(angles).T @ point
        template = -search.project(angles[None])[0, 0]
        y_found, x_found = np.unravel_index(template.argmax(), template.shape)
        assert abs(y_found - n // 2 - y) < 1 and abs(x_found - n // 2 - x) < 1


def test_preparation_is_that_of_the_definition():
    for shape in ((64, 64), (93, 66), (66, 61)):
        coloured = np.cumsum(RNG.standard_normal(shape), axis=0) + 5
        image, whitening = microscopy.prepare_micrograph(coloured)
        expected, curve = oracle.whitened(np.float32(coloured).astype(float))
        np.testing.assert_allclose(image, expected, atol=2e-5 * np.abs(expected).max())
        filters = microscopy.projection_filters(OPTICS, 24, whitening, [-100, 100])
        factors = np.interp(oracle.radii_of((24, 24)), *curve)
        ctfs = microscopy.ctf(OPTICS, 24, [-100, 100])
        np.testing.assert_allclose(filters[0], ctfs * factors, atol=2e-5)
        np.testing.assert_allclose(ctfs, [oracle.ctf(24, 1.5, 6200 + each, 5800 + each, 32,
                                                     phase_shift=12, b_factor=20)
                                          for each in (-100, 100)], atol=1e-6)
    volume = blob(16)
    np.testing.assert_allclose(microscopy.prepare_volume(volume), oracle.spectrum_of(volume),
                               atol=1e-5 * np.abs(oracle.spectrum_of(volume)).max())
    optics = microscopy.Optics(1.5, 6200, 5800, zernikes=ODD, magnification=[[1.1, 0], [0.1, 1]])
    np.testing.assert_allclose(microscopy.ctf(optics, 16)[0], oracle.ctf(
        16, 1.5, 6200, 5800, zernikes=ODD, magnification=[[1.1, 0], [0.1, 1]]), atol=1e-6)
    band, _ = microscopy.prepare_micrograph(coloured, whitening=False, bandpass=(0.1, 0.3))
    power, radii = np.abs(np.fft.rfft2(band)), oracle.radii_of(band.shape)
    assert power[(radii < 0.1) | (radii > 0.3)].max() < 1e-4 * power.max()


def test_orientations_are_those_of_the_definition():
    np.testing.assert_allclose(microscopy.orientation_grid(30, 20), oracle.uniform_grid(30, 20))
    np.testing.assert_allclose(microscopy.rotations(ANGLES),
                               [oracle.rotation(*each) for each in ANGLES], atol=5e-7)
    assert len(microscopy.orientation_grid(symmetry="T")) == 176400
    half = microscopy.orientation_grid(30, 20, psi=(0, 180))
    assert half[:, 2].max() == 150 and 2 * len(half) == len(microscopy.orientation_grid(30, 20))
    assert len(microscopy.orientation_grid(30, 20, grid="healpix")) > 100


def test_the_search_takes_no_more_than_max_bytes():
    example = Example(24, (48, 64))
    least = example.search().device_bytes
    assert example.search(max_bytes=least).at_once == 1
    for options in ({"max_bytes": least - 1}, {"max_bytes": 0},
                    {"max_bytes": least, "at_once": 3}):
        with pytest.raises(ValueError, match=f"max_bytes is {options['max_bytes']} and .* takes "
                                             r"\d+ .*; give "):
            example.search(**options)


def refusals():
    image, spectrum, filters = np.ones((9, 12)), np.ones((8, 8, 5)), np.ones((8, 5))

    def search(**options):
        return OrientationSearch(**{"image": image, "spectrum": spectrum, "filters": filters,
                                    **options})
    yield ValueError, "give two", lambda: search(image=np.ones(5))
    yield ValueError, r"give \[n, n, n/2 \+ 1\]", lambda: search(spectrum=np.ones((8, 8, 4)))
    yield ValueError, r"give \[n, n, n/2 \+ 1\]", lambda: search(filters=np.ones((8, 4)))
    yield ValueError, "box is 8", lambda: search(image=np.ones((7, 12)))
    yield ValueError, "spectrum holds NaN", lambda: search(spectrum=spectrum * math.nan)
    yield ValueError, "image holds NaN", lambda: search(image=image * math.inf)
    yield ValueError, "give two", lambda: search(image=np.ones(5) * 1j)
    yield ValueError, "the search is of", lambda: search().image(image * 1j)
    yield ValueError, "volume is 'bfloat16'; choose", lambda: search(volume="bfloat16")
    yield ValueError, "between is 'half'; choose", lambda: search(between="half")
    yield TypeError, "moments is of type int", lambda: search(moments=1)
    yield ValueError, r"histogram is \(0, 1\); give \(begin, end", lambda: search(histogram=(0, 1))
    yield ValueError, r"histogram is \(\); give", lambda: search(histogram=())
    yield TypeError, "histogram is 5; give a tuple", lambda: search(histogram=5)
    yield ValueError, "at_once is -1", lambda: search(at_once=-1)
    for matrix in ([1, 2], np.eye(3), [1, 0, 0, 1]):
        yield ValueError, "magnification has shape", partial(search, magnification=matrix)
    yield ValueError, "has no inverse", lambda: search(magnification=[[1, 1], [1, 1]])
    yield ValueError, "rotations have shape", lambda: search().add(np.eye(3)[:2, :2])
    for value in (math.nan, -math.inf, 1e300):
        for given in (ANGLES, np.tile(np.eye(3), (2, 1, 1))):
            given = given.copy()
            given[1, 2] = value
            kind = "angles" if given.ndim == 2 else "rotations"
            text = f"the {kind} hold {value}; give numbers from -".replace("+", r"\+")
            yield ValueError, text, partial(search().add, given)
            yield ValueError, text, partial(search().project, given)
    yield ValueError, "the search is of", lambda: search().image(np.ones((12, 9)))
    yield RuntimeError, "table_threshold", lambda: search().table()
    yield RuntimeError, "moments=True", lambda: search(moments=False).z
    yield RuntimeError, "moments=True", lambda: search(moments=False).detections()
    yield ValueError, "false positives", lambda: search().add(ANGLES).detections(0)
    yield TypeError, "give an Optics", lambda: microscopy.ctf({}, 8)
    yield ValueError, "give three", lambda: microscopy.prepare_volume(image)
    yield ValueError, "give two", lambda: microscopy.prepare_micrograph(spectrum)
    yield ValueError, "choose one of uniform", lambda: microscopy.orientation_grid(grid="cube")
    yield ValueError, r"phi is \(0,\); give \(first, last\)", lambda: (
        microscopy.orientation_grid(phi=(0,)))
    yield TypeError, "theta is of type str", lambda: microscopy.orientation_grid(theta="ab")
    yield ValueError, r"bandpass is \(0.1,\); give \(low, high\)", lambda: (
        microscopy.prepare_micrograph(image, bandpass=(0.1,)))
    yield ValueError, r"curve is \(\); give \(frequencies, values\)", lambda: (
        microscopy.prepare_micrograph(image, curve=()))
    yield ValueError, "X9", lambda: microscopy.orientation_grid(symmetry="X9")
    yield TypeError, "pickled", lambda: search().__reduce_ex__(2)


@pytest.mark.parametrize("kind, text, call", list(refusals()))
def test_refusals_are_one_sentence(kind, text, call):
    with pytest.raises(kind, match=text) as refused:
        call()
    assert str(refused.value).count(". ") == 0


def test_the_module_is_exported():
    assert match.OrientationSearch is OrientationSearch
