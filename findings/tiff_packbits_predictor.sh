#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tifffile 2026.3.3 writes PackBits with Predictor 2 where it is asked to, and undoes the differences
# when it reads; Pillow 13.0.0 ignores the predictor of that compression and returns the differences.
# With LZW both return the image. Neither warns.
# Seen: Pillow has 1 of 60 columns right of PackBits, all of LZW; tifffile all of both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 tifffile==2026.3.3 \
  imagecodecs==2026.3.6 pillow==13.0.0
"$folder/venv/bin/python" - "$folder" <<'end'
import sys

import numpy as np
import tifffile
from PIL import Image

image = np.arange(40 * 60, dtype=np.uint8).reshape(40, 60) // 3 + 1
right = {}
for method in ("packbits", "lzw"):
    name = f"{sys.argv[1]}/{method}.tif"
    tifffile.imwrite(name, image, compression=method, predictor=2)
    for library, read in (("tifffile", tifffile.imread(name)), ("Pillow", Image.open(name))):
        same = (np.asarray(read) == image).all(axis=0)
        right[method, library] = int(same.sum())
print(right)
assert right == {("packbits", "tifffile"): 60, ("packbits", "Pillow"): 1,
                 ("lzw", "tifffile"): 60, ("lzw", "Pillow"): 60}, "the behaviour changed"
end
