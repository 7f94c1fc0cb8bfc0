// SPDX-License-Identifier: Apache-2.0
#include "fengine/output.hpp"

#include <pthread.h>  // pthread_setaffinity_np, pthread_setname_np

#include <algorithm>  // any_of, copy, max, min
#include <utility>    // exchange, move

#include "text/counted.hpp"    // counted
#include "text/formatted.hpp"  // formatted
#include "text/reject.hpp"     // reject

namespace wingbeat::fengine {
namespace {

/// A gap of up to this many chunks is filled with missing samples; a longer one is skipped.
constexpr std::size_t max_missing_chunks = 2;

/// Names the calling thread, for tools that list threads; they show at most 15 letters.
void name_thread(const std::string& name) {
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
}

void stay_on_processor(int processor) {
  if (processor < 0) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(processor), &set);
  reject_if(pthread_setaffinity_np(pthread_self(), sizeof set, &set) != 0,
            "a thread cannot run on processor {}; give one of this machine's", processor);
}

/// Packets of a chunk, numbered from its first.
struct packet_range {
  std::size_t first = 0, end = 0;
};

/// Returns the range from the first present packet, of any polarisation, to the last. Packets
/// outside of it are not lost until packets of other chunks enclose them: a stream may begin and
/// end there.
packet_range range_of(const receive::chunk& chunk) {
  packet_range range;
  for (const auto& flags : chunk.present) {
    for (std::size_t i = 0; i < flags.size(); ++i) {
      if (flags[i] == 0) continue;
      range.first = range.end == 0 ? i : std::min(range.first, i);
      range.end = std::max(range.end, i + 1);
    }
  }
  return range;
}

/// Runs each kernel once, because drivers may otherwise compile at the first run, during input.
void warm_up(queue& on, const channeliser_spec& spec) {
  constexpr std::size_t n_samples = std::size_t{1} << 20;
  channeliser trial{on, spec, 0, 0};
  const std::vector<std::byte> silence(n_samples * spec.sample_bits / 8);
  channeliser::samples samples{.count = n_samples};
  samples.packed.assign(spec.polarisations, silence);
  bool has_heap = false;
  const auto take = [&](const auto&) { has_heap = true; };
  while (!has_heap) {
    trial.push(on, samples, take);
    trial.finish(take);
  }
}

/// Returns the longest time between two heaps while samples are received.
double heap_period_s(const engine_spec& spec, const channeliser_spec& bank) {
  const std::size_t n_samples = spec.input.geometry.chunk_samples + sizes_of(bank).heap_samples;
  return static_cast<double>(n_samples) / spec.adc_rate_hz;
}

std::vector<std::vector<std::complex<float>>> initial_gains(const engine_spec& spec,
                                                            const channeliser_spec& bank) {
  return {bank.polarisations, std::vector<std::complex<float>>(bank.channels, spec.gain)};
}

}  // namespace

output::output(const engine_spec& spec, std::size_t index, control::engine_sensors& sensors,
               log_function log, std::function<void(std::string)> fail)
    : spec_(spec),
      output_(spec.outputs[index]),
      index_(index),
      sensors_(sensors),
      log_(std::move(log)),
      fail_(std::move(fail)),
      queue_(spec.device),
      bank_(queue_, output_.bank, 0, spec.max_delay_diff),
      sender_(sender_of(spec, output_)),
      memory_(spec.n_batches, std::vector<std::byte>(batch_bytes(output_))),
      chunks_(spec.input.n_chunks),
      free_(spec.n_batches),
      batches_(spec.n_batches + 1),
      spectra_(output_.name, output_.bank, heap_period_s(spec, output_.bank)),
      gains_(initial_gains(spec, output_.bank)),
      delays_(output_.bank.polarisations),
      saturated_(output_.bank.polarisations) {
  warm_up(queue_, output_.bank);
  for (auto& each : memory_) free_.push(&each);
  if (index_ == 0) {
    levels_.assign(output_.bank.polarisations, input_level_window{spec.adc_rate_hz});
  }
  sensors_.set_dither_seed(index_, output_.bank.seed);
  for (std::size_t pol = 0; pol < gains_.size(); ++pol) {
    sensors_.set_gains(index_, pol, gains_[pol]);
    sensors_.set_delay(index_, pol, -1, {});
    sensors_.set_output_clips(index_, pol, 0);
  }
}

