// SPDX-License-Identifier: Apache-2.0
#include "fengine/engine.hpp"

#include <unistd.h>  // gethostname

#include <algorithm>  // max, minmax_element
#include <array>
#include <cmath>    // log10, pow
#include <numeric>  // accumulate
#include <utility>  // exchange, move
#include <variant>  // holds_alternative

#include "fengine/input_losses.hpp"  // input_loss_counts
#include "text/counted.hpp"          // counted
#include "text/formatted.hpp"        // formatted
#include "text/reject.hpp"           // reject

namespace wingbeat::fengine {
namespace {

using control::log_level;

constexpr std::chrono::milliseconds patience{100};
constexpr std::chrono::seconds report_interval{1};

/// Returns the losses of the input by reason, for the page and the log.
std::vector<control::monitored_figure> losses_of(const receive::receive_counts& counts,
                                                 std::size_t n_pols) {
  std::vector<control::monitored_figure> losses;
  const auto add = [&](const std::string& label, std::uint64_t n) {
    losses.push_back({label, static_cast<double>(n), "packets"});
  };
  for (std::size_t i = 0; i < control::n_input_losses; ++i) {
    for (std::size_t pol = 0; pol < n_pols; ++pol) {
      add(formatted("{}, pol {}", control::input_losses[i].label, pol),
          counts.polarisations[pol].*input_loss_counts[i]);
    }
  }
  add("of wrong size", counts.wrong_size + counts.truncated);
  add("foreign", counts.foreign);
  add("undecodable", counts.n_undecodable());
  add("dropped by the system", counts.socket_drops);
  return losses;
}

/// Returns after how long without samples a digitiser counts as silent: a second, or ten packets.
double silence_of(const engine_spec& spec) {
  constexpr double min_s = 1, silent_packets = 10;
  const auto packet = static_cast<double>(spec.input.geometry.packet_samples);
  return std::max(min_s, silent_packets * packet / spec.adc_rate_hz);
}

/// Returns the mean power of channels in dB.
double mean_db(const std::vector<double>& power_db) {
  double sum = 0;
  for (const double power : power_db) sum += std::pow(10.0, power / 10);
  return 10 * std::log10(sum / static_cast<double>(power_db.size()));
}

/// Makes the samples of chunks arrive in pinned memory, which `memory` keeps.
receive::receive_spec with_memory(receive::receive_spec spec, const queue& on,
                                  std::vector<pinned_memory>& memory) {
  spec.memory = [on, &memory](std::size_t n_bytes) {
    return memory.emplace_back(on, n_bytes).bytes();
  };
  return spec;
}

}  // namespace

engine::engine(engine_spec spec, control::engine_sensors& sensors, log_function log,
               engine_observers calls)
    : spec_(std::move(spec)),
      thermometers_(spec_.device),
      streams_(streams_of(spec_)),
      sensors_(sensors),
      log_(std::move(log)),
      calls_(std::move(calls)),
      is_live_(std::holds_alternative<receive::live_source>(spec_.input.source)),
      silence_s_(silence_of(spec_)),
      receiver_(with_memory(spec_.input, queue{spec_.device}, chunk_memory_)),
      silence_(n_pols(), silence_s_),
      measured_bytes_(spec_.outputs.size()),
      progress_(spec_.outputs.size()) {
  for (std::size_t i = 0; i < spec_.outputs.size(); ++i) {
    outputs_.push_back(std::make_unique<output>(
        spec_, i, sensors_, log_, [this](const std::string& reason) { fail(reason); }));
  }
  for (std::size_t pol = 0; pol < n_pols(); ++pol) sensors_.set_input_clips(pol, 0);
  for (control::stopwatch& age : ages_) age.restart();
  const net::socket_buffers buffers = receive_buffers();
  sensors_.set_buffers(buffers.asked_bytes, buffers.granted_bytes);
}

engine::~engine() {
  stop();
}

void engine::start() {
  for (const auto& each : outputs_) each->start();
  receiver_.start();
  measured_at_ = clock::now();
  dealing_ = std::thread{[this] { deal(); }};
}

void engine::stop() {
  receiver_.stop();
  if (dealing_.joinable()) dealing_.join();
  for (const auto& each : outputs_) each->finish();
}

net::socket_buffers engine::send_buffers() const {
  net::socket_buffers buffers;
  for (const auto& each : outputs_) buffers.add(each->buffers());
  return buffers;
}

std::string engine::failure() const {
  const std::lock_guard lock{mutex_};
  return failure_;
}

void engine::fail(const std::string& reason) {
  log_(log_level::error, reason);
  const std::lock_guard lock{mutex_};
  if (failure_.empty()) failure_ = reason;
  is_finished_ = true;
}

void engine::deal() {
  while (true) {
    receive::received_chunk next = receiver_.next(patience);
    if (next) {
      report_received(*next);
      const auto shared = std::make_shared<const receive::received_chunk>(std::move(next));
      for (const auto& each : outputs_) each->offer(shared);
    } else if (receiver_.is_finished()) {
      break;
    }
    publish_counts();
  }
  publish_counts();
  if (const std::string reason = receiver_.failure(); !reason.empty()) fail(reason);
  is_finished_ = true;
}

void engine::report_received(const receive::chunk& next) {
  const double unixtime_s =
      spec_.sync_time_s + static_cast<double>(next.timestamp) / spec_.adc_rate_hz;
  has_started_again_ = next.epoch != 0;
  for (std::size_t pol = 0; pol < n_pols(); ++pol) {
    sensors_.set_received(pol, next.timestamp, unixtime_s, !has_started_again_);
    const auto& present = next.present[pol];
    const auto n = std::accumulate(present.begin(), present.end(), std::size_t{0});
    if (n < present.size()) sensors_.set_missing(pol, unixtime_s);
  }
}

void engine::publish_counts() {
  const receive::receive_counts received = receiver_.counts();
  for (std::size_t pol = 0; pol < n_pols(); ++pol) {
    const receive::polarisation_counts &counts = received.polarisations[pol],
                                       &before = published_.polarisations[pol];
    if (counts.packets != before.packets) {
      ages_[pol].restart();
      n_datagrams_ = received.datagrams;
    }
    if (counts.saturated_samples != before.saturated_samples) {
      sensors_.set_input_clips(pol, static_cast<std::int64_t>(counts.saturated_samples));
    }
    std::array<std::uint64_t, control::n_input_losses> losses{};
    for (std::size_t i = 0; i < losses.size(); ++i) losses[i] = counts.*input_loss_counts[i];
    sensors_.set_input_losses(pol, losses);
  }
  sensors_.set_socket_drops(received.socket_drops);
  published_ = received;
  report_silence();
  if (clock::now() - measured_at_ < report_interval) return;
  measure_rates(received);
  report_losses(received);
  report_progress();
}

/// Reports progress only if all outputs make progress; this thread would hide a hang of one.
void engine::report_progress() {
  bool gets_on = true;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const std::uint64_t before = std::exchange(progress_[i], outputs_[i]->progress());
    gets_on = gets_on && (progress_[i] != before || outputs_[i]->is_idle());
  }
  if (gets_on) calls_.works();
}

