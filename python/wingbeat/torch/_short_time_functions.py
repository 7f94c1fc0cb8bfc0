# SPDX-License-Identifier: Apache-2.0
"""Short-time transforms of tensors, as torch's functions and by descriptions; see `_short_time` for
the operators."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from wingbeat._arguments import boolean, count, instance, positive
from wingbeat._short_rows import edge_of, require_lengths, text_of, torch_frames
from wingbeat.short_time import ShortTime
from wingbeat.torch._operators import needs_function
from wingbeat.torch._short_time import (DOUBLE, composed, composed_inverse, divisible, inverted,
                                        real_of, transformed, within)
from wingbeat.torch._tensors import COMPLEX_OF

_TAKEN = (torch.int16, torch.float16, torch.bfloat16, torch.float32, torch.float64,
          torch.complex64, torch.complex128)


def limited(levels, range):
    """Returns the levels [.., frame, column], at least those of each row's largest less `range`.
    NaN is not largest."""
    if not range or not levels.numel():
        return levels
    of_numbers = torch.nan_to_num(levels, -torch.inf, torch.inf, -torch.inf)
    return torch.maximum(levels, of_numbers.amax((-1, -2), True) - range)


def _weights(window, n, x):
    """Returns the weights for samples x, n ones by default, and x in the common precision."""
    if window is None:
        return torch.ones(n, dtype=real_of(x), device=x.device), x
    instance(window, Tensor, "window", "give a tensor of weights")
    if window.dim() != 1 or window.is_complex() or window.device != x.device:
        raise ValueError(f"the window is a {window.dtype} tensor of shape {tuple(window.shape)} on "
                         f"{window.device}; give a row of real weights on {x.device}")
    if window.dtype == torch.float64 and x.dtype not in DOUBLE:
        x = x.to(torch.complex128 if x.is_complex() else torch.float64)
    return window.to(real_of(x)), x


def with_weights(x, window, n=None):
    """Returns weights, n ones for None, and samples of dtypes that the operator takes."""
    return _weights(window, n, _samples(x))


def _samples(x):
    instance(x, Tensor, "input", "give a tensor, or call wingbeat.short_time")
    if x.dim() == 0:
        raise ValueError("the input is a number; give samples [.., L]")
    return x if x.dtype in _TAKEN else x.to(
        torch.complex64 if x.is_complex() else torch.get_default_dtype())


def short_time(x: Tensor, description: ShortTime, lengths: Tensor | None = None,
               window: Tensor | None = None) -> Tensor:
    """Transforms rows [.., L] of samples by a description of `wingbeat.short_time`, with gradients.

    lengths  integers [..], or None: the samples of each row, as in a description's call: refused
             outside 0 to L on a processor, clamped on a GPU, which is not waited for
    window   weights in place of the description's, as many; gradients reach them

    Returns [.., F, T], or averages [.., F]. The gradient of a limit by `range` is torch.maximum's.

    >>> import wingbeat.short_time
    >>> short_time(torch.ones(2, 4000), wingbeat.short_time.whisper()).shape
    torch.Size([2, 80, 25])
    """
    x = _samples(x)
    instance(description, ShortTime, "the description", "give a wingbeat.short_time.ShortTime")
    if window is None:
        window = _weights_of(description, real_of(x), x.device)
    window, x = _weights(window, None, x)
    return of_text(x, window, lengths, *texts_of(description))


@lru_cache(maxsize=64)
def _weights_of(description, dtype, device):
    given = description.window
    given = given if isinstance(given, Tensor) else torch.from_numpy(np.array(given))
    return given.to(device, dtype)


@lru_cache(maxsize=1024)
def texts_of(description):
    """Returns the last arguments of `of_text`, which torch's compiler takes as constants."""
    return (text_of(replace(description, range=0.0)), description.n_weights, description.range,
            description.are_averaged)


def of_text(x, window, lengths, text, n_weights, range, are_averaged):
    """Transforms rows of samples by a description with this text."""
    if window.shape[0] != n_weights:
        raise ValueError(f"the window has {window.shape[0]} weights and the description's "
                         f"{n_weights}; give as many")
    if lengths is not None:
        lengths = torch.as_tensor(lengths)
        require_lengths(lengths.dtype, lengths.shape, x.shape)
        lengths = within(lengths, x.shape[-1]).to(x.device)
    function = composed if needs_function() else transformed
    result = limited(function(x, window, lengths, text), range)
    return result if are_averaged else result.transpose(-1, -2)


def _torch_text(n_fft, hop_length, n_weights, center, pad_mode, normalized, align_to_window):
    hop = n_fft // 4 if hop_length is None else hop_length
    before, slack = torch_frames(n_fft, n_weights, center, align_to_window)
    edge = edge_of(pad_mode, center)
    scale = n_fft**-0.5 if normalized else 1.0
    # As `repr` of a dictionary, of which torch's compiler makes no constant.
    return (f"{{'n_fft': {n_fft}, 'hop': {hop}, 'window': {n_weights}, 'before': {before}, "
            f"'slack': {slack}, 'edge': '{edge}', 'scale': {scale}}}")


