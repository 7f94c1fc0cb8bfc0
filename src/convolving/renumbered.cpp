// SPDX-License-Identifier: Apache-2.0
#include "convolving/renumbered.hpp"

#include <type_traits>  // is_same_v

#include "formatted.hpp"  // formatted

namespace wingbeat::convolving {
namespace {

/// A callable of any form, called with other numbers.
template <class Call>
struct renumbered {
  Call call;
  row_parts parts;

  template <class Memory, class Value>
  void operator()(Memory* memory, std::size_t row, std::size_t first,
                  std::span<Value> values) const {
    call(memory, parts.signal(row), parts.element(row, first), values);
  }
  template <class Memory, class Value>
  void operator()(Memory* memory, const host_arguments& given, std::size_t row, std::size_t first,
                  std::span<Value> values) const {
    call(memory, given, parts.signal(row), parts.element(row, first), values);
  }
};

template <class Functor>
Functor of_signals(const Functor& functor, const row_parts& parts) {
  Functor result = functor;
  if (functor.source.is_given()) {
    result.source.type = formatted("wingbeat::device::ends::of_signals<{}, {}, {}>",
                                   functor.source.type, parts.rows, parts.elements);
  }
  std::visit(
      [&]<class Call>(const Call& call) {
        if constexpr (!std::is_same_v<Call, std::monostate>) {
          result.callable = Call{renumbered<Call>{call, parts}};
        }
      },
      functor.callable);
  return result;
}

}  // namespace

fused_load load_of_rows(const fused_load& load, const row_parts& parts) {
  return parts.rows == 1 ? load : of_signals(load, parts);
}

fused_store store_of_rows(const fused_store& store, const row_parts& parts) {
  return parts.rows == 1 ? store : of_signals(store, parts);
}

}  // namespace wingbeat::convolving
