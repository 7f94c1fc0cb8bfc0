# SPDX-License-Identifier: Apache-2.0
"""examples/python/dask_search.py: a worker is killed on the way, and nothing is lost."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy
import pytest

distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
PROGRAM = os.environ.get("WINGBEAT_PROGRAM")
SCRIPT = pathlib.Path(__file__).parents[2] / "examples" / "python" / "dask_search.py"
OPTIONS = ["--normalised", "--moments", "--engine", "host"]
N_TEMPLATES, N_PARTS = 1000, 16


def searching(client):
    """The workers that search, with the processes that they are."""
    busy = {worker for worker, tasks in client.processing().items()
            if any("search" in str(task) for task in tasks)}
    return [pid for worker, pid in client.run(os.getpid).items() if worker in busy]


@pytest.mark.skipif(not PROGRAM, reason="WINGBEAT_PROGRAM names no program")
def test_searches_on_workers_of_which_one_is_killed(tmp_path):
    random = numpy.random.default_rng(1)
    image, templates = "image.npy", "templates.npy"
    numpy.save(tmp_path / image, random.standard_normal((200, 160), numpy.float32))
    numpy.save(tmp_path / templates, random.standard_normal((N_TEMPLATES, 24, 20), numpy.float32))
    subprocess.run([PROGRAM, "match", image, templates, *OPTIONS, "--state", "whole"],
                   cwd=tmp_path, check=True)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None,
                                  local_directory=tmp_path) as cluster, \
            distributed.Client(cluster) as client:
        search = subprocess.Popen(
            [sys.executable, SCRIPT, image, templates, "--parts", str(N_PARTS), "--program",
             PROGRAM, "--into", tmp_path, "--scheduler", cluster.scheduler_address, "--", *OPTIONS],
            cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        killed, files = None, set()
        until = time.monotonic() + 60
        while search.poll() is None and time.monotonic() < until:
            files |= {file.name for file in tmp_path.glob("parts-*/*")}
            if killed is None and "part-1" in files:
                for killed in searching(client)[:1]:
                    os.kill(killed, signal.SIGKILL)
            time.sleep(0.01)
        printed = search.communicate(timeout=1)[0]
        alive = client.run(os.getpid).values()
    assert search.returncode == 0
    assert killed is not None and killed not in alive
    assert "100% Completed" in printed and "merged" in printed
    assert {f"part-{part}" for part in range(N_PARTS)} <= files
    assert {"merged-0-0", "merged-1-0"} <= files
    assert (tmp_path / "merged").read_bytes() == (tmp_path / "whole").read_bytes()
    assert not list(tmp_path.glob("parts-*"))


@pytest.mark.skipif(not PROGRAM, reason="WINGBEAT_PROGRAM names no program")
def test_says_in_one_sentence_why_a_search_failed(tmp_path):
    numpy.save(tmp_path / "image.npy", numpy.ones((20, 20), numpy.float32))
    search = subprocess.run(
        [sys.executable, SCRIPT, "image.npy", "image.npy", "--parts", "2", "--workers", "1",
         "--program", PROGRAM, "--", "--no-such-option"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert search.returncode == 1
    assert "--no-such-option" in search.stderr
    assert "Traceback" not in search.stderr and len(search.stderr.strip().splitlines()) == 1
    assert not list(tmp_path.glob("parts-*"))
