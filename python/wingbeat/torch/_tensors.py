# SPDX-License-Identifier: Apache-2.0
"""Dtypes of tensors, and one transform of them."""

import torch

from wingbeat import _wingbeat
from wingbeat._arguments import NORMS
from wingbeat._arrays import conversion, library_of, result_name
from wingbeat._kinds import FROM_REAL, TO_REAL
from wingbeat._transform import Request, run_described

_library = library_of(torch.empty(0))


def result_dtype(dtype, kind):
    """Returns the dtype of a result, or raises TypeError if the kind takes no such elements."""
    name = str(dtype).removeprefix("torch.")
    if (taken := conversion(name, kind, True)) != name:
        raise TypeError(f"input is {name}, and this transform takes {taken}; convert it")
    return getattr(torch, result_name(name, kind, True))


COMPLEX_OF = {dtype: result_dtype(dtype, FROM_REAL)
              for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64)}
REAL_OF = {dtype: result_dtype(dtype, TO_REAL)
           for dtype in (torch.complex32, torch.complex64, torch.complex128)}


def good_length(n, is_real):
    """Returns a length of at least n whose transforms are fast."""
    if not torch.compiler.is_compiling():
        return _wingbeat.next_good_length(n, is_real)
    lengths = []  # built in steps that a compiler can trace
    for length in (8, 9, 10, 12, 14):
        while length < n:
            length *= 2
        lengths.append(length)
    return min(lengths)


def run(kind, source, result, lengths, dims, scale, orthogonalize=False):
    """Writes the transform of `source` to `result`, on the current stream of a GPU.

    lengths, dims  dimensions counted from 0, and their lengths; a half spectrum is along the last
    scale          an index of NORMS
    """
    if result.numel() == 0:
        return
    lengths, dims = tuple(lengths), tuple(dims)
    norm = NORMS[scale]
    if source.requires_grad:
        source = source.detach()
    if _wingbeat.transform_axes(kind, False, source, lengths, dims, norm, orthogonalize, False,
                                result) is not None:
        return
    # Versions of torch differ in whether these flags are resolved before a kernel in Python.
    source = source.resolve_conj().resolve_neg()
    request = Request(kind, False, lengths, dims, norm, orthogonalize)
    run_described(_library, request, source, result, _wingbeat.view(result).dtype)
