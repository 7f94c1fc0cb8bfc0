// SPDX-License-Identifier: Apache-2.0
// A pass as numbers: constants of its kernel, with which the planner computes too. Everything that
// follows from them, such as the sizes of scratch and tables, is a function here.
#pragma once

#include "wingbeat/device/cluster/numbers.hpp"       // cluster::numbers
#include "wingbeat/device/direction.hpp"             // direction
#include "wingbeat/device/index.hpp"                 // is_power_of_two, maximum, minimum
#include "wingbeat/device/order.hpp"                 // order
#include "wingbeat/device/port.hpp"                  // WINGBEAT_FN, size
#include "wingbeat/device/twiddle.hpp"               // root_tables, rows
#include "wingbeat/device/workgroup/exchange.hpp"    // delivered_bytes, row_pitch, slot_layout
#include "wingbeat/device/workgroup/prime_rows.hpp"  // prime_order, prime_rows
#include "wingbeat/device/workgroup/schedule.hpp"    // schedule, twiddling

namespace wingbeat::device::grid {

/// The kind of row on one side of a pass.
enum class row {
  complex_row,   ///< Complex numbers; or the same number of neighbouring pairs of reals.
  half_spectrum  ///< Bins 0 .. N of a real transform of length 2N.
};

/// What a pass does with the elements of a butterfly; each has a header in bodies/.
enum class body {
  transform,     ///< One workgroup's transform of registers.
  convolve,      ///< Forward, times a spectrum, inverse, by one workgroup.
  real_row,      ///< A whole row of reals to bins, or back, by one workgroup.
  line,          ///< A cluster's transform of A B points.
  plane,         ///< A cluster's transform of A rows of B points.
  rader,         ///< p = R + 1 points, a prime: all except the first are convolved within R.
  halved_rader,  ///< Same, by two threads per row; each convolves one half.
  real_rader,    ///< A row of p = 2 R + 1 reals, a prime, to bins, or back, by one workgroup.
  correlate,     ///< Forward for pairs of rows, the sum of their products, inverse, by one
                 ///< workgroup.
  diagonal_row   ///< A whole row of reals to bins, changed by the load end, and back.
};

/// Returns how a body orders the points of a prime, or none.
WINGBEAT_FN constexpr workgroup::prime_order order_of(body makes) {
  using workgroup::prime_order;
  return makes == body::rader          ? prime_order::whole
         : makes == body::halved_rader ? prime_order::halves
         : makes == body::real_rader   ? prime_order::reals
                                       : prime_order::none;
}

/// How a body that convolves combines a row's bin x and a spectrum's bin h.
enum class product {
  plain,              ///< x h: a convolution.
  conjugate_row,      ///< conj(x) h: a correlation of the spectrum's signal with the row.
  conjugate_spectrum  ///< x conj(h): a correlation of the row with the spectrum's signal.
};

/// How each row of twiddle roots, k < P, after prior length P is stored: as one table, or as two if
/// one would exceed the caches and take long to make.
WINGBEAT_FN constexpr twiddle::root_tables twiddle_row(size prior) {
  return {prior, size{1} << 15};
}

/// The work of a workgroup, or of a cluster of them.
struct tile_shape {
  body makes = body::transform;
  size length = 1;      ///< R: complex elements of a butterfly.
  unsigned first = 1;   ///< A and B of a line or plane, R = A B.
  unsigned second = 1;  //
  unsigned elements_per_thread = 1;
  unsigned lanes = 1;          ///< Butterflies at once.
  unsigned workgroups = 1;     ///< Per cluster.
  unsigned element_bytes = 8;  ///< Bytes of a complex number in registers.
  unsigned bank_bytes = 0;     ///< Width of all banks of local memory; 0 on a CPU.
  bool lanes_across = false;   ///< Neighbouring threads take neighbouring butterflies.
  bool along_out = false;      ///< Across on the way in only; neighbours store one butterfly.
  bool half_trade = false;     ///< Exchange real parts, then imaginary parts.
  bool stage_in = false;       ///< Load through local memory, neighbours with neighbours.
  bool stage_out = false;      ///< Store through local memory, the same way.
  bool overlaid = false;       ///< Stage real rows on the way out in the exchange's memory.
  bool mirrored = false;       ///< Half of the lanes are columns c, the others columns -c, so
                               ///< that bins k and N - k meet in one workgroup.
  row source = row::complex_row;
  row sink = row::complex_row;
  order bins = order::natural;     ///< Order of a spectrum that stays in threads.
  product times = product::plain;  ///< Product of a convolving body.
  size points = 0;  ///< Elements that are not padding, or reals, of a row convolved within R; 0:
                    ///< all.
  unsigned partial_bytes = 0;  ///< Bytes of a thread's partial result; 0: does not reduce.
  /// For a store that keeps a state over all rows of the batch: elements of a butterfly (0: it
  /// stores at once), bytes per element that stay in local memory, and bytes per real, the first
  /// ones, that stay in registers.
  unsigned kept = 0, kept_bytes = 0, held_bytes = 0;
  workgroup::twiddling twiddles = workgroup::twiddling::apart;

