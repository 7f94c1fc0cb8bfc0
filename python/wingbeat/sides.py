# SPDX-License-Identifier: Apache-2.0
"""The two sides of a plan: layouts of arrays, and functors in place of arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from wingbeat import _wingbeat
from wingbeat._arguments import count, each, instance, integer, number, packed_strides
from wingbeat._arrays import library_of

__all__ = ["Layout", "Functor"]


@dataclass(frozen=True)
class Layout:
    """How the elements of a side lie in memory.

    strides       elements from one index to the next, one for each dimension of the plan's shape;
                  None: packed.
    imaginary_at  for planar complex numbers, the reals from the real parts to the imaginary parts;
                  strides then count reals, the elements of the array. 0: both parts are adjacent.
    origin        one per axis, the index at the start of the memory; lower indices are not in
                  memory. None: 0.

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

    text, type   for devices that compile kernels: C++ that defines a struct named `type`, as
                 described in `wingbeat/fusion.hpp` of the C++ library.
    function     for the processor: a compiled function, as an address, an object of ctypes, or a
                 `numba.cfunc` (anything with an `address`). A load is called with pointers to the
                 input and to an array of operands, then the row, the first element and the number
                 of elements as three uint64, and a pointer to the elements to fill, float32 or
                 complex64, for fp64 float64 or complex128; a store with a pointer to the elements
                 to take.
    element      the dtype of the functor's own buffer, the array given to a run. uint16 stands for
                 bfloat16, uint32 and reals for complex numbers of two times 16 bits.
    elements     the number of these that one run reads or writes, in all rows.
    parameters   the bytes of the text's struct `parameters`, the same in every run.
    operands     types of the arguments of each run: "const float32*" for memory that is read,
                 "float32*" for memory that is written, "float32" for a number.
    partial_bytes, clears_output   for stores that reduce: the bytes of the text's struct `partial`,
                 and whether a run sets the output to 0 first.
    row_outputs  for stores that see whole rows: the number of outputs that the text makes of each.
                 A function is called with all elements of a row.

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
    row_outputs: int = 0

    def __post_init__(self):
        for name, wanted in (("text", str), ("type", str), ("element", str), ("parameters", bytes)):
            instance(getattr(self, name), wanted, name, f"give {wanted.__name__}")
        if not isinstance(self.operands, (tuple, list)) or not all(
                isinstance(each, str) for each in self.operands):
            raise TypeError(f"operands are {self.operands!r}; give a tuple of texts, such as "
                            '"const float32*"')
        if self.element not in _wingbeat.item_bytes:
            raise TypeError(f"element is {self.element!r}; give one of "
                            f"{', '.join(_wingbeat.item_bytes)}")
        count(self.elements, "elements")
        count(self.partial_bytes, "partial_bytes")
        count(self.row_outputs, "row_outputs")

    @classmethod
    def factors(cls, dtype: Any = "float32") -> Functor:
        """Returns the multiplier by an array of factors, one for each coefficient of a transform,
        of the plan's dtype, float32 or float64, packed. The array is the operand of each run.

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

    @property
    def _element_bytes(self):
        return _wingbeat.item_bytes[self.element]

    @property
    def _buffer_bytes(self):
        return count(self._element_bytes * self.elements, "the functor's bytes")

    @property
    def _address(self):
        function = self.function
        if function is None or isinstance(function, int):
            return count(function or 0, "function")
        if hasattr(function, "address"):
            return function.address
        import ctypes
        instance(function, ctypes._CFuncPtr, "function",
                 "it is not compiled; give a numba.cfunc, a function of ctypes, or an address")
        return ctypes.cast(function, ctypes.c_void_p).value


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
FACTOR_TEXTS = {_FACTORS.replace("number", number): name
                 for number, name in (("float", "float32"), ("double", "float64"))}


class Side(NamedTuple):
    """One side of a plan: the requirements on its array, and its description for the library."""

    name: str                      #: "x" or "out"
    shape: tuple
    dtypes: tuple                  #: Of the array, any of them.
    stored: str | None             #: The dtype of reals, where they are not stored as computed.
    array_strides: tuple | None = None  #: In elements; None: of packed arrays of any shape.
    is_functors: bool = False      #: The elements are a functor's own.
    valid: tuple = ()
    strides: tuple = ()            #: Of the axes, and `distances` of others; none: packed.
    distances: tuple = ()
    imaginary_at: int = 0
    origin: tuple = ()

    def require(self, array):
        """Returns the view of an array. Raises unless it has the plan's layout and dtype."""
        view = _wingbeat.view(array)
        shape = view.shape
        if view.dtype not in self.dtypes:
            raise TypeError(f"{self.name} is of {view.dtype} and the plan was made for "
                            f"{' or '.join(self.dtypes)}; give such an array, or make another plan")
        if self.array_strides is not None and shape != self.shape:
            raise ValueError(f"{self.name} has shape {shape} and the plan was made for "
                             f"{self.shape}; give such an array, or make another plan")
        wanted = tuple(n * view.item_bytes for n in self.array_strides or packed_strides(shape))
        if any(a != b for a, b, n in zip(view.strides, wanted, shape) if n > 1):
            raise ValueError(f"{self.name} has strides of {view.strides} bytes and the plan was "
                             f"made for {wanted}; give such an array, or make another plan")
        return view


def valid_range(given, name):
    """Returns (first, end)."""
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise TypeError(f"{name} has {given!r}; give one (first, end) for each axis")
    return count(given[0], name), count(given[1], name)


def layout_of(array):
    view = _wingbeat.view(array)
    return Layout(tuple(stride // view.item_bytes for stride in view.strides))


def operands_of(library, name, functor, given):
    """Returns arrays, and numbers."""
    instance(given, (tuple, list), name, "give a tuple of the functor's operands")
    declared = () if functor is None else functor.operands
    if len(given) != len(declared):
        raise ValueError(f"the functor has {len(declared)} operands and {len(given)} were given; "
                         "give one each")
    return [operand_of(library, name, text, each) for text, each in zip(declared, given)]


def operand_of(library, name, text, given):
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
    view, dtype = _wingbeat.view(given), text.replace("const", "").replace("*", "").strip()
    if view.dtype != dtype:
        raise TypeError(f"an operand of {name} is of {view.dtype} and was declared as {dtype}; "
                        "convert it")
    packed = packed_strides(view.shape, view.item_bytes)
    if any(a != b for a, b, n in zip(view.strides, packed, view.shape) if n > 1):
        raise ValueError(f"an operand of {name} has strides of {view.strides} bytes, which "
                         "functors are not told; give a packed copy")
    return given


def require_strides(name, shape, strides, axes, valid):
    """Raises if elements of a layout cannot have its strides."""
    counts = list(shape)
    for axis, (first, end) in zip(axes, valid or ()):
        counts[axis] = end - first
    for d, (n, stride) in enumerate(zip(counts, strides)):
        if n > 1 and stride < (1 if d in axes else 0):
            raise ValueError(f"{name} has a stride of {stride} elements along axis {d}, and a plan "
                             "takes positive ones, 0 beside its axes; give a packed copy")
