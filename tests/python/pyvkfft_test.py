# SPDX-License-Identifier: Apache-2.0
"""wingbeat.compat.pyvkfft against scipy.fft, on numpy's arrays and on an OpenCL device, with CuPy
on a GPU; pyvkfft's own suite runs by pyvkfft_suite.py."""

import doctest
import warnings

import numpy as np
import pytest

scipy_fft = pytest.importorskip("scipy.fft", reason="scipy is not installed here")

from wingbeat.compat import pyvkfft  # noqa: E402

SHAPES = ((8,), (9,), (4, 6), (3, 5), (4, 6, 8), (3, 4, 5), (2, 3, 4, 6))
NORMS = {0: ("backward", "forward"), 1: ("backward", "backward"), "ortho": ("ortho", "ortho")}


class Numpy:
    """Arrays of numpy, as other arrays are used here."""

    app = pyvkfft.VkFFTApp

    def to_device(self, x):
        return np.array(x, order="K")

    def to_host(self, x):
        return x


class Cupy(Numpy):
    def __init__(self):
        cupy = pytest.importorskip("cupy", reason="cupy is not installed here")
        if cupy.cuda.runtime.getDeviceCount() == 0:
            pytest.skip("no GPU here")
        self.to_device = cupy.array

    def to_host(self, x):
        return x.get()


class Opencl(Numpy):
    def __init__(self):
        cl = pytest.importorskip("pyopencl", reason="pyopencl is not installed here")
        import pyopencl.array
        platforms = cl.get_platforms()
        if not platforms:
            pytest.skip("no OpenCL device here")
        self.queue = cl.CommandQueue(cl.Context(platforms[0].get_devices()[:1]))
        self.to_device = lambda x: cl.array.to_device(self.queue, x)

    def app(self, shape, dtype, **options):
        return pyvkfft.OpenclVkFFTApp(shape, dtype, self.queue, **options)

    def to_host(self, x):
        return x.get()


@pytest.fixture(scope="module", params=(Numpy, Cupy, Opencl), ids=lambda kind: kind.__name__)
def device(request):
    return request.param()


def axes_of(shape, ndim, order):
    """Returns the transformed axes, the densest one last."""
    axes = list(range(len(shape)))
    return axes[-ndim:] if order == "C" else axes[:ndim][::-1]


def cases():
    for order in "CF":
        for shape in SHAPES:
            for ndim in range(1, min(len(shape), 3) + 1):
                yield shape, ndim, order


def chosen(device):
    """Returns all cases; where a case means kernels to compile, a few."""
    if isinstance(device, Opencl):
        return [((9,), 1, "C"), ((4, 6), 2, "F"), ((3, 4, 5), 2, "C")]
    return list(cases())


