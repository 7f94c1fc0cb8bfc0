// SPDX-License-Identifier: Apache-2.0
// How close is a long FIR filter to a copy? Convolves one signal with taps in overlapping blocks;
// one launch reads, transforms, multiplies, transforms back and stores each. Some values are
// compared with the sum that defines them, in double.
#include <bit>  // bit_ceil
#include <sstream>

#include "bench/question.hpp"

namespace wingbeat::bench {
namespace {

constexpr std::size_t n_samples = std::size_t{1} << 26;

/// Returns the largest error among values spread over the result in mode `same`, relative to the
/// sum of the taps' magnitudes.
double error_of(const std::vector<float>& x, const std::vector<float>& taps,
                const std::vector<float>& y) {
  double worst = 0, sum = 0;
  for (const float tap : taps) sum += std::abs(double(tap));
  for (std::size_t i = 0; i < y.size(); i += y.size() / 4001 + 1) {
    const std::size_t n = i + (taps.size() - 1) / 2;
    double expected = 0;
    for (std::size_t j = n < x.size() ? 0 : n - x.size() + 1; j < taps.size() && j <= n; ++j) {
      expected += double(taps[j]) * x[n - j];
    }
    worst = std::max(worst, std::abs(expected - y[i]));
  }
  return worst / sum;
}

void filter(session& asked, std::size_t n_taps, std::size_t block) {
  queue& on = asked.on();
  const convolution filter{on,
                           {.image = {n_samples},
                            .kernel = {n_taps},
                            .mode = extent::same,
                            .prepared = operand_role::kernel,
                            .block = block}};
  const auto x = noise(n_samples, 1), taps = noise(n_taps, 2);
  const buffer in = filled(on, x), weights = filled(on, taps);
  const buffer spectra{on, filter.spectra_bytes()}, out{on, filter.output_bytes()};
  const buffer workspace{on, std::max<std::size_t>(filter.workspace_bytes(), 16)};
  filter.prepare(on, weights.view(), spectra.view());
  std::vector<measure::timed_run> runs{
      copy_run(on, out, in), measure::queued_run(on, "filter", [&] {
        filter.enqueue(on, spectra.view(), in.view(), out.view(), {}, workspace.view());
      })};
  json row{{"taps", n_taps}, {"block", filter.padded()[0]}, {"bytes", filter.traffic_bytes()}};
  asked.time(runs, row);
  runs[1].time(1);
  std::vector<float> y(n_samples);
  out.read(y.data(), out.size_bytes());
  row["fraction"] = runs[0].median_s() / runs[1].median_s();
  row["error"] = error_of(x, taps, y);
  const bool is_right = row["error"] < 1e-6;
  asked.add(std::move(row), is_right);
}

void filters(session& asked) {
  if (asked.words.empty()) asked.words = {"255", "4095"};
  for (const std::string& word : asked.words) {
    std::istringstream given{word};
    std::size_t n_taps = 0, block = 0;
    given >> n_taps;
    std::vector<std::size_t> blocks{0};  // the automatic choice first
    for (char colon = 0; given >> colon >> block;) blocks.push_back(block);
    const std::size_t longest = blocks.size() > 1 ? 0 : 32768;
    for (block = std::bit_ceil(2 * n_taps); block <= longest; block *= 2) blocks.push_back(block);
    for (const std::size_t each : blocks) filter(asked, n_taps, each);
  }
}

const registration of_filters{
    {"filters", "[TAPS[:BLOCK]..]..", "how close a long FIR filter is to a copy", filters}};

}  // namespace
}  // namespace wingbeat::bench
