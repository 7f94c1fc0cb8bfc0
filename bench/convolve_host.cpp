// SPDX-License-Identifier: Apache-2.0
// How quick are convolutions on the processor? Images with a kernel, prepared each time and once,
// and long signals with taps: padded, in blocks, and as a stream. bench/peers/scipy_convolve.py
// times the same with SciPy.
//     WINGBEAT_THREADS=2 convolve_host FILE.json     commit from WINGBEAT_COMMIT
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "bench/results.hpp"          // document_of, noise, times_of
#include "measure/document_text.hpp"  // write_document
#include "measure/rounds.hpp"         // queued_run, take_turns
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using json = nlohmann::ordered_json;

constexpr int n_rounds = 15;

buffer filled(const queue& on, std::size_t size_bytes) {
  buffer memory{on, size_bytes};
  memory.write(bench::noise(size_bytes / sizeof(float)).data(), size_bytes);
  return memory;
}

/// Times a convolution whose spectra are prepared in each run, and once for all.
json measured(queue& on, const std::string& name, const convolution_spec& spec) {
  const convolution plan{on, spec};
  const bool prepares_images = spec.prepared == operand_role::image;
  const buffer prepared = filled(on, prepares_images ? plan.image_bytes() : plan.kernel_bytes());
  const buffer given = filled(on, prepares_images ? plan.kernel_bytes() : plan.image_bytes());
  const buffer spectra{on, plan.spectra_bytes()}, out{on, plan.output_bytes()};
  const auto run = [&] { plan.enqueue(on, spectra.view(), given.view(), out.view()); };
  std::vector<measure::timed_run> runs{measure::queued_run(on, "each_time",
                                                           [&] {
                                                             plan.prepare(on, prepared.view(),
                                                                          spectra.view());
                                                             run();
                                                           }),
                                       measure::queued_run(on, "once", run)};
  measure::take_turns(runs, n_rounds);
  fmt::print("{:<28} {:8.3f} ms, prepared once {:8.3f} ms, padded to {}\n", name,
             runs[0].median_s() * 1e3, runs[1].median_s() * 1e3, plan.padded().back());
  return {{"name", name},
          {"padded", plan.padded()},
          {"each_time_s", bench::times_of(runs[0])},
          {"once_s", bench::times_of(runs[1])}};
}

json streamed(const queue& on, std::size_t n_samples, std::size_t n_taps, std::size_t piece) {
  const std::vector<float> x = bench::noise(n_samples), taps = bench::noise(n_taps);
  stream_filter filter{on, taps};
  std::vector<measure::timed_run> runs{measure::queued_run(on, "stream", [&] {
    for (std::size_t i = 0; i < n_samples; i += piece) (void)filter.push({x.data() + i, piece});
    (void)filter.flush();
  })};
  measure::take_turns(runs, n_rounds);
  const std::string name = fmt::format("stream of {}, {} taps", n_samples, n_taps);
  fmt::print("{:<28} {:8.3f} ms, pieces of {}\n", name, runs[0].median_s() * 1e3, piece);
  return {{"name", name}, {"padded", {filter.block()}}, {"once_s", bench::times_of(runs[0])}};
}

}  // namespace

int main(int argc, char** argv) try {
  queue on{first_device(engine::host)};
  json document = bench::document_of("wingbeat.convolve_host/1", on.device(),
                                     {{"instruction_set", on.device().architecture},
                                      {"threads", on.device().compute_units},
                                      {"rounds", n_rounds}});
  json& results = document["results"];
  for (const extent mode : {extent::valid, extent::same, extent::full}) {
    results.push_back(measured(on, fmt::format("512^2 in 2048^2, {}", name_of(mode)),
                               {.image = {2048, 2048}, .kernel = {512, 512}, .mode = mode}));
  }
  constexpr std::size_t n_samples = std::size_t{1} << 20;
  for (const std::size_t n_taps : {255, 4095}) {
    const std::string name = fmt::format("{} samples, {} taps", n_samples, n_taps);
    const convolution_spec spec{.image = {n_samples}, .kernel = {n_taps}};
    results.push_back(measured(on, name + ", padded", spec));
    convolution_spec blocks = spec;
    blocks.prepared = operand_role::kernel;
    results.push_back(measured(on, name, blocks));
    const std::size_t least = n_taps < 1000 ? 512 : 8192;
    for (blocks.block = least; blocks.block <= 16 * least; blocks.block *= 2) {
      results.push_back(measured(on, fmt::format("{}, block", name), blocks));
    }
    results.push_back(streamed(on, n_samples, n_taps, 4096));
  }
  if (argc > 1) measure::write_document(argv[1], document);
  return 0;
} catch (const wingbeat::error& failed) {
  fmt::print(stderr, "convolve_host: {}\n", failed.what());
  return 3;
}
