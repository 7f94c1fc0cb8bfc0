# SPDX-License-Identifier: Apache-2.0
"""Short-time transforms of tensors: operators over the library's `short_time`. A description is a
text of its fields, see `_described`, so that compiled graphs hold nothing else.

    short_time(x, window, lengths, text) -> results [.., frame, column]
    short_time_gradient(x, window, lengths, result_gradient, text) -> x_gradient
    short_time_window_gradient(x, window, lengths, result_gradient, text) -> window_gradient
    short_time_inverse(spectra [.., frame, bin], window, text, length, leaves_zeros) -> rows
    short_time_inverse_gradient(row_gradient, window, text, frames) -> spectra_gradient

Spectra are linear in samples and in weights, so that the first three are each other's derivatives,
of any order. Features in gradients of gradients, and inverses with respect to windows, are composed
of them. Nothing but the operands is kept.
"""

from __future__ import annotations

from ast import literal_eval
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

from wingbeat._arguments import instance
from wingbeat._arrays import library_of
from wingbeat._short_rows import BANDS, SPECTRA, require_weight, run, text_of, torch_frames
from wingbeat.short_time import ShortTime
from wingbeat.torch._operators import _library as _operators
from wingbeat.torch._operators import is_called_alone, needs_function
from wingbeat.torch._tensors import COMPLEX_OF

_arrays = library_of(torch.empty(0))
_TAKEN = (torch.int16, torch.float16, torch.bfloat16, torch.float32, torch.float64,
          torch.complex64, torch.complex128)
_DOUBLE = torch.float64, torch.complex128


@lru_cache(maxsize=1024)
def _described(text):
    """Returns the description with these fields; `window` is the number of weights, which runs are
    given, and `bands` the digest of weights."""
    given = literal_eval(text)
    if given.get("bands") is not None:
        given["bands"] = BANDS[given["bands"]]
    return ShortTime(**{**given, "window": np.ones(given["window"])})


def _real(x):
    return torch.float64 if x.dtype in _DOUBLE else torch.float32


def _value(x):
    """Returns the dtype in which samples of a dtype are computed."""
    return COMPLEX_OF[_real(x)] if x.is_complex() else _real(x)


def _rows(x, n_dims=1):
    """Returns a packed tensor with one dimension before the last `n_dims`."""
    x = x.detach().resolve_conj().resolve_neg().contiguous()
    return _arrays.aligned(x.reshape(-1, *x.shape[x.dim() - n_dims:]))


def _empty_results(x, window, lengths, text):
    description = _described(text)
    columns = description.columns(x.is_complex())
    frames = () if description.are_averaged else (description.frames_of(x.shape[-1]),)
    dtype = _real(x) if description.exponent else COMPLEX_OF[_real(x)]
    return x.new_empty((*x.shape[:-1], *frames, columns), dtype=dtype)


def _empty_gradient(x, window, lengths, result_gradient, text):
    return x.new_empty(x.shape, dtype=_value(x))


def _empty_window_gradient(x, window, lengths, result_gradient, text):
    return window.new_empty(window.shape)


def _empty_rows(spectra, window, text, length, leaves_zeros):
    is_complex = spectra.shape[-1] != _described(text).n_fft // 2 + 1
    return spectra.new_empty((*spectra.shape[:-2], length),
                             dtype=spectra.dtype if is_complex else _real(spectra))


def _empty_spectra(row_gradient, window, text, frames):
    columns = _described(text).columns(row_gradient.is_complex())
    return row_gradient.new_empty((*row_gradient.shape[:-1], frames, columns),
                                  dtype=COMPLEX_OF[_real(row_gradient)])


def _run(kind, x, window, lengths, given, out, text, frames=0):
    if x.numel() == 0 or out.numel() == 0 or (given is not None and given.numel() == 0):
        return out.zero_()
    lengths = None if lengths is None else _rows(lengths, 0)
    run(_described(text), kind, _rows(x), given, None if out is x else out, _rows(window)[0],
        lengths, frames)
    return out


def _results(x, window, lengths, text):
    return _run("run", x, window, lengths, None, _empty_results(x, window, lengths, text), text)


def _gradient(x, window, lengths, result_gradient, text):
    return _run("gradient", x, window, lengths, _rows(result_gradient), _empty_gradient(
        x, window, lengths, result_gradient, text), text)


def _window_gradient(x, window, lengths, result_gradient, text):
    return _run("window_gradient", x, window, lengths, _rows(result_gradient),
                torch.empty_like(window), text)


def _inverse(spectra, window, text, length, leaves_zeros):
    rows = _empty_rows(spectra, window, text, length, leaves_zeros)
    n_frames = spectra.shape[-2]
    if not leaves_zeros and window.device.type == "cpu" and length and n_frames:
        require_weight(replace(_described(text), window=window.detach().numpy()), length, n_frames)
    return _run("inverse", rows, window, None, _rows(spectra, 2), rows, text, n_frames)


