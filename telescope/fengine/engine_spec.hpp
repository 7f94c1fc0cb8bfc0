// SPDX-License-Identifier: Apache-2.0
// The description of an F-engine: its input, its outputs, and what they share.
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
  /// The ADC's rate, the input's bits and polarisations, and the policy for missing samples are
  /// taken from the engine instead.
  channeliser_spec bank = {};
  std::vector<net::endpoint> destinations = {};  ///< One for each substream.
};

struct engine_spec {
  std::string name = {};  ///< On the monitoring page; empty: its number and the machine's name.
  receive::receive_spec input = {};
  double adc_rate_hz = 0;
  double sync_time_s = 0;  ///< UNIX time of ADC sample 0.
  std::vector<output_spec> outputs = {};
  device_info device = {};  ///< Runs all outputs.
  missing_policy missing = missing_policy::withhold;
  /// Also makes the batch that the first sample falls in; samples before that one are missing.
  bool starts_early = false;
  std::complex<float> gain = 1;  ///< Gain of all channels at the start.
  /// Samples by which delays of the polarisations may differ, and by which a delay may grow at once
  /// without loss of output.
  std::size_t max_delay_diff = std::size_t{1} << 20;
  /// Interfaces, engine number, packets and pace, for all outputs; fields that depend on the output
  /// are ignored.
  transmit::sender_spec sending = {};
  int send_affinity = -1;     ///< Processor of the sending threads; -1: any.
  std::size_t n_batches = 4;  ///< Per output: being made, waiting, being sent.
};

/// Returns the description with the outputs' banks completed from the engine's fields. Throws
/// `plan_error` in one sentence: no output, two of one name, a name with other characters than
/// letters, digits, '-' and '_', destinations that do not divide the channels or that interfaces do
/// not divide, an endpoint that two use, an absent processor, or what the receiver, a bank or a
/// sender refuses.
[[nodiscard]] engine_spec checked(engine_spec spec);

/// Returns the description of an output's sender; `spec` must be `checked`.
[[nodiscard]] transmit::sender_spec sender_of(const engine_spec& spec, const output_spec& output);

/// Returns the outputs' names and channels.
[[nodiscard]] std::vector<control::stream_info> streams_of(const engine_spec& spec);

/// Returns the bytes of a batch of an output; and the maximum bytes of the engine, in this process
/// and on its device: chunks, buffers, sockets, batches, and its channelisers.
[[nodiscard]] std::size_t batch_bytes(const output_spec& output);
[[nodiscard]] std::size_t memory_bytes(const engine_spec& spec);

/// Returns the part of these bytes for channelisers, most of it on the engine's device.
[[nodiscard]] std::size_t channeliser_bytes(const engine_spec& spec);

}  // namespace wingbeat::fengine
