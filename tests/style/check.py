#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check.py ROOT: how wingbeat is written, as far as a program can tell.

Sizes (header 500 lines, class 200, function 60, test 400, line 100 columns), the SPDX line, include
directions, where compilers may be told apart, names that are no nouns (names.py), and what no file
may hold. Prints one line per fault and exits with 1 if there is any.
"""

import re
import sys
from collections import defaultdict
from functools import lru_cache
from pathlib import Path

import names

FOLDERS = ("include", "src", "apps", "tests", "bench", "examples", "cmake", "docs", "python")
CODE = {".hpp", ".cpp", ".cu", ".cl", ".clcpp", ".h"}
SCRIPTS = {".cmake", ".py", ".sh"}
EXEMPT = {"generated", "build", "results", "__pycache__"}

MAX_HEADER, MAX_CLASS, MAX_FUNCTION, MAX_TEST, MAX_COLUMNS = 500, 200, 60, 400, 100

# A device header includes only what stands on a lower level, or beside it in its own folder.
DEVICE_LEVELS = {"port": 0, "complex": 1, "direction": 1, "index": 1, "factors": 1, "half": 1,
                 "bfloat": 1, "real": 1, "twiddle": 1, "order": 1, "nabla": 1, "scrambled": 1,
                 "atomic": 1, "dither": 1, "words": 1,
                 "thread": 2, "workgroup": 3, "io": 3, "cluster": 4, "grid/numbers": 5, "bodies": 6,
                 "ends": 6, "functors": 7, "grid": 7, "channeliser": 7}

# A folder of src/ includes itself, the headers beside these folders, and the folders named here.
# `backend` is the interface of engines, which none but themselves know. From the bottom up:
# arrays, request, planner, programs, what is made of programs, the applications.
SOURCE_LAYERS = {
    "request": "arrays backend", "arrays": "", "tuning": "",
    "planner": "arrays request tuning",
    "programs": "arrays backend planner request tuning",
    "backend": "arrays planner programs request tuning",
    "backend/host": "arrays backend programs request tuning",
    "backend/opencl": "backend programs", "backend/cuda": "backend programs",
    "reference": "backend channelising programs request",
    "compose": "arrays backend planner programs request tuning",
    "convolving": "arrays backend compose programs request tuning",
    "channelising": "backend compose programs request tuning",
    "distributing": "arrays backend processes programs request", "processes": "",
    "formats": "", "measure": "", "signals": "", "verify": "distributing request", "peers": "backend/cuda request",
    "control": "", "net": "", "spead": "",
    "receive": "channelising net spead", "transmit": "channelising net signals spead",
    "fengine": "channelising control formats net receive transmit",
    "simulation": "control signals transmit",
}

# Classes that were longer when the limit came. Split them and take them off; add none.
LONG_CLASSES = {
    ("include/wingbeat/device/cluster/fft.hpp", "fft"),
    ("include/wingbeat/device/workgroup/fft.hpp", "fft"),
    ("include/wingbeat/device/workgroup/real.hpp", "real_fft"),
    ("src/formats/charts/chart.cpp", "painter"),
}

# `port` translates dialects. The others hold conversions of numbers and wide accesses, for which
# one compiler has an instruction or a type of its own.
DIALECT_FILES = {f"include/wingbeat/device/{name}.hpp"
                 for name in ("port", "atomic", "bfloat", "half", "words", "io/adjacent")}
DIALECT = re.compile(r"\b(__(CUDACC|NVCC|NVCOMPILER|CUDA_ARCH|CUDA_LIBDEVICE|OPENCL|SPIR|clang|GNUC"
                     r"|INTEL|HIP)\w*|_MSC_VER)\b")

# (files whose path matches from its start, may not include what matches, because)
FORBIDDEN = [
    ("include/wingbeat/", rf"({'|'.join(SOURCE_LAYERS)}|support)/", "public headers do not see src/"),
    ("src/", r"(cli|apps|support)/", "the library knows no program"),
    ("apps/cli/(?!main)[^/]+$", r"cli/(commands|reports|peers)/", "commands share it"),
    ("apps/cli/peers/", r"cli/(commands|reports)/", "commands and reports use peers"),
    ("apps/cli/reports/", r"cli/commands/", "commands use reports"),
    ("bench/", r"(apps|cli)/", "bench and programs share what is in src/"),
]

NOT_ANYWHERE = [
    (r"\t", "a tab; indent with spaces"),
    (r"[ \t]+$", "blanks at the end of the line"),
    (r"^\s*#\s*if 0\b", "code switched off; delete it"),
    (r"//.*\b[T]ODO\b(?!.*#\d)", "work left over without an issue number"),
]
BANNED_NAMES = re.compile(r"(^|_)(fast|optimi[sz]ed|new|v2|utils?|helpers?|misc|common)(_|$)")


def sources(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            parts = path.relative_to(root).parts
            if path.is_file() and not EXEMPT.intersection(parts):
                yield path
    yield root / "CMakeLists.txt"


@lru_cache(maxsize=4)
def without_comments(text):
    """Blanks out comments, strings and characters, keeping every line break."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
                         r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])*'", re.S)
    return pattern.sub(lambda found: "\n" * found.group().count("\n"), text)


