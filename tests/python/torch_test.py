# SPDX-License-Identifier: Apache-2.0
"""wingbeat.torch against torch.fft, scipy.fft and torch's own convolutions; gradients against
differences (gradcheck), and the operator as torch's compiler, autograd and vmap want it (opcheck).

On a machine with a GPU the same tests run there as well.
"""

import doctest

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed here")
scipy_fft = pytest.importorskip("scipy.fft", reason="scipy is not installed here")

from torch.autograd import forward_ad  # noqa: E402

import wingbeat.torch as wt  # noqa: E402
from torch_cases import close, device, noise  # noqa: E402, F401
from wingbeat._kinds import (COSINES, FORWARD, FROM_REAL, INVERSE, SINES,  # noqa: E402
                             TO_REAL)
from wingbeat.torch import (_functions, _long_conv, _modules, _operators, _takeover,  # noqa: E402
                            _tensors)

COMPLEX_INPUT = ("fft", "ifft", "irfft", "hfft")
REAL_INPUT = ("rfft", "ihfft")
ROWS = COMPLEX_INPUT + REAL_INPUT
NORMS = (None, "ortho", "forward")
TRIGONOMETRIC = ("dct", "idct", "dst", "idst")


def dtype_for(name, precision=torch.float64):
    is_real = name.rstrip("2n") in REAL_INPUT or name.rstrip("2n") in TRIGONOMETRIC
    return precision if is_real else _tensors.COMPLEX_OF[precision]


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ROWS)
def test_rows_as_torch(name, norm, noise):
    x = noise(3, 7, 4, dtype=dtype_for(name))
    for n in None, 5, 12:
        for dim in -1, 0, 1:
            close(getattr(wt, name)(x, n, dim, norm), getattr(torch.fft, name)(x, n, dim, norm))


@pytest.mark.parametrize("ending", ("2", "n"))
@pytest.mark.parametrize("name", ROWS)
def test_several_dims_as_torch(name, ending, noise):
    x = noise(3, 4, 6, 5, dtype=dtype_for(name))
    cases = [((6, 7), (0, 2)), (None, (-1, 1)), (None, (-2, -1))]
    cases += [(None, None), ((4, 3), None), ((5, 5, 6, 7), (3, 0, 1, 2))] if ending == "n" else []
    for s, dim in cases:
        close(getattr(wt, name + ending)(x, s, dim), getattr(torch.fft, name + ending)(x, s, dim))


@pytest.mark.parametrize("kind", (1, 2, 3, 4))
@pytest.mark.parametrize("name", TRIGONOMETRIC)
def test_cosines_and_sines_as_scipy(name, kind, noise):
    x = noise(3, 9)
    for norm in NORMS:
        for orthogonalize in None, True, False:
            expected = getattr(scipy_fft, name)(x.cpu().numpy(), kind, 8, -1, norm,
                                                orthogonalize=orthogonalize)
            got = getattr(wt, name)(x, kind, 8, -1, norm, orthogonalize)
            close(got, torch.from_numpy(expected).to(x.device))
    expected = getattr(scipy_fft, name + "n")(x.cpu().numpy(), kind)
    close(getattr(wt, name + "n")(x, kind), torch.from_numpy(expected).to(x.device))


@pytest.mark.parametrize("precision", (torch.float16, torch.bfloat16, torch.float32))
def test_dtypes(precision, noise):
    x = noise(4, 60, dtype=precision)
    tolerance = {torch.float16: 2e-3, torch.bfloat16: 1e-5, torch.float32: 1e-5}[precision]
    spectrum = wt.rfft(x)
    expected = torch.fft.rfft(x.double())
    assert spectrum.dtype == _tensors.COMPLEX_OF[precision]
    scale = float(expected.abs().max())
    assert float((spectrum.to(torch.complex128) - expected).abs().max()) < tolerance * scale
    assert wt.fft(x).dtype == spectrum.dtype
    assert wt.irfft(spectrum).dtype == _tensors.REAL_OF[spectrum.dtype]
    assert wt.fft(torch.arange(4, device=x.device)).dtype == torch.complex64


