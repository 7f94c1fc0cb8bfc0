// SPDX-License-Identifier: Apache-2.0
// `wingbeat simulate`: what a digitiser would record of a signal.
#pragma once

namespace CLI {
class App;
}

namespace wingbeat::cli {

/// Adds the command `simulate` to the program.
void add_simulate(CLI::App& program, int& exit_code);

}  // namespace wingbeat::cli
