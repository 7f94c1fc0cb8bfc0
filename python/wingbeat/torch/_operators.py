# SPDX-License-Identifier: Apache-2.0
"""The operator `torch.ops.wingbeat.transform`: every kind of transform, with what torch's compiler,
autograd and vmap need.

    transform(x, kind, dims, lengths, scale, orthogonalize) -> Tensor

A transform is a real or complex matrix, so its gradient is the adjoint, another transform: of a
forward FFT the unnormalised inverse with the same scale. Where a kind reads or writes half of a
symmetric signal, the elements that stand for two are weighted.
"""

from typing import NamedTuple, Optional

import torch

from wingbeat import _wingbeat
from wingbeat.torch._tensors import (FORWARD, FROM_REAL, INVERSE, TO_REAL, result_dtype, run)

_library = torch.library.Library("wingbeat", "DEF")
_library.define("transform(Tensor x, int kind, int[] dims, SymInt[] lengths, int scale, "
                "bool orthogonalize) -> Tensor")


def transform(x, kind, dims, lengths, scale, orthogonalize=False):
    """Returns the transform of x; `dims` are counted from 0, `lengths` has one for each."""
    arguments = x, kind, dims, lengths, scale, orthogonalize
    if not torch.compiler.is_compiling() and torch._C._are_functorch_transforms_active():
        return _Transform.apply(*arguments)
    return torch.ops.wingbeat.transform(*arguments)


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


class _Weight(NamedTuple):
    """A factor for elements `begin` .. `end` of a dimension; a negative index counts from the end,
    an `end` of None is the end."""

    begin: int
    end: Optional[int]
    factor: float


class _Adjoint(NamedTuple):
    """The adjoint of a kind: weights, a transform, weights."""

    kind: int
    before: tuple = ()
    after: tuple = ()


# Of kinds between reals without `orthogonalize`; with it their matrices are orthogonal up to a
# factor, and the weights are 1.
_ADJOINTS = {
    FORWARD: _Adjoint(INVERSE),
    INVERSE: _Adjoint(FORWARD),
    _wingbeat.kind_dct1: _Adjoint(_wingbeat.kind_dct1,
                                  (_Weight(0, 1, 2.0), _Weight(-1, None, 2.0)),
                                  (_Weight(0, 1, 0.5), _Weight(-1, None, 0.5))),
    _wingbeat.kind_dct2: _Adjoint(_wingbeat.kind_dct3, before=(_Weight(0, 1, 2.0),)),
    _wingbeat.kind_dct3: _Adjoint(_wingbeat.kind_dct2, after=(_Weight(0, 1, 0.5),)),
    _wingbeat.kind_dct4: _Adjoint(_wingbeat.kind_dct4),
    _wingbeat.kind_dst1: _Adjoint(_wingbeat.kind_dst1),
    _wingbeat.kind_dst2: _Adjoint(_wingbeat.kind_dst3, before=(_Weight(-1, None, 2.0),)),
    _wingbeat.kind_dst3: _Adjoint(_wingbeat.kind_dst2, after=(_Weight(-1, None, 0.5),)),
    _wingbeat.kind_dst4: _Adjoint(_wingbeat.kind_dst4),
}


def _interior(n, factor):
    """Returns the weight of the bins of a half spectrum of n points that stand for two."""
    return (_Weight(1, (n + 1) // 2, factor),)


def _adjoint_of(kind, n):
    if kind == FROM_REAL:
        return _Adjoint(TO_REAL, before=_interior(n, 0.5))
    if kind == TO_REAL:
        return _Adjoint(FROM_REAL, after=_interior(n, 2.0))
    return _ADJOINTS[kind]


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
    is_half = ctx.kind in (FROM_REAL, TO_REAL)
    adjoint = _adjoint_of(ctx.kind, ctx.lengths[-1])
    weighted_dims = ctx.dims[-1:] if is_half else () if ctx.orthogonalize else ctx.dims
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
    """The operator within torch.func.grad, jvp and the like, which take no gradient that was
    registered for an operator."""

    forward = staticmethod(torch.ops.wingbeat.transform)
    setup_context = staticmethod(_setup_context)
    backward = staticmethod(_backward)
    jvp = staticmethod(_tangent)
    vmap = staticmethod(_batched)
