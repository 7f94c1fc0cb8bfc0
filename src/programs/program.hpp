// SPDX-License-Identifier: Apache-2.0
// A program: steps over named arrays, in the order in which a run queues them, and the workspace
// between them. Transforms, convolutions and searches are programs. It is only a description, which
// `prepared_program` runs.
#pragma once

#include <array>
#include <cstddef>  // byte, size_t
#include <cstdint>  // uint64_t
#include <cstring>  // memcpy
#include <memory>   // shared_ptr
#include <string>
#include <variant>
#include <vector>

#include "arrays/array.hpp"     // place, n_places
#include "planner/pass.hpp"     // pass
#include "wingbeat/kernel.hpp"  // kernel_spec, kernel_parameter

namespace wingbeat::backend {
class call;
}

namespace wingbeat::programs {

using arrays::place;
using planner::pass;

/// Sets the first bytes of the output to 0.
struct clear {
  std::size_t size_bytes = 0;  ///< A multiple of 4.
};

/// Work that an engine does without kernels.
using call = std::shared_ptr<const backend::call>;

/// An operand that a run passes to its load functor, by number; in `array_ends::store`, to its
/// store functor.
struct run_operand {
  std::size_t number = 0;
  bool is_of_multiplier = false;  ///< An operand of the request's multiplier instead.
};

/// Values that preparing a program uploads to the device.
struct constant {
  constant() = default;
  template <class Value>
  explicit constant(const std::vector<Value>& list) : bytes(list.size() * sizeof(Value)) {
    std::memcpy(bytes.data(), list.data(), bytes.size());
  }

  std::vector<std::byte> bytes;
};

/// The source of an argument: an array (input and output included), an operand of the run, a
/// constant, or a number.
using argument_source = std::variant<place, run_operand, constant, std::uint64_t>;

/// An argument of a kernel: its parameter and its source.
struct argument {
  kernel_parameter parameter;
  argument_source source;
};
template <class Element>
argument input(argument_source source) {
  return {kernel_parameter::input(sizeof(Element)), std::move(source)};
}
template <class Element>
argument output(argument_source source) {
  return {kernel_parameter::output(sizeof(Element)), std::move(source)};
}
inline argument number(std::uint64_t value) {
  return {kernel_parameter::value<std::uint64_t>(), value};
}

/// A kernel that is not a pass of a transform.
struct kernel_launch {
  kernel_spec kernel = {};
  std::vector<argument_source> arguments = {};  ///< One for each parameter.
  std::size_t workgroups = 1;
  std::size_t traffic_bytes = 0;
  std::string description = {};
};

/// The arrays that a step, or a program within another, reads and writes.
struct array_ends {
  place in = place::input, out = place::output;
  std::size_t in_bytes = 0, out_bytes = 0;  ///< Offsets in the arrays.
  /// Operands of its functors, if they are not the run's.
  std::vector<argument_source> load = {}, store = {};
};

/// One operation on arrays.
struct step {
  std::variant<pass, clear, call, kernel_launch> operation;
  array_ends arrays = {};
  std::string title = {};  ///< The line above its text, if it begins a part.

  [[nodiscard]] const pass* launch() const { return std::get_if<pass>(&operation); }
  [[nodiscard]] const kernel_launch* kernel() const {
    return std::get_if<kernel_launch>(&operation);
  }
  /// Returns a kernel's arguments, or those of a pass's load functor.
  [[nodiscard]] const std::vector<argument_source>& arguments() const {
    return kernel() == nullptr ? arrays.load : kernel()->arguments;
  }
  [[nodiscard]] std::size_t traffic_bytes() const;
};

struct program {
  std::vector<step> steps = {};
  std::array<std::size_t, arrays::n_places> array_bytes = {};  ///< Sizes of the arrays in the
                                                               ///< workspace.

  /// Add a step at the end.
  void add(pass launch);
  void add(call work);
  void add(clear cleared);
  void add(kernel_launch launch);
  /// Adds the steps of `part`, whose input and output are the arrays `ends`.
  void add(const program& part, const array_ends& ends);

  /// Reserves memory for an array of the workspace.
  void reserve(place location, std::size_t size_bytes);

  [[nodiscard]] std::size_t workspace_bytes() const { return workspace_offset(arrays::n_places); }
  /// Returns the offset of an array in the workspace.
  [[nodiscard]] std::size_t offset_bytes(place location) const {
    return workspace_offset(static_cast<std::size_t>(location));
  }

  /// Returns the steps that are launches, in order.
  [[nodiscard]] std::vector<pass> passes() const;
  [[nodiscard]] std::size_t traffic_bytes() const;

  /// Return the text of each step, without a line's end; and all of them as lines.
  [[nodiscard]] std::vector<std::string> texts() const;
  [[nodiscard]] std::string describe() const;

  /// Returns the expected speed, as a fraction of a copy of `copied_bytes`, from each pass's
  /// measured fraction. 0 if one was not measured.
  [[nodiscard]] double predicted_fraction(std::size_t copied_bytes) const;

  /// Returns the bin that element `place` of the axis holds: see `plan::bin_at`.
  [[nodiscard]] std::size_t bin_at(std::size_t place) const;

 private:
  [[nodiscard]] std::size_t workspace_offset(std::size_t number) const;
};

}  // namespace wingbeat::programs
