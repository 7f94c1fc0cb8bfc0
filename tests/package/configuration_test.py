#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""configuration_test.py WINGBEAT FOLDER: the example configurations name every option of the
command that reads them, and the command accepts them: as they stand, and with all that is commented
out."""

import re
import socket
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from checks import check, end  # noqa: E402

PROGRAM, FOLDER = sys.argv[1], Path(sys.argv[2])
EXAMPLES = Path(__file__).parents[2] / "packaging" / "etc" / "wingbeat"
SETTING = re.compile(r"^#?(?:\[\[)?([a-z][a-z_-]*)(?: = |\]\])")
# Not for services: they make a fresh timeline, end the service, or contradict what is stated.
LEFT_OUT = {"fengine": {"help", "config"},
            "dsim": {"help", "config", "first-timestamp", "samples", "as-fast-as-possible"}}


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                          timeout=60)


def free_ports(n):
    sockets = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(n)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def accepted(command, label, text):
    """The command starts with a configuration, on free ports, and ends well."""
    file = FOLDER / f"{command}-{label}.toml"
    for port, free in zip((7148, 7149), free_ports(2)):
        text = text.replace(f":{port}", f":{free}")
    file.write_text(text)
    ports = ["--katcp-port", 0, "--prometheus-port", 0] if command == "fengine" else []
    result = run(command, "--config", file, "--duration", 0.1, "--stats", FOLDER / "stats.json",
                 *ports)
    check(result.returncode == 0, f"{file.name}: {result.returncode}, {result.stderr}")


def uncommented(text):
    """All settings in use; of those that are there twice the first."""
    lines, seen, table = [], set(), ""
    for line in text.splitlines():
        setting = SETTING.match(line)
        name = setting[1] if setting else None
        if line.lstrip("#").startswith("[["):
            table = name
        elif name and (table, name) in seen:
            continue
        seen.add((table, name))
        lines.append(line.lstrip("#") if setting else line)
    return "\n".join(lines)


def check_example(command, name, positional):
    text = (EXAMPLES / name).read_text()
    settings = {match[1] for match in map(SETTING.match, text.splitlines()) if match}
    usage = run(command, "--help").stdout
    options = set(re.findall(r"^  (?:-h,)?--([a-z-]+)", usage, re.MULTILINE)) | {positional}
    check(len(options) > 15, f"{command} --help lists {len(options)} options")
    missing = options - settings - LEFT_OUT[command]
    check(not missing, f"{name} does not name {missing}")
    accepted(command, "as-it-stands", text)
    # A processor that every machine has.
    accepted(command, "uncommented",
             uncommented(text).replace("send-affinity = 3", "send-affinity = 0"))


FOLDER.mkdir(parents=True, exist_ok=True)
check_example("fengine", "example.toml", "src")
check_example("dsim", "example-dsim.toml", "signals")
end()
