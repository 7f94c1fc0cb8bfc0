// SPDX-License-Identifier: Apache-2.0
// An engine of this process, fed packet by packet, and what a channeliser makes of its samples.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "fengine/channel_heaps.hpp"  // heap_catcher
#include "fengine/engine.hpp"
#include "fengine/engine_metrics.hpp"  // add_engine_metrics
#include "receive/traffic.hpp"         // loopback_sender, wait_until
#include "spead/digitiser_packet.hpp"  // preamble_of
#include "wingbeat/wingbeat.hpp"

namespace wingbeat::test {

/// A packet of one polarisation, by its number since sample 0.
struct packet_name {
  std::int64_t packet = 0;
  unsigned pol = 0;

  friend auto operator<=>(const packet_name&, const packet_name&) = default;
};

/// Two polarisations, packets of 256 samples of 10 bits, chunks of 16 packets; an output of 64
/// channels in 4 substreams, 16 spectra a heap of 2,048 samples.
inline constexpr receive::chunk_geometry tiny_chunks{
    .sample_bits = 10, .packet_samples = 256, .chunk_samples = 4096, .polarisations = 2};

/// Returns bytes that are the samples of a packet: noise that fills the bits.
inline std::vector<std::byte> packet_samples(
    const packet_name& name, const receive::chunk_geometry& geometry = tiny_chunks) {
  // Of few numbers of state, because millions of packets are made.
  std::minstd_rand dice(static_cast<unsigned>(name.packet * 2 + name.pol) * 40503U + 1U);
  std::vector<std::byte> bytes(geometry.packet_bytes());
  for (std::byte& each : bytes) each = static_cast<std::byte>(dice());
  return bytes;
}

inline std::vector<std::byte> packet_datagram(
    const packet_name& name, std::uint16_t saturated = 0,
    const receive::chunk_geometry& geometry = tiny_chunks) {
  const auto samples = packet_samples(name, geometry);
  const auto time = static_cast<std::uint64_t>(name.packet) * geometry.packet_samples;
  const auto preamble = spead::preamble_of({.heap_id = 2 * static_cast<std::uint64_t>(name.packet),
                                            .timestamp = time & spead::max_address,
                                            .polarisation = name.pol,
                                            .saturated = saturated,
                                            .samples = samples});
  std::vector<std::byte> bytes(preamble.begin(), preamble.end());
  bytes.insert(bytes.end(), samples.begin(), samples.end());
  return bytes;
}

/// An engine with its sensors, that receives and sends over the loopback interface.
class engine_run {
  // Above the engine, whose threads use them until it ends.
  mutable std::mutex log_mutex_;
  std::vector<std::string> log_;
  fengine::engine_spec spec_;
  std::unique_ptr<control::engine_sensors> sensors_;
  loopback_sender sender_;

 public:
  explicit engine_run(std::function<void(fengine::engine_spec&)> change = {},
                      fengine::engine_observers calls = {}) {
    fengine::engine_spec spec{
        .input = {.geometry = tiny_chunks, .source = loopback_source(), .n_chunks = 64},
        .adc_rate_hz = 1e6,
        .sync_time_s = 1.6e9,
        .device = first_device(wingbeat::engine::host),
        .gain = 0.05F,
        .max_delay_diff = 8192,
        .sending = {.interfaces = {"lo"}, .packet_payload_bytes = 512, .rate_factor = 0}};
    channeliser_spec bank{.channels = 64, .taps = 4, .spectra_per_heap = 16, .seed = 7};
    spec.outputs = {{"wide", bank, std::vector<net::endpoint>(4, caught.place())}};
    if (change) change(spec);
    spec_ = fengine::checked(std::move(spec));
    registry = std::make_unique<control::sensor_registry>();
    metrics = std::make_unique<control::metric_registry>();
    const auto streams = fengine::streams_of(spec_);
    sensors_ = std::make_unique<control::engine_sensors>(*registry, streams, 2, 1.0);
    engine = std::make_unique<fengine::engine>(
        spec_, *sensors_,
        [this](control::log_level, const std::string& line) {
          const std::lock_guard lock{log_mutex_};
          log_.push_back(line);
        },
        std::move(calls));
    fengine::add_engine_metrics(*metrics, *engine);
    engine->start();
  }

  /// Sends packets `begin` to `end` of both polarisations, but for those of `lost`.
  void send(std::int64_t begin, std::int64_t end, const std::set<packet_name>& lost = {}) {
    for (std::int64_t packet = begin; packet < end; ++packet) {
      for (unsigned pol = 0; pol < 2; ++pol) {
        if (!lost.contains({packet, pol})) send_one({packet, pol});
      }
    }
  }
  void send_one(const packet_name& name, std::uint16_t saturated = 0) {
    sender_.send(engine->endpoints().front(), packet_datagram(name, saturated));
    count_sent();
  }
  /// Counts a packet; waits where a slow machine, or a sanitizer, has many still in the socket.
  void count_sent() {
    constexpr std::uint64_t max_waiting = 512;
    if (++n_sent % 64 != 0) return;
    EXPECT_TRUE(wait_until([&] { return engine->received().datagrams + max_waiting >= n_sent; }));
  }

