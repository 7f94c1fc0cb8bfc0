// SPDX-License-Identifier: Apache-2.0
// `wingbeat order`: the index of each DFT bin in a spectrum of a given order.
#pragma once

namespace CLI {
class App;
}

namespace wingbeat::cli {

/// Adds the command `order` to the program.
void add_order(CLI::App& program, int& exit_code);

}  // namespace wingbeat::cli
