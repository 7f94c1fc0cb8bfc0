#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long do scores of a template take beside OpenCV's, each called from Python in this process?

    WINGBEAT_THREADS=1 python bench/match_scores.py [METHOD..]

Medians of calls in turns, as many threads for both: $WINGBEAT_THREADS. Prints each case, then the
least and the median of OpenCV's time over ours for each method and type of pixels.
"""

import os
import statistics
import sys
import time

import cv2
import numpy as np

from wingbeat import match

SIZES = [(256, 5), (256, 32), (512, 5), (512, 16), (512, 64), (1024, 5), (1024, 32), (1024, 128),
         (2048, 11), (2048, 64), (2048, 200)]
SECONDS = 0.3


def medians(*calls):
    """Returns the median milliseconds of each of several calls, which take turns."""
    times = [[] for _ in calls]
    for call in calls:
        call()
    end = time.perf_counter() + SECONDS
    while len(times[0]) < 5 or time.perf_counter() < end:
        for call, taken in zip(calls, times):
            begin = time.perf_counter()
            call()
            taken.append(1e3 * (time.perf_counter() - begin))
    return [statistics.median(taken) for taken in times]


def main(methods):
    cv2.setNumThreads(int(os.environ["WINGBEAT_THREADS"]))
    rng = np.random.default_rng(0)
    ratios = {}
    for length, side in SIZES:
        for dtype in ("float32", "uint8"):
            image = (255 * rng.random((length, length))).astype(dtype)
            template = image[3:3 + side, 7:7 + side].copy()
            for method in methods:
                number = getattr(cv2, "TM_" + method.upper())
                peer, own = medians(lambda: cv2.matchTemplate(image, template, number),
                                    lambda: match.match_scores(image, template, method))
                ratios.setdefault((method, dtype), []).append(peer / own)
                print(f"{length:5} {side:4} {dtype:8} {method:14} {peer:9.3f} {own:9.3f} ms  "
                      f"{peer / own:.2f}", flush=True)
    for (method, dtype), found in ratios.items():
        print(f"{method:14} {dtype:8} least {min(found):.2f}, median "
              f"{statistics.median(found):.2f}")


if __name__ == "__main__":
    main(sys.argv[1:] or match.SCORES)
