// SPDX-License-Identifier: Apache-2.0
// Random searches on the first device of an engine, against scores by their definitions in long
// double. Variables of the environment are those of random_convolutions/expect_right.hpp: search i
// is drawn from seed WINGBEAT_RANDOM_SEED + i.
//
// With u the unit roundoff of what is computed, |f| and |t| the norms of image and template, a
// plain score's error is at most 16 u |f| |t|, as of convolutions. That of a coefficient is this of
// the image without its mean and of a unit template, divided by the window's norm v; 80 epsilon of
// both norms; and, because v^2 is a difference of sums of n squares in fp64,
// (h + w) 2^-52 n max(f^2) / v^2. Where spectra are stored in 16 bits, r the roundoff of those, the
// root mean square of errors is 5 r times |f| |t| / sqrt(values of f), or that of scores where they
// are larger; each is at most 8 (1 + 3 / sqrt n) times this, n the least of the numbers of values
// of image, template and map.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>     // uint64_t
#include <cstdio>      // printf
#include <functional>  // plus
#include <numeric>     // inner_product
#include <utility>     // pair

#include "arrays/address_space.hpp"           // product_of
#include "convolving/search_check.hpp"        // expect_kept, filled, half_spectra_of
#include "random_searches/random_search.hpp"  // random_search, as_initialiser
#include "support/environment.hpp"            // from_environment
#include "support/share.hpp"                  // has_time
#include "wingbeat/wingbeat.hpp"

namespace wingbeat::test {

template <class Real>
long double norm_of(const Real* values, std::size_t count, long double mean = 0) {
  long double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += (values[i] - mean) * (values[i] - mean);
  return std::sqrt(sum);
}

/// Runs a drawn search.
template <class Real>
class search_run {
 public:
  search_run(queue& on, const drawn_search& drawn)
      : on_(on), drawn_(drawn), spec_(drawn.spec), n_(product_of(spec_.templates)) {
    image_ = noise_of<Real>(product_of(spec_.image), 1);
    templates_ = noise_of<Real>(drawn.count * n_, 2);
    for (Real& value : image_) value += static_cast<Real>(drawn.offset);
    for (Real& value : templates_) value += static_cast<Real>(drawn.offset / 4);
  }

  /// Runs it, compares it, and returns whether a launch kept scores.
  bool keeps_right() {
    template_search search{on_, spec_};
    const bool has_spectra = spec_.form == operand_form::spectrum;
    given_ = has_spectra ? half_spectra_of(templates_, spec_) : templates_;
    const buffer in = filled(on_, image_), batch = filled(on_, given_);
    search.begin(on_, in.view());
    if (drawn_.restarts) {
      add(search, batch, 0, drawn_.count);
      search.restart(on_);
    }
    const std::size_t parts[] = {0, drawn_.first_part, drawn_.count};
    for (const std::size_t part : {0U, 1U}) {
      const std::size_t p = drawn_.is_last_part_first ? 1 - part : part;
      if (parts[p] < parts[p + 1]) add(search, batch, parts[p], parts[p + 1] - parts[p]);
    }
    const auto result = scores_by_definition(image_, spec_, templates_);
    expect_kept(on_, search, result, bounds_of(result));
    return search.explain().find("whose values your store keeps") != std::string::npos;
  }

 private:
  void add(template_search& search, const buffer& batch, std::size_t first, std::size_t count) {
    const std::size_t each = given_.size() / drawn_.count * sizeof(Real);
    buffer_view view = batch.view();
    view.offset_bytes += first * each;
    view.size_bytes = count * each;
    search.add(on_, view, count, first);
  }

