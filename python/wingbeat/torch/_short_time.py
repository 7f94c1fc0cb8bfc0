# SPDX-License-Identifier: Apache-2.0
"""Short-time transforms of tensors: operators over the library's `short_time`. A description is a
text of its fields, see `_described`, so that compiled graphs hold nothing else.

    short_time(x, window, lengths, text) -> results [.., frame, column]
    short_time_gradient(x, window, lengths, result_gradient, text) -> x_gradient
    short_time_window_gradient(x, window, lengths, result_gradient, text) -> window_gradient
    short_time_inverse(spectra [.., frame, bin], window, text, length, is_complex, leaves_zeros)
        -> rows
    short_time_inverse_gradient(row_gradient, window, text, frames) -> spectra_gradient
    short_time_divisor(window, text, length, frames) -> window, whose inverse can divide
    short_time_lengths(lengths, length) -> lengths within rows

Spectra are linear in samples and in weights, so that the first three are each other's derivatives,
of any order. Features in gradients of gradients, and inverses with respect to windows, are composed
of them. Nothing but the operands is kept.
"""

from __future__ import annotations

from ast import literal_eval
from dataclasses import replace
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from wingbeat._arrays import library_of
from wingbeat._short_rows import BANDS, SPECTRA, frames_of, require_weight, require_within, run
from wingbeat.short_time import ShortTime
from wingbeat.torch._operators import _library as _operators
from wingbeat.torch._operators import is_called_alone, needs_function
from wingbeat.torch._tensors import COMPLEX_OF

_arrays = library_of(torch.empty(0))
DOUBLE = torch.float64, torch.complex128


@lru_cache(maxsize=1024)
def _described(text):
    """Returns the description with these fields; `window` is the number of weights, which runs are
    given, and `bands` the digest of weights."""
    given = literal_eval(text)
    if given.get("bands") is not None:
        given["bands"] = BANDS[given["bands"]]
    return ShortTime(**{**given, "window": np.ones(given["window"])})


def real_of(x):
    return torch.float64 if x.dtype in DOUBLE else torch.float32


def _value(x):
    """Returns the dtype in which samples of a dtype are computed."""
    return COMPLEX_OF[real_of(x)] if x.is_complex() else real_of(x)


def _rows(x, n_dims=1):
    """Returns a packed tensor with one dimension before the last `n_dims`."""
    x = x.detach().resolve_conj().resolve_neg().contiguous()
    return _arrays.aligned(x.reshape(-1, *x.shape[x.dim() - n_dims:]))


def _empty_results(x, window, lengths, text):
    description = _described(text)
    columns = description.columns(x.is_complex())
    frames = () if description.are_averaged else (frames_of(description, x.shape[-1]),)
    dtype = real_of(x) if description.exponent else COMPLEX_OF[real_of(x)]
    return x.new_empty((*x.shape[:-1], *frames, columns), dtype=dtype)


def _empty_gradient(x, window, lengths, result_gradient, text):
    return x.new_empty(x.shape, dtype=_value(x))


def _empty_window_gradient(x, window, lengths, result_gradient, text):
    return window.new_empty(window.shape)


def _empty_rows(spectra, window, text, length, is_complex, leaves_zeros):
    return spectra.new_empty((*spectra.shape[:-2], length),
                             dtype=spectra.dtype if is_complex else real_of(spectra))


def _empty_spectra(row_gradient, window, text, frames):
    columns = _described(text).columns(row_gradient.is_complex())
    return row_gradient.new_empty((*row_gradient.shape[:-1], frames, columns),
                                  dtype=COMPLEX_OF[real_of(row_gradient)])


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


def _inverse(spectra, window, text, length, is_complex, leaves_zeros):
    rows = _empty_rows(spectra, window, text, length, is_complex, leaves_zeros)
    n_frames = spectra.shape[-2]
    if not leaves_zeros:
        _require_weight(window, text, length, n_frames)
    return _run("inverse", rows, window, None, _rows(spectra, 2), rows, text, n_frames)


def _require_weight(window, text, length, n_frames):
    if window.device.type == "cpu" and length and n_frames:  # nothing waits for a GPU
        require_weight(replace(_described(text), window=window.detach().numpy()), length, n_frames)


def _divisor(window, text, length, frames):
    _require_weight(window, text, length, frames)
    return window.clone()


def _within(lengths, length):
    if lengths.device.type == "cpu":
        require_within(lengths, length)
    return lengths.clamp(0, length).int()


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
    c = c.to(x.dtype) if x.dtype in DOUBLE else c
    return (torch.zeros_like(x),
            _short_time_window_gradient(c, window, lengths, g, text) if needed[1] else None, None,
            transformed(c, window, lengths, text) if needed[3] else None, None)