  WINGBEAT_FN constexpr bool is_cluster() const {
    return makes == body::line || makes == body::plane;
  }
  WINGBEAT_FN constexpr bool is_convolution() const {
    return makes == body::convolve || makes == body::rader || makes == body::correlate;
  }
  WINGBEAT_FN constexpr workgroup::prime_rows as_prime() const {
    const bool are_staged = stage_in || stage_out;
    return {order_of(makes), unsigned(length), elements_per_thread, lanes,
            element_bytes,   are_staged,       unsigned(points)};
  }
  /// Returns whether it transforms a row of 2 R reals.
  WINGBEAT_FN constexpr bool has_real_row() const {
    return makes == body::real_row || makes == body::diagonal_row;
  }
  /// Returns the elements of a butterfly that lie in memory.
  WINGBEAT_FN constexpr size elements() const {
    if (points > 0) return points;
    return as_prime().has_order() ? as_prime().points() : length;
  }
  /// Returns whether one side is a half spectrum.
  WINGBEAT_FN constexpr bool has_half_spectrum() const {
    return source == row::half_spectrum || sink == row::half_spectrum;
  }
  WINGBEAT_FN constexpr unsigned threads() const {
    return static_cast<unsigned>(length * lanes / workgroups / elements_per_thread);
  }
  WINGBEAT_FN constexpr cluster::numbers as_cluster() const {
    return {makes == body::plane ? cluster::kind::plane : cluster::kind::line,
            first,
            second,
            elements_per_thread,
            workgroups,
            lanes,
            lanes_across,
            lanes_across && !along_out,
            element_bytes,
            bank_bytes,
            half_trade,
            twiddles};
  }
  /// Returns whether elements keep their positions in the transform, so that bins are scrambled.
  WINGBEAT_FN constexpr bool is_in_place() const { return stage_order() != order::natural; }
  WINGBEAT_FN constexpr order stage_order() const {
    return is_convolution() && is_power_of_two(length) ? order::scrambled : bins;
  }
  // Staged elements per butterfly, and entries from one real row to the next.
  WINGBEAT_FN constexpr unsigned staged_in() const {
    return static_cast<unsigned>(elements()) + (has_bin_behind(source) ? 1u : 0u);
  }
  WINGBEAT_FN constexpr unsigned staged_out() const {
    return static_cast<unsigned>(elements()) + (has_bin_behind(sink) ? 1u : 0u);
  }
  WINGBEAT_FN constexpr unsigned pitch_in() const { return pitch_of(staged_in()); }
  WINGBEAT_FN constexpr unsigned pitch_out() const { return pitch_of(staged_out()); }

  /// Returns the bytes of local memory for exchanges of a workgroup, which precede staged rows.
  WINGBEAT_FN constexpr unsigned exchange_bytes() const {
    if (is_alone()) return 0;
    if (is_in_place()) return in_place_bytes();
    return workgroup::delivered_bytes(stages(), lanes, element_bytes / (half_trade ? 2 : 1),
                                      bank_bytes);
  }

