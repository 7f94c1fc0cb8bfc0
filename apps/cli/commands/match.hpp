// SPDX-License-Identifier: Apache-2.0
// `wingbeat match`: templates found in an image.
#pragma once

namespace CLI {
class App;
}

namespace wingbeat::cli {

/// Adds the command `match` to the program.
void add_match(CLI::App& program, int& exit_code);

}  // namespace wingbeat::cli
