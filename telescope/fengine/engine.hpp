// SPDX-License-Identifier: Apache-2.0
// The F-engine: a receiver, the outputs, and the thread that deals chunks to all of them.
//
//     packets -> receiver -> chunks -> output 0 -> packets
//                                   -> output 1 -> packets
//                                   ..
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <complex>
#include <cstddef>  // size_t
#include <cstdint>  // int64_t
#include <functional>
#include <memory>  // unique_ptr
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "control/engine_control.hpp"
#include "control/engine_sensors.hpp"
#include "control/log_level.hpp"
#include "control/monitor.hpp"
#include "control/stopwatch.hpp"
#include "fengine/engine_spec.hpp"
#include "fengine/output.hpp"
#include "fengine/silence_watch.hpp"
#include "fengine/temperatures.hpp"
#include "receive/receiver.hpp"
#include "wingbeat/pinned_memory.hpp"

namespace wingbeat::fengine {

/// Functions that an engine calls, beside its log.
struct engine_observers {
  /// Called about once a second, in the thread that deals chunks, unless an output that has work
  /// makes no progress.
  std::function<void()> works = [] {};
  /// Called after gains or delays were set, in the thread that sets them.
  std::function<void()> changed = [] {};
};

class engine final : public control::engine_control, public control::engine_monitor {
 public:
  /// Opens all sockets and compiles all kernels; packets that arrive are kept until `start`. `spec`
  /// must be `checked`. Sensors outlive the engine.
  engine(engine_spec spec, control::engine_sensors& sensors, log_function log,
         engine_observers calls = {});

  /// Stops.
  ~engine() override;

  void start();

  /// Stops receiving, sends what was received and stop heaps, and ends the threads. May be called
  /// again.
  void stop();

  /// Returns whether nothing more arrives: a file has ended, or a thread has failed. `stop` must
  /// still be called.
  [[nodiscard]] bool is_finished() const { return is_finished_; }

  /// Returns why a thread ended early; empty if none did.
  [[nodiscard]] std::string failure() const;

  [[nodiscard]] const engine_spec& spec() const { return spec_; }
  [[nodiscard]] receive::receive_counts received() const { return receiver_.counts(); }
  [[nodiscard]] output_counts counts(std::size_t stream) const {
    return outputs_[stream]->counts();
  }
  /// Returns a sentence about the memory that packets take; empty for a file.
  [[nodiscard]] std::string memory_text() const { return receiver_.memory_text(); }
  /// Return the buffers of the receiving sockets, none for a file, and of the sending ones.
  [[nodiscard]] net::socket_buffers receive_buffers() const { return receiver_.buffers(); }
  [[nodiscard]] net::socket_buffers send_buffers() const;
  /// Returns the receiving endpoints, with the ports that the system chose.
  [[nodiscard]] std::vector<net::endpoint> endpoints() const { return receiver_.endpoints(); }

  // Control.
  [[nodiscard]] std::span<const control::stream_info> streams() const override { return streams_; }
  [[nodiscard]] std::size_t n_pols() const override { return spec_.input.geometry.polarisations; }
  [[nodiscard]] double sync_time_s() const override { return spec_.sync_time_s; }
  [[nodiscard]] std::complex<float> default_gain(std::size_t) const override { return spec_.gain; }
  [[nodiscard]] std::vector<std::complex<float>> gains(std::size_t stream,
                                                       std::size_t pol) const override {
    return outputs_[stream]->gains(pol);
  }
  std::int64_t set_gains(std::size_t stream, std::optional<std::size_t> pol,
                         std::span<const std::complex<float>> gains) override;
  std::int64_t set_delays(std::size_t stream, double start_s,
                          std::span<const control::delay_setting> delays) override;

  /// Returns the current settings of gains and delays.
  [[nodiscard]] saved_state state() const;
  /// Sets gains and delays from a state of this engine's shape, before `start`.
  void restore(const saved_state& state);

  /// Returns the time since samples of a polarisation were last received, or since the start.
  [[nodiscard]] double input_age_s(std::size_t pol) const { return ages_[pol].elapsed_s(); }
  /// Returns whether that is too long for a live digitiser. A file may be read slowly.
  [[nodiscard]] bool is_silent(std::size_t pol) const {
    return is_live_ && input_age_s(pol) > silence_s_;
  }

  // Monitoring.
  [[nodiscard]] control::monitor_snapshot snapshot() const override;

 private:
  using clock = std::chrono::steady_clock;

  void deal();
  [[nodiscard]] std::string title() const;
  void show_output(std::size_t stream, control::monitor_snapshot& shown) const;
  void report_received(const receive::chunk& next);
  void publish_counts();
  void report_progress();
  void measure_rates(const receive::receive_counts& counts);
  void report_losses(const receive::receive_counts& counts);
  void report_silence();
  void fail(const std::string& reason);

  engine_spec spec_;
  thermometers thermometers_;
  std::vector<control::stream_info> streams_;
  control::engine_sensors& sensors_;
  log_function log_;
  engine_observers calls_;
  bool is_live_;  ///< It receives from a network.
  double silence_s_;
  std::vector<pinned_memory> chunk_memory_;  ///< Devices copy samples from it.
  receive::receiver receiver_;
  std::vector<std::unique_ptr<output>> outputs_;
  std::thread dealing_;
  std::atomic<bool> is_finished_ = false;
  std::atomic<bool> has_started_again_ = false;  ///< The digitiser, with a new time.

  receive::receive_counts published_ = {};  ///< Used by the dealing thread.
  std::array<control::stopwatch, 2> ages_;  ///< [polarisation] since the latest samples.
  silence_watch silence_;
  std::uint64_t n_datagrams_ = 0;  ///< Up to the latest samples.
  receive::receive_counts reported_ = {};
  clock::time_point measured_at_ = {};
  receive::receive_counts measured_ = {};
  std::vector<std::uint64_t> measured_bytes_;  ///< [stream] that were sent
  std::vector<std::uint64_t> progress_;        ///< [stream] of `output::progress`

  mutable std::mutex mutex_;  ///< Guards those below.
  std::string failure_;
  std::vector<control::monitored_figure> rates_;
};

}  // namespace wingbeat::fengine
