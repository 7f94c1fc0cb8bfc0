#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adds what long_run.sh counted to a log:

    tests/fuzz/long_log.py OUT/fuzz.json OUT/done.txt --machine OUT/machine.txt

Lines of done.txt: fuzzer, seed, then libFuzzer's "Done N runs in T second(s)", or "Failed ..".
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from documents import document_text  # noqa: E402

LINE = re.compile(r"^(\w+) (\d+) (?:Done (\d+) runs in (\d+) second|(Failed .*))")


def counts_of(lines):
    fuzzers = {}
    for line in lines:
        found = LINE.match(line)
        if not found:
            continue
        name, _, runs, seconds, failure = found.groups()
        of = fuzzers.setdefault(name, {"executions": 0, "process_seconds": 0, "processes": 0,
                                       "failures": []})
        of["processes"] += 1
        if failure:
            of["failures"].append(failure)
        else:
            of["executions"] += int(runs)
            of["process_seconds"] += int(seconds)
    return fuzzers


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("log", type=pathlib.Path)
    parser.add_argument("done", type=pathlib.Path, nargs="+")
    parser.add_argument("--sanitizers", default="", help="those the programs were built with")
    parser.add_argument("--flags", default="-O2 -fsanitize=fuzzer")
    parser.add_argument("--command", default="tests/fuzz/long_run.sh")
    parser.add_argument("--commit", help="of the sources; HEAD without it")
    parser.add_argument("--machine", type=pathlib.Path, help="machine.txt of long_run.sh")
    options = parser.parse_args()
    commit = options.commit or subprocess.check_output(
        ["git", "rev-parse", "--short=12", "HEAD"], text=True).strip()
    log = {"schema": "wingbeat.fuzz/1", "runs": []}
    if options.log.exists():
        log = json.loads(options.log.read_text())
    lines = [line for file in options.done for line in file.read_text().splitlines()]
    log["runs"].append({
        "sanitizers": options.sanitizers,
        "flags": options.flags,
        "command": options.command,
        "commit": commit,
        "machine": options.machine.read_text().strip() if options.machine else "",
        "fuzzers": counts_of(lines)})
    options.log.write_text(document_text(log))


if __name__ == "__main__":
    main()
