// SPDX-License-Identifier: Apache-2.0
// The progress of a long command on stderr: a bar on a terminal, plain lines in a log.
#pragma once

#include <chrono>   // steady_clock
#include <cstddef>  // size_t
#include <string>
#include <string_view>

namespace wingbeat::cli {

/// Shows the steps of one command. On a terminal the bar is redrawn at most ten times a second
/// and erased at the end; elsewhere every step is one line.
class progress {
 public:
  progress(std::string command, std::size_t n_steps);
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress();

  /// Announces the next step in words: "host, length 1024".
  void step(std::string_view description);

 private:
  void erase() noexcept;

  std::string command_;
  std::size_t n_steps_;
  std::size_t n_begun_ = 0;
  bool is_terminal_;
  bool is_drawn_ = false;
  std::chrono::steady_clock::time_point drawn_at_{};
};

}  // namespace wingbeat::cli
