#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""spead2_receive.py FOLDER: receives a digitiser's packets by the package spead2, as a peer of
bench/receive_packets.cpp, which starts it and speaks with it line by line.

    spead2 VERSION                                    it says first
    open PACKET_BYTES PACKET_SAMPLES CHUNK_PACKETS N_ENDPOINTS BUFFER_BYTES   is answered by
    listening PORT ...                                of 127.0.0.1, until
    stop                                              is answered by
    placed PACKETS                                    of both polarisations, in all chunks

Each packet is a heap. One thread of spead2 places them in chunks, which come through a ring of 8 to
this program's own thread, are counted, and go back. Uses packages of FOLDER/environment, a virtual
environment that it makes; says SKIP with exit code 77 where they cannot be installed.
"""
import contextlib
import ctypes
import socket
import struct
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "support"))
import environment  # noqa: E402

environment.enter(sys.argv[1], ["numpy", "scipy", "numba", "spead2"], ["--only-binary=:all:"])

import numba  # noqa: E402
import numpy as np  # noqa: E402
import scipy  # noqa: E402
import spead2  # noqa: E402
import spead2.recv  # noqa: E402
from numba import types  # noqa: E402
from spead2.numba import intp_to_voidptr  # noqa: E402
from spead2.recv.numba import chunk_place_data  # noqa: E402

TIMESTAMP, DIGITISER, SAMPLES = 0x1600, 0x3101, 0x3300
N_CHUNKS, N_POLS = 8, 2
CONTROL_BYTES = 4096  # room for headers, so that a datagram that is too long is seen


@numba.cfunc(types.void(types.CPointer(chunk_place_data), types.size_t,
                        types.CPointer(types.int64)), nopython=True)
def place(pointer, _size, sizes):
    """Finds a heap's chunk and its place there, or chunk -1."""
    data = numba.carray(pointer, 1)
    packet_bytes, packet_samples, chunk_packets = sizes[0], sizes[1], sizes[2]
    items = numba.carray(intp_to_voidptr(data[0].items), 3, dtype=np.int64)
    timestamp, digitiser, length = items[0], items[1], items[2]
    if timestamp < 0 or digitiser < 0 or length != packet_bytes or timestamp % packet_samples != 0:
        data[0].chunk_id = -1
        return
    packet = timestamp // packet_samples
    data[0].chunk_id = packet // chunk_packets
    index = (digitiser & 1) * chunk_packets + packet % chunk_packets
    data[0].heap_index = index
    data[0].heap_offset = index * packet_bytes


def set_buffer(of, n_bytes):
    """Sets a socket's buffer, beyond the system's limit where that is allowed."""
    force = 33  # SO_RCVBUFFORCE, which the module socket does not name
    for option in (force, socket.SO_RCVBUF):
        with contextlib.suppress(PermissionError):
            of.setsockopt(socket.SOL_SOCKET, option, n_bytes)
            return


class Reception:
    def __init__(self, packet_bytes, packet_samples, chunk_packets, n_endpoints, buffer_bytes):
        self.sizes = np.array([packet_bytes, packet_samples, chunk_packets], np.int64)
        callback = scipy.LowLevelCallable(place.ctypes, user_data=self.sizes.ctypes.data_as(
            ctypes.c_void_p), signature="void (void *, size_t, void *)")
        n_packets = N_POLS * chunk_packets
        self.ring = spead2.recv.ChunkRingbuffer(N_CHUNKS)
        self.stream = spead2.recv.ChunkRingStream(
            spead2.ThreadPool(1),
            spead2.recv.StreamConfig(max_heaps=1, memcpy=spead2.MEMCPY_NONTEMPORAL,
                                     stop_on_stop_item=False),
            spead2.recv.ChunkStreamConfig(items=[TIMESTAMP, DIGITISER, spead2.HEAP_LENGTH_ID],
                                          max_chunks=2, place=callback),
            self.ring, spead2.recv.ChunkRingbuffer(N_CHUNKS))
        for _ in range(N_CHUNKS):
            self.stream.add_free_chunk(spead2.recv.Chunk(
                present=np.zeros(n_packets, np.uint8),
                data=np.zeros(n_packets * packet_bytes, np.uint8)))
        self.n_placed = 0
        self.counting = threading.Thread(target=self._count)
        self.counting.start()
        self.ports = []
        for _ in range(n_endpoints):
            held = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            set_buffer(held, buffer_bytes)
            held.bind(("127.0.0.1", 0))
            self.ports.append(held.getsockname()[1])
            self.stream.add_udp_reader(held, max_size=packet_bytes + CONTROL_BYTES)
            held.close()  # spead2 has its own descriptor of it

    def _count(self):
        for chunk in self.ring:
            self.n_placed += int(np.sum(chunk.present))
            self.stream.add_free_chunk(chunk)

    def stop(self):
        """Stops, after a packet of a far time has moved the chunks out that are open: spead2
        discards them at its end."""
        length, packet_samples, chunk_packets = map(int, self.sizes)
        far = (1 << 40) // (packet_samples * chunk_packets) * packet_samples * chunk_packets
        items = ((1, 2), (2, length), (3, 0), (4, length), (TIMESTAMP, far), (DIGITISER, 0))
        pointers = [1 << 63 | number << 48 | value for number, value in items] + [SAMPLES << 48]
        packet = struct.pack(f">4BHH{len(pointers)}Q", 0x53, 4, 2, 6, 0, len(pointers), *pointers)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(packet + bytes(length), ("127.0.0.1", self.ports[0]))
        time.sleep(0.2)
        self.stream.stop()
        self.counting.join()
        return self.n_placed


def answer(*words):
    print(*words, flush=True)


answer("spead2", spead2.__version__)
reception = None
for line in sys.stdin:
    name, *words = line.split()
    if name == "open":
        reception = Reception(*map(int, words))
        answer("listening", *reception.ports)
    elif name == "stop":
        answer("placed", reception.stop())
        reception = None
