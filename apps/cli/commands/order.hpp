// SPDX-License-Identifier: Apache-2.0
// `wingbeat order`: which frequency lies where in a spectrum that a kernel left in some order.
#pragma once

namespace CLI {
class App;
}

namespace wingbeat::cli {

/// Adds the command `order` to the program.
void add_order(CLI::App& program, int& exit_code);

}  // namespace wingbeat::cli
