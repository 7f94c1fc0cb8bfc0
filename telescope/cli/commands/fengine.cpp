// SPDX-License-Identifier: Apache-2.0
#include "cli/services.hpp"

#include <CLI/CLI.hpp>  // App

#include <algorithm>  // any_of
#include <chrono>
#include <filesystem>  // is_regular_file
#include <memory>      // make_shared
#include <optional>
#include <random>  // random_device
#include <string>
#include <thread>   // sleep_for
#include <variant>  // get_if, holds_alternative
#include <vector>

#include "channelising/arithmetic/packed_samples.hpp"  // min_sample_bits
#include "cli/channel_models.hpp"                      // heap_samples, missing_policies
#include "cli/choose.hpp"                              // choose_device
#include "cli/engine_outputs.hpp"                      // parse_output, require_band
#include "cli/fgpu_options.hpp"                        // add_fgpu_options
#include "cli/messages.hpp"                            // exit_ok
#include "cli/option.hpp"                              // add_inputs, add_file, add_count
#include "cli/recording.hpp"                           // require_packed_samples
#include "cli/reports/fengine.hpp"                     // engine_stats_text
#include "cli/reports/unusable.hpp"                    // unusable_text, remedy_text
#include "cli/service_start.hpp"                       // add_log_level, log_start
#include "cli/sources.hpp"                             // names_files, capture_of, endpoints_of
#include "cli/stop_signal.hpp"                         // stop_signal
#include "cli/telescope_commands.hpp"                  // fengine_command
#include "commit.hpp"                                  // WINGBEAT_COMMIT, generated
#include "control/complex_text.hpp"                    // parse_complex
#include "control/service_log.hpp"                     // service_log
#include "fengine/service.hpp"                         // service
#include "formats/files/atomic_file.hpp"               // write_whole_file
#include "text/formatted.hpp"                          // formatted
#include "text/reject.hpp"                             // reject
#include "wingbeat/error.hpp"                          // device_error, plan_error

namespace wingbeat::cli {
namespace {

constexpr const char* examples = R"(Examples:
  wingbeat fengine 239.101.0.0+7:7148 239.101.0.64+7:7148 --adc-sample-rate 1712e6 \
      --sync-time 1700000000 --recv-interface eth0 --send-interface eth0 \
      --wideband name=wide,channels=4096,dst=239.102.0.0+15:7148
  wingbeat fengine --config /etc/wingbeat/fengine.toml
  wingbeat fengine capture.pcap --adc-sample-rate 1712e6 --sync-time 0 --send-rate-factor 0 \
      --wideband name=wide,channels=1024,dst=127.0.0.1:7148

SRC is endpoints to receive on, ADDRESS[+N][:PORT] with commas between them; or a capture .pcap or
.pcapng; or files of packed samples, one for each polarisation. --wideband and --narrowband may be
given several times, with these keys, as in name=wide,channels=1024,dst=127.0.0.1:7148:
)";

constexpr const char* about_configuration = R"(
--config FILE.toml states the same, with the options' names as keys; src is SRC, and each output a
table [[wideband]] or [[narrowband]]. Options of the command line have precedence.
SIGTERM, SIGINT and the request ?halt end the service: what was received is sent, and then stop
heaps. Scripts send SIGTERM: a program that a script starts with & ignores SIGINT.)";

constexpr std::chrono::milliseconds turn{50};

struct options {
  fengine::engine_spec engine;
  control::katcp_options katcp;
  std::vector<std::string> sources, recv_interfaces, recv_affinity;
  std::vector<std::string> wideband, narrowband, ignored, katcp_allowed, prometheus_allowed;
  heap_sample samples = heap_sample::int8;
  evaluation_point evaluation = evaluation_point::window_start;
  receive::replay_speed replay = receive::replay_speed::full;
  std::string gain = "1", device, prometheus_host;
  std::string log_level = "info", stats, capture, config, state, send_affinity = "-1";
  std::optional<double> adc_rate_hz, sync_time_s, duration_s;
  std::optional<std::size_t> recv_buffer;
  std::optional<std::uint16_t> prometheus_port;
  bool allows_alias = false;
};

