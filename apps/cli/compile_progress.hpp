// SPDX-License-Identifier: Apache-2.0
// A line on stderr where kernels compile for long, in any command.
#pragma once

#include <chrono>  // milliseconds
#include <condition_variable>
#include <cstddef>  // size_t
#include <mutex>
#include <thread>

#include "backend/compilation.hpp"  // compile_observer

namespace wingbeat::cli {

/// Prints a line once kernels have been compiled for `first`, all together, and then every
/// `interval` of it. Without a compilation it has no thread.
class compile_progress final : backend::compile_observer {
 public:
  explicit compile_progress(std::chrono::milliseconds first = std::chrono::seconds{2},
                            std::chrono::milliseconds interval = std::chrono::seconds{10});
  compile_progress(const compile_progress&) = delete;
  compile_progress& operator=(const compile_progress&) = delete;
  ~compile_progress();

 private:
  void begin() noexcept override;
  void end() noexcept override;
  void watch();

  std::chrono::milliseconds first_, interval_;
  std::mutex mutex_;  ///< Guards all below.
  std::condition_variable changed_;
  std::size_t n_running_ = 0;
  bool is_ending_ = false;
  std::thread watcher_;
};

}  // namespace wingbeat::cli
