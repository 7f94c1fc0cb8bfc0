// SPDX-License-Identifier: Apache-2.0
// `wingbeat filter`: signals convolved with taps.
#pragma once

namespace CLI {
class App;
}

namespace wingbeat::cli {

/// Adds the command `filter` to the program.
void add_filter(CLI::App& program, int& exit_code);

}  // namespace wingbeat::cli
