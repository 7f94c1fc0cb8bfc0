// SPDX-License-Identifier: Apache-2.0
// numpy arrays that own results of the library, and arrays of numbers that calls read.
#pragma once

#include <nanobind/ndarray.h>

#include <cstddef>  // size_t
#include <initializer_list>
#include <utility>  // move
#include <vector>

#include "bindings.hpp"  // nb

namespace wingbeat::python {

/// A packed array of numpy, or of another library, in memory of the processor.
template <class Value>
using packed_array = nb::ndarray<const Value, nb::c_contig, nb::device::cpu>;

/// Returns a numpy array of this shape that owns the values.
template <class Value>
nb::object owned_array(std::vector<Value> values, std::initializer_list<std::size_t> shape) {
  auto* const kept = new std::vector<Value>(std::move(values));
  const nb::capsule owner(
      kept, [](void* pointer) noexcept { delete static_cast<std::vector<Value>*>(pointer); });
  return nb::cast(nb::ndarray<nb::numpy, Value>(kept->data(), shape, owner));
}

}  // namespace wingbeat::python
