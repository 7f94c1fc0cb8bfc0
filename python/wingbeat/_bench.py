# SPDX-License-Identifier: Apache-2.0
"""Times of one complex fft in wingbeat and in the other installed libraries.

Libraries alternate in rounds, so that a busy machine slows them alike. A time is the shortest of
the rounds' means, each over as many calls as take some milliseconds. Arrays are in the caches.
"""

import importlib
import json
import math
import os
import pathlib
import platform
import re
import time
from functools import partial

import numpy as np

from wingbeat import _wingbeat

ROUND_SECONDS = 4e-3
OTHER_LENGTHS = (17, 30, 60, 97, 100, 120, 243, 360, 500, 509, 625, 1000, 1009, 1155, 1500, 2187,
                 3125, 4000, 4099, 6000, 10000, 10007, 15625, 30030, 44100, 65537, 100000, 250000,
                 531441, 1000000)
LIBRARIES = ("numpy", "scipy", "torch", "cupy", "jax", "pyopencl", "numba", "pyfftw", "mkl_fft")


def library_versions():
    """Returns the versions of the installed libraries, by name."""
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = getattr(importlib.import_module(name), "__version__", "unknown")
        except Exception as absent:  # a library that fails to start is reported
            if not isinstance(absent, ModuleNotFoundError):
                found[name] = f"does not start: {absent}"
    return found


def lengths_of(text):
    """Returns the lengths in a text. Raises ValueError if it has none."""
    lengths = []
    for word in text.split(","):
        powers = re.fullmatch(r"2\^(\d{1,3})(?:\.\.2\^(\d{1,3}))?", word)
        if word == "other":
            named = OTHER_LENGTHS
        elif powers:
            named = [1 << i for i in range(int(powers[1]), int(powers[2] or powers[1]) + 1)]
        else:
            named = [int(word)] if re.fullmatch(r"\d{1,20}", word) else []
        if not named or min(named) < 1 or max(named) > _wingbeat.max_length:
            raise ValueError(f"--lengths has {word!r}; give numbers from 1 to "
                             f"{_wingbeat.max_length}, 2^a, 2^a..2^b, or 'other'")
        lengths += named
    return lengths


def module_of(name):
    """Returns a module; None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def processor_libraries(n_threads):
    """Yields (name, function of an array that returns a call)."""
    import wingbeat.fft
    yield "wingbeat", lambda x: lambda: wingbeat.fft.fft(x)
    if scipy := module_of("scipy.fft"):
        yield "scipy", lambda x: lambda: scipy.fft(x, workers=n_threads)
    if n_threads == 1:
        yield "numpy", lambda x: lambda: np.fft.fft(x)
    if mkl_fft := module_of("mkl_fft"):
        yield "mkl_fft", lambda x: lambda: mkl_fft.fft(x)
    if interfaces := module_of("pyfftw.interfaces"):
        pyfftw, scipy_fft = module_of("pyfftw"), module_of("pyfftw.interfaces.scipy_fft")
        interfaces.cache.enable()
        yield "pyfftw", lambda x: lambda: scipy_fft.fft(x, workers=n_threads)
        yield "pyfftw, planned", lambda x: pyfftw.builders.fft(
            pyfftw.byte_align(x.copy()), threads=n_threads, planner_effort="FFTW_MEASURE",
            avoid_copy=True)
    if torch := module_of("torch"):
        torch.set_num_threads(n_threads)
        yield "torch", lambda x: partial(torch.fft.fft, torch.from_numpy(x))


def gpu_libraries():
    """Yields likewise for arrays on a GPU; a call ends when the GPU is done."""
    import wingbeat.fft

    def finished(function, given_of, wait):
        def call_of(x):
            given = given_of(x)

            def call():
                function(given)
                wait()
            return call
        return call_of

    if torch := module_of("torch"):
        for name, function in (("wingbeat, torch", wingbeat.fft.fft), ("torch", torch.fft.fft)):
            yield name, finished(function, lambda x: torch.from_numpy(x).cuda(),
                                 torch.cuda.synchronize)
    if cupyx := module_of("cupyx.scipy.fft"):
        cupy = module_of("cupy")
        for name, function in (("wingbeat, cupy", wingbeat.fft.fft), ("cupy", cupyx.fft)):
            yield name, finished(function, cupy.asarray,
                                 lambda: cupy.cuda.get_current_stream().synchronize())


def seconds(call, n_calls):
    begin = time.perf_counter()
    for _ in range(n_calls):
        call()
    return (time.perf_counter() - begin) / n_calls


def timed(calls, n_rounds):
    """Returns the shortest mean time of each call."""
    counts = {}
    for name, call in calls.items():
        call()
        counts[name] = max(1, int(ROUND_SECONDS / max(seconds(call, 3), 1e-7)))
    best = dict.fromkeys(calls, math.inf)
    for _ in range(n_rounds):
        for name, call in calls.items():
            best[name] = min(best[name], seconds(call, counts[name]))
    return best


def table(rows):
    names = list(rows[0]["seconds"])
    lines = ["length    " + "".join(f"{name:>17}" for name in names)]
    for row in rows:
        times = "".join(f"{1e6 * row['seconds'][name]:14.2f} us" for name in names)
        lines.append(f"{row['length']:<10}" + times)
    return "\n".join(lines)


def ratios(rows):
    """Returns the geometric mean of each library's time over wingbeat's."""
    ours = next(iter(rows[0]["seconds"]))
    means = {}
    for name in rows[0]["seconds"]:
        logs = [math.log(row["seconds"][name] / row["seconds"][ours]) for row in rows]
        means[name] = round(math.exp(sum(logs) / len(logs)), 3)
    return means


def figure_for(path):
    """Returns an empty figure. Raises unless it can be drawn to a file of that name."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise RuntimeError("--plot needs matplotlib; install it, or leave --plot out") from None
    figure = Figure(figsize=(8, 5), layout="constrained")
    kinds = figure.canvas.get_supported_filetypes()
    if pathlib.Path(path).suffix[1:].lower() not in kinds:
        raise ValueError(f"--plot is {path}; give a name that ends in one of {', '.join(kinds)}")
    return figure


