# SPDX-License-Identifier: Apache-2.0
"""Devices named by a caller, and objects that belong to one."""

from wingbeat import _wingbeat


class OfDevice:
    """An object that holds memory or kernels of a device, so it cannot be copied or sent to another
    process."""

    def __reduce_ex__(self, _):
        raise TypeError(f"a {type(self).__name__} is of a device of this process and is neither "
                        "pickled nor copied; make another from the same arguments")


def queue_on(device):
    """Returns the queue of a `wingbeat.Queue`, a `wingbeat.Device` or an engine's name; None for
    None, the host. Raises ValueError for other names, AbsentError if the engine has no device here.
    """
    if device is None or isinstance(device, _wingbeat.Queue):
        return device
    if isinstance(device, _wingbeat.Device):
        return _wingbeat.Queue(device)
    engine = getattr(_wingbeat.Engine, device, None) if isinstance(device, str) else None
    if engine is None:
        raise ValueError(f"device is {device!r}; give a wingbeat.Device, a wingbeat.Queue, or the "
                         "name of an engine: host, opencl, cuda or reference")
    for found in _wingbeat.devices():
        if found.engine == engine:
            return _wingbeat.Queue(found)
    raise _wingbeat.AbsentError(_wingbeat.why_absent(engine))
