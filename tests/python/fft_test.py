# SPDX-License-Identifier: Apache-2.0
"""wingbeat.fft on numpy arrays, beside SciPy: layouts, dtypes, out, padding, refusals."""

import itertools

import numpy as np
import pytest
import scipy.fft

import wingbeat
import wingbeat.fft as fft

RNG = np.random.default_rng(33)


def noise(shape, dtype):
    """Random numbers, complex ones with both parts."""
    dtype = np.dtype(dtype)
    numbers = 5 * RNG.standard_normal(shape)
    if dtype.kind == "c":
        numbers = numbers + 5j * RNG.standard_normal(shape)
    return numbers.astype(dtype)


def tolerance(dtype):
    is_double = np.dtype(dtype) in (np.float64, np.complex128)
    return {"rtol": 0, "atol": 1e-11 if is_double else 2e-3}


def assert_as_scipy(name, x, *args, **kwargs):
    result, expected = getattr(fft, name)(x, *args, **kwargs), getattr(scipy.fft, name)(x, *args,
                                                                                        **kwargs)
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, **tolerance(expected.dtype))


ROWS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "dct", "idct", "dst", "idst")
SOLIDS = ("fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn", "dctn", "idctn", "dstn", "idstn")
OF_REALS = ("rfft", "ihfft", "rfftn", "ihfftn")


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("dtype", ("f2", "f4", "f8", "c8", "c16", "i2", "?", ">f4", ">c16"))
def test_agrees_with_scipy_along_any_axis_of_any_length(name, dtype):
    if name in OF_REALS and np.dtype(dtype).kind == "c":
        pytest.skip("takes real numbers")
    x = noise((6, 9), dtype)
    for n, axis, norm in itertools.product((None, 4, 20), (-1, 0), (None, "ortho", "forward")):
        assert_as_scipy(name, x, n=n, axis=axis, norm=norm)


@pytest.mark.parametrize("name", SOLIDS)
@pytest.mark.parametrize("shape", ((4, 5), (3, 4, 5), (2, 3, 4, 5), (2, 3, 2, 4, 5)))
def test_agrees_with_scipy_along_many_axes(name, shape):
    kinds = "f" if name in OF_REALS else "fc"
    for kind, axes, is_padded in itertools.product(kinds, (None, (0, 1), (-1, 0)), (False, True)):
        x = noise(shape, kind + ("8" if kind == "f" else "16"))
        n_axes = len(shape) if axes is None else 2
        s = (7, 2, 6, 3, 8)[:n_axes] if is_padded else None
        assert_as_scipy(name, x, s=s, axes=axes)
        assert_as_scipy(name, x[..., ::-1].T, s=s, axes=axes)


@pytest.mark.parametrize("name", (*SOLIDS, "fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2"))
def test_a_length_of_minus_one_is_the_arrays(name):
    x = noise((4, 5), "f8")
    for s, axes in itertools.product(((-1, -1), (3, -1), (-1, 4)), ((0, 1), (1, 0))):
        assert_as_scipy(name, x, s=s, axes=axes)
    if not name.endswith("2"):
        assert_as_scipy(name, x, s=[-1], axes=[-1])


@pytest.mark.parametrize("type", (1, 2, 3, 4))
@pytest.mark.parametrize("name", ("dct", "idct", "dst", "idst"))
def test_agrees_with_scipy_for_each_type(name, type):
    for norm, is_orthogonal in itertools.product((None, "ortho", "forward"), (None, True, False)):
        x = noise((3, 10), "c16")
        options = {"type": type, "norm": norm, "orthogonalize": is_orthogonal}
        assert_as_scipy(name, x.real, **options)
        # SciPy 1.17 forgets orthogonalize where x is complex.
        transform = getattr(fft, name)
        by_parts = transform(x.real, **options) + 1j * transform(x.imag, **options)
        np.testing.assert_allclose(transform(x, **options), by_parts, rtol=0, atol=1e-12)


def layouts():
    base = noise((8, 12, 10), "c16")
    yield "reversed", base[::-1, :, ::-1]
    yield "every second", base[::2, 1::3]
    yield "fortran", np.asfortranarray(base)
    yield "transposed", base.transpose(1, 2, 0)
    yield "broadcast", np.broadcast_to(base[0], (5, 12, 10))
    yield "broadcast rows", np.broadcast_to(base[:, :, :1], (8, 12, 10))
    yield "windows", np.lib.stride_tricks.sliding_window_view(base[0, 0], 4)
    unaligned = np.zeros(8 * 16 + 1, np.uint8)[1:].view("c16")
    unaligned[:] = base[0, 0, :8]
    yield "unaligned", unaligned
    yield "a field", np.rec.fromarrays([base[0, 0], base[0, 1]], names="a,b")["b"]
    frozen = base.copy()
    frozen.flags.writeable = False
    yield "read-only", frozen


