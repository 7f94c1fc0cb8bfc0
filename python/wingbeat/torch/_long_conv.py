# SPDX-License-Identifier: Apache-2.0
"""Long convolutions of tensors: operators over the library's `long_convolution`. Rows that fit a
workgroup take one launch, and only the operands are kept for the gradients.

    long_conv(x, filters, skip, gate, gate_before, lengths, spectra, causal, paired) -> y
    long_conv_signal_gradient(y_gradient, filters, ..) -> x_gradient
    long_conv_filter_gradient(x, y_gradient, filters, has_skip, gate, ..) -> (filters', skip')
    long_conv_gradients(x, y_gradient, filters, skip, gate, ..) -> (x', filters', skip')

The gradients themselves have no gradient: if one is needed, under torch.func and in forward mode,
the function is composed of transforms, which have gradients of any order.
"""

from collections import OrderedDict
from typing import Any

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

from wingbeat import _wingbeat
from wingbeat._arguments import number
from wingbeat._arrays import library_of
from wingbeat._long_rows import require_operands
from wingbeat._sums import long_taps
from wingbeat.torch._functions import fft, ifft, irfft, rfft
from wingbeat.torch._operators import _library as _operators
from wingbeat.torch._operators import needs_function
from wingbeat.torch._tensors import good_length

# Without defaults, because torch omits arguments that equal them, and then expects fewer gradients.
for _name, _given in ("long_conv", "x"), ("long_conv_signal_gradient", "y_gradient"):
    _operators.define(f"{_name}(Tensor {_given}, Tensor filters, Tensor? skip, Tensor? gate, "
                      "Tensor? gate_before, Tensor? lengths, Tensor? spectra, bool causal, bool "
                      "paired) -> Tensor")
_operators.define("long_conv_filter_gradient(Tensor x, Tensor y_gradient, Tensor filters, bool "
                  "has_skip, Tensor? gate, Tensor? gate_before, Tensor? lengths, bool causal, bool "
                  "paired) -> (Tensor, Tensor)")
_operators.define("long_conv_gradients(Tensor x, Tensor y_gradient, Tensor filters, Tensor? skip, "
                  "Tensor? gate, Tensor? gate_before, Tensor? lengths, Tensor? spectra, bool "
                  "causal, bool paired) -> (Tensor, Tensor, Tensor)")

_arrays = library_of(torch.empty(0))


def composed(x, filters, skip, gate, gate_before, lengths, spectra, causal, paired):
    """Returns the convolution as transforms and products, separately for each signal."""
    n_times, n_taps, is_real = x.shape[-1], filters.shape[-1], not x.is_complex()
    start = 0 if causal else (n_taps - 1) // 2
    is_there = None
    if lengths is not None:
        is_there = torch.arange(n_times, device=x.device) < lengths[..., None, None]

    def within(values):
        return values if is_there is None else torch.where(is_there, values, 0)

    u = within(x) if gate_before is None else within(x) * within(gate_before)
    n = good_length(n_times + n_taps - 1, is_real)
    forward, inverse = (rfft, irfft) if is_real else (fft, ifft)
    y = inverse(forward(u, n) * forward(filters, n), n)[..., start:start + n_times]
    if skip is not None:
        y = y + skip[:, None] * u
    return within(y if gate is None else y * within(gate))


def _rows(x):
    """Returns the packed tensor as [batch][channel][time]; None for None."""
    return None if x is None else x.reshape(-1, *x.shape[-2:])


def _packed(*tensors):
    return (None if x is None else _arrays.aligned(x.contiguous()) for x in tensors)


def _options(gate_before, gate, lengths, causal, paired):
    """Returns the options of the binding, as packed tensors."""
    lengths = None if lengths is None else lengths.reshape(-1)
    return _rows(gate_before), _rows(gate), lengths, causal, paired


def _empty(x, lengths):
    return torch.empty(x.shape, dtype=x.dtype, device=x.device) if lengths is None else \
        torch.zeros(x.shape, dtype=x.dtype, device=x.device)


def _convolved(x, filters, skip, gate, gate_before, lengths, spectra, causal, paired, is_gradient):
    x, filters, skip, gate, gate_before, lengths = _packed(x, filters, skip, gate, gate_before,
                                                           lengths)
    out = _empty(x, lengths)
    if out.numel():
        _wingbeat.long_convolve(_rows(x), filters, skip,
                                _options(gate_before, gate, lengths, causal, paired), spectra,
                                _rows(out), is_gradient)
    return out