  /// Returns the bytes of local memory of one workgroup.
  WINGBEAT_FN constexpr unsigned scratch_bytes() const {
    if (keeps()) return kept_at() + kept * lanes * kept_bytes;
    return maximum(body_bytes(), threads() * partial_bytes);
  }
  WINGBEAT_FN constexpr bool keeps() const { return kept > 0; }
  /// Returns the padding of an exchange across transforms: see `workgroup::memory`. The first
  /// exchange writes runs of all lanes, a radix apart; this padding puts neighbours into different
  /// banks. (Other tiles keep the padding with which they were measured, the least for whole
  /// numbers.)
  WINGBEAT_FN constexpr unsigned pad() const {
    if (!keeps() || !lanes_across || bank_bytes == 0 || !is_power_of_two(length)) return 1;
    const unsigned banks = bank_bytes / (element_bytes / (half_trade ? 2 : 1));
    return stages().count() == 0 ? 1 : maximum(banks / stages().radix(0), 1u);
  }
  /// Returns the offset of the kept state, behind the memory of the body.
  WINGBEAT_FN constexpr unsigned kept_at() const { return (body_bytes() + 15) / 16 * 16; }

  /// Returns the bytes of local memory for body and ends, without partial results.
  WINGBEAT_FN constexpr unsigned body_bytes() const {
    if (is_cluster()) return as_cluster().scratch_bytes();
    if (makes == body::real_row) {
      const unsigned column_bytes = lanes * element_bytes;
      const unsigned arriving = exchange_bytes() + (stage_in ? pitch_in() * column_bytes : 0u);
      const unsigned leaving = stage_out ? pitch_out() * column_bytes : 0u;
      return overlaid ? maximum(arriving, leaving) : arriving + leaving;
    }
    if (makes == body::diagonal_row) {
      return exchange_bytes() + (unsigned(length) + 1) * lanes * element_bytes;
    }
    if (as_prime().has_order()) return as_prime().bytes(exchange_bytes());
    const unsigned whole = static_cast<unsigned>(length) * lanes;  // opposite bins meet in these
    const unsigned met = has_half_spectrum() ? whole * element_bytes : 0u;
    const unsigned most = maximum(exchange_bytes(), met);
    if (!stage_in && !stage_out) return most;
    if (is_in_place()) return maximum(maximum(most, in_place_bytes()), staged_layout().bytes());
    return maximum(most, staged_layout().bytes());
  }

  /// Returns the layout of the staged elements of all lanes in local memory. If rows are not powers
  /// of two, threads in sequence read runs of their lanes: see `delivered`.
  WINGBEAT_FN constexpr workgroup::slot_layout staged_layout() const {
    const unsigned whole = static_cast<unsigned>(length) * lanes;
    if (!is_power_of_two(length) && !lanes_across && bank_bytes != 0) {
      const unsigned threads_of_lane = static_cast<unsigned>(length) / elements_per_thread;
      return workgroup::delivered(whole, element_bytes, bank_bytes, elements_per_thread,
                                  threads_of_lane, bank_bytes / element_bytes);
    }
    const unsigned radix = stages().count() == 0 ? 1u : stages().radix(0);
    return {whole, element_bytes, bank_bytes, radix, /*is_in_place=*/false};
  }

  /// Returns the number of the body's roots, which begin the table of a pass.
  WINGBEAT_FN constexpr size body_roots() const {
    if (is_cluster()) return as_cluster().table_entries();
    if (as_prime().are_in_threads()) return 0;
    const size of_row = workgroup::real_roots_of(unsigned(length), elements_per_thread);
    return roots_back_at() + stages().table_entries() + (has_real_row() ? of_row : 0);
  }
  /// Returns the offset of the roots of a convolution's inverse; 0: both directions share roots.
  WINGBEAT_FN constexpr size roots_back_at() const {
    return is_convolution() ? stages(direction::forward).mirrored_entries() : 0;
  }
  WINGBEAT_FN constexpr workgroup::schedule stages(direction dir = direction::inverse) const {
    return {stage_order(), unsigned(length), elements_per_thread, twiddles, dir};
  }