def close(result, expected, device):
    result = device.to_host(result)
    assert result.dtype == expected.dtype and result.shape == expected.shape
    np.testing.assert_allclose(result, expected, atol=2e-6 * abs(expected).max())


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("inplace", (True, False))
def test_complex(inplace, norm, device):
    rng = np.random.default_rng(1)
    for shape, ndim, order in chosen(device):
        x = (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(np.complex64)
        x, axes = np.asarray(x, order=order), axes_of(shape, ndim, order)
        app = device.app(shape, x.dtype, ndim=ndim, inplace=inplace, norm=norm, strides=x.strides)
        for call, reference, scale in ((app.fft, scipy_fft.fftn, NORMS[norm][0]),
                                       (app.ifft, scipy_fft.ifftn, NORMS[norm][1])):
            source = device.to_device(x)
            result = call(source, None if inplace else device.to_device(x))
            close(result, reference(x, axes=axes, norm=scale), device)
            if not inplace:
                close(source, x, device)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("inplace", (True, False))
def test_half_spectra(inplace, norm, device):
    rng = np.random.default_rng(2)
    for shape, ndim, order in chosen(device):
        axes = axes_of(shape, ndim, order)
        x = np.asarray(rng.standard_normal(shape).astype(np.float32), order=order)
        lengths = [shape[axis] for axis in axes]
        is_odd = lengths[-1] % 2 == 1
        spectrum = np.asarray(scipy_fft.rfftn(x, axes=axes, norm=NORMS[norm][0]), order=order)
        original = scipy_fft.irfftn(spectrum, lengths, axes, norm=NORMS[norm][1])
        inside = tuple(slice(0, n) for n in shape)
        padded = list(shape)
        if inplace:
            padded[axes[-1]] += 1 if is_odd else 2
        given = np.full(padded, 7, np.float32, order=order)
        given[inside] = x
        app = device.app(tuple(padded), given.dtype, ndim=ndim, inplace=inplace, norm=norm,
                         r2c=True, strides=given.strides, r2c_odd=is_odd)
        source = device.to_device(given)
        result = app.fft(source, None if inplace else device.to_device(spectrum * 0))
        close(result, spectrum, device)
        result = app.ifft(result, None if inplace else device.to_device(given))
        close(device.to_host(result)[inside], original, Numpy())


@pytest.mark.parametrize("kind", (1, 2, 3, 4))
@pytest.mark.parametrize("name", ("dct", "dst"))
def test_cosines_and_sines(name, kind, device):
    x = np.random.default_rng(3).standard_normal((4, 6)).astype(np.float32)
    app = device.app(x.shape, x.dtype, ndim=1, **{name: kind})
    close(app.fft(device.to_device(x)), getattr(scipy_fft, name)(x, kind), device)
    close(app.ifft(device.to_device(x)), getattr(scipy_fft, "i" + name)(x, kind), device)


def test_functions(device):
    x = np.random.default_rng(4).standard_normal((4, 6)).astype(np.float32)
    z = x.astype(np.complex64)
    close(pyvkfft.fftn(device.to_device(z), ndim=1), scipy_fft.fft(z), device)
    source = device.to_device(z)
    result, scale = pyvkfft.ifftn(source, source, return_scale=True)
    close(result, scipy_fft.ifftn(z), device)
    assert result is source and float(scale) == pytest.approx(24 ** 0.5)
    half = pyvkfft.rfftn(device.to_device(x))
    close(half, scipy_fft.rfftn(x), device)
    close(pyvkfft.irfftn(half), x, device)
    odd = pyvkfft.rfftn(device.to_device(x[:, :5].copy()), ndim=1)
    close(pyvkfft.irfftn(odd, ndim=1, r2c_odd=True), x[:, :5], device)
    for name in "dctn", "idctn", "dstn", "idstn":
        close(getattr(pyvkfft, name)(device.to_device(x)), getattr(scipy_fft, name)(x), device)
    if not isinstance(device, Opencl):
        turned = device.to_device(np.asfortranarray(x))
        close(pyvkfft.irfftn(pyvkfft.rfftn(turned)), x, device)


def test_narrow_numbers():
    structure = np.dtype([("re", np.float16), ("im", np.float16)])
    x = np.random.default_rng(5).standard_normal((3, 30)).astype(np.float16)
    out = np.empty((3, 16), structure)
    pyvkfft.VkFFTApp(x.shape, x.dtype, ndim=1, inplace=False, r2c=True).fft(x, out)
    expected = np.fft.rfft(x.astype(float))
    assert abs(out["re"] + 1j * out["im"] - expected).max() < 0.02


MISUSES = [
    (NotImplementedError, "tune_config", {"tune_config": {}}),
    (NotImplementedError, "useLUT", {"useLUT": 0}),
    (RuntimeError, "norm is 2", {"norm": 2}),
    (RuntimeError, "more than one", {"r2c": True, "dct": 2}),
    (RuntimeError, "dtype is complex64", {"r2c": True}),
    (RuntimeError, "dtype is float32", {"dtype": np.float32}),
    (RuntimeError, "dct is 5", {"dct": 5, "dtype": np.float32}),
    (RuntimeError, "ndim is 3", {"ndim": 3}),
    (RuntimeError, "give as many", {"ndim": 2, "axes": (0,)}),
    (RuntimeError, "give numbers from", {"axes": (2,)}),
    (RuntimeError, "densest axis is 1", {"axes": (0,), "r2c": True, "dtype": np.float32}),
    (RuntimeError, "densest axis, 1, odd", {"shape": (4, 7), "r2c": True, "dtype": np.float32}),
]


@pytest.mark.parametrize("error,text,options", MISUSES, ids=[text for _, text, _ in MISUSES])
def test_misuse(error, text, options):
    with pytest.raises(error, match=text):
        pyvkfft.VkFFTApp(**{"shape": (4, 6), "dtype": np.complex64, **options})


def test_misuse_of_destinations():
    x = np.ones(4, np.complex64)
    with pytest.raises(RuntimeError, match="is in place"):
        pyvkfft.VkFFTApp(x.shape, x.dtype).fft(x, x.copy())
    for dest in None, x:
        with pytest.raises(RuntimeError, match="is not in place"):
            pyvkfft.VkFFTApp(x.shape, x.dtype, inplace=False).fft(x, dest)
    for src, dest, name in ((None, None, "src"), (x, [1.0] * 4, "dest")):
        with pytest.raises(TypeError, match=f"{name} is of type"):
            pyvkfft.VkFFTApp(x.shape, x.dtype, inplace=False).fft(src, dest)
    for given in ([1, 2], np.arange(4)):
        with pytest.raises(TypeError, match="no floating point"):
            pyvkfft.fftn(given)
    with pytest.raises(NotImplementedError, match="tune was given"):
        pyvkfft.fftn(x, tune=True)


def test_examples():
    result = doctest.testmod(pyvkfft)
    assert result.attempted and not result.failed


def test_accuracy_of_pyvkfft_itself():
    """Its own measure of accuracy, on the first OpenCL device."""
    pytest.importorskip("pyvkfft", reason="pyvkfft is not on the path")
    opencl = Opencl()
    import pyvkfft_suite  # noqa: F401
    from pyvkfft import accuracy
    accuracy.gpu_ctx_dic["pyopencl"] = (opencl.queue.device, opencl.queue.context, opencl.queue,
                                        True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for shape, ndim, order in (((30,), 1, "C"), ((17,), 1, "C"), ((6, 10), 2, "F")):
            for kind in {}, {"r2c": True}, {"dct": 2}:
                for inplace in True, False:
                    result = accuracy.test_accuracy(
                        "pyopencl", shape, ndim, None, np.float32 if kind else np.complex64,
                        inplace, 1, None, order=order, queue=opencl.queue, **kind)
                    assert max(result["ni"], result["nii"]) < result["tol"]
