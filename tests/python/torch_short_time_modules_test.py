# SPDX-License-Identifier: Apache-2.0
"""wingbeat.torch's layers and loss of short-time transforms, against their definitions, torchaudio
and auraloss.

On a machine with a GPU the same tests run there as well.
"""

import copy
import pickle
import warnings

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed here")

import wingbeat.torch as wt  # noqa: E402
from torch_cases import close, device, noise  # noqa: E402, F401
from wingbeat import _short_rows, short_time  # noqa: E402
from wingbeat.torch import _short_time, _short_time_functions  # noqa: E402


def test_modules(device):
    x = torch.randn(2, 3000, device=device)
    forward, back = (made(256, 64, device=device) for made in (wt.STFT, wt.ISTFT))
    close(back(forward(x), length=3000), x, 1e-5)
    learnt = wt.STFT(256, 64, is_learnt=True, device=device)
    learnt(x).abs().sum().backward()
    assert [name for name, _ in learnt.named_parameters()] == ["window"]
    assert bool(learnt.window.grad.any())
    mel = wt.MelSpectrogram(16000, n_mels=40, has_log=True, floor=1e-5, device=device)
    powers = torch.stft(x, 400, 200, window=torch.hann_window(400, device=device),
                        return_complex=True).abs().square()
    bands = torch.from_numpy(short_time.mel(40, 400, 16000, scale="htk", equal_areas=False))
    close(mel(x), (bands.to(x) @ powers).clamp(min=1e-5).log(), 1e-4)
    with pytest.raises(TypeError, match="give a description with these fields"):
        wt.MelSpectrogram(description=short_time.whisper(), floor=1e-5)
    whisper = wt.MelSpectrogram(description=short_time.whisper(), device=device)
    assert whisper(x).shape == (2, 80, 18)
    texts = pickle.dumps(whisper)
    _short_rows.BANDS.clear()  # as in another process
    _short_time_functions.texts_of.cache_clear()
    _short_time._described.cache_clear()
    assert bool((pickle.loads(texts)(x) == copy.deepcopy(whisper)(x)).all())


# torchaudio's arguments in its order: sample_rate .. mel_scale.
MELS = ((16000, 400, None, None, 0.0, None, 0, 40),
        (8000, 256, 200, 80, 20.0, 3800.0, 100, 20, torch.hamming_window, 1.0, False,
         {"periodic": False}, True, "constant", None, "slaney", "slaney"),
        (16000, 256, 200, 64, 0.0, None, 77, 20, torch.hann_window, 2.0, True, None, True),
        (16000, 250, 200, 64, 0.0, None, 50, 20, torch.hann_window, 2.0, "frame_length", None,
         False, "reflect", True, None, "htk"))


def mel_by_definition(x, sample_rate=16000, n_fft=400, win_length=None, hop_length=None, f_min=0.0,
                      f_max=None, pad=0, n_mels=128, window_fn=torch.hann_window, power=2.0,
                      normalized=False, wkwargs=None, center=True, pad_mode="reflect",
                      onesided=None, norm=None, mel_scale="htk"):
    """torchaudio.transforms.MelSpectrogram."""
    win_length = win_length or n_fft
    window = window_fn(win_length, **(wkwargs or {})).to(x.device)
    x = torch.nn.functional.pad(x, (pad, pad))
    spectra = torch.stft(x, n_fft, hop_length or win_length // 2, win_length, window.to(x), center,
                         pad_mode, normalized == "frame_length", True, return_complex=True)
    if normalized is True:
        spectra = spectra / window.square().sum().sqrt()
    bands = short_time.mel(n_mels, n_fft, sample_rate, f_min, f_max, scale=mel_scale,
                           equal_areas=norm == "slaney")
    return torch.from_numpy(bands).to(x) @ spectra.abs().pow(power)


@pytest.mark.parametrize("arguments", MELS, ids=len)
def test_mel_spectrograms_as_torchaudio_has_them(arguments, device):
    x = torch.randn(2, 3, 4000, device=device)
    result = wt.MelSpectrogram(*arguments, device=device)(x)
    expected = mel_by_definition(x.flatten(0, 1), *arguments)
    close(result.flatten(0, 1), expected, 1e-4)
    close(wt.MelSpectrogram(*arguments, device=device)(x[0, 0]), expected[0], 1e-4)
    if arguments[6] == 0 or arguments[12:14] in ((False, "reflect"), (True, "constant")):
        close(short_time.torchaudio_mel(*arguments)(x[0].cpu()), expected[:3].cpu(), 1e-4)


@pytest.mark.parametrize("arguments", MELS, ids=len)
def test_torchaudio(arguments):
    transforms = pytest.importorskip("torchaudio.transforms")
    x = torch.randn(2, 4000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of `onesided`, and of bands without a bin
        expected = transforms.MelSpectrogram(*arguments)(x)
    close(wt.MelSpectrogram(*arguments)(x), expected, 1e-4)


def reference_loss(x, y):
    total = 0
    for n, hop, width in (1024, 120, 600), (2048, 240, 1200), (512, 50, 240):
        window = torch.hann_window(width, dtype=x.dtype, device=x.device)
        of_x, of_y = (torch.stft(each, n, hop, width, window, return_complex=True) for each in
                      (x, y))
        of_x, of_y = ((each.real**2 + each.imag**2).clamp(min=1e-8).sqrt() for each in (of_x, of_y))
        total = total + (of_y - of_x).norm() / of_y.norm() + (of_y.log() - of_x.log()).abs().mean()
    return total / 3


def test_the_loss(noise):
    x, y = noise(2, 4000).requires_grad_(), noise(2, 4000)
    loss = wt.MultiResolutionSTFTLoss(device=x.device, dtype=x.dtype)(x, y)
    expected = reference_loss(x, y)
    close(loss, expected)
    for gradient, own in zip(torch.autograd.grad(loss, x), torch.autograd.grad(expected, x)):
        close(gradient, own)


def test_auraloss():
    freq = pytest.importorskip("auraloss.freq")
    x, y = torch.randn(2, 1, 8000), torch.randn(2, 1, 8000)
    close(wt.MultiResolutionSTFTLoss()(x, y), freq.MultiResolutionSTFTLoss()(x, y), 1e-5)
