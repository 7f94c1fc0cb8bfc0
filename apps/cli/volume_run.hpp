// SPDX-License-Identifier: Apache-2.0
// A search for a volume that writes what it keeps to a file now and then, and continues from it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "microscopy/volume_search.hpp"  // volume_search, search_space
#include "searching/part.hpp"            // search_part, shard

namespace wingbeat::cli {

struct volume_run {
  std::string state_file;         ///< Empty: none.
  std::optional<double> every_s;  ///< At least so long between two writes of it; else 300.
  searching::shard part;
};

/// Scores what a part lacks of its shard, and returns the part with it. The state file, if there is
/// one already, is continued. added: called after each few seconds' orientations. Throws
/// `plan_error` for a state of another search.
[[nodiscard]] searching::search_part searched(microscopy::volume_search& search,
                                              const microscopy::search_space& space,
                                              const searching::search_part& empty,
                                              const volume_run& run,
                                              const std::function<void()>& added = {});

/// Returns the whole search of these files. Throws `plan_error` for parts of other searches, and if
/// some part is missing.
[[nodiscard]] searching::search_part merged(const std::vector<std::string>& files,
                                            const searching::search_part& empty);

}  // namespace wingbeat::cli