 private:
  /// Returns whether one thread computes a whole transform in a single stage.
  WINGBEAT_FN constexpr bool is_alone() const {
    if (as_prime().are_in_threads()) return true;
    return length <= elements_per_thread && (is_power_of_two(length) || stages().count() <= 1);
  }
  WINGBEAT_FN constexpr unsigned in_place_bytes() const {
    return workgroup::slot_layout{unsigned(length) * lanes, element_bytes / (half_trade ? 2 : 1),
                                  bank_bytes, elements_per_thread, /*is_in_place=*/true}
        .bytes();
  }
  WINGBEAT_FN constexpr bool has_bin_behind(row side) const {
    return makes == body::real_row && side == row::half_spectrum;
  }
  WINGBEAT_FN constexpr unsigned pitch_of(unsigned count) const {
    const unsigned banks = bank_bytes / element_bytes;
    if (lanes > 1 && lanes < banks && length / elements_per_thread >= banks) {
      // Threads across lanes read `apart` neighbours of each of `lanes` rows, so rows lie `apart`
      // banks apart.
      const unsigned apart = banks / lanes;
      return (count + banks - 1 - apart) / banks * banks + apart;
    }
    return workgroup::row_pitch(count, unsigned(length) / elements_per_thread,
                                bank_bytes / element_bytes);
  }
};

/// The items that a loop around a butterfly counts.
enum class loop_role {
  others,  ///< Butterflies of other rows, or other columns.
  groups,  ///< First inputs of an axis's butterflies, each group of P R of them.
  prior    ///< The k < P of w^(q k): bins of the length transformed before.
};

/// `count` butterflies, `in` places apart on the way in and `out` on the way out; `filter`: entries
/// from the spectrum of one butterfly to that of the next.
struct loop {
  size count = 1, in = 0, out = 0;
  loop_role role = loop_role::others;
  size filter = 0;
  /// Innermost loop: inputs lie in blocks of `block` butterflies (0: no blocks), `block_in` places
  /// apart.
  size block = 0, block_in = 0;
};
inline constexpr unsigned most_loops = 10;

/// The places of one side's elements. Places count stored complex numbers or, if real and imaginary
/// parts are apart, stored reals.
struct side {
  size base = 0;      ///< Offset of the first butterfly.
  size distance = 0;  ///< From row to row of the batch.
  /// If two rows are transformed as one: from an element of the first to that of the second; else
  /// 0. Rows of reals, or of their bins, are then the real and the imaginary part.
  size second = 0;
  size stride = 1;          ///< From element to element of a butterfly; for a line or plane, from
                            ///< n2 to n2 + 1, from k2 to k2 + 1.
  size first_stride = 0;    ///< From n1 to n1 + 1, from k1 to k1 + 1.
  size unit = 1;            ///< From one index of the axis to the next.
  size step = 1;            ///< Indices of the axis from element to element of a butterfly.
  bool is_limited = false;  ///< Only these indices are in memory:
  size valid_begin = 0, valid_end = 0;  ///< indices of reals if elements are pairs.
  bool is_pairs = false;                ///< Elements are neighbouring pairs of a real row.
  bool is_hermitian = false;            ///< For i > N/2, memory only has N - i, its conjugate.
  bool is_conjugated = false;           ///< Memory has the conjugates of all elements.
  /// Elements of stride 1 lie in blocks of `block` (0: no blocks), `block_stride` places apart; the
  /// first block begins with element `block_first`; see `blocked`.
  size block = 0, block_stride = 0, block_first = 0;

