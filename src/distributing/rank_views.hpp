// SPDX-License-Identifier: Apache-2.0
// Validation of the views that ranks are given, for every operation on a domain.
#pragma once

#include <cstddef>  // size_t
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "views/views.hpp"      // start_rule
#include "wingbeat/buffer.hpp"  // buffer_view
#include "wingbeat/domain.hpp"  // domain

namespace wingbeat::distributing {

/// The views of one side of a run, and the bytes that each rank has of it.
struct rank_views {
  std::span<const buffer_view> given;
  std::function<std::size_t(std::size_t rank)> bytes;
};

/// Returns a view for each rank; `given` is the view of this process's first rank.
[[nodiscard]] std::vector<buffer_view> views_of_first(const domain& ranks,
                                                      const buffer_view& given);

/// Throws `plan_error` unless there is an input and an output view for each rank.
void require_all_ranks(const domain& ranks, const rank_views& in, const rank_views& out);

/// Throws `plan_error` unless views of ranks of this process are large enough and obey a start
/// rule, and outputs are apart from all inputs. `noun` names the operation.
void require_places(const domain& ranks, std::string_view noun, const start_rule& start,
                    const rank_views& in, const rank_views& out);

}  // namespace wingbeat::distributing
