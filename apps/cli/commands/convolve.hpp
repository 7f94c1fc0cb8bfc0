// SPDX-License-Identifier: Apache-2.0
// `wingbeat convolve`: images convolved with a kernel image.
#pragma once

namespace CLI {
class App;
}

namespace wingbeat::cli {

/// Adds the command `convolve` to the program.
void add_convolve(CLI::App& program, int& exit_code);

}  // namespace wingbeat::cli
