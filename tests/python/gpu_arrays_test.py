# SPDX-License-Identifier: Apache-2.0
"""Arrays of CuPy, torch, JAX and of protocols alone on an NVIDIA GPU; skipped without one.

Streams are tested by a race: a side stream is kept busy before it writes the input, and overwrites
the input behind the transform, so that a transform on any other stream gives a wrong result.
"""

import importlib
import threading

import numpy as np
import pytest

import wingbeat
import wingbeat.fft as fft
from other_libraries import OnlyDlpack
from wingbeat import match, signal

if wingbeat.why_absent(wingbeat.Engine.cuda):
    pytest.skip(wingbeat.why_absent(wingbeat.Engine.cuda), allow_module_level=True)


def optional(name):
    """Returns a module and the marks of what needs it."""
    try:
        return importlib.import_module(name), []
    except ImportError as absent:
        return None, pytest.mark.skip(reason=str(absent))


RNG = np.random.default_rng(7)
NAMES = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "dct", "idct", "dst", "fftn", "irfftn",
         "rfftn")
REAL = ("rfft", "ihfft", "rfftn")
X = RNG.standard_normal((6, 10, 64)).astype("f4")
Z = (X + 1j * RNG.standard_normal(X.shape)).astype("c8")


def sample(name):
    return X if name in REAL else Z


def expected(name, x, *args, **kwargs):
    """On the host, in double precision."""
    x = np.asarray(x)
    return getattr(fft, name)(x.astype("c16" if x.dtype.kind == "c" else "f8"), *args, **kwargs)


def assert_close(result, wanted, bound=1e-5):
    result = np.asarray(result)
    assert result.shape == wanted.shape
    assert np.abs(result - wanted).max() <= bound * max(np.abs(wanted).max(), 1e-30)


def amid_a_pair(asarray, x):
    """Returns x on the device, its memory one number beyond where pairs of numbers start."""
    return asarray(np.append(x.ravel()[:1], x.ravel()))[1:].reshape(x.shape)


def require_numbers_from_amid_a_pair(asarray, to_numpy, dtype):
    x = X.astype(dtype)
    given, kernel = amid_a_pair(asarray, x), amid_a_pair(asarray, x[0, 0, :8])
    for name in ("rfft", "dct", "rfftn", "idst"):
        assert_close(to_numpy(getattr(fft, name)(given)), expected(name, x))
    assert fft.irfft(asarray(np.fft.rfft(x).astype(np.result_type(dtype, "c8"))),
                     out=given) is given
    assert_close(to_numpy(given), x)
    assert_close(to_numpy(signal.fftconvolve(given[0, 0], kernel)),
                 np.convolve(x[0, 0], x[0, 0, :8]))
    found = match.Search(given[0], (3, 5)).add(amid_a_pair(asarray, x[0, 2:5, 9:14])).peaks(1)
    assert (found[0].y, found[0].x) == (2, 9)


class NamedStream:
    """What cuda.core and others give: a stream by protocol."""

    def __init__(self, pointer):
        self._pointer = pointer

    def __cuda_stream__(self):
        return (0, self._pointer)


