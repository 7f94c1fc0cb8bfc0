// SPDX-License-Identifier: Apache-2.0
// The host engine's kernels for one instruction set, as function pointers on plain data.
//
// Every kernel transforms forward. An inverse transform is a forward one with re and im exchanged
// on the way in and on the way out (`is_swapped`), which costs nothing.
#pragma once

#include <cstddef>  // byte, size_t

namespace wingbeat::backend::host {

/// Returns which of `width` adjacent numbers lane `lane` of a vector holds. Pairs (re im re im ..)
/// are split within 128-bit lanes, by one instruction each, so 8 floats have the order 0 1 4 5 2 3
/// 6 7.
template <class Real>
[[gnu::always_inline]] constexpr int place_of(int lane, int width) {
  constexpr int half = 8 / int{sizeof(Real)};  // numbers in half of 128 bits
  if (width <= 2 * half) return lane;
  return lane / (2 * half) * half + lane % half + (lane % (2 * half) < half ? 0 : width / 2);
}

/// Returns the first of the `width` columns, or rows, of a tile. The last tile begins earlier if it
/// would leave lanes unused.
[[gnu::always_inline]] constexpr std::size_t first_of_tile(std::size_t tile, std::size_t width,
                                                           std::size_t length) {
  if ((tile + 1) * width <= length) return tile * width;
  return length > width ? length - width : 0;
}

/// Radices up to `largest_butterfly` are butterflies; larger primes up to `longest_prime_radix` are
/// sums by the definition.
inline constexpr int largest_butterfly = 16;
inline constexpr int longest_prime_radix = 127;

/// One Stockham stage of a length: its radix (1 if elements are only moved), and the offset of its
/// roots in the table, in reals.
struct stage {
  int radix = 0;
  std::size_t roots = 0;
};

/// A length as a product of radices, first stage first.
struct chain {
  std::size_t length = 0;
  int n_stages = 0;
  stage stages[16];
};

/// Rows in memory, one transform each. Pitches count reals.
template <class Real>
struct rows {
  const Real* in = nullptr;
  Real* out = nullptr;
  std::size_t in_pitch = 0;
  std::size_t out_pitch = 0;
  std::size_t count = 0;
  Real scale = 1;  ///< Of complex rows, as is the next: methods of reals have their own.
  bool is_swapped = false;
};

/// One transform of length A B as A-point transforms of the columns and B-point transforms of the
/// rows of an A x B matrix:  j = j1 B + j2,  k = k1 + A k2.  B is at least the width. Between the
/// two, the matrix lies in blocks of `width` rows.  [tile of k1][j2][re, im][lane of k1]
template <class Real>
struct matrix {
  chain columns;  ///< Length A.
  chain rows;     ///< Length B.
  /// A and B are powers of two and multiples of the width: columns are transposed before, not
  /// after, they are transformed, which saves one crossing of the cache.
  bool is_divided = false;
  const Real* roots = nullptr;  ///< Of both chains.
  /// w^(j2 l), l < width.  [j2][re, im][lane of l]
  const Real* step_lane = nullptr;
  /// w^(j2 k1), k1 the first of a tile; if divided, in the order of a last stage, k1 = q + k A/R.
  /// [j2][tile of k1][re, im]
  const Real* step_first = nullptr;
  /// The products of both, in the order of the matrix, if tables are short; else null.
  const Real* step = nullptr;
  std::size_t block_pitch = 0;  ///< Complex numbers from one block of rows to the next.
};

/// A share of the tiles of one matrix transform: strips of `width` columns, or blocks of rows.
template <class Real>
struct tiles {
  const Real* in = nullptr;
  Real* blocks = nullptr;  ///< The matrix between the halves.
  Real* out = nullptr;
  std::size_t first = 0;
  std::size_t end = 0;
  Real* scratch = nullptr;  ///< 3 max(A, B) width complex numbers.
  Real scale = 1;
  bool is_swapped = false;
};

/// Columns of complex numbers, one transform in each lane: row j begins at in + j in_pitch. Pitches
/// count complex numbers.
template <class Real>
struct strip {
  const Real* in = nullptr;
  Real* out = nullptr;
  std::size_t in_pitch = 0;
  std::size_t out_pitch = 0;
  Real* scratch = nullptr;  ///< Two strips; none for a single stage.
  Real scale = 1;
  bool is_swapped = false;
};

/// A chirp with which columns of N points are convolved within M; see chirp.hpp.
template <class Real>
struct convolved {
  std::size_t length = 0;          ///< N
  const Real* factors = nullptr;   ///< [j][re, im]
  const Real* spectrum = nullptr;  ///< [bin][re, im]
};

/// The type in memory: the kernels' own numbers, or 16 bits, for which kernels compute in fp32.
enum class stored { own, fp16, bf16 };

/// A rectangle of numbers, real or complex, in memory and in a tile. Strides count reals.
struct rectangle {
  stored type = stored::own;     ///< In memory; in a tile all numbers are the kernels' own.
  std::size_t imaginary_at = 0;  ///< In memory, from a real to its imaginary part; 0: none.
  std::size_t n_runs = 1;
  std::size_t run_length = 1;
  std::size_t memory_run = 0;   ///< From one run to the next.
  std::size_t memory_step = 0;  ///< From one number of a run to the next.
  std::size_t tile_run = 0;
  std::size_t tile_step = 0;
};

/// One row on its way between a real transform and the complex one of half its length, H.
template <class Real>
struct mirror {
  const Real* in = nullptr;
  Real* out = nullptr;
  std::size_t half = 0;         ///< H
  const Real* lane = nullptr;   ///< w^(1 + l), l < width, w = exp(-2 pi i / 2H).  [re, im][l]
  const Real* first = nullptr;  ///< w^(v width); last: w^(H/2 - width).           [v][re, im]
  std::size_t begin = 0;        ///< First vector of this share; vector 0 includes bins 0 and H.
  std::size_t end = 0;          ///< Of H / 2 / width vectors, rounded up; the last is in the share
                                ///< of the one before it, because they share pairs.
};

/// The product of a row's bins and a spectrum's bins. `out` may be either input.
template <class Real>
struct bin_product {
  const Real* x = nullptr;
  const Real* spectrum = nullptr;
  Real* out = nullptr;
  std::size_t count = 0;  ///< Complex numbers.
  bool conjugates_x = false;
  bool conjugates_spectrum = false;  ///< At most one of the two.
};

/// One half of a matrix transform, on the calling thread.
template <class Real>
using tiles_kernel = void (*)(const matrix<Real>& shape, const tiles<Real>& work);

/// Transforms rows of one length on the calling thread. `factors` and `roots` are of that length;
/// `scratch` holds two rows if stages go through memory.
template <class Real>
using rows_kernel = void (*)(const chain& factors, const Real* roots, const rows<Real>& work,
                             Real* scratch);

/// The input of a kernel of one row, besides the row.
template <class Real>
struct single_row {
  const Real* roots = nullptr;
  Real scale = 1;
  std::size_t length = 0;
};

/// How one row is transformed in two stages: the first one's radix, and the lanes of its vectors.
struct two_stages {
  int radix = 0;  ///< 0: no kernel.
  int width = 0;
};

/// Returns the fastest measured split of a length, for at most `widest` lanes, or {} if another
/// method was faster.
constexpr two_stages two_stages_of(std::size_t length, std::size_t real_bytes, int widest) {
  constexpr struct {
    std::size_t length;
    two_stages fp32, fp64;
  } lengths[] = {
      {16, {4, 4}, {4, 4}}, {18, {3, 4}, {}},     {21, {3, 4}, {}},      {22, {2, 4}, {}},
      {24, {4, 4}, {4, 4}}, {25, {5, 4}, {}},     {26, {2, 8}, {}},      {27, {3, 4}, {3, 8}},
      {28, {4, 4}, {4, 4}}, {30, {6, 4}, {}},     {32, {8, 4}, {8, 4}},  {33, {3, 4}, {}},
      {35, {7, 4}, {}},     {36, {4, 8}, {6, 4}}, {39, {3, 4}, {3, 8}},  {40, {5, 8}, {4, 4}},
      {42, {7, 4}, {7, 4}}, {44, {4, 8}, {4, 4}}, {45, {3, 4}, {5, 8}},  {48, {6, 8}, {12, 4}},
      {50, {5, 8}, {5, 8}}, {52, {4, 8}, {4, 4}}, {54, {}, {6, 4}},      {55, {}, {11, 4}},
      {56, {7, 8}, {4, 4}}, {60, {6, 8}, {4, 4}}, {64, {8, 8}, {8, 8}},  {65, {}, {5, 4}},
      {72, {8, 8}, {8, 4}}, {78, {}, {6, 4}},     {80, {10, 8}, {8, 4}}, {96, {12, 8}, {12, 4}},
      {100, {}, {10, 4}},   {144, {12, 8}, {}},   {160, {16, 8}, {}},    {192, {12, 8}, {}}};
  for (const auto& each : lengths) {
    if (each.length != length) continue;
    const two_stages shape = real_bytes == 8 ? each.fp64 : each.fp32;
    if (shape.width <= widest) return shape;
  }
  return {};
}

/// Returns whether, in a single row, each number is a vector of re and im, because that is fastest.
constexpr bool has_number_vectors(std::size_t length, std::size_t real_bytes) {
  if (length < 16) return (length & (length - 1)) != 0;
  if (real_bytes < 8) return length == 20;
  constexpr std::size_t lengths[] = {18, 20, 21, 22, 25, 26, 30, 33, 35};
  for (const std::size_t each : lengths) {
    if (length == each) return true;
  }
  return false;
}

/// Returns whether adjacent rows keep their numbers as pairs too. 64 rows of 4 points took 95 ns in
/// fp32 and 108 in fp64, with a row in each lane 109 and 135; of 8 points in fp32 262 and 191.
constexpr bool has_number_rows(std::size_t length, std::size_t real_bytes) {
  if (length == 8) return real_bytes == 8;
  return length == 2 || length == 4 || has_number_vectors(length, real_bytes);
}

/// The longest single row of reals whose numbers are vectors; see real_numbers.hpp.
inline constexpr int longest_real_numbers = 70;

/// Returns whether the numbers of a row of reals are vectors, because a matrix takes longer: 20
/// points of fp32 took 30 ns alone and 24 in a batch of 64, by a matrix 47 and 28; 33 points of
/// fp64 took 40 ns, by a matrix 72 alone and 62 in such a batch. (Xeon with AVX-512, one thread.)
constexpr bool has_real_numbers(std::size_t length, std::size_t real_bytes) {
  if (real_bytes < 8) return length == 16 || length == 20 || length == 24;
  if (length > longest_real_numbers) return false;
  if (length % 2 != 0) return length >= 13 && has_number_vectors(length, real_bytes);
  return length >= 8 && (length <= 32 || has_number_vectors(length / 2, real_bytes));
}

/// The longest row by the definition, which takes as long as a chirp from some 140 points on.
inline constexpr std::size_t longest_direct = 128;

/// Transforms the row at `in`; `row` is a single_row. Also the call of a backend::direct_run.
using single_kernel = void (*)(const void* row, const std::byte* in, std::byte* out);

/// The kernels of one instruction set and precision.
template <class Real>
struct kernels {
  int width;      ///< Numbers in the widest vector; some kernels also take half or a quarter of it.
  int max_radix;  ///< The largest useful radix: 16 complex vectors spill AVX2's 16 registers.

