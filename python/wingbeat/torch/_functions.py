# SPDX-License-Identifier: Apache-2.0
"""The functions of `wingbeat.torch`: torch.fft's, and cosine and sine transforms."""

from __future__ import annotations

import torch

from wingbeat import _wingbeat
from wingbeat._arguments import integer, scale_of
from wingbeat._kinds import COSINES, SINES
from wingbeat._types import Axes, Norm
from wingbeat.torch._operators import transform
from wingbeat.torch._tensors import COMPLEX_OF, FORWARD, FROM_REAL, INVERSE, TO_REAL


_MAX_LENGTH = _wingbeat.max_length


def _floating(x):
    """Returns integers in the default dtype."""
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"input is of type {type(x).__name__}; give a tensor, or call wingbeat.fft")
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
        raise TypeError(f"{name} is of type {type(values).__name__}; give an integer, or a tuple of "
                        "them") from None
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
        if not 1 <= n <= _MAX_LENGTH:
            raise ValueError(f"invalid number of data points ({n}) along dim {d}; give 1 to 2^28")
        lengths.append(n)
    return lengths, dims


def _transformed(kind, x, s, dim, scale, orthogonalize=False):
    lengths, dims = _lengths_and_dims(x, s, dim, kind)
    if not dims:
        if kind in (FROM_REAL, TO_REAL):
            raise ValueError("dim names no dimension; give one or more, of a half spectrum the last")
        return x
    return transform(x, kind, dims, lengths, scale, orthogonalize)


def fft(input: torch.Tensor, n: int | None = None, dim: int = -1,
        norm: Norm = None) -> torch.Tensor:
    """Returns the bins sum_j x[j] exp(-2 pi i jk/n), k = 0 .. n-1, as complex numbers.

    >>> fft(torch.tensor([0.0, 1, 0, 0])).imag
    tensor([ 0., -1.,  0.,  1.])
    """
    return _transformed(FORWARD, _complex(input), *_row(n, dim), scale_of(norm, False))


def ifft(input: torch.Tensor, n: int | None = None, dim: int = -1,
         norm: Norm = None) -> torch.Tensor:
    """Returns the inverse of `fft`.

    >>> ifft(torch.tensor([4.0, 0, 0, 0])).real
    tensor([1., 1., 1., 1.])
    """
    return _transformed(INVERSE, _complex(input), *_row(n, dim), scale_of(norm, True))


def rfft(input: torch.Tensor, n: int | None = None, dim: int = -1,
         norm: Norm = None) -> torch.Tensor:
    """Returns bins 0 .. n/2 of real numbers.

    >>> rfft(torch.ones(4)).real
    tensor([4., 0., 0.])
    """
    return _transformed(FROM_REAL, _floating(input), *_row(n, dim), scale_of(norm, False))


def irfft(input: torch.Tensor, n: int | None = None, dim: int = -1,
          norm: Norm = None) -> torch.Tensor:
    """Returns n real numbers from bins 0 .. n/2, n even if not given: the inverse of `rfft`.

    >>> irfft(torch.tensor([4.0, 0, 0]))
    tensor([1., 1., 1., 1.])
    """
    return _transformed(TO_REAL, _complex(input), *_row(n, dim), scale_of(norm, True))


def hfft(input: torch.Tensor, n: int | None = None, dim: int = -1,
         norm: Norm = None) -> torch.Tensor:
    """Returns the real spectrum, of n bins, of a signal whose elements 0 .. n/2 are the input's
    and whose others are their conjugates, mirrored.

    >>> hfft(torch.tensor([1.0, 0, 0]))
    tensor([1., 1., 1., 1.])
    """
    return hfftn(input, *_row(n, dim), norm)


def ihfft(input: torch.Tensor, n: int | None = None, dim: int = -1,
          norm: Norm = None) -> torch.Tensor:
    """Returns the inverse of `hfft`.

    >>> ihfft(torch.ones(4)).real
    tensor([1., 0., 0.])
    """
    return ihfftn(input, *_row(n, dim), norm)


def fft2(input: torch.Tensor, s: Axes = None, dim: Axes = (-2, -1),
         norm: Norm = None) -> torch.Tensor:
    """Returns `fftn` over two dimensions.

    >>> fft2(torch.ones(2, 2)).real
    tensor([[4., 0.],
            [0., 0.]])
    """
    return fftn(input, s, dim, norm)


