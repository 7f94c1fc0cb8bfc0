#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clients_test.py WINGBEAT FOLDER: clients of an F-engine's katcp and HTTP ports that connect and
say nothing, or half a line, or garbage, while samples come. Others are answered within a second,
the stream loses nothing, and descriptors are closed when the clients are gone.

100 of them at each port, or 1,000 with WINGBEAT_TEST_FULL=1.
"""

import contextlib
import http.client
import json
import os
import random
import resource
import socket
import threading
import time
from pathlib import Path

from periodic_stream import (FOLDER, check_engine, digitiser, engine, expected_heaps, is_listening,
                             on_loopback, until)
from checks import check, end
from heap_catcher import Catcher
import services

N_CLIENTS = 1000 if "WINGBEAT_TEST_FULL" in os.environ else 100
LIMIT_S = 1.0
DICE = random.Random(29)


def garbage(i):
    """What client i sends: nothing, a part of a request, bytes, or lines of a request's letters."""
    letters = b"?!#[]\\ _0nret@\n\r\t\0gainsensor-list,:/(*)1 GET HTTP/1.1\r\n"
    return (b"", b"?gain wide 0 0.", DICE.randbytes(5000), bytes(DICE.choices(letters, k=5000)),
            b"GET /metrics HTTP/1.1\r\nHost: ")[i % 5]


class Witness:
    """A client of katcp, connected all the time, that asks again and again."""

    def __init__(self, katcp):
        self.connection = socket.create_connection(katcp, timeout=60)
        self.lines = self.connection.makefile("rb")
        self.longest_s, self.n_replies, self.is_done = 0.0, 0, False
        self.thread = threading.Thread(target=self._ask_all)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_done = True
        self.thread.join()
        self.connection.close()

    def ask(self):
        begun_s = time.monotonic()
        self.connection.sendall(b"?sensor-value input0.rx.timestamp\n")
        while not next(self.lines).startswith(b"!sensor-value ok 1"):
            pass
        self.n_replies += 1
        self.longest_s = max(self.longest_s, time.monotonic() - begun_s)

    def _ask_all(self):
        while not self.is_done:
            self.ask()
            time.sleep(0.01)


def seconds_of_katcp(katcp):
    """How long a client waits for its first reply, with the time to connect."""
    begun_s = time.monotonic()
    with socket.create_connection(katcp) as client:
        client.sendall(b"?watchdog\n")
        lines = client.makefile("rb")
        while not next(lines).startswith(b"!watchdog ok"):
            pass
    return time.monotonic() - begun_s


def seconds_of_page(port):
    begun_s = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.request("GET", "/metrics", headers={"Connection": "close"})
    reply = connection.getresponse()
    check(reply.status == 200 and b"fgpu_input_heaps_total" in reply.read(), "metrics")
    connection.close()
    return time.monotonic() - begun_s


def connect_all(port, held):
    for i in range(N_CLIENTS):
        client = held.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60))
        with contextlib.suppress(ConnectionError):  # those that were refused
            client.sendall(garbage(i))


def n_descriptors(service):
    return len(list(Path(f"/proc/{service.pid}/fd").iterdir()))


def check_clients(place, catcher):
    http_port, = services.free_ports(1, socket.SOCK_STREAM)
    with engine(place, catcher.port, "engine.json", "--prometheus-port", http_port) as service:
        check(until(lambda: is_listening(place.katcp)), "the engine does not start")
        # The engine listens for HTTP last.
        check(until(lambda: is_listening(("127.0.0.1", http_port))), "no HTTP is served")
        with digitiser(place, "sent.json"), Witness(place.katcp) as witness:
            check(until(lambda: len(catcher.heaps) > 100), "nothing comes")
            n_before = n_descriptors(service)
            for name, port, seconds in (("katcp", place.katcp[1],
                                         lambda: seconds_of_katcp(place.katcp)),
                                        ("http", http_port, lambda: seconds_of_page(http_port))):
                with contextlib.ExitStack() as held:
                    connect_all(port, held)
                    waited_s = [seconds() for _ in range(5)]
                    print(f"{name}: another client waits", *(f"{each:.3f} s" for each in waited_s))
                    check(max(waited_s) < LIMIT_S, f"{name}: another client waits")
            check(until(lambda: n_descriptors(service) <= n_before, 10),
                  f"{n_descriptors(service)} descriptors, {n_before} before")
        print(f"{witness.n_replies} replies to a client that stays, in {witness.longest_s:.3f} s")
        check(witness.n_replies > 10 and witness.longest_s < LIMIT_S, "a client that stays waits")
        time.sleep(0.1)
        check(services.end(service) == 0, "the engine's exit code")
    sent = json.loads((FOLDER / "sent.json").read_text())["polarisations"]
    check_engine("engine.json", catcher.heaps, catcher.n_dropped(),
                 sum(each["packets"] for each in sent))


hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
with Catcher(expected_heaps()) as all_heaps:
    check_clients(on_loopback(), all_heaps)
end(" of clients")
