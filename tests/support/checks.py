# SPDX-License-Identifier: Apache-2.0
"""The checks of a script, counted, and its end by them."""

import sys

faults = []
n_checked = 0


def check(holds, label):
    global n_checked
    n_checked += 1
    if not holds:
        faults.append(label)
        print("FAULT:", label)


def end(against=""):
    """Says how many checks there were, and leaves with exit code 1 where one failed."""
    print(f"{n_checked} checks{against}, {len(faults)} faults")
    sys.exit(1 if faults else 0)
