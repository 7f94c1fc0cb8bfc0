#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times scipy.signal's convolutions of the problems of bench/convolve_host.cpp, as JSON.

    scipy_convolve.py [--threads 2] [--rounds 15] > scipy.json
"""
import argparse
import statistics
import sys
import time
from pathlib import Path

import numpy
import scipy
from scipy import fft, signal

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "support"))
from documents import document_text  # noqa: E402


def seconds_of(run, rounds):
    """Returns the median, the least and the largest time of a run."""
    run()
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return {"median": statistics.median(times), "min": min(times), "max": max(times)}


def noise(random, *shape):
    return (2 * random.random(shape) - 1).astype(numpy.float32)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--threads", type=int, default=2)
    arguments.add_argument("--rounds", type=int, default=15)
    given = arguments.parse_args()
    random = numpy.random.default_rng(1)
    results = []

    def measure(name, function, image, kernel, mode):
        times = seconds_of(lambda: function(image, kernel, mode=mode), given.rounds)
        results.append({"name": name, "function": function.__name__, "seconds": times})
        print(f"{name:<28} {function.__name__:<12} {1e3 * times['median']:8.3f} ms",
              file=sys.stderr)

    with fft.set_workers(given.threads):
        image, kernel = noise(random, 2048, 2048), noise(random, 512, 512)
        for mode in ("valid", "same", "full"):
            for function in (signal.fftconvolve, signal.oaconvolve):
                measure(f"512^2 in 2048^2, {mode}", function, image, kernel, mode)
        samples = noise(random, 1 << 20)
        for n_taps in (255, 4095):
            taps = noise(random, n_taps)
            for function in (signal.fftconvolve, signal.oaconvolve):
                measure(f"{samples.size} samples, {n_taps} taps", function, samples, taps, "full")
    sys.stdout.write(document_text(
        {"schema": "wingbeat.scipy_convolve/1", "scipy": scipy.__version__,
         "numpy": numpy.__version__, "threads": given.threads, "rounds": given.rounds,
         "results": results}))


if __name__ == "__main__":
    main()
