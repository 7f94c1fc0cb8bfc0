// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/commands.hpp"

#include <CLI/CLI.hpp>  // App

#include <algorithm>  // all_of, any_of, clamp, max, max_element
#include <array>
#include <cmath>    // isfinite, round
#include <cstdint>  // int32_t
#include <filesystem>
#include <limits>  // numeric_limits
#include <optional>
#include <string>
#include <type_traits>  // is_same_v
#include <vector>

#include "cli/choose.hpp"                 // choose_device, add_mode, add_precision
#include "cli/files.hpp"                  // print_table, require_stdout_for_json
#include "cli/image_files.hpp"            // read_searched, apply_mask, channels_text, write_result
#include "cli/match_run.hpp"              // match, templates_at_once
#include "cli/memory_limit.hpp"           // require_memory
#include "cli/messages.hpp"               // print, print_message, counted
#include "cli/option.hpp"                 // add_choice, add_command, add_file, add_count
#include "cli/reports/peaks.hpp"          // peaks_table, peaks_csv, peaks_star, boxes_of
#include "cli/template_files.hpp"         // template_files
#include "formats/charts/chart.hpp"       // require_chart
#include "formats/charts/waterfall.hpp"   // waterfall_chart, write_chart
#include "formats/files/atomic_file.hpp"  // write_whole_file
#include "formats/files/extension.hpp"    // extension_of
#include "formats/images/marks.hpp"       // draw_boxes, marks_for
#include "formats/images/reader.hpp"      // image_reader
#include "formats/images/writer.hpp"      // image_writer
#include "formatted.hpp"                  // formatted
#include "wingbeat/error.hpp"             // plan_error
#include "wingbeat/plan.hpp"              // max_length