def _run(*arguments):
    return _convolved(*arguments, False)


def _run_signal_gradient(*arguments):
    return _convolved(*arguments, True)


def _run_filter_gradient(x, y_gradient, filters, has_skip, gate, gate_before, lengths, causal,
                         paired):
    return _gradients(x, y_gradient, filters, None, has_skip, gate, gate_before, lengths, None,
                      causal, paired, None)


def _run_gradients(x, y_gradient, filters, skip, gate, gate_before, lengths, spectra, causal,
                   paired):
    x_gradient = _empty(x, lengths)  # packed
    return x_gradient, *_gradients(x, y_gradient, filters, skip, skip is not None, gate,
                                   gate_before, lengths, spectra, causal, paired, x_gradient)


def _gradients(x, y_gradient, filters, skip, has_skip, gate, gate_before, lengths, spectra, causal,
               paired, x_gradient):
    """Returns the gradients of filters and skips, and writes that of x unless it is None."""
    x, y_gradient, filters, skip, gate, gate_before, lengths = _packed(
        x, y_gradient, filters, skip, gate, gate_before, lengths)
    gradient, skip_gradient = _empty_gradients(x, y_gradient, filters, has_skip)
    if x.numel() == 0:
        return gradient.zero_(), skip_gradient.zero_()
    out = _rows(x_gradient), gradient, skip_gradient if has_skip else None
    _wingbeat.long_convolve_gradients(_rows(x), filters, skip, _rows(y_gradient),
                                      _options(gate_before, gate, lengths, causal, paired), spectra,
                                      out)
    return gradient, skip_gradient


def _empty_gradients(x, y_gradient, filters, has_skip, *options):
    gradient = torch.empty(filters.shape, dtype=filters.dtype, device=filters.device)
    return gradient, gradient.new_empty(filters.shape[:1] if has_skip else (0,))


for _key in "CPU", "CUDA":
    _operators.impl("long_conv", _run, _key)
    _operators.impl("long_conv_signal_gradient", _run_signal_gradient, _key)
    _operators.impl("long_conv_filter_gradient", _run_filter_gradient, _key)
    _operators.impl("long_conv_gradients", _run_gradients, _key)


def _empty_result(x, filters, *options):
    return torch.empty(x.shape, dtype=x.dtype, device=x.device)


torch.library.register_fake("wingbeat::long_conv", _empty_result, lib=_operators)
torch.library.register_fake("wingbeat::long_conv_signal_gradient", _empty_result, lib=_operators)
torch.library.register_fake("wingbeat::long_conv_filter_gradient", _empty_gradients, lib=_operators)
torch.library.register_fake(
    "wingbeat::long_conv_gradients", lambda x, y_gradient, filters, skip, *options:
    (_empty_result(x, filters), *_empty_gradients(x, y_gradient, filters, skip is not None)),
    lib=_operators)


def _setup_context(ctx, inputs, output):
    ctx.save_for_backward(*inputs[:7])
    ctx.flags = inputs[7:]


def _backward(ctx, y_gradient):
    x, filters, skip, gate, gate_before, lengths, spectra = ctx.saved_tensors
    if torch.is_grad_enabled():  # gradients of gradients may follow
        return _composed_gradients(ctx, y_gradient)
    operators, flags, needed = torch.ops.wingbeat, ctx.flags, ctx.needs_input_grad
    gradients = [None] * 9
    if needed[0] and (needed[1] or needed[2]):
        gradients[0], gradients[1], of_skip = operators.long_conv_gradients(
            x, y_gradient, filters, skip, gate, gate_before, lengths, spectra, *flags)
        gradients[2] = None if skip is None else of_skip
    elif needed[0]:
        gradients[0] = operators.long_conv_signal_gradient(y_gradient, filters, skip, gate,
                                                           gate_before, lengths, spectra, *flags)
    elif needed[1] or needed[2]:
        gradients[1], of_skip = operators.long_conv_filter_gradient(
            x, y_gradient, filters, skip is not None, gate, gate_before, lengths, *flags)
        gradients[2] = None if skip is None else of_skip
    if needed[3]:
        gradients[3] = operators.long_conv(x, filters, skip, y_gradient, gate_before, lengths,
                                           spectra, *flags)
    if needed[4]:
        gradients[4] = operators.long_conv_signal_gradient(y_gradient, filters, skip, gate, x,
                                                           lengths, spectra, *flags)
    return tuple(gradients)


