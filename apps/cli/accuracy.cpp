// SPDX-License-Identifier: Apache-2.0
#include "cli/accuracy.hpp"

#include <algorithm>  // clamp, min
#include <cmath>      // sqrt
#include <set>
#include <utility>  // move

#include "address_space.hpp"            // product_of
#include "reference/axis.hpp"           // axis
#include "reference/real_axis.hpp"      // real_axis
#include "reference/root_of_unity.hpp"  // row
#include "request/resolved.hpp"         // input_array, logical_points_of
#include "wingbeat/roots.hpp"           // root

namespace wingbeat::cli {
namespace {

using device::direction;
using reference::row;
using lengths = std::vector<std::size_t>;

direction direction_of(transform kind) {
  return request::traits_of(kind).is_forward ? direction::forward : direction::inverse;
}

/// Returns the indices of the axes before the last that row-major number `r` stands for.
lengths outer_indices(std::size_t r, const lengths& outer) {
  lengths indices(outer.size());
  for (std::size_t a = outer.size(); a-- > 0; r /= outer[a]) indices[a] = r % outer[a];
  return indices;
}

lengths all_but_last(lengths axes) {
  axes.pop_back();
  return axes;
}

/// Returns a b without the search for NaNs of operator*, which takes longer than the product.
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
      const auto w = root(j * r % length, length);
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
  row<Sum> near_, far_;
};

/// Returns a row of the input with all N elements; half spectra are completed:
///     X[k0]..[N - k] = conj X[-k0]..[k].
row<double> whole_row(const plan_spec& spec, const arrays::array& in, const row_place& place,
                      const byte_reader& input) {
  row<double> x = row_of(in, spec.real, place, input);
  if (request::traits_of(spec.kind).in != request::domain::hermitian) return x;
  row_place opposite = place;
  for (std::size_t a = 0; a < place.outer.size(); ++a) {
    opposite.outer[a] = (spec.lengths[a] - place.outer[a]) % spec.lengths[a];
  }
  const row<double> mirrored = row_of(in, spec.real, opposite, input);
  const std::size_t n = spec.lengths.back();
  for (std::size_t k = x.size(); k < n; ++k) x.push_back(std::conj(mirrored[n - k]));
  return x;
}

/// Returns how many elements of each axis a sample takes, beyond the end of half spectra too.
lengths lengths_of(const plan_spec& spec, const output_sample& sample) {
  lengths kept;
  for (std::size_t a = 0; a < spec.lengths.size(); ++a) {
    kept.push_back(spec.lengths[a] / sample.axes[a].step);
  }
  return kept;
}

/// Returns the input folded along every axis onto as many elements as the sample has.
template <class Sum>
row<Sum> folded_input(const plan_spec& spec, const output_sample& sample,
                      const byte_reader& input) {
  const arrays::array in = request::input_array(spec);
  const lengths kept = lengths_of(spec, sample), outer = all_but_last(spec.lengths);
  std::vector<axis_weights<Sum>> weights;
  for (std::size_t a = 0; a < spec.lengths.size(); ++a) {
    weights.emplace_back(spec.lengths[a], sample.axes[a].first, direction_of(spec.kind));
  }
  row<Sum> folded(product_of(kept));
  for (std::size_t r = 0; r < product_of(outer); ++r) {
    const row_place place{sample.transform, outer_indices(r, outer)};
    std::complex<Sum> row_weight = 1;
    std::size_t target = 0;
    for (std::size_t a = 0; a < outer.size(); ++a) {
      row_weight = product(row_weight, weights[a](place.outer[a]));
      target = target * kept[a] + place.outer[a] % kept[a];
    }
    target *= kept.back();
    const row<double> x = whole_row(spec, in, place, input);
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
row<double> transformed(const plan_spec& spec, const output_sample& sample,
                        const byte_reader& input) {
  const row<Sum> folded = folded_input<Sum>(spec, sample, input);
  row<long double> points(folded.begin(), folded.end());
  const lengths kept = lengths_of(spec, sample);
  std::size_t stride = 1;
  for (std::size_t a = kept.size(); a-- > 0; stride *= kept[a]) {
    reference::axis{kept[a], direction_of(spec.kind)}(points, stride);
  }
  const bool to_real = request::traits_of(spec.kind).out == request::domain::real;
  const std::size_t row_length = row_length_of(spec, sample);
  row<double> result;
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

/// Transforms from reals to reals are sampled axis by axis, from the slowest on, which is folded
/// while rows are read.
row<double> transformed_reals(const plan_spec& spec, const output_sample& sample,
                              const byte_reader& input) {
  const arrays::array in = request::input_array(spec);
  const auto axis_of = [&](std::size_t a) {
    const auto [first, step] = sample.axes[a];
    return reference::real_axis{request::kind_of_axis(spec, a), spec.lengths[a], spec.orthogonalize,
                                first, step};
  };
  const reference::real_axis slowest = axis_of(0);
  std::size_t stride = product_of(spec.lengths) / spec.lengths.front();
  row<long double> folded(slowest.n_points() * stride);
  const lengths outer = all_but_last(spec.lengths);
  std::size_t element = 0;
  for (std::size_t r = 0; r < product_of(outer); ++r) {
    for (const auto& x :
         row_of(in, spec.real, {sample.transform, outer_indices(r, outer)}, input)) {
      slowest.fold(element / stride, x.real(), &folded[element % stride], stride);
      ++element;
    }
  }
  row<long double> elements(slowest.n_elements() * stride), line(slowest.n_points());
  for (std::size_t column = 0; column < stride; ++column) {
    for (std::size_t i = 0; i < line.size(); ++i) line[i] = folded[i * stride + column];
    slowest.finish(line, &elements[column], stride);
  }
  for (std::size_t a = 1; a < spec.lengths.size(); ++a) {
    stride /= spec.lengths[a];
    axis_of(a)(elements, stride);
  }
  return {elements.begin(), elements.end()};
}

/// Returns a row's elements in the order of their bins, which `bin_at` maps from their places.
row<double> row_by_bins(const arrays::array& array, precision real, const row_place& part,
                        const byte_reader& read, const bin_map& bin_at) {
  if (!bin_at) return row_of(array, real, part, read);
  const std::size_t n = array.axes.back().length;
  row<double> whole, sorted((n - part.first + part.step - 1) / part.step);
  if (part.step == 1) whole = row_of(array, real, part, read);
  for (std::size_t place = 0; place < n; ++place) {
    const std::size_t bin = bin_at(place);
    if (bin < part.first || (bin - part.first) % part.step != 0) continue;
    row_place element = part;
    element.first = place;
    element.step = n;
    sorted[(bin - part.first) / part.step] =
        part.step == 1 ? whole[place] : row_of(array, real, element, read).front();
  }
  return sorted;
}

/// Returns what falls on `n_elements` of the norm of a transform of noise, by Parseval's law. Few
/// elements are mirror images of their own, which are counted as others are.
double share_of(const plan_spec& spec, std::size_t transform, std::size_t n_elements,
                const byte_reader& input) {
  const arrays::array in = request::input_array(spec);
  const lengths outer = all_but_last(spec.lengths);
  long double sum = 0;
  for (std::size_t r = 0; r < product_of(outer); ++r) {
    for (const auto& x : whole_row(spec, in, {transform, outer_indices(r, outer)}, input)) {
      sum += std::norm(x);
    }
  }
  const auto points = static_cast<long double>(product_of(spec.lengths));
  return static_cast<double>(
      std::sqrt(sum * request::logical_points_of(spec) / points * n_elements));
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
  if (request::traits_of(spec.kind).is_real_to_real()) {
    return transformed_reals(spec, sample, input);
  }
  return spec.real == precision::fp64 ? transformed<long double>(spec, sample, input)
                                      : transformed<double>(spec, sample, input);
}

std::vector<double> flat(const row<double>& values, element kind) {
  std::vector<double> numbers;
  numbers.reserve(values.size() * (kind == element::complex ? 2 : 1));
  for (const auto& z : values) {
    numbers.push_back(z.real());
    if (kind == element::complex) numbers.push_back(z.imag());
  }
  return numbers;
}

row<double> read_sample(const plan_spec& spec, const output_sample& sample,
                        const byte_reader& output, const bin_map& bin_at) {
  const arrays::array out = request::output_array(spec);
  const lengths outer = all_but_last(lengths_of(spec, sample));
  row<double> result;
  for (std::size_t r = 0; r < product_of(outer); ++r) {
    row_place place{sample.transform, outer_indices(r, outer), sample.axes.back().first,
                    sample.axes.back().step};
    for (std::size_t a = 0; a < outer.size(); ++a) {
      place.outer[a] = sample.axes[a].first + place.outer[a] * sample.axes[a].step;
    }
    const row<double> elements = row_by_bins(out, spec.real, place, output, bin_at);
    result.insert(result.end(), elements.begin(), elements.end());
  }
  return result;
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
  // Takes more of the axis that is sampled most sparsely: of a power of two, twice as many.
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

oracle::oracle(const plan_spec& spec, const std::vector<std::byte>& block) : spec_(spec) {
  const byte_reader input = reader_of(block);
  const lengths kept = sampled_lengths(spec.lengths, std::size_t{1} << 20);
  const std::size_t batch = spec.batch;
  std::set<lengths> known;
  for (const std::size_t part : {0, 1, 2}) {  // halves from the start
    output_sample sample{part * (batch - 1) / 2};
    lengths key{sample.transform};
    for (std::size_t a = 0; a < kept.size(); ++a) {
      const std::size_t step = spec.lengths[a] / kept[a];
      sample.axes.push_back({part * (step - 1) / 2, step});
      key.push_back(sample.axes.back().first);
    }
    if (!known.insert(key).second) continue;
    expected_.push_back(expected_sample(spec, sample, input));
    // The sizes of few elements, as of a long prime, say little of the whole.
    constexpr std::size_t few = 256;
    const std::size_t n_elements = expected_.back().size();
    const bool has_few = kept != spec.lengths && n_elements < few;
    shares_.push_back(has_few ? share_of(spec, sample.transform, n_elements, input) : 0);
    samples_.push_back(std::move(sample));
  }
}

std::size_t oracle::n_elements() const noexcept {
  std::size_t n = 0;
  for (const auto& elements : expected_) n += elements.size();
  return n;
}

agreement oracle::judge(const byte_reader& output, const bin_map& bin_at) const {
  const element kind = request::output_array(spec_).is_real() ? element::real : element::complex;
  agreement worst;
  for (std::size_t s = 0; s < samples_.size(); ++s) {
    const auto got = read_sample(spec_, samples_[s], output, bin_at);
    const auto found = compare(flat(got, kind), flat(expected_[s], kind), kind,
                               static_cast<std::size_t>(request::logical_points_of(spec_)),
                               spec_.real, shares_[s]);
    if (s == 0 || !found.is_within || found.relative_l2 > worst.relative_l2) worst = found;
    if (!found.is_within) break;
  }
  return worst;
}

}  // namespace wingbeat::cli
