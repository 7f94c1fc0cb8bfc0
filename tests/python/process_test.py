# SPDX-License-Identifier: Apache-2.0
"""Threads, forks, sub-interpreters, signals, and memory over many calls."""

import multiprocessing
import os
import pickle
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import wingbeat
import wingbeat.fft as fft

IS_FULL = os.environ.get("WINGBEAT_TEST_FULL") == "1"
LENGTHS = (8, 30, 64, 97, 1000, 1024, 4096, 6000)
RNG = np.random.default_rng(3)
SIGNALS = [(RNG.standard_normal((3, n)) + 1j * RNG.standard_normal((3, n))) for n in LENGTHS]


def python(code, **options):
    """Runs a program of its own; its output."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True,
                          text=True, timeout=120, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_many_threads_share_one_cache():
    expected = [fft.fft(x) for x in SIGNALS]
    wrong = []

    def work(seed):
        order = np.random.default_rng(seed).permutation(len(SIGNALS) * 20) % len(SIGNALS)
        for i in order:
            if not np.array_equal(fft.fft(SIGNALS[i]), expected[i]):
                wrong.append(i)
            if i == 0 and seed == 0:
                wingbeat.plan_cache.clear()

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_lets_other_threads_run():
    x = np.ones((64, 1 << 16), np.complex64)
    out = np.empty_like(x)
    fft.fft(x, out=out)
    done = threading.Event()

    def work():
        while not done.is_set():
            fft.fft(x, out=out)

    thread = threading.Thread(target=work)
    begin = time.perf_counter()
    for _ in range(3):
        fft.fft(x, out=out)
    one = (time.perf_counter() - begin) / 3
    thread.start()
    counted = 0
    end = time.perf_counter() + 6 * one
    while time.perf_counter() < end:
        counted += 1
    done.set()
    thread.join()
    # Were the lock held over each transform, this loop would turn a few times between them.
    assert counted > 1000


def transformed(i):
    return fft.fft(SIGNALS[i], workers=-1)


@pytest.mark.parametrize("method", ("fork", "forkserver", "spawn"))
def test_serves_other_processes(method):
    expected = [fft.fft(x) for x in SIGNALS]
    fft.fft(np.ones((64, 4096)))  # so that threads are there when a child is forked
    with multiprocessing.get_context(method).Pool(2) as pool:
        for i, result in enumerate(pool.map(transformed, range(len(SIGNALS)))):
            np.testing.assert_array_equal(result, expected[i])


@pytest.mark.skipif(sys.version_info < (3, 12), reason="before 3.12 all share one lock")
def test_refuses_sub_interpreters():
    name = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
    assert "ImportError" in python(f"""
        import {name} as interpreters
        made = interpreters.create()
        code = "try:\\n import wingbeat\\nexcept ImportError as refused:\\n print('ImportError', refused)"
        print(interpreters.run_string(made, code) or "")
    """)


def test_a_signal_ends_a_long_call():
    program = subprocess.Popen([sys.executable, "-c", textwrap.dedent("""
        import numpy as np, wingbeat.fft as fft
        x = np.ones((64, 1 << 16), np.complex64)
        print("ready", flush=True)
        try:
            while True:
                fft.fft(x, out=x)
                x[:] = 1
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """)], stdout=subprocess.PIPE, text=True)
    assert program.stdout.readline() == "ready\n"
    time.sleep(0.3)
    program.send_signal(signal.SIGINT)
    out, _ = program.communicate(timeout=60)
    assert out == "interrupted\n" and program.returncode == 0


def test_a_call_without_memory_is_a_memory_error():
    with pytest.raises(MemoryError):
        fft.fft(np.lib.stride_tricks.as_strided(np.ones(1, "c16"), (1 << 20, 1 << 26), (0, 0)))


def test_many_calls_keep_memory_and_descriptors():
    n_calls = 1_000_000 if IS_FULL else 20_000
    small, real, out = np.ones(64, "c8"), np.ones((2, 30)), np.empty(64, "c8")

    def call(n):
        for i in range(n // 5):
            fft.fft(small)
            fft.fft(small, out=out)
            fft.rfft(real)
            fft.dct(real, axis=0)
            with pytest.raises(ValueError):
                fft.fft(small, 0)

    call(5000)
    descriptors = len(os.listdir("/proc/self/fd"))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    call(n_calls)
    grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown_kib < 1024
    assert len(os.listdir("/proc/self/fd")) == descriptors


@pytest.mark.parametrize("name, make", [
    ("Plan", lambda: wingbeat.Plan(8)), ("StreamFilter", lambda: wingbeat.signal.StreamFilter([1.0])),
    ("Search", lambda: wingbeat.match.Search(np.ones((4, 4)), (2, 2))),
    ("Channeliser", lambda: wingbeat.channelise.Channeliser(1e6, 16, 4))])
def test_says_what_stays_in_its_process(name, make):
    with pytest.raises(TypeError, match=f"a {name} is of a device of this process and is neither"):
        pickle.dumps(make())


@pytest.mark.parametrize("name", ("torch", "jax"))
def test_says_what_a_module_needs(name):
    assert f"wingbeat.{name} needs {name}, which is not installed" in python(f"""
        import sys
        sys.modules["{name}"] = None
        try:
            import wingbeat.{name}
        except ModuleNotFoundError as absent:
            print(absent)
    """)


def test_imports_quickly_and_nothing_else():
    times = python("""
        import numpy, sys, time
        begin = time.perf_counter()
        import wingbeat.fft
        print(time.perf_counter() - begin)
        loaded = {name.partition(".")[0] for name in sys.modules}
        print(sorted(loaded & {"torch", "jax", "cupy", "scipy", "pyopencl", "numba"}))
    """).splitlines()
    assert times[1] == "[]"
    assert float(times[0]) < 0.5  # a bound for a busy machine; 0.03 s on a quiet one


def test_a_process_may_end_within_scipys_backend():
    pytest.importorskip("scipy.fft")
    assert python("""
        import scipy.fft, wingbeat.scipy
        context = wingbeat.scipy.backend()
        context.__enter__()
        print(scipy.fft.fft([1, 0])[0].real)""") == "1.0\n"
