// SPDX-License-Identifier: Apache-2.0
// How close is a long FIR filter to a copy? Convolves one signal with taps in overlapping blocks,
// each read, transformed, multiplied, transformed back and stored in one launch, in turns with a
// copy of the signal. Some values are compared with the sum that defines them, in double.
//     filter_signal results.json [log2-samples taps[:block]..]..     as 26 255 26 4095:8192:12288
// Blocks are those given, or the powers of two; the chosen one first. Runs on the best device.
#include <fmt/format.h>

#include <algorithm>  // max
#include <bit>        // bit_ceil
#include <cmath>      // abs, log2
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "backend/backend.hpp"        // queue::copy
#include "bench/results.hpp"          // noise
#include "measure/document_text.hpp"  // write_document
#include "measure/rounds.hpp"         // queued_run, take_turns
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

constexpr int n_rounds = 9;

/// Returns the largest error of values spread over the result in mode `same`, over the sum of the
/// taps' magnitudes.
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

nlohmann::ordered_json measured(queue& on, std::size_t n, std::size_t n_taps, std::size_t block) {
  const convolution filter{on,
                           {.image = {n},
                            .kernel = {n_taps},
                            .mode = extent::same,
                            .prepared = operand_role::kernel,
                            .block = block}};
  const auto x = bench::noise(n, 1), taps = bench::noise(n_taps, 2);
  buffer in{on, filter.image_bytes()}, weights{on, filter.kernel_bytes()};
  in.write(x.data(), in.size_bytes());
  weights.write(taps.data(), weights.size_bytes());
  const buffer spectra{on, filter.spectra_bytes()}, out{on, filter.output_bytes()};
  const buffer workspace{on, std::max<std::size_t>(filter.workspace_bytes(), 16)};
  filter.prepare(on, weights.view(), spectra.view());
  std::vector<measure::timed_run> runs{
      measure::queued_run(on, "copy", [&] { on.impl()->copy(out.view(), in.view()); }),
      measure::queued_run(on, "filter", [&] {
        filter.enqueue(on, spectra.view(), in.view(), out.view(), {}, workspace.view());
      })};
  measure::take_turns(runs, n_rounds);
  filter.enqueue(on, spectra.view(), in.view(), out.view(), {}, workspace.view());
  std::vector<float> y(n);
  out.read(y.data(), out.size_bytes());
  const double worst = error_of(x, taps, y);
  const double us = 1e6 * runs[1].median_s(), copy_us = 1e6 * runs[0].median_s();
  fmt::print(
      "2^{:.0f} samples, {} taps, blocks of {}: {:.1f} us, copy {:.1f} us, {:.3f} of it; off "
      "{:.1e}{}\n{}",
      std::log2(double(n)), n_taps, filter.padded()[0], us, copy_us, copy_us / us, worst,
      worst < 1e-6 ? "" : "  WRONG", filter.explain());
  return {{"samples", n},
          {"taps", n_taps},
          {"block", filter.padded()[0]},
          {"us", us},
          {"copy_us", copy_us},
          {"fraction", copy_us / us},
          {"bytes", filter.traffic_bytes()},
          {"error", worst}};
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 4) throw plan_error("give FILE.json, then log2 of the samples and taps, in pairs");
  queue on;
  nlohmann::ordered_json document{{"device", on.device().name}, {"driver", on.device().version}};
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::size_t n = std::size_t{1} << std::stoul(argv[i]);
    std::istringstream given{argv[i + 1]};
    std::size_t n_taps = 0, block = 0;
    given >> n_taps;
    std::vector<std::size_t> blocks{0};
    for (char colon = 0; given >> colon >> block;) blocks.push_back(block);
    for (block = std::bit_ceil(2 * n_taps); block <= 32768; block *= 2) {
      if (argv[i + 1] == std::to_string(n_taps)) blocks.push_back(block);
    }
    for (const std::size_t each : blocks) document["rows"].push_back(measured(on, n, n_taps, each));
  }
  measure::write_document(argv[1], document);
  return 0;
} catch (const std::exception& failed) {
  std::fprintf(stderr, "filter_signal: %s\n", failed.what());
  return 3;
}
