#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""spead2_exchange.py SPEAD_EXCHANGE FOLDER: packets and streams, to and from the package spead2.

Uses the packages of FOLDER/environment, a virtual environment that it makes. Exit code 77 where the
packages cannot be installed.
"""

import random
import socket
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
import environment  # noqa: E402

environment.enter(sys.argv[2], ["numpy", "spead2"], ["--only-binary=:all:"])

import numpy as np  # noqa: E402
import spead2  # noqa: E402
import spead2.recv  # noqa: E402
import spead2.send  # noqa: E402
from checks import check, end  # noqa: E402

PROGRAM = sys.argv[1]
FLAVOUR = spead2.Flavour(4, 64, 48, 0)
NUMBER = [("u", 48)]


def ours(*words, text=None):
    run = subprocess.run([PROGRAM, *words], input=text, capture_output=True, text=True, timeout=60)
    check(run.returncode == 0, f"{words}: {run.stderr.strip()}")
    return run.stdout.splitlines()


def group(items):
    """Items of (id, name, description, shape, dtype, format, value)."""
    made = spead2.send.ItemGroup(flavour=FLAVOUR)
    for number, name, description, shape, dtype, form, value in items:
        made.add_item(number, name, description, shape=shape, dtype=dtype, format=form, value=value)
    return made


def packets(heap, number, length, repeats=False):
    heap.repeat_pointers = repeats
    return [bytes(p).hex() for p in spead2.send.PacketGenerator(heap, number, length)]


def counting(count, seed=0):
    return ((np.arange(count) + seed) % 256).astype(np.uint8)


def number(ident, name, value, text=""):
    return ident, name, text, (), None, NUMBER, value


def check_our_packets():
    """The bytes of our packets are spead2's."""
    lines = [line.split() for line in ours("packets")]

    def written(kind):
        return [digits for name, digits in lines if name == kind]

    digitiser = group([number(0x1600, "timestamp", 0x7000), number(0x3101, "digitiser_id", 1),
                       number(0x3102, "digitiser_status", 7 << 32 | 2),
                       (0x3300, "adc_samples", "", (5120,), np.uint8, None, counting(5120))])
    heap = digitiser.get_heap(descriptors="none", data="all")
    check(written("digitiser") == packets(heap, 8, 9000), "digitiser packet")
    raw = counting(80).astype(np.int8).reshape(4, 5, 2, 2)
    voltages = group([number(0x1600, "timestamp", 0x10000), number(0x4101, "feng_id", 3),
                      number(0x4103, "frequency", 64),
                      (0x4300, "feng_raw", "", raw.shape, np.int8, None, raw)])
    heap = voltages.get_heap(descriptors="none", data="all")
    check(written("repeated") == packets(heap, 5, 104, True), "heap, repeated pointers")
    check(written("once") == packets(heap, 5, 104), "heap, pointers once")
    check(written("stop") == packets(voltages.get_end(), 9, 9000), "stop heap")
    check(written("empty") == packets(spead2.send.Heap(FLAVOUR), 9, 9000), "empty heap")
    described = written("descriptors")
    texts = ("Time of the first spectrum, in ADC samples since the sync time",
             "Number of the F-engine", "Number of the first channel in the heap",
             "Channelised voltages [channel][spectrum][polarisation][re, im]")
    for digits, dtype, form in zip(described, (np.int8, None, np.float32),
                                   (None, [("i", 4)], None)):
        same = group([number(0x1600, "timestamp", None, texts[0]),
                      number(0x4101, "feng_id", None, texts[1]),
                      number(0x4103, "frequency", None, texts[2]),
                      (0x4300, "feng_raw", texts[3], (4, 5, 2, 2), dtype, form, None)])
        heap = same.get_heap(descriptors="all", data="none")
        check([digits] == packets(heap, 5, 9000), f"descriptors {dtype or form}")
    check(len(described) == 3, "three heaps of descriptors")