/// Refuses options that other options make useless.
void refuse_void(const options& o, bool is_live) {
  const auto require = [](bool is_given, bool has_use, const char* option, const char* why) {
    if (!is_given || has_use) return;
    reject("{} is of no use {}; leave it out", option, why);
  };
  constexpr const char* of_files = "with files as SRC";
  require(!o.recv_interfaces.empty(), is_live, "--recv-interface", of_files);
  require(!o.recv_affinity.empty(), is_live, "--recv-affinity", of_files);
  require(o.recv_buffer.has_value(), is_live, "--recv-buffer", of_files);
  require(o.replay == receive::replay_speed::real, !is_live, "--replay real",
          "with endpoints as SRC");
  require(o.engine.starts_early, o.engine.missing == missing_policy::zero_fill, "--early-start",
          "without --missing zero-fill");
  require(!o.prometheus_host.empty(), o.prometheus_port.has_value(), "--prometheus-host",
          "without --prometheus-port");
  require(!o.prometheus_allowed.empty(), o.prometheus_port.has_value(), "--prometheus-allow",
          "without --prometheus-port");
}

/// Returns the number of a processor; -1 stands for any.
int processor_of(const char* option, const std::string& word) {
  return word == "-1" ? -1 : static_cast<int>(count_of(option, word, {0, 4095}));
}

receive::source source_of(const options& o) {
  const bool is_live = !names_files(o.sources);
  refuse_void(o, is_live);
  if (const auto* const capture = capture_of(o.sources); !is_live && capture != nullptr) {
    require_alone(*capture, o.sources);
    return receive::capture_source{.file = *capture, .speed = o.replay};
  }
  if (!is_live) {
    for (const std::string& file : o.sources) {
      if (std::filesystem::is_regular_file(file)) require_packed_samples(file);
    }
    return receive::recording_source{.files = {o.sources.begin(), o.sources.end()},
                                     .speed = o.replay,
                                     .adc_rate_hz = o.adc_rate_hz.value()};
  }
  receive::live_source live{.endpoints = endpoints_of(o.sources), .interfaces = o.recv_interfaces};
  live.buffer_bytes = o.recv_buffer.value_or(live.buffer_bytes);
  if (o.recv_affinity.empty()) return live;
  live.affinity.clear();
  for (const std::string& word : o.recv_affinity) {
    live.affinity.push_back(processor_of("--recv-affinity", word));
  }
  return live;
}

receive::receive_spec input_of(const options& o) {
  receive::receive_spec input = o.engine.input;
  input.source = source_of(o);
  if (std::holds_alternative<receive::live_source>(input.source)) {
    const double now_s = control::unix_time_s();
    const double samples = (now_s - o.sync_time_s.value()) * o.adc_rate_hz.value();
    if (samples > 0 && samples < 0x1p62) input.start_near = static_cast<std::int64_t>(samples);
  }
  return input;
}

std::uint64_t random_seed() {
  std::random_device dice;
  return std::uint64_t{dice()} << 31 | dice() >> 1;
}

/// Refuses a narrow band into which others alias.
void require_aliases(const options& o, const fengine::output_spec& output) {
  if (!output.bank.narrowband) return;
  channeliser_spec bank = output.bank;
  bank.adc_rate_hz = o.adc_rate_hz.value();
  static_cast<void>(band_text(bank, "ddc_taps", o.allows_alias));
}

