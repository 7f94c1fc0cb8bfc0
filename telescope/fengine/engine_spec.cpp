// SPDX-License-Identifier: Apache-2.0
#include "fengine/engine_spec.hpp"

#include <algorithm>  // all_of, max
#include <cmath>      // isfinite
#include <map>
#include <set>
#include <variant>  // get_if

#include "channelising/banks/filter_bank.hpp"  // require_storage
#include "channelising/memory.hpp"             // memory_bytes
#include "channelising/spec.hpp"               // validate
#include "net/udp_receiver.hpp"                // require_processor
#include "text/counted.hpp"                    // counted
#include "text/formatted.hpp"                  // formatted
#include "text/reject.hpp"                     // reject
#include "wingbeat/error.hpp"                  // plan_error

namespace wingbeat::fengine {
namespace {

bool is_name(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

void check_names(const std::vector<output_spec>& outputs) {
  reject_if(outputs.empty(), "the engine has no output; give --wideband or --narrowband");
  std::set<std::string> names;
  for (const output_spec& output : outputs) {
    reject_if(!is_name(output.name),
              "an output is named '{}'; give a name of letters, digits, '-' and '_'", output.name);
    reject_if(!names.insert(output.name).second,
              "two outputs are named '{}'; give each its own name", output.name);
  }
}

void check_destinations(const engine_spec& spec, const output_spec& output) {
  const std::size_t n = output.destinations.size();
  reject_if(n == 0 || output.bank.channels % n != 0,
            "output '{}' has {} and {}; give a number of destinations that divides the "
            "channels",
            output.name, counted(output.bank.channels, "channel"), counted(n, "destination"));
  const std::size_t n_interfaces = std::max<std::size_t>(spec.sending.interfaces.size(), 1);
  reject_if(n % n_interfaces != 0,
            "output '{}' has {}, which {} interfaces do not divide; give a multiple", output.name,
            counted(n, "destination"), n_interfaces);
}

/// At one place, packets of two outputs, or of an output and the digitiser, cannot be told apart.
void check_apart(const engine_spec& spec) {
  const auto* const live = std::get_if<receive::live_source>(&spec.input.source);
  std::map<net::endpoint, std::string> users;
  for (std::size_t i = 0; live != nullptr && i < live->endpoints.size(); ++i) {
    users.emplace(live->endpoints[i], "the engine receives from");
  }
  for (const output_spec& output : spec.outputs) {
    const std::string user = formatted("output '{}' sends to", output.name);
    for (const net::endpoint& destination : output.destinations) {
      const auto [user_of_place, is_new] = users.emplace(destination, user);
      if (is_new || user_of_place->second == user) continue;  // substreams may share a place
      reject("output '{}' sends to {}, which {}; give each a place of its own", output.name,
             to_string(destination), user_of_place->second);
    }
  }
}

void check_times(const engine_spec& spec) {
  reject_if(!(spec.adc_rate_hz > 0) || !std::isfinite(spec.adc_rate_hz),
            "the ADC rate is {} Hz; give a finite one above 0", spec.adc_rate_hz);
  reject_if(!std::isfinite(spec.sync_time_s), "the sync time is {}; give seconds since 1970",
            spec.sync_time_s);
  reject_if(!std::isfinite(spec.gain.real()) || !std::isfinite(spec.gain.imag()),
            "the gain is not finite; give a finite one");
  reject_if(spec.n_batches < 2, "--batches is {}; give 2 or more", spec.n_batches);
}

}  // namespace

engine_spec checked(engine_spec spec) {
  receive::check(spec.input.geometry);
  check_times(spec);
  check_names(spec.outputs);
  for (output_spec& output : spec.outputs) {
    output.bank.adc_rate_hz = spec.adc_rate_hz;
    output.bank.sample_bits = spec.input.geometry.sample_bits;
    output.bank.polarisations = spec.input.geometry.polarisations;
    output.bank.missing = spec.missing;
    output.bank.gains = {{.gains = std::vector<std::vector<std::complex<float>>>(
                              output.bank.polarisations, {spec.gain})}};
    try {
      channelising::validate(output.bank);
      channelising::require_storage(output.bank, spec.device, "storage");
    } catch (const plan_error& error) {
      reject("output '{}': {}", output.name, error.what());
    }
    check_destinations(spec, output);
  }
  check_apart(spec);
  if (spec.send_affinity >= 0) net::require_processor(spec.send_affinity);
  return spec;
}

transmit::sender_spec sender_of(const engine_spec& spec, const output_spec& output) {
  const channeliser_sizes sizes = sizes_of(output.bank);
  transmit::sender_spec sender = spec.sending;
  sender.destinations = output.destinations;
  sender.channels = output.bank.channels;
  sender.spectra_per_heap = sizes.spectra_per_heap;
  sender.polarisations = output.bank.polarisations;
  sender.samples = output.bank.output;
  sender.has_missing = spec.missing == missing_policy::zero_fill;
  sender.batch_interval_s = static_cast<double>(sizes.heap_samples) / spec.adc_rate_hz;
  return sender;
}

std::vector<control::stream_info> streams_of(const engine_spec& spec) {
  std::vector<control::stream_info> streams;
  for (const output_spec& output : spec.outputs) {
    streams.push_back({output.name, output.bank.channels});
  }
  return streams;
}

std::size_t batch_bytes(const output_spec& output) {
  return sizes_of(output.bank).heap_bytes;
}

std::size_t channeliser_bytes(const engine_spec& spec) {
  std::size_t bytes = 0, largest_trial = 0;
  for (const output_spec& output : spec.outputs) {
    const auto of_bank = [&](std::size_t kept_samples) {
      return channelising::memory_bytes(output.bank, kept_samples, spec.device.runs_on);
    };
    bytes += of_bank(spec.max_delay_diff);
    largest_trial = std::max(largest_trial, of_bank(0));
  }
  return bytes + largest_trial;
}

std::size_t memory_bytes(const engine_spec& spec) {
  std::size_t bytes = receive::bound_of(spec.input).total() + channeliser_bytes(spec);
  for (const output_spec& output : spec.outputs) {
    bytes += (spec.n_batches + 1) * batch_bytes(output);
  }
  return bytes;
}

}  // namespace wingbeat::fengine
