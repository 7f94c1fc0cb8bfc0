// SPDX-License-Identifier: Apache-2.0
// What a search keeps of its scores, as the store of a correlation: for every place the largest
// score and its template, sums of scores and of their squares, and the number above a threshold;
// a table of all scores above another one, and a histogram of all scores.
#pragma once

#include "wingbeat/device/atomic.hpp"          // atomic_add, atomic_max, atomic_next, last_seen
#include "wingbeat/device/functors/fixed.hpp"  // fixed
#include "wingbeat/device/half.hpp"            // bits_of, float_of
#include "wingbeat/device/port.hpp"            // WINGBEAT_FN, WINGBEAT_GLOBAL, size

namespace wingbeat::device::functors {

/// The windows of one axis. At place n a window has elements n .. n + length - 1; those from
/// image_begin to image_end - 1 are the image's.
struct score_windows {
  size places = 1, length = 1, image_begin = 0, image_end = 1;
};

struct score_numbers {
  score_windows y, x;
  bool is_shared = false;  ///< Several threads update one place.
  bool has_sums = false;
  bool has_counts = false;
  bool is_normalised = false;
  bool keeps_norms = false;  ///< The kept state has the place's norm, read once for all templates.
  /// Some windows extend beyond the image, where its mean was not subtracted.
  bool has_rim = false;
  bool rounds_sums = false;  ///< Scores are rounded to multiples of a unit before they are summed.
  bool has_table = false;
  bool may_end_early = false;  ///< Some templates of a run may be none.
  size histogram_bins = 0;     ///< Of equal width; 0: no histogram.

  template <class Visit>
  WINGBEAT_FN void each(Visit visit) const {
    visit("y.places", y.places);
    visit("y.length", y.length);
    visit("y.image_begin", y.image_begin);
    visit("y.image_end", y.image_end);
    visit("x.places", x.places);
    visit("x.length", x.length);
    visit("x.image_begin", x.image_begin);
    visit("x.image_end", x.image_end);
    visit("is_shared", is_shared);
    visit("has_sums", has_sums);
    visit("has_counts", has_counts);
    visit("is_normalised", is_normalised);
    visit("keeps_norms", keeps_norms);
    visit("has_rim", has_rim);
    visit("rounds_sums", rounds_sums);
    visit("has_table", has_table);
    visit("may_end_early", may_end_early);
    visit("histogram_bins", histogram_bins);
  }
};

/// Counters of each bin of a histogram. Neighbouring places have different ones, so that threads
/// seldom wait for each other.
inline constexpr size histogram_copies = 1024;

/// A score of a table, and where it is.
struct listed_score {
  size place;
  unsigned number;
  float score;
};

/// Returns a score and its template's number as one integer. Higher scores have greater integers,
/// and equal scores those of earlier templates. 0 means no score.
WINGBEAT_FN size score_key_of(float score, unsigned number) {
  const unsigned bits = bits_of(score + 0.0f);  // -0 equals +0
  const unsigned ascending = bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
  return size(ascending) << 32 | (0xffffffffu - number);
}

/// An array kept beside the keys: its elements per place, which are 0 before the first run.
struct kept_array {
  unsigned per_place = 1;
  bool is_always_read = true, is_always_written = true;  ///< Whatever the scores are.
  size elements = 0;  ///< In all, of an array that is not of places.
};

/// Units of integer sums of coefficients and of their squares: 2^32 - 1 of them do not overflow.
/// These sums have the same bits in any order.
inline constexpr unsigned coefficient_log2 = 30, square_log2 = 32;

struct element_range {
  size begin, end;
};

/// Returns the elements of the window at a place that are inside the image.
WINGBEAT_FN element_range inside(score_windows axis, size place) {
  return {place < axis.image_begin ? axis.image_begin - place : 0,
          place + axis.length > axis.image_end ? axis.image_end - place : axis.length};
}

/// Returns the sum of a unit template over the part inside the image of the window at place i,
/// which the table has; of a whole one it is 0.
template <class Real>
WINGBEAT_FN Real rim_sum(const score_numbers& n, WINGBEAT_GLOBAL const Real* rim, size i) {
  const element_range y = inside(n.y, i / n.x.places), x = inside(n.x, i % n.x.places);
  if (y.end - y.begin == n.y.length && x.end - x.begin == n.x.length) return 0;
  const auto sum = [&](size row, size column) { return rim[row * (n.x.length + 1) + column]; };
  const Real below = sum(y.end, x.end) - sum(y.end, x.begin);
  const Real above = sum(y.begin, x.end) - sum(y.begin, x.begin);
  return below - above;
}

/// A sum of scores, and that of their squares.
template <class Sum>
struct score_moments {
  Sum sum, squares;