std::vector<fengine::output_spec> outputs_of(const options& o) {
  std::vector<fengine::output_spec> outputs;
  for (const std::string& words : o.wideband) {
    outputs.push_back(parse_output(output_kind::wideband, words, o.samples, random_seed()));
  }
  for (const std::string& words : o.narrowband) {
    outputs.push_back(parse_output(output_kind::narrowband, words, o.samples, random_seed()));
  }
  for (auto& output : outputs) {
    require_band(output, o.adc_rate_hz.value());
    output.bank.evaluation = o.evaluation;
    require_aliases(o, output);
  }
  reject_if(o.allows_alias && o.narrowband.empty(),
            "--allow-alias is of no use without --narrowband; leave it out");
  return outputs;
}

control::access_options access_of(const char* option, const std::vector<std::string>& networks) {
  return {.allowed = control::network_list{option, networks}, .option = option};
}

fengine::service_spec spec_of(const options& o) {
  fengine::engine_spec engine = o.engine;
  engine.input = input_of(o);
  engine.adc_rate_hz = o.adc_rate_hz.value();
  engine.sync_time_s = o.sync_time_s.value();
  engine.outputs = outputs_of(o);
  engine.device = choose_device(o.device, precision::fp32);
  const auto gain = control::parse_complex(o.gain);
  if (!gain) reject("--gain '{}' is no number; give one such as 2 or 1-2j", o.gain);
  engine.gain = *gain;
  engine.send_affinity = processor_of("--send-affinity", o.send_affinity);
  if (!o.capture.empty()) {
    engine.sending.copy = std::make_shared<net::capture_writer>(o.capture);
  }
  fengine::service_spec spec{.engine = fengine::checked(std::move(engine)), .state_file = o.state};
  spec.katcp = o.katcp;
  spec.katcp->device = "katgpucbf-fgpu-1.0";
  spec.katcp->device_build = WINGBEAT_COMMIT;
  spec.katcp->access = access_of("--katcp-allow", o.katcp_allowed);
  if (o.prometheus_port) {
    spec.monitor = {.host = o.prometheus_host.empty() ? "127.0.0.1" : o.prometheus_host,
                    .port = *o.prometheus_port,
                    .access = access_of("--prometheus-allow", o.prometheus_allowed)};
  }
  return spec;
}

void require_room(std::size_t wanted, std::size_t available, const std::string& place) {
  if (wanted <= available) return;
  throw device_error(formatted(
      "the engine takes up to {:.1f} GiB of {}, which has {:.1f}; give a smaller "
      "--max-delay-diff, fewer --recv-chunks or --batches, or a smaller jones_per_batch",
      static_cast<double>(wanted) / 0x1p30, place, static_cast<double>(available) / 0x1p30));
}

/// Refuses a configuration that needs more memory than the machine has, before it is taken.
void require_memory(const fengine::engine_spec& spec) {
  std::size_t wanted = fengine::memory_bytes(spec), available = 0;
  if (spec.device.is_gpu) {
    const std::size_t of_device = fengine::channeliser_bytes(spec);
    require_room(of_device, spec.device.memory_bytes, short_name(spec.device));
    wanted -= of_device;
  }
  for (const device_info& each : devices(engine::host)) available += each.memory_bytes;
  require_room(wanted, available, "this machine");
}

/// Logs in one line which options of katgpucbf's fgpu have no effect.
void report_ignored(const options& o, control::service_log& log) {
  std::vector<std::string> names = o.ignored;
  const auto states_ignored = [](const auto& outputs) {
    return std::any_of(outputs.begin(), outputs.end(), has_ignored_key);
  };
  if (states_ignored(o.wideband) || states_ignored(o.narrowband)) names.push_back("weight_pass");
  if (names.empty()) return;
  log.write(
      control::log_level::warn,
      formatted("ignores {}: of katgpucbf's fgpu, without meaning here", joined(names, ", ")));
}

