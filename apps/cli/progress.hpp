// SPDX-License-Identifier: Apache-2.0
// The progress of a long command on stderr: a bar on a terminal, plain lines in a log.
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

/// A bar that is redrawn at most ten times a second and erased at the end. Elsewhere than on a
/// terminal it is lines.
class progress_bar {
 public:
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;
  ~progress_bar();

 protected:
  using clock = std::chrono::steady_clock;

  explicit progress_bar(std::string command);

  /// Returns whether a line is due in a log that has one so often, or the bar on a terminal.
  [[nodiscard]] bool is_due(std::chrono::milliseconds line_interval);

  /// Draws a `fraction` of the bar and a text behind it, or prints `line`.
  void show(double fraction, std::string_view text, std::string_view line);

 private:
  std::string command_;
  bool is_terminal_, is_drawn_ = false;
  clock::time_point shown_at_;
};

/// The steps of one command; in a log every step is one line.
class progress : progress_bar {
 public:
  progress(std::string command, std::size_t n_steps);

  /// Announces the next step in words: "host, length 1024".
  void step(std::string_view description);

 private:
  std::size_t n_steps_, n_begun_ = 0;
};

/// Many equal items: their number, rate and the time left; in a log a line every ten seconds.
class rate_bar : progress_bar {
 public:
  /// `item`: the noun that is counted, such as "template". Lines are `line_interval` apart.
  rate_bar(std::string command, std::string item,
           std::chrono::milliseconds line_interval = std::chrono::seconds{10});

  /// Shows that `n_done` items are done, a `fraction` of all.
  void show(std::size_t n_done, double fraction);

 private:
  std::string item_;
  std::chrono::milliseconds line_interval_;
  clock::time_point begun_at_ = clock::now();
};

}  // namespace wingbeat::cli
