// SPDX-License-Identifier: Apache-2.0
#include "cli/services.hpp"

#include <CLI/CLI.hpp>  // App

#include <chrono>
#include <cmath>    // ceil
#include <cstdint>  // int64_t, uint64_t
#include <memory>   // make_shared
#include <optional>
#include <string>
#include <vector>

#include "channelising/arithmetic/packed_samples.hpp"  // min_sample_bits
#include "cli/messages.hpp"                            // counted
#include "cli/option.hpp"                              // add_texts, add_file, add_count, add_list
#include "cli/service_start.hpp"                       // add_log_level, log_start
#include "cli/sources.hpp"                             // report_send_buffers
#include "cli/stop_signal.hpp"                         // stop_signal
#include "cli/telescope_commands.hpp"                  // dsim_command
#include "control/service_log.hpp"                     // service_log
#include "control/service_manager.hpp"                 // service_manager
#include "formats/files/atomic_file.hpp"               // write_whole_file
#include "measure/document_text.hpp"                   // document_text
#include "signals/source.hpp"                          // max_signal_samples
#include "simulation/signal_service.hpp"               // signal_service
#include "text/reject.hpp"                             // reject
#include "transmit/sample_sender.hpp"                  // sample_sender
#include "wingbeat/version.hpp"                        // WINGBEAT_VERSION_MAJOR

