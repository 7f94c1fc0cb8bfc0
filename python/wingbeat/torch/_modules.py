# SPDX-License-Identifier: Apache-2.0
"""Layers that convolve by Fourier transforms."""

from __future__ import annotations

import math
from typing import Any, Sequence

import torch
from torch import nn

from wingbeat._arguments import integer
from wingbeat.torch._functions import irfftn, rfftn
from wingbeat.torch._long_conv import long_conv
from wingbeat.torch._tensors import good_length


class LongConv(nn.Module):
    """A causal convolution of each channel with a learnt filter as long as the longest row.

    n_channels, n_taps  the shape of `filters`, which are initialised with decaying noise
    has_skip            whether `skip` times the input is added

    Takes and returns [.., channel, time] of at most `n_taps` times, and optionally, as `long_conv`
    does, gates of that shape and lengths of the batch.

    >>> LongConv(8, 1024)(torch.ones(2, 8, 1000)).shape
    torch.Size([2, 8, 1000])
    """

    def __init__(self, n_channels: int, n_taps: int, has_skip: bool = True, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__()
        _require_floating(dtype)
        n_channels, n_taps = integer(n_channels, "n_channels"), integer(n_taps, "n_taps")
        if n_channels < 1 or n_taps < 1:
            raise ValueError(f"n_channels is {n_channels} and n_taps {n_taps}; give 1 or more")
        factory = {"device": device, "dtype": dtype}
        decay = torch.exp(-torch.arange(n_taps, **factory) * (5 / n_taps))
        noise = torch.randn(n_channels, n_taps, **factory) / math.sqrt(n_taps)
        self.filters = nn.Parameter(noise * decay)
        self.skip = nn.Parameter(torch.ones(n_channels, **factory)) if has_skip else None

    def forward(self, x: torch.Tensor, gate: torch.Tensor | None = None,
                gate_before: torch.Tensor | None = None,
                lengths: torch.Tensor | None = None) -> torch.Tensor:
        n_times, n_taps = x.shape[-1], self.filters.shape[-1]
        if n_times > n_taps:
            raise ValueError(f"x has {n_times} times and the filters {n_taps} taps; give at most "
                             "as many times, or more taps to the constructor")
        return long_conv(x, self.filters[:, :n_times], gate=gate, skip=self.skip,
                         gate_before=gate_before, lengths=lengths)

    def extra_repr(self) -> str:
        n_channels, n_taps = self.filters.shape
        return f"{n_channels}, {n_taps}, has_skip={self.skip is not None}"


def _require_floating(dtype):
    """Raises unless parameters may have this dtype; None: torch's default."""
    if dtype is not None and not (isinstance(dtype, torch.dtype) and dtype.is_floating_point):
        raise TypeError(f"dtype is {dtype!r}; give torch.float16, bfloat16, float32 or float64")


def _per_dim(value, n_dims, name, least=1):
    values = (value,) * n_dims if isinstance(value, int) else value
    is_of_integers = isinstance(values, (tuple, list)) and all(isinstance(n, int) for n in values)
    if not is_of_integers or len(values) != n_dims or min(values) < least:
        also = ", 'same' or 'valid'" if name == "padding" else ""
        raise ValueError(f"{name} is {value!r}; give one integer, or {n_dims}, of {least} or more"
                         f"{also}")
    return tuple(values)


def _padding(value, n_dims):
    return value if value in ("same", "valid") else _per_dim(value, n_dims, "padding", 0)


def _sides(padding, reaches, stride):
    """Returns the zeros before and after each dimension, for kernels of these extents."""
    if padding == "valid":
        padding = (0,) * len(reaches)
    if padding != "same":
        return [(n, n) for n in padding]
    if max(stride) > 1:
        raise ValueError(f"padding is 'same' and stride {tuple(stride)}; give numbers, or stride 1")
    return [((n - 1) // 2, n // 2) for n in reaches]


def fft_conv(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None,
             stride: int | Sequence[int] = 1, padding: int | str | Sequence[int] = 0,
             dilation: int | Sequence[int] = 1, groups: int = 1) -> torch.Tensor:
    """Returns the result of torch.nn.functional.conv1d, conv2d or conv3d, by Fourier transforms:
    faster from kernels of about 30 taps, or 11 x 11, on.

    x       [batch, in channel, ..], or without batch; fp16 and bf16 are computed in fp32
    weight  [out channel, in channel / groups, ..], for one, two or three dimensions
    bias    [out channel], or None
    padding with zeros, numbers or 'same' or 'valid'

    >>> fft_conv(torch.ones(1, 1, 5), torch.ones(1, 1, 3)).round()
    tensor([[[3., 3., 3.]]])
    """
    _require_alike(x, weight, bias)
    n_dims = weight.dim() - 2
    if x.dim() == n_dims + 1 > 1:
        return fft_conv(x[None], weight, bias, stride, padding, dilation, groups)[0]
    if x.dtype in (torch.float16, torch.bfloat16) and weight.dtype == x.dtype:
        bias = None if bias is None else bias.float()
        return fft_conv(x.float(), weight.float(), bias, stride, padding, dilation,
                        groups).to(x.dtype)
    if not 1 <= n_dims <= 3 or x.dim() != weight.dim():
        raise ValueError(f"x has shape {tuple(x.shape)} and weight {tuple(weight.shape)}; give "
                         "both 3 to 5 dimensions, [batch, channel, ..] and [out channel, channel, "
                         "..]")
    stride, dilation = (_per_dim(value, n_dims, name) for value, name in (
        (stride, "stride"), (dilation, "dilation")))
    padding, (groups,) = _padding(padding, n_dims), _per_dim(groups, 1, "groups")
    n_out, n_in = weight.shape[:2]
    if x.shape[1] != n_in * groups or n_out % groups:
        raise ValueError(f"x has {x.shape[1]} channels, weight {n_out} x {n_in} and groups is "
                         f"{groups}; give x groups times the channels of weight, and a multiple of "
                         "groups out channels")
    dims = tuple(range(-n_dims, 0))
    spread = _dilated(weight, dilation)
    sides = _sides(padding, spread.shape[2:], stride)
    reach = [n + before + after for n, (before, after) in zip(x.shape[2:], sides)]
    sizes = [n - k + 1 for n, k in zip(reach, spread.shape[2:])]
    if min(sizes) < 1:
        raise ValueError(f"the kernel reaches over {tuple(spread.shape[2:])} and the padded input "
                         f"over {tuple(reach)}; give a larger input or more padding")
    if bias is not None and bias.shape != (n_out,):
        raise ValueError(f"bias has shape {tuple(bias.shape)}; give one number for each of {n_out} "
                         "out channels")
    # Rows are as long as the padded input, so values that wrap around are outside of the valid
    # part.
    lengths = [good_length(n, True) for n in reach]
    inputs = rfftn(x, lengths, dims).unflatten(1, (groups, n_in))
    kernels = rfftn(spread, lengths, dims).unflatten(0, (groups, n_out // groups))
    spectra = torch.einsum("bgi...,goi...->bgo...", inputs, kernels.conj()).flatten(1, 2)
    y = irfftn(spectra, lengths, dims)
    # The padding in front shifts rows, so that the first outputs lie at their end.
    shifts = [before for before, _ in sides]
    if any(shifts):
        y = y.roll(shifts, dims)
    for dim, size, step in zip(range(2, 2 + n_dims), sizes, stride):
        y = y.narrow(dim, 0, size)
        if step > 1:
            y = y[(slice(None),) * dim + (slice(None, None, step),)]
    return y if bias is None else y + bias.view([-1] + [1] * n_dims)


def _require_alike(x, weight, bias):
    """Raises unless operands are tensors of real numbers, of one dtype and on one device."""
    for name, each in (("x", x), ("weight", weight), ("bias", bias)):
        if each is None and name == "bias":
            continue
        if not isinstance(each, torch.Tensor) or not each.is_floating_point():
            kind = each.dtype if isinstance(each, torch.Tensor) else type(each).__name__
            raise TypeError(f"{name} is of {kind}; give a tensor of float16, bfloat16, float32 or "
                            "float64")
        if each.dtype != x.dtype or each.device != x.device:
            raise TypeError(f"x is {x.dtype} on {x.device} and {name} {each.dtype} on "
                            f"{each.device}; give all of one dtype on one device, a layer's by its "
                            "to()")


def _dilated(weight, dilation):
    """Returns the kernel with zeros between its taps."""
    if max(dilation) == 1:
        return weight
    sizes = [d * (k - 1) + 1 for k, d in zip(weight.shape[2:], dilation)]
    spread = weight.new_zeros((*weight.shape[:2], *sizes))
    spread[(slice(None), slice(None), *(slice(None, None, d) for d in dilation))] = weight
    return spread


class _FFTConv:
    """What makes FFTConv1d and FFTConv2d of torch's layers, which have parameters and options."""

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1,
                 groups=1, bias=True, padding_mode="zeros", device=None, dtype=None):
        _require_floating(dtype)
        if padding_mode != "zeros":
            raise ValueError(f"padding_mode is {padding_mode!r}; give 'zeros', and pad otherwise "
                             "by torch.nn.functional.pad before")
        stride, dilation, kernel_size = (_per_dim(value, self.n_dims, name) for value, name in (
            (stride, "stride"), (dilation, "dilation"), (kernel_size, "kernel_size")))
        padding = _padding(padding, self.n_dims)
        _sides(padding, kernel_size, stride)
        in_channels, out_channels, groups = (integer(value, name) for value, name in (
            (in_channels, "in_channels"), (out_channels, "out_channels"), (groups, "groups")))
        if min(in_channels, out_channels, groups) < 1 or in_channels % groups or (
                out_channels % groups):
            raise ValueError(f"in_channels is {in_channels}, out_channels {out_channels} and "
                             f"groups {groups}; give 1 or more, and multiples of groups")
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups,
                         bias, padding_mode, device, dtype)

    def forward(self, x):
        return fft_conv(x, self.weight, self.bias, self.stride, self.padding, self.dilation,
                        self.groups)


class FFTConv1d(_FFTConv, nn.Conv1d):
    """torch.nn.Conv1d by Fourier transforms, with its arguments and parameters, padded with zeros.

    >>> FFTConv1d(2, 3, 65, padding=32)(torch.ones(1, 2, 1000)).shape
    torch.Size([1, 3, 1000])
    """

    n_dims = 1


class FFTConv2d(_FFTConv, nn.Conv2d):
    """torch.nn.Conv2d by Fourier transforms, with its arguments and parameters, padded with zeros.

    >>> FFTConv2d(2, 3, 31, padding=15)(torch.ones(1, 2, 64, 80)).shape
    torch.Size([1, 3, 64, 80])
    """

    n_dims = 2