def _differentiate_window_gradient(c, needed, x, window, lengths, g, text):
    return (_short_time_gradient(x, c, lengths, g, text) if needed[0] else None,
            torch.zeros_like(window), None,
            transformed(x, c, lengths, text) if needed[3] else None, None)


def _differentiate_inverse(g, needed, spectra, window, text, length, is_complex, leaves_zeros):
    if needed[1]:
        return *_partial_gradients(
            lambda spectra, window: composed_inverse(spectra, window, text, length, is_complex),
            (spectra, window), needed, g), *[None] * 4
    return _short_time_inverse_gradient(g, window, text, spectra.shape[-2]), *[None] * 5


def _differentiate_inverse_gradient(c, needed, g, window, text, frames):
    if needed[1]:
        raise NotImplementedError("gradients of an inverse's gradient with respect to its window "
                                  "are not computed here; detach the window")
    rows = inverted(c, window, text, g.shape[-1], g.is_complex(), True)
    return rows, None, None, None


_X = "Tensor x, Tensor window, Tensor? lengths"
transformed = _operator(f"short_time({_X}, str text) -> Tensor", _results, _empty_results, (0, 2),
                        _differentiate)
_short_time_gradient = _operator(
    f"short_time_gradient({_X}, Tensor result_gradient, str text) -> Tensor", _gradient,
    _empty_gradient, (0, 2, 3), _differentiate_gradient)
_short_time_window_gradient = _operator(
    f"short_time_window_gradient({_X}, Tensor result_gradient, str text) -> Tensor",
    _window_gradient, _empty_window_gradient, (), _differentiate_window_gradient)
inverted = _operator(
    "short_time_inverse(Tensor spectra, Tensor window, str text, SymInt length, bool is_complex, "
    "bool leaves_zeros) -> Tensor", _inverse, _empty_rows, (0,), _differentiate_inverse)
_short_time_inverse_gradient = _operator(
    "short_time_inverse_gradient(Tensor row_gradient, Tensor window, str text, SymInt frames) -> "
    "Tensor", _inverse_gradient, _empty_spectra, (0,), _differentiate_inverse_gradient)
divisible = _operator(
    "short_time_divisor(Tensor window, str text, SymInt length, SymInt frames) -> Tensor", _divisor,
    lambda window, *_: torch.empty_like(window), (), lambda g, *_: (g, None, None, None))
within = _operator(
    "short_time_lengths(Tensor lengths, SymInt length) -> Tensor", _within,
    lambda lengths, _: torch.empty_like(lengths, dtype=torch.int32), (0,),
    lambda *_: (None, None))


@lru_cache(maxsize=1024)
def _text_with(text, **changed):
    return repr({**literal_eval(text), **changed})


def composed(x, window, lengths, text):
    """Returns the results as functions of spectra, each of which torch differentiates."""
    spec = _described(text)
    q = transformed(x, window, lengths, _text_with(text, **SPECTRA))
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


def composed_inverse(spectra, window, text, length, is_complex):
    """Returns the inverse as two adjoints, of frames and of squared weights."""
    n_fft, n_frames, n_bins = _described(text).n_fft, spectra.shape[-2], spectra.shape[-1]
    slack = (n_frames - 1) * _described(text).hop - length
    once = _text_with(text, slack=slack, edge="zeros", scale=1.0, phase_origin=0)
    scaled = _text_with(text, slack=slack, edge="zeros")
    weights = torch.full((n_bins,), 1.0 if is_complex else 2.0, dtype=real_of(spectra),
                         device=spectra.device)
    weights[0] = 1
    if not is_complex and n_fft % 2 == 0:
        weights[-1] = 1
    like = spectra.new_zeros((*spectra.shape[:-2], length),
                             dtype=spectra.dtype if is_complex else real_of(spectra))
    factor = 1 / (n_fft * _described(text).scale**2)
    sums = _short_time_gradient(like, window, None, spectra * (weights * factor), scaled)
    ones = spectra.new_zeros((n_frames, n_fft // 2 + 1))
    ones[:, 0] = 1
    squares = _short_time_gradient(like.new_zeros((length,), dtype=real_of(spectra)),
                                   window.square(), None, ones, once)
    has_weight = squares > _described(text).least_weight
    return torch.where(has_weight, sums / torch.where(has_weight, squares, 1), 0)
