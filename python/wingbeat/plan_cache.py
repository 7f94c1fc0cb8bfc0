# SPDX-License-Identifier: Apache-2.0
"""The plans that this process keeps: one cache for all functions, arrays, devices and threads.

A call looks its plan up by everything on which the plan depends. The least recently used plans are
dropped if there are more than 64, or their tables take more than 512 MiB; `resize` changes these
limits. The latest plan stays, regardless of its size.

>>> import numpy as np
>>> import wingbeat
>>> wingbeat.plan_cache.clear()
>>> _ = wingbeat.fft.fft(np.ones(8))
>>> wingbeat.plan_cache.info().size
1
"""

from __future__ import annotations

from typing import NamedTuple

from wingbeat import _wingbeat
from wingbeat._arguments import bounds

__all__ = ["Info", "info", "clear", "resize"]


class Info(NamedTuple):
    """The contents and statistics of the cache."""

    size: int      #: Plans kept.
    capacity: int  #: Most plans kept.
    hits: int      #: Calls whose plan was there, since the process began.
    misses: int    #: Calls whose plan was made.
    bytes: int     #: Of the tables of the plans kept, in memory of processors and devices.
    max_bytes: int  #: Most bytes of them.


def info() -> Info:
    """Returns the number of plans and its limit, the hits and misses, the bytes and their limit.

    >>> wingbeat.plan_cache.info()._fields
    ('size', 'capacity', 'hits', 'misses', 'bytes', 'max_bytes')
    """
    return Info(*_wingbeat.plan_cache_info())


def clear() -> None:
    """Drops every plan, and the queues and workspaces that are kept for streams.

    >>> wingbeat.plan_cache.clear()
    >>> wingbeat.plan_cache.info().size
    0
    """
    _wingbeat.plan_cache_clear()
    _wingbeat.drop_queues()


def resize(capacity: int | None = None, max_bytes: int | None = None) -> None:
    """Keeps at most `capacity` plans from now on (0: none), whose tables take at most `max_bytes`;
    None does not change a limit.

    >>> before = wingbeat.plan_cache.info().capacity
    >>> wingbeat.plan_cache.resize(2)
    >>> for n in 8, 9, 10:
    ...     _ = wingbeat.fft.fft(np.ones(n))
    >>> wingbeat.plan_cache.info().size
    2
    >>> wingbeat.plan_cache.resize(before)
    """
    _wingbeat.plan_cache_resize(*bounds(capacity, max_bytes, info().capacity, info().max_bytes))
