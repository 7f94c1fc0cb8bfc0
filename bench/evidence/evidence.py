#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""evidence.py pages | check ROOT | run PROGRAM FOLDER | trim FILE.json...

The claims of bench/evidence: each QUESTION.json holds runs (device, commit, command, and figures as
rows of columns) and claims, which are expressions over them. QUESTION.md is written from it.

    pages   writes each QUESTION.md anew
    check   pages are what their documents give, and each figure that a page below ROOT links to a
            claim, as in [1.21](bench/evidence/powers_of_two.md#c2c-mean), is that claim's, rounded
    run     asks again, with the program `wingbeat`, what this machine can (those runs whose command
            names an engine that is here), and writes what it found into FOLDER
    trim    prints documents of `wingbeat bench` and `wingbeat_bench` as runs of a QUESTION.json

An expression is [FUNCTION] RUN.COLUMN [COLUMN=VALUE ...], >= and <= too, or two of these with / or
- between; without a function it names one row. Functions: geomean, min, max, median, sum, count.
"""

import json
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FUNCTIONS = {"geomean": statistics.geometric_mean, "min": min, "max": max, "sum": sum,
             "median": statistics.median, "count": len}
TEST = re.compile(r"(\w+)(>=|<=|=)(.+)")
FIGURE = re.compile(r"\[([^\]\[]*)\]\(([^()\s]*?)(bench/evidence/|evidence/)(\w+)\.md#([\w-]+)\)")
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")
SHOWN = 45  # rows of a run that its page lists


def is_kept(row, test):
    """Returns whether a row passes a test such as lengths=1024 or n>=37."""
    found = TEST.fullmatch(test)
    if not found or found[1] not in row:
        raise ValueError(f"'{test}' is no test of a column of {', '.join(row)}")
    have, compare, want = row[found[1]], found[2], found[3]
    if compare == "=":
        return (json.dumps(have).strip('"')) == want
    return float(have) >= float(want) if compare == ">=" else float(have) <= float(want)


def value_of(document, expression):
    """Returns what an expression is worth in a document."""
    for sign in (" / ", " - "):
        if sign in expression:
            left, right = (value_of(document, part) for part in expression.split(sign, 1))
            return left / right if sign == " / " else left - right
    words = expression.split()
    function = FUNCTIONS[words.pop(0)] if words[0] in FUNCTIONS else None
    name, _, column = words.pop(0).partition(".")
    run = document["runs"][name]
    rows = [dict(zip(run["columns"], row)) for row in run["rows"]]
    rows = [row for row in rows if all(is_kept(row, test) for test in words)]
    values = [row[column] for row in rows if row[column] is not None]
    if function:
        return function(values)
    if len(values) != 1:
        raise ValueError(f"'{expression}' names {len(values)} figures, not one")
    return values[0]


def text_of(value):
    if isinstance(value, float):
        return f"{value:.3g}" if 0.01 <= abs(value) < 1000 else f"{value:,.0f}" if value >= 1000 \
            else f"{value:.2g}"
    if isinstance(value, list):
        return ", ".join(text_of(part) for part in value)
    return "" if value is None else str(value)


def page_of(name, document):
    """Returns the page of a question."""
    lines = [f"# {document['question']}", "",
             f"Written by `make evidence` from `{name}.json`, which has every row and column.", ""]
    if "note" in document:
        lines += [document["note"], ""]
    lines += ["| claim | figure | of |", "|---|---|---|"]
    for key, (says, expression) in document["claims"].items():
        figure = text_of(value_of(document, expression))
        lines.append(f"| <a id=\"{key}\"></a>{says} | {figure} | `{expression}` |")
    for key, run in document["runs"].items():
        where = [run.get("device"), "commit " + run["commit"] if "commit" in run else None,
                 run.get("date"), run.get("peers")]
        lines += ["", f"## {key}", "", "; ".join(filter(None, where)) + "."]
        if "note" in run:
            lines += [run["note"]]
        if "command" in run:
            lines += ["", "    " + run["command"]]
        lines += ["", *table_of(run)]
    return "\n".join(lines) + "\n"


def table_of(run):
    """Returns the columns that a page shows, as a table that lies along its long side."""
    shown = [i for i, column in enumerate(run["columns"])
             if column in run.get("shown", []) or "shown" not in run and is_shown(column)]
    if len(run["rows"]) > SHOWN or len(shown) < 2:
        return [f"{len(run['rows'])} rows."]
    cells = [[run["columns"][i]] + [text_of(row[i]) for row in run["rows"]] for i in shown]
    if len(cells) > len(cells[0]) - 1:
        cells = [list(row) for row in zip(*cells)]
    lines = ["| " + " | ".join(row) + " |" for row in cells]
    return [lines[0], "|" + "---|" * len(cells[0]), *lines[1:]]


def is_shown(column):
    return bool(re.fullmatch(r"lengths|us|fraction|\w+_ratio|kind|precision|name|channels", column))


def documents():
    for path in sorted(HERE.glob("*.json")):
        yield path, json.loads(path.read_text("utf-8"))


def fault_of(document, key, text):
    """Returns what is wrong with a figure that a page quotes by a key, or None."""
    if key not in document["claims"]:
        return f"'{key}' is no claim"
    numbers = NUMBER.findall(text)
    if len(numbers) != 1:
        return f"'{text}' is not one figure"
    figure = value_of(document, document["claims"][key][1])
    said = numbers[0].replace(",", "")
    decimals = len(said.partition(".")[2])
    if "e" not in said and abs(round(figure, decimals) - float(said)) < 1e-9:
        return None
    if "e" in said and f"{figure:.{len(said.split('e')[0].replace('.', '')) - 1}e}" == \
            f"{float(said):.{len(said.split('e')[0].replace('.', '')) - 1}e}":
        return None
    return f"'{text}' is said of '{key}', whose document gives {figure:.6g}"


def faults(root, pages):
    """Yields what is wrong with the pages of bench/evidence and with the figures of others."""
    known = {path.stem: document for path, document in documents()}
    for name, document in known.items():
        page = HERE / f"{name}.md"
        if not page.exists() or page.read_text("utf-8") != page_of(name, document):
            yield f"{page.name} is not what {name}.json gives: run make evidence"
    for page in pages:
        for number, line in enumerate(page.read_text("utf-8").split("\n"), 1):
            for text, _, _, name, key in FIGURE.findall(line):
                fault = fault_of(known[name], key, text) if name in known else "no such question"
                if fault:
                    yield f"{page.relative_to(root)}:{number}: {fault}"


def trimmed(document):
    """Returns a document of `wingbeat bench`, or of `wingbeat_bench`, as a run."""
    rows = document["rows"] if "rows" in document else [
        row_of(result) for result in document["results"]]
    columns = list(dict.fromkeys(column for row in rows for column in row))
    device = document["device"]
    if isinstance(device, dict):
        device = f"{device['name']}, {device['version']}"
    head = {"device": device, "commit": document["commit"][:8]}
    head.update({key: document[key] for key in ("date", "command", "peers") if key in document
                 and isinstance(document[key], str)})
    return {**head, "columns": columns,
            "rows": [[rounded(row.get(column)) for column in columns] for row in rows]}


def row_of(result):
    """Returns a result of `wingbeat bench` as a row."""
    ours = result["wingbeat"]
    row = {"lengths": "x".join(map(str, result["lengths"])), "batch": result["batch"],
           "us": ours["median_s"] * 1e6, "fraction": ours.get("fraction")}
    for peer, its in result.get("peers", {}).items():
        name = re.sub(r"wingbeat-peer-|-cuda|-opencl", "", peer)
        row[f"{name}_us"], row[f"{name}_ratio"] = its["median_s"] * 1e6, its["ratio"]
    return row


def rounded(value):
    if isinstance(value, list):
        return [rounded(part) for part in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def run_again(program, folder):
    """Runs what this machine can of the commands of all questions, and trims what they say."""
    here = subprocess.run([program, "devices"], capture_output=True, text=True).stdout
    folder.mkdir(parents=True, exist_ok=True)
    for path, document in documents():
        for key, run in document["runs"].items():
            found = re.search(r"((?:\w+=\S+ )*)wingbeat (bench .*--device (\w+)[^;#]*)",
                              run.get("command", ""))
            if not found or not re.search(rf"^{found[3]}:\d", here, re.M):
                continue
            name = folder / f"{path.stem}-{key}.json"
            words = [*found[2].split(), "--json", str(name)]
            print(f"{found[1]}{program}", *words, flush=True)
            settings = dict(word.split("=") for word in found[1].split())
            if subprocess.run([program, *words], env={**os.environ, **settings}).returncode == 0:
                text = text_of_run(trimmed(json.loads(name.read_text("utf-8"))))
                name.write_text(text + "\n", "utf-8")


def text_of_run(run):
    """Returns a run as JSON, a row on each line."""
    head = {key: value for key, value in run.items() if key != "rows"}
    rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in run["rows"])
    return json.dumps(head, ensure_ascii=False)[:-1] + ', "rows": [\n' + rows + "]}"


if __name__ == "__main__":
    verb, words = (sys.argv[1], sys.argv[2:]) if len(sys.argv) > 1 else ("", [])
    if verb == "pages":
        for path, document in documents():
            path.with_suffix(".md").write_text(page_of(path.stem, document), "utf-8")
    elif verb == "run" and len(words) == 2:
        run_again(words[0], Path(words[1]))
    elif verb == "trim" and words:
        print("\n".join(text_of_run(trimmed(json.loads(Path(word).read_text()))) for word in words))
    else:
        sys.exit(__doc__)