@pytest.mark.parametrize("layout,x", [pytest.param(*each, id=each[0]) for each in layouts()])
def test_takes_every_layout_and_leaves_it(layout, x):
    before = x.copy()
    assert_as_scipy("fft", x)
    assert_as_scipy("fft", x, axis=0)
    assert_as_scipy("fftn", x, s=[5] * x.ndim)
    np.testing.assert_array_equal(x, before)


@pytest.mark.parametrize("name", ROWS + SOLIDS)
def test_writes_out_wherever_it_lies(name):
    x = noise((6, 10), "f8" if name in OF_REALS or name.startswith(("d", "id")) else "c16")
    expected = getattr(fft, name)(x)
    shape, dtype = expected.shape, expected.dtype
    outs = [np.empty(shape, dtype), np.empty(shape[::-1], dtype).T,
            np.empty((2 * shape[0], 3 * shape[1]), dtype)[::2, ::3], np.empty(shape, dtype)[::-1]]
    for out in outs:
        assert getattr(fft, name)(x, out=out) is out
        np.testing.assert_allclose(out, expected, rtol=0, atol=1e-12)


def test_transforms_in_place():
    x = noise((6, 10), "c16")
    expected = fft.fft2(x)
    y = x.copy()
    assert fft.fft2(y, out=y) is y
    np.testing.assert_allclose(y, expected, rtol=0, atol=1e-12)
    y = x.copy()
    assert fft.fft2(y, overwrite_x=True) is y
    np.testing.assert_allclose(y, expected, rtol=0, atol=1e-12)


def test_writes_over_part_of_its_input():
    memory = noise(40, "c16")
    x, out = memory[:32], memory[8:]
    expected = scipy.fft.fft(x.copy())
    fft.fft(x, out=out)
    np.testing.assert_allclose(out, expected, rtol=0, atol=1e-12)
    x = noise((4, 4), "c16")
    expected = scipy.fft.fft(x)
    fft.fft(x, out=x.T)
    np.testing.assert_allclose(x.T, expected, rtol=0, atol=1e-12)


def test_takes_as_many_dimensions_as_numpy():
    x = noise((1,) * 63 + (5,), "c8")
    np.testing.assert_array_equal(fft.dct(x).ravel(), fft.dct(x.ravel()))
    assert_as_scipy("fftn", x)


def test_transforms_nothing_and_zeros():
    out = np.empty((0, 4), "c16")
    assert fft.fft(np.empty((0, 4)), out=out) is out
    assert fft.fftshift(3.0) == 3
    assert fft.fft(np.empty((0, 4))).shape == (0, 4)
    np.testing.assert_array_equal(fft.fft(np.empty((2, 0)), n=3), np.zeros((2, 3)))
    assert fft.irfft(np.empty((0, 3), "c8")).dtype == np.float32


@pytest.mark.parametrize("workers", (1, 2, -1))
def test_gives_the_same_bits_for_any_workers(workers):
    x = noise((64, 4096), "c8")
    np.testing.assert_array_equal(fft.fft(x, workers=workers), fft.fft(x))
    with fft.set_workers(workers):
        np.testing.assert_array_equal(fft.fft(x), fft.fft(x, workers=3))


