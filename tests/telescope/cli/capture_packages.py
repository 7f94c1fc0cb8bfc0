#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""capture_packages.py WINGBEAT FOLDER: what dsim and fengine capture is read by dpkt and scapy, and
what scapy writes of it is received alike: of other links, of several interfaces, in fragments.

Uses the packages of FOLDER/environment, a virtual environment that it makes. Exit code 77 where the
packages cannot be installed.
"""

import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
import environment  # noqa: E402

environment.enter(sys.argv[2], ["dpkt", "scapy"])

import dpkt  # noqa: E402
from checks import check, end  # noqa: E402
from scapy.layers.inet import IP, UDP, fragment  # noqa: E402
from scapy.layers.l2 import CookedLinux, CookedLinuxV2, Ether  # noqa: E402
from scapy.utils import rdpcap, wrpcap  # noqa: E402

PROGRAM, FOLDER = sys.argv[1], Path(sys.argv[2])


def run(*words):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True)
    check(done.returncode == 0, f"{words[:3]}: {done.stderr.strip()[-300:]}")
    return done


def received(capture, label):
    """Returns what an engine counts of a capture, but for times."""
    stats = FOLDER / "engine.json"
    run("fengine", capture, "--adc-sample-rate", "1e6", "--sync-time", 0, "--send-rate-factor", 0,
        "--engine", "host", "--katcp-port", 0, "--wideband",
        "name=w,channels=64,dst=127.0.0.1:7148,jones_per_batch=16384,dither=none", "--stats", stats,
        "--capture", FOLDER / "sent.pcap")
    text = stats.read_text()
    check(json.loads(text) is not None, label)
    sent = [bytes(packet[UDP].payload) for packet in rdpcap(str(FOLDER / "sent.pcap"))]
    return sorted(each for each in sent if len(each) > 1000)  # without descriptors


run("dsim", "cw(0.2, 1e5)", "wgn(0.1, 1)", "--dst", "127.0.0.1:7150,127.0.0.1:7151",
    "--adc-sample-rate", "1e6", "--samples", 262144, "--as-fast-as-possible",
    "--first-timestamp", 0, "--stats", FOLDER / "sent.json", "--capture", FOLDER / "a.pcap")
told = json.loads((FOLDER / "sent.json").read_text())
n_packets = sum(each["packets"] for each in told["polarisations"])

with open(FOLDER / "a.pcap", "rb") as file:
    reader = dpkt.pcap.Reader(file)
    check(reader.datalink() == 101, f"dpkt: a link of type {reader.datalink()}")
    datagrams = [dpkt.ip.IP(content) for _, content in reader]
check(all(isinstance(each.data, dpkt.udp.UDP) for each in datagrams), "dpkt: other than UDP")
n_data = sum(len(each.data.data) > 1000 for each in datagrams)
check(n_data == n_packets, f"dpkt: {n_data} packets of {n_packets}")

packets = [IP(bytes(each)) for each in rdpcap(str(FOLDER / "a.pcap"))]
for packet in packets[:20]:
    stated = packet.chksum
    del packet.chksum
    check(IP(bytes(packet)).chksum == stated, "scapy: another checksum of IP")

expected = received(FOLDER / "a.pcap", "what dsim wrote")
check(len(expected) > 10, f"{len(expected)} packets of channels")
for label, link in (("Ethernet", Ether()), ("SLL", CookedLinux()), ("SLL2", CookedLinuxV2())):
    wrpcap(str(FOLDER / "b.pcap"), [link / packet for packet in packets])
    check(received(FOLDER / "b.pcap", label) == expected, f"{label}: other packets")
pieces = []
for i, packet in enumerate(packets):
    packet.id = i % 65536
    packet.flags = 0
    pieces += [Ether() / piece for piece in fragment(packet, fragsize=1400)]
check(len(pieces) > 2 * len(packets), "fragments")
wrpcap(str(FOLDER / "b.pcap"), pieces)
check(received(FOLDER / "b.pcap", "fragments") == expected, "fragments: other packets")
blocks = [dpkt.pcapng.SectionHeaderBlockLE(), dpkt.pcapng.InterfaceDescriptionBlockLE(linktype=1),
          dpkt.pcapng.InterfaceDescriptionBlockLE(linktype=113)]
for i, packet in enumerate(packets):
    content = bytes((Ether() if i % 2 == 0 else CookedLinux()) / packet)
    blocks.append(dpkt.pcapng.EnhancedPacketBlockLE(
        iface_id=i % 2, ts_low=i, caplen=len(content), pkt_len=len(content), pkt_data=content))
(FOLDER / "b.pcapng").write_bytes(b"".join(map(bytes, blocks)))
check(received(FOLDER / "b.pcapng", "interfaces") == expected, "two interfaces: other packets")
end(" against dpkt and scapy")
