// SPDX-License-Identifier: Apache-2.0
// The commands of `wingbeat`. Each adds itself to the program and, when run, sets the exit code.
#pragma once

namespace CLI {
class App;
}

namespace wingbeat::cli {

void add_bench(CLI::App& program, int& exit_code);
void add_channelise(CLI::App& program, int& exit_code);
void add_convolve(CLI::App& program, int& exit_code);
void add_devices(CLI::App& program, int& exit_code);
void add_filter(CLI::App& program, int& exit_code);
void add_match(CLI::App& program, int& exit_code);
void add_match_merge(CLI::App& program, int& exit_code);
void add_order(CLI::App& program, int& exit_code);
void add_plan(CLI::App& program, int& exit_code);
void add_simulate(CLI::App& program, int& exit_code);
void add_speedtest(CLI::App& program, int& exit_code);
void add_transform(CLI::App& program, int& exit_code);
void add_verify(CLI::App& program, int& exit_code);

}  // namespace wingbeat::cli
