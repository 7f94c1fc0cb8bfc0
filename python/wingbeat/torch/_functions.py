# SPDX-License-Identifier: Apache-2.0
"""The functions of `wingbeat.torch`: torch.fft's, and cosine and sine transforms."""

from __future__ import annotations

from functools import partial
from typing import Callable

import torch
from torch import Tensor

import wingbeat.fft
from wingbeat._arguments import MAX_LENGTH, instance, integer, scale_of
from wingbeat._calls import made
from wingbeat._kinds import (FORWARD, FROM_REAL, INVERSE, PLANES, REAL_ROWS, REAL_SOLIDS, ROWS,
                             SOLIDS, TO_REAL, Function)
from wingbeat._types import Axes, Norm, Type
from wingbeat.torch._operators import transform
from wingbeat.torch._tensors import COMPLEX_OF


_OF_COMPLEX = (FORWARD, INVERSE, TO_REAL)


def _floating(x):
    """Returns integers in the default dtype."""
    instance(x, Tensor, "input", "give a tensor, or call wingbeat.fft")
    if x.is_floating_point() or x.is_complex():
        return x
    return x.to(torch.get_default_dtype())


def _complex(x):
    x = _floating(x)
    return x if x.is_complex() else x.to(COMPLEX_OF[x.dtype])


def _integers(values, name):
    """Returns integers, which may be symbols of the compiler, as a tuple."""
    try:
        values = tuple(values)
    except TypeError:
        raise TypeError(f"{name} is of type {type(values).__name__}; give an integer, or a tuple "
                        "of them") from None
    return tuple(value if isinstance(value, (int, torch.SymInt)) else integer(value, name)
                 for value in values)


def _dims_of(x, dims):
    rank = x.dim()
    for dim in dims:
        if not -rank <= dim < rank:
            raise IndexError(f"dim is {dim} and the input has {rank} dimensions; give one from "
                             f"{-rank} to {rank - 1}")
    dims = [dim % rank for dim in dims]
    if len(set(dims)) != len(dims):
        raise ValueError(f"dims must be unique, and are {dims}; give each once")
    return dims


def _row(n, dim):
    if n is None:
        return None, (dim,)
    lengths = _integers((n,), "n")
    if lengths[0] < 1:
        raise ValueError(f"Invalid number of data points ({n}) specified; give 1 or more")
    return lengths, (dim,)


def _lengths_and_dims(x, s, dim, kind):
    if s is not None:
        s = (s,) if isinstance(s, int) else _integers(s, "s")
    if dim is not None:
        dim = (dim,) if isinstance(dim, int) else _integers(dim, "dim")
    else:
        first = 0 if s is None else x.dim() - len(s)
        if first < 0:
            raise ValueError(f"s has {len(s)} lengths and the input {x.dim()} dimensions; give at "
                             "most as many")
        dim = range(first, x.dim())
    dims = _dims_of(x, dim)
    if s is None:
        s = [-1] * len(dims)
    if len(s) != len(dims):
        raise ValueError(f"s has {len(s)} lengths for {len(dims)} dims; give one for each")
    lengths = []
    for position, (d, n) in enumerate(zip(dims, s)):
        if n == -1:
            is_half = kind == TO_REAL and position + 1 == len(dims)
            n = 2 * (x.shape[d] - 1) if is_half else x.shape[d]
        if not 1 <= n <= MAX_LENGTH:
            raise ValueError(f"invalid number of data points ({n}) along dim {d}; give 1 to 2^28")
        lengths.append(n)
    return lengths, dims


def _transformed(called, x, s, dim, norm, kind=None, orthogonalize=False):
    of_spectra, is_inverse, _, is_hermitian = called
    kind = of_spectra if kind is None else kind
    x = _complex(x) if kind in _OF_COMPLEX else _floating(x)
    if is_hermitian and kind == TO_REAL:
        x = x.conj()
    scale = scale_of(norm, is_inverse)
    lengths, dims = _lengths_and_dims(x, s, dim, kind)
    if not dims:
        if kind in (FROM_REAL, TO_REAL):
            raise ValueError("dim names no dimension; give one or more, of a half spectrum the "
                             "last")
        return x
    result = transform(x, kind, dims, lengths, scale, orthogonalize)
    return result.conj() if is_hermitian and kind == FROM_REAL else result


def _row_function(called: Function) -> Callable[..., Tensor]:
    def function(input: Tensor, n: int | None = None, dim: int = -1, norm: Norm = None) -> Tensor:
        return _transformed(called, input, *_row(n, dim), norm)
    return function


def _dims_function(called: Function) -> Callable[..., Tensor]:
    def function(input: Tensor, s: Axes = None, dim: Axes = called.axes,
                 norm: Norm = None) -> Tensor:
        return _transformed(called, input, s, dim, norm)
    return function


def _real_row_function(called: Function) -> Callable[..., Tensor]:
    def function(input: Tensor, type: Type = 2, n: int | None = None, dim: int = -1,
                 norm: Norm = None, orthogonalize: bool | None = None) -> Tensor:
        return _transformed(called, input, *_row(n, dim), norm,
                            *called.of_type(type, norm, orthogonalize))
    return function


def _real_dims_function(called: Function) -> Callable[..., Tensor]:
    def function(input: Tensor, type: Type = 2, s: Axes = None, dim: Axes = None,
                 norm: Norm = None, orthogonalize: bool | None = None) -> Tensor:
        return _transformed(called, input, s, dim, norm,
                            *called.of_type(type, norm, orthogonalize))
    return function


_made = partial(made, wingbeat.fft, __name__, "torch.ones(4, 4)", "torch.Size([{}])")
fft, ifft, rfft, irfft, hfft, ihfft = _made(_row_function, ROWS)
fft2, ifft2, rfft2, irfft2, hfft2, ihfft2 = _made(_dims_function, PLANES)
fftn, ifftn, rfftn, irfftn, hfftn, ihfftn = _made(_dims_function, SOLIDS)
dct, idct, dst, idst = _made(_real_row_function, REAL_ROWS)
dctn, idctn, dstn, idstn = _made(_real_dims_function, REAL_SOLIDS)
