# SPDX-License-Identifier: Apache-2.0
"""wingbeat.numpy beside numpy.fft: dtypes of results. numpy's own suite runs beside; see .ci/python."""

import numpy as np
import pytest

import wingbeat.numpy

ROWS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SOLIDS = ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn")


@pytest.mark.parametrize("dtype", ("f2", "f4", "f8", "c8", "c16", "i4", "?"))
@pytest.mark.parametrize("name,options", (
    *((name, {}) for name in ROWS + SOLIDS), ("irfftn", {"axes": (0,)}), ("rfftn", {"axes": (0,)})))
def test_results_have_numpys_dtypes(name, options, dtype):
    x = np.arange(24).reshape(4, 6).astype(dtype)
    if name in ("rfft", "ihfft", "rfft2", "rfftn") and x.dtype.kind == "c":
        pytest.skip("takes real numbers")
    ours, wanted = getattr(wingbeat.numpy, name), getattr(np.fft, name)
    result, expected = ours(x, **options), wanted(x, **options)
    assert result.dtype == expected.dtype
    bound = 2e-3 if expected.dtype == np.float16 or dtype == "f2" else 1e-5
    np.testing.assert_allclose(result, expected, rtol=0, atol=bound * np.abs(expected).max())
    out = np.empty_like(expected)
    assert ours(x, **options, out=out) is out
    np.testing.assert_array_equal(out, result)
