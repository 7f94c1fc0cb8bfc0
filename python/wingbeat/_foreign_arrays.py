# SPDX-License-Identifier: Apache-2.0
"""Arrays that only a protocol describes, with the functions of `_arrays`."""

import numpy as np

from wingbeat import _wingbeat
from wingbeat._arrays import conversion, is_traced

_DLPACK_CPU = 1


class ForeignLibrary:
    """Arrays that only DLPack or `__cuda_array_interface__` describes; JAX's too, because they are
    immutable. Results are returned through DLPack."""

    def array(self, x):
        """Returns x, or if it has no shape a view that has one: a numpy array or, on a GPU, the
        extension's."""
        if hasattr(x, "shape"):
            return x
        host = self.host_array(x)
        return _wingbeat.view(x) if host is None else host

    def host_array(self, x):
        """Returns the numpy array of the same memory; None if x is on a GPU."""
        if is_traced(x):
            raise TypeError("x has no values yet, because jax.jit traces; call wingbeat.jax's "
                            "function of that name")
        if not hasattr(x, "__dlpack_device__") or x.__dlpack_device__()[0] != _DLPACK_CPU:
            return None
        if str(getattr(x, "dtype", "")) == "bfloat16" and hasattr(x, "astype"):
            x = x.astype("float32")  # numpy has no bfloat16
        try:
            return np.from_dlpack(x)
        except (BufferError, RuntimeError) as refused:
            raise TypeError(f"x is of type {type(x).__name__}, which DLPack does not lend to "
                            f"numpy, \"{refused}\"; convert it") from None

    def converted(self, x, request):
        """Returns an array on a GPU in the dtype of a request, converted by its own library."""
        name, is_jax = str(x.dtype), type(x).__module__.partition(".")[0] in ("jax", "jaxlib")
        target = conversion(name, request.kind, False, "float32" if is_jax else "float64")
        if target == name and not (request.conjugates_input or request.conjugates_output):
            return x
        if not hasattr(x, "astype") or (request.conjugates_input and not hasattr(x, "conj")):
            raise TypeError(f"x has dtype {name}, is known by a protocol alone, and would have to "
                            f"become {target} or its conjugate; convert it, or call irfft or rfft")
        x = x.astype(target)
        return x.conj() if request.conjugates_input else x

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
            import cupy  # numba takes memory only by __cuda_array_interface__
            from numba import cuda
            return cuda.as_cuda_array(cupy.from_dlpack(result))
        space = getattr(x, "__array_namespace__", None)
        return result if space is None else space().from_dlpack(result)
