#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""evidence.py ROOT: whether pages state figures as the documents of bench/evidence have them.

Each page of bench/evidence is what its document gives; each figure that links to a claim is that
claim's, rounded; and a paragraph that names a measured device beside a time or a ratio links to
bench/evidence or bench/lessons. Prints one line per fault and exits with 1 if there is any.
"""

import importlib.util
import re
import sys
from pathlib import Path

import links

DEVICE = re.compile(r"\b(H100|H200|EPYC|Xeon)\b")
MEASURED = re.compile(r"\d\]?(\([^)]*\))? (us|µs|ms|ns|ps|microseconds|times|of a copy|antennas)\b")
SOURCE = re.compile(r"bench/(evidence|lessons)|\]\(evidence/|\]\(lessons/")
EXEMPT = {"CHANGELOG.md"}  # says what was so at a release


def claims_of(root):
    """Returns the module bench/evidence/evidence.py of a tree."""
    spec = importlib.util.spec_from_file_location("claims", root / "bench/evidence/evidence.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def unsourced(text):
    """Yields the line number of each paragraph that states a measurement and no source."""
    number, block = 1, []
    for at, line in [*enumerate(text.split("\n"), 1), (0, "")]:
        if line.strip():
            number = number if block else at
            block.append(line)
            continue
        paragraph = " ".join(block)
        if DEVICE.search(paragraph) and MEASURED.search(paragraph) \
                and not SOURCE.search(paragraph):
            yield number
        block = []


def check(root):
    pages = [page for page in links.pages_below(root) if page.name not in EXEMPT]
    faults = list(claims_of(root).faults(root, pages))
    for page in pages:
        name = page.relative_to(root)
        if name.parts[0] in ("README.md", "CONTRIBUTING.md", "docs"):
            faults += [f"{name}:{number}: a measured figure without a link to bench/evidence"
                       for number in unsourced(page.read_text("utf-8"))]
    print("\n".join(faults + [f"{len(pages)} pages, {len(faults)} faults"]))
    return bool(pages) and not faults


if __name__ == "__main__":
    sys.exit(0 if check(Path(sys.argv[1]).resolve()) else 1)