namespace wingbeat::cli {
namespace {

constexpr const char* examples = R"(Examples:
  wingbeat match micrograph.mrc particle.mrc --normalised --top 20 --picture found.png
      the 20 places that look most like the particle, marked in a picture
  wingbeat match image.tif orientations.mrcs --normalised --threshold 0.3 --csv peaks.csv
      every place with a correlation coefficient of at least 0.3 with one of the stack's images
  wingbeat match IMAGE.npy TEMPLATE.npy --mode full --map OUT.npy
      the map itself, as scipy.signal.correlate(IMAGE, TEMPLATE, 'full')
  wingbeat match stack.mrcs particle.mrc --frame 7 --normalised --threshold 0.4 --star found.star
      particles of one micrograph of a stack, for RELION
  wingbeat match image.png a.png b.png --projection best.npy --numbers which.npy --top 1 --json
      the largest score of each place, and which template had it

Score: sum over j, i of template[j, i] image[y + j, x + i]; with --normalised the correlation
coefficient of the template and the part of the image under it, from -1 to 1, 0 where either is
constant. Pixels that are NaN, or where --mask is 0, are not there: sums leave them out, and places
with fewer than --min-valid percent of a template's pixels have no score.
Peaks have the indices of the map in its mode: in mode valid those of the image's pixel under the
template's first. Without --top they are the 10 highest, or with --threshold all. In --star and
--box they are particles in pixels of the image: the centre is the template's pixel (h / 2, w / 2).
Templates are numbered from 0 over all files and stacks, and are of one size. Colours become grey.
Maps of --map are written as they come, float64 in .npy with --precision fp64, else float32; with
--normalised always float32. Their number comes first, so several template files are opened twice.
Files: PNG, TIFF, MRC, .npy. Peaks are printed unless only files of maps are asked for.)";

constexpr double max_score = 1e15;

/// An option that names the file of a map which is made of all scores.
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

struct options {
  std::string image_file, device;
  std::vector<std::string> template_files;
  extent mode = extent::valid;
  precision real = precision::fp32;
  std::optional<precision> storage;
  std::optional<std::size_t> frame, top, distance;
  std::optional<double> threshold;
  std::optional<double> min_valid;
  std::string map, projection, numbers, picture, csv, star, box, mask;
  std::array<std::string, map_options.size()> maps;  ///< Of `map_options`.
  memory_limit max_memory;
  bool is_normalised = false, is_json = false;
};

/// Whether the file of a projection is a chart, not the numbers.
bool is_drawn(const std::string& file) {
  const std::string extension = formats::extension_of(file);
  return extension == ".png" || extension == ".svg" || extension == ".pdf";
}

/// Returns the files of maps.
std::vector<named_file> map_files(const options& o) {
  std::vector<named_file> files{
      {"--map", o.map}, {"--projection", o.projection}, {"--numbers", o.numbers}};
  for (std::size_t i = 0; i < o.maps.size(); ++i) {
    files.push_back({map_options[i].name, o.maps[i]});
  }
  return files;
}

/// Returns the files of peaks and maps.
std::vector<named_file> outputs_of(const options& o) {
  std::vector<named_file> files = map_files(o);
  files.insert(files.end(), {{"--csv", o.csv}, {"--star", o.star}, {"--box", o.box}});
  return files;
}

/// Refuses options that contradict each other, before any work is done.
void validate(const options& o) {
  for (const named_file& file : map_files(o)) {
    if (file.option != "--projection" || !is_drawn(file.path)) require_holds(file.path, 1, 1);
  }
  if (is_drawn(o.projection)) formats::require_chart("--projection", o.projection);
  const std::string extension = std::filesystem::path(o.picture).extension().string();
  if (!o.picture.empty() && extension != ".png" && extension != ".PNG") {
    throw plan_error(formatted("cannot draw {}; its name must end in .png", o.picture));
  }
  if (!o.picture.empty() && !formats::has_image_libraries()) {
    throw plan_error("this build writes no PNG; configure with WINGBEAT_IMAGES=ON");
  }
  if (o.is_json) require_stdout_for_json(outputs_of(o));
}

/// Returns what spectra are stored as, where it differs from the precision.
std::optional<precision> between_of(const options& o) {
  if (o.storage && o.real == precision::fp64) {
    throw plan_error(
        formatted("--storage {} does not go with --precision fp64, which is stored as fp64; leave "
                  "out one of the two",
                  name_of(*o.storage)));
  }
  if (o.storage == precision::fp16 && !o.is_normalised) {
    throw plan_error(
        "--storage fp16 needs templates of a known range; add --normalised, which makes them unit "
        "templates, or use bf16");
  }
  return o.storage;
}

match_request request_of(const options& o) {
  match_request request;
  request.search.mode = o.mode;
  request.search.real = o.real;
  request.search.between = between_of(o);
  request.search.is_normalised = o.is_normalised;
  request.wants_scores = !o.projection.empty() || !o.numbers.empty();
  for (std::size_t i = 0; i < o.maps.size(); ++i) {
    if (o.maps[i].empty()) continue;
    request.maps.push_back(map_options[i].map);
    request.search.*map_options[i].needed = true;
  }
  const std::vector<named_file> maps = map_files(o);
  request.wants_peaks =
      o.top || o.distance || o.threshold || !o.picture.empty() || !o.csv.empty() ||
      !o.star.empty() || !o.box.empty() || o.is_json ||
      std::all_of(maps.begin(), maps.end(), [](const auto& file) { return file.path.empty(); });
  if (o.threshold) request.max_peaks = std::numeric_limits<std::size_t>::max();
  if (o.top) request.max_peaks = *o.top;
  request.min_score = o.threshold;
  request.distance = o.distance;
  if (o.min_valid) request.min_valid = *o.min_valid / 100;
  return request;
}

/// Returns which image of the file is searched.
std::size_t frame_of(const options& o, const formats::image_stack& images) {
  if (images.n_images > 1 && !o.frame) {
    throw plan_error(formatted("{} holds {} images, and one is searched; choose it with --frame",
                               o.image_file, images.n_images));
  }
  const std::size_t frame = o.frame.value_or(0);
  if (frame < images.n_images) return frame;
  throw plan_error(formatted("{} has no image {}; it holds {}, counted from 0", o.image_file, frame,
                             counted(images.n_images, "image")));
}

/// Returns the image to search, grey, with NaN where a pixel is not there.
formats::image_stack read_image(const options& o, formats::image_reader& images, precision real) {
  if (images.shape().n_channels > 1) {
    print_message("{} has {}; its grey is searched", o.image_file,
                  channels_text(images.shape().n_channels));
  }
  formats::image_stack image =
      read_searched(images, o.image_file, frame_of(o, images.shape()), real);
  if (!o.mask.empty()) apply_mask(o.mask, image);
  const std::size_t n_absent = count_absent(image);
  if (n_absent > 0 && o.storage) {
    throw plan_error(formatted(
        "{} has pixels that are not there, and such an image is searched in fp64; leave out "
        "--storage {}",
        o.image_file, name_of(*o.storage)));
  }
  if (n_absent > 0) print_message("{} not there", counted(n_absent, "pixel"));
  return image;
}

/// Returns the bytes of the arrays of a search, or of a masked one, which is in fp64 and
/// has an array for each of its sums.
double needed_bytes(const match_request& request, const formats::image_stack& image,
                    const template_files& templates, bool is_masked) {
  const auto height = static_cast<double>(image.height), width = static_cast<double>(image.width);
  const auto template_height = static_cast<double>(templates.height());
  const auto template_width = static_cast<double>(templates.width());
  const double pixels = height * width * static_cast<double>(image.n_channels);
  const double padded = (height + template_height) * (width + template_width);
  if (is_masked) return 28 * pixels + 150 * padded;
  const auto at_once = static_cast<double>(templates_at_once(request, image, templates));
  const double number_bytes = request.search.real == precision::fp64 ? 8 : 4;
  return 28 * pixels + number_bytes * (6 + 4 * at_once) * padded + 32 * padded +
         (16 + number_bytes) * at_once * template_height * template_width;
}

/// Writes the map of each template as it comes, so that memory holds one.
class map_file {
 public:
  map_file(const options& o, const formats::image_stack& image, std::size_t n_maps)
      : file_(o.map), n_maps_(n_maps), pixel_angstrom_(image.pixel_angstrom) {
    const bool is_npy = formats::image_format_of(file_) == formats::image_format::npy;
    // What goes through a search was rounded to fp32 there.
    options_.is_double_precision = is_npy && !o.is_normalised && o.real == precision::fp64;
  }