namespace wingbeat::cli {
namespace {

using clock = std::chrono::steady_clock;

constexpr const char* examples = R"(Examples:
  wingbeat dsim 'cw(0.2, 321e6) + wgn(0.05, 1)' 'wgn(0.05, 2)' --dst 239.102.0.0+15:7148 \
      --adc-sample-rate 1712e6 --interface eth0 --katcp-port 7147
      two polarisations, each to eight groups in turn; ?signals changes them
  wingbeat dsim 'cw(0.2, 3e6)' 'cw(0.2, 3e6)' --dst 127.0.0.1+1:7148 --adc-sample-rate 20e6 \
      --duration 10 --drop 0.01 --drop-burst 4 --reorder 16 --duplicate 0.01 --stats sent.json
      ten seconds, with deliberate faults and exact counts of them

Signals are those of wingbeat simulate. All samples of a period are made at the start and sent again
and again: sample t is sample t modulo the period, at whatever time it starts.
--dst lists the endpoints of the first polarisation, then as many of the second; a single one is for
both. '239.102.0.0+7:7148' are eight groups. Faults are chosen by --seed, which is the dither's too.
SIGINT and SIGTERM end it, with stop heaps.)";

struct options {
  std::vector<std::string> signals, destinations, katcp_allowed;
  std::string katcp_host, stats, capture, config, log_level = "info";
  transmit::sample_sender_spec spec;
  std::optional<double> adc_rate_hz, sync_time_s, duration_s, rate_factor;
  std::optional<std::uint64_t> first_timestamp, n_samples;
  std::optional<std::size_t> drop_burst;
  std::size_t n_packets = 1024, katcp_port = 0;
  bool is_unpaced = false;
};

void refuse_contradictions(const options& o) {
  reject_if(o.signals.size() > 2,
            "{} signals are given; give one for each of at most 2 polarisations", o.signals.size());
  const auto exclude = [](bool both, const char* first, const char* second) {
    if (both) reject("{} excludes {}; give one of them", first, second);
  };
  exclude(o.sync_time_s && o.first_timestamp, "--sync-time", "--first-timestamp");
  exclude(o.duration_s && o.n_samples, "--duration", "--samples");
  exclude(o.rate_factor && o.is_unpaced, "--rate-factor", "--as-fast-as-possible");
  const bool has_drops = o.spec.disturbed.drop > 0;
  const auto& drop_polarisation = o.spec.disturbed.drop_polarisation;
  const auto require_drops = [&](bool is_given, const char* option) {
    reject_if(is_given && !has_drops, "{} requires --drop; give a share above 0, or leave it out",
              option);
  };
  require_drops(o.drop_burst.has_value(), "--drop-burst");
  require_drops(drop_polarisation.has_value(), "--drop-pol");
  reject_if(!o.katcp_host.empty() && o.katcp_port == 0,
            "--katcp-host requires --katcp-port; give a port, or leave it out");
  reject_if(!o.katcp_allowed.empty() && o.katcp_port == 0,
            "--katcp-allow requires --katcp-port; give a port, or leave it out");
  if (drop_polarisation && *drop_polarisation >= o.signals.size()) {
    reject("--drop-pol {} is given for {}; polarisations count from 0", *drop_polarisation,
           counted(o.signals.size(), "signal"));
  }
}

std::vector<std::vector<net::endpoint>> destinations_of(const options& o) {
  const auto endpoints = net::parse_endpoints(joined(o.destinations, ","));
  const std::size_t n_polarisations = o.signals.size();
  if (endpoints.size() == 1) return std::vector(n_polarisations, endpoints);
  reject_if(endpoints.size() % n_polarisations != 0,
            "--dst has {} endpoints for {} polarisations; give one for both, or as many for "
            "each",
            endpoints.size(), n_polarisations);
  std::vector<std::vector<net::endpoint>> result;
  const auto count = static_cast<std::ptrdiff_t>(endpoints.size() / n_polarisations);
  for (auto begin = endpoints.begin(); begin != endpoints.end(); begin += count) {
    result.emplace_back(begin, begin + count);
  }
  return result;
}

double unix_time_s() {
  const auto time = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(time).count();
}

/// Returns the number of packets in `n_samples`. Throws `plan_error` if it is not whole.
std::uint64_t packets_of(const char* option, std::uint64_t n_samples, std::size_t packet_samples) {
  if (n_samples % packet_samples == 0) return n_samples / packet_samples;
  reject("{} {} is no multiple of the {} samples of a packet; {} is one", option, n_samples,
         packet_samples, n_samples / packet_samples * packet_samples);
}

transmit::sample_sender_spec spec_of(const options& o) {
  transmit::sample_sender_spec spec = o.spec;
  const std::size_t packet_samples = spec.format.packet_samples;
  spec.destinations = destinations_of(o);
  spec.adc_rate_hz = o.adc_rate_hz.value();
  spec.rate_factor = o.is_unpaced ? 0 : o.rate_factor.value_or(1);
  spec.disturbed.drop_burst = o.drop_burst.value_or(1);
  if (o.n_samples) spec.n_packets = packets_of("--samples", *o.n_samples, packet_samples);
  const double packet_s = static_cast<double>(packet_samples) / spec.adc_rate_hz;
  if (o.duration_s)
    spec.n_packets = static_cast<std::uint64_t>(std::ceil(*o.duration_s / packet_s));
  if (o.first_timestamp) {
    (void)packets_of("--first-timestamp", *o.first_timestamp, packet_samples);
    spec.first_timestamp = static_cast<std::int64_t>(*o.first_timestamp);
  }
  return spec;
}

/// Sets the timestamp of a stream that starts now; returns the UNIX time of sample 0.
double synchronise(const options& o, transmit::sample_sender_spec& spec) {
  const double now_s = unix_time_s();
  if (!o.sync_time_s) return now_s - static_cast<double>(spec.first_timestamp) / spec.adc_rate_hz;
  if (*o.sync_time_s > now_s) {
    reject("--sync-time {:.3f} is {:.3f} s from now; give a time that has passed", *o.sync_time_s,
           *o.sync_time_s - now_s);
  }
  const auto packet_samples = static_cast<std::int64_t>(spec.format.packet_samples);
  const double packet_s = static_cast<double>(packet_samples) / spec.adc_rate_hz;
  const double n_packets = std::ceil((now_s - *o.sync_time_s) / packet_s);
  constexpr double max_samples = 0x1p62;
  if (n_packets * static_cast<double>(packet_samples) > max_samples) {
    reject("--sync-time {:.3f} is more than 2^62 samples ago; give a later one", *o.sync_time_s);
  }
  spec.first_timestamp = static_cast<std::int64_t>(n_packets) * packet_samples;
  return *o.sync_time_s;
}

struct sending {
  double sync_time_s = 0, elapsed_s = 0;
  std::int64_t first_timestamp = 0;
  transmit::sample_sender_counts counts = {};
  std::vector<std::string> signals = {};
};

nlohmann::ordered_json document_of(const options& o, const sending& done) {
  nlohmann::ordered_json document{{"schema", "wingbeat.dsim/1"},
                                  {"sync_time_s", done.sync_time_s},
                                  {"adc_sample_rate_hz", o.adc_rate_hz.value()},
                                  {"sample_bits", o.spec.format.sample_bits},
                                  {"packet_samples", o.spec.format.packet_samples},
                                  {"period_samples", o.spec.format.packet_samples * o.n_packets},
                                  {"first_timestamp", done.first_timestamp},
                                  {"end_timestamp", done.counts.next_timestamp},
                                  {"elapsed_s", done.elapsed_s},
                                  {"late_s", done.counts.late_s},
                                  {"descriptor_heaps", done.counts.descriptor_heaps},
                                  {"stop_heaps", done.counts.stop_heaps},
                                  {"polarisations", nlohmann::ordered_json::array()}};
  for (const transmit::sent_samples& sent : done.counts.polarisations) {
    document["polarisations"].push_back(
        {{"packets", sent.packets},
         {"bytes", sent.bytes},
         {"samples", sent.samples},
         {"saturated_samples", sent.saturated_samples},
         {"dropped", sent.disturbed.dropped},
         {"duplicated", sent.disturbed.duplicated},
         {"reordered", sent.disturbed.reordered},
         {"failed", sent.failed_packets},
         {"samples_per_s",
          done.elapsed_s > 0 ? static_cast<double>(sent.samples) / done.elapsed_s : 0}});
  }
  return document;
}

std::uint64_t n_failed(const transmit::sample_sender_counts& counts) {
  std::uint64_t sum = 0;
  for (const auto& sent : counts.polarisations) sum += sent.failed_packets;
  return sum;
}

/// Once a second, logs what goes wrong, and tells the service manager that packets are sent.
class fault_watch {
 public:
  fault_watch(control::service_log& log, const control::service_manager& manager)
      : log_(log), manager_(manager) {}