/// Logs the addresses of everything, and the memory in use.
void announce(fengine::service& served, control::service_log& log) {
  using control::log_level;
  const fengine::engine_spec& spec = served.engine().spec();
  for (const net::endpoint& each : served.engine().endpoints()) {
    log.write(log_level::info, formatted("receives on {}", net::to_string(each)));
  }
  if (const std::string text = served.engine().memory_text(); !text.empty()) {
    log.write(log_level::info, text);
  }
  report_receive_buffers(log, served.engine().receive_buffers(), "--recv-buffer");
  report_send_buffers(log, served.engine().send_buffers(), "--send-buffer");
  for (const fengine::output_spec& output : spec.outputs) {
    const channeliser_sizes sizes = sizes_of(output.bank);
    log.write(log_level::info,
              formatted("output '{}': {} channels, batches of {} spectra, {} bytes, to {} from "
                        "{} on, by {}",
                        output.name, output.bank.channels, sizes.spectra_per_heap, sizes.heap_bytes,
                        counted(output.destinations.size(), "destination"),
                        net::to_string(output.destinations.front()), short_name(spec.device)));
    if (!output.bank.narrowband) continue;
    log.write(log_level::info,
              formatted("output '{}': {}", output.name, band_text(output.bank, "ddc_taps", true)));
  }
  log.write(log_level::info, formatted("takes at most {:.1f} MiB for packets, samples and batches",
                                       static_cast<double>(fengine::memory_bytes(spec)) / 0x1p20));
  log.write(log_level::info, formatted("katcp on port {}", served.katcp_port()));
  if (served.monitor_port() != 0) {
    log.write(log_level::info, formatted("page and metrics on port {}", served.monitor_port()));
  }
}

/// If one recording is longer than the other, logs how much of it was not used.
void report_lone_samples(const fengine::engine& engine, control::service_log& log) {
  const fengine::engine_spec& spec = engine.spec();
  const auto* const recording = std::get_if<receive::recording_source>(&spec.input.source);
  for (std::size_t p = 0; recording != nullptr && p < recording->files.size(); ++p) {
    const std::uint64_t n_alone = engine.received().polarisations[p].samples_alone;
    if (n_alone == 0) continue;
    const bool is_used = spec.missing == missing_policy::zero_fill;
    log.write(control::log_level::warn,
              formatted("{} is longer than {}: {} behind its end {}", recording->files[p].string(),
                        recording->files[1 - p].string(), counted(n_alone, "sample"),
                        is_used ? "were sent with zeros in its place" : "were not used"));
  }
}

/// Returns why an output made no batch of the samples that were placed; empty if it made one.
std::string unmade_text(const fengine::engine& engine, std::size_t output) {
  const heap_counts batches = engine.counts(output).batches;
  if (batches.sent > 0) return "";
  const fengine::output_spec& spec = engine.spec().outputs[output];
  if (batches.withheld > 0) {
    return formatted("output '{}' withheld {}, because samples are missing", spec.name,
                     counted(batches.withheld, "batch"));
  }
  const channeliser_sizes sizes = sizes_of(spec.bank);
  return formatted(
      "output '{}' made no batch, which takes {} from a multiple of {} on; give more samples, a "
      "smaller jones_per_batch or smaller delays",
      spec.name,
      counted(sizes.heap_samples - sizes.spectrum_samples + sizes.window_samples, "sample"),
      sizes.heap_samples);
}

/// Returns why nothing of a file could be used; empty if something was, or for a network.
std::string unused_text(const fengine::engine& engine, const options& o) {
  const receive::receive_counts received = engine.received();
  if (engine.receive_buffers().n_sockets > 0) return "";
  if (received.placed() > 0) {
    std::vector<std::string> reasons;
    for (std::size_t i = 0; i < engine.streams().size(); ++i) {
      reasons.push_back(unmade_text(engine, i));
      if (reasons.back().empty()) return "";
    }
    return formatted("{}: {}", joined(o.sources, ", "), joined(reasons, "; "));
  }
  const std::string reasons = unusable_text(received);
  return formatted("{}: no packet of a digitiser could be used{}{}{}", joined(o.sources, ", "),
                   reasons.empty() ? "" : ": ", reasons, remedy_text(received.cut_frames));
}