output::~output() {
  finish();
}

void output::start() {
  channelising_ = std::thread{[this] {
    name_thread("bank " + output_.name);
    channelise_all();
    batches_.close();
  }};
  sending_ = std::thread{[this] {
    name_thread("send " + output_.name);
    send_all();
  }};
}

void output::offer(shared_chunk next) {
  ++n_offered_;
  chunks_.push(std::move(next));
}

void output::finish() {
  chunks_.close();
  if (channelising_.joinable()) channelising_.join();
  if (sending_.joinable()) sending_.join();
}

// Functions of the channelising thread.

void output::channelise_all() {
  try {
    while (const auto next = chunks_.pop()) {
      channelise(*next);
      ++n_channelised_;
      if (chunks_.size() == 0) finish_heaps();  // nothing else would pass them on
    }
  } catch (const std::exception& error) {
    fail_(formatted("output '{}' cannot channelise: {}", output_.name, error.what()));
    while (chunks_.pop()) continue;  // returns chunks to the receiver, which needs them
  }
}

void output::go_to(std::int64_t sample, std::uint64_t epoch) {
  const std::int64_t gap = sample - next_sample_;
  const auto most =
      static_cast<std::int64_t>(max_missing_chunks * spec_.input.geometry.chunk_samples);
  if (next_sample_ < 0 || epoch != epoch_) {
    begin_at(sample, next_sample_ >= 0);
  } else if (gap < 0 || gap > most) {
    bank_.jump(sample);
  } else if (gap > 0) {
    const auto count = static_cast<std::size_t>(gap);
    bank_.push(queue_, {.count = count}, taker_);
    report_levels(count);
  }
  next_sample_ = sample;
  epoch_ = epoch;
}

/// Begins with this sample; `is_again`: the digitiser's time goes back.
void output::begin_at(std::int64_t sample, bool is_again) {
  const std::size_t lead = spec_.starts_early ? bank_.sizes().heap_samples - 1 : 0;
  const std::int64_t begin = sample - static_cast<std::int64_t>(lead);
  if (is_again) finish_heaps();
  {
    const std::lock_guard lock{mutex_};
    bank_.jump(begin);
    // `sample` takes the place of sample `next_sample_`.
    if (is_again) keep_delays(next_sample_ - sample, std::max<std::int64_t>(begin, 0));
  }
  begin_ = sample;
  n_withheld_ = bank_.counts().withheld;
  if (lead > 0) bank_.push(queue_, {.count = lead}, taker_);
}

/// Continues the current delays from sample `begin` on, which was later by `shift` before. Pending
/// delays are forgotten, because their starts are in the old time.
void output::keep_delays(std::int64_t shift, std::int64_t begin) {
  const std::int64_t before = begin + shift;
  while (!pending_delays_.empty() && pending_delays_.front().load <= before) begin_delays();
  pending_delays_.clear();
  const auto seconds = [&](std::int64_t of) { return static_cast<double>(of) / spec_.adc_rate_hz; };
  if (load_ >= 0) {
    delays_ = stated_from(seconds(before), {seconds(load_), delays_}).settings;
  }
  load_ = begin;
  std::vector<delay_model> models;
  for (std::size_t pol = 0; pol < delays_.size(); ++pol) {
    const control::delay_setting& setting = delays_[pol];
    models.push_back(in_samples(
        {0, setting.delay_s, setting.delay_rate, setting.phase_rad, setting.phase_rate_rad_per_s},
        spec_.adc_rate_hz));
    models.back().start_samples = begin;
    sensors_.set_delay(index_, pol, load_, setting);
  }
  bank_.add_delays(models);
}

