// SPDX-License-Identifier: Apache-2.0
// How many antennas of 1712 million samples per second can a device channelise from this process's
// memory, including copies in and out? Two polarisations of 10-bit samples become 8-bit heaps.
// First at full speed, compared with the bus alone; then antennas in real time, a thread for each,
// with the latency from a chunk's last sample to its heap, until some fall behind.
#include <chrono>
#include <thread>

#include "bench/question.hpp"

namespace wingbeat::bench {
namespace {

using clock_type = std::chrono::steady_clock;

constexpr double adc_rate_hz = 1712e6;
constexpr unsigned bits = 10;
constexpr std::size_t chunk_samples = std::size_t{1} << 22;  // per polarisation
constexpr std::size_t n_chunks = 16;                         // sent again and again
constexpr double duration_s = 1;                             // of each measurement
constexpr std::size_t max_antennas = 16;

double seconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double>(clock_type::now() - begin).count();
}

/// Chunks of noise at -20 dBFS in memory of this process, both polarisations.
class recording {
 public:
  explicit recording(std::span<std::byte> memory) : bytes_(memory) {
    const std::vector<std::byte> plane = packed_noise(chunk_samples, bits);
    for (std::size_t offset = 0; offset < n_bytes; offset += plane_bytes) {
      std::copy(plane.begin(), plane.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(offset));
    }
  }

  [[nodiscard]] channeliser::samples chunk(std::size_t number) const {
    const std::span<const std::byte> bytes = bytes_;
    const std::size_t offset = number % n_chunks * 2 * plane_bytes;
    return {.packed = {bytes.subspan(offset, plane_bytes),
                       bytes.subspan(offset + plane_bytes, plane_bytes)},
            .count = chunk_samples,
            .owner = {std::shared_ptr<const void>{}, bytes.data()}};
  }

  static constexpr std::size_t plane_bytes = chunk_samples / 8 * bits;
  static constexpr std::size_t n_bytes = n_chunks * 2 * plane_bytes;

 private:
  std::span<std::byte> bytes_;
};

channeliser_spec spec_of(std::size_t channels, std::size_t spectra_per_heap) {
  const delay_model first{.delay_samples = 0.3}, second{.delay_samples = -0.2};
  return {.adc_rate_hz = adc_rate_hz,
          .channels = channels,
          .sample_bits = bits,
          .spectra_per_heap = spectra_per_heap,
          .gains = {{.gains = {{{0.5F, 0.5F}}, {{1, 0}}}}},
          .delays = {{first}, {second}}};
}

/// Returns the samples per second of one polarisation, pushed without pause.
double flat_out(const channeliser_spec& spec, const recording& input, queue on) {
  channeliser bank{on, spec, 0};
  const auto take = [](const channelised_heap&) {};
  std::size_t n = 0;
  auto begin = clock_type::now();
  while (n < n_chunks && seconds_since(begin) < duration_s) bank.push(on, input.chunk(n++), take);
  bank.finish(take);
  begin = clock_type::now();
  const std::size_t warm = n;
  while (seconds_since(begin) < duration_s) bank.push(on, input.chunk(n++), take);
  bank.finish(take);
  return static_cast<double>((n - warm) * chunk_samples) / seconds_since(begin);
}

/// Returns the samples per second of one polarisation that the bus copies in, or in and out as
/// heaps, without other work.
double bus_alone(const recording& input, const queue& on, bool goes_out) {
  constexpr std::size_t at_once = 4;  // chunks queued before it waits for the first
  constexpr std::size_t heap_bytes = 2 * chunk_samples;  // a byte for each sample
  buffer planes{on, at_once * 2 * recording::plane_bytes}, made{on, heap_bytes};
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
    const channeliser::samples next = input.chunk(n);
    for (std::size_t p = 0; p < 2; ++p) {
      buffer_view plane = planes.view();
      plane.offset_bytes = (n % at_once * 2 + p) * recording::plane_bytes;
      plane.size_bytes = recording::plane_bytes;
      on.impl()->write_later(plane, next.packed[p].data());
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

/// Runs one antenna in real time.
antenna_run in_time(const channeliser_spec& spec, const recording& input, const device_info& device,
                    clock_type::time_point begin) {
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
    bank.push(on, input.chunk(i), take);
    bank.finish(take);
    result.late_s = seconds_since(arrival);
    if (result.late_s > 1) break;
  }
  return result;
}

json antennas_in_time(const channeliser_spec& spec, const recording& input,
                      const device_info& device, std::size_t n_antennas) {
  std::vector<antenna_run> runs(n_antennas);
  std::vector<std::thread> threads;
  const auto begin = clock_type::now() + std::chrono::seconds(1);  // kernels are compiled by then
  for (antenna_run& run : runs) {
    threads.emplace_back([&] { run = in_time(spec, input, device, begin); });
  }
  for (std::thread& each : threads) each.join();
  std::vector<double> latencies;
  double late_s = 0;
  for (const antenna_run& run : runs) {
    latencies.insert(latencies.end(), run.latencies_s.begin(), run.latencies_s.end());
    late_s = std::max(late_s, run.late_s);
  }
  std::sort(latencies.begin(), latencies.end());
  const auto part = [&](double p) {
    return 1e3 * latencies[static_cast<std::size_t>(p * static_cast<double>(latencies.size() - 1))];
  };
  return {{"antennas", n_antennas},
          {"keeps_up", late_s < 0.05},
          {"p50_ms", part(0.5)},
          {"p99_ms", part(0.99)}};
}

void stream(session& asked, const channeliser_spec& spec) {
  const queue& on = asked.on();
  const pinned_memory memory{on, recording::n_bytes};
  std::vector<std::byte> ordinary(recording::n_bytes);
  const recording pinned{memory.bytes()}, pageable{ordinary};
  const double bus = bus_alone(pinned, on, true), rate = flat_out(spec, pinned, on);
  json row{{"channels", spec.channels},
           {"spectra_per_heap", sizes_of(spec).spectra_per_heap},
           {"antennas", rate / adc_rate_hz},
           {"antennas_from_ordinary_memory", flat_out(spec, pageable, on) / adc_rate_hz},
           {"antennas_of_the_bus", bus / adc_rate_hz},
           {"antennas_of_the_bus_in_alone", bus_alone(pinned, on, false) / adc_rate_hz},
           {"fraction_of_the_bus", rate / bus}};
  for (std::size_t n = 1; n <= max_antennas; n = n < 4 ? 2 * n : n + 2) {
    const json found = antennas_in_time(spec, pinned, on.device(), n);
    for (const auto& [name, value] : found.items()) row["in_time_" + name].push_back(value);
    if (!found["keeps_up"]) break;
  }
  asked.add(std::move(row));
}

void streams(session& asked) {
  if (asked.words.empty()) asked.words = {"1024", "4096", "8192", "32768"};
  for (const std::string& word : asked.words) {
    const std::size_t colon = std::min(word.find(':'), word.size());
    const std::size_t spectra = colon < word.size() ? std::stoul(word.substr(colon + 1)) : 0;
    stream(asked, spec_of(std::stoul(word), spectra));
  }
}

const registration of_streams{{"streams", "[CHANNELS[:SPECTRA]..]",
                               "how many antennas a device channelises, copies included", streams}};

}  // namespace
}  // namespace wingbeat::bench