  void look(const transmit::sample_sender& out) {
    const auto time = clock::now();
    if (time < due_) return;
    due_ = time + std::chrono::seconds(1);
    manager_.notify("WATCHDOG=1");
    const auto counts = out.counts();
    if (counts.late_s > late_s_) {
      log_.write(control::log_level::warn,
                 formatted("the samples are {:.3f} s behind real time, because this machine is too "
                           "busy or too slow",
                           counts.late_s));
    }
    if (n_failed(counts) > n_failed_) {
      log_.write(control::log_level::warn,
                 formatted("{} refused by the system: {}", counted(n_failed(counts), "packet"),
                           out.failure()));
    }
    late_s_ = counts.late_s;
    n_failed_ = n_failed(counts);
  }

 private:
  control::service_log& log_;
  const control::service_manager& manager_;
  clock::time_point due_ = clock::now() + std::chrono::seconds(1);
  double late_s_ = 0;
  std::uint64_t n_failed_ = 0;
};

int report(const options& o, const sending& done, const std::string& failure,
           control::service_log& log) {
  std::uint64_t n_packets = 0;
  for (const auto& sent : done.counts.polarisations) n_packets += sent.packets;
  const auto n_samples = static_cast<double>(done.counts.next_timestamp - done.first_timestamp);
  log.write(control::log_level::info,
            formatted("sent {} in {:.3f} s, {:.4g} Msample/s of each polarisation, up to timestamp "
                      "{}",
                      counted(n_packets, "packet"), done.elapsed_s,
                      done.elapsed_s > 0 ? n_samples / done.elapsed_s / 1e6 : 0,
                      done.counts.next_timestamp));
  const std::uint64_t n_refused = n_failed(done.counts);
  if (n_refused > 0) {
    log.write(control::log_level::error,
              formatted("{} refused by the system: {}", counted(n_refused, "packet"), failure));
  }
  if (!o.stats.empty()) {  // last, so that the log has the counts even if this fails
    formats::write_whole_file(o.stats, measure::document_text(document_of(o, done)));
  }
  return n_refused > 0 && n_packets == 0 ? exit_file : exit_ok;
}

int run(const options& o) {
  refuse_contradictions(o);
  control::service_log log{"dsim", control::parse_log_level(o.log_level)};
  const control::access_options access{
      .allowed = control::network_list{"--katcp-allow", o.katcp_allowed},
      .option = "--katcp-allow",
      .warn = [&](const std::string& text) { log.write(control::log_level::warn, text); }};
  transmit::sample_sender_spec spec = spec_of(o);
  if (o.sync_time_s) (void)synchronise(o, spec);  // refuses bad times before the period is made
  const transmit::period_spec period{.format = spec.format,
                                     .adc_rate_hz = spec.adc_rate_hz,
                                     .n_packets = o.n_packets,
                                     .seed = spec.disturbed.seed};
  const auto samples = std::make_shared<const transmit::sample_period>(o.signals, period);
  if (!o.capture.empty()) spec.copy = std::make_shared<net::capture_writer>(o.capture);
  sending done{.sync_time_s = synchronise(o, spec), .first_timestamp = spec.first_timestamp};
  stop_signal stop;
  transmit::sample_sender out{spec, samples};
  std::unique_ptr<simulation::signal_service> service;
  if (o.katcp_port != 0) {
    service = std::make_unique<simulation::signal_service>(
        simulation::signal_service_spec{
            .host = o.katcp_host.empty() ? "127.0.0.1" : o.katcp_host,
            .port = static_cast<std::uint16_t>(o.katcp_port),
            .access = access,
            .build = formatted("wingbeat-{}.{}.{}", WINGBEAT_VERSION_MAJOR, WINGBEAT_VERSION_MINOR,
                               WINGBEAT_VERSION_PATCH),
            .signals = o.signals,
            .period = period,
            .sync_time_s = done.sync_time_s},
        out, [&] { stop.request(); },
        [&](const std::string& sentence) { log.write(control::log_level::info, sentence); });
  }
  log_start(log, done.sync_time_s);
  report_send_buffers(log, out.buffers(), "--buffer");
  log.write(control::log_level::info,
            formatted("first timestamp {}, period {}", done.first_timestamp,
                      counted(period.n_samples(), "sample")));
  const control::service_manager manager;
  if (!manager.notify("READY=1\nSTATUS=sends")) {
    log.write(control::log_level::warn, manager.failure());
  }
  const auto begun = clock::now();
  fault_watch watch{log, manager};
  while (!stop.is_set() && out.send()) watch.look(out);
  done.elapsed_s = std::chrono::duration<double>(clock::now() - begun).count();
  manager.notify("STOPPING=1\nSTATUS=sends stop heaps");
  out.stop();
  service.reset();
  done.counts = out.counts();
  if (spec.copy) spec.copy->commit();
  return report(o, done, out.failure(), log);
}

void add_stream_options(CLI::App& command, options& o) {
  add_texts(command, "SIGNAL", o.signals, "The signal of each polarisation, one or two")
      ->required();
  add_list(command, "--dst", o.destinations, "Endpoints, of the first polarisation first")
      ->required();
  add_real(command, "--adc-sample-rate", o.adc_rate_hz, {0, 1e12, true}, "Samples a second")
      ->required();
  add_count(command, "--sample-bits", o.spec.format.sample_bits,
            {channelising::min_sample_bits, channelising::max_sample_bits}, "Bits of a sample");
  add_count(command, "--packet-samples", o.spec.format.packet_samples, {1, std::size_t{1} << 18},
            "Samples of a packet, in whole bytes");
  add_count(command, "--signal-heaps", o.n_packets, {1, signals::max_signal_samples},
            "Packets of a period");
  add_real(command, "--sync-time", o.sync_time_s, {0, 1e12},
           "UNIX time of sample 0; when not given, the first timestamp is sent now");
  add_count(command, "--first-timestamp", o.first_timestamp, {0, std::size_t{1} << 60},
            "Of the first sample, 0 when not given");
  add_real(command, "--duration", o.duration_s, {0, 1e9, true}, "Seconds of samples to send");
  add_count(command, "--samples", o.n_samples, {1, std::size_t{1} << 60},
            "Samples of each polarisation to send");
  add_real(command, "--rate-factor", o.rate_factor, {0, 1e6, true},
           "How much faster than real time to send; 1 when not given");
  add_switch(command, "--as-fast-as-possible", o.is_unpaced, "Sends without pacing");
}

void add_fault_options(CLI::App& command, options& o) {
  transmit::disturbance_spec& faults = o.spec.disturbed;
  add_real(command, "--drop", faults.drop, {0, 1}, "Share of packets not to send");
  add_count(command, "--drop-burst", o.drop_burst, {1, std::size_t{1} << 30},
            "Packets to drop in succession; 1 when not given");
  add_count(command, "--drop-pol", faults.drop_polarisation, {0, 1},
            "The only polarisation that loses packets");
  add_count(command, "--reorder", faults.reorder, {1, std::size_t{1} << 16},
            "Packets of a polarisation to shuffle, in succession");
  add_real(command, "--duplicate", faults.duplicate, {0, 1}, "Share of packets to send twice");
  add_count(command, "--seed", faults.seed, {0, std::size_t{1} << 53},
            "Of the faults and the dither");
}

void add_service_options(CLI::App& command, options& o) {
  add_text(command, "--interface", o.spec.interface, "Name or address of the network interface");
  add_count(command, "--ttl", o.spec.ttl, {0, 255}, "Of multicast");
  add_count(command, "--buffer", o.spec.buffer_bytes, {4096, std::size_t{1} << 30},
            "Bytes of the socket's buffer");
  add_text(command, "--katcp-host", o.katcp_host,
           "Name or address to listen at for katcp; 127.0.0.1 when not given");
  add_count(command, "--katcp-port", o.katcp_port, {0, 65535}, "Its port; 0: no katcp");
  add_list(command, "--katcp-allow", o.katcp_allowed,
           "Addresses and networks whose clients katcp serves; all when not given");
  add_file(command, file_use::output, "--stats", o.stats,
           "Exact counts of what was sent, as JSON whatever the name");
  add_file(command, file_use::output, "--capture", o.capture,
           "What is sent, also as FILE.pcap of raw IP");
  add_file(command, file_use::input, "--config", o.config,
           "FILE.toml with options; its signals are EXPR");
  add_log_level(command, o.log_level);
}

}  // namespace

void add_dsim(CLI::App& program, int& exit_code) {
  add_command<options>(program, exit_code, {dsim_command.name, dsim_command.about, examples}, run,
                       add_stream_options, add_fault_options, add_service_options);
}

}  // namespace wingbeat::cli
