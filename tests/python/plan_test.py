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


def refusals():
    yield ValueError, "kind is 'fht'", lambda: Plan(8, kind="fht")
    yield ValueError, "kind is 'dct5'", lambda: Plan((8, 8), kind=("dct2", "dct5"))
    yield ValueError, "and the axes are 1; give one name for each", lambda: Plan(8, kind=("dct2", "dct3"))
    yield ValueError, "may differ between", lambda: Plan((8, 8), kind=("dct2", "fft"))
    yield ValueError, "axes .* exceed", lambda: Plan(8, axes=1)
    yield TypeError, "dtype int32 cannot", lambda: Plan(8, dtype="int32")
    yield TypeError, "takes real numbers", lambda: Plan(8, kind="rfft")
    yield TypeError, "takes complex numbers", lambda: Plan(8, dtype="float32")
    yield ValueError, "norm is 'ortho'", lambda: Plan(8, norm="ortho")
    yield ValueError, "bins is", lambda: Plan(8, bins="other")
    yield ValueError, "1 to 3", lambda: Plan((2, 2, 2, 2))
    yield ValueError, "fp64 mixes with no other", lambda: Plan(8, out_dtype="complex128")
    yield ValueError, "valid_in", lambda: Plan(8, valid_in=[(3, 3)])
    yield ValueError, "2 strides and the shape 1", lambda: Plan(8, layout_in=Layout((1, 2)))
    yield ValueError, "two elements may share", lambda: Plan((2, 8), layout_out=Layout((1, 1)))
    yield TypeError, "factors are float32 or float64", lambda: Functor.factors("complex64")
    yield ValueError, "a multiplier was given and kind is", lambda: Plan(
        8, multiplier=Functor.factors())
    yield TypeError, "element is 'c9'", lambda: Plan(8, load=Functor(element="c9"))
    yield TypeError, "not compiled", lambda: Plan(8, load=Functor(function=print, elements=8))
    yield ValueError, "operand type", lambda: Plan(8, load=Functor(
        function=1, element="complex64", elements=8, operands=("texture",)))
    yield ValueError, "1 or more", lambda: Plan(-8)
    yield ValueError, "each once", lambda: Plan((4, 4), axes=(0, 0))
    yield ValueError, "device is 'best'; give a wingbeat.Device", lambda: Plan(8, device="best")
    yield ValueError, "elements of load is 0; give a Functor how many", lambda: Plan(
        8, load=Functor())
    yield ValueError, "elements of store is 0; .* a run writes", lambda: Plan(8, store=Functor())
    yield ValueError, "no function, which engine host calls; give load.function", lambda: Plan(
        8, load=Functor("struct one {};", "one", elements=8))
    for option in ("in_place", "orthogonalize"):
        yield TypeError, f"{option} is of type str; give True or False", lambda option=option: (
            Plan(8, **{option: "no"}))
    yield TypeError, "wingbeat.Layout", lambda: Plan(8, layout_in=(1,))
    yield TypeError, "wingbeat.Functor", lambda: Plan(8, load="load")
    yield ValueError, "place is -1", lambda: Plan(8).bin_at(-1)
    yield TypeError, "x is of object", lambda: Plan(8)(None)
    yield ValueError, "shape is 1180591620717411303424", lambda: Plan(2**70)
    yield TypeError, "valid_in has 3; give one", lambda: Plan(8, valid_in=[3])
    yield ValueError, "valid_out is -1", lambda: Plan(8, valid_out=[(-1, 3)])
    x, factors = noise(8, "f4"), np.ones(8, np.float32)
    solver = Plan(8, kind="dct2", dtype="float32", multiplier=Functor.factors())
    yield ValueError, "give 8, one", lambda: solver(x, multiplier=(factors[:3],))
    for gaps in (np.ones(16, "f4")[::2], factors[::-1], np.broadcast_to(factors[:1], 8)):
        yield ValueError, "give a packed copy", lambda gaps=gaps: solver(x, multiplier=(gaps,))
    yield TypeError, "declared as float32", lambda: solver(x, multiplier=(np.ones(8),))
    yield TypeError, "type list", lambda: solver(x, multiplier=([1.0] * 8,))
    yield TypeError, "a tuple", lambda: solver(x, multiplier=factors)
    yield TypeError, "load is of type NoneType; give a tuple", lambda: Plan(8)(
        np.ones(8, "c8"), load=None)
    padded = Plan(8, kind="rfft", dtype="float32", in_place=True)
    yield ValueError, "strides", lambda: padded(np.ones(20, "f4")[::2])
    yield ValueError, "strides", lambda: Plan((3, 8), 1, kind="rfft", dtype="float32", in_place=True)(
        np.ones((3, 12), "f4")[:, :10])
    for dtype in ("f8", "i4", "?", "M8[s]"):
        yield TypeError, "float32 or complex64", lambda dtype=dtype: padded(np.ones(20, dtype))
    planar, cropped = Plan(4, layout_in=Layout(imaginary_at=4)), Plan(
        8, layout_in=Layout(origin=(2,)), valid_in=[(2, 6)])
    for dtype in ("c8", "i4", "f8"):
        yield TypeError, "for float32;", lambda dtype=dtype: planar(np.ones(8, dtype))
    for dtype in ("f4", "i8", "M8[s]"):
        yield TypeError, "for complex64;", lambda dtype=dtype: cropped(np.ones(8, dtype))
    counting = Plan(8, kind="rfft", dtype="float32", load=Functor(
        function=Functor.factors().function, element="int16", elements=8, operands=("int32",)))
    yield TypeError, "x is of float32 .* for int16", lambda: counting(np.ones(8, "f4"), load=(1,))
    yield TypeError, "operand of load is of type str", lambda: counting(np.ones(8, "i2"), load=("1",))
    yield ValueError, "give a number of int32", lambda: counting(np.ones(8, "i2"), load=(2**31,))
    yield TypeError, "strides is of type float", lambda: Layout(strides=(1.5,))
    yield TypeError, "strides is 1; give a tuple", lambda: Layout(strides=1)
    yield ValueError, "origin is -1", lambda: Layout(origin=(-1,))
    yield ValueError, "imaginary_at is -1", lambda: Layout(imaginary_at=-1)
    yield ValueError, "elements is -8", lambda: Functor(elements=-8)
    yield ValueError, "partial_bytes is -1", lambda: Functor(partial_bytes=-1)
    yield TypeError, "text is of type int; give str", lambda: Functor(text=3)
    yield TypeError, "parameters is of type str; give bytes", lambda: Functor(parameters="a")
    yield TypeError, "give a tuple of texts", lambda: Functor(operands="float32")
    yield ValueError, "function is -1", lambda: Plan(8, load=Functor(function=-1, elements=8))
    yield ValueError, "another transform", lambda: fft.fft([1, 2], plan=Plan((2, 2, 2)))
    yield ValueError, "kind is", lambda: Plan(8, kind=[])
    yield ValueError, "norm is", lambda: Plan(8, norm=[])
    yield TypeError, "out_dtype is float32 and fft gives complex", lambda: Plan(
        8, out_dtype="float32")
    yield TypeError, "out_dtype 0 cannot", lambda: Plan(8, out_dtype=0)
    yield TypeError, "valid_in is 3; give a tuple", lambda: Plan(8, valid_in=3)
    yield ValueError, "valid range of x is empty", lambda: Plan(8, valid_in=[])
    yield ValueError, "the functor.s bytes is", lambda: Plan(8, load=Functor(elements=2**62))
    for dtype in ("float32", "float64"):
        other = "float64" if dtype == "float32" else "float32"
        yield TypeError, f"factors are of {other} and .* {dtype}", lambda dtype=dtype, other=other: (
            Plan(8, kind="dct2", dtype=dtype, multiplier=Functor.factors(other)))
    yield ValueError, "beside a functor", lambda: Plan(
        8, layout_in=Layout((1,)), load=Functor(elements=8))
    yield ValueError, "takes the last ones, in order", lambda: Plan(
        (4, 8), 0, kind="rfft", dtype="float32", in_place=True)
    yield ValueError, "beside in_place", lambda: Plan(
        8, kind="rfft", dtype="float32", in_place=True, layout_out=Layout((1,)))
    yield ValueError, "out has shape", lambda: plan_for(np.ones(8, "c8"), out=np.ones(9, "c8"))
    yield TypeError, "out_dtype is float32 and fft gives complex", lambda: plan_for(
        np.ones(8, "c8"), out=np.ones(8, "f4"))
    yield ValueError, "x has strides of .5,. bytes", lambda: plan_for(
        np.zeros(8, [("a", "u1"), ("b", "f4")])["b"], "rfft")
    yield TypeError, "factor is of type str", lambda: Plan(8, factor="2")
    yield ValueError, "factor is beyond", lambda: Plan(8, factor=10**400)
    yield TypeError, "the plan was made for complex32", lambda: Plan(8, dtype="complex32")(
        np.ones(8, "c8"))


@pytest.mark.parametrize("error,words,call", list(refusals()))
def test_refuses_in_one_sentence(error, words, call):
    with pytest.raises(error, match=words) as refused:
        call()
    assert "\n" not in str(refused.value)