def _composed_gradients(ctx, y_gradient):
    inputs = ctx.saved_tensors
    needed = [i for i in range(5) if ctx.needs_input_grad[i]]
    found = torch.autograd.grad(composed(*inputs, *ctx.flags), [inputs[i] for i in needed],
                                y_gradient, create_graph=True)
    by_input = dict(zip(needed, found))
    return tuple(by_input.get(i) for i in range(9))


torch.library.register_autograd("wingbeat::long_conv", _backward, setup_context=_setup_context,
                                lib=_operators)


def _require(x, k, causal, paired):
    if not (isinstance(x, torch.Tensor) and isinstance(k, torch.Tensor)):
        raise TypeError(f"x is of type {type(x).__name__} and k {type(k).__name__}; give tensors, "
                        "or call wingbeat.signal.long_conv")
    if x.layout is not torch.strided or k.layout is not torch.strided:
        raise TypeError(f"x is a {x.layout} tensor and k {k.layout}; give strided ones")
    require_operands(x, k, causal, paired)


def _expanded(name, value, shape):
    try:
        return value.expand(shape)
    except RuntimeError:
        raise ValueError(f"{name} has shape {tuple(value.shape)}; give {tuple(shape)}, or what "
                         "broadcasts to it") from None


def _broadcast(name, value, shape, x):
    """Returns a tensor of this shape on the device of x; None for None."""
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
    return _expanded(name, value, shape)


def _lengths(lengths, x):
    """Returns the length of each signal of the batch, in 32 bits; None for None."""
    if lengths is None:
        return None
    if not isinstance(lengths, torch.Tensor):
        lengths = torch.as_tensor(lengths, device=x.device)
    if lengths.dtype not in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
        raise TypeError(f"lengths is of {lengths.dtype}; give integers")
    if lengths.device != x.device:
        raise TypeError("the tensors are on two devices; give all on one")
    return _expanded("lengths", lengths.clamp(0, x.shape[-1]).int(), x.shape[:-2])


def _alike(x, k, skip, *gates):
    """Returns the operands in dtypes that the operator can combine."""
    others = [each for each in (k, skip, *gates) if each is not None]
    if any(each.device != x.device for each in others):
        raise TypeError("the tensors are on two devices; give all on one")
    dtype = x.dtype
    for each in others:
        dtype = torch.promote_types(dtype, each.dtype)
    is_narrow = x.dtype in (torch.float16, torch.bfloat16) and not dtype.is_complex
    if is_narrow:  # filters have the dtype of arithmetic, or that of signals
        dtype = x.dtype if k.dtype == x.dtype else torch.float32
    elif not (dtype.is_floating_point or dtype.is_complex):
        dtype = torch.get_default_dtype()
    of_signals = x.dtype if is_narrow else dtype
    return (x.to(of_signals), k.to(dtype), None if skip is None else skip.to(dtype),
            *(None if gate is None else gate.to(of_signals) for gate in gates))


def long_conv(x: torch.Tensor, k: torch.Tensor, causal: bool = True, gate: Any = None,
              skip: Any = None, *, gate_before: Any = None, lengths: Any = None,
              paired: bool = True) -> torch.Tensor:
    """Convolves signals with kernels of the same length: y = gate * (k (*) u + skip * u) with
    u = gate_before * x, as `wingbeat.signal.long_conv` does, with gradients.

    x            [.., channels, L], or [L]
    k            [channels, K], or [K] for all channels
    causal       y[n] = sum over j of k[j] u[n - j], j from 0 to n. Otherwise k is centred on n:
                 u[n] is multiplied by its value (K - 1) / 2, rounded down
    gate         [.., channels, L], or a tensor that broadcasts to it
    skip         [channels], or a number for all
    gate_before  as gate
    lengths      [..], or a tensor that broadcasts to it, integers: the length of each signal of the
                 batch, limited to 0 .. L. Values behind it are not read and count as 0; y and the
                 gradients are 0 there
    paired       for real numbers, whether signals 2p and 2p + 1 of the batch share a row of the
                 transform: NaN or infinity in one then spreads to both, and rounding is relative to
                 the louder one. False: each has its own row, which takes up to twice as long

    Returns y with the shape of x, of the common dtype of x, k and the others; of x's dtype if x is
    float16 or bfloat16, which are computed in float32, also with float32 kernels. Complex numbers
    take transforms of all three operands. For kernels of many calls see `PreparedLongConv`.

    ValueError for shapes that do not fit, TypeError for arguments that are not tensors.

    >>> long_conv(torch.ones(1, 4), torch.tensor([[1.0, 1.0]])).round()
    tensor([[1., 2., 2., 2.]])
    """
    return _long_conv(x, k, causal, skip, gate, gate_before, lengths, paired, None)


