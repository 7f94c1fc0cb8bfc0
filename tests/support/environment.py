# SPDX-License-Identifier: Apache-2.0
"""A virtual environment for a test that needs Python packages."""

import subprocess
import sys
from pathlib import Path


def enter(folder, packages, options=()):
    """Runs this script again in a virtual environment of `folder` that has the packages, and ends
    as it does; returns in that second run. Exit code 77 where a package cannot be installed."""
    if sys.argv[-1] == "inside":
        return
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    python = folder / "environment" / "bin" / "python3"
    ready = folder / "environment" / "ready"
    if not ready.exists():
        for command in ([sys.executable, "-m", "venv", "--clear", folder / "environment"],
                        [python, "-m", "pip", "install", "--quiet", "--retries", "1", "--timeout",
                         "20", "--disable-pip-version-check", *options, *packages]):
            made = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
            if made.returncode != 0:
                print("SKIP: cannot install", *packages, "because", made.stderr.strip()[-300:])
                sys.exit(77)
        ready.touch()
    sys.exit(subprocess.run([python, *sys.argv, "inside"]).returncode)
