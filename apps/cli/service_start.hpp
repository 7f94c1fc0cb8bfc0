// SPDX-License-Identifier: Apache-2.0
// The first line of a service's log.
#pragma once

#include "control/service_log.hpp"  // service_log

namespace wingbeat::cli {

/// Writes the version, the synchronisation of the digitiser's clock, and the command line.
void log_start(control::service_log& log, double sync_time_s);

}  // namespace wingbeat::cli
