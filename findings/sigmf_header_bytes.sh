#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# sigmf 1.14.0 (the reference reader of SigMF recordings), of a non-conforming dataset whose first
# capture has header_bytes: read_samples skips them once, as the standard has it;
# read_samples_in_capture skips them twice, and so loses samples at the front.
# Seen: read_samples begins 0, 1, 2 with 10 samples; read_samples_in_capture begins 2, 3, 4 with 8.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 SigMF==1.14.0
"$folder/venv/bin/python" - "$folder" <<'end'
import json
import sys
from pathlib import Path

import numpy as np
import sigmf

folder = Path(sys.argv[1])
samples = np.arange(10).astype(np.complex64)
(folder / "recording.bin").write_bytes(b"H" * 16 + samples.tobytes())
(folder / "recording.sigmf-meta").write_text(json.dumps({
    "global": {"core:datatype": "cf32_le", "core:version": "1.0.0", "core:dataset": "recording.bin"},
    "captures": [{"core:sample_start": 0, "core:header_bytes": 16}], "annotations": []}))
recording = sigmf.sigmffile.fromfile(str(folder / "recording.sigmf-meta"))
whole, capture = recording.read_samples(), recording.read_samples_in_capture(0)
for name, read in ("read_samples", whole), ("read_samples_in_capture", capture):
    print(f"{name}: {len(read)} samples, the first {[int(value.real) for value in read[:3]]}")
assert np.array_equal(whole, samples), "the behaviour changed"
assert np.array_equal(capture, samples[2:]), "the behaviour changed"
end
