// SPDX-License-Identifier: Apache-2.0
// Validation of the views that ranks are given, the same for all that runs on a domain.
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

/// The views of one side of a run, and how many bytes a rank has of it.
struct rank_views {
  std::span<const buffer_view> given;
  std::function<std::size_t(std::size_t rank)> bytes;
};

/// Returns a view for each rank, of which that of the first one of this process is given.
[[nodiscard]] std::vector<buffer_view> views_of_first(const domain& ranks,
                                                      const buffer_view& given);

/// Throws `plan_error` unless there are two views for each rank.
void require_all_ranks(const domain& ranks, const rank_views& in, const rank_views& out);

/// Throws `plan_error` unless views of ranks of this process are large enough and begin by a rule,
/// and outputs are apart from all inputs. `noun`: what they are given to.
void require_places(const domain& ranks, std::string_view noun, const start_rule& start,
                    const rank_views& in, const rank_views& out);

}  // namespace wingbeat::distributing
