# SPDX-License-Identifier: Apache-2.0
"""Searches of images with pixels that are not there, on several devices, and in parts."""

import math
import pickle

import numpy as np
import pytest

import wingbeat
from wingbeat import match
from wingbeat.search import Search, SearchPart

RNG = np.random.default_rng(48)
IMAGE = RNG.standard_normal((30, 34)).astype("float32")
TEMPLATES = RNG.standard_normal((13, 6, 5)).astype("float32")
KEPT = {"moments": True, "threshold": 0.2}


def assert_same(search, expected):
    """Of each map the same bits."""
    assert search.n_templates == expected.n_templates
    for name in ("best", "index", "mean", "variance", "counts"):
        np.testing.assert_array_equal(getattr(search, name), getattr(expected, name), name)
    assert search.peaks(5, distance=3) == expected.peaks(5, distance=3)


def masked_coefficients(image, is_there, template, min_valid):
    """Returns correlation coefficients of the pixels that are there, window by window."""
    windows = np.lib.stride_tricks.sliding_window_view
    scores = np.full([n - m + 1 for n, m in zip(image.shape, template.shape)], np.nan)
    for y, x in np.ndindex(*scores.shape):
        there = windows(is_there, template.shape)[y, x]
        if there.sum() >= max(1, min_valid * template.size):
            scores[y, x] = np.corrcoef(windows(image, template.shape)[y, x][there],
                                       template[there])[0, 1]
    return scores


@pytest.mark.parametrize("min_valid", [None, 0.9])
def test_pixels_that_are_not_there_are_left_out(min_valid):
    mask = RNG.random(IMAGE.shape) > 0.2
    mask[5:12, 7:20] = False
    expected = np.array([masked_coefficients(IMAGE, mask, each, min_valid or 0.5)
                         for each in TEMPLATES.astype(float)])
    spoiled = np.where(mask, IMAGE, np.nan)
    by_mask = Search(IMAGE, (6, 5), mask=mask, min_valid=min_valid, **KEPT).add(TEMPLATES)
    with_both = Search(np.where(mask, IMAGE, np.inf), (6, 5), mask=mask, min_valid=min_valid,
                       **KEPT).add(TEMPLATES)
    by_nan = Search(spoiled, (6, 5), mask="nan", min_valid=min_valid, **KEPT).add(TEMPLATES)
    assert_same(by_nan, by_mask)
    assert_same(with_both, by_mask)
    assert np.isnan(by_mask.best).any() and (by_mask.index == -1).any()
    np.testing.assert_allclose(by_mask.best, expected.max(0), atol=1e-6)
    np.testing.assert_allclose(by_mask.mean, expected.mean(0), atol=1e-6)
    np.testing.assert_allclose(by_mask.variance, expected.var(0), atol=1e-6)
    with np.errstate(invalid="ignore"):
        assert (by_mask.counts == (expected > 0.2).sum(0)).mean() > 0.99
    found = by_mask.peaks(1)[0]
    assert found.score == pytest.approx(np.nanmax(expected), abs=1e-6)
    assert "without pixels that are not there" in by_mask.explain()


def test_a_mask_stays_where_the_image_changes():
    mask = RNG.random(IMAGE.shape) > 0.2
    other = Search(2 * IMAGE[::-1], (6, 5), mask=mask).add(TEMPLATES)
    search = Search(IMAGE, (6, 5), mask=mask).add(TEMPLATES)
    mask[:] = False  # which the search has copied
    np.testing.assert_array_equal(search.image(2 * IMAGE[::-1]).add(TEMPLATES).best, other.best)
    np.testing.assert_array_equal(search.restart().add(TEMPLATES[:5]).best,
                                  other.restart().add(TEMPLATES[:5]).best)
    with pytest.raises(ValueError, match="NaN where the mask has pixels"):
        search.image(np.full_like(IMAGE, np.nan))


@pytest.mark.parametrize("options", [{}, {"at_once": 3}, {"mask": IMAGE < 1}, {"mode": "same"},
                                     {"between": "bfloat16", "at_once": 2}, {"between": "float16"}])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_several_devices_keep_the_same_bits(options, dtype):
    if "between" in options and dtype == "float64":
        pytest.skip("between is of float32")
    image, templates = IMAGE.astype(dtype), TEMPLATES.astype(dtype)
    expected = Search(image, (6, 5), **options, **KEPT).add(templates)
    search = Search(image, (6, 5), devices=["host", None, wingbeat.devices()[1]], **options, **KEPT)
    search.add(templates[:6]).add(templates[6])
    assert_same(search.add(templates[7:]), expected)
    assert_same(search.image(image).add(templates), expected)
    assert "search of 30x34" in search.explain()