  /// Returns the place of element n, counted modulo 2^64 from where element 0 would lie without
  /// blocks.
  WINGBEAT_FN constexpr size blocked(unsigned n) const {
    const unsigned i = n - unsigned(block_first), length = unsigned(block);
    return size(i / length) * block_stride + i % length + block_first;
  }
};

/// One crossing of memory: the whole grid transforms one axis, or runs one Stockham stage of it. A
/// stage has radix R after prior length P, and a body computes its butterflies; an axis that fits a
/// body is the stage with R = N, P = 1.
struct pass_numbers {
  tile_shape shape = {};
  size prior = 1;  ///< P.
  size total = 1;  ///< N, of the axis.
  side in = {}, out = {};
  loop loops[most_loops] = {};  ///< Innermost first; the lanes of a tile run over the first.
  unsigned depth = 0;           ///< Number of loops. The batch is around them all.
  bool is_flat = false;         ///< Lanes run over the first two loops as if they were one.
  bool is_full = false;         ///< Every tile has all its butterflies.
  unsigned prefetch_tiles = 0;  ///< Prefetches the input of the tile this many later; 0: none.
  size prefetch_elements = 0;   ///< Contiguous elements of a butterfly to prefetch.
  bool starts_early = false;    ///< May start while earlier launches still run.
  size max_workgroups = 0;      ///< Per launch, each for several tiles; 0: no limit.
  size roots_at = 0;            ///< Offset of this pass's roots in the table.
  size filter_distance = 0;     ///< Entries of spectra from row to row of the batch.
  /// The number of inputs, or outputs, that are multiplied by factors, those of the lowest indices;
  /// 0: none. Other inputs count as 0. If both have factors, they share them. If butterflies are
  /// convolved one by one, elements of each are counted.
  size factors_in = 0, factors_out = 0;
  /// Inputs are bins 0 .. N/2 of N = `factors_in` reals, and only real parts of the outputs are
  /// wanted, so conjugate bins are not read. Input factors are doubled, except for bins that are
  /// their own conjugates, and precede the output factors in the table.
  bool has_bins_alone = false;
  /// The number T of turns, of N = `total` points each, for rows by right angles; 0: other rows.
  /// For T N reals x, turn j computes the bins j + T k + 1/4 of order T N:
  ///     z[n] = w[n] sum over m of s[m] x[n + m N]
  ///     w[n] = v^(n (4j + 1)),  s[m] = v^(m N (4j + 1)),  v = exp(-2 pi i / (4 T N))
  /// Element n + m N of a result is the sum over turns of the real parts of conj(w[n] s[m]) z[n]. A
  /// functor stores it for each turn: an imaginary part of 1 means that it adds to the stored
  /// number. In spectra, turn j stores bin k at place j N + k.
  size n_turns = 0;
  bool prefetches_filter = false;  ///< Lanes prefetch their spectrum before they load.
  bool has_own_filter = false;     ///< The body multiplies by entries of the table.
  /// For a body that correlates: pairs of rows that it reads per stored row, and the places from
  /// row to row.
  size terms = 0, term_distance = 0;
  /// Whether it works in place: each y, times its spectrum, is transformed back and stored in its
  /// own place, and the sum in the place of x[0].
  bool returns_terms = false;
  double scale = 1;  ///< On the way out.

  /// Returns the loop of a role; `depth` if there is none.
  WINGBEAT_FN constexpr unsigned loop_of(loop_role role) const {
    unsigned i = 0;
    while (i < depth && loops[i].role != role) ++i;
    return i;
  }
  /// Returns the points of the axis, which may be fewer than are transformed.
  WINGBEAT_FN constexpr size points() const {
    return factors_in > 0 && shape.points == 0 ? factors_in : total;
  }
  /// Returns the number of inputs with factors.
  WINGBEAT_FN constexpr size inputs_with_factors() const {
    return has_bins_alone ? factors_in / 2 + 1 : factors_in;
  }
  /// Returns whether the bins of two rows of reals are separated on the way out.
  WINGBEAT_FN constexpr bool separates_rows() const { return out.second > 0 && !in.is_hermitian; }
  /// Returns whether inputs are multiplied by roots before they are transformed.
  WINGBEAT_FN constexpr bool is_twiddled() const { return prior > 1; }

  /// Returns how many elements of each thread may be nonzero; those behind the last index in memory
  /// are padding.
  WINGBEAT_FN constexpr unsigned live_elements() const {
    const unsigned elements = shape.elements_per_thread;
    if (shape.as_prime().has_order()) return elements;
    if (shape.points > 0) return live_of(shape.points);
    const bool are_mirrored = in.is_hermitian && !has_bins_alone;
    if (!in.is_limited || are_mirrored || is_twiddled() || shape.is_cluster()) return elements;
    if (shape.source == row::half_spectrum) return elements;
    const size end = in.is_pairs ? (in.valid_end + 1) / 2 : in.valid_end;
    return live_of((end + in.step - 1) / in.step);
  }

