# SPDX-License-Identifier: Apache-2.0
"""Searches an image for many templates on the workers of dask.distributed.

    python dask_search.py IMAGE TEMPLATES [--parts N] [--scheduler ADDRESS | --workers N] -- OPTIONS

OPTIONS are those of `wingbeat match` that say how to search. Parts are files below the folder
--into, which all workers see, as they see this folder; what is left, merged, is what
`wingbeat match-merge` makes results of.
"""
import argparse
import logging
import os
import shutil
import subprocess
import sys
import tempfile

from dask.distributed import Client, LocalCluster, progress


def made(file, command, folder):
    """Has a program write a file, unless a worker that was killed did; that is then whole. Names
    are those of the folder. The program's last line of errors is the exception's text."""
    if not os.path.exists(file):
        done = subprocess.run([*command, "--state", file], cwd=folder, capture_output=True,
                              text=True)
        if done.returncode != 0:
            raise RuntimeError((done.stderr.strip().splitlines() or ["failed: " + command[0]])[-1])
    return file


def search(command, part, n_parts, into, folder):
    return made(os.path.join(into, f"part-{part}"),
                [*command, "--shard", f"{part}/{n_parts}"], folder)


def merge(program, files, file, folder):
    return made(file, [program, "match-merge", *files], folder)


def merge_tree(client, program, parts, into, folder):
    """Returns the task that merges all parts, two by two."""
    level = 0
    while len(parts) > 1:
        pairs = [parts[i:i + 2] for i in range(0, len(parts), 2)]
        parts = [
            client.submit(merge, program, pair, os.path.join(into, f"merged-{level}-{i}"),
                          folder, retries=3, pure=False) if len(pair) == 2 else pair[0]
            for i, pair in enumerate(pairs)
        ]
        level += 1
    return parts[0]


def search_all(client, given, options, into):
    """Returns the file of all parts, of which it shows how many are made."""
    folder = os.getcwd()
    command = [given.program, "match", given.image, *given.templates, *options]
    parts = [client.submit(search, command, part, given.parts, into, folder, retries=3, pure=False)
             for part in range(given.parts)]
    last = merge_tree(client, given.program, parts, into, folder)
    progress(last)
    return last.result()


def remains(into):
    """Removes the folder of parts unless some were made; returns where those are."""
    made_parts = [name for name in os.listdir(into) if name.startswith("part-")]
    if not made_parts:
        shutil.rmtree(into, ignore_errors=True)
        return ""
    return f"; {len(made_parts)} of the parts were made and are in {into}"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("image")
    parser.add_argument("templates", nargs="+")
    parser.add_argument("--parts", type=int, default=16)
    parser.add_argument("--scheduler", help="address; else workers are started here")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--into", default=".")
    parser.add_argument("--program", default="wingbeat")
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    given, options = parser.parse_args(words[:split]), words[split + 1:]

    # Workers log what a task raises; it is said once, below.
    cluster = None if given.scheduler else LocalCluster(
        n_workers=given.workers, threads_per_worker=1, silence_logs=logging.CRITICAL)
    failure = None
    with Client(given.scheduler or cluster) as client:
        into = tempfile.mkdtemp(prefix="parts-", dir=os.path.abspath(given.into))
        merged = os.path.join(os.path.abspath(given.into), "merged")
        try:
            os.replace(search_all(client, given, options, into), merged)
        except Exception as raised:
            failure = raised
    if cluster is not None:
        cluster.close()
    if failure is not None:
        sys.exit(f"\n{failure}{remains(into)}")
    shutil.rmtree(into)
    print("\nwrote", merged)


if __name__ == "__main__":
    main()
