// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/channeliser.hpp"

#include <algorithm>  // all_of, max, min
#include <cmath>      // log10
#include <exception>  // exception_ptr
#include <limits>
#include <mutex>
#include <string_view>
#include <utility>  // exchange, move

#include "channelising/arithmetic/delay_model.hpp"   // end_of_time
#include "channelising/arithmetic/heap_windows.hpp"  // heap_windows
#include "channelising/banks/filter_bank.hpp"        // require_storage
#include "channelising/banks/heap_entries.hpp"       // heap_entry_maker
#include "channelising/memory.hpp"                   // bank_capacity, input_capacity, ..
#include "channelising/spec.hpp"                     // validate
#include "channelising/stream/downconverter.hpp"     // downconverter
#include "channelising/stream/heap_pipeline.hpp"     // heap_pipeline
#include "channelising/stream/incoming.hpp"          // incoming
#include "channelising/stream/sample_store.hpp"      // sample_store
#include "text/moved_from.hpp"                       // require_owned
#include "text/reject.hpp"                           // reject

namespace wingbeat {

using namespace channelising;

struct channeliser::impl {
  impl(const queue& on, channeliser_spec given, std::int64_t first_sample, std::size_t kept_samples)
      : spec(std::move(given)),
        sizes(sizes_of(spec)),
        kept(static_cast<std::int64_t>(kept_samples)),
        max_heaps(heaps_in_launch(sizes, on.device().runs_on)),
        input(on, spec, input_capacity(sizes, kept_samples, on.device().runs_on), first_sample),
        windows(spec) {
    sample_planes planes{input.form(), input.store().plane_bytes()};
    if (spec.narrowband) {
      converter.emplace(on, spec, planes.form);
      next_output = converter->first_from(first_sample);
      decimated.emplace(on, spec.polarisations, 8 * unsigned{sizeof(std::complex<float>)},
                        bank_capacity(sizes, kept_samples, on.device().runs_on), next_output,
                        written_by::kernels);
      planes = {sample_form::complex, decimated->plane_bytes()};
    }
    heaps.emplace(on, spec, planes, max_heaps);
  }

  channeliser_spec spec;
  channeliser_sizes sizes;
  std::int64_t kept;
  std::size_t max_heaps;  ///< Per launch.
  incoming input;
  /// Guards `spec.gains`, `windows` and `earliest`, which threads other than the pushing one may
  /// change or read. Functions named `.._locked` require that it is held.
  mutable std::mutex mutex;
  heap_windows windows;
  std::optional<downconverter> converter;
  std::optional<sample_store> decimated;
  std::int64_t next_output = 0;  ///< Index of a decimated sample.
  heap_entry_maker entries;
  std::optional<heap_pipeline> heaps;
  std::shared_ptr<backend::queue> running;  ///< The queue of the latest kernels.
  std::int64_t earliest = 0;                ///< The next heap's output time is not before this.
  std::int64_t expected = -1;  ///< Output time at the end of the last heap; negative before the
                               ///< first.

  [[nodiscard]] std::int64_t subsampling() const {
    return static_cast<std::int64_t>(sizes.subsampling);
  }
  /// Returns the samples that the bank reads.
  [[nodiscard]] const sample_store& numbers() const {
    return decimated ? *decimated : input.store();
  }
  /// Returns the index of the first sample, or decimated sample, that the bank still has.
  [[nodiscard]] std::int64_t first_number() const {
    return decimated ? decimated->begin() : input.begin();
  }
  /// Returns the first input sample of windows that the bank still has.
  [[nodiscard]] std::int64_t bank_begin() const { return first_number() * subsampling(); }

  [[nodiscard]] window_range windows_there() const {
    return {bank_begin(), input.end() - static_cast<std::int64_t>(sizes.window_samples)};
  }

  /// Returns the first input sample that later heaps may need.
  [[nodiscard]] std::int64_t keep_from() const {
    const std::lock_guard lock{mutex};
    const std::int64_t first = input.end();
    const auto t = windows.next_heap(earliest, bank_begin());
    if (!t) return first - static_cast<std::int64_t>(sizes.window_samples) - kept;
    return std::min(first, windows.first_sample(*t)) - kept;
  }

  /// Takes all samples, even if the taker throws, which only loses the heap that it was given; then
  /// rethrows its first exception.
  void take_all(queue& on, const samples& next, const taker& take) {
    std::exception_ptr failure;
    std::size_t taken = 0;
    const std::size_t at_once = piece_samples(on.device().runs_on);
    launch_all(on, take, failure);
    while (taken < next.count) {
      const std::size_t n_samples = std::min(at_once, next.count - taken);
      take_piece(on, next, taken, n_samples);
      taken += n_samples;
      while (begin_heaps(max_heaps)) launch_all(on, take, failure);
    }
    if (failure) std::rethrow_exception(failure);
  }

