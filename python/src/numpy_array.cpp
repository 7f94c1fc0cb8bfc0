// SPDX-License-Identifier: Apache-2.0
#include "numpy_array.hpp"

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

static_assert(NPY_ABI_VERSION >= 0x02000000,
              "numpy 1's headers do not serve numpy 2; build with 2");

namespace wingbeat::python {
namespace {

std::optional<element_type> element_type_of(int number) {
  switch (number) {
    case NPY_FLOAT: return element_type{precision::fp32, false};
    case NPY_DOUBLE: return element_type{precision::fp64, false};
    case NPY_HALF: return element_type{precision::fp16, false};
    case NPY_CFLOAT: return element_type{precision::fp32, true};
    case NPY_CDOUBLE: return element_type{precision::fp64, true};
    default: return std::nullopt;
  }
}

int number_of(element_type element) {
  switch (element.real) {
    case precision::fp32: return element.is_complex ? NPY_CFLOAT : NPY_FLOAT;
    case precision::fp64: return element.is_complex ? NPY_CDOUBLE : NPY_DOUBLE;
    case precision::fp16: return element.is_complex ? NPY_NOTYPE : NPY_HALF;
    case precision::bf16: return NPY_NOTYPE;
  }
  return NPY_NOTYPE;
}

int import_numpy() {
  import_array1(-1);
  return 0;
}

}  // namespace

void load_numpy() {
  if (import_numpy() < 0) throw nb::python_error();
}

bool is_numpy(nb::handle object) noexcept {
  return PyArray_Check(object.ptr());
}

bool is_writeable_numpy(nb::handle object) noexcept {
  return PyArray_ISWRITEABLE(reinterpret_cast<PyArrayObject*>(object.ptr()));
}

std::optional<array> numpy_view(nb::handle object) {
  if (!is_numpy(object)) return std::nullopt;
  auto* const source = reinterpret_cast<PyArrayObject*>(object.ptr());
  const auto element = element_type_of(PyArray_TYPE(source));
  if (!element || PyArray_ISBYTESWAPPED(source)) return std::nullopt;
  std::optional<array> result{std::in_place};
  result->data = PyArray_DATA(source);
  result->element = *element;
  result->rank = PyArray_NDIM(source);
  for (int d = 0; d < result->rank; ++d) {
    result->shape[d] = PyArray_DIM(source, d);
    result->strides[d] = PyArray_STRIDE(source, d);
  }
  return result;
}

array described(nb::handle object) {
  if (const auto view = numpy_view(object)) return *view;
  const array* view = nullptr;
  if (nb::try_cast(object, view) && view != nullptr) return *view;
  throw nb::type_error(
      "an array holds no floating point; convert to float32, float64 or a complex type");
}

nb::object empty_numpy(array& view) {
  const int number = number_of(view.element);
  if (number == NPY_NOTYPE) return nb::none();
  npy_intp shape[max_rank];
  for (int d = 0; d < view.rank; ++d) shape[d] = view.shape[d];
  PyObject* const result = PyArray_EMPTY(view.rank, shape, number, 0);
  if (result == nullptr) throw nb::python_error();
  view.data = PyArray_DATA(reinterpret_cast<PyArrayObject*>(result));
  pack(view);
  return nb::steal(result);
}

}  // namespace wingbeat::python
