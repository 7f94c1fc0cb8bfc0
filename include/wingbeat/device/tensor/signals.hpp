// SPDX-License-Identifier: Apache-2.0
// Values of signals in memory, some neighbours at once.
#pragma once

#include "wingbeat/device/bfloat.hpp"                 // bfloat, bf16
#include "wingbeat/device/half.hpp"                   // half_float, fp16
#include "wingbeat/device/io/adjacent.hpp"            // adjacent
#include "wingbeat/device/port.hpp"                   // WINGBEAT_FN, WINGBEAT_GLOBAL, size
#include "wingbeat/device/tensor/matrix_product.hpp"  // load_past, store_past

namespace wingbeat::device::tensor {

/// Two stored numbers in a word, and sums of squares of many: as they are for fp32, else as the
/// range and the speed of their type suggest.
template <class Stored>
struct word_of;
template <>
struct word_of<half_float> {
  using sum = float;
  static constexpr bool scales_exactly = false;
  WINGBEAT_FN static float first(unsigned pair) { return fp16::widened_of(pair & 0xffffu); }
  WINGBEAT_FN static float second(unsigned pair) { return fp16::widened_of(pair >> 16); }
  WINGBEAT_FN static unsigned of(float x, float y) { return fp16::pair_of(x, y); }
  // In fp32: the power of two may be beyond fp16.
  WINGBEAT_FN static unsigned scaled(unsigned pair, float factor) {
    return of(first(pair) * factor, second(pair) * factor);
  }
  WINGBEAT_FN static void add_squares(float& sum, unsigned pair) {
    sum += first(pair) * first(pair) + second(pair) * second(pair);
  }
  WINGBEAT_FN static float total(float sum) { return sum; }
  /// Returns a half of two words, 0 or 1, in fp16.
  WINGBEAT_FN static unsigned joined(unsigned a, unsigned b, unsigned j) {
    return j == 0 ? (a & 0xffffu) | b << 16 : a >> 16 | (b & 0xffff0000u);
  }
};
template <>
struct word_of<bfloat> {
  using sum = unsigned;  // two sums in bf16, whose range squares need
  static constexpr bool scales_exactly = true;
  WINGBEAT_FN static float first(unsigned pair) { return bf16::low(pair); }
  WINGBEAT_FN static float second(unsigned pair) { return bf16::high(pair); }
  WINGBEAT_FN static unsigned of(float x, float y) { return bf16::pair_of(x, y); }
  WINGBEAT_FN static unsigned scaled(unsigned pair, float factor) {
    return bf16::pair_multiply_add(pair, bits_of(factor) >> 16 | (bits_of(factor) & 0xffff0000u),
                                   0x80008000u);
  }
  WINGBEAT_FN static void add_squares(unsigned& sum, unsigned pair) {
    sum = bf16::pair_multiply_add(pair, pair, sum);
  }
  WINGBEAT_FN static float total(unsigned sum) { return first(sum) + second(sum); }
  WINGBEAT_FN static unsigned joined(unsigned a, unsigned b, unsigned j) {
    return j == 0 ? fp16::pair_of(first(a), first(b)) : fp16::pair_of(second(a), second(b));
  }
};

/// Four neighbouring values of a signal in registers: as they are stored, or in fp32.
template <class Stored>
class stored_values {
  using word = word_of<Stored>;

 public:
  using sum = typename word::sum;

  WINGBEAT_FN void set(const io::adjacent<Stored, 4>& values) {
    WINGBEAT_UNROLL
    for (unsigned j = 0; j < 2; ++j)
      words_[j] = values.value[2 * j].bits | unsigned(values.value[2 * j + 1].bits) << 16;
  }
  /// Multiplies by a power of two.
  WINGBEAT_FN void scale(float factor) {
    WINGBEAT_UNROLL
    for (unsigned& each : words_) each = word::scaled(each, factor);
  }
  WINGBEAT_FN void add_squares(sum& squares) const {
    WINGBEAT_UNROLL
    for (const unsigned each : words_) word::add_squares(squares, each);
  }
  WINGBEAT_FN static float total(sum squares) { return word::total(squares); }
  WINGBEAT_FN unsigned largest() const {
    unsigned most = 0;
    WINGBEAT_UNROLL
    for (const unsigned each : words_) {
      const unsigned a = bits_of(word::first(each)) & 0x7fffffffu;
      const unsigned b = bits_of(word::second(each)) & 0x7fffffffu;
      most = a > most ? a : most;
      most = b > most ? b : most;
    }
    return most;
  }
  /// Returns values j of two signals in fp16.
  WINGBEAT_FN static unsigned pair(const stored_values& re, const stored_values& im, unsigned j) {
    return word::joined(re.words_[j / 2], im.words_[j / 2], j % 2);
  }

