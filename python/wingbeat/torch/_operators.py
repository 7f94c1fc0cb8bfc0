# SPDX-License-Identifier: Apache-2.0
"""The operator `torch.ops.wingbeat.transform`: every kind of transform, with the parts that torch's
compiler, autograd and vmap need.

    transform(x, kind, dims, lengths, scale, orthogonalize) -> Tensor

The gradient is the adjoint, see `wingbeat._adjoints`: for a forward FFT, the unnormalised inverse.
"""

import torch
from torch.autograd import forward_ad

from wingbeat import _wingbeat
from wingbeat._adjoints import adjoint_of, weighted_axes
from wingbeat._arguments import NORMS
from wingbeat._kinds import FROM_REAL
from wingbeat.torch._tensors import result_dtype, run

_library = torch.library.Library("wingbeat", "DEF")
_library.define("transform(Tensor x, int kind, int[] dims, SymInt[] lengths, int scale, "
                "bool orthogonalize) -> Tensor")


def transform(x, kind, dims, lengths, scale, orthogonalize=False):
    """Returns the transform of x; `dims` are counted from 0, `lengths` has one for each."""
    arguments = x, kind, dims, lengths, scale, orthogonalize
    if needs_function():
        return _Transform.apply(*arguments)
    if is_called_alone(x):
        is_followed = x.requires_grad and torch.is_grad_enabled()
        return _EagerTransform.apply(*arguments) if is_followed else _at_once(*arguments)
    return torch.ops.wingbeat.transform(*arguments)


def needs_function():
    """Returns whether calls are within torch.func or a level of forward derivatives, which ignore
    gradients registered for an operator."""
    return not torch.compiler.is_compiling() and (
        forward_ad._current_level >= 0 or torch._C._are_functorch_transforms_active())


def is_called_alone(x):
    """Returns whether nothing but autograd follows a call: no mode, compiler or trace."""
    return (not torch.compiler.is_compiling() and type(x) is torch.Tensor
            and (x.is_cuda or x.is_cpu) and torch._C._len_torch_dispatch_stack() == 0
            and torch._C._get_tracing_state() is None)


def _at_once(x, kind, dims, lengths, scale, orthogonalize):
    """Returns the operator's value, without its dispatch."""
    source = x.detach() if x.requires_grad else x
    result = _wingbeat.transform_axes(kind, False, source, tuple(lengths), tuple(dims),
                                      NORMS[scale], orthogonalize, False, None)
    if result is None:  # x must be copied first
        result = _transform(source, kind, dims, lengths, scale, orthogonalize)
    return result


def _empty_result(x, kind, dims, lengths):
    shape = list(x.shape)
    for dim, n in zip(dims, lengths):
        shape[dim] = n
    if kind == FROM_REAL:
        shape[dims[-1]] = lengths[-1] // 2 + 1
    return torch.empty(shape, dtype=result_dtype(x.dtype, kind), device=x.device)


def _transform(x, kind, dims, lengths, scale, orthogonalize):
    result = _empty_result(x, kind, dims, lengths)
    run(kind, x, result, lengths, dims, scale, orthogonalize)
    return result


for _key in "CPU", "CUDA":
    _library.impl("transform", _transform, _key)


@torch.library.register_fake("wingbeat::transform", lib=_library)
def _(x, kind, dims, lengths, scale, orthogonalize):
    return _empty_result(x, kind, dims, lengths)


def _batched(info, in_dims, x, kind, dims, lengths, scale, orthogonalize):
    batched = x.movedim(in_dims[0], 0)
    return transform(batched, kind, [dim + 1 for dim in dims], lengths, scale, orthogonalize), 0


def _weighted(x, dims, weights):
    for dim in dims:
        if not weights:
            break
        factors = torch.ones(x.shape[dim], dtype=x.real.dtype if x.is_complex() else x.dtype,
                             device=x.device)
        for weight in weights:
            factors[weight.begin:weight.end] = weight.factor
        x = x * factors.view([-1 if d == dim else 1 for d in range(x.dim())])
    return x


def _fitted(x, dims, shape):
    """Returns x cropped or padded with zeros along `dims` to `shape`."""
    for dim in dims:
        have, need = x.shape[dim], shape[dim]
        if need < have:
            x = x.narrow(dim, 0, need)
        elif need > have:
            zeros = [need - have if d == dim else n for d, n in enumerate(x.shape)]
            x = torch.cat([x, x.new_zeros(zeros)], dim)
    return x


def _setup_context(ctx, inputs, output):
    x, ctx.kind, ctx.dims, ctx.lengths, ctx.scale, ctx.orthogonalize = inputs
    ctx.shape, ctx.dtype = x.shape, x.dtype


def _backward(ctx, cotangent):
    adjoint = adjoint_of(ctx.kind, ctx.lengths[-1])
    weighted_dims = weighted_axes(ctx.kind, ctx.dims, ctx.orthogonalize)
    gradient = _weighted(cotangent, weighted_dims, adjoint.before)
    gradient = transform(gradient, adjoint.kind, ctx.dims, ctx.lengths, ctx.scale,
                         ctx.orthogonalize)
    gradient = _weighted(gradient, weighted_dims, adjoint.after)
    return _fitted(gradient, ctx.dims, ctx.shape).to(ctx.dtype), None, None, None, None, None


def _tangent(ctx, tangent, *_):
    return transform(tangent, ctx.kind, ctx.dims, ctx.lengths, ctx.scale, ctx.orthogonalize)


torch.library.register_vmap("wingbeat::transform", _batched, lib=_library)
torch.library.register_autograd("wingbeat::transform", _backward, setup_context=_setup_context,
                                lib=_library)


class _Transform(torch.autograd.Function):
    """The operator, for calls in which `needs_function()`."""

    forward = staticmethod(torch.ops.wingbeat.transform)
    setup_context = staticmethod(_setup_context)
    backward = staticmethod(_backward)
    jvp = staticmethod(_tangent)
    vmap = staticmethod(_batched)


class _EagerTransform(torch.autograd.Function):
    """The operator for calls that only autograd follows; takes a fifth of the time of an operator's
    gradient."""

    @staticmethod
    def forward(ctx, *arguments):
        _setup_context(ctx, arguments, None)
        return _at_once(*arguments)

    backward = staticmethod(_backward)
