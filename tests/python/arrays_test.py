# SPDX-License-Identifier: Apache-2.0
"""Arrays of other libraries on this machine: the result is theirs, beside the input, and right.

CuPy's, and those on GPUs, are in gpu_arrays_test.py.
"""

import importlib
import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest

import wingbeat
import wingbeat.fft as fft
from other_libraries import OnlyDlpack


def optional(name):
    """Returns a module and the mark of what needs it."""
    try:
        module = importlib.import_module(name)
    except ImportError as absent:
        return None, pytest.mark.skip(reason=str(absent))
    return module, []


RNG = np.random.default_rng(5)
ROWS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "dct", "idst")
X = RNG.standard_normal((4, 6, 10))
Z = X + 1j * RNG.standard_normal(X.shape)


def inputs(name):
    yield X
    if name not in ("rfft", "ihfft"):
        yield Z


def expected(name, x, *args, **kwargs):
    return getattr(fft, name)(np.asarray(x, dtype=np.result_type(x, np.float64)), *args, **kwargs)


class TestTorch:
    torch, pytestmark = optional("torch")

    @pytest.mark.parametrize("name", ROWS)
    def test_gives_tensors(self, name):
        for x, n, axis in itertools.product(inputs(name), (None, 7), (-1, 0)):
            result = getattr(fft, name)(self.torch.from_numpy(x), n=n, axis=axis)
            assert isinstance(result, self.torch.Tensor)
            np.testing.assert_allclose(result.numpy(), expected(name, x, n=n, axis=axis),
                                       atol=1e-11)

    def test_shifts_bins(self):
        for axes in (None, 0, (0, 2)):
            shifted = fft.fftshift(self.torch.from_numpy(X), axes)
            np.testing.assert_array_equal(shifted.numpy(), np.fft.fftshift(X, axes))
            np.testing.assert_array_equal(fft.ifftshift(shifted, axes).numpy(), X)

    def test_takes_lazy_conjugates_views_and_out(self):
        z = self.torch.from_numpy(Z)
        np.testing.assert_allclose(fft.fft(z.conj()).numpy(), expected("fft", Z.conj()), atol=1e-12)
        np.testing.assert_allclose(fft.fft(z.imag).numpy(), expected("fft", Z.imag), atol=1e-12)
        view = z.permute(2, 0, 1)[::2].expand(5, 4, 6)
        np.testing.assert_allclose(fft.fft(view).numpy(), expected("fft", view.numpy()), atol=1e-12)
        out = self.torch.empty(4, 6, 20, dtype=z.dtype)[..., ::2]
        assert fft.fft(z, out=out) is out
        np.testing.assert_allclose(out.numpy(), expected("fft", Z), atol=1e-12)
        copy = z.clone()
        assert fft.fftn(copy, out=copy) is copy
        np.testing.assert_allclose(copy.numpy(), fft.fftn(Z), atol=1e-12)

    @pytest.mark.parametrize("name,result", (("float16", "complex32"), ("bfloat16", "complex64")))
    def test_keeps_narrow_numbers(self, name, result):
        x = self.torch.from_numpy(X).to(getattr(self.torch, name))
        for transform in (fft.rfft, fft.fft):
            y = transform(x)
            assert y.dtype == getattr(self.torch, result)
            exact = getattr(fft, transform.__name__)(x.double().numpy())
            np.testing.assert_allclose(y.to(self.torch.complex64).numpy(), exact, atol=0.02)

    def test_refuses_gradients_and_arrays_of_others(self):
        x = self.torch.ones(4, requires_grad=True)
        with pytest.raises(TypeError, match="wingbeat.torch"):
            fft.fft(x)
        with pytest.raises(TypeError, match="give one of type Tensor there"):
            fft.fft(x.detach(), out=np.empty(4, "c8"))
        for refusing in (fft.fft, wingbeat.plan_for):
            with pytest.raises(TypeError, match="sparse"):
                refusing(self.torch.eye(3).to_sparse())
        with pytest.raises(TypeError, match="out requires a gradient"):
            fft.fft(x.detach(), out=self.torch.zeros(4, dtype=self.torch.complex64,
                                                     requires_grad=True))
        with pytest.raises(ValueError, match="elements share memory"):
            fft.fft(self.torch.ones(3, 4), out=self.torch.zeros(
                4, dtype=self.torch.complex64).expand(3, 4))

    @pytest.mark.parametrize("write", (
        lambda b: fft.fft(b.clone(), out=b), lambda b: fft.fft(b, overwrite_x=True),
        lambda b: fft.fftn(b[:, None], out=b.conj()[:, None].conj()),
        lambda b: wingbeat.Plan(8)(b.clone(), b), lambda b: wingbeat.Plan(8, in_place=True)(b)))
    def test_tells_of_what_it_writes(self, write):
        a = self.torch.ones(8, dtype=self.torch.complex64, requires_grad=True)
        b = self.torch.full((8,), 2, dtype=self.torch.complex64)
        c = (a * b).abs().sum()
        write(b)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            c.backward()

    def test_overwrites_no_row_of_many(self):
        z = self.torch.from_numpy(Z[0, 0].copy()).expand(3, -1)
        result = fft.fft(z, overwrite_x=True)
        np.testing.assert_allclose(result.numpy(), expected("fft", z.numpy()), atol=1e-12)
        np.testing.assert_array_equal(z.numpy()[1], Z[0, 0])

    def test_refuses_plans_of_numbers_that_torch_has_not(self):
        x = self.torch.ones(8, dtype=self.torch.bfloat16)
        with pytest.raises(TypeError, match="no type for the output's numbers, bcomplex32"):
            wingbeat.Plan(8, kind="rfft", dtype="bfloat16")(x)
        plan = wingbeat.Plan(8, kind="rfft", dtype="bfloat16", out_dtype="complex64")
        assert plan(x)[0] == 8