def check_their_packets():
    """We read the items of heaps that spead2 cuts, of several heaps at a time."""
    generator = random.Random(7)
    for round_number in range(200):
        streams, expected = [], {}
        for ident in range(1, 4):
            items, texts = [], []
            for i in range(generator.randrange(1, 6)):
                if generator.random() < 0.4:
                    value = generator.randrange(2**48)
                    items.append(number(0x1600 + i, f"n{i}", value))
                    texts.append(f"{0x1600 + i:x}={value}")
                else:
                    content = counting(generator.randrange(1, 3000), generator.randrange(256))
                    # Short arrays of fixed size would be immediate.
                    content = np.resize(content, max(content.size, 8))
                    items.append((0x1600 + i, f"a{i}", "", content.shape, np.uint8, None, content))
                    texts.append(f"{0x1600 + i:x}:{content.tobytes().hex()}")
            heap = group(items).get_heap(descriptors="none", data="all")
            expected[ident] = texts
            length = generator.choice((104, 200, 1472, 9000))
            streams.append(packets(heap, ident, length, generator.random() < 0.5))
        lines = []
        while any(streams):
            chosen = generator.choice([s for s in streams if s])
            lines.append(chosen.pop(0))
        read = {}
        for line in ours("decode", text="\n".join(lines) + "\n"):
            words = line.split()
            read[int(words[1])] = words[2:]
        check({k: sorted(v) for k, v in read.items()} ==
              {k: sorted(v) for k, v in expected.items()}, f"round {round_number}")


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def check_our_stream():
    """spead2 receives what we send, by its descriptors, until the stop heaps."""
    ports, streams = [free_port(), free_port()], []
    for port in ports:
        stream = spead2.recv.Stream(spead2.ThreadPool(), spead2.recv.StreamConfig(max_heaps=8))
        stream.add_udp_reader(port, bind_hostname="127.0.0.1", max_size=9000,
                              buffer_size=4 * 1024 * 1024)
        streams.append(stream)
    check(ours("send", *map(str, ports)) == ["10 heaps 0 failed"], "we send ten heaps")
    for i, stream in enumerate(streams):
        items, n_batches = spead2.ItemGroup(), 0
        for heap in stream:
            updated = items.update(heap)
            if "feng_raw" not in updated:
                continue
            expected = counting(65536, n_batches)[i * 32768:][:32768].astype(np.int8)
            check(items["feng_raw"].value.shape == (32, 256, 2, 2), "shape of the voltages")
            check(np.array_equal(items["feng_raw"].value.ravel(), expected),
                  f"voltages {n_batches}")
            values = [items[name].value for name in ("timestamp", "feng_id", "frequency",
                                                     "missing")]
            check(values == [4096 * n_batches, 3, 32 * i, n_batches % 4], f"items {values}")
            n_batches += 1
        check(n_batches == 5, f"{n_batches} batches of substream {i}")


def check_their_stream():
    """We receive what spead2 sends as a digitiser."""
    n_packets = 32
    run = subprocess.Popen([PROGRAM, "receive", str(2 * n_packets + 2)], stdout=subprocess.PIPE,
                           text=True)
    port = int(run.stdout.readline())
    stream = spead2.send.UdpStream(spead2.ThreadPool(), [("127.0.0.1", port)],
                                   spead2.send.StreamConfig(rate=1e8, max_packet_size=5192 + 64))
    items = group([number(0x1600, "timestamp", None), number(0x3101, "digitiser_id", None),
                   number(0x3102, "digitiser_status", None),
                   (0x3300, "adc_samples", "", (5120,), np.uint8, None, None)])
    stream.send_heap(items.get_heap(descriptors="all", data="none"))
    for i in range(n_packets):
        for polarisation in (0, 1):
            items["timestamp"].value = 4096 * i
            items["digitiser_id"].value = polarisation
            items["digitiser_status"].value = i << 32
            items["adc_samples"].value = counting(5120, 3 * i + polarisation)
            stream.send_heap(items.get_heap(descriptors="none", data="all"))
    stream.send_heap(items.get_end())
    lines = run.stdout.read().splitlines()
    check(run.wait() == 0, "our receiver ends well")
    check(lines[0] == f"{2 * n_packets} 2 1 1 {n_packets * (n_packets - 1)}", f"counts {lines[0]}")
    expected = []
    for chunk in range(n_packets // 16):
        for polarisation in (0, 1):
            content = b"".join(counting(5120, 3 * i + polarisation).tobytes()
                               for i in range(16 * chunk, 16 * chunk + 16))
            expected.append(f"{65536 * chunk} {content.hex()}")
    check(lines[1:] == expected, "samples of both polarisations")


for part in (check_our_packets, check_their_packets, check_our_stream, check_their_stream):
    part()
end(f" against spead2 {spead2.__version__}")