class TestCupy:
    cupy, pytestmark = optional("cupy")

    @pytest.mark.parametrize("dtype", ("f4", "f8"))
    def test_takes_real_numbers_from_amid_a_pair(self, dtype):
        require_numbers_from_amid_a_pair(self.cupy.asarray, self.cupy.asnumpy, dtype)

    @pytest.mark.parametrize("name", NAMES)
    def test_gives_cupy_arrays(self, name):
        x = sample(name)
        for dtype in ("single", "double"):
            given = self.cupy.asarray(x.astype(x.dtype if dtype == "single" else
                                               np.result_type(x, "f8")))
            result = getattr(fft, name)(given)
            assert isinstance(result, self.cupy.ndarray)
            assert_close(result.get(), expected(name, x))

    def test_takes_any_layout(self):
        z = self.cupy.asarray(Z)
        for view, host in ((z[::2, 1::3], Z[::2, 1::3]), (z.T, Z.T), (z[::-1], Z[::-1]),
                           (z.real, Z.real), (z[..., 1:], Z[..., 1:]),
                           (self.cupy.broadcast_to(z[0], (4, 10, 64)),
                            np.broadcast_to(Z[0], (4, 10, 64)))):
            assert_close(fft.fft(view).get(), expected("fft", host))
            assert_close(fft.fft(view, 33, axis=0).get(), expected("fft", host, 33, axis=0))

    def test_writes_out(self):
        z = self.cupy.asarray(Z)
        out = self.cupy.empty((6, 10, 128), "c8")[..., ::2]
        assert fft.fft(z, out=out) is out
        assert_close(out.get(), expected("fft", Z))
        assert fft.fft(z, out=z) is z
        assert_close(z.get(), expected("fft", Z))
        with pytest.raises(TypeError, match="give one of type ndarray there"):
            fft.fft(z, out=np.empty(Z.shape, "c8"))

    def test_works_on_the_current_stream(self):
        cupy = self.cupy
        stream = cupy.cuda.Stream(non_blocking=True)
        z = cupy.asarray(np.tile(Z, (50, 1, 1)))
        busy = cupy.ones((4096, 4096), "f4")
        wanted = expected("fft", np.tile(Z, (50, 1, 1)))
        fft.fft(z)
        cupy.cuda.Device().synchronize()
        for _ in range(3):
            with stream:
                given = cupy.zeros_like(z)
                for _ in range(4):
                    busy @ busy
                given[...] = z
                result = fft.fft(given)
                given[...] = 0
            stream.synchronize()
            assert_close(result.get(), wanted)

    def test_works_on_the_stream_that_is_named(self):
        cupy = self.cupy
        stream = cupy.cuda.Stream(non_blocking=True)
        z = cupy.asarray(Z)
        cupy.cuda.Device().synchronize()
        for named in (stream, stream.ptr, NamedStream(stream.ptr)):
            result = fft.fft(z, stream=named)
            stream.synchronize()
            assert_close(result.get(), expected("fft", Z))
        with pytest.raises(TypeError, match="stream"):
            fft.fft(cupy.asarray(Z), stream="legacy")

    def test_serves_threads_without_a_context(self):
        z, results = self.cupy.asarray(Z), [None] * 16

        def work(i):
            results[i] = fft.fft(z, n=32 + i)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for i, result in enumerate(results):
            assert_close(result.get(), expected("fft", Z, 32 + i))

    def test_runs_plans_with_functors_of_text(self):
        text = """
            struct power {
              using element = float;
              struct operands { float gain; };
              WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* out, operands given,
                                            wingbeat::device::size row, wingbeat::device::size i,
                                            wingbeat::device::complex<float> z) {
                out[row * 64 + i] = given.gain * (z.re * z.re + z.im * z.im);
              }
            };"""
        store = wingbeat.Functor(text=text, type="power", element="float32", elements=60 * 64,
                                 operands=("float32",))
        gpu = next(each for each in wingbeat.devices() if each.engine == wingbeat.Engine.cuda)
        plan = wingbeat.Plan((60, 64), axes=1, store=store, device=gpu)
        out = self.cupy.empty((60, 64), "f4")
        plan(self.cupy.asarray(Z.reshape(60, 64)), out, store=(0.5,))
        assert_close(out.get(), 0.5 * np.abs(expected("fft", Z.reshape(60, 64))) ** 2)
        prepared = wingbeat.plan_for(self.cupy.asarray(Z), axes=2)
        assert_close(fft.fft(self.cupy.asarray(Z), plan=prepared).get(), expected("fft", Z))
        assert plan.resources[0].registers > 0

    def test_refuses_plans_of_numbers_that_cupy_has_not(self):
        device = next(each for each in wingbeat.devices() if each.engine.name == "cuda")
        plan = wingbeat.Plan(64, kind="rfft", dtype="float16", device=device)
        x = self.cupy.ones(64, "f2")
        if "complex32" not in np.sctypeDict:  # which ml_dtypes adds
            with pytest.raises(TypeError, match="no type for the output's numbers, complex32"):
                plan(x)
        with pytest.raises(TypeError, match="x is of int16"):
            plan(x.view("i2"))

    def test_takes_workspaces_from_the_pool(self):
        pool = self.cupy.get_default_memory_pool()
        x = self.cupy.zeros(1 << 24, "c8")
        fft.fft(x)
        free = self.cupy.cuda.runtime.memGetInfo()[0]
        for _ in range(3):
            fft.fft(x)
        assert self.cupy.cuda.runtime.memGetInfo()[0] == free
        assert pool.total_bytes() > 0


