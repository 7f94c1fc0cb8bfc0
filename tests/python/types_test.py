# SPDX-License-Identifier: Apache-2.0
"""What type checkers know: arrays in, arrays out, and names that do not exist are refused."""

import json
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec

import pytest

RIGHT = """
import numpy as np
import wingbeat
from wingbeat import fft, image, match, plan_for, signal

class Tensor:
    shape: tuple[int, ...]
    dtype: str

x, t = np.ones((4, 6)), Tensor()
a: np.ndarray = fft.fft(x)
b: np.ndarray = fft.fft([1, 2.5, 3j])
c: Tensor = fft.rfftn(t, axes=(0, 1), norm="ortho")
d: np.ndarray = fft.dct(x, type=3, orthogonalize=True)
e: np.ndarray = signal.fftconvolve(x, x, "same", axes=1)
f: Tensor = signal.convolve2d(t, t, boundary="wrap")
g: np.ndarray = match.match_scores(x, x, "ccorr")
h: Tensor = image.convolve(t, t, "mirror", between="float16")
i: wingbeat.Plan = plan_for(x, "idct", norm="ortho")
j = wingbeat.Plan((4, 6), kind=("dct2", "dst1"), norm="backward")
k: np.ndarray = fft.fft(x=x, n=3)
l: Tensor = fft.dct(x=t, type=3)
m: np.ndarray = signal.convolve(in1=x, in2=x)
n: Tensor = image.convolve(image=t, kernel=t, border="mirror")
"""

WRONG = """
import numpy as np
import wingbeat
from wingbeat import fft, image, match, plan_for, signal
x = np.ones((4, 6))
fft.fft(x, norm="unit")
fft.fft(x, "4")
fft.fftn(x, axes="0")
fft.dct(x, type=5)
signal.fftconvolve(x, x, "most")
signal.convolve(x, x, method="quick")
signal.convolve2d(x, x, boundary="none")
image.convolve(x, x, "round")
match.Search(x, (2, 2), between="float8")
match.match_scores(x, x, "best")
wingbeat.Plan(8, kind="ffft")
wingbeat.Plan(8, norm="unit")
plan_for(x, "idct5")
text: str = fft.fft(x)
fft.fft("x", axes=3)
fft.fft(y=x)
fft.dct(x=x, type=5)
signal.convolve(in1=x, in2=x, method="quick")
image.convolve(image=x, taps=x)
"""


def first_wrong_line():
    return WRONG.splitlines().index('fft.fft(x, norm="unit")') + 1


def lines_of_mypy(path):
    run = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(path.parent / "cache"),
                          str(path)], capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode in (0, 1), run.stdout + run.stderr
    return [int(line) for line in re.findall(path.name + r":(\d+): error", run.stdout)], run.stdout


def lines_of_pyright(path):
    run = subprocess.run([sys.executable, "-m", "pyright", "--outputjson", "--pythonpath",
                          sys.executable, str(path)], capture_output=True, text=True, timeout=300,
                         check=False)
    return [each["range"]["start"]["line"] + 1 for each in
            json.loads(run.stdout)["generalDiagnostics"] if each["severity"] == "error"], run.stdout


CHECKERS = [
    pytest.param(lines_of_mypy, id="mypy", marks=pytest.mark.skipif(
        find_spec("mypy") is None, reason="mypy is not installed here")),
    # Its package downloads node where there is none.
    pytest.param(lines_of_pyright, id="pyright", marks=pytest.mark.skipif(
        find_spec("pyright") is None or shutil.which("node") is None,
        reason="pyright or node is not installed here"))]


@pytest.mark.parametrize("checked", CHECKERS)
def test_right_calls_have_the_types_of_their_arrays(checked, tmp_path):
    path = tmp_path / "right.py"
    path.write_text(RIGHT)
    lines, text = checked(path)
    assert not lines, text


@pytest.mark.parametrize("checked", CHECKERS)
def test_names_that_do_not_exist_are_refused(checked, tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text(WRONG)
    lines, text = checked(path)
    assert sorted(set(lines)) == list(range(first_wrong_line(), len(WRONG.splitlines()) + 1)), text
