# SPDX-License-Identifier: Apache-2.0
"""wingbeat as the transforms of SciPy: a backend of `scipy.fft`.

>>> import numpy as np, scipy.fft, scipy.signal
>>> import wingbeat.scipy
>>> with wingbeat.scipy.backend():                 # of this thread, within the statement
...     scipy.fft.fft(np.ones(4))
array([4.+0.j, 0.+0.j, 0.+0.j, 0.+0.j])
>>> wingbeat.scipy.install()                       # of the process, scipy.signal included
>>> scipy.signal.fftconvolve([1, 2], [3, 4]).round(12)
array([ 3., 10.,  8.])
>>> wingbeat.scipy.uninstall()

SciPy itself still transforms long double, masked arrays, and arrays traced by `jax.jit`, and
computes `fht`, because wingbeat does not take these.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wingbeat import fft as _fft
from wingbeat._arrays import is_traced
from wingbeat._kinds import FUNCTIONS

__all__ = ["backend", "install", "uninstall", "reason_to_decline"]

_TRANSFORMS = {name: getattr(_fft, name) for name in FUNCTIONS}


def reason_to_decline(name: str, x: Any) -> str | None:
    """Returns why SciPy itself transforms x, in a word; None if wingbeat does.

    >>> wingbeat.scipy.reason_to_decline("fft", np.ones(4, np.longdouble))
    'long double'
    """
    if name not in _TRANSFORMS:
        return name
    dtype = getattr(x, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype in (np.longdouble, np.clongdouble):
        return "long double"
    if isinstance(x, np.ma.MaskedArray):
        return "masked"  # SciPy drops the mask
    return "traced" if is_traced(x) else None


class Backend:
    """The argument of `scipy.fft.set_backend`, by uarray's protocol. It is not a module, because
    uarray then crashes if a process ends within its context."""

    __ua_domain__ = "numpy.scipy.fft"

    @staticmethod
    def __ua_function__(method, args, kwargs):
        if reason_to_decline(method.__name__, args[0] if args else kwargs.get("x")) is not None:
            return NotImplemented
        transform = _TRANSFORMS[method.__name__]
        if kwargs.get("plan") is not None:
            raise NotImplementedError("a precomputed plan was given, which scipy.fft's functions "
                                      "do not take; call wingbeat.fft's with it")
        return transform(*args, **kwargs)


def backend() -> Any:
    """Returns a context manager within which `scipy.fft` of this thread runs on wingbeat.

    >>> import scipy.fft
    >>> with wingbeat.scipy.backend():
    ...     scipy.fft.dct([1.0, 1.0])
    array([4., 0.])
    """
    import scipy.fft
    return scipy.fft.set_backend(Backend)


def install() -> None:
    """Makes `scipy.fft`, and everything that uses it, run on wingbeat in all threads of this
    process.

    >>> wingbeat.scipy.install()
    >>> wingbeat.scipy.uninstall()
    """
    import scipy.fft
    # A global backend replaces SciPy's own, which must take the calls that this one declines.
    scipy.fft.register_backend("scipy")
    scipy.fft.set_global_backend(Backend)


def uninstall() -> None:
    """Undoes `install`.

    >>> wingbeat.scipy.uninstall()
    """
    import scipy.fft
    scipy.fft.set_global_backend("scipy")
