// SPDX-License-Identifier: Apache-2.0
// How long do spectrograms, mel features, their gradients and inverses take? torch, torchaudio and
// CuPy do the same work.
#include "bench/question.hpp"

namespace wingbeat::bench {
namespace {

std::vector<double> hann(std::size_t n) {
  std::vector<double> window;
  for (std::size_t i = 0; i < n; ++i) {
    window.push_back(
        0.5 - 0.5 * std::cos(6.283185307179586 * static_cast<double>(i) / static_cast<double>(n)));
  }
  return window;
}

short_time_spec centred(std::size_t length, std::size_t batch, std::size_t n_fft, std::size_t hop) {
  return {.length = length,
          .batch = batch,
          .n_fft = n_fft,
          .hop = hop,
          .window = hann(n_fft),
          .before = n_fft / 2,
          .edge = border::reflect};
}

struct problem {
  std::string name;
  short_time_spec spec;
};

std::vector<problem> problems(bool is_small) {
  const std::size_t rows = is_small ? 1 : 64, seconds = is_small ? 60 : 10;
  const std::size_t samples = std::size_t{1} << (is_small ? 22 : 28);
  short_time_spec mel = centred(16000 * seconds, rows, 400, 160);
  mel.slack = -160;
  mel.features = {.exponent = 2,
                  .bands = 80,
                  .weights = mel_weights({.bands = 80,
                                          .n_fft = 400,
                                          .rate_hz = 16000,
                                          .scale = mel_scale::slaney,
                                          .have_equal_areas = true}),
                  .has_log = true,
                  .floor = 1e-10,
                  .gain = 0.4342944819032518};
  mel.has_gradients = true;
  short_time_spec whisper = mel;
  whisper.has_gradients = false;
  whisper.features.range = 8;
  short_time_spec power = centred(samples, 1, 4096, 1024);
  power.features.exponent = 2;
  short_time_spec bins = centred(samples, 1, 8192, 2048);
  bins.has_inverse = true;
  short_time_spec welch = centred(samples, 1, 4096, 2048);
  welch.before = 0;
  welch.slack = -4096;
  welch.features = {.exponent = 2, .is_one_sided = true, .are_averaged = true};
  return {{"mel", mel}, {"whisper", whisper}, {"power", power}, {"bins", bins}, {"welch", welch}};
}

void measure_problem(session& asked, const problem& p) {
  queue& on = asked.on();
  const short_time plan{on, p.spec};
  buffer samples{on, plan.sample_bytes()}, results{on, plan.result_bytes()};
  const std::vector<float> part = noise(std::size_t{1} << 20, 1);
  fill(samples, part.data(), part.size() * sizeof(float));
  buffer gradient{on, p.spec.has_gradients ? plan.sample_bytes() : 4};
  std::vector<measure::timed_run> runs{measure::queued_run(
      on, "forward", [&] { plan.enqueue(on, samples.view(), results.view()); })};
  if (p.spec.has_inverse) {
    runs.push_back(measure::queued_run(
        on, "inverse", [&] { plan.enqueue_inverse(on, results.view(), samples.view()); }));
  }
  if (p.spec.has_gradients) {
    runs.push_back(measure::queued_run(on, "gradient", [&] {
      plan.enqueue_gradient(on, samples.view(), results.view(), gradient.view());
    }));
  }
  json row{{"problem", p.name},
           {"rows", p.spec.batch},
           {"samples", p.spec.length},
           {"n_fft", p.spec.n_fft},
           {"hop", p.spec.hop},
           {"megabytes", 1e-6 * static_cast<double>(plan.sample_bytes() + plan.result_bytes())},
           {"workspace_megabytes", 1e-6 * static_cast<double>(plan.workspace_bytes())}};
  asked.time(runs, row);
  asked.add(std::move(row), true);
}

void short_times(session& asked) {
  const bool is_small = !asked.on().device().is_gpu;
  for (const problem& each : problems(is_small)) {
    if (asked.words.empty() ||
        std::find(asked.words.begin(), asked.words.end(), each.name) != asked.words.end()) {
      measure_problem(asked, each);
    }
  }
}

const registration of_short_times{{"short_times", "[PROBLEM..]",
                                   "what short-time transforms and their gradients cost",
                                   short_times}};

}  // namespace
}  // namespace wingbeat::bench