  // Kernels of rows are chosen once per plan, for a length or width and for `rows::is_swapped`,
  // because the choice takes as long as a short row.

  /// Rows in registers: lengths of has_number_rows(); others up to 8, a row in each lane; and
  /// 16, 32 and 64, if two_stages_of() has them, two rows in a vector. Null for others.
  /// roots of the latter: w^(pk) as [k - 1][re, im][row][p], p < width of the stages, for two equal
  /// rows; then those of one row, as for `single`
  rows_kernel<Real> (*codelet)(std::size_t length, bool is_swapped);

  /// One row in registers: of 2, 4 or 8 points, or of a length of has_number_vectors() or
  /// two_stages_of(), whose first stage has roots as in `transposed`; null for others.
  single_kernel (*single)(std::size_t length, bool is_swapped);

  /// One row from or to reals, if has_real_numbers().  roots, for even lengths N: -i w^k,
  /// w = exp(-2 pi i / N), 0 < k < N/4, as [k - 1][re, re, -im, im]
  single_kernel (*single_reals)(std::size_t length, bool is_back);

  /// One row of up to `longest_direct` points, at least twice the width, by the definition.
  /// roots: cosines and sines of 2 pi jk/N, j and k from 1 to N/2, as
  /// [j - 1][tile of k - 1][cosines, sines][lane]; for j = N/2 half the cosines
  single_kernel (*direct)(int width, bool is_swapped);

