# SPDX-License-Identifier: Apache-2.0
"""Calls of Python beside the best of numpy, SciPy, mkl_fft, pyfftw, ducc0 and OpenCV, those that
are installed.

    python_calls.py [PART] [--below 0.95]

PART is a kind (rows, axes, reals, workers, convolutions, scores) or none for all. Each line has
the call, our median time in microseconds, and the best peer's time over it; libraries take turns in
9 rounds, in one process. Exits with 1 where a ratio is below the one that is asked.
"""

import argparse
import itertools
import os
import statistics
import sys
import time

import numpy as np
import scipy.fft
import scipy.signal

import wingbeat.fft
from wingbeat import match, signal

ROUND_SECONDS = 2e-3
RNG = np.random.default_rng(0)


def noise(shape, dtype):
    x = RNG.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * RNG.standard_normal(shape)
    return (100 * x if np.dtype(dtype).kind == "i" else x).astype(dtype)


def peers(name, x, axis, workers):
    """Yields (library, call) of a function of numpy.fft's names along one axis."""
    yield "scipy", lambda: getattr(scipy.fft, name)(x, axis=axis, workers=workers)
    if workers is None and x.dtype.itemsize == (16 if x.dtype.kind == "c" else 8):
        yield "numpy", lambda: getattr(np.fft, name)(x, axis=axis)
    try:
        import mkl_fft
        yield "mkl_fft", lambda: getattr(mkl_fft, name)(x, axis=axis)
    except (ImportError, AttributeError):
        pass
    try:
        import ducc0
        if name == "fft":
            yield "ducc0", lambda: ducc0.fft.c2c(x, axes=[axis], nthreads=workers or 1)
        elif name == "rfft":
            yield "ducc0", lambda: ducc0.fft.r2c(x, axes=[axis], nthreads=workers or 1)
    except ImportError:
        pass
    try:
        from pyfftw.interfaces import cache, scipy_fft
        cache.enable()
        yield "pyfftw", lambda: getattr(scipy_fft, name)(x, axis=axis, workers=workers or 1)
    except ImportError:
        pass


def transforms(name, shapes, dtypes, axis=-1, workers=None):
    for shape in shapes:
        for dtype in dtypes:
            x = noise(shape, dtype)
            yield (f"{name} {shape} {dtype} axis {axis} workers {workers}",
                   lambda: getattr(wingbeat.fft, name)(x, axis=axis, workers=workers),
                   list(peers(name, x, axis, workers)))


def convolutions():
    for dtype in ("float32", "float64", "complex64", "complex128", "int64"):
        for n, k in ((50, 5), (200, 11), (200, 200), (1000, 31), (1000, 1000), (10000, 31),
                     (10000, 300), (100000, 7), (100000, 63)):
            a, b = noise(n, dtype), noise(k, dtype)
            calls = [("scipy", lambda: scipy.signal.convolve(a, b))]
            if n * k < 4e6:
                calls.append(("numpy", lambda: np.convolve(a, b)))
            yield f"convolve {n} x {k} {dtype}", lambda: signal.convolve(a, b), calls
    for dtype in ("float32", "float64"):
        for n, k in ((32, 3), (256, 5), (256, 15), (2048, 512)):
            a, b = noise((n, n), dtype), noise((k, k), dtype)
            calls = [("scipy", lambda: scipy.signal.convolve(a, b, "same"))]
            if k < 100:
                calls.append(("scipy, 2d", lambda: scipy.signal.convolve2d(a, b, "same")))
            yield f"convolve {n}^2 x {k}^2 {dtype}", lambda: signal.convolve(a, b, "same"), calls


def scores():
    """Scores of one template beside OpenCV's, as many threads for both: $WINGBEAT_THREADS."""
    import cv2
    cv2.setNumThreads(int(os.environ["WINGBEAT_THREADS"]))
    for n, k in ((256, 5), (256, 32), (512, 16), (512, 64), (1024, 5), (1024, 128), (2048, 200)):
        for dtype in ("float32", "uint8"):
            image = (255 * RNG.random((n, n))).astype(dtype)
            template = image[3:3 + k, 7:7 + k].copy()
            for method in match.SCORES:
                number = getattr(cv2, "TM_" + method.upper())
                yield (f"{method} {n}^2 x {k}^2 {dtype}",
                       lambda: match.match_scores(image, template, method),
                       [("opencv", lambda: cv2.matchTemplate(image, template, number))])


LENGTHS = (16, 60, 100, 256, 1000, 1024, 2187, 4096, 4320, 5040, 6000, 8192, 16384)
COMPLEX = ("complex64", "complex128")
REAL = ("float32", "float64")
PARTS = {
    "rows": lambda: itertools.chain(transforms("fft", [(n,) for n in LENGTHS], COMPLEX),
                     transforms("fft", [(64, n) for n in LENGTHS], COMPLEX)),
    "axes": lambda: transforms("fft", [(n, 64) for n in LENGTHS], COMPLEX, 0),
    "reals": lambda: itertools.chain(transforms("rfft", [(n,) for n in LENGTHS], REAL),
                      transforms("rfft", [(64, n) for n in LENGTHS], REAL)),
    "workers": lambda: transforms("fft", [(16,), (64,), (256,), (1024,), (131072,)], COMPLEX, -1,
                                  2),
    "convolutions": convolutions,
    "scores": scores,
}


def seconds(call, n_calls):
    begin = time.perf_counter()
    for _ in range(n_calls):
        call()
    return (time.perf_counter() - begin) / n_calls


def medians(calls):
    counts = []
    for call in calls:
        call()
        counts.append(max(1, int(ROUND_SECONDS / max(seconds(call, 2), 1e-7))))
    times = [[] for _ in calls]
    for _ in range(9):
        for own, call, count in zip(times, calls, counts):
            own.append(seconds(call, count))
    return [statistics.median(each) for each in times]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", choices=PARTS)
    parser.add_argument("--below", type=float, default=0.95)
    options = parser.parse_args()
    n_below = 0
    for part in [options.part] if options.part else PARTS:
        for text, own, others in PARTS[part]():
            ours, *theirs = medians([own, *(call for _, call in others)])
            best = min(theirs)
            ratio = best / ours
            n_below += ratio < options.below
            print(f"{text:48} {1e6 * ours:10.2f} us {ratio:6.2f} of {others[theirs.index(best)][0]}"
                  f"{'  BELOW' if ratio < options.below else ''}", flush=True)
    return int(n_below > 0)


if __name__ == "__main__":
    sys.exit(main())
