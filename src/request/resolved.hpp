// SPDX-License-Identifier: Apache-2.0
// A request with all defaults filled in, as every engine reads it.
#pragma once

#include <cstddef>  // size_t

#include "arrays/array.hpp"    // array
#include "request/traits.hpp"  // traits
#include "wingbeat/plan.hpp"   // plan_spec

namespace wingbeat::request {

/// Returns the arrays on both sides of a request, with reals on a real side. `spec` needs lengths;
/// its layouts and ranges have as many entries as axes and batch dimensions, or none.
[[nodiscard]] arrays::array input_array(const plan_spec& spec);
[[nodiscard]] arrays::array output_array(const plan_spec& spec);

/// Returns the product of the lengths.
[[nodiscard]] std::size_t points_of(const plan_spec& spec) noexcept;

/// Returns the kind of the transforms along an axis of a request whose own kind is `kind`.
[[nodiscard]] const traits& kind_of_axis(const plan_spec& spec, const traits& kind,
                                         std::size_t axis) noexcept;
[[nodiscard]] inline const traits& kind_of_axis(const plan_spec& spec, std::size_t axis) noexcept {
  return kind_of_axis(spec, traits_of(spec.kind), axis);
}

/// Returns the product of the logical lengths, which `scaling` divides by.
[[nodiscard]] long double logical_points_of(const plan_spec& spec) noexcept;

/// Returns the factor that outputs are multiplied by.
[[nodiscard]] long double factor_of(const plan_spec& spec) noexcept;

/// Returns the bytes that one run moves through a functor, as its request states them.
[[nodiscard]] std::size_t moved_bytes(const fused_load& load) noexcept;
[[nodiscard]] std::size_t moved_bytes(const fused_store& store) noexcept;

/// A request, resolved once.
struct resolved_spec {
  /// `given` needs what `input_array` needs; `validated` makes sure of it.
  resolved_spec(const plan_spec& given)  // implicit: callers of engines have a plan_spec
      : spec(given),
        kind(traits_of(given.kind)),
        in(input_array(given)),
        out(output_array(given)),
        is_gathered(given.store.row_outputs > 0) {}

  plan_spec spec;
  traits kind;
  arrays::array in, out;
  /// Functors take this many lines of a row, which alternate element by element, as rows; 0: they
  /// take rows.
  std::size_t lines = 0;
  /// Functors read or write neighbours of a row at neighbouring places, so rows may be staged in
  /// local memory.
  bool are_functors_dense = false;
  /// Rows are staged on the way out wherever they fit, because the store functor gathers them.
  bool is_gathered;
  bool is_extended = false;  ///< Lines of reals are continued to twice their length.

  /// Returns the kind of the transforms along an axis.
  [[nodiscard]] const traits& kind_of_axis(std::size_t axis) const {
    return request::kind_of_axis(spec, kind, axis);
  }

  /// Returns the bytes of a buffer for the input, or the output: what a functor states, or the
  /// extent to the end of the last element; for rows padded in place, all of them.
  [[nodiscard]] std::size_t in_bytes() const;
  [[nodiscard]] std::size_t out_bytes() const;

  /// Returns the bytes that one run reads of its input, and writes of its output, each once: those
  /// in memory, or what the functor moves, including output that is cleared first.
  [[nodiscard]] std::size_t moved_in() const;
  [[nodiscard]] std::size_t moved_out() const;

  /// Returns the bytes that a plain copy of input and output would move.
  [[nodiscard]] std::size_t copied_bytes() const;

  /// Returns whether one buffer may be input and output.
  [[nodiscard]] bool may_be_one_place() const;
};

}  // namespace wingbeat::request
