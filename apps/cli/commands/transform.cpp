// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/transform.hpp"

#include <CLI/CLI.hpp>  // App

#include <filesystem>
#include <memory>  // make_shared
#include <optional>
#include <utility>  // move, exchange

#include "cli/agreement.hpp"           // compare
#include "cli/choose.hpp"              // choose_devices
#include "cli/messages.hpp"            // print_message, print
#include "cli/option.hpp"              // add_text, add_count, add_real
#include "cli/problem.hpp"             // make_problem
#include "cli/progress.hpp"            // progress
#include "cli/reports/print_json.hpp"  // print_json
#include "cli/reports/spectrum.hpp"    // strongest, chart_of
#include "cli/reports/transform.hpp"   // engines_text
#include "cli/samples.hpp"             // pack, unpack
#include "formats/chart.hpp"           // require_chart, write_chart
#include "formats/signal.hpp"          // read_signal, write_signal
#include "formatted.hpp"               // formatted
#include "measure/plan_run.hpp"        // measure_plan
#include "wingbeat/error.hpp"          // plan_error, device_error
#include "wingbeat/good_length.hpp"    // is_good_length

namespace wingbeat::cli {
namespace {

constexpr const char* examples = R"(Examples:
  wingbeat transform recording.wav
      transforms the recording on every engine and compares each with the reference
  wingbeat transform recording.wav --channel 1 --top 5 --plot spectrum.png
      the five strongest bins of the second channel, and its spectrum in dB against Hz
  wingbeat transform samples.txt --length 4096 --engine host,opencl --output spectrum.npy
      pads with zeros to 4096 samples and writes all 4096 bins
  wingbeat transform rows.npy --precision fp64 --half --output spectra.npy
      every row of a 2D array; bins 0..N/2 alone, as numpy.fft.rfft
  wingbeat transform spectrum.npy --inverse --output samples.npy
      goes back: scaled by 1/N, so that it undoes the transform

Input: text (one number a line, or two columns 're im'; a blank line between rows), .npy (1D, or
2D as rows), .wav.
A row is transformed at its own length where that is 2^a 3^b 5^c 7^d 11^e 13^f, and else padded with
zeros to the next such length (forward of real rows the next even one), or as --pad says; --length
sets another, and a shorter one cuts. K bins of --inverse --half are of 2 (K - 1) samples or of one
more: say which by --length if that is odd.
Forward: exp(-2 pi i jk/N), unscaled, all N bins (as numpy.fft.fft), unless --half.
--output, --top and --plot show the values of the best engine that agrees with the reference:
the first of cuda, an OpenCL GPU, host, another OpenCL device, reference.
An engine agrees when its relative L2 error is at most u sqrt(log2 N) (fp32, u = 2^-24) or
1.25 u sqrt(log2 N) (fp64, u = 2^-53), or 4 u up to N = 64, and its largest error at most 12 u
of the largest output. Times: plan, once; first run, at which drivers load code and may compile;
execution and transfer (to the device and back), the medians of the runs after it: five, or as
many as begin within a second, one at least.)";

constexpr std::size_t last_channel = 65534;  // a .wav file counts them in 16 bits
constexpr double most_hz = 1e12;

struct transform_options {
  std::string file;
  std::vector<std::string> engines{"all"};
  std::string precision_name = "fp32", scale_name, pad_name = "good";
  std::optional<std::size_t> length, channel, n_peaks;
  std::optional<double> sample_rate_hz;
  std::string output, plot;
  bool is_inverse = false, is_half = false, is_json = false;
};

/// Refuses options that contradict each other, before any work is done.
void validate(const transform_options& o) {
  if (!o.output.empty()) static_cast<void>(formats::output_format_of(o.output));
  if (!o.plot.empty()) formats::require_chart("--plot", o.plot);
  if (o.is_inverse && (!o.plot.empty() || o.n_peaks)) {
    throw plan_error("--plot and --top show a spectrum, and --inverse makes samples; drop one");
  }
  if (o.sample_rate_hz && o.plot.empty() && !o.n_peaks && !o.is_json) {
    throw plan_error(
        "--sample-rate turns bins into Hz for --top, --plot and --json; add one of them or drop "
        "it");
  }
}

transform_request request_of(const transform_options& o) {
  transform_request request;
  request.pad = choice_of<padding>(
      "--pad", o.pad_name,
      {{"good", padding::good}, {"power-of-two", padding::power_of_two}, {"none", padding::none}});
  request.is_inverse = o.is_inverse;
  request.is_half = o.is_half;
  request.length = o.length;
  if (!o.scale_name.empty()) request.scale = scaling_named(o.scale_name);
  request.real = precision_named(o.precision_name);
  return request;
}

void report_input(const transform_options& o, const formats::signal& from, const problem& solved) {
  if (from.n_channels > 1 && !o.channel) {
    print_message("{} has {} channels; channel 0 is taken (--channel chooses)", o.file,
                  from.n_channels);
  }
  const bool is_from_half = solved.spec.kind == transform::inverse_to_real;
  const char* const item = is_from_half ? "bin" : "sample";
  const std::size_t slots = is_from_half ? solved.length() / 2 + 1 : solved.length();
  const std::size_t even = 2 * (solved.row_length - 1);
  if (is_from_half && !o.length && is_good_length(even + 1)) {
    if (solved.length() == even) {
      print_message("{} are of {} or {} samples; {} are made, --length {} makes the other",
                    counted(solved.row_length, "bin"), even, even + 1, even, even + 1);
    } else if (solved.length() == even + 1) {
      print_message("{} are of {} or {} samples; {} are made, since {} cannot be transformed",
                    counted(solved.row_length, "bin"), even, even + 1, even + 1, even);
    }
  }
  if (solved.kept_samples < solved.row_length) {
    print_message("{} cut to the first {}, for length {}", counted(solved.row_length, item),
                  solved.kept_samples, solved.length());
  } else if (solved.kept_samples < slots) {
    print_message("{} padded with {}, for length {}", counted(solved.row_length, item),
                  counted(slots - solved.kept_samples, "zero"), solved.length());
  }
  if (solved.n_vanished > 0) {
    print_message("{} of {} became 0 in {}; --precision fp64 keeps more of them",
                  counted(solved.n_vanished, "number"), o.file, o.precision_name);
  }
  if (o.is_inverse && o.scale_name.empty()) {
    print_message(
        "scaled by 1/N, so that the inverse undoes the transform (--scale none leaves it out)");
  }
}

/// Returns the output in fp64, rounded once from long double, whatever the precision compared.
std::vector<double> reference_output(const problem& solved) {
  plan_spec spec = solved.spec;
  spec.real = precision::fp64;
  const auto input = pack(solved.input, precision::fp64);
  const auto m = measure::measure_plan(first_device(engine::reference), spec, input, {.n_runs = 0});
  return complete(solved, unpack(m.output, precision::fp64));
}

/// Returns the place of the device among those whose values are shown; 0 is the first choice.
int rank(const device_info& device) {
  switch (device.runs_on) {
    case engine::cuda: return 0;
    case engine::opencl: return device.is_gpu ? 1 : 3;
    case engine::host: return 2;
    case engine::reference: return 4;
  }
  return 5;
}

/// The results in the order of the devices, and the values of the best engine that agrees.
struct outcome {
  std::vector<engine_result> results;
  const engine_result* best = nullptr;
  std::vector<double> best_values;
  bool has_failed_device = false;  ///< Reported already.
};

outcome solve(const problem& solved, const std::vector<device_info>& chosen) {
  progress bar{"transform", chosen.size() + 1};
  bar.step("reference in long double");
  const std::vector<double> expected = reference_output(solved);
  const auto input = pack(solved.input, solved.spec.real);
  const element of =
      solved.spec.kind == transform::inverse_to_real ? element::real : element::complex;
  outcome found;
  found.results.reserve(chosen.size());  // `best` points into it
  for (const device_info& device : chosen) {
    bar.step(formatted("{}, {}", short_name(device), device.name));
    engine_result r{device, {}, {}};
    try {
      r.times = measure::measure_plan(device, solved.spec, input, {.n_runs = 5, .budget_s = 1});
    } catch (const device_error& failed) {
      if (chosen.size() == 1) throw;
      print_message("{} failed and is left out: {}", short_name(device), failed.what());
      found.has_failed_device = true;
      continue;
    }
    auto values = complete(solved, unpack(std::exchange(r.times.output, {}), solved.spec.real));
    r.against_reference = compare(values, expected, of, solved.length(), solved.spec.real);
    const bool agrees = r.against_reference.is_within;
    found.results.push_back(std::move(r));
    if (agrees && (found.best == nullptr || rank(device) < rank(found.best->device))) {
      found.best = &found.results.back();
      found.best_values = std::move(values);
    }
  }
  return found;
}

spectrum spectrum_of(const problem& solved, formats::signal bins, double sample_rate_hz) {
  return {std::move(bins), solved.length(), solved.spec.kind == transform::forward_from_real,
          sample_rate_hz};
}

void write_files(const transform_options& o, const spectrum& shown, const outcome& found) {
  const std::string device = short_name(found.best->device);
  if (!o.output.empty()) {
    formats::write_signal(o.output, shown.bins);
    print_message("wrote {}: {} of {} values by {}", o.output, counted(shown.bins.n_rows, "row"),
                  shown.bins.row_length, device);
  }
  if (!o.plot.empty()) {
    const auto title = formatted("{}: spectrum of {} samples, {} {}",
                                 std::filesystem::path(o.file).filename().string(), shown.length,
                                 device, o.precision_name);
    formats::write_chart(o.plot, chart_of(shown, title));
    if (shown.bins.n_rows > max_rows_drawn) {
      print_message("{} shows the first {} of {} rows", o.plot, max_rows_drawn, shown.bins.n_rows);
    }
    print_message("wrote {}", o.plot);
  }
}

int report(const transform_options& o, const problem& solved, const outcome& found,
           double sample_rate_hz) {
  auto document = transform_json(o.file, solved, sample_rate_hz, found.results);
  if (!o.is_json) print(engines_text(o.file, solved, found.results));
  if (found.best != nullptr) {
    const spectrum shown =
        spectrum_of(solved, signal_of(solved, found.best_values), sample_rate_hz);
    const auto peaks = o.n_peaks ? strongest(shown, *o.n_peaks) : std::vector<peak>{};
    if (!o.is_json && !peaks.empty()) print(peaks_text(shown, peaks));
    document["values_from"] = short_name(found.best->device);
    if (o.n_peaks) document["top"] = peaks_json(shown, peaks);
    write_files(o, shown, found);
  }
  if (o.is_json) print_json(document);

  int code = found.has_failed_device ? exit_no_device : exit_ok;
  for (const engine_result& r : found.results) {
    if (r.against_reference.is_within) continue;
    print_message("{} disagrees with the reference beyond the accuracy table",
                  short_name(r.device));
    code = exit_check_failed;
  }
  if (found.best == nullptr && (!o.output.empty() || !o.plot.empty())) {
    print_message("no engine agrees with the reference, so no file was written");
  }
  return code;
}

int run(const transform_options& o) {
  validate(o);
  const transform_request request = request_of(o);
  const auto chosen = choose_devices(o.engines, request.real);
  const formats::signal from = formats::read_signal(o.file, {.channel = o.channel});
  const problem solved = make_problem(from, o.file, request);
  report_input(o, from, solved);
  return report(o, solved, solve(solved, chosen), o.sample_rate_hz.value_or(from.sample_rate_hz));
}

void add_options(CLI::App& command, transform_options& o) {
  add_file(command, file_use::input, "FILE", o.file, "Text, .npy or .wav")->required();
  add_list(command, "--engine", o.engines, "all, or some of reference, host, opencl, cuda, ...");
  add_text(command, "--precision", o.precision_name, "fp32 or fp64");
  CLI::Option* const length =
      add_count(command, "--length", o.length, {2, max_length}, "Length of the transform");
  add_text(command, "--pad", o.pad_name,
           "Without --length: good (zeros up to the next length that can be transformed), "
           "power-of-two or none")
      ->excludes(length);
  add_switch(command, "--inverse", o.is_inverse, "Transform back: exp(+2 pi i jk/N)");
  add_switch(command, "--half", o.is_half,
             "Bins 0..N/2 of a real signal; with --inverse, from them");
  add_text(command, "--scale", o.scale_name,
           "none, by_length or by_sqrt_length (forward: none, inverse: by_length)");
  add_count(command, "--channel", o.channel, {0, last_channel}, "Channel of a .wav file");
  add_real(command, "--sample-rate", o.sample_rate_hz, {0, most_hz, /*excludes_least=*/true},
           "In Hz, in place of the file's own");
  add_file(command, file_use::output, "--output", o.output,
           "Write the values to FILE.txt, FILE.csv or FILE.npy");
  add_file(command, file_use::output, "--plot", o.plot, "Draw the magnitude in dB to FILE.png");
  add_count(command, "--top", o.n_peaks, {1, max_length}, "Print the K strongest bins of each row");
  add_switch(command, "--json", o.is_json, "Print JSON instead of tables");
}

}  // namespace

void add_transform(CLI::App& program, int& exit_code) {
  CLI::App* const command = program.add_subcommand(
      "transform", "Transforms a file on every engine and checks each against the reference");
  command->footer(examples);
  auto options = std::make_shared<transform_options>();
  add_options(*command, *options);
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace wingbeat::cli
