// SPDX-License-Identifier: Apache-2.0
// Counters and gauges for Prometheus, and the text that it reads.
#pragma once

#include <atomic>
#include <cstdint>  // uint64_t
#include <deque>
#include <functional>
#include <memory>
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
  /// Returns the counter of this name and these labels, which lives as long as the registry. Throws
  /// std::invalid_argument unless the name and the labels' names are letters, digits and '_', none
  /// begins with a digit, and the name ends in "_total".
  counter& add(const std::string& name, const std::string& help, metric_labels labels = {});

  /// Adds a value that may also fall, and that `read` returns whenever the text is made, in any
  /// thread. Throws as above, for names that do end in "_total".
  void add_gauge(const std::string& name, const std::string& help, metric_labels labels,
                 std::function<double()> read);

  /// Returns all counters and gauges in Prometheus' text format 0.0.4.
  [[nodiscard]] std::string text() const;

 private:
  struct family {
    std::string name, help;
    std::deque<std::pair<std::string, counter>> counters;                 // by labels, as text
    std::vector<std::pair<std::string, std::function<double()>>> gauges;  // likewise
  };

  [[nodiscard]] family& family_of(const std::string& name, const std::string& help);

  mutable std::mutex mutex_;
  std::deque<family> families_;
};

}  // namespace wingbeat::control