def _inverse_gradient(row_gradient, window, text, frames):
    return _run("inverse_gradient", row_gradient, window, None, None,
                _empty_spectra(row_gradient, window, text, frames), text, frames)


def _batched_by(function, of_rows):
    """Returns the rule of torch.vmap: a batch of operands at the positions `of_rows` is a batch of
    rows; of other operands, each is computed apart."""
    def batched(info, in_dims, *given):
        if all(dim is None or i in of_rows for i, dim in enumerate(in_dims)):
            folded = [each if i not in of_rows or each is None else each.movedim(dim, 0)
                      if dim is not None else each.expand(info.batch_size, *each.shape)
                      for i, (each, dim) in enumerate(zip(given, in_dims))]
            return function(*folded), 0
        alone = ([each if dim is None else each.select(dim, b) for each, dim in zip(given, in_dims)]
                 for b in range(info.batch_size))
        return torch.stack([function(*each) for each in alone]), 0
    return batched


def _operator(schema, run, empty, of_rows, differentiate):
    """Defines an operator and returns the function that calls it. differentiate(gradient, needed,
    *inputs) returns the gradients of the inputs."""
    name = schema.partition("(")[0]
    _operators.define(schema)
    for key in "CPU", "CUDA":
        _operators.impl(name, run, key)
    operator = getattr(torch.ops.wingbeat, name)

    def setup_context(ctx, inputs, output):
        is_tensor = [isinstance(each, Tensor) for each in inputs]
        ctx.save_for_backward(*(each if is_one else None
                                for each, is_one in zip(inputs, is_tensor)))
        ctx.others = [None if is_one else each for each, is_one in zip(inputs, is_tensor)]

    def backward(ctx, gradient):
        inputs = [other if saved is None else saved
                  for saved, other in zip(ctx.saved_tensors, ctx.others)]
        given = differentiate(gradient, ctx.needs_input_grad, *inputs)
        return tuple(None if each is None or not is_needed else each.to(x.dtype) for
                     each, is_needed, x in zip(given, ctx.needs_input_grad, inputs))

    class Function(torch.autograd.Function):
        """The operator, for calls in which `needs_function()`."""

    class EagerFunction(torch.autograd.Function):
        """The operator for calls that only autograd follows, without its dispatch."""

        @staticmethod
        def forward(ctx, *inputs):
            setup_context(ctx, inputs, None)
            return run(*inputs)

    def function(*given):
        if needs_function():
            return Function.apply(*given)
        if not is_called_alone(given[0]):
            return operator(*given)
        is_followed = torch.is_grad_enabled() and any(
            isinstance(each, Tensor) and each.requires_grad for each in given)
        return EagerFunction.apply(*given) if is_followed else run(*given)

    batched = _batched_by(function, of_rows)
    for attribute, value in (("forward", operator), ("setup_context", setup_context),
                             ("backward", backward), ("vmap", batched)):
        setattr(Function, attribute, staticmethod(value))
    EagerFunction.backward = staticmethod(backward)
    torch.library.register_fake(f"wingbeat::{name}", empty, lib=_operators)
    torch.library.register_vmap(f"wingbeat::{name}", batched, lib=_operators)
    torch.library.register_autograd(f"wingbeat::{name}", backward, setup_context=setup_context,
                                    lib=_operators)
    return function


def _partial_gradients(function, operands, needed, g):
    """Returns the gradients with respect to each operand that needs one, else None. Operands may
    depend on each other: function gets tensors of their values, where the chain ends."""
    with torch.enable_grad():
        operands = [each.view_as(each) for each in operands]
        results = function(*operands)
    wanted = [each for each, is_needed in zip(operands, needed) if is_needed]
    found = iter(torch.autograd.grad(results, wanted, g, create_graph=torch.is_grad_enabled()))
    return [next(found) if is_needed else None for is_needed in needed[:len(operands)]]


def _differentiate(g, needed, x, window, lengths, text):
    description = _described(text)
    if description.exponent and torch.is_grad_enabled():  # gradients of gradients may follow
        return *_partial_gradients(lambda x, window: composed(x, window, lengths, text),
                                   (x, window), needed, g), None, None
    return (_short_time_gradient(x, window, lengths, g, text) if needed[0] else None,
            _short_time_window_gradient(x, window, lengths, g, text) if needed[1] else None,
            None, None)


# The gradient with respect to samples does not depend on samples, where it is differentiated.
def _differentiate_gradient(c, needed, x, window, lengths, g, text):
    c = c.to(x.dtype) if x.dtype in _DOUBLE else c
    return (torch.zeros_like(x),
            _short_time_window_gradient(c, window, lengths, g, text) if needed[1] else None, None,
            _short_time(c, window, lengths, text) if needed[3] else None, None)


