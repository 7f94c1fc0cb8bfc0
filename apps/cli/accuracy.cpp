// SPDX-License-Identifier: Apache-2.0
#include "accuracy.hpp"

#include <set>
#include <utility>  // move

#include "wingbeat/buffer.hpp"  // buffer
#include "wingbeat/roots.hpp"   // root

namespace wingbeat::cli {
namespace {

template <class Sum>
using row = std::vector<std::complex<Sum>>;

/// Returns a b; operator* would look for NaNs, which takes longer than the product.
template <class Sum>
std::complex<Sum> product(std::complex<Sum> a, std::complex<Sum> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Returns w^(k j) of one axis for all j, the weights of its inputs in output k.
template <class Sum>
row<Sum> weights_of(std::size_t k, std::size_t n, bool is_inverse) {
  row<Sum> weights(n);
  for (std::size_t j = 0; j < n; ++j) {
    const auto w = root(k * j % n, n);
    weights[j] = {static_cast<Sum>(w.real()), static_cast<Sum>(is_inverse ? -w.imag() : w.imag())};
  }
  return weights;
}

/// Adds all rows of the input, each times its weight. One axis has one row, of weight 1.
template <class Sum>
row<Sum> weighted_sum(const plan_spec& what, const row_place& at, const byte_reader& input) {
  const side in = input_side(what);
  const bool is_inverse =
      what.kind == transform::inverse || what.kind == transform::inverse_to_real;
  std::vector<row<Sum>> weights;
  std::size_t n_rows = 1;
  for (std::size_t a = 0; a < at.outer.size(); ++a) {
    weights.push_back(weights_of<Sum>(at.outer[a], what.lengths[a], is_inverse));
    n_rows *= what.lengths[a];
  }
  row<Sum> sum(in.axes.back().length);
  row_place from{at.transform, std::vector<std::size_t>(at.outer.size())};
  for (std::size_t r = 0; r < n_rows; ++r) {
    std::complex<Sum> w = 1;
    std::size_t rest = r;
    for (std::size_t a = at.outer.size(); a-- > 0; rest /= what.lengths[a]) {
      from.outer[a] = rest % what.lengths[a];
      w = product(w, weights[a][from.outer[a]]);
    }
    const auto x = row_of(in, what.real, from, input);
    for (std::size_t i = 0; i < x.size(); ++i) {
      sum[i] += product(w, std::complex<Sum>{x[i].real(), x[i].imag()});
    }
  }
  return sum;
}

/// Completes half a spectrum of n bins:  X[n - k] = conj X[k].
template <class Sum>
row<Sum> completed(row<Sum> half, std::size_t n) {
  for (std::size_t k = half.size(); k < n; ++k) half.push_back(std::conj(half[n - k]));
  return half;
}

/// Folds x onto n / step elements, each turned first, so that their transform is what stands at
/// `first`, `first` + step and so on of x's. Roots come from two tables: w^(j r) with j = a B + b.
template <class Sum>
row<Sum> folded(const row<Sum>& x, std::size_t first, std::size_t step, bool is_inverse) {
  constexpr std::size_t low = std::size_t{1} << 12;
  const std::size_t n = x.size();
  const auto turn = [&](std::size_t j) {
    const auto w = root(j * first % n, n);
    return std::complex<Sum>{static_cast<Sum>(w.real()),
                             static_cast<Sum>(is_inverse ? -w.imag() : w.imag())};
  };
  row<Sum> near, far, y(n / step);
  for (std::size_t b = 0; b < low; ++b) near.push_back(turn(b));
  for (std::size_t a = 0; a < n; a += low) far.push_back(turn(a));
  for (std::size_t j = 0; j < n; ++j) {
    y[j % y.size()] += product(product(far[j / low], near[j % low]), x[j]);
  }
  return y;
}

/// Transforms by the reference engine, after rounding to fp64.
template <class Sum>
row<double> transformed(transform kind, std::size_t n, const row<Sum>& x) {
  plan_spec one{.lengths = {n}};
  one.kind = kind;
  one.real = precision::fp64;
  queue on{first_device(engine::reference)};
  buffer in{on, input_bytes(one)}, out{on, output_bytes(one)};
  row<double> rounded;
  for (const auto& z : x) {
    rounded.emplace_back(static_cast<double>(z.real()), static_cast<double>(z.imag()));
  }
  in.write(rounded.data(), in.size_bytes());
  plan{on, one}.enqueue(on, in.view(), out.view());
  if (kind == transform::inverse_to_real) {
    std::vector<double> reals(n);
    out.read(reals.data(), out.size_bytes());
    return {reals.begin(), reals.end()};
  }
  row<double> y(n);
  out.read(y.data(), out.size_bytes());
  return y;
}

/// A sum of real rows is complex, so real input is transformed as complex, and cut.
template <class Sum>
row<double> last_axis(const plan_spec& what, const row_place& at, row<Sum> sum) {
  const std::size_t n = what.lengths.back();
  const std::size_t length = output_side(what).axes.back().length;
  const bool to_real = what.kind == transform::inverse_to_real;
  const bool is_inverse = to_real || what.kind == transform::inverse;
  row<double> y;
  if (at.step == 1 && to_real) {
    y = transformed(what.kind, n, sum);
  } else {
    if (to_real) sum = completed(std::move(sum), n);
    if (at.step > 1) sum = folded(sum, at.first, at.step, is_inverse);
    y = transformed(is_inverse ? transform::inverse : transform::forward, n / at.step, sum);
  }
  y.resize((length - at.first + at.step - 1) / at.step);
  if (to_real) {
    for (auto& z : y) z.imag(0);
  }
  return y;
}

/// Returns the numbers that `compare` reads: pairs, or reals alone.
std::vector<double> flat(const row<double>& from, element of) {
  std::vector<double> numbers;
  for (const auto& z : from) {
    numbers.push_back(z.real());
    if (of == element::complex) numbers.push_back(z.imag());
  }
  return numbers;
}

/// Returns elements of a row in the order of their bins, wherever a map says that these lie.
row<double> row_by_bins(const side& from, precision real, const row_place& at,
                        const byte_reader& read, const oracle::bin_map& bin_at) {
  if (!bin_at) return row_of(from, real, at, read);
  const std::size_t n = from.axes.back().length;
  row<double> whole, sorted((n - at.first + at.step - 1) / at.step);
  if (at.step == 1) whole = row_of(from, real, at, read);
  for (std::size_t place = 0; place < n; ++place) {
    const std::size_t bin = bin_at(place);
    if (bin < at.first || (bin - at.first) % at.step != 0) continue;
    row_place one = at;
    one.first = place;
    one.step = n;
    sorted[(bin - at.first) / at.step] =
        at.step == 1 ? whole[place] : row_of(from, real, one, read).front();
  }
  return sorted;
}

}  // namespace

std::vector<std::complex<double>> expected_row(const plan_spec& what, const row_place& at,
                                               const byte_reader& input) {
  return what.real == precision::fp64
             ? last_axis(what, at, weighted_sum<long double>(what, at, input))
             : last_axis(what, at, weighted_sum<double>(what, at, input));
}

oracle::oracle(const plan_spec& what, const std::vector<std::byte>& block) : what_(what) {
  constexpr std::size_t longest = std::size_t{1} << 20, some = 4096;
  const byte_reader input = reader_of(block);
  const std::size_t batch = what.batch;
  const std::size_t n = what.lengths.back();
  std::set<std::vector<std::size_t>> known;
  for (const std::size_t part : {0, 1, 2}) {  // halves from the start
    row_place at{part * (batch - 1) / 2};
    for (std::size_t a = 0; a + 1 < what.lengths.size(); ++a) {
      at.outer.push_back(part * (what.lengths[a] - 1) / 2);
    }
    if (n > longest) {
      at.step = n / some;
      at.first = part * (at.step - 1) / 2;
    }
    std::vector<std::size_t> key{at.transform, at.first};
    key.insert(key.end(), at.outer.begin(), at.outer.end());
    if (!known.insert(key).second) continue;
    expected_.push_back(expected_row(what, at, input));
    places_.push_back(at);
  }
}

std::size_t oracle::n_elements() const noexcept {
  std::size_t n = 0;
  for (const auto& row : expected_) n += row.size();
  return n;
}

agreement oracle::judge(const byte_reader& output, const bin_map& bin_at) const {
  const side out = output_side(what_);
  const element of = out.is_real ? element::real : element::complex;
  agreement worst;
  for (std::size_t r = 0; r < places_.size(); ++r) {
    const auto got = row_by_bins(out, what_.real, places_[r], output, bin_at);
    const auto found =
        compare(flat(got, of), flat(expected_[r], of), of, points_of(what_), what_.real);
    if (r == 0 || !found.is_within || found.relative_l2 > worst.relative_l2) worst = found;
    if (!found.is_within) break;
  }
  return worst;
}

}  // namespace wingbeat::cli
