# SPDX-License-Identifier: Apache-2.0
"""Plans of one's own: layouts, zero padding and cropping, loads and stores, and what a run costs.

>>> import numpy as np
>>> import wingbeat
>>> spectra = wingbeat.Plan((16, 1024), axes=1, dtype="float32", kind="rfft")
>>> spectra(np.ones((16, 1024), np.float32)).shape
(16, 513)

Names `in` and `out` are a plan's two sides; numbers of a side are counted in its elements, real or
complex.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, Sequence

import numpy as np

from wingbeat import _wingbeat
from wingbeat._arguments import boolean, count, each, integer, integers, named, number, scale_of
from wingbeat._arrays import library_of
from wingbeat._device import OfDevice, queue_on
from wingbeat._types import Array, Axes, Norm

__all__ = ["Plan", "Layout", "Functor", "plan_for"]

_KINDS = {"fft": "forward", "ifft": "inverse", "rfft": "forward_from_real",
          "irfft": "inverse_to_real", "dht": "dht",
          **{f"{family}{number}": f"{family}{number}" for family in ("dct", "dst")
             for number in (1, 2, 3, 4)}}
_FLOAT_NAMES = {"fp32": "float32", "fp64": "float64", "fp16": "float16", "bf16": "bfloat16"}
_COMPLEX_NAMES = {"fp32": "complex64", "fp64": "complex128", "fp16": "complex32",
                  "bf16": "bcomplex32"}
_REAL_NAMES = {name: real for names in (_FLOAT_NAMES, _COMPLEX_NAMES)
               for real, name in names.items()}
#: What stands for the bits of elements in libraries that have no such dtype.
_BITS = {"bfloat16": ("uint16",), "complex32": ("float16", "uint32"),
         "bcomplex32": ("bfloat16", "uint16", "uint32")}


@dataclass(frozen=True)
class Layout:
    """How the elements of a side lie in memory.

    strides       elements from one index to the next, one for each dimension of the plan's shape;
                  None: packed.
    imaginary_at  of planar complex numbers, the reals from the real parts to the imaginary parts;
                  strides then count reals, of which the array is. 0: the two parts are neighbours.
    origin        one per axis, the index that lies at the start of the memory; lower ones are not
                  in memory. None: 0.

    >>> wingbeat.Layout(strides=(1, 16)).strides
    (1, 16)
    """

    strides: tuple | None = None
    imaginary_at: int = 0
    origin: tuple | None = None

    def __post_init__(self):
        for name, check in (("strides", integer), ("origin", count)):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, each(check, getattr(self, name), name))
        count(self.imaginary_at, "imaginary_at")


@dataclass(frozen=True)
class Functor:
    """A load in place of a plan's input, a store in place of its output, or a multiplier between a
    transform and the way back: a load of factors, without a buffer.

    text, type   C++ that defines a struct of that name, as `wingbeat/fusion.hpp` of the C++ library
                 describes it: for devices that compile kernels.
    function     for the processor: a compiled function, as an address, an object of ctypes, or a
                 `numba.cfunc` (what has an `address`). A load is called with pointers to the input,
                 to an array of operands, then the row, the first element and the number of elements
                 as three uint64, and a pointer to the elements to fill, float32 or complex64, of
                 fp64 float64 or complex128; a store with a pointer to elements to take.
    element      the dtype of the functor's own buffer: of the array that a run is given. uint16
                 stands for bfloat16, uint32 and reals for complex numbers of two times 16 bits.
    elements     how many of them one run reads, or writes: all rows.
    parameters   bytes that the text's struct `parameters` is made of, the same in every run.
    operands     what each run gives: "const float32*" for memory that is read, "float32*" for
                 memory that is written, "float32" for a number.
    partial_bytes, clears_output   of stores that reduce: the bytes of the text's struct `partial`,
                 and whether a run sets the output to 0 first.

    >>> wingbeat.Functor(text="struct window {};", type="window", element="int16", elements=64).type
    'window'
    """

    text: str = ""
    type: str = ""
    function: object = None
    element: str = "float32"
    elements: int = 0
    parameters: bytes = b""
    operands: tuple = ()
    partial_bytes: int = 0
    clears_output: bool = False

    def __post_init__(self):
        for name, wanted in (("text", str), ("type", str), ("element", str), ("parameters", bytes)):
            if not isinstance(getattr(self, name), wanted):
                raise TypeError(f"{name} is of type {type(getattr(self, name)).__name__}; give "
                                f"{wanted.__name__}")
        if not isinstance(self.operands, (tuple, list)) or not all(
                isinstance(one, str) for one in self.operands):
            raise TypeError(f"operands are {self.operands!r}; give a tuple of texts, such as "
                            '"const float32*"')
        if self.element not in _wingbeat.item_bytes:
            raise TypeError(f"element is {self.element!r}; give one of {', '.join(_wingbeat.item_bytes)}")
        count(self.elements, "elements")
        count(self.partial_bytes, "partial_bytes")

    @classmethod
    def factors(cls, dtype: Any = "float32") -> Functor:
        """Returns the multiplier by an array of factors, one for each coefficient of a transform,
        of the plan's dtype, float32 or float64, packed. Each run is given it as the operand.

        >>> halved = wingbeat.Plan(8, kind="dct2", dtype="float32", norm="length",
        ...                        multiplier=wingbeat.Functor.factors())
        >>> halved(np.ones(8, np.float32), multiplier=(np.full(8, 0.5, np.float32),))[0]
        np.float32(0.5)
        """
        number = {"float32": "float", "float64": "double"}.get(np.dtype(dtype).name)
        if number is None:
            raise TypeError(f"dtype is {dtype!r}; factors are float32 or float64")
        return cls(_FACTORS.replace("number", number), f"factors_of_{number}",
                   _wingbeat.factors_address(number == "double"),
                   operands=(f"const {np.dtype(dtype).name}*",))

    def _described(self):
        described = _wingbeat.FunctorSpec()
        described.text, described.type = self.text, self.type
        described.parameters = self.parameters
        described.operands = list(self.operands)
        described.element_bytes = _wingbeat.item_bytes[self.element]
        described.buffer_bytes = count(described.element_bytes * self.elements, "the functor's bytes")
        described.address = _address(self.function)
        described.partial_bytes = self.partial_bytes
        described.clears_output = self.clears_output
        return described


_FACTORS = """
struct factors_of_number {
  using element = number;
  struct operands { WINGBEAT_GLOBAL const number* factors; };
  WINGBEAT_FN static number load(WINGBEAT_GLOBAL const element*, operands given,
                                 wingbeat::device::size, wingbeat::device::size i) {
    return given.factors[i];
  }
};
"""


#: The texts of `Functor.factors`, each with its dtype.
_FACTOR_TEXTS = {_FACTORS.replace("number", number): name
                 for number, name in (("float", "float32"), ("double", "float64"))}


def _address(function):
    """Returns the address of a compiled function."""
    if function is None:
        return 0
    if isinstance(function, int):
        return count(function, "function")
    if hasattr(function, "address"):
        return function.address
    import ctypes
    if isinstance(function, ctypes._CFuncPtr):
        return ctypes.cast(function, ctypes.c_void_p).value
    raise TypeError(f"function is of type {type(function).__name__}, which is not compiled; give a "
                    "numba.cfunc, a function of ctypes, or an address")


_NONE = ()  # no operands


class _Side(NamedTuple):
    """What an array of one side has to be."""

    name: str          #: "x" or "out"
    shape: tuple
    dtypes: tuple      #: Any of them.
    strides: tuple     #: In elements; None: of packed arrays of any shape.
    is_functors: bool  #: The elements are a functor's own.

    def require(self, library, array):
        """Raises unless an array is as the plan was made for."""
        dtype, (_, _, strides, item_bytes) = library.dtype_name(array), library.memory(array)
        shape = tuple(array.shape)
        if dtype not in self.dtypes:
            raise TypeError(f"{self.name} is of {dtype} and the plan was made for "
                            f"{' or '.join(self.dtypes)}; give such an array, or make another plan")
        if self.strides is not None and shape != self.shape:
            raise ValueError(f"{self.name} has shape {shape} and the plan was made for {self.shape}; "
                             "give such an array, or make another plan")
        wanted = tuple(n * item_bytes for n in self.strides or _packed(shape))
        if any(a != b for a, b, n in zip(strides, wanted, shape) if n > 1):
            raise ValueError(f"{self.name} has strides of {tuple(strides)} bytes and the plan was "
                             f"made for {wanted}; give such an array, or make another plan")


class Plan(OfDevice):
    """A transform, prepared once and run often. Runs do not change it, so threads may share it.

    shape      of the transform: its longer side, batches included; of `rfft` and `irfft` that of
               the real numbers.
    axes       which dimensions of the shape are transformed, up to three; None: all.
    kind       "fft", "ifft", "rfft", "irfft", "dct1" to "dct4", "dst1" to "dst4" or "dht"; of the
               latter, which are from reals to reals, also a tuple of one for each axis.
    dtype      of the input's elements: "complex64", "float16" ..; `out_dtype` of the output's,
               where they are stored as another type. fp64 mixes with no other.
    norm       None: unscaled, in both directions; "length": divided by the number of points,
               "sqrt": by its square root. `factor` multiplies in addition.
    bins       "natural", or "scrambled": the device's order of bins, see `bin_at`.
    in_place   the output replaces the input, and a run without `out` returns x; of `rfft` and
               `irfft` each row then has room for n + 2 reals (n + 1 if n is odd), see the C++
               library's `placement`. Other plans too take x as `out` where both sides lie alike.
    layout_in, layout_out    a `Layout` of each side.
    valid_in, valid_out      one (first, end) per axis: the indices that are in memory. Others are 0
               in the input, and not written in the output.
    load, store              a `Functor` in place of the input, or of the output.
    multiplier               of kinds from reals to reals, a `Functor` that loads factors: the plan
               transforms, multiplies coefficient i by factor i, and transforms back, by "dct3"
               after "dct2". Its `norm` is that of both ways together: with "length", factors of 1
               leave x as it is.
    device     a `wingbeat.Device`, an engine's name, a `wingbeat.Queue` for its device, or a
               `pyopencl.CommandQueue`; None: the processor. "reference" takes the processor's
               arrays.

    >>> plan = wingbeat.Plan(8, dtype="complex64")
    >>> plan(np.ones(8, np.complex64))[0]
    np.complex64(8+0j)
    """

    def __init__(self, shape: int | Sequence[int], axes: Axes = None, *,
                 kind: str | Sequence[str] = "fft", dtype: Any = "complex64", out_dtype: Any = None, norm: str | None = None,
                 factor: float = 1.0, orthogonalize: bool = False, bins: str = "natural",
                 in_place: bool = False, layout_in: Layout | None = None,
                 layout_out: Layout | None = None,
                 valid_in: Sequence[tuple[int, int]] | None = None,
                 valid_out: Sequence[tuple[int, int]] | None = None, load: Functor | None = None,
                 store: Functor | None = None, multiplier: Functor | None = None,
                 device: Any = None) -> None:
        self.shape = integers(shape, "shape")
        rank = len(self.shape)
        if any(n < 1 for n in self.shape):
            raise ValueError(f"shape is {self.shape}; give lengths of 1 or more")
        axes = range(rank) if axes is None else integers(axes, "axes")
        if any(not -rank <= axis < rank for axis in axes):
            raise ValueError(f"axes {tuple(axes)} exceed the shape's {rank} dimensions")
        if len({axis % rank for axis in axes}) != len(axes) or not axes:
            raise ValueError(f"axes are {tuple(axes)}; give one or more, each once")
        self.axes = tuple(axis % rank for axis in axes)
        kinds = _kinds_of(kind, len(self.axes))
        self.kind = kinds[0] if len(set(kinds)) == 1 else kinds
        self._transform = _KINDS[kinds[-1]]
        self._choose_types(dtype, out_dtype)
        native = getattr(device, "int_ptr", None)  # of pyopencl's queues: plans are of a context
        for name, given, expected in (
                ("layout_in", layout_in, Layout), ("layout_out", layout_out, Layout),
                ("load", load, Functor), ("store", store, Functor),
                ("multiplier", multiplier, Functor)):
            if given is not None and not isinstance(given, expected):
                raise TypeError(f"{name} is of type {type(given).__name__}; give a "
                                f"wingbeat.{expected.__name__}")
        for name, functor, verb in (("load", load, "reads"), ("store", store, "writes")):
            if functor is not None and functor.elements == 0:
                raise ValueError(f"elements of {name} is 0; give a Functor how many elements of its "
                                 f"own a run {verb}")
        queue = (_wingbeat.adopted_queue(_wingbeat.Engine.opencl, 0, native) if native is not None
                 else _wingbeat.Queue(_host_device()) if device is None else queue_on(device))
        self.device = queue.device
        is_counted = self.device.engine == _wingbeat.Engine.cuda
        memory_of = (_wingbeat.Engine.host if self.device.engine == _wingbeat.Engine.reference
                     else self.device.engine)
        self._place = memory_of, self.device.index if is_counted else 0
        self._sides(layout_in or Layout(), layout_out or Layout(), valid_in, valid_out, in_place,
                    load, store)
        if norm not in list(_SCALES):
            raise ValueError(f"norm is {norm!r}; give None, \"length\" or \"sqrt\"")
        if bins not in ("natural", "scrambled"):
            raise ValueError(f"bins is {bins!r}; give \"natural\" or \"scrambled\"")
        self.norm, self.orthogonalize, self.in_place = (
            norm, boolean(orthogonalize, "orthogonalize"), boolean(in_place, "in_place"))
        self._is_bare = factor == 1 and bins == "natural"
        self._functors = load, store, multiplier
        factors = multiplier and _FACTOR_TEXTS.get(multiplier.text)
        if factors and (factors == "float64") != (self._real == "fp64"):
            raise TypeError(f"the factors are of {factors} and the plan computes in "
                            f"{_FLOAT_NAMES[self._real]}; make Functor.factors of the plan's dtype")
        with named({"callable": "function"}):
            self._plan = _wingbeat.OwnedPlan(
                queue, [self.shape[axis] for axis in self.axes],
                [self.shape[d] for d in self._batch()],
                [getattr(_wingbeat, f"kind_{_KINDS[each]}")
                 for each in ([self.kind] if isinstance(self.kind, str) else kinds)], self._real, _SCALES[norm],
                number(factor, "factor"), self.orthogonalize, bins == "scrambled", self.in_place,
                self._in_side, self._out_side, load and load._described(),
                store and store._described(), multiplier and multiplier._described())
        self.last_call = None  # of wingbeat.fft that this plan was given to
        self._state_arrays()

    def _state_arrays(self):
        """Tells the extension which arrays it may take without a look from here."""
        self.run_as_expected = self._plan.run
        for expect, side, *makes in (
                (self._plan.expect_input, self._in_array),
                (self._plan.expect_output, self._out_array, self._makes_output(),
                 self.takes_x_as_out)):
            if side.strides is not None:
                expect(side.shape, side.strides, side.dtypes[0], *makes)

    def _makes_output(self):
        """Returns whether an output that is not given is a packed array without gaps."""
        return (self._out_array.strides == _packed(self.out_shape) and
                not self._out_side.valid and not self.in_place)

    def _choose_types(self, dtype, out_dtype):
        has_complex = [self._transform != "forward_from_real" and not self._is_of_reals(),
                       self._transform != "inverse_to_real" and not self._is_of_reals()]
        reals = []
        for name, given, is_complex, verb in zip(("dtype", "out_dtype"), (dtype, out_dtype),
                                                 has_complex, ("takes", "gives")):
            if given is None and reals:
                reals.append(reals[0])
                continue
            text = str(given).removeprefix("torch.")
            if isinstance(given, (type, np.dtype)):
                text = np.dtype(given).name
            if text not in _REAL_NAMES:
                raise TypeError(f"{name} {text} cannot be transformed; give one of "
                                f"{', '.join(_REAL_NAMES)}")
            if (text in _COMPLEX_NAMES.values()) != is_complex:
                raise TypeError(f"{name} is {text} and {self.kind} {verb} "
                                f"{'complex' if is_complex else 'real'} numbers")
            reals.append(_REAL_NAMES[text])
        self._real = reals[0] if reals[0] == reals[1] or "fp64" in reals else "fp32"
        self._stored = ["" if real == self._real else real for real in reals]
        self.in_dtype, self.out_dtype = (
            (_COMPLEX_NAMES if is_complex else _FLOAT_NAMES)[real]
            for real, is_complex in zip(reals, has_complex))

    def _is_of_reals(self):
        return self._transform.startswith("d")

    def _is_packed_by_default(self):
        """Whether the library's packed layout, batches outermost, is that of the shape."""
        return self._batch() + list(self.axes) == list(range(len(self.shape)))

    def _batch(self):
        return [d for d in range(len(self.shape)) if d not in self.axes]

    def _sides(self, layout_in, layout_out, valid_in, valid_out, in_place, load, store):
        """Describes both sides to the library, and what arrays of them have to be."""
        halved = list(self.shape)
        halved[self.axes[-1]] = halved[self.axes[-1]] // 2 + 1
        shapes = [list(self.shape), list(self.shape)]
        if self._transform == "forward_from_real":
            shapes[1] = halved
        if self._transform == "inverse_to_real":
            shapes[0] = halved
        self.in_shape, self.out_shape = (tuple(shape) for shape in shapes)
        is_padded = in_place and self._transform in ("forward_from_real", "inverse_to_real")
        if is_padded and not self._is_packed_by_default():
            raise ValueError(f"axes are {self.axes} and {self.kind} in place takes the last ones, in "
                             "order; give these, or leave in_place out")
        self._in_side, self._in_array = self._side("x", self.in_shape, self.in_dtype, layout_in,
                                                   valid_in, self._stored[0], load, is_padded)
        self._out_side, self._out_array = self._side("out", self.out_shape, self.out_dtype,
                                                     layout_out, valid_out, self._stored[1], store,
                                                     is_padded)

    def _side(self, name, shape, dtype, layout, valid, stored, functor, is_padded):
        side = _wingbeat.Side()
        side.stored = stored
        if valid is not None:
            side.valid = each(_range, valid, f"valid_{'in' if name == 'x' else 'out'}")
            if not side.valid:
                raise ValueError(f"the valid range of {name} is empty; give one (first, end) for each "
                                 "axis, or None")
        if layout != Layout() and (functor is not None or is_padded):
            raise ValueError(f"the layout of {name} was given beside "
                             f"{'in_place' if functor is None else 'a functor'}, which has its own; "
                             "leave it out")
        if functor is not None:
            dtypes = functor.element, *_BITS.get(functor.element, ())
            return side, _Side(name, shape, dtypes, None, True)
        real = _REAL_NAMES[dtype]
        if is_padded:
            return side, _Side(name, shape, (_FLOAT_NAMES[real], _COMPLEX_NAMES[real]), None, False)
        strides = _packed(shape) if layout.strides is None else layout.strides
        is_plain = not layout.imaginary_at and not layout.origin
        if layout.strides is not None or not self._is_packed_by_default():
            if len(strides) != len(shape):
                raise ValueError(f"the layout of {name} has {len(strides)} strides and the shape "
                                 f"{len(shape)} dimensions; give one each")
            _require_strides(name, shape, strides, self.axes, side.valid)
            side.strides = [max(strides[axis], 1) for axis in self.axes]
            side.distances = [strides[d] for d in self._batch()]
        side.imaginary_at = layout.imaginary_at
        side.origin = list(layout.origin or ())
        dtypes = (_FLOAT_NAMES[real] if layout.imaginary_at else dtype),
        return side, _Side(name, shape, dtypes, strides if is_plain else None, False)

    def __call__(self, x: Array, out: Array | None = None, *, load: Sequence[Any] = _NONE,
                 store: Sequence[Any] = _NONE, multiplier: Sequence[Any] = _NONE,
                 stream: Any = None) -> Array:
        """Runs on an array, and returns `out`, or a new array beside x; of a plan in place, x.
        `load`, `store` and `multiplier` are the arguments for the functors' operands: arrays of the
        same library, and numbers.

        >>> plan = wingbeat.Plan((2, 4), axes=1, kind="dct2", dtype="float32")
        >>> out = np.empty((2, 4), np.float32)
        >>> plan(np.ones((2, 4), np.float32), out) is out
        True
        """
        if out is None and self.in_place:
            out = x
        if stream is None and load is _NONE and store is _NONE and multiplier is _NONE:
            result = self.run_as_expected(x, out)
            if result is not None:
                return result
        library = library_of(x)
        if not hasattr(library, "require_memory"):
            raise TypeError(f"x is of type {type(x).__name__}, known by a protocol alone; give an "
                            "array of numpy, CuPy, torch or PyOpenCL")
        x = library.array(x)
        if stream is not None:
            with library.running_on(stream, x):
                return self(x, out, load=load, store=store, multiplier=multiplier)
        self._require(library, x, self._in_array)
        if out is None:
            out = self._new_output(library, x)
        self._require(library, out, self._out_array)
        operands = [_operands(library, name, functor, given) for name, functor, given in zip(
            ("load", "store", "multiplier"), self._functors, (load, store, multiplier))]
        self._require_factors(multiplier)
        sides = _memory(library, x), _memory(library, out)
        self._require_places(*sides)
        self._plan.enqueue(*sides, *operands, library.stream_of(x), library.workspace_near(x))
        return out

    def _require(self, library, array, side):
        """Raises unless an array is one that this plan runs on as it lies."""
        if library_of(array) is not library or library.device_of(array) != self._place:
            raise ValueError(f"the plan was made for {self.device!r} and {side.name} is elsewhere; "
                             "give arrays there, or make a plan with another device")
        library.require_memory(array, side.name, side.name == "out")
        side.require(library, array)

    @property
    def takes_x_as_out(self) -> bool:
        """Whether both sides lie alike, so that a run may replace x.

        >>> wingbeat.Plan(8).takes_x_as_out, wingbeat.Plan(8, out_dtype="complex32").takes_x_as_out
        (True, False)
        """
        whole = [(0, self.shape[axis]) for axis in self.axes]
        sides = [(array.shape, array.dtypes, array.strides, side.valid or whole) for array, side in (
            (self._in_array, self._in_side), (self._out_array, self._out_side))]
        return self.in_place or (sides[0] == sides[1] and self._in_array.strides is not None)

    def _require_places(self, x, out):
        """Raises where memory of x and out is shared otherwise than in one place, or of a plan in
        place is not. Functors' own elements lie as their author says."""
        if self._in_array.is_functors or self._out_array.is_functors:
            return
        starts = [sum(side[:2]) for side in (x, out)]
        if starts[0] == starts[1]:
            is_right = self.takes_x_as_out
        else:
            is_right = not self.in_place and (
                starts[0] + x[2] <= starts[1] or starts[1] + out[2] <= starts[0] or
                (x[0] != out[0] and self.device.engine == _wingbeat.Engine.opencl))
        if not is_right:
            wanted = ("leave out out, or give x" if self.in_place else "give x, or other memory"
                      if self.takes_x_as_out else "give other memory")
            raise ValueError(f"out {'is not' if self.in_place else 'shares'} x's memory and the plan "
                             f"{'works' if self.in_place else 'does not work'} in place; {wanted}")

    def _require_factors(self, given):
        """Raises unless the array for `Functor.factors` has a value for each coefficient."""
        functor = self._functors[2]
        if functor is None or functor.text not in _FACTOR_TEXTS:
            return
        factors, = given
        n_factors = math.prod(self.shape[axis] for axis in self.axes)
        if math.prod(factors.shape) != n_factors:
            raise ValueError(f"the factors have shape {tuple(factors.shape)}; give {n_factors}, one "
                             "for each coefficient of a transform")

    def _new_output(self, library, x):
        if self._out_array.strides is None or self._out_array.strides != _packed(self.out_shape):
            raise ValueError("out is needed, because the plan's output is not packed: it has a "
                             "layout, a functor, or padding")
        try:
            result = library.empty(x, self.out_shape, self.out_dtype)
        except (TypeError, KeyError, ValueError):
            raise TypeError(f"x's library has no type for the output's numbers, {self.out_dtype}; "
                            "choose another out_dtype") from None
        if self._out_side.valid:
            library.assign(result, 0)
        return result

    @property
    def in_bytes(self) -> int:
        """Bytes of one run's input, from its start to the end of its last element.

        >>> wingbeat.Plan(8).in_bytes
        64
        """
        return self._plan.in_bytes

    @property
    def out_bytes(self) -> int:
        """Bytes of one run's output."""
        return self._plan.out_bytes

    @property
    def workspace_bytes(self) -> int:
        """Bytes of memory that one run needs beside input and output."""
        return self._plan.workspace_bytes

    @property
    def traffic_bytes(self) -> int:
        """Bytes that one run reads and writes in the device's memory, as planned."""
        return self._plan.traffic_bytes

    @property
    def passes(self) -> list[_wingbeat.Pass]:
        """The passes of one run over memory; empty on engines that compile no kernels."""
        return self._plan.passes()

    @property
    def resources(self) -> list[_wingbeat.Resources]:
        """The resources of each pass's kernel; empty on engines that compile none."""
        return self._plan.resources()

    def require_for(self, request: Any, given: Sequence[int], shape: Sequence[int]) -> None:
        """Raises unless a call of `wingbeat.fft` asks for this transform, of an array of the shape
        `given`, with a result of this shape."""
        if request.overwrite_x and not self.takes_x_as_out:
            raise ValueError(f"overwrite_x was given and the plan, {self!r}, has another output "
                             "than input; leave overwrite_x out")
        kind = isinstance(self.kind, str) and getattr(_wingbeat, f"kind_{self._transform}")
        scale = _norm_of(request.norm, request.is_inverse)
        wanted = (request.kind, scale, request.orthogonalize, request.axes, tuple(shape))
        has_rank = len(given) == len(self.in_shape)
        valid = [(0, min(given[axis], self.in_shape[axis])) for axis in self.axes if has_rank]
        is_bare = self._is_bare and not self._out_side.valid and (
            not self._in_side.valid or [tuple(each) for each in self._in_side.valid] == valid)
        if (kind, self.norm, self.orthogonalize, self.axes, self.out_shape) != wanted or not is_bare:
            raise ValueError(f"the plan is {self!r}, and the call asks for another transform; make "
                             "a plan by plan_for with the same arguments")

    def bin_at(self, place: int) -> int:
        """Returns the bin that element `place` of the axis is, of scrambled bins.

        >>> wingbeat.Plan(8).bin_at(3)
        3
        """
        return self._plan.bin_at(count(place, "place"))

    def explain(self) -> str:
        """Returns the plan in words: passes, bytes moved, workspace, expected speed.

        >>> print(wingbeat.Plan(8).explain().splitlines()[-1])
        workspace 0 bytes
        """
        return self._plan.explain()

    def __repr__(self):
        return (f"<wingbeat.Plan {self.kind} of {self.shape} along {self.axes}, {self.in_dtype} to "
                f"{self.out_dtype} on {self.device.name}>")


