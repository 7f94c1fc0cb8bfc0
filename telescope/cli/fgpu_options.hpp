// SPDX-License-Identifier: Apache-2.0
// Lets `wingbeat fengine` start with command lines of katgpucbf's F-engine `fgpu`, too.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace wingbeat::cli {

/// Adds the options of fgpu that have no meaning here. They take the same values as fgpu's and do
/// nothing; their names are added to `ignored`.
void add_fgpu_options(CLI::App& command, std::vector<std::string>& ignored);

/// Returns whether an output's words state a key of fgpu that has no meaning here: weight_pass.
[[nodiscard]] bool has_ignored_key(const std::string& words);

/// Returns the names of all these options, for a help text.
[[nodiscard]] std::string fgpu_options_text();

/// Returns the words with the whole numbers after --recv-affinity and --recv-comp-vector, which
/// fgpu takes as separate words, as one list: --recv-affinity 0 1 as --recv-affinity 0,1. A number
/// is never SRC, because neither an endpoint nor a file is a number.
[[nodiscard]] std::vector<std::string> with_number_lists(const std::vector<std::string>& words);

}  // namespace wingbeat::cli
