# SPDX-License-Identifier: Apache-2.0
"""wingbeat.torch's short-time transforms against torch.stft and torch.istft, with gradients, and
torch's functions taken over.

On a machine with a GPU the same tests run there as well.
"""

import dataclasses
import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed here")

import wingbeat.torch as wt  # noqa: E402
from short_time_test import random_description  # noqa: E402
from torch_cases import close, device, noise  # noqa: E402, F401
from wingbeat import _short_rows, short_time  # noqa: E402
from wingbeat.torch import _short_time, _short_time_functions  # noqa: E402

MODES = ({}, {"pad_mode": "constant"}, {"pad_mode": "replicate"}, {"pad_mode": "circular"},
         {"center": False}, {"normalized": True}, {"onesided": False})


def hann(n, like):
    return torch.hann_window(n, dtype=torch.float64, device=like.device)


@pytest.mark.parametrize("mode", MODES, ids=str)
@pytest.mark.parametrize("n_fft, hop, width",
                         ((32, 8, 32), (32, 7, 21), (31, 9, 20), (40, None, 40)))
def test_stft(mode, n_fft, hop, width, noise):
    x = noise(2, 203)
    for window in None, hann(width, x):
        given = {"n_fft": n_fft, "hop_length": hop, "win_length": width, "window": window, **mode}
        expected = torch.stft(x, **given, return_complex=True)
        result = wt.stft(x, **given)
        close(result, expected)
        assert result.stride() == expected.stride() and result.dtype == expected.dtype
        close(wt.stft(x[0], **given), expected[0])
        close(wt.stft(x, **given, return_complex=False), torch.view_as_real(expected))
        x.requires_grad_()
        cotangent = torch.randn_like(expected)
        wanted = [x] if window is None else [x, window.requires_grad_()]
        for gradient, own in zip(
                torch.autograd.grad(wt.stft(x, **given), wanted, cotangent),
                torch.autograd.grad(torch.stft(x, **given, return_complex=True), wanted,
                                    cotangent)):
            close(gradient, own)
        x.requires_grad_(False)
    if mode.get("onesided") is None:
        z = torch.complex(x, noise(2, 203))
        close(wt.stft(z, n_fft, hop, width, **mode),
              torch.stft(z, n_fft, hop, width, **mode, return_complex=True))


@pytest.mark.parametrize("dtype", (torch.float16, torch.bfloat16, torch.float32, torch.int16))
def test_narrow_samples(dtype, device):
    x = (torch.randn(3000, device=device) * 100).to(dtype)
    window = torch.hann_window(400, device=device)
    result = wt.stft(x, 400, 160, window=window)
    assert result.dtype == torch.complex64
    close(result / 1000, torch.stft(x.float(), 400, 160, window=window, return_complex=True) / 1000,
          3e-6)
    if dtype.is_floating_point:
        x.requires_grad_()
        wt.stft(x, 400, 160, window=window).abs().sum().backward()
        assert x.grad.dtype == dtype and bool(x.grad.isfinite().all())
    assert wt.stft(x.detach(), 400, window=window.double()).dtype == torch.complex128


@pytest.mark.parametrize("mode", ({}, {"normalized": True}, {"onesided": False}), ids=str)
@pytest.mark.parametrize("length", (None, 150, 200))
def test_istft(mode, length, noise):
    x = noise(2, 203)
    for n_fft, hop, width in (32, 8, 32), (32, 7, 21), (31, 9, 20):
        given = {"n_fft": n_fft, "hop_length": hop, "win_length": width, "window": hann(width, x),
                 **mode}
        spectra = torch.stft(x, **given, return_complex=True)
        spectra = (spectra + torch.randn_like(spectra)).requires_grad_()
        if length == 150:
            given["window"].requires_grad_()
        expected = torch.istft(spectra, **given, length=length)
        result = wt.istft(spectra, **given, length=length)
        close(result, expected, 1e-8)
        wanted = [spectra, given["window"]] if length == 150 else [spectra]
        cotangent = torch.randn_like(expected)
        for gradient, own in zip(torch.autograd.grad(result, wanted, cotangent),
                                 torch.autograd.grad(expected, wanted, cotangent)):
            close(gradient / own.abs().max(), own / own.abs().max(), 1e-8)
    z = torch.complex(x, noise(2, 203))
    given = {"n_fft": 32, "window": hann(32, x), "normalized": mode.get("normalized", False)}
    spectra = torch.stft(z, **given, return_complex=True)
    close(wt.istft(spectra, **given, return_complex=True, length=length),
          torch.istft(spectra, **given, return_complex=True, length=length), 1e-9)


