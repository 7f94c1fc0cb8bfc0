#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""state_test.py WINGBEAT FOLDER: gains and delays of an F-engine that is killed by SIGKILL, again
and again, come back from its --state; what it says of a state that is damaged or of another engine;
and what a service manager hears of an F-engine and of a digitiser.
"""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import time

from periodic_stream import (FOLDER, PROGRAM, SYNC_TIME, digitiser, engine, expected_heaps,
                             on_loopback, until)
from checks import check, end
from heap_catcher import Catcher
import services

N_KILLS = 5
STATE = FOLDER / "state.json"


class Katcp:
    """A client that waits until the engine listens."""

    def __init__(self, address):
        self.connection = None

        def connects():
            with contextlib.suppress(OSError):
                self.connection = socket.create_connection(address, timeout=30)
            return self.connection is not None

        check(until(connects), "the engine does not listen")
        self.lines = self.connection.makefile("r")

    def ask(self, request):
        """Returns the words of the reply, and those of the informs of this request."""
        self.connection.sendall((request + "\n").encode())
        name, informs = request[1:].split()[0], []
        for line in self.lines:
            words = line.split()
            if words[0] == "#" + name:
                informs.append(words[1:])
            if words[0] == "!" + name:
                return words[1:], informs
        return [], informs

    def value(self, sensor):
        return self.ask(f"?sensor-value {sensor}")[1][0][4]


def gains(i):
    """Those of all channels in one polarisation, one for all in the other."""
    return " ".join(f"{0.25 + k / 1024}{i % 7 + 1:+d}j" for k in range(256)), f"0.{i + 1}-2.5j"


def check_state_survives(place, port):
    for i in range(N_KILLS):
        of_channels, of_all = gains(i)
        # Before the next start's sync time, and some time ahead.
        past, ahead = SYNC_TIME + 10 + i, int(time.time()) + 3600 + i
        with engine(place, port, "engine.json", "--state", STATE) as service:
            client = Katcp(place.katcp)
            for request in (f"?gain wide 0 {of_channels}", f"?gain wide 1 {of_all}",
                            f"?delays wide {past} 1.5e-6,1e-9:0.5,0 -2e-6,0:0.25,{i}",
                            f"?delays wide {ahead} 3e-6,0:0,0 4e-6,0:0,0"):
                check(client.ask(request)[0][0] == "ok", request[:60])
            steady = int(client.value("steady-state-timestamp"))
            replies = [client.ask(f"?gain wide {pol}") for pol in range(2)]
            eq = client.value("wide.input0.eq")
            check(services.end(service, signal.SIGKILL) == -signal.SIGKILL, "SIGKILL")
        check(not list(FOLDER.glob("state.json.tmp*")), "a temporary file is left")
        with engine(place, port, "engine.json", "--state", STATE) as service:
            client = Katcp(place.katcp)
            check([client.ask(f"?gain wide {pol}") for pol in range(2)] == replies, "gains")
            check(client.value("wide.input0.eq") == eq, "the sensor of gains")
            check(int(client.value("steady-state-timestamp")) == steady, "steady-state-timestamp")
            delays = json.loads(STATE.read_text())["state"]["outputs"][0]["delays"]
            check([each["start_s"] for each in delays] == [past, ahead], f"{delays}")
            with Catcher({}) as nobody, digitiser(place, "sent.json"):
                check(nobody.port > 0, "a port")
                load = str(round((past - SYNC_TIME) * 2e6))
                check(until(lambda: f"({load}," in client.value("wide.input1.delay")),
                      f"the delay's sensor: {client.value('wide.input1.delay')}")
                check(f"({load},\\_-2e-06,\\_0.0,\\_0.25,\\_{i}.0)" ==
                      client.value("wide.input1.delay"), client.value("wide.input1.delay"))


def check_later_synchronisation(place, port):
    """With a later sync time, delays from before it go on from there, as functions of UNIX time."""
    later = SYNC_TIME + 50
    with engine(place, port, "engine.json", "--state", STATE, sync_time=later):
        Katcp(place.katcp)
        delays = json.loads(STATE.read_text())["state"]["outputs"][0]["delays"]
    start = SYNC_TIME + 10 + N_KILLS - 1
    check(delays[0]["start_s"] == later, f"starts at {delays[0]['start_s']}")
    delay, rate, phase, phase_rate = delays[0]["polarisations"][0]
    check(abs(delay - (1.5e-6 + (later - start) * 1e-9)) < 1e-15, f"a delay of {delay}")
    check((rate, phase, phase_rate) == (1e-9, 0.5, 0), "rates and phases")


def refusal(place, port, *options):
    with engine(place, port, "engine.json", "--state", STATE, *options,
                stderr=subprocess.PIPE, text=True) as service:
        service.wait(60)
        return service.returncode, service.stderr.read().splitlines()[-1]


def check_refusals(place, port):
    text = STATE.read_text()
    for changed, sentence in ((text[:len(text) // 2], "is damaged, or is no state of an F-engine"),
                              (text.replace("0.25", "0.26"), "is damaged, because its checksum"),
                              (text.replace("state/1", "state/9"), "has the form")):
        STATE.write_text(changed)
        code, line = refusal(place, port)
        check(code == 4 and sentence in line and str(STATE) in line, f"{code}: {line}")
        check(STATE.read_text() == changed, "the file is another")
    STATE.write_text(text)
    code, line = refusal(place, port, "--feng-id", "3")
    check(code == 4 and "--feng-id is 0, and here 3" in line, f"{code}: {line}")


class Manager:
    """A service manager's socket."""

    def __init__(self, address):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(address.replace("@", "\0"))
        self.socket.settimeout(60)
        self.environment = {**os.environ, "NOTIFY_SOCKET": address}

    def next(self):
        return self.socket.recv(4096).decode().splitlines()


