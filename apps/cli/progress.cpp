// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.hpp"

#include <unistd.h>  // isatty

#include <algorithm>  // clamp, max
#include <cmath>      // ceil
#include <utility>    // move

#include "backend/message.hpp"  // write_message
#include "cli/messages.hpp"     // counted, print_message
#include "text/formatted.hpp"   // formatted

namespace wingbeat::cli {
namespace {

constexpr std::size_t bar_width = 24;
constexpr std::chrono::milliseconds redraw_interval{100};

}  // namespace

std::string duration_text(double seconds) {
  constexpr double longest_s = 3.6e9;  // a million hours; a count of seconds fits the type below
  const auto whole = static_cast<std::size_t>(std::ceil(std::clamp(seconds, 0.0, longest_s)));
  if (whole < 60) return formatted("{} s", whole);
  if (whole < 3600) return formatted("{} min {} s", whole / 60, whole % 60);
  return formatted("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string rate_text(std::size_t n_done, std::string_view item, double fraction,
                      double elapsed_s) {
  const std::string count = counted(n_done, item);
  if (n_done == 0 || fraction <= 0 || elapsed_s <= 0) return count;
  const double rate = static_cast<double>(n_done) / elapsed_s;
  return formatted("{}, {:.3g}/s, {} left", count, rate,
                   duration_text(elapsed_s * (1 - fraction) / fraction));
}

progress_bar::progress_bar(std::string command)
    : command_(std::move(command)),
      is_terminal_(isatty(STDERR_FILENO) == 1),
      shown_at_(clock::now()) {}

progress_bar::~progress_bar() {
  if (is_drawn_) backend::write_message("\r\x1b[K");
}

bool progress_bar::is_due(std::chrono::milliseconds line_interval) {
  const auto time = clock::now();
  const bool is_first = is_terminal_ && !is_drawn_;
  if (!is_first && time - shown_at_ < (is_terminal_ ? redraw_interval : line_interval)) {
    return false;
  }
  shown_at_ = time;
  return true;
}

void progress_bar::show(double fraction, std::string_view text, std::string_view line) {
  if (!is_terminal_) return print_message("{}: {}", command_, line);
  is_drawn_ = true;
  const auto filled =
      static_cast<std::size_t>(static_cast<double>(bar_width) * std::clamp(fraction, 0.0, 1.0));
  // "\r" returns to the line's start, "\x1b[K" clears what a longer text left behind it.
  backend::write_message(formatted("\r{} [{:#<{}}{:.<{}}] {}\x1b[K", command_, "", filled, "",
                                   bar_width - filled, text));
}

progress::progress(std::string command, std::size_t n_steps)
    : progress_bar(std::move(command)), n_steps_(n_steps) {}

void progress::step(std::string_view description) {
  const std::size_t n_done = n_begun_++;
  if (!is_due({})) return;
  const double n_all = static_cast<double>(std::max<std::size_t>(n_steps_, 1));
  show(static_cast<double>(n_done) / n_all, formatted("{}/{} {}", n_done, n_steps_, description),
       formatted("{} of {}: {}", n_begun_, n_steps_, description));
}

rate_bar::rate_bar(std::string command, std::string item, std::chrono::milliseconds line_interval)
    : progress_bar(std::move(command)), item_(std::move(item)), line_interval_(line_interval) {}

void rate_bar::show(std::size_t n_done, double fraction) {
  if (!is_due(line_interval_)) return;
  const double elapsed_s = std::chrono::duration<double>(clock::now() - begun_at_).count();
  const std::string text = rate_text(n_done, item_, fraction, elapsed_s);
  progress_bar::show(fraction, text,
                     formatted("{:.0f}%, {}", 100 * std::clamp(fraction, 0.0, 1.0), text));
}

}  // namespace wingbeat::cli