def refusals():
    x, y = np.ones((3, 4)), np.ones((3, 4), "c16")
    yield ValueError, "invalid number of data points", lambda: fft.fft(x, 0)
    yield ValueError, "invalid number of data points", lambda: fft.irfft(np.ones(1))
    yield ValueError, "Invalid norm value", lambda: fft.fft(x, norm="other")
    yield IndexError, "axis 2 is out of bounds", lambda: fft.fft(x, axis=2)
    yield ValueError, "exceeds dimensionality", lambda: fft.fftn(x, axes=(0, 2))
    yield ValueError, "all axes must be unique", lambda: fft.fftn(x, axes=(0, 0))
    yield ValueError, "same length", lambda: fft.fftn(x, s=(3,), axes=(0, 1))
    yield ValueError, "more axes than are present", lambda: fft.fftn(x, s=(3, 3, 3))
    yield ValueError, "at least 1 axis", lambda: fft.rfftn(x, axes=())
    yield TypeError, "real sequence", lambda: fft.rfft(y)
    yield TypeError, "longdouble|float128", lambda: fft.fft(np.ones(3, np.longdouble))
    yield TypeError, "cannot be transformed", lambda: fft.fft(np.array(["a", "b"]))
    yield ValueError, "out has shape", lambda: fft.fft(y, out=np.empty((4, 3), "c16"))
    yield TypeError, "out has dtype", lambda: fft.fft(y, out=np.empty((3, 4), "c8"))
    yield TypeError, "give one of type ndarray", lambda: fft.fft(y, out=[1, 2])
    repeated = np.lib.stride_tricks.as_strided(np.zeros(9, "c16"), (3, 4), (0, 16))
    yield ValueError, "elements share memory", lambda: fft.fft(y, out=repeated)
    windows = np.lib.stride_tricks.as_strided(np.zeros(9, "c16"), (3, 4), (32, -16))
    yield ValueError, "elements share memory", lambda: fft.fft(y, out=windows)
    yield ValueError, "a plan was given and no axes", lambda: fft.fftn(x, axes=(), plan="y")
    yield ValueError, "leave stream out", lambda: fft.fftn(x, axes=(), stream="x")
    yield ValueError, "workers must not be zero", lambda: fft.fft(x, workers=0)
    yield ValueError, "workers value out of range", lambda: fft.fft(x, workers=-10000)
    yield ValueError, "Transform type is 5", lambda: fft.dct(x, type=5)
    yield RuntimeError, "type 1 takes 2 points", lambda: fft.dct(np.ones(1), type=1)
    yield RuntimeError, "type 1 takes 2 points", lambda: fft.idctn(np.ones((3, 1)), type=1)
    for function in (fft.fft, fft.irfft, fft.hfft, fft.dct):
        for n in (2**28 + 1, 2**29, 2**62):  # before memory for a result is asked for
            yield ValueError, f"length {n} cannot be transformed; choose", (
                lambda function=function, n=n: function(y.real, n=n))
    yield ValueError, "length 536870912 cannot", lambda: fft.fftn(y, s=(2**29, 3))
    yield ValueError, "length 536870912 cannot", lambda: fft.fft(np.ones(3, np.int8), 2**29)
    yield ValueError, "target is 268435457; give a length up to 268435456", lambda: (
        fft.next_fast_len(2**28 + 1))
    yield TypeError, "one of type NoneType; give an array of numbers", lambda: fft.fft(None)
    yield TypeError, "one of type dict", lambda: fft.dct({})
    yield TypeError, "axis is of type NoneType; give an integer", lambda: fft.fft(x, axis=None)
    yield TypeError, "n is of type str; give an integer", lambda: fft.fft(x, "4")
    yield ValueError, "n is beyond 64 bits", lambda: fft.fft(x, 2**70)
    yield ValueError, "shape is 1180591620717411303424", lambda: fft.fftn(x, 2**70)
    yield ValueError, "target is 1180591620717411303424", lambda: fft.next_fast_len(2**70)
    yield ValueError, "leave stream out", lambda: fft.fft(x, stream=3)
    yield ValueError, "target is -1", lambda: fft.next_fast_len(-1)
    yield ValueError, "target is -1", lambda: fft.prev_fast_len(-1)
    yield ValueError, "leave device out", lambda: fft.fftfreq(3, device="cuda")
    yield TypeError, "engine is 'cuda'; give one of", lambda: wingbeat.why_absent("cuda")
    yield TypeError, "Queue was given \\(3,\\); give one", lambda: wingbeat.Queue(3)
    yield TypeError, "Queue was given \\(\\); give one", lambda: wingbeat.Queue()
    yield TypeError, "a type that this call does not take", lambda: (
        wingbeat._wingbeat.empty_on_device(("3",), "float64", wingbeat._wingbeat.view(x)))
    yield ValueError, "Transform type", lambda: fft.dct(x, type=[])
    yield ValueError, "capacity is -1", lambda: wingbeat.plan_cache.resize(-1)


@pytest.mark.parametrize("error,words,call", list(refusals()))
def test_refuses_in_one_sentence(error, words, call):
    with pytest.raises(error, match=words) as refused:
        call()
    assert "\n" not in str(refused.value)


def test_takes_objects_that_are_numbers():
    numbers = [1, 2.5, 3, -4]
    np.testing.assert_array_equal(fft.rfft(np.array(numbers, object)), fft.rfft(numbers))
    numbers[1] = 2 + 1j
    np.testing.assert_array_equal(fft.fft(np.array(numbers, object)), fft.fft(numbers))
    with pytest.raises(TypeError, match="real sequence"):
        fft.rfft(np.array(numbers, object))


def test_takes_truth_and_any_number_of_workers():
    x = noise(8, "c8")
    for overwrite_x in (0, None, ""):
        assert fft.fft(x, overwrite_x=overwrite_x) is not x
    np.testing.assert_array_equal(fft.fft(x, workers=2**40), fft.fft(x))
    assert fft.fft(x, overwrite_x=1) is x


