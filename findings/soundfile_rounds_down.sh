#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# soundfile 0.14.0 (libsndfile 1.2.2, whose clipping it turns on): floating-point samples written as
# 16 or 24 bits are rounded down in WAV, AIFF and W64, and to the nearest integer in FLAC. So one signal has
# other samples in each, and those of WAV have an offset of half a step, a line at 0 Hz.
# Seen: mean error in steps, of 16 and of 24 bits: WAV -0.50, AIFF -0.50, W64 -0.50, FLAC +0.00.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 soundfile==0.14.0
"$folder/venv/bin/python" - "$folder" <<'end'
import sys

import numpy as np
import soundfile

samples = np.random.default_rng(1).uniform(-0.9, 0.9, 200000)
for bits in 16, 24:
    for kind in "WAV", "AIFF", "W64", "FLAC":
        name = f"{sys.argv[1]}/samples.{kind.lower()}"
        soundfile.write(name, samples, 48000, format=kind, subtype=f"PCM_{bits}")
        steps = soundfile.read(name, dtype="int32")[0] >> (32 - bits)
        # libsndfile's full scale is 2^(bits-1) or one less; the offset is the same with both.
        error = steps - samples * 2.0 ** (bits - 1)
        print(f"PCM_{bits} {kind}: mean error {error.mean():+.2f} steps")
        expected = 0 if kind == "FLAC" else -0.5
        assert abs(error.mean() - expected) < 0.01, "the behaviour changed"
end