  /// Returns whether neighbouring butterflies are closer than the elements of one butterfly.
  WINGBEAT_FN constexpr bool is_across_in() const {
    return (depth == 0 ? in.distance : loops[0].in) < in.stride;
  }
  WINGBEAT_FN constexpr bool is_across_out() const {
    return (depth == 0 ? out.distance : loops[0].out) < out.stride;
  }

  /// Returns the butterflies that lanes run over, if there are loops.
  WINGBEAT_FN constexpr size lane_count() const {
    return loops[0].count * (is_flat ? loops[1].count : 1);
  }
  /// Returns the tiles of one row of the batch. Without loops the tiles run over the batch.
  WINGBEAT_FN constexpr size tiles_per_row() const {
    if (depth == 0) return 1;
    size tiles = (lane_count() + shape.lanes - 1) / shape.lanes;
    for (unsigned i = is_flat ? 2 : 1; i < depth; ++i) tiles *= loops[i].count;
    return tiles;
  }
  /// Returns the tiles of `rows` of the batch.
  WINGBEAT_FN constexpr size tiles(size rows) const {
    return depth == 0 ? (rows + shape.lanes - 1) / shape.lanes : tiles_per_row() * rows;
  }
  /// Returns the workgroups that `rows` of the batch need.
  WINGBEAT_FN constexpr size workgroups(size rows) const {
    if (shape.keeps()) return tiles_per_row();
    const size count = tiles(rows) * shape.workgroups;
    return max_workgroups == 0 ? count : minimum(count, max_workgroups);
  }

  // The table: roots of the body, of the twiddles before it, of the real transform.
  WINGBEAT_FN constexpr size twiddle_roots_at() const { return shape.body_roots(); }
  WINGBEAT_FN constexpr size twiddle_row_entries() const {
    if (shape.makes == body::rader) return 0;  // its order is irregular: it reads all roots
    return twiddle::rows(shape.elements_per_thread) * twiddle_row(prior).entries();
  }
  WINGBEAT_FN constexpr size real_roots_at() const {
    if (prior == 1) return twiddle_roots_at();
    return twiddle_roots_at() + twiddle_row_entries() +
           twiddle::root_tables{prior * shape.elements()}.entries();
  }
  /// Returns N of the real transform of length 2 N whose bins a pass separates or combines.
  WINGBEAT_FN constexpr size bins() const {
    return shape.makes == body::plane ? shape.second : total;
  }
  WINGBEAT_FN constexpr bool has_real_roots() const {
    return shape.has_half_spectrum() && shape.makes != body::real_row;
  }
  // Behind the roots: factors, or for a prime the indices g^n and g^-n mod p of each n, as numbers;
  // then the filter. For reals and halves, see their bodies.
  WINGBEAT_FN constexpr size factors_at() const {
    return real_roots_at() + (has_real_roots() ? twiddle::root_tables{2 * bins()}.entries() : 0);
  }
  WINGBEAT_FN constexpr size factors_out_at() const {
    return factors_at() + (has_bins_alone ? inputs_with_factors() : 0);
  }
  WINGBEAT_FN constexpr size filter_at() const {
    if (shape.as_prime().has_order()) return factors_at() + shape.as_prime().order_entries();
    if (has_bins_alone) return factors_out_at() + factors_out;
    return factors_at() + n_turns * (total + n_turns) + maximum(factors_in, factors_out);
  }
  WINGBEAT_FN constexpr size table_entries() const {
    if (!has_own_filter) return filter_at();
    if (shape.as_prime().has_order()) return filter_at() + shape.as_prime().filter_entries();
    return filter_at() + (shape.points > 0 ? shape.length : total);
  }

 private:
  /// Returns the number of elements of each thread among the first `count` of a butterfly.
  WINGBEAT_FN constexpr unsigned live_of(size count) const {
    const size each = shape.elements_per_thread, threads = shape.length / each;
    return static_cast<unsigned>(minimum(each, maximum(size{1}, (count + threads - 1) / threads)));
  }
};

}  // namespace wingbeat::device::grid
