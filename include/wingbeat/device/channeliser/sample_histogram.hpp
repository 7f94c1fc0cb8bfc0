// SPDX-License-Identifier: Apache-2.0
// Counts how often each value occurs among packed samples. A workgroup counts in local memory, and
// adds its counts to those in device memory.
#pragma once

#include "wingbeat/device/atomic.hpp"  // atomic_add, local_atomic_add
#include "wingbeat/device/port.hpp"    // WINGBEAT_FN, big_endian

namespace wingbeat::device::channeliser {

/// The compile-time numbers of a histogram.
struct histogram_numbers {
  unsigned sample_bits;  ///< 2 to 16.
  unsigned bins;         ///< Counted by a workgroup; a power of two, at most 2^sample_bits.
  unsigned threads;      ///< A single thread needs no atomic updates of local memory.
  unsigned samples;      ///< Read by a workgroup; a multiple of 32.

  template <class Visit>
  WINGBEAT_FN constexpr void each(Visit visit) const {
    visit("sample_bits", sample_bits);
    visit("bins", bins);
    visit("threads", threads);
    visit("samples", samples);
  }

  /// Workgroups that read the same samples, each for different bins.
  WINGBEAT_FN constexpr unsigned slices() const { return (1u << sample_bits) / bins; }
  WINGBEAT_FN constexpr unsigned scratch_bytes() const { return bins * unsigned(sizeof(unsigned)); }
  /// Workgroups for `count` samples from `first` on.
  WINGBEAT_FN constexpr size workgroups(size first, size count) const {
    const size units = (first + count + 31) / 32 - first / 32;
    return (units + samples / 32 - 1) / (samples / 32) * slices();
  }
};

/// Samples of a stream of bits, the most significant bit first; both numbers are multiples of 8.
/// Words without any of the samples are not read.
struct histogram_memory {
  WINGBEAT_GLOBAL const unsigned* words;  ///< Sample 0 begins here.
  WINGBEAT_GLOBAL unsigned* totals;  ///< [bin], added to; bin 2^(sample_bits - 1) counts zeros.
  size first, count;
};

/// Counts the samples of a launch of `workgroups(first, count)` workgroups.
/// Callers: all threads of the workgroup.  Memory: `scratch_bytes()` of local memory.
template <class Policy, class Group = group>
class sample_histogram {
  static constexpr histogram_numbers numbers = Policy::numbers();
  static constexpr unsigned bits = numbers.sample_bits;
  static_assert(bits >= 2 && bits <= 16, "samples have 2 to 16 bits");
  static_assert(numbers.samples % 32 == 0, "a thread reads 32 samples at a time");

 public:
  WINGBEAT_FN sample_histogram(const histogram_memory& memory, WINGBEAT_LOCAL char* scratch,
                               Group group = {})
      : memory_(memory),
        end_(memory.first + memory.count),
        found_(reinterpret_cast<WINGBEAT_LOCAL unsigned*>(scratch)),
        group_(group),
        first_bin_(unsigned(group.index() % numbers.slices()) * numbers.bins) {}

  WINGBEAT_FN void run() const {
    const unsigned thread = group_.thread();
    for (unsigned i = thread; i < numbers.bins; i += numbers.threads) found_[i] = 0;
    group_.barrier();
    const size begin =
        memory_.first / 32 + group_.index() / numbers.slices() * (numbers.samples / 32);
    const size units = (end_ + 31) / 32, own = begin + numbers.samples / 32;
    const size end = own < units ? own : units;
    for (size unit = begin + thread; unit < end; unit += numbers.threads) count(unit);
    group_.barrier();
    for (unsigned i = thread; i < numbers.bins; i += numbers.threads) {
      if (found_[i] != 0) atomic_add(memory_.totals + first_bin_ + i, found_[i]);
    }
  }

 private:
  /// Counts the requested ones of samples 32 unit .. 32 unit + 31, which fill `bits` words.
  WINGBEAT_FN void count(size unit) const {
    unsigned words[bits];
    const size end_word = (end_ * bits + 31) / 32;
    WINGBEAT_UNROLL
    for (unsigned w = 0; w < bits; ++w) {
      const size offset = unit * bits + w;
      words[w] = offset < end_word ? big_endian(memory_.words[offset], 0, 0) : 0;
    }
    WINGBEAT_UNROLL
    for (unsigned eight = 0; eight < 32; eight += 8) {
      const size sample = unit * 32 + eight;
      if (sample < memory_.first || sample >= end_) continue;
      WINGBEAT_UNROLL
      for (unsigned i = 0; i < 8; ++i) add(field(words, (eight + i) * bits));
    }
  }

  /// Returns the bin of the sample whose top bit is bit `position` of the words: its bits with the
  /// sign bit flipped.
  WINGBEAT_FN static unsigned field(const unsigned (&words)[bits], unsigned position) {
    const unsigned end = position % 32 + bits;
    const unsigned value =
        end <= 32 ? words[position / 32] >> (32 - end)
                  : words[position / 32] << (end - 32) | words[position / 32 + 1] >> (64 - end);
    return (value & ((1u << bits) - 1)) ^ 1u << (bits - 1);
  }

  WINGBEAT_FN void add(unsigned bin) const {
    if constexpr (numbers.slices() > 1) {
      bin -= first_bin_;
      if (bin >= numbers.bins) return;
    }
    if constexpr (numbers.threads == 1) {
      ++found_[bin];
    } else {
      local_atomic_add(found_ + bin, 1);
    }
  }

  histogram_memory memory_;
  size end_;
  WINGBEAT_LOCAL unsigned* found_;
  Group group_;
  unsigned first_bin_;
};

}  // namespace wingbeat::device::channeliser
