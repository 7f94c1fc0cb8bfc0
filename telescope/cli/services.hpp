// SPDX-License-Identifier: Apache-2.0
// The commands of `wingbeat-telescope`. Each adds itself to the program, and sets the exit code
// when it runs.
#pragma once

namespace CLI {
class App;
}

namespace wingbeat::cli {

void add_dsim(CLI::App& program, int& exit_code);
void add_fengine(CLI::App& program, int& exit_code);
void add_receive(CLI::App& program, int& exit_code);

}  // namespace wingbeat::cli
