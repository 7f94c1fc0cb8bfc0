// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/matches.hpp"

#include <CLI/CLI.hpp>  // App

#include <algorithm>    // any_of, clamp, max, max_element
#include <cmath>        // isfinite, round
#include <cstdint>      // int32_t
#include <limits>       // numeric_limits
#include <type_traits>  // is_same_v

#include "cli/files.hpp"                  // named_file, print_table
#include "cli/image_files.hpp"            // size_text, write_result
#include "cli/messages.hpp"               // print, print_message, counted
#include "cli/option.hpp"                 // add_file, add_count, add_real, add_switch
#include "cli/reports/expected.hpp"       // find_expected
#include "cli/reports/peaks.hpp"          // peaks_table, peaks_csv, peaks_star
#include "formats/charts/chart.hpp"       // require_chart
#include "formats/charts/waterfall.hpp"   // write_chart
#include "formats/files/atomic_file.hpp"  // atomic_file
#include "formats/files/extension.hpp"    // extension_of
#include "formats/images/places.hpp"      // read_places
#include "text/formatted.hpp"             // formatted
#include "wingbeat/plan.hpp"              // max_length

namespace wingbeat::cli {
namespace {

constexpr double max_score = 1e15;

/// An option that names the file of a map over all scores.
struct map_option {
  const char* name;
  const char* help;
  score_map map;
  bool search_spec::*needed;
};
constexpr std::array map_options{
    map_option{"--mean", "Write the mean score of each place over the templates", score_map::mean,
               &search_spec::keeps_sums},
    map_option{"--variance", "Write the variance of its scores", score_map::variance,
               &search_spec::keeps_sums},
};

/// Returns whether the file of a projection is a chart rather than numbers.
bool is_drawn(const std::string& file) {
  const std::string extension = formats::extension_of(file);
  return extension == ".png" || extension == ".svg" || extension == ".pdf";
}

template <class Number>
void write_map(const std::string& file, const std::vector<Number>& values,
               const searching::search_source& source, const match_result& found) {
  if (file.empty()) return;
  const formats::image_stack map{.samples = std::vector<double>(values.begin(), values.end()),
                                 .height = found.height,
                                 .width = found.width,
                                 .pixel_angstrom = source.pixel_angstrom,
                                 .placement = source.placement};
  formats::image_write_options options;
  const bool is_whole = std::is_same_v<Number, std::int32_t> &&
                        formats::is_stored_as(file, formats::number_type::int32);
  if (is_whole) options.type = formats::number_type::int32;
  write_result(file, map, precision::fp32, options);
  print_message("wrote {}: 1 map of {}", file, size_text(found.height, found.width));
}

/// Draws the largest scores in colours with a colour bar, with about a pixel for each score and at
/// least the size of its text.
void draw_projection(const match_outputs& o, const searching::search_source& source,
                     const match_result& found) {
  constexpr double min_side = 400, max_side = 4000;
  constexpr int beside = 290, above = 140;  // axes, the bar, titles
  const auto height = static_cast<double>(found.height), width = static_cast<double>(found.width);
  const double scale =
      std::clamp(1.0, min_side / std::max(height, width), max_side / std::max(height, width));
  const auto pixels = [&](double length) {
    return static_cast<int>(std::max(std::round(scale * length), 200.0));
  };
  std::vector<double> scores(found.scores.begin(), found.scores.end());
  std::replace(scores.begin(), scores.end(), -std::numeric_limits<double>::infinity(),
               std::numeric_limits<double>::quiet_NaN());  // no score is blank
  const double largest = *std::max_element(scores.begin(), scores.end());
  formats::write_chart(
      o.projection,
      {.title = formatted("{}: largest score of {}, at most {:.4g}", source.image_file,
                          counted(found.n_templates, "template"), largest),
       .x_label = "x / pixel",
       .y_label = "y / pixel",
       .value_label = source.is_normalised ? "correlation coefficient" : "score",
       .x = {0, width},
       .y = {0, height},
       .has_rows_downwards = true,
       .n_columns = found.width,
       .n_rows = found.height,
       .panels = {{.values = std::move(scores)}},
       .width_pixels = pixels(width) + beside,
       .height_pixels = pixels(height) + above});
  print_message("wrote {}: a chart of {}", o.projection, size_text(found.height, found.width));
}

void write_maps(const match_outputs& o, const searching::search_source& source,
                const match_result& found) {
  if (is_drawn(o.projection)) {
    draw_projection(o, source, found);
  } else {
    write_map(o.projection, found.scores, source, found);
  }
  // Where no template has a score, the number is -1.
  write_map(o.numbers, std::vector<std::int32_t>(found.numbers.begin(), found.numbers.end()),
            source, found);
  std::size_t n_written = 0;
  for (const std::string& file : o.maps) {
    if (!file.empty()) write_map(file, found.maps[n_written++], source, found);
  }
}

/// write: writes the text of the peaks to a given sink.
template <class Write>
void write_peaks(const std::string& file, std::size_t count, const Write& write) {
  if (file.empty() || file == "-") return;
  formats::atomic_file target{file};
  write([&](std::string_view text) { target.write(text); });
  target.commit();
  print_message("wrote {}: {}", file, counted(count, "peak"));
}

/// Return the files of maps over all scores; of peaks and maps.
std::vector<named_file> map_files(const match_outputs& o) {
  std::vector<named_file> files{
      {"--map", o.map}, {"--projection", o.projection}, {"--numbers", o.numbers}};
  for (std::size_t i = 0; i < o.maps.size(); ++i) {
    files.push_back({map_options[i].name, o.maps[i]});
  }
  return files;
}

std::vector<named_file> files_of(const match_outputs& o) {
  std::vector<named_file> files = map_files(o);
  files.insert(files.end(), {{"--csv", o.csv}, {"--star", o.star}, {"--box", o.box}});
  return files;
}

void report_peaks(const match_outputs& o, const searching::search_source& source,
                  const match_request& request, const match_result& found) {
  const peak_frame frame = frame_of(source, found);
  const std::size_t count = found.peaks.size();
  write_peaks(o.csv, count, [&](const text_sink& sink) { peaks_csv(found.peaks, sink); });
  write_peaks(o.star, count, [&](const text_sink& sink) {
    peaks_star(found.peaks, frame, source.micrograph, sink);
  });
  write_peaks(o.box, count, [&](const text_sink& sink) { peaks_box(found.peaks, frame, sink); });
  std::string expected;
  if (!o.expected.empty()) {
    const std::size_t shorter = std::min(frame.height, frame.width);
    const auto places =
        find_expected(formats::read_places(o.expected, source.micrograph), found.peaks, frame,
                      static_cast<double>(request.distance_of(shorter)));
    print_message("{}: {}", o.expected, expected_text(places, count));
    expected = R"(, "expected": )" + expected_json(places, count);
  }
  if (o.is_json) return match_json(found.peaks, expected, print);
  if (o.csv == "-") return peaks_csv(found.peaks, print);
  std::vector<std::string> outputs;
  for (const named_file& output : files_of(o)) outputs.push_back(output.path);
  const bool has_scores = std::any_of(found.scores.begin(), found.scores.end(),
                                      [](float score) { return std::isfinite(score); });
  peaks_table(found.peaks, has_scores, [&](std::string_view text) { print_table(text, outputs); });
}

bool wants_peaks(const match_outputs& o) {
  return o.top || o.distance || o.threshold || !o.picture.empty() || !o.csv.empty() ||
         !o.star.empty() || !o.box.empty() || !o.expected.empty() || o.is_json;
}

}  // namespace

peak_frame frame_of(const searching::search_source& source, const match_result& found) {
  return {source.mode, source.template_height, source.template_width, found.n_templates};
}

void require_outputs(const match_outputs& o) {
  if (!o.expected.empty()) static_cast<void>(formats::read_places(o.expected, ""));
  for (const named_file& file : map_files(o)) {
    const bool is_map = file.option != "--projection" || !is_drawn(file.path);
    if (is_map && !file.path.empty()) formats::require_holds(file.path, 1, 1);
  }
  if (is_drawn(o.projection)) formats::require_chart("--projection", o.projection);
  if (o.is_json) require_stdout_for_json(files_of(o));
}

bool has_outputs(const match_outputs& o) {
  const std::vector<named_file> maps = map_files(o);
  return wants_peaks(o) ||
         std::any_of(maps.begin(), maps.end(), [](const auto& file) { return !file.path.empty(); });
}

void request_outputs(const match_outputs& o, match_request& request) {
  request.wants_scores = !o.projection.empty() || !o.numbers.empty();
  for (std::size_t i = 0; i < o.maps.size(); ++i) {
    if (o.maps[i].empty()) continue;
    request.maps.push_back(map_options[i].map);
    request.search.*map_options[i].needed = true;
  }
  request.wants_peaks = wants_peaks(o) || !has_outputs(o);
  if (o.threshold) {
    request.max_peaks = std::numeric_limits<std::size_t>::max();
    request.min_score = *o.threshold;
  }
  if (o.top) request.max_peaks = *o.top;
  request.distance = o.distance;
}

void report_matches(const match_outputs& o, const searching::search_source& source,
                    const match_request& request, const match_result& found) {
  write_maps(o, source, found);
  if (request.wants_peaks) report_peaks(o, source, request, found);
}

void add_match_outputs(CLI::App& command, match_outputs& o) {
  add_count(command, "--top", o.top, {1, max_length}, "The K highest peaks");
  add_real(command, "--threshold", o.threshold, {-max_score, max_score},
           "Peaks of at least this score");
  add_count(command, "--min-distance", o.distance, {1, max_length},
            "No two peaks closer in both y and x; else half the template's shorter side");
  add_file_or_stdout(command, "--csv", o.csv, "Write peaks as CSV; - prints them");
  add_file(command, file_use::output, "--star", o.star,
           "Write peaks as particles of RELION to FILE.star");
  add_file(command, file_use::output, "--box", o.box, "Write peaks as boxes of EMAN to FILE.box");
  add_file(command, file_use::input, "--expected", o.expected,
           "STAR of RELION, or boxes of EMAN: says which of these places have a peak closer than "
           "--min-distance");
  add_switch(command, "--json", o.is_json, "Print peaks as JSON instead of a table");
  add_file(command, file_use::output, "--projection", o.projection,
           "Write the largest score of each place; .png, .svg and .pdf as a chart with a bar of "
           "colours");
  add_file(command, file_use::output, "--numbers", o.numbers,
           "Write which template had it, int32 in .npy");
  for (std::size_t i = 0; i < o.maps.size(); ++i) {
    add_file(command, file_use::output, map_options[i].name, o.maps[i], map_options[i].help);
  }
}

}  // namespace wingbeat::cli
