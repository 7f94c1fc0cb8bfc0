#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check.py ROOT: how wingbeat is written, as far as a program can tell.

Sizes (header 500 lines, class 200, function 60, test 400, line 100 columns), the SPDX line, include
directions, where compilers may be told apart, names that are no nouns (names.py), and what no file
may hold; of Python lines, functions, modules, names, and what each module of the package imports.
Prints one line per fault and exits with 1 if there is any.
"""

import ast
import re
import sys
from collections import defaultdict
from functools import lru_cache
from pathlib import Path

import names

FOLDERS = ("include", "src", "apps", "telescope", "tests", "bench", "examples", "cmake", "docs",
           "python")
CODE = {".hpp", ".cpp", ".cu", ".cl", ".clcpp", ".h"}
SCRIPTS = {".cmake", ".py", ".sh"}
EXEMPT = {"generated", "build", "__pycache__"}

MAX_HEADER, MAX_CLASS, MAX_FUNCTION, MAX_TEST, MAX_COLUMNS = 500, 200, 60, 400, 100

# A device header includes only what stands on a lower level, or beside it in its own folder.
DEVICE_LEVELS = {"port": 0, "complex": 1, "direction": 1, "index": 1, "factors": 1, "half": 1,
                 "bfloat": 1, "real": 1, "twiddle": 1, "order": 1, "nabla": 1, "scrambled": 1,
                 "atomic": 1, "dither": 1, "words": 1,
                 "thread": 2, "workgroup": 3, "io": 3, "cluster": 4, "grid/numbers": 5, "bodies": 6,
                 "ends": 6, "functors": 7, "grid": 7, "channeliser": 7, "tensor": 8}

# A folder of src/ includes itself, these two, which all programs need, and the folders named here.
# From the bottom up: what programs are made from, the planner, programs, what is made of programs,
# the applications. No folders include each other, but that `backend` has the interface of engines
# beside what these share.
BASE_LAYERS = ("text", "system")
SOURCE_LAYERS = {
    "text": "", "system": "", "arrays": "", "tuning": "", "roots": "",
    "request": "arrays backend tuning",
    "planner": "arrays request roots tuning",
    "kernel_text": "planner request", "functors": "kernel_text",
    "programs": "arrays backend functors kernel_text planner request roots tuning",
    "backend": "arrays planner programs request tuning",
    "backend/host": "arrays backend functors programs request roots tuning",
    "backend/opencl": "backend programs", "backend/cuda": "backend programs",
    "reference": "backend channelising functors programs request",
    "views": "arrays backend request",
    "operations": "arrays backend programs views",
    "api": "arrays backend operations programs request views",
    "convolving": "arrays backend functors kernel_text operations programs request tuning views",
    "short_time": "arrays backend functors kernel_text operations planner programs request tuning "
                  "views",
    "searching": "arrays convolving formats", "microscopy": "searching",
    "channelising": "arrays backend kernel_text programs request tuning",
    "distributing": "arrays backend functors kernel_text processes programs request views",
    "processes": "", "formats": "", "measure": "", "signals": "",
    "verify": "arrays distributing reference request",
    "peers": "backend/cuda request",
}
# The folders of telescope/, which nothing in src/ or apps/ includes; `cli` stands on that of apps/.
TELESCOPE_LAYERS = {
    "control": "", "net": "formats", "spead": "",
    "receive": "channelising net spead", "transmit": "channelising net signals spead",
    "fengine": "channelising control formats net receive transmit",
    "simulation": "control signals transmit",
    "cli": "backend channelising control fengine formats measure net receive request signals "
           "simulation spead transmit",
}

LAYERS = SOURCE_LAYERS | TELESCOPE_LAYERS

# The modules of the Python package from the bottom up: bindings, arguments, arrays, plans,
# functions, what puts them in other libraries' places, programs. A module imports what stands
# before it. Of libraries none imports another.
PYTHON_ORDER = ("_wingbeat _arguments _types _device _kinds _arrays _gpu_arrays _opencl_arrays "
                "_foreign_arrays _adjoints sides plan plan_cache _transform _calls fft _sums "
                "_short_rows _frames short_time _spectral _signal_spectra _long_rows _modes "
                "_projections signal search microscopy orientation_search match image channelise "
                "numpy scipy torch _jax_short_time jax compat "
                "__init__ _suite _bench __main__").split()
PYTHON_LIBRARIES = {"numpy", "scipy", "torch", "jax", "compat"}
MAX_MODULE = 500

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
                 for name in ("port", "atomic", "bfloat", "half", "words", "io/adjacent",
                              "tensor/matrix_product")}
DIALECT = re.compile(r"\b(__(CUDACC|NVCC|NVCOMPILER|CUDA_ARCH|CUDA_LIBDEVICE|OPENCL|SPIR|clang|GNUC"
                     r"|INTEL|HIP)\w*|_MSC_VER)\b")

# (files whose path matches from its start, may not include what matches, because)
FORBIDDEN = [
    ("include/wingbeat/", rf"({'|'.join(LAYERS)}|support)/", "public headers do not see "
                                                                    "src/"),
    ("src/", r"(apps|support)/", "the library knows no program"),
    ("apps/", rf"({'|'.join(set(TELESCOPE_LAYERS) - {'cli'})})/", "telescope/ is above"),
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
    """Returns the folder of src/ or telescope/ that a path lies in, as their layers have it; None
    for none."""
    parts = path.split("/")
    return next((layer for layer in ("/".join(parts[:2]), parts[0])
                 if layer in LAYERS and len(parts) > layer.count("/") + 1), None)


def cycle():
    """Returns layers each of which includes the next, and the last the first; none if there are
    no such layers. Engines do not count, because their folder has their interface, too."""
    below = {layer: [each for each in (*BASE_LAYERS, *folders.split())
                     if not each.startswith("backend") and each != layer]
             for layer, folders in LAYERS.items() if not layer.startswith("backend")}
    below["text"] = []
    below["system"] = ["text"]
    while free := [layer for layer, others in below.items() if not set(others) & set(below)]:
        for layer in free:
            del below[layer]
    return sorted(below)


def source_layers(name, text):
    root, own_path = name.as_posix().split("/", 1)
    own = layer_of(own_path)
    if own not in (SOURCE_LAYERS if root == "src" else TELESCOPE_LAYERS):
        yield 1, f"lies in no folder of {root}/ that check.py gives a layer"
        return
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        target = layer_of(found.group(1)) if found else None
        if target and target not in (own, *BASE_LAYERS, *LAYERS[own].split()):
            yield number, f"includes {found.group(1)}, which {own} does not stand on"


def includes(name, text):
    if name.parts[0] in ("src", "telescope"):
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


def python_sizes(name, text):
    lines = text.splitlines()
    if len(lines) > MAX_MODULE:
        yield 1, f"a module of {len(lines)} lines; {MAX_MODULE} at most"
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_COLUMNS:
            yield number, f"{len(line)} columns; {MAX_COLUMNS} at most"
    for node in ast.walk(ast.parse(text)) if name.parts[0] == "python" else ():
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[1] if ast.get_docstring(node) and node.body[1:] else node.body[0]
            length = node.end_lineno - first.lineno + 1
            if length > MAX_FUNCTION:
                yield node.lineno, f"{node.name} has {length} lines; {MAX_FUNCTION} at most"


def python_names(name, text):
    """Parameters and variables of the package that are no nouns."""
    for node in ast.walk(ast.parse(text)) if name.parts[0] == "python" else ():
        word = (node.arg if isinstance(node, ast.arg) else
                node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else "")
        if word in names.REFUSED:
            yield node.lineno, f"the name '{word}' is a pronoun or a preposition; name the noun"


def imported_modules(tree):
    """Yields (line, module) of each module of the package that is imported, but for type
    checkers."""
    for node in tree:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.Import):
            for each in node.names:
                if each.name.split(".")[0] == "wingbeat":
                    yield node.lineno, (each.name.split(".") + ["__init__"])[1]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "wingbeat":
            parts = node.module.split(".")[1:2]
            yield from ((node.lineno, own) for own in parts or [each.name for each in node.names])
        yield from imported_modules(ast.iter_child_nodes(node))


def python_layers(name, text):
    if name.parts[:2] != ("python", "wingbeat"):
        return
    own = name.parts[2].removesuffix(".py")
    if own not in PYTHON_ORDER:
        yield 1, "a module that PYTHON_ORDER does not have yet"
        return
    for number, target in imported_modules(ast.parse(text).body):
        # Of the package itself, names that are no modules are its own.
        place = PYTHON_ORDER.index(target if target in PYTHON_ORDER else "__init__")
        is_other = {own, target} <= PYTHON_LIBRARIES
        if target != own and (place >= PYTHON_ORDER.index(own) or is_other):
            yield number, f"imports {target}, which {own} does not stand on"


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
        if path.suffix == ".py":
            rules = contents, python_sizes, python_names, python_layers
        for rule in rules:
            for number, fault in rule(name, text):
                print(f"{name}:{number}: {fault}")
                n_faults += 1
        if is_code:
            counted.add(name, text)
    for fault in counted.faults():
        print(fault)
        n_faults += 1
    if layers := cycle():
        print(f"tests/style/check.py: layers include each other among {', '.join(layers)}")
        n_faults += 1
    print(f"{n_files} files, {n_faults} faults")
    return n_files > 0 and n_faults == 0


if __name__ == "__main__":
    sys.exit(0 if check(Path(sys.argv[1]).resolve()) else 1)
