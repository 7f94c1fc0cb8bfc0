// SPDX-License-Identifier: Apache-2.0
#include "convolving/renumbered.hpp"

#include "functors/callables.hpp"  // wrapped
#include "text/formatted.hpp"      // formatted

namespace wingbeat::convolving {
namespace {

template <class Functor>
Functor of_signals(const Functor& functor, const row_parts& parts) {
  Functor result = functor;
  if (functor.source.is_given()) {
    result.source.type = formatted("wingbeat::device::ends::of_signals<{}, {}, {}>",
                                   functor.source.type, parts.rows, parts.elements);
  }
  result.callable = wrapped(
      functor.callable, [parts](const auto& call, std::size_t row, std::size_t first, auto values) {
        call(parts.signal(row), parts.element(row, first), values);
      });
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
