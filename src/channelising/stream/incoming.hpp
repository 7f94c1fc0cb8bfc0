// SPDX-License-Identifier: Apache-2.0
// The input of a channeliser: checks samples, counts them, notes missing ones, and stores them for
// the bank.
#pragma once

#include <cstdint>  // int16_t, int64_t
#include <deque>
#include <memory>  // shared_ptr
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.hpp"                    // engine
#include "channelising/banks/filter_bank.hpp"     // sample_form
#include "channelising/stream/level_counter.hpp"  // level_counter
#include "channelising/stream/sample_store.hpp"   // sample_store
#include "wingbeat/channeliser.hpp"               // channeliser, input_level

namespace wingbeat::channelising {

class incoming {
 public:
  /// Makes space for `capacity` samples at once, from sample `first` on.
  incoming(const queue& on, const channeliser_spec& spec, std::size_t capacity, std::int64_t first);
  incoming(const incoming&) = delete;
  incoming& operator=(const incoming&) = delete;

  /// Waits for copies from memory that this keeps.
  ~incoming();

  [[nodiscard]] const sample_store& store() const { return store_; }
  [[nodiscard]] sample_form form() const { return form_; }
  /// Return the indices of the first sample in the store, and after the last.
  [[nodiscard]] std::int64_t begin() const { return store_.begin() / parts_; }
  [[nodiscard]] std::int64_t end() const { return end_; }
  /// Waits for the samples that a device counts.
  [[nodiscard]] const std::vector<input_level>& levels();
  /// Returns the steps for packed samples besides the bank, in words; nothing if the processor
  /// reads them.
  [[nodiscard]] std::string explain() const;

  /// Checks the next samples, and notes the missing ones. Throws `plan_error` as
  /// `channeliser::push` does.
  void accept(const channeliser::samples& next);

  /// Counts and appends samples `begin` to `begin + count` of the accepted ones, missing ones as 0;
  /// keeps samples from index `keep` on. Returns false if there is no space. Copies may be queued:
  /// the accepted samples must not change until `wait_for_copies` returns.
  [[nodiscard]] bool append(queue& on, const channeliser::samples& next, std::size_t begin,
                            std::size_t count, std::int64_t keep);

  /// Keeps `owner`, which owns the memory appended last, until the copy has ended.
  void keep(std::shared_ptr<const void> owner);
  void wait_for_copies();
  /// Same, if a failure is already known; a failed queue copies no more.
  void end_copies() noexcept;

  /// Forgets all samples; the next one has index `first`.
  void restart(std::int64_t first);

  /// Returns whether none of these samples is missing.
  [[nodiscard]] bool is_whole(std::size_t polarisation, std::int64_t begin, std::int64_t end) const;
  void forget_gaps_before(std::int64_t index);

 private:
  /// Missing samples, from index `begin` on.
  struct gap {
    std::int64_t begin, end;
  };

  // Stores have numbers: real samples, or the parts re, im of complex ones. Runs, counts and
  // indices below count numbers unless they say samples.

  /// Numbers `first` to `stop` of a push.
  struct run {
    std::size_t polarisation, first, stop;
    bool is_present;
  };
  /// Numbers that a device counts once they have arrived.
  struct copied_samples {
    std::size_t polarisation, count;
    std::int64_t begin;
  };
  /// Numbers that the processor reads, not yet written, from index `begin` on; in packed stores a
  /// group of eight begins there.
  struct staged_samples {
    std::int64_t begin;
    std::vector<std::int16_t> samples = {};
  };

  /// Memory of a caller, kept until its copy has ended.
  struct kept_memory {
    std::shared_ptr<const void> owner;
    std::shared_ptr<const backend::mark> copied;
  };

  /// Calls `call(run)` with the numbers of samples `begin` to `end` of each polarisation, in runs
  /// that are all present or all missing.
  template <class Call>
  void by_runs(const channeliser::samples& next, std::size_t begin, std::size_t end,
               Call call) const;

  /// Adds missing samples.
  void add_gap(std::size_t polarisation, gap missing);
  void count(std::size_t polarisation, std::span<const std::int16_t> samples);
  /// Reads `count` samples from `begin` on into the store, on engines of this process.
  void read(const channeliser::samples& next, std::size_t begin, std::size_t count);

  void take(const channeliser::samples& next, const run& taken);
  /// Returns the part of a run that goes to the device unchanged; it may be empty.
  [[nodiscard]] run whole_bytes(const channeliser::samples& next, const run& taken) const;
  void take_whole_bytes(const channeliser::samples& next, const run& taken);
  /// Queues counting the copied samples.
  void count_copied(queue& on);
  void stage(const channeliser::samples& next, const run& taken);
  /// Writes the staged samples, except a group of eight that is not whole yet.
  void write_staged(std::size_t polarisation);

  channeliser_spec spec_;
  const backend::engine& engine_;
  bool reads_;  ///< The engine reads samples; else they are staged, or go to a device.
  unsigned bits_;
  std::int64_t parts_;  ///< Numbers per sample.
  sample_form form_;
  std::int64_t end_;  ///< In samples.
  sample_store store_;
  std::optional<level_counter> counter_;  ///< For packed stores.
  std::vector<input_level> levels_;       ///< [polarisation], also below.
  std::vector<std::vector<gap>> gaps_;    ///< Sorted by begin.
  std::vector<staged_samples> staged_;
  std::vector<copied_samples> copied_;
  std::deque<kept_memory> kept_;
};

}  // namespace wingbeat::channelising
