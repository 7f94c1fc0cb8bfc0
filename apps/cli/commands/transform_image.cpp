// SPDX-License-Identifier: Apache-2.0
// The transform of an image, or of a 2D array, over both axes.
#include <algorithm>  // min
#include <cmath>      // log10
#include <complex>    // norm
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>  // move

#include "cli/choose.hpp"                      // short_name
#include "cli/commands/transform_options.hpp"  // transform_options
#include "cli/files.hpp"                       // print_table
#include "cli/image_files.hpp"                 // read_finite, to_grey, size_text
#include "cli/memory_limit.hpp"                // require_memory
#include "cli/messages.hpp"                    // print_message
#include "cli/reports/print_json.hpp"          // print_json
#include "cli/reports/transform.hpp"           // engines_text, transform_json
#include "cli/samples.hpp"                     // pack
#include "formats/charts/waterfall.hpp"        // waterfall_chart, write_chart
#include "formats/files/extension.hpp"         // extension_of
#include "formats/images/reader.hpp"           // image_reader
#include "formats/signals/signal.hpp"          // read_signal, write_signal
#include "formatted.hpp"                       // formatted
#include "request/resolved.hpp"                // points_of, traits_of
#include "wingbeat/error.hpp"                  // plan_error

namespace wingbeat::cli {
namespace {

constexpr std::size_t max_cells = 1024;  // of an axis of the picture

/// Pixels, and the most memory that their transform takes, in words.
struct pixel_rows {
  formats::signal rows;
  std::string memory;
};

/// Returns what `require_memory` does of all arrays: the input in three forms, the output of each
/// engine, the reference, and what is written.
std::string require_pixels(const transform_options& o, std::size_t height, std::size_t width,
                           bool is_real, double other_bytes) {
  const bool is_host_alone = o.engines == std::vector<std::string>{"host"};
  const double pixel_bytes = 80 + (is_real ? 0 : 56) + (is_host_alone ? 0 : 72) +
                             (o.check == check_extent::full ? 48 : 0) +
                             (o.output.empty() && o.plot.empty() ? 0 : 48);
  return require_memory(
      "transforming " + size_text(height, width),
      pixel_bytes * static_cast<double>(height) * static_cast<double>(width) + other_bytes,
      o.max_memory);
}

/// Returns the pixels as rows: an array of numbers as it is, an image as grey.
pixel_rows read_rows(const transform_options& o, precision real) {
  const std::string extension = formats::extension_of(o.file);
  if (extension == ".npy" || extension == ".txt" || extension == ".csv") {
    formats::signal rows = formats::read_signal(o.file);
    std::string memory = require_pixels(o, rows.n_rows, rows.row_length, rows.is_real, 0);
    return {std::move(rows), std::move(memory)};
  }
  formats::image_reader images{o.file};
  const formats::image_stack& shape = images.shape();
  if (shape.n_images > 1) {
    throw plan_error(
        formatted("{} holds {} images, and --axes 2 transforms one; give a file of one",
                  o.shown_file(), shape.n_images));
  }
  const auto n_samples = static_cast<double>(shape.height * shape.width * shape.n_channels);
  std::string memory = require_pixels(o, shape.height, shape.width, /*is_real=*/true,
                                      16 * n_samples + static_cast<double>(images.kept_bytes()));
  const formats::image_stack image = to_grey(read_finite(images, o.shown_file(), 0, 1, real));
  formats::signal rows{.n_rows = image.height, .row_length = image.width, .is_table = true};
  for (const double sample : doubles_of(image, 0, image.height * image.width)) {
    rows.samples.emplace_back(sample, 0);
  }
  return {std::move(rows), std::move(memory)};
}

/// Returns the magnitudes in dB, each axis in the order of its frequencies, 0 in the middle. Bins
/// that share a cell are averaged by their powers.
formats::waterfall_chart picture_of(const formats::signal& bins, const std::string& title) {
  const std::size_t height = bins.n_rows, width = bins.row_length;
  const auto half = [](std::size_t n) {
    const double low = -(static_cast<double>(n / 2) + 0.5) / static_cast<double>(n);
    return std::pair{low, low + 1};
  };
  formats::waterfall_chart chart{.title = title,
                                 .x_label = "horizontal frequency (cycles/pixel)",
                                 .y_label = "vertical frequency (cycles/pixel)",
                                 .value_label = "magnitude |X| (dB re 1)",
                                 .x = half(width),
                                 .y = half(height),
                                 .n_columns = std::min(width, max_cells),
                                 .n_rows = std::min(height, max_cells),
                                 .width_pixels = 960,
                                 .height_pixels = 860};
  std::vector<double> sums(chart.n_columns * chart.n_rows), counts(sums.size());
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      const std::size_t row = (y + height / 2) % height * chart.n_rows / height;
      const std::size_t column = (x + width / 2) % width * chart.n_columns / width;
      sums[row * chart.n_columns + column] += std::norm(bins.samples[y * width + x]);
      ++counts[row * chart.n_columns + column];
    }
  }
  chart.panels.resize(1);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    chart.panels[0].values.push_back(sums[i] > 0 ? 10 * std::log10(sums[i] / counts[i])
                                                 : std::numeric_limits<double>::quiet_NaN());
  }
  return chart;
}

