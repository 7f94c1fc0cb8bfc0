// SPDX-License-Identifier: Apache-2.0
#include "cli/services.hpp"

#include <CLI/CLI.hpp>  // App

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cli/channel_models.hpp"         // narrowband_of, heap_samples
#include "cli/messages.hpp"               // print, counted
#include "cli/option.hpp"                 // add_inputs, add_file, add_count
#include "cli/progress.hpp"               // rate_bar
#include "cli/reports/received.hpp"       // received_batches, empty_stats_text
#include "cli/reports/unusable.hpp"       // unusable_text, remedy_text
#include "cli/service_start.hpp"          // add_log_level
#include "cli/sources.hpp"                // endpoints_of, names_files, require_alone
#include "cli/stop_signal.hpp"            // stop_signal
#include "cli/telescope_commands.hpp"     // receive_command
#include "control/service_log.hpp"        // service_log
#include "formats/charts/chart.hpp"       // require_chart
#include "formats/files/atomic_file.hpp"  // write_whole_file
#include "receive/heap_receiver.hpp"      // heap_receiver
#include "text/reject.hpp"                // reject
#include "wingbeat/error.hpp"             // file_error, plan_error

namespace wingbeat::cli {
namespace {

using clock = std::chrono::steady_clock;

constexpr const char* examples = R"(Examples:
  wingbeat receive 239.10.10.0+7:7148 --interface eth0 --heaps 64 --output spectra.npy
      [channel][spectrum][pol][re, im], as wingbeat channelise writes them
  wingbeat receive 127.0.0.1:7148 --substreams 4 --duration 10 --stats received.json \
      --expect 'cw channel=192 pol=0 magnitude=110 tolerance=3' --expect 'lost most=0'
  wingbeat receive capture.pcap --channels 1024 --adc-sample-rate 1712e6 --waterfall sky.png

Endpoints of the substreams, or one file of pcap or pcapng. Channels and spectra of a heap follow
from the descriptors that the engine sends; there is a substream for each endpoint unless --channels
or --substreams say otherwise. Stop heaps of all substreams end it, as --heaps, --duration and
--timeout do, and SIGINT and SIGTERM (scripts send SIGTERM: what they start with & ignores SIGINT).
Expectations, of complete heaps; magnitudes are roots of mean powers:
  cw channel=K pol=P magnitude=M tolerance=T      a tone
  floor pol=P magnitude=M [guard=1]               at most, in channels that are no tone's
  leakage pol=P db=D [guard=1]                    the same, below the strongest channel
  phase channel=K radians=R tolerance=T           of polarisation 1 against 0
  lost most=N                                     heaps that did not come whole
  heaps least=N                                   of each substream
Each is printed; the exit code is 1 where one fails, or where a capture has no heap of an engine.)";

struct options {
  std::vector<std::string> sources, expected, narrowband;
  std::string interface, output, spectrum, waterfall, stats, log_level = "info";
  receive::batch_assembly_spec assembly;
  std::optional<std::size_t> n_heaps;
  std::optional<double> duration_s, adc_rate_hz;
  double timeout_s = 10;
  std::size_t buffer_bytes = std::size_t{64} << 20, n_threads = 1;
  bool is_capture = false;  ///< SRC is a capture.
};

receive::heap_receive_spec spec_of(const options& o) {
  receive::heap_receive_spec spec;
  spec.assembly = o.assembly;
  if (o.is_capture) {
    reject_if(!o.interface.empty(), "--interface is of no use with a capture; leave it out");
    reject_if(!spec.assembly.layout.channels && !spec.assembly.layout.substreams,
              "a capture does not say how many substreams there are; give --channels or "
              "--substreams");
    require_alone(o.sources[0], o.sources);
    spec.source = receive::capture_source{.file = o.sources[0]};
    return spec;
  }
  receive::live_source live{.endpoints = endpoints_of(o.sources),
                            .buffer_bytes = o.buffer_bytes,
                            .affinity = std::vector<int>(o.n_threads, -1)};
  if (!o.interface.empty()) live.interfaces = {o.interface};
  spec.assembly.layout.default_substreams = live.endpoints.size();
  spec.source = live;
  return spec;
}

received_outputs outputs_of(const options& o) {
  received_outputs outputs{.array = o.output, .spectrum = o.spectrum, .waterfall = o.waterfall};
  if (!o.spectrum.empty()) formats::require_chart("--spectrum", o.spectrum);
  if (!o.waterfall.empty()) formats::require_chart("--waterfall", o.waterfall);
  const bool draws = !o.spectrum.empty() || !o.waterfall.empty();
  reject_if(draws && !o.adc_rate_hz,
            "--spectrum and --waterfall require --adc-sample-rate; give the ADC's rate");
  reject_if(!draws && (o.adc_rate_hz || !o.narrowband.empty()),
            "{} is of no use without --spectrum or --waterfall; leave it out",
            o.adc_rate_hz ? "--adc-sample-rate" : "--narrowband");
  reject_if(!o.output.empty() && !o.is_capture && !o.n_heaps && !o.duration_s,
            "--output keeps all heaps in memory; limit them by --heaps or --duration");
  outputs.adc_rate_hz = o.adc_rate_hz.value_or(0);
  if (!o.narrowband.empty()) outputs.narrowband = narrowband_of(o.narrowband);
  for (const std::string& text : o.expected) {
    outputs.expected.push_back(receive::parse_expectation(text));
  }
  return outputs;
}

/// Decides when to stop, except at stop heaps and at the end of a file.
class end_of_run {
 public:
  explicit end_of_run(const options& o) : o_(o) {}

