// SPDX-License-Identifier: Apache-2.0
// A transform that static objects hold, queue or run when the program ends.
#pragma once

#include <unistd.h>  // _exit

#include <cmath>
#include <complex>
#include <cstdio>  // fprintf
#include <memory>  // make_unique
#include <vector>

#include "wingbeat/wingbeat.hpp"  // buffer, plan, queue

namespace wingbeat::test {

/// One forward transform of an impulse at 1, whose bin k is exp(-2 pi i k/N).
class exit_work {
 public:
  exit_work(engine runs_on, std::size_t length)
      : length_(length),
        queue_(first_device(runs_on)),
        in_(queue_, 8 * length),
        out_(queue_, 8 * length),
        plan_(queue_, plan_spec{.lengths = {length}}) {
    std::vector<std::complex<float>> impulse(length);
    impulse[1] = 1;
    in_.write(impulse.data(), 8 * length);
  }

  void enqueue() { plan_.enqueue(queue_, in_.view(), out_.view()); }

  /// Runs it and ends the program with exit code 1 where a bin is wrong.
  void run() {
    enqueue();
    std::vector<std::complex<float>> bins(length_);
    out_.read(bins.data(), 8 * length_);
    for (std::size_t k = 0; k < length_; ++k) {
      const double angle = -2 * M_PI * static_cast<double>(k) / static_cast<double>(length_);
      const auto expected = static_cast<std::complex<float>>(std::polar(1.0, angle));
      if (std::abs(bins[k] - expected) < 1e-5F) continue;
      std::fprintf(stderr, "bin %zu of %zu is wrong\n", k, length_);
      ::_exit(1);
    }
  }

 private:
  std::size_t length_;
  queue queue_;
  buffer in_, out_;
  plan plan_;
};

/// A static object. Its destructor runs `at_exit` where that is set.
struct static_object {
  std::unique_ptr<exit_work> work;
  void (*at_exit)(static_object&) = nullptr;

  ~static_object() {
    if (at_exit == nullptr) return;
    try {
      at_exit(*this);
    } catch (const std::exception& failed) {
      std::fprintf(stderr, "%s\n", failed.what());
      ::_exit(2);
    }
  }
};

}  // namespace wingbeat::test