void report_size(const problem& solved, const formats::signal& signal) {
  const std::vector<std::size_t>& lengths = solved.spec.lengths;
  const std::size_t width = request::count_of(request::traits_of(solved.spec.kind).in, lengths[1]);
  if (lengths[0] == signal.n_rows && width == signal.row_length) return;
  print_message("{} padded with zeros to {}", size_text(signal.n_rows, signal.row_length),
                size_text(lengths[0], width));
}

void write_files(const transform_options& o, const problem& solved, const engine_outcome& found) {
  const std::string device = short_name(found.best->device);
  if (!o.output.empty()) {
    const formats::signal bins = signal_of(solved, complete(solved, found.best_values));
    formats::write_signal(o.output, bins);
    print_message("wrote {}: {} values by {}", o.output, size_text(bins.n_rows, bins.row_length),
                  device);
  }
  if (o.plot.empty()) return;
  problem whole = solved;
  whole.is_half = false;
  const auto title = formatted(
      "{}: spectrum of {} pixels, {} {}", std::filesystem::path(o.shown_file()).filename().string(),
      size_text(solved.spec.lengths[0], solved.spec.lengths[1]), device, name_of(o.real));
  formats::write_chart(o.plot,
                       picture_of(signal_of(whole, complete(whole, found.best_values)), title));
  print_message("wrote {}", o.plot);
}

}  // namespace

int transform_image(const transform_options& o) {
  const transform_request request = request_of(o);
  static_cast<void>(devices_for(o, 0));
  const auto [signal, memory] = read_rows(o, request.real);
  const problem solved = make_image_problem(signal, o.shown_file(), request);
  report_size(solved, signal);
  report_rounding(o.shown_file(), solved);
  if (o.is_inverse && o.scale_name.empty()) report_inverse_scale();
  const auto input = pack(solved.input, request.real);
  output_check check{{solved.spec, reader_of(input), request.real}, o.check};
  const auto chosen = devices_for(o, request::points_of(solved.spec));
  const engine_outcome found = run_request(o, solved.spec, input, chosen, check);
  auto document = transform_json(o.file, solved, 0);
  add_engines(document, found.results, check);
  if (!o.is_json) {
    print_table(heading(o.shown_file(), solved) +
                    engines_text(request::points_of(solved.spec), found.results, check),
                {o.output});
  }
  if (found.best != nullptr) {
    document["values_from"] = short_name(found.best->device);
    write_files(o, solved, found);
  }
  if (o.is_json) print_json(document);
  print_message("transformed {} within {}", size_text(signal.n_rows, signal.row_length), memory);
  return report_verdicts(found, !o.output.empty() || !o.plot.empty());
}

}  // namespace wingbeat::cli
