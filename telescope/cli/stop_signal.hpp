// SPDX-License-Identifier: Apache-2.0
// Ends a command that runs on, at the signals by which users and systems ask for it.
#pragma once

namespace wingbeat::cli {

/// Makes SIGINT and SIGTERM a request to stop. A second one ends the program at once. There is one
/// at a time.
class stop_signal {
 public:
  stop_signal();
  stop_signal(const stop_signal&) = delete;
  stop_signal& operator=(const stop_signal&) = delete;

  /// Restores what the signals did before.
  ~stop_signal();

  /// Returns whether a signal came, or `request` was called.
  [[nodiscard]] bool is_set() const noexcept;

  /// Asks for the same, in any thread.
  void request() noexcept;
};

}  // namespace wingbeat::cli
