// SPDX-License-Identifier: Apache-2.0
#include "verify/laws.hpp"

#include <algorithm>  // max
#include <cmath>      // sqrt
#include <utility>    // pair

#include "verify/distance.hpp"   // distance
#include "verify/tolerance.hpp"  // bound_of, relative_bound, unit_roundoff

namespace wingbeat::verify {
namespace {

long double unit_roundoff(const trial& t) {
  return verify::unit_roundoff(t.run.real());
}

/// Returns e, the relative L2 error allowed for one transform. In short transforms from reals to
/// reals roundings do not average out.
long double allowed(const trial& t) {
  const bool is_short = traits_of(t.kind).is_real_to_real() && t.n <= 64;
  const long double stages = relative_bound(t.logical, t.run.real());
  return is_short ? std::max(stages, 4 * unit_roundoff(t)) : stages;
}

/// Returns noise that the precision holds exactly, using all of its digits.
row noise(const trial& t, std::uint64_t seed) {
  return verify::noise(traits_of(t.kind).in, t.over, seed,
                       t.run.real() == precision::fp32 ? 23 : 52);
}

/// Returns noise whose small multiples and sums the precision holds exactly.
row coarse_noise(const trial& t, std::uint64_t seed) {
  return verify::noise(traits_of(t.kind).in, t.over, seed, /*bits=*/8);
}

measurement measured(long double error, long double bound) {
  return {static_cast<double>(error), static_cast<double>(bound)};
}

long double relative_l2(const row& got, const row& expected) {
  return distance{got, expected}.relative_l2();
}

/// Returns the transform of one noise and the oracle's: all bins; or sixteen bins by the
/// definition, if the device under test is the oracle itself and N^2 is too much.
std::pair<row, row> noise_and_oracle(const trial& t) {
  constexpr std::size_t max_points_by_definition = 256;
  const row x = noise(t, /*seed=*/t.n);
  row got = t(x);
  if (t.n > max_points_by_definition && !t.run.is_oracle()) {
    return {std::move(got), t.oracle(t.kind, x, {.over = t.over})};
  }
  const std::size_t n_bins = t.n > max_points_by_definition ? 16 : t.n;
  row actual, expected;
  for (std::size_t b = 0; b < n_bins; ++b) {
    const std::size_t k = n_bins == t.n ? b : (b * (t.n / 16) + 37 * b) % t.n;
    actual.push_back(got[k]);
    expected.push_back(bin_by_definition(t.kind, x, k, t.over));
  }
  return {std::move(actual), std::move(expected)};
}

measurement random(const trial& t) {
  const auto [got, expected] = noise_and_oracle(t);
  return measured(relative_l2(got, expected), allowed(t));
}

measurement largest_element(const trial& t) {
  const auto [got, expected] = noise_and_oracle(t);
  return measured(distance{got, expected}.relative_largest(),
                  bound_of({static_cast<long double>(t.logical), t.run.real()}).largest);
}

/// A half spectrum takes its impulses in pairs: at p, and as the conjugate at N-p.
long double impulse_error(const trial& t, std::size_t p) {
  const std::size_t mirror = mirrored(p, t.over);
  const bool is_pair = traits_of(t.kind).in == domain::hermitian && mirror != p;
  row x(t.n), expected(t.n);
  x[p] = 1;
  if (is_pair) x[mirror] = 1;
  for (std::size_t k = 0; k < t.n; ++k) {
    expected[k] = root(t.kind, p, k, t.over);
    if (is_pair) expected[k] += root(t.kind, mirror, k, t.over);
  }
  return relative_l2(t(x), expected);
}

measurement impulse(const trial& t) {
  long double worst = 0;
  const std::size_t step = std::max<std::size_t>(1, t.n / 16);
  for (std::size_t first = 0; first < t.n; first += step) {
    const std::size_t p = (first + first / step % step) % t.n;  // each place of the last few bits
    worst = std::max(worst, impulse_error(t, p));
  }
  // Equal axes have the same impulses above; point 1 distinguishes them.
  worst = std::max(worst, impulse_error(t, 1 % t.n));
  // Primes multiply differences of their inputs, so a one occurs in up to 14 rounded products.
  const long double bound = std::max(allowed(t), 3 * unit_roundoff(t));
  return measured(std::max(worst, impulse_error(t, t.n - 1)), bound);
}

/// A tone transforms to one bin, or to two if reals have bins. Its samples are rounded, too.
long double tone_error(const trial& t, std::size_t bin) {
  const std::size_t mirror = mirrored(bin, t.over);
  const bool is_real = traits_of(t.kind).out == domain::hermitian;
  row x(t.n), expected(t.n);
  for (std::size_t j = 0; j < t.n; ++j) {
    x[j] = root(traits_of(t.kind).opposite, bin, j, t.over);
    if (is_real) x[j] = x[j].real();
  }
  const long double n = t.logical;
  expected[bin] = is_real ? n / 2 : n;
  if (is_real) expected[mirror] += n / 2;
  return relative_l2(t(rounded(x, t.run.real())), expected);
}

measurement tone(const trial& t) {
  long double worst = 0;
  for (const std::size_t bin : {1 % t.n, t.n / 3, t.n / 2, t.n - 1}) {
    worst = std::max(worst, tone_error(t, bin));
  }
  // One bin may be off by more than the mean of many.
  return measured(worst, 1.5L * allowed(t) + unit_roundoff(t));
}

measurement dc(const trial& t) {
  const row x = noise(t, /*seed=*/2);
  value sum = 0;
  for (const auto& z : x) sum += z;
  // One element of N may be off by up to four times their mean.
  return measured(std::abs(t(x)[0] - sum) / norm(x), 4 * allowed(t));
}

measurement parseval(const trial& t) {
  const row x = noise(t, /*seed=*/3);
  const request::traits& kind = traits_of(t.kind);
  const manner orthogonal{.scale = scaling::by_sqrt_length,
                          .orthogonalizes = kind.functions != request::basis::cas};
  const bool is_real = kind.is_real_to_real();
  const long double ratio =
      is_real ? norm(t(x, orthogonal)) / norm(x) : norm(t(x)) / norm(x) / std::sqrt(1.0L * t.n);
  return measured(std::abs(ratio * ratio - 1), 2 * allowed(t));
}

measurement linearity(const trial& t) {
  const row x = coarse_noise(t, /*seed=*/4), y = coarse_noise(t, /*seed=*/5);
  row sum(t.n);
  for (std::size_t j = 0; j < t.n; ++j) sum[j] = 3.0L * x[j] - 2.0L * y[j];
  const row x_out = t(x), y_out = t(y), sum_out = t(sum);
  row expected(t.n);
  for (std::size_t k = 0; k < t.n; ++k) expected[k] = 3.0L * x_out[k] - 2.0L * y_out[k];
  const long double parts = 1 + (3 * norm(x_out) + 2 * norm(y_out)) / norm(expected);
  return measured(relative_l2(sum_out, expected), parts * allowed(t));
}

/// A shift of the input multiplies the output by a phase: x[j-s] -> w^(sk) X[k]. A half spectrum
/// cannot shift; multiplied by w^(-sk), it shifts its output by s.
measurement shift(const trial& t) {
  const bool turns = traits_of(t.kind).in == domain::hermitian;
  std::size_t s = 0, a = 0;  // about a third of every axis, by different amounts
  for (const std::size_t n : t.over) s = s * n + (std::max<std::size_t>(1, n / 3) + a++) % n;
  const std::size_t back = mirrored(s, t.over);
  const row x = noise(t, /*seed=*/6);
  const row original = t(x);
  row moved(t.n), expected(t.n);
  for (std::size_t j = 0; j < t.n; ++j) {
    const std::size_t behind = shifted(j, back, t.over);
    moved[j] = turns ? x[j] * root(traits_of(t.kind).opposite, s, j, t.over) : x[behind];
    expected[j] = turns ? original[behind] : original[j] * root(t.kind, s, j, t.over);
  }
  const row got = t(rounded(moved, t.run.real()));
  return measured(relative_l2(got, expected), 2 * allowed(t) + (turns ? unit_roundoff(t) : 0));
}

/// The transform of a circular convolution is the product of the transforms. The filter is short
/// and its sums exact; it is even where the input must stay a half spectrum.
measurement convolution(const trial& t) {
  row filter(t.n);
  filter[0] = 1;
  filter[1 % t.n] -= 0.5L;
  filter[mirrored(1 % t.n, t.over)] -= 0.5L;
  filter[t.n / 2] += 0.125L;  // its own mirror point where the first axis is even
  filter[mirrored(t.n / 2, t.over)] += 0.125L;
  if (traits_of(t.kind).in != domain::hermitian) filter[3 % t.n] += 0.5L;

  const row x = coarse_noise(t, /*seed=*/7);
  row filtered(t.n);
  for (std::size_t tap = 0; tap < t.n; ++tap) {
    if (filter[tap] == value{}) continue;
    for (std::size_t j = 0; j < t.n; ++j) filtered[shifted(j, tap, t.over)] += filter[tap] * x[j];
  }
  const row x_out = t(x), filter_out = t(filter);
  row expected(t.n);
  for (std::size_t k = 0; k < t.n; ++k) expected[k] = x_out[k] * filter_out[k];
  const long double parts =
      1 + (largest(filter_out) * norm(x_out) + largest(x_out) * norm(filter_out)) / norm(expected);
  return measured(relative_l2(t(filtered), expected), parts * allowed(t));
}

/// Returns x[i] of n numbers, or for i = -1 and n their continuation by the functions of the kind.
value continued(const row& x, const request::traits& kind, std::ptrdiff_t i, std::size_t n,
                std::size_t first) {
  using request::basis;
  const auto last = static_cast<std::ptrdiff_t>(n) - 1;
  if (i >= 0 && i <= last) return x[first + static_cast<std::size_t>(i)];
  if (kind.functions == basis::cas) return x[first + static_cast<std::size_t>(i < 0 ? last : 0)];
  const bool is_cosine = kind.functions == basis::cosine;
  const bool is_even = i < 0 ? is_cosine : is_cosine != kind.half_out;
  const value sign = is_even ? 1 : -1;
  const std::ptrdiff_t end = i < 0 ? 0 : last, step = i < 0 ? 1 : -1;
  if (kind.half_in) return sign * x[first + static_cast<std::size_t>(end)];
  // On whole samples: even about the last, or odd about the one behind it.
  if (!is_even) return 0;
  return continued(x, kind, end + step, n, first);
}

/// Second differences along the last axis, of numbers continued as the functions of the kind are;
/// each of these functions is an eigenvector.
measurement second_difference(const trial& t) {
  const request::traits& kind = traits_of(t.kind);
  const std::size_t n = t.over.back();
  const row x = coarse_noise(t, /*seed=*/14);
  row differences(t.n);
  for (std::size_t j = 0; j < t.n; ++j) {
    const auto i = static_cast<std::ptrdiff_t>(j % n);
    const auto sample = [&](std::ptrdiff_t index) {
      return continued(x, kind, index, n, j - j % n);
    };
    differences[j] = sample(i - 1) - 2.0L * sample(i) + sample(i + 1);
  }
  const row x_out = t(x);
  row expected(t.n);
  for (std::size_t k = 0; k < t.n; ++k) {
    // 2 cos theta - 2 = -4 sin^2 (theta / 2),  theta = 2 pi q / (2 L)
    const std::size_t whole = kind.functions == request::basis::sine ? 1 : 0;
    const std::size_t q = 2 * (k % n) + (kind.half_out ? 1 : 2 * whole);
    const long double sine = root(transform::forward, q, 4 * kind.logical_length(n)).imag();
    expected[k] = -4.0L * sine * sine * x_out[k];
  }
  // Relative to the transform: a single point has no differences, and 0 is expected.
  const long double size = norm(x_out), parts = norm(expected) / size + 4;
  return measured(distance{t(differences), expected}.l2_error() / size, parts * allowed(t));
}

measurement round_trip(const trial& t) {
  const row x = noise(t, /*seed=*/8);
  const row transformed = t(x);
  const row back =
      t.run(traits_of(t.kind).opposite, transformed, {.scale = scaling::by_length, .over = t.over});
  return measured(relative_l2(back, x), 2 * allowed(t));
}

measurement in_place(const trial& t) {
  const std::vector<row> x{noise(t, /*seed=*/9), noise(t, /*seed=*/10), noise(t, /*seed=*/11)};
  const auto apart = t(x, {});
  const auto together = t(x, {.where = placement::in_place});
  long double worst = 0;
  for (std::size_t r = 0; r < x.size(); ++r) {
    worst = std::max(worst, relative_l2(together[r], apart[r]));
  }
  return measured(worst, 2 * allowed(t));
}

measurement batch(const trial& t) {
  constexpr std::size_t n_rows = 17;
  std::vector<row> x;
  for (std::size_t r = 0; r < n_rows; ++r) x.push_back(noise(t, /*seed=*/100 + r));
  const auto together = t(x, {});
  long double worst = 0;
  for (std::size_t r = 0; r < n_rows; ++r) {
    worst = std::max(worst, relative_l2(together[r], t(x[r])));
  }
  return measured(worst, 2 * allowed(t));
}

measurement scales(const trial& t) {
  const row x = noise(t, /*seed=*/12);
  const long double n = t.logical;
  row expected = t(x);
  for (auto& z : expected) z /= n;
  const long double by_length = relative_l2(t(x, {.scale = scaling::by_length}), expected);
  for (auto& z : expected) z *= std::sqrt(n);
  const long double by_root = relative_l2(t(x, {.scale = scaling::by_sqrt_length}), expected);
  // The factor is rounded, and so is the product.
  return measured(std::max(by_length, by_root), 2 * allowed(t) + 2 * unit_roundoff(t));
}

measurement repeat(const trial& t) {
  const row x = noise(t, /*seed=*/13);
  const row first = t(x);
  std::size_t n_different = 0;
  for (int again = 0; again < 2; ++again) {
    const row result = t(x);
    for (std::size_t k = 0; k < t.n; ++k) n_different += !(result[k] == first[k]);
  }
  return measured(n_different, 0);
}

measurement memory(const trial& t) {
  return measured(t.run.n_trespasses(), 0);
}

bool has_bins(const request::traits& kind) {
  return !kind.is_real_to_real();
}
bool is_of_reals(const request::traits& kind) {
  return kind.is_real_to_real();
}

constexpr law all_laws[] = {
    {"random", "noise agrees with the reference, relative L2", random},
    {"largest", "the largest element error of noise, as a share of the largest output",
     largest_element},
    {"impulse", "an impulse at p gives w^(pk), or the kind's cosines or sines", impulse},
    {"tone", "a single tone, or what the opposite makes of an impulse, gives a single bin", tone},
    {"dc", "element 0 is the sum of the input", dc, has_bins},
    {"parseval", "the output has N times the input's energy; of reals as much, orthogonalized",
     parseval},
    {"linearity", "3x - 2y gives 3X - 2Y", linearity},
    {"shift", "a shifted input turns the output's phases", shift, has_bins},
    {"convolution", "a circular convolution gives a product", convolution, has_bins},
    {"difference", "second differences give -4 sin^2 times each element (reals to reals)",
     second_difference, is_of_reals},
    {"round trip", "the opposite transform, scaled by 1/N, gives the input back", round_trip},
    {"in place", "in place gives what out of place gives", in_place, nullptr,
     /*is_of_one_device=*/true},
    {"batch", "17 rows at once give what each gives alone", batch},
    {"scaling", "1/N and 1/sqrt N scale the unscaled output", scales},
    {"repeat", "three runs give the same bits (counts values that differ)", repeat},
    {"memory", "nothing around the buffers, nor an input, changed (counts bytes)", memory},
};

}  // namespace

std::span<const law> laws() {
  return all_laws;
}

}  // namespace wingbeat::verify
