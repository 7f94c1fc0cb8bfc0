#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes scipy.txt: transforms from reals to reals by scipy.fft, in long double.

    python3 -m venv env && env/bin/pip install scipy
    env/bin/python tests/reference/golden/write.py

A line says function, type, length, norm and orthogonalize, the next has the output. Inputs are the
integers that real_axis_test.cpp makes by the same generator.
"""
import pathlib

import numpy as np
import scipy
import scipy.fft

LENGTHS = (1, 2, 3, 8, 9)


def integers(count):
    state, values = 7, []
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2**31
        values.append(state // 65536 % 19 - 9)
    return np.array(values, dtype=np.longdouble)


def cases():
    for name in ("dct", "idct", "dst", "idst"):
        for kind in (1, 2, 3, 4):
            for length in LENGTHS:
                if length == 1 and kind == 1 and name.endswith("dct"):
                    continue
                for norm in ("backward", "ortho", "forward"):
                    for orthogonalize in (False, True):
                        yield name, kind, length, norm, orthogonalize


def main():
    path = pathlib.Path(__file__).parent / "scipy.txt"
    with path.open("w") as out:
        print(f"scipy {scipy.__version__}", file=out)
        for name, kind, length, norm, orthogonalize in cases():
            transform = getattr(scipy.fft, name)
            values = transform(integers(length), type=kind, norm=norm, orthogonalize=orthogonalize)
            print(name, kind, length, norm, int(orthogonalize), file=out)
            print(*(np.format_float_scientific(each, precision=18) for each in values), file=out)


main()
