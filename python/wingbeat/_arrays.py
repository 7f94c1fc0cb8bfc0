# SPDX-License-Identifier: Apache-2.0
"""Arrays of any library, as the extension takes them.

`library_of(x)` returns the library that an array is of. All libraries answer the same questions:

    array(x)                the array, with a shape; numpy makes one of a list
    dtype_name(x)           "complex64"
    view(x)                 x as a `_wingbeat.Array`, or as an array that the extension reads itself
    device_of(x)            (engine, index)
    memory(x)               (pointer or handle, offset, strides, size of an element), in bytes
    stream_of(x)            the stream that x's library works on now, as an integer; 0 on the host
    running_on(stream, x)   a context manager that makes another stream the current one
    empty(x, shape, name)   a new array beside x, of the dtype of that name
    is_plain(x)             whether x's memory holds its values, which no flag or gradient concerns
    require_memory(x, name, is_written)   raises unless a plan may read x's values in its memory, or
                            write them
    workspace_near(x)       a function of a number of bytes: (object that owns them, pointer), from
                            the library's own allocator; None where calls need none
    converted(x, kind)      x, or x in a dtype that transforms of that kind take
    conjugate(x, out=None)  the conjugate
    copy(x)                 a packed copy
    aligned(x)              x, or a copy whose memory starts where pairs of numbers may; of GPUs' arrays
    packed(x, order, shape, name)   x with its dimensions in this order, of this dtype, packed as an
                            array of this shape, aligned; of numpy, CuPy and torch
    permuted(x, order)      x with its dimensions in this order; likewise
    taken(x, index, axis)   the elements at these indices along an axis; likewise
    assign(out, value)      copies value into out
    require_out(out, shape, name, x)   raises unless a result may be written to `out`

Libraries whose arrays are immutable, or known by a protocol alone, have `host_array(x)`, the numpy
array of the same memory, or None, and `of_host(result, x)`, and on GPUs `imported(x)` and
`exported(result, x)`.
"""

import math
import numbers
from functools import lru_cache

import numpy as np

from wingbeat import _wingbeat

__all__ = ["library_of", "numpy_library", "conversion", "result_name", "is_traced"]

FROM_REAL, TO_REAL = _wingbeat.kind_forward_from_real, _wingbeat.kind_inverse_to_real
FORWARD, INVERSE = _wingbeat.kind_forward, _wingbeat.kind_inverse

_HOST, _CUDA, _OPENCL = (_wingbeat.Engine.host, _wingbeat.Engine.cuda, _wingbeat.Engine.opencl)

_COMPLEX_OF = {"float16": "complex32", "bfloat16": "complex64", "float32": "complex64",
               "float64": "complex128"}
_REAL_OF = {"complex32": "float16", "bcomplex32": "bfloat16", "complex64": "float32",
            "complex128": "float64"}
_PAIR_BYTES = 16  # of float64, the widest pairs that GPUs read at once
_NUMPY_NAMES = ("float16", "float32", "float64", "complex64", "complex128")
_INTEGERS = {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}


def _widened(name, has_narrow):
    """Returns the dtype that stands for one without complex numbers of two times 16 bits."""
    wide = {} if has_narrow else {"float16": "float32", "bfloat16": "float32",
                                  "complex32": "complex64"}
    return wide.get(name, name)


def conversion(name, kind, has_narrow, integers="float64"):
    """Returns the dtype to which an array of dtype `name` is converted before a transform. Raises
    TypeError for what holds no numbers, and for complex numbers where real ones are taken."""
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
    """Returns the dtype of the result for an array of dtype `name`, converted before."""
    if kind == FROM_REAL:
        name = _COMPLEX_OF[name]
    elif kind == TO_REAL:
        name = _REAL_OF[name]
    return _widened(name, has_narrow)


