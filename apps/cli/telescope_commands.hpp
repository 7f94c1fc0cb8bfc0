// SPDX-License-Identifier: Apache-2.0
// The commands that `wingbeat` has the program `wingbeat-telescope` run.
#pragma once

namespace wingbeat::cli {

struct telescope_command {
  const char *name, *about;
};

constexpr telescope_command dsim_command{"dsim", "Sends the packets of a simulated digitiser"};
constexpr telescope_command fengine_command{
    "fengine", "Receives a digitiser's packets and sends channelised ones, as a service"};
constexpr telescope_command receive_command{"receive",
                                            "Takes an F-engine's output to files and checks"};

constexpr telescope_command telescope_commands[] = {dsim_command, fengine_command, receive_command};

}  // namespace wingbeat::cli