void output::channelise(const shared_chunk& next_chunk) {
  const receive::chunk& next = **next_chunk;
  const receive::chunk_geometry& geometry = spec_.input.geometry;
  const packet_range range = range_of(next);
  if (range.first == range.end) return;
  go_to(next.timestamp + static_cast<std::int64_t>(range.first * geometry.packet_samples),
        next.epoch);
  const std::size_t n_packets = range.end - range.first, n_bytes = geometry.packet_bytes();
  channeliser::samples samples{.count = n_packets * geometry.packet_samples,
                               .packet_samples = geometry.packet_samples,
                               .owner = next_chunk};
  for (std::size_t pol = 0; pol < geometry.polarisations; ++pol) {
    samples.packed.emplace_back(
        next.samples[pol].subspan(range.first * n_bytes, n_packets * n_bytes));
    if (next.is_complete) continue;
    const auto flags = std::span(next.present[pol]).subspan(range.first, n_packets);
    samples.present.emplace_back(flags.begin(), flags.end());
  }
  bank_.push(queue_, samples, taker_);
  next_sample_ += static_cast<std::int64_t>(samples.count);
  report_levels(samples.count);
  report_skipped();
}

void output::finish_heaps() {
  bank_.finish(taker_);
  report_skipped();
}

void output::report_skipped() {
  if (const std::uint64_t n_skipped = newly_skipped()) make({.n_skipped = n_skipped});
}

void output::make(outgoing next) {
  ++n_made_;
  batches_.push(std::move(next));
}

/// Reports once how many batches the delays prevent at the beginning.
void output::report_begin(std::int64_t timestamp) {
  const auto hop = static_cast<std::int64_t>(bank_.sizes().heap_samples);
  const std::int64_t first = std::exchange(begin_, -1);
  if (first < 0) return;
  const std::int64_t due = (first + hop - 1) / hop * hop;
  const auto n_withheld = static_cast<std::int64_t>(bank_.counts().withheld - n_withheld_);
  const std::int64_t n_late = (timestamp - due) / hop - n_withheld;
  const bool is_delayed =
      std::any_of(delays_.begin(), delays_.end(), [](const auto& of) { return of.delay_s > 0; });
  if (n_late <= 0 || !is_delayed) return;
  log_(control::log_level::warn,
       formatted("output '{}' begins at {}, {} later than at {}, because its delays need samples "
                 "before the first one, {}; --missing zero-fill --early-start has zeros for these",
                 output_.name, timestamp, counted(static_cast<std::size_t>(n_late), "batch"), due,
                 first));
}

void output::take(const channelised_heap& heap) {
  follow_delays(heap.timestamp);
  report_begin(heap.timestamp);
  spectra_.offer(heap);
  const auto voltages = free_.pop();
  if (!voltages) return;
  std::copy(heap.bytes.begin(), heap.bytes.end(), (*voltages)->begin());
  outgoing next{.voltages = *voltages,
                .timestamp = heap.timestamp,
                .n_skipped = newly_skipped(),
                .saturated = heap.saturated};
  for (std::size_t pol = 0; pol < heap.is_complete.size(); ++pol) {
    if (!heap.is_complete[pol]) next.missing |= std::uint64_t{1} << pol;
  }
  make(std::move(next));
}

std::uint64_t output::newly_skipped() {
  const heap_counts& counts = bank_.counts();
  const std::uint64_t n_total = counts.withheld + counts.skipped;
  const std::lock_guard lock{mutex_};
  batch_counts_ = counts;
  return n_total - std::exchange(n_skipped_, n_total);
}

void output::follow_delays(std::int64_t timestamp) {
  const std::lock_guard lock{mutex_};
  while (!pending_delays_.empty() && pending_delays_.front().promised <= timestamp) begin_delays();
}

/// Makes the next pending delays the current ones; `mutex_` is held.
void output::begin_delays() {
  delays_ = std::move(pending_delays_.front().settings);
  load_ = pending_delays_.front().load;
  pending_delays_.erase(pending_delays_.begin());
  for (std::size_t pol = 0; pol < delays_.size(); ++pol) {
    sensors_.set_delay(index_, pol, load_, delays_[pol]);
  }
}

void output::report_levels(std::size_t n_samples) {
  for (std::size_t pol = 0; pol < levels_.size(); ++pol) {
    if (!levels_[pol].pass(n_samples)) continue;  // reads the device's counts once per window
    const auto level = levels_[pol].measure(bank_.levels()[pol]);
    sensors_.set_input_level(pol, level.dbfs, level.is_whole);
  }
}

// Functions of the sending thread.

