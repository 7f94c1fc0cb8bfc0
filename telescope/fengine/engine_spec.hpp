// SPDX-License-Identifier: Apache-2.0
// What an F-engine is: its input, its outputs, and what they share.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <string>
#include <vector>

#include "control/engine_control.hpp"  // stream_info
#include "net/endpoint.hpp"            // endpoint
#include "receive/receiver.hpp"        // receive_spec
#include "transmit/heap_sender.hpp"    // sender_spec
#include "wingbeat/channeliser.hpp"    // channeliser_spec
#include "wingbeat/devices.hpp"        // device_info

namespace wingbeat::fengine {

/// One stream of channelised voltages.
struct output_spec {
  std::string name = {};
  /// The ADC's rate, the input's bits and polarisations, and what becomes of missing samples are
  /// the engine's.
  channeliser_spec bank = {};
  std::vector<net::endpoint> destinations = {};  ///< One for each substream.
};

struct engine_spec {
  std::string name = {};  ///< On the monitoring page; empty: its number and the machine's name.
  receive::receive_spec input = {};
  double adc_rate_hz = 0;
  double sync_time_s = 0;  ///< UNIX time of ADC sample 0.
  std::vector<output_spec> outputs = {};
  device_info device = {};  ///< Where all outputs run.
  missing_policy missing = missing_policy::withhold;
  /// The batch that the first sample falls in is made too; samples before it are missing.
  bool starts_early = false;
  std::complex<float> gain = 1;  ///< Of all channels at the start.
  /// Samples by which delays of the polarisations may differ, and by which a delay may grow at once
  /// without loss of output.
  std::size_t max_delay_diff = std::size_t{1} << 20;
  /// Interfaces, number of the engine, packets and pace of all outputs; what depends on the output
  /// is left out.
  transmit::sender_spec sending = {};
  int send_affinity = -1;     ///< Processor of the threads that send; -1: any.
  std::size_t n_batches = 4;  ///< Of each output: being made, waiting, being sent.
};

/// Returns the description with the outputs' banks completed by what the engine's fields say.
/// Throws `plan_error` in one sentence: no output, two of one name, a name with other characters
/// than letters, digits, '-' and '_', destinations that do not divide the channels or that
/// interfaces do not divide, an endpoint that two use, a processor that is not there, or what the
/// receiver, a bank or a sender refuses.
[[nodiscard]] engine_spec checked(engine_spec spec);

/// Returns what the sender of an output is; `spec` is checked.
[[nodiscard]] transmit::sender_spec sender_of(const engine_spec& spec, const output_spec& output);

/// Returns the outputs' names and channels.
[[nodiscard]] std::vector<control::stream_info> streams_of(const engine_spec& spec);

/// Returns the bytes of a batch of an output, and the bytes that the engine takes at most, in this
/// process and on its device: chunks, buffers, sockets, batches, and its channelisers.
[[nodiscard]] std::size_t batch_bytes(const output_spec& output);
[[nodiscard]] std::size_t memory_bytes(const engine_spec& spec);

/// Returns the part of these bytes that channelisers take, most of it on the engine's device.
[[nodiscard]] std::size_t channeliser_bytes(const engine_spec& spec);

}  // namespace wingbeat::fengine
