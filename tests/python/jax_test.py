# SPDX-License-Identifier: Apache-2.0
"""wingbeat.jax against jax.numpy.fft and scipy.fft: values, gradients of the first and second
order, jit and vmap; and the declarations of XLA's interface against the header that JAX brings.

On a machine with a GPU that JAX knows the same tests run there.
"""

import doctest
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="jax is not installed here")
scipy_fft = pytest.importorskip("scipy.fft", reason="scipy is not installed here")

import jax.numpy as jnp  # noqa: E402

import wingbeat.jax as wj  # noqa: E402

NORMS = (None, "ortho", "forward")
COMPLEX_INPUT = ("fft", "ifft", "irfft", "hfft")
REAL_INPUT = ("rfft", "ihfft")
ROWS = COMPLEX_INPUT + REAL_INPUT
TRIGONOMETRIC = ("dct", "idct", "dst", "idst")


@pytest.fixture(autouse=True)
def double_precision():
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", False)


def noise(name, *shape, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    is_complex = name.rstrip("2n") in COMPLEX_INPUT
    return jnp.asarray(x + 1j * rng.standard_normal(shape) if is_complex else x)


def close(a, b, tolerance=1e-12):
    assert a.dtype == b.dtype and a.shape == b.shape
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * float(abs(b).max()))


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ROWS)
def test_rows_as_jax(name, norm):
    x = noise(name, 3, 7, 4)
    for n in None, 5, 12:
        for axis in -1, 0:
            close(getattr(wj, name)(x, n, axis, norm), getattr(jnp.fft, name)(x, n, axis, norm))


@pytest.mark.parametrize("name", ("fft", "ifft", "rfft", "irfft"))
def test_several_axes_as_jax(name):
    x = noise(name, 3, 4, 6)
    for s, axes in ((None, None), ((5, 7), (0, 2)), (None, (-1, 1)), ((4, 3), (1, 2))):
        close(getattr(wj, name + "n")(x, s, axes), getattr(jnp.fft, name + "n")(x, s, axes))
    close(getattr(wj, name + "2")(x), getattr(jnp.fft, name + "2")(x))
    x, s = noise(name, 2, 3, 2, 3, 4), (3, 3, 3, 2, 5)
    close(getattr(wj, name + "n")(x, s), jnp.asarray(getattr(np.fft, name + "n")(x, s, range(5))))


@pytest.mark.parametrize("kind", (1, 2, 3, 4))
@pytest.mark.parametrize("name", TRIGONOMETRIC)
def test_cosines_and_sines_as_scipy(name, kind):
    x = noise(name, 3, 9)
    for norm in NORMS:
        for orthogonalize in None, True, False:
            options = {"type": kind, "norm": norm, "orthogonalize": orthogonalize}
            expected = getattr(scipy_fft, name)(np.asarray(x), n=8, **options)
            close(getattr(wj, name)(x, n=8, **options), jnp.asarray(expected))
    close(getattr(wj, name + "n")(x, kind), jnp.asarray(getattr(scipy_fft, name + "n")(x, kind)))


@pytest.mark.parametrize("dtype,result", (("float16", "complex64"), ("bfloat16", "complex64"),
                                          ("float32", "complex64"), ("int32", "complex128")))
def test_dtypes(dtype, result):
    x = noise("rfft", 4, 60).astype(dtype)
    spectra, expected = wj.rfft(x), np.fft.rfft(np.asarray(x.astype("float64")))
    assert spectra.dtype == result and wj.fft(x).dtype == result
    assert float(abs(spectra - expected).max()) < 1e-5 * float(abs(expected).max())


def reference_of(name):
    return getattr(jnp.fft, name)


@pytest.mark.parametrize("name", ROWS)
def test_gradients_as_jax(name):
    x = noise(name, 2, 5)
    for n, norm in zip((None, 4, 9), NORMS):
        y, pull = jax.vjp(lambda x: getattr(wj, name)(x, n, -1, norm), x)
        _, expected = jax.vjp(lambda x: reference_of(name)(x, n, -1, norm), x)
        cotangent = y * y + 1
        close(pull(cotangent)[0], expected(cotangent)[0])

    def energy(function):
        def gradient(x):
            return jax.grad(lambda x: (abs(function(x)) ** 4).sum(), holomorphic=False)(x)

        return jax.grad(lambda x: (abs(gradient(x)) ** 2).sum())

    close(energy(getattr(wj, name))(x), energy(reference_of(name))(x), 1e-9)


