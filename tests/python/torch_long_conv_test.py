# SPDX-License-Identifier: Apache-2.0
"""wingbeat.torch.long_conv against the definition and `wingbeat.signal`, with its gradients, kept
kernels and layer.

On a machine with a GPU the same tests run there as well.
"""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed here")

import wingbeat.torch as wt  # noqa: E402
from torch_cases import close, device, noise  # noqa: E402, F401


def causal(x, filters, skip=None, gate=None):
    n_taps = filters.shape[-1]
    y = torch.nn.functional.conv1d(torch.nn.functional.pad(x, (n_taps - 1, 0)),
                                   filters.flip(-1)[:, None], groups=len(filters))
    y = y if skip is None else y + skip[:, None] * x
    return y if gate is None else y * gate


def ordered(x, filters, skip=None, gate=None):
    return wt.long_conv(x, filters, gate=gate, skip=skip)


@pytest.mark.parametrize("n_taps", (20, 7))
def test_long_conv(n_taps, noise):
    x, filters, skip, gate = noise(3, 4, 20), noise(4, n_taps), noise(4), noise(3, 4, 20)
    for operands in (x, filters), (x, filters, skip), (x, filters, None, gate), \
            (x.transpose(0, 1).contiguous().transpose(0, 1), filters, skip, gate):
        close(ordered(*operands), causal(*operands))
        given = [None if t is None else t.clone().requires_grad_() for t in operands]
        real = [t for t in given if t is not None]
        cotangent = noise(3, 4, 20)
        for gradient, expected in zip(torch.autograd.grad(ordered(*given), real, cotangent),
                                      torch.autograd.grad(causal(*given), real, cotangent)):
            close(gradient, expected)
    close(wt.long_conv(x[0], filters, np.bool_(True)), causal(x[:1], filters)[0])
    close(torch.func.grad(lambda k: wt.long_conv(x, k).square().sum())(filters),
          torch.func.grad(lambda k: causal(x, k).square().sum())(filters))
    assert wt.long_conv(x[:0], filters).shape == (0, 4, 20)


def test_long_conv_as_an_operator(noise):
    x, filters, skip, gate = (t.requires_grad_() for t in (
        noise(2, 2, 6), noise(2, 6), noise(2), noise(2, 2, 6)))
    assert torch.autograd.gradcheck(ordered, (x, filters, skip, gate))
    assert torch.autograd.gradgradcheck(ordered, (x, filters, skip, gate))
    for operands in ((x, filters, skip, gate, gate, torch.tensor([2, 6]).int().to(x.device)),
                     (x, filters[:, :4], None, None, None, None)):
        torch.library.opcheck(torch.ops.wingbeat.long_conv.default, (*operands, None, True, False))
    compiled = torch.compile(lambda x, k: wt.long_conv(x, k).square().sum(), backend="aot_eager",
                             fullgraph=True)
    centred = torch.compile(lambda x, k: wt.long_conv(x, k[0], False, skip=0.1),
                            backend="aot_eager", fullgraph=True)
    close(centred(x, filters), wt.long_conv(x, filters[0], False, skip=0.1))
    for both in zip(torch.autograd.grad(compiled(x, filters), (x, filters)),
                    torch.autograd.grad(causal(x, filters).square().sum(), (x, filters))):
        close(*both)


@pytest.mark.parametrize("is_causal", (True, False))
@pytest.mark.parametrize("n_taps", (1, 6, 9, 25))
@pytest.mark.parametrize("is_complex", (False, True))
def test_long_conv_is_that_of_signal(is_causal, n_taps, is_complex, noise):
    from wingbeat import signal
    dtype = torch.complex128 if is_complex else torch.float64
    for shape, taps, gated, skipped in (((2, 3, 9), (3,), (2, 3, 9), (3,)), ((3, 9), (), (9,), ()),
                                        ((9,), (), (), ()), ((2, 3, 9), (1,), (3, 1), 2.5),
                                        ((3, 9), (3,), 0.5, 1), ((2, 3, 9), (), None, None)):
        x, k = noise(*shape, dtype=dtype), noise(*taps, n_taps, dtype=dtype)
        gate, skip = (noise(*each, 1)[..., 0] if isinstance(each, tuple) else each
                      for each in (gated, skipped))
        given = [each.cpu().numpy() if torch.is_tensor(each) else each
                 for each in (x, k, gate, skip)]
        close(wt.long_conv(x, k, is_causal, gate, skip).cpu(),
              torch.from_numpy(signal.long_conv(*given[:2], is_causal, *given[2:])))
        if len(shape) < 3:
            operands = [each.requires_grad_() if torch.is_tensor(each) else each
                        for each in (x, k, is_causal, gate, skip)]
            assert torch.autograd.gradcheck(wt.long_conv, operands)