class TestJax:
    jax, pytestmark = optional("jax")

    @pytest.mark.parametrize("name", ROWS)
    def test_gives_jax_arrays(self, name):
        for x in inputs(name):
            given = self.jax.numpy.asarray(x)
            result = getattr(fft, name)(given)
            assert isinstance(result, self.jax.Array)
            np.testing.assert_allclose(np.asarray(result), expected(name, x), atol=2e-4)

    def test_shifts_bins(self):
        shifted = fft.fftshift(self.jax.numpy.asarray(X.astype("f4")))
        np.testing.assert_array_equal(np.asarray(shifted), np.fft.fftshift(X.astype("f4")))

    @pytest.mark.parametrize("name", ROWS + ("rfftn", "dctn"))
    def test_widens_numbers_of_bfloat16(self, name):
        given = self.jax.numpy.asarray(X).astype("bfloat16")
        for x in (given, np.asarray(given)):  # numpy has them by an extension
            result = getattr(fft, name)(x)
            assert type(result) is type(x) and result.dtype in (np.float32, np.complex64)
            np.testing.assert_allclose(np.asarray(result),
                                       expected(name, np.asarray(given, np.float32)), atol=2e-4)

    def test_refuses_what_cannot_be_written_or_has_no_values(self):
        with pytest.raises(TypeError, match="leave out out"):
            fft.fft(self.jax.numpy.ones(4), out=np.empty(4, "c8"))
        with pytest.raises(TypeError, match="call wingbeat.jax's function"):
            self.jax.jit(fft.fft)(self.jax.numpy.ones(4))


class TestStrict:
    xp, pytestmark = optional("array_api_strict")

    @pytest.mark.parametrize("name", ROWS)
    def test_gives_arrays_of_the_namespace(self, name):
        for x in inputs(name):
            result = getattr(fft, name)(self.xp.asarray(x))
            assert result.__array_namespace__().__name__ == "array_api_strict"
            np.testing.assert_allclose(np.from_dlpack(result), expected(name, x), atol=1e-11)

    def test_shifts_bins(self):
        for axes in (None, 0, (0, 2)):
            shifted = fft.fftshift(self.xp.asarray(X), axes)
            np.testing.assert_array_equal(np.from_dlpack(shifted), np.fft.fftshift(X, axes))
            np.testing.assert_array_equal(np.from_dlpack(fft.ifftshift(shifted, axes)), X)


