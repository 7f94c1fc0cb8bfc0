// SPDX-License-Identifier: Apache-2.0
// A pass as numbers: constants that its kernel is compiled with, and what the planner computes
// with. Whatever follows from them, such as the size of scratch and tables, is a function here.
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

/// What a side of a pass holds.
enum class row {
  complex_row,   ///< Complex numbers; or the same number of neighbouring pairs of reals.
  half_spectrum  ///< Bins 0 .. N of a real transform of length 2N.
};

/// What becomes of the elements of a butterfly: a header in bodies/ each.
enum class body {
  transform,     ///< One workgroup's transform of registers.
  convolve,      ///< Forward, times a spectrum, inverse, by one workgroup.
  real_row,      ///< A whole row of reals to bins, or back, by one workgroup.
  line,          ///< A cluster's transform of A B points.
  plane,         ///< A cluster's transform of A rows of B points.
  rader,         ///< p = R + 1 points, a prime: all but the first are convolved within R.
  halved_rader,  ///< The same by two threads a row, each of which convolves one half.
  real_rader,    ///< A row of p = 2 R + 1 reals, a prime, to bins, or back, by one workgroup.
  correlate,     ///< Forward of two rows each, a sum of their products, inverse, by one workgroup.
  diagonal_row   ///< A whole row of reals to bins, which the load end changes, and back.
};

/// Returns how a body takes the points of a prime, if it does.
WINGBEAT_FN constexpr workgroup::prime_order order_of(body makes) {
  using workgroup::prime_order;
  return makes == body::rader          ? prime_order::whole
         : makes == body::halved_rader ? prime_order::halves
         : makes == body::real_rader   ? prime_order::reals
                                       : prime_order::none;
}

/// What a body that convolves makes of a row's bin x and a spectrum's bin h.
enum class product {
  plain,              ///< x h: a convolution.
  conjugate_row,      ///< conj(x) h: a correlation of the spectrum's signal with the row.
  conjugate_spectrum  ///< x conj(h): a correlation of the row with the spectrum's signal.
};

/// How each row of roots of a twiddle after prior length P is stored, k < P: as one table, or as
/// two, where that would outgrow the caches and take long to make.
WINGBEAT_FN constexpr twiddle::root_tables twiddle_row(size prior) {
  return {prior, size{1} << 15};
}

/// What a workgroup, or a cluster of them, makes.
struct tile_shape {
  body makes = body::transform;
  size length = 1;      ///< R: complex elements of a butterfly.
  unsigned first = 1;   ///< A and B of a line or a plane, R = A B.
  unsigned second = 1;  //
  unsigned elements_per_thread = 1;
  unsigned lanes = 1;          ///< Butterflies at once.
  unsigned workgroups = 1;     ///< Of a cluster.
  unsigned element_bytes = 8;  ///< Of a complex number in registers.
  unsigned bank_bytes = 0;     ///< Of all banks of local memory together; 0 on a CPU.
  bool lanes_across = false;   ///< Neighbouring threads take neighbouring butterflies.
  bool along_out = false;      ///< Across on the way in only: neighbours store one butterfly's.
  bool half_trade = false;     ///< Exchange real parts, then imaginary parts.
  bool stage_in = false;       ///< Load through local memory, neighbours by neighbours.
  bool stage_out = false;      ///< Store through local memory, the same way.
  bool overlaid = false;       ///< A real row is staged on the way out where it was exchanged.
  bool mirrored = false;       ///< Half of the lanes are columns c, the others columns -c, so
                               ///< that bins k and N - k meet in one workgroup.
  row source = row::complex_row;
  row sink = row::complex_row;
  order bins = order::natural;     ///< Of a transform's spectrum, where elements of a thread stay.
  product times = product::plain;  ///< Of a body that convolves.
  size points = 0;  ///< Of one convolved within R: elements that are no padding, or reals; 0: all.
  unsigned partial_bytes = 0;  ///< Of a thread's partial result, where the store reduces.
  /// Of a store that keeps over all rows of the batch: elements of a butterfly (0: it stores), the
  /// bytes of each that stay in local memory, and of each real in registers, the first ones.
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
  /// Returns whether one of its sides is a half spectrum.
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
  /// Returns whether elements keep their places in the transform, whose bins are then scrambled.
  WINGBEAT_FN constexpr bool is_in_place() const { return stage_order() != order::natural; }
  WINGBEAT_FN constexpr order stage_order() const {
    return is_convolution() && is_power_of_two(length) ? order::scrambled : bins;
  }
  // Elements that are staged: of one butterfly, and entries from a real row to the next.
  WINGBEAT_FN constexpr unsigned staged_in() const {
    return static_cast<unsigned>(elements()) + (has_bin_behind(source) ? 1u : 0u);
  }
  WINGBEAT_FN constexpr unsigned staged_out() const {
    return static_cast<unsigned>(elements()) + (has_bin_behind(sink) ? 1u : 0u);
  }
  WINGBEAT_FN constexpr unsigned pitch_in() const { return pitch_of(staged_in()); }
  WINGBEAT_FN constexpr unsigned pitch_out() const { return pitch_of(staged_out()); }

