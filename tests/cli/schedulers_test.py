#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""schedulers_test.py WINGBEAT FOLDER: what is started by schedulers, with stand-ins for Slurm and
GNU parallel: the recipes of docs/many_machines.md as they stand there, and
bench/several_machines.sh."""

import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from checks import check, end  # noqa: E402

PROGRAM, FOLDER = Path(sys.argv[1]), Path(sys.argv[2])
SOURCE = Path(__file__).parents[2]

# What stands in for a scheduler: it does at once, on this machine, what it would do in time.
STAND_INS = {
    "srun": """#!/bin/bash
# srun --nodes N --ntasks N COMMAND..
tasks=$4; shift 4
for ((rank = 0; rank < tasks; rank++)); do
  SLURM_PROCID=$rank SLURM_LOCALID=$rank SLURM_NTASKS=$tasks SLURM_JOB_NODELIST=localhost "$@" &
  started+=($!)
done
code=0
for each in "${started[@]}"; do wait "$each" || code=$?; done
exit $code
""",
    "sbatch": """#!/usr/bin/env python3
import os, pathlib, re, subprocess, sys
given, script, wrap, array, after = sys.argv[1:], None, None, None, None
while given:
    name, _, value = given.pop(0).partition("=")
    if name == "--wrap": wrap = given.pop(0)
    elif name == "--array": array = value
    elif name == "--dependency": after = value.partition("afterok:")[2]
    elif name != "--parsable": script = name
jobs = pathlib.Path("jobs"); jobs.mkdir(exist_ok=True)
number = str(100 + len(list(jobs.iterdir())))
if after and (jobs / after).read_text() != "0": sys.exit("sbatch: " + after + " has failed")
if script and not array:
    array = re.search("#SBATCH --array=(.*)", pathlib.Path(script).read_text()).group(1)
first, _, last = (array or "0").partition("-")
failed = 0
for task in range(int(first), int(last or first) + 1):
    environment = dict(os.environ, SLURM_ARRAY_TASK_ID=str(task), SLURM_JOB_ID=number)
    command = ["bash", "-c", wrap] if wrap else ["bash", script]
    failed += subprocess.run(command, env=environment, stdout=sys.stderr).returncode != 0
(jobs / number).write_text(str(failed))
print(number)
""",
    "parallel": """#!/usr/bin/env python3
import subprocess, sys
words = sys.argv[1:]
while words[0].startswith("--"):
    if words[0] == "--sshloginfile": open(words[1]).close()
    words = words[2:]
inputs = words.index(":::")
for each in words[inputs + 1:]:
    code = subprocess.run([word.replace("{}", each) for word in words[:inputs]]).returncode
    if code != 0: sys.exit(code)
