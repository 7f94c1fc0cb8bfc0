#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""outages_test.py WINGBEAT FOLDER services|interfaces: digitisers that fall silent or start again,
F-engines that are killed or ended while samples come; or interfaces of either that go down and up.
Good output must follow within a second, nothing that reached a running engine may be lost or left
out uncounted, and every heap must be exact.

WINGBEAT_TEST_FULL=1 has silence of 10 s. The interfaces are of network namespaces; exit code 77
where none can be made.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from periodic_stream import (CHUNK_SAMPLES, FOLDER, HEAP_SAMPLES, N_SUBSTREAMS, RATE_HZ, Place,
                             check_engine, digitiser, engine, expected_heaps, is_listening,
                             on_loopback, samples_now, until)
from checks import check, end
from heap_catcher import Catcher
import services

SILENCE_S = 10 if "WINGBEAT_TEST_FULL" in os.environ else 1
LIMIT_S, N_TRIES = 1.0, 3  # a machine that does other things may be late once


def recovers(label, catcher, outage):
    """Has an outage, which returns whether a timestamp is of what came after it; measures how long
    it takes from then on until a heap of that comes."""
    times_s = []
    while len(times_s) < N_TRIES and (not times_s or times_s[-1] > LIMIT_S):
        is_after = outage()
        over_s, n_before = time.monotonic(), len(catcher.heaps)
        found = []

        def comes():
            found[:] = [heap for heap in catcher.heaps[n_before:] if is_after(heap.timestamp)]
            return found

        if not until(comes):
            check(False, f"{label}: no heap comes")
            return len(times_s) + 1
        times_s.append(found[0].arrival_s - over_s)
    check(times_s[-1] <= LIMIT_S, f"{label}: not within {LIMIT_S} s")
    print(f"{label}: heaps after", ", ".join(f"{each:.3f} s" for each in times_s))
    return len(times_s)


def newest(catcher):
    return catcher.heaps[-1].timestamp


def check_digitisers(place, catcher):
    """One engine, whose digitiser is stopped, ends, and starts again at another time."""
    number = iter(range(100))
    beginnings = iter((1 << 26, 1 << 25, 0))  # each before the former
    with engine(place, catcher.port, "engine.json") as service, \
            contextlib.ExitStack() as senders:
        check(until(lambda: is_listening(place.katcp)), "the engine does not start")
        sender = senders.enter_context(digitiser(place, f"sent{next(number)}.json"))
        check(until(lambda: len(catcher.heaps) > 100), "nothing comes")

        def stall():
            sender.send_signal(signal.SIGSTOP)
            time.sleep(SILENCE_S)
            # Its timestamps go on; the last samples before wait for those that follow.
            before = newest(catcher) + 4 * CHUNK_SAMPLES
            sender.send_signal(signal.SIGCONT)
            return lambda timestamp: timestamp > before

        def start_again(*times):
            nonlocal sender
            services.end(sender)
            time.sleep(SILENCE_S)
            sender = senders.enter_context(digitiser(place, f"sent{next(number)}.json", *times))

        def gap():
            now = samples_now()
            start_again()
            return lambda timestamp: timestamp > now + SILENCE_S * RATE_HZ

        def back():
            before = newest(catcher)
            start_again("--first-timestamp", next(beginnings))
            return lambda timestamp: timestamp < before

        recovers("the digitiser stalls", catcher, stall)
        recovers("the digitiser is silent and goes on by the clock", catcher, gap)
        n_restarts = recovers("the digitiser's time goes back", catcher, back)
        services.end(sender)
        time.sleep(0.1)
        check(services.end(service) == 0, "the engine's exit code")
    n_sent = sum(each["packets"] for stats in FOLDER.glob("sent*.json")
                 for each in json.loads(stats.read_text())["polarisations"])
    check(until(lambda: len(catcher.stops) == N_SUBSTREAMS, 1), "stop heaps do not come")
    received, _ = check_engine("engine.json", catcher.heaps, catcher.n_dropped(), n_sent)
    check(received["restarts"] == n_restarts, f"{received['restarts']} restarts of {n_restarts}")


