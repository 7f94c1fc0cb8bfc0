// SPDX-License-Identifier: Apache-2.0
// Boxes of elements that are cut into parts, and where elements lie in them.
#pragma once

#include <cstddef>  // size_t
#include <string>
#include <vector>

#include "wingbeat/distribution.hpp"  // box

namespace wingbeat::distributing {

/// Return the ranks' parts of a box cut along an axis; or boxes that give all to rank 0.
[[nodiscard]] std::vector<box> cut_along(const box& elements, std::size_t axis, std::size_t ranks);
[[nodiscard]] std::vector<box> undivided(const box& elements, std::size_t ranks);

/// Returns the distances of a packed box's elements along each axis; or the place of an element.
[[nodiscard]] std::vector<std::size_t> distances_of(const box& whole);
[[nodiscard]] std::size_t place_of(const box& whole, const std::vector<std::size_t>& element);

/// Returns the elements of memory from a box's first to its last, rounded; or their sum over boxes.
[[nodiscard]] double rounded_span(const box& whole);
[[nodiscard]] double rounded_span(const std::vector<box>& boxes);

/// Throws `plan_error` for a rank that is not below `ranks`.
void require_rank(std::size_t rank, std::size_t ranks);

/// Returns boxes as text, so that requests can be compared.
[[nodiscard]] std::string text_of(const std::vector<box>& boxes);

/// Returns the bytes of a functor's buffer that belong to `count` of `whole` elements, rounded up
/// to whole elements of the functor.
[[nodiscard]] std::size_t bytes_of_share(std::size_t bytes, std::size_t element_bytes,
                                         std::size_t count, std::size_t whole);

}  // namespace wingbeat::distributing
