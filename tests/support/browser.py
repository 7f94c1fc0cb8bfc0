# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, controlled by the DevTools protocol over a pair of pipes."""

import base64
import json
import os
import select
import shutil
import subprocess
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         "--no-first-run", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--hide-scrollbars", "--remote-debugging-pipe")


def installed():
    """The program's path, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One page. All that it requests, and all its errors, are kept."""

    def __init__(self, folder):
        self.requests, self.errors = [], []
        self._n, self._replies, self._unread = 0, {}, b""
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()
        # The browser reads descriptor 3 and writes descriptor 4.
        def connect():
            here, there = os.dup2(to_read, 13), os.dup2(to_write, 14)
            os.dup2(here, 3)
            os.dup2(there, 4)
        self._process = subprocess.Popen(
            [installed(), *FLAGS, f"--user-data-dir={folder}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False,
            preexec_fn=connect)
        os.close(to_read)
        os.close(to_write)
        self._session = None
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=page["targetId"],
                                  flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait()
        os.close(self._to)
        os.close(self._from)

    def call(self, method, **parameters):
        """The result of a method of the protocol; RuntimeError where it fails."""
        self._n += 1
        request = {"id": self._n, "method": method, "params": parameters}
        if self._session:
            request["sessionId"] = self._session
        os.write(self._to, json.dumps(request).encode() + b"\0")
        end = time.monotonic() + 60
        while self._n not in self._replies:
            if time.monotonic() > end:
                raise RuntimeError(f"{method}: no answer in 60 s")
            self._read(1)
        reply = self._replies.pop(self._n)
        if "error" in reply:
            raise RuntimeError(f"{method}: {reply['error']}")
        return reply["result"]

    def value(self, expression):
        """The value of an expression in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def until(self, expression, seconds=30):
        """Waits until an expression holds in the page; returns whether it did."""
        end = time.monotonic() + seconds
        while not self.value(f"!!({expression})"):
            if time.monotonic() > end:
                return False
            time.sleep(0.1)
        return True

    def screenshot(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def resize(self, width, height, ratio=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=ratio, mobile=False)

    def prefer(self, scheme):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def _read(self, seconds):
        if not select.select([self._from], [], [], seconds)[0]:
            return
        data = os.read(self._from, 1 << 20)
        if not data:
            raise RuntimeError("the browser ended")
        *messages, self._unread = (self._unread + data).split(b"\0")
        for message in map(json.loads, messages):
            if "id" in message:
                self._replies[message["id"]] = message
            else:
                self._note(message["method"], message["params"])

    def _note(self, method, parameters):
        if method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.errors.append(str(parameters["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning"):
            self.errors.append(str(parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.errors.append(f"{parameters['entry']['text']} {parameters['entry'].get('url')}")