@pytest.mark.parametrize("name", ("fftn", "irfftn", "rfftn"))
def test_gradients_of_several_axes(name):
    x = noise(name, 3, 4, 3)
    for s, axes in ((None, None), ((5, 3), (2, 0))):
        y, pull = jax.vjp(lambda x: getattr(wj, name)(x, s, axes), x)
        _, expected = jax.vjp(lambda x: getattr(jnp.fft, name)(x, s, axes), x)
        close(pull(y * y)[0], expected(y * y)[0])


@pytest.mark.parametrize("orthogonalize", (True, False))
@pytest.mark.parametrize("kind", (1, 2, 3, 4))
@pytest.mark.parametrize("name", TRIGONOMETRIC)
def test_gradients_of_cosines_and_sines(name, kind, orthogonalize):
    def function(x):
        return getattr(wj, name)(x, kind, 6, -1, "ortho", orthogonalize)

    for count in 5, 6, 8:
        matrix = np.asarray(jax.vmap(function)(jnp.eye(count)))
        _, pull = jax.vjp(function, jnp.zeros(count))
        transpose = jax.vmap(lambda cotangent: pull(cotangent)[0])(jnp.eye(6))
        np.testing.assert_allclose(transpose, matrix.T, atol=1e-13)


def test_half_precision_gradient():
    x = noise("rfft", 8).astype("bfloat16")
    assert jax.grad(lambda x: abs(wj.rfft(x)).sum())(x).dtype == x.dtype


@pytest.mark.parametrize("name", ROWS)
def test_jit_and_vmap(name):
    x = noise(name, 3, 4, 6)
    function, expected = getattr(wj, name), reference_of(name)
    close(jax.jit(function)(x), expected(x))
    for axis in 0, 1, 2:
        close(jax.vmap(function, axis, axis)(x), jax.vmap(expected, axis, axis)(x))
    close(jax.jit(jax.vmap(jax.vmap(function)))(x), expected(x))
    gradient = jax.jit(jax.vmap(jax.grad(lambda row: abs(function(row)).sum())))
    close(gradient(x[0]), jax.vmap(jax.grad(lambda row: abs(expected(row)).sum()))(x[0]), 1e-9)


def test_empty():
    assert wj.fft(jnp.zeros((0, 4))).shape == (0, 4)
    close(wj.fft(jnp.zeros((2, 0)), 3), jnp.zeros((2, 3), complex))


@pytest.mark.parametrize("name", ("fftn", "rfftn", "irfftn"))
def test_without_axes_x_stays(name):
    x = noise("rfft", 3, 4)
    result, expected = getattr(wj, name)(x, axes=()), getattr(jnp.fft, name)(x, axes=())
    assert result.dtype == expected.dtype
    close(result, expected)


MISUSES = [
    (ValueError, "norm is 'half'", lambda x: wj.fft(x, norm="half")),
    (ValueError, "number of data points", lambda x: wj.fft(x, 0)),
    (ValueError, "exceeds dimensionality", lambda x: wj.fft(x, axis=2)),
    (ValueError, "must be unique", lambda x: wj.fftn(x, axes=(0, -2))),
    (TypeError, "real sequence", lambda x: wj.rfft(x + 0j)),
    (ValueError, "type is 5", lambda x: wj.dct(x, 5)),
    (ValueError, "type is", lambda x: wj.dct(x, [1])),
    (TypeError, "n is of type str; give an integer", lambda x: wj.fft(x, "a")),
    (TypeError, "axis is of type NoneType", lambda x: wj.rfft(x, axis=None)),
    (TypeError, "n is of type .*Tracer", lambda x: jax.jit(wj.rfft)(x, 4)),
    (ValueError, r"data points \(1099511627776\)", lambda x: wj.rfft(x, 2**40)),
    (ValueError, "give 2 to 2", lambda x: wj.dct(x[:, :1], 1)),
    (TypeError, "a is of type NoneType", lambda x: wj.fft(None)),
    (TypeError, "a is of type ndarray", lambda x: wj.fft(np.array(["a"]))),
    (ValueError, "axes are empty", lambda x: wj.hfftn(x, axes=())),
]


@pytest.mark.parametrize("error,text,call", MISUSES, ids=[text for _, text, _ in MISUSES])
def test_misuse(error, text, call):
    with pytest.raises(error, match=text):
        call(noise("rfft", 3, 4))


