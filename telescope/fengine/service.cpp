// SPDX-License-Identifier: Apache-2.0
#include "fengine/service.hpp"

#include <algorithm>  // max
#include <stdexcept>
#include <utility>  // move

#include "control/engine_requests.hpp"  // add_engine_requests
#include "fengine/engine_metrics.hpp"   // add_engine_metrics
#include "fengine/saved_state.hpp"      // read_state, write_state
#include "text/formatted.hpp"           // formatted
#include "wingbeat/error.hpp"           // file_error

namespace wingbeat::fengine {
namespace {

constexpr double silent_chunks = 10, min_silence_s = 1;
constexpr double refresh_period_s = 1, clock_period_s = 10;

/// Returns after how long without input sensors report silence.
double silence_s(const engine_spec& spec) {
  const auto chunk = static_cast<double>(spec.input.geometry.chunk_samples);
  return std::max(min_silence_s, silent_chunks * chunk / spec.adc_rate_hz);
}

/// Makes a server count and report refused clients.
control::access_options reported(control::access_options options, const char* server,
                                 control::metric_registry& metrics, control::service_log& log) {
  options.refusals =
      &metrics.add("wingbeat_refused_clients_total",
                   "Clients that the list of allowed ones does not name", {{"server", server}});
  options.warn = [&log](const std::string& text) { log.write(control::log_level::warn, text); };
  return options;
}

}  // namespace

service::service(const service_spec& spec, control::service_log& log)
    : log_(log),
      state_file_(spec.state_file),
      sensors_(registry_, streams_of(spec.engine), spec.engine.input.geometry.polarisations,
               silence_s(spec.engine)),
      engine_(
          spec.engine, sensors_,
          [this](control::log_level level, const std::string& text) { log_.write(level, text); },
          {.works = [this] { manager_.notify("WATCHDOG=1"); },
           .changed = [this] { keep_state(); }}) {
  add_engine_metrics(metric_registry_, engine_);
  restore();
  try {
    if (spec.katcp) {
      control::katcp_options options = *spec.katcp;
      options.access = reported(std::move(options.access), "katcp", metric_registry_, log_);
      katcp_ = std::make_unique<control::katcp_server>(std::move(options), registry_,
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
      control::monitor_options options = *spec.monitor;
      options.access = reported(std::move(options.access), "http", metric_registry_, log_);
      monitor_ =
          std::make_unique<control::monitor_server>(options, metric_registry_, registry_, engine_);
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
  if (!manager_.notify("READY=1\nSTATUS=receives, channelises and sends")) {
    log_.write(control::log_level::warn, manager_.failure());
  }
}

void service::restore() {
  if (state_file_.empty()) return;
  if (const auto state = read_state(state_file_)) {
    require_same_shape(*state, engine_.state(), state_file_);
    try {
      engine_.restore(*state);
    } catch (const plan_error& error) {
      throw file_error(formatted("the state {} cannot be restored: {}", state_file_, error.what()));
    }
    log_.write(control::log_level::info,
               formatted("gains and delays are those of the state {}", state_file_));
  }
  write_state(state_file_, engine_.state());  // finds out now if the place cannot be written
}

void service::keep_state() {
  if (state_file_.empty()) return;
  try {
    write_state(state_file_, engine_.state());
  } catch (const file_error& error) {
    log_.write(control::log_level::error,
               formatted("gains and delays that were set last are in use, but are not kept: {}",
                         error.what()));
  }
}

void service::stop() {
  if (!is_stopping_) manager_.notify("STOPPING=1\nSTATUS=sends what was received");
  is_stopping_ = true;
  engine_.stop();
  log_.forward_to(nullptr);
  if (katcp_) katcp_->stop();
}

}  // namespace wingbeat::fengine