def test_refuses_a_read_only_out():
    out = np.empty(4, "c16")
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        fft.fft(np.ones(4, "c16"), out=out)


def test_names_fast_lengths():
    assert [fft.next_fast_len(n) for n in (1, 2, 7, 17, 1019)] == [1, 2, 7, 18, 1024]
    assert [fft.next_fast_len(n, real=True) for n in (7, 15)] == [8, 16]
    assert [fft.prev_fast_len(n) for n in (1, 2, 17, 1019)] == [1, 2, 16, 1014]
    assert fft.next_fast_len(0) == fft.prev_fast_len(0) == scipy.fft.next_fast_len(0) == 0
    for n in range(1, 2000, 7):
        assert fft.prev_fast_len(fft.next_fast_len(n)) == fft.next_fast_len(n)


@pytest.mark.parametrize("name", ("irfftn", "irfft2", "hfftn", "hfft2"))
def test_one_bin_of_several_axes_is_one_point_as_in_scipy(name):
    for x in (np.ones((3, 1)), noise((2, 3, 1), "c16"), noise((4, 1), "c8")):
        assert_as_scipy(name, x)
    with pytest.raises(ValueError, match="invalid number of data points"):
        fft.irfft(np.ones(1))


@pytest.mark.parametrize("name", ("fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2"))
def test_planes_take_one_axis_or_three_as_in_scipy(name):
    x = noise((3, 4, 5), "f8")
    for axes in (1, -1, (0,), (0, 1, 2)):
        assert_as_scipy(name, x, axes=axes)


@pytest.mark.parametrize("name", ("fftfreq", "rfftfreq"))
def test_frequencies_are_of_the_module_and_dtype(name):
    for n in (1, 4, 5):
        wanted = getattr(scipy.fft, name)(n, 0.1)
        for options in ({}, {"xp": np}, {"dtype": "f4"}, {"xp": np, "dtype": np.float32}):
            result = getattr(fft, name)(n, 0.1, **options)
            assert result.dtype == options.get("dtype", np.float64)
            np.testing.assert_allclose(result, wanted, rtol=1e-6)
    torch = pytest.importorskip("torch")
    result = getattr(fft, name)(5, 0.1, xp=torch, dtype=torch.float64)
    np.testing.assert_allclose(result.numpy(), wanted)


def test_plans_are_bounded_by_their_bytes():
    cache, before = wingbeat.plan_cache, wingbeat.plan_cache.info()
    cache.clear()
    cache.resize(max_bytes=2**27)
    for n in range(10**6, 10**6 + 20, 2):  # 64 MB or more of tables each
        fft.fft(np.zeros(n, "c16"))
        info = cache.info()
        assert info.bytes <= 2**27 or info.size == 1
    assert 0 < info.size < 5 and info.bytes > 2 * 16 * 10**6 and info.capacity == before.capacity
    cache.resize(max_bytes=0)
    assert cache.info().size == 1
    cache.resize(max_bytes=before.max_bytes)
    assert cache.info()[1::4] == before[1::4]
    with pytest.raises(ValueError, match="max_bytes is -1"):
        cache.resize(max_bytes=-1)


def test_bounds_its_plans():
    capacity = wingbeat.plan_cache.info().capacity
    wingbeat.plan_cache.clear()
    wingbeat.plan_cache.resize(3)
    for n in range(5, 15):
        fft.fft(np.ones(n))
    assert wingbeat.plan_cache.info()[:2] == (3, 3)
    misses = wingbeat.plan_cache.info().misses
    fft.fft(np.ones(14))
    assert wingbeat.plan_cache.info().misses == misses
    wingbeat.plan_cache.resize(capacity)


def test_without_axes_x_is_copied_to_out():
    x, out = np.ones((2, 3)), np.zeros((2, 3))
    assert fft.fftn(x, axes=(), out=out) is out and np.array_equal(out, x)
    with pytest.raises(ValueError, match="norm is"):
        fft.fftn(x, axes=(), norm="unit")
    with pytest.raises(ValueError, match="workers must not be zero"):
        fft.fftn(x, axes=(), workers=0)


@pytest.mark.parametrize("axis", (0, 1))
def test_an_out_that_crosses_x_has_the_bits_of_a_result(axis):
    x = (RNG.standard_normal((20, 20)) + 1j * RNG.standard_normal((20, 20))).astype("c16")
    expected = fft.fft(x, axis=axis)
    out = x.T
    assert fft.fft(x, axis=axis, out=out) is out
    np.testing.assert_array_equal(out, expected)
