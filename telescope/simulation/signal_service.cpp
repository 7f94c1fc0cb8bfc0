// SPDX-License-Identifier: Apache-2.0
#include "simulation/signal_service.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stop_token>
#include <thread>

#include "control/katcp_server.hpp"  // katcp_server
#include "control/sensor.hpp"        // sensor_registry
#include "signals/expression.hpp"    // parse_signal, text_of
#include "text/formatted.hpp"
#include "wingbeat/error.hpp"  // file_error

namespace wingbeat::simulation {
namespace {

using namespace control;
using words = std::vector<std::string>;

constexpr double refresh_s = 1;

/// Updates sensors from the sender's counts.
class sending_sensors {
 public:
  sending_sensors(sensor_registry& registry, std::size_t n_polarisations) {
    const auto add = [&](const std::string& name, const char* description, const char* units,
                         sensor_kind kind = sensor_kind::integer) {
      return &registry.add({.name = name,
                            .description = description,
                            .units = units,
                            .kind = kind,
                            .auto_period_s = refresh_s});
    };
    for (std::size_t p = 0; p < n_polarisations; ++p) {
      const std::string name = formatted("input{}.tx.", p);
      inputs_.push_back(
          {add(name + "packets", "Packets sent", "packets"),
           add(name + "dropped", "Packets dropped on purpose", "packets"),
           add(name + "duplicated", "Packets sent twice on purpose", "packets"),
           add(name + "reordered", "Packets sent late on purpose", "packets"),
           add(name + "failed", "Packets that the system refused", "packets"),
           add(name + "rate", "Samples sent in the last second", "samples/s", sensor_kind::real)});
    }
    timestamp_ = add("tx.timestamp", "ADC samples of the packets sent next", "samples");
    late_ = add("tx.late", "How far the samples are behind real time", "s", sensor_kind::real);
  }

  void refresh(const transmit::sample_sender_counts& counts) {
    const auto time = std::chrono::steady_clock::now();
    const double elapsed_s = std::chrono::duration<double>(time - refreshed_).count();
    for (std::size_t p = 0; p < inputs_.size(); ++p) {
      const transmit::sent_samples& sent = counts.polarisations[p];
      input& sensors = inputs_[p];
      const auto set = [](sensor* updated, std::uint64_t value) {
        updated->set(static_cast<std::int64_t>(value));
      };
      set(sensors.packets, sent.packets);
      set(sensors.dropped, sent.disturbed.dropped);
      set(sensors.duplicated, sent.disturbed.duplicated);
      set(sensors.reordered, sent.disturbed.reordered);
      set(sensors.failed, sent.failed_packets);
      sensors.rate->set(static_cast<double>(sent.samples - sensors.n_samples) / elapsed_s);
      sensors.n_samples = sent.samples;
    }
    timestamp_->set(counts.next_timestamp);
    late_->set(counts.late_s);
    refreshed_ = time;
  }

 private:
  struct input {
    sensor *packets, *dropped, *duplicated, *reordered, *failed, *rate;
    std::uint64_t n_samples = 0;
  };
  std::vector<input> inputs_;  ///< [polarisation]
  sensor* timestamp_ = nullptr;
  sensor* late_ = nullptr;
  std::chrono::steady_clock::time_point refreshed_ = std::chrono::steady_clock::now();
};

}  // namespace

struct signal_service::state {
  struct change {
    words signals;
    deferred_reply reply;
  };

  state(const signal_service_spec& given, transmit::sample_sender& target,
        std::function<void()> halt, std::function<void(const std::string&)> report)
      : spec(given),
        sender(target),
        changed(std::move(report)),
        sending(registry, given.signals.size()),
        server({.host = given.host,
                .port = given.port,
                .device = "wingbeat-dsim-1.0",
                .device_build = given.build,
                .access = given.access},
               registry, std::move(halt)),
        signals(given.signals) {
    const auto add = [&](const char* name, const char* description, const char* units,
                         sensor_kind kind) {
      return &registry.add(
          {.name = name, .description = description, .units = units, .kind = kind});
    };
    originals = add("signals-orig", "The signals as they were given, each in quotes", "",
                    sensor_kind::string);
    reproducible = add(
        "signals", "The signals, with the values of their names in their places, each in quotes",
        "", sensor_kind::string);
    steady = add("steady-state-timestamp", "All samples from this ADC time on are of signals-orig",
                 "samples", sensor_kind::integer);
    // A string, because a seed may exceed the integers of other programs.
    add("dither-seed", "Seed of the dither's random numbers", "", sensor_kind::string)
        ->set(std::to_string(spec.period.seed));
    add("period", "Samples of a signal's period", "samples", sensor_kind::integer)
        ->set(static_cast<std::int64_t>(spec.period.n_samples()));
    add("sync-time", "UNIX time of sample 0", "s", sensor_kind::timestamp)->set(spec.sync_time_s);
    add("adc-sample-rate", "Samples a second", "Hz", sensor_kind::real)
        ->set(spec.period.adc_rate_hz);
    show(signals, sender.counts().next_timestamp);
    sending.refresh(sender.counts());
    add_requests();
    worker = std::jthread([this](const std::stop_token& stop) { make_periods(stop); });
    server.start();
  }

