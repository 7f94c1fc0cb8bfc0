# SPDX-License-Identifier: Apache-2.0
"""Arrays of PyOpenCL, with the functions of `_arrays`."""

import math
import threading
from contextlib import contextmanager
from functools import lru_cache

import numpy as np

from wingbeat import _wingbeat
from wingbeat._arrays import NUMPY_TYPES, ArrayLibrary

_UNITS = {1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}
#: Each work-item copies an element of `count` units. For each dimension, `steps` has its length and
#: the strides of both arrays in units.
_COPY = """
kernel void copy(global UNIT* out, global const UNIT* in, global const long* steps, long rank,
                 long count, long target, long source) {
  long rest = get_global_id(0);
  for (long d = rank; d-- > 0;) {
    const long n = steps[3 * d], k = rest % n;
    rest /= n;
    target += k * steps[3 * d + 1];
    source += k * steps[3 * d + 2];
  }
  for (long u = 0; u < count; ++u) out[target + u] = in[source + u];
}
"""


class OpenclLibrary(ArrayLibrary):
    """pyopencl.array.Array. Calls run on the array's queue."""

    engine, types = _wingbeat.Engine.opencl, NUMPY_TYPES

    def __init__(self):
        import pyopencl
        import pyopencl.array
        self._opencl = pyopencl
        self._named = threading.local()  # the queue named by a call, per thread
        _wingbeat.know(pyopencl.array.Array, self, False)

    @staticmethod
    def layout(x):
        data = x.base_data  # None for an array without elements
        return 0 if data is None else data.int_ptr, x.shape, x.strides, x.dtype.str, x.offset

    def array(self, x):
        if x.base_data is not None and not hasattr(x.base_data, "int_ptr"):
            raise TypeError("a pyopencl array is in shared virtual memory; give one in a buffer, "
                            "where pyopencl.array puts them by default")
        return x

    def _queue_of(self, x):
        queue = getattr(self._named, "queue", None) or x.queue
        if queue is None:
            raise ValueError("x has no queue; give one as stream, or x.with_queue(queue)")
        return queue

    def stream_of(self, x):
        return self._queue_of(x).int_ptr

    def running_on(self, stream, x):
        if not isinstance(stream, self._opencl.CommandQueue):
            raise TypeError(f"stream is of type {type(stream).__name__} and x is a pyopencl array; "
                            "give a pyopencl.CommandQueue")
        if stream.context != x.context:
            raise ValueError("stream is a queue of another context than x's; give one of x's")
        return self._on(stream)

    @contextmanager
    def _on(self, queue):
        before = getattr(self._named, "queue", None)
        self._named.queue = queue
        try:
            yield
        finally:
            self._named.queue = before

    def empty(self, x, shape, name):
        return self._opencl.array.empty(self._queue_of(x), shape, np.dtype(name),
                                        allocator=x.allocator)

    def of_numpy(self, array, x):
        return self._opencl.array.to_device(self._queue_of(x), array)

    def packed(self, x, order, shape, name):
        x = x.transpose(tuple(order))
        x = x if x.dtype == np.dtype(name) else self.cast(x, name)
        return self.aligned(x if x.flags.c_contiguous else self.copy(x)).reshape(tuple(shape))

    def _whole(self, x):
        """Returns x, or a copy without gaps, because pyopencl's operations take no other arrays."""
        return x if x.flags.forc else self.copy(x)

    def cast(self, x, name):
        try:
            return self._whole(x).astype(np.dtype(name), self._queue_of(x))
        except ValueError:
            raise TypeError(f"x has dtype {x.dtype}, which pyopencl does not convert to {name}; "
                            "convert it before") from None

    def conjugate(self, x, out=None):
        result = self._whole(x).with_queue(self._queue_of(x)).conj()
        if out is None:
            return result
        self.assign(out, result)
        return out

    def copy(self, x):
        result = self.empty(x, x.shape, x.dtype)
        self.assign(result, x)
        return result

    def assign(self, out, value):
        """Copies arrays of any strides; pyopencl's own copy requires packed ones."""
        queue, strides = self._queue_of(out), (0,) * out.ndim  # strides of a number
        if isinstance(value, self._opencl.array.Array):
            strides = value.strides
        else:
            value = self._opencl.array.to_device(queue, np.array(value, out.dtype))
        if 0 in out.shape:
            return
        places = np.array([out.dtype.itemsize, out.offset, value.offset])
        unit = math.gcd(8, *places, *out.strides, *strides)
        steps = [n for step in zip(out.shape, out.strides, strides)
                 for n in (step[0], step[1] // unit, step[2] // unit)]
        flags = self._opencl.mem_flags
        table = self._opencl.Buffer(queue.context, flags.READ_ONLY | flags.COPY_HOST_PTR,
                                    hostbuf=np.array([*steps, 0], np.int64))
        # A new kernel for each call, because threads would share its arguments.
        copier = self._opencl.Kernel(self._program(queue.context, unit), "copy")
        copier(queue, (out.size,), None, out.base_data, value.base_data, table, np.int64(out.ndim),
               *places // unit)

    @lru_cache(8)
    def _program(self, context, unit):
        return self._opencl.Program(context, _COPY).build([f"-DUNIT={_UNITS[unit]}"])

    def require_out(self, out, shape, name, x):
        super().require_out(out, shape, name, x)
        if out.context != x.context:
            raise TypeError("out is of another context than x's; give one of x's")
