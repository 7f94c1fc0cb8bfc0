// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/commands.hpp"

#include <CLI/CLI.hpp>  // App

#include <algorithm>  // all_of

#include "cli/commands/several_devices.hpp"  // several_devices, bench_devices
#include "cli/messages.hpp"                  // print, print_message
#include "cli/option.hpp"                    // add_count, add_real
#include "cli/peers/bench_problem.hpp"       // run_problem
#include "cli/progress.hpp"                  // progress
#include "cli/reports/bench.hpp"             // bench_document, table_of, chart_of
#include "cli/reports/print_json.hpp"        // print_json
#include "cli/sweep.hpp"                     // sweep_options, problems_of
#include "formats/files/atomic_file.hpp"     // write_whole_file, is_written_directly
#include "text/formatted.hpp"                // formatted
#include "text/reject.hpp"                   // reject
#include "wingbeat/error.hpp"                // plan_error

namespace wingbeat::cli {
namespace {

constexpr const char* examples = R"(Examples:
  wingbeat bench                                   2^1..2^13, complex fp32, on the best device
  wingbeat bench --device cuda --peer cufft,vkfft --lengths 2^1..2^28 --plot c2c.png
  wingbeat bench --lengths 4096x4096,64x64x64 --kind r2c --precision fp64 --json r2c.json
  wingbeat bench --device host --peer fftw --batch 1 --lengths 2^6..2^20
  wingbeat bench --device cuda --peer cufft --batch 1 --lengths 2^6..2^13 --launches
  wingbeat bench --device cuda --peer cufft,vkfft --batch 1 --lengths 17,61,127,509,1000
  wingbeat bench --devices 0,1 --lengths 1024x1024x1024,16384x16384
  srun -n 4 wingbeat bench --processes --all-devices --lengths 1024x1024x1024

In every round a plain copy of the same bytes, wingbeat and each peer take one turn. A fraction is
the copy's time over the library's: 1 is the limit of a transform that crosses memory once. A ratio
is the peer's time over ours. Times are medians; the spread is between the quartiles. `error /
bound` is the relative L2 error of the worst of three transforms, over all their axes, over what
the accuracy table allows. Exit code 1 if a transform of ours is outside of it. Peers that are
absent or refuse a problem are left out, with one message each. A --peer with a slash is a program
that speaks bench/peers/protocol.md.

With --launches, `enqueue` is the wall time that one call of `plan::enqueue`, or of the peer, takes
its thread. On the engines host and reference, and for FFTW, it is the whole transform, because the
call itself computes it.

With --devices, every problem is transformed by all of them together and by the first alone, in
turns, and both results are compared; times are wall times. With --processes, so are they by the
processes that torchrun or srun started, and rank 0 reports.)";

struct options {
  sweep_options sweep;
  several_devices several;
  std::string peers;
  bench_rule rule;
  peer_limits limits;
  std::string json_file, plot_file;
};

void validate(const options& o) {
  require_several(o.several, "--devices or --processes");
  reject_if(
      o.several.is_given() && (!o.peers.empty() || !o.plot_file.empty() || o.rule.times_calls),
      "--devices and --processes compare with one device; leave out --peer, --plot and "
      "--launches");
  if (!o.peers.empty()) static_cast<void>(parts_of("--peer", o.peers));
  if (!o.plot_file.empty()) formats::require_chart("--plot", o.plot_file);
}

/// Runs one problem. A refusal becomes a message and part of the result, and the sweep continues.
bench_result result_of(queue& on, const plan_spec& spec, peer_list& peers,
                       measure::clock_watch& clocks, const bench_rule& rule) {
  bench_result result;
  try {
    return run_problem(on, spec, peers, clocks, rule);
  } catch (const plan_error& e) {
    result.refused = e.what();
  } catch (const device_error& e) {
    result.refused = e.what();
  } catch (const std::bad_alloc&) {
    result.refused = "this machine has too little memory for that; use a smaller batch";
  }
  result.spec = spec;
  print_message("{} is left out: {}", axes_text(spec), result.refused);
  return result;
}

std::string command_of(const options& o, const device_info& device) {
  std::string words = "wingbeat bench " + words_of(o.sweep, device);
  if (!o.peers.empty()) words += " --peer " + o.peers;
  const measure::stop_rule& stop = o.rule.stop;
  words += formatted(" --rounds {} --seconds {:g} --confidence {:g}", stop.max_rounds,
                     stop.max_seconds, 100 * stop.confidence);
  return o.rule.times_calls ? words + " --launches" : words;
}

/// Writes the document, if --json names a file.
void write_json(const std::string& name, const bench_document& document) {
  if (name.empty() || name == "-") return;
  formats::write_whole_file(name, measure::document_text(json_of(document)));
}

/// Runs all problems. From the first measured one on, the document is written after each problem,
/// so that an interrupted sweep keeps its results; a pipe or a device gets it once, at the end.
bench_document run_all(const options& o, const device_info& device) {
  const auto problems = problems_of(o.sweep, device);
  peer_list peers = open_peers(o.peers, device, o.limits);
  bench_document document{command_of(o, device), o.sweep.layout, device, {}, {}, {},
                          o.rule.times_calls};
  for (const auto& peer : peers) document.peers.emplace_back(peer->name(), peer->version());
  queue on{device};
  measure::clock_watch clocks{device};
  document.driver = clocks.driver_version();
  progress bar{"bench", problems.size()};
  bool has_measured = false;
  const bool is_file = !formats::is_written_directly(o.json_file);
  for (const plan_spec& spec : problems) {
    bar.step(formatted("{}, batch {}", axes_text(spec), std::size_t{spec.batch}));
    document.results.push_back(result_of(on, spec, peers, clocks, o.rule));
    has_measured |= document.results.back().refused.empty();
    const bool is_last = &spec == &problems.back();
    if (has_measured && (is_file || is_last)) write_json(o.json_file, document);
  }
  return document;
}

void write(const options& o, const bench_document& document) {
  if (o.json_file != "-") print(table_of(document));
  if (o.json_file == "-") print_json(json_of(document));
  if (!o.plot_file.empty()) formats::write_chart(o.plot_file, chart_of(document));
}

int bench(options o) {
  measure::stop_rule& stop = o.rule.stop;
  stop.min_rounds = std::min(stop.min_rounds, stop.max_rounds);
  stop.confidence /= 100;
  validate(o);
  if (o.several.is_given()) return bench_devices(o.several, o.sweep, stop, o.json_file);
  const device_info device = device_of(o.sweep);
  const bench_document document = run_all(o, device);
  const auto is_refused = [](const bench_result& result) { return !result.refused.empty(); };
  if (std::all_of(document.results.begin(), document.results.end(), is_refused)) {
    if (document.results.size() > 1)
      print_message("no problem was run; choose others or another device");
    return exit_usage;
  }
  write(o, document);
  for (const bench_result& result : document.results) {
    if (!is_refused(result) && !result.ours.accuracy.is_within) return exit_check_failed;
  }
  return exit_ok;
}

constexpr std::size_t max_rounds = 1'000'000;
constexpr double longest_s = 1e6;  // poll() takes milliseconds as an int

void add_bench_options(CLI::App& command, options& o) {
  add_sweep_options(command, o.sweep);
  add_several_devices(command, o.several);
  add_processes(command, o.several);
  o.rule.stop.confidence = 1;  // in percent; `bench` converts it
  CLI::Option* const peers = add_file(command, file_use::programs, "--peer", o.peers,
                                      "libraries to measure beside: cufft,vkfft,fftw,clfft");
  measure::stop_rule& stop = o.rule.stop;
  add_count(command, "--rounds", stop.max_rounds, {1, max_rounds}, "most turns of each library");
  add_real(command, "--seconds", stop.max_seconds, {0, longest_s, /*excludes_least=*/true},
           "most time for the rounds of a problem");
  add_real(command, "--confidence", stop.confidence, {0, 100},
           "stop once every median is known to this many percent; 0 runs all rounds");
  add_real(command, "--patience", o.limits.answer_s, {0, longest_s, /*excludes_least=*/true},
           "seconds a peer has for an answer")
      ->needs(peers);
  add_switch(command, "--launches", o.rule.times_calls,
             "measure also the time that one call takes its thread");
  add_file_or_stdout(command, "--json", o.json_file, "write a document; - prints it instead");
  add_file(command, file_use::output, "--plot", o.plot_file,
           "draw fractions against log2 N as PNG");
}

}  // namespace

void add_bench(CLI::App& program, int& exit_code) {
  add_command<options>(program, exit_code,
                       {"bench", "Times transforms as a fraction of a plain copy", examples}, bench,
                       add_bench_options);
}

}  // namespace wingbeat::cli
