// SPDX-License-Identifier: Apache-2.0
// The commands of `wingbeat`. Each adds itself to the program and, when run, sets the exit code.
#pragma once

namespace CLI {
class App;
}

namespace wingbeat::cli {

using command_adder = void(CLI::App& program, int& exit_code);

command_adder add_bench, add_channelise, add_convolve, add_devices, add_filter, add_match,
    add_match_merge, add_match_volume, add_order, add_plan, add_simulate, add_speedtest,
    add_transform, add_verify;

}  // namespace wingbeat::cli
