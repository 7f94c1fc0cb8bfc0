# SPDX-License-Identifier: Apache-2.0
"""Layers and a loss of short-time transforms."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import torch
from torch import Tensor, nn

from wingbeat import short_time as descriptions
from wingbeat._arguments import count, each, instance, positive
from wingbeat.torch._short_time_functions import istft, of_text, stft, texts_of, with_weights


class _Windowed(nn.Module):
    """A module with a window: a buffer, or a parameter if it is learnt."""

    def __init__(self, window, is_learnt, device, dtype):
        super().__init__()
        if not isinstance(window, Tensor):
            window = torch.tensor(window)  # which copies
        window = window.to(device, dtype or torch.get_default_dtype())
        if is_learnt:
            self.window = nn.Parameter(window.clone())
        else:
            self.register_buffer("window", window)


class STFT(_Windowed):
    """`stft` with a window of its own.

    n_fft, hop_length, win_length, options  arguments of `stft`
    window      weights, or a name of `wingbeat.short_time.window`
    is_learnt   whether the window is a parameter

    Takes [.., L], returns [.., F, T].

    >>> STFT(512)(torch.ones(2, 2000)).shape
    torch.Size([2, 257, 16])
    """

    _function = staticmethod(stft)

    def __init__(self, n_fft: int, hop_length: int | None = None, win_length: int | None = None,
                 window: Tensor | str = "hann", *, is_learnt: bool = False, device: Any = None,
                 dtype: Any = None, **options: Any) -> None:
        if isinstance(window, str):
            n = positive(n_fft, "n_fft") if win_length is None else positive(win_length,
                                                                             "win_length")
            window = descriptions.window(window, n)
        super().__init__(window, is_learnt, device, dtype)
        self.n_fft, self.hop_length, self.win_length = n_fft, hop_length, win_length
        self.options = options

    def forward(self, x: Tensor, **more: Any) -> Tensor:
        return self._function(x, self.n_fft, self.hop_length, self.win_length, self.window,
                              **self.options, **more)

    def extra_repr(self) -> str:
        return f"{self.n_fft}, hop_length={self.hop_length}, win_length={self.win_length}"


class ISTFT(STFT):
    """`istft` with a window of its own; arguments as of `STFT`, options those of `istft`.

    Takes [.., F, T], and `length` optionally; returns [.., L].

    >>> ISTFT(512)(STFT(512)(torch.ones(2, 2000)), length=2000).shape
    torch.Size([2, 2000])
    """

    _function = staticmethod(istft)


class _Described(_Windowed):
    """A module that transforms by a description."""

    pad = 0

    def __init__(self, description, is_learnt, device, dtype):
        instance(description, descriptions.ShortTime, "the description",
                 "give a wingbeat.short_time.ShortTime")
        super().__init__(description.window, is_learnt, device, dtype)
        self.description, self.texts = description, texts_of(description)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        texts_of(self.description)  # which another process does not know

    def forward(self, x: Tensor, lengths: Tensor | None = None) -> Tensor:
        window, x = with_weights(x, self.window)
        if self.pad:
            if lengths is not None:
                raise ValueError(f"pad is {self.pad} and lengths are given, and zeros would "
                                 "follow rows, not their lengths; leave one of them out")
            x = nn.functional.pad(x, (self.pad, self.pad))
        return of_text(x, window, lengths, *self.texts)


class MelSpectrogram(_Described):
    """Powers of mel bands, with torchaudio.transforms.MelSpectrogram's arguments in its order, or
    what any description makes.

    pad          zeros at both ends of rows, which have one length
    window_fn    a function of win_length and `wkwargs`, or weights, or a name
    onesided     has no influence, as in torchaudio, and False is refused
    description  a `wingbeat.short_time.ShortTime` in place of the arguments, such as
                 `wingbeat.short_time.whisper()`
    is_learnt    whether the window is a parameter
    fields       of a description, such as has_log=True and floor=1e-5

    Takes [.., L], and lengths of rows optionally; returns [.., bands, T].

    >>> MelSpectrogram(16000, n_mels=80)(torch.ones(2, 16000)).shape
    torch.Size([2, 80, 81])
    """

    def __init__(self, sample_rate: float = 16000, n_fft: int = 400, win_length: int | None = None,
                 hop_length: int | None = None, f_min: float = 0.0, f_max: float | None = None,
                 pad: int = 0, n_mels: int = 128, window_fn: Callable[..., Any] | Any = "hann",
                 power: float = 2.0, normalized: bool | str = False,
                 wkwargs: dict[str, Any] | None = None, center: bool = True,
                 pad_mode: str = "reflect", onesided: bool | None = None, norm: str | None = None,
                 mel_scale: str = "htk", *, description: Any = None, is_learnt: bool = False,
                 device: Any = None, dtype: Any = None, **fields: Any) -> None:
        if description is None:
            description = descriptions.torchaudio_mel(
                sample_rate, n_fft, win_length, hop_length, f_min, f_max, 0, n_mels, window_fn,
                power, normalized, wkwargs, center, pad_mode, onesided, norm, mel_scale, **fields)
        elif fields:
            raise TypeError(f"description is given, and {', '.join(fields)} besides; give a "
                            "description with these fields")
        super().__init__(description, is_learnt, device, dtype)
        self.pad = count(pad, "pad")


class MultiResolutionSTFTLoss(nn.Module):
    """The loss of Parallel WaveGAN between rows of samples: the mean over resolutions of

        norm(|Y| - |X|) / norm(|Y|) + mean of abs(ln |Y| - ln |X|)

    with |X| = sqrt(max(re^2 + im^2, eps)), Hann windows, and norms over the whole batch, as
    auraloss has it. Of equal rows and of silence, the loss and its gradient are 0. Without a sample
    there is none: ValueError.

    >>> loss = MultiResolutionSTFTLoss()
    >>> loss(torch.zeros(2, 4000), torch.zeros(2, 4000))
    tensor(0.)
    """

    def __init__(self, fft_sizes: Sequence[int] = (1024, 2048, 512),
                 hop_sizes: Sequence[int] = (120, 240, 50),
                 win_lengths: Sequence[int] = (600, 1200, 240), eps: float = 1e-8,
                 device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        fft_sizes, hop_sizes, win_lengths = (
            each(positive, sizes, name) for sizes, name in (
                (fft_sizes, "fft_sizes"), (hop_sizes, "hop_sizes"), (win_lengths, "win_lengths")))
        if not len(fft_sizes) == len(hop_sizes) == len(win_lengths) > 0:
            raise ValueError(f"there are {len(fft_sizes)} fft_sizes, {len(hop_sizes)} hop_sizes "
                             f"and {len(win_lengths)} win_lengths; give one of each resolution")
        self.resolutions = nn.ModuleList(
            _Described(descriptions.torch_stft(n, hop, width, "hann", exponent=1, power_floor=eps),
                       False, device, dtype)
            for n, hop, width in zip(fft_sizes, hop_sizes, win_lengths))

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        for rows, name in (x, "x"), (y, "y"):
            instance(rows, Tensor, name, "give a tensor of samples")
        if x.shape != y.shape or x.numel() == 0:
            raise ValueError(f"x has shape {tuple(x.shape)} and y {tuple(y.shape)}; give rows of "
                             "samples, as many and as long")
        losses = []
        for magnitudes in self.resolutions:
            of_x, of_y = magnitudes(x), magnitudes(y)
            convergence = (of_y - of_x).norm() / of_y.norm()
            losses.append(convergence + (of_y.log() - of_x.log()).abs().mean())
        return torch.stack(losses).mean()
