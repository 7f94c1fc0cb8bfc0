# SPDX-License-Identifier: Apache-2.0
"""Long convolutions of tensors: operators over the library's `long_convolution`, where rows that fit
a workgroup are one launch, and nothing but the operands is kept for the gradients.

    long_conv(x, filters, skip, gate) -> y
    long_conv_signal_gradient(y_gradient, filters, skip, gate) -> x_gradient
    long_conv_filter_gradient(x, y_gradient, gate, n_taps, dtype, has_skip) -> (filters', skip')

Of the gradients no further gradient is known: where one is asked for, and under torch.func, the
function is composed of transforms, which have gradients to any order.
"""

from typing import Optional

import torch

from wingbeat import _wingbeat
from wingbeat._arrays import library_of
from wingbeat.torch._functions import irfft, rfft
from wingbeat.torch._operators import _library as _operators

_operators.define("long_conv(Tensor x, Tensor filters, Tensor? skip, Tensor? gate) -> Tensor")
_operators.define("long_conv_signal_gradient(Tensor y_gradient, Tensor filters, Tensor? skip, "
                  "Tensor? gate) -> Tensor")
_operators.define("long_conv_filter_gradient(Tensor x, Tensor y_gradient, Tensor? gate, "
                  "Tensor filters, bool has_skip) -> (Tensor, Tensor)")

_arrays = library_of(torch.empty(0))


def composed(x, filters, skip=None, gate=None):
    """Returns the convolution as transforms and products."""
    n_times = x.shape[-1]
    n = _wingbeat.next_good_length(n_times + filters.shape[-1] - 1, True)
    y = irfft(rfft(x, n) * rfft(filters, n), n)[..., :n_times]
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


def _require(x, filters, skip, gate):
    if x.is_complex() or not x.is_floating_point():
        raise TypeError(f"x is {x.dtype}; give float16, bfloat16, float32 or float64")
    if filters.dim() != 2 or x.dim() < 2 or filters.shape[0] != x.shape[-2]:
        raise ValueError(f"filters have shape {tuple(filters.shape)} and x {tuple(x.shape)}; give "
                         "filters [channel, tap] for x [.., channel, time]")
    if not 1 <= filters.shape[-1] <= x.shape[-1]:
        raise ValueError(f"filters have {filters.shape[-1]} taps and x {x.shape[-1]} times; give at "
                         "most as many taps, and at least one")
    if skip is not None and skip.shape != filters.shape[:1]:
        raise ValueError(f"skip has shape {tuple(skip.shape)} for {filters.shape[0]} channels; give "
                         "one number for each")
    if gate is not None and gate.shape != x.shape:
        raise ValueError(f"gate has shape {tuple(gate.shape)} and x {tuple(x.shape)}; give as many")


def long_conv(x: torch.Tensor, filters: torch.Tensor, skip: Optional[torch.Tensor] = None,
              gate: Optional[torch.Tensor] = None) -> torch.Tensor:
    """Returns the causal convolution of each row with a filter as long as the row, or shorter:

        y[.., c, t] = (sum_s filters[c, s] x[.., c, t - s] + skip[c] x[.., c, t]) gate[.., c, t]

    x        [.., channel, time], float16, bfloat16, float32 or float64; y is alike
    filters  [channel, tap], at most as many taps as x has times; float32 beside narrower x
    skip     [channel], or None
    gate     of the shape of x, or None

    >>> long_conv(torch.ones(1, 4), torch.tensor([[1.0, 1.0]])).round()
    tensor([[1., 2., 2., 2.]])
    """
    _require(x, filters, skip, gate)
    # Filters are stored as what is computed with, or as the signals are.
    wide = torch.float64 if x.dtype == torch.float64 else torch.float32
    filters = filters if filters.dtype == x.dtype else filters.to(wide)
    skip = None if skip is None else skip.to(filters.dtype)
    gate = None if gate is None else gate.to(x.dtype)
    if not torch.compiler.is_compiling() and torch._C._are_functorch_transforms_active():
        return composed(x, filters, skip, gate).to(x.dtype)
    return torch.ops.wingbeat.long_conv(x, filters, skip, gate)
