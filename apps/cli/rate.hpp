// SPDX-License-Identifier: Apache-2.0
// The progress of a command over many equal items: number, rate, time left.
#pragma once

#include <chrono>   // steady_clock
#include <cstddef>  // size_t
#include <string>
#include <string_view>

namespace wingbeat::cli {

/// Returns "12 s", "3 min 20 s" or "2 h 5 min", rounded up.
[[nodiscard]] std::string duration_text(double seconds);

/// Returns "1200 templates, 350/s, 12 s left" for a `fraction` done, from 0 to 1, in `elapsed_s`;
/// without a rate before the first item is done.
[[nodiscard]] std::string rate_text(std::size_t n_done, std::string_view item, double fraction,
                                    double elapsed_s);

/// A bar on stderr, redrawn at most ten times a second and erased at the end; if stderr is no
/// terminal, a line every ten seconds.
class rate_bar {
 public:
  /// `item`: the noun that is counted, such as "template". Lines are `line_interval` apart.
  rate_bar(std::string command, std::string item,
           std::chrono::milliseconds line_interval = std::chrono::seconds{10});
  rate_bar(const rate_bar&) = delete;
  rate_bar& operator=(const rate_bar&) = delete;
  ~rate_bar();

  /// Shows that `n_done` items are done, a `fraction` of all.
  void show(std::size_t n_done, double fraction);

 private:
  using clock = std::chrono::steady_clock;

  std::string command_, item_;
  std::chrono::milliseconds line_interval_;
  bool is_terminal_;
  bool is_drawn_ = false;
  clock::time_point begun_at_ = clock::now();
  clock::time_point shown_at_ = begun_at_;
};

}  // namespace wingbeat::cli
