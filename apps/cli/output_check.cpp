// SPDX-License-Identifier: Apache-2.0
#include "cli/output_check.hpp"

#include <algorithm>  // copy_n, max, min
#include <cmath>      // hypot, isnan, sqrt
#include <utility>    // exchange, move

#include "address_space.hpp"     // product_of
#include "cli/samples.hpp"       // pack, unpack
#include "counted.hpp"           // counted
#include "formatted.hpp"         // formatted
#include "measure/plan_run.hpp"  // measure_plan
#include "request/resolved.hpp"  // points_of, factor_of

namespace wingbeat::cli {
namespace {

constexpr std::size_t max_points = std::size_t{1} << 14;    // of a transform that is sampled whole
constexpr std::size_t max_terms = std::size_t{1} << 26;     // inputs folded, of all samples
constexpr std::size_t max_elements = std::size_t{1} << 18;  // expected values of all samples
constexpr std::size_t min_elements = 16;                    // of a transform, within the above

/// Walks through the packed values of one transform of a side.
struct packed_side {
  const plan_spec& spec;
  bool is_input;
  std::size_t n_values = 1, row_length, width;
  std::size_t full_length;  ///< Of the last axis; larger than `row_length` of a half spectrum.
  bool has_mirrors;         ///< Elements of real kinds may be their own mirror images.

  packed_side(const plan_spec& spec_given, bool is_input_given)
      : spec(spec_given),
        is_input(is_input_given),
        full_length(spec.lengths.back()),
        has_mirrors(request::traits_of(spec.kind).is_real_to_real() && !spec.orthogonalize) {
    const arrays::array array = is_input ? request::input_array(spec) : request::output_array(spec);
    row_length = array.axes.back().length;
    width = array.is_real() ? 1 : 2;
    for (const auto& axis : array.axes) n_values *= axis.length;
  }

  [[nodiscard]] bool is_half() const { return row_length < full_length && width == 2; }

  /// Returns how often Parseval's law counts the energy of an element: of half a spectrum twice,
  /// but once where a bin is its own opposite; of cosines and sines half where an element is its
  /// own mirror image along an axis.
  [[nodiscard]] double weight(std::size_t i) const {
    if (has_mirrors) return mirror_weight(i);
    if (!is_half()) return 1;
    const std::size_t k = i % row_length;
    return k == 0 || 2 * k == full_length ? 1 : 2;
  }

  [[nodiscard]] double mirror_weight(std::size_t i) const {
    double weight = 1;
    for (std::size_t a = spec.lengths.size(); a-- > 0; i /= spec.lengths[a]) {
      const request::traits& kind = request::kind_of_axis(spec, a);
      const std::size_t n = spec.lengths[a], k = i % n;
      if (is_input ? kind.is_own_mirror_in(k, n) : kind.is_own_mirror_out(k, n)) weight /= 2;
    }
    return weight;
  }

