// SPDX-License-Identifier: Apache-2.0
// For builds without control.
#include "simulation/signal_service.hpp"
#include "wingbeat/error.hpp"  // plan_error

namespace wingbeat::simulation {

struct signal_service::state {};

bool has_signal_service() {
  return false;
}

signal_service::signal_service(const signal_service_spec&, transmit::sample_sender&,
                               std::function<void()>, std::function<void(const std::string&)>) {
  throw plan_error("control by katcp needs a build with it; configure with WINGBEAT_CONTROL=ON");
}

signal_service::~signal_service() = default;

std::uint16_t signal_service::port() const {
  return 0;
}

}  // namespace wingbeat::simulation