  /// Returns the local memory that a workgroup's exchanges take, before what is staged in a row.
  WINGBEAT_FN constexpr unsigned exchange_bytes() const {
    if (is_alone()) return 0;
    if (is_in_place()) return in_place_bytes();
    return workgroup::delivered_bytes(stages(), lanes, element_bytes / (half_trade ? 2 : 1),
                                      bank_bytes);
  }

  /// Returns the local memory of one workgroup.
  WINGBEAT_FN constexpr unsigned scratch_bytes() const {
    if (keeps()) return kept_at() + kept * lanes * kept_bytes;
    return maximum(body_bytes(), threads() * partial_bytes);
  }
  WINGBEAT_FN constexpr bool keeps() const { return kept > 0; }
  /// Returns the padding of an exchange across transforms: see `workgroup::memory`. The first one
  /// writes runs of all lanes, a radix apart; so many entries put neighbours into banks of their
  /// own. (Other tiles are left as they were measured, with as few as suffice for whole numbers.)
  WINGBEAT_FN constexpr unsigned pad() const {
    if (!keeps() || !lanes_across || bank_bytes == 0 || !is_power_of_two(length)) return 1;
    const unsigned banks = bank_bytes / (element_bytes / (half_trade ? 2 : 1));
    return stages().count() == 0 ? 1 : maximum(banks / stages().radix(0), 1u);
  }
  /// Returns where what is kept lies, behind what the body takes.
  WINGBEAT_FN constexpr unsigned kept_at() const { return (body_bytes() + 15) / 16 * 16; }

  /// Returns the local memory that its body and its ends take, but for partial results.
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

  /// Returns how the elements of all lanes lie in local memory when they are staged. Of rows that
  /// are no powers of two, threads in sequence read runs of their lanes: see `delivered`.
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

  /// Returns the roots of the body itself, at the head of a pass's table.
  WINGBEAT_FN constexpr size body_roots() const {
    if (is_cluster()) return as_cluster().table_entries();
    if (as_prime().are_in_threads()) return 0;
    const size of_row = workgroup::real_roots_of(unsigned(length), elements_per_thread);
    return roots_back_at() + stages().table_entries() + (has_real_row() ? of_row : 0);
  }
  /// Returns where those of a convolution's transform back begin; 0: both read the same.
  WINGBEAT_FN constexpr size roots_back_at() const {
    return is_convolution() ? stages(direction::forward).mirrored_entries() : 0;
  }
  WINGBEAT_FN constexpr workgroup::schedule stages(direction dir = direction::inverse) const {
    return {stage_order(), unsigned(length), elements_per_thread, twiddles, dir};
  }

 private:
  /// Returns whether one thread makes a whole transform, of a single stage.
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
      // Threads across lanes find as many neighbours of each row in banks of their own.
      const unsigned apart = banks / lanes;
      return (count + banks - 1 - apart) / banks * banks + apart;
    }
    return workgroup::row_pitch(count, unsigned(length) / elements_per_thread,
                                bank_bytes / element_bytes);
  }
};

