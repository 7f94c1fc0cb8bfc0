// SPDX-License-Identifier: Apache-2.0
// The outputs of a search as options of `match` and `match-merge`, and the files and tables that
// they write.
#pragma once

#include <array>
#include <cstddef>  // size_t
#include <optional>
#include <string>
#include <vector>

#include "cli/match_run.hpp"      // match_request, match_result
#include "cli/reports/peaks.hpp"  // peak_frame
#include "searching/part.hpp"     // search_source

namespace CLI {
class App;
}  // namespace CLI

namespace wingbeat::cli {

/// The options with the files that they name.
struct match_outputs {
  std::optional<std::size_t> top, distance;
  std::optional<double> threshold;
  std::string projection, numbers, csv, star, box, expected;
  std::string map, picture;         ///< Options of `match` only.
  std::array<std::string, 2> maps;  ///< --mean, --variance.
  bool is_json = false;
};

void add_match_outputs(CLI::App& command, match_outputs& target);

[[nodiscard]] peak_frame frame_of(const searching::search_source& source,
                                  const match_result& found);

/// Throws `plan_error` for files that cannot hold their output, and `file_error` for a list of
/// expected places that cannot be read.
void require_outputs(const match_outputs& outputs);

/// Returns whether any output is requested.
[[nodiscard]] bool has_outputs(const match_outputs& outputs);

/// Adds the outputs to a request; peaks too, unless only files of maps are requested.
void request_outputs(const match_outputs& outputs, match_request& request);

/// Writes and prints all outputs.
void report_matches(const match_outputs& outputs, const searching::search_source& source,
                    const match_request& request, const match_result& found);

}  // namespace wingbeat::cli
