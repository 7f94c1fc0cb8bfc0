// SPDX-License-Identifier: Apache-2.0
#include "planner/functor.hpp"

#include "request/resolved.hpp"  // moved_bytes

namespace wingbeat::planner {
namespace {

template <class Given>
functor functor_from(end serves, const Given& given, std::size_t buffer_bytes, bool is_real) {
  functor result;
  result.serves = serves;
  result.text = given.source.text;
  result.type = given.source.type;
  result.parameters = given.source.parameters;
  result.buffer_bytes = buffer_bytes;
  result.moved_bytes = request::moved_bytes(given);
  result.element_bytes = given.element_bytes;
  result.is_real = is_real;
  result.operands = given.operands;
  return result;
}

}  // namespace

std::size_t functor::block_bytes() const {
  constexpr std::size_t step = device::ends::block_alignment;
  return (parameters.size() + step - 1) / step * step;
}

functor functor_of(const fused_load& load, bool is_real) {
  return functor_from(end::load, load, load.in_bytes, is_real);
}

functor functor_of(const fused_store& store, bool is_real) {
  functor result = functor_from(end::store, store, store.out_bytes, is_real);
  result.partial_bytes = store.partial_bytes;
  result.row_outputs = store.row_outputs;
  return result;
}

}  // namespace wingbeat::planner
