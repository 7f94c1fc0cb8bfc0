// SPDX-License-Identifier: Apache-2.0
// A line on stderr where work takes long.
#pragma once

#include <chrono>  // milliseconds
#include <condition_variable>
#include <cstddef>  // size_t
#include <mutex>
#include <string>
#include <thread>

namespace wingbeat::cli {

/// Prints "compiling kernels, 12 s so far" once work has taken `first`, all pieces of it together,
/// and then every `interval` of it. Without work it has no thread.
class elapsed_message {
 public:
  static constexpr std::chrono::seconds usual_first{2}, usual_interval{10};

  /// `work` stands before the time, and `remark` behind it.
  explicit elapsed_message(std::string work, std::string remark = {},
                           std::chrono::milliseconds first = usual_first,
                           std::chrono::milliseconds interval = usual_interval);
  elapsed_message(const elapsed_message&) = delete;
  elapsed_message& operator=(const elapsed_message&) = delete;
  ~elapsed_message();

  /// Begin and end a piece of work. Several may run at once, in any threads.
  void begin() noexcept;
  void end() noexcept;

 private:
  void watch();

  std::string work_, remark_;
  std::chrono::milliseconds first_, interval_;
  std::mutex mutex_;  ///< Guards all below.
  std::condition_variable changed_;
  std::size_t n_running_ = 0;
  bool is_ending_ = false;
  std::thread watcher_;
};

}  // namespace wingbeat::cli
