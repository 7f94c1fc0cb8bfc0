# SPDX-License-Identifier: Apache-2.0
"""Arrays of any library: conversions, copies and refusals before the extension reads them.

The extension reads arrays itself (`_wingbeat.view` returns memory, dtype, shape, strides, device).
It asks a library for a stream, which `_wingbeat.stream_of` returns, and for memory. `library_of(x)`
returns the library of an array. All libraries have the same functions:

    array(x)                the array, with a shape; numpy makes one from a list
    running_on(stream, x)   a context manager that makes another stream the current one
    empty(x, shape, name)   a new array on the device of x, of the dtype of that name
    require_memory(x, name, is_written)   raises unless a plan may read, or write, x's values in its
                            memory
    converted(x, kind)      x, or x in a dtype that transforms of that kind take
    conjugate(x, out=None)  the conjugate
    copy(x)                 a packed copy
    aligned(x)              x, or a copy that starts at a pair of numbers; for arrays on GPUs
    packed(x, order, shape, name)   x with its dimensions in this order, of this dtype, packed as an
                            array of this shape, aligned; numpy, CuPy, torch and PyOpenCL only
    of_numpy(array, x)      a numpy array as one on the device of x; likewise
    taken(x, index, axis)   the elements at these indices along an axis; numpy, CuPy and torch only
    assign(out, value)      copies value into out
    require_out(out, shape, name, x)   raises unless a result of this shape and dtype may be written
                            to `out`

Libraries whose arrays are immutable, or described only by a protocol, have `host_array(x)`, the
numpy array of the same memory or None, and `given_back(result, x)`, an array of x's library; see
`_foreign_arrays`.
"""

import numbers
from functools import cache
from importlib import import_module

import numpy as np

from wingbeat import _wingbeat
from wingbeat._arguments import instance
from wingbeat._kinds import FORWARD, FROM_REAL, INVERSE, TO_REAL

_COMPLEX_OF = {"float16": "complex32", "bfloat16": "complex64", "float32": "complex64",
               "float64": "complex128"}
_REAL_OF = {"complex32": "float16", "bcomplex32": "bfloat16", "complex64": "float32",
            "complex128": "float64"}
NUMPY_TYPES = {name: np.dtype(name) for name in _wingbeat.item_bytes
               if not name.startswith("b") and name != "complex32"}
_INTEGERS = {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}


def _widened(name, has_narrow):
    """Returns a dtype, or a wider one if complex numbers of two 16-bit parts are missing."""
    wide = {} if has_narrow else {"float16": "float32", "bfloat16": "float32",
                                  "complex32": "complex64"}
    return wide.get(name, name)


def conversion(name, kind, has_narrow, integers="float64"):
    """Returns the dtype to which an array of dtype `name` is converted before a transform. Raises
    TypeError for other than numbers, and for complex numbers if the transform takes reals."""
    if name in _INTEGERS:
        name = integers
    if name not in _COMPLEX_OF and name not in _REAL_OF:
        raise TypeError(f"dtype {name} cannot be transformed; convert to float32, float64, "
                        "complex64 or complex128")
    if kind == FROM_REAL:
        if name in _REAL_OF:
            raise TypeError("x must be a real sequence, and it is complex; take its real part, or "
                            "call fft")
        return _widened(name, has_narrow or name == "float16")
    if kind in (FORWARD, INVERSE, TO_REAL):
        name = _COMPLEX_OF.get(name, name)
    return _widened(name, has_narrow)


def result_name(name, kind, has_narrow):
    """Returns the dtype of the result for an array of the converted dtype `name`."""
    if kind == FROM_REAL:
        name = _COMPLEX_OF[name]
    elif kind == TO_REAL:
        name = _REAL_OF[name]
    return _widened(name, has_narrow)


class ArrayLibrary:
    """Functions shared by libraries; subclasses define the others.

    If the extension reads their arrays, they define `engine`; `types`, their dtypes by name;
    `stream_of(x)`, the stream of a GPU as an integer; and `layout(x)`: (pointer or handle, shape,
    strides in bytes, name of the dtype or numpy's text for it, index of the device or, for OpenCL,
    the offset in bytes).
    """

    has_narrow = False

    def array(self, x):
        return x

    def require_memory(self, x, name, is_written):
        pass

    def converted(self, x, kind):
        name = _wingbeat.view(x).dtype
        target = conversion(name, kind, self.has_narrow)
        return x if name == target else self.cast(x, target)

    def aligned(self, x):
        return x if _wingbeat.view(x).starts_a_pair else self.copy(x)

    def require_out(self, out, shape, name, x):
        view = _wingbeat.view(out) if library_of(out) is self and hasattr(out, "shape") else None
        if view is None or view.device != _wingbeat.view(x).device:
            raise TypeError(f"out is of type {type(out).__name__}, or is not on x's device; give "
                            f"one of type {type(x).__name__} there")
        if view.shape != tuple(shape):
            raise ValueError(f"out has shape {view.shape} and the result {tuple(shape)}; give an "
                             "out of that shape")
        if view.dtype != name:
            raise TypeError(f"out has dtype {out.dtype} and the result {name}; give an out of that "
                            "dtype")
        if not view.lies_apart and 0 not in shape:
            raise ValueError(f"out has strides of {view.strides} bytes, so that elements share "
                             "memory; give an out whose elements lie apart")
        self.require_memory(out, "out", True)


