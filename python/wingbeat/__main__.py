# SPDX-License-Identifier: Apache-2.0
"""python -m wingbeat info | bench | test | cache: devices and libraries of this machine, speeds,
correctness, and the kernel cache."""

import argparse
import json
import os
import pathlib
import sys

import wingbeat


def cache_folder():
    """Returns the folder of compiled kernels, as docs/engines.md defines it; None if they are not
    kept."""
    named = os.environ.get("WINGBEAT_CACHE")
    if named:
        return None if named == "off" else pathlib.Path(named)
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".cache")
    return pathlib.Path(base) / "wingbeat"


def cached_kernels(folder):
    """Returns the kernel files in `folder`, which may also hold other files."""
    if folder is None:
        return []
    return [each for each in folder.glob("*.kernel") if each.is_file()]


def described_cache():
    folder = cache_folder()
    files = cached_kernels(folder)
    return {"folder": folder and str(folder), "kernels": len(files),
            "bytes": sum(each.stat().st_size for each in files)}


def info(options):
    from wingbeat import _bench
    described = {
        "wingbeat": wingbeat.__version__,
        "python": sys.version.split()[0],
        "devices": [{"engine": each.engine.name, "index": each.index, "name": each.name,
                     "architecture": each.architecture, "version": each.version,
                     "memory_bytes": each.memory_bytes, "units": each.compute_units}
                    for each in wingbeat.devices()],
        "absent": {each.name: wingbeat.why_absent(each) for each in wingbeat.Engine
                   if wingbeat.why_absent(each)},
        "libraries": _bench.library_versions(),
        "plans": wingbeat.plan_cache.info()._asdict(),
        "cache": described_cache(),
    }
    if options.json:
        print(json.dumps(described, indent=1))
        return 0
    print(f"wingbeat {described['wingbeat']} for Python {described['python']}")
    for each in described["devices"]:
        print(f"  {each['engine']}:{each['index']}  {each['name']}, {each['architecture']}, "
              f"{each['version']}")
    for engine, reason in described["absent"].items():
        print(f"  {engine}  absent: {reason}")
    print("arrays of  " + ", ".join(f"{name} {version}" for name, version in
                                    described["libraries"].items()))
    print(f"plans      at most {described['plans']['capacity']} are kept")
    print(f"kernels    {described['cache']['kernels']} in {described['cache']['folder']}, "
          f"{described['cache']['bytes']} bytes")
    return 0


def cache(options):
    folder = cache_folder()
    if options.action == "clear":
        kernels = cached_kernels(folder)
        for each in kernels:
            each.unlink(missing_ok=True)
        print(f"removed {len(kernels)} kernels" + (f" from {folder}" if folder else ""))
        return 0
    print(json.dumps(described_cache(), indent=1))
    return 0


def test(options):
    try:
        import pytest
        import scipy.fft  # noqa: F401
    except ImportError as absent:
        print(f"python -m wingbeat test needs pytest and scipy, and {absent}; install "
              "wingbeat[test]", file=sys.stderr)
        return 2
    suites = ["scipy.fft.tests", "numpy.fft"] + (["scipy.signal"] if options.all else [])
    return pytest.main(["-q", "-p", "wingbeat._suite", "-p", "no:cacheprovider", "--pyargs",
                        *suites])


def bench(options):
    from wingbeat import _bench
    return _bench.run(options)


def positive(text):
    """Returns the number in an option's text. Raises for numbers below 1."""
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is none; give a number, 1 or more")
    return int(text)


def parser():
    result = argparse.ArgumentParser(prog="python -m wingbeat", description=__doc__)
    commands = result.add_subparsers(dest="command", required=True)
    command = commands.add_parser("info", help="devices, libraries, caches")
    command.add_argument("--json", action="store_true", help="as JSON")
    command.set_defaults(run=info)
    command = commands.add_parser("bench", help="times fft beside other libraries")
    command.add_argument("--lengths", default="2^4..2^22",
                         help="numbers, or 2^a..2^b, or 'other' for 30 lengths that are no powers "
                              "of two; separated by commas")
    command.add_argument("--dtype", default="complex64", choices=("complex64", "complex128"))
    command.add_argument("--threads", type=positive, default=1, help="of each library")
    command.add_argument("--rounds", type=positive, default=7, help="in which libraries take turns")
    command.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    command.add_argument("--json", metavar="FILE", help="writes the times there")
    command.add_argument("--plot", metavar="FILE", help="draws them there, with matplotlib")
    command.set_defaults(run=bench)
    command = commands.add_parser("test", help="runs SciPy's and numpy's own suites on wingbeat")
    command.add_argument("--all", action="store_true", help="scipy.signal's too: minutes")
    command.set_defaults(run=test)
    command = commands.add_parser("cache", help="the kernels that are kept on disk")
    command.add_argument("action", nargs="?", choices=("show", "clear"), default="show")
    command.set_defaults(run=cache)
    return result


def main(arguments=None):
    options = parser().parse_args(arguments)
    try:
        return options.run(options)
    except (ValueError, TypeError, RuntimeError, OSError, MemoryError) as refused:
        print(f"python -m wingbeat: {refused}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