/// What a loop around a butterfly counts.
enum class loop_role {
  others,  ///< Butterflies of other rows, or other columns.
  groups,  ///< First inputs of an axis's butterflies, each group of P R of them.
  prior    ///< The k < P of w^(q k): bins of what was transformed before.
};

/// `count` butterflies, `in` places apart on the way in and `out` on the way out; `filter`: entries
/// from the spectrum that one is multiplied by to the next.
struct loop {
  size count = 1, in = 0, out = 0;
  loop_role role = loop_role::others;
  size filter = 0;
  /// Of the innermost: inputs lie in blocks of so many butterflies (0: they do not), so far apart.
  size block = 0, block_in = 0;
};
inline constexpr unsigned most_loops = 10;

/// Where one side's elements lie. Places count units: stored complex numbers or, where real and
/// imaginary parts are apart, stored reals.
struct side {
  size base = 0;      ///< Of the first butterfly.
  size distance = 0;  ///< From row to row of the batch.
  /// Two rows are transformed as one: from an element of the first to that of the second. 0: they
  /// are not. Of reals, or bins of reals, which are the real and the imaginary part then.
  size second = 0;
  size stride = 1;          ///< From element to element of a butterfly: of a line or plane from n2
                            ///< to n2 + 1, from k2 to k2 + 1.
  size first_stride = 0;    ///< From n1 to n1 + 1, from k1 to k1 + 1.
  size unit = 1;            ///< From one index of the axis to the next.
  size step = 1;            ///< Indices of the axis from element to element of a butterfly.
  bool is_limited = false;  ///< Only these indices are in memory:
  size valid_begin = 0, valid_end = 0;  ///< of reals, where elements are pairs.
  bool is_pairs = false;                ///< Elements are neighbouring pairs of a real row.
  bool is_hermitian = false;   ///< Of indices i > N/2, those of N - i are in memory: conjugates.
  bool is_conjugated = false;  ///< Memory has the conjugates of all elements.
  /// Elements of stride 1 lie in blocks of so many (0: they do not), `block_stride` places apart,
  /// the first block beginning with element `block_first`; see `blocked`.
  size block = 0, block_stride = 0, block_first = 0;

  /// Returns the place of element n from that of element 0, had elements no blocks. Modulo 2^64.
  WINGBEAT_FN constexpr size blocked(unsigned n) const {
    const unsigned i = n - unsigned(block_first), length = unsigned(block);
    return size(i / length) * block_stride + i % length + block_first;
  }
};