  /// Returns whether the imaginary part of an element counts as 0 in a transform of one axis.
  [[nodiscard]] bool is_read_as_real(std::size_t i) const { return is_half() && weight(i) == 1; }
};

/// Sums blocks apart: the roundings of 2^24 equal terms in one sum add up to more than fp64 has.
double norm_of(std::span<const double> numbers, const packed_side& layout, bool drops_imaginary) {
  constexpr std::size_t block = 4096;
  long double sum = 0;
  for (std::size_t first = 0; first < layout.n_values; first += block) {
    long double part = 0;
    for (std::size_t i = first; i < std::min(first + block, layout.n_values); ++i) {
      const long double re = numbers[i * layout.width];
      long double im = layout.width == 2 ? numbers[i * layout.width + 1] : 0;
      if (drops_imaginary && layout.is_read_as_real(i)) im = 0;
      part += layout.weight(i) * (re * re + im * im);
    }
    sum += part;
  }
  return static_cast<double>(std::sqrt(sum));
}

std::vector<std::size_t> key_of(const output_sample& sample) {
  std::vector<std::size_t> key{sample.transform};
  for (const auto& axis : sample.axes) key.push_back(axis.first);
  return key;
}

void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

/// Of one transform of an output.
struct output_check::loudness {
  std::size_t strongest = 0;  ///< Its element of the largest magnitude, or the first that is NaN.
  double magnitude = 0;
  double norm = 0;  ///< Of the whole spectrum.
};

output_check::output_check(checked_problem problem, check_extent extent)
    : problem_(std::move(problem)), extent_(extent) {
  const plan_spec& spec = problem_.spec;
  n_values_ = packed_side(spec, /*is_input=*/false).n_values * spec.batch;
  const bool is_short = request::points_of(spec) * spec.batch <= max_values_unsampled;
  if (extent_ == check_extent::sample && is_short) extent_ = check_extent::full;
  if (extent_ == check_extent::full) compute_reference();
}

element output_check::kind() const {
  return request::output_array(problem_.spec).is_real() ? element::real : element::complex;
}

std::vector<double> output_check::comparable(
    const std::vector<std::complex<double>>& values) const {
  if (!problem_.has_magnitudes) return flat(values, kind());
  std::vector<std::complex<double>> magnitudes;
  for (const auto& value : values) magnitudes.emplace_back(std::abs(value), 0);
  return flat(magnitudes, kind());
}

/// Rounds once from long double to fp64, whatever the precision compared.
void output_check::compute_reference() {
  plan_spec spec = problem_.spec;
  std::vector<std::byte> bytes(input_bytes(spec));
  problem_.input(0, bytes);
  const auto input = pack(unpack(bytes, spec.real), precision::fp64);
  spec.real = precision::fp64;
  const auto m = measure::measure_plan(first_device(engine::reference), spec, input, {.n_runs = 0});
  reference_ = unpack(m.output, precision::fp64);
  for (std::size_t i = 0; problem_.has_magnitudes && i < reference_.size(); i += 2) {
    reference_[i] = std::hypot(reference_[i], std::exchange(reference_[i + 1], 0));
  }
  n_checked_ = n_values_;
}

agreement output_check::judge(std::span<const double> output) {
  if (extent_ == check_extent::sample) return judge_sample(output);
  return compare(output, reference_, kind(), logical_points(), problem_.computed);
}

std::vector<output_check::loudness> output_check::loudness_of(
    std::span<const double> output) const {
  const packed_side layout(problem_.spec, /*is_input=*/false);
  std::vector<loudness> found(problem_.spec.batch);
  for (std::size_t t = 0; t < found.size(); ++t) {
    const auto numbers =
        output.subspan(t * layout.n_values * layout.width, layout.n_values * layout.width);
    double largest = -1;  // squared
    for (std::size_t i = 0; i < layout.n_values; ++i) {
      const double re = numbers[i * layout.width];
      const double im = layout.width == 2 ? numbers[i * layout.width + 1] : 0;
      const double power = re * re + im * im;
      if (power <= largest) continue;
      found[t].strongest = i;
      found[t].magnitude = std::hypot(re, im);
      largest = power;
      if (std::isnan(power)) break;
    }
    found[t].norm = norm_of(numbers, layout, false);
  }
  return found;
}

/// Returns the samples, the most telling first, as many as the bounds of work allow and two at
/// least: classes of the loudest transform, then of the first, the last, and others between them.
std::vector<output_sample> output_check::samples_of(const std::vector<loudness>& found) const {
  const plan_spec& spec = problem_.spec;
  const std::vector<std::size_t> kept = sampled_lengths(spec.lengths, max_points);
  const arrays::array out = request::output_array(spec);
  const std::size_t n_elements = product_of(kept);
  std::size_t loudest = 0;
  for (std::size_t t = 1; t < found.size(); ++t) {
    if (!(found[t].magnitude <= found[loudest].magnitude)) loudest = t;
  }
  const std::size_t n_samples = std::max<std::size_t>(
      2, std::min(max_terms / request::points_of(spec), max_elements / n_elements));
  std::vector<std::size_t> transforms{loudest, 0, found.size() - 1};
  for (std::size_t i = 1; i < n_samples && i < found.size(); ++i) {
    transforms.push_back(i * found.size() / std::min(n_samples, found.size()));
  }
  std::vector<output_sample> samples;
  std::map<std::vector<std::size_t>, bool> known;
  const auto add = [&](std::size_t t, const auto& first_of) {
    output_sample sample{t};
    std::size_t element = found[t].strongest;
    for (std::size_t a = kept.size(); a-- > 0; element /= out.axes[a].length) {
      const std::size_t step = spec.lengths[a] / kept[a];
      const std::size_t first = first_of(a, element % out.axes[a].length) % step;
      sample.axes.insert(sample.axes.begin(), {first, step});
    }
    const bool is_known = !known.emplace(key_of(sample), true).second;
    if (!is_known && samples.size() < n_samples) samples.push_back(std::move(sample));
  };
  for (const std::size_t t : transforms) {
    add(t, [](std::size_t, std::size_t strongest) { return strongest; });
    add(t, [](std::size_t, std::size_t) { return std::size_t{0}; });
    add(t, [&](std::size_t a, std::size_t) { return spec.lengths[a] / 2; });
    const std::size_t n_spread = std::max<std::size_t>(3, min_elements / n_elements);
    for (std::size_t part = 1; part <= n_spread; ++part) {
      add(t, [&](std::size_t a, std::size_t) {
        return (2 * part + 1) * (out.axes[a].length / kept[a]) / (2 * n_spread + 2);
      });
    }
  }
  return samples;
}

const std::vector<double>& output_check::expected_of(const output_sample& sample) {
  const auto [place, is_missing] = expected_.try_emplace(key_of(sample));
  if (is_missing) {
    place->second = comparable(expected_sample(problem_.spec, sample, problem_.input));
    const auto factor = static_cast<double>(request::factor_of(problem_.spec));
    for (double& number : place->second) number *= factor;
  }
  return place->second;
}

double output_check::norm_of_input(std::size_t transform) const {
  const plan_spec& spec = problem_.spec;
  const packed_side layout(spec, /*is_input=*/true);
  std::vector<std::byte> bytes(input_bytes(spec) / spec.batch);
  problem_.input(transform * bytes.size(), bytes);
  return norm_of(unpack(bytes, spec.real), layout, true) *
         std::sqrt(static_cast<double>(logical_points())) *
         static_cast<double>(request::factor_of(spec));
}

std::size_t output_check::logical_points() const {
  return static_cast<std::size_t>(request::logical_points_of(problem_.spec));
}

/// Half spectra of several axes may have parts that a real output does not depend on.
bool output_check::has_norms() const {
  return request::traits_of(problem_.spec.kind).in != request::domain::hermitian ||
         problem_.spec.lengths.size() == 1;
}

output_check::value_pairs output_check::pairs_of(std::span<const double> output,
                                                 const std::vector<loudness>& found) {
  plan_spec fp64 = problem_.spec;  // of the numbers that `read_sample` reads
  fp64.real = precision::fp64;
  const auto bytes = std::as_bytes(output);
  const byte_reader read = [bytes](std::size_t offset, std::span<std::byte> into) {
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), into.size(), into.begin());
  };
  value_pairs pairs;
  for (const output_sample& sample : samples_of(found)) {
    auto& [got, expected] = pairs[sample.transform];
    append(got, flat(read_sample(fp64, sample, read), kind()));
    append(expected, expected_of(sample));
  }
  return pairs;
}

