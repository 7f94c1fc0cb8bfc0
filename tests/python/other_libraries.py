# SPDX-License-Identifier: Apache-2.0
"""Arrays of other libraries that are installed here, for tests of functions that take them."""

from typing import Callable, NamedTuple

import numpy as np
import pytest


class Library(NamedTuple):
    """A library's arrays in one place."""

    name: str
    of_numpy: Callable
    to_numpy: Callable


def libraries():
    """Returns those that are here: torch on the processor, torch and CuPy on a GPU."""
    found = []
    try:
        import torch

        def to_numpy(x):
            return x.resolve_conj().cpu().numpy()
        found.append(Library("torch", torch.from_numpy, to_numpy))
        if torch.cuda.is_available():
            found.append(Library("cuda", lambda x: torch.from_numpy(x).cuda(), to_numpy))
    except ImportError:
        pass
    try:
        import cupy
        if cupy.cuda.runtime.getDeviceCount() > 0:
            found.append(Library("cupy", cupy.asarray, cupy.asnumpy))
    except Exception:  # CuPy without a driver raises errors of its own
        pass
    return found


class OnlyDlpack:
    """An array that offers nothing but DLPack."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


#: A parameter of tests; skipped where no library is here.
each_library = pytest.mark.parametrize(
    "library", libraries() or [pytest.param(None, marks=pytest.mark.skip(
        reason="neither torch nor CuPy is installed here"))],
    ids=lambda library: library and library.name)


def assert_same(function, library, arrays, tolerance, **arguments):
    """Compares what a function makes of a library's arrays with what it makes of numpy's."""
    expected = function(*arrays, **arguments)
    given = [library.of_numpy(np.ascontiguousarray(each)) for each in arrays]
    result = function(*given, **arguments)
    assert type(result) is type(given[0])
    if hasattr(result, "is_cuda"):
        assert result.device == given[0].device
    result = library.to_numpy(result)
    assert result.shape == expected.shape
    np.testing.assert_allclose(result, expected, rtol=tolerance,
                               atol=tolerance * np.abs(expected).max(initial=1))
