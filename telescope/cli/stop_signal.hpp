// SPDX-License-Identifier: Apache-2.0
// Stops a long-running command at SIGINT or SIGTERM.
#pragma once

namespace wingbeat::cli {

/// Makes SIGINT and SIGTERM a request to stop; a second one ends the program at once. Only one
/// instance may exist at a time.
class stop_signal {
 public:
  stop_signal();
  stop_signal(const stop_signal&) = delete;
  stop_signal& operator=(const stop_signal&) = delete;

  /// Restores the former actions of the signals.
  ~stop_signal();

  /// Returns whether a signal came, or `request` was called.
  [[nodiscard]] bool is_set() const noexcept;

  /// Requests a stop, from any thread.
  void request() noexcept;
};

}  // namespace wingbeat::cli
