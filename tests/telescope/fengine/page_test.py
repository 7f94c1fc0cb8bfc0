#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""page_test.py WINGBEAT FOLDER: the monitoring page of a running F-engine as Chromium shows it, fed
by `wingbeat dsim` over loopback: what is in the document and on the canvases, in both colour
schemes and in a narrow window, when packets are lost, and when the engine ends and starts again.

Leaves pictures in FOLDER. Exit code 77 where no Chromium is installed.
"""

import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
import browser  # noqa: E402
import services  # noqa: E402
from checks import check, end  # noqa: E402

PROGRAM, FOLDER = sys.argv[1], Path(sys.argv[2])
RATE_HZ = 2e6
TONES_HZ = (300e3, 700e3)  # of each polarisation
N_CHANNELS = 256           # of `wide`, which is half of RATE_HZ
SYNC_TIME = int(time.time()) - 1
OUTPUTS = ("--wideband", f"name=wide,channels={N_CHANNELS},jones_per_batch=16384,dst=127.0.0.1:9",
           "--narrowband", "name=narrow,channels=64,jones_per_batch=4096,decimation=8,"
           "centre_frequency=300e3,dst=127.0.0.1:10")

# What canvases show: the column of the highest point of a line, the brightest column of the newest
# row, and how many seconds of a waterfall are filled.
LOOK = """
function pixels(canvas) {
  const copy = new OffscreenCanvas(canvas.width, canvas.height);
  const context = copy.getContext("2d", {willReadFrequently: true});
  context.drawImage(canvas, 0, 0);
  return context.getImageData(0, 0, canvas.width, canvas.height);
}
function highest(canvas) {
  const image = pixels(canvas), right = canvas.width - plot.right;
  for (let y = plot.top; y < canvas.height; ++y) {
    for (let x = plot.left; x < right; ++x) {
      const i = 4 * (y * canvas.width + x);
      if (image.data[i + 2] - image.data[i] > 60) return x;
    }
  }
  return -1;
}
function brightest(canvas) {
  const image = pixels(canvas);
  let best = -1, most = 0;
  for (let x = plot.left; x < canvas.width - plot.right; ++x) {
    const sum = image.data[4 * x] + image.data[4 * x + 1];
    if (sum > most) { most = sum; best = x; }
  }
  return best;
}
function filled(canvas) {
  const image = pixels(canvas), bottom = canvas.height - plot.axis;
  const at = y => image.data.slice(4 * (y * canvas.width + plot.left + 1)).slice(0, 3).join();
  const background = at(bottom - 1);
  let n = 0;
  for (let y = 0; y < bottom; ++y) if (at(y) !== background) ++n;
  return n / bottom * span_s;
}
function cells(id) {
  return [...document.getElementById(id).rows].map(row => [...row.cells].map(c => c.textContent));
}
function canvas(kind, i) { return document.querySelectorAll("canvas." + kind)[i]; }
function column(hz, i) {
  const {spectrum} = [...[...streams.values()][0].views.values()][i];
  const width = canvas("spectrum", i).clientWidth - plot.left - plot.right;
  const share = ((hz - spectrum.first_hz) / spectrum.step_hz + 0.5) / spectrum.power_db.length;
  return plot.left + share * width;
}
"""


def running(*arguments):
    """A command of the program, ended by SIGTERM, with all that it prints."""
    return services.running(PROGRAM, *arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True)


def engine(sources, http_port, outputs=OUTPUTS):
    return running("fengine", sources, "--adc-sample-rate", RATE_HZ, "--sync-time", SYNC_TIME,
                   "--recv-interface", "lo", "--send-interface", "lo", "--recv-affinity", -1,
                   "--recv-chunk-samples", 1 << 16, "--recv-chunks", 256, "--engine", "host",
                   "--name", "crow", "--katcp-port", 0, "--prometheus-port", http_port, *outputs)


def digitiser(sources, *options):
    signals = (f"cw(0.02, {tone}) + wgn(0.05, {seed + 1})" for seed, tone in enumerate(TONES_HZ))
    return running("dsim", *signals, "--dst", sources, "--adc-sample-rate", RATE_HZ, "--sync-time",
                   SYNC_TIME, "--signal-heaps", 64, *options)


def ports_of(service):
    """The ports of katcp and HTTP, from the service's log."""
    ports = []
    for name in ("katcp", "page and metrics"):
        line = next((line for line in service.stdout if f"{name} on port" in line), None)
        if line is None:
            sys.exit("the F-engine does not start")
        ports.append(int(line.split()[-1]))
    return ports


