// SPDX-License-Identifier: Apache-2.0
// The input of a channeliser: samples checked, counted, and put where the bank finds them; which of
// them are missing.
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
  /// Room for `capacity` samples at once, from sample `first` on.
  incoming(const queue& on, const channeliser_spec& spec, std::size_t capacity, std::int64_t first);
  incoming(const incoming&) = delete;
  incoming& operator=(const incoming&) = delete;

  /// Waits for copies from memory that it keeps.
  ~incoming();

  [[nodiscard]] const sample_store& store() const { return store_; }
  [[nodiscard]] sample_form form() const { return form_; }
  /// Returns the indices of the first sample that the store has, and behind the last one.
  [[nodiscard]] std::int64_t begin() const { return store_.begin() / parts_; }
  [[nodiscard]] std::int64_t end() const { return end_; }
  /// Waits for the samples that a device counts.
  [[nodiscard]] const std::vector<input_level>& levels();
  /// Returns what packed samples take beside the bank, in words; nothing where the processor reads
  /// them.
  [[nodiscard]] std::string explain() const;

  /// Checks the next samples, and notes which are missing. Throws `plan_error` as
  /// `channeliser::push` does.
  void accept(const channeliser::samples& next);

  /// Counts and appends samples `begin` to `from + count` of those accepted, missing ones as 0;
  /// samples from index `keep` on stay. Returns false where there is no room. Copies may be queued:
  /// those accepted stay as they are until `wait_for_copies` returns.
  [[nodiscard]] bool append(queue& on, const channeliser::samples& next, std::size_t begin,
                            std::size_t count, std::int64_t keep);

  /// Keeps `owner`, of the memory of what was appended last, until it was copied.
  void keep(std::shared_ptr<const void> owner);
  void wait_for_copies();
  /// The same where a failure is known already: a queue that failed copies no more.
  void end_copies() noexcept;

  /// Forgets all samples; the next one has index `first`.
  void restart(std::int64_t first);

  /// Returns whether no sample of these is missing.
  [[nodiscard]] bool is_whole(std::size_t polarisation, std::int64_t begin, std::int64_t end) const;
  void forget_gaps_before(std::int64_t index);

 private:
  /// Samples that are missing, from index `begin` on.
  struct gap {
    std::int64_t begin, end;
  };

  // Stores have numbers: real samples, or the parts of complex ones, re and im in turn. Runs,
  // counts and indices below are those of numbers, but where they are said to be of samples.

  /// Numbers `first` to `stop` of a push.
  struct run {
    std::size_t polarisation, first, stop;
    bool is_present;
  };
  /// Numbers that a device counts when they are there.
  struct copied_samples {
    std::size_t polarisation, count;
    std::int64_t begin;
  };
  /// Numbers that the processor reads, not written yet: from index `begin` on, in packed stores
  /// where a group of eight begins.
  struct staged_samples {
    std::int64_t begin;
    std::vector<std::int16_t> samples = {};
  };

  /// Memory of a caller that is kept until a copy of it is made.
  struct kept_memory {
    std::shared_ptr<const void> owner;
    std::shared_ptr<const backend::mark> copied;
  };

  /// Calls `call(run)` with the numbers of samples `begin` to `end` of each polarisation, as long
  /// as they are all present or all missing.
  template <class Call>
  void by_runs(const channeliser::samples& next, std::size_t begin, std::size_t end,
               Call call) const;

  /// Adds samples.
  void add_gap(std::size_t polarisation, gap missing);
  void count(std::size_t polarisation, std::span<const std::int16_t> samples);
  /// Reads `count` samples from `begin` on, where the bank finds them, on engines of this process.
  void read(const channeliser::samples& next, std::size_t begin, std::size_t count);

  void take(const channeliser::samples& next, const run& taken);
  /// Returns the part of a run that goes to the device as it is; of no samples, if there is none.
  [[nodiscard]] run whole_bytes(const channeliser::samples& next, const run& taken) const;
  void take_whole_bytes(const channeliser::samples& next, const run& taken);
  /// Queues the count of what was copied.
  void count_copied(queue& on);
  void stage(const channeliser::samples& next, const run& taken);
  /// Writes what is staged, and keeps a group of eight that is not whole yet.
  void write_staged(std::size_t polarisation);

  channeliser_spec spec_;
  const backend::engine& engine_;
  bool reads_;  ///< The engine reads samples; else they are staged, or go to a device.
  unsigned bits_;
  std::int64_t parts_;  ///< Numbers of a sample.
  sample_form form_;
  std::int64_t end_;  ///< In samples.
  sample_store store_;
  std::optional<level_counter> counter_;  ///< Of packed stores.
  std::vector<input_level> levels_;       ///< [polarisation], as those below.
  std::vector<std::vector<gap>> gaps_;    ///< By their begins.
  std::vector<staged_samples> staged_;
  std::vector<copied_samples> copied_;
  std::deque<kept_memory> kept_;
};

}  // namespace wingbeat::channelising
