// SPDX-License-Identifier: Apache-2.0
#include "verify/judge.hpp"

#include <algorithm>  // max, min
#include <cmath>      // abs, hypot, sqrt
#include <set>
#include <utility>  // exchange, move

#include "arrays/address_space.hpp"  // product_of
#include "request/resolved.hpp"      // points_of, factor_of
#include "request/traits.hpp"        // traits_of
#include "text/counted.hpp"          // counted
#include "text/formatted.hpp"        // formatted
#include "wingbeat/buffer.hpp"       // buffer
#include "wingbeat/queue.hpp"        // queue

namespace wingbeat::verify {
namespace {

constexpr std::size_t max_points = std::size_t{1} << 14;    // of a transform that is sampled whole
constexpr std::size_t max_terms = std::size_t{1} << 26;     // inputs folded, of all samples
constexpr std::size_t max_elements = std::size_t{1} << 18;  // expected values of all samples
constexpr std::size_t min_elements = 16;                    // of a transform, within the above

void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

std::vector<double> reference_output(plan_spec spec, std::span<const double> input) {
  spec.real = precision::fp64;
  queue on{first_device(engine::reference)};
  const plan oracle{on, spec};
  buffer in{on, input.size_bytes()}, out{on, output_bytes(spec)};
  in.write(input.data(), in.size_bytes());
  oracle.enqueue(on, in.view(), out.view());
  std::vector<double> output(out.size_bytes() / sizeof(double));
  out.read(output.data(), out.size_bytes());
  return output;
}

std::size_t sampled_points_of(const plan_spec& spec) {
  return product_of(sampled_lengths(spec.lengths, max_points));
}

judge::judge(checked_problem problem, check_extent extent)
    : problem_(std::move(problem)), extent_(extent), out_(request::output_array(problem_.spec)) {
  const std::size_t n_points = request::points_of(problem_.spec) * problem_.spec.batch;
  const bool is_short = n_points <= max_values_unsampled;
  if (extent_ == check_extent::sample && is_short) extent_ = check_extent::full;
  prepare();
}

void judge::follow(checked_problem part) {
  n_values_before_ += n_transform_values_ * problem_.spec.batch;
  n_checked_before_ = n_checked_;
  problem_ = std::move(part);
  out_ = request::output_array(problem_.spec);
  few_.clear();
  expected_.clear();
  norms_.clear();
  prepare();
}

void judge::prepare() {
  n_transform_values_ = out_.elements();
  if (extent_ == check_extent::few) choose_few();
  if (extent_ != check_extent::full) return;
  std::vector<std::byte> input(input_bytes(problem_.spec));
  problem_.input(0, input);
  reference_ = reference_output(problem_.spec, numbers_of(input, problem_.spec.real));
  for (std::size_t i = 0; problem_.has_magnitudes && i < reference_.size(); i += 2) {
    reference_[i] = std::hypot(reference_[i], std::exchange(reference_[i + 1], 0));
  }
}

/// Chooses three transforms, with elements from the beginning, the middle and the end of a step:
/// all elements up to 2^20 points in 2^14 rows, else 2^12 to 2^16 elements spread over all axes.
void judge::choose_few() {
  const plan_spec& spec = problem_.spec;
  const auto kept = sampled_lengths(spec.lengths, std::size_t{1} << 20);
  const std::size_t batch = spec.batch;
  for (const std::size_t part : {0, 1, 2}) {  // in halves of the batch and of a step
    output_sample sample{part * (batch - 1) / 2};
    for (std::size_t a = 0; a < kept.size(); ++a) {
      const std::size_t step = spec.lengths[a] / kept[a];
      sample.axes.push_back({part * (step - 1) / 2, step});
    }
    if (expected_.contains(sample)) continue;
    n_checked_ += expected_of(sample).size() / (out_.is_real() ? 1 : 2);
    few_.push_back(std::move(sample));
  }
}

agreement judge::operator()(std::span<const double> output) {
  if (extent_ == check_extent::full) {
    return compare(output, reference_, out_.elements_are, how());
  }
  arrays::array fp64 = out_;
  fp64.stored = precision::fp64;
  return judged(fp64, reader_of(std::as_bytes(output)), {});
}

agreement judge::operator()(const byte_reader& output, const bin_map& bin_at) {
  return judged(out_, output, bin_at);
}

/// Returns the samples, the most significant first, as many as the work limits allow and at least
/// two: classes of the loudest transform, then of the first, the last, and others between them.
std::vector<output_sample> judge::samples_of(const std::vector<output_extremes>& found) const {
  const plan_spec& spec = problem_.spec;
  const std::vector<std::size_t> kept = sampled_lengths(spec.lengths, max_points);
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
  std::set<output_sample> known;
  const auto add = [&](std::size_t t, const auto& first_of) {
    output_sample sample{t};
    std::size_t element = found[t].strongest;
    for (std::size_t a = kept.size(); a-- > 0; element /= out_.axes[a].length) {
      const std::size_t step = spec.lengths[a] / kept[a];
      const std::size_t first = first_of(a, element % out_.axes[a].length) % step;
      sample.axes.insert(sample.axes.begin(), {first, step});
    }
    if (known.insert(sample).second && samples.size() < n_samples) samples.push_back(sample);
  };
  for (const std::size_t t : transforms) {
    add(t, [](std::size_t, std::size_t strongest) { return strongest; });
    add(t, [](std::size_t, std::size_t) { return std::size_t{0}; });
    add(t, [&](std::size_t a, std::size_t) { return spec.lengths[a] / 2; });
    const std::size_t n_spread = std::max<std::size_t>(3, min_elements / n_elements);
    for (std::size_t part = 1; part <= n_spread; ++part) {
      add(t, [&](std::size_t a, std::size_t) {
        return (2 * part + 1) * (out_.axes[a].length / kept[a]) / (2 * n_spread + 2);
      });
    }
  }
  return samples;
}

const std::vector<double>& judge::expected_of(const output_sample& sample) {
  const auto [place, is_missing] = expected_.try_emplace(sample);
  if (is_missing) {
    auto values = expected_sample(problem_.spec, sample, problem_.input);
    const auto factor = static_cast<double>(request::factor_of(problem_.spec));
    for (auto& z : values) z = factor * (problem_.has_magnitudes ? std::abs(z) : z);
    place->second = numbers_of(values, out_.is_real());
  }
  return place->second;
}

double judge::norm_of(std::size_t transform) {
  const auto [place, is_missing] = norms_.try_emplace(transform);
  if (is_missing) {
    place->second = norm_by_input(problem_.spec, transform, problem_.input) *
                    static_cast<double>(request::factor_of(problem_.spec));
  }
  return place->second;
}

computation judge::how() const {
  return {request::logical_points_of(problem_.spec), problem_.computed, problem_.n_roundings,
          problem_.floor};
}

/// Half spectra of several axes may have parts that a real output does not depend on.
bool judge::has_norms() const {
  if (extent_ != check_extent::sample) return false;
  return request::traits_of(problem_.spec.kind).in != request::domain::hermitian ||
         problem_.spec.lengths.size() == 1;
}

/// `found` is of the whole transform, if its norm is judged.
agreement judge::judged_transform(std::size_t transform, const value_pairs& pair,
                                  const output_extremes* found) {
  const auto& [got, expected] = pair;
  agreement a{.is_within = true};
  if (!got.empty()) {
    const std::size_t n = got.size() / (out_.is_real() ? 1 : 2);
    // The norms of few elements, such as those of a long prime, say little about the whole.
    constexpr std::size_t few = 256;
    const bool has_share = found != nullptr || (n < few && n < n_transform_values_);
    const long double share = n / static_cast<long double>(request::points_of(problem_.spec));
    const double share_l2 =
        has_share ? norm_of(transform) * static_cast<double>(std::sqrt(share)) : 0;
    a = compare(got, expected, out_.elements_are, how(), {.share_l2 = share_l2});
  }
  if (found != nullptr) add_norms(a, found->norm, norm_of(transform), n_transform_values_, how());
  return a;
}

/// Judges transforms without samples by their norms alone, and returns the agreement of the worst,
/// with the counts of all.
agreement judge::judged(const arrays::array& out, const byte_reader& read, const bin_map& bin_at) {
  std::vector<output_extremes> found;
  for (std::size_t t = 0; extent_ == check_extent::sample && t < problem_.spec.batch; ++t) {
    found.push_back(extremes_of(problem_.spec, out, t, read));
  }
  std::map<std::size_t, value_pairs> pairs;  // by transform
  for (const output_sample& sample : found.empty() ? few_ : samples_of(found)) {
    auto& [got, expected] = pairs[sample.transform];
    append(got, numbers_of(read_sample(out, sample, read, bin_at), out_.is_real()));
    append(expected, expected_of(sample));
  }
  for (std::size_t t = 0; has_norms() && t < found.size(); ++t) pairs[t];
  agreement worst{.is_within = true};
  for (const auto& [t, pair] : pairs) {
    worst = worse_of(worst, judged_transform(t, pair, has_norms() ? &found[t] : nullptr));
  }
  n_checked_ = n_checked_before_ + worst.n_values;
  return worst;
}

std::string judge::description() const {
  const std::size_t n_values = n_values_before_ + n_transform_values_ * problem_.spec.batch;
  switch (extent_) {
    case check_extent::none: return "nothing";
    case check_extent::full:
      return formatted("all {} against the reference (long double)", counted(n_values, "value"));
    case check_extent::sample:
    case check_extent::few: break;
  }
  return formatted("{} of {} values against the definition (long double){}", n_checked_, n_values,
                   has_norms() ? ", and the energy of every transform against Parseval's law" : "");
}

}  // namespace wingbeat::verify
