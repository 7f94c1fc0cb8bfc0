// SPDX-License-Identifier: Apache-2.0
// What does a filter bank take in one launch, beside the unfused chain of a filter kernel, cuFFT
// and a kernel that turns, weighs, quantises and transposes? 10 bits to 8, 16 taps, two
// polarisations, noise at -20 dBFS; in turns with a copy of the bytes that the fused launch moves.
//     channelise results.json [channels]..      as 1024 4096; WINGBEAT_COMMIT names the commit
// WINGBEAT_TILES="rows resident" cuts tiles otherwise, WINGBEAT_GAIN=40 saturates.
#include <fmt/core.h>

#include <cstdlib>  // getenv
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "backend/backend.hpp"                         // queue
#include "bench/results.hpp"                           // document_of
#include "channelise_peer.hpp"                         // unfused_bank
#include "channelising/arithmetic/packed_samples.hpp"  // pack_samples
#include "channelising/banks/bank_programs.hpp"        // fused_bank, chained_bank
#include "measure/document_text.hpp"                   // write_document
#include "measure/rounds.hpp"                          // queued_run, take_turns
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
  for (std::size_t plane = 0; plane < planes.size(); plane += plane_bytes) {
    for (std::size_t offset = 0; offset < plane_bytes; offset += piece.size()) {
      std::copy_n(piece.begin(), std::min(piece.size(), plane_bytes - offset),
                  planes.begin() + static_cast<std::ptrdiff_t>(plane + offset));
    }
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

template <class T>
buffer filled(const queue& on, const std::vector<T>& values) {
  buffer memory{on, values.size() * sizeof(T)};
  memory.write(values.data(), memory.size_bytes());
  return memory;
}

std::optional<bank_tiles> cut_tiles(const channeliser_spec& spec, const device_info& device) {
  auto tiles = tiles_of(spec, device);
  const char* const given = std::getenv("WINGBEAT_TILES");
  if (!tiles || given == nullptr) return tiles;
  std::istringstream{given} >> tiles->numbers.rows >> tiles->resident;
  tiles->numbers.sliding = std::min(tiles->numbers.rows, 8U);
  tiles->scratch_bytes = scratch_bytes_of(tiles->numbers);
  return tiles;
}

/// All that one measurement needs in device memory.
struct problem {
  problem(queue& on, std::size_t channels, dither_kind dither)
      : spec{.adc_rate_hz = 1712e6, .channels = channels, .dither = dither},
        n_heaps(n_samples / sizes.heap_samples),
        n_spectra(n_heaps * sizes.spectra_per_heap),
        plane_bytes((n_samples + spec.taps * sizes.transform) / 8 * 10 + 32),
        samples(filled(on, noise(plane_bytes, spec.sample_bits))),
        entries(filled(on, entries_of(sizes, n_spectra))),
        gains(filled(on, std::vector<std::complex<float>>(2 * channels, gain()))),
        saturated{on, n_heaps * 2 * device::channeliser::counters * sizeof(std::uint32_t)} {
    on.impl()->clear(saturated.view());
  }

  static float gain() {
    const char* const given = std::getenv("WINGBEAT_GAIN");
    return given == nullptr ? 1.0F : std::stof(given);
  }
  [[nodiscard]] bank_views views(const buffer& heaps) const {
    return {samples.view(), entries.view(), gains.view(), heaps.view(), saturated.view()};
  }
  [[nodiscard]] std::size_t heap_bytes() const { return n_heaps * sizes.heap_bytes; }
  /// Samples in and heaps out, of both polarisations.
  [[nodiscard]] std::size_t moved_bytes() const { return 2 * n_samples * 10 / 8 + heap_bytes(); }

  channeliser_spec spec;
  channeliser_sizes sizes = sizes_of(spec);
  std::size_t n_heaps, n_spectra, plane_bytes;
  buffer samples, entries, gains, saturated;
};

/// A bank that makes a few heaps at a time, as a channeliser does.
class grouped_bank {
 public:
  grouped_bank(queue& on, const problem& given, std::size_t n_heaps, const programs::program& steps)
      : given_(given), n_heaps_(n_heaps), steps_(on, steps) {
    const std::size_t n_spectra = n_heaps * given.sizes.spectra_per_heap;
    std::vector<spectrum_entry> entries;
    for (std::size_t first = 0; first < given.n_spectra; first += n_spectra) {
      for (spectrum_entry& each : entries_of(given.sizes, n_spectra)) {
        each.first += first * given.sizes.transform;
        each.time += first * given.sizes.transform;
        entries.push_back(each);
      }
    }
    entries_ = filled(on, entries);
  }

  void enqueue(queue& on, const buffer& heaps) const {
    bank_views views = given_.views(heaps);
    views.entries = entries_.view();
    const std::size_t n_groups = given_.n_heaps / n_heaps_;
    views.heaps.size_bytes /= n_groups;
    views.entries.size_bytes /= n_groups;
    views.saturated.size_bytes /= n_groups;
    for (std::size_t i = 0; i < n_groups; ++i) {
      steps_.enqueue(on, views);
      for (buffer_view* each : {&views.heaps, &views.entries, &views.saturated}) {
        each->offset_bytes += each->size_bytes;
      }
    }
  }

 private:
  const problem& given_;
  std::size_t n_heaps_;
  bank steps_;
  buffer entries_;
};

/// Picoseconds a sample of each run, by name.
nlohmann::ordered_json times_of(const std::vector<measure::timed_run>& runs, std::size_t moved,
                                std::size_t copied) {
  nlohmann::ordered_json row;
  for (const measure::timed_run& run : runs) {
    const double scale =
        run.name == "copy" ? static_cast<double>(moved) / 2 / static_cast<double>(copied) : 1;
    row[run.name + "_ps"] = run.median_s() * scale / static_cast<double>(2 * n_samples) * 1e12;
  }
  return row;
}

nlohmann::ordered_json measured(queue& on, std::size_t channels, dither_kind dither) {
  const problem given{on, channels, dither};
  const sample_planes planes{sample_form::packed, given.plane_bytes};
  const auto& engine = backend::engine_of(engine::cuda);
  const auto tiles = cut_tiles(given.spec, on.device());
  const auto program_of = [&](std::size_t n_heaps) {
    return tiles ? fused_bank(*tiles, given.spec, planes, n_heaps)
                 : chained_bank(engine, on.impl(), given.spec, planes, n_heaps);
  };
  const bank own{on, program_of(given.n_heaps)};
  const grouped_bank by_heap{on, given, 1, program_of(1)}, by_4_heaps{on, given, 4, program_of(4)};
  const bank chain{on, chained_bank(engine, on.impl(), given.spec, planes, given.n_heaps)};
  channeliser_spec halved = given.spec;
  halved.between = precision::fp16;
  const bank halves{on, chained_bank(engine, on.impl(), halved, planes, given.n_heaps)};
  const unfused_bank peer{on, given.spec, planes, given.n_heaps};
  buffer heaps{on, given.heap_bytes()}, peer_heaps{on, given.heap_bytes()},
      to{on, given.moved_bytes() / 2}, from{on, given.moved_bytes() / 2};
  const bank_views views = given.views(heaps), peer_views = given.views(peer_heaps);
  const auto ours = [&] { own.enqueue(on, views); };
  ours();
  peer.enqueue(on, peer_views);
  const double difference = differing_part(on, heaps, peer_heaps);
  halves.enqueue(on, views);
  const double of_halves = differing_part(on, heaps, peer_heaps);
  std::vector<measure::timed_run> runs{
      measure::queued_run(on, "copy", [&] { on.impl()->copy(to.view(), from.view()); }),
      measure::queued_run(on, "wingbeat", ours),
      measure::queued_run(on, "chained", [&] { chain.enqueue(on, views); }),
      measure::queued_run(on, "chained_fp16", [&] { halves.enqueue(on, views); }),
      measure::queued_run(on, "by_heap", [&] { by_heap.enqueue(on, heaps); }),
      measure::queued_run(on, "by_4_heaps", [&] { by_4_heaps.enqueue(on, heaps); }),
      measure::queued_run(on, "unfused", [&] { peer.enqueue(on, peer_views); })};
  for (const auto& step : peer.steps(on, peer_views)) {
    runs.push_back(measure::queued_run(on, step.name, step.enqueue));
  }
  measure::take_turns(runs, n_rounds);
  nlohmann::ordered_json row{{"channels", channels},
                             {"dither", dither == dither_kind::uniform},
                             {"launches", tiles ? 1 : 3},
                             {"samples", 2 * n_samples}};
  row.update(times_of(runs, given.moved_bytes(), to.size_bytes()));
  const double wingbeat = row["wingbeat_ps"], copy = row["copy_ps"], unfused = row["unfused_ps"];
  row["fraction"] = copy / wingbeat;
  row["ratio"] = unfused / wingbeat;
  row["bytes_a_sample"] = static_cast<double>(given.moved_bytes()) / (2 * n_samples);
  row["differing_part"] = difference;
  row["differing_part_fp16"] = of_halves;
  fmt::print(
      "{:>6} channels, dither {:<5}: {:.2f} ps a sample in {}, {:.3f} of a copy; unfused "
      "{:.2f}, {:.2f} times; {:.1e} of values differ; by heap {:.2f}, by 4 "
      "{:.2f}; three launches with fp16 between {:.2f}, {:.1e} differ\n",
      channels, dither == dither_kind::uniform, wingbeat, tiles ? "one launch" : "three",
      copy / wingbeat, unfused, unfused / wingbeat, difference, row["by_heap_ps"].get<double>(),
      row["by_4_heaps_ps"].get<double>(), row["chained_fp16_ps"].get<double>(), of_halves);
  return row;
}

}  // namespace

int main(int argc, char** argv) try {
  queue on{first_device(engine::cuda)};
  auto document =
      bench::document_of("wingbeat.channelise/1", on.device(),
                         {{"version", on.device().version}, {"cufft", peers::cufft::version()}});
  std::vector<std::size_t> channels;
  for (int i = 2; i < argc; ++i) channels.push_back(std::stoul(argv[i]));
  if (channels.empty()) channels = {1024, 4096, 8192, 32768};
  for (const std::size_t n : channels) {
    for (const dither_kind dither : {dither_kind::uniform, dither_kind::none}) {
      document["rows"].push_back(measured(on, n, dither));
      if (argc > 1) measure::write_document(argv[1], document);
    }
  }
  return 0;
} catch (const wingbeat::error& failed) {
  fmt::print(stderr, "channelise: {}\n", failed.what());
  return 3;
}
