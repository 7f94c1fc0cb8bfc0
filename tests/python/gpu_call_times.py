#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpu_call_times.py: how long a call of fft takes to return, and to finish, on a GPU's arrays.

Prints a line of JSON for each library and length: the median of 200 calls, in microseconds."""

import json
import statistics
import time

import numpy as np

import wingbeat.fft


def timed(call, synchronize, n=200):
    for _ in range(20):
        call()
    synchronize()
    returned, finished = [], []
    for _ in range(n):
        begin = time.perf_counter()
        call()
        returned.append(time.perf_counter() - begin)
        synchronize()
        finished.append(time.perf_counter() - begin)
    return [round(1e6 * statistics.median(times), 2) for times in (returned, finished)]


def report(library, function, n, times):
    print(json.dumps({"library": library, "function": function, "n": n, "return_us": times[0],
                      "finish_us": times[1]}), flush=True)


def main():
    lengths = (1024, 65536, 1 << 20)
    for n in lengths:
        x = np.ones(n, "c8")
        try:
            import torch
            given, out = torch.from_numpy(x).cuda(), torch.empty(n, dtype=torch.complex64).cuda()
            synchronize = torch.cuda.synchronize
            report("torch", "torch.fft.fft", n, timed(lambda: torch.fft.fft(given), synchronize))
            report("torch", "wingbeat.fft.fft", n,
                   timed(lambda: wingbeat.fft.fft(given), synchronize))
            report("torch", "wingbeat.fft.fft out=", n,
                   timed(lambda: wingbeat.fft.fft(given, out=out), synchronize))
        except ImportError as absent:
            print(absent)
        try:
            import cupy
            import cupyx.scipy.fft
            given, out = cupy.asarray(x), cupy.empty(n, "c8")
            synchronize = cupy.cuda.Device().synchronize
            report("cupy", "cupyx.scipy.fft.fft", n,
                   timed(lambda: cupyx.scipy.fft.fft(given), synchronize))
            report("cupy", "wingbeat.fft.fft", n,
                   timed(lambda: wingbeat.fft.fft(given), synchronize))
            report("cupy", "wingbeat.fft.fft out=", n,
                   timed(lambda: wingbeat.fft.fft(given, out=out), synchronize))
        except ImportError as absent:
            print(absent)


if __name__ == "__main__":
    main()