def ifft2(input: torch.Tensor, s: Axes = None, dim: Axes = (-2, -1),
          norm: Norm = None) -> torch.Tensor:
    """Returns `ifftn` over two dimensions.

    >>> ifft2(torch.ones(2, 2)).real
    tensor([[1., 0.],
            [0., 0.]])
    """
    return ifftn(input, s, dim, norm)


def rfft2(input: torch.Tensor, s: Axes = None, dim: Axes = (-2, -1),
          norm: Norm = None) -> torch.Tensor:
    """Returns `rfftn` over two dimensions.

    >>> rfft2(torch.ones(4, 4)).shape
    torch.Size([4, 3])
    """
    return rfftn(input, s, dim, norm)


def irfft2(input: torch.Tensor, s: Axes = None, dim: Axes = (-2, -1),
           norm: Norm = None) -> torch.Tensor:
    """Returns `irfftn` over two dimensions.

    >>> irfft2(torch.ones(4, 3)).shape
    torch.Size([4, 4])
    """
    return irfftn(input, s, dim, norm)


def hfft2(input: torch.Tensor, s: Axes = None, dim: Axes = (-2, -1),
          norm: Norm = None) -> torch.Tensor:
    """Returns `hfftn` over two dimensions.

    >>> hfft2(torch.ones(4, 3)).shape
    torch.Size([4, 4])
    """
    return hfftn(input, s, dim, norm)


def ihfft2(input: torch.Tensor, s: Axes = None, dim: Axes = (-2, -1),
           norm: Norm = None) -> torch.Tensor:
    """Returns `ihfftn` over two dimensions.

    >>> ihfft2(torch.ones(4, 4)).shape
    torch.Size([4, 3])
    """
    return ihfftn(input, s, dim, norm)


def fftn(input: torch.Tensor, s: Axes = None, dim: Axes = None, norm: Norm = None) -> torch.Tensor:
    """Returns `fft` along each of `dim`; all, or the last len(s), if none are given.

    >>> fftn(torch.ones(2, 2, 2)).real.sum()
    tensor(8.)
    """
    return _transformed(FORWARD, _complex(input), s, dim, scale_of(norm, False))


def ifftn(input: torch.Tensor, s: Axes = None, dim: Axes = None, norm: Norm = None) -> torch.Tensor:
    """Returns the inverse of `fftn`.

    >>> ifftn(fftn(torch.eye(2))).real
    tensor([[1., 0.],
            [0., 1.]])
    """
    return _transformed(INVERSE, _complex(input), s, dim, scale_of(norm, True))


def rfftn(input: torch.Tensor, s: Axes = None, dim: Axes = None, norm: Norm = None) -> torch.Tensor:
    """Returns `rfft` along the last of `dim` and `fft` along the others.

    >>> rfftn(torch.ones(2, 4)).shape
    torch.Size([2, 3])
    """
    return _transformed(FROM_REAL, _floating(input), s, dim, scale_of(norm, False))


def irfftn(input: torch.Tensor, s: Axes = None, dim: Axes = None,
           norm: Norm = None) -> torch.Tensor:
    """Returns the inverse of `rfftn`.

    >>> irfftn(rfftn(torch.eye(2)))
    tensor([[1., 0.],
            [0., 1.]])
    """
    return _transformed(TO_REAL, _complex(input), s, dim, scale_of(norm, True))


def hfftn(input: torch.Tensor, s: Axes = None, dim: Axes = None, norm: Norm = None) -> torch.Tensor:
    """Returns `hfft` along the last of `dim` and `fft` along the others.

    >>> hfftn(ihfftn(torch.eye(4))).round()
    tensor([[1., 0., 0., 0.],
            [0., 1., 0., 0.],
            [0., 0., 1., 0.],
            [0., 0., 0., 1.]])
    """
    return _transformed(TO_REAL, _complex(input).conj(), s, dim, scale_of(norm, False))


