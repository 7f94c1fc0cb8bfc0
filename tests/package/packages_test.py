#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""packages_test.py: .ci/packages waits while another package manager holds a lock of apt, and fails
at once, with apt's own message, for any other reason. Programs of this test stand in for apt's."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from checks import check, end  # noqa: E402

LOCKED = "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt-get)"


def install(folder, failures, message, lock_seconds=60):
    """Runs .ci/packages for a missing package; the first `failures` calls of apt-get fail."""
    calls = folder / "calls"
    calls.write_text("")
    for name, text in {
        "dpkg-query": "exit 1",
        "id": "echo 0",
        "sleep": "exit 0",
        "apt-get": f"echo \"$*\" >> {calls}\n"
                   f"[ $(wc -l < {calls}) -gt {failures} ] || "
                   f"{{ echo '{message}' >&2; exit 100; }}",
    }.items():
        program = folder / name
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}",
                   "WINGBEAT_LOCK_SECONDS": str(lock_seconds)}
    environment.pop("WINGBEAT_INSTALL", None)
    result = subprocess.run([ROOT / ".ci" / "packages", "absent-package"], env=environment,
                            capture_output=True, text=True, timeout=60)
    return result, calls.read_text().splitlines()


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    result, calls = install(folder, failures=3, message=LOCKED)
    check(result.returncode == 0, f"three locked calls end with {result.returncode}")
    check(len(calls) == 5, f"three locked calls, update and install: {calls}")
    check(result.stderr.count("waiting for another package manager") == 1, result.stderr)
    check(calls[-1].endswith("absent-package"), calls[-1])

    result, calls = install(folder, failures=9, message=LOCKED, lock_seconds=0)
    check(result.returncode == 1 and LOCKED in result.stderr, result.stderr)

    result, calls = install(folder, failures=9, message="E: Unable to locate package")
    check(result.returncode == 1 and len(calls) == 1, f"another failure is tried again: {calls}")
    check("Unable to locate" in result.stderr, result.stderr)
end()
