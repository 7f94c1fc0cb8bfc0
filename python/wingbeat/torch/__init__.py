# SPDX-License-Identifier: Apache-2.0
"""Transforms of tensors with gradients, layers that convolve by them, and torch.fft on wingbeat.

Functions have the names and arguments of torch.fft, except `out`; in addition there are `dct`,
`dst`, their inverses and `dctn` .., as SciPy defines them. Real tensors may be float16, bfloat16
(spectra: complex64), float32 and float64, complex ones complex32, complex64 and complex128, of any
length, on processors and on NVIDIA GPUs, there on the current stream. Integers are converted to the
default dtype. `stft`, `istft` and `short_time` make spectra and features of frames, and their
modules too, see `wingbeat.short_time`.

Transforms are one operator, `torch.ops.wingbeat.transform`, which torch.compile keeps whole. It
supports gradients of any order, torch.func's transformations and torch.vmap; of forward-mode
derivatives, only torch.func.jvp. A result is a packed tensor. Raises ValueError for lengths, norms
and repeated dims, IndexError for dims that do not exist, TypeError for dtypes.

>>> import torch
>>> import wingbeat.torch
>>> x = torch.ones(4, requires_grad=True)
>>> wingbeat.torch.rfft(x).abs().sum().backward()
>>> x.grad.sum()
tensor(4.)
"""

try:
    import torch
except ModuleNotFoundError as absent:
    raise ModuleNotFoundError("wingbeat.torch needs torch, which is not installed here; install "
                              "wingbeat[torch]", name="torch") from absent

from wingbeat.torch._functions import (dct, dctn, dst, dstn, fft, fft2, fftn, hfft, hfft2, hfftn,
                                       idct, idctn, idst, idstn, ifft, ifft2, ifftn, ihfft, ihfft2,
                                       ihfftn, irfft, irfft2, irfftn, rfft, rfft2, rfftn)
from wingbeat.torch._long_conv import PreparedLongConv, long_conv
from wingbeat.torch._modules import FFTConv1d, FFTConv2d, LongConv, fft_conv
from wingbeat.torch._short_time_functions import istft, short_time, stft
from wingbeat.torch._short_time_modules import (ISTFT, STFT, MelSpectrogram,
                                                MultiResolutionSTFTLoss)
from wingbeat.torch._takeover import install, uninstall

__all__ = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft",
           "fft2", "ifft2", "rfft2", "irfft2", "hfft2", "ihfft2",
           "fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn",
           "dct", "idct", "dst", "idst", "dctn", "idctn", "dstn", "idstn",
           "long_conv", "PreparedLongConv", "fft_conv", "LongConv", "FFTConv1d", "FFTConv2d",
           "stft", "istft", "short_time", "STFT", "ISTFT", "MelSpectrogram",
           "MultiResolutionSTFTLoss",
           "install", "uninstall"]