 private:
  unsigned words_[2];
};
class single_values {
 public:
  using sum = float;

  WINGBEAT_FN float& operator[](unsigned j) { return values_[j]; }
  WINGBEAT_FN void scale(float factor) {
    WINGBEAT_UNROLL
    for (float& each : values_) each *= factor;
  }
  WINGBEAT_FN void add_squares(float& squares) const {
    WINGBEAT_UNROLL
    for (const float each : values_) squares += each * each;
  }
  WINGBEAT_FN static float total(float squares) { return squares; }
  WINGBEAT_FN unsigned largest() const {
    unsigned most = 0;
    WINGBEAT_UNROLL
    for (const float each : values_) {
      const unsigned magnitude = bits_of(each) & 0x7fffffffu;
      most = magnitude > most ? magnitude : most;
    }
    return most;
  }
  WINGBEAT_FN static unsigned pair(const single_values& re, const single_values& im, unsigned j) {
    return fp16::pair_of(re.values_[j], im.values_[j]);
  }

 private:
  float values_[4];
};

/// The type that holds values, or products of values and a gate.
template <class Stored, bool AreProducts>
struct held_values {
  using type = stored_values<Stored>;
};
template <class Stored>
struct held_values<Stored, true> {
  using type = single_values;
};

/// What a kernel knows of the places of values i .. i + Count - 1 that threads access.
enum class within {
  full,    ///< All are in memory.
  whole,   ///< All are, or none is.
  partial  ///< Each is or is not.
};

/// Signals of `Length` values, `Count` at once. Each signal of an array has the same alignment if
/// `Count` divides their length.
template <class Stored, size Length, unsigned Count>
struct neighbours {
  using adjacent = io::adjacent<Stored, Count>;

  /// Returns whether all signals of an array may be accessed `Count` values at once.
  WINGBEAT_FN static bool are_aligned(WINGBEAT_GLOBAL const Stored* first) {
    return Length % Count == 0 && reinterpret_cast<size>(first) % sizeof(adjacent) == 0;
  }

  /// Returns values i .. of a signal, and 0 from value `count` on. No branch precedes an aligned
  /// load, so that many are on the way at once.
  template <bool AreAligned, within Known>
  WINGBEAT_FN static adjacent read(WINGBEAT_GLOBAL const Stored* signal, unsigned i,
                                   unsigned count) {
    const Stored nothing(0.0f);
    adjacent values;
    WINGBEAT_UNROLL
    for (unsigned j = 0; j < Count; ++j) values.value[j] = nothing;
    if constexpr (AreAligned) {
      if (Known == within::full || i < count) values = load_past<adjacent>(signal + i);
      if constexpr (Known == within::partial) {
        WINGBEAT_UNROLL
        for (unsigned j = 0; j < Count; ++j)
          if (i + j >= count) values.value[j] = nothing;
      }
    } else {
      WINGBEAT_UNROLL
      for (unsigned j = 0; j < Count; ++j)
        if (i + j < count) values.value[j] = signal[i + j];
    }
    return values;
  }

  /// Stores those of x that are below `count`, times a power of two.
  template <bool AreAligned, within Known>
  WINGBEAT_FN static void write(WINGBEAT_GLOBAL Stored* signal, unsigned i, unsigned count,
                                const float (&x)[Count], float factor) {
    constexpr bool are_whole = AreAligned && Known != within::partial;
    const bool are_inside = Known == within::full || (are_whole ? i < count : i + Count <= count);
    if (AreAligned && are_inside) {
      io::adjacent<unsigned, Count / 2> words;
      WINGBEAT_UNROLL
      for (unsigned j = 0; j < Count / 2; ++j)
        words.value[j] = rounded(x[2 * j], x[2 * j + 1], factor);
      store_past(signal + i, words);
    } else if constexpr (!are_whole) {
      WINGBEAT_UNROLL
      for (unsigned j = 0; j < Count; ++j)
        if (i + j < count) signal[i + j] = Stored(x[j] * factor);
    }
  }

 private:
  /// bf16 has the range of fp32, so that scaling behind rounding loses nothing.
  WINGBEAT_FN static unsigned rounded(float x, float y, float factor) {
    if constexpr (word_of<Stored>::scales_exactly) {
      return word_of<Stored>::scaled(word_of<Stored>::of(x, y), factor);
    } else {
      return word_of<Stored>::of(x * factor, y * factor);
    }
  }
};

}  // namespace wingbeat::device::tensor
