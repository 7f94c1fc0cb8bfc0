// SPDX-License-Identifier: Apache-2.0
// `wingbeat channelise`: spectra of a digitiser's samples.
#pragma once

namespace CLI {
class App;
}

namespace wingbeat::cli {

/// Adds the command `channelise` to the program.
void add_channelise(CLI::App& program, int& exit_code);

}  // namespace wingbeat::cli