void serve(fengine::service& served, const options& o, const stop_signal& stop) {
  const auto begun = std::chrono::steady_clock::now();
  while (!stop.is_set() && !served.is_finished()) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begun;
    if (o.duration_s && elapsed.count() >= *o.duration_s) break;
    std::this_thread::sleep_for(turn);
  }
}

int run(const options& o) {
  const control::log_level level = control::parse_log_level(o.log_level);
  const fengine::service_spec spec = spec_of(o);
  require_memory(spec.engine);
  control::service_log log{"fengine", level};
  const stop_signal stop;
  fengine::service served{spec, log};
  log_start(log, spec.engine.sync_time_s);
  report_ignored(o, log);
  announce(served, log);
  served.start();
  serve(served, o, stop);
  log.write(control::log_level::info, "ends, and sends what was received");
  served.stop();
  if (spec.engine.sending.copy) spec.engine.sending.copy->commit();
  report_lone_samples(served.engine(), log);
  if (const auto n_cut = served.engine().received().cut_frames; n_cut > 0) {
    log.write(control::log_level::warn, formatted("{} cut by the capture's snap length{}",
                                                  counted(n_cut, "frame"), remedy_text(n_cut)));
  }
  log.write(control::log_level::info, engine_summary(served.engine()));
  if (!o.stats.empty()) {
    formats::write_whole_file(o.stats, engine_stats_text(served.engine()));
  }
  if (const std::string reason = served.engine().failure(); !reason.empty()) {
    print_message("{}", reason);
    return exit_file;
  }
  if (const std::string reason = unused_text(served.engine(), o); !reason.empty()) {
    print_message("{}", reason);
    return exit_check_failed;
  }
  return exit_ok;
}

void add_input_options(CLI::App& command, options& o) {
  receive::receive_spec& input = o.engine.input;
  receive::chunk_geometry& geometry = input.geometry;
  input.n_chunks = 5;
  add_inputs(command, "SRC", o.sources, "Endpoints, a capture, or recordings")->required();
  add_real(command, "--adc-sample-rate", o.adc_rate_hz, {0, 1e12, true}, "Samples a second")
      ->required();
  add_real(command, "--sync-time", o.sync_time_s, {0, 1e11}, "UNIX time of ADC sample 0, in s")
      ->required();
  add_list(command, "--recv-interface", o.recv_interfaces, "Interfaces to receive on, in turn");
  add_list(command, "--recv-affinity", o.recv_affinity,
           "A thread that receives for each, on this processor; -1 is any");
  add_count(command, "--recv-buffer", o.recv_buffer, {65536, std::size_t{1} << 34},
            "Bytes of the sockets' buffers together; 2^27 when not given");
  add_count(command, "--recv-packet-samples", geometry.packet_samples, {8, 65536},
            "Samples of a packet");
  add_count(command, "--recv-chunk-samples", geometry.chunk_samples, {4096, std::size_t{1} << 29},
            "Samples that are handed on together");
  add_count(command, "--recv-chunks", input.n_chunks, {3, 1024}, "Chunks: filled, waiting, in use");
  add_count(command, "--dig-sample-bits", geometry.sample_bits,
            {channelising::min_sample_bits, channelising::max_sample_bits}, "Bits of a sample");
  add_count(command, "--polarisations", geometry.polarisations, {1, 2}, "Of the digitiser");
  add_switch(command, "--mask-timestamp", input.masks_timestamps,
             "Round timestamps down to whole packets");
  add_choice(command, "--replay", o.replay,
             choices<receive::replay_speed>{{"full", receive::replay_speed::full},
                                            {"real", receive::replay_speed::real}},
             "Speed of files as SRC: ");
  add_choice(command, "--missing", o.engine.missing, missing_policies, "Heaps that miss samples: ");
  add_switch(command, "--early-start", o.engine.starts_early,
             "Also the batch that the first sample falls in; samples before it are missing");
}