  /// Returns those of one score.
  template <class Real>
  WINGBEAT_FN static score_moments of(Real value) {
    if constexpr (atomics::is_real<Sum>) {
      return {Sum(value), Sum(value) * Sum(value)};
    } else {
      const Real cut = value > 1 ? Real(1) : value < -1 ? Real(-1) : value;
      const auto units =
          maths::to_integer<atomics::signed_of<size>>(cut * Real(1u << coefficient_log2));
      constexpr unsigned dropped = 2 * coefficient_log2 - square_log2;
      return {Sum(units), (Sum(units * units) + (Sum(1) << (dropped - 1))) >> dropped};
    }
  }
};

/// What `score` reads and writes beside the keys.
template <class Real, class Sum>
struct score_operands {
  unsigned first;                             ///< Number of the run's first template.
  WINGBEAT_GLOBAL Sum* moments;               // [2][y][x]
  WINGBEAT_GLOBAL unsigned* counts;           // [y][x]
  Real threshold;                             ///< Scores above it are counted.
  WINGBEAT_GLOBAL const Real* inverse_norms;  // [y][x]
  WINGBEAT_GLOBAL const Real* rim;            // [template][h + 1][w + 1], sums above and left
  Real mean;                                  ///< Mean of the image.
  Real rounding;  ///< 3/2 of the mantissa's range times the unit; adding it rounds to the unit.
  WINGBEAT_GLOBAL listed_score* table;  // [capacity]
  WINGBEAT_GLOBAL unsigned* n_listed;   ///< How many were found, also without room.
  unsigned capacity;
  Real table_threshold;
  unsigned end;                     ///< Templates from this number on have no scores.
  WINGBEAT_GLOBAL size* histogram;  // [copy][bin]
  Real histogram_begin, bins_per_score;

  /// Names the arrays that are kept.
  template <class Visit>
  WINGBEAT_FN static void each_kept(const score_numbers& n, Visit visit) {
    if (n.has_sums) visit("moments", &score_operands::moments, kept_array{2});
    if (n.has_counts) visit("counts", &score_operands::counts, kept_array{1, false, false});
    if (n.histogram_bins != 0) {
      visit("histogram", &score_operands::histogram,
            kept_array{1, true, true, histogram_copies * n.histogram_bins});
    }
  }
  template <class Visit>
  WINGBEAT_FN static void each(const score_numbers& n, Visit visit) {
    visit("first", &score_operands::first);
    each_kept(n, [&](auto name, auto member, kept_array) { visit(name, member); });
    if (n.has_counts) visit("threshold", &score_operands::threshold);
    if (n.is_normalised) visit("inverse_norms", &score_operands::inverse_norms);
    if (n.has_rim) {
      visit("rim", &score_operands::rim);
      visit("mean", &score_operands::mean);
    }
    if (n.rounds_sums) visit("rounding", &score_operands::rounding);
    if (n.has_table) {
      visit("table", &score_operands::table);
      visit("n_listed", &score_operands::n_listed);
      visit("capacity", &score_operands::capacity);
      visit("table_threshold", &score_operands::table_threshold);
    }
    if (n.may_end_early) visit("end", &score_operands::end);
    if (n.histogram_bins != 0) {
      visit("histogram_begin", &score_operands::histogram_begin);
      visit("bins_per_score", &score_operands::bins_per_score);
    }
  }
};

/// Keeps scores of type Real and sums of type Sum: `size` for sums of coefficients in units,
/// limited to -1 .. 1 and without NaN; otherwise a real. The output are keys.  // [y][x]
template <class Real, class Sum>
class score {
 public:
  using numbers = score_numbers;
  static constexpr bool in_order = true;
  using element = size;
  using operands = score_operands<Real, Sum>;

  /// Row: the number of the template in the run.
  WINGBEAT_FN score(numbers n, WINGBEAT_GLOBAL element* keys, operands given, size row)
      : numbers_(n), keys_(keys), given_(given), number_(given.first + unsigned(row)) {
    if (n.has_rim) given_.rim += row * ((n.y.length + 1) * (n.x.length + 1));
  }
  WINGBEAT_FN void store(size i, Real value) const {
    if (is_none()) return;
    value = normalised(i, value);
    const size key = score_key_of(float(value), number_);
    if (value == value && key > atomics::last_seen(keys_ + i)) raise(keys_ + i, key);
    if (numbers_.has_sums) {
      const moments of_one = moments::of(rounded(value));
      add(given_.moments + i, of_one.sum);
      add(given_.moments + places() + i, of_one.squares);
    }
    if (is_counted(value)) add(given_.counts + i, 1u);
    list(i, value);
    enter(i, value);
  }

  using moments = score_moments<Sum>;
  /// The state of one place during a run: scores of up to `most_kept` templates come in the order
  /// of their numbers.
  struct kept {
    moments total;  ///< Includes earlier runs, so that reals are added in one order.
    Real sum;       ///< Where scores are rounded, sum and squares are of this run alone.
    Real inverse_norm;
    float largest;         ///< In this run; NaN: none yet.
    unsigned char number;  ///< The largest's template, counted from 1 in this run; 0: none.
    unsigned char count;
  };
  static constexpr unsigned most_kept = 255;
  template <class Kept, class Visit>
  WINGBEAT_FN static void each_member(Kept& state, const numbers& n, Visit visit) {
    if (n.has_sums && n.rounds_sums) {
      visit(state.total.squares), visit(state.sum);
    } else if (n.has_sums) {
      visit(state.total.sum), visit(state.total.squares);
    }
    if (n.keeps_norms) visit(state.inverse_norm);
    visit(state.largest);
    visit(state.number);
    if (n.has_counts) visit(state.count);
  }

