# SPDX-License-Identifier: Apache-2.0
"""wingbeat.Plan: kinds, layouts, ranges, functors of the processor, plans given to functions."""

import ctypes

import numpy as np
import pytest

import wingbeat
import wingbeat.fft as fft
from other_libraries import each_library
from wingbeat import Functor, Layout, Plan, plan_for

RNG = np.random.default_rng(11)


def noise(shape, dtype="c8"):
    numbers = RNG.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        numbers = numbers + 1j * RNG.standard_normal(shape)
    return numbers.astype(dtype)


def assert_close(result, wanted, bound=1e-4):
    np.testing.assert_allclose(result, wanted, rtol=0, atol=bound)


@pytest.mark.parametrize("norm", ("backward", "ortho", "forward"))
@pytest.mark.parametrize("kind", ("fft", "ifft", "rfft", "irfft", "dct3"))
def test_norms_are_those_of_functions_too(kind, norm):
    plan = Plan(10, kind=kind, dtype="float64" if kind in ("rfft", "dct3") else "complex128",
                norm=norm)
    x = noise(plan.in_shape, plan.in_dtype)
    wanted = (fft.dct(x, 3, norm=norm, orthogonalize=False) if kind == "dct3"
              else getattr(fft, kind)(x, norm=norm))
    assert_close(plan(x), wanted, 1e-12)


@pytest.mark.parametrize("norm", (None, "ortho", "forward"))
@pytest.mark.parametrize("kind", ("dct", "dst1", "idct", "idct1", "idst2", "idst3", "idst4"))
def test_plans_are_for_inverse_kinds_too(kind, norm):
    x, type = noise((3, 10), "f8"), int(kind[-1]) if kind[-1].isdigit() else 2
    function = getattr(fft, kind.rstrip("1234"))
    wanted = function(x, type, axis=1, norm=norm)
    plan = plan_for(x, kind, axes=1, norm=norm)
    assert_close(plan(x), wanted, 1e-12)
    np.testing.assert_array_equal(function(x, type, axis=1, norm=norm, plan=plan), plan(x))
    both = plan_for(x, (kind, kind), norm=norm)
    assert_close(both(x), function(wanted, type, axis=0, norm=norm), 1e-11)


@pytest.mark.parametrize("kind", ("fft", "ifft", "rfft", "irfft", "dct2", "dst3"))
@pytest.mark.parametrize("axes", (None, (1,), (0, 2), (-1, 0)))
def test_transforms_packed_arrays_along_axes(kind, axes):
    shape = (4, 6, 10)
    plan = Plan(shape, axes, kind=kind, dtype="float64" if kind in ("rfft", "dct2", "dst3")
                else "complex128")
    x = noise(plan.in_shape, plan.in_dtype)
    axes = (0, 1, 2) if axes is None else axes
    if kind[:3] in ("dct", "dst"):
        wanted = getattr(fft, kind[:3] + "n")(x, type=int(kind[3]), axes=axes)
    else:
        wanted = getattr(fft, kind + "n")(x, s=[shape[a] for a in axes], axes=axes, norm=(
            "forward" if kind in ("ifft", "irfft") else "backward"))
    result = plan(x)
    assert result.shape == plan.out_shape and result.dtype == plan.out_dtype
    assert_close(result, wanted, 1e-11)


def test_places_elements_as_its_layouts_say():
    x = noise((6, 10))
    plan = Plan((6, 10), axes=1, layout_in=Layout(strides=(1, 6)),
                layout_out=Layout(strides=(1, 7)))
    out = np.zeros((10, 7), "c8")
    plan(np.asfortranarray(x), out=out.T[:6])
    assert_close(out.T[:6], fft.fft(x))
    assert (out[:, 6] == 0).all()
    with pytest.raises(ValueError, match="strides of .* bytes"):
        plan(x, out=out.T[:6])
    with pytest.raises(ValueError, match="out is needed"):
        plan(np.asfortranarray(x))


def test_takes_planar_numbers():
    planes = noise((2, 8), "f4")
    plan = Plan(8, layout_in=Layout(imaginary_at=8))
    assert_close(plan(planes), fft.fft(planes[0] + 1j * planes[1]))
    planes, out = noise((2, 4, 8), "f4"), np.empty((2, 4, 8), "f4")
    for axes in ((0,), (1,), (1, 0)):
        layout = Layout(imaginary_at=32)
        Plan((4, 8), axes, layout_in=layout, layout_out=layout)(planes, out)
        assert_close(out[0] + 1j * out[1], fft.fftn(planes[0] + 1j * planes[1], axes=axes))