def set_delays(port):
    request = f"?delays wide {time.time():.0f} 3e-9,0:0.5,0 0,0:0,0\n"
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(request.encode())
        lines = client.makefile()
        reply = next(line for line in lines if line.startswith("!delays"))
    check(reply.startswith("!delays ok"), reply)


def number(text):
    return float(text.replace(",", ""))


def check_spectra(page):
    check(page.until("document.querySelectorAll('canvas.spectrum').length === 4"),
          "two outputs of two polarisations are not shown")
    page.value(LOOK)
    for pol, tone in enumerate(TONES_HZ):
        check(page.until(f"filled(canvas('waterfall', {pol})) >= 2"), f"pol {pol}: no waterfall")
        expected = page.value(f"column({tone}, {pol})")
        for shown in (f"highest(canvas('spectrum', {pol}))",
                      f"brightest(canvas('waterfall', {pol}))"):
            x = page.value(shown)
            check(abs(x - expected) <= 3, f"{shown}: the tone is at {x}, not at {expected}")
        readout = page.value(f"document.querySelectorAll('.readout')[{pol}].textContent")
        megahertz = float(re.search(r"dBFS at ([0-9.]+) MHz", readout)[1])
        check(abs(megahertz * 1e6 - tone) < RATE_HZ / 2 / N_CHANNELS, f"pol {pol}: {readout}")
    check(page.value("brightest(canvas('waterfall', 0)) !== brightest(canvas('waterfall', 1))"),
          "both polarisations show the same")


def check_figures(page):
    check(page.until("cells('rates').length === 6"), "rates")
    check(page.until("cells('rates').every(row => Number(row[1]) > 0)"),
          f"rates {page.value('cells(`rates`)')}")
    received = number(page.value("cells('rates')[0][1]"))
    check(1 < received < 4, f"{received} Msample/s are received, of 2")
    losses = page.value("cells('losses')")
    check(len(losses) >= 10 and all(row[1] == "0" for row in losses), f"losses {losses}")
    check(page.value("document.getElementById('loss').className") == "good", "a loss is announced")
    check(len(page.value("cells('states')")) >= 4, "states")


def check_levels(page):
    check(page.until("cells('levels').length === 6 && "
                     "!cells('levels').some(row => row[1] === '–')"),
          f"levels {page.value('cells(`levels`)')}")
    levels = page.value("cells('levels')")
    # A sine of 0.02 and noise of 0.05 of full scale.
    check(all(-24 < float(row[1]) < -21 and row[2] == "dBFS" for row in levels[:2]), levels)
    check(all(-100 < float(row[1]) < 0 and row[2] == "dBFS" and row[5] == "samples"
              for row in levels[2:]), levels)
    check(page.value("document.title") == "crow, F-engine 0", "the engine's name")


def check_history(page, origin):
    """A page that is opened later has the spectra from before."""
    check(page.until("filled(canvas('waterfall', 0)) > 6"), "no history")
    page.call("Page.navigate", url=origin)
    check(page.until("document.querySelectorAll('canvas.waterfall').length === 4 && "
                     "[...streams.values()][0].views.get(0).past.length > 0"), "no page")
    page.value(LOOK)
    check(page.value("filled(canvas('waterfall', 0)) > 5"), "the history begins with the page")


