# SPDX-License-Identifier: Apache-2.0
"""Times long convolutions as users of torch write them, by torch.fft, and as cuDNN makes them, by
its fft_causal_conv1d, and adds them to a document of `wingbeat_bench long_convolutions`:
    python torch_long_convolve.py FILE.json [SECONDS [PEER..]]      torch, cudnn
Of each row y = k * x, causal, and its backward pass, with respect to x and k, beside a copy of x on
the same device; rows that take more memory than there is are left out. bf16 is transformed in fp32,
as torch.fft needs. CUDNN_LIBRARY names the libcudnn.so.9 of cuDNN 9.26 or newer, with its
libcudnn_ext.so.9 beside it, which compiles for each length (CUDA_HOME, NVRTC); without it torch
alone is timed. Both are compared with what torch makes of two channels in fp64.
"""

import ctypes
import json
import os
import sys
import time

import torch


def convolved(x, k, padded):
    """Returns the first values of k * x, which are as many as x has."""
    bins = torch.fft.rfft(x.float(), n=padded) * torch.fft.rfft(k, n=padded)
    return torch.fft.irfft(bins, n=padded)[..., :x.shape[-1]].to(x.dtype)


def microseconds_of(call, turns=7):
    """Returns the median of turns of about 5 ms."""
    call()
    torch.cuda.synchronize()
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    times, calls = [], 1
    for turn in range(turns + 1):
        start.record()
        for _ in range(calls):
            call()
        stop.record()
        stop.synchronize()
        each = 1e3 * start.elapsed_time(stop) / calls
        if turn == 0:
            calls = max(1, min(50, int(5e3 / each)))
        else:
            times.append(each)
    return sorted(times)[len(times) // 2]


class CudnnConvolution:
    """y = k * x and its backward pass by cuDNN, by the function that its frontend chooses."""

    def __init__(self, library, x, k):
        self.library, self.x, self.k = library, x, k
        self.kind = {torch.float32: 0, torch.bfloat16: 9}[x.dtype]
        self.y, self.dx, self.dk = torch.empty_like(x), torch.empty_like(x), torch.empty_like(k)
        self.is_long = k.shape[-1] > 16384
        if not self.is_long:
            return
        bytes_of = [ctypes.c_size_t(), ctypes.c_size_t()]
        self.call("LongFFTCausalConv1dGetBufferSizes", *self.sizes(), *map(ctypes.byref, bytes_of))
        memory = [torch.empty(n.value, dtype=torch.uint8, device="cuda") for n in bytes_of]
        self.memory = [part for m, n in zip(memory, bytes_of) for part in (m, n)]

    def sizes(self):
        batch, channels, length = self.x.shape
        return batch, channels, length, self.k.shape[-1], self.kind

    def call(self, name, *arguments):
        pointers = [ctypes.c_void_p(a.data_ptr()) if torch.is_tensor(a) else a for a in arguments]
        status = getattr(self.library, "cudnn" + name)(*pointers)
        if status != 0:
            raise RuntimeError("cudnn%s returns %d" % (name, status))

    def launch(self, name, *arrays):
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        memory = self.memory if self.is_long else []
        name = ("LongFFT" if self.is_long else "FFT") + "CausalConv1d" + name
        self.call(name, stream, *arrays, *self.sizes(), *memory)

    def run(self):
        self.launch("Forward", self.x, self.k, self.y)

    def gradients(self, dy):
        inputs = () if self.is_long else (self.x, self.k)  # which forward has left in its memory
        self.launch("Backward", *inputs, dy, self.dx, self.dk)


def difference_of(values, expected):
    """Returns the largest difference, as a part of the largest number expected."""
    return max(((v.double() - e).abs().max() / e.abs().max()).item()
               for v, e in zip(values, expected))


def expected_of(x, k, dy):
    """Returns y, dx and dk of the first two channels, in fp64."""
    x, k, dy = x[:, :2].double().requires_grad_(), k[:2].double().requires_grad_(), dy[:, :2]
    padded = 2 * x.shape[-1]
    bins = torch.fft.rfft(x, n=padded) * torch.fft.rfft(k, n=padded)
    y = torch.fft.irfft(bins, n=padded)[..., :x.shape[-1]]
    return [y.detach(), *torch.autograd.grad(y, (x, k), dy.double())]


def arrays_of(row):
    """Returns x, k and the gradient of y, as they are stored."""
    length, channels, batch = row["length"], row["channels"], row["batch"]
    dtype = torch.bfloat16 if row["stored"] == "bf16" else torch.float32
    x, dy = (torch.randn(batch, channels, length, device="cuda").to(dtype) for _ in range(2))
    return x, torch.randn(channels, length, device="cuda"), dy


def add(row, peer, times, difference):
    """Adds a peer's microseconds, of a run and of all gradients, with its time over ours."""
    run, gradients = row[peer + "_run_us"], row[peer + "_gradients_us"] = times
    row[peer + "_over_run"] = run / row["run_us"]
    row[peer + "_over_gradients"] = gradients / row["gradients_us"]
    row[peer + "_over_all"] = (run + gradients) / (row["run_us"] + row["gradients_us"])
    row[peer + "_difference"] = difference
    print(json.dumps(row), flush=True)


def measure_torch(row):
    x, k, dy = arrays_of(row)
    expected = expected_of(x, k, dy)
    x, k = x.requires_grad_(), k.requires_grad_()
    copy = torch.empty_like(x)
    padded = 2 * row["length"]
    with torch.no_grad():
        row["torch_copy_us"] = microseconds_of(lambda: copy.copy_(x))
        run_us = microseconds_of(lambda: convolved(x, k, padded))
    y = convolved(x, k, padded)
    gradients = torch.autograd.grad(y, (x, k), dy, retain_graph=True)
    difference = difference_of([y[:, :2].detach(), gradients[0][:, :2], gradients[1][:2]], expected)
    gradients_us = microseconds_of(lambda: torch.autograd.grad(y, (x, k), dy, retain_graph=True))
    add(row, "torch", (run_us, gradients_us), difference)


def measure_cudnn(row, library):
    x, k, dy = arrays_of(row)
    k = k.to(x.dtype)  # all arrays of cuDNN are stored alike
    made = CudnnConvolution(library, x, k)
    begun = time.monotonic()
    made.run()  # compiled now
    made.gradients(dy)
    torch.cuda.synchronize()
    row["cudnn_first_s"] = time.monotonic() - begun
    difference = difference_of([made.y[:, :2], made.dx[:, :2], made.dk[:2]], expected_of(x, k, dy))
    run_us = microseconds_of(made.run)
    add(row, "cudnn", (run_us, microseconds_of(lambda: made.gradients(dy))), difference)


def write(path, document):
    rows = ",\n".join(json.dumps(row, separators=(",", ":")) for row in document["rows"])
    head = ",\n".join('"%s": %s' % (key, json.dumps(value)) for key, value in document.items()
                      if key != "rows")
    with open(path, "w", encoding="utf-8") as file:
        file.write("{\n%s,\n\"rows\": [\n%s\n]\n}\n" % (head, rows))


def main():
    path = sys.argv[1]
    until = time.monotonic() + (float(sys.argv[2]) if len(sys.argv) > 2 else 1e9)
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    document["torch"] = torch.__version__
    wanted = sys.argv[3:] or ["torch", "cudnn"]
    peers = [measure_torch] if "torch" in wanted else []
    if "cudnn" in wanted and "CUDNN_LIBRARY" in os.environ:
        library = ctypes.CDLL(os.environ["CUDNN_LIBRARY"])
        peers.append(lambda row: measure_cudnn(row, library))
    for measure in peers:
        for row in document["rows"]:
            if time.monotonic() > until:
                return
            try:
                measure(row)
            except (torch.cuda.OutOfMemoryError, RuntimeError) as failed:
                print("%8d %s: %s" % (row["length"], row["stored"], failed), flush=True)
            torch.cuda.empty_cache()
            write(path, document)  # for where time ends it


if __name__ == "__main__":
    main()