def _differentiate_window_gradient(c, needed, x, window, lengths, g, text):
    return (_short_time_gradient(x, c, lengths, g, text) if needed[0] else None,
            torch.zeros_like(window), None,
            _short_time(x, c, lengths, text) if needed[3] else None, None)


def _differentiate_inverse(g, needed, spectra, window, text, length, leaves_zeros):
    if needed[1]:
        return *_partial_gradients(
            lambda spectra, window: composed_inverse(spectra, window, text, length),
            (spectra, window), needed, g), None, None, None
    return _short_time_inverse_gradient(g, window, text, spectra.shape[-2]), None, None, None, None


def _differentiate_inverse_gradient(c, needed, g, window, text, frames):
    if needed[1]:
        raise NotImplementedError("gradients of an inverse's gradient with respect to its window "
                                  "are not computed here; detach the window")
    return _short_time_inverse(c, window, text, g.shape[-1], True), None, None, None


_X = "Tensor x, Tensor window, Tensor? lengths"
_short_time = _operator(f"short_time({_X}, str text) -> Tensor", _results, _empty_results, (0, 2),
                        _differentiate)
_short_time_gradient = _operator(
    f"short_time_gradient({_X}, Tensor result_gradient, str text) -> Tensor", _gradient,
    _empty_gradient, (0, 2, 3), _differentiate_gradient)
_short_time_window_gradient = _operator(
    f"short_time_window_gradient({_X}, Tensor result_gradient, str text) -> Tensor",
    _window_gradient, _empty_window_gradient, (), _differentiate_window_gradient)
_short_time_inverse = _operator(
    "short_time_inverse(Tensor spectra, Tensor window, str text, SymInt length, bool leaves_zeros) "
    "-> Tensor", _inverse, _empty_rows, (0,), _differentiate_inverse)
_short_time_inverse_gradient = _operator(
    "short_time_inverse_gradient(Tensor row_gradient, Tensor window, str text, SymInt frames) -> "
    "Tensor", _inverse_gradient, _empty_spectra, (0,), _differentiate_inverse_gradient)


@lru_cache(maxsize=1024)
def _text_with(text, **changed):
    return repr({**literal_eval(text), **changed})


def composed(x, window, lengths, text):
    """Returns the results as functions of spectra, each of which torch differentiates."""
    spec = _described(text)
    q = _short_time(x, window, lengths, _text_with(text, **SPECTRA))
    if not spec.exponent:
        return q
    q = q.real.square() + q.imag.square()
    if spec.power_floor:
        q = q.clamp(min=spec.power_floor)
    q = q + spec.power_offset
    if spec.exponent != 2:
        q = torch.where(q > 0, torch.where(q > 0, q, 1)**(spec.exponent / 2), 0)
    if spec.is_one_sided:
        twice = torch.full(q.shape[-1:], 2.0, dtype=q.dtype, device=q.device)
        twice[0] = 1
        if spec.n_fft % 2 == 0:
            twice[-1] = 1
        q = q * twice
    if spec.are_averaged:
        return q.mean(-2)
    if spec.bands is not None:
        q = q @ torch.from_numpy(spec.bands).to(q).mT
    if spec.has_log:
        q = spec.gain * torch.log(q.clamp(min=spec.floor) + spec.offset) + spec.shift
    return q


def limited(levels, range):
    """Returns the levels [.., frame, column], at least those of each row's largest less `range`."""
    if not range or not levels.numel():
        return levels
    return torch.maximum(levels, levels.amax((-1, -2), True) - range)


