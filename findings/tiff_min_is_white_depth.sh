#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Pillow 13.0.0 and opencv-python-headless 5.0.0.93, of TIFF images whose 0 is white (MinIsWhite): 8 bits come
# inverted (255 - value), 16 bits as they are stored, though both say the same. tifffile never inverts.
# Seen: 8 bits stored 0 1 2 3: both read 255 254 253 252; 16 bits stored 0 1 2 3: both read 0 1 2 3.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 tifffile==2026.3.3 \
  pillow==13.0.0 opencv-python-headless==5.0.0.93
"$folder/venv/bin/python" - "$folder" <<'end'
import sys

import cv2
import numpy as np
import tifffile
from PIL import Image

for dtype in np.uint8, np.uint16:
    name = f"{sys.argv[1]}/{dtype.__name__}.tif"
    stored = np.arange(4, dtype=dtype).reshape(2, 2)
    tifffile.imwrite(name, stored, photometric="miniswhite")
    assert np.array_equal(tifffile.imread(name), stored), "the behaviour changed"
    expected = 255 - stored if dtype is np.uint8 else stored
    for library, read in ("Pillow", np.array(Image.open(name))), ("OpenCV", cv2.imread(name, cv2.IMREAD_UNCHANGED)):
        print(f"{library}, {dtype.__name__}: stored {stored.ravel()}, read {read.ravel()}")
        assert np.array_equal(read, expected), "the behaviour changed"
end
