// SPDX-License-Identifier: Apache-2.0
// `wingbeat receive`: an F-engine's output to files and checks.
#pragma once

namespace CLI {
class App;
}

namespace wingbeat::cli {

/// Adds the command `receive`; its result goes to `exit_code`. Nothing where this build has no
/// network.
void add_receive(CLI::App& program, int& exit_code);

}  // namespace wingbeat::cli