void output::send_all() {
  try {
    stay_on_processor(spec_.send_affinity);
    for (; auto next = batches_.pop(); ++n_sent_) send(*next);
    sender_.stop();
  } catch (const std::exception& error) {
    fail_(formatted("output '{}' cannot send: {}", output_.name, error.what()));
    free_.close();
    while (batches_.pop()) continue;
  }
}

void output::send(outgoing& next) {
  for (std::uint64_t i = 0; i < next.n_skipped; ++i) sender_.skip();
  if (next.voltages != nullptr) {
    const std::uint64_t n_failed = sender_.counts().failed_heaps;
    sender_.send({next.timestamp, *next.voltages, next.missing});
    free_.push(next.voltages);
    if (sender_.counts().failed_heaps == n_failed) {
      const std::lock_guard lock{mutex_};
      for (std::size_t pol = 0; pol < saturated_.size(); ++pol) {
        saturated_[pol] += next.saturated[pol];
        sensors_.set_output_clips(index_, pol, static_cast<std::int64_t>(saturated_[pol]));
      }
    }
  }
  const transmit::sender_counts counts = sender_.counts();
  sensors_.set_unsent(index_, counts.skipped_heaps, counts.failed_heaps);
}

// Functions for any thread.

std::vector<std::complex<float>> output::gains(std::size_t pol) const {
  const std::lock_guard lock{mutex_};
  return gains_[pol];
}

std::int64_t output::set_gains(std::optional<std::size_t> pol,
                               std::span<const std::complex<float>> gains) {
  const std::lock_guard lock{mutex_};
  for (std::size_t p = 0; p < gains_.size(); ++p) {
    if (!pol || *pol == p) gains_[p].assign(gains.begin(), gains.end());
  }
  return bank_.add_gains({.gains = gains_});
}

std::int64_t output::set_delays(double start_s, std::span<const control::delay_setting> delays) {
  std::vector<delay_model> models;
  for (const control::delay_setting& setting : delays) {
    models.push_back(in_samples({start_s - spec_.sync_time_s, setting.delay_s, setting.delay_rate,
                                 setting.phase_rad, setting.phase_rate_rad_per_s},
                                spec_.adc_rate_hz));
  }
  const std::lock_guard lock{mutex_};
  pending_delay pending{.load = models.front().start_samples,
                        .settings = {delays.begin(), delays.end()}};
  pending.promised = bank_.add_delays(models);
  // Models that were to begin later were discarded.
  std::erase_if(pending_delays_, [&](const auto& each) { return each.load >= pending.load; });
  pending_delays_.push_back(std::move(pending));
  std::erase_if(requested_, [&](const auto& each) { return each.start_s >= start_s; });
  requested_.push_back({start_s, {delays.begin(), delays.end()}});
  // Later ones have replaced them by now.
  while (requested_.size() > 1 && requested_[1].start_s <= control::unix_time_s()) {
    requested_.erase(requested_.begin());
  }
  return pending_delays_.back().promised;
}

output_state output::state() const {
  const std::lock_guard lock{mutex_};
  return {output_.name, output_.bank.channels, gains_, requested_};
}

std::int64_t output::restore(const output_state& state) {
  std::int64_t steady = 0;
  for (std::size_t pol = 0; pol < state.gains.size(); ++pol) {
    steady = set_gains(pol, state.gains[pol]);
    sensors_.set_gains(index_, pol, state.gains[pol]);
  }
  for (const timed_delays& each : state.delays) {
    const double start_s = std::max(each.start_s, spec_.sync_time_s);
    steady = std::max(steady, set_delays(start_s, stated_from(start_s, each).settings));
  }
  return steady;
}

output_counts output::counts() const {
  const std::lock_guard lock{mutex_};
  return {sender_.counts(), batch_counts_, saturated_};
}

std::vector<control::monitored_delay> output::delays() const {
  const std::lock_guard lock{mutex_};
  std::vector<control::monitored_delay> shown;
  for (std::size_t pol = 0; pol < delays_.size(); ++pol) {
    const control::delay_setting& setting = delays_[pol];
    shown.push_back({output_.name, pol, setting.delay_s, setting.delay_rate, setting.phase_rad,
                     setting.phase_rate_rad_per_s});
  }
  return shown;
}

}  // namespace wingbeat::fengine
