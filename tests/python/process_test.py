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
        code = ("try:\\n import wingbeat\\n"
                "except ImportError as refused:\\n print('ImportError', refused)")
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
    ("Plan", lambda: wingbeat.Plan(8)),
    ("StreamFilter", lambda: wingbeat.signal.StreamFilter([1.0])),
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


def test_a_process_may_end_while_daemon_threads_transform():
    for _ in range(5):
        assert python("""
            import threading, time
            import numpy as np
            from wingbeat import fft, signal
            x = np.ones((64, 4096))
            started = threading.Barrier(4)

            def work():
                fft.fft(x)
                started.wait()
                while True:
                    fft.fft(x)
                    signal.fftconvolve(x[0], x[1])

            for _ in range(3):
                threading.Thread(target=work, daemon=True).start()
            started.wait()
            time.sleep(0.05)
            print("end")""") == "end\n"


def test_a_process_may_end_while_daemon_threads_run_on_opencl():
    if wingbeat.why_absent(wingbeat.Engine.opencl):
        pytest.skip(wingbeat.why_absent(wingbeat.Engine.opencl))
    for _ in range(3):
        assert python("""
            import threading, time
            import numpy as np
            from wingbeat import match
            x = np.random.default_rng(0).standard_normal((64, 64))

            def search():
                match.Search(x, (4, 4), device="opencl").add(x[None, :4, :4]).peaks(1)

            def work():
                while True:
                    search()

            search()
            for _ in range(2):
                threading.Thread(target=work, daemon=True).start()
            time.sleep(0.2)
            print("end")""") == "end\n"


def test_a_child_may_end_that_was_forked_while_threads_transform():
    assert python("""
        import os, threading
        import numpy as np
        from wingbeat import fft
        x = np.ones((64, 4096))
        threading.Thread(target=lambda: [fft.fft(x) for _ in range(100000)], daemon=True).start()
        for _ in range(20):
            child = os.fork()
            if child == 0:
                raise SystemExit(0)  # through atexit
            assert os.waitpid(child, 0)[1] == 0
        print("end")""") == "end\n"


#: Three threads run calls of more shapes than caches keep; `calls` of one number give one result.
BUSY_THREADS = """
import itertools, multiprocessing, os, signal, threading
import numpy as np
import wingbeat
from wingbeat import fft, match, signal as convolving
x, taps = np.random.default_rng(5).standard_normal((2, 2, 600))

def calls(n):
    part, few = x[:, :500 + n], taps[:, :9]
    return [fft.fft(part), fft.dct(part), convolving.fftconvolve(part, few),
            convolving.oaconvolve(part, few), match.match_scores(part, few, "ccorr")]

expected = [calls(n) for n in range(40)]

def differs(n):
    signal.alarm(60)  # ends a child that waits for ever
    return not all(map(np.array_equal, calls(n), expected[n]))

def work():
    for n in itertools.cycle(range(40)):
        calls(n)

for _ in range(3):
    threading.Thread(target=work, daemon=True).start()

def in_children(run, count):
    for n in range(count):
        child = os.fork()
        if child == 0:
            try:
                os._exit(run(n))
            finally:
                os._exit(9)
        assert os.waitpid(child, 0)[1] == 0, n
"""


def test_children_forked_while_threads_call_do_not_wait_for_them():
    assert python(BUSY_THREADS + """
in_children(differs, 40)
for n in range(4):
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert not any(pool.map(differs, range(10 * n, 10 * n + 10)))
print("end")""") == "end\n"


def test_children_forked_while_threads_run_on_opencl_are_refused():
    if wingbeat.why_absent(wingbeat.Engine.opencl):
        pytest.skip(wingbeat.why_absent(wingbeat.Engine.opencl))
    assert python(BUSY_THREADS + """
def search(n):
    found = match.Search(x[:, :64 + n % 3], (2, 4), device="opencl")
    found.add(taps[None, :, :4])
    return found.peaks(1)

def search_for_ever():
    while True:
        search(0)

search(0)
threading.Thread(target=search_for_ever, daemon=True).start()

def refused(n):
    if differs(n):
        return 1
    try:
        search(n)
    except RuntimeError as sentence:
        return 0 if "forked child" in str(sentence) else 2
    return 3

in_children(refused, 20)
print("end")""") == "end\n"
