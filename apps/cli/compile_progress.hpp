// SPDX-License-Identifier: Apache-2.0
// A line on stderr while a command compiles kernels for a long time.
#pragma once

#include <chrono>  // milliseconds, seconds

#include "backend/compilation.hpp"  // compile_observer, observe_compilations
#include "cli/elapsed_message.hpp"  // elapsed_message

namespace wingbeat::cli {

/// Shows the total time that kernels have compiled for.
class compile_progress final : backend::compile_observer {
 public:
  explicit compile_progress(std::chrono::milliseconds first = std::chrono::seconds{1},
                            std::chrono::milliseconds interval = elapsed_message::usual_interval)
      : shown_("compiling kernels", "; the first run on a device takes longest", first, interval) {
    backend::observe_compilations(this);
  }
  compile_progress(const compile_progress&) = delete;
  compile_progress& operator=(const compile_progress&) = delete;
  ~compile_progress() { backend::observe_compilations(nullptr); }

 private:
  void begin() noexcept override { shown_.begin(); }
  void end() noexcept override { shown_.end(); }

  elapsed_message shown_;
};

}  // namespace wingbeat::cli