def whole(x, k, causal=True, gate=1.0, skip=None, gate_before=1.0, lengths=None):
    """The definition, by torch.fft."""
    n_times, n_taps = x.shape[-1], k.shape[-1]
    start = 0 if causal else (n_taps - 1) // 2
    is_there = torch.ones(x.shape[:-2], device=x.device)[..., None, None] * n_times
    is_there = torch.arange(n_times, device=x.device) < (
        is_there if lengths is None else lengths[..., None, None])
    u = torch.where(is_there, x * gate_before, 0)
    n = n_times + n_taps
    y = torch.fft.irfft(torch.fft.rfft(u, n) * torch.fft.rfft(k, n), n)[..., start:start + n_times]
    y = y if skip is None else y + skip[:, None] * u
    return torch.where(is_there, gate * y, 0)


@pytest.mark.parametrize("is_causal", (True, False))
@pytest.mark.parametrize("n_taps", (1, 8, 20, 39, 40, 57))
@pytest.mark.parametrize("paired", (True, False))
def test_long_conv_has_all_that_the_library_has(is_causal, n_taps, paired, noise):
    x, k, skip, before, gate = (noise(3, 4, 20), noise(4, n_taps), noise(4), noise(3, 4, 20),
                                noise(3, 4, 20))
    lengths = torch.tensor([20, 0, 13], device=x.device)
    prepared = {}
    for n_lengths in (None, lengths):
        for gates in {}, {"gate_before": before}, {"gate": gate}, {
                "gate_before": before, "gate": gate}:
            given = [each.clone().requires_grad_() for each in (x, k, skip, *gates.values())]
            names = dict(zip(gates, given[3:]))
            expected = whole(*given[:2], is_causal, skip=given[2], lengths=n_lengths, **names)
            cotangent = noise(3, 4, 20)
            wanted = torch.autograd.grad(expected, given, cotangent)
            kept = wt.PreparedLongConv(given[1], is_causal, given[2], paired=paired)
            for _ in range(2):
                for y in (wt.long_conv(*given[:2], is_causal, skip=given[2], paired=paired,
                                       lengths=n_lengths, **names),
                          kept(given[0], lengths=n_lengths, **names)):
                    close(y, expected)
                    for each, other in zip(torch.autograd.grad(y, given, cotangent), wanted):
                        close(each, other)


def test_long_conv_reads_nothing_behind_lengths(noise):
    x, k, gate = noise(2, 3, 9), noise(3, 9), noise(2, 3, 9)
    for each in x, gate:
        each[1, :, 5:] = float("nan")
    for dtype in torch.float64, torch.complex128:
        given = [each.to(dtype).requires_grad_() for each in (x, k, gate, gate)]
        y = wt.long_conv(*given[:2], gate=given[2], gate_before=given[3], lengths=[9, 5])
        assert (y[1, :, 5:] == 0).all() and y.isfinite().all()
        gradients = torch.autograd.grad(y.abs().sum(), given)
        assert all(each.isfinite().all() for each in gradients)
        assert all((gradients[i][1, :, 5:] == 0).all() for i in (0, 2, 3))
    close(wt.long_conv(x[1], k, lengths=5)[:, :5], wt.long_conv(x[1, :, :5], k[:, :5]))


def test_long_conv_of_rows_of_their_own_keeps_nan_apart(noise):
    x, k = noise(2, 3, 9), noise(3, 9)
    x[0, 1, 2] = float("nan")
    assert wt.long_conv(x, k)[1, 1].isnan().all()
    apart = wt.long_conv(x, k, paired=False)
    close(apart[1], wt.long_conv(x[1], k))
    assert apart[0, 1].isnan().all() and not apart[0, (0, 2)].isnan().any()


