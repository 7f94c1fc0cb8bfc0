// SPDX-License-Identifier: Apache-2.0
// `wingbeat devices`: what this machine can run transforms on.
#pragma once

namespace CLI {
class App;
}

namespace wingbeat::cli {

/// Adds the command `devices` to the program.
void add_devices(CLI::App& program, int& exit_code);

}  // namespace wingbeat::cli
