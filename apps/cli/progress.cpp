// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <unistd.h>  // isatty

#include <algorithm>  // min
#include <utility>    // move

#include "backend/message.hpp"  // write_message
#include "cli/messages.hpp"     // print_message
#include "text/formatted.hpp"   // formatted

namespace wingbeat::cli {
namespace {

constexpr std::size_t bar_width = 24;
constexpr auto redraw_interval = std::chrono::milliseconds{100};

}  // namespace

progress::progress(std::string command, std::size_t n_steps)
    : command_(std::move(command)), n_steps_(n_steps), is_terminal_(isatty(STDERR_FILENO) == 1) {}

progress::~progress() {
  erase();
}

void progress::step(std::string_view description) {
  const std::size_t n_done = n_begun_++;
  if (!is_terminal_) {
    print_message("{}: {} of {}: {}", command_, n_begun_, n_steps_, description);
    return;
  }
  const auto time = std::chrono::steady_clock::now();
  if (is_drawn_ && time - drawn_at_ < redraw_interval) return;
  drawn_at_ = time;
  is_drawn_ = true;
  const std::size_t filled =
      bar_width * std::min(n_done, n_steps_) / std::max<std::size_t>(n_steps_, 1);
  // "\r" returns to the line's start, "\x1b[K" clears what a longer text left behind it.
  backend::write_message(formatted("\r{} [{:#<{}}{:.<{}}] {}/{} {}\x1b[K", command_, "", filled, "",
                                   bar_width - filled, n_done, n_steps_, description));
}

void progress::erase() noexcept {
  if (is_drawn_) backend::write_message("\r\x1b[K");
}

}  // namespace wingbeat::cli
