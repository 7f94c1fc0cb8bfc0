# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin that runs the unchanged test suites of SciPy and numpy on wingbeat:

    pytest -p wingbeat._suite --pyargs scipy.fft.tests numpy.fft

Counts the transforms that wingbeat made, and those that it left to SciPy with the reason. The run
fails if wingbeat declined anything but long double, `fht` and traced arrays.
"""

from collections import Counter

import scipy.fft

import wingbeat.numpy
import wingbeat.scipy

# Tests that compare exact zeros of two engines, with a tolerance of 0 or nearly 0.
ARTEFACTS = {
    "test_multiprocess[irfft]": "its processes load no plugin, so that two engines are compared",
    "test_non_standard_params[": "SCIPY_ARRAY_API: wingbeat takes workers for arrays of others too",
    "TestConvolve::test_convolve_method[numpy]":
        "allows zeros an error of 1e-6 where other sums are near 10, which fp32 passes by chance",
    "TestSTFT::test_roundtrip_scaling": "expects the exact zeros of SciPy's own transforms",
}

EXPECTED = ("long double", "fht", "ifht", "traced")

done, declined = Counter(), Counter()


class CountingBackend(wingbeat.scipy.Backend):
    """`wingbeat.scipy` with counters."""

    @staticmethod
    def __ua_function__(method, args, kwargs):
        result = wingbeat.scipy.Backend.__ua_function__(method, args, kwargs)
        if result is NotImplemented:
            x = args[0] if args else kwargs.get("x")
            declined[wingbeat.scipy.reason_to_decline(method.__name__, x)] += 1
        else:
            done[method.__name__] += 1
        return result


def pytest_configure(config):
    scipy.fft.register_backend("scipy")
    scipy.fft.set_global_backend(CountingBackend)
    wingbeat.numpy.patch()


def mark(items, artefacts):
    """Allows tests to fail whose names, or prefixes up to "[", have a reason in `artefacts`."""
    import pytest
    for item in items:
        for name, reason in artefacts.items():
            if item.nodeid.endswith(name) or (name.endswith("[") and name in item.nodeid):
                item.add_marker(pytest.mark.xfail(reason=reason, strict=False))


def pytest_collection_modifyitems(items):
    mark(items, ARTEFACTS)


def unexpected():
    """Returns the counts of calls that wingbeat declined but should have taken."""
    return {name: n for name, n in declined.items() if name not in EXPECTED}


def pytest_sessionfinish(session, exitstatus):
    if unexpected() and exitstatus == 0:
        session.exitstatus = 1


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(
        f"wingbeat did {sum(done.values())} transforms of {len(done)} functions and left "
        f"{dict(declined)} to SciPy" + (f"; {unexpected()} it should have done" if unexpected()
                                        else ""))