def test_devices_of_several_kinds_search_together():
    if wingbeat.why_absent(wingbeat.Engine.opencl):
        pytest.skip("no OpenCL device here")
    search = Search(IMAGE, (6, 5), devices=["host", "opencl"]).add(TEMPLATES)
    np.testing.assert_allclose(search.best, Search(IMAGE, (6, 5)).add(TEMPLATES).best, atol=1e-5)


@pytest.mark.parametrize("options", [{}, {"devices": ["host", "host"]}, {"mask": IMAGE < 1}])
def test_parts_are_merged_in_any_order(options):
    whole = Search(IMAGE, (6, 5), **options, **KEPT).add(TEMPLATES)
    parts = []
    for begin, end in (0, 4), (4, 9), (9, 13):
        search = Search(IMAGE, (6, 5), **options, **KEPT)
        parts.append(search.add(TEMPLATES[begin:end], first=begin).part(13))
    kept = [pickle.loads(pickle.dumps(each)) for each in parts]
    merged = kept[2].merge(kept[0])
    assert merged.templates == [(0, 4), (9, 13)] and merged.missing == [(4, 9)]
    assert merged.n_templates == 8 and merged.shape == whole.shape
    assert_same(merged.merge(SearchPart.from_bytes(parts[1].to_bytes())), whole)
    assert merged.missing == [] and merged.devices == parts[0].devices
    assert_same(whole.part(13), whole)


def test_templates_have_the_numbers_that_they_are_given():
    search = Search(IMAGE, (6, 5)).add(TEMPLATES[4:6], first=4).add(TEMPLATES[6:])
    assert search.part(13).templates == [(4, 13)]
    assert set(np.unique(search.index)) <= set(range(4, 13))
    with pytest.raises(ValueError, match="template 5 was added before"):
        search.add(TEMPLATES[5], first=5)
    assert search.add(TEMPLATES[:4], first=0).n_templates == 13
    np.testing.assert_array_equal(search.index, Search(IMAGE, (6, 5)).add(TEMPLATES).index)
    assert search.restart().n_templates == 0
    assert search.add(TEMPLATES[0]).part(1).templates == [(0, 1)]


