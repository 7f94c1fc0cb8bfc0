// SPDX-License-Identifier: Apache-2.0
// How many antennas of 1712 million samples a second does a device channelise from memory of this
// process, copies in and out included? Samples of 10 bits, two polarisations, become heaps of 8
// bits in this process again. Flat out, beside what the bus alone carries; then antennas in step
// with time, a thread for each, with the latency from the last sample of a chunk to its heap.
//     stream_channeliser ENGINE results.json [SECONDS [CHANNELS[:SPECTRA]]..]   SPECTRA of a heap
// WINGBEAT_COMMIT names the commit. Antennas are added until some fall behind, to WINGBEAT_ANTENNAS
// at most.
#include <fmt/core.h>

#include <algorithm>  // max, sort
#include <chrono>
#include <cstdlib>  // getenv, strtod, strtoul
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "backend/backend.hpp"                         // queue::write_later
#include "bench/results.hpp"                           // document_of
#include "channelising/arithmetic/packed_samples.hpp"  // pack_samples
#include "measure/document_text.hpp"                   // write_document
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;
using clock_type = std::chrono::steady_clock;

constexpr double adc_rate_hz = 1712e6;
constexpr unsigned bits = 10;
constexpr std::size_t chunk_samples = std::size_t{1} << 22;  // of a polarisation
constexpr std::size_t n_chunks = 16;                         // that are sent over and over

double seconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double>(clock_type::now() - begin).count();
}

/// Chunks of noise at -20 dBFS in memory of this process, both polarisations.
class recording {
 public:
  explicit recording(std::span<std::byte> memory) : bytes_(memory) {
    std::mt19937 engine{17};
    std::normal_distribution<double> normal{0, 0.1 * 511 / std::sqrt(2.0)};
    std::vector<std::int16_t> samples(chunk_samples);
    for (auto& x : samples) x = static_cast<std::int16_t>(std::lrint(normal(engine)));
    const std::span<std::byte> first = bytes_.first(plane_bytes);
    channelising::pack_samples(samples, bits, 0, first);
    for (std::size_t offset = plane_bytes; offset < n_bytes; offset += plane_bytes) {
      std::copy(first.begin(), first.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(offset));
    }
  }

  [[nodiscard]] channeliser::samples chunk(std::size_t number) const {
    const std::span<const std::byte> all = bytes_;
    const std::size_t offset = number % n_chunks * 2 * plane_bytes;
    return {.packed = {all.subspan(offset, plane_bytes),
                       all.subspan(offset + plane_bytes, plane_bytes)},
            .count = chunk_samples,
            .owner = {std::shared_ptr<const void>{}, all.data()}};
  }

  static constexpr std::size_t plane_bytes = chunk_samples / 8 * bits;
  static constexpr std::size_t n_bytes = n_chunks * 2 * plane_bytes;

 private:
  std::span<std::byte> bytes_;
};

/// What is measured.
struct bank_choice {
  std::size_t channels = 4096, spectra_per_heap = 0, decimation = 0;

  [[nodiscard]] std::string name() const {
    std::string text = fmt::format("{:>6} channels", channels);
    if (spectra_per_heap > 0) text += fmt::format(", {} spectra a heap", spectra_per_heap);
    return decimation > 0 ? text + fmt::format(", 1/{} of the band", decimation) : text;
  }
};

channeliser_spec spec_of(const bank_choice& choice) {
  const delay_model first{.delay_samples = 0.3}, second{.delay_samples = -0.2};
  channeliser_spec spec{.adc_rate_hz = adc_rate_hz,
                        .channels = choice.channels,
                        .sample_bits = bits,
                        .spectra_per_heap = choice.spectra_per_heap,
                        .gains = {{.gains = {{{0.5F, 0.5F}}, {{1, 0}}}}},
                        .delays = {{first}, {second}}};
  if (choice.decimation > 0) {
    spec.narrowband = {.centre_hz = 300e6, .decimation = choice.decimation};
  }
  return spec;
}

