#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A digitiser, an F-engine and a receiver, over loopback for minutes, as real services: counts what
is lost and by what reason, and samples the memory and the descriptors of all three.

Exit code 1 where a packet or a heap is lost and no program has counted why, where memory or
descriptors grow after the first minute (or half of a shorter run), or the tone is not received.
"""

import argparse
import json
import os
import platform
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
import services  # noqa: E402
from documents import document_text  # noqa: E402

N_CHANNELS, N_SUBSTREAMS, TONE_CHANNEL = 1024, 2, 320
# Half the tone's amplitude, 0.05 of 511, times the sum of the weights, 46.46, and the gain.
GAIN, MAGNITUDE = 0.2, 118.7
WARM_UP_S = 60
# Reasons by which an engine counts packets that came and were not placed, and what never came in.
REASONS = ("late", "duplicates", "starved", "implausible", "misaligned", "wrong_size", "foreign",
           "truncated", "socket_drops")


def parsed():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path, help="wingbeat")
    parser.add_argument("folder", type=Path, help="for the programs' files")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--interval", type=float, default=10, help="seconds between samples")
    parser.add_argument("--rate", type=float, default=8e6, help="ADC samples a second")
    parser.add_argument("--engine", default="host", help="cuda, opencl or host")
    parser.add_argument("--drop", type=float, default=0, help="share of packets not to send")
    parser.add_argument("--most-growth", type=float, default=4, help="of memory, in MiB")
    parser.add_argument("--json", type=Path, help="report; FOLDER/soak.json when not given")
    return parser.parse_args()


def resident_bytes(process):
    pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def sample(processes, begun_s):
    return {"elapsed_s": round(time.monotonic() - begun_s, 3),
            **{name: {"resident_bytes": resident_bytes(process),
                      "descriptors": len(list(Path(f"/proc/{process.pid}/fd").iterdir()))}
               for name, process in processes.items()}}


def start(o, place):
    """Starts receiver and engine, and the digitiser once the engine listens."""
    sources = ",".join(f"127.0.0.1+7:{port}" for port in place["digitiser"])
    destination = f"127.0.0.1+{N_SUBSTREAMS - 1}:{place['receiver']}"
    tone_hz = TONE_CHANNEL * o.rate / 2 / N_CHANNELS
    rate = ("--adc-sample-rate", o.rate, "--sync-time", int(time.time()))

    def begin(*words):
        return subprocess.Popen([o.program, *map(str, words), "--log-level", "warn", "--stats",
                                 o.folder / f"{words[0]}.json"])

    receive = begin("receive", destination, "--interface", "lo", "--timeout", 60, "--expect",
                    f"cw channel={TONE_CHANNEL} pol=0 magnitude={MAGNITUDE} tolerance=3")
    fengine = begin("fengine", sources, *rate, "--engine", o.engine, "--recv-interface", "lo",
                    "--send-interface", "lo", "--recv-chunk-samples", 1 << 20, "--recv-chunks", 16,
                    "--gain", GAIN, "--katcp-port", place["katcp"], "--prometheus-port",
                    place["http"], "--wideband", f"name=wide,channels={N_CHANNELS},"
                    f"jones_per_batch={1 << 18},dst={destination}")
    commit = engine_version(place["katcp"], fengine)
    dsim = begin("dsim", f"cw(0.05, {tone_hz}) + wgn(0.05, 1)", "wgn(0.05, 2)", "--dst", sources,
                 "--interface", "lo", *rate, "--drop", o.drop)
    return {"dsim": dsim, "fengine": fengine, "receive": receive}, commit


def engine_version(port, process):
    """The commit of which the engine informs katcp clients, once it listens."""
    limit_s = time.monotonic() + 120
    while time.monotonic() < limit_s and process.poll() is None:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
                greeting = (line.split() for line in client.makefile())
                return next(words[3] for words in greeting if words[1] == "katcp-device")
        except OSError:
            time.sleep(0.05)
    sys.exit("the F-engine does not start")


def observe(o, processes, http_port):
    """Samples the programs until the time is over, and reads the metrics each time."""
    begun_s = time.monotonic()
    samples = [sample(processes, begun_s)]
    while samples[-1]["elapsed_s"] < 60 * o.minutes:
        left_s = 60 * o.minutes - (time.monotonic() - begun_s)
        time.sleep(max(0, min(o.interval, left_s)))
        for name, process in processes.items():
            if process.poll() is not None:
                sys.exit(f"{name} has ended with exit code {process.returncode}")
        with urllib.request.urlopen(f"http://127.0.0.1:{http_port}/metrics", timeout=10) as reply:
            reply.read()
        samples.append(sample(processes, begun_s))
    return samples


def counted_packets(stats):
    """What was sent, and what became of it. A drop of the system may be a message of 64 packets."""
    sent, received = stats["dsim"]["polarisations"], stats["fengine"]["received"]
    reasons = {name: received[name] for name in REASONS}
    reasons["undecodable"] = sum(received["undecodable"])
    counts = {"sent": sum(each["packets"] for each in sent), "placed": received["placed"],
              "not_sent": sum(each["dropped"] + each["failed"] for each in sent),
              "missing": sum(each["missing_packets"] for each in received["polarisations"]),
              "late_s_of_digitiser": stats["dsim"]["late_s"], "reasons": reasons}
    lost = counts["lost"] = counts["sent"] - counts["placed"]
    known = sum(reasons.values())
    most_known = known + 63 * reasons["socket_drops"]
    # The reasons are no more than the losses; and each packet that was not placed is missing.
    counts["unexplained"] = max(lost - most_known, known - lost,
                                abs(counts["missing"] - lost - counts["not_sent"]))
    return counts


def counted_heaps(stats):
    """What the samples should have made, and what became of it. The first and the last batch may
    lack samples."""
    output, received = stats["fengine"]["outputs"][0], stats["receive"]
    n_batches = (stats["dsim"]["end_timestamp"] - stats["dsim"]["first_timestamp"]) \
        // received["heap_samples"]
    counts = {name: output[name] for name in ("heaps", "skipped_heaps", "failed_heaps")}
    counts["due"] = n_batches * N_SUBSTREAMS
    counts["received"] = sum(each["heaps"] for each in received["substreams"])
    counts["receiver"] = {name: received["counts"][name] for name in
                          ("lost_heaps", "starved_batches", "socket_drops", "late", "duplicates")}
    not_made = counts["due"] - counts["heaps"] - counts["skipped_heaps"] - counts["failed_heaps"]
    counts["at_the_ends"] = not_made
    lost = counts["lost"] = counts["heaps"] - counts["received"]
    known = counts["receiver"]["starved_batches"] * N_SUBSTREAMS + \
        64 * counts["receiver"]["socket_drops"]
    counts["unexplained"] = max(0, lost - known) + max(0, abs(not_made) - 2 * N_SUBSTREAMS)
    return counts


def growth(samples, o):
    """Of each program: at the start, after the first minute, at the end; and what is too much."""
    settled = [each for each in samples
               if each["elapsed_s"] >= min(WARM_UP_S, 60 * o.minutes / 2)]
    report, faults = {}, []
    for name in ("dsim", "fengine", "receive"):
        report[name] = {}
        for kind, most in (("resident_bytes", o.most_growth * 2**20), ("descriptors", 0)):
            start, warm, end = (each[name][kind] for each in (samples[0], settled[0], settled[-1]))
            report[name][kind] = {"start": start, "after_first_minute": warm, "end": end,
                                  "most": max(each[name][kind] for each in samples)}
            if end - warm > most:
                faults.append(f"{name}: {kind} grow from {warm} to {end}")
    return report, faults


def hardware():
    def first(path, name):
        lines = (line.split(":", 1) for line in Path(path).read_text().splitlines() if ":" in line)
        return next((value.strip() for key, value in lines if key.strip() == name), "unknown")

    return {"processor": first("/proc/cpuinfo", "model name"), "processors": os.cpu_count(),
            "memory": first("/proc/meminfo", "MemTotal"), "system": platform.release()}


def soak(o):
    ports = services.free_ports(3)
    place = {"digitiser": ports[:2], "receiver": ports[2]}
    place["katcp"], place["http"] = services.free_ports(2, socket.SOCK_STREAM)
    processes = {}
    try:
        processes, commit = start(o, place)
        samples = observe(o, processes, place["http"])
        codes = {}
        for name in ("dsim", "fengine"):
            codes[name] = services.end(processes[name])
            time.sleep(1)  # for what is on its way
        codes["receive"] = processes["receive"].wait(timeout=120)  # stop heaps end it
    finally:
        for process in processes.values():
            services.end(process)
    stats = {name: json.loads((o.folder / f"{name}.json").read_text()) for name in codes}
    memory, faults = growth(samples, o)
    report = {"schema": "wingbeat.soak/1", "commit": commit, "hardware": hardware(),
              "engine": o.engine, "minutes": o.minutes, "adc_sample_rate_hz": o.rate,
              "packets": counted_packets(stats), "heaps": counted_heaps(stats),
              "programs": memory, "exit_codes": codes, "checks": stats["receive"]["checks"]}
    faults += [f"{name}: exit code {code}" for name, code in codes.items() if code != 0]
    faults += [f"{report[kind]['unexplained']} {kind} are lost, and not counted by a reason"
               for kind in ("packets", "heaps") if report[kind]["unexplained"] != 0]
    return report | {"faults": faults, "samples": samples}


def main():
    options = parsed()
    options.program = options.program.resolve()
    options.folder.mkdir(parents=True, exist_ok=True)
    result = soak(options)
    to = options.json or options.folder / "soak.json"
    to.write_text(document_text(result))
    for part in ("packets", "heaps", "programs", "faults"):
        print(f"{part}: {result[part]}")
    sys.exit(1 if result["faults"] else 0)


if __name__ == "__main__":
    main()
