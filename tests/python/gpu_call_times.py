#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpu_call_times.py: how long a call of fft or fftn takes to return, and to finish, on a GPU's
arrays.

Prints a line of JSON for each library and shape: the median of 200 calls, in microseconds."""

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


def report(library, function, shape, times):
    print(json.dumps({"library": library, "function": function, "n": shape, "return_us": times[0],
                      "finish_us": times[1]}), flush=True)


def compare(library, peer, given, out, synchronize):
    """Times calls of one library's arrays: its own function, and wingbeat's."""
    shape = tuple(given.shape)
    name = "fft" if len(shape) == 1 else "fftn"
    own = getattr(wingbeat.fft, name)
    calls = {f"{peer.__name__}.{name}": lambda: getattr(peer, name)(given),
             f"wingbeat.fft.{name}": lambda: own(given),
             f"wingbeat.fft.{name} out=": lambda: own(given, out=out)}
    for function, call in calls.items():
        report(library, function, shape, timed(call, synchronize))


def main():
    for shape in ((1024,), (65536,), (1 << 20,), (64, 64), (64, 64, 64)):
        x = np.ones(shape, "c8")
        try:
            import torch
            given = torch.from_numpy(x).cuda()
            compare("torch", torch.fft, given, torch.empty_like(given), torch.cuda.synchronize)
        except ImportError as absent:
            print(absent)
        try:
            import cupy
            import cupyx.scipy.fft
            given = cupy.asarray(x)
            compare("cupy", cupyx.scipy.fft, given, cupy.empty_like(given),
                    cupy.cuda.Device().synchronize)
        except ImportError as absent:
            print(absent)


if __name__ == "__main__":
    main()