void engine::measure_rates(const receive::receive_counts& counts) {
  const clock::time_point time = clock::now();
  const double elapsed_s = std::chrono::duration<double>(time - measured_at_).count();
  const auto rate = [&](std::uint64_t n, std::uint64_t before, double unit) {
    return static_cast<double>(n - before) / elapsed_s / unit;
  };
  std::vector<control::monitored_figure> rates;
  for (std::size_t pol = 0; pol < n_pols(); ++pol) {
    const receive::polarisation_counts &received = counts.polarisations[pol],
                                       &before = measured_.polarisations[pol];
    rates.push_back({formatted("received, pol {}", pol),
                     rate(received.samples, before.samples, 1e6), "Msample/s"});
    rates.push_back({formatted("received, pol {}", pol),
                     rate(8 * received.bytes, 8 * before.bytes, 1e9), "Gb/s"});
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const std::uint64_t bytes = outputs_[i]->counts().sent.bytes;
    rates.push_back({formatted("sent, {}", streams_[i].name),
                     rate(8 * bytes, 8 * measured_bytes_[i], 1e9), "Gb/s"});
    measured_bytes_[i] = bytes;
  }
  measured_ = counts;
  measured_at_ = time;
  const std::lock_guard lock{mutex_};
  rates_ = std::move(rates);
}

void engine::report_losses(const receive::receive_counts& counts) {
  const auto losses = losses_of(counts, n_pols()), before = losses_of(reported_, n_pols());
  std::string text;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const double n = losses[i].value - before[i].value;
    if (n > 0) text += formatted("{}{:.0f} {}", text.empty() ? "" : "; ", n, losses[i].label);
  }
  if (!text.empty()) log_(log_level::warn, formatted("packets in the last second: {}", text));
  if (counts.restarts > reported_.restarts) {
    log_(log_level::warn,
         "the digitiser was started again, because its time went back: output begins anew with the "
         "gains and delays in use; --sync-time is that of the time before, and ?delays is refused "
         "until the engine is started with the one that holds now");
  }
  reported_ = counts;
}

