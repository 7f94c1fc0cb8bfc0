// SPDX-License-Identifier: Apache-2.0
// How long does a first plan take, while its kernels are compiled: by one thread, by one per
// processor, and with the kernels compiled ahead; and cuFFT's plan of the same? Ignores the kernel
// cache, except in the times called "cached".
#include <thread>  // hardware_concurrency

#include "backend/kernel_cache.hpp"  // kernel_cache
#include "bench/question.hpp"
#include "measure/wall_time.hpp"  // seconds_of
#include "peers/cufft.hpp"        // cufft

namespace wingbeat::bench {
namespace {

/// Adds the median of several rounds, and the first round, which may load a library.
void time(session& asked, json& row, const std::string& name, const std::function<void()>& work) {
  std::vector<double> times;
  for (int round = 0; round < asked.n_rounds; ++round) times.push_back(measure::seconds_of(work));
  row[name + "_first_s"] = times.front();
  std::sort(times.begin(), times.end());
  row[name + "_median_s"] = times[times.size() / 2];
}

/// Times work with kernels compiled by one thread, by all, and found in the cache.
json compiling(session& asked, const std::string& problem, const std::function<void()>& work) {
  backend::kernel_cache& cache = backend::kernel_cache::shared();
  json row{{"problem", problem}};
  cache.ignore_entries(true);
  {
    const thread_limit alone{1};
    time(asked, row, "one_thread", work);
  }
  time(asked, row, "all_threads", work);
  cache.ignore_entries(false);
  time(asked, row, "cached", work);
  return row;
}

std::vector<std::pair<std::string, plan_spec>> requests() {
  return {{"64", {.lengths = {64}, .batch = 64}},
          {"1024", {.lengths = {1024}, .batch = 64}},
          {"4096", {.lengths = {4096}, .batch = 64}},
          {"65536", {.lengths = {65536}, .batch = 16}},
          {"1048576", {.lengths = {1 << 20}}},
          {"1009", {.lengths = {1009}, .batch = 64}},
          {"10007", {.lengths = {10007}, .batch = 400}},
          {"1024x1024", {.lengths = {1024, 1024}}},
          {"4096 reals", {.lengths = {4096}, .batch = 64, .kind = transform::forward_from_real}}};
}

/// Returns forty lengths, each with a text of its own.
std::vector<plan_spec> many_requests() {
  std::vector<plan_spec> specs;
  for (std::size_t n = 100; specs.size() < 40; n += 4) {
    if (is_good_length(n)) specs.push_back({.lengths = {n}, .batch = 256});
  }
  return specs;
}

void plans(session& asked) {
  const queue& on = asked.on();
  asked.head("processors", std::thread::hardware_concurrency());
  const bool has_peer = on.device().runs_on == engine::cuda && peers::cufft::why_absent().empty();
  const plan warm_up{on, {.lengths = {32}}};  // loads the compiler
  for (const auto& [name, spec] : requests()) {
    const auto make = [&, &request = spec] { const plan planned{on, request}; };
    json row = compiling(asked, name, make);
    if (has_peer) {
      time(asked, row, "cufft", [&, &request = spec] { const peers::cufft planned{on, request}; });
    }
    asked.add(std::move(row));
  }
  const convolution_spec taps{.image = {std::size_t{1} << 20},
                              .kernel = {255},
                              .mode = extent::same,
                              .prepared = operand_role::kernel};
  asked.add(compiling(asked, "convolution of 255 taps", [&] {
    const convolution planned{on, taps};
  }));
  asked.add(
      compiling(asked, "compile_ahead of 40 lengths", [&] { compile_ahead(on, many_requests()); }));
}

const registration of_plans{{"plans", "", "how long a first plan takes", plans}};

}  // namespace
}  // namespace wingbeat::bench