def check_manager(name, manager, service):
    first = manager.next()
    check(first[0] == "READY=1" and first[1].startswith("STATUS="), f"{name}: {first}")
    check([manager.next() for _ in range(2)] == [["WATCHDOG=1"]] * 2, f"{name}: no watchdog")
    service.send_signal(signal.SIGTERM)
    last = manager.next()
    while last == ["WATCHDOG=1"]:
        last = manager.next()
    check(last[0] == "STOPPING=1", f"{name}: {last}")
    check(service.wait(60) == 0, f"{name}: exit code {service.returncode}")


def check_managers(place, port):
    for address in (str(FOLDER / "notify"), f"@wingbeat-test-{os.getpid()}"):
        manager = Manager(address)
        with engine(place, port, "engine.json", env=manager.environment) as service:
            check_manager("fengine", manager, service)
        with digitiser(place, "sent.json", env=manager.environment) as service:
            check_manager("dsim", manager, service)


def check_first_lines(place, port):
    """The version, the sync time and the command line, and what is ignored of fgpu's."""
    with engine(place, port, "engine.json", "--recv-ibv", "--use-vkgdr", "--recv-comp-vector",
                "0", "1", "--recv-affinity", "-1", "-1", "--send-affinity", "-1", log_level="info",
                stderr=subprocess.PIPE, text=True) as service:
        Katcp(place.katcp)
        text = ""
        while "katcp on port" not in text:
            text += service.stderr.readline()
    check(re.search(rf"wingbeat \d+\.\d+\.\d+ \(.*\), sync time {SYNC_TIME}\.0+ "
                    r"\(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\), started as: .*/wingbeat fengine .*"
                    r" --recv-ibv ", text), text)
    check(text.count("ignores --recv-ibv, --recv-comp-vector, --use-vkgdr: of katgpucbf's") == 1,
          text)


expected = expected_heaps()
with Catcher(expected) as catcher:
    for part in (check_state_survives, check_later_synchronisation, check_refusals, check_managers,
                 check_first_lines):
        part(on_loopback(), catcher.port)
end(" of state")
