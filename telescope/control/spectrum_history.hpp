// SPDX-License-Identifier: Apache-2.0
// Keeps the spectra of the last minutes, for waterfalls of pages that are opened later.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint64_t, uint8_t
#include <deque>
#include <map>
#include <string>
#include <utility>  // pair
#include <vector>

#include "control/monitor.hpp"  // monitored_spectrum

namespace wingbeat::control {

/// A ring of rows for each polarisation of each stream, at most 184 KB each. A row has one byte per
/// point: 0 means no power, or less than the range; b means `top_db` - (255 - b) / 2.
class spectrum_history {
 public:
  static constexpr std::size_t max_rows = 360;    ///< Three minutes at two spectra per second.
  static constexpr std::size_t max_points = 512;  ///< Each point is the strongest channel of a
                                                  ///< group.

  /// Keeps spectra whose sequence number differs from the last one's. Times are of any one clock.
  void add(const std::vector<monitored_spectrum>& spectra, double now_s);

  /// Returns the number of the last kept row, counted from 1; 0 before the first.
  [[nodiscard]] std::uint64_t last() const { return last_; }

  /// Returns the rows after number `after` as JSON: `last`, `now_s`, and `waterfalls`, each a list
  /// of rows, oldest first, whose levels are two hexadecimal digits per point.
  [[nodiscard]] std::string json(std::uint64_t after, double now_s) const;

 private:
  struct row {
    std::uint64_t number = 0;
    double time_s = 0;
    double top_db = 0;
    std::vector<std::uint8_t> levels = {};
  };
  struct waterfall {
    std::uint64_t sequence = 0;  ///< Of the last spectrum.
    std::deque<row> rows = {};
  };

  std::uint64_t last_ = 0;
  std::map<std::pair<std::string, std::size_t>, waterfall> waterfalls_;  ///< By stream and pol.
};

}  // namespace wingbeat::control
