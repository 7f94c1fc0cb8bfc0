// SPDX-License-Identifier: Apache-2.0
// Functors of a whole array as functors of a plan that transforms some axes of a part of it.
#pragma once

#include <cstddef>  // size_t
#include <string>

#include "wingbeat/device/ends/array_part.hpp"  // array_part
#include "wingbeat/fusion.hpp"                  // fused_load, fused_store

namespace wingbeat::distributing {

using device::ends::array_part;

/// Returns a functor that is called with the numbers of the whole array. `bytes` is what it reads
/// or writes of a rank's buffer. Parameters and operands are those of the one given.
[[nodiscard]] fused_load load_of_part(const fused_load& load, const array_part& part,
                                      std::size_t bytes);
[[nodiscard]] fused_store store_of_part(const fused_store& store, const array_part& part,
                                        std::size_t bytes);

/// Has both functors, made of ones that had one text, have one text again.
void join_texts(fused_load& load, fused_store& store, const std::string& text);

}  // namespace wingbeat::distributing
