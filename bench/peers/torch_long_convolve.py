# SPDX-License-Identifier: Apache-2.0
"""Times long convolutions as users of torch write them, by torch.fft, and adds them to a document of
long_convolutions: python torch_long_convolve.py FILE.json [SECONDS]. Of each row y = k * x, causal,
and its backward pass, with respect to x and k, beside a copy of x on the same device; rows that take
more memory than there is are left out. bf16 is transformed in fp32, as torch.fft needs.
"""

import json
import sys
import time

import torch


def convolved(x, k, padded):
    """Returns the first values of k * x, which are as many as x has."""
    bins = torch.fft.rfft(x.float(), n=padded) * torch.fft.rfft(k, n=padded)
    return torch.fft.irfft(bins, n=padded)[..., :x.shape[-1]].to(x.dtype)


def seconds_of(call, turns=7):
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
        each = 1e-3 * start.elapsed_time(stop) / calls
        if turn == 0:
            calls = max(1, min(50, int(5e-3 / each)))
        else:
            times.append(each)
    return sorted(times)[len(times) // 2]


def measure(row):
    """Adds torch's times to a row."""
    length, channels, batch = row["length"], row["channels"], row["batch"]
    dtype = torch.bfloat16 if row["stored"] == "bf16" else torch.float32
    x = torch.randn(batch, channels, length, device="cuda").to(dtype).requires_grad_()
    k = torch.randn(channels, length, device="cuda", requires_grad=True)
    copy = torch.empty_like(x)
    gradient = torch.randn(batch, channels, length, device="cuda").to(dtype)
    padded = 2 * length
    with torch.no_grad():
        row["torch_copy_s"] = seconds_of(lambda: copy.copy_(x))
        row["torch_run_s"] = seconds_of(lambda: convolved(x, k, padded))
    y = convolved(x, k, padded)
    row["torch_gradients_s"] = seconds_of(
        lambda: torch.autograd.grad(y, (x, k), gradient, retain_graph=True))
    ours = [row[name + "_s"]["median"] for name in ("run", "signal_gradient", "kernel_gradient")]
    row["torch_over_run"] = row["torch_run_s"] / ours[0]
    row["torch_over_gradients"] = row["torch_gradients_s"] / (ours[1] + ours[2])


def main():
    path = sys.argv[1]
    until = time.monotonic() + (float(sys.argv[2]) if len(sys.argv) > 2 else 1e9)
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    document["torch"] = torch.__version__
    for row in document["results"]:
        if time.monotonic() > until:
            break
        try:
            measure(row)
        except torch.cuda.OutOfMemoryError:
            continue
        finally:
            torch.cuda.empty_cache()
        print("%8d %s: torch %.1f us and %.1f, %.2f and %.2f times ours" % (
            row["length"], row["stored"], 1e6 * row["torch_run_s"], 1e6 * row["torch_gradients_s"],
            row["torch_over_run"], row["torch_over_gradients"]), flush=True)
    with open(path, "w", encoding="utf-8") as file:
        rows = ",\n".join(json.dumps(row, separators=(",", ":")) for row in document.pop("results"))
        head = ",\n".join('"%s": %s' % (key, json.dumps(value)) for key, value in document.items())
        file.write("{\n%s,\n\"results\": [\n%s\n]\n}\n" % (head, rows))


if __name__ == "__main__":
    main()
