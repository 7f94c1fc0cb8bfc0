# SPDX-License-Identifier: Apache-2.0
"""wingbeat.numpy beside numpy.fft: dtypes of results. numpy's own suite runs beside; see .ci/python."""

import numpy as np
import pytest

import wingbeat.fft
import wingbeat.numpy

ROWS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SOLIDS = ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn")


@pytest.mark.parametrize("dtype", ("f2", "f4", "f8", "c8", "c16", "i4", "?"))
@pytest.mark.parametrize("name,options", (
    *((name, {}) for name in ROWS + SOLIDS), ("irfftn", {"axes": (0,)}), ("rfftn", {"axes": (0,)})))
def test_results_have_numpys_dtypes(name, options, dtype):
    x = np.arange(24).reshape(4, 6).astype(dtype)
    if name in ("rfft", "ihfft", "rfft2", "rfftn") and x.dtype.kind == "c":
        pytest.skip("takes real numbers")
    ours, wanted = getattr(wingbeat.numpy, name), getattr(np.fft, name)
    result, expected = ours(x, **options), wanted(x, **options)
    assert result.dtype == expected.dtype
    bound = 2e-3 if expected.dtype == np.float16 or dtype == "f2" else 1e-5
    np.testing.assert_allclose(result, expected, rtol=0, atol=bound * np.abs(expected).max())
    out = np.empty_like(expected)
    assert ours(x, **options, out=out) is out
    np.testing.assert_array_equal(out, result)


@pytest.mark.parametrize("name", ROWS + SOLIDS)
def test_wingbeat_does_what_it_takes(name, monkeypatch):
    monkeypatch.setitem(wingbeat.numpy._originals, name, None)
    x = np.random.default_rng(1).standard_normal((6, 10))
    wanted = getattr(wingbeat.fft, name)(x)
    for given in (x, x.tolist(), x[::-1][::-1]):
        np.testing.assert_array_equal(getattr(wingbeat.numpy, name)(given), wanted)


@pytest.mark.parametrize("name", SOLIDS)
def test_a_length_of_minus_one_is_the_arrays(name):
    x = np.random.default_rng(3).standard_normal((4, 5))
    for s in ((-1, -1), (3, -1), (-1, 4)):
        np.testing.assert_allclose(getattr(wingbeat.numpy, name)(x, s, (0, 1)),
                                   getattr(np.fft, name)(x, s, (0, 1)), rtol=0, atol=1e-11)


def refused():
    """Yields what numpy refuses, or does otherwise than SciPy: functions, arrays, options."""
    objects = np.array([[1, 2.5], [3, 4]], object)
    for name in ROWS + SOLIDS:
        yield name, objects, {}
        yield name, np.array(["a", "b"]), {}
        yield name, np.zeros(4, "M8[s]"), {}
        yield name, 3.0, {}
        yield name, np.ones((3, 4)), {"norm": "unit"}
        yield name, np.ones((3, 4)), {"out": "text"}
    for name in ROWS:
        for options in ({"n": 0}, {"n": -1}, {"n": "4"}, {"axis": 7}, {"axis": None}):
            yield name, np.ones((3, 4)), options
    for name in SOLIDS:
        for options in ({"axes": 0}, {"axes": (0, 7)}, {"axes": ()}, {"axes": (0, 0)}, {"s": (0, 1)},
                        {"s": (2.0, 3), "axes": (0, 1)}, {"s": (3, 4), "axes": (0,)}):
            yield name, np.ones((3, 4)), options


@pytest.mark.parametrize("name", ROWS + SOLIDS)
def test_computes_in_double_as_numpy_1_does(name, monkeypatch):
    monkeypatch.setattr(wingbeat.numpy, "_COMPUTES_IN_DOUBLE", True)
    x = np.random.default_rng(2).standard_normal((6, 10)).astype("f4")
    wanted = getattr(np.fft, name)(x.astype("f8"))
    result = getattr(wingbeat.numpy, name)(x)
    assert result.dtype == wanted.dtype
    np.testing.assert_allclose(result, wanted, rtol=0, atol=1e-12)


@pytest.mark.filterwarnings("ignore:.*axes:DeprecationWarning")
def test_refuses_in_numpys_words():
    def outcome(function, x, options):
        try:
            return function(x, **options)
        except Exception as refusal:
            return refusal
    for name, x, options in refused():
        wanted = outcome(getattr(np.fft, name), x, options)
        result = outcome(getattr(wingbeat.numpy, name), x, options)
        assert type(result) is type(wanted), (name, options)
        if isinstance(wanted, Exception):
            assert str(result) == str(wanted)
        else:
            np.testing.assert_allclose(np.asarray(result, complex), np.asarray(wanted, complex),
                                       atol=1e-12)