def composed_inverse(spectra, window, text, length):
    """Returns the inverse as two adjoints, of frames and of squared weights."""
    n_fft, n_frames, n_bins = _described(text).n_fft, spectra.shape[-2], spectra.shape[-1]
    slack = (n_frames - 1) * _described(text).hop - length
    once = _text_with(text, slack=slack, edge="zeros", scale=1.0, phase_origin=0)
    scaled = _text_with(text, slack=slack, edge="zeros")
    is_real = n_bins == n_fft // 2 + 1
    weights = torch.full((n_bins,), 2.0 if is_real else 1.0, dtype=_real(spectra),
                         device=spectra.device)
    weights[0] = 1
    if is_real and n_fft % 2 == 0:
        weights[-1] = 1
    like = spectra.new_zeros((*spectra.shape[:-2], length),
                             dtype=_real(spectra) if is_real else spectra.dtype)
    factor = 1 / (n_fft * _described(text).scale**2)
    sums = _short_time_gradient(like, window, None, spectra * (weights * factor), scaled)
    ones = spectra.new_zeros((n_frames, n_fft // 2 + 1))
    ones[:, 0] = 1
    squares = _short_time_gradient(like.new_zeros((length,), dtype=_real(spectra)), window.square(),
                                   None, ones, once)
    has_weight = squares > _described(text).least_weight
    return torch.where(has_weight, sums / torch.where(has_weight, squares, 1), 0)


def _weights(window, n, x):
    """Returns the weights for samples x, n ones by default, and x in the common precision."""
    if window is None:
        return torch.ones(n, dtype=_real(x), device=x.device), x
    instance(window, Tensor, "window", "give a tensor of weights")
    if window.dim() != 1 or window.is_complex() or window.device != x.device:
        raise ValueError(f"the window is a {window.dtype} tensor of shape {tuple(window.shape)} on "
                         f"{window.device}; give a row of real weights on {x.device}")
    if window.dtype == torch.float64 and x.dtype not in _DOUBLE:
        x = x.to(torch.complex128 if x.is_complex() else torch.float64)
    return window.to(_real(x)), x


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

    lengths  integers [..], or None: the samples of each row, as in a description's call
    window   weights in place of the description's, as many; gradients reach them

    Returns [.., F, T], or averages [.., F]. The gradient of a limit by `range` is torch.maximum's.

    >>> import wingbeat.short_time
    >>> short_time(torch.ones(2, 4000), wingbeat.short_time.whisper()).shape
    torch.Size([2, 80, 25])
    """
    x = _samples(x)
    instance(description, ShortTime, "the description", "give a wingbeat.short_time.ShortTime")
    window, x = _weights(_weights_of(description, _real(x), x.device) if window is None else window,
                         None, x)
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
        lengths = torch.as_tensor(lengths, device=x.device).clamp(0, x.shape[-1]).int()
        lengths = lengths.expand(x.shape[:-1])
    function = composed if needs_function() else _short_time
    result = limited(function(x, window, lengths, text), range)
    return result if are_averaged else result.transpose(-1, -2)


def _torch_text(n_fft, hop_length, n_weights, center, pad_mode, normalized, align_to_window):
    hop = n_fft // 4 if hop_length is None else hop_length
    before, slack = torch_frames(n_fft, n_weights, center, align_to_window)
    edge = {"constant": "zeros"}.get(pad_mode, pad_mode) if center else "zeros"
    scale = n_fft**-0.5 if normalized else 1.0
    # As `repr` of a dictionary, of which torch's compiler makes no constant.
    return (f"{{'n_fft': {n_fft}, 'hop': {hop}, 'window': {n_weights}, 'before': {before}, "
            f"'slack': {slack}, 'edge': '{edge}', 'scale': {scale}}}")


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
    weights, x = with_weights(input, window, n_fft if win_length is None else win_length)
    if win_length not in (None, weights.shape[0]) or weights.shape[0] > n_fft:
        raise ValueError(f"n_fft is {n_fft}, win_length {win_length}, and the window has "
                         f"{weights.shape[0]} weights; give win_length of them, at most n_fft")
    if onesided and x.is_complex():
        raise ValueError("onesided is True and the input complex, whose spectra are whole; leave "
                         "it out")
    if onesided is False and not x.is_complex():
        x = x.to(COMPLEX_OF[_real(x)])
    text = _torch_text(n_fft, hop_length, weights.shape[0], center, pad_mode, normalized,
                       align_to_window)
    result = _short_time(x, weights, None, text).transpose(-1, -2)
    return torch.view_as_real(result) if return_complex is False else result


def istft(input: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None,
          window: Tensor | None = None, center: bool = True, normalized: bool = False,
          onesided: bool | None = None, length: int | None = None, return_complex: bool = False, *,
          leaves_zeros: bool = False) -> Tensor:
    """torch.istft, of [.., F, T] with any number of dimensions, with gradients to the input and the
    window. Samples that no frame has are 0.

    onesided      None: whether there are not n_fft bins
    leaves_zeros  samples whose squared weights add up to 1e-11 or less raise ValueError, on a
                  processor, or are 0 if True. On a GPU, which is not waited for, they are 0

    >>> spectra = stft(torch.arange(8.0), 4, window=torch.hann_window(4))
    >>> istft(spectra, 4, window=torch.hann_window(4)).round()
    tensor([0., 1., 2., 3., 4., 5., 6., 7.])
    """
    instance(input, Tensor, "input", "give a tensor of spectra")
    if not input.is_complex() or input.dim() < 2:
        raise ValueError(f"the input is {input.dtype} of shape {tuple(input.shape)}; give complex "
                         "spectra [.., F, T]")
    weights, x = _weights(window, n_fft if win_length is None else win_length, input)
    if x.dtype == torch.complex32:
        x = x.to(torch.complex64)
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
    x = x.transpose(-1, -2)
    if needs_function():
        return composed_inverse(x, weights, text, length)
    return _short_time_inverse(x, weights, text, length, leaves_zeros)
