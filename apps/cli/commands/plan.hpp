// SPDX-License-Identifier: Apache-2.0
// `wingbeat plan`: the passes, memory and planning times of transforms, without running them.
#pragma once

namespace CLI {
class App;
}

namespace wingbeat::cli {

/// Adds the command `plan` to the program.
void add_plan(CLI::App& program, int& exit_code);

}  // namespace wingbeat::cli
