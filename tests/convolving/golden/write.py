#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what scipy.signal and scikit-image make of known signals, for golden_test.cpp:

    python3 -m venv golden && golden/bin/pip install scipy scikit-image
    golden/bin/python tests/convolving/golden/write.py

Inputs are integers that the test makes by the same formula, so that scipy's results are integers.
"""
import itertools
import pathlib

import numpy
import scipy
import scipy.signal
import skimage
import skimage.feature

FOLDER = pathlib.Path(__file__).parent


def integers(count, seed):
    """Returns integers from -9 to 9."""
    state, values = seed, []
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2**31
        values.append(state // 65536 % 19 - 9)
    return numpy.array(values, dtype=numpy.float64)


def signal(lengths, seed):
    return integers(int(numpy.prod(lengths)), seed).reshape(lengths)


def text_of(lengths):
    return "x".join(str(length) for length in lengths)


def write_scipy():
    pairs = [((9,), (4,)), ((8,), (5,)), ((11,), (6,)), ((10,), (3,)), ((7,), (1,)), ((4,), (7,)),
             ((5,), (8,)), ((6, 7), (3, 2)), ((5, 8), (4, 3)), ((7, 6), (3, 3)), ((4, 6), (2, 4)),
             ((3, 4), (5, 6)), ((4, 5, 3), (2, 3, 2))]
    lines = [f"scipy {scipy.__version__}"]
    for (image, kernel), name, mode in itertools.product(pairs, ("convolve", "correlate"),
                                                         ("full", "same", "valid")):
        if mode == "valid" and any(h > n for n, h in zip(image, kernel)):
            continue  # scipy exchanges the two
        function = getattr(scipy.signal, name)
        f, t = signal(image, 1), signal(kernel, 2)
        result = function(f, t, mode, method="direct")
        assert numpy.array_equal(result, numpy.rint(function(f, t, mode, method="fft")))
        values = " ".join(str(int(value)) for value in result.ravel())
        lines.append(f"{name} {mode} {text_of(image)} {text_of(kernel)} {text_of(result.shape)}")
        lines.append(values)
    (FOLDER / "scipy.txt").write_text("\n".join(lines) + "\n")


def write_match_template():
    lines = [f"scikit-image {skimage.__version__}"]
    pairs = [((14, 17), (4, 5)), ((13, 12), (3, 3)), ((9, 11), (2, 7)), ((10, 8), (10, 7)),
             ((9, 9), (5, 1))]
    for (image, template), pad, offset in itertools.product(pairs, (False, True), (0, 10000)):
        f, t = signal(image, 3) + offset, signal(template, 4) + 100
        f[:5, :6] = offset + 2  # some windows are constant
        scores = skimage.feature.match_template(f, t, pad_input=pad)
        values = " ".join(f"{value:.8f}" for value in scores.ravel())
        lines.append(f"{'same' if pad else 'valid'} {text_of(image)} {text_of(template)} {offset}")
        lines.append(values)
    (FOLDER / "match_template.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    write_scipy()
    write_match_template()
