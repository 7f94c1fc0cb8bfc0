# SPDX-License-Identifier: Apache-2.0
"""Fast Fourier transforms that fuse with their surroundings.

`wingbeat.fft` has SciPy's names and arguments, for arrays of numpy, CuPy, torch, JAX, PyOpenCL and
whatever speaks DLPack; the result is of the same library and on the same device.

>>> import numpy as np
>>> import wingbeat.fft
>>> wingbeat.fft.rfft(np.ones(1000, np.float32))[0]
np.complex64(1000+0j)
"""

import os
import sys
from importlib import import_module

from wingbeat import _wingbeat
from wingbeat._wingbeat import (AbsentError, Device, DeviceError, Engine, PlanError, Queue,
                                __version__, devices)
from wingbeat import plan_cache
from wingbeat.plan import Functor, Layout, Plan, compile_ahead, plan_for

__all__ = ["AbsentError", "Device", "DeviceError", "Engine", "Functor", "Layout", "Plan",
           "PlanError", "Queue", "__version__", "compile_ahead", "devices", "plan_cache",
           "plan_for", "why_absent"]


def why_absent(engine: Engine) -> str:
    """Returns why an engine has no device here, in one sentence; an empty text if it has one.

    >>> wingbeat.why_absent(wingbeat.Engine.host)
    ''
    """
    if not isinstance(engine, Engine):
        raise TypeError(f"engine is {engine!r}; give one of "
                        f"{', '.join(f'wingbeat.Engine.{each.name}' for each in Engine)}")
    return _wingbeat.why_absent(engine)


# Where the extras cu12 and cu13 install NVRTC; the last existing path is tried first.
for _site in reversed(sys.path):
    for _part in ("cuda_nvrtc/lib", "cu13/lib"):
        _folder = os.path.join(_site, "nvidia", _part)
        if os.path.isdir(_folder):
            _wingbeat.add_library_folder(_folder)

# Imported when first used, because most programs need one or two.
_SUBMODULES = {"fft", "scipy", "numpy", "signal", "search", "orientation_search", "match",
               "microscopy", "image", "channelise", "short_time", "torch", "jax", "compat"}


def __getattr__(name):
    if name in _SUBMODULES:
        return import_module(f"wingbeat.{name}")
    raise AttributeError(f"module 'wingbeat' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_SUBMODULES})
