# SPDX-License-Identifier: Apache-2.0
"""torch.fft on wingbeat: the same results, strides, gradients and errors as on torch's own kernels,
over the samples by which torch tests its functions (its OpInfos), and what is built on them.

On a machine with a GPU the same tests run there as well.
"""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed here")
definitions = pytest.importorskip("torch.testing._internal.opinfo.definitions.fft",
                                  reason="torch came without its own tests' samples")

import wingbeat.torch  # noqa: E402
from wingbeat.torch import _short_time, _takeover  # noqa: E402

DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])
TRANSFORMS = [op for op in definitions.op_db if "shift" not in op.name]
PRECISIONS = {torch.float32: 2e-6, torch.float64: 1e-14, torch.complex64: 2e-6,
              torch.complex128: 1e-14}


@pytest.fixture
def counted():
    """Installs wingbeat, and counts the transforms that it does."""
    calls, run, run_frames = [], _takeover.run, _short_time.run
    _takeover.run = lambda *arguments: (calls.append(arguments[0]), run(*arguments))[1]
    _short_time.run = lambda *arguments: (calls.append(arguments[1]), run_frames(*arguments))[1]
    wingbeat.torch.install()
    try:
        yield calls
    finally:
        wingbeat.torch.uninstall()
        _takeover.run, _short_time.run = run, run_frames


def called(op, sample):
    return op(sample.input, *sample.args, **sample.kwargs)


def samples_of(op, device, dtype, requires_grad=False):
    if dtype not in op.supported_dtypes(device):
        return []
    torch.manual_seed(3)
    return list(op.sample_inputs(device, dtype, requires_grad=requires_grad))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("op", TRANSFORMS, ids=lambda op: op.name)
def test_results(op, device, request):
    samples = [(dtype, sample) for dtype in PRECISIONS
               for sample in samples_of(op, device, dtype)]
    expected = [called(op, sample) for _, sample in samples]
    calls = request.getfixturevalue("counted")
    for (dtype, sample), wanted in zip(samples, expected):
        got = called(op, sample)
        assert got.dtype == wanted.dtype and got.shape == wanted.shape
        scale = max(1.0, float(wanted.abs().max())) if wanted.numel() else 1.0
        torch.testing.assert_close(got, wanted, rtol=0, atol=8 * PRECISIONS[dtype] * scale)
    assert len(calls) >= len(samples)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("op", TRANSFORMS, ids=lambda op: op.name)
def test_strides_as_the_compiler_expects(op, device, counted):
    from torch._subclasses.fake_tensor import FakeTensorMode
    for dtype in torch.float64, torch.complex128:
        for sample in samples_of(op, device, dtype):
            x = sample.input
            for x in (x, x.mT.contiguous().mT) if x.dim() > 1 else (x,):
                got = op(x, *sample.args, **sample.kwargs)
                try:
                    with FakeTensorMode() as mode:
                        fake = op(mode.from_tensor(x), *sample.args, **sample.kwargs)
                except RuntimeError:  # of torch 2.11, for some transposed arrays
                    continue
                if not _takeover._is_dense(fake.shape, fake.stride()):
                    continue
                assert got.stride() == fake.stride() and got.shape == fake.shape


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("op", TRANSFORMS, ids=lambda op: op.name)
def test_gradients(op, device, counted):
    for dtype in torch.float64, torch.complex128:
        for sample in samples_of(op, device, dtype, requires_grad=True)[:3]:
            x = sample.input[tuple(slice(0, 3) for _ in sample.input.shape)].detach()
            arguments, keywords = sample.args, dict(sample.kwargs)
            keywords.pop("n", None), keywords.pop("s", None)
            x.requires_grad_()
            assert torch.autograd.gradcheck(lambda x: op(x, *arguments, **keywords), x,
                                            check_forward_ad=True)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("op", TRANSFORMS, ids=lambda op: op.name)
def test_errors(op, device, counted):
    for case in op.error_inputs(device):
        with pytest.raises(case.error_type, match=case.error_regex):
            called(op, case.sample_input)


@pytest.mark.parametrize("device", DEVICES)
def test_out(device, counted):
    x = torch.randn(3, 8, dtype=torch.complex64, device=device)
    for out in (torch.empty_like(x), torch.empty(8, 3, dtype=x.dtype, device=device).T,
                torch.empty(0, dtype=x.dtype, device=device)):
        assert torch.fft.fft(x, out=out) is out
        torch.testing.assert_close(out, torch.fft.fft(x))
    real = torch.empty(3, 14, device=device)
    torch.fft.irfft(x, out=real)
    torch.testing.assert_close(real, torch.fft.irfft(x))
    assert not torch.fft.fft(x, out=torch.empty(8, 3, dtype=x.dtype,
                                                device=device).T).is_contiguous()


@pytest.mark.parametrize("device", DEVICES)
def test_short_time_transforms(device, request):
    x = torch.randn(2, 700, dtype=torch.float64, device=device)
    window = torch.hann_window(100, dtype=torch.float64, device=device)
    options = {"n_fft": 100, "hop_length": 25, "window": window}
    expected = torch.stft(x, **options, return_complex=True)
    calls = request.getfixturevalue("counted")
    spectra = torch.stft(x, **options, return_complex=True)
    torch.testing.assert_close(spectra, expected)
    torch.testing.assert_close(torch.istft(spectra, **options, length=700), x)
    assert len(calls) == 2


