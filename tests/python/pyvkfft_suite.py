# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest that has pyvkfft's own suite run on wingbeat, unchanged:

    pytest -p pyvkfft_suite --pyargs pyvkfft.test

Of its thousands of cases, each a kernel of its own that a GPU compiles first, the environment
variable WINGBEAT_PYVKFFT_SHARE runs a part, 0.02 for example, and skips the others: those of cosine
and sine transforms alone take an hour.

Of pyvkfft its Python files are enough, from its source distribution. The suite prints what VkFFT's
kernels are like, which wingbeat's interface does not tell: those columns stay empty. The processes
that the suite starts import this as well, if a `sitecustomize` on their path does.
"""

import functools
import itertools
import math
import os
import sys
import unittest

from wingbeat.compat import pyvkfft


def _sampled(function, share):
    """Returns a check of cases that skips all but a share of them, spread over every loop of the
    suite by the golden ratio."""
    numbers = itertools.count(1)

    @functools.wraps(function)
    def check(*args, **options):
        if math.modf(next(numbers) * (math.sqrt(5) - 1) / 2)[0] >= share:
            raise unittest.SkipTest("not in the share of cases that was asked for")
        return function(*args, **options)
    return check


def _unspoken(base):
    """Returns a class of apps that answer the suite's questions about kernels by nothing."""
    return type("VkFFTApp", (base,), {"get_algo_str": lambda self: "",
                                      "get_nb_upload": lambda self: [],
                                      "get_tmp_buffer_str": lambda self: ""})


pyvkfft.install()
sys.modules["pyvkfft.cuda"].VkFFTApp = _unspoken(pyvkfft.VkFFTApp)
sys.modules["pyvkfft.opencl"].VkFFTApp = _unspoken(pyvkfft.OpenclVkFFTApp)

if "WINGBEAT_PYVKFFT_SHARE" in os.environ:
    from pyvkfft import accuracy
    accuracy.test_accuracy = _sampled(accuracy.test_accuracy,
                                      float(os.environ["WINGBEAT_PYVKFFT_SHARE"]))
