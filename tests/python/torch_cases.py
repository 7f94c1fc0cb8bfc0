# SPDX-License-Identifier: Apache-2.0
"""What tests of tensors share: devices, numbers, and a comparison."""

import pytest
import torch

DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])


@pytest.fixture(params=DEVICES)
def device(request):
    return request.param


@pytest.fixture
def noise(device):
    generator = torch.Generator().manual_seed(1)

    def draw(*shape, dtype=torch.float64):
        x = torch.randn(*shape, generator=generator, dtype=torch.complex128)
        return (x if dtype.is_complex else x.real).to(device=device, dtype=dtype)

    return draw


def close(a, b, tolerance=1e-12):
    assert a.dtype == b.dtype and a.shape == b.shape and a.device == b.device
    torch.testing.assert_close(a, b, rtol=tolerance, atol=tolerance * float(b.detach().abs().max()))
