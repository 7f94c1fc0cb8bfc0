# SPDX-License-Identifier: Apache-2.0
"""wingbeat in place of torch.fft's own kernels, in three operators of aten and everything that
calls them, whose shapes, gradients, batching rules and meta functions remain torch's; and in place
of the functions torch.stft and torch.istft."""

from __future__ import annotations

import functools
import inspect
import threading
import warnings

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.autograd import forward_ad

from wingbeat._kinds import FORWARD, FROM_REAL, INVERSE, TO_REAL
from wingbeat.torch import _short_time_functions
from wingbeat.torch._tensors import COMPLEX_OF, REAL_OF, run

_aten = torch.ops.aten
# torch numbers its normalizations: none, by the square root of the length, by the length.
_SCALES = (0, 2, 1)


@functools.lru_cache(maxsize=4096)
def _strides_of_result(operator, shape, strides, dtype, device, result_shape, arguments):
    """Returns the strides of the result by torch's meta function, on which the compiler relies and
    which differ between versions of torch. None if they are impossible: in torch 2.11 the function
    places elements of some transposed half spectra outside of their memory, and raises."""
    try:
        with FakeTensorMode():
            x = torch.empty_strided(shape, strides, dtype=dtype, device=device)
            listed = (list(each) if isinstance(each, tuple) else each for each in arguments)
            found = operator(x, *listed).stride()
    except RuntimeError:
        return None
    return found if _is_dense(result_shape, found) else None


def _is_dense(shape, strides):
    """Whether elements of these strides fill their memory without overlap."""
    reached = 1
    for stride, n in sorted((stride, n) for stride, n in zip(strides, shape) if n > 1):
        if stride != reached:
            return False
        reached *= n
    return True


def _empty_result(operator, x, shape, dtype, *arguments):
    strides = _strides_of_result(operator, x.shape, x.stride(), x.dtype, x.device.type,
                                 tuple(shape), arguments)
    if strides is None:
        return torch.empty(shape, dtype=dtype, device=x.device)
    return torch.empty_strided(shape, strides, dtype=dtype, device=x.device)


def _transformed(operator, kind, x, shape, dtype, lengths, dim, normalization, *arguments):
    result = _empty_result(operator, x, shape, dtype, tuple(dim), normalization, *arguments)
    run(kind, x, result, lengths, dim, _SCALES[normalization])
    return result


def _c2c(x, dim, normalization, forward):
    if not dim:
        return x.clone()
    return _transformed(_aten._fft_c2c.default, FORWARD if forward else INVERSE, x, x.shape,
                        x.dtype, [x.shape[d] for d in dim], dim, normalization, forward)


def _r2c(x, dim, normalization, onesided):
    if x.dtype not in COMPLEX_OF:
        raise TypeError(f"Only supports floating-point dtypes, but found: {x.dtype}; give real "
                        "numbers")
    lengths, last = [x.shape[d] for d in dim], dim[-1]
    shape = list(x.shape)
    if onesided:
        shape[last] = lengths[-1] // 2 + 1
    result = _empty_result(_aten._fft_r2c.default, x, shape, COMPLEX_OF[x.dtype], tuple(dim),
                           normalization, onesided)
    n_bins = lengths[-1] // 2 + 1
    half = result.narrow(last, 0, n_bins)
    run(FROM_REAL, x, half, lengths, dim, _SCALES[normalization])
    if not onesided:
        _mirror(result, half, dim, lengths[-1] - n_bins)
    return result


def _mirror(result, half, dim, n_missing):
    """Completes a spectrum of real numbers whose first bins are `half`: X[-k] = conj X[k]."""
    if n_missing == 0 or result.numel() == 0:
        return
    last = dim[-1]
    others = list(dim[:-1])
    mirrored = half.narrow(last, 1, n_missing).flip(dim)
    if others:
        mirrored = mirrored.roll([1] * len(others), others)
    result.narrow(last, half.shape[last], n_missing).copy_(mirrored.conj())


def _c2r(x, dim, normalization, last_dim_size):
    if x.dtype not in REAL_OF:
        raise RuntimeError(f"Only supports complex dtypes, but found: {x.dtype}; give complex "
                           "numbers")
    lengths = [x.shape[d] for d in dim[:-1]] + [last_dim_size]
    shape = list(x.shape)
    shape[dim[-1]] = last_dim_size
    return _transformed(_aten._fft_c2r.default, TO_REAL, x, shape, REAL_OF[x.dtype], lengths, dim,
                        normalization, last_dim_size)


