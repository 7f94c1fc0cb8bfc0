// SPDX-License-Identifier: Apache-2.0
#include "numpy_array.hpp"

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <numpy/arrayobject.h>

static_assert(NPY_ABI_VERSION >= 0x02000000,
              "numpy 1's headers do not serve numpy 2; build with 2");

namespace wingbeat::python {
namespace {

struct floating_type {
  int number;
  element_type element;
};
constexpr floating_type floating_types[] = {{NPY_FLOAT, {precision::fp32, false}},
                                            {NPY_DOUBLE, {precision::fp64, false}},
                                            {NPY_CFLOAT, {precision::fp32, true}},
                                            {NPY_CDOUBLE, {precision::fp64, true}},
                                            {NPY_HALF, {precision::fp16, false}}};

/// Returns the type of an array's elements; opaque unless the byte order is native.
element_type element_of(PyArrayObject* source) {
  const int number = PyArray_TYPE(source);
  element_type result = opaque_element(static_cast<std::uint32_t>(PyArray_ITEMSIZE(source)));
  if (PyArray_ISBYTESWAPPED(source)) return result;
  for (const floating_type& each : floating_types) {
    if (each.number == number) return each.element;
  }
  if (PyTypeNum_ISBOOL(number)) result.whole = whole_number::truth;
  if (PyTypeNum_ISUNSIGNED(number)) result.whole = whole_number::natural;
  if (PyTypeNum_ISSIGNED(number)) result.whole = whole_number::integer;
  return result;
}

int number_of(element_type element) {
  for (const floating_type& each : floating_types) {
    if (each.element == element) return each.number;
  }
  return NPY_NOTYPE;
}

PyArrayObject* array_object(nb::handle x) {
  return reinterpret_cast<PyArrayObject*>(x.ptr());
}

class numpy_arrays final : public array_library {
 public:
  [[nodiscard]] std::optional<array> view(nb::handle x) const override {
    if (!is_numpy(x)) return std::nullopt;
    auto* const source = array_object(x);
    return array_of(PyArray_DATA(source), element_of(source), PyArray_NDIM(source),
                    PyArray_DIMS(source), PyArray_STRIDES(source), 1);
  }
  [[nodiscard]] nb::object empty(nb::handle, const array&, array& view) const override {
    const int number = number_of(view.element);
    if (number == NPY_NOTYPE) return nb::none();
    PyObject* const result = PyArray_EMPTY(view.rank, view.shape.data(), number, 0);
    if (result == nullptr) throw nb::python_error();
    view.data = PyArray_DATA(reinterpret_cast<PyArrayObject*>(result));
    pack(view);
    return nb::steal(result);
  }
  [[nodiscard]] bool is_plain(nb::handle x, const array&) const override {
    return PyArray_CheckExact(x.ptr()) || !nb::hasattr(x, "mask");
  }
  [[nodiscard]] bool is_writeable(nb::handle x) const override {
    return PyArray_ISWRITEABLE(array_object(x));
  }
};

int import_numpy() {
  import_array1(-1);
  return 0;
}

bool is_floating(int type) {
  return type == NPY_FLOAT || type == NPY_DOUBLE || type == NPY_CFLOAT || type == NPY_CDOUBLE;
}

/// Returns the type to which arrays of two types are converted; NPY_NOTYPE if there is none.
int common_type(int a, int b) {
  if (a == b && (PyTypeNum_ISINTEGER(a) || is_floating(a))) return a;
  if (!is_floating(a) || !is_floating(b)) return NPY_NOTYPE;
  const bool is_double = a == NPY_DOUBLE || a == NPY_CDOUBLE || b == NPY_DOUBLE || b == NPY_CDOUBLE;
  if (PyTypeNum_ISCOMPLEX(a) || PyTypeNum_ISCOMPLEX(b)) return is_double ? NPY_CDOUBLE : NPY_CFLOAT;
  return is_double ? NPY_DOUBLE : NPY_FLOAT;
}

summed_number summed_number_of(int type) {
  switch (type) {
    case NPY_FLOAT: return summed_number::fp32;
    case NPY_DOUBLE: return summed_number::fp64;
    case NPY_CFLOAT: return summed_number::complex_fp32;
    case NPY_CDOUBLE: return summed_number::complex_fp64;
    default: return summed_number::integer;
  }
}

/// Returns an array unchanged if it is packed and of this type, otherwise a copy.
nb::object packed_as(nb::handle given, int type, packed_numbers& view) {
  constexpr int flags = NPY_ARRAY_CARRAY_RO | NPY_ARRAY_NOTSWAPPED;
  auto* source = array_object(given);
  nb::object result = nb::borrow(given);
  const bool is_packed = PyArray_CHKFLAGS(source, NPY_ARRAY_CARRAY_RO) != 0;
  if (PyArray_TYPE(source) != type || !is_packed || PyArray_ISBYTESWAPPED(source)) {
    PyObject* const copy =
        PyArray_FromArray(source, PyArray_DescrFromType(type), flags | NPY_ARRAY_FORCECAST);
    if (copy == nullptr) throw nb::python_error();
    result = nb::steal(copy);
    source = reinterpret_cast<PyArrayObject*>(copy);
  }
  view = {PyArray_DATA(source), PyArray_NDIM(source), PyArray_DIMS(source)};
  return result;
}

}  // namespace

std::optional<common_arrays> common_arrays::of(nb::handle first, nb::handle second) {
  if (!PyArray_CheckExact(first.ptr()) || !PyArray_CheckExact(second.ptr())) return std::nullopt;
  const int type =
      common_type(PyArray_TYPE(array_object(first)), PyArray_TYPE(array_object(second)));
  if (type == NPY_NOTYPE) return std::nullopt;
  common_arrays result;
  result.result_type_ = type;
  // The low bits of sums modulo 2^64 are sums of narrower integers.
  const bool is_narrow = PyTypeNum_ISINTEGER(type) && type != NPY_LONG && type != NPY_ULONG;
  result.summed_type_ = is_narrow ? NPY_LONG : type;
  result.numbers = summed_number_of(type);
  result.number_bytes = type == NPY_FLOAT ? 4 : type == NPY_CDOUBLE ? 16 : 8;
  result.owners_[0] = packed_as(first, result.summed_type_, result.first);
  result.owners_[1] = packed_as(second, result.summed_type_, result.second);
  return result;
}

nb::object common_arrays::empty(const std::vector<std::ptrdiff_t>& shape, void*& memory) const {
  PyObject* const result =
      PyArray_EMPTY(static_cast<int>(shape.size()), shape.data(), summed_type_, 0);
  if (result == nullptr) throw nb::python_error();
  memory = PyArray_DATA(reinterpret_cast<PyArrayObject*>(result));
  return nb::steal(result);
}

nb::object common_arrays::narrowed(const nb::object& sums) const {
  if (summed_type_ == result_type_) return sums;
  PyObject* const result = PyArray_Cast(array_object(sums), result_type_);
  if (result == nullptr) throw nb::python_error();
  return nb::steal(result);
}

bool is_text(nb::handle object, const char* text) noexcept {
  return PyUnicode_Check(object.ptr()) && PyUnicode_CompareWithASCIIString(object.ptr(), text) == 0;
}

void load_numpy() {
  if (import_numpy() < 0) throw nb::python_error();
}

bool is_numpy(nb::handle object) noexcept {
  return PyArray_Check(object.ptr());
}

const array_library& numpy_library() {
  static const auto& library = *new numpy_arrays;
  return library;
}

}  // namespace wingbeat::python
