// SPDX-License-Identifier: Apache-2.0
#include "cli/stop_signal.hpp"

#include <array>
#include <atomic>
#include <csignal>  // sigaction

namespace wingbeat::cli {
namespace {

std::atomic<bool> is_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // signal handlers require it

constexpr std::array numbers{SIGINT, SIGTERM};
std::array<struct sigaction, numbers.size()> former;

extern "C" void request_stop(int number) {
  is_requested = true;
  // The next signal acts as it did before.
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] == number) sigaction(number, &former[i], nullptr);
  }
}

}  // namespace

stop_signal::stop_signal() {
  is_requested = false;
  struct sigaction action = {};
  action.sa_handler = request_stop;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    sigaction(numbers[i], nullptr, &former[i]);
    // Signals that the parent ignores stay ignored.
    if (former[i].sa_handler != SIG_IGN) sigaction(numbers[i], &action, nullptr);
  }
}

stop_signal::~stop_signal() {
  for (std::size_t i = 0; i < numbers.size(); ++i) sigaction(numbers[i], &former[i], nullptr);
}

bool stop_signal::is_set() const noexcept {
  return is_requested;
}

void stop_signal::request() noexcept {
  is_requested = true;
}

}  // namespace wingbeat::cli
