// SPDX-License-Identifier: Apache-2.0
// For systems whose sockets are not Linux's.
#include "cli/commands/dsim.hpp"
#include "cli/commands/receive.hpp"

namespace wingbeat::cli {

void add_dsim(CLI::App&, int&) {}
void add_receive(CLI::App&, int&) {}

}  // namespace wingbeat::cli