class ModuleLibrary(ArrayLibrary):
    """numpy, or a module with the same functions."""

    def __init__(self, module):
        self.module = module

    def cast(self, x, name):
        return x.astype(name)

    def conjugate(self, x, out=None):
        return self.module.conjugate(x, out)

    def copy(self, x):
        return x.copy(order="C")

    def packed(self, x, order, shape, name):
        return self.aligned(self.module.ascontiguousarray(x.transpose(order), name).reshape(shape))

    def taken(self, x, index, axis):
        return x.take(self.module.asarray(index), axis)

    def assign(self, out, value):
        out[...] = value


class NumpyLibrary(ModuleLibrary):
    """Arrays in memory of this process, and everything that numpy converts to one."""

    def array(self, x):
        if type(x) is not np.ndarray and isinstance(x, np.ndarray) and np.any(
                getattr(x, "mask", False)):
            raise TypeError("an array has masked values, which no transform leaves out; replace "
                            "them by filled, or give its data")
        return np.asarray(x)

    def require_memory(self, x, name, is_written):
        self.array(instance(x, np.ndarray, name, "give a numpy array"))  # refuses masked values
        if not x.dtype.isnative:
            raise TypeError(f"{name} has dtype {x.dtype.str}, whose bytes are in the other order; "
                            "convert it by astype")
        if is_written and not x.flags.writeable:
            raise ValueError(f"{name} is read-only; give an array that can be written")

    def running_on(self, stream, x):
        raise ValueError("a stream was given with an array in memory of the processor, which has "
                         "none; leave stream out")

    def empty(self, x, shape, name):
        return np.empty(shape, name)

    def of_numpy(self, array, x):
        return array

    def converted(self, x, kind):
        """Keeps real input of complex transforms real, because symmetry gives half of the spectrum.
        """
        dtype = x.dtype
        name = dtype.name
        if dtype.kind == "O":
            name = "int64"  # Python integers
            for each in x.flat:
                if not isinstance(each, numbers.Number):
                    raise TypeError(f"x holds objects, such as one of type {type(each).__name__}; "
                                    "give an array of numbers")
                if isinstance(each, numbers.Complex) and not isinstance(each, numbers.Real):
                    name = "complex128"
        target = conversion(name, kind, False)
        if kind in (FORWARD, INVERSE) and target in _REAL_OF and name not in _REAL_OF:
            target = _REAL_OF[target]
        if target != dtype.name or not dtype.isnative:
            x = x.astype(target)
        return x

def stream_number(stream):
    """Returns the native stream for an integer, or for an object with `__cuda_stream__`."""
    if isinstance(stream, int):
        return stream
    described = getattr(stream, "__cuda_stream__", None)
    if described is None:
        raise TypeError(f"stream is of type {type(stream).__name__}; give an integer, or an object "
                        "with __cuda_stream__")
    if callable(described):
        described = described()
    return described[1]


def is_traced(x):
    """Returns whether x has no values yet, because jax.jit runs a function once for all arrays of a
    shape."""
    return any(base.__name__ == "Tracer" and base.__module__.startswith("jax")
               for base in type(x).__mro__)


numpy_library = NumpyLibrary(np)
_libraries = {np.ndarray: numpy_library, list: numpy_library, tuple: numpy_library,
              int: numpy_library, float: numpy_library, complex: numpy_library}
_makers = {("cupy", "ndarray"): ("_gpu_arrays", "CupyLibrary"),
           ("torch", "Tensor"): ("_gpu_arrays", "TorchLibrary"),
           ("pyopencl", "Array"): ("_opencl_arrays", "OpenclLibrary")}


@cache
def _library(module, maker):
    return getattr(import_module(f"wingbeat.{module}"), maker)()


def library_of(x):
    """Returns the library of an array; numpy's for lists and numbers."""
    if type(x) not in _libraries:
        bases = ((each.__module__.partition(".")[0], each.__name__) for each in type(x).__mro__)
        found = next((_makers[each] for each in bases if each in _makers), None)
        if found is None and not isinstance(x, (np.ndarray, np.generic)) and (
                isinstance(x, _wingbeat.Array) or hasattr(x, "__dlpack__")
                or hasattr(x, "__cuda_array_interface__")):
            found = "_foreign_arrays", "ForeignLibrary"
        _libraries[type(x)] = numpy_library if found is None else _library(*found)
    return _libraries[type(x)]
