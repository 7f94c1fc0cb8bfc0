#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""aiokatcp_client.py SERVED_ENGINE FOLDER: the control server as aiokatcp, the client of
correlators, sees it: requests, informs, all types and strategies of sensors, and its watcher that
samples all sensors at once.

Uses the package in FOLDER/environment, a virtual environment that it makes. Exit code 77 where the
package cannot be installed.
"""

import asyncio
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
import environment  # noqa: E402

environment.enter(sys.argv[2], ["aiokatcp"])

import aiokatcp  # noqa: E402
from checks import check, end  # noqa: E402


async def refused(client, error, *request):
    try:
        await client.request(*request)
    except error as refusal:
        check(len(str(refusal)) > 10, f"{request}: an empty reason")
    else:
        check(False, f"{request} is accepted")


async def check_requests(client):
    check(client.protocol_flags == frozenset("BIM"), f"flags {client.protocol_flags}")
    reply, informs = await client.request("help")
    check(reply == [str(len(informs)).encode()], "the count of ?help")
    names = {inform.arguments[0].decode() for inform in informs}
    expected = {"gain", "gain-all", "delays", "help", "version-list", "sensor-list", "sensor-value",
                "sensor-sampling", "log-level", "halt", "watchdog", "client-list"}
    check(names == expected, f"requests {names ^ expected}")
    _, informs = await client.request("version-list")
    versions = {inform.arguments[0]: inform.arguments[1:] for inform in informs}
    check(versions[b"katcp-device"][0] == b"katgpucbf-fgpu-1.0", f"versions {versions}")
    await client.request("watchdog")
    reply, informs = await client.request("client-list")
    check(aiokatcp.Address.parse(informs[0].arguments[0]).port > 0, "the address of a client")
    await refused(client, aiokatcp.InvalidReply, "no-such-request")
    await refused(client, aiokatcp.FailReply, "sensor-value", "no-such-sensor")
    replies = await asyncio.gather(*(client.request("gain", "wideband", 0) for _ in range(200)))
    check(all(reply == [b"1.0+0.0j"] for reply, _ in replies), "200 requests at once")


async def check_gains(client):
    values = [complex(k, -k / 7) for k in range(8)]
    reply, _ = await client.request("gain", "wideband", 1, *(str(value) for value in values))
    check(all(abs(complex(text.decode()) - value) < 1e-6 for text, value in zip(reply, values)),
          f"gains {reply}")
    check(await client.sensor_value("steady-state-timestamp", int) == 1000, "steady state of gains")
    await client.request("gain-all", "wideband", "default")
    reply, _ = await client.request("gain", "wideband", 1)
    check(reply == [b"2.5+0.0j"], f"default gain {reply}")
    check(await client.sensor_value("wideband.input1.eq", str) == "[2.5+0.0j]", "sensor of gains")
    await client.request("delays", "narrow", 1.7e9, "1e-9,0.0:0.5,0.25", "-1e-9,0.0:-0.5,0.0")
    check(await client.sensor_value("steady-state-timestamp", int) == 3000,
          "steady state of delays")
    for request in (("gain", "wideband", 0, "nan"), ("gain", "wideband", 0, "1", "2"),
                    ("gain", "wideband", 2), ("gain-all", "x", "1"),
                    ("delays", "wideband", 1.0, "0,0:0,0", "0,0:0,0"),
                    ("delays", "wideband", 1.7e9, "0,0:0,0"),
                    ("delays", "wideband", 1.7e9, "0,1:0,0", "0,0:0,0")):
        await refused(client, aiokatcp.FailReply, *request)
    check(await client.sensor_value("steady-state-timestamp", int) == 3000,
          "a refused request acts")


async def check_sensors(client):
    check(await client.sensor_value("odd", str) == "a b\\c\td\n\r\x1b", "escapes of values")
    _, informs = await client.request("sensor-list", "/^input[01]\\.rx\\./")
    check(len(informs) == 20, f"{len(informs)} sensors match")
    reading = await client.sensor_reading("input0.dig-rms-dbfs", float)
    check(reading.status == aiokatcp.Sensor.Status.UNKNOWN, f"status {reading.status}")
    reading = await client.sensor_reading("rx.device-status")
    check(reading.value in (b"ok", b"degraded", b"fail"), f"discrete {reading.value}")


async def until(condition):
    """Waits until it holds, on a loaded machine too; a minute at most."""
    for _ in range(600):
        if condition():
            return
        await asyncio.sleep(0.1)


async def collect(port, strategy, least):
    """The #sensor-status informs of `ticks` under a strategy, as values: those of a second, or of
    as long as the least number takes; and how long that was."""
    values = []
    begin = time.monotonic()

    def update(timestamp: aiokatcp.Timestamp, n: int, name: str, status: str, value: bytes):
        check(n == 1 and timestamp > 1.6e9 and name == "ticks", "the form of #sensor-status")
        values.append(int(value))

    client = await aiokatcp.Client.connect("127.0.0.1", port)
    client.add_inform_callback("sensor-status", update)
    reply, _ = await client.request("sensor-sampling", "ticks", *strategy)
    expected = [b"ticks"] + [aiokatcp.encode(word) for word in strategy]
    check(reply == expected, f"{reply} for {strategy}")
    reply, _ = await client.request("sensor-sampling", "ticks")
    check(reply == expected, f"{reply} when asked")
    await asyncio.sleep(1.0)
    await until(lambda: len(values) >= least)
    client.close()
    await client.wait_closed()
    return values, time.monotonic() - begin


async def check_sampling(client):
    # Ticks come each 0.1 s; a loaded machine may be late. Each strategy has a client of its own, a
    # number of informs that must come, and a shortest interval between them.
    limits = {("none",): (0, 1e9), ("auto",): (5, 0.1), ("event",): (5, 0.1),
              ("period", 0.05): (8, 0.05), ("differential", 2): (2, 0.3),
              ("event-rate", 0.4, 10.0): (2, 0.4), ("differential-rate", 100, 0.1, 0.3): (2, 0.3)}
    port = client.port
    sampled = await asyncio.gather(*(collect(port, strategy, least)
                                     for strategy, (least, _) in limits.items()))
    for (strategy, (least, interval)), (values, seconds) in zip(limits.items(), sampled):
        most = seconds / interval + (2 if least else 0)
        check(least <= len(values) <= most, f"{strategy}: {len(values)} informs, {values}")
        check(values == sorted(values), f"{strategy}: {values} step back")
    for strategy in (("period",), ("period", "x"), ("differential", -1), ("weekly",)):
        await refused(client, aiokatcp.FailReply, "sensor-sampling", "ticks", *strategy)
    await refused(client, aiokatcp.FailReply, "sensor-sampling", "odd", "differential", 1)


async def check_watcher(client):
    """aiokatcp mirrors all sensors, sampling them in one request."""
    watcher = aiokatcp.SensorWatcher(client)
    client.add_sensor_watcher(watcher)
    await asyncio.wait_for(watcher.synced.wait(), 60)
    check(len(watcher.sensors) == 54, f"{len(watcher.sensors)} sensors are watched")
    check(watcher.sensors["odd"].value == b"a b\\c\td\n\r\x1b", "a watched text")
    check(watcher.sensors["device-status"].type_name == "discrete", "a watched discrete sensor")
    before = watcher.sensors["ticks"].value
    await until(lambda: watcher.sensors["ticks"].value > before)
    check(watcher.sensors["ticks"].value > before, "a watched count stands still")
    client.remove_sensor_watcher(watcher)


async def check_log(client):
    lines = []

    def log(level: aiokatcp.core.LogLevel, timestamp: aiokatcp.Timestamp, name: str, text: str):
        lines.append((level, name, text))

    client.add_inform_callback("log", log)
    check((await client.request("log-level"))[0] == [b"warn"], "the first level")
    await client.request("log-level", "info")
    await until(lambda: lines)
    check((aiokatcp.core.LogLevel.INFO, "served_engine", "a tick") in lines, f"log {lines}")
    await client.request("log-level", "error")
    lines.clear()
    await asyncio.sleep(0.3)
    check(lines == [], f"log {lines} below the level")


def check_http(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
        text = answer.read().decode()
    check("# TYPE ticks_total counter\nticks_total " in text, "metrics")
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=60) as answer:
        check(b"</html>" in answer.read(), "page")


async def run(port, http_port):
    client = await asyncio.wait_for(aiokatcp.Client.connect("127.0.0.1", port), 60)
    for part in (check_requests, check_gains, check_sensors, check_sampling, check_watcher,
                 check_log):
        await asyncio.wait_for(part(client), 200)
    check_http(http_port)
    await client.request("halt")
    await asyncio.wait_for(client.wait_disconnected(), 60)
    client.close()
    await client.wait_closed()


with subprocess.Popen([sys.argv[1]], stdout=subprocess.PIPE, text=True) as server:
    try:
        asyncio.run(run(*map(int, server.stdout.readline().split())))
        check(server.wait(60) == 0, "the server's exit code")
    finally:
        server.kill()
end()
