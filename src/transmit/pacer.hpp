// SPDX-License-Identifier: Apache-2.0
// Sending at a steady rate: bytes are due at times, and who is late does not catch up at once.
#pragma once

#include <chrono>
#include <cstddef>  // size_t

namespace wingbeat::transmit {

class pacer {
 public:
  using clock = std::chrono::steady_clock;

  /// 0 bytes a second: no pacing.
  explicit pacer(double bytes_per_second) : bytes_per_second_(bytes_per_second) {}

  /// Returns when so many more bytes may be sent. Where the last ones were sent late, at most
  /// `most_lag` of the delay is made up for.
  [[nodiscard]] clock::time_point due(std::size_t n_bytes, clock::time_point now) {
    if (bytes_per_second_ <= 0) return now;
    if (next_ < now - most_lag) next_ = now - most_lag;
    const clock::time_point result = next_;
    const std::chrono::duration<double> length(static_cast<double>(n_bytes) / bytes_per_second_);
    next_ += std::chrono::duration_cast<clock::duration>(length);
    return result;
  }

  static constexpr std::chrono::milliseconds most_lag{2};

 private:
  double bytes_per_second_;
  clock::time_point next_{};
};

}  // namespace wingbeat::transmit