def test_views(noise):
    x = noise(6, 8, 5, dtype=torch.complex128)
    views = {"transposed": x.transpose(0, 2), "strided": x[::2, 1::2],
             "expanded": x[:1].expand(3, 8, 5), "conjugate": x.conj(), "negative": x.conj().imag,
             "reversed": x.flip(0), "empty": x[:0], "crossed": x.as_strided((4, 6), (1, 2))}
    for name, view in views.items():
        dim = 0 if name != "empty" else 1
        close(wt.fft(view, dim=dim), torch.fft.fft(view, dim=dim)) if view.numel() else None
        assert wt.fft(view, dim=dim).shape == view.shape, name


@pytest.mark.parametrize("name", ROWS + TRIGONOMETRIC)
def test_gradients(name, noise):
    x = noise(2, 5, dtype=dtype_for(name)).requires_grad_()
    options = ([{"type": kind, "norm": norm} for kind in (1, 2, 3, 4) for norm in (None, "ortho")] +
               [{"type": 2, "norm": "ortho", "orthogonalize": False},
                {"type": 3, "orthogonalize": True}]
               if name in TRIGONOMETRIC else [{"norm": norm} for norm in NORMS])
    for n in None, 4, 7:
        for option in options:
            def function(x):
                return getattr(wt, name)(x, n=n, **option)

            assert torch.autograd.gradcheck(function, x)
    assert torch.autograd.gradgradcheck(function, x)


@pytest.mark.parametrize("name", ("fftn", "irfftn", "rfftn", "dctn", "idstn"))
def test_gradients_of_several_dims(name, noise):
    x = noise(3, 4, 3, dtype=dtype_for(name)).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: getattr(wt, name)(x), x)
    assert torch.autograd.gradcheck(lambda x: getattr(wt, name)(x, s=(5, 3), dim=(2, 0)), x)


def derivative(function, *pairs):
    """Returns a function's derivative in forward mode, of (value, tangent) for each argument."""
    with forward_ad.dual_level():
        result = function(*(forward_ad.make_dual(*pair) for pair in pairs))
        return forward_ad.unpack_dual(result).tangent


@pytest.mark.parametrize("is_followed", (False, True))
@pytest.mark.parametrize("name", ROWS + TRIGONOMETRIC)
def test_forward_derivatives(name, is_followed, noise):
    x, v = noise(2, 5, dtype=dtype_for(name)), noise(2, 5, dtype=dtype_for(name))
    function = getattr(wt, name)
    expected = function(v, n=7)
    x.requires_grad_(is_followed)
    close(derivative(lambda x: function(x, n=7), (x, v)), expected)
    with torch.no_grad():
        close(derivative(lambda x: function(x, n=7), (x, v)), expected)
    assert torch.autograd.gradcheck(function, x.requires_grad_(), check_forward_ad=True)
    assert torch.autograd.gradgradcheck(function, x, check_fwd_over_rev=True)


@pytest.mark.parametrize("is_causal", (False, True))
def test_forward_derivatives_of_long_conv(is_causal, noise):
    (x, v), (k, w) = ((noise(2, 3, 8), noise(2, 3, 8)), (noise(3, 5), noise(3, 5)))
    close(derivative(lambda x, k: wt.long_conv(x, k, is_causal), (x, v), (k, w)),
          wt.long_conv(v, k, is_causal) + wt.long_conv(x, w, is_causal))


@pytest.mark.parametrize("name", ROWS + ("dct", "dst"))
def test_operator(name, noise):
    scale, dims = 1, [1]
    kind = {"fft": FORWARD, "ifft": INVERSE, "irfft": TO_REAL,
            "hfft": TO_REAL, "rfft": FROM_REAL, "ihfft": FROM_REAL,
            "dct": COSINES[2][0], "dst": SINES[3][0]}[name]
    for x in (noise(2, 6, dtype=dtype_for(name)), noise(6, 2, dtype=dtype_for(name)).T.conj()):
        torch.library.opcheck(torch.ops.wingbeat.transform.default,
                              (x.requires_grad_(), kind, dims, [6], scale, False))


