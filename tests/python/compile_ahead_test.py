# SPDX-License-Identifier: Apache-2.0
"""Plans whose kernels were compiled ahead add nothing to the kernel cache; slow compiling is
logged."""
import os
import re
import subprocess
import sys

import pytest
import wingbeat

TEXT = """
import os, wingbeat
requests = [{"shape": (7, n), "axes": 1, "device": "opencl"} for n in (66, 88, 110, 66)]
def entries():
    return sum(name.endswith(".kernel") for name in os.listdir(os.environ["WINGBEAT_CACHE"]))
wingbeat.compile_ahead(requests, threads=3)
before = entries()
for request in requests:
    wingbeat.Plan(**request)
print(before, entries())
"""


def test_plans_find_their_kernels(tmp_path):
    if wingbeat.why_absent(wingbeat.Engine.opencl):
        pytest.skip(wingbeat.why_absent(wingbeat.Engine.opencl))
    cache = tmp_path / "cache"
    run = subprocess.run([sys.executable, "-c", TEXT], capture_output=True, text=True, check=True,
                         env={**os.environ, "WINGBEAT_CACHE": str(cache)})
    assert run.stdout.split() == ["3", "3"]


def test_a_request_is_refused_as_a_plan_is():
    with pytest.raises(ValueError, match="shape"):
        wingbeat.compile_ahead([{"shape": 8}, {"shape": 0}])
    with pytest.raises(ValueError, match="threads is 0; give 1 or more"):
        wingbeat.compile_ahead([], threads=0)


def test_the_logger_says_that_kernels_compile_for_long():
    if wingbeat.why_absent(wingbeat.Engine.opencl):
        pytest.skip(wingbeat.why_absent(wingbeat.Engine.opencl))
    logged = subprocess.run([sys.executable, "-c", """
import logging, time, wingbeat
logging.basicConfig(level=logging.INFO)
begin, messages = time.monotonic(), []
logging.getLogger("wingbeat").addFilter(lambda record: messages.append(record) or True)
for n in range(2, 400):
    if messages or time.monotonic() > begin + 60:
        break
    wingbeat.Plan((3, n), axes=1, device="opencl")
"""], capture_output=True, text=True, check=True, env={**os.environ, "WINGBEAT_CACHE": "off"})
    assert re.match(r"INFO:wingbeat:compiling kernels, 1 s so far; ", logged.stderr), logged.stderr