@pytest.mark.parametrize("axis", (0, 1))
def test_takes_memory_from_an_index_on(axis):
    x = noise((4, 8))
    plan = Plan((4, 8), axis, layout_in=Layout(origin=(1,)), valid_in=[(1, x.shape[axis])])
    wanted = x.copy()
    np.moveaxis(wanted, axis, 0)[0] = 0
    assert_close(plan(x.ravel()[x.strides[axis] // 8:]), fft.fft(wanted, axis=axis))


def test_pads_and_crops():
    x = noise((4, 5))
    plan = Plan((4, 16), axes=1, valid_in=[(0, 5)], valid_out=[(2, 9)],
                layout_in=Layout(strides=(5, 1)))
    out = np.zeros((4, 16), "c8")
    plan(np.lib.stride_tricks.as_strided(x, (4, 16), x.strides), out=out)
    wanted = fft.fft(x, 16)
    assert_close(out[:, 2:9], wanted[:, 2:9])
    assert (out[:, :2] == 0).all() and (out[:, 9:] == 0).all()


def test_stores_what_it_is_told_and_scales():
    x = noise((3, 32), "f2")
    plan = Plan((3, 32), axes=1, kind="rfft", dtype="float16", out_dtype="complex64", norm="sqrt",
                factor=2)
    assert_close(plan(x), 2 * fft.rfft(x, norm="ortho"), 1e-3)


def test_gives_no_numbers_that_numpy_has_not():
    x, plan = noise(8, "f2"), Plan(8, kind="rfft", dtype="float16")
    try:
        np.dtype("complex32")
    except TypeError:
        with pytest.raises(TypeError, match="no type for the output's numbers, complex32"):
            plan(x)
    else:  # by ml_dtypes, which jax imports
        assert_close(plan(x).astype("c8"), fft.rfft(x), 1e-2)


def test_takes_devices_by_the_names_of_engines():
    x = noise(12, "c8")
    host = next(each for each in wingbeat.devices() if each.engine == wingbeat.Engine.host)
    for device in ("host", host, wingbeat.Queue(host)):
        plan = Plan(12, device=device)
        assert plan.device.engine == wingbeat.Engine.host
        assert_close(plan(x), fft.fft(x))
    oracle = Plan(12, device="reference")
    assert oracle.device.engine == wingbeat.Engine.reference
    assert_close(oracle(x), fft.fft(x))
    out = np.empty_like(x)
    assert oracle(x, out) is out
    assert_close(out, fft.fft(x))


def test_transforms_reals_in_place():
    x = noise((3, 10), "f4")
    plan = Plan((3, 10), axes=1, kind="rfft", dtype="float32", in_place=True)
    memory = np.zeros((3, 12), "f4")
    memory[:, :10] = x
    assert plan(memory) is memory
    assert_close(memory.view("c8"), fft.rfft(x))


LOAD = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64,
                        ctypes.c_uint64, ctypes.c_void_p)


def array_at(address, dtype, count):
    """Returns an array over memory that a functor was given."""
    n_bytes = np.dtype(dtype).itemsize * count
    return np.frombuffer((ctypes.c_char * n_bytes).from_address(address), dtype)


def test_calls_functors_of_the_processor():
    n, rows = 12, 4
    samples = RNG.integers(-100, 100, (rows, n)).astype("i2")
    window = np.hanning(n).astype("f4")

    @LOAD
    def load(memory, operands, row, first, count, into):
        pointers = array_at(operands, "u8", 2)
        weights = array_at(int(pointers[0]), "f4", n)[first:first + count]
        gain = array_at(int(pointers[1]), "f4", 1)[0]
        given = array_at(memory, "i2", rows * n).reshape(rows, n)[row, first:first + count]
        array_at(into, "f4", count)[:] = gain * weights * given

    @LOAD
    def store(memory, operands, row, first, count, values):
        power = np.abs(array_at(values, "c8", count)) ** 2
        array_at(memory, "f4", rows * 7).reshape(rows, 7)[row, first:first + count] = power

    plan = Plan((rows, n), axes=1, kind="rfft", dtype="float32",
                load=Functor(function=load, element="int16", elements=rows * n,
                             operands=("const float32*", "float32")),
                store=Functor(function=store, element="float32", elements=rows * 7))
    power = np.empty((rows, 7), "f4")
    for gain in (1.0, 0.5):
        with wingbeat.fft.set_workers(1):
            plan(samples, power, load=(window, gain))
        wanted = np.abs(fft.rfft(gain * window * samples)) ** 2
        np.testing.assert_allclose(power, wanted, rtol=1e-4, atol=1e-2)
    with pytest.raises(ValueError, match="2 operands and 1 were given"):
        plan(samples, power, load=(window,))


def test_calls_functions_with_whole_rows():
    rows, n = 5, 64

    @LOAD
    def store(memory, operands, row, first, count, values):
        found = np.argmax(np.abs(array_at(values, "c8", count))) if (first, count) == (0, n) else -1
        array_at(memory, "i4", rows)[row] = found

    x = RNG.standard_normal((rows, n)).astype("c8")
    plan = Plan(x.shape, 1, store=Functor(function=store, element="int32", elements=rows,
                                          row_outputs=1))
    with wingbeat.fft.set_workers(1):
        strongest = plan(x, np.empty(rows, "i4"))
    np.testing.assert_array_equal(strongest, np.argmax(np.abs(fft.fft(x)), axis=1))
    with pytest.raises(ValueError, match="lengths has 2 axes"):
        Plan(x.shape, store=Functor(function=store, element="int32", elements=1, row_outputs=1))


def test_calls_functions_of_numba():
    numba = pytest.importorskip("numba")
    pointer, count = numba.types.CPointer, numba.types.uint64
    number, bins = numba.types.float32, numba.types.complex64

    @numba.cfunc(numba.types.void(pointer(number), pointer(pointer(number)), count, count, count,
                                  pointer(bins)))
    def load(memory, operands, row, first, n, into):
        for i in range(n):
            into[i] = memory[row * 64 + first + i] * operands[0][first + i]

    x, window = RNG.standard_normal((5, 64)).astype("f4"), np.hanning(64).astype("f4")
    plan = Plan(x.shape, 1, load=Functor(function=load, elements=x.size,
                                         operands=("const float32*",)))
    assert_close(plan(x, np.empty(x.shape, "c8"), load=(window,)), fft.fft(x * window))


@pytest.mark.parametrize("dtype", ("float32", "float64"))
@pytest.mark.parametrize("kind, there, back", (
    ("dct2", "dctn", "idctn"), ("dst2", "dstn", "idstn"), ("dct4", "dctn", "idctn")))
def test_multiplies_between_a_transform_and_the_way_back(kind, there, back, dtype):
    x = RNG.standard_normal((3, 12, 20)).astype(dtype)
    factors = RNG.standard_normal((12, 20)).astype(dtype)
    plan = Plan(x.shape, (1, 2), kind=kind, dtype=dtype, norm="length",
                multiplier=Functor.factors(dtype))
    options = {"type": int(kind[-1]), "axes": (1, 2)}
    bins = getattr(fft, there)(x, **options) * factors
    wanted = getattr(fft, back)(bins, **options)
    np.testing.assert_allclose(plan(x, multiplier=(factors,)), wanted, atol=1e-4)
    with pytest.raises(ValueError, match="1 operands and 0 were given"):
        plan(x)


@pytest.mark.parametrize("device", ("host", "reference"))
def test_has_a_kind_for_each_axis(device):
    x = RNG.standard_normal((3, 12, 20))
    plan = Plan(x.shape, (2, 1), kind=("dst1", "dct2"), dtype="float64", device=device)
    assert plan.kind == ("dst1", "dct2")
    bins = fft.dct(fft.dst(x, type=1, axis=2), axis=1)
    assert_close(plan(x), bins, 1e-11)
    factors = RNG.standard_normal((20, 12))
    solver = Plan(x.shape, (2, 1), kind=("dst1", "dct2"), dtype="float64", norm="length",
                  device=device, multiplier=Functor.factors("float64"))
    wanted = fft.idst(fft.idct(bins * factors.T, axis=1), type=1, axis=2)
    assert_close(solver(x, multiplier=(factors,)), wanted, 1e-11)
    assert Plan((4, 6), kind=("dct2", "dct2"), dtype="float32").kind == "dct2"
    with pytest.raises(ValueError, match="another transform"):
        fft.dctn(x, axes=(2, 1), plan=plan)


@each_library
def test_multiplies_on_the_device_of_other_libraries(library):
    wanted = "host" if library.name == "torch" else "cuda"
    device = next(each for each in wingbeat.devices() if each.engine.name == wanted)
    for shape, kind in (((3, 96), "dct2"), ((3, 96), "dht"), ((2, 12, 20), "dst3")):
        x, factors = (RNG.standard_normal(each).astype("f4") for each in (shape, shape[1:]))
        options = {"axes": range(1, len(shape)), "kind": kind, "dtype": "float32",
                   "norm": "length", "multiplier": Functor.factors()}
        expected = Plan(shape, **options)(x, multiplier=(factors,))
        plan = Plan(shape, **options, device=device)
        result = plan(library.of_numpy(x), multiplier=(library.of_numpy(factors),))
        np.testing.assert_allclose(library.to_numpy(result), expected, atol=1e-4)


def test_says_what_a_run_costs():
    plan = Plan((64, 65536), axes=1)
    assert plan.in_bytes == plan.out_bytes == 64 * 65536 * 8
    assert plan.traffic_bytes >= plan.in_bytes + plan.out_bytes
    assert "workspace" in plan.explain()
    assert plan.passes == [] and plan.resources == []
    assert [Plan(16, bins="scrambled").bin_at(i) for i in (0, 5)] == [0, 5]
    assert repr(plan).startswith("<wingbeat.Plan fft of (64, 65536)")


def test_serves_functions_with_the_same_arguments():
    x = noise((4, 6, 8))
    view = x[::2, :, 1:7]
    for given, kind, s, axes, norm in (
            (x, "fft", (8,), (2,), None), (x, "ifft", (9,), (1,), "ortho"),
            (view, "fft", (4,), (2,), None), (x, "irfft", None, (2,), None),
            (x.real, "rfft", None, (0,), "forward")):
        plan = plan_for(given, kind, s, axes, norm)
        n = None if s is None else s[0]
        wanted = getattr(fft, kind)(given, n, axes[0], norm)
        assert_close(getattr(fft, kind)(given, n, axes[0], norm, plan=plan), wanted)
        out = np.empty_like(wanted)
        assert getattr(fft, kind)(given, n, axes[0], norm, plan=plan, out=out) is out
        assert_close(out, wanted)
    plan = plan_for(x.real, "dct2", axes=(0, 1))
    assert_close(fft.dctn(x.real, axes=(0, 1), plan=plan), fft.dctn(x.real, axes=(0, 1)))


@pytest.mark.parametrize("type", (1, 2, 3, 4))
@pytest.mark.parametrize("family", ("dct", "dst"))
def test_serves_kinds_between_reals_in_each_norm(family, type):
    scipy_fft = pytest.importorskip("scipy.fft")
    x = noise((3, 9), "f8")
    forward, back = getattr(fft, family), getattr(fft, f"i{family}")
    for norm in (None, "ortho", "forward"):
        plan = plan_for(x, f"{family}{type}", axes=1, norm=norm)
        wanted = getattr(scipy_fft, family)(x, type, norm=norm)
        assert_close(forward(x, type, norm=norm, plan=plan), wanted)
        assert_close(plan(x), wanted)
    opposite = {2: 3, 3: 2}.get(type, type)
    for norm, of_plan in ((None, "forward"), ("ortho", "ortho")):
        plan = plan_for(x, f"{family}{opposite}", axes=1, norm=of_plan)
        wanted = getattr(scipy_fft, f"i{family}")(x, type, norm=norm)
        assert_close(back(x, type, norm=norm, plan=plan), wanted)
    plan = plan_for(x, f"{family}{opposite}", axes=1)
    assert_close(back(x, type, norm="forward", plan=plan), back(x, type, norm="forward"))
    assert_close(plan_for(x, ("dht", f"{family}{type}"), norm="ortho")(x),
                 plan_for(forward(x, type, axis=1, norm="ortho"), "dht", axes=0, norm="ortho")(
                     forward(x, type, axis=1, norm="ortho")))
    kinds = np.array([f"{family}{type}", f"{family}{opposite}"])
    assert_close(plan_for(x, kinds, norm="ortho")(x),
                 forward(forward(x, opposite, axis=1, norm="ortho"), type, axis=0, norm="ortho"))


@pytest.mark.parametrize("kind", ("fft", "dct2"))
def test_replaces_x_where_it_is_told_to(kind):
    x = noise((4, 8), "c8" if kind == "fft" else "f4")
    function = getattr(fft, kind[:3])
    wanted = function(x)
    within = Plan((4, 8), 1, kind=kind, dtype=x.dtype, in_place=True)
    for run in (within, lambda x: within(x, x), lambda x: plan_for(x, kind, axes=1)(x, x),
                lambda x: function(x, plan=within, overwrite_x=True),
                lambda x: function(x, plan=within, out=x),
                lambda x: function(x, plan=plan_for(x, kind, axes=1), overwrite_x=True)):
        for _ in range(2):  # the second time without Python's checks
            given = x.copy()
            assert run(given) is given
            assert_close(given, wanted)
    given = x.copy()
    with pytest.raises(ValueError, match="give overwrite_x=True"):
        function(given, plan=within)
    with pytest.raises(ValueError, match="is not x's memory"):
        within(given, np.empty_like(x))
    with pytest.raises(TypeError, match="x is of .* the plan was made for"):
        within(x.tolist())
    np.testing.assert_array_equal(given, x)


def test_shares_no_memory_but_in_one_place():
    memory = noise(24)
    apart = Plan(8)
    assert apart(memory[:8], memory[8:16]).base is memory
    with pytest.raises(ValueError, match="out shares x's memory"):
        apart(memory[:8], memory[4:12])
    cropping = Plan(8, valid_in=[(0, 4)])
    with pytest.raises(ValueError, match="out shares x's memory .* give other memory"):
        cropping(memory[:8], memory[:8])


def test_refuses_plans_of_other_transforms():
    x = noise((4, 8))
    plan = plan_for(x, axes=1)
    for call in (lambda: fft.ifft(x, plan=plan), lambda: fft.fft(x, 9, plan=plan),
                 lambda: fft.fft(x, axis=0, plan=plan),
                 lambda: fft.fft(x, norm="ortho", plan=plan)):
        with pytest.raises(ValueError, match="another transform"):
            call()
    with pytest.raises(TypeError, match="the plan was made for"):
        fft.fft(x.astype("c16"), plan=plan)
    with pytest.raises(ValueError, match="the plan was made for"):
        fft.fft(np.asfortranarray(x), plan=plan)
    with pytest.raises(TypeError, match="precomputed plan"):
        fft.fft(x, plan="a plan")
    with pytest.raises(ValueError, match="leave overwrite_x out"):
        fft.rfft(x.real.copy(), plan=plan_for(x.real.copy(), "rfft", axes=1), overwrite_x=True)
    with pytest.raises(ValueError, match="take no plan"):
        fft.hfft(x, plan=plan)
    reals = x.real.copy()  # of a plan with a kind for each axis
    each = Plan(reals.shape, kind=("dct2", "dst1"), dtype=reals.dtype)
    with pytest.raises(ValueError, match="another transform"):
        fft.fftn(reals, plan=each)
    for other in (Plan((4, 8), 1, factor=2.0), Plan((4, 8), 1, bins="scrambled"),
                  Plan((4, 8), 1, valid_in=[(0, 3)])):
        with pytest.raises(ValueError, match="another transform"):
            fft.fft(x, plan=other)


def test_takes_memory_as_it_is_or_refuses():
    x = noise((4, 8))
    plan = Plan((4, 8), 1)
    fixed = np.zeros_like(x)
    fixed.flags.writeable = False
    for call in (lambda: plan(x, fixed), lambda: fft.fft(x, plan=plan, out=fixed)):
        with pytest.raises(ValueError, match="read-only"):
            call()
    assert not fixed.any()
    with pytest.raises(TypeError, match="other order"):
        plan(x.astype(">c8"))
    with pytest.raises(TypeError, match="other order"):
        plan_for(x.astype(">c8"))
    repeated = np.broadcast_to(noise((100, 1)), (100, 3))
    with pytest.raises(ValueError, match="stride of 0"):
        plan_for(repeated, s=(50, 3))
    with pytest.raises(ValueError, match="stride of -1"):
        plan_for(x[0, ::-1])
    along = plan_for(np.broadcast_to(x[0], (5, 8)), axes=1)  # 0 beside the axes
    assert_close(along(np.broadcast_to(x[0], (5, 8)))[3], fft.fft(x[0]))