@pytest.mark.parametrize("name", ROWS + ("fftn", "rfft2", "irfftn", "hfftn", "dctn", "fftshift",
                                         "ifftshift"))
def test_takes_arrays_with_dlpack_alone(name):
    result = getattr(fft, name)(OnlyDlpack(X))
    np.testing.assert_array_equal(result, getattr(fft, name)(X))
    with pytest.raises(TypeError, match="DLPack does not lend to numpy"):
        getattr(fft, name)(OnlyDlpack(np.array(["a", "b"])))


class OnlyInterface:
    """An array that offers nothing but `__cuda_array_interface__`, without memory."""

    def __init__(self, **changes):
        self.__cuda_array_interface__ = {"shape": (4,), "typestr": "<f4", "data": (4096, False),
                                         "version": 3, **changes}


def test_refuses_what_an_interface_states_and_is_not_read():
    for changes in ({"typestr": ">f4"}, {"mask": OnlyInterface()}):
        for transform in (fft.fft, fft.fftn):
            with pytest.raises(TypeError, match="a mask, or numbers whose bytes"):
                transform(OnlyInterface(**changes))
    for changes in ({"typestr": 4}, {"shape": None}, {"data": None}, {"data": ("a", False)},
                    {"stream": "a"}):
        with pytest.raises(TypeError, match="OnlyInterface, whose __cuda_array_interface__ cannot"):
            fft.fft(OnlyInterface(**changes))
    for strides in ((4, 4), ()):
        with pytest.raises(ValueError, match="one stride for each"):
            fft.fft(OnlyInterface(strides=strides))
    with pytest.raises(RuntimeError, match="no driver is here|know the pointer") as refused:
        fft.fft(OnlyInterface())
    assert "\n" not in str(refused.value)


class Elsewhere(OnlyDlpack):
    """An array on a device of a kind that no engine has."""

    def __dlpack_device__(self):
        return 10, 0


@pytest.mark.parametrize("x", (X, X[:, ::2], Z.astype("c8").T, (100 * X).astype("u2"), X > 0))
def test_reads_what_dlpack_lends(x):
    view, own = wingbeat._wingbeat.view(OnlyDlpack(x)), wingbeat._wingbeat.view(x)
    assert (view.dtype, view.shape, view.strides) == (x.dtype.name, x.shape, x.strides)
    assert (view.place, view.device) == (own.place, own.device)
    with pytest.raises(TypeError, match="DLPack numbers 10; give an array of a processor"):
        fft.fft(Elsewhere(x))


def test_names_elements_that_no_transform_takes_as_numpy_does():
    for dtype in ("float128", "S3", "M8[s]", ">f8", "bool", "int8"):
        x = np.zeros(3, dtype)
        assert wingbeat._wingbeat.view(x).dtype == x.dtype.name


class Stated:
    """An array of a library of which the extension knows what `layout` states, as of CuPy's."""

    def __init__(self, x):
        self.x = x


def test_reads_and_makes_what_a_library_states_of_its_arrays():
    made = []

    def empty(x, shape, name):
        made.append((shape, name))
        return Stated(np.empty(shape, name))

    library = SimpleNamespace(
        types=wingbeat._arrays.NUMPY_TYPES, engine=wingbeat.Engine.cuda, empty=empty,
        stream_of=None,  # index -1 is the processor, which has none
        layout=lambda given: (given.x.ctypes.data, given.x.shape, given.x.strides,
                              given.x.dtype.str, -1))
    wingbeat._wingbeat.know(Stated, library, True)
    for x, axis in ((X, 1), (X[:, ::2], 2), (X.astype("f4"), 0)):
        result = fft.rfft(Stated(x), axis=axis)
        np.testing.assert_array_equal(result.x, fft.rfft(x, axis=axis))
        assert made.pop() == (result.x.shape, result.x.dtype.name) and not made
    view = wingbeat._wingbeat.view(Stated(np.zeros((2, 3), "i2")[:, ::2]))
    assert (view.dtype, view.shape, view.strides, view.item_bytes) == ("int16", (2, 2), (6, 4), 2)
    assert view.device == (wingbeat.Engine.host, 0)


