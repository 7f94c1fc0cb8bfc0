// SPDX-License-Identifier: Apache-2.0
// Load and store functors of plans, given by Python: text for devices that compile it, and the
// address of a compiled function for the processor.
#pragma once

#include <cstdint>  // uintptr_t
#include <optional>
#include <string>
#include <vector>

#include "bindings.hpp"            // nb
#include "wingbeat/arguments.hpp"  // kernel_argument
#include "wingbeat/fusion.hpp"     // fused_load, fused_store

namespace wingbeat::python {

/// The elements of a functor: those of the plan's side that it replaces.
enum class functor_value { float32, float64, complex64, complex128 };

/// A functor as Python describes it. On the processor it is a function
///     void load(const void* in, const void* const* operands, uint64_t row, uint64_t first,
///               uint64_t count, value* into);
///     void store(void* out, const void* const* operands, uint64_t row, uint64_t first,
///                uint64_t count, const value* values);
/// in which each operand points to memory or to a value.
struct functor {
  std::string text = {}, type = {};
  std::string parameters = {};             ///< Bytes.
  std::vector<std::string> operands = {};  ///< "const float32*", "float32*", "float32".
  std::size_t element_bytes = 0, buffer_bytes = 0;
  std::uintptr_t address = 0;
  std::size_t partial_bytes = 0;
  std::size_t row_outputs = 0;
  bool clears_output = false;
};

/// Returns the functor that an object of Python describes; nothing for None.
[[nodiscard]] std::optional<functor> functor_of(nb::handle given);

[[nodiscard]] fused_load load_of(const functor& given, functor_value value);
[[nodiscard]] fused_store store_of(const functor& given, functor_value value);

/// Returns the arguments of one run: an array or a number for each operand.
[[nodiscard]] std::vector<kernel_argument> arguments_of(const std::vector<std::string>& operands,
                                                        nb::sequence given);

/// Returns the bytes of each type that elements of a functor's memory may have, by name.
[[nodiscard]] nb::dict item_bytes();

/// Returns the address of a load function whose element i is element i of its only operand, in
/// float64 or float32.
[[nodiscard]] std::uintptr_t factors_address(bool is_double);

}  // namespace wingbeat::python