def require_alike(out, shape, name, out_shape, out_name, out_strides):
    """Raises unless an `out` has the result's shape and dtype, and each element memory of its own."""
    if tuple(out_shape) != tuple(shape):
        raise ValueError(f"out has shape {tuple(out_shape)} and the result {tuple(shape)}; give an "
                         "out of that shape")
    if out_name != name:
        raise TypeError(f"out has dtype {out_name} and the result {name}; give an out of that "
                        "dtype")
    reach = 0
    for stride, n in sorted((abs(stride), n) for stride, n in zip(out_strides, shape) if n > 1):
        if stride <= reach and 0 not in shape:
            raise ValueError(f"out has strides {tuple(out_strides)}, so that elements share memory; "
                             "give an out whose elements lie apart")
        reach += (n - 1) * stride


class NumpyLibrary:
    """Arrays in memory of this process, and whatever numpy makes an array of."""

    has_narrow = False

    def array(self, x):
        return np.asarray(x)

    def dtype_name(self, x):
        return x.dtype.name

    def view(self, x):
        return x

    def device_of(self, x):
        return _HOST, 0

    def memory(self, x):
        return x.ctypes.data, 0, x.strides, x.itemsize

    def require_memory(self, x, name, is_written):
        if not isinstance(x, np.ndarray):
            raise TypeError(f"{name} is of type {type(x).__name__}; give a numpy array")
        if not x.dtype.isnative:
            raise TypeError(f"{name} has dtype {x.dtype.str}, whose bytes are in the other order; "
                            "convert it by astype")
        if is_written and not x.flags.writeable:
            raise ValueError(f"{name} is read-only; give an array that can be written")

    def stream_of(self, x):
        return 0

    def running_on(self, stream, x):
        raise ValueError("a stream was given with an array in memory of the processor, which has "
                         "none; leave stream out")

    def empty(self, x, shape, name):
        return np.empty(shape, name)

    def workspace_near(self, x):
        return None

    def converted(self, x, kind):
        """Keeps real input of complex transforms real: half of the spectrum follows by symmetry."""
        dtype = x.dtype
        name = dtype.name
        if dtype.kind == "O":
            name = "int64"  # Python's numbers
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

    def conjugate(self, x, out=None):
        return np.conjugate(x, out)

    def copy(self, x):
        return np.array(x, order="C", copy=True)

    def packed(self, x, order, shape, name):
        return np.ascontiguousarray(x.transpose(order), name).reshape(shape)

    def permuted(self, x, order):
        return x.transpose(order)

    def taken(self, x, index, axis):
        return x.take(index, axis)

    def assign(self, out, value):
        out[...] = value

    def require_out(self, out, shape, name, x):
        if not isinstance(out, np.ndarray):
            raise TypeError(f"out is of type {type(out).__name__} and x is in memory of the "
                            "processor; give a numpy array")
        if not out.flags.writeable:
            raise ValueError("out is read-only; give an array that can be written")
        require_alike(out, shape, name, out.shape, out.dtype.name, out.strides)


