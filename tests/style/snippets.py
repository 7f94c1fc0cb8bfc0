#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""snippets.py ROOT [PAGE..]: whether the C++ of docs/*.md stands in the files it names.

Every ```cpp block follows a line

    <!-- from PATH -->

and is a cut of that file of the tree, but for the indentation that all its lines share. A line
that holds only `...` parts cuts; they stand in the file in that sequence. Prints one line per
fault and exits with 1 if there is any.
"""

import re
import sys
from pathlib import Path
from textwrap import dedent

COMPILED = {".hpp", ".cpp", ".cu"}
SOURCE_LINE = re.compile(r"^<!-- from (\S+) -->$")


def blocks(lines):
    """Yields (line number, path or None, text lines) of each ```cpp block."""
    source, begin, is_open = None, 0, False
    for number, line in enumerate(lines, 1):
        found = SOURCE_LINE.match(line)
        if is_open and line.startswith("```"):
            yield begin, source, lines[begin:number - 1]
            source, is_open = None, False
        elif not is_open and line.startswith("```cpp"):
            begin, is_open = number, True
        elif not is_open and found:
            source = found.group(1)
        elif not is_open and line.strip():
            source = None  # the name stands right before its block
    if is_open:
        yield begin, source, None


def flush_left(lines):
    """Takes away the indentation that all lines share, and blanks at line ends."""
    return [line.rstrip() for line in dedent("\n".join(lines)).split("\n")]


def cuts(lines):
    """Yields the parts of a block, without the blank lines around them."""
    part = []
    for line in [*lines, "..."]:
        if line.strip() != "...":
            part.append(line)
            continue
        while part and not part[0].strip():
            part.pop(0)
        while part and not part[-1].strip():
            part.pop()
        if part:
            yield flush_left(part)
        part = []


def find(part, text, start):
    """Returns the line behind the first place from `start` on where the part stands, or None."""
    for first in range(start, len(text) - len(part) + 1):
        if flush_left(text[first:first + len(part)]) == part:
            return first + len(part)
    return None


def faults(root, path, lines):
    """Returns what is wrong with one block: None, or a sentence."""
    if lines is None:
        return "a block that never ends"
    if path is None:
        return "a C++ block without a line `<!-- from PATH -->` right before it"
    source = root / path
    if not source.is_file() or source.suffix not in COMPILED:
        return f"{path} is no C++ file of the tree"
    text = source.read_text(encoding="utf-8").split("\n")
    start, parts = 0, list(cuts(lines))
    if not parts:
        return "an empty block"
    for part in parts:
        end = find(part, text, start)
        if end is None:
            behind = f" behind line {start}" if start else ""
            return f"{path} does not hold '{part[0].strip()}' and what follows it{behind}"
        start = end
    return None


def check(root, pages):
    n_blocks = n_faults = 0
    for page in pages:
        for number, path, lines in blocks(page.read_text(encoding="utf-8").split("\n")):
            n_blocks += 1
            fault = faults(root, path, lines)
            if fault:
                print(f"{page.relative_to(root)}:{number}: {fault}")
                n_faults += 1
    print(f"{len(pages)} pages, {n_blocks} snippets, {n_faults} faults")
    return n_blocks > 0 and n_faults == 0


if __name__ == "__main__":
    tree = Path(sys.argv[1]).resolve()
    named = [Path(name).resolve() for name in sys.argv[2:]]
    sys.exit(0 if check(tree, named or sorted((tree / "docs").glob("*.md"))) else 1)
