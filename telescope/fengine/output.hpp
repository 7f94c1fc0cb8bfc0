// SPDX-License-Identifier: Apache-2.0
// One output of an engine, with a thread that channelises chunks and one that sends packets.
//
//     offer -> [chunks] -> channelise -> [batches] -> send
//
// Neither queue grows: there are as many chunks as the receiver has, and as many batches as stated.
// If sending is late, channelising waits for it; if that is late, the receiver runs out of chunks,
// drops packets and counts them.
#pragma once

#include <atomic>
#include <complex>
#include <cstddef>  // byte, size_t
#include <cstdint>  // int64_t, uint64_t
#include <functional>
#include <memory>  // shared_ptr
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "control/engine_sensors.hpp"  // engine_sensors
#include "control/log_level.hpp"       // log_level
#include "fengine/bounded_queue.hpp"   // bounded_queue
#include "fengine/engine_spec.hpp"     // engine_spec
#include "fengine/input_level_window.hpp"
#include "fengine/latest_spectra.hpp"
#include "fengine/saved_state.hpp"  // output_state, timed_delays
#include "receive/chunk_pool.hpp"   // received_chunk

namespace wingbeat::fengine {

/// Takes log messages of one sentence, in any thread.
using log_function = std::function<void(control::log_level, const std::string&)>;

/// A chunk that several outputs read.
using shared_chunk = std::shared_ptr<const receive::received_chunk>;

/// Counts of an output's heaps; `sent` counts each substream's heap, `batches` does not.
struct output_counts {
  transmit::sender_counts sent = {};
  heap_counts batches = {};                   ///< The channeliser's counts.
  std::vector<std::uint64_t> saturated = {};  ///< [polarisation] of batches that were sent
};

class output {
 public:
  /// Prepares output number `index`: compiles its kernels and opens its sockets. The other
  /// arguments outlive it. If it ends early, calls `fail` with the reason, in a thread of the
  /// output.
  output(const engine_spec& spec, std::size_t index, control::engine_sensors& sensors,
         log_function log, std::function<void(std::string)> fail);
  output(const output&) = delete;
  output& operator=(const output&) = delete;

  /// Finishes.
  ~output();

  void start();

  /// Takes the next chunk, without waiting.
  void offer(shared_chunk next);

  /// Channelises and sends the offered chunks, then stop heaps, and ends the threads. May be called
  /// again.
  void finish();

  // For any thread. Setters return the steady-state timestamp.
  [[nodiscard]] std::vector<std::complex<float>> gains(std::size_t pol) const;
  std::int64_t set_gains(std::optional<std::size_t> pol,
                         std::span<const std::complex<float>> gains);
  std::int64_t set_delays(double start_s, std::span<const control::delay_setting> delays);

  /// Returns the settings of gains and delays, in UNIX time.
  [[nodiscard]] output_state state() const;
  /// Sets gains and delays from a state of this output, before `start`; returns the steady-state
  /// timestamp. Delays from before the synchronisation continue from there.
  std::int64_t restore(const output_state& state);

  [[nodiscard]] output_counts counts() const;
  [[nodiscard]] net::socket_buffers buffers() const { return sender_.buffers(); }
  [[nodiscard]] std::vector<control::monitored_spectrum> spectra() const {
    return spectra_.spectra();
  }
  [[nodiscard]] std::vector<control::monitored_delay> delays() const;
  [[nodiscard]] std::size_t n_waiting_chunks() const { return chunks_.size(); }
  [[nodiscard]] std::size_t n_waiting_batches() const { return batches_.size(); }
  /// Returns how many chunks were channelised and batches sent; and whether there is no work.
  [[nodiscard]] std::uint64_t progress() const { return n_channelised_ + n_sent_; }
  [[nodiscard]] bool is_idle() const { return n_channelised_ == n_offered_ && n_sent_ == n_made_; }

 private:
  /// A batch of voltages, or only the number of withheld batches.
  struct outgoing {
    std::vector<std::byte>* voltages = nullptr;
    std::int64_t timestamp = 0;
    std::uint64_t missing = 0;  ///< Bit p: polarisation p.
    std::uint64_t n_skipped = 0;
    std::vector<std::uint64_t> saturated = {};  ///< [polarisation]
  };
  /// A delay that was set but is not in use yet.
  struct pending_delay {
    std::int64_t promised = 0, load = 0;
    std::vector<control::delay_setting> settings = {};  ///< [polarisation]
  };

  void channelise_all();
  void channelise(const shared_chunk& next_chunk);
  void go_to(std::int64_t sample, std::uint64_t epoch);
  void begin_at(std::int64_t sample, bool is_again);
  void keep_delays(std::int64_t shift, std::int64_t begin);
  void report_begin(std::int64_t timestamp);
  void finish_heaps();
  void take(const channelised_heap& heap);
  void report_skipped();
  void follow_delays(std::int64_t timestamp);
  void begin_delays();
  void report_levels(std::size_t n_samples);
  [[nodiscard]] std::uint64_t newly_skipped();

  void make(outgoing next);
  void send_all();
  void send(outgoing& next);

  const engine_spec& spec_;
  const output_spec& output_;
  std::size_t index_;
  control::engine_sensors& sensors_;
  log_function log_;
  std::function<void(std::string)> fail_;

  // Used by the channelising thread.
  queue queue_;
  channeliser bank_;
  channeliser::taker taker_ = [this](const channelised_heap& heap) { take(heap); };
  std::int64_t next_sample_ = -1;  ///< Below 0 before the first chunk.
  std::uint64_t epoch_ = 0;
  std::uint64_t n_skipped_ = 0;
  std::int64_t begin_ = -1;       ///< First sample until the first batch is made, then below 0.
  std::uint64_t n_withheld_ = 0;  ///< Up to that sample.
  std::vector<input_level_window> levels_;  ///< [polarisation]; only for the first output.

  // Used by the sending thread.
  transmit::heap_sender sender_;

  /// Chunks; and batches, including withheld ones.
  std::atomic<std::uint64_t> n_offered_ = 0, n_channelised_ = 0, n_made_ = 0, n_sent_ = 0;

  std::vector<std::vector<std::byte>> memory_;  ///< The memory of batches.
  bounded_queue<shared_chunk> chunks_;
  bounded_queue<std::vector<std::byte>*> free_;
  bounded_queue<outgoing> batches_;
  latest_spectra spectra_;

  mutable std::mutex mutex_;                             ///< Guards the members below.
  std::vector<std::vector<std::complex<float>>> gains_;  ///< [polarisation][channel]
  std::vector<pending_delay> pending_delays_;
  std::vector<control::delay_setting> delays_;  ///< [polarisation] in use
  std::int64_t load_ = -1;                      ///< They are in use from this ADC sample on.
  std::vector<timed_delays> requested_;         ///< As they were set, sorted by start.
  heap_counts batch_counts_;
  std::vector<std::uint64_t> saturated_;

  std::thread channelising_, sending_;
};

}  // namespace wingbeat::fengine
