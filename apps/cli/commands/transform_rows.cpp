// SPDX-License-Identifier: Apache-2.0
// The transforms of the rows of a file.
#include <algorithm>  // min
#include <cmath>      // abs
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>  // move

#include "cli/choose.hpp"                      // short_name
#include "cli/commands/transform_options.hpp"  // transform_options
#include "cli/files.hpp"                       // print_table
#include "cli/memory_limit.hpp"                // require_memory
#include "cli/messages.hpp"                    // print_message
#include "cli/reports/spectrum.hpp"            // strongest, chart_of
#include "cli/reports/transform.hpp"           // engines_text, transform_json
#include "cli/samples.hpp"                     // pack
#include "cli/window.hpp"                      // samples_of
#include "formats/charts/chart.hpp"            // write_chart
#include "formats/signals/signal.hpp"          // write_signal
#include "request/resolved.hpp"                // points_of, traits_of
#include "text/counted.hpp"                    // counted
#include "text/formatted.hpp"                  // formatted

namespace wingbeat::cli {
namespace {

void report_length(const transform_options& o, const problem& solved) {
  const request::domain values = request::traits_of(solved.spec.kind).in;
  const bool is_from_half = values == request::domain::hermitian;
  const char* const item = is_from_half ? "bin" : "sample";
  const std::size_t slots = request::count_of(values, solved.length());
  const std::size_t even = 2 * (solved.row_length - 1);
  if (is_from_half && !o.length && solved.length() == even) {
    print_message("{} are of {} or {} samples; {} are made, --length {} makes the other",
                  counted(solved.row_length, "bin"), even, even + 1, even, even + 1);
  }
  if (solved.kept_samples < solved.row_length) {
    print_message("{} cut to the first {}, for length {}", counted(solved.row_length, item),
                  solved.kept_samples, solved.length());
  } else if (solved.kept_samples < slots) {
    print_message("{} padded with {}, for length {}", counted(solved.row_length, item),
                  counted(slots - solved.kept_samples, "zero"), solved.length());
  }
}

/// Weights the samples that are taken from each row.
void apply(window shape, problem& solved) {
  const std::vector<double> weights = samples_of(shape, solved.kept_samples);
  const std::size_t row_numbers = solved.input.size() / solved.spec.batch;
  const std::size_t width = row_numbers / solved.length();
  for (std::size_t i = 0; i < solved.input.size(); ++i) {
    const std::size_t sample = i % row_numbers / width;
    if (sample < weights.size()) solved.input[i] *= weights[sample];
  }
}

std::string rows_text(const formats::signal& signal) {
  return formatted("{} of {}", counted(signal.n_rows, "row"), counted(signal.row_length, "sample"));
}

/// Runs the problem on the engines, which read rounded samples; those of the definition, which
/// are in the problem and must outlive the check, are not rounded once they are weighted.
engine_outcome solve(const transform_options& o, const problem& solved,
                     std::optional<verify::judge>& check) {
  const auto chosen = devices_for(o, request::points_of(solved.spec) * solved.spec.batch);
  const auto input = pack(solved.input, solved.spec.real);
  plan_spec definition = solved.spec;
  definition.real = precision::fp64;
  check.emplace(
      verify::checked_problem{.spec = definition,
                              .input = verify::reader_of(std::as_bytes(std::span{solved.input})),
                              .computed = solved.spec.real,
                              .n_roundings = o.weights ? 1.0 : 0.0},
      o.check);
  return run_request(o, solved.spec, input, chosen, *check);
}

/// Reports samples beyond 1, which players clip.
void report_recording(const std::string& file, const formats::signal& recording) {
  double largest = 0;
  std::size_t n_beyond = 0;
  for (const auto& sample : recording.samples) {
    largest = std::max(largest, std::abs(sample.real()));
    n_beyond += std::abs(sample.real()) > 1 ? 1 : 0;
  }
  print_message(
      "{} has samples at {:g} Hz, unscaled and unclipped; full scale is 1, the largest magnitude "
      "{:.6g}",
      file, recording.sample_rate_hz, largest);
  if (n_beyond > 0) {
    print_message(
        "{} of {} exceed full scale, and players clip them; a factor of {:.6g} would keep "
        "all",
        counted(n_beyond, "sample"), file, 1 / largest);
  }
}

void write_files(const transform_options& o, const spectrum& shown, const engine_outcome& found) {
  const std::string device = short_name(found.best->device);
  if (!o.output.empty()) write_rows(o, shown.bins, device);
  if (!o.plot.empty()) {
    const std::string weights =
        o.weights ? formatted(", {} window (periodic)", name_of(*o.weights)) : "";
    const auto title = formatted("{}: spectrum of {} samples{}, {} {}",
                                 std::filesystem::path(o.shown_file()).filename().string(),
                                 shown.length, weights, device, name_of(o.real));
    formats::write_chart(o.plot, chart_of(shown, title));
    if (shown.bins.n_rows > max_rows_drawn) {
      print_message("{} shows the first {} of {} rows", o.plot, max_rows_drawn, shown.bins.n_rows);
    }
    print_message("wrote {}", o.plot);
  }
}

int report(const transform_options& o, const problem& solved, const engine_outcome& found,
           const verify::judge& check, double sample_rate_hz, double centre_hz) {
  auto document = transform_json(o.file, solved, sample_rate_hz);
  if (centre_hz > 0) document["centre_hz"] = centre_hz;
  if (o.weights) {
    document["window"] = name_of(*o.weights);
    document["window_form"] = "periodic";
  }
  const auto report_values = [&](nlohmann::ordered_json& values) {
    if (o.output.empty() && o.plot.empty() && !o.n_peaks) return;
    spectrum shown{signal_of(solved, complete(solved, found.best_values)), solved.length(),
                   request::traits_of(solved.spec.kind).in == request::domain::real, sample_rate_hz,
                   centre_hz};
    shown.bins.sample_rate_hz = sample_rate_hz;
    if (!o.is_inverse && o.kind.empty() && sample_rate_hz > 0) {
      for (std::size_t k = 0; k < shown.bins.row_length; ++k) {
        shown.bins.frequencies_hz.push_back(shown.frequency_hz(k));
      }
    }
    const auto peaks = o.n_peaks ? strongest(shown, *o.n_peaks) : std::vector<peak>{};
    if (!o.is_json && !peaks.empty()) print_table(peaks_text(shown, peaks), {o.output});
    if (o.n_peaks) values["top"] = peaks_json(shown, peaks);
    write_files(o, shown, found);
  };
  return report_outcome(o, heading(o.shown_file(), solved), solved.length(), std::move(document),
                        found, check, report_values);
}

}  // namespace

void write_rows(const transform_options& o, const formats::signal& rows,
                const std::string& device) {
  formats::write_signal(o.output, rows);
  print_message("wrote {}: {} of {} values by {}", o.output, counted(rows.n_rows, "row"),
                rows.row_length, device);
  if (formats::output_format_of(o.output) == formats::output_format::sound) {
    report_recording(o.output, rows);
  }
}

int transform_rows(const transform_options& o) {
  const transform_request request = request_of(o);
  static_cast<void>(devices_for(o, 0));
  const auto [recording, signal, channel] = open_rows(o);
  const plan_spec spec = row_spec(signal, o.shown_file(), request);
  const std::size_t n_taken = std::min(
      signal.row_length, request::count_of(request::traits_of(spec.kind).in, spec.lengths[0]));
  const std::string memory =
      require_memory("transforming " + rows_text(signal),
                     transform_bytes(o, spec, signal.n_rows * n_taken), o.max_memory);
  problem solved = make_problem(recording->read_all(channel, n_taken), o.shown_file(), request);
  solved.row_length = signal.row_length;
  report_length(o, solved);
  report_input(o, solved);
  if (o.weights) apply(*o.weights, solved);
  std::optional<verify::judge> check;
  const engine_outcome found = solve(o, solved, check);
  print_message("transformed {} within {}", rows_text(signal), memory);
  return report(o, solved, found, *check, o.sample_rate_hz.value_or(signal.sample_rate_hz),
                signal.centre_hz);
}

}  // namespace wingbeat::cli