  /// Stops once everything that was sent has been counted, and everything made has arrived.
  void finish() {
    EXPECT_TRUE(wait_until([&] { return engine->received().datagrams >= n_sent; }))
        << engine->received().datagrams << " of " << n_sent;
    engine->stop();
    std::size_t n_streams = 0, n_heaps = 0;
    for (std::size_t i = 0; i < spec_.outputs.size(); ++i) {
      n_streams += spec_.outputs[i].destinations.size();
      n_heaps += engine->counts(i).sent.heaps;
    }
    EXPECT_TRUE(wait_until([&] { return caught.n_stops() == n_streams; }));
    EXPECT_EQ(caught.n_heaps(), n_heaps);
    EXPECT_EQ(engine->failure(), "");
  }

  [[nodiscard]] const fengine::engine_spec& spec() const { return spec_; }
  /// Returns the lines of the log so far that contain a text.
  [[nodiscard]] std::vector<std::string> logged(const std::string& text = "") const {
    const std::lock_guard lock{log_mutex_};
    std::vector<std::string> lines;
    for (const std::string& line : log_) {
      if (line.find(text) != std::string::npos) lines.push_back(line);
    }
    return lines;
  }

  heap_catcher caught;
  std::unique_ptr<control::sensor_registry> registry;
  std::unique_ptr<control::metric_registry> metrics;
  std::unique_ptr<fengine::engine> engine;
  std::uint64_t n_sent = 0;
};

/// What a channeliser of the same description makes of packets `begin` to `end`.
struct channelised {
  heap_catcher::heaps heaps;
  heap_counts counts;
};

inline channelised channelise_packets(const channeliser_spec& bank, std::size_t n_substreams,
                                      std::int64_t begin, std::int64_t end,
                                      const std::set<packet_name>& lost = {},
                                      wingbeat::engine on_engine = engine::host) {
  const receive::chunk_geometry& geometry = tiny_chunks;
  std::vector<std::vector<std::byte>> planes(2);
  channeliser::samples samples{.packet_samples = geometry.packet_samples};
  for (unsigned pol = 0; pol < 2; ++pol) {
    std::vector<bool> present;
    for (std::int64_t packet = begin; packet < end; ++packet) {
      const auto bytes = packet_samples({packet, pol});
      planes[pol].insert(planes[pol].end(), bytes.begin(), bytes.end());
      present.push_back(!lost.contains({packet, pol}));
    }
    samples.packed.emplace_back(planes[pol]);
    samples.present.push_back(std::move(present));
  }
  samples.count = static_cast<std::size_t>(end - begin) * geometry.packet_samples;
  queue on{first_device(on_engine)};
  channeliser made_by{on, bank, begin * static_cast<std::int64_t>(geometry.packet_samples), 8192};
  channelised result;
  const auto take = [&](const channelised_heap& heap) {
    std::uint64_t missing = 0;
    for (std::size_t pol = 0; pol < 2; ++pol) missing |= heap.is_complete[pol] ? 0U : 1U << pol;
    const std::size_t n_channels = bank.channels / n_substreams;
    const std::size_t n_bytes = heap.bytes.size() / n_substreams;
    for (std::size_t i = 0; i < n_substreams; ++i) {
      const auto part = heap.bytes.subspan(i * n_bytes, n_bytes);
      result.heaps[{static_cast<std::uint64_t>(heap.timestamp) & spead::max_address,
                    i * n_channels}] = {missing, {part.begin(), part.end()}};
    }
  };
  made_by.push(on, samples, take);
  made_by.finish(take);
  result.counts = made_by.counts();
  return result;
}

/// Expects the same heaps with the same bytes.
inline void expect_same(const heap_catcher::heaps& caught, const heap_catcher::heaps& expected) {
  EXPECT_EQ(caught.size(), expected.size());
  for (const auto& [name, heap] : expected) {
    const auto found = caught.find(name);
    if (found == caught.end()) {
      ADD_FAILURE() << "no heap at " << name.first << " of channel " << name.second;
      continue;
    }
    EXPECT_TRUE(found->second.voltages == heap.voltages) << name.first << ", " << name.second;
    EXPECT_EQ(found->second.missing, heap.missing) << name.first << ", " << name.second;
  }
}

}  // namespace wingbeat::test
