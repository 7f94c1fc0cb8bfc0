// SPDX-License-Identifier: Apache-2.0
// Counters and gauges for Prometheus, and the text that it reads.
#pragma once

#include <atomic>
#include <cstdint>  // uint64_t
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <utility>  // pair
#include <vector>

namespace wingbeat::control {

/// A count that only grows. Any thread may add.
class counter {
 public:
  void add(std::uint64_t n = 1) noexcept { value_.fetch_add(n, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t value() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// Names and values, such as {{"pol", "0"}}.
using metric_labels = std::vector<std::pair<std::string, std::string>>;

/// The counters and gauges of a process.
class metric_registry {
 public:
  /// Adds a value, which `read` returns whenever the text is made, in any thread: a counter if the
  /// name ends in "_total", a gauge otherwise. Throws std::invalid_argument unless the name and the
  /// labels' names consist of letters, digits and '_', and none begins with a digit.
  void add(const std::string& name, const std::string& help, const metric_labels& labels,
           std::function<double()> read);

  /// Adds a counter that lives as long as the registry. Throws as above, and for a name that does
  /// not end in "_total".
  counter& add(const std::string& name, const std::string& help, const metric_labels& labels = {});

  /// Returns all values in Prometheus' text format 0.0.4.
  [[nodiscard]] std::string text() const;

 private:
  struct family {
    std::string name, help;
    std::vector<std::pair<std::string, std::function<double()>>> values;  // by labels, as text
  };

  mutable std::mutex mutex_;
  std::vector<family> families_;
  std::deque<counter> counters_;
};

}  // namespace wingbeat::control
