# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest that has scikit-image's own tests run on wingbeat, unchanged:

    pytest -p wingbeat_skimage --pyargs skimage.feature skimage.registration skimage.restoration

Wheels up to 0.25 have the tests. Those that would download an image are skipped, as scikit-image
does without pooch.
"""

import skimage.data._fetchers

from wingbeat._suite import *  # noqa: F401,F403: its hooks are this plugin's

skimage.data._fetchers._image_fetcher = None
