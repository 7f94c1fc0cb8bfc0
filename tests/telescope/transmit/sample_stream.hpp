// SPDX-License-Identifier: Apache-2.0
// The stream of a simulated digitiser, received in chunks and compared with its signals.
#pragma once

#include <gtest/gtest.h>

#include <cstring>  // memcmp
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "channelising/arithmetic/packed_samples.hpp"  // pack_samples
#include "receive/traffic.hpp"                         // loopback, wait_until
#include "signals/source.hpp"                          // digitise
#include "transmit/sample_sender.hpp"

namespace wingbeat::test {

/// Small packets: 256 samples of 10 bits.
inline constexpr transmit::sample_format small_packets{.packet_samples = 256};

/// Chunks of 4096 of them: more than one call to the system takes from a socket, so that none is
/// late where one polarisation is read before the other.
inline constexpr receive::chunk_geometry chunks_of_small{.packet_samples = 256,
                                                         .chunk_samples = 4096 * 256};

/// A signal, sampled without the code that sends.
class expected_signal {
 public:
  expected_signal(const std::string& text, const transmit::period_spec& spec, std::size_t pol)
      : spec_(spec), samples_(spec.n_samples()) {
    const signals::signal_period period{spec.adc_rate_hz, spec.n_samples()};
    const signals::signal_source source(text, period);
    (void)signals::digitise(source, period,
                            {spec.format.sample_bits, spec.seed, static_cast<std::uint32_t>(pol)},
                            0, samples_);
  }

  /// Returns the packed samples of the packet at this time.
  [[nodiscard]] std::vector<std::byte> packet(std::int64_t timestamp) const {
    std::vector<std::byte> bytes(spec_.format.packet_bytes());
    channelising::pack_samples(part(timestamp), spec_.format.sample_bits, 0, bytes);
    return bytes;
  }

  [[nodiscard]] std::uint16_t saturated(std::int64_t timestamp) const {
    const int most = (1 << (spec_.format.sample_bits - 1)) - 1;
    std::uint16_t count = 0;
    for (const std::int16_t x : part(timestamp)) count += x == most || x == -most;
    return count;
  }

 private:
  [[nodiscard]] std::span<const std::int16_t> part(std::int64_t timestamp) const {
    return std::span(samples_).subspan(static_cast<std::uint64_t>(timestamp) % spec_.n_samples(),
                                       spec_.format.packet_samples);
  }

  transmit::period_spec spec_;
  std::vector<std::int16_t> samples_;
};

/// Sends all that there is while a receiver collects it; then both have stopped.
inline void transfer(transmit::sample_sender& out, receive::receiver& in,
                     const std::function<void(const receive::chunk&)>& look) {
  in.start();
  std::jthread sending([&] {
    while (out.send()) continue;
    out.stop();
    const auto counts = out.counts();
    std::uint64_t n_sent = counts.descriptor_heaps + counts.stop_heaps;
    for (const auto& sent : counts.polarisations) n_sent += sent.packets;
    stop_after(in, n_sent);
  });
  while (!in.is_finished()) {
    const auto received = in.next(std::chrono::milliseconds(100));
    if (received) look(*received);
  }
  EXPECT_EQ(in.counts().socket_drops, 0u);
}

/// Expects that all packets that are present have the samples of the signals, and returns their
/// times. `signal(pol, timestamp)` is the one in force.
using signal_at = std::function<const expected_signal&(std::size_t, std::int64_t)>;
inline std::vector<std::vector<std::int64_t>> expect_signals(
    const receive::chunk& part, const receive::chunk_geometry& geometry, const signal_at& signal) {
  std::vector<std::vector<std::int64_t>> times(geometry.polarisations);
  const std::size_t n_bytes = geometry.packet_bytes();
  for (std::size_t p = 0; p < geometry.polarisations; ++p) {
    for (std::size_t k = 0; k < geometry.packets(); ++k) {
      if (part.present[p][k] == 0) continue;
      const auto time = part.timestamp + static_cast<std::int64_t>(k * geometry.packet_samples);
      times[p].push_back(time);
      const auto expected = signal(p, time).packet(time);
      EXPECT_EQ(std::memcmp(&part.samples[p][k * n_bytes], expected.data(), n_bytes), 0)
          << "polarisation " << p << ", time " << time;
      EXPECT_EQ(part.saturated[p][k], signal(p, time).saturated(time)) << time;
    }
  }
  return times;
}

}  // namespace wingbeat::test