def draw(rows, figure):
    """Draws speeds, in units of 5 n log2 n operations per second."""
    axes = figure.subplots()
    lengths = [row["length"] for row in rows]
    for name in rows[0]["seconds"]:
        speeds = [5e-9 * n * math.log2(n) / row["seconds"][name]
                  for n, row in zip(lengths, rows) if n > 1]
        axes.plot([n for n in lengths if n > 1], speeds, "o-", markersize=3, label=name)
    axes.set(xscale="log", xlabel="length", ylabel="5 n log2 n / time, GFLOP/s")
    axes.legend()


def require_writable(option, path):
    """Raises unless a file of that name can be written."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path) or not os.access(folder, os.W_OK):
        raise ValueError(f"{option} is {path}, which cannot be written; give the name of a file in "
                         "a folder that can be")


def run(options):
    # Errors come before the measurements.
    lengths = lengths_of(options.lengths)
    for option, path in (("--json", options.json), ("--plot", options.plot)):
        if path:
            require_writable(option, path)
    figure = figure_for(options.plot) if options.plot else None
    # Libraries read these once, when they start.
    for variable in ("MKL_NUM_THREADS", "OMP_NUM_THREADS", "WINGBEAT_THREADS"):
        os.environ[variable] = str(options.threads)
    is_gpu = options.device == "cuda"
    libraries = dict(gpu_libraries() if is_gpu else processor_libraries(options.threads))
    if not libraries:
        raise RuntimeError("no library with arrays on a GPU is installed; install torch or cupy")
    rng = np.random.default_rng(0)
    rows = []
    for n in lengths:
        x = (rng.standard_normal(n) + 1j * rng.standard_normal(n)).astype(options.dtype)
        calls = {name: call_of(x) for name, call_of in libraries.items()}
        rows.append({"length": n, "seconds": timed(calls, options.rounds)})
        print(table(rows[-1:]) if len(rows) == 1 else table(rows[-1:]).splitlines()[-1], flush=True)
    print("times over wingbeat's, geometric mean: " + ", ".join(
        f"{name} {mean}" for name, mean in ratios(rows).items()))
    if options.json:
        result = {"dtype": options.dtype, "threads": options.threads, "device": options.device,
                  "processor": platform.processor() or platform.machine(),
                  "libraries": library_versions(), "rounds": options.rounds,
                  "ratios": ratios(rows), "rows": rows}
        with open(options.json, "w", encoding="utf-8") as file:
            file.write(json.dumps(result, indent=1) + "\n")
    if options.plot:
        draw(rows, figure)
        figure.savefig(options.plot, dpi=150)
    return 0
