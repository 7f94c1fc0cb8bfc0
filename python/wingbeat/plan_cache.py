# SPDX-License-Identifier: Apache-2.0
"""The plans that this process keeps: one cache for all functions, arrays, devices and threads.

A call looks its plan up by everything that the plan depends on; the least recently used one goes
when the cache is full.

>>> import numpy as np
>>> import wingbeat
>>> wingbeat.plan_cache.clear()
>>> _ = wingbeat.fft.fft(np.ones(8))
>>> wingbeat.plan_cache.info().size
1
"""

from typing import NamedTuple

from wingbeat import _wingbeat
from wingbeat._arguments import integer

__all__ = ["Info", "info", "clear", "resize"]


class Info(NamedTuple):
    """What the cache holds and has done."""

    size: int      #: Plans kept.
    capacity: int  #: Most plans kept.
    hits: int      #: Calls whose plan was there, since the process began.
    misses: int    #: Calls whose plan was made.


def info() -> Info:
    """Returns the plans kept, the most that are, and how often a plan was there and was not.

    >>> wingbeat.plan_cache.info()._fields
    ('size', 'capacity', 'hits', 'misses')
    """
    return Info(_wingbeat.plan_cache_size(), _wingbeat.plan_cache_capacity(),
                _wingbeat.plan_cache_hits(), _wingbeat.plan_cache_misses())


def clear() -> None:
    """Drops every plan, and the queues and workspaces that are kept for streams.

    >>> wingbeat.plan_cache.clear()
    >>> wingbeat.plan_cache.info().size
    0
    """
    _wingbeat.plan_cache_clear()
    _wingbeat.drop_queues()


def resize(capacity: int) -> None:
    """Keeps at most `capacity` plans from now on; 0 keeps none.

    >>> before = wingbeat.plan_cache.info().capacity
    >>> wingbeat.plan_cache.resize(2)
    >>> for n in 8, 9, 10:
    ...     _ = wingbeat.fft.fft(np.ones(n))
    >>> wingbeat.plan_cache.info().size
    2
    >>> wingbeat.plan_cache.resize(before)
    """
    capacity = integer(capacity, "capacity")
    if capacity < 0:
        raise ValueError(f"capacity is {capacity}; give the number of plans to keep, 0 or more")
    _wingbeat.plan_cache_resize(capacity)
