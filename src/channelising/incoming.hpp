// SPDX-License-Identifier: Apache-2.0
// The input of a channeliser: samples checked, counted, and put where the bank finds them; which of
// them are missing.
#pragma once

#include <cstdint>  // int16_t, int64_t
#include <span>
#include <vector>

#include "backend/backend.hpp"            // engine
#include "channelising/filter_bank.hpp"   // sample_form
#include "channelising/sample_store.hpp"  // sample_store
#include "wingbeat/channeliser.hpp"       // channeliser, input_level

namespace wingbeat::channelising {

/// [polarisation][sample]
using integer_samples = std::vector<std::vector<std::int16_t>>;

class incoming {
 public:
  /// Room for `capacity` samples at once, from sample `first` on.
  incoming(const queue& on, const channeliser_spec& spec, std::size_t capacity, std::int64_t first);

  [[nodiscard]] const sample_store& store() const { return store_; }
  [[nodiscard]] sample_form form() const { return form_; }
  [[nodiscard]] std::int64_t end() const { return end_; }
  [[nodiscard]] const std::vector<input_level>& levels() const { return levels_; }

  /// Checks the next samples, and notes which are missing. Throws `plan_error` as
  /// `channeliser::push` does.
  void accept(const channeliser::samples& next);

  /// Counts and appends samples `from` to `from + count` of those accepted, missing ones as 0;
  /// samples from index `keep` on stay. Returns false where there is no room. `from` is a multiple
  /// of 8.
  [[nodiscard]] bool append(queue& on, const channeliser::samples& next, std::size_t from,
                            std::size_t count, std::int64_t keep);

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

  void add_gap(std::size_t polarisation, gap missing);
  void count(std::size_t polarisation, std::span<const std::int16_t> samples);
  /// Reads samples where the bank finds them, on engines of this process.
  void read(const channeliser::samples& next, std::size_t from, std::size_t count);
  void write(std::size_t polarisation, std::span<const std::int16_t> samples);

  channeliser_spec spec_;
  const backend::engine& engine_;
  bool reads_;                ///< The engine reads samples; else they are accepted as integers.
  integer_samples accepted_;  ///< Of the push that goes on.
  unsigned bits_;
  sample_form form_;
  std::int64_t end_;
  sample_store store_;
  std::vector<input_level> levels_;     ///< [polarisation], as those below.
  std::vector<std::vector<gap>> gaps_;  ///< By their begins.
  integer_samples tails_;               ///< Samples in a group of eight that is not whole yet.
};

}  // namespace wingbeat::channelising