@pytest.mark.parametrize("n_fft", (1, 2))
def test_frames_whose_bins_do_not_tell_complex_samples(n_fft, noise):
    z, window = torch.complex(noise(2, 30), noise(2, 30)), noise(n_fft).abs() + 0.1
    given = {"n_fft": n_fft, "hop_length": 1, "window": window, "onesided": False}
    spectra = torch.stft(z, **given, center=False, return_complex=True).requires_grad_()
    for return_complex in True, False:
        more = {**given, "center": False, "return_complex": return_complex}
        expected, result = torch.istft(spectra, **more), wt.istft(spectra, **more)
        close(result, expected)
        close(torch.func.vmap(lambda each: wt.istft(each, **more))(spectra), expected)
        cotangent = torch.randn_like(expected)
        close(*(torch.autograd.grad(rows, spectra, cotangent)[0] for rows in (result, expected)))
        torch.autograd.gradgradcheck(lambda x: wt.istft(x, **more), (spectra,))


def test_samples_without_weight_in_functions(device):
    window = torch.hann_window(16, device=device)
    spectra = torch.ones(2, 9, 10, dtype=torch.complex64, device=device)

    def rows(spectra, window=window, **more):
        return wt.istft(spectra, 16, 4, window=window, center=False, **more).square().sum()
    calls = (lambda **more: torch.func.vmap(lambda each: rows(each, **more))(spectra),
             lambda **more: torch.func.grad(lambda each: rows(each, **more))(spectra),
             lambda **more: torch.func.vmap(lambda w: rows(spectra, w, **more))(
                 torch.stack((window.new_ones(16), window))),
             lambda **more: torch.func.grad(lambda w: rows(spectra, w, **more))(window))
    for call in calls:
        if device == "cpu":
            with pytest.raises(ValueError, match="have squared weights of 0 or less"):
                call()
        assert bool(torch.view_as_real(call(leaves_zeros=True) + 0j).isfinite().all())


def test_samples_without_weight(device):
    window = torch.hann_window(16, device=device)
    spectra = torch.ones(9, 10, dtype=torch.complex64, device=device)
    if device == "cpu":
        with pytest.raises(ValueError, match="from 0 on, have squared weights of 0 or less"):
            wt.istft(spectra, 16, 4, window=window, center=False)
    y = wt.istft(spectra, 16, 4, window=window, center=False, leaves_zeros=True)
    assert y[0] == 0 and bool(y.isfinite().all())
    window.requires_grad_()
    wt.istft(spectra, 16, 4, window=window, center=False, leaves_zeros=True).sum().backward()
    assert bool(window.grad.isfinite().all())


def test_gradients_of_gradients(noise):
    x, window = noise(2, 40).requires_grad_(), (noise(7).abs() + 0.1).requires_grad_()

    def spectra(x, window):
        return torch.view_as_real(wt.stft(x, 8, 3, 7, window))
    torch.autograd.gradcheck(spectra, (x, window))
    torch.autograd.gradgradcheck(spectra, (x, window))

    def rows(x, window):
        return wt.istft(torch.view_as_complex(x), 8, 3, 7, window, center=False, length=18)
    spectra = noise(5, 5, 2).contiguous().requires_grad_()
    torch.autograd.gradcheck(rows, (spectra, window))
    torch.autograd.gradgradcheck(lambda x: rows(x, window.detach()), (spectra,))
    torch.autograd.gradgradcheck(rows, (spectra, window))


BANDS = np.random.default_rng(0).uniform(size=(3, 5))


def test_gradients_where_operands_depend_on_each_other(device):
    w = torch.linspace(0.5, 1.5, 12, dtype=torch.float64, device=device).requires_grad_(True)
    x = torch.linspace(-1, 2, 40, dtype=torch.float64, device=device)

    def there_and_back(stft, istft, w):
        spectra = stft(x, 12, 5, 12, w, return_complex=True)
        return istft(torch.linspace(1, 2, spectra.shape[-2], device=device)[:, None] * spectra,
                     12, 5, 12, w).square().sum()

    for is_kept in False, True:
        found, expected = (torch.autograd.grad(there_and_back(*functions, w), w,
                                               create_graph=is_kept)[0]
                           for functions in ((wt.stft, wt.istft), (torch.stft, torch.istft)))
        close(found, expected)

    def powers(of_rows, w):
        return of_rows(torch.cat((w, w * x[:12]))).square().sum()

    description = short_time.torch_stft(12, 5, window="hann", exponent=2.0)
    first, = torch.autograd.grad(
        powers(lambda rows: wt.short_time(rows, description, window=w), w), w, create_graph=True)
    plain, = torch.autograd.grad(
        powers(lambda rows: wt.short_time(rows, description, window=w), w), w)
    close(first, plain)


