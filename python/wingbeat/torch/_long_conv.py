# SPDX-License-Identifier: Apache-2.0
"""Long convolutions of tensors: operators over the library's `long_convolution`, where rows that fit
a workgroup are one launch, and nothing but the operands is kept for the gradients.

    long_conv(x, filters, skip, gate) -> y
    long_conv_signal_gradient(y_gradient, filters, skip, gate) -> x_gradient
    long_conv_filter_gradient(x, y_gradient, gate, n_taps, dtype, has_skip) -> (filters', skip')

Of the gradients no further gradient is known: where one is asked for, under torch.func and in forward
mode, the function is composed of transforms, which have gradients to any order.
"""

from typing import Any

import numpy as np
import torch

from wingbeat import _wingbeat
from wingbeat._arguments import number
from wingbeat._arrays import library_of
from wingbeat.torch._functions import fft, ifft, irfft, rfft
from wingbeat.torch._operators import _library as _operators
from wingbeat.torch._operators import needs_function
from wingbeat.torch._tensors import good_length

_operators.define("long_conv(Tensor x, Tensor filters, Tensor? skip, Tensor? gate) -> Tensor")
_operators.define("long_conv_signal_gradient(Tensor y_gradient, Tensor filters, Tensor? skip, "
                  "Tensor? gate) -> Tensor")
_operators.define("long_conv_filter_gradient(Tensor x, Tensor y_gradient, Tensor? gate, "
                  "Tensor filters, bool has_skip) -> (Tensor, Tensor)")

_arrays = library_of(torch.empty(0))


def composed(x, filters, skip=None, gate=None):
    """Returns the convolution as transforms and products."""
    n_times, is_real = x.shape[-1], not x.is_complex()
    n = good_length(n_times + filters.shape[-1] - 1, is_real)
    forward, inverse = (rfft, irfft) if is_real else (fft, ifft)
    y = inverse(forward(x, n) * forward(filters, n), n)[..., :n_times]
    if skip is not None:
        y = y + skip[:, None] * x
    return y if gate is None else y * gate


def _rows(x):
    """Returns the described packed tensor as [batch][channel][time]."""
    return _arrays.view(x.reshape(-1, *x.shape[-2:]))


def _described(x):
    return None if x is None else _arrays.view(x)


def _packed(*tensors):
    return (None if x is None else _arrays.aligned(x.contiguous()) for x in tensors)


def _convolved(x, filters, skip, gate, is_gradient):
    x, filters, skip, gate = _packed(x, filters, skip, gate)
    out = torch.empty_like(x)
    if out.numel():
        _wingbeat.long_convolve(_rows(x), _arrays.view(filters), _described(skip),
                                None if gate is None else _rows(gate), _rows(out), is_gradient,
                                _arrays.stream_of(x), _arrays.workspace_near(x))
    return out


def _run(x, filters, skip, gate):
    return _convolved(x, filters, skip, gate, False)


def _run_signal_gradient(y_gradient, filters, skip, gate):
    return _convolved(y_gradient, filters, skip, gate, True)


def _run_filter_gradient(x, y_gradient, gate, filters, has_skip):
    x, y_gradient, gate = _packed(x, y_gradient, gate)
    gradient, skip_gradient = _empty_gradients(x, y_gradient, gate, filters, has_skip)
    if x.numel() == 0:
        return gradient.zero_(), skip_gradient.zero_()
    _wingbeat.long_convolve_kernel_gradient(
        _rows(x), _rows(y_gradient), None if gate is None else _rows(gate), _arrays.view(gradient),
        _arrays.view(skip_gradient) if has_skip else None, _arrays.stream_of(x),
        _arrays.workspace_near(x))
    return gradient, skip_gradient


def _empty_gradients(x, y_gradient, gate, filters, has_skip):
    gradient = torch.empty(filters.shape, dtype=filters.dtype, device=filters.device)
    return gradient, gradient.new_empty(filters.shape[:1] if has_skip else (0,))


for _key in "CPU", "CUDA":
    _operators.impl("long_conv", _run, _key)
    _operators.impl("long_conv_signal_gradient", _run_signal_gradient, _key)
    _operators.impl("long_conv_filter_gradient", _run_filter_gradient, _key)


def _empty_result(x, filters, skip, gate):
    return torch.empty(x.shape, dtype=x.dtype, device=x.device)


torch.library.register_fake("wingbeat::long_conv", _empty_result, lib=_operators)
torch.library.register_fake("wingbeat::long_conv_signal_gradient", _empty_result, lib=_operators)
torch.library.register_fake("wingbeat::long_conv_filter_gradient", _empty_gradients, lib=_operators)