_n_steps = 0  # of all optimizers; fused ones do not increase versions


def _count_step(*_):
    global _n_steps
    _n_steps += 1


register_optimizer_step_post_hook(_count_step)


class PreparedLongConv:
    """`long_conv` with kernels whose spectra are kept from call to call, for inference, or for the
    parts of a batch whose gradients are summed.

    k, causal, skip, paired  as in `long_conv`; gradients reach k and skip

    For real numbers, the spectra of the latest 4 combinations of shape, dtype and stream of signals
    are kept. They are computed again after in-place changes of k or skip, except through `.data` or
    of tensors made in inference mode, and after a step of any torch optimizer. Under torch.compile,
    in torch.func and in forward mode each call computes its own spectra.

    >>> PreparedLongConv(torch.tensor([[1.0, 1.0]]))(torch.ones(1, 4)).round()
    tensor([[1., 2., 2., 2.]])
    """

    def __init__(self, k: torch.Tensor, causal: bool = True, skip: Any = None, *,
                 paired: bool = True) -> None:
        self._k, self._options, self._spectra = k, (causal, skip, paired), OrderedDict()

    def __call__(self, x: torch.Tensor, gate: Any = None, *, gate_before: Any = None,
                 lengths: Any = None) -> torch.Tensor:
        causal, skip, paired = self._options
        return _long_conv(x, self._k, causal, skip, gate, gate_before, lengths, paired, self._kept)

    def _kept(self, x, filters, skip, flags):
        """Returns the spectra of filters for signals like x."""
        tensors = (each for each in (self._k, self._options[1]) if isinstance(each, torch.Tensor))
        states = _n_steps, *((each.data_ptr(), 0 if each.is_inference() else each._version)
                             for each in tensors)
        stream = _wingbeat.stream_of(x)
        key = x.shape, x.dtype, filters.dtype, x.device, stream
        found = self._spectra.get(key)
        if found is not None and found[0] == states:
            return found[1]
        x, filters, skip = _packed(x.detach(), filters.detach(), None if skip is None else
                                   skip.detach())
        given = _rows(x), filters, skip, (None, None, None, *flags)
        n_bytes = _wingbeat.prepare_long(*given, None)
        with torch.inference_mode(False):  # gradients may save them later
            spectra = torch.empty(n_bytes // 4, dtype=torch.float32, device=x.device)
        _wingbeat.prepare_long(*given, spectra)
        self._spectra[key] = states, spectra
        while len(self._spectra) > 4:
            self._spectra.popitem(last=False)
        return spectra


def _long_conv(x, k, causal, skip, gate, gate_before, lengths, paired, kept):
    _require(x, k, causal, paired)
    gate, gate_before = (_broadcast(name, value, x.shape, x) for name, value in (
        ("gate", gate), ("gate_before", gate_before)))
    skip = _broadcast("skip", skip, x.shape[-2:-1], x)
    lengths = _lengths(lengths, x)
    x, k, skip, gate, gate_before = _alike(x, k, skip, gate, gate_before)
    if x.dim() == 1:
        rows = (None if each is None else each[None] for each in (x, skip, gate, gate_before))
        return _of_rows(*rows, k, lengths, causal, paired, kept)[0]
    return _of_rows(x, skip, gate, gate_before, k, lengths, causal, paired, kept)


def _of_rows(x, skip, gate, gate_before, k, lengths, causal, paired, kept):
    begin, end = long_taps(x.shape[-1], k.shape[-1], causal)
    filters, flags = k[..., begin:end].expand(x.shape[-2], -1), (bool(causal), bool(paired))
    operands = x, filters, skip, gate, gate_before, lengths
    if x.is_complex() or needs_function():
        return composed(*operands, None, *flags).to(x.dtype)
    spectra = None
    if kept is not None and x.numel() and not torch.compiler.is_compiling():
        spectra = kept(x, filters, skip, flags)
    return torch.ops.wingbeat.long_conv(*operands, spectra, *flags)