@pytest.mark.parametrize("given", (
    {"exponent": 1}, {"exponent": 2, "is_one_sided": True}, {"exponent": 0.3, "power_offset": 0.1},
    {"exponent": 2, "are_averaged": True, "removes_mean": True},
    {"exponent": 1, "bands": BANDS, "has_log": True, "floor": 0.5, "offset": 0.1, "gain": 0.4},
    {"exponent": 2, "emphasis": 0.97, "edge": "symmetric", "phase_origin": 3, "has_log": True,
     "floor": 1e-6, "range": 3.0}), ids=str)
def test_features(given, noise):
    made = short_time.ShortTime(8, 3, np.hanning(9)[1:8], before=4, **given)
    x = noise(2, 40)
    close(wt.short_time(x, made), torch.from_numpy(made(x.cpu().numpy())).to(x.device))
    window = torch.from_numpy(np.hanning(9)[1:8]).to(x.device).requires_grad_()
    x.requires_grad_()
    torch.autograd.gradcheck(lambda x, w: wt.short_time(x, made, window=w), (x, window))
    torch.autograd.gradgradcheck(lambda x, w: wt.short_time(x, made, window=w), (x, window))


def test_silence_has_no_gradient(device):
    for made in (short_time.torchaudio_mel(power=1.0, n_mels=20), short_time.whisper(),
                 short_time.vocoder_stft(256, 64, exponent=1, power_offset=1e-9),
                 short_time.ShortTime(64, 16, exponent=0.3)):
        x = torch.zeros(4000, device=device, requires_grad=True)
        wt.short_time(x, made).sum().backward()
        assert not x.grad.any()
    x = torch.zeros(2, 4000, device=device, requires_grad=True)
    wt.MultiResolutionSTFTLoss(device=device)(x, torch.zeros_like(x)).backward()
    assert not x.grad.any()


def test_the_maximum_of_a_row_shares_its_gradient(device):
    made = short_time.ShortTime(4, 4, exponent=2, has_log=True, range=1.0)
    x = torch.tensor([3.0, 0, 0, 0, 1, 0, 0, 0], dtype=torch.float64, device=device).repeat(2, 1)
    x[1] *= 2  # a row of its own
    x = x.repeat(1, 2).requires_grad_()  # flat spectra, two of them loudest
    wt.short_time(x, made).sum().backward()
    # 12 levels, 6 of them limited, each to the mean of the 6 loudest.
    close(x.grad[:, ::8], torch.full((2, 2), 12.0, dtype=x.dtype) / x[:, ::8].detach())
    assert not x.grad[:, 4::8].any()


def test_rows_shorter_than_a_frame_have_no_features(device):
    features = wt.short_time(torch.zeros(2, 100, device=device), short_time.whisper())
    assert features.shape == (2, 80, 0)


def test_lengths(noise):
    x, made = noise(2, 900), short_time.torchaudio_mel(n_mels=20)
    lengths = torch.tensor([900, 450], device=x.device)
    result = wt.short_time(x, made, lengths)
    close(result[1, :, :3], wt.short_time(x[1, :450], made)[:, :3])
    x.requires_grad_()
    gradient, = torch.autograd.grad(wt.short_time(x, made, lengths).sum(), x)
    assert not gradient[1, 450:].any() and bool(gradient[1, :450].any())


def test_lengths_outside_rows(device):
    x, description = torch.ones(2, 900, device=device), short_time.torch_stft(64, window="hann")
    mel = wt.MelSpectrogram(n_fft=64, n_mels=8, device=device)
    compiled = torch.compile(lambda x, n: mel(x, n), backend="aot_eager", fullgraph=True)
    calls = (lambda n: wt.short_time(x, description, n), lambda n: mel(x, n),
             lambda n: torch.func.vmap(lambda x, n: wt.short_time(x, description, n))(x, n),
             lambda n: compiled(x, n))
    for call in calls:
        for wrong in (900, 901), (-1, 3), (2**32 + 9, 3):
            with pytest.raises(ValueError, match="lengths are from .* give 0 to 900"):
                call(torch.tensor(wrong))
    if device != "cpu":  # which is not waited for
        close(wt.short_time(x, description, torch.tensor([-1, 901], device=device)),
              wt.short_time(x, description, torch.tensor([0, 900])))
    with pytest.raises(ValueError, match="lengths are from -1 to 3"):
        description(x.cpu(), torch.tensor([-1, 3]))
    with pytest.raises(TypeError, match="lengths is of dtype torch.float32; give integers"):
        wt.short_time(x, description, torch.ones(2))
    with pytest.raises(ValueError, match="lengths has shape"):
        wt.short_time(x, description, 3)


