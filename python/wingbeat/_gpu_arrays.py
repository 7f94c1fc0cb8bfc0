# SPDX-License-Identifier: Apache-2.0
"""Arrays of CuPy and tensors of torch, with the functions of `_arrays`."""

from operator import attrgetter

from wingbeat import _wingbeat
from wingbeat._arrays import NUMPY_TYPES, ArrayLibrary, ModuleLibrary, conversion, stream_number


class CupyLibrary(ModuleLibrary):
    """cupy.ndarray."""

    engine, types = _wingbeat.Engine.cuda, NUMPY_TYPES
    layout = attrgetter("data.ptr", "shape", "strides", "dtype.str", "data.device_id")

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

    def of_numpy(self, array, x):
        with self.module.cuda.Device(x.data.device_id):
            return self.module.asarray(array)


class _NumberedStream:
    """A native stream as an object with `__cuda_stream__`."""

    def __init__(self, number):
        self._number = number

    def __cuda_stream__(self):
        return 0, self._number


class TorchLibrary(ArrayLibrary):
    """torch.Tensor, on processors and CUDA devices."""

    has_narrow, engine = True, _wingbeat.Engine.cuda

    def __init__(self):
        import torch
        self._torch = torch
        self.types = {name: getattr(torch, name) for name in _wingbeat.item_bytes
                      if hasattr(torch, name) and name != "bcomplex32"}
        # Makes autograd refuse gradients that need the former values.
        self.note_written = torch.autograd.graph.increment_version
        _wingbeat.know_torch(torch.Tensor, self,
                             getattr(torch.Tensor, "__dlpack_c_exchange_api__", None))

    def array(self, x):
        if x.layout is self._torch.strided and (x.is_cuda or x.is_cpu):
            return x
        raise TypeError(f"x is a {x.layout} tensor on {x.device.type}; give a strided one on a "
                        "processor or a CUDA device")

    def layout(self, x):
        n_bytes = x.element_size()
        strides = tuple(n_bytes * stride for stride in x.stride())
        name = str(x.dtype).removeprefix("torch.")
        return x.data_ptr(), tuple(x.shape), strides, name, x.get_device()

    def stream_of(self, x):
        # The public function makes a stream object in each call.
        return self._torch._C._cuda_getCurrentRawStream(x.get_device())

    def _refuse_gradient(self, x, name):
        if x.requires_grad and self._torch.is_grad_enabled():
            raise TypeError(f"{name} requires a gradient, which this call does not give; call "
                            "wingbeat.torch's functions, or give its detach()")

    def require_memory(self, x, name, is_written):
        if x.is_conj() or x.is_neg():
            raise ValueError(f"{name} is a conjugated or negated view; give a tensor that is none, "
                             "by resolve_conj and resolve_neg")
        self._refuse_gradient(x, name)
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

    def converted(self, x, kind):
        self._refuse_gradient(x, "x")
        x = x.resolve_conj().resolve_neg()  # memory does not hold flagged values
        default = str(self._torch.get_default_dtype()).removeprefix("torch.")
        return x.to(self.types[conversion(_wingbeat.view(x).dtype, kind, True, default)])

    def conjugate(self, x, out=None):
        return self._torch.conj_physical(x, out=out)

    def copy(self, x):
        return x.clone(memory_format=self._torch.contiguous_format)

    def packed(self, x, order, shape, name):
        self._refuse_gradient(x, "a tensor")
        x = x.resolve_conj().resolve_neg().permute(tuple(order))
        return self.aligned(x.to(self.types[name]).reshape(shape).contiguous())

    def taken(self, x, index, axis):
        return x.index_select(axis, self.of_numpy(index, x))

    def of_numpy(self, array, x):
        return self._torch.from_numpy(array).to(x.device)

    def assign(self, out, value):
        out.copy_(value) if isinstance(value, self._torch.Tensor) else out.fill_(value)