def _written(function):
    """Returns the variant of an operator that writes to `out`."""
    def write(*arguments, out):
        result = function(*arguments)
        if out.shape != result.shape:
            if out.numel():
                warnings.warn(f"an output with one or more elements was resized: out has shape "
                              f"{tuple(out.shape)} and the result {tuple(result.shape)}; give an "
                              "out of that shape, or an empty one")
            out.resize_(result.shape)
        return out.copy_(result)

    return write


def _replacement(original, ours, takes):
    """Returns a function that calls ours, and torch's own with what ours does not take or refuses,
    so that errors are torch's."""
    signature = inspect.signature(ours)

    @functools.wraps(original)
    def replaced(*arguments, **named):
        if torch.compiler.is_compiling() or forward_ad._current_level >= 0:
            return original(*arguments, **named)
        try:
            given = signature.bind(*arguments, **named).arguments
            if takes(**given):
                return ours(**given)
        except (TypeError, ValueError):
            pass
        return original(*arguments, **named)
    return replaced


def _takes(input, window=None, **options):
    """Returns whether torch's function gives these tensors to kernels of its own."""
    tensors = [each for each in (input, window) if each is not None]
    return all(type(each) in (torch.Tensor, torch.nn.Parameter) and each.layout is torch.strided
               and (each.is_cpu or each.is_cuda) for each in tensors)


def _takes_samples(input, n_fft, hop_length=None, center=True, pad_mode="reflect",
                   return_complex=None, **options):
    is_padded = center and pad_mode in ("reflect", "circular")
    return (_takes(input, **options) and 0 < input.dim() < 3 and input.is_floating_point()
            and input.dtype in (torch.float32, torch.float64) and return_complex is not None
            and input.shape[-1] > (n_fft // 2 if is_padded else 0) and hop_length != 0
            and (center or input.shape[-1] >= n_fft))


def _takes_spectra(input, n_fft, hop_length=None, win_length=None, length=None, **options):
    width = n_fft if win_length is None else win_length
    hop = n_fft // 4 if hop_length is None else hop_length
    reached = n_fft // 2 + (input.shape[-1] - 1) * hop
    return (_takes(input, **options) and input.dim() in (2, 3) and input.numel() > 0
            and 0 < hop <= width <= n_fft and (length is None or 0 < length <= reached))


_KERNELS = {"_fft_c2c": _c2c, "_fft_r2c": _r2c, "_fft_c2r": _c2r}
_FUNCTIONS = {"stft": _replacement(torch.stft, _short_time_functions.stft, _takes_samples),
              "istft": _replacement(torch.istft, _short_time_functions.istft, _takes_spectra)}
_ORIGINALS = {name: getattr(torch, name) for name in _FUNCTIONS}
_guard = threading.Lock()
_library = None


def install() -> None:
    """Makes torch.fft run on wingbeat in this process, for tensors on processors and NVIDIA GPUs,
    and with it everything else that calls the operators `_fft_c2c`, `_fft_r2c` and `_fft_c2r` of
    aten. torch.stft and torch.istft become `wingbeat.torch.stft` and `istft`; what these do not
    take, and what is refused, remains torch's. On a GPU, samples that the inverse cannot divide are
    0, because nothing waits to find them. A second call changes nothing.

    >>> install()
    >>> torch.fft.fft(torch.ones(4)).real
    tensor([4., 0., 0., 0.])
    >>> uninstall()
    """
    global _library
    with _guard:
        if _library is not None:
            return
        library = torch.library.Library("aten", "IMPL")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch warns about replaced kernels
            for key in "CPU", "CUDA":
                for name, function in _KERNELS.items():
                    library.impl(name, function, key)
                    library.impl(f"{name}.out", _written(function), key)
        _library = library
        _set_functions(_FUNCTIONS)


def _set_functions(functions):
    for module in torch, torch.functional:
        for name, function in functions.items():
            setattr(module, name, function)


def uninstall() -> None:
    """Makes torch.fft run on torch's own kernels again.

    >>> install()
    >>> uninstall()
    """
    global _library
    with _guard:
        if _library is not None:
            _library._destroy()
            _library = None
            _set_functions(_ORIGINALS)