/// Samples of one polarisation a second, pushed without pause.
double flat_out(const channeliser_spec& spec, const recording& from, queue on, double duration_s) {
  channeliser bank{on, spec, 0};
  const auto take = [](const channelised_heap&) {};
  std::size_t n = 0;
  auto begin = clock_type::now();
  while (n < n_chunks && seconds_since(begin) < duration_s) bank.push(on, from.chunk(n++), take);
  bank.finish(take);
  begin = clock_type::now();
  const std::size_t warm = n;
  while (seconds_since(begin) < duration_s) bank.push(on, from.chunk(n++), take);
  bank.finish(take);
  return static_cast<double>((n - warm) * chunk_samples) / seconds_since(begin);
}

/// Samples of one polarisation a second that the bus carries in, or in and out as heaps, with no
/// work but the copies.
double bus_alone(const recording& from, const queue& on, double duration_s, bool goes_out) {
  constexpr std::size_t at_once = 4;  // chunks that are queued before the first is waited for
  constexpr std::size_t heap_bytes = 2 * chunk_samples;  // a byte for each sample
  buffer there{on, at_once * 2 * recording::plane_bytes}, made{on, heap_bytes};
  const pinned_memory heaps{on, heap_bytes};
  const auto beside = on.impl()->open_beside();
  std::vector<std::unique_ptr<backend::mark>> marks(at_once), out_marks(at_once);
  const auto begin = clock_type::now();
  std::size_t n = 0;
  for (; seconds_since(begin) < duration_s; ++n) {
    auto& mark = marks[n % at_once];
    if (mark) mark->wait();
    auto& out_mark = out_marks[n % at_once];
    if (out_mark) out_mark->wait();
    const channeliser::samples next = from.chunk(n);
    for (std::size_t p = 0; p < 2; ++p) {
      buffer_view to = there.view();
      to.offset_bytes = (n % at_once * 2 + p) * recording::plane_bytes;
      to.size_bytes = recording::plane_bytes;
      on.impl()->write_later(to, next.packed[p].data());
    }
    mark = on.impl()->record();
    if (!goes_out || !beside) continue;
    beside->read_later(heaps.bytes().data(), made.view());
    out_mark = beside->record();
  }
  on.wait();
  if (beside) beside->wait();
  return static_cast<double>(n * chunk_samples) / seconds_since(begin);
}

struct antenna_run {
  std::vector<double> latencies_s;
  double late_s = 0;  ///< Behind time at the end.
};

/// One antenna in step with time.
antenna_run in_time(const channeliser_spec& spec, const recording& from, const device_info& device,
                    clock_type::time_point begin, double duration_s) {
  queue on{device};
  channeliser bank{on, spec, 0};
  antenna_run result;
  clock_type::time_point arrival;
  const auto take = [&](const channelised_heap&) {
    result.latencies_s.push_back(seconds_since(arrival));
  };
  const double chunk_s = static_cast<double>(chunk_samples) / adc_rate_hz;
  const auto n = static_cast<std::size_t>(duration_s / chunk_s);
  std::this_thread::sleep_until(begin);
  for (std::size_t i = 0; i < n; ++i) {
    const auto due = std::chrono::duration<double>(static_cast<double>(i + 1) * chunk_s);
    arrival = begin + std::chrono::duration_cast<clock_type::duration>(due);
    std::this_thread::sleep_until(arrival);
    bank.push(on, from.chunk(i), take);
    bank.finish(take);
    result.late_s = seconds_since(arrival);
    if (result.late_s > 1) break;
  }
  return result;
}

nlohmann::ordered_json antennas_in_time(const channeliser_spec& spec, const recording& from,
                                        const device_info& device, std::size_t n_antennas,
                                        double duration_s) {
  std::vector<antenna_run> runs(n_antennas);
  std::vector<std::thread> threads;
  const auto begin = clock_type::now() + std::chrono::seconds(1);  // kernels are compiled by then
  for (antenna_run& run : runs) {
    threads.emplace_back([&] { run = in_time(spec, from, device, begin, duration_s); });
  }
  for (std::thread& each : threads) each.join();
  std::vector<double> all;
  double late_s = 0;
  for (const antenna_run& run : runs) {
    all.insert(all.end(), run.latencies_s.begin(), run.latencies_s.end());
    late_s = std::max(late_s, run.late_s);
  }
  std::sort(all.begin(), all.end());
  const auto part = [&](double p) {
    return 1e3 * all[static_cast<std::size_t>(p * static_cast<double>(all.size() - 1))];
  };
  const bool keeps_up = late_s < 0.05;
  fmt::print("{:>6} channels, {:>2} antennas {}: latency {:.2f} ms median, {:.2f} ms p99\n",
             spec.channels, n_antennas, keeps_up ? "in time" : "behind ", part(0.5), part(0.99));
  return {{"antennas", n_antennas}, {"keeps_up", keeps_up}, {"late_s", late_s},
          {"heaps", all.size()},    {"p50_ms", part(0.5)},  {"p99_ms", part(0.99)},
          {"max_ms", part(1)}};
}

