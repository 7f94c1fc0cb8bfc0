# SPDX-License-Identifier: Apache-2.0
"""The notebooks of examples/python, cell by cell in one namespace, as a kernel runs them. Cells
with the tag "picture" need matplotlib, and are left out without it."""

import json
import re
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples/python"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def test_found():
    assert len(NOTEBOOKS) >= 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs(path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    cells = json.loads(path.read_text())["cells"]
    namespace, start = {"__name__": "__main__"}, time.perf_counter()
    n_run = 0
    for number, cell in enumerate(cells, 1):
        if cell["cell_type"] != "code":
            continue
        assert not cell["outputs"] and cell["execution_count"] is None, "strip the outputs"
        if "picture" in cell["metadata"].get("tags", ()) and find_spec("matplotlib") is None:
            print(f"cell {number} left out: matplotlib is not installed", file=sys.stderr)
            continue
        source = "".join(cell["source"])
        assert not re.search(r"^\s*[%!]", source, re.M), "plain Python alone"
        exec(compile(source, f"{path.name}, cell {number}", "exec"), namespace)
        n_run += 1
    assert n_run >= 3 and time.perf_counter() - start < 60  # 20 on an idle machine