_SCALES = {None: 0, "length": 1, "sqrt": 2}


def _kinds_of(kind, n_axes):
    """Returns the name of each axis's kind."""
    kinds = (kind,) * n_axes if isinstance(kind, (str, bytes)) or not isinstance(kind, Iterable) else tuple(kind)
    for name in kinds:
        if not isinstance(name, str) or name not in _KINDS:
            raise ValueError(f"kind is {name!r}; give one of {', '.join(_KINDS)}")
    if len(kinds) != n_axes:
        raise ValueError(f"kind is {kind!r} and the axes are {n_axes}; give one name for each, or one "
                         "for all")
    if len(set(kinds)) > 1 and not all(name[0] == "d" for name in kinds):
        raise ValueError(f"kind is {kinds!r}, and only those from reals to reals may differ between "
                         "axes; give dct1 to dct4, dst1 to dst4 or dht for each")
    return kinds


def _norm_of(norm, is_inverse):
    """Returns a plan's norm for that of a function of `wingbeat.fft`."""
    return tuple(_SCALES)[scale_of(norm, is_inverse)]


def _host_device():
    global _host
    if _host is None:
        _host = next(each for each in _wingbeat.devices() if each.engine == _wingbeat.Engine.host)
    return _host


_host = None


def _range(given, name):
    """Returns (first, end)."""
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise TypeError(f"{name} has {given!r}; give one (first, end) for each axis")
    return count(given[0], name), count(given[1], name)