def _require(sizes, **flags):
    """Raises TypeError or ValueError for wrong sizes (n_fft, hop_length, win_length) and flags."""
    if torch.compiler.is_compiling():  # where numbers may be symbols
        return
    for value, name in zip(sizes, ("n_fft", "hop_length", "win_length")):
        if value is not None or name == "n_fft":
            positive(value, name)
    for name, value in flags.items():
        if value is not None:
            boolean(value, name)


def stft(input: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None,
         window: Tensor | None = None, center: bool = True, pad_mode: str = "reflect",
         normalized: bool = False, onesided: bool | None = None, return_complex: bool | None = None,
         align_to_window: bool | None = None) -> Tensor:
    """torch.stft, of [.., L] with any number of dimensions, in int16, float16, bfloat16, float32 or
    float64, complex64 or complex128. Padding may be longer than the row. `return_complex` is True
    by default; windows are real. Gradients of any order reach the input and the window; the
    backward pass keeps only these two.

    >>> stft(torch.ones(16000), 400, 160, window=torch.hann_window(400)).shape
    torch.Size([201, 101])
    """
    _require((n_fft, hop_length, win_length), center=center, normalized=normalized,
             onesided=onesided, align_to_window=align_to_window)
    weights, x = with_weights(input, window, n_fft if win_length is None else win_length)
    if win_length not in (None, weights.shape[0]) or weights.shape[0] > n_fft:
        raise ValueError(f"n_fft is {n_fft}, win_length {win_length}, and the window has "
                         f"{weights.shape[0]} weights; give win_length of them, at most n_fft")
    if onesided and x.is_complex():
        raise ValueError("onesided is True and the input complex, whose spectra are whole; leave "
                         "it out")
    if onesided is False and not x.is_complex():
        x = x.to(COMPLEX_OF[real_of(x)])
    text = _torch_text(n_fft, hop_length, weights.shape[0], center, pad_mode, normalized,
                       align_to_window)
    result = transformed(x, weights, None, text).transpose(-1, -2)
    return torch.view_as_real(result) if return_complex is False else result


def istft(input: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None,
          window: Tensor | None = None, center: bool = True, normalized: bool = False,
          onesided: bool | None = None, length: int | None = None, return_complex: bool = False, *,
          leaves_zeros: bool = False) -> Tensor:
    """torch.istft, of [.., F, T] with any number of dimensions, with gradients to the input and the
    window. Samples that no frame has are 0.

    onesided      None: whether there are not n_fft bins
    leaves_zeros  samples whose squared weights add up to 1e-11 or less raise ValueError, on a
                  processor, also under torch.func, or are 0 if True. On a GPU, which is not waited
                  for, they are 0

    >>> spectra = stft(torch.arange(8.0), 4, window=torch.hann_window(4))
    >>> istft(spectra, 4, window=torch.hann_window(4)).round()
    tensor([0., 1., 2., 3., 4., 5., 6., 7.])
    """
    instance(input, Tensor, "input", "give a tensor of spectra")
    _require((n_fft, hop_length, win_length), center=center, normalized=normalized,
             onesided=onesided, return_complex=return_complex, leaves_zeros=leaves_zeros)
    if not input.is_complex() or input.dim() < 2:
        raise ValueError(f"the input is {input.dtype} of shape {tuple(input.shape)}; give complex "
                         "spectra [.., F, T]")
    weights, x = _weights(window, n_fft if win_length is None else win_length, input)
    if x.dtype == torch.complex32:
        x = x.to(torch.complex64)
    if onesided and return_complex:
        raise ValueError("onesided and return_complex are True, and spectra of complex samples are "
                         "whole; give one of them")
    is_whole = return_complex or not (x.shape[-2] != n_fft if onesided is None else onesided)
    if x.shape[-2] != (n_fft if is_whole else n_fft // 2 + 1):
        raise ValueError(f"the input has {x.shape[-2]} bins; give {n_fft // 2 + 1} for n_fft "
                         f"{n_fft}, or {n_fft} with onesided=False")
    if is_whole and not return_complex:
        x = x[..., :n_fft // 2 + 1, :]
    text = _torch_text(n_fft, hop_length, weights.shape[0], center, "constant", normalized, False)
    if length is None:
        hop = n_fft // 4 if hop_length is None else hop_length
        length = (x.shape[-1] - 1) * hop + n_fft - (2 * (n_fft // 2) if center else 0)
    elif not torch.compiler.is_compiling():
        length = count(length, "length")
    x = x.transpose(-1, -2)
    if needs_function():
        if not leaves_zeros:
            weights = divisible(weights, text, length, x.shape[-2])
        return composed_inverse(x, weights, text, length, return_complex)
    return inverted(x, weights, text, length, return_complex, leaves_zeros)