  ~state() { server.stop(); }

  void show(const words& texts, std::int64_t timestamp) {
    words parsed;
    for (const std::string& text : texts) {
      parsed.push_back(signals::text_of(signals::parse_signal(text)));
    }
    originals->set(formatted("'{}'", joined(texts, "' '")));
    reproducible->set(formatted("'{}'", joined(parsed, "' '")));
    steady->set(timestamp);
  }

  void add_requests() {
    server.add_deferred_request(
        "signals",
        "Sets or reports the signals. Arguments: a signal for each polarisation, or none to report "
        "them. Replies the ADC timestamp from which on they are sent, or the signals.",
        [this](const words& arguments, deferred_reply reply) {
          const std::scoped_lock lock(mutex);
          if (arguments.empty()) return reply.ok(signals);
          if (arguments.size() != signals.size()) {
            throw request_failure(
                formatted("{} signals were given for {} polarisations; give one "
                          "for each",
                          arguments.size(), signals.size()));
          }
          if (changes.size() == max_changes) {
            throw request_failure(
                formatted("{} changes of signals wait already; try again later", max_changes));
          }
          changes.push_back({arguments, std::move(reply)});
          arrived.notify_one();
        });
    server.add_request("time", "Replies this machine's UNIX time in seconds.",
                       [](request&) { return words{formatted("{:.6f}", unix_time_s())}; });
    server.every(refresh_s, [this] { sending.refresh(sender.counts()); });
  }

  void make_periods(const std::stop_token& stop) {
    while (true) {
      std::unique_lock lock(mutex);
      if (!arrived.wait(lock, stop, [this] { return !changes.empty(); })) return;
      const change next = std::move(changes.front());
      changes.pop_front();
      lock.unlock();
      try {
        const std::int64_t timestamp = apply(next.signals);
        next.reply.ok({std::to_string(timestamp)});
        changed(formatted("the signals are '{}' from timestamp {} on",
                          joined(next.signals, "' and '"), timestamp));
      } catch (const std::exception& refused) {
        next.reply.fail(refused.what());
      }
    }
  }

  std::int64_t apply(const words& texts) {
    const auto samples = std::make_shared<const transmit::sample_period>(texts, spec.period);
    const std::scoped_lock lock(mutex);
    const std::int64_t timestamp = sender.set_period(samples);
    signals = texts;
    show(texts, timestamp);
    return timestamp;
  }

  signal_service_spec spec;
  transmit::sample_sender& sender;
  std::function<void(const std::string&)> changed;
  sensor_registry registry;
  sending_sensors sending;
  sensor *originals = nullptr, *reproducible = nullptr, *steady = nullptr;
  katcp_server server;
  std::mutex mutex;  ///< Guards the members below.
  std::condition_variable_any arrived;
  words signals;
  std::deque<change> changes;
  std::jthread worker;  ///< Ends before the members that it uses.
};

signal_service::signal_service(const signal_service_spec& spec, transmit::sample_sender& sender,
                               std::function<void()> halt,
                               std::function<void(const std::string&)> changed) {
  try {
    state_ = std::make_unique<state>(spec, sender, std::move(halt), std::move(changed));
  } catch (const error&) {
    throw;
  } catch (const std::runtime_error& refused) {  // of the server
    throw file_error(refused.what());
  }
}

signal_service::~signal_service() = default;

std::uint16_t signal_service::port() const {
  return state_->server.port();
}

}  // namespace wingbeat::simulation
