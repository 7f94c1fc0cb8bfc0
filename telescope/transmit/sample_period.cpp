// SPDX-License-Identifier: Apache-2.0
#include "transmit/sample_period.hpp"

#include <algorithm>  // count_if, max, min
#include <atomic>
#include <cstdlib>  // abs
#include <thread>

#include "channelising/arithmetic/packed_samples.hpp"  // pack_samples
#include "signals/source.hpp"                          // digitise, signal_source
#include "text/reject.hpp"                             // reject
#include "wingbeat/error.hpp"                          // plan_error

namespace wingbeat::transmit {
namespace {

using namespace channelising;
using namespace signals;

constexpr std::size_t max_packet_bytes = 65000;

std::vector<signal_source> sources_of(const std::vector<std::string>& signals,
                                      const signal_period& period) {
  std::vector<signal_source> sources;
  for (std::size_t p = 0; p < signals.size(); ++p) {
    try {
      sources.emplace_back(signals[p], period);
    } catch (const plan_error& refused) {
      reject("signal {}, {}", p + 1, refused.what());
    }
  }
  return sources;
}

/// Calls `work(i)` for i below `count`, from several threads.
template <class Work>
void for_each_index(std::size_t count, Work&& work) {
  std::atomic<std::size_t> next = 0;
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  const std::size_t n_threads =
      std::min<std::size_t>(count, std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < n_threads; ++i) others.emplace_back(run);
  run();
}

}  // namespace

void check(const sample_format& format) {
  reject_if(format.sample_bits < min_sample_bits || format.sample_bits > max_sample_bits,
            "samples of {} bits were given; give {} to {}", format.sample_bits, min_sample_bits,
            max_sample_bits);
  const std::size_t n_bits = format.packet_samples * format.sample_bits;
  reject_if(n_bits == 0 || n_bits % 8 != 0 || n_bits / 8 > max_packet_bytes,
            "packets of {} samples of {} bits were given; give 1 to {} whole bytes, such as "
            "4096 samples",
            format.packet_samples, format.sample_bits, max_packet_bytes);
}

sample_period::sample_period(const std::vector<std::string>& signals, const period_spec& spec)
    : spec_(spec) {
  check(spec.format);
  const std::size_t n_packets = spec.n_packets, packet_samples = spec.format.packet_samples;
  reject_if(n_packets == 0 || n_packets > max_signal_samples / packet_samples,
            "a period of {} packets of {} samples was given; give 1 packet or more, and at "
            "most 2^32 samples",
            n_packets, packet_samples);
  const signal_period period{spec.adc_rate_hz, spec.n_samples()};
  const std::vector<signal_source> sources = sources_of(signals, period);
  for (std::size_t p = 0; p < sources.size(); ++p) {
    planes_.push_back({std::vector<std::byte>(n_packets * spec.format.packet_bytes()),
                       std::vector<std::uint16_t>(n_packets)});
  }
  const int full_scale = (1 << (spec.format.sample_bits - 1)) - 1;
  for_each_index(n_packets * sources.size(), [&](std::size_t i) {
    const std::size_t p = i / n_packets, k = i % n_packets;
    std::vector<std::int16_t> samples(packet_samples);
    const digitiser adc{spec.format.sample_bits, spec.seed, static_cast<std::uint32_t>(p)};
    (void)digitise(sources[p], period, adc, k * packet_samples, samples);
    const std::size_t n_bytes = spec.format.packet_bytes();
    pack_samples(samples, spec.format.sample_bits, 0,
                 std::span(planes_[p].bytes).subspan(k * n_bytes, n_bytes));
    const auto n_saturated = std::count_if(samples.begin(), samples.end(), [&](std::int16_t x) {
      return std::abs(int{x}) == full_scale;
    });
    planes_[p].saturated[k] =
        static_cast<std::uint16_t>(std::min<std::ptrdiff_t>(n_saturated, 0xffff));
  });
}

}  // namespace wingbeat::transmit
