// SPDX-License-Identifier: Apache-2.0
// Adapts functors of a whole array to a plan that transforms some axes of a part of it.
#pragma once

#include <cstddef>  // size_t
#include <string>

#include "wingbeat/device/ends/array_part.hpp"  // array_part
#include "wingbeat/fusion.hpp"                  // fused_load, fused_store

namespace wingbeat::distributing {

using device::ends::array_part;

/// Returns a functor that calls `load` with the numbers of the whole array. `bytes` is what it
/// reads or writes of a rank's buffer. Parameters and operands stay as given.
[[nodiscard]] fused_load load_of_part(const fused_load& load, const array_part& part,
                                      std::size_t bytes);
[[nodiscard]] fused_store store_of_part(const fused_store& store, const array_part& part,
                                        std::size_t bytes);

/// Gives both functors one text again, if they were made from functors with one text.
void join_texts(fused_load& load, fused_store& store, const std::string& text);

}  // namespace wingbeat::distributing