def test_prepared_kernels_follow_changes(noise):
    x, k, skip = noise(2, 3, 9), noise(3, 9), noise(3)
    prepared = wt.PreparedLongConv(k, skip=skip)
    for change in lambda: None, lambda: k.mul_(2), lambda: skip.add_(1):
        change()
        for _ in range(2):
            close(prepared(x), wt.long_conv(x, k, skip=skip))
    assert len(prepared._spectra) == 1
    for n in range(3, 9):
        close(prepared(x[..., :n]), wt.long_conv(x[..., :n], k, skip=skip))
    assert len(prepared._spectra) == 4
    close(torch.func.grad(lambda x: prepared(x).sum())(x),
          torch.func.grad(lambda x: wt.long_conv(x, k, skip=skip).sum())(x))
    with torch.inference_mode():
        close(wt.PreparedLongConv(k.clone())(x), wt.long_conv(x, k))


@pytest.mark.parametrize("is_fused", (False, True))
def test_prepared_kernels_follow_optimizers(noise, is_fused):
    x, k = noise(2, 3, 9), torch.nn.Parameter(noise(3, 9))
    prepared, optimizer = wt.PreparedLongConv(k), torch.optim.Adam([k], lr=0.1, fused=is_fused)
    for _ in range(3):
        y = prepared(x)
        close(y, wt.long_conv(x, k))
        y.square().sum().backward()
        optimizer.step()


def test_spectra_made_in_inference_mode_have_gradients(noise):
    x, k = noise(2, 3, 9), noise(3, 9).requires_grad_()
    prepared = wt.PreparedLongConv(k)
    with torch.inference_mode():
        prepared(x)
    close(*(torch.autograd.grad(y.square().sum(), k)[0] for y in (prepared(x), wt.long_conv(x, k))))


def test_gradients_of_long_conv_at_once_are_those_one_by_one(noise):
    x, k, skip, gate, before = (t.requires_grad_() for t in (
        noise(3, 2, 12), noise(2, 7), noise(2), noise(3, 2, 12), noise(3, 2, 12)))
    for options in ({}, {"skip": skip}, {"skip": skip, "gate": gate, "gate_before": before,
                                         "lengths": torch.tensor([12, 5, 0], device=x.device)}):
        def loss():
            return wt.long_conv(x, k, **options).square().sum()
        operands = [x, k] + ([skip] if "skip" in options else [])
        for at_once, operand in zip(torch.autograd.grad(loss(), operands), operands):
            close(at_once, torch.autograd.grad(loss(), operand)[0])
    operands = x.detach(), gate.detach(), k.detach(), skip.detach(), gate.detach(), None, None, None
    torch.library.opcheck(torch.ops.wingbeat.long_conv_gradients.default, (*operands, True, False))


def test_centred_long_conv_pads_nothing(noise, monkeypatch):
    called = []
    monkeypatch.setattr(torch.nn.functional, "pad", lambda *given: called.append(given))
    wt.long_conv(noise(2, 3, 9), noise(3, 9), False)
    assert not called


def test_long_conv_has_a_common_dtype(noise):
    x, k = noise(2, 9, dtype=torch.float32), noise(2, 4)
    assert wt.long_conv(x, k).dtype == torch.float64
    assert wt.long_conv(x, k.float(), skip=0.1).dtype == torch.float32
    assert wt.long_conv(x, k.float(), gate=noise(9)).dtype == torch.float64
    assert wt.long_conv((10 * x).int(), (10 * k).int()).dtype == torch.float32
    assert wt.long_conv(x.half(), k.half(), False, skip=noise(2).float()).dtype == torch.float16


@pytest.mark.parametrize("precision", (torch.float32, torch.bfloat16, torch.float16))
def test_long_conv_of_narrow_numbers(precision, noise):
    x, filters = noise(2, 3, 50, dtype=precision), noise(3, 50, dtype=torch.float32)
    y, expected = wt.long_conv(x, filters), causal(x.double(), filters.double())
    assert y.dtype == precision
    tolerance = 2 * torch.finfo(precision).eps * float(expected.abs().max())
    assert float((y.double() - expected).abs().max()) < max(tolerance, 1e-5)
    assert wt.long_conv(x, filters.to(precision)).dtype == precision


def test_long_conv_as_a_layer(noise):
    x = noise(2, 3, 20)
    layer = wt.LongConv(3, 32, device=x.device, dtype=torch.float64)
    close(layer(x), ordered(x, layer.filters[:, :20], layer.skip))
    layer(x, gate=x).sum().backward()
    assert layer.filters.grad[:, 20:].abs().max() == 0 and layer.skip.grad is not None
    with pytest.raises(ValueError, match="x has 33 times and the filters 32 taps"):
        layer(noise(3, 33))
