#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SciPy 1.17.1, scipy.signal.correlation_lags(.., mode="same"): its lags are one above those of
# correlate(.., mode="same") wherever the first array is odd and the second even; right elsewhere.
# Seen: 36 of 144 pairs of lengths up to 12, all of them (odd, even).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scipy==1.17.1
"$folder/venv/bin/python" - "$folder" <<'end'
import numpy as np
from scipy.signal import correlate, correlation_lags

wrong = []
for n in range(1, 13):
    for m in range(1, 13):
        a, b = np.arange(1.0, n + 1), np.arange(1.0, m + 1) ** 2
        full, same = correlate(a, b, "full"), correlate(a, b, "same")
        begin = next(k for k in range(m) if np.allclose(full[k:k + n], same))
        lags = correlation_lags(n, m, "full")[begin:begin + n]
        if not np.array_equal(correlation_lags(n, m, "same"), lags):
            wrong.append((n % 2, m % 2))
print(f"{len(wrong)} of 144 pairs; of parities {sorted(set(wrong))}")
assert wrong == [(1, 0)] * 36, "the behaviour changed"
end