def functions(text):
    """Yields (line, lines) of each function body: a brace behind ')' that is not control flow."""
    flow = re.compile(r"^\s*(else\s+)?(if|for|while|switch|catch|do|else|try|namespace|class|struct"
                      r"|union|enum|extern)\b")
    depth, line, head, body = 0, 1, "", None
    for token in re.findall(r"[{};\n]|[^{};\n]+", without_comments(text)):
        if token == "{":
            # Blocks inside a function belong to it; only the outermost body is measured.
            if body is None and "(" in head and not flow.match(head.strip()):
                body = (depth, line)
            depth, head = depth + 1, ""
        elif token == "}":
            depth, head = depth - 1, ""
            if body is not None and depth == body[0]:
                yield body[1], line - body[1] + 1
                body = None
        elif token == ";" or (token == "\n" and head.lstrip().startswith("#")):
            head = ""
        else:
            head += token
        line += token == "\n"


def classes(text):
    """Yields (line, lines, name) of each class, struct and union that is defined."""
    blank = without_comments(text)
    head = re.compile(r"\b(?<!enum )(?:class|struct|union)\s+(?:alignas\s*\([^()]*\)\s*)?"
                      r"([A-Za-z_][\w:]*)\s*(?:<[^;{}()]*>)?\s*(?:final\s*)?(?::[^;{}()]*)?\{")
    for found in head.finditer(blank):
        depth, end = 1, found.end()
        while depth > 0 and end < len(blank):
            depth += {"{": 1, "}": -1}.get(blank[end], 0)
            end += 1
        lines = blank.count("\n", found.start(), end) + 1
        yield blank.count("\n", 0, found.start()) + 1, lines, found.group(1)


def sizes(name, text):
    lines = text.splitlines()
    if name.suffix == ".hpp" and len(lines) > MAX_HEADER:
        yield 1, f"a header of {len(lines)} lines; {MAX_HEADER} at most"
    if name.name.endswith("_test.cpp") and len(lines) > MAX_TEST:
        yield 1, f"a test of {len(lines)} lines; {MAX_TEST} at most"
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_COLUMNS:
            yield number, f"{len(line)} columns; {MAX_COLUMNS} at most"
    for number, length in functions(text):
        if length > MAX_FUNCTION:
            yield number, f"a function of {length} lines; {MAX_FUNCTION} at most"
    kept = {entry for file, entry in LONG_CLASSES if file == name.as_posix()}
    for number, length, own in classes(text):
        if length > MAX_CLASS and own not in kept:
            yield number, f"a class of {length} lines, {own}; {MAX_CLASS} at most"
        if length > MAX_CLASS:
            kept.discard(own)
    for own in sorted(kept):
        yield 1, f"{own} is no longer above {MAX_CLASS} lines: take it off LONG_CLASSES"


def device_level(path):
    """Of wingbeat/device/folder/header.hpp: the header's own level, or the folder's."""
    own = path.removeprefix("wingbeat/device/").removesuffix(".hpp")
    return DEVICE_LEVELS.get(own, DEVICE_LEVELS.get(own.split("/")[0]))


