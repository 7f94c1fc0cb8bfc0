// SPDX-License-Identifier: Apache-2.0
#include "verify/sample.hpp"

#include <algorithm>  // clamp, min
#include <cmath>      // isnan, sqrt
#include <utility>    // exchange

#include "arrays/address_space.hpp"     // product_of
#include "reference/axis.hpp"           // axis
#include "reference/real_axis.hpp"      // real_axis
#include "reference/root_of_unity.hpp"  // row
#include "request/resolved.hpp"         // input_array, logical_points_of
#include "verify/row.hpp"               // mirrored
#include "wingbeat/roots.hpp"           // root

namespace wingbeat::verify {
namespace {

using device::direction;
template <class Real>
using line = reference::row<Real>;
using lengths = std::vector<std::size_t>;

direction direction_of(transform kind) {
  return traits_of(kind).is_forward ? direction::forward : direction::inverse;
}

lengths all_but_last(lengths axes) {
  axes.pop_back();
  return axes;
}

std::size_t rows_of(const plan_spec& spec) {
  return request::points_of(spec) / spec.lengths.back();
}

/// Returns a b without operator*'s checks for NaN, which take longer than the product.
template <class Sum>
std::complex<Sum> product(std::complex<Sum> a, std::complex<Sum> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// The weights w_N^(jr) of the inputs j of one axis, from two tables: j = far low + near.
template <class Sum>
class axis_weights {
 public:
  axis_weights(std::size_t length, std::size_t r, direction dir) : is_one_(r == 0) {
    if (is_one_) return;
    const auto weight = [&](std::size_t j) {
      const auto w = wingbeat::root(j * r % length, length);
      const auto im = static_cast<Sum>(w.imag());
      return std::complex<Sum>{static_cast<Sum>(w.real()), dir == direction::inverse ? -im : im};
    };
    for (std::size_t j = 0; j < std::min(low, length); ++j) near_.push_back(weight(j));
    for (std::size_t j = 0; j < length; j += low) far_.push_back(weight(j));
  }

  [[nodiscard]] bool is_one() const noexcept { return is_one_; }
  [[nodiscard]] std::complex<Sum> operator()(std::size_t j) const {
    return is_one_ ? std::complex<Sum>{1} : product(far_[j / low], near_[j % low]);
  }

 private:
  static constexpr std::size_t low = std::size_t{1} << 12;
  bool is_one_;
  line<Sum> near_, far_;
};

/// Returns a row of the input with all N elements; half spectra are completed:
///     X[k0]..[N - k] = conj X[-k0]..[k].
line<double> whole_row(const plan_spec& spec, const arrays::array& in, std::size_t number,
                       const byte_reader& input) {
  line<double> x = row_of(in, number, input);
  if (traits_of(spec.kind).in != domain::hermitian) return x;
  const std::size_t n = spec.lengths.back(), n_rows = rows_of(spec);
  if (n_rows == 1) {  // no real output depends on these
    x.front().imag(0);
    if (n % 2 == 0) x.back().imag(0);
  }
  const std::size_t opposite = mirrored(number % n_rows, all_but_last(spec.lengths));
  const line<double> mirror = row_of(in, number - number % n_rows + opposite, input);
  for (std::size_t k = x.size(); k < n; ++k) x.push_back(std::conj(mirror[n - k]));
  return x;
}

/// Returns how many elements of each axis a sample takes, beyond the end of half spectra, too.
lengths lengths_of(const plan_spec& spec, const output_sample& sample) {
  lengths kept;
  for (std::size_t a = 0; a < spec.lengths.size(); ++a) {
    kept.push_back(spec.lengths[a] / sample.axes[a].step);
  }
  return kept;
}

/// Returns the input folded along every axis to as many elements as the sample has.
template <class Sum>
line<Sum> folded_input(const plan_spec& spec, const output_sample& sample,
                       const byte_reader& input) {
  const arrays::array in = request::input_array(spec);
  const lengths kept = lengths_of(spec, sample), outer = all_but_last(spec.lengths);
  std::vector<axis_weights<Sum>> weights;
  for (std::size_t a = 0; a < spec.lengths.size(); ++a) {
    weights.emplace_back(spec.lengths[a], sample.axes[a].first, direction_of(spec.kind));
  }
  line<Sum> folded(product_of(kept));
  for (std::size_t r = 0; r < rows_of(spec); ++r) {
    std::complex<Sum> row_weight = 1;
    std::size_t target = 0, stride = kept.back(), rest = r;
    for (std::size_t a = outer.size(); a-- > 0; rest /= outer[a], stride *= kept[a]) {
      row_weight = product(row_weight, weights[a](rest % outer[a]));
      target += rest % outer[a] % kept[a] * stride;
    }
    const line<double> x = whole_row(spec, in, sample.transform * rows_of(spec) + r, input);
    const bool is_weighted = !weights.back().is_one();
    for (std::size_t first = 0; first < x.size(); first += kept.back()) {
      for (std::size_t i = 0; i < kept.back(); ++i) {
        std::complex<Sum> term(x[first + i]);
        if (is_weighted) term = product(term, weights.back()(first + i));
        folded[target + i] += outer.empty() ? term : product(row_weight, term);
      }
    }
  }
  return folded;
}

/// Returns how many elements of the last axis a sample has; a half spectrum ends early.
std::size_t row_length_of(const plan_spec& spec, const output_sample& sample) {
  const auto [first, step] = sample.axes.back();
  return (request::output_array(spec).axes.back().length - first + step - 1) / step;
}

template <class Sum>
line<double> transformed(const plan_spec& spec, const output_sample& sample,
                         const byte_reader& input) {
  const line<Sum> folded = folded_input<Sum>(spec, sample, input);
  line<long double> points(folded.begin(), folded.end());
  const lengths kept = lengths_of(spec, sample);
  std::size_t stride = 1;
  for (std::size_t a = kept.size(); a-- > 0; stride *= kept[a]) {
    reference::axis{kept[a], direction_of(spec.kind)}(points, stride);
  }
  const bool to_real = traits_of(spec.kind).out == domain::real;
  const std::size_t row_length = row_length_of(spec, sample);
  line<double> result;
  result.reserve(points.size() / kept.back() * row_length);
  for (std::size_t first = 0; first < points.size(); first += kept.back()) {
    for (std::size_t k = 0; k < row_length; ++k) {
      const auto exact = points[first + k];
      result.emplace_back(static_cast<double>(exact.real()),
                          to_real ? 0 : static_cast<double>(exact.imag()));
    }
  }
  return result;
}

/// Transforms from reals to reals are sampled axis by axis, starting with the slowest, which is
/// folded while rows are read.
line<double> transformed_reals(const plan_spec& spec, const output_sample& sample,
                               const byte_reader& input) {
  const arrays::array in = request::input_array(spec);
  const auto axis_of = [&](std::size_t a) {
    const auto [first, step] = sample.axes[a];
    return reference::real_axis{request::kind_of_axis(spec, a), spec.lengths[a], spec.orthogonalize,
                                first, step};
  };
  const reference::real_axis slowest = axis_of(0);
  std::size_t stride = product_of(spec.lengths) / spec.lengths.front();
  line<long double> folded(slowest.n_points() * stride);
  std::size_t element = 0;
  for (std::size_t r = 0; r < rows_of(spec); ++r) {
    for (const auto& x : row_of(in, sample.transform * rows_of(spec) + r, input)) {
      slowest.fold(element / stride, x.real(), &folded[element % stride], stride);
      ++element;
    }
  }
  line<long double> elements(slowest.n_elements() * stride), points(slowest.n_points());
  for (std::size_t column = 0; column < stride; ++column) {
    for (std::size_t i = 0; i < points.size(); ++i) points[i] = folded[i * stride + column];
    slowest.finish(points, &elements[column], stride);
  }
  for (std::size_t a = 1; a < spec.lengths.size(); ++a) {
    stride /= spec.lengths[a];
    axis_of(a)(elements, stride);
  }
  return {elements.begin(), elements.end()};
}

/// Returns the bins of a row that a sample takes; `bin_at` maps places to bins.
line<double> bins_of(const arrays::array& array, std::size_t number,
                     const output_sample::axis& taken, const byte_reader& read,
                     const bin_map& bin_at) {
  const std::size_t n = array.axes.back().length;
  line<double> whole, bins((n - taken.first + taken.step - 1) / taken.step);
  if (taken.step == 1) whole = row_of(array, number, read);
  const auto take = [&](std::size_t place, std::size_t bin) {
    if (bin < taken.first || (bin - taken.first) % taken.step != 0) return;
    bins[(bin - taken.first) / taken.step] =
        whole.empty() ? elements_of(array, number, place, place + 1, read).front() : whole[place];
  };
  if (bin_at) {
    for (std::size_t place = 0; place < n; ++place) take(place, bin_at(place));
  } else {
    for (std::size_t bin = taken.first; bin < n; bin += taken.step) take(bin, bin);
  }
  return bins;
}

/// Returns how often Parseval's law counts the energy of an element of a row. Half spectra: twice,
/// but once for a bin that is its own opposite. Cosines and sines: half for an element that is its
/// own mirror image along an axis.
double parseval_weight(const plan_spec& spec, bool is_input, std::size_t number, std::size_t k) {
  const request::traits& whole = traits_of(spec.kind);
  const std::size_t n = spec.lengths.back();
  if (!whole.is_real_to_real()) {
    const bool is_half = !is_input && whole.out == domain::hermitian;
    return !is_half || k == 0 || 2 * k == n ? 1 : 2;
  }
  double weight = 1;
  std::size_t rest = number * n + k;
  for (std::size_t a = spec.lengths.size(); a-- > 0; rest /= spec.lengths[a]) {
    const request::traits& kind = request::kind_of_axis(spec, a);
    const std::size_t length = spec.lengths[a], i = rest % length;
    const bool is_mirror =
        is_input ? kind.is_own_mirror_in(i, length) : kind.is_own_mirror_out(i, length);
    if (is_mirror && !spec.orthogonalize) weight /= 2;
  }
  return weight;
}

/// Calls visit(elements, row, first element) for pieces of the rows of a transform.
template <class Visit>
void each_piece(const arrays::array& array, std::size_t n_rows, std::size_t transform,
                const byte_reader& read, Visit visit) {
  constexpr std::size_t most = 4096;
  const std::size_t n = array.axes.back().length;
  for (std::size_t r = 0; r < n_rows; ++r) {
    for (std::size_t first = 0; first < n; first += most) {
      const std::size_t end = std::min(first + most, n);
      visit(elements_of(array, transform * n_rows + r, first, end, read), r, first);
    }
  }
}

/// Returns the energy of a piece of a row. Blocks are summed separately, because the roundings of
/// 2^24 equal terms in one sum would exceed the precision of fp64.
long double energy_of(const plan_spec& spec, bool is_input, const line<double>& piece,
                      std::size_t number, std::size_t first) {
  constexpr std::size_t block = 4096;
  long double sum = 0, part = 0;
  for (std::size_t i = 0; i < piece.size(); ++i) {
    if (i % block == 0) sum += std::exchange(part, 0);
    part += parseval_weight(spec, is_input, number, first + i) *
            std::norm(std::complex<long double>{piece[i]});
  }
  return sum + part;
}

/// Returns the largest divisor of n that is at most `most`.
std::size_t divisor_up_to(std::size_t n, std::size_t most) {
  while (n % most != 0) --most;
  return most;
}

}  // namespace

std::vector<std::complex<double>> expected_sample(const plan_spec& spec,
                                                  const output_sample& sample,
                                                  const byte_reader& input) {
  if (traits_of(spec.kind).is_real_to_real()) {
    return transformed_reals(spec, sample, input);
  }
  return spec.real == precision::fp64 ? transformed<long double>(spec, sample, input)
                                      : transformed<double>(spec, sample, input);
}

line<double> read_sample(const arrays::array& out, const output_sample& sample,
                         const byte_reader& output, const bin_map& bin_at) {
  std::size_t n_rows = 1, n_sampled = 1;
  for (std::size_t a = 0; a + 1 < out.axes.size(); ++a) {
    n_rows *= out.axes[a].length;
    n_sampled *= out.axes[a].length / sample.axes[a].step;
  }
  line<double> result;
  for (std::size_t r = 0; r < n_sampled; ++r) {
    std::size_t number = sample.transform * n_rows, stride = 1, rest = r;
    for (std::size_t a = out.axes.size() - 1; a-- > 0; stride *= out.axes[a].length) {
      const auto [first, step] = sample.axes[a];
      const std::size_t kept = out.axes[a].length / step;
      number += (first + rest % kept * step) * stride;
      rest /= kept;
    }
    const line<double> bins = bins_of(out, number, sample.axes.back(), output, bin_at);
    result.insert(result.end(), bins.begin(), bins.end());
  }
  return result;
}

double norm_by_input(const plan_spec& spec, std::size_t transform, const byte_reader& input) {
  const arrays::array in = request::input_array(spec);
  long double sum = 0;
  if (traits_of(spec.kind).in == domain::hermitian) {
    for (std::size_t r = 0; r < rows_of(spec); ++r) {
      sum += energy_of(spec, true, whole_row(spec, in, transform * rows_of(spec) + r, input), r, 0);
    }
  } else {
    each_piece(in, rows_of(spec), transform, input,
               [&](const line<double>& piece, std::size_t r, std::size_t first) {
                 sum += energy_of(spec, true, piece, r, first);
               });
  }
  return static_cast<double>(std::sqrt(sum * request::logical_points_of(spec)));
}

output_extremes extremes_of(const plan_spec& spec, const arrays::array& out, std::size_t transform,
                            const byte_reader& output) {
  output_extremes found;
  long double sum = 0, largest = -1;
  each_piece(out, rows_of(spec), transform, output,
             [&](const line<double>& piece, std::size_t r, std::size_t first) {
               for (std::size_t i = 0; i < piece.size() && !std::isnan(largest); ++i) {
                 const long double power = std::norm(std::complex<long double>{piece[i]});
                 if (power <= largest) continue;
                 largest = power;
                 found.strongest = r * out.axes.back().length + first + i;
               }
               sum += energy_of(spec, false, piece, r, first);
             });
  found.magnitude = static_cast<double>(std::sqrt(largest));
  found.norm = static_cast<double>(std::sqrt(sum));
  return found;
}

lengths sampled_lengths(const lengths& axes, std::size_t max_points) {
  constexpr std::size_t max_elements = std::size_t{1} << 16;
  constexpr std::size_t long_row = std::size_t{1} << 14, n_read = std::size_t{1} << 12;
  constexpr std::size_t max_rows = std::size_t{1} << 14;
  const std::size_t all_rows = product_of(all_but_last(axes));
  if (all_rows * axes.back() <= max_points && all_rows <= max_rows) return axes;
  lengths kept(axes.size(), 1);
  kept.back() = axes.back() <= long_row ? axes.back() : divisor_up_to(axes.back(), n_read);
  const std::size_t n_rows =
      std::min(std::clamp<std::size_t>(max_elements / kept.back(), 1, n_read), all_rows);
  // Takes more of the axis that is sampled most sparsely: twice as many for a power of two.
  while (product_of(all_but_last(kept)) < n_rows) {
    std::size_t sparsest = 0;
    for (std::size_t a = 1; a + 1 < axes.size(); ++a) {
      if (axes[a] / kept[a] > axes[sparsest] / kept[sparsest]) sparsest = a;
    }
    do ++kept[sparsest];
    while (axes[sparsest] % kept[sparsest] != 0);
  }
  return kept;
}

}  // namespace wingbeat::verify