@pytest.mark.parametrize("name", ROWS)
def test_vmap(name, noise):
    x = noise(3, 4, 6, dtype=dtype_for(name))
    function, expected = getattr(wt, name), getattr(torch.fft, name)
    for in_dim in 0, 1, -1:
        close(torch.vmap(function, in_dim, in_dim)(x), torch.vmap(expected, in_dim, in_dim)(x))

    def norm_of(row, function=function):
        return function(row).abs().sum()

    def expected_norm_of(row):
        return norm_of(row, expected)

    if not x.is_complex():
        close(torch.vmap(torch.func.grad(norm_of))(x[0]),
              torch.vmap(torch.func.grad(expected_norm_of))(x[0]))
    for both in zip(torch.func.jvp(function, (x,), (x,)), torch.func.jvp(expected, (x,), (x,))):
        close(*both)
    pulled, pulled_expected = (torch.func.vjp(f, x)[1] for f in (function, expected))
    close(pulled(function(x))[0], pulled_expected(expected(x))[0])


def model(x, filters):
    spectrum = wt.rfft(x, 2 * x.shape[-1]) * wt.rfft(filters, 2 * x.shape[-1])
    return wt.irfft(spectrum, 2 * x.shape[-1])[..., :x.shape[-1]] + wt.dct(x)


@pytest.mark.parametrize("backend", ("eager", "aot_eager"))
def test_compiled(backend, noise):
    torch._dynamo.reset()
    compiled = torch.compile(model, backend=backend, fullgraph=True, dynamic=True)
    for n in 32, 50:
        x, filters = noise(2, n).requires_grad_(), noise(n).requires_grad_()
        close(compiled(x, filters), model(x, filters))
        gradients = torch.autograd.grad(compiled(x, filters).square().sum(), (x, filters))
        expected = torch.autograd.grad(model(x, filters).square().sum(), (x, filters))
        for gradient, other in zip(gradients, expected):
            close(gradient, other)


def test_traces_see_the_operator(noise):
    from torch.fx.experimental.proxy_tensor import make_fx
    x, y = noise(3, 8, dtype=torch.float32), noise(3, 8, dtype=torch.float32)
    traced = make_fx(lambda a: wt.rfft(a))(x)
    assert "wingbeat" in str(traced.graph)
    close(traced(y), wt.rfft(y), 1e-6)


