# SPDX-License-Identifier: Apache-2.0
"""A digitiser and an F-engine whose heaps are all the same, for scripts called as
`SCRIPT WINGBEAT FOLDER ...`: the signals' period is that of a batch, so that every batch has the
bytes that `wingbeat channelise` makes of these signals, whenever either of the two began.
"""

import contextlib
import json
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
import services  # noqa: E402
from checks import check  # noqa: E402

PROGRAM, FOLDER = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
RATE_HZ = 2e6
PACKET_SAMPLES, N_CHANNELS, N_SPECTRA, N_SUBSTREAMS = 1024, 256, 16, 2
CHUNK_SAMPLES = 1 << 16
HEAP_SAMPLES = 2 * N_CHANNELS * N_SPECTRA
SIGNALS = ("cw(0.1, 300e3) + wgn(0.1, 1)", "cw(0.1, 700e3) + wgn(0.1, 2)")
GAIN = 0.5
SYNC_TIME = int(time.time()) - 100


def until(holds, limit_s=60):
    """Waits until `holds()`; returns whether it does in time."""
    limit = time.monotonic() + limit_s
    while not holds():
        if time.monotonic() > limit:
            return False
        time.sleep(0.002)
    return True


def expected_heaps():
    """Clears FOLDER, and returns the voltages of each substream by its first channel."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    subprocess.run([PROGRAM, "simulate", *SIGNALS, "--adc-rate", str(RATE_HZ), "--samples",
                    str(HEAP_SAMPLES), "-o", "pol0.raw,pol1.raw"], cwd=FOLDER, check=True)
    for name in ("pol0.raw", "pol1.raw"):
        period = (FOLDER / name).read_bytes()
        (FOLDER / name).write_bytes(4 * period)
    (FOLDER / "gains").write_text("".join(f"0 {pol} * {GAIN}\n" for pol in range(2)))
    subprocess.run([PROGRAM, "channelise", "pol0.raw", "pol1.raw", "--adc-rate", str(RATE_HZ),
                    "--channels", str(N_CHANNELS), "--taps", "4", "--spectra-per-heap",
                    str(N_SPECTRA), "--dither", "none", "--gains", "gains", "--engine", "host",
                    "--output", "heaps.raw"], cwd=FOLDER, check=True)
    n_bytes = 4 * N_CHANNELS * N_SPECTRA
    voltages = (FOLDER / "heaps.raw").read_bytes()
    assert voltages[:n_bytes] == voltages[n_bytes:2 * n_bytes] and len(set(voltages)) > 50
    part = n_bytes // N_SUBSTREAMS
    return {i * N_CHANNELS // N_SUBSTREAMS: voltages[i * part:(i + 1) * part]
            for i in range(N_SUBSTREAMS)}


class Place:
    """Where packets go. A prefix is that of the engine's command; interfaces are of the digitiser's
    output, the engine's input, and its output."""

    def __init__(self, sources, destination, katcp_host="127.0.0.1", prefix=(),
                 interfaces=("lo", "lo", "lo")):
        self.sources, self.destination, self.prefix = sources, destination, prefix
        self.of_digitiser, self.receiving, self.sending = interfaces
        port, = services.free_ports(1, socket.SOCK_STREAM)
        self.katcp = katcp_host, port


def digitiser(place, stats, *times, **process):
    return services.running(
        PROGRAM, "dsim", *SIGNALS, "--dst", place.sources, "--interface", place.of_digitiser,
        "--adc-sample-rate", RATE_HZ, "--packet-samples", PACKET_SAMPLES, "--signal-heaps",
        HEAP_SAMPLES // PACKET_SAMPLES, "--log-level", "warn", "--stats", FOLDER / stats,
        *(times or ("--sync-time", SYNC_TIME)), **process)


def engine(place, port, stats, *options, sync_time=SYNC_TIME, log_level="warn", **process):
    return services.running(
        PROGRAM, "fengine", place.sources, "--adc-sample-rate", RATE_HZ, "--sync-time", sync_time,
        "--recv-interface", place.receiving, "--send-interface", place.sending,
        "--recv-packet-samples", PACKET_SAMPLES, "--recv-chunk-samples", CHUNK_SAMPLES,
        "--recv-chunks", 64, "--engine", "host", "--gain", GAIN, "--katcp-host", place.katcp[0],
        "--katcp-port", place.katcp[1], "--log-level", log_level, "--stats", FOLDER / stats,
        *options, "--wideband", f"name=wide,channels={N_CHANNELS},taps=4,dither=none,"
        f"jones_per_batch={N_CHANNELS * N_SPECTRA},"
        f"dst={place.destination}+{N_SUBSTREAMS - 1}:{port}",
        prefix=place.prefix, **process)


def is_listening(address):
    with contextlib.suppress(OSError), socket.create_connection(address):
        return True
    return False


def samples_now():
    """The timestamp of a digitiser that goes by the clock."""
    return (time.time() - SYNC_TIME) * RATE_HZ


def n_absent(heaps):
    """Counts heaps between the first and the last that came; time that goes back begins anew."""
    n, first = 0, 0
    times = [heap.timestamp for heap in heaps]
    for i in range(1, len(times) + 1):
        if i == len(times) or times[i] < times[i - 1]:
            n += ((times[i - 1] - times[first]) // HEAP_SAMPLES + 1) * N_SUBSTREAMS - (i - first)
            first = i
    return n


def check_engine(stats, heaps, n_dropped, n_sent=None, most_uncounted=0):
    """What an engine counted: everything that was sent to it, and every heap that came or not, but
    for packets that were dropped here."""
    counts = json.loads((FOLDER / stats).read_text())
    received, sent = counts["received"], counts["outputs"][0]
    for name in ("starved", "socket_drops", "late", "duplicates", "misaligned", "implausible",
                 "wrong_size", "foreign", "truncated"):
        check(received[name] == 0, f"{stats}: {received[name]} packets are '{name}'")
    if n_sent is not None:
        check(received["placed"] == n_sent, f"{stats}: {received['placed']} of {n_sent} packets")
    check(all(heap.is_exact for heap in heaps),
          f"{stats}: {sum(not heap.is_exact for heap in heaps)} of {len(heaps)} heaps differ")
    n_left_out = sent["skipped_heaps"] + sent["failed_heaps"] + sent["heaps"] - len(heaps)
    # A batch before the first that came may lack samples, and is counted.
    n_behind = n_absent(heaps) - n_left_out
    check(-n_dropped - N_SUBSTREAMS <= n_behind <= most_uncounted + n_dropped,
          f"{stats}: {n_absent(heaps)} heaps are absent, of which {n_left_out} are counted")
    return received, sent


def on_loopback():
    ports = services.free_ports(2)
    return Place(",".join(f"127.0.0.1+1:{port}" for port in ports), "127.0.0.1")
