// SPDX-License-Identifier: Apache-2.0
// Products of 16 x 16 by 16 x 8 matrices of fp16, summed in fp32, by the threads of a subgroup of
// 32: the tensor cores of NVIDIA's GPUs from sm_80 on. In other dialects the threads exchange their
// parts through local memory, for emulation.
#pragma once

#include "wingbeat/device/half.hpp"         // half_pair, fp16
#include "wingbeat/device/io/adjacent.hpp"  // adjacent, load_whole
#include "wingbeat/device/port.hpp"         // WINGBEAT_FN, WINGBEAT_LOCAL

namespace wingbeat::device::tensor {

/// Four words that move at once, each two fp16.
using quad = io::adjacent<unsigned, 4>;

/// Parts of matrices in one thread. Thread 4g + t of a subgroup has, of a left matrix, rows g and
/// g + 8 at columns 2t, 2t + 1 (words 0, 1) and 2t + 8, 2t + 9 (words 2, 3); of a right matrix,
/// rows 2t, 2t + 1 and 2t + 8, 2t + 9 of column g; of a product, rows g and g + 8 of columns 2t,
/// 2t + 1.
struct left_part {
  unsigned word[4];
};
struct right_part {
  unsigned word[2];
};
struct product_part {
  float sum[4];
};

WINGBEAT_FN left_part left_of(const quad& words) {
  return {{words.value[0], words.value[1], words.value[2], words.value[3]}};
}
/// Returns the negative matrix.
WINGBEAT_FN left_part operator-(const left_part& a) {
  constexpr unsigned signs = 0x80008000u;
  return {{a.word[0] ^ signs, a.word[1] ^ signs, a.word[2] ^ signs, a.word[3] ^ signs}};
}

/// The subgroup that multiplies. Elsewhere than on a GPU it has `exchange_bytes` of local memory.
template <class Group>
class matrices {
 public:
#if defined(__CUDACC__)
  static constexpr unsigned exchange_bytes = 0;
  WINGBEAT_FN matrices(Group, WINGBEAT_LOCAL char*) {}

  /// Returns c + a b.
  WINGBEAT_FN product_part multiply_add(const left_part& a, const right_part& b,
                                        const product_part& c) const {
    product_part d{};
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%10,%11,%12,%13};"
        : "=f"(d.sum[0]), "=f"(d.sum[1]), "=f"(d.sum[2]), "=f"(d.sum[3])
        : "r"(a.word[0]), "r"(a.word[1]), "r"(a.word[2]), "r"(a.word[3]), "r"(b.word[0]),
          "r"(b.word[1]), "f"(c.sum[0]), "f"(c.sum[1]), "f"(c.sum[2]), "f"(c.sum[3]));
#endif
    return d;
  }
  /// Returns the sum of the numbers of the subgroup's threads.
  WINGBEAT_FN float sum(float x) const {
#if defined(__CUDA_ARCH__)
    WINGBEAT_UNROLL
    for (int distance = 16; distance > 0; distance /= 2) x += __shfl_xor_sync(~0u, x, distance);
#endif
    return x;
  }
  /// Returns the largest number that a thread of the subgroup has.
  WINGBEAT_FN unsigned largest(unsigned number) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_max_sync(~0u, number);
#else
    return number;
#endif
  }
