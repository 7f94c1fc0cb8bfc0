#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mkl_fft 2.3.2, fftn with axes that name one axis twice: axes=(0, -2) of a matrix, which are both the
# first axis, transforms both axes; axes=(0, 0) transforms once. numpy transforms the axis twice
# (which reverses and scales it), SciPy refuses.
# Seen: (0, -2) is fft2, (0, 0) is one fft.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 mkl_fft==2.3.2
"$folder/venv/bin/python" - "$folder" <<'end'
import mkl_fft
import numpy as np

x = np.random.default_rng(0).standard_normal((3, 4)) + 0j
reversed_twice = 3 * x[-np.arange(3) % 3]  # a transform of the transform of the first axis
np.testing.assert_allclose(np.fft.fftn(x, axes=(0, -2)), reversed_twice, atol=1e-14)
np.testing.assert_allclose(np.fft.fftn(x, axes=(0, 0)), reversed_twice, atol=1e-14)
both = np.allclose(mkl_fft.fftn(x, axes=(0, -2)), np.fft.fft2(x))
once = np.allclose(mkl_fft.fftn(x, axes=(0, 0)), np.fft.fft(x, axis=0))
print(f"(0, -2) is {'fft2' if both else 'not fft2'}, (0, 0) is {'one fft' if once else 'not one fft'}")
assert both and once, "the behaviour changed"
end
