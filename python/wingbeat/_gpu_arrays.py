# SPDX-License-Identifier: Apache-2.0
"""Arrays of CuPy and tensors of torch, as `_arrays` has them."""

from operator import attrgetter

from wingbeat import _wingbeat
from wingbeat._arrays import (NUMPY_TYPES, PAIR_BYTES, ArrayLibrary, ModuleLibrary, conversion,
                              stream_number)


class CupyLibrary(ModuleLibrary):
    """cupy.ndarray."""

    engine, types = _wingbeat.Engine.cuda, NUMPY_TYPES
    layout = attrgetter("data.ptr", "shape", "strides", "dtype", "data.device_id")

    def __init__(self):
        import cupy
        super().__init__(cupy)
        self.current_device = cupy.cuda.runtime.getDevice
        self.current_stream = cupy.cuda.get_current_stream
        _wingbeat.know(cupy.ndarray, self, True)

    def stream_of(self, x):
        return self.current_stream(x.data.device_id).ptr

    def running_on(self, stream, x):
        cuda = self.module.cuda
        if isinstance(stream, (cuda.Stream, cuda.ExternalStream)):
            return stream
        number = stream_number(stream)
        if hasattr(cuda.Stream, "from_external"):
            return cuda.Stream.from_external(_NumberedStream(number))
        return cuda.ExternalStream(number, x.data.device_id)

    def empty(self, x, shape, name):
        device = x.data.device_id
        if self.current_device() == device:
            return self.module.ndarray(shape, name)
        with self.module.cuda.Device(device):
            return self.module.ndarray(shape, name)

    def workspace(self, x, n_bytes):
        memory = self.empty(x, (n_bytes,), "uint8")
        return memory, memory.data.ptr

    def require_beside(self, out, x):
        if not isinstance(out, self.module.ndarray) or out.data.device_id != x.data.device_id:
            raise TypeError("x is a cupy array and out is none of its device; give a cupy array on "
                            f"device {x.data.device_id}")


class _NumberedStream:
    """A native stream by the protocol that libraries take."""

    def __init__(self, number):
        self._number = number

    def __cuda_stream__(self):
        return 0, self._number


class TorchLibrary(ArrayLibrary):
    """torch.Tensor, on processors and CUDA devices."""

    has_narrow = True
    engine, device, requires_grad = (_wingbeat.Engine.cuda, attrgetter("device"),
                                     attrgetter("requires_grad"))

    def __init__(self):
        import torch
        self._torch = torch
        self._names = {getattr(torch, name): name for name in (
            "float16 bfloat16 float32 float64 complex32 complex64 complex128 bool uint8 uint16 "
            "uint32 uint64 int8 int16 int32 int64").split() if hasattr(torch, name)}
        self.types = {name: dtype for dtype, name in self._names.items()}
        self._strided, self.is_neg, self.is_conj = (torch.strided, torch.Tensor.is_neg,
                                                    torch.Tensor.is_conj)
        self.empty_like, self.empty_strided = torch.empty_like, torch.empty_strided
        # So that a gradient that needs the former values is refused.
        self.note_written = torch.autograd.graph.increment_version
        # The public way makes an object of a stream for each call.
        self._raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)
        _wingbeat.know_torch(torch.Tensor, self,
                             getattr(torch.Tensor, "__dlpack_c_exchange_api__", None))

    def array(self, x):
        if x.layout is self._strided and (x.is_cuda or x.is_cpu):
            return x
        raise TypeError(f"x is a {x.layout} tensor on {x.device.type}; give a strided one on a "
                        "processor or a CUDA device")

    def layout(self, x):
        n_bytes = x.element_size()
        strides = tuple(n_bytes * stride for stride in x.stride())
        return x.data_ptr(), tuple(x.shape), strides, x.dtype, x.get_device()

    def dtype_name(self, x):
        return self._names.get(x.dtype, str(x.dtype))

    def stream_of(self, x):
        if not x.is_cuda:
            return 0
        if self._raw_stream is not None:
            return self._raw_stream(x.get_device())
        return self._torch.cuda.current_stream(x.device).cuda_stream

    def is_plain(self, x):
        return not (x.requires_grad or x.is_conj() or x.is_neg())

    def _refuse_gradient(self, x, name, advice):
        if x.requires_grad and self._torch.is_grad_enabled():
            raise TypeError(f"{name} requires a gradient, which {advice}")

    def require_memory(self, x, name, is_written):
        if x.is_conj() or x.is_neg():
            raise ValueError(f"{name} is a conjugated or negated view; give a tensor that is none, "
                             "by resolve_conj and resolve_neg")
        self._refuse_gradient(x, name, "a plan does not give; call wingbeat.torch's functions, or "
                              "give its detach()")
        if is_written:
            self.note_written(x)

    def running_on(self, stream, x):
        cuda = self._torch.cuda
        if not x.is_cuda:
            raise ValueError("a stream was given with a tensor of the processor, which has none; "
                             "leave stream out")
        if not isinstance(stream, cuda.Stream):
            stream = cuda.ExternalStream(stream_number(stream), x.device)
        return cuda.stream(stream)

    def empty(self, x, shape, name):
        return self._torch.empty(shape, dtype=self.types[name], device=x.device)

    def workspace(self, x, n_bytes):
        memory = self.empty(x, (n_bytes,), "uint8")
        return memory, memory.data_ptr()

    def converted(self, x, kind):
        self._refuse_gradient(x, "x", "wingbeat.fft does not give; call wingbeat.torch's function "
                              "of that name, or give x.detach()")
        # Flags in place of values, that memory does not have.
        if x.is_conj():
            x = x.resolve_conj()
        if x.is_neg():
            x = x.resolve_neg()
        default = self._names[self._torch.get_default_dtype()]
        name = self.dtype_name(x)
        target = conversion(name, kind, True, default)
        return x if name == target else x.to(self.types[target])

    def conjugate(self, x, out=None):
        return self._torch.conj_physical(x, out=out)

    def copy(self, x):
        return x.clone(memory_format=self._torch.contiguous_format)

    def aligned(self, x):
        return x if not x.is_cuda or x.data_ptr() % PAIR_BYTES == 0 else x.clone()

    def packed(self, x, order, shape, name):
        self._refuse_gradient(x, "a tensor", "this function does not give; call wingbeat.torch's "
                              "layers, or give its detach()")
        x = x.resolve_conj().resolve_neg().permute(tuple(order))
        return self.aligned(x.to(self.types[name]).reshape(shape).contiguous())

    def permuted(self, x, order):
        return x.permute(tuple(order))

    def taken(self, x, index, axis):
        return x.index_select(axis, self._torch.from_numpy(index).to(x.device))

    def assign(self, out, value):
        out.copy_(value) if isinstance(value, self._torch.Tensor) else out.fill_(value)

    def require_beside(self, out, x):
        if not isinstance(out, self._torch.Tensor) or out.device != x.device:
            raise TypeError(f"x is a tensor on {x.device} and out is none there; give a tensor on "
                            f"{x.device}")
        if out.is_conj() or out.is_neg():
            raise ValueError("out is a conjugated or negated view; give a tensor that is none")
        self._refuse_gradient(out, "out", "wingbeat.fft does not give; call wingbeat.torch's "
                              "function of that name, or give out.detach()")

    def require_out(self, out, shape, name, x):
        super().require_out(out, shape, name, x)
        self.note_written(out)