""",
}


def run(command, folder, **variables):
    path = f"{FOLDER / 'bin'}:{os.environ['PATH']}"
    return subprocess.run(["bash", "-ec", command], cwd=folder, capture_output=True, text=True,
                          timeout=100, env={**os.environ, "PATH": path, **variables})


def workplace(name):
    folder = FOLDER / name
    folder.mkdir(parents=True)
    return folder


def write_images(file, n_images, height, width, seed):
    """MRC of floats, of numbers that depend on nothing but the seed."""
    header = struct.pack("<10i", width, height, n_images, 2, 0, 0, 0, width, height, 1)
    header += struct.pack("<3f", width, height, 1) + bytes(12 + 12 + 12) + struct.pack("<2i", 0, 0)
    header = header.ljust(208, b"\0") + b"MAP " + bytes([0x44, 0x44, 0, 0])
    values, state = [], seed
    for _ in range(n_images * height * width):
        state = (state * 1103515245 + 12345) % 2**31
        values.append(state / 2**31)
    file.write_bytes(header.ljust(1024, b"\0") + struct.pack(f"<{len(values)}f", *values))


def recipes(heading):
    """The commands of a section of the page."""
    page = (SOURCE / "docs" / "many_machines.md").read_text()
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", page, re.M | re.S)[1]
    blocks = re.findall(r"(?:^    .*\n|^\n(?=    ))+", section, re.M)
    texts = [re.sub("^    ", "", block.strip("\n"), flags=re.M) + "\n" for block in blocks]
    # Devices that every machine has.
    return [text.replace('"cuda:$i"', "host").replace("0,1", "host,host") for text in texts]


def search_folder(name):
    folder = workplace(name)
    write_images(folder / "image.mrc", 1, 40, 36, 1)
    write_images(folder / "orientations.mrcs", 40, 6, 5, 2)
    (folder / "hosts").write_text(":\n")
    return folder


def check_recipes():
    whole = search_folder("whole")
    found = run("wingbeat match image.mrc orientations.mrcs --normalised --engine host --top 50 "
                "--star found.star --csv peaks.csv --mean mean.npy --variance variance.npy", whole)
    check(found.returncode == 0, found.stderr)

    def check_same(folder, done, *files):
        check(done.returncode == 0, f"{folder.name}: {done.stderr}")
        for file in files:
            check((folder / file).exists() and
                  (folder / file).read_bytes() == (whole / file).read_bytes(),
                  f"{folder.name}/{file}")

    for text in recipes("In one process"):
        folder = search_folder("one-process")
        check_same(folder, run(text, folder), "found.star")
    folder = search_folder("slurm")
    script, submit, *_ = recipes("Slurm")
    (folder / "search.sh").write_text(script)
    check_same(folder, run(submit, folder), "found.star", "mean.npy", "variance.npy")
    # A part that was lost is made again by its number.
    (folder / "part-7").unlink()
    (folder / "found.star").unlink()
    merged = run(submit.split("\n", 1)[1].replace("$search", "100"), folder)
    check("17 to 19" in merged.stderr and not (folder / "found.star").exists(), merged.stderr)
    again = run("sbatch --array=7 search.sh && wingbeat match-merge part-* --top 50 --star "
                "found.star",
                folder)
    check_same(folder, again, "found.star")
    for number, text in enumerate(recipes("GNU parallel, or no scheduler")):
        folder = search_folder(f"parallel-{number}")
        check_same(folder, run(text, folder), "peaks.csv")


def free_port():
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        return any_port.getsockname()[1]


def check_several_machines():
    folder = workplace("several_machines")
    small = {"CUBES": "6x8x10", "PLANES": "12x10", "ROWS": "240", "DOUBLES": "6x8x10",
             "SECONDS_EACH": "0.01"}
    script = SOURCE / "bench" / "several_machines.sh"
    job = {"SLURM_JOB_ID": "1", "SLURM_NTASKS": "3", "SLURM_JOB_NUM_NODES": "2",
           "MASTER_PORT": str(free_port())}
    both = run(f"{script} > lines", folder, DEVICES="host,host,host", **small, **job)
    check(both.returncode == 0, f"several_machines.sh: {both.returncode}, {both.stderr}")
    lines = [json.loads(line) for line in (folder / "lines").read_text().splitlines()]
    # 2 and 3 ranks of one process, 2 and 3 processes, and 3 by NCCL and by TCP; 7 kinds of each.
    check(len(lines) == 6 * 7, f"{len(lines)} runs")
    check(all(line["exit_code"] == 0 and line["document"]["results"] for line in lines),
          "all have results")
    check(len({line["name"] for line in lines}) == len(lines), "names of their own")
    check(lines[0]["name"] == "one process, 2 ranks c2c" and
          len(lines[0]["document"]["results"]) == 2, "the first")
    check(lines[14]["document"]["processes"] == 2 and lines[-1]["document"]["processes"] == 3,
          "processes")
    names = [lines[i]["name"] for i in (14, 21, 28, 35)]
    check(names == ["2 processes on 1 hosts c2c", "3 processes on 2 hosts c2c",
                    "3 processes on 2 hosts by nccl c2c",
                    "3 processes on 2 hosts by tcp c2c"], names)
    # Processes that fail, one kind that is refused, and no devices at all.
    (folder / "failing").write_text(
        '#!/bin/bash\n[[ " $* " == *" --by-tcp "* ]] && exit 3\nexec wingbeat "$@"\n')
    (folder / "failing").chmod(0o755)
    failing = run(f"{script} ./failing > failed", folder, DEVICES="", **small,
                  **{**job, "SLURM_NTASKS": "2"})
    lines = [json.loads(line) for line in (folder / "failed").read_text().splitlines()]
    check([line["exit_code"] for line in lines] == [0] * 14 + [3] * 7, "exit codes")
    check(lines[-1]["document"] is None and failing.returncode == 1, "no document")
    check("7 of 21 runs failed" in failing.stderr and "by tcp fp64: exit code 3" in failing.stderr,
          failing.stderr)
    refused = run(f"{script} > refused", folder, DEVICES="host,host", **{**small, "ROWS": "7"})
    lines = map(json.loads, (folder / "refused").read_text().splitlines())
    codes = {line["name"]: line["exit_code"] for line in lines}
    check(refused.returncode == 1 and "1 of 7 runs failed" in refused.stderr, refused.stderr)
    check(codes["one process, 2 ranks one axis"] == 2 and sum(codes.values()) == 2, codes)
    check(run(str(script), folder, DEVICES="").returncode == 1, "no devices")


shutil.rmtree(FOLDER, ignore_errors=True)
(FOLDER / "bin").mkdir(parents=True)
(FOLDER / "bin" / "wingbeat").symlink_to(PROGRAM)
for name, text in STAND_INS.items():
    (FOLDER / "bin" / name).write_text(text)
    (FOLDER / "bin" / name).chmod(0o755)
check_recipes()
check_several_machines()
end()