def test_each_bit_of_a_part_counts():
    content = Search(IMAGE[:7, :6], (6, 5)).add(TEMPLATES[:2]).part(2).to_bytes()
    for i in range(8 * len(content)):
        damaged = bytearray(content)
        damaged[i // 8] ^= 1 << i % 8
        with pytest.raises(ValueError, match="no part of a search, or were damaged"):
            SearchPart.from_bytes(bytes(damaged))
    for n in range(len(content)):
        with pytest.raises(ValueError, match="no part of a search"):
            SearchPart.from_bytes(content[:n])
    with pytest.raises(ValueError, match="no part of a search"):
        SearchPart.from_bytes(content + b"\0" * 8)


def other_search(image=IMAGE, begin=5, n_templates=13, **options):
    """Returns a part whose templates lie behind those of another part, of another search."""
    return Search(image, (6, 5), **options).add(TEMPLATES[begin:], begin).part(n_templates)


def other_searches():
    yield "of different images", {"image": IMAGE + 1}
    yield "of different images", {"mask": IMAGE < 1}
    yield "with different options, valid, normalised, fp32 and same, normalised, fp32", {
        "mode": "same"}
    yield "fp32 and valid, normalised, fp64", {"image": IMAGE.astype(float)}
    yield "fp32 and valid, normalised, fp32, bf16", {"between": "bfloat16"}
    yield "100 min_valid = 25", {"mask": IMAGE < 9, "min_valid": 0.25}
    yield "of 13 and 14 templates", {"n_templates": 14}
    yield "template 4 is in the other", {"begin": 4}
    yield "moments or counts", {"moments": True}


@pytest.mark.parametrize("text, options", list(other_searches()))
def test_parts_of_other_searches_are_refused(text, options):
    part = Search(IMAGE, (6, 5)).add(TEMPLATES[:5]).part(13)
    before = part.to_bytes()
    with pytest.raises(ValueError, match=text) as raised:
        part.merge(other_search(**options))
    assert "\n" not in str(raised.value)
    assert part.to_bytes() == before


@pytest.mark.parametrize("options", [{"devices": ["host", "host"]}, {"mask": IMAGE < 9}])
def test_parts_of_several_devices_are_of_one_image(options):
    part = Search(IMAGE, (6, 5), **options).add(TEMPLATES[:5]).part(13)
    with pytest.raises(ValueError, match="of different images"):
        part.merge(other_search(IMAGE + 1, **options))
    assert part.merge(other_search(**options)).missing == []


def test_thresholds_of_parts_are_the_same():
    part = Search(IMAGE, (6, 5), threshold=0.1).add(TEMPLATES[:5]).part(13)
    with pytest.raises(ValueError, match="threshold 0.1 and valid, .*, threshold 0.3"):
        part.merge(Search(IMAGE, (6, 5), threshold=0.3).add(TEMPLATES[5:], 5).part(13))
    with pytest.raises(RuntimeError, match="moments=True"):
        part.mean


@pytest.mark.parametrize("options", [{}, {"devices": ["host"]}, {"spectra": True},
                                     {"spectra": True, "devices": ["host", "host"]},
                                     {"mask": np.ones(IMAGE.shape, bool)}])
@pytest.mark.parametrize("dtype, scale", [("f4", 1e-40), ("f4", 1e-30), ("f4", 1e30),
                                          ("f8", 1e-310), ("f8", 1e-300), ("f8", 1e300)])
def test_normalised_scores_are_those_of_any_scale(dtype, scale, options):
    image = (scale * IMAGE.astype(float)).astype(dtype)
    templates = np.stack([scale * TEMPLATES[0].astype(float), image[7:13, 8:13]]).astype(dtype)
    if "spectra" in options:
        templates = np.fft.rfft2(np.ldexp(templates.astype(float), 1000 if scale < 1e-200 else 0))
    search = Search(image, (6, 5), **options).add(templates)
    assert search.peaks(1)[0][1:4] == (1, 7, 8)
    expected = Search(IMAGE.astype(float), (6, 5)).add([TEMPLATES[0], IMAGE[7:13, 8:13]]).best
    np.testing.assert_allclose(search.best, expected, atol=1e-3)


def test_sums_of_opposite_scales_are_kept():
    image, template = IMAGE.astype(float), TEMPLATES[0].astype(float)
    search = Search(1e-200 * image, (6, 5), normalised=False).add(1e200 * template)
    np.testing.assert_allclose(search.best, Search(image, (6, 5), normalised=False).add(
        template).best, rtol=1e-5, atol=1e-5)


def refusals():
    mask = np.ones(IMAGE.shape, bool)
    yield ValueError, "holds NaN or infinity", lambda: Search(np.full((9, 9), np.nan), (3, 3))
    yield ValueError, "or give a mask", lambda: Search(np.full((9, 9), np.nan), (3, 3))
    yield ValueError, "the image holds infinity", lambda: Search(
        np.full((9, 9), np.inf), (3, 3), mask="nan")
    yield ValueError, "mask has shape", lambda: Search(IMAGE, (6, 5), mask=mask[1:])
    yield ValueError, "dtype float32; give booleans", lambda: Search(IMAGE, (6, 5), mask=IMAGE)
    yield ValueError, "mask is 'inf'; choose", lambda: Search(IMAGE, (6, 5), mask="inf")
    yield ValueError, "take values", lambda: Search(IMAGE, (6, 5), mask=mask, spectra=True)
    yield ValueError, "leave at_once out", lambda: Search(IMAGE, (6, 5), mask=mask, at_once=2)
    yield ValueError, "leave out what is stored between", lambda: Search(
        IMAGE, (6, 5), mask=mask, between="bfloat16")
    yield ValueError, "leave min_valid out", lambda: Search(IMAGE, (6, 5), min_valid=0.5)
    for value in (-0.1, 1.1, math.nan):
        yield ValueError, "from 0 to 1", lambda value=value: Search(
            IMAGE, (6, 5), mask=mask, min_valid=value)
    yield ValueError, "give one of them", lambda: Search(
        IMAGE, (6, 5), device="host", devices=["host"])
    yield ValueError, "at least one device", lambda: Search(IMAGE, (6, 5), devices=[])
    yield ValueError, "at least one device", lambda: Search(IMAGE, (6, 5), devices="host")
    yield ValueError, "device is 'best'", lambda: Search(IMAGE, (6, 5), devices=["best"])
    yield ValueError, "depend on the order", lambda: Search(
        IMAGE, (6, 5), devices=["host", "host"], moments=True, normalised=False)
    yield ValueError, "depend on the order", lambda: Search(
        IMAGE, (6, 5), moments=True, normalised=False).part(3)
    yield ValueError, "the templates hold NaN", lambda: Search(
        IMAGE, (6, 5), devices=["host"]).add(np.full((6, 5), np.nan))
    yield ValueError, r"template 0 could reach .*e\+5.*scale the image", lambda: Search(
        1e30 * IMAGE, (6, 5), devices=["host"], normalised=False).add(1e25 * TEMPLATES)
    huge, tiny = 1e20 * IMAGE.astype(float), 1e-30 * IMAGE.astype(float)
    for image, dtype, options in ((huge, "f4", {}), (huge, "f8", {}), (tiny, "f4", {}),
                                  (tiny, "f8", {}), (tiny, "f8", {"mask": mask})):
        yield ValueError, "template 1 .* keeps scores as fp32", lambda image=image.astype(
            dtype), options=options: Search(image, (6, 5), normalised=False, **options).add(
                np.stack([0 * image[:6, :5], image[:6, :5]]))
    yield ValueError, "keeps scores as fp32", lambda: Search(
        huge, (6, 5), normalised=False, spectra=True).add(np.fft.rfft2(huge[:6, :5]))
    yield ValueError, "n_templates is 12, and template 12 was added", lambda: Search(
        IMAGE, (6, 5)).add(TEMPLATES).part(12)
    yield ValueError, "first is -1", lambda: Search(IMAGE, (6, 5)).add(TEMPLATES, -1)
    yield TypeError, "give a SearchPart", lambda: Search(IMAGE, (6, 5)).part(1).merge(b"")
    yield TypeError, "give bytes", lambda: SearchPart.from_bytes("part")


@pytest.mark.parametrize("kind, text, call", list(refusals()))
def test_refusals_are_one_sentence(kind, text, call):
    with pytest.raises(kind, match=text) as raised:
        call()
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("options", [{}, {"devices": ["host", "host"]}])
def test_refused_templates_change_nothing(options):
    search = Search(IMAGE, (6, 5), normalised=False, **options).add(TEMPLATES)
    expected = search.best
    with pytest.raises(ValueError, match="scores of template 14 could reach"):
        search.add(np.stack([9 * TEMPLATES[0], 1e38 * TEMPLATES[1].astype(float)]))
    assert search.n_templates == 13
    np.testing.assert_array_equal(search.best, expected)
    assert search.add(9 * TEMPLATES[0]).index.max() == 13


def test_peaks_lie_between_pixels():
    search = Search(IMAGE, (6, 5)).add(TEMPLATES)
    best, n_vertices = search.best.astype(float), 0
    peaks = search.peaks(300)
    for found in peaks:
        assert best[found.y, found.x] == found.score
        for place, index, line in ((found.y_subpixel, found.y, best[:, found.x]),
                                   (found.x_subpixel, found.x, best[found.y])):
            a, b, c = line[index - 1:index + 2] if 0 < index < len(line) - 1 else (0, 0, 0)
            is_vertex = b >= max(a, c) and 2 * b > a + c
            n_vertices += is_vertex
            offset = (a - c) / (2 * (a - 2 * b + c)) if is_vertex else 0
            assert place == pytest.approx(index + offset, abs=1e-9)
    assert 0 < n_vertices < 2 * len(peaks)


def test_images_on_devices_have_one_device_and_no_parts():
    torch = pytest.importorskip("torch")
    image = torch.from_numpy(IMAGE)
    for options in {"devices": ["host"]}, {"mask": "nan"}:
        with pytest.raises(TypeError, match="give an image of numpy"):
            Search(image, (6, 5), **options)
    assert Search(image, (6, 5)).add(torch.from_numpy(TEMPLATES)).n_templates == 13


@pytest.mark.parametrize("options", [{}, {"mask": "nan"}, {"devices": ["host", "host"]}])
def test_a_refused_number_leaves_a_search_as_it_was(options):
    rng = np.random.default_rng(7)
    image, templates = rng.standard_normal((40, 44)), rng.standard_normal((4, 9, 11))
    search = Search(image, (9, 11), **options).add(templates[:2])
    before = search.best
    for first in (2**32 - 2, 2**32):
        with pytest.raises(ValueError, match="a search numbers 4294967295"):
            search.add(templates[2:], first=first)
    np.testing.assert_array_equal(search.best, before)
    assert search.add(templates[2:]).n_templates == 4


def test_flagged_views_of_tensors_are_searched_as_their_values():
    torch = pytest.importorskip("torch")
    image = np.random.default_rng(3).standard_normal((30, 32))
    template = np.ascontiguousarray(image[4:12, 6:15])
    flagged = torch._neg_view(torch.tensor(-image))
    found = Search(flagged, (8, 9)).add(torch._neg_view(torch.tensor(-template))).peaks(1)[0]
    assert (found.y, found.x) == (4, 6)