  [[nodiscard]] bool is_due(const receive::heap_receiver& in, std::size_t n_batches) {
    const auto time = clock::now();
    const auto seconds_since = [&](clock::time_point begin) {
      return std::chrono::duration<double>(time - begin).count();
    };
    if (o_.n_heaps && n_batches >= *o_.n_heaps) return true;
    if (n_batches == 0) first_ = time;
    if (n_batches > 0 && o_.duration_s && seconds_since(first_) >= *o_.duration_s) return true;
    if (o_.is_capture || time < next_look_) return false;
    next_look_ = time + std::chrono::milliseconds(50);
    const auto n_packets = in.counts().packets;
    if (n_packets != n_packets_) heard_ = time;
    n_packets_ = n_packets;
    is_silent_ = seconds_since(heard_) >= o_.timeout_s;
    return is_silent_;
  }

  [[nodiscard]] bool is_silent() const { return is_silent_; }

 private:
  const options& o_;
  clock::time_point first_ = {};  ///< When the first batch arrived, or later.
  clock::time_point heard_ = clock::now(), next_look_ = {};
  std::uint64_t n_packets_ = 0;
  bool is_silent_ = false;
};

void take_all(const options& o, control::service_log& log, receive::heap_receiver& in,
              const received_outputs& outputs, std::optional<received_batches>& target) {
  const stop_signal stop;
  end_of_run end{o};
  rate_bar bar{"receive", "heap"};
  const auto take = [&](receive::channel_batch&& batch) {
    if (!target) target.emplace(outputs, in.layout().value());
    if (!o.n_heaps || target->n_batches() < *o.n_heaps) target->take(std::move(batch));
    const double n_total = static_cast<double>(o.n_heaps.value_or(0));
    const auto count = target->n_batches();
    bar.show(count, n_total > 0 ? static_cast<double>(count) / n_total : 0);
  };
  while (!stop.is_set() && !in.is_finished() && !end.is_due(in, target ? target->n_batches() : 0)) {
    if (auto batch = in.next(std::chrono::milliseconds(50))) take(std::move(*batch));
  }
  in.stop();
  while (auto batch = in.next(std::chrono::milliseconds(0))) take(std::move(*batch));
  if (end.is_silent()) {
    log.write(control::log_level::warn, formatted("nothing came for {} s", o.timeout_s));
  }
}

/// Explains why no batch arrived: returns the exit code for a capture that could be read, else
/// throws.
int explain_nothing(const options& o, const receive::heap_receive_spec& spec,
                    const received_run& run) {
  const std::string origin = joined(o.sources, ", ");
  const receive::heap_receive_counts& counts = run.counts;
  const std::string reasons = unusable_text(counts);
  if (counts.undescribed > 0) {
    reject("{} from {} ({}); give {}",
           counts.descriptors > 0 ? "no descriptor of feng_raw came" : "no descriptor came", origin,
           reasons, receive::missing_of(spec.assembly.layout));
  }
  const std::string sentence = formatted(
      "{}: no heap of an F-engine came in {}{}{}{}", origin, counted(counts.datagrams, "datagram"),
      reasons.empty() ? "" : ": ", reasons, remedy_text(counts.cut_frames));
  if (!o.is_capture) throw file_error(sentence);
  print_message("{}", sentence);
  return exit_check_failed;
}

void report(control::service_log& log, const received_run& run) {
  const receive::heap_receive_counts& counts = run.counts;
  log.write(
      control::log_level::info,
      formatted("{} of {} in {:.3f} s, {:.4g} MB/s: {} lost, {} duplicate, {} late{}",
                counted(counts.batches, "heap"), counted(counts.substreams.size(), "substream"),
                run.elapsed_s,
                run.elapsed_s > 0 ? static_cast<double>(counts.bytes) / run.elapsed_s / 1e6 : 0,
                counted(counts.lost_heaps(), "heap"), counted(counts.duplicates, "packet"),
                counted(counts.late, "packet"), run.has_ended ? "; stop heaps ended it" : ""));
  if (counts.starved_batches > 0 || counts.socket_drops > 0) {
    log.write(control::log_level::warn,
              formatted("this machine was too slow: {} dropped, and {} by the system",
                        counted(counts.starved_batches, "heap"),
                        counted(counts.socket_drops, "message")));
  }
  if (counts.cut_frames > 0) {
    log.write(control::log_level::warn,
              formatted("{} cut by the capture's snap length{}",
                        counted(counts.cut_frames, "frame"), remedy_text(counts.cut_frames)));
  }
}

int run(options& o) {
  control::service_log log{"receive", control::parse_log_level(o.log_level)};
  o.is_capture = names_files(o.sources);
  const received_outputs outputs = outputs_of(o);
  const receive::heap_receive_spec spec = spec_of(o);
  receive::heap_receiver in{spec};
  report_receive_buffers(log, in.buffers(), "--buffer");
  const auto begun = clock::now();
  in.start();
  std::optional<received_batches> batches;
  take_all(o, log, in, outputs, batches);
  received_run result{.sources = o.sources,
                      .elapsed_s = std::chrono::duration<double>(clock::now() - begun).count(),
                      .has_ended = in.has_ended(),
                      .counts = in.counts()};
  if (batches) batches->write(result);
  if (!o.stats.empty()) {
    formats::write_whole_file(
        o.stats, batches ? batches->stats_text(result) : empty_stats_text(result, in.layout()));
  }
  if (!batches) {
    in.rethrow_failure();
    return explain_nothing(o, spec, result);
  }
  report(log, result);
  bool passes = true;
  for (const receive::check_result& each : batches->results(result)) {
    print(formatted("{} {}\n", each.passes ? "pass" : "FAIL", each.sentence));
    passes = passes && each.passes;
  }
  in.rethrow_failure();  // batches from before are written
  return passes ? exit_ok : exit_check_failed;
}

void add_stream_options(CLI::App& command, options& o) {
  constexpr std::size_t most = std::size_t{1} << 20;
  add_inputs(command, "SRC", o.sources, "Endpoints of the substreams, or a capture")->required();
  receive::layout_request& layout = o.assembly.layout;
  add_count(command, "--channels", layout.channels, {1, most}, "Of all substreams");
  add_count(command, "--channels-per-substream", layout.channels_per_substream, {1, most},
            "As the descriptors state when not given");
  add_count(command, "--substreams", layout.substreams, {1, 65536},
            "One for each endpoint when not given");
  add_count(command, "--spectra-per-heap", layout.spectra, {1, most},
            "As the descriptors state when not given");
  add_choice(command, "--sample-bits", layout.samples, heap_samples,
             "As the descriptors state, or 8, when not given: ");
  add_count(command, "--feng-id", o.assembly.engine, {0, std::size_t{1} << 32},
            "Number of the engine; the first one that sends when not given");
  add_text(command, "--interface", o.interface, "Name or address of the network interface");
  add_count(command, "--buffer", o.buffer_bytes, {4096, std::size_t{1} << 40},
            "Bytes of all sockets' buffers");
  add_count(command, "--threads", o.n_threads, {1, 256}, "That receive, one an endpoint at most");
}

void add_run_options(CLI::App& command, options& o) {
  add_count(command, "--heaps", o.n_heaps, {1, std::size_t{1} << 40}, "Of each substream to take");
  add_real(command, "--duration", o.duration_s, {0, 1e9, true}, "Seconds from the first heap on");
  add_real(command, "--timeout", o.timeout_s, {0, 1e9, true}, "Seconds of silence that end it");
  add_file(command, file_use::output, "-o,--output", o.output,
           "FILE.npy: [channel][spectrum][pol][re, im]; other names: heaps");
  add_real(command, "--adc-sample-rate", o.adc_rate_hz, {0, 1e12, true},
           "Samples a second, for charts");
  add_list(command, "--narrowband", o.narrowband,
           "Of charts: the band that the engine makes, centre=HZ,decimation=D[,pass_bandwidth=HZ]");
  add_file(command, file_use::output, "--spectrum", o.spectrum,
           "FILE.png, .svg or .pdf: mean power of every channel in dB");
  add_file(command, file_use::output, "--waterfall", o.waterfall,
           "FILE.png, .svg or .pdf: power over frequency and time in dB");
  add_list(command, "--expect", o.expected,
           "An expectation, see below; may be given several times");
  add_file(command, file_use::output, "--stats", o.stats,
           "Heaps, losses, rates, checks, as JSON whatever the name");
  add_log_level(command, o.log_level);
}

}  // namespace

void add_receive(CLI::App& program, int& exit_code) {
  add_command<options>(program, exit_code, {receive_command.name, receive_command.about, examples},
                       run, add_stream_options, add_run_options);
}

}  // namespace wingbeat::cli
