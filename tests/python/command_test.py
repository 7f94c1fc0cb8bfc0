# SPDX-License-Identifier: Apache-2.0
"""python -m wingbeat: what it prints, and that it refuses in one sentence."""

import json
import re

import pytest

import wingbeat
from wingbeat.__main__ import main


def printed(capsys, *arguments):
    assert main(arguments) == 0
    return capsys.readouterr().out


def test_tells_what_this_machine_has(capsys):
    described = json.loads(printed(capsys, "info", "--json"))
    assert described["wingbeat"] == wingbeat.__version__
    engines = {each["engine"] for each in described["devices"]}
    assert {"reference", "host"} <= engines
    assert engines | set(described["absent"]) == {"reference", "host", "opencl", "cuda"}
    assert "host:0" in printed(capsys, "info")


def test_times_libraries_in_turns(capsys, tmp_path):
    file = tmp_path / "times.json"
    text = printed(capsys, "bench", "--lengths", "16,2^5..2^6", "--rounds", "1", "--json",
                   str(file))
    assert "scipy" in text
    result = json.loads(file.read_text())
    assert [row["length"] for row in result["rows"]] == [16, 32, 64]
    assert all(seconds > 0 for row in result["rows"] for seconds in row["seconds"].values())
    assert result["ratios"]["wingbeat"] == 1


@pytest.mark.parametrize("arguments,words", (
    (("--lengths", "0"), "--lengths has '0'"),
    (("--lengths", "16,2^40"), "--lengths has '2\\^40'; give numbers from 1 to"),
    (("--lengths", "3..8"), "'3..8'"),
    (("--lengths", "2^8..2^4"), "'2\\^8..2\\^4'"),
    (("--lengths", "16,"), "''"),
    (("--plot", "/nowhere/picture.png"), "nowhere"),
    (("--json", "/nowhere/times.json"), "nowhere"),
    (("--plot", "picture.txt"), "matplotlib|ends in"),
))
def test_refuses_in_one_sentence_before_it_measures(capsys, arguments, words):
    assert main(("bench", *arguments)) == 2
    printed, refusal = capsys.readouterr()
    assert not printed
    assert refusal.startswith("python -m wingbeat: ") and refusal.count("\n") == 1
    assert re.search(words, refusal)


@pytest.mark.parametrize("option", ("--rounds", "--threads"))
@pytest.mark.parametrize("number", ("0", "-1", "1.5"))
def test_takes_only_positive_numbers(capsys, option, number):
    with pytest.raises(SystemExit) as refused:
        main(("bench", option, number))
    assert refused.value.code == 2
    assert f"{number!r} is none; give a number, 1 or more" in capsys.readouterr().err


def test_shows_and_clears_the_cache(capsys, tmp_path, monkeypatch):
    folder = tmp_path / "kernels"
    folder.mkdir()
    (folder / "one.kernel").write_bytes(b"1234")
    (folder / "another's").write_bytes(b"12")
    monkeypatch.setenv("WINGBEAT_CACHE", str(folder))
    assert json.loads(printed(capsys, "cache")) == {"folder": str(folder), "kernels": 1, "bytes": 4}
    printed(capsys, "cache", "clear")
    assert [each.name for each in folder.iterdir()] == ["another's"]
    monkeypatch.setenv("WINGBEAT_CACHE", "off")
    assert json.loads(printed(capsys, "cache"))["folder"] is None
