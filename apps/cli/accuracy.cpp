// SPDX-License-Identifier: Apache-2.0
#include "accuracy.hpp"

#include <algorithm>  // transform
#include <set>

#include "wingbeat/buffer.hpp"  // buffer
#include "wingbeat/roots.hpp"   // root

namespace wingbeat::cli {
namespace {

template <class Sum>
using row = std::vector<std::complex<Sum>>;

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
      w *= weights[a][from.outer[a]];
    }
    const auto x = row_of(in, what.real, from, input);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Sum re = x[i].real(), im = x[i].imag();
      sum[i] += std::complex<Sum>{w.real() * re - w.imag() * im, w.real() * im + w.imag() * re};
    }
  }
  return sum;
}

/// Transforms along the last axis. A sum of real rows is complex: only its last half is left out.
row<double> transformed(const plan_spec& what, const row<double>& x) {
  plan_spec one{.lengths = {what.lengths.back()}};
  one.kind = what.kind == transform::forward_from_real ? transform::forward : what.kind;
  one.real = precision::fp64;
  queue on{first_device(engine::reference)};
  buffer in{on, input_bytes(one)}, out{on, output_bytes(one)};
  in.write(x.data(), in.size_bytes());
  plan{on, one}.enqueue(on, in.view(), out.view());
  if (what.kind == transform::inverse_to_real) {
    std::vector<double> reals(what.lengths.back());
    out.read(reals.data(), out.size_bytes());
    return {reals.begin(), reals.end()};
  }
  row<double> y(what.lengths.back());
  out.read(y.data(), out.size_bytes());
  y.resize(output_side(what).axes.back().length);
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

}  // namespace

std::vector<std::complex<double>> expected_row(const plan_spec& what, const row_place& at,
                                               const byte_reader& input) {
  if (what.real != precision::fp64) return transformed(what, weighted_sum<double>(what, at, input));
  const auto sum = weighted_sum<long double>(what, at, input);
  row<double> rounded(sum.size());
  std::transform(sum.begin(), sum.end(), rounded.begin(), [](const std::complex<long double>& z) {
    return std::complex<double>{static_cast<double>(z.real()), static_cast<double>(z.imag())};
  });
  return transformed(what, rounded);
}

oracle::oracle(const plan_spec& what, const std::vector<std::byte>& block) : what_(what) {
  const byte_reader input = reader_of(block);
  const std::size_t batch = what.batch;
  std::set<std::vector<std::size_t>> known;
  for (const std::size_t part : {0, 1, 2}) {  // halves from the start
    row_place at{part * (batch - 1) / 2, {}};
    std::vector<std::size_t> key{at.transform};
    for (std::size_t a = 0; a + 1 < what.lengths.size(); ++a) {
      at.outer.push_back(part * (what.lengths[a] - 1) / 2);
      key.push_back(at.outer.back());
    }
    if (!known.insert(key).second) continue;
    expected_.push_back(expected_row(what, at, input));
    places_.push_back(at);
  }
}

agreement oracle::judge(const byte_reader& output) const {
  const side out = output_side(what_);
  const element of = out.is_real ? element::real : element::complex;
  agreement worst;
  for (std::size_t r = 0; r < places_.size(); ++r) {
    const auto got = row_of(out, what_.real, places_[r], output);
    const auto found =
        compare(flat(got, of), flat(expected_[r], of), of, points_of(what_), what_.real);
    if (r == 0 || !found.is_within || found.relative_l2 > worst.relative_l2) worst = found;
    if (!found.is_within) break;
  }
  return worst;
}

}  // namespace wingbeat::cli
