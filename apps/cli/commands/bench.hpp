// SPDX-License-Identifier: Apache-2.0
// `wingbeat bench`: transforms as a fraction of what the same device copies in the same run.
#pragma once

namespace CLI {
class App;
}

namespace wingbeat::cli {

/// Adds the command `bench` to the program.
void add_bench(CLI::App& program, int& exit_code);

}  // namespace wingbeat::cli
