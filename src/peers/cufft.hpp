// SPDX-License-Identifier: Apache-2.0
// cuFFT as a peer for comparison, opened at run time, so that building needs no toolkit. It runs on
// wingbeat's own queue and buffers, so both are timed by the same clock on the same memory.
#pragma once

#include <cstddef>  // size_t
#include <memory>   // unique_ptr
#include <string>

#include "wingbeat/buffer.hpp"  // buffer_view
#include "wingbeat/plan.hpp"    // plan_spec
#include "wingbeat/queue.hpp"   // queue

namespace wingbeat::peers {

/// A transform planned by cuFFT.
class cufft {
 public:
  /// Returns the reason why cuFFT cannot be used here, as one sentence; empty when it can.
  [[nodiscard]] static std::string why_absent();

  /// Returns "12.0.0". Throws `absent_error`.
  [[nodiscard]] static std::string version();

  /// Plans `spec` for `on`, a queue of the cuda engine. Throws `absent_error`; `plan_error` for
  /// specs that cuFFT cannot express: a scale, planar numbers, ranges, functors, strides that do
  /// not divide one another; `device_error` if cuFFT refuses.
  cufft(const queue& on, const plan_spec& spec);
  cufft(cufft&&) noexcept;
  cufft& operator=(cufft&&) noexcept;
  ~cufft();

  /// Returns the bytes of device memory that the plan keeps as scratch.
  [[nodiscard]] std::size_t workspace_bytes() const noexcept;

  /// Queues runs and returns at once; several runs enter the device's context once. Out of place,
  /// `inverse_to_real` overwrites its input.
  void run(buffer_view in, buffer_view out, std::size_t n_runs = 1) const;

 private:
  struct impl;
  std::unique_ptr<const impl> impl_;
};

}  // namespace wingbeat::peers