def test_nan_is_not_the_largest_level(device):
    x = np.random.default_rng(0).standard_normal((2, 4000))
    x[0, 2000] = np.nan
    expected = short_time.whisper()(x)
    assert np.isnan(expected).any((0, 1)).sum() < 5
    result = wt.short_time(torch.from_numpy(x).to(device), short_time.whisper())
    np.testing.assert_allclose(result.cpu().numpy(), expected, atol=1e-9)


@pytest.mark.parametrize("seed", range(18))
def test_gradients_of_random_descriptions(seed, noise):
    made, x = random_description(seed), noise(2, 25).contiguous()
    lengths = torch.tensor([25, 14], device=x.device)
    window = torch.from_numpy(made.window.copy()).to(x.device)
    for given in (x, None), (x, lengths):
        torch.autograd.gradcheck(lambda x, w: wt.short_time(x, made, given[1], w),
                                 (x.requires_grad_(), window.requires_grad_()))
    if made.exponent == 0:
        z = torch.complex(x.detach(), noise(2, 25)).requires_grad_()
        torch.autograd.gradcheck(lambda z, w: wt.short_time(z, made, window=w), (z, window))
        torch.autograd.gradgradcheck(lambda z, w: wt.short_time(z, made, window=w), (z, window))


def test_vmap_and_functions(noise):
    x, window = noise(3, 2, 60), hann(8, noise(1))
    expected = torch.stft(x.flatten(0, 1), 8, 2, window=window, return_complex=True)
    result = torch.func.vmap(lambda x: wt.stft(x, 8, 2, window=window), 1, 1)(x)
    close(result, expected.unflatten(0, (3, 2)))

    def loss(window, x):
        return wt.stft(x, 8, 2, window=window).abs().square().sum()
    each = torch.func.vmap(torch.func.grad(loss), (None, 0))(window, x)
    for gradient, row in zip(each, x):
        w = window.clone().requires_grad_()
        close(gradient, torch.autograd.grad(loss(w, row), w)[0])


def test_compiled(noise):
    x, window = noise(2, 400).float().requires_grad_(), torch.hann_window(64)

    def function(x):
        w = window.to(x.device)
        return wt.istft(wt.stft(x, 64, 16, window=w) * 2, 64, 16, window=w, length=x.shape[-1])
    compiled = torch.compile(function, backend="aot_eager", fullgraph=True)
    close(compiled(x), 2 * x, 1e-5)
    compiled(x).square().sum().backward()
    close(x.grad, 8 * x.detach(), 1e-4)
    close(compiled(x[:, :300]), 2 * x[:, :300], 1e-5)


def test_operators(noise):
    x, window = noise(2, 60).requires_grad_(), hann(8, noise(1)).requires_grad_()
    text = _short_time_functions._torch_text(8, 2, 8, True, "reflect", False, False)
    torch.library.opcheck(torch.ops.wingbeat.short_time.default, (x, window, None, text))
    spectra = torch.randn(2, 10, 5, dtype=torch.complex128, device=x.device, requires_grad=True)
    torch.library.opcheck(torch.ops.wingbeat.short_time_inverse.default,
                          (spectra, window.detach(), text, 18, False, True))
    torch.library.opcheck(torch.ops.wingbeat.short_time_divisor.default, (window, text, 18, 10))
    torch.library.opcheck(torch.ops.wingbeat.short_time_lengths.default, (torch.arange(3), 3))