class CupyLibrary:
    """cupy.ndarray."""

    has_narrow = False

    def __init__(self):
        import cupy
        self._cupy = cupy
        self._current_device = cupy.cuda.runtime.getDevice
        self._current_stream = cupy.cuda.get_current_stream
        dtypes = {name: np.dtype(name) for name in _NUMPY_NAMES}
        _wingbeat.know_cupy(cupy.ndarray, dtypes, self._current_device, self._current_stream,
                            self.workspace_near)

    def array(self, x):
        return x

    def dtype_name(self, x):
        return x.dtype.name

    def view(self, x):
        return _wingbeat.array(x.data.ptr, 0, x.shape, x.strides, 1, x.dtype.name, _CUDA,
                               x.data.device_id)

    def device_of(self, x):
        return _CUDA, x.data.device_id

    def memory(self, x):
        return x.data.ptr, 0, x.strides, x.itemsize

    def require_memory(self, x, name, is_written):
        pass

    def stream_of(self, x):
        return self._current_stream(x.data.device_id).ptr

    def running_on(self, stream, x):
        cuda = self._cupy.cuda
        if isinstance(stream, (cuda.Stream, cuda.ExternalStream)):
            return stream
        number = stream_number(stream)
        if hasattr(cuda.Stream, "from_external"):
            return cuda.Stream.from_external(_NumberedStream(number))
        return cuda.ExternalStream(number, x.data.device_id)

    def empty(self, x, shape, name):
        device = x.data.device_id
        if self._current_device() == device:
            return self._cupy.empty(shape, name)
        with self._cupy.cuda.Device(device):
            return self._cupy.empty(shape, name)

    def is_plain(self, x):
        return True

    def workspace_near(self, x):
        def allocate(n_bytes):
            memory = self.empty(x, (n_bytes,), "uint8")
            return memory, memory.data.ptr
        return allocate

    def converted(self, x, kind):
        target = conversion(x.dtype.name, kind, False)
        return x if x.dtype.name == target else x.astype(target)

    def conjugate(self, x, out=None):
        return self._cupy.conjugate(x, out)

    def copy(self, x):
        return x.copy(order="C")

    def aligned(self, x):
        return x if x.data.ptr % _PAIR_BYTES == 0 else x.copy()

    def packed(self, x, order, shape, name):
        packed = self._cupy.ascontiguousarray(x.transpose(order), name).reshape(shape)
        return self.aligned(packed)

    def permuted(self, x, order):
        return x.transpose(order)

    def taken(self, x, index, axis):
        return x.take(self._cupy.asarray(index), axis)

    def assign(self, out, value):
        out[...] = value

    def require_out(self, out, shape, name, x):
        if not isinstance(out, self._cupy.ndarray) or out.data.device_id != x.data.device_id:
            raise TypeError("x is a cupy array and out is none of its device; give a cupy array on "
                            f"device {x.data.device_id}")
        require_alike(out, shape, name, out.shape, out.dtype.name, out.strides)


