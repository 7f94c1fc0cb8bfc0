// SPDX-License-Identifier: Apache-2.0
// `wingbeat dsim`: a simulated digitiser on the network.
#pragma once

namespace CLI {
class App;
}

namespace wingbeat::cli {

/// Adds the command; its result goes to `exit_code`. Nothing where this build has no network.
void add_dsim(CLI::App& program, int& exit_code);

}  // namespace wingbeat::cli