class TestTorch:
    torch, pytestmark = optional("torch")

    def tensor(self, x):
        return self.torch.from_numpy(np.ascontiguousarray(x)).cuda()

    @pytest.mark.parametrize("name", NAMES)
    def test_gives_tensors(self, name):
        x = sample(name)
        result = getattr(fft, name)(self.tensor(x))
        assert result.is_cuda
        assert_close(result.cpu(), expected(name, x))
        double = self.tensor(x.astype(np.result_type(x, "f8")))
        assert_close(getattr(fft, name)(double).cpu(), expected(name, x), 1e-12)

    @pytest.mark.parametrize("n", (64, 100, 1000))
    def test_keeps_half_of_any_length(self, n):
        x = RNG.standard_normal((8, n)).astype("f4")
        half = self.tensor(x).half()
        spectrum = fft.rfft(half)
        assert spectrum.dtype == self.torch.complex32
        wanted = expected("rfft", half.float().cpu().numpy())
        assert_close(spectrum.to(self.torch.complex64).cpu(), wanted, 2e-3)
        assert_close(fft.irfft(spectrum, n).float().cpu(), x, 4e-3)
        wide = fft.rfft(self.tensor(x).bfloat16())
        assert wide.dtype == self.torch.complex64
        assert_close(wide.cpu(), expected("rfft", x), 2e-2)

    def test_works_on_the_current_stream(self):
        torch = self.torch
        stream = torch.cuda.Stream()
        z = self.tensor(np.tile(Z, (50, 1, 1)))
        busy = torch.ones(4096, 4096, device="cuda")
        wanted = expected("fft", np.tile(Z, (50, 1, 1)))
        fft.fft(z)
        torch.cuda.synchronize()
        for _ in range(3):
            with torch.cuda.stream(stream):
                given = torch.zeros_like(z)
                for _ in range(4):
                    busy @ busy
                given.copy_(z)
                result = fft.fft(given)
                given.zero_()
            stream.synchronize()
            assert_close(result.cpu(), wanted)

    def test_works_on_the_stream_that_is_named(self):
        stream = self.torch.cuda.Stream()
        z = self.tensor(Z)
        self.torch.cuda.synchronize()
        for named in (stream, stream.cuda_stream, NamedStream(stream.cuda_stream)):
            result = fft.fft(z, stream=named)
            stream.synchronize()
            assert_close(result.cpu(), expected("fft", Z))

    @pytest.mark.parametrize("dtype", ("f4", "f8"))
    def test_takes_real_numbers_from_amid_a_pair(self, dtype):
        require_numbers_from_amid_a_pair(self.tensor, lambda x: x.cpu().numpy(), dtype)
        import wingbeat.torch
        x, k = self.tensor(X.astype(dtype)), self.tensor(X[0, :, :9].astype(dtype))
        shifted, taps = (amid_a_pair(self.tensor, each.cpu().numpy()) for each in (x, k))
        assert_close(wingbeat.torch.long_conv(shifted, taps).cpu(),
                     wingbeat.torch.long_conv(x, k).cpu().numpy())

    def test_is_captured_by_a_graph(self):
        torch = self.torch
        z = self.tensor(Z)
        out = torch.empty_like(z)
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            fft.fft(z, out=out)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            fft.fft(z, out=out)
        z.copy_(self.tensor(2 * Z))
        graph.replay()
        torch.cuda.synchronize()
        assert_close(out.cpu(), expected("fft", 2 * Z))

    def test_serves_threads(self):
        z, results = self.tensor(Z), [None] * 16

        def work(i):
            with self.torch.cuda.stream(self.torch.cuda.Stream()):
                results[i] = fft.fft(z, n=40 + i).cpu()

        threads = [threading.Thread(target=work, args=(i,)) for i in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for i, result in enumerate(results):
            assert_close(result, expected("fft", Z, 40 + i))

    def test_runs_on_a_second_device(self):
        if self.torch.cuda.device_count() < 2:
            pytest.skip("one GPU")
        result = fft.fft(self.tensor(Z).to("cuda:1"))
        assert result.device.index == 1
        assert_close(result.cpu(), expected("fft", Z))

    def test_reports_memory_that_ran_out(self):
        with pytest.raises((MemoryError, self.torch.OutOfMemoryError)):
            fft.fft(self.torch.zeros(1, device="cuda").expand(1 << 20, 1 << 20))


class OnlyInterface:
    """An array that offers nothing but `__cuda_array_interface__`."""

    def __init__(self, array):
        self._array = array

    @property
    def __cuda_array_interface__(self):
        return self._array.__cuda_array_interface__


class TestProtocols:
    torch, pytestmark = optional("torch")

    @pytest.mark.parametrize("wrapper", (OnlyDlpack, OnlyInterface))
    @pytest.mark.parametrize("n", (64, 1 << 18))
    def test_gives_what_dlpack_can_take(self, wrapper, n):
        z = RNG.standard_normal((2, n, 2)).astype("f4").view("c8")[..., 0]
        given = self.torch.from_numpy(z).cuda()
        result = self.torch.from_dlpack(fft.fft(wrapper(given)))
        assert result.is_cuda
        assert_close(result.cpu(), expected("fft", z))
        result = self.torch.from_dlpack(fft.fftn(wrapper(given), axes=(1,)))
        assert_close(result.cpu(), expected("fft", z))
        with pytest.raises(TypeError, match="no roll"):
            fft.fftshift(wrapper(given))


class TestJax:
    jax, pytestmark = optional("jax")

    @pytest.mark.parametrize("name", ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "dct"))
    def test_gives_jax_arrays(self, name):
        if self.jax.default_backend() != "gpu":
            pytest.skip("jax has no GPU here")
        x = X if name in ("rfft", "ihfft", "dct") else Z
        result = getattr(fft, name)(self.jax.numpy.asarray(x))
        assert isinstance(result, self.jax.Array)
        assert_close(result, expected(name, x))