nlohmann::ordered_json measured(const queue& on, const bank_choice& choice, double duration_s) {
  const channeliser_spec spec = spec_of(choice);
  const pinned_memory memory{on, recording::n_bytes};
  std::vector<std::byte> ordinary(recording::n_bytes);
  const recording pinned{memory.bytes()}, pageable{ordinary};
  const double in = bus_alone(pinned, on, duration_s, false);
  const double bus = bus_alone(pinned, on, duration_s, true);
  const double rate = flat_out(spec, pinned, on, duration_s);
  const double slow = flat_out(spec, pageable, on, duration_s);
  const double gb = 2 * bits / 8.0 * 1e-9;
  fmt::print(
      "{}: {:.1f} antennas from pinned memory ({:.1f} GB/s in), {:.1f} from ordinary "
      "memory; the bus alone {:.1f} ({:.1f} in alone), fraction {:.3f}\n",
      choice.name(), rate / adc_rate_hz, rate * gb, slow / adc_rate_hz, bus / adc_rate_hz,
      in / adc_rate_hz, rate / bus);
  nlohmann::ordered_json row{{"channels", choice.channels},
                             {"spectra_per_heap", sizes_of(spec).spectra_per_heap},
                             {"decimation", choice.decimation},
                             {"antennas", rate / adc_rate_hz},
                             {"gb_per_s_in", rate * gb},
                             {"antennas_from_ordinary_memory", slow / adc_rate_hz},
                             {"antennas_of_the_bus", bus / adc_rate_hz},
                             {"antennas_of_the_bus_in_alone", in / adc_rate_hz},
                             {"fraction_of_the_bus", rate / bus}};
  if (choice.decimation > 0) return row;
  const char* const given = std::getenv("WINGBEAT_ANTENNAS");
  const std::size_t max_antennas = given == nullptr ? 16 : std::strtoul(given, nullptr, 10);
  for (std::size_t n = 1; n <= max_antennas; n = n < 4 ? 2 * n : n + 2) {
    row["in_time"].push_back(antennas_in_time(spec, pinned, on.device(), n, duration_s));
    if (!row["in_time"].back()["keeps_up"]) break;
  }
  return row;
}

}  // namespace

int main(int argc, char** argv) try {
  const queue on{first_device(engine_named(argc > 1 ? argv[1] : "cuda"))};
  const double duration_s = argc > 3 ? std::strtod(argv[3], nullptr) : 2;
  auto document =
      bench::document_of("wingbeat.stream-channeliser/1", on.device(),
                         {{"version", on.device().version}, {"chunk_samples", chunk_samples}});
  std::vector<bank_choice> choices;
  for (int i = 4; i < argc; ++i) {
    char* end = nullptr;
    bank_choice& choice = choices.emplace_back();
    choice.channels = std::strtoul(argv[i], &end, 10);
    if (*end == ':') choice.spectra_per_heap = std::strtoul(end + 1, nullptr, 10);
  }
  if (choices.empty()) {
    for (const std::size_t n : {1024, 4096, 8192, 32768}) choices.push_back({.channels = n});
    for (const std::size_t n : {8, 16}) choices.push_back({.decimation = n});
  }
  for (const bank_choice& each : choices) {
    document["rows"].push_back(measured(on, each, duration_s));
  }
  if (argc > 2) measure::write_document(argv[2], document);
  return 0;
} catch (const wingbeat::error& failed) {
  fmt::print(stderr, "stream_channeliser: {}\n", failed.what());
  return 3;
}
