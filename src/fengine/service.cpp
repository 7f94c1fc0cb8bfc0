// SPDX-License-Identifier: Apache-2.0
#include "fengine/service.hpp"

#include <algorithm>  // max
#include <stdexcept>

#include "control/engine_requests.hpp"  // add_engine_requests
#include "formatted.hpp"                // formatted
#include "wingbeat/error.hpp"           // file_error

namespace wingbeat::fengine {
namespace {

constexpr double silent_chunks = 10, least_silence_s = 1;
constexpr double refresh_period_s = 1, clock_period_s = 10;

/// Without input for so long, sensors say so.
double silence_s(const engine_spec& spec) {
  const auto chunk = static_cast<double>(spec.input.geometry.chunk_samples);
  return std::max(least_silence_s, silent_chunks * chunk / spec.adc_rate_hz);
}

}  // namespace

service::service(const service_spec& spec, control::service_log& log)
    : log_(log),
      sensors_(registry_, streams_of(spec.engine), spec.engine.input.geometry.polarisations,
               silence_s(spec.engine)),
      metrics_(metric_registry_, streams_of(spec.engine), spec.engine.input.geometry.polarisations),
      engine_(
          spec.engine, sensors_, metrics_,
          [this](control::log_level level, const std::string& text) { log_.write(level, text); }) {
  try {
    if (spec.katcp) {
      katcp_ = std::make_unique<control::katcp_server>(*spec.katcp, registry_,
                                                       [this] { is_halted_ = true; });
      control::add_engine_requests(*katcp_, engine_, sensors_);
      katcp_->every(refresh_period_s, [this] {
        for (std::size_t pol = 0; pol < engine_.n_pols(); ++pol) {
          sensors_.set_input_age(pol, engine_.input_age_s(pol), engine_.is_silent(pol));
        }
        sensors_.refresh();
      });
      katcp_->every(clock_period_s, [this] { sensors_.refresh_clock(); });
      katcp_->observe_level([this](control::log_level level) { log_.set_level(level); });
    }
    if (spec.monitor) {
      monitor_ = std::make_unique<control::monitor_server>(*spec.monitor, metric_registry_,
                                                           registry_, engine_);
    }
  } catch (const std::runtime_error& error) {
    throw file_error(error.what());
  }
}

service::~service() {
  stop();
}

void service::start() {
  if (katcp_) {
    katcp_->start();
    log_.forward_to(katcp_.get());
  }
  engine_.start();
}

void service::stop() {
  engine_.stop();
  log_.forward_to(nullptr);
  if (katcp_) katcp_->stop();
}

}  // namespace wingbeat::fengine
