#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SciPy 1.18.1, scipy.fft on x86-64: the transform of a row in a batch has other bits than that of the
# row alone, since the library below it became DUCC, which puts rows into SIMD lanes. SciPy 1.17.1 and
# numpy give a row the same bits in both. Needs Python 3.12 or later.
# Seen, complex64, rows with equal bits of 16: n = 1000, 1024, 4096: none; numpy 2.5.5: all.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3.13 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check numpy==2.5.5 scipy==1.18.1
"$folder/venv/bin/python" - "$folder" <<'end'
import numpy as np
import scipy.fft

noise = np.random.default_rng(0).standard_normal
for n in 1000, 1024, 4096:
    x = (noise((16, n)) + 1j * noise((16, n))).astype(np.complex64)
    equal = [sum(np.array_equal(row, fft(one)) for row, one in zip(fft(x), x))
             for fft in (scipy.fft.fft, np.fft.fft)]
    print(f"n = {n}, rows with equal bits, of 16: scipy {equal[0]}, numpy {equal[1]}")
    np.testing.assert_allclose(scipy.fft.fft(x), np.fft.fft(x), atol=1e-3)
    assert equal[0] < 16 and equal[1] == 16, "the behaviour changed"
end