@pytest.fixture(scope="module")
def short_time_samples():
    """Returns torch's own functions, and the samples by which torch tests them."""
    from torch.testing._internal.common_methods_invocations import op_db
    return {op.name: (op, getattr(torch, op.name)) for op in op_db if op.name in ("stft", "istft")}


def reason_to_decline(name, sample):
    """Returns why torch itself computes a sample after `install()`; None if wingbeat does."""
    window = sample.kwargs.get("window")
    if window is not None and window.is_complex():
        return "complex window"
    if name == "stft" and sample.input.is_complex():
        return "complex samples"
    return "no return_complex" if name == "stft" and "return_complex" not in sample.kwargs else None


@pytest.mark.filterwarnings("ignore:A window was not provided")
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ("stft", "istft"))
def test_samples_of_short_time_transforms(name, device, short_time_samples, counted):
    op, own = short_time_samples[name]
    n_done = 0
    for dtype in PRECISIONS:
        for sample in samples_of(op, device, dtype):
            given = sample.input, *sample.args
            expected, calls_before = own(*given, **sample.kwargs), len(counted)
            got = getattr(torch, name)(*given, **sample.kwargs)
            is_done = any(kind in ("run", "inverse") for kind in counted[calls_before:])
            assert is_done == (reason_to_decline(name, sample) is None), sample
            n_done += is_done
            assert got.dtype == expected.dtype and got.stride() == expected.stride()
            torch.testing.assert_close(got, expected, rtol=0, atol=20 * PRECISIONS[dtype] * max(
                1.0, float(expected.abs().max())))
    assert n_done >= 10


@pytest.mark.filterwarnings("ignore:A window was not provided")
@pytest.mark.parametrize("name", ("stft", "istft"))
def test_gradients_of_short_time_transforms(name, short_time_samples, counted):
    op, _ = short_time_samples[name]
    dtype = torch.float64 if name == "stft" else torch.complex128
    for sample in samples_of(op, "cpu", dtype):
        x = (sample.input[..., :30] if name == "stft" else sample.input).detach()
        window = sample.kwargs.get("window")
        if window is not None and window.is_complex():
            continue
        given = {**sample.kwargs, "window": window} if window is not None else sample.kwargs
        x = x[:1] if x.dim() > 1 and name == "stft" or x.dim() > 2 else x
        assert torch.autograd.gradcheck(
            lambda x: getattr(torch, name)(x, *sample.args, **given), x.requires_grad_(),
            check_forward_ad=True)


@pytest.mark.parametrize("device", DEVICES)
def test_any_view(device, counted):
    x = torch.randn(4, 6, 8, dtype=torch.complex128, device=device)
    turned = torch.randn(4, 6, 5, 8, dtype=torch.float64, device=device).permute(2, 0, 3, 1)
    half = torch.fft.rfftn(turned, dim=(0, 1, 2))
    torch.testing.assert_close(torch.fft.irfftn(half, turned.shape[:3], dim=(0, 1, 2)), turned)
    for view in (x.conj(), x.transpose(0, 2), x[::2, 1::2], x[:1].expand(3, 6, 8), x[:0],
                 x.conj().mT):
        for dim in 1, (0, 1, 2), (2, 1):
            if view.numel() or dim == 1:
                got = torch.fft.fftn(view, dim=dim)
                torch.testing.assert_close(torch.fft.ifftn(got, dim=dim), view.resolve_conj())


def test_strides_that_cannot_be():
    """torch 2.11 promises some transposed half spectra such strides."""
    assert _takeover._is_dense((5, 4, 1, 6), (1, 30, 7, 5)) and _takeover._is_dense((), ())
    assert not _takeover._is_dense((5, 4, 5, 6), (5, 1, 20, 100))


def test_many_dims(counted):
    x = torch.randn(2, 3, 2, 3, 4, dtype=torch.float64)
    got = torch.fft.rfftn(x, s=(3, 3, 3, 4, 5))
    wingbeat.torch.uninstall()
    torch.testing.assert_close(got, torch.fft.rfftn(x, s=(3, 3, 3, 4, 5)))


@pytest.mark.parametrize("device", DEVICES)
def test_compiled(device, counted):
    torch._dynamo.reset()

    def function(x):
        return torch.fft.irfft2(torch.fft.rfft2(x.mT) * 2).sum(0)

    x = torch.randn(3, 6, 8, dtype=torch.float64, device=device)
    compiled = torch.compile(function, backend="aot_eager", fullgraph=True)
    torch.testing.assert_close(compiled(x), 2 * x.mT.sum(0))
    assert len(counted) == 2


def test_counts_nothing_once_uninstalled(counted):
    wingbeat.torch.install()
    torch.fft.fft(torch.ones(4))
    wingbeat.torch.uninstall()
    torch.fft.fft(torch.ones(4))
    assert len(counted) == 1


def test_refuses_dtypes_as_torch_does(counted):
    wingbeat.torch.install()
    for name in ("ihfft2", "ihfftn"):
        with pytest.raises(TypeError, match="Only supports floating-point"):
            getattr(torch.fft, name)(torch.ones(2, 2, dtype=torch.complex64))
