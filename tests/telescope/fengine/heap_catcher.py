# SPDX-License-Identifier: Apache-2.0
"""What an F-engine sends, received and compared in this process."""

import collections
import contextlib
import socket
import struct
import threading
import time
from pathlib import Path

Heap = collections.namedtuple("Heap", "arrival_s timestamp first_channel is_exact")

HEAP_LENGTH, OFFSET, LENGTH, STREAM_CONTROL, TIMESTAMP, FREQUENCY = 2, 3, 4, 6, 0x1600, 0x4103
STOP = 2


class Catcher:
    """Receives heaps on a port of all addresses here, in a thread of its own. `expected` has the
    voltages of every heap, by its first channel. Groups are joined at the interface's address."""

    def __init__(self, expected, groups=(), interface="127.0.0.1"):
        self.expected = expected
        self.heaps, self.stops = [], []  # in the order of arrival; times of stop heaps
        self.parts = {}
        self.is_done = False
        self.n_dropped_before_end = None
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
        self.socket.settimeout(0.05)
        self.socket.bind(("", 0))
        for group in groups:
            self.socket.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                                   socket.inet_aton(group) + socket.inet_aton(interface))
        self.port = self.socket.getsockname()[1]
        self.thread = threading.Thread(target=self._receive)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_done = True
        self.thread.join()
        self.n_dropped_before_end = self.n_dropped()
        self.socket.close()

    def n_dropped(self):
        """Returns how many packets the system dropped, because this process was late."""
        if self.n_dropped_before_end is not None:
            return self.n_dropped_before_end
        local = f":{self.port:04X}"
        rows = [row.split() for row in Path("/proc/net/udp").read_text().splitlines()[1:]]
        return sum(int(row[-1]) for row in rows if row[1].endswith(local))

    def _receive(self):
        while not self.is_done:
            with contextlib.suppress(socket.timeout):
                self._take(self.socket.recv(65536))

    def _take(self, packet):
        n_pointers = struct.unpack_from(">H", packet, 6)[0]
        items = {pointer >> 48 & 0x7fff: pointer & 0xffffffffffff
                 for pointer in struct.unpack_from(f">{n_pointers}Q", packet, 8)}
        now_s = time.monotonic()
        if items.get(STREAM_CONTROL) == STOP:
            self.stops.append(now_s)
        if TIMESTAMP not in items or FREQUENCY not in items:
            return
        name = items[TIMESTAMP], items[FREQUENCY]
        parts = self.parts.setdefault(name, {})
        begin = 8 + 8 * n_pointers
        parts[items[OFFSET]] = packet[begin:begin + items[LENGTH]]
        if sum(map(len, parts.values())) < items[HEAP_LENGTH]:
            return
        del self.parts[name]
        voltages = b"".join(parts[offset] for offset in sorted(parts))
        self.heaps.append(Heap(now_s, *name, voltages == self.expected.get(items[FREQUENCY])))