def check_losses(page):
    check(page.until("cells('losses').some(row => row[0] === 'missing, pol 0' && row[1] !== '0')"),
          "injected losses are not shown")
    for name, label in (("missing", "missing, pol 0"), ("none", "foreign")):
        page.value(f"var {name} = [...document.getElementById('losses').rows]"
                   f".find(row => row.cells[0].textContent === '{label}')")
    colours = [page.value(f"getComputedStyle({shown}).color")
               for shown in ("missing.cells[1]", "document.getElementById('loss')",
                             "none.cells[1]")]
    red, green = (list(map(int, re.findall(r"\d+", colours[i]))) for i in (0, 2))
    check(red[0] > 1.5 * red[1] and colours[1] == colours[0], f"losses are {colours}")
    check(green[1] > red[1] and green[1] > green[0], f"0 losses are {colours[2]}")
    check(page.value("document.getElementById('loss').textContent") == "losing data",
          "losses are not announced")


def check_windows(page):
    backgrounds = []
    for scheme, width in (("dark", 1400), ("light", 1400), ("light", 400)):
        page.prefer(scheme)
        page.resize(width, 1000)
        time.sleep(0.2)
        page.screenshot(FOLDER / f"{scheme}-{width}.png")
        backgrounds.append(page.value("pixels(canvas('spectrum', 0)).data"
                                      "[4 * (canvas('spectrum', 0).width * 40 + plot.left + 3)]"))
        check(page.value("document.documentElement.scrollWidth") <= width,
              f"a window of {width} scrolls sideways")
        check(page.value("canvas('spectrum', 0).width") == page.value(
            "canvas('spectrum', 0).clientWidth"), f"a canvas at {width}")
    check(backgrounds[0] < 100 < backgrounds[1], f"backgrounds {backgrounds}")
    page.resize(1400, 1000)


def check_all(page):
    first, second = services.free_ports(2)
    sources = f"127.0.0.1:{first},127.0.0.1:{second}"
    with engine(sources, 0) as service:
        katcp_port, http_port = ports_of(service)
        origin = f"http://127.0.0.1:{http_port}/"
        page.resize(1400, 1000)
        page.call("Page.navigate", url=origin)
        with digitiser(sources):
            check_spectra(page)
            check_figures(page)
            check_levels(page)
            check_history(page, origin)
            set_delays(katcp_port)
            check(page.until("cells('delays').some(row => row.join() === "
                             "'wide, pol 0,1,3,0,0.5000,0')"),
                  f"delays {page.value('cells(`delays`)')}")
            check_windows(page)
            check(page.value("document.getElementById('age').className") == "good",
                  "the data's age")
        check(page.until("document.getElementById('age').className === 'bad' && "
                         "/^no data for [0-9.]+ s$/.test("
                         "document.getElementById('age').textContent)"),
              "silence is not announced")
        check(page.until("document.querySelectorAll('.panels.stale').length === 2 && "
                         "/ old$/.test(document.querySelector('h2 .bad').textContent)"),
              "old spectra look like those of now")
        check(page.until("cells('sensors').some(row => row[0] === 'input0.rx.timestamp' && "
                         "row[2] === 'error')"), "silence is not among the sensors")
        check(page.value("document.getElementById('alarms').className") == "bad", "no alarm")
        with digitiser(sources, "--drop", 0.1):
            check_losses(page)
    check(page.errors == [], f"errors {page.errors}")
    check(page.until("document.getElementById('state').className === 'bad' && "
                     "document.querySelector('main.stale') !== null"), "the engine's end")
    with engine(sources, http_port, OUTPUTS[:2]) as service, digitiser(sources):
        ports_of(service)
        check(page.until("document.getElementById('state').className === 'good' && "
                         "document.querySelector('main.stale') === null"), "the engine's restart")
        check(page.until("document.querySelectorAll('canvas.spectrum').length === 2"),
              "an output that is no more is shown")
        check(page.until("cells('rates').some(row => Number(row[1]) > 0)"), "rates after restart")
    check(all(url.startswith(origin) for url in page.requests), f"requests {set(page.requests)}")


if browser.installed() is None:
    print("SKIP: no Chromium is installed")
    sys.exit(77)
shutil.rmtree(FOLDER, ignore_errors=True)
FOLDER.mkdir(parents=True)
with browser.Browser(FOLDER / "profile") as chromium:
    check_all(chromium)
end(" of the page")
