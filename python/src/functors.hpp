// SPDX-License-Identifier: Apache-2.0
// Load and store functors of plans, as Python gives them: text for devices that compile it, and the
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

/// What a functor's elements are: of the plan's side that it takes the place of.
enum class functor_value { float32, float64, complex64, complex128 };

/// A functor, as Python describes it. The function of the processor is
///     void load(const void* in, const void* const* operands, uint64_t row, uint64_t first,
///               uint64_t count, value* into);
///     void store(void* out, const void* const* operands, uint64_t row, uint64_t first,
///                uint64_t count, const value* values);
/// where an operand is memory, or points to a value.
struct functor {
  std::string text = {}, type = {};
  std::string parameters = {};             ///< Bytes.
  std::vector<std::string> operands = {};  ///< "const float32*", "float32*", "float32".
  std::size_t element_bytes = 0, buffer_bytes = 0;
  std::uintptr_t address = 0;
  std::size_t partial_bytes = 0;
  bool clears_output = false;
};

/// Returns the functor that an object of Python describes; nothing for None.
[[nodiscard]] std::optional<functor> functor_of(nb::handle given);

[[nodiscard]] fused_load load_of(const functor& given, functor_value value);
[[nodiscard]] fused_store store_of(const functor& given, functor_value value);

/// Returns the arguments of one run: an array, or a number, for each operand, as many.
[[nodiscard]] std::vector<kernel_argument> arguments_of(const std::vector<std::string>& operands,
                                                        nb::sequence given);

/// Returns the bytes of an element of each type that a functor's memory may have, by its name.
[[nodiscard]] nb::dict item_bytes();

/// Returns the address of a load as above whose element i is that of its only operand, float64 or
/// float32.
[[nodiscard]] std::uintptr_t factors_address(bool is_double);

}  // namespace wingbeat::python
