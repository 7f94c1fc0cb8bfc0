# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest that has SciPy's own tests of convolutions, correlations and spectra call
wingbeat's:

    pytest -p wingbeat_signal --pyargs scipy.signal.tests.test_signaltools -k "Conv or Correl"
    pytest -p wingbeat_signal --pyargs scipy.signal.tests.test_spectral

Counts the calls; the run fails where a function was called by none of the tests of its file.
"""

from collections import Counter

import scipy.signal
from scipy._lib import _array_api

from wingbeat import _suite, signal

FILES = {"test_signaltools.py": ("fftconvolve", "oaconvolve", "convolve", "correlate", "convolve2d",
                                 "correlate2d", "choose_conv_method"),
         "test_spectral.py": ("stft", "istft", "spectrogram", "welch", "periodogram", "csd",
                              "coherence")}
FUNCTIONS = sum(FILES.values(), ())

# Tests that compare two computations of one number more closely than its rounding.
ARTEFACTS = {
    "TestPeriodogram::test_window_external":
        "compares powers of 1e-34, where the mean was removed, under windows of two sources",
    "TestSTFT::test_roundtrip_nola_not_cola":
        "compares samples of squared weights near 1e-8 within 2e-15",
    "TestSTFT::test_roundtrip_float32": "compares float32 samples of 20 with doubles within 2e-6",
    "TestSTFT::test_roundtrip_scaling": "expects the exact zeros of SciPy's own transforms",
}

calls = Counter()


def counted(name):
    function = getattr(signal, name)

    def call(*args, **kwargs):
        calls[name] += 1
        return function(*args, **kwargs)

    call.__name__ = name
    return call


def pytest_configure(config):
    for name in FUNCTIONS:
        original, function = getattr(scipy.signal, name), counted(name)
        table = _array_api.xp_capabilities_table
        if original in table:
            table[function] = table[original]
        setattr(scipy.signal, name, function)


def pytest_collection_modifyitems(items):
    _suite.mark(items, ARTEFACTS)


def pytest_sessionfinish(session, exitstatus):
    expected = {name for file in {item.path.name for item in session.items} & {*FILES}
                for name in FILES[file]}
    if exitstatus == 0 and any(calls[name] == 0 for name in expected):
        session.exitstatus = 1


def pytest_terminal_summary(terminalreporter):
    counts = ", ".join(f"{name} {calls[name]}" for name in FUNCTIONS)
    terminalreporter.write_line(f"calls of wingbeat.signal: {counts}")