def layer_of(path):
    """Returns the folder of src/ that a path lies in, as SOURCE_LAYERS has it; None for none."""
    parts = path.split("/")
    return next((layer for layer in ("/".join(parts[:2]), parts[0])
                 if layer in SOURCE_LAYERS and len(parts) > layer.count("/") + 1), None)


def source_layers(name, text):
    own = layer_of(name.as_posix().removeprefix("src/"))
    if own is None:
        if name.parts[0] == "src" and len(name.parts) > 2:
            yield 1, "a folder that SOURCE_LAYERS does not have yet"
        return
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        target = layer_of(found.group(1)) if found else None
        if target and target != own and target not in SOURCE_LAYERS[own].split():
            yield number, f"includes {found.group(1)}, which {own} does not stand on"


def includes(name, text):
    if name.parts[0] == "src":
        yield from source_layers(name, text)
    own = str(name).removeprefix("include/")
    is_device = own.startswith("wingbeat/device/")
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r'\s*#\s*include\s+(["<])([^">]+)[">]', line)
        if not found:
            continue
        quote, target = found.groups()
        if is_device and not target.startswith("wingbeat/device/"):
            yield number, f"a device header includes {target}; it is freestanding"
        elif is_device and None in (device_level(own), device_level(target)):
            yield number, f"{target}: a folder that tests/style/check.py gives no level yet"
        elif is_device and device_level(target) > device_level(own):
            yield number, f"includes {target}, which stands above it"
        for under, pattern, why in FORBIDDEN:
            if quote == '"' and re.match(under, name.as_posix()) and re.match(pattern, target):
                yield number, f"includes {target}: {why}"


def dialects(name, text):
    if name.as_posix() in DIALECT_FILES:
        return
    for number, line in enumerate(text.splitlines(), 1):
        if found := DIALECT.search(line):
            yield number, f"tells compilers apart by {found.group()}; device/port.hpp does that"


def contents(name, text):
    lines = text.splitlines()
    head = lines[1:2] if lines[:1] and lines[0].startswith("#!") else lines[:1]
    if not head or "SPDX-License-Identifier: Apache-2.0" not in head[0]:
        yield 1, "the first line is not the SPDX line"
    if name.suffix == ".hpp" and "#pragma once" not in lines:
        yield 1, "a header without #pragma once"
    if BANNED_NAMES.search(name.stem):
        yield 1, f"the name '{name.stem}' says nothing; name the noun or the algorithm"
    for pattern, fault in NOT_ANYWHERE:
        for number, line in enumerate(lines, 1):
            if re.search(pattern, line):
                yield number, fault


class Names:
    """Counts the names in each folder that names.py refuses."""

    def __init__(self):
        self.found = defaultdict(list)

    def add(self, name, text):
        code = without_comments(text)
        for offset, word in names.refused_names(code):
            place = f"{name}:{code.count(chr(10), 0, offset) + 1}: {word}"
            self.found[names.folder_of(name.as_posix())].append(place)

    def faults(self):
        for folder, places in sorted(self.found.items()):
            allowed = names.ALLOWED.get(folder, 0)
            if len(places) > allowed:
                yield (f"{folder}: {len(places)} names that are pronouns or prepositions; "
                       f"{allowed} at most. They are:\n  " + "\n  ".join(places))
            elif len(places) < allowed:
                print(f"{folder}: lower ALLOWED in names.py from {allowed} to {len(places)}")


def check(root):
    n_files = n_faults = 0
    counted = Names()
    for path in sources(root):
        name = path.relative_to(root)
        is_code = path.suffix in CODE
        if not (is_code or path.suffix in SCRIPTS or path.name == "CMakeLists.txt"):
            continue
        n_files += 1
        text = path.read_text(encoding="utf-8")
        rules = (contents, sizes, includes, dialects) if is_code else (contents,)
        for rule in rules:
            for number, fault in rule(name, text):
                print(f"{name}:{number}: {fault}")
                n_faults += 1
        if is_code:
            counted.add(name, text)
    for fault in counted.faults():
        print(fault)
        n_faults += 1
    print(f"{n_files} files, {n_faults} faults")
    return n_files > 0 and n_faults == 0


if __name__ == "__main__":
    sys.exit(0 if check(Path(sys.argv[1]).resolve()) else 1)
