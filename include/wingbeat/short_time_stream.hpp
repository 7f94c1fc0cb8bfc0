// SPDX-License-Identifier: Apache-2.0
// Short-time transforms of a signal that arrives in pieces.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <memory>   // unique_ptr
#include <span>
#include <type_traits>  // conditional_t, is_same_v
#include <vector>

#include "wingbeat/queue.hpp"       // queue
#include "wingbeat/short_time.hpp"  // short_time_spec

namespace wingbeat {

/// The frames of a signal, with the bits that a `short_time` of all of it gives them, however it is
/// cut: frames are computed in groups at fixed places. Value is float,
/// double, or the complex number of either. Serves one thread at a time.
///
///     short_time_stream<float> levels{queue, {.n_fft = 400, .hop = 160, .window = hann, ..}};
///     while (read(samples)) write(levels.push(samples));
///     write(levels.flush());
template <class Value>
class short_time_stream {
 public:
  using real =
      std::conditional_t<std::is_same_v<Value, float> || std::is_same_v<Value, std::complex<float>>,
                         float, double>;

  /// Prepares groups of `group` frames, at least 1. Of the spec, `length`, `batch` and `samples`
  /// are not read, and it has a window. Throws `plan_error` where frames depend on samples that
  /// arrive later: edge `repeat`, a range below a maximum, averages, rows of their own lengths; or
  /// `device_error`.
  short_time_stream(const queue& on, const short_time_spec& spec, std::size_t group = 16);
  short_time_stream(short_time_stream&&) noexcept;
  short_time_stream& operator=(short_time_stream&&) noexcept;
  ~short_time_stream();

  /// Returns the numbers of one frame: columns, or bins times two.
  [[nodiscard]] std::size_t numbers() const;

  /// Returns the samples from the first of a frame on until `push` returns it, at most, with
  /// those before the signal.
  [[nodiscard]] std::size_t latency() const;

  /// Takes any number of samples and returns the frames that are complete and not yet returned, in
  /// whole groups, [frame][number].
  [[nodiscard]] std::vector<real> push(std::span<const Value> samples);

  /// Ends the signal and returns the rest of its frames. The next sample begins another signal.
  [[nodiscard]] std::vector<real> flush();

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

extern template class short_time_stream<float>;
extern template class short_time_stream<double>;
extern template class short_time_stream<std::complex<float>>;
extern template class short_time_stream<std::complex<double>>;

}  // namespace wingbeat
