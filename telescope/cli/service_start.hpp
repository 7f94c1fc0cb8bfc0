// SPDX-License-Identifier: Apache-2.0
// The common part of services: the level of their log, and its first line.
#pragma once

#include <string>

#include "control/service_log.hpp"  // service_log

namespace CLI {
class App;
}

namespace wingbeat::cli {

/// Adds the option --log-level.
void add_log_level(CLI::App& command, std::string& target);

/// Writes the version, the synchronisation of the digitiser's clock, and the command line.
void log_start(control::service_log& log, double sync_time_s);

}  // namespace wingbeat::cli