class TestOpencl:
    """On PoCL, or whatever OpenCL device there is."""

    array, pytestmark = optional("pyopencl.array")
    opencl, _ = optional("pyopencl")

    @pytest.fixture
    def queue(self):
        try:
            context = self.opencl.create_some_context(interactive=False)
        except self.opencl.Error as absent:
            pytest.skip(str(absent))
        return self.opencl.CommandQueue(context)

    def test_runs_on_the_arrays_queue(self, queue):
        given = self.array.to_device(queue, Z.astype("c8"))
        result = fft.fft(given)
        assert isinstance(result, self.array.Array) and result.queue == queue
        np.testing.assert_allclose(result.get(), expected("fft", Z), atol=1e-4)
        np.testing.assert_allclose(fft.irfft(fft.rfft(given.real)).get(), Z.real, atol=1e-5)
        view = given[:, ::2, 1:9]
        np.testing.assert_allclose(fft.fft(view, axis=0).get(),
                                   expected("fft", Z[:, ::2, 1:9], axis=0), atol=1e-4)
        assert fft.fft(given, out=given) is given
        np.testing.assert_allclose(given.get(), expected("fft", Z), atol=1e-4)

    def test_takes_workspaces_of_the_arrays_allocator(self, queue):
        taken = []

        def allocate(n_bytes):
            taken.append(n_bytes)
            return self.opencl.Buffer(queue.context, self.opencl.mem_flags.READ_WRITE, n_bytes)

        given = self.array.to_device(queue, np.ones(1 << 16, "c8"), allocator=allocate)
        n_bytes = wingbeat.plan_for(given).workspace_bytes
        taken.clear()
        np.testing.assert_allclose(fft.fft(given).get()[:2], (1 << 16, 0), atol=1e-2)
        assert n_bytes > 0 and sorted(taken) == sorted((given.nbytes, n_bytes))

    def test_refuses_an_out_of_another_context(self, queue):
        other = self.opencl.CommandQueue(self.opencl.Context([queue.device]))
        given = self.array.to_device(queue, Z.astype("c8"))
        with pytest.raises(TypeError, match="out is of another context"):
            fft.fft(given, out=self.array.empty(other, Z.shape, np.complex64))

    def test_serves_two_contexts_at_once(self, queue):
        other = self.opencl.CommandQueue(self.opencl.Context([queue.device]))
        for each in (queue, other, queue):
            given = self.array.to_device(each, Z.astype("c8"))
            np.testing.assert_allclose(fft.fft(given).get(), expected("fft", Z), atol=1e-4)

    def test_takes_real_numbers_from_amid_a_pair(self, queue):
        given = self.array.to_device(queue, np.append(np.float32(0), X.ravel()).astype("f4"))[1:]
        given = given.reshape(X.shape)
        assert given.offset % 8 == 4
        for name in ("rfft", "dct", "rfftn"):
            np.testing.assert_allclose(getattr(fft, name)(given).get(), expected(name, X),
                                       atol=1e-3)
        bins = self.array.to_device(queue, np.fft.rfft(X).astype("c8"))
        assert fft.irfft(bins, out=given) is given
        np.testing.assert_allclose(given.get(), X, atol=1e-5)

    @pytest.mark.parametrize("part", (np.s_[2:5, 3:8], np.s_[::-2, ::-2], np.s_[1::2, 1::2],
                                      np.s_[3:, 4::-1], np.s_[::-2, 5:]))
    def test_copies_what_no_plan_takes(self, queue, part):
        for name, numbers in (("rfft", X[0].astype("f4")), ("dct", (100 * X[0]).astype("i4")),
                              ("hfft", Z[1].astype("c8"))):
            given = self.array.to_device(queue, numbers)[part]
            np.testing.assert_allclose(getattr(fft, name)(given).get(),
                                       expected(name, numbers[part]), rtol=1e-5, atol=1e-4)
        whole = self.array.zeros(queue, X[0].shape, np.float32)
        bins = np.fft.rfft(X[0][part]).astype("c8")
        fft.irfft(self.array.to_device(queue, bins), 5, out=whole[part])
        wanted = np.zeros_like(X[0])
        wanted[part] = X[0][part]
        np.testing.assert_allclose(whole.get(), wanted, atol=1e-5)

    def test_pads_along_four_axes(self, queue):
        x = np.stack([Z, Z + 1]).astype("c8")
        result = fft.fftn(self.array.to_device(queue, x), s=(3, 5, 7, 12))
        np.testing.assert_allclose(result.get(), expected("fftn", x, s=(3, 5, 7, 12)), atol=1e-3)

    def test_runs_plans_with_functors_of_text(self, queue):
        text = """
            struct window {
              using element = short;
              struct operands { WINGBEAT_GLOBAL const float* weights; float gain; };
              WINGBEAT_FN static float load(WINGBEAT_GLOBAL const element* in, operands given,
                                            wingbeat::device::size row, wingbeat::device::size i) {
                return given.gain * given.weights[i] * in[row * 64 + i];
              }
            };"""
        load = wingbeat.Functor(text=text, type="window", element="int16", elements=256,
                                operands=("const float32*", "float32"))
        plan = wingbeat.Plan((4, 64), axes=1, kind="rfft", dtype="float32", load=load, device=queue)
        samples = RNG.integers(-9, 9, (4, 64)).astype("i2")
        weights = RNG.standard_normal(64).astype("f4")
        given, window = (self.array.to_device(queue, each) for each in (samples, weights))
        for gain in (1.0, 0.5):
            result = plan(given, load=(window, gain))
            np.testing.assert_allclose(result.get(), np.fft.rfft(gain * weights * samples),
                                       atol=1e-3)
        assert len(plan.passes) == len(plan.resources) == 1
        assert plan.passes[0].threads == plan.resources[0].threads > 1
        again = self.array.to_device(queue, Z.astype("c8"))
        prepared = wingbeat.plan_for(again, axes=2)
        np.testing.assert_allclose(fft.fft(again, plan=prepared).get(), expected("fft", Z),
                                   atol=1e-4)

    def test_runs_on_the_queue_that_is_named(self, queue):
        other = self.opencl.CommandQueue(queue.context)
        given = self.array.to_device(queue, X.astype("f4"))
        result = fft.dct(given.with_queue(None), stream=other)
        assert result.queue == other
        np.testing.assert_allclose(result.get(), expected("dct", X), atol=1e-4)
        with pytest.raises(ValueError, match="no queue"):
            fft.dct(given.with_queue(None))
        with pytest.raises(ValueError, match="another context"):
            fft.dct(given, stream=self.opencl.CommandQueue(self.opencl.Context([queue.device])))

    def test_threads_run_each_on_the_queue_that_they_name(self, queue):
        given = self.array.to_device(queue, X.astype("f4")).with_queue(None)
        library = wingbeat._arrays.library_of(given)
        queues = [self.opencl.CommandQueue(queue.context) for _ in range(2)]
        meet = threading.Barrier(2, timeout=60)

        def seen(own):
            with library.running_on(own, given):
                meet.wait()  # both are within
                is_own = library.stream_of(given) == own.int_ptr
                meet.wait()
                return is_own

        with ThreadPoolExecutor(2) as pool:
            assert list(pool.map(seen, queues)) == [True, True]
        with pytest.raises(ValueError, match="no queue"):
            library.stream_of(given)

    def test_refuses_what_pyopencl_does_not_convert(self, queue):
        with pytest.raises(TypeError, match="bool, which pyopencl does not convert"):
            fft.fft(self.array.to_device(queue, np.ones(4, bool)))
