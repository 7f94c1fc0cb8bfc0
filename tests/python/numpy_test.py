# SPDX-License-Identifier: Apache-2.0
"""wingbeat.numpy beside numpy.fft: dtypes, classes and accuracy of results. numpy's own suite runs
beside; see .ci/python."""

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
        for options in ({"axes": 0}, {"axes": (0, 7)}, {"axes": ()}, {"axes": (0, 0)},
                        {"s": (0, 1)}, {"s": (2.0, 3), "axes": (0, 1)},
                        {"s": (3, 4), "axes": (0,)}):
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



class Metres(np.ndarray):
    """Numbers with a unit, which numpy's functions keep that `known` has."""

    known = set()

    def __array_function__(self, function, types, args, kwargs):
        if function not in self.known:
            return NotImplemented
        plain = (np.asarray(each) if isinstance(each, Metres) else each for each in args)
        return super().__array_function__(function, types, tuple(plain), kwargs).view(Metres)


@pytest.mark.parametrize("table_is_of_patched", (False, True))
@pytest.mark.parametrize("name", ROWS + SOLIDS)
def test_classes_of_arrays_keep_what_they_add(name, table_is_of_patched, monkeypatch):
    wanted = getattr(np.fft, name)(np.ones((4, 6)))
    monkeypatch.setattr(Metres, "known", {getattr(np.fft, name)})
    with wingbeat.numpy.patched():
        if table_is_of_patched:  # as a package has it that was imported now
            monkeypatch.setattr(Metres, "known", {getattr(np.fft, name)})
        result = getattr(np.fft, name)(np.ones((4, 6)).view(Metres))
    assert type(result) is Metres
    np.testing.assert_array_equal(np.asarray(result), wanted)


@pytest.mark.parametrize("name", ROWS + SOLIDS)
def test_units_of_astropy_stay(name):
    units = pytest.importorskip("astropy.units")
    with wingbeat.numpy.patched():
        result = getattr(np.fft, name)(np.ones((4, 6)) * units.m)
    assert result.unit == units.m


def test_an_out_of_another_class_is_numpys():
    class Refusing(np.ndarray):
        def __array_function__(self, function, types, args, kwargs):
            raise LookupError(function.__name__)

    with pytest.raises(LookupError, match="fft"):
        wingbeat.numpy.fft(np.ones(4), out=np.empty(4, complex).view(Refusing))


def test_functions_are_found_by_their_name():
    import pickle
    assert pickle.loads(pickle.dumps(wingbeat.numpy.fft)) is wingbeat.numpy.fft


@pytest.mark.parametrize("dtype", ("f4", "c8"))
@pytest.mark.parametrize("name", ROWS + SOLIDS)
def test_is_as_accurate_in_single_precision_as_numpy(name, dtype):
    if name in ("rfft", "ihfft", "rfft2", "rfftn") and dtype == "c8":
        pytest.skip("takes real numbers")
    rng = np.random.default_rng(4)
    x = rng.standard_normal((64, 192)).astype("f4")
    x = x.view("c8") if dtype == "c8" else x
    for norm in ("backward", "forward", "ortho"):
        exact = getattr(np.fft, name)(x.astype("c16" if dtype == "c8" else "f8"), norm=norm)

        def error(transform, x=x):
            return np.linalg.norm(transform(x, norm=norm) - exact) / np.linalg.norm(exact)

        is_scaled = norm == "ortho" or name.startswith("i") != (norm == "forward")
        takes_reals = dtype == "f4" and name in (
            "fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "irfft", "hfft")
        ours, numpys = error(getattr(wingbeat.numpy, name)), error(getattr(np.fft, name))
        assert ours <= (3 if is_scaled and not takes_reals else 1.01) * numpys
        if not is_scaled:
            assert ours < 0.6 * 2.0**-24 < error(getattr(wingbeat.fft, name))
            with wingbeat.numpy.patched(single=True):
                assert error(getattr(np.fft, name)) > 0.6 * 2.0**-24
            with wingbeat.numpy.patched(True), wingbeat.numpy.patched():
                assert error(getattr(np.fft, name)) == ours
