// SPDX-License-Identifier: Apache-2.0
// A line on stderr while work takes long.
#pragma once

#include <unistd.h>  // isatty

#include <chrono>  // milliseconds
#include <string>

#include "backend/message.hpp"    // write_message
#include "cli/messages.hpp"       // print_message
#include "system/work_timer.hpp"  // work_timer

namespace wingbeat::cli {

/// Prints "compiling kernels, 12 s so far" whenever the `work_timer` calls.
class elapsed_message : public work_timer {
 public:
  /// `work` is printed before the time, `remark` after it.
  explicit elapsed_message(std::string work, std::string remark = {},
                           std::chrono::milliseconds first = std::chrono::seconds{2},
                           std::chrono::milliseconds interval = usual_interval)
      : work_timer(
            [work, remark](double seconds) {
              if (isatty(STDERR_FILENO) == 1)
                backend::write_message("\r\x1b[K");  // clears a
                                                     // progress bar
              print_message("{}, {:.0f} s so far{}", work, seconds, remark);
            },
            first, interval) {}
};

}  // namespace wingbeat::cli