def test_taken_over(noise):
    own = torch.stft, torch.istft
    x = noise(2, 500)
    window = hann(64, x)
    expected = torch.stft(x, 64, window=window, return_complex=True)
    back = torch.istft(expected, 64, window=window)
    calls, run = [], _short_time.run
    wt.install()
    _short_time.run = lambda *given: (calls.append(given[1]), run(*given))[1]
    try:
        assert torch.stft is not own[0]
        close(torch.stft(x, 64, window=window, return_complex=True), expected)
        close(x.stft(64, window=window, return_complex=True), expected)
        close(torch.istft(expected, 64, window=window), back)
        close(expected.istft(64, window=window), back)
        assert calls == ["run", "run", "inverse", "inverse"]
        with pytest.raises(RuntimeError):  # torch's own errors
            torch.stft(x[:, :20], 64, window=window, return_complex=True)
        with pytest.raises(RuntimeError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.istft(expected, 64, window=torch.zeros_like(window)[:10])
    finally:
        _short_time.run = run
        wt.uninstall()
    assert (torch.stft, torch.istft) == own


@pytest.mark.parametrize("call, text", (
    (lambda x: wt.stft(x, 8, window=torch.ones(9)), "at most n_fft"),
    (lambda x: wt.stft(x, 8, window=torch.ones(2, 2)), "give a row of real weights"),
    (lambda x: wt.stft(x + 0j, 8, onesided=True), "onesided is True"),
    (lambda x: wt.stft(x, 8, align_to_window=True), "give center=False"),
    (lambda x: wt.stft(x[0, 0], 8), "give samples"),
    (lambda x: wt.istft(x, 8), "give complex spectra"),
    (lambda x: wt.istft(x + 0j, 8), "the input has 2 bins"),
    (lambda x: wt.short_time(x, short_time.whisper(), window=torch.ones(9)), "give as many"),
    (lambda x: wt.stft(x, 0), "n_fft is 0; give 1 or more"),
    (lambda x: wt.stft(x, 8, 0), "hop_length is 0; give 1 or more"),
    (lambda x: wt.stft(x, 8, 2, -1), "win_length is -1; give 1 or more"),
    (lambda x: wt.stft(x, 8, pad_mode="x"), "pad_mode is 'x'; choose one of"),
    (lambda x: wt.istft(x + 0j, 2, 0), "hop_length is 0"),
    (lambda x: wt.istft(x.mT[:5] + 0j, 8, 2, length=-1), "length is -1; give 0 or more"),
    (lambda x: wt.istft(x + 0j, 2, 1, onesided=True, return_complex=True), "give one of them"),
    (lambda x: wt.STFT(0), "n_fft is 0"),
    (lambda x: wt.STFT(8, win_length=0), "win_length is 0"),
    (lambda x: wt.MelSpectrogram(pad=-1), "pad is -1"),
    (lambda x: wt.MelSpectrogram(onesided=False), "onesided is False; choose one of"),
    (lambda x: wt.MelSpectrogram(pad=3)(x, torch.tensor([3, 4])), "pad is 3 and lengths are given"),
    (lambda x: wt.MultiResolutionSTFTLoss()(x[:0], x[:0]), "give rows of samples"),
    (lambda x: wt.MultiResolutionSTFTLoss()(x[:, :0], x[:, :0]), "give rows of samples"),
    (lambda x: wt.MultiResolutionSTFTLoss()(x, x[:, :20]), "give rows of samples"),
    (lambda x: wt.MultiResolutionSTFTLoss((8,), (0,), (8,)), "hop_sizes is 0"),
))
def test_refusals(call, text):
    with pytest.raises(ValueError, match=text):
        call(torch.zeros(2, 30))


@pytest.mark.parametrize("call, text", (
    (lambda x: wt.stft([1.0], 8), "input is of type list; give a tensor"),
    (lambda x: wt.stft(x, 8.0), "n_fft is of type float; give an integer"),
    (lambda x: wt.stft(x, "8"), "n_fft is of type str; give an integer"),
    (lambda x: wt.stft(x, 8, 2.0), "hop_length is of type float"),
    (lambda x: wt.stft(x, 8, window="hann"), "window is of type str; give a tensor of weights"),
    (lambda x: wt.stft(x, 8, center=3), "center is of type int; give True or False"),
    (lambda x: wt.istft(x + 0j, 2.0), "n_fft is of type float"),
    (lambda x: wt.istft(x + 0j, 2, 1, length=9.0), "length is of type float"),
    (lambda x: wt.istft(x + 0j, 2, 1, leaves_zeros=3), "leaves_zeros is of type int"),
    (lambda x: wt.short_time(x, 3), "the description is of type int; give"),
    (lambda x: wt.MelSpectrogram(description=3), "the description is of type int; give"),
    (lambda x: wt.MelSpectrogram(wkwargs={"periodic": True}), "window_fn is no function; give"),
    (lambda x: wt.MultiResolutionSTFTLoss()(x, 3), "y is of type int; give a tensor"),
    (lambda x: wt.MultiResolutionSTFTLoss(3), "fft_sizes is 3; give a tuple"),
))
def test_wrong_types(call, text):
    with pytest.raises(TypeError, match=text):
        call(torch.zeros(2, 30))


def test_descriptions_are_texts():
    made = dataclasses.replace(short_time.whisper(), range=0.0)
    text = _short_rows.text_of(made)
    again = _short_time._described(text)
    for field in dataclasses.fields(made):
        if field.name not in ("window", "bands"):
            assert getattr(again, field.name) == getattr(made, field.name)
    assert (again.bands == made.bands).all() and again.n_weights == made.n_weights
