// SPDX-License-Identifier: Apache-2.0
// How long do spectrograms, mel features, their gradients and inverses take? torch, torchaudio and
// CuPy do the same work.
#include "bench/question.hpp"
#include "bench/short_time_problems.hpp"

namespace wingbeat::bench {
namespace {

void measure_problem(session& asked, const short_time_problem& p) {
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
  for (const short_time_problem& each : short_time_problems(is_small)) {
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
