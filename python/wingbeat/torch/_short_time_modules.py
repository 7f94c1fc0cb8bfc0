# SPDX-License-Identifier: Apache-2.0
"""Layers and a loss of short-time transforms."""

from __future__ import annotations

from typing import Any, Sequence

import torch
from torch import Tensor, nn

from wingbeat import short_time as descriptions
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
            window = descriptions.window(window, n_fft if win_length is None else win_length)
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

    def __init__(self, description, is_learnt, device, dtype):
        super().__init__(description.window, is_learnt, device, dtype)
        self.description, self.texts = description, texts_of(description)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        texts_of(self.description)  # which another process does not know

    def forward(self, x: Tensor, lengths: Tensor | None = None) -> Tensor:
        window, x = with_weights(x, self.window)
        return of_text(x, window, lengths, *self.texts)


class MelSpectrogram(_Described):
    """Powers of mel bands, with torchaudio.transforms.MelSpectrogram's arguments and defaults, or
    what any description makes.

    description  a `wingbeat.short_time.ShortTime` in place of the arguments, such as
                 `wingbeat.short_time.whisper()`
    arguments    those of `wingbeat.short_time.torchaudio_mel`, and further fields, such as
                 has_log=True and floor=1e-5
    is_learnt    whether the window is a parameter

    Takes [.., L], and lengths of rows optionally; returns [.., bands, T].

    >>> MelSpectrogram(16000, n_mels=80)(torch.ones(2, 16000)).shape
    torch.Size([2, 80, 81])
    """

    def __init__(self, sample_rate: float = 16000, *, description: Any = None,
                 is_learnt: bool = False, device: Any = None, dtype: Any = None,
                 **arguments: Any) -> None:
        if description is None:
            description = descriptions.torchaudio_mel(sample_rate, **arguments)
        super().__init__(description, is_learnt, device, dtype)


class MultiResolutionSTFTLoss(nn.Module):
    """The loss of Parallel WaveGAN between rows of samples: the mean over resolutions of

        norm(|Y| - |X|) / norm(|Y|) + mean of abs(ln |Y| - ln |X|)

    with |X| = sqrt(max(re^2 + im^2, eps)), Hann windows, and norms over the whole batch, as
    auraloss has it. Of equal rows and of silence, the loss and its gradient are 0.

    >>> loss = MultiResolutionSTFTLoss()
    >>> loss(torch.zeros(2, 4000), torch.zeros(2, 4000))
    tensor(0.)
    """

    def __init__(self, fft_sizes: Sequence[int] = (1024, 2048, 512),
                 hop_sizes: Sequence[int] = (120, 240, 50),
                 win_lengths: Sequence[int] = (600, 1200, 240), eps: float = 1e-8,
                 device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        if not len(fft_sizes) == len(hop_sizes) == len(win_lengths) > 0:
            raise ValueError(f"there are {len(fft_sizes)} fft_sizes, {len(hop_sizes)} hop_sizes "
                             f"and {len(win_lengths)} win_lengths; give one of each resolution")
        self.resolutions = nn.ModuleList(
            _Described(descriptions.torch_stft(n, hop, width, "hann", exponent=1, power_floor=eps),
                       False, device, dtype)
            for n, hop, width in zip(fft_sizes, hop_sizes, win_lengths))

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        losses = []
        for magnitudes in self.resolutions:
            of_x, of_y = magnitudes(x), magnitudes(y)
            convergence = (of_y - of_x).norm() / of_y.norm()
            losses.append(convergence + (of_y.log() - of_x.log()).abs().mean())
        return torch.stack(losses).mean()