def _packed(shape):
    strides, stride = [], 1
    for n in reversed(shape):
        strides.append(stride)
        stride *= n
    return tuple(reversed(strides))


def _memory(library, array):
    """Returns (pointer or handle, offset, bytes from the first element to the end of the last)."""
    pointer, offset, strides, item_bytes = library.memory(array)
    if 0 in array.shape:
        return pointer, offset, 0
    return pointer, offset, item_bytes + sum((n - 1) * stride
                                             for n, stride in zip(array.shape, strides))


def _operands(library, name, functor, given):
    """Returns memory as `_memory`, and numbers as they are."""
    if not isinstance(given, (tuple, list)):
        raise TypeError(f"{name} is of type {type(given).__name__}; give a tuple of the functor's "
                        "operands")
    declared = () if functor is None else functor.operands
    if len(given) != len(declared):
        raise ValueError(f"the functor has {len(declared)} operands and {len(given)} were given; "
                         "give one each")
    return [_operand(library, name, text, each) for text, each in zip(declared, given)]


def _operand(library, name, text, given):
    if "*" not in text:
        name = f"an operand of {name}"
        if text.startswith("float"):
            return number(given, name)
        given, range_of = integer(given, name), np.iinfo(text)
        if not range_of.min <= given <= range_of.max:
            raise ValueError(f"{name} is {given}; give a number of {text}")
        return given
    if library_of(given) is not library or not hasattr(given, "shape"):
        raise TypeError(f"an operand of {name} is of type {type(given).__name__}; give an array of "
                        "x's library")
    library.require_memory(given, f"an operand of {name}", not text.startswith("const"))
    dtype = text.replace("const", "").replace("*", "").strip()
    if library.dtype_name(given) != dtype:
        raise TypeError(f"an operand of {name} is of {library.dtype_name(given)} and was declared as "
                        f"{dtype}; convert it")
    shape, (_, _, strides, item_bytes) = given.shape, library.memory(given)
    if any(a != b * item_bytes for a, b, n in zip(strides, _packed(shape), shape) if n > 1):
        raise ValueError(f"an operand of {name} has strides of {tuple(strides)} bytes, which functors "
                         "are not told; give a packed copy")
    return _memory(library, given)


