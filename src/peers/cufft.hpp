// SPDX-License-Identifier: Apache-2.0
// cuFFT as a peer to measure against, opened while the program runs: no toolkit is needed to
// build. It works on wingbeat's own queue and buffers, so both see the same clock and memory.
#pragma once

#include <cstddef>  // size_t
#include <memory>   // unique_ptr
#include <string>

#include "wingbeat/buffer.hpp"  // buffer_view
#include "wingbeat/plan.hpp"    // plan_spec
#include "wingbeat/queue.hpp"   // queue

namespace wingbeat::cli {

/// The same transform as a wingbeat plan, by cuFFT.
class cufft_peer {
 public:
  /// Returns one sentence that says why cuFFT cannot be used here; empty when it can.
  [[nodiscard]] static std::string why_absent();

  /// Returns "12.0.0". Throws `absent_error`.
  [[nodiscard]] static std::string version();

  /// Plans `what` on `on`, a queue of the cuda engine. Throws `absent_error`; `plan_error` for what
  /// cuFFT's plans cannot say: a scale, planar numbers, ranges, functors, strides that do not
  /// divide one another; `device_error` when cuFFT refuses.
  cufft_peer(const queue& on, const plan_spec& what);
  cufft_peer(cufft_peer&&) noexcept;
  cufft_peer& operator=(cufft_peer&&) noexcept;
  ~cufft_peer();

  /// Returns the bytes that cuFFT's plan holds for its runs.
  [[nodiscard]] std::size_t workspace_bytes() const noexcept;

  /// Queues one run and returns. Out of place, `inverse_to_real` overwrites its input.
  void run(buffer_view in, buffer_view out) const;

 private:
  struct impl;
  std::unique_ptr<const impl> impl_;
};

}  // namespace wingbeat::cli
