// SPDX-License-Identifier: Apache-2.0
// The command `plan`: what wingbeat would do, and what planning it takes, without running it.
#pragma once

namespace CLI {
class App;
}

namespace wingbeat::cli {

/// Adds the command `plan` to the program.
void add_plan(CLI::App& program, int& exit_code);

}  // namespace wingbeat::cli
