#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check.py ROOT: how wingbeat is written, as far as a program can tell.

Sizes (header 500 lines, class 200, function 60, test 400, line 100 columns), the SPDX line, include
directions, where compilers may be told apart, and what no file may hold. Prints one line per fault
and exits with 1 if there is any.
"""

import re
import sys
from pathlib import Path

FOLDERS = ("include", "src", "apps", "tests", "bench", "examples", "cmake", "docs", "python")
CODE = {".hpp", ".cpp", ".cu", ".cl", ".clcpp", ".h"}
SCRIPTS = {".cmake", ".py", ".sh"}
EXEMPT = {"generated", "build", "results", "__pycache__"}

MAX_HEADER, MAX_CLASS, MAX_FUNCTION, MAX_TEST, MAX_COLUMNS = 500, 200, 60, 400, 100

# A device header includes only what stands on a lower level, or beside it in its own folder.
DEVICE_LEVELS = {"port": 0, "complex": 1, "direction": 1, "index": 1, "factors": 1, "half": 1,
                 "bfloat": 1, "real": 1, "twiddle": 1, "order": 1, "nabla": 1, "scrambled": 1,
                 "atomic": 1, "dither": 1,
                 "thread": 2, "workgroup": 3, "io": 3, "cluster": 4, "grid/numbers": 5, "bodies": 6,
                 "ends": 6, "grid": 7, "convolution": 7, "channeliser": 7}

# Classes that were longer when the limit came. Split them and take them off; add none.
LONG_CLASSES = {
    ("include/wingbeat/device/cluster/fft.hpp", "fft"),
    ("include/wingbeat/device/workgroup/fft.hpp", "fft"),
    ("include/wingbeat/device/workgroup/real.hpp", "real_fft"),
    ("src/formats/chart.cpp", "painter"),
}

# `port` translates dialects. The others hold conversions of numbers and wide accesses, for which
# one compiler has an instruction or a type of its own.
DIALECT_FILES = {f"include/wingbeat/device/{name}.hpp"
                 for name in ("port", "atomic", "bfloat", "half", "io/adjacent")}
DIALECT = re.compile(r"\b(__(CUDACC|NVCC|NVCOMPILER|CUDA_ARCH|CUDA_LIBDEVICE|OPENCL|SPIR|clang|GNUC"
                     r"|INTEL|HIP)\w*|_MSC_VER)\b")

# (files whose path matches from its start, may not include what matches, because)
FORBIDDEN = [
    ("include/wingbeat/",
     r"(arrays|backend|channelising|planner|tuning|reference|formats|verify|measure|peers|support)/",
     "public headers do not see src/"),
    ("src/channelising/",
     r"(arrays|backend/(?!backend\.hpp)|planner|tuning|reference|formats|verify)",
     "the channeliser knows engines by their interface alone"),
    ("src/arrays/", r"(planner|tuning|backend|reference|formats|verify)/",
     "arrays know neither passes nor engines"),
    ("src/planner/", r"(backend|reference|formats)/", "planning knows no engine"),
    ("src/tuning/", r"(backend|reference|formats)/", "tuning is data"),
    ("src/backend/", r"(convolution|channelis\w+|formats|verify)/", "engines know no application"),
    ("src/backend/host/", r"backend/(opencl|cuda)/", "engines do not know each other"),
    ("src/backend/opencl/", r"backend/(host|cuda)/", "engines do not know each other"),
    ("src/backend/cuda/", r"backend/(host|opencl)/", "engines do not know each other"),
    ("src/backend/host/", r"(planner|tuning)/", "the host engine plans by arrays alone"),
    ("src/reference/", r"backend/(host|opencl|cuda|kernels)/", "the oracle stands alone"),
    ("src/reference/", r"(arrays|planner|tuning)/", "the oracle stands alone"),
    ("src/control/",
     r"(arrays|backend/|channelising|convolving|planner|tuning|reference|formats"
     r"|verify|measure|peers|spead|net|receive|transmit)/",
     "control knows no engine and no pipeline"),
    ("src/measure/", r"(backend|planner|tuning|reference|formats|verify|peers)/",
     "measuring uses the public API alone"),
    ("src/spead/", r"(arrays|backend|planner|tuning|reference|formats|verify|net|receive|transmit)/",
     "the protocol knows no sockets"),
    ("src/net/", r"(arrays|backend|planner|tuning|reference|formats|verify|spead|receive|transmit)/",
     "the network knows no protocol above UDP"),
    ("src/receive/", r"(arrays|backend|planner|tuning|reference|formats|verify|transmit)/",
     "receiving uses the network and the protocol alone"),
    ("src/transmit/", r"(arrays|backend|planner|tuning|reference|formats|verify|receive)/",
     "sending uses the network and the protocol alone"),
    ("src/(?!spead|net|receive|transmit|simulation|fengine)",
     r"(spead|net|receive|transmit)/",
     "no transform needs a network"),
    ("src/(?!measure|peers)", r"(measure|peers)/", "no transform needs to be timed or compared"),
    ("src/(?!fengine)", r"fengine/", "the engine stands above all other parts"),
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
    for character in without_comments(text):
        if character == "\n":
            line += 1
        if character == "{":
            # Blocks inside a function belong to it; only the outermost body is measured.
            if body is None and "(" in head and not flow.match(head.strip()):
                body = (depth, line)
            depth, head = depth + 1, ""
        elif character == "}":
            depth, head = depth - 1, ""
            if body is not None and depth == body[0]:
                yield body[1], line - body[1] + 1
                body = None
        elif character == ";":
            head = ""
        elif not (character == "\n" and head.lstrip().startswith("#")):
            head += character
        else:
            head = ""


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


def includes(name, text):
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


def check(root):
    n_files = n_faults = 0
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
    print(f"{n_files} files, {n_faults} faults")
    return n_files > 0 and n_faults == 0


if __name__ == "__main__":
    sys.exit(0 if check(Path(sys.argv[1]).resolve()) else 1)
