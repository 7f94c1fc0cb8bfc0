#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""links.py ROOT: whether every relative link of the Markdown pages below ROOT leads to a file or a
folder below ROOT, and every anchor to a heading of its page; and so of the pages of bench/evidence
and bench/lessons that comments of sources cite, as in bench/lessons/memory.md#the-last-wave.

ROOT is the source tree, or the folder where documentation is installed. Code is not read for links.
Prints one line per fault and exits with 1 if there is any.
"""

import re
import sys
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

EXEMPT = {"build", "demo", "shared", "__pycache__"}  # and hidden folders: no part of the tree
FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
CODE = re.compile(r"(`+)(?:(?!\1).)*?\1")
LINK = re.compile(r"\]\(\s*<?([^()\s<>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
DEFINITION = re.compile(r"^ {0,3}\[[^\]]+\]:\s*<?(\S+?)>?(?:\s|$)")
HTML = re.compile(r"<[a-zA-Z][^>]*\s(?:href|src)=\"([^\"]+)\"")
NAMED = re.compile(r"<[a-zA-Z][^>]*\s(?:id|name)=\"([^\"]+)\"")
CITED = re.compile(r"bench/(?:evidence|lessons)/\w+\.md(?:#[\w-]+)?")
SOURCES = {".hpp", ".cpp", ".cu", ".clcpp", ".py", ".cmake", ".txt", ".sh"}
OUTSIDE = re.compile(r"^([a-zA-Z][a-zA-Z0-9+.-]*:|//)")


def prose(text):
    """Yields (line number, line) of all lines outside of blocks of code."""
    fence = None
    for number, line in enumerate(text.split("\n"), 1):
        found = FENCE.match(line)
        if fence is None and found:
            fence = found.group(1)
        elif fence is None:
            yield number, line
        elif found and found.group(1).startswith(fence) and line.strip() == found.group(1):
            fence = None


def anchors(text):
    """Returns the anchors that viewers of Markdown make of headings, and those given in HTML."""
    result, seen = set(), Counter()
    for _, line in prose(text):
        result.update(NAMED.findall(line))
        if not re.match(r"^#{1,6} ", line):
            continue
        title = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", line.lstrip("#").strip().rstrip("#"))
        anchor = re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
        result.add(f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor)
        seen[anchor] += 1
    return result


def targets(text):
    """Yields (line number, target) of each link that leads to no other site."""
    for number, line in prose(text):
        bare = CODE.sub("", line)
        for pattern in (LINK, DEFINITION, HTML):
            for target in pattern.findall(bare):
                if not OUTSIDE.match(target):
                    yield number, target


def fault_of(root, page, target):
    """Returns what is wrong with a link, or None."""
    path, _, anchor = unquote(target).partition("#")
    place = (page.parent / path).resolve() if path else page
    if root not in (place, *place.parents) or not place.exists():
        return f"the link '{target}' leads to no file below the folder of all pages"
    if anchor and (place.suffix != ".md" or anchor not in anchors(place.read_text("utf-8"))):
        return f"the link '{target}' names an anchor that {place.name} does not have"
    return None


def cited(text):
    """Yields (line number, target) of each page of bench/ that the comments of a source cite."""
    for number, line in enumerate(text.split("\n"), 1):
        for target in CITED.findall(line):
            yield number, target


def files_below(root, suffixes):
    for path in sorted(root.rglob("*")):
        folders = path.relative_to(root).parts[:-1]
        if path.suffix in suffixes and path.is_file() and not any(
                name in EXEMPT or name.startswith(".") for name in folders):
            yield path


def pages_below(root):
    return files_below(root, {".md"})


def check(root):
    found = [(page, page, link) for page in pages_below(root)
             for link in targets(page.read_text("utf-8"))]
    n_pages = sum(1 for _ in pages_below(root))
    found += [(source, root / "README.md", link) for source in files_below(root, SOURCES)
              for link in cited(source.read_text("utf-8"))]
    n_links, n_faults = len(found), 0
    for file, page, (number, target) in found:
        fault = fault_of(root, page, target)
        if fault:
            print(f"{file.relative_to(root)}:{number}: {fault}")
            n_faults += 1
    print(f"{n_pages} pages, {n_links} links, {n_faults} faults")
    return n_links > 0 and n_faults == 0


if __name__ == "__main__":
    sys.exit(0 if check(Path(sys.argv[1]).resolve()) else 1)
