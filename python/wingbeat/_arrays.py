# SPDX-License-Identifier: Apache-2.0
"""Arrays of any library, as the extension takes them.

`library_of(x)` returns the library that an array is of. Each library answers the same questions:
    view(x)               the `_wingbeat.Array` of x: pointer, shape, strides, dtype, device
    stream_of(x, stream)  the native stream to run on: a pointer as an int; 0 on the host
    empty(x, shape, name) a new array beside x, of the dtype of that name
    converted(x, kind)    x, or x in a dtype that transforms of that kind take
    dtype_name(x)         "complex64"
and the few operations that calls need: `copy`, `conjugate`, `assign`.
"""

import numpy as np

from wingbeat import _wingbeat

__all__ = ["library_of", "numpy_library"]

_TO_REAL = _wingbeat.kind_inverse_to_real
_COMPLEX = (_wingbeat.kind_forward, _wingbeat.kind_inverse, _TO_REAL)
_FROM_REAL = _wingbeat.kind_forward_from_real


class NumpyLibrary:
    """Arrays in memory of this process, and whatever numpy makes an array of."""

    name = "numpy"

    def view(self, x):
        return x  # the extension reads numpy arrays itself

    def stream_of(self, x, stream):
        if stream is not None:
            raise ValueError("a stream was given with an array in memory of the processor, which "
                             "has none; leave stream out")
        return 0

    def empty(self, x, shape, name):
        return np.empty(shape, name)

    def dtype_name(self, x):
        return x.dtype.name

    def result_type(self, dtype, kind):
        """Returns the dtype of a transform's result, as SciPy has it."""
        is_double = dtype in (np.float64, np.complex128)
        is_complex = kind == _FROM_REAL or kind in _COMPLEX[:2]
        if kind > _TO_REAL:
            is_complex = dtype.kind == "c"
        if is_complex:
            return np.dtype(np.complex128 if is_double else np.complex64)
        return np.dtype(np.float64 if is_double else np.float32)

    def converted(self, x, kind):
        """Returns x in native floating point: integers become float64, as in SciPy."""
        dtype = x.dtype
        if dtype.itemsize > (16 if dtype.kind == "c" else 8) and dtype.kind in "fc":
            raise TypeError(f"dtype {dtype} cannot be transformed; convert to float64 or complex128")
        if dtype.kind not in "fc":
            if dtype.kind not in "biuO":
                raise TypeError(f"dtype {dtype} holds no numbers; convert to float64")
            x = x.astype(np.float64)
        elif not dtype.isnative:
            x = x.astype(dtype.newbyteorder("="))
        if kind == _FROM_REAL and x.dtype.kind == "c":
            raise TypeError("x must be a real sequence, and it is complex; take x.real, or fft")
        if x.dtype == np.float16 and kind != _FROM_REAL:
            x = x.astype(np.float32)
        if kind == _TO_REAL and x.dtype.kind == "f":
            x = x.astype(np.complex128 if x.dtype == np.float64 else np.complex64)
        return x

    def conjugate(self, x, stream=None, out=None):
        return np.conjugate(x, out)

    def array(self, x):
        return np.asarray(x)

    def require_out(self, out, shape, dtype):
        """Raises unless `out` is a numpy array that a result may be written to."""
        if not isinstance(out, np.ndarray):
            raise TypeError(f"out is a {type(out).__name__} and x is in memory of the processor; "
                            "give a numpy array")
        if not out.flags.writeable:
            raise ValueError("out is read-only; give an array that can be written")
        if out.shape != tuple(shape):
            raise ValueError(f"out has shape {out.shape} and the result {tuple(shape)}; give an "
                             "out of that shape")
        if out.dtype != dtype:
            raise TypeError(f"out has dtype {out.dtype} and the result {dtype}; give an out of "
                            "that dtype")


numpy_library = NumpyLibrary()


def library_of(x):
    """Returns the library of an array; numpy's for lists and numbers."""
    return numpy_library
