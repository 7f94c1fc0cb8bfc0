// SPDX-License-Identifier: Apache-2.0
// The buffers of a problem on a device, whichever library plans it.
#pragma once

#include <algorithm>  // max, min
#include <chrono>     // steady_clock
#include <cstddef>    // size_t
#include <vector>

#include "problem.hpp"  // problem, refusal
#include "serve.hpp"    // job, seconds_since

namespace peers {

/// Buffers of a problem. Derived jobs queue one run in `queue_run`.
template <class Device>
class device_job : public job {
 public:
  using memory = typename Device::memory;

  device_job(const Device& on, const problem& spec)
      : on_(on), spec_(spec), size_bytes_(std::max(spec.in.size_bytes, spec.out.size_bytes)) {
    in_ = on.allocate(size_bytes_);
    out_ = spec.in_place ? in_ : on.allocate(size_bytes_);
    if (spoils_input()) kept_ = on.allocate(size_bytes_);
  }
  ~device_job() override {
    Device::release(in_);
    if (out_ != in_) Device::release(out_);
    if (spoils_input()) Device::release(kept_);
  }
  device_job(const device_job&) = delete;
  device_job& operator=(const device_job&) = delete;

  void fill(const std::vector<char>& block) override {
    repeat_over(in_, block);
    if (spoils_input()) repeat_over(kept_, block);
    if (out_ != in_) repeat_over(out_, std::vector<char>(std::size_t{1} << 24, char(0xff)));
  }

  double run(std::size_t n_runs) override {
    if (spoils_input()) on_.copy(in_, kept_, size_bytes_);
    return on_.timed([&] {
      for (std::size_t i = 0; i < n_runs; ++i) queue_run();
    });
  }

  double enqueue(std::size_t n_calls) override {
    if (spoils_input()) on_.copy(in_, kept_, size_bytes_);
    on_.wait();
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < n_calls; ++i) queue_run();
    const double seconds = seconds_since(begin);
    on_.wait();
    return seconds;
  }

  void read(std::size_t offset_bytes, std::vector<char>& into) override {
    if (offset_bytes + into.size() > size_bytes_) throw refusal("a read beyond the output");
    on_.read(out_, offset_bytes, into.data(), into.size());
  }

 protected:
  virtual void queue_run() = 0;

  const Device& on_;
  problem spec_;
  std::size_t size_bytes_;
  memory in_{}, out_{};

 private:
  /// Returns whether a run overwrites its input: libraries do so for c2r, even out of place.
  [[nodiscard]] bool spoils_input() const {
    return spec_.in_place || spec_.does == kind::inverse_to_real;
  }

  void repeat_over(memory target, const std::vector<char>& block) {
    for (std::size_t offset = 0; offset < size_bytes_; offset += block.size()) {
      on_.write(target, offset, block.data(), std::min(block.size(), size_bytes_ - offset));
    }
  }

  memory kept_{};
};

}  // namespace peers