void engine::report_silence() {
  if (!is_live_) return;
  std::vector<double> ages_s;
  for (std::size_t pol = 0; pol < n_pols(); ++pol) ages_s.push_back(input_age_s(pol));
  for (const silence_change& change : silence_.look(ages_s)) {
    const std::uint64_t n_others = published_.datagrams - n_datagrams_;
    const std::string others = change.is_silent && n_others > 0
                                   ? formatted(", though {} arrived, none of which could be placed",
                                               counted(n_others, "packet"))
                                   : "";
    log_(change.is_silent ? log_level::warn : log_level::info, change.sentence + others);
  }
}

std::int64_t engine::set_gains(std::size_t stream, std::optional<std::size_t> pol,
                               std::span<const std::complex<float>> gains) {
  const std::int64_t begin = outputs_[stream]->set_gains(pol, gains);
  log_(log_level::info,
       formatted("output '{}' has other gains from {} on", streams_[stream].name, begin));
  calls_.changed();
  return begin;
}

std::int64_t engine::set_delays(std::size_t stream, double start_s,
                                std::span<const control::delay_setting> delays) {
  reject_if(has_started_again_,
            "the digitiser was started again, and delays would begin by the sync time {:.6f} "
            "of before; start the engine with the --sync-time that holds now",
            spec_.sync_time_s);
  const std::int64_t begin = outputs_[stream]->set_delays(start_s, delays);
  log_(log_level::debug,
       formatted("output '{}' has other delays from {} on", streams_[stream].name, begin));
  calls_.changed();
  return begin;
}

saved_state engine::state() const {
  saved_state state{.engine = spec_.sending.engine};
  for (const auto& each : outputs_) state.outputs.push_back(each->state());
  return state;
}

void engine::restore(const saved_state& state) {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    sensors_.set_steady_state(outputs_[i]->restore(state.outputs[i]));
  }
}

std::string engine::title() const {
  if (!spec_.name.empty()) return formatted("{}, F-engine {}", spec_.name, spec_.sending.engine);
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return formatted("F-engine {} on {}", spec_.sending.engine,
                   host[0] ? host.data() : "this machine");
}

void engine::show_output(std::size_t stream, control::monitor_snapshot& shown) const {
  const output& each = *outputs_[stream];
  const std::string& name = streams_[stream].name;
  const output_counts counts = each.counts();
  for (const auto& spectrum : each.spectra()) {
    shown.levels.push_back({formatted("{}, pol {}", name, spectrum.pol), mean_db(spectrum.power_db),
                            spectrum.units, static_cast<double>(counts.saturated[spectrum.pol])});
    shown.spectra.push_back(spectrum);
  }
  for (std::size_t pol = 0; pol < n_pols(); ++pol) {
    std::vector<double> sizes;
    for (const std::complex<float> gain : each.gains(pol)) sizes.push_back(std::abs(gain));
    const auto [least, greatest] = std::minmax_element(sizes.begin(), sizes.end());
    shown.gains.push_back({name, pol, *least, *greatest});
  }
  for (auto& delay : each.delays()) shown.delays.push_back(std::move(delay));
  const auto add = [&](auto& list, const char* label, std::size_t n, const char* units) {
    list.push_back({formatted("{}, {}", label, name), static_cast<double>(n), units});
  };
  add(shown.losses, "left out", counts.sent.skipped_heaps, "heaps");
  add(shown.losses, "failed to send", counts.sent.failed_heaps, "heaps");
  add(shown.states, "chunks waiting", each.n_waiting_chunks(), "chunks");
  add(shown.states, "batches waiting", each.n_waiting_batches(), "batches");
}

control::monitor_snapshot engine::snapshot() const {
  control::monitor_snapshot shown;
  shown.title = title();
  shown.silent_after_s = silence_s_;
  for (std::size_t pol = 0; is_live_ && pol < n_pols(); ++pol) {
    shown.data_age_s = std::max(shown.data_age_s.value_or(0), input_age_s(pol));
  }
  const receive::receive_counts received = receiver_.counts();
  shown.losses = losses_of(received, n_pols());
  for (std::size_t pol = 0; pol < n_pols(); ++pol) {
    shown.levels.push_back({formatted("input, pol {}", pol), sensors_.input_level_dbfs(pol), "dBFS",
                            static_cast<double>(received.polarisations[pol].saturated_samples)});
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) show_output(i, shown);
  for (auto& temperature : thermometers_.read()) shown.states.push_back(std::move(temperature));
  const std::lock_guard lock{mutex_};
  shown.rates = rates_;
  return shown;
}

}  // namespace wingbeat::fengine
