# SPDX-License-Identifier: Apache-2.0
"""What wingbeat.Plan refuses, and in which words."""

import numpy as np
import pytest

import wingbeat
import wingbeat.fft as fft
from wingbeat import Functor, Layout, Plan, plan_for


def refusals():
    yield ValueError, "kind is 'fht'", lambda: Plan(8, kind="fht")
    yield ValueError, "kind is 'dct5'", lambda: Plan((8, 8), kind=("dct2", "dct5"))
    yield ValueError, "and the axes are 1; give one name for each", lambda: Plan(
        8, kind=("dct2", "dct3"))
    yield ValueError, "may differ between", lambda: Plan((8, 8), kind=("dct2", "fft"))
    yield ValueError, "axes exceed", lambda: Plan(8, axes=1)
    yield TypeError, "dtype int32 cannot", lambda: Plan(8, dtype="int32")
    yield TypeError, "takes real numbers", lambda: Plan(8, kind="rfft")
    yield TypeError, "takes complex numbers", lambda: Plan(8, dtype="float32")
    yield ValueError, "norm is 'unit'", lambda: Plan(8, norm="unit")
    yield ValueError, "forward and inverse functions", lambda: plan_for(np.ones((4, 4)),
                                                                        ("dct", "idct"))
    yield ValueError, "kind is 'idct5'", lambda: plan_for(np.ones(4), "idct5")
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
    yield ValueError, "each axis once", lambda: Plan((4, 4), axes=(0, 0))
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
    x = factors = np.ones(8, np.float32)
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
    yield ValueError, "strides", lambda: Plan((3, 8), 1, kind="rfft", dtype="float32",
                                              in_place=True)(
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
    yield TypeError, "operand of load is of type str", lambda: counting(
        np.ones(8, "i2"), load=("1",))
    yield ValueError, "give a number of int32", lambda: counting(np.ones(8, "i2"), load=(2**31,))
    yield TypeError, "strides is of type float", lambda: Layout(strides=(1.5,))
    yield TypeError, "strides is 1; give a tuple", lambda: Layout(strides=1)
    yield ValueError, "origin is -1", lambda: Layout(origin=(-1,))
    yield ValueError, "imaginary_at is -1", lambda: Layout(imaginary_at=-1)
    yield ValueError, "elements is -8", lambda: Functor(elements=-8)
    yield ValueError, "partial_bytes is -1", lambda: Functor(partial_bytes=-1)
    yield ValueError, "row_outputs is -1", lambda: Functor(row_outputs=-1)
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
        words = f"factors are of {other} and .* {dtype}"
        yield TypeError, words, lambda dtype=dtype, other=other: (
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
