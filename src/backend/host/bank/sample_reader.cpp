// SPDX-License-Identifier: Apache-2.0
#include "backend/host/bank/sample_reader.hpp"

#include <algorithm>  // copy_n, max, min
#include <mutex>
#include <vector>

#include "backend/host/thread_pool.hpp"  // thread_pool
#include "backend/host/thresholds.hpp"   // limits

namespace wingbeat::backend::host {
namespace {

/// Samples that stay in the innermost cache until they are counted.
constexpr std::size_t block_samples = 2048;

/// Reads `count` samples of a run from its sample `first` on, and calls `count_block` with
/// integers of blocks. Returns their sum of squares.
template <class CountBlock>
std::uint64_t read_slice(const bank_kernels& kernels, const sample_run& run, std::size_t first,
                         std::size_t count, CountBlock count_block) {
  std::int16_t integers[block_samples];
  std::uint64_t sum = 0;
  std::size_t n = 0;
  for (const std::size_t end = first + count; first < end; first += n) {
    const std::size_t sample = run.first + first;  // begins a byte if it is a multiple of 8
    n = std::min(block_samples - sample % 8, end - first);
    read_block block{.bits = run.bits,
                     .skip = sample % 8,
                     .count = n,
                     .integers = integers,
                     .out = run.out + first};
    if (run.packed.empty()) {
      std::copy_n(run.integers + sample, n, integers);
    } else {
      const std::size_t byte = sample / 8 * run.bits;
      block.packed = run.packed.data() + byte;
      block.packed_bytes = run.packed.size() - byte;
    }
    sum += kernels.read(block);
    count_block(std::span<const std::int16_t>{integers, block.count});
  }
  return sum;
}

void read_alone(const bank_kernels& kernels, const sample_run& run) {
  std::uint64_t* const zero = run.histogram + (std::size_t{1} << (run.bits - 1));
  *run.sum_of_squares +=
      read_slice(kernels, run, 0, run.count, [&](std::span<const std::int16_t> integers) {
        for (const std::int16_t x : integers) ++zero[x];
      });
}

/// Adjacent samples are counted in different tables, because reading a count just after its write
/// waits.
class histogram_tables {
 public:
  explicit histogram_tables(unsigned bits) : size_(std::size_t{1} << bits), counts_(n * size_) {}

  void add(std::span<const std::int16_t> samples) {
    std::uint32_t* const zero = counts_.data() + size_ / 2;
    std::size_t i = 0;
    for (; i + n <= samples.size(); i += n) {
      for (std::size_t t = 0; t < n; ++t) {
        ++zero[static_cast<std::ptrdiff_t>(t * size_) + samples[i + t]];
      }
    }
    for (; i < samples.size(); ++i) ++zero[samples[i]];
  }
  void add_to(std::uint64_t* histogram) const {
    for (std::size_t t = 0; t < n; ++t) {
      for (std::size_t v = 0; v < size_; ++v) histogram[v] += counts_[t * size_ + v];
    }
  }

 private:
  static constexpr std::size_t n = 4;
  std::size_t size_;
  std::vector<std::uint32_t> counts_;  // [table][value]
};

}  // namespace

void read_samples(const named_set& kernel_set, std::span<const sample_run> runs) {
  struct slice {
    const sample_run* run;
    std::size_t first, count;
  };
  std::vector<slice> slices;
  for (const sample_run& run : runs) {
    // A share has its own tables with an entry per value, so it has at least four samples per
    // value.
    const std::size_t length =
        std::max(limits.read_samples, std::size_t{4} << run.bits) / block_samples * block_samples;
    if (run.count < length / 2) {
      read_alone(*kernel_set.bank, run);
      continue;
    }
    for (std::size_t first = 0; first < run.count; first += length) {
      slices.push_back({&run, first, std::min(length, run.count - first)});
    }
  }
  auto& pool = thread_pool::shared();
  std::mutex counting;
  pool.run(slices.size(), pool.n_threads(), [&](std::size_t i, unsigned) {
    const auto& [run, first, count] = slices[i];
    histogram_tables tables{run->bits};
    const std::uint64_t sum =
        read_slice(*kernel_set.bank, *run, first, count,
                   [&](std::span<const std::int16_t> integers) { tables.add(integers); });
    const std::lock_guard mine{counting};
    tables.add_to(run->histogram);
    *run->sum_of_squares += sum;
  });
}

}  // namespace wingbeat::backend::host
