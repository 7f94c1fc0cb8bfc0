// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/commands.hpp"

#include <CLI/CLI.hpp>  // App

#include <filesystem>

#include "cli/choose.hpp"                 // choose_devices
#include "cli/elapsed_message.hpp"        // elapsed_message
#include "cli/files.hpp"                  // require_files
#include "cli/kinds.hpp"                  // axis_kind_named
#include "cli/messages.hpp"               // print_message, print
#include "cli/option.hpp"                 // add_list, add_text, add_count
#include "cli/progress.hpp"               // progress
#include "cli/reports/print_json.hpp"     // print_json
#include "cli/reports/speedtest.hpp"      // engine_timings
#include "formats/charts/chart.hpp"       // require_chart, write_chart
#include "formats/files/atomic_file.hpp"  // write_whole_file
#include "formats/files/extension.hpp"    // extension_of
#include "measure/plan_run.hpp"           // measure_plan
#include "request/validation.hpp"         // validated
#include "text/formatted.hpp"             // formatted
#include "text/reject.hpp"                // reject
#include "verify/judge.hpp"               // judge, noise_block, numbers_of

namespace wingbeat::cli {
namespace {

constexpr const char* examples = R"(Examples:
  wingbeat speedtest
      lengths 2^1 .. 2^20 on every engine, 5 runs each
  wingbeat speedtest --max-log2 16 --plot speed
      writes speed-time.png and speed-per-element.png as well
  wingbeat speedtest --engine host --lengths 960,1000,1024
      lengths that are no powers of two
  wingbeat speedtest --engine host,opencl --runs 20 --csv speed.csv --json > speed.json

Each length is one row of noise, of complex numbers unless --kind takes others. A warm-up run is
not counted.
Execution is timed by the device's clock, transfer is the copy in and the copy out; total is both.
The break-even of two engines is the smallest length from which the one that is faster at the
largest length stays ahead, by the mean total. An engine whose counted runs at one length have
taken two seconds is not run again there; the column 'runs' has the number of runs. Every output is
compared with the reference as `wingbeat transform` does; exit code 1 if one disagrees.)";

constexpr double budget_s = 2;
constexpr int largest_log2 = 24;
constexpr int max_runs = 1'000'000;
constexpr const char* time_suffix = "-time";
constexpr const char* per_element_suffix = "-per-element";

struct speedtest_options {
  std::vector<std::string> engines{"all"};
  precision real = precision::fp32;
  std::string kind = "c2c";
  int min_log2 = 1, max_log2 = 20, n_runs = 5;
  std::vector<std::string> listed;
  std::string csv, plot_prefix;
  bool is_json = false;
};

/// Returns the prefix with the suffix; .png unless the prefix has the extension of a chart.
std::string chart_file(const speedtest_options& o, const std::string& suffix) {
  const std::filesystem::path prefix{o.plot_prefix};
  const std::string extension = formats::extension_of(prefix);
  if (extension != ".png" && extension != ".svg" && extension != ".pdf") {
    return o.plot_prefix + suffix + ".png";
  }
  return (prefix.parent_path() / prefix.stem()).string() + suffix + prefix.extension().string();
}

void validate(const speedtest_options& o) {
  reject_if(o.min_log2 > o.max_log2,
            "lengths 2^{} to 2^{} cannot be timed; choose 1 <= --min-log2 <= --max-log2 <= {}",
            o.min_log2, o.max_log2, largest_log2);
  if (!o.plot_prefix.empty()) formats::require_chart("--plot", chart_file(o, time_suffix));
}

plan_spec spec_of(const speedtest_options& o, std::size_t length) {
  return {.lengths = {length}, .kind = axis_kind_named(o.kind), .real = o.real};
}

timing timing_of(const device_info& device, const plan_spec& spec, int n_runs,
                 std::span<const std::byte> input, verify::judge& truth) {
  const auto m =
      measure::measure_plan(device, spec, input, {.n_runs = n_runs, .budget_s = budget_s});
  timing t;
  t.length = spec.lengths.front();
  t.n_runs = static_cast<int>(m.execution_s.size());
  t.plan_s = m.plan_s;
  t.execution_s = measure::spread_of(m.execution_s);
  t.transfer_s = measure::spread_of(m.transfer_s);
  std::vector<double> totals;
  for (std::size_t i = 0; i < m.execution_s.size(); ++i) {
    totals.push_back(m.execution_s[i] + m.transfer_s[i]);
  }
  t.total_s = measure::spread_of(totals);
  t.against_reference = truth(verify::numbers_of(m.output, spec.real));
  return t;
}

std::vector<std::size_t> lengths_of(const speedtest_options& o) {
  std::vector<std::size_t> lengths = listed_lengths(o.listed);
  if (!lengths.empty()) return lengths;
  for (int log2 = o.min_log2; log2 <= o.max_log2; ++log2) {
    lengths.push_back(std::size_t{1} << log2);
  }
  return lengths;
}

std::vector<engine_timings> time_all(const speedtest_options& o,
                                     const std::vector<device_info>& chosen) {
  std::vector<engine_timings> measured;
  for (const device_info& device : chosen) measured.push_back({device, {}});
  const auto lengths = lengths_of(o);
  progress bar{"speedtest", lengths.size()};
  for (const std::size_t length : lengths) {
    bar.step(formatted("length {}", length));
    elapsed_message shown{formatted("length {}", length)};  // planning may take minutes
    shown.begin();
    const plan_spec spec = spec_of(o, length);
    const std::vector<std::byte> input = verify::noise_block(spec);
    verify::judge truth{{spec, verify::reader_of(input), o.real}, verify::check_extent::full};
    for (engine_timings& timings : measured) {
      timings.lengths.push_back(timing_of(timings.device, spec, o.n_runs, input, truth));
    }
  }
  return measured;
}

std::vector<named_file> output_files(const speedtest_options& o) {
  std::vector<named_file> files{{"--csv", o.csv, false, true}};
  if (o.plot_prefix.empty()) return files;
  for (const char* const suffix : {time_suffix, per_element_suffix}) {
    files.push_back({"--plot", chart_file(o, suffix), false, true});
  }
  return files;
}

void write_files(const speedtest_options& o, const std::vector<engine_timings>& measured) {
  if (!o.csv.empty()) {
    formats::write_whole_file(o.csv, speed_csv(measured));
    print_message("wrote {}", o.csv);
  }
  if (o.plot_prefix.empty()) return;
  const auto draw = [&](const std::string& suffix, speed_axis axis, const std::string& subject) {
    const std::string file = chart_file(o, suffix);
    const auto title = formatted("{}: complex {}, mean of {} runs, band from least to most",
                                 subject, name_of(o.real), o.n_runs);
    formats::write_chart(file, speed_chart(measured, axis, title));
    print_message("wrote {}", file);
  };
  draw(time_suffix, speed_axis::time, "Time against length");
  draw(per_element_suffix, speed_axis::time_per_element, "Time per element against length");
}

void report_short_runs(const std::vector<engine_timings>& measured, int n_runs) {
  for (const engine_timings& timings : measured) {
    for (const timing& t : timings.lengths) {
      if (t.n_runs >= n_runs) continue;
      print_message("{} ran {} of {} times at length {}: {} s were spent",
                    short_name(timings.device), t.n_runs, n_runs, t.length, budget_s);
    }
  }
}

int exit_code_of(const std::vector<engine_timings>& measured) {
  int code = exit_ok;
  for (const engine_timings& timings : measured) {
    for (const timing& t : timings.lengths) {
      if (t.against_reference.is_within) continue;
      print_message("{} disagrees with the reference at length {} beyond the accuracy table",
                    short_name(timings.device), t.length);
      code = exit_check_failed;
    }
  }
  return code;
}

int run(const speedtest_options& o) {
  validate(o);
  const auto devices = choose_devices(o.engines, o.real);
  for (const std::size_t length : lengths_of(o)) {
    for (const device_info& device : devices) request::validated(spec_of(o, length), device);
  }
  require_files(output_files(o));
  const auto measured = time_all(o, devices);
  if (o.is_json) {
    auto document = speed_json(measured);
    document["precision"] = name_of(o.real);
    document["kind"] = kinds_text(spec_of(o, 2));
    print_json(document);
  } else {
    print(speed_text(measured));
    for (const break_even& pair : break_evens_of(measured)) print(sentence_of(pair) + "\n");
  }
  report_short_runs(measured, o.n_runs);
  write_files(o, measured);
  return exit_code_of(measured);
}

void add_options(CLI::App& command, speedtest_options& o) {
  add_list(command, "--engine", o.engines, "all, or some of reference, host, opencl, cuda, ...");
  add_precision(command, o.real);
  add_text(command, "--kind", o.kind,
           "c2c, c2c-inverse, r2c or c2r; dct1 to dct4, dst1 to dst4 or dht");
  const count_range exponents{1, largest_log2};
  add_count(command, "--min-log2", o.min_log2, exponents, "First length is 2^this");
  add_count(command, "--max-log2", o.max_log2, exponents, "Last length is 2^this");
  add_listed_lengths(command, o.listed);
  add_count(command, "--runs", o.n_runs, {1, max_runs}, "Counted runs of each length");
  add_file(command, file_use::output, "--csv", o.csv, "Write the times to FILE");
  add_text(command, "--plot", o.plot_prefix,
           "Draw PREFIX-time.png and PREFIX-per-element.png, log-log; of PREFIX.svg and PREFIX.pdf "
           "such files")
      ->type_name("PREFIX");
  add_switch(command, "--json", o.is_json, "Print JSON instead of a table");
}

}  // namespace

void add_speedtest(CLI::App& program, int& exit_code) {
  add_command<speedtest_options>(
      program, exit_code,
      {"speedtest", "Times every length on every engine and finds where one overtakes another",
       examples},
      run, add_options);
}

}  // namespace wingbeat::cli