def check_engines(place, catcher):
    """One digitiser, whose engine is killed, ended, and started again with the same ports."""
    number = iter(range(100))
    starts = []  # how many heaps had come
    with digitiser(place, "digitiser.json"), contextlib.ExitStack() as started:

        def start():
            starts.append(len(catcher.heaps))
            stats = f"engine{next(number)}.json"
            return started.enter_context(engine(place, catcher.port, stats))

        def start_after(number):
            nonlocal service
            # A connection that its end leaves to the system must not keep the port.
            with socket.create_connection(place.katcp) as client:
                client.sendall(b"?watchdog\n")
                while b"!watchdog" not in client.recv(65536):
                    pass
                code = services.end(service, number)
            check(code == {signal.SIGKILL: -signal.SIGKILL, signal.SIGTERM: 0}[number],
                  f"{number.name}: exit code {code}")
            check(until(lambda: len(catcher.stops) == n_ended() * N_SUBSTREAMS, 1),
                  f"{len(catcher.stops)} stop heaps")
            now = samples_now()
            service = start()
            return lambda timestamp: timestamp > now

        def n_ended():
            return sum(stats.exists() for stats in FOLDER.glob("engine?.json"))

        service = start()
        check(until(lambda: len(catcher.heaps) > 100), "nothing comes")
        for number_of_signal in (signal.SIGKILL, signal.SIGTERM):
            recovers(f"the engine is started again after {number_of_signal.name}", catcher,
                     lambda number_of_signal=number_of_signal: start_after(number_of_signal))
            time.sleep(0.5)
        services.end(service)
        check(until(lambda: len(catcher.stops) == n_ended() * N_SUBSTREAMS, 1), "stop heaps")
    check(n_ended() == len(starts) - 1, "statistics of engines that were ended")
    for i, (begin, end) in enumerate(zip(starts, [*starts[1:], len(catcher.heaps)])):
        if (FOLDER / f"engine{i}.json").exists():
            check_engine(f"engine{i}.json", catcher.heaps[begin:end], catcher.n_dropped())
        else:
            check(all(heap.is_exact for heap in catcher.heaps[begin:end]), "heaps before SIGKILL")


def check_services():
    place, expected = on_loopback(), expected_heaps()
    for part in (check_digitisers, check_engines):
        with Catcher(expected) as catcher:
            part(place, catcher)


@contextlib.contextmanager
def engine_namespace():
    """A namespace with an engine's interfaces `rx0` and `tx0`. Their other ends are here."""
    if sys.argv[4:] != ["inside"]:
        trial = subprocess.run(["unshare", "-rn", "ip", "link", "add", "rx", "type", "veth", "peer",
                                "name", "tx"], capture_output=True, text=True)
        if trial.returncode != 0:
            print("SKIP: no network namespace can be made:", trial.stderr.strip())
            sys.exit(77)
        sys.exit(subprocess.run(["unshare", "-rn", sys.executable, *sys.argv, "inside"]).returncode)
    with services.running("unshare", "-n", "sleep", "600") as holder:
        own = Path("/proc/self/ns/net").readlink()
        check(until(lambda: Path(f"/proc/{holder.pid}/ns/net").readlink() != own), "namespace")
        prefix = ("nsenter", "-t", str(holder.pid), "-n")
        for where in ((), prefix):
            subprocess.run([*where, "ip", "link", "set", "dev", "lo", "up"], check=True)
        for i, name in enumerate(("rx0", "tx0")):
            for words in (f"link add to_{name} type veth peer name {name} netns {holder.pid}",
                          f"addr add 10.77.{i}.1/24 dev to_{name}",
                          f"link set dev to_{name} up"):
                subprocess.run(["ip", *words.split()], check=True)
            for words in (f"addr add 10.77.{i}.9/24 dev {name}", f"link set dev {name} up"):
                subprocess.run([*prefix, "ip", *words.split()], check=True)
        yield prefix


def check_interfaces():
    """The interfaces of a digitiser and an engine go down and up, while samples come."""
    with engine_namespace() as prefix:
        place = Place("239.77.0.0+1:7148,239.77.0.8+1:7148", "239.77.1.0", "10.77.0.9", prefix,
                      ("to_rx0", "rx0", "tx0"))
        groups = [f"239.77.1.{i}" for i in range(N_SUBSTREAMS)]
        with Catcher(expected_heaps(), groups, "10.77.1.1") as catcher, \
                engine(place, catcher.port, "engine.json") as service:
            check(until(lambda: is_listening(place.katcp)), "the engine does not start")
            with digitiser(place, "sent.json"):
                check(until(lambda: len(catcher.heaps) > 100), "nothing comes")

                def down(name, where):
                    subprocess.run([*where, "ip", "link", "set", "dev", name, "down"], check=True)
                    time.sleep(SILENCE_S)
                    subprocess.run([*where, "ip", "link", "set", "dev", name, "up"], check=True)
                    now = samples_now()
                    return lambda timestamp: timestamp > now

                for name, where in (("rx0", prefix), ("tx0", prefix), ("to_rx0", ())):
                    recovers(f"the interface {name} goes down and up", catcher,
                             lambda name=name, where=where: down(name, where))
                time.sleep(0.5)
            time.sleep(0.1)
            check(services.end(service) == 0, "the engine's exit code")
        # What is sent in the second after a link comes up, the system may take and drop.
        of_seconds = N_TRIES * N_SUBSTREAMS * RATE_HZ / HEAP_SAMPLES
        received, sent = check_engine("engine.json", catcher.heaps, catcher.n_dropped(),
                                      most_uncounted=of_seconds)
        check(sent["failed_heaps"] > 0 and sent["skipped_heaps"] > 0, "no interface was down")
        counts = json.loads((FOLDER / "sent.json").read_text())["polarisations"]
        for pol, (to, of) in enumerate(zip(received["polarisations"], counts)):
            n_due, n_counted = of["packets"] + of["failed"], to["packets"] + to["missing_packets"]
            check(n_due == n_counted, f"pol {pol}: {n_counted} packets are counted, not {n_due}")


{"services": check_services, "interfaces": check_interfaces}[sys.argv[3]]()
end(" of outages")
