// SPDX-License-Identifier: Apache-2.0
// wingbeat fengine: a digitiser's packets to channelised packets, as a service.
#pragma once

namespace CLI {
class App;
}

namespace wingbeat::cli {

void add_fengine(CLI::App& program, int& exit_code);

}  // namespace wingbeat::cli
