// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/direct_sums.hpp"

#include <algorithm>  // clamp, max, min

#include "backend/host/cpu.hpp"          // chosen_set
#include "backend/host/thread_pool.hpp"  // thread_pool
#include "backend/host/thresholds.hpp"   // limits
#include "text/reject.hpp"               // reject

namespace wingbeat {
namespace {

namespace host = backend::host;

/// The kernel of a kind of numbers, and the bytes of a number.
struct number_kind {
  host::sum_kernel kernel;
  std::size_t bytes;
};

number_kind kind_of(summed_number numbers) {
  static const host::sum_kernels& kernels = *host::chosen_set().sums;
  switch (numbers) {
    case summed_number::fp32: return {kernels.fp32, 4};
    case summed_number::fp64: return {kernels.fp64, 8};
    case summed_number::complex_fp32: return {kernels.complex_fp32, 8};
    case summed_number::complex_fp64: return {kernels.complex_fp64, 16};
    case summed_number::integer: break;
  }
  return {kernels.integers, 8};
}

/// The beginnings of a signal, its taps and its results.
struct place {
  const std::byte* signal;
  const std::byte* taps;
  std::byte* result;
};

/// The sums of one row of results, along the last axis.
class row_sums {
 public:
  row_sums(number_kind numbers, std::span<const summed_axis> axes, bool conjugates_taps)
      : numbers_(numbers), axes_(axes), conjugates_taps_(conjugates_taps) {}

  /// Writes results [begin, end) of a row; `row` counts the indices of the axes before.
  void run(place begins, std::size_t row, std::size_t begin, std::size_t end) const {
    const summed_axis& last = axes_.back();
    host::summed_rows rows;
    rows.length = static_cast<std::ptrdiff_t>(last.signal);
    rows.n_taps = static_cast<std::ptrdiff_t>(last.taps);
    rows.taps_stride = last.taps_stride;
    rows.count = static_cast<std::ptrdiff_t>(end - begin);
    rows.start = last.start + static_cast<std::ptrdiff_t>(begin);
    rows.n_rows = 1;
    rows.conjugates_taps = conjugates_taps_;
    begins.result += begin * numbers_.bytes;
    add(begins, row, axes_.size() - 1, rows);
  }

 private:
  /// Adds the products for the taps of the first `n_axes` axes.
  void add(place begins, std::size_t row, std::size_t n_axes, host::summed_rows& rows) const {
    if (n_axes == 0) return call(begins, rows);
    const summed_axis& along = axes_[n_axes - 1];
    const auto index = static_cast<std::ptrdiff_t>(row % along.result), n = index + along.start;
    const auto length = static_cast<std::ptrdiff_t>(along.signal);
    const std::ptrdiff_t first = std::max<std::ptrdiff_t>(n - length + 1, 0);
    const std::ptrdiff_t end = std::min(n + 1, static_cast<std::ptrdiff_t>(along.taps));
    row /= along.result;
    move(begins.result, along.result_stride * index);
    if (first >= end) {  // no tap meets the signal: zeros are stored
      rows.n_rows = 0;
      return add(begins, row, n_axes - 1, rows);
    }
    move(begins.signal, along.signal_stride * (n - first));
    move(begins.taps, along.taps_stride * first);
    if (n_axes + 1 == axes_.size()) {
      rows.signal_pitch = -along.signal_stride;
      rows.taps_pitch = along.taps_stride;
      rows.n_rows = end - first;
      return add(begins, row, n_axes - 1, rows);
    }
    for (std::ptrdiff_t j = first; j < end; ++j) {
      add(begins, row, n_axes - 1, rows);
      move(begins.signal, -along.signal_stride);
      move(begins.taps, along.taps_stride);
    }
  }

  void call(const place& begins, host::summed_rows& rows) const {
    rows.signal = begins.signal;
    rows.taps = begins.taps;
    rows.out = begins.result;
    numbers_.kernel(rows);
    rows.adds = true;
  }

  template <class Byte>
  void move(Byte*& memory, std::ptrdiff_t n_numbers) const {
    memory += n_numbers * static_cast<std::ptrdiff_t>(numbers_.bytes);
  }

  number_kind numbers_;
  std::span<const summed_axis> axes_;
  bool conjugates_taps_;
};

void validate(std::span<const summed_axis> axes) {
  if (axes.empty()) reject("sum_directly was given no axes; give at least one");
  if (axes.back().signal_stride == 1 && axes.back().result_stride == 1) return;
  reject(
      "the last axis of direct sums has strides {} of the signal and {} of the result; give 1, or "
      "copy the arrays",
      axes.back().signal_stride, axes.back().result_stride);
}

}  // namespace

void sum_directly(summed_number numbers, std::span<const summed_axis> axes, const void* signal,
                  const void* taps, void* result, bool conjugates_taps) {
  validate(axes);
  const number_kind kind = kind_of(numbers);
  const row_sums sums{kind, axes, conjugates_taps};
  const std::size_t count = axes.back().result;
  std::size_t n_rows = 1;
  double work = host::limits.work_per_summed_byte * static_cast<double>(kind.bytes);
  for (const summed_axis& each : axes) {
    n_rows *= each.result;
    work *= static_cast<double>(each.result * std::min(each.signal, each.taps));
  }
  if (n_rows == 0) return;
  n_rows /= count;
  const place begin{static_cast<const std::byte*>(signal), static_cast<const std::byte*>(taps),
                    static_cast<std::byte*>(result)};
  auto& pool = host::thread_pool::shared();
  const unsigned n_threads = pool.threads_for(work);
  const std::size_t n_shares = n_threads == 1 ? 1 : host::limits.tiles_per_thread * n_threads;
  // If rows are few, long rows are split too.
  const std::size_t n_parts = std::clamp<std::size_t>(
      n_shares / n_rows, 1, std::max<std::size_t>(count / host::limits.least_summed_part, 1));
  pool.share(n_rows * n_parts, n_shares, n_threads,
             [&](std::size_t first, std::size_t end, unsigned) {
               for (std::size_t i = first; i < end; ++i) {
                 const std::size_t part = i % n_parts;
                 sums.run(begin, i / n_parts, count * part / n_parts, count * (part + 1) / n_parts);
               }
             });
}

double ns_of_sums(summed_number numbers, std::span<const summed_axis> axes) {
  double products = 1;
  for (const summed_axis& each : axes) {
    products *= static_cast<double>(each.result * std::min(each.signal, each.taps));
  }
  const int lanes = host::chosen_set().kernels->fp32.width;
  const double rate = lanes >= 16  ? 1
                      : lanes == 8 ? host::limits.rate_of_half_vectors
                                   : host::limits.rate_of_quarter_vectors;
  return products / (host::limits.products_per_ns[static_cast<std::size_t>(numbers)] * rate);
}

bool are_sums_quicker(summed_number numbers, std::span<const summed_axis> axes) {
  double points = host::limits.ns_of_point[static_cast<std::size_t>(numbers)];
  for (const summed_axis& each : axes) {
    points *= static_cast<double>(each.signal + each.taps);
    if (&each != &axes.front()) points *= host::limits.cost_of_axis;
  }
  return ns_of_sums(numbers, axes) < host::limits.ns_of_transforms + points;
}

}  // namespace wingbeat