  /// Returns how far each score may be from its definition.
  [[nodiscard]] exact_scores bounds_of(const std::vector<exact_scores>& result) const {
    const bool is_normalised = spec_.is_normalised;
    const long double epsilon = std::numeric_limits<Real>::epsilon();
    exact_scores windows(result[0].size(), 1);
    long double mean = 0, of_t = 1;
    if (is_normalised) {
      const auto of_image = centred_windows(image_, spec_);
      for (std::size_t i = 0; i < windows.size(); ++i) windows[i] = norm_of(of_image[i].data(), n_);
      for (const Real value : image_) mean += value / static_cast<long double>(image_.size());
    } else {
      of_t = 0;
      for (std::size_t i = 0; i < templates_.size(); i += n_) {
        of_t = std::max(of_t, norm_of(&templates_[i], n_));
      }
    }
    const long double of_f = norm_of(image_.data(), image_.size(), mean);
    long double value = 8 * epsilon * of_f * of_t;
    if (spec_.between) {
      const long double r = spec_.between == precision::fp16 ? 0x1p-11L : 0x1p-8L;
      long double size = of_f * of_t / std::sqrt(static_cast<long double>(image_.size()));
      for (const exact_scores& each : result) {
        const long double energy = std::inner_product(
            each.begin(), each.end(), windows.begin(), 0.0L, std::plus<>{},
            [](long double score, long double window) { return score * score * window * window; });
        size = std::max(size, std::sqrt(energy / static_cast<long double>(each.size())));
      }
      const auto least = static_cast<long double>(std::min({image_.size(), n_, windows.size()}));
      value += 8 * (1 + 3 / std::sqrt(least)) * 5 * r * size;
    }
    const auto [h, w] = std::pair{spec_.templates[0], spec_.templates[1]};
    const long double of_sums = 0x1p-52L * static_cast<long double>((h + w) * n_) *
                                (1 + drawn_.offset) * (1 + drawn_.offset);
    exact_scores bounds;
    for (const long double window : windows) {
      if (window == 0) {  // a constant, whose score is 0
        bounds.push_back(1e-7L);
        continue;
      }
      const long double of_norms = is_normalised ? 80 * epsilon + of_sums / (window * window) : 0;
      bounds.push_back(std::max(value / window + of_norms, 1e-7L));
    }
    return bounds;
  }

  queue& on_;
  const drawn_search& drawn_;
  const search_spec& spec_;
  std::size_t n_;  ///< Values of a template.
  std::vector<Real> image_, templates_, given_;
};

/// Checks `count` searches, fewer after five faults.
inline void expect_right_searches(engine runs_on, std::uint64_t count) {
  const auto found = devices(runs_on);
  if (found.empty()) GTEST_SKIP() << why_absent(runs_on);
  queue on{found.front()};
  const std::uint64_t n_searches = from_environment("WINGBEAT_RANDOM_PLANS", count);
  const std::uint64_t first = from_environment("WINGBEAT_RANDOM_SEED", 1);
  std::size_t n_wrong = 0, n_kept = 0;
  std::uint64_t seed = first;
  for (; seed < first + n_searches && n_wrong < 5 && has_time(); ++seed) {
    const drawn_search drawn = random_search(seed, found.front().has_fp64);
    const auto* const faults = testing::UnitTest::GetInstance()->current_test_info()->result();
    const int before = faults->total_part_count();
    const testing::ScopedTrace trace{
        __FILE__, __LINE__,
        fmt::format("WINGBEAT_RANDOM_SEED={}, {} templates, {} of them in the first part{}{}, "
                    "offset {}\nsearch_spec{}",
                    seed, drawn.count, drawn.first_part,
                    drawn.is_last_part_first ? ", which is added last" : "",
                    drawn.restarts ? ", restarted" : "", drawn.offset, as_initialiser(drawn.spec))};
    try {
      n_kept += drawn.spec.real == precision::fp64 ? search_run<double>{on, drawn}.keeps_right()
                                                   : search_run<float>{on, drawn}.keeps_right();
    } catch (const error& problem) {
      ADD_FAILURE() << problem.what();
    }
    n_wrong += faults->total_part_count() > before ? 1 : 0;
  }
  std::printf("%s: %llu of the random searches of seeds %llu to %llu, %zu wrong; %zu kept scores\n",
              found.front().name.c_str(), static_cast<unsigned long long>(seed - first),
              static_cast<unsigned long long>(first), static_cast<unsigned long long>(seed - 1),
              n_wrong, n_kept);
  EXPECT_GT(seed, first);
  EXPECT_TRUE(runs_on != engine::cuda || seed < first + count || n_kept > 0);
}

}  // namespace wingbeat::test
