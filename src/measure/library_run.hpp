// SPDX-License-Identifier: Apache-2.0
// One problem, planned by one library, that can be filled, run, timed and read back.
#pragma once

#include <cstddef>  // byte, size_t
#include <span>
#include <vector>

namespace wingbeat::measure {

/// Seconds and bytes that planning took; negative where unknown.
struct preparation {
  double cold_s = -1;         ///< Planning with no kernel in the cache.
  double warm_s = -1;         ///< Planning again, with that cache warm.
  double first_call_s = -1;   ///< The first run, until it has finished.
  double second_call_s = -1;  ///< The second run; an engine may prepare others in it.
  long long workspace_bytes = -1;
};

/// A library with one problem prepared, in this process or in another. Failures throw
/// `device_error`.
class library_run {
 public:
  virtual ~library_run() = default;

  /// Fills the input with repetitions of `block` and the output with NaNs.
  virtual void fill(const std::vector<std::byte>& block) = 0;

  /// Runs `n_runs` times and returns their total seconds on the device's clock. In place, the first
  /// run reads what `fill` wrote.
  [[nodiscard]] virtual double time(std::size_t n_runs) = 0;

  /// Makes `n_calls` calls back to back, starting with an idle device, then waits until their runs
  /// have finished. Returns the wall time in seconds that the calls took the calling thread,
  /// without that wait. Libraries that run on that thread do their work in the call.
  [[nodiscard]] virtual double time_calls(std::size_t n_calls) = 0;

  /// Copies bytes of the output; in place, from the one buffer.
  virtual void read(std::size_t offset_bytes, std::span<std::byte> into) = 0;

  /// Returns the bin that element `index` of the last axis holds.
  [[nodiscard]] virtual std::size_t bin_at(std::size_t index) const { return index; }

  [[nodiscard]] const preparation& prepared() const noexcept { return prepared_; }

 protected:
  preparation prepared_;
};

}  // namespace wingbeat::measure