def ihfftn(input: torch.Tensor, s: Axes = None, dim: Axes = None,
           norm: Norm = None) -> torch.Tensor:
    """Returns the inverse of `hfftn`.

    >>> ihfftn(torch.ones(2, 4)).shape
    torch.Size([2, 3])
    """
    return _transformed(FROM_REAL, _floating(input), s, dim, scale_of(norm, True)).conj()


def _between_reals(kinds, is_inverse, input, type, s, dim, norm, orthogonalize):
    if type not in tuple(kinds):
        raise ValueError(f"type is {type}; give 1, 2, 3 or 4")
    if orthogonalize is None:
        orthogonalize = norm == "ortho"
    return _transformed(kinds[type][int(is_inverse)], _floating(input), s, dim,
                        scale_of(norm, is_inverse), bool(orthogonalize))


def dct(input: torch.Tensor, type: int = 2, n: int | None = None, dim: int = -1, norm: Norm = None,
        orthogonalize: bool | None = None) -> torch.Tensor:
    """Returns the cosine transform of a type, 1 to 4, as `scipy.fft.dct` defines it.

    >>> dct(torch.tensor([1.0, 1.0]))
    tensor([4., 0.])
    """
    return _between_reals(COSINES, False, input, type, *_row(n, dim), norm, orthogonalize)


def idct(input: torch.Tensor, type: int = 2, n: int | None = None, dim: int = -1, norm: Norm = None,
         orthogonalize: bool | None = None) -> torch.Tensor:
    """Returns the inverse of `dct` of that type.

    >>> idct(torch.tensor([4.0, 0.0]))
    tensor([1., 1.])
    """
    return _between_reals(COSINES, True, input, type, *_row(n, dim), norm, orthogonalize)


def dst(input: torch.Tensor, type: int = 2, n: int | None = None, dim: int = -1, norm: Norm = None,
        orthogonalize: bool | None = None) -> torch.Tensor:
    """Returns the sine transform of a type, 1 to 4, as `scipy.fft.dst` defines it.

    >>> dst(torch.ones(1))
    tensor([2.])
    """
    return _between_reals(SINES, False, input, type, *_row(n, dim), norm, orthogonalize)


def idst(input: torch.Tensor, type: int = 2, n: int | None = None, dim: int = -1, norm: Norm = None,
         orthogonalize: bool | None = None) -> torch.Tensor:
    """Returns the inverse of `dst` of that type.

    >>> idst(torch.tensor([2.0]))
    tensor([1.])
    """
    return _between_reals(SINES, True, input, type, *_row(n, dim), norm, orthogonalize)


def dctn(input: torch.Tensor, type: int = 2, s: Axes = None, dim: Axes = None, norm: Norm = None,
         orthogonalize: bool | None = None) -> torch.Tensor:
    """Returns `dct` along each of `dim`; all if none are given.

    >>> dctn(torch.ones(2, 2))
    tensor([[16.,  0.],
            [ 0.,  0.]])
    """
    return _between_reals(COSINES, False, input, type, s, dim, norm, orthogonalize)


def idctn(input: torch.Tensor, type: int = 2, s: Axes = None, dim: Axes = None, norm: Norm = None,
          orthogonalize: bool | None = None) -> torch.Tensor:
    """Returns the inverse of `dctn`.

    >>> idctn(dctn(torch.ones(2, 2)))
    tensor([[1., 1.],
            [1., 1.]])
    """
    return _between_reals(COSINES, True, input, type, s, dim, norm, orthogonalize)


def dstn(input: torch.Tensor, type: int = 2, s: Axes = None, dim: Axes = None, norm: Norm = None,
         orthogonalize: bool | None = None) -> torch.Tensor:
    """Returns `dst` along each of `dim`; all if none are given.

    >>> dstn(torch.ones(3, 4)).shape
    torch.Size([3, 4])
    """
    return _between_reals(SINES, False, input, type, s, dim, norm, orthogonalize)


def idstn(input: torch.Tensor, type: int = 2, s: Axes = None, dim: Axes = None, norm: Norm = None,
          orthogonalize: bool | None = None) -> torch.Tensor:
    """Returns the inverse of `dstn`.

    >>> idstn(dstn(torch.ones(1, 1)))
    tensor([[1.]])
    """
    return _between_reals(SINES, True, input, type, s, dim, norm, orthogonalize)
