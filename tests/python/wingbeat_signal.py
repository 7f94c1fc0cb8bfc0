# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest that has SciPy's own tests of convolutions and correlations call wingbeat's:

    pytest -p wingbeat_signal --pyargs scipy.signal.tests.test_signaltools -k "Conv or Correl"

Counts the calls; the run fails where a function was called by none of the tests.
"""

from collections import Counter

import scipy.signal
from scipy._lib import _array_api

from wingbeat import signal

FUNCTIONS = ("fftconvolve", "oaconvolve", "convolve", "correlate", "convolve2d", "correlate2d",
             "choose_conv_method")

# What SciPy does otherwise: see docs/from_scipy.md.
ARTEFACTS = {}

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


def pytest_sessionfinish(session, exitstatus):
    if exitstatus == 0 and any(calls[name] == 0 for name in FUNCTIONS):
        session.exitstatus = 1


def pytest_terminal_summary(terminalreporter):
    counts = ", ".join(f"{name} {calls[name]}" for name in FUNCTIONS)
    terminalreporter.write_line(f"calls of wingbeat.signal: {counts}")
