// SPDX-License-Identifier: Apache-2.0
// A library with one problem prepared, wherever it runs: here on our queue or in its own process.
#pragma once

#include <cstddef>  // byte, size_t
#include <memory>   // unique_ptr
#include <span>
#include <string>
#include <vector>

#include "wingbeat/buffer.hpp"  // buffer
#include "wingbeat/plan.hpp"    // plan_spec

namespace wingbeat::cli {

/// What preparing took, in seconds; negative where it is not known.
struct preparation {
  double cold_s = -1;        ///< Nothing in a cache of kernels.
  double warm_s = -1;        ///< Again, with that cache warm.
  double first_call_s = -1;  ///< The first run, until it is done.
  long long workspace_bytes = -1;
};

/// Answers the bench's questions. What fails throws `device_error`.
class contender {
 public:
  virtual ~contender() = default;

  /// Repeats `block` over the input and puts NaNs into the output.
  virtual void fill(const std::vector<std::byte>& block) = 0;

  /// Runs that often and returns the seconds of all, on the device's clock. In place, the first of
  /// them starts from what `fill` put there.
  [[nodiscard]] virtual double time(std::size_t n_runs) = 0;

  /// Copies bytes of the output, the input's place where the problem is in place.
  virtual void read(std::size_t offset_bytes, std::span<std::byte> into) = 0;

  /// Returns which bin element `place` of the last axis is.
  [[nodiscard]] virtual std::size_t bin_at(std::size_t place) const { return place; }

  [[nodiscard]] const preparation& prepared() const noexcept { return prepared_; }

 protected:
  preparation prepared_;
};

/// Device memory of one problem, shared by the contenders that run on our queue.
struct bench_buffers {
  bench_buffers(const queue& on, const plan_spec& what);

  buffer in;
  buffer out;     ///< In place: what `in` is restored from.
  bool in_place;  ///< Input and output are both `in`.

  [[nodiscard]] buffer_view output() const { return in_place ? in.view() : out.view(); }
};

/// wingbeat, its plan and the times of planning it made by `timed_plan`.
class our_contender final : public contender {
 public:
  our_contender(queue& on, plan planned, const preparation& times, bench_buffers& memory);
  void fill(const std::vector<std::byte>& block) override;
  [[nodiscard]] double time(std::size_t n_runs) override;
  void read(std::size_t offset_bytes, std::span<std::byte> into) override;
  [[nodiscard]] std::size_t bin_at(std::size_t place) const override {
    return planned_.bin_at(place);
  }

 private:
  queue& on_;
  plan planned_;
  bench_buffers& memory_;
};

/// cuFFT on our queue. Throws `absent_error`, or `plan_error` for a layout it cannot express.
[[nodiscard]] std::unique_ptr<contender> cufft_contender(queue& on, const plan_spec& what,
                                                         bench_buffers& memory);

/// A plain copy of as many bytes as the problem reads and writes, halved: input over output.
[[nodiscard]] std::size_t copied_bytes(const plan_spec& what);

/// Seconds of that many copies.
[[nodiscard]] double time_copies(queue& on, const plan_spec& what, bench_buffers& memory,
                                 std::size_t n_runs);

/// Makes the plan twice, first with the cache of kernels ignored, and says how long each took.
[[nodiscard]] plan timed_plan(const queue& on, const plan_spec& what, preparation& times);

}  // namespace wingbeat::cli