class TorchLibrary:
    """torch.Tensor, on processors and CUDA devices."""

    has_narrow = True

    def __init__(self):
        import torch
        self._torch = torch
        self._names = {getattr(torch, name): name for name in (
            "float16 bfloat16 float32 float64 complex32 complex64 complex128 bool uint8 uint16 "
            "uint32 uint64 int8 int16 int32 int64").split() if hasattr(torch, name)}
        self._types = {name: dtype for dtype, name in self._names.items()}
        self._strided = torch.strided
        self._empty = torch.empty
        # So that a gradient that needs the former values is refused.
        self._note_written = torch.autograd.graph.increment_version
        # The public way makes an object of a stream for each call.
        self._raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)
        functions = getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)
        if functions is not None:
            _wingbeat.know_torch(torch.Tensor, functions, self._types, torch.empty_like,
                                 torch.empty_strided, self.workspace_near, self._note_written)

    def array(self, x):
        return x

    def dtype_name(self, x):
        return self._names.get(x.dtype, str(x.dtype))

    def view(self, x):
        engine, index = self.device_of(x)
        dtype = x.dtype
        return _wingbeat.array(x.data_ptr(), 0, x.shape, x.stride(), x.element_size(),
                               self._names.get(dtype) or str(dtype), engine, index)

    def device_of(self, x):
        if x.layout is self._strided:
            if x.is_cuda:
                return _CUDA, x.get_device()
            if x.is_cpu:
                return _HOST, 0
        raise TypeError(f"x is a {x.layout} tensor on {x.device.type}; give a strided one on a "
                        "processor or a CUDA device")

    def memory(self, x):
        n_bytes = x.element_size()
        return x.data_ptr(), 0, tuple(n_bytes * stride for stride in x.stride()), n_bytes

    def stream_of(self, x):
        if not x.is_cuda:
            return 0
        if self._raw_stream is not None:
            return self._raw_stream(x.get_device())
        return self._torch.cuda.current_stream(x.device).cuda_stream

    def is_plain(self, x):
        return not (x.requires_grad or x.is_conj() or x.is_neg())

    def require_memory(self, x, name, is_written):
        if x.is_conj() or x.is_neg():
            raise ValueError(f"{name} is a conjugated or negated view; give a tensor that is none, "
                             "by resolve_conj and resolve_neg")
        if x.requires_grad and self._torch.is_grad_enabled():
            raise TypeError(f"{name} requires a gradient, which a plan does not give; call "
                            "wingbeat.torch's functions, or give its detach()")
        if is_written:
            self._note_written(x)

    def running_on(self, stream, x):
        cuda = self._torch.cuda
        if not x.is_cuda:
            raise ValueError("a stream was given with a tensor of the processor, which has none; "
                             "leave stream out")
        if not isinstance(stream, cuda.Stream):
            stream = cuda.ExternalStream(stream_number(stream), x.device)
        return cuda.stream(stream)

    def empty(self, x, shape, name):
        return self._empty(shape, dtype=self._types[name], device=x.device)

    def workspace_near(self, x):
        if not x.is_cuda:
            return None

        def allocate(n_bytes):
            memory = self._torch.empty(n_bytes, dtype=self._torch.uint8, device=x.device)
            return memory, memory.data_ptr()
        return allocate

    def converted(self, x, kind):
        if x.requires_grad and self._torch.is_grad_enabled():
            raise TypeError("x requires a gradient, which wingbeat.fft does not give; call "
                            "wingbeat.torch's function of that name, or give x.detach()")
        # Flags in place of values, that memory does not have.
        if x.is_conj():
            x = x.resolve_conj()
        if x.is_neg():
            x = x.resolve_neg()
        default = self._names[self._torch.get_default_dtype()]
        name = self.dtype_name(x)
        target = conversion(name, kind, True, default)
        return x if name == target else x.to(self._types[target])

    def conjugate(self, x, out=None):
        return self._torch.conj_physical(x, out=out)

    def copy(self, x):
        return x.clone(memory_format=self._torch.contiguous_format)

    def aligned(self, x):
        return x if not x.is_cuda or x.data_ptr() % _PAIR_BYTES == 0 else x.clone()

    def packed(self, x, order, shape, name):
        if x.requires_grad and self._torch.is_grad_enabled():
            raise TypeError("a tensor requires a gradient, which this function does not give; call "
                            "wingbeat.torch's layers, or give its detach()")
        x = x.resolve_conj().resolve_neg().permute(tuple(order))
        return self.aligned(x.to(self._types[name]).reshape(shape).contiguous())

    def permuted(self, x, order):
        return x.permute(tuple(order))

    def taken(self, x, index, axis):
        return x.index_select(axis, self._torch.from_numpy(index).to(x.device))

    def assign(self, out, value):
        out.copy_(value) if isinstance(value, self._torch.Tensor) else out.fill_(value)

    def require_out(self, out, shape, name, x):
        if not isinstance(out, self._torch.Tensor) or out.device != x.device:
            raise TypeError(f"x is a tensor on {x.device} and out is none there; give a tensor on "
                            f"{x.device}")
        if out.is_conj() or out.is_neg():
            raise ValueError("out is a conjugated or negated view; give a tensor that is none")
        if out.requires_grad and self._torch.is_grad_enabled():
            raise TypeError("out requires a gradient, which wingbeat.fft does not give; call "
                            "wingbeat.torch's function of that name, or give out.detach()")
        require_alike(out, shape, name, out.shape, self.dtype_name(out), out.stride())
        self._note_written(out)


_UNITS = {1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}
#: One work-item copies an element of `count` units. For each dimension, `steps` has its length, and
#: the units from one index to the next of both arrays.
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


