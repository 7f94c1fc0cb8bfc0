#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Pillow 13.0.0, of a TIFF image of signed bytes (SampleFormat 2, 8 bits, as difference images and
# microscopes have): it reads them as unsigned, -5 as 251, without a warning; 16 bits keep their sign.
# OpenCV and tifffile keep both.
# Seen: int8 stored -5 -1 0 5: Pillow 251 255 0 5; int16: -5 -1 0 5.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 tifffile==2026.3.3 \
  pillow==13.0.0 opencv-python-headless==5.0.0.93
"$folder/venv/bin/python" - "$folder" <<'end'
import sys
import warnings

import cv2
import numpy as np
import tifffile
from PIL import Image

warnings.simplefilter("error")
for dtype in np.int8, np.int16:
    name = f"{sys.argv[1]}/{dtype.__name__}.tif"
    stored = np.array([[-5, -1], [0, 5]], dtype)
    tifffile.imwrite(name, stored)
    read = np.array(Image.open(name))
    print(f"{dtype.__name__} stored {stored.ravel()}: Pillow {read.ravel()}")
    assert np.array_equal(tifffile.imread(name), stored), "the behaviour changed"
    assert np.array_equal(cv2.imread(name, cv2.IMREAD_UNCHANGED), stored), "the behaviour changed"
    expected = stored.view(np.uint8) if dtype is np.int8 else stored
    assert np.array_equal(read, expected), "the behaviour changed"
end