  void take_piece(queue& on, const samples& next, std::size_t begin, std::size_t count) {
    const std::int64_t keep = converter ? next_output * subsampling() : keep_from();
    bool has_room = input.append(on, next, begin, count, keep);
    if (converter && has_room) has_room = decimate(on);
    if (!has_room) {
      reject(
          "the delays of the next heap need samples from {} on, and the last "
          "one is {}; state smaller delays, or larger kept_samples",
          keep_from() + kept, input.end());
    }
    input.forget_gaps_before(bank_begin());
  }

  [[nodiscard]] bool decimate(queue& on) {
    const std::int64_t stop = converter->end_of(input.end());
    if (stop <= next_output) return true;
    const auto count = static_cast<std::size_t>(stop - next_output);
    if (!decimated->make_room(on, converter->first_from(keep_from()), count)) return false;
    converter->run(on, input.store(), *decimated, next_output, count);
    next_output = stop;
    decimated->extend(stop);
    return true;
  }

  /// Runs kernels on `on` from now on; if it is another queue, waits for the former one.
  void follow(queue& on) {
    if (running && running != on.impl()) running->wait();
    running = on.impl();
  }

  /// Begins up to `max_count` of the heaps whose samples are complete. Returns whether there were
  /// any.
  bool begin_heaps(std::size_t max_count) {
    std::vector<begun_heap> next;
    while (next.size() < max_count) {
      auto begun = begin_next(heap_fit::whole);
      if (!begun) break;
      next.push_back(std::move(*begun));
    }
    const bool has_heaps = !next.empty();
    heaps->begin(std::move(next));
    return has_heaps;
  }

  /// Launches all begun heaps, before later samples replace theirs; each failing call has taken or
  /// lost a heap. Keeps the first failure.
  void launch_all(queue& on, const taker& take, std::exception_ptr& failure) {
    for (;;) {
      try {
        return heaps->launch(on, numbers().view(), take);
      } catch (...) {
        if (!failure) failure = std::current_exception();
      }
    }
  }

  /// Returns how many heaps are skipped before the one that future samples would begin.
  [[nodiscard]] std::uint64_t skipped_at_end() {
    const std::lock_guard lock{mutex};
    const auto t = windows.next_heap(earliest, windows_there().first);
    if (!t || expected < 0 || *t <= expected) return 0;
    const auto hop = static_cast<std::int64_t>(sizes.heap_samples);
    return static_cast<std::uint64_t>((*t - std::exchange(expected, *t)) / hop);
  }

  /// Begins the next heap that starts within the samples, if it fits as `wanted`.
  std::optional<begun_heap> begin_next(heap_fit wanted) {
    const std::lock_guard lock{mutex};
    const auto hop = static_cast<std::int64_t>(sizes.heap_samples);
    const window_range range = windows_there();
    while (const auto t = windows.next_heap(earliest, range.first)) {
      if (wanted == heap_fit::whole && windows.is_to_come(*t, range.last)) return std::nullopt;
      const fitted_heap found = windows.fit_at(*t, range);
      if (found.fit == heap_fit::early) {
        earliest = found.early + 1;
        continue;
      }
      if (found.fit != wanted || found.windows.front().empty()) return std::nullopt;
      const auto n_skipped = expected < 0 ? 0 : static_cast<std::uint64_t>((*t - expected) / hop);
      // A heap that is not whole may be delivered again, and then does not count as skipped.
      expected = *t + (wanted == heap_fit::whole ? hop : 0);
      if (wanted == heap_fit::whole) earliest = expected;
      windows.forget_before(*t);
      begun_heap begun = begun_locked(*t, found.windows);
      begun.n_skipped = n_skipped;
      return begun;
    }
    return std::nullopt;
  }

  [[nodiscard]] begun_heap begun_locked(std::int64_t t, const window_values& values) {
    begun_heap begun{.heap = {.timestamp = t, .n_spectra = values.front().size()}};
    const auto window = static_cast<std::int64_t>(sizes.window_samples);
    bool is_touched = false;
    for (std::size_t p = 0; p < spec.polarisations; ++p) {
      const auto is_whole = [&](const delay_value& value) {
        return input.is_whole(p, value.input_start, value.input_start + window);
      };
      begun.heap.is_complete.push_back(std::all_of(values[p].begin(), values[p].end(), is_whole));
      is_touched = is_touched || !begun.heap.is_complete.back();
    }
    begun.is_withheld = is_touched && spec.missing == missing_policy::withhold;
    if (!begun.is_withheld) begun.entries = entries.make(spec, t, values, first_number());
    return begun;
  }

