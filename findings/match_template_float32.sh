#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scikit-image 0.26.0, skimage.feature.match_template of a float32 image whose mean is large beside its
# spread: "coefficients" far above 1, at places where nothing matches, because window sums are kept in
# float32. The template is a part of the image, whose coefficient is 1 where it was cut out.
# Seen: mean 0: 1.0 at (40, 60); mean 1e3: 12; mean 1e4: 106; mean 1e6: 1816, none of them there.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 scikit-image==0.26.0
"$folder/venv/bin/python" - "$folder" <<'end'
import numpy as np
from skimage.feature import match_template

for mean in 0, 1e3, 1e4, 1e6:
    noise = np.random.default_rng(1).standard_normal((128, 128))
    image = (mean + 0.3 * noise).astype(np.float32)
    scores = match_template(image, image[40:56, 60:76])
    place = tuple(int(i) for i in np.unravel_index(scores.argmax(), scores.shape))
    print(f"mean {mean:g}: largest score {scores.max():.4g} at {place}")
    assert (place == (40, 60)) == (mean == 0), "the behaviour changed"
    assert (scores.max() > 1.1) == (mean > 0), "the behaviour changed"
end
