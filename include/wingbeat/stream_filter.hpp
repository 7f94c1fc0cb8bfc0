// SPDX-License-Identifier: Apache-2.0
// Filters a signal that arrives in pieces: y[n] = sum over j of taps[j] x[n - j].
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <memory>   // unique_ptr
#include <ranges>   // range_value_t
#include <span>
#include <vector>

#include "wingbeat/queue.hpp"  // queue

namespace wingbeat {

/// A filter with finite taps, by overlap-save. Blocks lie at fixed places of the signal, so outputs
/// have the same bits however the signal is cut; they are the values of `extent::full`, in order.
/// Value is float, double, or the complex number of either. Serves one thread at a time.
///
///     stream_filter filter{queue, taps};
///     while (read(samples)) write(filter.push(samples));
///     write(filter.flush());
template <class Value>
class stream_filter {
 public:
  static constexpr std::size_t default_step = std::size_t{1} << 15;

  /// Prepares 1 to 65,536 taps. Outputs come in groups of `step()`, which is at least `min_step`: a
  /// small step keeps the delay short, a large one keeps all processors at work. Throws
  /// `plan_error` or `device_error`.
  stream_filter(const queue& on, std::span<const Value> taps, std::size_t min_step = default_step);
  stream_filter(stream_filter&&) noexcept;
  stream_filter& operator=(stream_filter&&) noexcept;
  ~stream_filter();

  /// Returns the number of outputs in one group.
  [[nodiscard]] std::size_t step() const;

  /// Returns the length of the transforms.
  [[nodiscard]] std::size_t block() const;

  /// Takes any number of samples and returns the outputs that are complete and not yet returned, in
  /// whole steps.
  [[nodiscard]] std::vector<Value> push(std::span<const Value> samples);

  /// Ends the signal and returns the rest of its outputs. In all, a signal of n samples has
  /// n + taps - 1 outputs, and none if n is 0. The next sample begins another signal.
  [[nodiscard]] std::vector<Value> flush();

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

template <std::ranges::range Taps>
stream_filter(const queue&, const Taps&) -> stream_filter<std::ranges::range_value_t<Taps>>;
template <std::ranges::range Taps>
stream_filter(const queue&, const Taps&, std::size_t)
    -> stream_filter<std::ranges::range_value_t<Taps>>;

extern template class stream_filter<float>;
extern template class stream_filter<double>;
extern template class stream_filter<std::complex<float>>;
extern template class stream_filter<std::complex<double>>;

}  // namespace wingbeat