/// Judges every transform, those of which nothing was sampled by their norms alone, and returns the
/// agreement of the worst, with the counts of all.
agreement output_check::judge_sample(std::span<const double> output) {
  const plan_spec& spec = problem_.spec;
  const std::vector<loudness> found = loudness_of(output);
  const value_pairs pairs = pairs_of(output, found);
  const std::size_t n = logical_points(), n_values = n_values_ / spec.batch;
  agreement worst{.is_within = true};
  std::size_t n_off = 0;
  n_checked_ = 0;
  for (std::size_t t = 0; t < found.size(); ++t) {
    const auto pair = pairs.find(t);
    if (pair == pairs.end() && !has_norms()) continue;
    const double norm = has_norms() ? norm_of_input(t) : 0;
    agreement a{.relative_l2_bound = relative_bound(n, problem_.computed), .is_within = true};
    if (pair != pairs.end()) {
      const auto& [got, expected] = pair->second;
      const std::size_t n_sampled = got.size() / (kind() == element::complex ? 2 : 1);
      const double share = static_cast<double>(n_sampled) / static_cast<double>(n_values);
      a = compare(got, expected, kind(), n, problem_.computed, norm * std::sqrt(share));
      n_checked_ += n_sampled;
      n_off += a.n_off;
    }
    if (has_norms()) add_norms(a, found[t].norm, norm, n_values, n, problem_.computed);
    const bool is_worse =
        a.is_within == worst.is_within ? a.relative_l2 >= worst.relative_l2 : !a.is_within;
    if (t == 0 || is_worse) worst = a;
  }
  worst.n_values = n_checked_;
  worst.n_off = n_off;
  return worst;
}

std::string output_check::description() const {
  switch (extent_) {
    case check_extent::none: return "nothing";
    case check_extent::full:
      return formatted("all {} against the reference (long double)", counted(n_values_, "value"));
    case check_extent::sample: break;
  }
  return formatted("{} of {} values against the definition (long double){}", n_checked_, n_values_,
                   has_norms() ? ", and the energy of every transform against Parseval's law" : "");
}

}  // namespace wingbeat::cli