  void add(std::size_t height, std::size_t width, const formats::image_samples& map) {
    if (!to_) {
      to_.emplace(file_,
                  formats::image_stack{.n_images = n_maps_,
                                       .height = height,
                                       .width = width,
                                       .pixel_angstrom = pixel_angstrom_},
                  options_);
    }
    to_->add(map);
  }

  void commit(const match_result& found) {
    to_->commit();
    print_message("wrote {}: {} of {}", file_, counted(n_maps_, "map"),
                  size_text(found.height, found.width));
  }

 private:
  std::string file_;
  std::size_t n_maps_;
  formats::pixel_size pixel_angstrom_;
  formats::image_write_options options_;
  std::optional<formats::image_writer> to_;
};

template <class Number>
void write_map(const std::string& file, const std::vector<Number>& values,
               const formats::image_stack& image, const match_result& found) {
  if (file.empty()) return;
  const formats::image_stack map{.samples = std::vector<double>(values.begin(), values.end()),
                                 .height = found.height,
                                 .width = found.width,
                                 .pixel_angstrom = image.pixel_angstrom};
  const bool is_npy = formats::image_format_of(file) == formats::image_format::npy;
  write_result(file, map, precision::fp32,
               {.is_int32 = is_npy && std::is_same_v<Number, std::int32_t>});
  print_message("wrote {}: 1 map of {}", file, size_text(found.height, found.width));
}

/// Draws the largest scores in colours, with a bar of them. It has about a pixel for each score,
/// and at least as many as its text takes.
void draw_projection(const options& o, const match_result& found) {
  constexpr double min_side = 400, max_side = 4000;
  constexpr int beside = 290, above = 140;  // axes, the bar, titles
  const auto height = static_cast<double>(found.height), width = static_cast<double>(found.width);
  const double scale =
      std::clamp(1.0, min_side / std::max(height, width), max_side / std::max(height, width));
  const auto pixels = [&](double length) {
    return static_cast<int>(std::max(std::round(scale * length), 200.0));
  };
  std::vector<double> scores(found.scores.begin(), found.scores.end());
  const double largest = *std::max_element(scores.begin(), scores.end());
  formats::write_chart(o.projection,
                       {.title = formatted("{}: largest score of {}, at most {:.4g}", o.image_file,
                                           counted(found.n_templates, "template"), largest),
                        .x_label = "x / pixel",
                        .y_label = "y / pixel",
                        .value_label = o.is_normalised ? "correlation coefficient" : "score",
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

void write_maps(const options& o, const formats::image_stack& image, const match_result& found) {
  if (is_drawn(o.projection)) {
    draw_projection(o, found);
  } else {
    write_map(o.projection, found.scores, image, found);
  }
  // Where no template has a score, the number is -1.
  write_map(o.numbers, std::vector<std::int32_t>(found.numbers.begin(), found.numbers.end()), image,
            found);
  std::size_t n_written = 0;
  for (const std::string& file : o.maps) {
    if (!file.empty()) write_map(file, found.maps[n_written++], image, found);
  }
}

void write_picture(const options& o, const formats::image_stack& image, const match_result& found,
                   const peak_frame& frame) {
  if (o.picture.empty()) return;
  const auto boxes = boxes_of(found.peaks, frame);
  const auto marked =
      formats::draw_boxes(image, boxes, formats::marks_for(image.height, image.width));
  static_cast<void>(
      formats::write_images(o.picture, marked, {.png_range = formats::value_range{0, 255}}));
  print_message("wrote {}: {} marked", o.picture, counted(boxes.size(), "peak"));
}

void write_peaks(const std::string& file, const std::string& text, std::size_t count) {
  if (file.empty() || file == "-") return;
  formats::write_whole_file(file, text);
  print_message("wrote {}: {}", file, counted(count, "peak"));
}

void report_peaks(const options& o, const match_request& request, const match_result& found,
                  const peak_frame& frame) {
  if (!request.wants_peaks) return;
  const std::string micrograph =
      o.frame ? formatted("{:06}@{}", *o.frame + 1, o.image_file) : o.image_file;
  write_peaks(o.csv, peaks_csv(found.peaks), found.peaks.size());
  write_peaks(o.star, peaks_star(found.peaks, frame, micrograph), found.peaks.size());
  write_peaks(o.box, peaks_box(found.peaks, frame), found.peaks.size());
  if (o.is_json) return print(match_json(found.peaks));
  if (o.csv == "-") return print(peaks_csv(found.peaks));
  std::vector<std::string> outputs;
  for (const named_file& output : outputs_of(o)) outputs.push_back(output.path);
  const bool has_scores = std::any_of(found.scores.begin(), found.scores.end(),
                                      [](float score) { return std::isfinite(score); });
  print_table(peaks_table(found.peaks, has_scores), outputs);
}

int run(const options& o) {
  validate(o);
  match_request request = request_of(o);
  const device_info device = choose_device(o.device, request.search.real);
  formats::image_reader images{o.image_file};
  static_cast<void>(frame_of(o, images.shape()));
  template_files templates{o.template_files, request.search.real};
  const auto require = [&](bool is_masked) {
    return require_memory("searching " + size_text(images.shape().height, images.shape().width),
                          needed_bytes(request, images.shape(), templates, is_masked) +
                              static_cast<double>(images.kept_bytes()),
                          o.max_memory);
  };
  std::string memory = require(!o.mask.empty());
  const formats::image_stack image = read_image(o, images, request.search.real);
  if (o.mask.empty() && count_absent(image) > 0) memory = require(true);
  require_holds(o.map, templates.expected(), 1);
  std::optional<map_file> maps;
  if (!o.map.empty()) {
    maps.emplace(o, image, templates.count());
    request.take_map = [&maps](std::size_t height, std::size_t width, const auto& map) {
      maps->add(height, width, map);
    };
  }
  const match_result found = match(device, image, templates, request);
  if (maps) maps->commit(found);
  if (templates.max_channels() > 1) {
    print_message("templates have {}; their grey was searched for",
                  channels_text(templates.max_channels()));
  }
  write_maps(o, image, found);
  const peak_frame frame{request.search.mode, templates.height(), templates.width(),
                         found.n_templates};
  write_picture(o, image, found, frame);
  report_peaks(o, request, found, frame);
  print_message("searched {} for {} within {}", size_text(image.height, image.width),
                counted(found.n_templates, "template"), memory);
  return exit_ok;
}

void add_options(CLI::App& command, options& o) {
  add_file(command, file_use::input, "IMAGE", o.image_file, "PNG, TIFF, MRC or .npy; '-' is stdin")
      ->required();
  add_inputs(command, "TEMPLATE", o.template_files, "PNG, TIFF, MRC or .npy, images or stacks")
      ->required();
  add_mode(command, o.mode, "Places that have a score: ");
  add_switch(command, "--normalised,--normalized", o.is_normalised,
             "Scores are correlation coefficients");
  add_count(command, "--frame", o.frame, {0, max_length}, "Image of a stack to search");
  add_count(command, "--top", o.top, {1, max_length}, "The K highest peaks");
  add_real(command, "--threshold", o.threshold, {-max_score, max_score},
           "Peaks of at least this score");
  add_count(command, "--min-distance", o.distance, {1, max_length},
            "No two peaks closer in both y and x; else half the template's shorter side");
  add_file_or_stdout(command, "--csv", o.csv, "Write peaks as CSV; - prints them");
  add_file(command, file_use::output, "--star", o.star,
           "Write peaks as particles of RELION to FILE.star");
  add_file(command, file_use::output, "--box", o.box, "Write peaks as boxes of EMAN to FILE.box");
  add_file(command, file_use::input, "--mask", o.mask,
           "Image of the same size; pixels where it is 0 are not there, as those that are NaN");
  add_real(command, "--min-valid", o.min_valid, {0, 100},
           "Percent of a template's pixels that must be there; else 50");
  add_memory_limit(command, o.max_memory);
  add_switch(command, "--json", o.is_json, "Print peaks as JSON instead of a table");
  add_file(command, file_use::output, "--picture", o.picture,
           "Draw the image with the peaks marked to FILE.png");
  add_file(command, file_use::output, "--map", o.map,
           "Write a map of scores for each template, as it comes");
  add_file(command, file_use::output, "--projection", o.projection,
           "Write the largest score of each place; .png, .svg and .pdf as a chart with a bar of "
           "colours");
  add_file(command, file_use::output, "--numbers", o.numbers,
           "Write which template had it, int32 in .npy");
  for (std::size_t i = 0; i < o.maps.size(); ++i) {
    add_file(command, file_use::output, map_options[i].name, o.maps[i], map_options[i].help);
  }
  add_precision(command, o.real);
  add_choice(command, "--storage", o.storage,
             named_choices({precision::fp32, precision::fp16, precision::bf16}),
             "What is stored between launches (fp16 with --normalised): ");
  add_device(command, o.device);
}

}  // namespace

void add_match(CLI::App& program, int& exit_code) {
  add_command<options>(program, exit_code,
                       {"match", "Finds templates in an image by correlation", examples}, run,
                       add_options);
}

}  // namespace wingbeat::cli
