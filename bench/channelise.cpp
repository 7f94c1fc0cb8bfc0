// SPDX-License-Identifier: Apache-2.0
// What does a filter bank take in one launch, beside the unfused chain of a filter kernel, cuFFT
// and a kernel that turns, weighs, quantises and transposes? 10 bits to 8, 16 taps, two
// polarisations, noise at -20 dBFS; in turns with a copy of the bytes that the fused launch moves.
//     channelise results.json [channels]..      as 1024 4096; WINGBEAT_COMMIT names the commit
// WINGBEAT_TILES="rows workgroups resident" cuts tiles otherwise.
#include <fmt/core.h>

#include <cstdlib>  // getenv
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "backend/backend.hpp"              // queue
#include "channelise_peer.hpp"              // unfused_bank
#include "channelising/chained_bank.hpp"    // chained_bank
#include "channelising/fused_bank.hpp"      // fused_bank
#include "channelising/packed_samples.hpp"  // pack_samples
#include "measure/rounds.hpp"               // queued_run, take_turns
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using namespace wingbeat::channelising;

constexpr std::size_t n_samples = std::size_t{1} << 27;  // of a polarisation
constexpr int n_rounds = 9;

/// Noise of a standard deviation that is -20 dBFS, in both planes.
std::vector<std::byte> noise(std::size_t plane_bytes, unsigned bits) {
  std::mt19937 engine{17};
  const double full_scale = static_cast<double>((1U << (bits - 1)) - 1);
  std::normal_distribution<double> normal{0, 0.1 * full_scale / std::sqrt(2.0)};
  std::vector<std::int16_t> samples(std::size_t{1} << 20);
  for (auto& x : samples) x = static_cast<std::int16_t>(std::lrint(normal(engine)));
  std::vector<std::byte> piece(samples.size() / 8 * bits), planes(2 * plane_bytes);
  pack_samples(samples, bits, 0, piece);
  for (std::size_t at = 0; at < planes.size(); at += piece.size()) {
    std::copy_n(piece.begin(), std::min(piece.size(), planes.size() - at),
                planes.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return planes;
}

/// Entries of all spectra, whose windows follow each other a row apart.
std::vector<spectrum_entry> entries_of(const channeliser_sizes& sizes, std::size_t n_spectra) {
  std::vector<spectrum_entry> entries(2 * n_spectra);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::size_t s = i % n_spectra, pol = i / n_spectra;
    entries[i] = {.first = s * sizes.transform + 5 * pol,
                  .time = s * sizes.transform,
                  .phase_turns = 0.1F + 0.3F * static_cast<float>(pol),
                  .slope_turns = 1e-5F,
                  .follow = static_cast<std::uint32_t>(n_spectra - s)};
  }
  return entries;
}

buffer filled(queue& on, const void* from, std::size_t size_bytes) {
  buffer memory{on, size_bytes};
  memory.write(from, size_bytes);
  return memory;
}

void cut(bank_tiles& tiles) {
  const char* const given = std::getenv("WINGBEAT_TILES");
  if (given == nullptr) return;
  std::istringstream{given} >> tiles.numbers.rows >> tiles.numbers.workgroups >> tiles.resident;
  tiles.numbers.sliding = std::min(tiles.numbers.rows, 8U);
  tiles.scratch_bytes = scratch_bytes_of(tiles.numbers);
}

nlohmann::ordered_json measured(queue& on, std::size_t channels, dither_kind dither) {
  const channeliser_spec spec{.adc_rate_hz = 1712e6, .channels = channels, .dither = dither};
  const channeliser_sizes sizes = sizes_of(spec);
  const std::size_t n_heaps = n_samples / sizes.heap_samples;
  const std::size_t n_spectra = n_heaps * sizes.spectra_per_heap;
  const std::size_t plane_bytes = (n_samples + spec.taps * sizes.transform) / 8 * 10 + 32;
  const auto packed = noise(plane_bytes, spec.sample_bits);
  const auto entries = entries_of(sizes, n_spectra);
  const std::vector<std::complex<float>> ones(2 * channels, 1.0F);
  const buffer samples = filled(on, packed.data(), packed.size());
  const buffer spectra = filled(on, entries.data(), entries.size() * sizeof entries[0]);
  const buffer gains = filled(on, ones.data(), ones.size() * sizeof ones[0]);
  buffer heaps{on, n_heaps * sizes.heap_bytes}, saturated{on, n_heaps * 8};
  buffer peer_heaps{on, n_heaps * sizes.heap_bytes}, copied{on, 2 * n_heaps * sizes.heap_bytes};
  on.impl()->clear(saturated.view());
  auto tiles = tiles_of(spec, on.device());
  std::optional<fused_bank> bank;
  if (tiles) {
    cut(*tiles);
    bank.emplace(on, spec, plane_bytes, *tiles);
  }
  const chained_bank chain{on, spec, {sample_form::packed, spec.sample_bits, plane_bytes}};
  buffer chained_heaps{on, n_heaps * sizes.heap_bytes};
  const bank_views views{samples.view(), spectra.view(), gains.view(), heaps.view(),
                         saturated.view()};
  const bank_views of_chain{samples.view(), spectra.view(), gains.view(), chained_heaps.view(),
                            saturated.view()};
  unfused_bank peer{on, spec, plane_bytes, n_spectra};
  const bank_views of_peer{samples.view(), spectra.view(), gains.view(), peer_heaps.view(),
                           saturated.view()};
  // A copy that reads and writes as many bytes: 2 x 1.25 + 2 x 1 a sample and two polarisations.
  const std::size_t moved = 2 * n_samples * 10 / 8 + n_heaps * sizes.heap_bytes;
  buffer_view from = copied.view(), to = peer_heaps.view();
  from.size_bytes = to.size_bytes = std::min(moved / 2, to.size_bytes);
  const double copy_scale = static_cast<double>(moved) / 2 / static_cast<double>(from.size_bytes);
  std::vector<measure::timed_run> runs{
      measure::queued_run(on, "copy", [&] { on.impl()->copy(to, from); }),
      measure::queued_run(on, "fused", [&] { bank ? bank->enqueue(on, views, n_heaps) : void(); }),
      measure::queued_run(on, "unfused", [&] { peer.enqueue(on, of_peer); }),
      measure::queued_run(on, "chained", [&] { chain.enqueue(on, of_chain, n_heaps); })};
  for (const auto& step : peer.steps(on, of_peer)) {
    runs.push_back(measure::queued_run(on, step.name, step.enqueue));
  }
  if (bank) bank->enqueue(on, views, n_heaps);
  peer.enqueue(on, of_peer);
  chain.enqueue(on, of_chain, n_heaps);
  fmt::print("chained differs in {:.2e}\n", differing_part(on, chained_heaps, peer_heaps));
  const double difference = differing_part(on, heaps, peer_heaps);
  measure::take_turns(runs, n_rounds);
  const auto picoseconds = [&](std::size_t i) {
    return runs[i].median_s() / static_cast<double>(2 * n_samples) * 1e12;
  };
  nlohmann::ordered_json row{{"channels", channels},
                             {"dither", dither == dither_kind::uniform},
                             {"samples", 2 * n_samples},
                             {"fused_ps", picoseconds(1)},
                             {"unfused_ps", picoseconds(2)},
                             {"ratio", picoseconds(2) / picoseconds(1)},
                             {"copy_ps", picoseconds(0) * copy_scale},
                             {"fraction", picoseconds(0) * copy_scale / picoseconds(1)},
                             {"bytes_a_sample", static_cast<double>(moved) / 2 / n_samples},
                             {"differing_part", difference}};
  for (std::size_t i = 3; i < runs.size(); ++i) row[runs[i].name + "_ps"] = picoseconds(i);
  const auto resources = bank ? bank->resources() : kernel_resources{};
  row["registers"] = resources.registers;
  fmt::print(
      "{:>6} channels, dither {:<7}: fused {:.2f} ps a sample, {:.3f} of a copy; unfused {:.2f} "
      "({:.2f} times)",
      channels, dither == dither_kind::uniform ? "uniform" : "none", picoseconds(1),
      picoseconds(0) * copy_scale / picoseconds(1), picoseconds(2),
      picoseconds(2) / picoseconds(1));
  for (std::size_t i = 3; i < runs.size(); ++i)
    fmt::print(", {} {:.2f}", runs[i].name, picoseconds(i));
  fmt::print("; {:.2e} of values differ; {} registers, {} spilled\n", difference,
             resources.registers, resources.spill_bytes);
  fmt::print("{}", bank ? bank->explain() : "");
  return row;
}

}  // namespace

int main(int argc, char** argv) try {
  queue on{first_device(engine::cuda)};
  const char* commit = std::getenv("WINGBEAT_COMMIT");
  nlohmann::ordered_json document{{"schema", "wingbeat.channelise/1"},
                                  {"commit", commit == nullptr ? "unknown" : commit},
                                  {"device", on.device().name},
                                  {"version", on.device().version},
                                  {"cufft", peers::cufft::version()}};
  std::vector<std::size_t> channels;
  for (int i = 2; i < argc; ++i) channels.push_back(std::stoul(argv[i]));
  if (channels.empty()) channels = {1024, 4096, 8192, 32768};
  for (const std::size_t n : channels) {
    for (const dither_kind dither : {dither_kind::uniform, dither_kind::none}) {
      document["rows"].push_back(measured(on, n, dither));
    }
  }
  if (argc > 1) std::ofstream{argv[1]} << document.dump(1) << "\n";
  return 0;
} catch (const wingbeat::error& failed) {
  fmt::print(stderr, "channelise: {}\n", failed.what());
  return 3;
}