@pytest.mark.parametrize("n_dims", (1, 2, 3))
def test_convolutions_as_torch(n_dims, noise):
    convolve = getattr(torch.nn.functional, f"conv{n_dims}d")
    x, bias = noise(2, 4, *(11, 9, 8)[:n_dims]), noise(6)
    for groups, stride, padding, dilation in ((1, 1, 0, 1), (2, 2, 3, 2), (2, 3, 1, 1)):
        weight = noise(6, 4 // groups, *(3, 4, 2)[:n_dims])
        close(wt.fft_conv(x, weight, bias, stride, padding, dilation, groups),
              convolve(x, weight, bias, stride, padding, dilation, groups))


def test_layers_as_torch(device):
    for layer, other in ((wt.FFTConv1d, torch.nn.Conv1d), (wt.FFTConv2d, torch.nn.Conv2d)):
        options = {"stride": 2, "padding": 2, "groups": 2, "device": device, "dtype": torch.float64}
        torch.manual_seed(5)
        peer = other(4, 6, 5, **options)
        torch.manual_seed(5)
        own = layer(4, 6, 5, **options)
        assert all(torch.equal(a, b) for a, b in zip(own.parameters(), peer.parameters()))
        x = torch.randn(2, 4, *([17] * layer.n_dims), dtype=torch.float64, device=device)
        close(own(x), peer(x))
        own(x).square().sum().backward()
        peer(x).square().sum().backward()
        for a, b in zip(own.parameters(), peer.parameters()):
            close(a.grad, b.grad)
        assert own.state_dict().keys() == peer.state_dict().keys()


@pytest.mark.parametrize("options", (
    {}, {"stride": 2, "padding": 1, "dilation": 3}, {"padding": "same", "groups": 2, "bias": False},
    {"padding_mode": "zeros", "padding": "valid"}))
def test_layers_tell_their_arguments_as_torch(options):
    names = ("in_channels", "out_channels", "kernel_size", "stride", "padding", "dilation",
             "groups", "padding_mode")
    for layer, other in ((wt.FFTConv1d, torch.nn.Conv1d), (wt.FFTConv2d, torch.nn.Conv2d)):
        own, peer = layer(4, 6, 5, **options), other(4, 6, 5, **options)
        assert own.extra_repr() == peer.extra_repr()
        assert all(getattr(own, name) == getattr(peer, name) for name in names)


def test_convolutions_are_compiled(noise):
    for module, shape in ((wt.FFTConv1d(3, 2, 5, padding=2), (2, 3, 40)),
                          (wt.FFTConv2d(3, 2, 5, stride=2), (2, 3, 20, 19))):
        x = noise(*shape)
        module = module.to(x)
        compiled = torch.compile(module, backend="aot_eager", fullgraph=True)
        close(compiled(x), module(x))
    x = noise(3, 20, dtype=torch.complex128)
    compiled = torch.compile(wt.long_conv, backend="aot_eager", fullgraph=True)
    close(compiled(x, x[:, :5]), wt.long_conv(x, x[:, :5]))


MISUSES = [
    (ValueError, "norm is 'half'", lambda x: wt.fft(x, norm="half")),
    (ValueError, r"data points \(0\)", lambda x: wt.fft(x, 0)),
    (IndexError, "dim is 2", lambda x: wt.fft(x, dim=2)),
    (ValueError, "dims must be unique", lambda x: wt.fftn(x, dim=(0, -2))),
    (ValueError, "s has 3 lengths", lambda x: wt.fftn(x, s=(1, 2, 3))),
    (ValueError, "s has 1 lengths for 2", lambda x: wt.fftn(x, s=(1,), dim=(0, 1))),
    (TypeError, "must be a real sequence", lambda x: wt.rfft(x + 0j)),
    (TypeError, "input is int32, and this",
     lambda x: _operators.transform(x.int(), 0, [0], [3], 0)),
    (ValueError, "type is 5", lambda x: wt.dct(x, 5)),
    (ValueError, "names no dimension", lambda x: wt.rfftn(x, dim=())),
    (ValueError, "k has 2 channels", lambda x: wt.long_conv(x, x.new_ones(2, 2))),
    (ValueError, "give x as", lambda x: wt.long_conv(x, x[None])),
    (ValueError, "give x as", lambda x: wt.long_conv(x, x[:, :0])),
    (ValueError, "skip has shape", lambda x: wt.long_conv(x, x, skip=x[0])),
    (ValueError, "gate has shape", lambda x: wt.long_conv(x, x, gate=x[:, :3])),
    (TypeError, "causal is of type float; give True", lambda x: wt.long_conv(x, x, 2.0)),
    (TypeError, "causal is of type Tensor; give True", lambda x: wt.long_conv(x, x, x[:, 0])),
    (ValueError, "lengths has shape", lambda x: wt.long_conv(x[None], x, lengths=[1, 2])),
    (TypeError, "lengths is of torch.float32", lambda x: wt.long_conv(x, x, lengths=1.5)),
    (TypeError, "paired is of type int; give True", lambda x: wt.long_conv(x, x, paired=1)),
    (TypeError, "skip is of type str", lambda x: wt.long_conv(x, x, skip="a")),
    (TypeError, "give tensors", lambda x: wt.long_conv(x, [1.0])),
    (TypeError, "x is torch.float64 on .* and weight torch.float32",
     lambda x: wt.FFTConv1d(3, 2, 2, device=x.device)(x)),
    (TypeError, "weight is of torch.int64", lambda x: wt.fft_conv(x, x.long()[None])),
    (TypeError, "x is of list", lambda x: wt.fft_conv([1.0], x[None])),
    (ValueError, "bias has shape", lambda x: wt.fft_conv(x, x[None], x[0])),
    (ValueError, "groups is 0", lambda x: wt.fft_conv(x, x[None], groups=0)),
    (ValueError, "groups 0", lambda x: wt.FFTConv1d(3, 4, 5, groups=0)),
    (ValueError, "padding_mode is 'circular'",
     lambda x: wt.FFTConv1d(3, 4, 5, padding_mode="circular")),
    (ValueError, "in_channels is -3", lambda x: wt.FFTConv1d(-3, 4, 5)),
    (TypeError, "n is of type str; give an integer", lambda x: wt.fft(x, "a")),
    (TypeError, "dim is of type float; give an integer", lambda x: wt.rfft(x, dim=1.5)),
    (TypeError, "s is of type NoneType", lambda x: wt.fftn(x, s=[1, None])),
    (TypeError, "dim is of type float; give an integer, or", lambda x: wt.fftn(x, dim=1.5)),
    (ValueError, r"data points \(1099511627776\)", lambda x: wt.rfft(x, 2**40)),
    (ValueError, "type is", lambda x: wt.dct(x, [1])),
    (TypeError, "dtype is torch.int32", lambda x: wt.LongConv(3, 4, dtype=torch.int32)),
    (TypeError, "dtype is torch.complex64", lambda x: wt.FFTConv1d(3, 4, 5, dtype=torch.complex64)),
    (TypeError, "give strided ones", lambda x: wt.long_conv(x.to_sparse(), x)),
    (ValueError, "skip is beyond", lambda x: wt.long_conv(x, x, skip=10**400)),
    (TypeError, "n_taps is of type float", lambda x: wt.LongConv(3, 4.0)),
    (ValueError, "3 to 5 dimensions", lambda x: wt.fft_conv(x, x)),
    (ValueError, "kernel reaches over", lambda x: wt.fft_conv(x[None], x.new_ones(1, 3, 9))),
    (ValueError, "x has 3 channels", lambda x: wt.fft_conv(x[None], x.new_ones(1, 2, 1))),
    (ValueError, "stride is", lambda x: wt.fft_conv(x[None], x[None], stride=(1, 2))),
    (ValueError, "multiples of groups", lambda x: wt.FFTConv1d(3, 4, 5, groups=2)),
    (ValueError, "stride is 0", lambda x: wt.FFTConv1d(3, 4, 5, stride=0)),
    (ValueError, "'same' or 'valid'", lambda x: wt.FFTConv1d(3, 4, 5, padding="full")),
    (ValueError, "stride 1", lambda x: wt.FFTConv1d(3, 4, 5, padding="same", stride=2)),
    (TypeError, "give a tensor", lambda x: wt.fft([1.0])),
    (ValueError, "data points", lambda x: wt.fft(x, -1)),
    (ValueError, "n_channels is 0", lambda x: wt.LongConv(0, 4)),
]


@pytest.mark.parametrize("error,text,call", MISUSES, ids=[text for _, text, _ in MISUSES])
def test_misuse(error, text, call, noise):
    with pytest.raises(error, match=text):
        call(noise(3, 4))


@pytest.mark.parametrize("module", (wt, _functions, _long_conv, _modules, _takeover),
                         ids=lambda m: m.__name__)
def test_examples(module):
    result = doctest.testmod(module, extraglobs={"torch": torch})
    assert result.attempted and not result.failed
    for name in getattr(module, "__all__", ()):
        assert ">>>" in getattr(wt, name).__doc__, name


def test_same_bits_as_the_numpy_functions(noise):
    import wingbeat.fft
    x = noise(5, 1000, dtype=torch.complex64).cpu()
    assert np.array_equal(wt.fft(x).numpy(), wingbeat.fft.fft(x.numpy()))


@pytest.mark.parametrize("taps,dilation", [(5, 1), (4, 1), (4, 3), ((3, 6), (2, 1))])
def test_layers_pad_to_the_same_size_as_torchs(taps, dilation):
    kind = ((torch.nn.Conv2d, wt.FFTConv2d) if isinstance(taps, tuple)
            else (torch.nn.Conv1d, wt.FFTConv1d))
    theirs, ours = (each(2, 3, taps, padding="same", dilation=dilation) for each in kind)
    ours.load_state_dict(theirs.state_dict())
    x = torch.randn(2, *([21, 24][:theirs.weight.dim() - 2]))
    torch.testing.assert_close(ours(x), theirs(x), rtol=0, atol=1e-5)  # without batch
    torch.testing.assert_close(ours(x[None]), theirs(x[None]), rtol=0, atol=1e-5)


@pytest.mark.parametrize("dtype", (torch.float16, torch.bfloat16))
def test_layers_of_16_bits_keep_their_dtype(dtype):
    layer = wt.FFTConv1d(2, 3, 5, dtype=dtype)
    y = layer(torch.ones(2, 2, 20, dtype=dtype))
    assert y.dtype == dtype and y.isfinite().all()
