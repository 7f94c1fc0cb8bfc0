# SPDX-License-Identifier: Apache-2.0
"""Every public function has an example, and the examples are right."""

import doctest
import importlib
import inspect
import pathlib
import pkgutil
import re

import numpy as np
import pytest

import wingbeat
import wingbeat.fft

# Each needs a library that may be absent.
OPTIONAL = {"wingbeat.torch": "torch", "wingbeat.jax": "jax", "wingbeat.scipy": "scipy"}


def modules():
    yield "wingbeat"
    for found in pkgutil.iter_modules(wingbeat.__path__, "wingbeat."):
        if not found.name.rpartition(".")[2].startswith("_"):
            yield found.name


def imported(name):
    if name in OPTIONAL:
        pytest.importorskip(OPTIONAL[name])
    return importlib.import_module(name)


class Checker(doctest.OutputChecker):
    """Zeros may have either sign, which instruction sets differ in, and blanks before them."""

    def check_output(self, want, got, optionflags):
        want, got = (re.sub(r"\[\s+", "[", re.sub(r"[-+]0\.(?![0-9])", " 0.", text))
                     for text in (want, got))
        return super().check_output(want, got, optionflags | doctest.NORMALIZE_WHITESPACE)


@pytest.mark.parametrize("name", list(modules()))
def test_examples_are_right(name):
    module = imported(name)
    names = {"fft": wingbeat.fft, **vars(module), "np": np, "wingbeat": wingbeat}
    if module is wingbeat.fft:
        names["fft"] = module  # which has a function of that name
    runner = doctest.DocTestRunner(checker=Checker())
    find = doctest.DocTestFinder().find
    for example in find(module, globs=names):
        runner.run(example)
    for name in getattr(module, "__all__", ()):  # those that private modules define
        public = getattr(module, name)
        is_here = getattr(public, "__module__", module.__name__) == module.__name__
        if (inspect.isclass(public) or inspect.isfunction(public)) and not is_here:
            for example in find(public, name, module=False, globs=names):
                runner.run(example)
    assert runner.summarize().failed == 0
    assert runner.tries > 0 or not getattr(module, "__all__", ())


@pytest.mark.parametrize("name", list(modules()))
def test_every_public_function_has_an_example(name):
    module = imported(name)
    without = [public for public in getattr(module, "__all__", ())
               if inspect.isfunction(getattr(module, public))
               and getattr(module, public).__module__ == name
               and ">>>" not in (getattr(module, public).__doc__ or "")]
    assert without == []


def functions_of(public):
    """Returns the functions that a caller of a function or class meets, the initialiser too."""
    if inspect.isfunction(public):
        return [public]
    if not inspect.isclass(public) or issubclass(public, (tuple, Exception)):
        return []
    members = [getattr(each, "fget", None) or getattr(each, "__func__", each)
               for name, each in vars(public).items() if name == "__init__" or name[0] != "_"]
    return [each for each in members if inspect.isfunction(each)]


@pytest.mark.parametrize("name", list(modules()))
def test_every_public_function_states_its_types(name):
    module = imported(name)
    without = []
    for public in getattr(module, "__all__", ()):
        for each in functions_of(getattr(module, public)):
            if not each.__module__.startswith("wingbeat") or hasattr(each, "__wrapped__"):
                continue
            given = {*inspect.signature(each).parameters, "return"} - {"self", "cls"}
            if not given <= {*each.__annotations__}:
                without.append(each.__qualname__)
    assert without == []


def test_the_page_is_right():
    pytest.importorskip("scipy")
    page = pathlib.Path(__file__).parents[2] / "docs" / "python.md"
    example = doctest.DocTestParser().get_doctest(page.read_text(), {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(checker=Checker())
    runner.run(example)
    assert runner.summarize().failed == 0 and runner.tries > 0
