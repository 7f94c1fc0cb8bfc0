// SPDX-License-Identifier: Apache-2.0
// The transform of an image, or of a 2D array, over both axes.
#include <algorithm>  // max, min
#include <complex>    // norm
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>  // move

#include "cli/choose.hpp"                      // short_name
#include "cli/commands/transform_options.hpp"  // transform_options
#include "cli/image_files.hpp"                 // read_finite, frame_of, to_grey, size_text
#include "cli/memory_limit.hpp"                // require_memory
#include "cli/messages.hpp"                    // print_message
#include "cli/reports/transform.hpp"           // transform_json
#include "cli/samples.hpp"                     // pack
#include "formats/charts/waterfall.hpp"        // waterfall_chart, write_chart
#include "formats/files/extension.hpp"         // extension_of
#include "formats/images/reader.hpp"           // image_reader
#include "formats/signals/signal.hpp"          // read_signal, write_signal
#include "request/resolved.hpp"                // points_of, traits_of
#include "text/formatted.hpp"                  // formatted
#include "text/reject.hpp"                     // reject
#include "verify/judge.hpp"                    // judge, check_extent

namespace wingbeat::cli {
namespace {

constexpr std::size_t max_cells = 1024;  // of an axis of the picture

/// Pixels, and in words the most memory that their transform takes.
struct pixel_rows {
  formats::signal rows;
  std::string memory;
  formats::pixel_size pixel_angstrom = {};
};

/// Calls `require_memory` for a transform of these pixels, whose samples are not read.
std::string require_pixels(const transform_options& o, const formats::signal& pixels,
                           double read_bytes, double kept_bytes) {
  const plan_spec spec = image_spec(pixels, o.shown_file(), request_of(o));
  const double needed_bytes = transform_bytes(o, spec, pixels.n_rows * pixels.row_length);
  return require_memory("transforming " + size_text(pixels.n_rows, pixels.row_length),
                        std::max(needed_bytes, read_bytes) + kept_bytes, o.max_memory);
}

/// Returns the pixels as rows: an array of numbers unchanged, an image in grey.
pixel_rows read_rows(const transform_options& o, precision real) {
  const std::string extension = formats::extension_of(o.file);
  const bool is_text = extension == ".txt" || extension == ".csv";
  reject_if(is_text && o.frame, "{} holds one image; drop --frame", o.shown_file());
  if (is_text || (extension == ".npy" && !o.frame)) {
    formats::signal rows = formats::read_signal(o.file);
    std::string memory = require_pixels(o, rows, 0, 0);
    return {std::move(rows), std::move(memory)};
  }
  formats::image_reader images{o.file};
  const formats::image_stack& shape = images.shape();
  const std::size_t frame = frame_of(o.shown_file(), shape, o.frame);
  formats::signal rows{.n_rows = shape.height,
                       .row_length = shape.width,
                       .is_table = true,
                       .is_real = !shape.is_complex};
  const auto n_pixels = static_cast<double>(shape.height * shape.width);
  const double read_bytes =
      std::max(8 * static_cast<double>(shape.n_channels + 1), 32.0) * n_pixels;
  std::string memory =
      require_pixels(o, rows, read_bytes, static_cast<double>(images.kept_bytes()));
  formats::image_stack image = read_finite(images, o.shown_file(), frame, 1, real, true);
  if (!image.is_complex) image = to_grey(std::move(image));
  const std::vector<double> numbers = formats::to_doubles(std::move(image.samples));
  rows.samples.reserve(image.height * image.width);
  for (std::size_t i = 0; i < numbers.size(); i += image.n_channels) {
    rows.samples.emplace_back(numbers[i], image.is_complex ? numbers[i + 1] : 0);
  }
  return {std::move(rows), std::move(memory), image.pixel_angstrom};
}

/// Returns the magnitudes in dB, each axis in the order of its frequencies with 0 in the middle. A
/// cell averages the powers of its bins.
formats::waterfall_chart picture_of(const formats::signal& bins, const std::string& title,
                                    const formats::pixel_size& pixel) {
  const std::size_t height = bins.n_rows, width = bins.row_length;
  const bool has_size = pixel.y > 0 && pixel.x > 0;
  const auto half = [&](std::size_t n, double distance) {
    const double low = -(static_cast<double>(n / 2) + 0.5) / static_cast<double>(n);
    const double scale = has_size ? distance : 1;
    return std::pair{low / scale, (low + 1) / scale};
  };
  const char* const unit = has_size ? "1/Å" : "cycles/pixel";
  formats::waterfall_chart chart{.title = title,
                                 .x_label = formatted("horizontal frequency ({})", unit),
                                 .y_label = formatted("vertical frequency ({})", unit),
                                 .value_label = "magnitude |X| (dB re 1)",
                                 .x = half(width, pixel.x),
                                 .y = half(height, pixel.y),
                                 .n_columns = std::min(width, max_cells),
                                 .n_rows = std::min(height, max_cells),
                                 .width_pixels = 960,
                                 .height_pixels = 860};
  formats::cell_means cells{chart.n_rows, chart.n_columns};
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) {
      cells.add((y + height / 2) % height * chart.n_rows / height,
                (x + width / 2) % width * chart.n_columns / width,
                std::norm(bins.samples[y * width + x]));
    }
  }
  chart.panels.push_back({.values = cells.decibels()});
  return chart;
}

void report_size(const problem& solved, const formats::signal& signal) {
  const std::vector<std::size_t>& lengths = solved.spec.lengths;
  const std::size_t width = request::count_of(request::traits_of(solved.spec.kind).in, lengths[1]);
  if (lengths[0] == signal.n_rows && width == signal.row_length) return;
  print_message("{} padded with zeros to {}", size_text(signal.n_rows, signal.row_length),
                size_text(lengths[0], width));
}

void write_files(const transform_options& o, const problem& solved, const engine_outcome& found,
                 const formats::pixel_size& pixel) {
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
  formats::write_chart(
      o.plot, picture_of(signal_of(whole, complete(whole, found.best_values)), title, pixel));
  print_message("wrote {}", o.plot);
}

}  // namespace

int transform_image(const transform_options& o) {
  const transform_request request = request_of(o);
  static_cast<void>(devices_for(o, 0));
  const auto [signal, memory, pixel] = read_rows(o, request.real);
  const problem solved = make_image_problem(signal, o.shown_file(), request);
  report_size(solved, signal);
  report_input(o, solved);
  const auto input = pack(solved.input, request.real);
  verify::judge check{{solved.spec, verify::reader_of(input), request.real}, o.check};
  const auto chosen = devices_for(o, request::points_of(solved.spec));
  const engine_outcome found = run_request(o, solved.spec, input, chosen, check);
  print_message("transformed {} within {}", size_text(signal.n_rows, signal.row_length), memory);
  return report_outcome(o, heading(o.shown_file(), solved), request::points_of(solved.spec),
                        transform_json(o.file, solved, 0), found, check,
                        [&](auto&) { write_files(o, solved, found, pixel); });
}

}  // namespace wingbeat::cli