#else
  static constexpr unsigned exchange_bytes = 32 * 6 * sizeof(unsigned);
  WINGBEAT_FN matrices(Group group, WINGBEAT_LOCAL char* memory)
      : group_(group), words_(reinterpret_cast<WINGBEAT_LOCAL unsigned*>(memory)) {}

  /// Returns c + a b.
  WINGBEAT_FN product_part multiply_add(const left_part& a, const right_part& b,
                                        const product_part& c) const {
    const unsigned lane = group_.thread() % 32, g = lane / 4, t = lane % 4;
    for (unsigned i = 0; i < 4; ++i) words_[6 * lane + i] = a.word[i];
    for (unsigned i = 0; i < 2; ++i) words_[6 * lane + 4 + i] = b.word[i];
    group_.subgroup_barrier();
    product_part d = c;
    for (unsigned i = 0; i < 4; ++i) {
      for (unsigned k = 0; k < 16; ++k) {
        d.sum[i] += entry(4 * g + k % 8 / 2, i / 2 + 2 * (k / 8), k) *
                    entry(4 * (2 * t + i % 2) + k % 8 / 2, 4 + k / 8, k);
      }
    }
    group_.subgroup_barrier();
    return d;
  }
  /// Returns the sum of the numbers of the subgroup's threads.
  WINGBEAT_FN float sum(float x) const {
    words_[group_.thread() % 32] = bits_of(x);
    group_.subgroup_barrier();
    float total = 0;
    for (unsigned i = 0; i < 32; ++i) total += float_of(words_[i]);
    group_.subgroup_barrier();
    return total;
  }
  /// Returns the largest number that a thread of the subgroup has.
  WINGBEAT_FN unsigned largest(unsigned number) const {
    words_[group_.thread() % 32] = number;
    group_.subgroup_barrier();
    unsigned most = number;
    for (unsigned i = 0; i < 32; ++i) most = words_[i] > most ? words_[i] : most;
    group_.subgroup_barrier();
    return most;
  }

 private:
  /// Returns entry k of a word that a thread holds.
  WINGBEAT_FN float entry(unsigned lane, unsigned word, unsigned k) const {
    const unsigned both = words_[6 * lane + word];
    return fp16::widened_of(k % 2 == 0 ? both & 0xffffu : both >> 16);
  }

  Group group_;
  WINGBEAT_LOCAL unsigned* words_;

 public:
#endif
  /// Returns a b.
  WINGBEAT_FN product_part multiply(const left_part& a, const right_part& b) const {
    return multiply_add(a, b, product_part{});
  }
};

/// Two complex numbers in fp16; `re` has both real parts.
struct complex_pair {
  half_pair re, im;
};

/// Returns two complex numbers, real parts first, rounded to fp16, times w.
WINGBEAT_FN complex_pair rounded_product(const product_part& z, complex_pair w) {
  const unsigned re = fp16::pair_of(z.sum[0], z.sum[1]);
  const unsigned im = fp16::pair_of(z.sum[2], z.sum[3]);
  const auto sum = [](unsigned a, half_pair b, unsigned c, half_pair d) {
    return half_pair::of_bits(fp16::pair_multiply_add(a, b.bits, fp16::pair_product(c, d.bits)));
  };
  return {sum(fp16::pair_negative(im), w.im, re, w.re), sum(im, w.re, re, w.im)};
}

/// Returns an entry of a table that stays in the caches.
WINGBEAT_FN quad table_entry(WINGBEAT_GLOBAL const quad* source) {
#if defined(__CUDA_ARCH__)
  quad q;
  asm("ld.global.nc.L1::evict_last.v4.u32 {%0,%1,%2,%3}, [%4];"
      : "=r"(q.value[0]), "=r"(q.value[1]), "=r"(q.value[2]), "=r"(q.value[3])
      : "l"(source));
  return q;
#else
  return *source;
#endif
}

/// Returns the `Whole`, of 8 or 16 bytes, at a place. No thread of the workgroup reads it again,
/// and nothing writes it while the kernel runs: it passes by the cache of a multiprocessor.
template <class Whole, class Number>
WINGBEAT_FN Whole load_past(WINGBEAT_GLOBAL const Number* source) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(Whole) == sizeof(uint2)) {
    uint2 bits;
    asm("ld.global.nc.L1::no_allocate.v2.u32 {%0,%1}, [%2];"
        : "=r"(bits.x), "=r"(bits.y)
        : "l"(source));
    return __builtin_bit_cast(Whole, bits);
  } else {
    uint4 bits;
    asm("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
        : "=r"(bits.x), "=r"(bits.y), "=r"(bits.z), "=r"(bits.w)
        : "l"(source));
    return __builtin_bit_cast(Whole, bits);
  }
#else
  return io::load_whole<Whole>(source);
#endif
}

/// Stores `whole`, of 16 bytes, at a place, as the first to leave the caches.
template <class Whole, class Number>
WINGBEAT_FN void store_past(WINGBEAT_GLOBAL Number* target, const Whole& whole) {
#if defined(__CUDA_ARCH__)
  store_once(reinterpret_cast<Whole*>(target), whole);
#else
  io::store_whole(target, whole);
#endif
}

}  // namespace wingbeat::device::tensor
