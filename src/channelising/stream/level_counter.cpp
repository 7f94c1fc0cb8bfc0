// SPDX-License-Identifier: Apache-2.0
#include "channelising/stream/level_counter.hpp"

#include <algorithm>  // fill, max, min
#include <bit>        // bit_floor
#include <utility>    // move

#include "arrays/view_part.hpp"         // part_of
#include "kernel_text/constants.hpp"    // assignments
#include "kernel_text/kernel_body.hpp"  // kernel_of

namespace wingbeat::channelising {
namespace {

using device::channeliser::histogram_numbers;

/// 32 KiB, which every device has; with no more, GPUs run more workgroups at once.
constexpr unsigned max_bins = 8192;
constexpr std::size_t n_threads = 256;
/// A bin wraps after 2^32 samples, so it is read before.
constexpr std::uint64_t max_unread = std::uint64_t{1} << 31;
/// Initial value of counters. They wrap soon, so that every stream tests it.
constexpr std::uint32_t first_count = ~std::uint32_t{0} - 99;

}  // namespace

histogram_numbers histogram_for(unsigned sample_bits, const device_info& device) {
  const unsigned values = 1U << sample_bits;
  // Each bin is cleared and merged for several samples, and a piece of a stream occupies all
  // multiprocessors. A processor runs a workgroup on one of its threads.
  if (device.is_gpu) {
    const unsigned bins = std::min(values, max_bins);
    const auto threads = static_cast<unsigned>(std::min(n_threads, device.max_workgroup));
    return {sample_bits, bins, threads, std::max(8 * bins, 32 * threads)};
  }
  const std::size_t room = std::bit_floor(device.local_memory_bytes / sizeof(std::uint32_t));
  const auto bins = static_cast<unsigned>(std::min<std::size_t>(values, room));
  return {sample_bits, bins, 1, std::max(65536U, 4 * bins)};
}

kernel_spec histogram_kernel(const histogram_numbers& numbers) {
  return kernel_text::kernel_of(
      {.header = "wingbeat/device/channeliser/sample_histogram.hpp",
       .type = "channeliser::sample_histogram",
       .numbers_type = "channeliser::histogram_numbers",
       .constants = kernel_text::assignments(numbers),
       .entry = "count_samples",
       .threads = numbers.threads,
       .scratch_bytes = numbers.scratch_bytes()},
      {kernel_parameter::input(sizeof(std::uint32_t)),
       kernel_parameter::output(sizeof(std::uint32_t)), kernel_parameter::value<std::uint64_t>(),
       kernel_parameter::value<std::uint64_t>()});
}

level_counter::level_counter(const queue& on, const histogram_numbers& numbers,
                             std::size_t n_polarisations)
    : numbers_(numbers),
      n_bins_(std::size_t{1} << numbers.sample_bits),
      n_polarisations_(n_polarisations),
      kernel_(on, histogram_kernel(numbers)),
      counters_(on, n_polarisations * n_bins_ * sizeof(std::uint32_t)),
      seen_(n_polarisations * n_bins_, first_count),
      counted_(seen_.size()) {
  counters_.write(seen_.data(), counters_.size_bytes());
}

void level_counter::enqueue(queue& on, std::size_t polarisation, buffer_view plane,
                            std::size_t first, std::size_t count) {
  if (n_unread_ + count > max_unread) read_back();
  n_unread_ += count;
  const std::size_t bytes = n_bins_ * sizeof(std::uint32_t);
  const buffer_view counters = part_of(counters_.view(), polarisation * bytes, bytes);
  kernel_.enqueue(on, numbers_.workgroups(first, count),
                  {plane, counters, std::uint64_t{first}, std::uint64_t{count}});
}

void level_counter::read_back() {
  if (n_unread_ == 0) return;
  std::vector<std::uint32_t> now(seen_.size());
  counters_.read(now.data(), counters_.size_bytes());
  for (std::size_t i = 0; i < now.size(); ++i) counted_[i] += std::uint32_t{now[i] - seen_[i]};
  seen_ = std::move(now);
  n_unread_ = 0;
  has_counted_ = true;
}

void level_counter::collect(std::vector<input_level>& levels) {
  read_back();
  if (!has_counted_) return;
  has_counted_ = false;
  const auto zero = static_cast<std::int64_t>(n_bins_ / 2);
  for (std::size_t p = 0; p < n_polarisations_; ++p) {
    for (std::size_t bin = 0; bin < n_bins_; ++bin) {
      const std::uint64_t count = counted_[p * n_bins_ + bin];
      const std::int64_t value = static_cast<std::int64_t>(bin) - zero;
      levels[p].histogram[bin] += count;
      levels[p].sum_of_squares += count * static_cast<std::uint64_t>(value * value);
    }
  }
  std::fill(counted_.begin(), counted_.end(), 0);
}

}  // namespace wingbeat::channelising
