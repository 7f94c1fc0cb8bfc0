// SPDX-License-Identifier: Apache-2.0
// A part of the band of packed samples x, mixed to 0 Hz, filtered and decimated:
//
//     y[j] = exp(-2 pi i phase[j]) sum over a of x[first + S j + a] tap[a]
//
// where taps include the mixer's phase, counted from the first tap.
#pragma once

#include "wingbeat/device/complex.hpp"  // complex
#include "wingbeat/device/port.hpp"     // WINGBEAT_FN, group, maths

namespace wingbeat::device::channeliser {

struct downconvert_numbers {
  unsigned taps, subsampling;
  unsigned sample_bits;  ///< 2 to 16.
  unsigned threads;      ///< Per workgroup.

  template <class Visit>
  WINGBEAT_FN constexpr void each(Visit visit) const {
    visit("taps", taps);
    visit("subsampling", subsampling);
    visit("sample_bits", sample_bits);
    visit("threads", threads);
  }
};

/// The memory of a launch. A sample lies within 3 bytes, beginning with the byte of its first bit.
struct downconvert_memory {
  WINGBEAT_GLOBAL const unsigned char* samples;  ///< Bits, the most significant one first.
  WINGBEAT_GLOBAL const complex<float>* taps;
  WINGBEAT_GLOBAL complex<float>* out;
  size first, count;  ///< First sample of the first output; number of outputs.
  size phase, turn;   ///< Turns times 2^64: at the first output, and per output.
};

/// Computes one output per thread.
template <class Policy, class Group = group>
class downconversion {
  static constexpr downconvert_numbers numbers = Policy::numbers();

 public:
  WINGBEAT_FN downconversion(const downconvert_memory& memory, WINGBEAT_LOCAL char*,
                             Group group = {})
      : memory_(memory), j_(group.index() * numbers.threads + group.thread()) {}

  WINGBEAT_FN void run() const {
    if (j_ >= memory_.count) return;
    complex<float> sum{0, 0};
    for (unsigned a = 0; a < numbers.taps; ++a) {
      const float x = sample(memory_.first + j_ * numbers.subsampling + a);
      sum = sum + scaled(copied_from(memory_.taps + a), x);
    }
    const float turns = -float(int(unsigned((memory_.phase + j_ * memory_.turn) >> 32))) * 0x1p-32f;
    memory_.out[j_] =
        sum * complex<float>{maths::cosine_of_turns(turns), maths::sine_of_turns(turns)};
  }

 private:
  WINGBEAT_FN float sample(size index) const {
    const size bit = index * numbers.sample_bits;
    WINGBEAT_GLOBAL const unsigned char* const bytes = memory_.samples + bit / 8;
    const unsigned window =
        unsigned(bytes[0]) << 24 | unsigned(bytes[1]) << 16 | unsigned(bytes[2]) << 8;
    return float(int(window << (bit % 8)) >> (32 - numbers.sample_bits));
  }

  downconvert_memory memory_;
  size j_;
};

}  // namespace wingbeat::device::channeliser
