// SPDX-License-Identifier: Apache-2.0
// For systems whose sockets are not Linux's.
#include "cli/commands/dsim.hpp"

namespace wingbeat::cli {

void add_dsim(CLI::App&, int&) {}

}  // namespace wingbeat::cli