  WINGBEAT_FN kept started(size i) const {
    kept state{};
    state.largest = float_of(0x7fc00000u);
    if (numbers_.has_sums && !numbers_.rounds_sums) {
      state.total = {given_.moments[i], given_.moments[places() + i]};
    }
    if (numbers_.keeps_norms) state.inverse_norm = given_.inverse_norms[i];
    return state;
  }
  WINGBEAT_FN bool changes(const kept& state, size i, Real value) const {
    value = normalised(state, i, value);
    return !is_none() && (numbers_.has_sums || numbers_.histogram_bins != 0 ||
                          is_largest(state, value) || is_counted(value) || is_listed(value));
  }
  WINGBEAT_FN void keep(kept& state, size i, Real value) const {
    if (is_none()) return;
    value = normalised(state, i, value);
    if (is_largest(state, value)) {
      state.largest = float(value);
      state.number = (unsigned char)(number_ - given_.first + 1);
    }
    if (numbers_.has_sums && numbers_.rounds_sums) {
      const Real term = rounded(value);
      state.sum += term;
      state.total.squares += Sum(term) * Sum(term);
    } else if (numbers_.has_sums) {
      const moments of_one = moments::of(value);
      state.total.sum += of_one.sum;
      state.total.squares += of_one.squares;
    }
    if (is_counted(value)) ++state.count;
    list(i, value);
    enter(i, value);
  }
  WINGBEAT_FN element before(size i) const { return keys_[i]; }
  WINGBEAT_FN void finish(size i, const kept& state, element largest) const {
    if (state.number != 0) {
      const size key = score_key_of(state.largest, given_.first + state.number - 1);
      if (key > largest) keys_[i] = key;
    }
    if (numbers_.has_sums && numbers_.rounds_sums) {
      given_.moments[i] += Sum(state.sum);
      given_.moments[places() + i] += state.total.squares;
    } else if (numbers_.has_sums) {
      given_.moments[i] = state.total.sum;
      given_.moments[places() + i] = state.total.squares;
    }
    if (numbers_.has_counts && state.count != 0) add(given_.counts + i, unsigned(state.count));
  }

 private:
  WINGBEAT_FN static bool is_largest(const kept& state, Real value) {
    return value == value && !(float(value) <= state.largest);
  }
  WINGBEAT_FN bool is_counted(Real value) const {
    return numbers_.has_counts && value > given_.threshold;
  }
  WINGBEAT_FN bool is_none() const { return numbers_.may_end_early && number_ >= given_.end; }
  WINGBEAT_FN bool is_listed(Real value) const {
    return numbers_.has_table && value > given_.table_threshold;
  }
  WINGBEAT_FN void list(size i, Real value) const {
    if (!is_listed(value)) return;
    const unsigned place = atomic_next(given_.n_listed);
    if (place < given_.capacity) given_.table[place] = {i, number_, float(value)};
  }
  /// Counts a score in the histogram; the first and the last bin take those beyond.
  WINGBEAT_FN void enter(size i, Real value) const {
    if (numbers_.histogram_bins == 0 || value != value) return;
    const Real place = (value - given_.histogram_begin) * given_.bins_per_score;
    const size last = numbers_.histogram_bins - 1;
    const size bin = place < 1 ? 0 : place < Real(last) ? size(place) : last;
    atomic_add(given_.histogram + i % histogram_copies * numbers_.histogram_bins + bin, size(1));
  }
  WINGBEAT_FN size places() const { return numbers_.y.places * numbers_.x.places; }

  WINGBEAT_FN Real normalised(size i, Real value) const {
    return numbers_.is_normalised ? normalised(given_.inverse_norms[i], i, value) : value;
  }
  WINGBEAT_FN Real normalised(const kept& state, size i, Real value) const {
    return numbers_.keeps_norms ? normalised(state.inverse_norm, i, value) : normalised(i, value);
  }
  WINGBEAT_FN Real normalised(Real inverse_norm, size i, Real value) const {
    if (numbers_.has_rim) value += given_.mean * rim_sum(numbers_, given_.rim, i);
    return value * inverse_norm;
  }

  WINGBEAT_FN Real rounded(Real value) const {
    return numbers_.rounds_sums ? (value + given_.rounding) - given_.rounding : value;
  }

  WINGBEAT_FN void raise(WINGBEAT_GLOBAL element* place, element key) const {
    if (numbers_.is_shared) {
      atomic_max(place, key);
    } else {
      *place = key;
    }
  }
  template <class Number>
  WINGBEAT_FN void add(WINGBEAT_GLOBAL Number* place, Number value) const {
    if (numbers_.is_shared) {
      atomic_add(place, value);
    } else {
      *place += value;
    }
  }

  numbers numbers_;
  WINGBEAT_GLOBAL element* keys_;
  operands given_;
  unsigned number_;
};

}  // namespace wingbeat::device::functors
