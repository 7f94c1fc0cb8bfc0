// SPDX-License-Identifier: Apache-2.0
// How quick is the channeliser on the processor? 10-bit samples of two polarisations to heaps of 8
// bits, 16 taps, a delay and a gain. bench/peers/numpy_channelise.py times the same chain in numpy
// and scipy.
//     WINGBEAT_THREADS=2 channelise_host FILE.json     commit from WINGBEAT_COMMIT
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "bench/results.hpp"          // document_of, noise_bytes, times_of
#include "measure/document_text.hpp"  // write_document
#include "measure/rounds.hpp"         // queued_run, take_turns
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using json = nlohmann::ordered_json;

constexpr int n_rounds = 9;
constexpr std::size_t n_samples = std::size_t{1} << 24;  // of one polarisation
constexpr unsigned sample_bits = 10;

json measured(queue& on, std::size_t channels, dither_kind dither) {
  constexpr std::size_t n_bytes_in = n_samples / 8 * sample_bits;
  const auto first = bench::noise_bytes(n_bytes_in, 1), second = bench::noise_bytes(n_bytes_in, 2);
  channeliser bank{on,
                   {.adc_rate_hz = 1712e6,
                    .channels = channels,
                    .dither = dither,
                    .gains = {{.gains = {{{0.5F, 0.5F}}, {{1, 0}}}}},
                    .delays = {{{.delay_samples = 0.3}}, {{.delay_samples = -0.2}}}},
                   0};
  std::size_t n_bytes = 0;
  const auto take = [&](const channelised_heap& heap) { n_bytes += heap.bytes.size(); };
  std::vector<measure::timed_run> runs{measure::queued_run(on, "push", [&] {
    bank.push(on, {.packed = {first, second}, .count = n_samples}, take);
    bank.finish(take);
  })};
  measure::take_turns(runs, n_rounds);
  const double all = 2 * static_cast<double>(n_samples);
  fmt::print("{:>6} channels, {:<9} {:7.3f} s, {:7.1f} million samples a second\n", channels,
             dither == dither_kind::none ? "no dither" : "dither", runs[0].min_s(),
             all / runs[0].min_s() / 1e6);
  return {{"channels", channels},
          {"dither", dither == dither_kind::uniform},
          {"seconds", bench::times_of(runs[0])},
          {"samples_per_s", all / runs[0].median_s()}};
}

}  // namespace

int main(int argc, char** argv) try {
  queue on{first_device(engine::host)};
  json document = bench::document_of("wingbeat.channelise_host/1", on.device(),
                                     {{"instruction_set", on.device().architecture},
                                      {"threads", on.device().compute_units},
                                      {"rounds", n_rounds},
                                      {"samples", 2 * n_samples},
                                      {"taps", 16}});
  for (const std::size_t channels : {1024, 4096, 32768}) {
    for (const dither_kind dither : {dither_kind::uniform, dither_kind::none}) {
      document["results"].push_back(measured(on, channels, dither));
    }
  }
  if (argc > 1) measure::write_document(argv[1], document);
  return 0;
} catch (const wingbeat::error& failed) {
  fmt::print(stderr, "channelise_host: {}\n", failed.what());
  return 3;
}
