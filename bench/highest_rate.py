#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""At which sample rate do digitiser, F-engine and receiver, all on this machine and over its
loopback interface, lose nothing? Runs tests/telescope/fengine/soak.py at each rate, from the
lowest, some times over; the highest rate of which every run was whole is the result. The document
holds all runs.

    highest_rate.py WINGBEAT FILE.json [--engine host] [--seconds 20] [--runs 5] RATE..
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
from documents import document_text  # noqa: E402

SOAK = Path(__file__).parents[1] / "tests/telescope/fengine/soak.py"


def parsed():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path, help="wingbeat")
    parser.add_argument("json", type=Path)
    parser.add_argument("rates", type=float, nargs="+", help="ADC samples a second")
    parser.add_argument("--engine", default="host", help="cuda, opencl or host")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--runs", type=int, default=5, help="of each rate")
    return parser.parse_args()


def run(o, rate, folder):
    """One run, and what was lost in it."""
    report = folder / "soak.json"
    report.unlink(missing_ok=True)
    ended = subprocess.run([sys.executable, SOAK, o.program, folder, "--minutes",
                            str(o.seconds / 60), "--interval", "1", "--rate", str(rate), "--engine",
                            o.engine, "--most-growth", "1000000", "--json", report],
                           check=False, capture_output=True, text=True)
    if not report.exists():
        return {"rate_hz": rate, "whole": False, "ended": ended.stderr.strip().splitlines()[-1:]}
    result = json.loads(report.read_text())
    packets, heaps = result["packets"], result["heaps"]
    lost = {"packets": packets["lost"] + packets["not_sent"], "heaps": heaps["lost"],
            "skipped_heaps": heaps["skipped_heaps"], "failed_heaps": heaps["failed_heaps"]}
    on_time = packets["late_s_of_digitiser"] < 0.1
    return {"rate_hz": rate, "whole": on_time and not any(lost.values()), "lost": lost,
            "packets": packets["sent"], "digitiser_late_s": packets["late_s_of_digitiser"],
            "commit": result["commit"], "hardware": result["hardware"], "faults": result["faults"]}


def search(o):
    runs, best = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for rate in sorted(o.rates):
            for _ in range(o.runs):
                runs.append(run(o, rate, Path(folder)))
                print(json.dumps({k: runs[-1].get(k) for k in ("rate_hz", "whole", "lost",
                                                               "digitiser_late_s", "ended")}))
                if not runs[-1]["whole"]:
                    return best, runs
            best = rate
    return best, runs


def main():
    o = parsed()
    o.program = o.program.resolve()
    best, runs = search(o)
    last = next((each for each in runs if "hardware" in each), {})
    document = {"schema": "wingbeat.highest_rate/1", "commit": last.get("commit"),
                "hardware": last.get("hardware"), "engine": o.engine, "seconds": o.seconds,
                "runs_of_each_rate": o.runs, "highest_rate_hz": best,
                "runs": [{k: v for k, v in each.items() if k not in ("commit", "hardware")}
                         for each in runs]}
    o.json.write_text(document_text(document))
    print(f"nothing is lost up to {best:.4g} samples a second of each polarisation")


if __name__ == "__main__":
    main()
