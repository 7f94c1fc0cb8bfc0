// SPDX-License-Identifier: Apache-2.0
// `wingbeat speedtest`: time against length on every engine, and where one overtakes another.
#pragma once

namespace CLI {
class App;
}

namespace wingbeat::cli {

/// Adds the command `speedtest` to the program.
void add_speedtest(CLI::App& program, int& exit_code);

}  // namespace wingbeat::cli