def test_what_the_library_refuses_is_an_error_of_xla():
    request = wj._Request(9999, (-1,), (4,), 0, False)
    with pytest.raises(Exception, match="kind|transform"):
        wj._called(noise("fft", 4), request).block_until_ready()


def test_examples():
    jax.config.update("jax_enable_x64", False)
    result = doctest.testmod(wj, extraglobs={"jnp": jnp})
    assert result.attempted and not result.failed
    assert all(">>>" in getattr(wj, name).__doc__ for name in wj.__all__)


PAIRS = """
extension: Extension = type next
api_version: XLA_FFI_Api_Version = major/major_version minor/minor_version
metadata: XLA_FFI_Metadata = version/api_version traits
metadata_extension: XLA_FFI_Metadata_Extension = data/metadata
buffer: XLA_FFI_Buffer = dtype data rank dimensions/dims
buffers: XLA_FFI_Args = size types values/args
buffers: XLA_FFI_Rets = size types values/rets
array: XLA_FFI_Array = dtype size data
attributes: XLA_FFI_Attrs = size types names values/attrs
create_error_arguments: XLA_FFI_Error_Create_Args = message code/errc
stream_arguments: XLA_FFI_Stream_Get_Args = context/ctx stream
allocate_arguments: XLA_FFI_DeviceMemory_Allocate_Args = context/ctx size alignment data
free_arguments: XLA_FFI_DeviceMemory_Free_Args = context/ctx size data
ordinal_arguments: XLA_FFI_DeviceOrdinal_Get_Args = context/ctx ordinal/device_ordinal
functions: XLA_FFI_Api = version/api_version create_error/XLA_FFI_Error_Create
functions: XLA_FFI_Api = destroy_error/XLA_FFI_Error_Destroy stream/XLA_FFI_Stream_Get
functions: XLA_FFI_Api = allocate/XLA_FFI_DeviceMemory_Allocate free/XLA_FFI_DeviceMemory_Free
functions: XLA_FFI_Api = device_ordinal/XLA_FFI_DeviceOrdinal_Get
call_frame: XLA_FFI_CallFrame = api context/ctx during/stage arguments/args results/rets attrs
"""
VALUES = {"data_type::int16": "DataType_S16", "data_type::int32": "DataType_S32",
          "data_type::fp16": "DataType_F16", "data_type::fp32": "DataType_F32",
          "data_type::fp64": "DataType_F64", "data_type::bf16": "DataType_BF16",
          "data_type::complex64": "DataType_C64", "data_type::complex128": "DataType_C128",
          "stage::execute": "ExecutionStage_EXECUTE",
          "error_code::invalid_argument": "Error_Code_INVALID_ARGUMENT",
          "error_code::resource_exhausted": "Error_Code_RESOURCE_EXHAUSTED",
          "error_code::internal": "Error_Code_INTERNAL",
          "metadata_extension_type": "Extension_Metadata", "array_attribute": "AttrType_ARRAY"}


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ here")
def test_declarations_agree_with_the_header(tmp_path):
    sources = Path(__file__).parents[2] / "python/src"
    if not sources.is_dir():
        pytest.skip("the sources of the extension are not here")
    checks = []
    for line in PAIRS.strip().splitlines():
        own, _, rest = line.partition(": ")
        theirs, _, fields = rest.partition(" = ")
        for field in fields.split():
            name, _, other = field.partition("/")
            checks.append(f"offsetof(own::{own}, {name}) == offsetof({theirs}, {other or name})")
    checks += [f"int(own::{own}) == int(XLA_FFI_{theirs})" for own, theirs in VALUES.items()]
    # Its name differs between versions.
    extension = "std::remove_pointer_t<decltype(XLA_FFI_CallFrame::extension_start)>"
    text = "#include <type_traits>\n" \
        '#include "xla/ffi/api/c_api.h"\n#include "xla_interface.hpp"\n' \
        f"namespace own = wingbeat::python::xla;\nusing Extension = {extension};\n" + "".join(
            f"static_assert({check});\n" for check in checks)
    (tmp_path / "check.cpp").write_text(text)
    compiled = subprocess.run(
        ["g++", "-std=c++20", "-fsyntax-only", "-w", "-I", sources, "-I", jax.ffi.include_dir(),
         tmp_path / "check.cpp"], capture_output=True, text=True)
    assert compiled.returncode == 0, compiled.stderr
