# SPDX-License-Identifier: Apache-2.0
"""Long convolutions of numpy's arrays, and the checks of any library's operands."""

import numpy as np

from wingbeat import _sums, _wingbeat


def require_operands(x, k, causal, paired):
    """Raises unless signals and kernels fit each other."""
    for name, value in (("causal", causal), ("paired", paired)):
        if not isinstance(value, (bool, np.bool_)):
            raise TypeError(f"{name} is of type {type(value).__name__}; give True or False, and "
                            "gate and skip by their names")
    if x.ndim == 0 or k.ndim not in (1, 2) or 0 in x.shape[-1:] or 0 in k.shape:
        raise ValueError(f"x has shape {tuple(x.shape)} and k {tuple(k.shape)}; give x as [.., "
                         "channels, L] and k as [channels, K] or [K]")
    if k.ndim == 2 and (x.ndim < 2 or k.shape[0] not in (1, x.shape[-2])):
        raise ValueError(f"k has {k.shape[0]} channels and x has shape {tuple(x.shape)}; give x as "
                         "[.., channels, L]")


def convolved(x, k, causal, skip, gate, gate_before, lengths, paired, kept):
    x, k = _sums.host_operands("long_conv", x, k, other="wingbeat.torch.long_conv")
    require_operands(x, k, causal, paired)
    given = {name: each if is_number(each) else _sums.numpy_library.array(each) for name, each in (
        ("x", x), ("k", k), ("gate", gate), ("skip", skip), ("gate_before", gate_before))
        if each is not None}
    arrays = {name: each for name, each in given.items() if not is_number(each)}
    for name, each in arrays.items():
        if _sums.common_type(each) is None:
            raise TypeError(f"{name} is of {each.dtype}; give numbers of up to double precision")
    dtype = np.result_type(_sums.common_type(*arrays.values()), *filter(is_number, given.values()))
    gate, skip, gate_before = (
        None if name not in given else _broadcast(name, given[name], shape, dtype)
        for name, shape in (("gate", x.shape), ("skip", x.shape[-2:-1]), ("gate_before", x.shape)))
    lengths = None if lengths is None else _lengths(lengths, x.shape)
    if x.size == 0:
        return np.empty(x.shape, dtype)
    begin, end = _sums.long_taps(x.shape[-1], k.shape[-1], causal)
    k = k[..., begin:end]
    if dtype.kind == "f":
        return _long_rows(x, k, skip, (gate_before, gate, lengths, bool(causal), bool(paired)),
                          dtype, kept)
    return _long_transforms(x, k, causal, skip, gate, gate_before, lengths, dtype)


def _lengths(lengths, shape):
    """Returns the length of each signal of the batch."""
    lengths = np.asarray(lengths)
    if lengths.dtype.kind not in "iu":
        raise TypeError(f"lengths is of dtype {lengths.dtype}; give integers")
    if lengths.size and not 0 <= int(lengths.min()) <= int(lengths.max()) <= shape[-1]:
        raise ValueError(f"lengths are from {lengths.min()} to {lengths.max()}; give 0 to "
                         f"{shape[-1]}, the length of x")
    return _broadcast("lengths", lengths.astype(np.uint32), shape[:-2], np.uint32)


def _long_rows(x, k, skip, options, dtype, kept):
    """Returns long convolutions of real signals, by a plan of the library."""
    def packed(values, shape):
        return None if values is None else np.ascontiguousarray(values, dtype).reshape(shape)

    gate_before, gate, lengths, *flags = options
    channels = x.shape[-2] if x.ndim > 1 else 1
    rows = (-1, channels, x.shape[-1])
    signals = packed(x, rows)
    kernels = np.ascontiguousarray(np.broadcast_to(k, (channels, k.shape[-1])), dtype)
    skip = packed(skip, channels)
    if lengths is not None:
        lengths = np.ascontiguousarray(lengths).reshape(-1)
    options = packed(gate_before, rows), packed(gate, rows), lengths, *flags
    spectra = None
    if kept is not None:
        spectra = kept.get((signals.shape, dtype))
        if spectra is None:
            n_bytes = _wingbeat.prepare_long(signals, kernels, skip, options, None)
            spectra = np.empty(n_bytes // 4, np.float32)
            _wingbeat.prepare_long(signals, kernels, skip, options, spectra)
            kept[signals.shape, dtype] = spectra
            while len(kept) > 4:
                kept.popitem(last=False)
    y = (np.empty if lengths is None else np.zeros)(x.shape, dtype)
    _wingbeat.long_convolve(signals, kernels, skip, options, spectra, y.reshape(rows), False)
    return y


def _long_transforms(x, k, causal, skip, gate, gate_before, lengths, dtype):
    """Returns long convolutions of complex signals, by transforms."""
    is_there = True if lengths is None else np.arange(x.shape[-1]) < np.reshape(
        lengths, (*lengths.shape, *(1,) * (x.ndim - lengths.ndim)))
    u = np.where(is_there, x, 0)
    if gate_before is not None:
        u = u * np.where(is_there, gate_before, 0)
    kernels = k.reshape((1,) * (x.ndim - k.ndim) + k.shape)
    mode = "full" if causal else "same"
    y = _sums.transformed(u, kernels, [x.ndim - 1], mode, dtype)[..., :x.shape[-1]]
    if skip is not None:
        y = y + skip[..., None] * u
    if gate is not None:
        y = np.where(is_there, gate, 0) * y
    return y if lengths is None else np.where(is_there, y, 0)


def is_number(value):
    """Returns whether a value is a Python number, which does not widen an array's dtype."""
    return type(value) in (int, float, complex)


def _broadcast(name, value, shape, dtype):
    """Returns a value broadcast to this shape; `dtype` is used for Python numbers."""
    value = np.asarray(value, dtype if is_number(value) else None)
    try:
        return np.broadcast_to(value, shape)
    except ValueError:
        raise ValueError(f"{name} has shape {value.shape}; give {shape}, or what broadcasts to "
                         "it") from None
