#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""monitoring_test.py WINGBEAT: the examples of alert rules and of a dashboard parse, and name
metrics, labels and kinds that an F-engine has; all of its losses have an alert.

The rules are parsed where Python's yaml is installed.
"""

import json
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
import services  # noqa: E402
from checks import check, end  # noqa: E402

PROGRAM = sys.argv[1]
EXAMPLES = Path(__file__).parents[2] / "packaging" / "monitoring"
LOSSES = re.compile(r"missing|late|drops|old|timestamp|implausible|duplicate|skipped|failed|age_s")


def metrics_text():
    """What /metrics of an F-engine that receives nothing says."""
    port, = services.free_ports(1)
    arguments = ("fengine", f"127.0.0.1:{port}", "--adc-sample-rate", 1e6, "--sync-time", 1.7e9,
                 "--recv-interface", "lo", "--send-interface", "lo", "--recv-chunk-samples", 65536,
                 "--engine", "host", "--katcp-port", 0, "--prometheus-port", 0, "--wideband",
                 "name=w,channels=64,jones_per_batch=4096,dst=127.0.0.1:9")
    with services.running(PROGRAM, *arguments, stderr=subprocess.PIPE, text=True) as engine:
        line = next((line for line in engine.stderr if "page and metrics on port" in line), "")
        check(line, "the F-engine does not start")
        url = f"http://127.0.0.1:{int(line.split()[-1])}/metrics"
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.read().decode()


def expressions():
    """The expressions of both files, with the labels that their texts name."""
    dashboard = json.loads((EXAMPLES / "dashboard.json").read_text())
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            yield target["expr"], re.findall(r"{{(\w+)}}", target["legendFormat"])
    check(len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"]), "ids")
    try:
        import yaml
    except ImportError:
        print("no yaml: the rules are read as text alone")
        text = (EXAMPLES / "alerts.yml").read_text()
        yield from ((word, []) for word in re.findall(r"(?:fgpu|wingbeat)_\w+", text))
        return
    for group in yaml.safe_load((EXAMPLES / "alerts.yml").read_text())["groups"]:
        for rule in group["rules"]:
            check(set(rule) <= {"alert", "expr", "for", "labels", "annotations"}, f"keys of {rule}")
            yield rule["expr"], re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"])


TEXT = metrics_text()
KINDS = dict(re.findall(r"^# TYPE (\w+) (\w+)$", TEXT, re.MULTILINE))
LABELS = {name: set(re.findall(r'(\w+)="', labels))
          for name, labels in re.findall(r"^(\w+)(?:{(.*)})? ", TEXT, re.MULTILINE)}
named = set()
for expression, labels in expressions():
    metrics = re.findall(r"(?:fgpu|wingbeat)_\w+", expression)
    named.update(metrics)
    known = set().union({"instance"}, *(LABELS.get(metric, set()) for metric in metrics))
    check(set(labels) <= known, f"{labels} in {expression}")
    for metric in metrics:
        check(metric in KINDS, f"no metric {metric} in {expression}")
        changes = re.search(rf"(?:rate|increase)\({metric}\b", expression) is not None
        check(len(labels) == 0 or changes == (KINDS.get(metric) == "counter"),
              f"{metric} is a {KINDS.get(metric)} in {expression}")
rules = (EXAMPLES / "alerts.yml").read_text()
for metric in KINDS:
    check(metric in named, f"neither file names {metric}")
    check(not LOSSES.search(metric) or metric in rules, f"no alert for {metric}")
end(f" of {len(KINDS)} metrics")
