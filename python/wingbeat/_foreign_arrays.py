# SPDX-License-Identifier: Apache-2.0
"""Arrays of other libraries, known by a protocol, as `_arrays` has them."""

import numpy as np

from wingbeat import _wingbeat
from wingbeat._arguments import packed_strides
from wingbeat._arrays import conversion, is_traced

_DLPACK_CPU = 1
_DLPACK_CUDA = (2, 13)
_LEGACY_STREAM = 1


class ForeignLibrary:
    """Arrays known by a protocol alone: DLPack or `__cuda_array_interface__`. JAX is one of them,
    because its arrays cannot be written. Results come back through DLPack."""

    def array(self, x):
        """Returns x; of one without a shape, what has it: a numpy array, or on a GPU another."""
        if hasattr(x, "shape"):
            return x
        host = self.host_array(x)
        return _Lent(x, self.imported(x)) if host is None else host

    def host_array(self, x):
        """Returns the numpy array of the same memory; None where x is on a GPU."""
        if is_traced(x):
            raise TypeError("x has no values yet, because jax.jit traces; call wingbeat.jax's "
                            "function of that name")
        if not hasattr(x, "__dlpack_device__"):
            return None
        kind, _ = x.__dlpack_device__()
        if kind == _DLPACK_CPU:
            if str(getattr(x, "dtype", "")) == "bfloat16" and hasattr(x, "astype"):
                x = x.astype("float32")  # numpy has no such numbers
            try:
                return np.from_dlpack(x)
            except (BufferError, RuntimeError) as refused:
                raise TypeError(f"x is of type {type(x).__name__}, which DLPack does not lend to "
                                f"numpy, \"{refused}\"; convert it") from None
        if kind not in _DLPACK_CUDA:
            raise TypeError(f"x is on a device that DLPack numbers {int(kind)}; give an array of a "
                            "processor or of a CUDA device")
        return None

    def converted(self, x, kind, conjugates):
        """Returns x in a dtype that is taken, by operations of its own library."""
        name = str(getattr(x, "dtype", ""))
        is_jax = type(x).__module__.partition(".")[0] in ("jax", "jaxlib")
        target = conversion(name, kind, False, "float32" if is_jax else "float64")
        if target == name and not conjugates:
            return x
        if not hasattr(x, "astype") or (conjugates and not hasattr(x, "conj")):
            raise TypeError(f"x has dtype {name}, is known by a protocol alone, and would have to "
                            f"become {target} or its conjugate first; convert it")
        if target != name:
            x = x.astype(target)
        return x.conj() if conjugates else x

    def imported(self, x):
        """Returns an array on a GPU as a `_wingbeat.Array`, which keeps what DLPack lends."""
        if hasattr(x, "__dlpack__"):
            return _wingbeat.imported(x.__dlpack__(stream=_LEGACY_STREAM), _LEGACY_STREAM)
        interface = x.__cuda_array_interface__
        dtype = np.dtype(interface["typestr"])
        if not dtype.isnative or interface.get("mask") is not None:
            raise TypeError(f"x is of type {type(x).__name__} and has a mask, or numbers whose "
                            "bytes are in the other order; convert it")
        shape = tuple(interface["shape"])
        strides = interface.get("strides") or packed_strides(shape, dtype.itemsize)
        device = _device_of_pointer(interface["data"][0])
        stream = interface.get("stream") or _LEGACY_STREAM
        return _wingbeat.array(interface["data"][0], 0, shape, tuple(strides), 1, dtype.name,
                               _wingbeat.Engine.cuda, device, stream)

    def running_on(self, stream, x):
        raise TypeError(f"a stream was given for an array of type {type(x).__name__}, which "
                        "wingbeat knows by a protocol alone and waits for; leave stream out")

    @staticmethod
    def given_back(result, x):
        package = type(x).__module__.partition(".")[0]
        if package in ("jax", "jaxlib"):
            import jax
            return jax.dlpack.from_dlpack(result)
        if package == "numba":
            import cupy  # numba itself takes memory of others by this protocol alone
            from numba import cuda
            return cuda.as_cuda_array(cupy.from_dlpack(result))
        space = getattr(x, "__array_namespace__", None)
        return result if space is None else space().from_dlpack(result)


class _Lent:
    """An array on a GPU that states its shape by a protocol alone, with that shape."""

    def __init__(self, x, view):
        self._lender, self.shape, self.dtype = x, view.shape, view.dtype

    def __getattr__(self, name):
        return getattr(self._lender, name)


def _device_of_pointer(pointer):
    """Returns the CUDA device that memory is on, which this protocol does not state."""
    import ctypes
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as absent:
        raise RuntimeError(f"x is said to be on a CUDA device, and no driver is here: {absent}; "
                           "give another array") from None
    ordinal = ctypes.c_int(0)
    device_ordinal = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
    status = driver.cuPointerGetAttribute(ctypes.byref(ordinal), device_ordinal,
                                          ctypes.c_ulonglong(pointer))
    if status != 0:
        raise RuntimeError(f"the CUDA driver does not know the pointer {pointer:#x} of x, error "
                           f"{status}; give an array of a CUDA device")
    return ordinal.value


foreign_library = ForeignLibrary()