  void jump(std::int64_t next_sample) {
    const std::lock_guard lock{mutex};
    if (next_sample < input.end()) {
      earliest = 0;
      expected = -1;
    }
    input.restart(next_sample);
    if (!converter) return;
    next_output = converter->first_from(next_sample);
    decimated->restart(next_output);
  }
};

double input_level::dbfs() const {
  if (sum_of_squares == 0) return std::numeric_limits<double>::lowest();
  const double full_scale = static_cast<double>(histogram.size() / 2 - 1);
  const double mean = static_cast<double>(sum_of_squares) / static_cast<double>(n_samples * parts);
  return 10 * std::log10(mean / (full_scale * full_scale / 2));
}

namespace {

/// Delays may reach this far before the ADC's first sample.
constexpr std::int64_t earliest_sample = -(std::int64_t{1} << 47);

void require_sample_number(std::string_view name, std::int64_t number) {
  if (number >= earliest_sample && number < end_of_time) return;
  reject("{} is {}; give {} to {}", name, number, earliest_sample, end_of_time - 1);
}

}  // namespace

channeliser::channeliser(const queue& on, channeliser_spec spec, std::int64_t first_sample,
                         std::size_t kept_samples) {
  validate(spec);
  require_storage(spec, on.device(), "between");
  constexpr std::size_t max_kept = std::size_t{1} << 32;
  require_sample_number("the first sample", first_sample);
  reject_if(kept_samples > max_kept, "kept_samples is {}; give at most {}", kept_samples, max_kept);
  impl_ = std::make_unique<impl>(on, std::move(spec), first_sample, kept_samples);
}
channeliser::channeliser(channeliser&&) noexcept = default;
channeliser& channeliser::operator=(channeliser&&) noexcept = default;
channeliser::~channeliser() = default;

const channeliser_spec& channeliser::spec() const {
  return require_owned(impl_, "channeliser").spec;
}
const channeliser_sizes& channeliser::sizes() const {
  return require_owned(impl_, "channeliser").sizes;
}
const std::vector<input_level>& channeliser::levels() const {
  impl& mine = require_owned(impl_, "channeliser");
  if (mine.running) mine.running->wait();
  return mine.input.levels();
}
const heap_counts& channeliser::counts() const {
  return require_owned(impl_, "channeliser").heaps->counts();
}
std::string channeliser::explain() const {
  const impl& mine = require_owned(impl_, "channeliser");
  return mine.heaps->explain() + mine.input.explain();
}

void channeliser::push(queue& on, const samples& next, const taker& take) {
  static_cast<void>(spec());
  impl& mine = *impl_;
  mine.input.accept(next);
  mine.follow(on);
  try {
    mine.take_all(on, next, take);
  } catch (...) {
    mine.input.end_copies();  // before the caller, on the exception, frees the memory
    throw;
  }
  if (next.owner) {
    mine.input.keep(next.owner);
  } else {
    mine.input.wait_for_copies();
  }
  mine.heaps->hand_on(take);
}

void channeliser::finish(const taker& take) {
  static_cast<void>(spec());
  impl_->input.wait_for_copies();
  if (impl_->running) {
    queue on{impl_->running};
    impl_->heaps->launch(on, impl_->numbers().view(), take);
  }
  impl_->heaps->finish(take);
}

void channeliser::flush(queue& on, const taker& take) {
  static_cast<void>(spec());
  impl_->follow(on);
  if (auto last = impl_->begin_next(heap_fit::ends)) {
    std::vector<begun_heap> next;
    next.push_back(std::move(*last));
    impl_->heaps->begin(std::move(next));
  } else {
    impl_->heaps->count_skipped(impl_->skipped_at_end());
  }
  finish(take);
}

void channeliser::jump(std::int64_t next_sample) {
  static_cast<void>(spec());
  require_sample_number("the next sample", next_sample);
  impl_->jump(next_sample);
}

std::int64_t channeliser::add_delay(std::size_t polarisation, const delay_model& model) {
  static_cast<void>(spec());
  const std::lock_guard lock{impl_->mutex};
  impl_->windows.add(polarisation, model);
  return std::max(model.start_samples, impl_->earliest);
}

std::int64_t channeliser::add_delays(std::span<const delay_model> models) {
  static_cast<void>(spec());
  const std::lock_guard lock{impl_->mutex};
  impl_->windows.add(models);
  std::int64_t start = impl_->earliest;
  for (const delay_model& model : models) start = std::max(start, model.start_samples);
  return start;
}

std::int64_t channeliser::add_gains(gain_change change) {
  static_cast<void>(spec());
  const std::lock_guard lock{impl_->mutex};
  channeliser_spec changed = impl_->spec;
  std::erase_if(changed.gains, [&](const gain_change& each) {
    return each.start_samples >= change.start_samples;
  });
  const std::int64_t start = change.start_samples;
  changed.gains.push_back(std::move(change));
  validate(changed);
  impl_->spec.gains = std::move(changed.gains);
  impl_->entries.forget_gains();
  return std::max(start, impl_->earliest);
}

}  // namespace wingbeat