def _require_strides(name, shape, strides, axes, valid):
    """Raises where elements of a layout would not lie as its strides say."""
    counts = list(shape)
    for axis, (first, end) in zip(axes, valid or ()):
        counts[axis] = end - first
    for d, (n, stride) in enumerate(zip(counts, strides)):
        if n > 1 and stride < (1 if d in axes else 0):
            raise ValueError(f"{name} has a stride of {stride} elements along axis {d}, and a plan "
                             "takes positive ones, 0 beside its axes; give a packed copy")


def plan_for(x: Array, kind: str = "fft", s: Axes = None, axes: Axes = None, norm: Norm = None, *,
             out: Array | None = None, orthogonalize: bool | None = None) -> Plan:
    """Returns a `Plan` for arrays that lie as x does, and `out` if it is given, with the arguments
    of `wingbeat.fft`: as their argument `plan` it saves a call the look-up. `orthogonalize` is so by
    default where norm is "ortho". `idct` and `idst` are other kinds forward: of type 2 kind "dct3"
    or "dst3" with norm "forward" (3: 2; 1 and 4: themselves; their own "forward" is None here), or
    with "ortho".

    >>> x = np.ones((4, 8), np.complex64)
    >>> plan = wingbeat.plan_for(x, axes=1)
    >>> wingbeat.fft.fft(x, plan=plan).shape
    (4, 8)
    """
    from wingbeat._arguments import lengths_and_axes
    library = library_of(x)
    if not hasattr(library, "require_memory"):
        raise TypeError(f"x is of type {type(x).__name__}, known by a protocol alone; give an array "
                        "of numpy, CuPy, torch or PyOpenCL")
    x = library.array(x)
    engine, index = library.device_of(x)
    for name, array in (("x", x), ("out", out)):
        if array is not None:
            library.require_memory(array, name, name == "out")
    lengths, axes = lengths_and_axes(x.shape, s, axes)
    kinds = _kinds_of(kind, len(axes))
    shape = list(x.shape)
    valid = []
    for axis, n in zip(axes, lengths):
        is_halved = kinds[-1] == "irfft" and axis == axes[-1]
        have = x.shape[axis]
        shape[axis] = n if n is not None else 2 * (have - 1) if is_halved else have
        valid.append((0, min(have, shape[axis] // 2 + 1 if is_halved else shape[axis])))
    _, _, strides, item_bytes = library.memory(x)
    layouts = [Layout(tuple(stride // item_bytes for stride in strides)), None]
    if out is not None:
        _, _, strides, item_bytes = library.memory(out)
        layouts[1] = Layout(tuple(stride // item_bytes for stride in strides))
    device = (x.queue if engine == _wingbeat.Engine.opencl else
              next(each for each in _wingbeat.devices()
                   if each.engine == engine and each.index == index))
    if orthogonalize is None:
        orthogonalize = norm == "ortho" and any(each[:3] in ("dct", "dst") for each in kinds)
    plan = Plan(shape, axes, kind=kinds, dtype=library.dtype_name(x),
                out_dtype=None if out is None else library.dtype_name(out),
                norm=_norm_of(norm, kinds[-1] in ("ifft", "irfft")), orthogonalize=orthogonalize,
                layout_in=layouts[0], layout_out=layouts[1],
                valid_in=valid, device=device)
    plan._in_array = plan._in_array._replace(shape=tuple(x.shape))
    plan._in_array.require(library, x)  # strides may be no multiples of an element
    if out is not None:
        plan._out_array.require(library, out)
    plan._state_arrays()
    return plan