class OpenclLibrary:
    """pyopencl.array.Array. Runs on the array's queue."""

    has_narrow = False

    def __init__(self):
        import pyopencl
        import pyopencl.array
        self._opencl = pyopencl
        self._queue = None

    def array(self, x):
        return x

    def dtype_name(self, x):
        return x.dtype.name

    def view(self, x):
        pointer, offset, strides, _ = self.memory(x)
        return _wingbeat.array(pointer, offset, x.shape, strides, 1, x.dtype.name, _OPENCL, 0)

    def device_of(self, x):
        return _OPENCL, 0

    def memory(self, x):
        if not hasattr(x.base_data, "int_ptr"):
            raise TypeError("a pyopencl array is in shared virtual memory; give one in a buffer, "
                            "where pyopencl.array puts them by default")
        return x.base_data.int_ptr, x.offset, x.strides, x.dtype.itemsize

    def require_memory(self, x, name, is_written):
        pass

    def _queue_of(self, x):
        queue = self._queue or x.queue
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
        return _Queue(self, stream)

    def empty(self, x, shape, name):
        return self._opencl.array.empty(self._queue_of(x), shape, np.dtype(name),
                                        allocator=x.allocator)

    def is_plain(self, x):
        return True

    def workspace_near(self, x):
        def allocate(n_bytes):
            memory = self._opencl.Buffer(self._queue_of(x).context,
                                         self._opencl.mem_flags.READ_WRITE, n_bytes)
            return memory, memory.int_ptr
        return allocate

    def _whole(self, x):
        """Returns x, or a copy without gaps: pyopencl's own operations take no other arrays."""
        return x if x.flags.forc else self.copy(x)

    def converted(self, x, kind):
        target = conversion(x.dtype.name, kind, False)
        if x.dtype.name == target:
            return x
        try:
            return self._whole(x).astype(np.dtype(target), self._queue_of(x))
        except ValueError:
            raise TypeError(f"x has dtype {x.dtype}, which pyopencl does not convert to {target}; "
                            "convert it before") from None

    def conjugate(self, x, out=None):
        result = self._whole(x).conj()
        if out is None:
            return result
        self.assign(out, result)
        return out

    def copy(self, x):
        result = self.empty(x, x.shape, x.dtype)
        self.assign(result, x)
        return result

    def aligned(self, x):
        return x if x.offset % _PAIR_BYTES == 0 else self.copy(x)

    def assign(self, out, value):
        """Copies arrays that lie in any way, which pyopencl itself does not."""
        queue, strides = self._queue_of(out), (0,) * out.ndim  # of a number
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
        self._copier(queue.context, unit)(queue, (out.size,), None, out.base_data, value.base_data,
                                          table, np.int64(out.ndim), *places // unit)

    @lru_cache(8)
    def _copier(self, context, unit):
        program = self._opencl.Program(context, _COPY).build([f"-DUNIT={_UNITS[unit]}"])
        return self._opencl.Kernel(program, "copy")

    def require_out(self, out, shape, name, x):
        if not isinstance(out, self._opencl.array.Array) or out.context != x.context:
            raise TypeError("x is a pyopencl array and out is none of its context; give a pyopencl "
                            "array")
        require_alike(out, shape, name, out.shape, out.dtype.name, out.strides)


class _Queue:
    """Makes a command queue the one that a library's calls run on."""

    def __init__(self, library, queue):
        self._library, self._queue = library, queue

    def __enter__(self):
        self._before, self._library._queue = self._library._queue, self._queue

    def __exit__(self, *_):
        self._library._queue = self._before


class _NumberedStream:
    """A native stream by the protocol that libraries take."""

    def __init__(self, number):
        self._number = number

    def __cuda_stream__(self):
        return 0, self._number


def stream_number(stream):
    """Returns the native stream of an integer, or of an object with `__cuda_stream__`."""
    if isinstance(stream, int):
        return stream
    described = getattr(stream, "__cuda_stream__", None)
    if described is None:
        raise TypeError(f"stream is of type {type(stream).__name__}; give an integer, or an object "
                        "with __cuda_stream__")
    if callable(described):
        described = described()
    return described[1]


class ForeignLibrary:
    """Arrays known by a protocol alone: DLPack or `__cuda_array_interface__`. JAX is one of them,
    because its arrays cannot be written. Results come back through DLPack."""

    has_narrow = False

    def array(self, x):
        """Returns x; of one without a shape, what has it: a numpy array, or on a GPU another."""
        if hasattr(x, "shape"):
            return x
        host = self.host_array(x)
        return _Lent(x, self.imported(x)[1]) if host is None else host

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

    def of_host(self, result, x):
        return self._given_back(result, x)

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
        """Returns (owner, Array, stream) of an array on a GPU."""
        if hasattr(x, "__dlpack__"):
            owner = _wingbeat.imported(x.__dlpack__(stream=_LEGACY_STREAM))
            return owner, owner.view, _LEGACY_STREAM
        interface = x.__cuda_array_interface__
        dtype = np.dtype(interface["typestr"])
        if not dtype.isnative or interface.get("mask") is not None:
            raise TypeError(f"x is of type {type(x).__name__} and has a mask, or numbers whose bytes "
                            "are in the other order; convert it")
        shape = tuple(interface["shape"])
        strides = interface.get("strides") or _packed_strides(shape, dtype.itemsize)
        device = _device_of_pointer(interface["data"][0])
        stream = interface.get("stream") or _LEGACY_STREAM
        return x, _wingbeat.array(interface["data"][0], 0, shape, tuple(strides), 1, dtype.name,
                                  _CUDA, device), stream

    def exported(self, result, x):
        return self._given_back(result, x)

    def running_on(self, stream, x):
        raise TypeError(f"a stream was given for an array of type {type(x).__name__}, which wingbeat "
                        "knows by a protocol alone and waits for; leave stream out")

    @staticmethod
    def _given_back(result, x):
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


def is_traced(x):
    """Returns whether x has no values yet: jax.jit runs a function once for all arrays of a shape."""
    return any(base.__name__ == "Tracer" and base.__module__.startswith("jax")
               for base in type(x).__mro__)


class _Lent:
    """An array on a GPU that states its shape by a protocol alone, with that shape."""

    def __init__(self, x, view):
        self._lender, self.shape, self.dtype = x, view.shape, view.dtype

    def __getattr__(self, name):
        return getattr(self._lender, name)


_DLPACK_CPU = 1
_DLPACK_CUDA = (2, 13)
_LEGACY_STREAM = 1


def _device_of_pointer(pointer):
    """Returns the CUDA device that memory is on, which this protocol does not state."""
    import ctypes
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as absent:
        raise RuntimeError(f"x is said to be on a CUDA device, and no driver is here: {absent}; give "
                           "another array") from None
    ordinal = ctypes.c_int(0)
    device_ordinal = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
    status = driver.cuPointerGetAttribute(ctypes.byref(ordinal), device_ordinal,
                                          ctypes.c_ulonglong(pointer))
    if status != 0:
        raise RuntimeError(f"the CUDA driver does not know the pointer {pointer:#x} of x, error "
                           f"{status}; give an array of a CUDA device")
    return ordinal.value


def _packed_strides(shape, item_bytes):
    strides = []
    for n in reversed(shape):
        strides.append(item_bytes)
        item_bytes *= n
    return tuple(reversed(strides))


numpy_library = NumpyLibrary()
_libraries = {np.ndarray: numpy_library, list: numpy_library, tuple: numpy_library,
              int: numpy_library, float: numpy_library, complex: numpy_library}
_makers = {"cupy": CupyLibrary, "torch": TorchLibrary, "pyopencl": OpenclLibrary}
_made = {}


def library_of(x):
    """Returns the library of an array; numpy's for lists and numbers."""
    try:
        return _libraries[type(x)]
    except KeyError:
        pass
    for base in type(x).__mro__:
        package = base.__module__.partition(".")[0]
        if package in _makers and base.__name__ in ("ndarray", "Tensor", "Array"):
            if package not in _made:
                _made[package] = _makers[package]()
            library = _made[package]
            break
    else:
        is_foreign = not isinstance(x, np.ndarray) and (
            hasattr(x, "__dlpack__") or hasattr(x, "__cuda_array_interface__"))
        library = _foreign if is_foreign and not isinstance(x, np.generic) else numpy_library
    _libraries[type(x)] = library
    return library


_foreign = ForeignLibrary()
