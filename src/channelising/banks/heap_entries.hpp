// SPDX-License-Identifier: Apache-2.0
// The bank's parameters of one heap.
#pragma once

#include <complex>
#include <cstdint>  // int64_t
#include <memory>   // shared_ptr
#include <vector>

#include "channelising/arithmetic/heap_windows.hpp"        // window_values
#include "wingbeat/device/channeliser/spectrum_entry.hpp"  // spectrum_entry

namespace wingbeat::channelising {

using device::channeliser::spectrum_entry;

/// [set][polarisation][channel]
using gain_sets = std::shared_ptr<const std::vector<std::complex<float>>>;

struct heap_entries {
  std::vector<spectrum_entry> spectra;  // [polarisation][spectrum]
  gain_sets gains;
};

/// Makes entries. Heaps whose gains do not differ share them.
class heap_entry_maker {
 public:
  /// Returns the entries of the heap whose first spectrum starts at output time `t`. `bank_begin`:
  /// index of the first sample, or decimated sample, that the bank has. Spectra without windows
  /// become 0.
  [[nodiscard]] heap_entries make(const channeliser_spec& spec, std::int64_t t,
                                  const window_values& windows, std::int64_t bank_begin);

  /// Must be called after the gains of the spec have changed.
  void forget_gains() { gains_ = nullptr; }

 private:
  using changes = std::vector<const gain_change*>;
  [[nodiscard]] gain_sets sets_of(const channeliser_spec& spec, const changes& in_force,
                                  bool has_silence);

  gain_sets gains_;
  changes in_force_;  ///< The changes in `gains_`; null: none yet.
  bool has_silence_ = false;
};

}  // namespace wingbeat::channelising
