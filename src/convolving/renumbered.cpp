// SPDX-License-Identifier: Apache-2.0
#include "convolving/renumbered.hpp"

#include <algorithm>    // max
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
    result.source.type = formatted("wingbeat::device::ends::of_signals<{}, {}, {}, {}>",
                                   functor.source.type, parts.rows, parts.elements, parts.first);
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

/// Returns the share of bytes that some of the rows have, rounded down.
std::size_t share_of(std::size_t bytes, const row_parts& parts) {
  return bytes / parts.of_rows * parts.rows + bytes % parts.of_rows * parts.rows / parts.of_rows;
}

}  // namespace

fused_load load_of_rows(const fused_load& load, const row_parts& parts) {
  if (parts.are_signals()) return load;
  return of_signals(load, parts);
}

fused_store store_of_rows(const fused_store& store, const row_parts& parts) {
  if (parts.are_signals()) return store;
  fused_store result = of_signals(store, parts);
  if (parts.of_rows != 0) result.moved_bytes = share_of(store.moved_bytes, parts);
  if (parts.of_rows != 0 && store.partial_bytes == 0 && !store.clears_output) {
    result.out_bytes = std::max(store.out_bytes / parts.of_rows * parts.rows, store.element_bytes);
  }
  return result;
}

}  // namespace wingbeat::convolving
