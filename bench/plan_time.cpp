// SPDX-License-Identifier: Apache-2.0
// How long does a first plan take, while its kernels are compiled: by one thread and by as many as
// there are processors, with the kernels compiled ahead, and cuFFT's plan of the same? Entries of
// the kernel cache are ignored but where "cached" is said. Writes a document to stdout.
//     WINGBEAT_COMMIT=.. plan_time [cuda|opencl] > bench/results/h100/plan_time.json
#include <fmt/core.h>

#include <algorithm>  // sort
#include <functional>
#include <thread>  // hardware_concurrency

#include "backend/kernel_cache.hpp"   // kernel_cache
#include "bench/results.hpp"          // document_of
#include "measure/document_text.hpp"  // document_text
#include "peers/cufft.hpp"
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using json = nlohmann::ordered_json;

constexpr int n_rounds = 3;

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Returns the median of several rounds, and the first, which may load a library.
json times_of(const std::function<void()>& work) {
  std::vector<double> times;
  for (int round = 0; round < n_rounds; ++round) times.push_back(seconds_of(work));
  const double first = times.front();
  std::sort(times.begin(), times.end());
  return {{"median_s", times[n_rounds / 2]}, {"first_s", first}};
}

/// Returns what work takes with kernels compiled by one thread, by all, and found in the cache.
json times_of_compiling(const std::function<void()>& work) {
  backend::kernel_cache& cache = backend::kernel_cache::shared();
  json times;
  cache.ignore_entries(true);
  {
    const thread_limit alone{1};
    times["one_thread"] = times_of(work);
  }
  times["all_threads"] = times_of(work);
  cache.ignore_entries(false);
  times["cached"] = times_of(work);
  return times;
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

/// Forty lengths, each a text of its own.
std::vector<plan_spec> many_requests() {
  std::vector<plan_spec> specs;
  for (std::size_t n = 100; specs.size() < 40; n += 4) {
    if (is_good_length(n)) specs.push_back({.lengths = {n}, .batch = 256});
  }
  return specs;
}

}  // namespace

int main(int argc, char** argv) try {
  const queue on{first_device(engine_named(argc > 1 ? argv[1] : "cuda"))};
  const bool has_peer = on.device().runs_on == engine::cuda && peers::cufft::why_absent().empty();
  const plan warm_up{on, {.lengths = {32}}};  // loads the compiler
  json results = json::array();
  for (const auto& [name, spec] : requests()) {
    json result = times_of_compiling([&, &request = spec] { const plan planned{on, request}; });
    result["problem"] = name;
    if (has_peer) {
      result["cufft"] = times_of([&, &request = spec] { const peers::cufft planned{on, request}; });
    }
    results.push_back(std::move(result));
  }
  const convolution_spec taps{.image = {std::size_t{1} << 20},
                              .kernel = {255},
                              .mode = extent::same,
                              .prepared = operand_role::kernel};
  results.push_back(times_of_compiling([&] { const convolution planned{on, taps}; }));
  results.back()["problem"] = "convolution of 255 taps";
  results.push_back(times_of_compiling([&] { compile_ahead(on, many_requests()); }));
  results.back()["problem"] = "compile_ahead of 40 lengths";
  json document = bench::document_of("wingbeat plan time 1", on.device(),
                                     {{"architecture", on.device().architecture},
                                      {"driver", on.device().version},
                                      {"processors", std::thread::hardware_concurrency()}});
  if (has_peer) document["cufft"] = peers::cufft::version();
  document["results"] = std::move(results);
  fmt::print("{}", measure::document_text(document));
  return 0;
} catch (const wingbeat::error& failed) {
  fmt::print(stderr, "plan_time: {}\n", failed.what());
  return 3;
}
