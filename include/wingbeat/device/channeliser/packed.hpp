// SPDX-License-Identifier: Apache-2.0
// Samples of b bits in a stream of bytes, the most significant bit first, two's complement.
#pragma once

#include "wingbeat/device/half.hpp"  // float_of
#include "wingbeat/device/port.hpp"  // WINGBEAT_FN, WINGBEAT_GLOBAL, size, big_endian, rotated

namespace wingbeat::device::channeliser {

/// Returns the offset of samples that are read. With few bits it is 1.5, which is subtracted from
/// finished sums of products. Such sums round as if samples had full scale, which would show in
/// quiet signals of more bits; with these, the offset is subtracted from each sample at once.
WINGBEAT_FN constexpr float packed_offset(unsigned bits) {
  return bits <= 10 ? 1.5f : 0.0f;
}

/// Two samples in sequence, anywhere in a stream. A sample x is read as 1.5 + x 2^-Bits, which
/// takes a rotation and one bit operation, and no conversion from integers. It is returned so, or
/// as x 2^-Bits: see `packed_offset`.
template <unsigned Bits>
class packed_pair {
  static_assert(Bits >= 2 && Bits <= 16, "samples have 2 to 16 bits");
  /// With at most 7 bits of other samples and 24 of its own, a pair lies within 4 bytes; with 16
  /// bits too, because it begins at a byte.
  static constexpr bool is_within_four_bytes = Bits <= 12 || Bits == 16;

 public:
  static constexpr float offset = packed_offset(Bits);
  static constexpr float scale = float(1u << Bits);  ///< x = scale (returned - offset).

  /// The samples `index` and `index + 1` of a stream whose bytes begin at `plane`, aligned to 4. Up
  /// to 7 bytes behind the pair are read with it. `offset_bits`: the bits of the float 1.5, in any
  /// register of the kernel.
  WINGBEAT_FN packed_pair(WINGBEAT_GLOBAL const unsigned char* plane, size index,
                          unsigned offset_bits = 0x3fc00000u)
      : offset_bits_(offset_bits) {
    start(reinterpret_cast<WINGBEAT_GLOBAL const unsigned*>(plane), index * Bits);
  }

  /// Returns the pair `samples` further on in the stream.
  WINGBEAT_FN packed_pair further(unsigned samples) const {
    packed_pair other = *this;
    other.start(words_, 8 * byte_ + (turn_first_ - 23) + samples * Bits);
    return other;
  }

  /// Reads the pair `words` words of 4 bytes further on.
  WINGBEAT_FN void read(unsigned words, float& first, float& second) const {
    const unsigned pair = big_endian(words_[words], words_[words + 1], byte_);
    first = fraction(rotated(pair, turn_first_));
    if constexpr (is_within_four_bytes) {
      second = fraction(rotated(pair, turn_second_));
    } else {
      const auto address = words_ + words + second_word_;
      second = fraction(rotated(big_endian(address[0], address[1], second_byte_), turn_second_));
    }
  }

 private:
  /// Begins at bit `bit` behind `words`.
  template <class Number>
  WINGBEAT_FN void start(WINGBEAT_GLOBAL const unsigned* words, Number bit) {
    words_ = words + bit / 32;
    byte_ = unsigned(bit / 8) % 4;
    // The first sample's top bit is bit 31 - bit % 8, and becomes bit 22, the top of the fraction.
    turn_first_ = unsigned(bit % 8) + 23;
    if constexpr (is_within_four_bytes) {
      turn_second_ = (turn_first_ + Bits) % 32;
    } else {
      const Number second = bit + Bits;
      second_word_ = unsigned(second / 32 - bit / 32);
      second_byte_ = unsigned(second / 8) % 4;
      turn_second_ = unsigned(second % 8) + 23;
    }
  }

  WINGBEAT_FN float fraction(unsigned bits) const {
    constexpr unsigned mask = ((1u << Bits) - 1) << (23 - Bits);
    const float sample = float_of((bits & mask) ^ offset_bits_);  // flips the sign bit: 1.5 + x
    return offset > 0 ? sample : sample - 1.5f;
  }

  WINGBEAT_GLOBAL const unsigned* words_;
  unsigned byte_, turn_first_, turn_second_;
  unsigned offset_bits_;
  unsigned second_word_ = 0, second_byte_ = 0;  ///< For pairs that 4 bytes do not hold.
};

}  // namespace wingbeat::device::channeliser
