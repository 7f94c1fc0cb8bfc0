# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest that has pyvkfft's own suite run on wingbeat, unchanged:

    pytest -p pyvkfft_suite --pyargs pyvkfft.test

Of pyvkfft its Python files are enough, from its source distribution. The suite prints what VkFFT's
kernels are like, which wingbeat's interface does not tell: those columns stay empty. The processes
that the suite starts import this as well, if a `sitecustomize` on their path does.
"""

import sys

from wingbeat.compat import pyvkfft


def _unspoken(base):
    """Returns a class of apps that answer the suite's questions about kernels by nothing."""
    return type("VkFFTApp", (base,), {"get_algo_str": lambda self: "",
                                      "get_nb_upload": lambda self: [],
                                      "get_tmp_buffer_str": lambda self: ""})


pyvkfft.install()
sys.modules["pyvkfft.cuda"].VkFFTApp = _unspoken(pyvkfft.VkFFTApp)
sys.modules["pyvkfft.opencl"].VkFFTApp = _unspoken(pyvkfft.OpenclVkFFTApp)