/// One crossing of memory: the whole grid transforms one axis, or makes one Stockham stage of it.
/// A stage has radix R after prior length P, and its butterflies are made by a body; an axis that
/// fits a body is the stage with R = N, P = 1.
struct pass_numbers {
  tile_shape shape = {};
  size prior = 1;  ///< P.
  size total = 1;  ///< N: of the axis.
  side in = {}, out = {};
  loop loops[most_loops] = {};  ///< Innermost first; the lanes of a tile run over the first.
  unsigned depth = 0;           ///< Loops there are. Around them all is the batch.
  bool is_flat = false;         ///< Lanes run over the first two loops as if they were one.
  bool is_full = false;         ///< Every tile has all its butterflies.
  unsigned prefetch_tiles = 0;  ///< Prefetches the input of the tile so many later; 0: does not.
  size prefetch_elements = 0;   ///< Of a butterfly, which lie one behind another.
  bool starts_early = false;    ///< Launched while the launches before it may still run.
  size max_workgroups = 0;      ///< Of a launch, which then make several tiles each; 0: any number.
  size roots_at = 0;            ///< Where this pass's roots begin in the table.
  size filter_distance = 0;     ///< From row to row of the batch: entries of the spectra.
  /// Inputs, or outputs, of indices below the count are multiplied by factors; inputs beyond count
  /// as 0. 0: they have none. Where both have, they are the same. Of butterflies that are convolved
  /// one by one, their elements.
  size factors_in = 0, factors_out = 0;
  /// Inputs are bins 0 .. N/2 of N = `factors_in` reals, without their conjugates, and the real
  /// parts of what they make are wanted: of N/2 + 1 inputs alone, whose factors are twice as much
  /// but where a bin is its own conjugate, and stand before those of outputs.
  bool has_bins_alone = false;
  /// Rows are by right angles, in so many turns T of N = `total` points; 0: they are not. Of T N
  /// reals x turn j transforms the bins j + T k of order T N moved by a quarter,
  ///     z[n] = w[n] sum over m of s[m] x[n + m N]
  ///     w[n] = v^(n (4j + 1)),  s[m] = v^(m N (4j + 1)),  v = exp(-2 pi i / (4 T N))
  /// Element n + m N of a result is the sum over turns of the real parts of conj(w[n] s[m]) z[n]. A
  /// functor stores it for each turn: an imaginary part of 1 says that it is added to what it
  /// stored. Of spectra turn j stores bin k at place j N + k.
  size turns = 0;
  bool prefetches_filter = false;  ///< Lanes ask for their spectrum before they load.
  bool has_own_filter = false;     ///< The body multiplies by entries of the table.
  /// Of a body that correlates: pairs of rows that it reads for each row that it stores, and the
  /// places from a row to the next.
  size terms = 0, term_distance = 0;
  /// It works in place: each y, times its spectrum, is transformed back and stored where it was
  /// read, and the sum where x[0] was.
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
  /// Returns how many inputs have factors.
  WINGBEAT_FN constexpr size inputs_with_factors() const {
    return has_bins_alone ? factors_in / 2 + 1 : factors_in;
  }
  /// Returns whether the bins of two rows of reals are told apart on the way out.
  WINGBEAT_FN constexpr bool separates_rows() const { return out.second > 0 && !in.is_hermitian; }
  /// Returns whether inputs are multiplied by roots before they are transformed.
  WINGBEAT_FN constexpr bool is_twiddled() const { return prior > 1; }

  /// Returns how many elements of each thread may be other than zero: behind the last index that is
  /// in memory, the others are padding.
  WINGBEAT_FN constexpr unsigned live_elements() const {
    const unsigned all = shape.elements_per_thread;
    if (shape.as_prime().has_order()) return all;
    if (shape.points > 0) return live_of(shape.points);
    const bool are_mirrored = in.is_hermitian && !has_bins_alone;
    if (!in.is_limited || are_mirrored || is_twiddled() || shape.is_cluster()) return all;
    if (shape.source == row::half_spectrum) return all;
    const size end = in.is_pairs ? (in.valid_end + 1) / 2 : in.valid_end;
    return live_of((end + in.step - 1) / in.step);
  }

  /// Returns whether neighbouring butterflies are closer than the elements of one.
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
    if (shape.makes == body::rader) return 0;  // in no order: of all roots
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
  // then the filter. Of reals, and of halves, the body says what they are.
  WINGBEAT_FN constexpr size factors_at() const {
    return real_roots_at() + (has_real_roots() ? twiddle::root_tables{2 * bins()}.entries() : 0);
  }
  WINGBEAT_FN constexpr size factors_out_at() const {
    return factors_at() + (has_bins_alone ? inputs_with_factors() : 0);
  }
  WINGBEAT_FN constexpr size filter_at() const {
    if (shape.as_prime().has_order()) return factors_at() + shape.as_prime().order_entries();
    if (has_bins_alone) return factors_out_at() + factors_out;
    return factors_at() + turns * (total + turns) + maximum(factors_in, factors_out);
  }
  WINGBEAT_FN constexpr size table_entries() const {
    if (!has_own_filter) return filter_at();
    if (shape.as_prime().has_order()) return filter_at() + shape.as_prime().filter_entries();
    return filter_at() + (shape.points > 0 ? shape.length : total);
  }

 private:
  /// Returns how many elements of each thread are among the first `count` of a butterfly.
  WINGBEAT_FN constexpr unsigned live_of(size count) const {
    const size each = shape.elements_per_thread, threads = shape.length / each;
    return static_cast<unsigned>(minimum(each, maximum(size{1}, (count + threads - 1) / threads)));
  }
};

}  // namespace wingbeat::device::grid
