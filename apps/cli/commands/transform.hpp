// SPDX-License-Identifier: Apache-2.0
// `wingbeat transform FILE`: transforms a file on every engine and checks each result.
#pragma once

namespace CLI {
class App;
}

namespace wingbeat::cli {

/// Adds the command `transform` to the program.
void add_transform(CLI::App& program, int& exit_code);

}  // namespace wingbeat::cli