  /// One row after another of A B points: the first stage's radix is A, and B at least `width`.
  /// roots: for the first stage, w^(k1 j2) as [tile of j2][k1 - 1][re, im][lane]; for the others
  /// except the last, w^(pk) as [p][k - 1][re, im]
  rows_kernel<Real> (*transposed)(int width, bool is_swapped);

  tiles_kernel<Real> columns;  ///< The first half: columns of `in` to `blocks`.
  tiles_kernel<Real> blocks;   ///< The second half: `blocks` to columns of `out`.

  /// `width` columns: as many as the widest vector has lanes, or a half or a quarter of them if the
  /// length is a power of two.
  /// roots: for each stage except the last, w^(pk) as [p][k - 1][re, im]
  void (*strip_of)(int width, const chain& factors, const Real* roots, const strip<Real>& columns);

  /// As many columns as the widest vector has lanes, convolved with a chirp; factors and roots are
  /// those of M, as above, and `scratch` holds two strips of M.
  void (*chirped_strip)(const chain& factors, const Real* roots, const convolved<Real>& chirp,
                        const strip<Real>& columns);

  /// Memory to tile and back; the latter rounds to nearest, ties to even.
  void (*gather)(const rectangle& shape, const void* memory, Real* tile);
  void (*scatter)(const rectangle& shape, const Real* tile, void* memory);

  /// H bins of the half-length transform, scaled by 1/2, to the H + 1 bins of the real one.
  void (*split)(int width, const mirror<Real>& row);

  /// H + 1 bins of a real signal to the H bins whose inverse transform is that signal.
  void (*join)(int width, const mirror<Real>& row);

  void (*multiply)(const bin_product<Real>& bins);
};

struct instruction_set {
  kernels<float> fp32;
  kernels<double> fp64;
};

}  // namespace wingbeat::backend::host
