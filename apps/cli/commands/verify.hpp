// SPDX-License-Identifier: Apache-2.0
// `wingbeat verify`: checks the laws of the transform on every engine and length.
#pragma once

namespace CLI {
class App;
}

namespace wingbeat::cli {

/// Adds the command `verify` to the program.
void add_verify(CLI::App& program, int& exit_code);

}  // namespace wingbeat::cli