void add_output_options(CLI::App& command, options& o) {
  transmit::sender_spec& sending = o.engine.sending;
  add_each(command, "--wideband", o.wideband, "An output of the whole band");
  add_each(command, "--narrowband", o.narrowband, "An output of a part of the band");
  add_switch(command, "--allow-alias", o.allows_alias,
             "Accept narrow bands into which other frequencies alias at more than -40 dB");
  add_choice(command, "--send-sample-bits", o.samples, heap_samples);
  add_list(command, "--send-interface", sending.interfaces,
           "Interfaces to send on, each a part of the substreams");
  add_text(command, "--send-affinity", o.send_affinity,
           "Processor of the threads that send; -1 is any");
  add_count(command, "--send-buffer", sending.buffer_bytes, {4096, std::size_t{1} << 32},
            "Bytes of a socket's buffer");
  add_count(command, "--send-ttl", sending.ttl, {1, 255}, "Of multicast");
  add_count(command, "--send-packet-payload", sending.packet_payload_bytes, {64, 65400},
            "Bytes of a packet");
  add_real(command, "--send-rate-factor", sending.rate_factor, {0, 1000},
           "Pace, in multiples of the rate of the samples; 0 is none");
  add_count(command, "--batches", o.engine.n_batches, {2, 1024},
            "Of an output: made, waiting, sent");
  add_real(command, "--descriptor-interval", sending.descriptor_interval_s, {0, 1e9},
           "Seconds; 0 is once");
  add_text(command, "--name", o.engine.name,
           "Of this engine, on its page; its number when not given");
  add_count(command, "--feng-id", sending.engine, {0, std::size_t{1} << 40},
            "Number of this engine");
  add_count(command, "--array-size", sending.array_size, {1, std::size_t{1} << 40},
            "Of all engines");
}

void add_service_options(CLI::App& command, options& o) {
  add_count(command, "--max-delay-diff", o.engine.max_delay_diff, {0, std::size_t{1} << 32},
            "Samples by which polarisations differ, or a delay may grow at once");
  add_text(command, "--gain", o.gain, "Of all channels, at first");
  add_choice(command, "--evaluate", o.evaluation, evaluation_points,
             "Where in a window delays are evaluated: ");
  add_device(command, o.device);
  add_text(command, "--katcp-host", o.katcp.host, "Address to listen on; 0.0.0.0 is all");
  add_count(command, "--katcp-port", o.katcp.port, {0, 65535}, "0 lets the system choose");
  add_list(command, "--katcp-allow", o.katcp_allowed,
           "Addresses and networks whose clients katcp serves; all when not given");
  add_text(command, "--prometheus-host", o.prometheus_host,
           "Address to listen on; 127.0.0.1 when not given");
  add_count(command, "--prometheus-port", o.prometheus_port, {0, 65535},
            "Of page and metrics; none when not given");
  add_list(command, "--prometheus-allow", o.prometheus_allowed,
           "As --katcp-allow, of page and metrics");
  add_log_level(command, o.log_level);
  add_real(command, "--duration", o.duration_s, {0, 1e9, true}, "Seconds; for ever if not given");
  add_file(command, file_use::output, "--stats", o.stats,
           "Counters at the end, as JSON whatever the name");
  add_file(command, file_use::output, "--capture", o.capture,
           "What is sent, also as FILE.pcap of raw IP");
  add_file(command, file_use::state, "--state", o.state,
           "Gains and delays, read at the start and kept at each change");
  add_file(command, file_use::input, "--config", o.config, "FILE.toml with options");
  add_fgpu_options(command, o.ignored);
}

}  // namespace

void add_fengine(CLI::App& program, int& exit_code) {
  add_command<options>(program, exit_code,
                       {fengine_command.name, fengine_command.about,
                        examples + output_keys_text() + fgpu_options_text() + about_configuration},
                       run, add_input_options, add_output_options, add_service_options);
}

}  // namespace wingbeat::cli
