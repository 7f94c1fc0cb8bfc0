# SPDX-License-Identifier: Apache-2.0
"""wingbeat.signal beside scipy.signal: random shapes, modes, axes and dtypes; streams; long
kernels."""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.signal

import wingbeat
from other_libraries import assert_same, each_library
from wingbeat import channelise, image, match, signal

RNG = np.random.default_rng(34)
DTYPES = ("float16", "float32", "float64", "complex64", "complex128", "int32", "uint8", "int64")
MODES = ("full", "same", "valid")


def noise(shape, dtype):
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        return RNG.integers(0, 20, shape).astype(dtype)
    numbers = RNG.standard_normal(shape)
    if dtype.kind == "c":
        numbers = numbers + 1j * RNG.standard_normal(shape)
    return numbers.astype(dtype)


def outcome(module, name, args):
    """Returns what a function returns, or the type of what it raises."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return getattr(module, name)(*args)
    except ValueError as error:
        return type(error)


def assert_as_scipy(name, *args):
    expected, result = (outcome(each, name, args) for each in (scipy.signal, signal))
    if isinstance(expected, type):
        assert result is expected
        return
    assert result.flags.c_contiguous
    if result.ndim and result.shape != expected.shape and "same" in args[2:]:
        # SciPy crops what it repeats beside the axes too.
        full, axes = outcome(scipy.signal, name, (*args[:2], "full", args[3])), args[3]
        expected = full[tuple(
            slice((n - args[0].shape[d]) // 2, (n + args[0].shape[d]) // 2) if d in axes
            else slice(None) for d, n in enumerate(full.shape))]
    assert result.shape == expected.shape
    assert result.dtype == expected.dtype
    # SciPy transforms narrow arrays narrowly, even beside wide ones.
    is_narrow = any(each.dtype.name in ("float16", "float32", "complex64") for each in args[:2])
    tolerance = 5e-2 if expected.dtype == np.float16 else 5e-4 if is_narrow else 1e-10
    np.testing.assert_allclose(result, expected, rtol=tolerance, atol=10 * tolerance)


def random_shapes(rank, axes):
    """Shapes that agree beside the axes: there one may be 1."""
    first, second = RNG.integers(1, 9, (2, rank))
    for d in set(range(rank)) - set(axes):
        kind = RNG.integers(3)
        first[d] = 1 if kind == 1 else first[d]
        second[d] = first[d] if kind == 0 else 1 if kind == 2 else second[d]
    return first, second


@pytest.mark.parametrize("name", ["fftconvolve", "oaconvolve"])
@pytest.mark.parametrize("mode", MODES)
def test_transforms_agree_along_any_axes(name, mode):
    for _ in range(100):
        rank = RNG.integers(1, 6)
        axes = tuple(RNG.permutation(rank)[:RNG.integers(1, rank + 1)].tolist())
        first, second = (noise(shape, RNG.choice(DTYPES)) for shape in random_shapes(rank, axes))
        assert_as_scipy(name, first, second, mode, axes)


@pytest.mark.parametrize("name", ["convolve", "correlate"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("method", ["auto", "fft", "direct"])
def test_all_axes_agree_by_each_method(name, mode, method):
    dtypes = [dtype for dtype in DTYPES if dtype != "float16"]  # SciPy sums none
    for _ in range(40):
        first, second = (noise(RNG.integers(1, 9, rank), RNG.choice(dtypes))
                         for rank in [RNG.integers(1, 4)] * 2)
        assert_as_scipy(name, first, second, mode, method)


@pytest.mark.parametrize("name", ["convolve2d", "correlate2d"])
@pytest.mark.parametrize("boundary", ["fill", "wrap", "symm"])
@pytest.mark.parametrize("mode", MODES)
def test_two_dimensions_agree_for_each_boundary(name, boundary, mode):
    for _ in range(40):
        first, second = RNG.integers(1, 12, (2, 2))
        dtypes = ["float32", "float64", "int32"]
        if not (name == "correlate2d" and mode == "valid"):  # there SciPy leaves a conjugate out
            dtypes += ["complex64", "complex128"]
        images = noise(first, RNG.choice(dtypes)), noise(second, RNG.choice(dtypes))
        assert_as_scipy(name, *images, mode, boundary, RNG.integers(3))


@pytest.mark.parametrize("mode", MODES)
def test_long_arrays_agree(mode):
    for first, second in [((5000,), (700,)), ((300,), (4001,)), ((70000,), (64,)),
                          ((65, 90), (33, 12)), ((20, 30, 17), (9, 8, 7))]:
        for dtype in ("float32", "complex128", "int64"):
            for name in ("convolve", "correlate"):
                images = noise(first, dtype), noise(second, dtype)
                if name == "convolve" or first[0] > second[0] or mode != "valid":
                    result = getattr(signal, name)(*images, mode)
                    expected = getattr(scipy.signal, name)(*images, mode)
                    limit = 1e-4 if dtype == "float32" else 1e-11
                    scale = np.abs(expected).max()
                    np.testing.assert_allclose(result, expected, rtol=0, atol=limit * scale)


def test_batches_of_many_pairs_agree():
    first, second = noise((3000, 700), "float64"), noise((3000, 650), "float64")
    result = signal.fftconvolve(first, second, axes=1)
    for row in (0, 1499, 2999):
        np.testing.assert_allclose(result[row], np.convolve(first[row], second[row]), atol=1e-10)


def test_valid_correlations_of_exchanged_images_are_conjugated():
    small, large = noise((3, 4), "complex128"), noise((6, 9), "complex128")
    expected = scipy.signal.correlate(small, large, "valid")
    np.testing.assert_allclose(signal.correlate2d(small, large, "valid"), expected, atol=1e-12)


def test_integers_are_exact_or_wrap_around():
    first, second = RNG.integers(-2**30, 2**30, (2, 400))
    with np.errstate(over="ignore"):
        assert (signal.convolve(first, second) == np.convolve(first, second)).all()
    small = RNG.integers(0, 100, (2, 5000))
    assert (signal.convolve(*small, method="fft") == np.convolve(*small)).all()


def test_not_a_number_stays_where_it_is_in_two_dimensions():
    image = noise((100, 100), "float64")
    image[0, 99] = np.nan
    result = signal.convolve2d(image, np.ones((9, 9)), "same")
    np.testing.assert_allclose(result, scipy.signal.convolve2d(image, np.ones((9, 9)), "same"),
                               atol=1e-10)
    with pytest.warns(RuntimeWarning, match="Use of fft convolution"):
        signal.convolve(image, image, method="fft")


def devices_of_torch():
    torch = pytest.importorskip("torch")
    return [torch.device("cpu")] + [torch.device("cuda")] * torch.cuda.is_available()


@pytest.mark.parametrize("mode", MODES)
def test_tensors_are_convolved_on_their_device(mode):
    for device in devices_of_torch():
        import torch
        for _ in range(40):
            rank = RNG.integers(1, 5)
            axes = tuple(RNG.permutation(rank)[:RNG.integers(1, rank + 1)].tolist())
            dtypes = RNG.choice(["float32", "float64", "complex64", "complex128", "int32"], 2)
            arrays = [noise(s, dtype) for s, dtype in zip(random_shapes(rank, axes), dtypes)]
            tensors = [torch.from_numpy(each).to(device) for each in arrays]
            expected = outcome(signal, "fftconvolve", (*arrays, mode, axes))
            result = outcome(signal, "fftconvolve", (*tensors, mode, axes))
            if isinstance(expected, type):
                assert result is expected
                continue
            assert result.device.type == device.type and result.shape == expected.shape
            np.testing.assert_allclose(result.cpu().resolve_conj(), expected, rtol=1e-3, atol=1e-2)
        # A conjugated view has a flag in place of its values.
        first, second = noise((60,), "complex128"), noise((50,), "complex128")
        tensors = [torch.from_numpy(each).to(device) for each in (first, second)]
        np.testing.assert_allclose(signal.correlate(*tensors, mode).cpu().resolve_conj(),
                                   signal.correlate(first, second, mode), atol=1e-10)
        rows = noise((7, 5001), "float32"), noise((7, 33), "float32")
        result = signal.oaconvolve(*(torch.from_numpy(x).to(device) for x in rows), mode, 1)
        np.testing.assert_allclose(result.cpu(), signal.oaconvolve(*rows, mode, 1), atol=1e-4)


@each_library
@pytest.mark.parametrize("boundary", ("fill", "wrap", "symm"))
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ("convolve2d", "correlate2d"))
def test_images_of_other_libraries_have_boundaries(library, name, mode, boundary):
    function = getattr(signal, name)
    for shapes in (((20, 31), (5, 8)), ((4, 5), (4, 5)), ((6, 7), (1, 1))):
        for dtype in ("float32", "complex128"):
            arrays = [noise(shape, dtype) for shape in shapes]
            for fillvalue in (0, 3):
                assert_same(function, library, arrays, 1e-4, mode=mode, boundary=boundary,
                            fillvalue=fillvalue)


def test_arrays_of_other_libraries_are_refused_where_they_are_not_taken():
    torch = pytest.importorskip("torch")
    x, y = torch.ones(4), np.ones(4)
    for text, call in [("one library", lambda: signal.fftconvolve(x, y)),
                       ("numpy arrays", lambda: signal.choose_conv_method(x[None], x[None])),
                       ("gradient", lambda: signal.fftconvolve(x.requires_grad_(), x))]:
        with pytest.raises(TypeError, match=text):
            call()


class Foreign:
    """An array of a library that is known by a protocol alone."""

    shape, ndim = (4, 4), 2

    def __dlpack__(self):
        raise NotImplementedError

    def __array__(self, dtype=None, copy=None):
        return np.ones(self.shape, dtype)


def test_arrays_of_other_libraries_are_not_converted_silently():
    x, y = Foreign(), np.ones((4, 4))
    bank = channelise.Channeliser(1e6, 16, 4, spectra_per_heap=16)
    for call in [lambda: signal.fftconvolve(x, x), lambda: signal.convolve2d(x, x),
                 lambda: signal.long_conv(x, x), lambda: signal.StreamFilter(x),
                 lambda: signal.StreamFilter([1.0]).push(x), lambda: match.match_template(y, x),
                 lambda: match.match_scores(x, y), lambda: image.convolve(x, y),
                 lambda: image.bloom(y, x), lambda: channelise.channelize_poly(x, y, 1),
                 lambda: bank.push(x)]:
        with pytest.raises(TypeError, match="Foreign"):
            call()


def refusals():
    yield "same dimensionality", lambda: signal.fftconvolve([1], [[1]])
    yield "same dimensionality", lambda: signal.convolve([1], [[1]])
    yield "acceptable mode flags", lambda: signal.fftconvolve([1], [1], "most")
    yield "Acceptable mode flags", lambda: signal.correlate([1], [1], "most")
    yield "Acceptable method flags", lambda: signal.convolve([1], [1], "full", "some")
    yield "axes cannot be empty", lambda: signal.oaconvolve([1], [1], axes=[])
    yield "incompatible shapes", lambda: signal.fftconvolve(np.ones((2, 3)), np.ones((3, 3)),
                                                            axes=1)
    yield "one must be at least", lambda: signal.convolve(np.ones((2, 3)), np.ones((3, 2)), "valid")
    yield "2-D arrays", lambda: signal.convolve2d([1], [1])
    yield "boundary flags", lambda: signal.convolve2d([[1]], [[1]], boundary="edge")
    yield "boundary flags", lambda: signal.correlate2d([[1]], [[1]], "same", boundary=["wrap"])
    yield "mode flags", lambda: signal.fftconvolve([1], [1], ["full"])
    yield "`fillvalue` must be scalar", lambda: signal.convolve2d([[1]], [[1]], fillvalue=[1, 2])
    yield "could not cast `fillvalue`", lambda: signal.convolve2d([[1]], [[1]], fillvalue=1j)
    yield "one", lambda: signal.StreamFilter([[1.0]])
    yield "taps", lambda: signal.StreamFilter(np.zeros(0))
    yield "name of an engine", lambda: signal.StreamFilter([1.0], device="gpu")
    yield "channels", lambda: signal.long_conv(np.ones((3, 8)), np.ones((2, 8)))
    yield "gate has shape", lambda: signal.long_conv(np.ones((3, 8)), np.ones(8), gate=np.ones(7))
    yield "lengths has shape", lambda: signal.long_conv(np.ones((3, 8)), np.ones(8), lengths=[1, 2])
    yield "lengths are from 1 to 9", lambda: signal.long_conv(np.ones((2, 1, 8)), np.ones(8),
                                                              lengths=[1, 9])
    yield "skip has shape", lambda: signal.long_conv(np.ones((3, 8)), np.ones(8), skip=np.ones(2))
    yield "0 or more", lambda: signal.cache_resize(-1)


@pytest.mark.parametrize("text, call", list(refusals()))
def test_refusals_are_one_sentence(text, call):
    with pytest.raises(ValueError, match=text) as raised:
        call()
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("text, call", [
    ("gate is of <U1", lambda: signal.long_conv(np.ones(8), np.ones(8), gate="a")),
    ("complex dtype", lambda: signal.StreamFilter([1j], dtype="float32")),
    ("choose float32", lambda: signal.StreamFilter([1.0], dtype="int16")),
    ("complex", lambda: signal.StreamFilter([1.0]).push([1j])),
    ("dtype <U1 was given", lambda: signal.fftconvolve(["a"], ["b"])),
    ("dtype datetime64", lambda: signal.convolve(np.ones(3, "M8[s]"), np.ones(3))),
    ("`fillvalue` is of type NoneType", lambda: signal.convolve2d([[1]], [[1]], fillvalue=None)),
    ("`fillvalue` is of type str", lambda: signal.convolve2d([[1]], [[1]], fillvalue="a")),
    ("dtype is 'abc'", lambda: signal.StreamFilter([1.0], dtype="abc")),
    ("taps are of dtype object", lambda: signal.StreamFilter([None], dtype="float32")),
    ("samples are of dtype object", lambda: signal.StreamFilter([1.0]).push([None])),
    ("lengths is of dtype float64", lambda: signal.long_conv(np.ones(8), np.ones(8), lengths=1.0)),
    ("paired is of type int", lambda: signal.long_conv(np.ones(8), np.ones(8), paired=1)),
    ("causal is of type float", lambda: signal.long_conv(np.ones(8), np.ones(8), 2.0))])
def test_refusals_of_types_are_one_sentence(text, call):
    with pytest.raises(TypeError, match=text) as raised:
        call()
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_stream_filters_do_not_depend_on_the_cuts(dtype):
    taps, samples = noise(101, dtype), noise(9001, dtype)
    whole = None
    for cuts in ([], [1, 2, 5000, 5000, 8999], [2048, 4096, 8192]):
        stream = signal.StreamFilter(taps, min_step=512)
        pieces = [stream.push(piece) for piece in np.split(samples, cuts)] + [stream.flush()]
        result = np.concatenate(pieces)
        assert result.dtype == dtype
        whole = result if whole is None else whole
        assert (result == whole).all()
    expected = np.convolve(samples.astype("complex128"), taps.astype("complex128"))
    np.testing.assert_allclose(whole, expected, atol=1e-3 if dtype in ("float32", "complex64") else
                               1e-11)
    assert len(stream.flush()) == 0
    swapped = signal.StreamFilter(taps, 512, np.dtype(dtype).newbyteorder())
    assert (swapped.push(samples) == whole[:len(samples) // swapped.step * swapped.step]).all()
    assert len(stream.push(samples)) == len(samples) // stream.step * stream.step


def test_stream_filters_run_on_other_devices():
    if wingbeat.why_absent(wingbeat.Engine.opencl):
        pytest.skip("no OpenCL device here")
    taps, samples = noise(33, "float32"), noise(3000, "float32")
    stream = signal.StreamFilter(taps, min_step=512, device="opencl")
    result = np.concatenate([stream.push(samples), stream.flush()])
    np.testing.assert_allclose(result, np.convolve(samples, taps), atol=1e-4)


@pytest.mark.parametrize("dtype, tolerance", [("float64", 1e-12), ("complex128", 1e-12),
                                              ("float32", 1e-4)])
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("shape, taps", [((2, 3, 64), (3, 64)), ((3, 50), (3, 7)),
                                         ((2, 1, 3, 33), (1, 90)), ((40,), (40,)), ((2, 40), (9,))])
def test_long_convolutions_are_their_sums(causal, shape, taps, dtype, tolerance):
    x, k = noise(shape, dtype), noise(taps, dtype)
    gate = noise(shape, dtype)
    skip = noise(shape[-2], dtype) if len(shape) > 1 else np.full((), 0.5, dtype)
    result = signal.long_conv(x, k, causal, gate, skip)
    kernels = np.broadcast_to(k, shape[:-1] + k.shape[-1:])
    start = 0 if causal else (k.shape[-1] - 1) // 2
    for row in np.ndindex(shape[:-1]):
        own_skip = skip[row[-1]] if len(shape) > 1 else skip
        sums = np.convolve(x[row], kernels[row])[start:start + shape[-1]]
        np.testing.assert_allclose(result[row], gate[row] * (sums + own_skip * x[row]),
                                   atol=tolerance)
    assert result.dtype == dtype
    plain = signal.long_conv(x, k, causal)
    expected = (result / gate) - skip[..., None] * x if len(shape) > 1 else result / gate - skip * x
    np.testing.assert_allclose(plain, expected, atol=1e3 * tolerance)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("n_taps", [1, 30, 61])
def test_long_convolutions_of_gated_signals_of_their_own_lengths(causal, paired, n_taps, dtype):
    x, before, gate = (noise((2, 2, 3, 30), dtype) for _ in range(3))
    k, skip, lengths = noise((3, n_taps), dtype), noise(3, dtype), np.array([[30, 0], [7, 22]])
    prepared = signal.PreparedLongConv(k, causal, skip, paired=paired)
    is_there = np.arange(30) < lengths[..., None, None]
    for each in x, before, gate:
        each[~np.broadcast_to(is_there, each.shape)] = np.nan
    u = np.where(is_there, x * before, 0)
    y = signal.long_conv(u, k, causal, skip=skip)
    expected = np.where(is_there, np.where(is_there, gate, 0) * y, 0)
    for result in (signal.long_conv(x, k, causal, gate, skip, gate_before=before, lengths=lengths,
                                    paired=paired),
                   prepared(x, gate, gate_before=before, lengths=lengths),
                   prepared(x, gate, gate_before=before, lengths=lengths)):
        np.testing.assert_allclose(result, expected, atol=1e-12)
        assert result.dtype == dtype
    k[:] = 0  # which were copied
    np.testing.assert_allclose(prepared(u), y, atol=1e-12)


def test_rows_of_their_own_keep_signals_apart():
    x, k = noise((2, 3, 9), "float64"), noise((3, 9), "float64")
    x[0, 1, 2] = np.nan
    assert np.isnan(signal.long_conv(x, k)[1, 1]).all()
    apart = signal.long_conv(x, k, paired=False)
    np.testing.assert_allclose(apart[1], signal.long_conv(x[1], k), atol=1e-13)
    assert np.isnan(apart[0, 1]).all() and not np.isnan(apart[0, ::2]).any()
    loud = np.stack([1e6 * noise((1, 1000), "float32"), np.ones((1, 1000), "float32")])
    taps = noise(1000, "float32")
    expected = signal.long_conv(loud[1].astype(float), taps)
    result = signal.long_conv(loud, taps, paired=False)[1]
    np.testing.assert_allclose(result, expected, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("fill", [1e9, np.inf, np.nan, 1e9 + 2e9j])
@pytest.mark.parametrize("function", ["convolve2d", "correlate2d"])
@pytest.mark.parametrize("mode", ["full", "same"])
def test_a_fill_concerns_its_own_sums(function, fill, mode):
    for shape, taps in [((60, 70), (20, 25)), ((40, 30), (50, 21)), ((33, 44), (40, 50)),
                        ((5, 6), (2, 4))]:
        dtype = "complex128" if isinstance(fill, complex) else "float64"
        in1, in2 = noise(shape, dtype), noise(taps, dtype)
        result = getattr(signal, function)(in1, in2, mode, fillvalue=fill)
        expected = getattr(scipy.signal, function)(in1, in2, mode, fillvalue=fill)
        touched = getattr(scipy.signal, function)(np.zeros(shape), np.ones(taps), mode, fillvalue=1)
        scale = np.where((touched != 0) & np.isfinite(fill), abs(fill), 1)
        with np.errstate(invalid="ignore"):
            is_same = (np.abs(result - expected) <= 1e-9 * scale) | (result == expected)
        assert result.dtype == expected.dtype
        assert (is_same | (np.isnan(result) & np.isnan(expected))).all()


@each_library
@pytest.mark.parametrize("fill", [1e9, np.nan])
def test_fills_of_other_libraries_are_those_of_numpy(library, fill):
    arrays = noise((60, 70), "float64"), noise((20, 25), "float64")
    expected = signal.convolve2d(*arrays, "same", fillvalue=fill)
    result = signal.convolve2d(*map(library.of_numpy, arrays), "same", fillvalue=fill)
    np.testing.assert_allclose(library.to_numpy(result), expected, rtol=1e-9, atol=1e-9)


def test_numbers_do_not_widen_long_convolutions():
    x, k = noise((2, 8), "float32"), noise((2, 4), "float32")
    assert signal.long_conv(x, k, gate=2.0, skip=0.5).dtype == np.float32
    assert signal.long_conv(x, k, skip=1j).dtype == np.complex64
    assert signal.long_conv(x, k, skip=np.full(2, 0.5)).dtype == np.float64


@pytest.mark.parametrize("causal", (True, False))
@pytest.mark.parametrize("dtype", ("float32", "float16"))
def test_numbers_are_as_precise_as_long_convolutions(dtype, causal):
    x, k = (10 * noise((2, 8), "float64")).astype(dtype), noise((2, 4), "float64")
    gate, skip = 1 / 3, 1000.1
    result = signal.long_conv(x, k, causal, gate=gate, skip=skip)
    x = x.astype(np.float64)
    expected = gate * (signal.long_conv(x, k, causal) + skip * x)
    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-14 * np.abs(expected).max())


@pytest.mark.parametrize("causal", (True, False))
def test_long_convolutions_of_no_signals_are_none(causal):
    result = signal.long_conv(noise((0, 3, 8), "float32"), noise((3, 4), "float32"), causal)
    assert result.shape == (0, 3, 8) and result.dtype == np.float32


def test_threads_share_the_kept_convolutions():
    signal.cache_clear()
    signals = [noise(n, "float32") for n in range(500, 540)]
    taps = noise(200, "float32")
    expected = [np.convolve(each, taps) for each in signals]

    def largest_error(i):
        return np.abs(signal.fftconvolve(signals[i], taps) - expected[i]).max()

    with ThreadPoolExecutor(16) as pool:
        errors = list(pool.map(largest_error, list(range(40)) * 10))
    assert max(errors) < 1e-3
    info = signal.cache_info()
    assert info["size"] == info["capacity"] == 32
    assert info["hits"] + info["misses"] >= 400


@pytest.mark.parametrize("shapes", [((50,), (5,)), ((1000,), (31,)), ((100_000,), (7,)),
                                    ((64, 64), (3, 3))])
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_short_kernels_are_summed(name, shapes):
    x, k = (noise(shape, "float32") for shape in shapes)
    assert signal.choose_conv_method(x, k) == "direct"
    direct = getattr(signal, name)(x, k, "same", "direct")
    np.testing.assert_array_equal(getattr(signal, name)(x, k, "same"), direct)
    x[(0,) * x.ndim] = np.nan  # which stays where it is
    assert np.isnan(getattr(signal, name)(x, k, "same")).sum() <= k.size


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "int64", "uint64"])
def test_sums_of_integers_wrap_around(dtype):
    limits = np.iinfo(dtype)
    x, k = (RNG.integers(limits.min, limits.max, n, dtype, endpoint=True) for n in (300, 41))
    for mode in MODES:
        result = signal.convolve(x[::-1], k, mode)
        np.testing.assert_array_equal(result, np.convolve(x[::-1], k, mode))
        assert result.dtype == dtype