def _setup_context(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def _backward(ctx, y_gradient):
    x, filters, skip, gate = ctx.saved_tensors
    if torch.is_grad_enabled():  # a gradient of the gradient may follow
        return _composed_gradients(ctx, y_gradient)
    operators = torch.ops.wingbeat
    gradients = [None, None, None, None]
    if ctx.needs_input_grad[0]:
        gradients[0] = operators.long_conv_signal_gradient(y_gradient, filters, skip, gate)
    if ctx.needs_input_grad[1] or ctx.needs_input_grad[2]:
        gradients[1], of_skip = operators.long_conv_filter_gradient(x, y_gradient, gate, filters,
                                                                    skip is not None)
        gradients[2] = None if skip is None else of_skip
    if ctx.needs_input_grad[3]:
        gradients[3] = operators.long_conv(x, filters, skip, y_gradient)
    return tuple(gradients)


def _composed_gradients(ctx, y_gradient):
    inputs = ctx.saved_tensors
    needed = [i for i in range(4) if ctx.needs_input_grad[i]]
    found = torch.autograd.grad(composed(*inputs), [inputs[i] for i in needed], y_gradient,
                                create_graph=True)
    by_input = dict(zip(needed, found))
    return tuple(by_input.get(i) for i in range(4))


torch.library.register_autograd("wingbeat::long_conv", _backward, setup_context=_setup_context,
                                lib=_operators)


def _require(x, k, causal):
    if not (isinstance(x, torch.Tensor) and isinstance(k, torch.Tensor)):
        raise TypeError(f"x is of type {type(x).__name__} and k {type(k).__name__}; give tensors, or "
                        "call wingbeat.signal.long_conv")
    if x.layout is not torch.strided or k.layout is not torch.strided:
        raise TypeError(f"x is a {x.layout} tensor and k {k.layout}; give strided ones")
    if not isinstance(causal, (bool, np.bool_)):
        raise TypeError(f"causal is of type {type(causal).__name__}; give True or False, and gate and "
                        "skip by their names")
    if x.dim() == 0 or k.dim() not in (1, 2) or 0 in x.shape[-1:] or 0 in k.shape:
        raise ValueError(f"x has shape {tuple(x.shape)} and k {tuple(k.shape)}; give x as [.., "
                         "channels, L] and k as [channels, K] or [K]")
    if k.dim() == 2 and (x.dim() < 2 or k.shape[0] not in (1, x.shape[-2])):
        raise ValueError(f"k has {k.shape[0]} channels and x has shape {tuple(x.shape)}; give x as "
                         "[.., channels, L]")


def _broadcast(name, value, shape, x):
    """Returns a tensor of this shape beside x; None of None."""
    if value is None:
        return None
    if not isinstance(value, (torch.Tensor, int, float, complex)):
        raise TypeError(f"{name} is of type {type(value).__name__}; give a tensor or a number")
    if not isinstance(value, torch.Tensor):
        is_number = x.is_floating_point() or x.is_complex()
        dtype = x.dtype if is_number else torch.get_default_dtype()
        if isinstance(value, complex):
            dtype = torch.promote_types(dtype, torch.complex32)
        else:
            value = number(value, name)
        value = torch.tensor(value, dtype=dtype, device=x.device)
    try:
        return value.expand(shape)
    except RuntimeError:
        raise ValueError(f"{name} has shape {tuple(value.shape)}; give {tuple(shape)}, or what "
                         "broadcasts to it") from None


def _alike(x, k, gate, skip):
    """Returns the operands in dtypes that the operator takes together."""
    others = [each for each in (k, gate, skip) if each is not None]
    if any(each.device != x.device for each in others):
        raise TypeError("the tensors are on two devices; give all on one")
    dtype = x.dtype
    for each in others:
        dtype = torch.promote_types(dtype, each.dtype)
    is_narrow = x.dtype in (torch.float16, torch.bfloat16) and not dtype.is_complex
    if is_narrow:  # filters are stored as what is computed with, or as the signals are
        dtype = x.dtype if k.dtype == x.dtype else torch.float32
    elif not (dtype.is_floating_point or dtype.is_complex):
        dtype = torch.get_default_dtype()
    of_signals = x.dtype if is_narrow else dtype
    return (x.to(of_signals), k.to(dtype), None if gate is None else gate.to(of_signals),
            None if skip is None else skip.to(dtype))


def long_conv(x: torch.Tensor, k: torch.Tensor, causal: bool = True, gate: Any = None,
              skip: Any = None) -> torch.Tensor:
    """Convolves signals with kernels as long as they are: y = gate * (k (*) x + skip * x), as
    `wingbeat.signal.long_conv` does, with gradients.

    x       [.., channels, L], or [L]
    k       [channels, K], or [K] for all channels
    causal  y[n] = sum over j of k[j] x[n - j], j from 0 to n. Otherwise k is centred on n: its value
            (K - 1) / 2, rounded down, meets x[n]
    gate    [.., channels, L], or what broadcasts to it
    skip    [channels], or a number for all

    Returns y as x is, of the dtype that x, k, gate and skip have in common; of x's where x is float16
    or bfloat16, which are computed in float32, with float32 kernels beside them as well. Complex
    numbers go by transforms of all three operands.

    ValueError for shapes that do not fit, TypeError for what is no tensor.

    >>> long_conv(torch.ones(1, 4), torch.tensor([[1.0, 1.0]])).round()
    tensor([[1., 2., 2., 2.]])
    """
    _require(x, k, causal)
    gate = _broadcast("gate", gate, x.shape, x)
    skip = _broadcast("skip", skip, x.shape[-2:-1], x)
    x, k, gate, skip = _alike(x, k, gate, skip)
    if x.dim() == 1:
        return long_conv(x[None], k, causal, None if gate is None else gate[None],
                         None if skip is None else skip[None])[0]
    n_times, begin = x.shape[-1], 0 if causal else (k.shape[-1] - 1) // 2
    filters = k[..., :n_times + begin].expand(x.shape[-2], -1)
    if begin == 0:
        return _causal(x, filters, skip, gate)
    y = _causal(torch.nn.functional.pad(x, (0, begin)), filters, None, None)[..., begin:]
    if skip is not None:
        y = y + (skip[:, None] * x).to(y.dtype)
    return y if gate is None else y * gate


def _causal(x, filters, skip, gate):
    if x.is_complex() or needs_function():
        return composed(x, filters, skip, gate).to(x.dtype)
    return torch.ops.wingbeat.long_conv(x, filters, skip, gate)
