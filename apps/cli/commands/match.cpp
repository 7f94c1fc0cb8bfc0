// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/match.hpp"

#include <CLI/CLI.hpp>  // App

#include <cstdint>  // int32_t
#include <filesystem>
#include <limits>  // numeric_limits
#include <memory>  // make_shared
#include <optional>
#include <string>
#include <type_traits>  // is_same_v
#include <vector>

#include "cli/choose.hpp"            // choose_device, mode_named, precision_named
#include "cli/image_files.hpp"       // read_finite_images, to_grey, channels_text, write_result
#include "cli/match_run.hpp"         // match
#include "cli/messages.hpp"          // print, print_message, counted
#include "cli/option.hpp"            // add_text, add_file, add_count, add_real
#include "cli/reports/peaks.hpp"     // peaks_table, peaks_csv, match_json, boxes_of
#include "cli/template_files.hpp"    // template_files
#include "formats/atomic_file.hpp"   // atomic_file
#include "formats/image_marks.hpp"   // draw_boxes
#include "formats/image_writer.hpp"  // image_writer
#include "formatted.hpp"             // formatted
#include "wingbeat/error.hpp"        // plan_error
#include "wingbeat/plan.hpp"         // max_length

namespace wingbeat::cli {
namespace {

constexpr const char* examples = R"(Examples:
  wingbeat match micrograph.mrc particle.mrc --normalised --top 20 --picture found.png
      the 20 places that look most like the particle, marked in a picture
  wingbeat match image.tif orientations.mrcs --normalised --threshold 0.3 --csv peaks.csv
      every place with a correlation coefficient of at least 0.3 with one of the stack's images
  wingbeat match IMAGE.npy TEMPLATE.npy --mode full --map OUT.npy
      the map itself, as scipy.signal.correlate(IMAGE, TEMPLATE, 'full')
  wingbeat match image.png a.png b.png --projection best.npy --numbers which.npy --top 1 --json
      the largest score of each place, and which template had it

Score: sum over j, i of template[j, i] image[y + j, x + i]; with --normalised the correlation
coefficient of the template and the part of the image under it, from -1 to 1, 0 where either is
constant. Peaks have the indices of the map in its mode: in mode valid those of the image's pixel
under the template's first. Without --top they are the 10 highest, or with --threshold all.
Templates are numbered from 0 over all files and stacks, and are of one size. Colours become grey.
Maps of --map are written as they come, float64 in .npy with --precision fp64, else float32; with
--normalised always float32. Their number comes first, so several template files are read twice.
Files: PNG, TIFF, MRC, .npy. Peaks are printed unless only files of maps are asked for.)";

constexpr double most_score = 1e15;

struct options {
  std::string image_file, device;
  std::vector<std::string> template_files;
  std::string mode = "valid", precision_name = "fp32", storage_name;
  std::optional<std::size_t> frame, top, distance;
  std::optional<double> threshold;
  std::string map, projection, numbers, mean, variance, picture, csv;
  bool is_normalised = false, is_json = false;
};

bool has_files_of_maps(const options& o) {
  for (const std::string* file : {&o.map, &o.projection, &o.numbers, &o.mean, &o.variance}) {
    if (!file->empty()) return true;
  }
  return false;
}

/// Refuses options that contradict each other, before any work is done.
void validate(const options& o) {
  for (const std::string* file : {&o.map, &o.projection, &o.numbers, &o.mean, &o.variance}) {
    require_holds(*file, 1, 1);
  }
  const std::string extension = std::filesystem::path(o.picture).extension().string();
  if (!o.picture.empty() && extension != ".png" && extension != ".PNG") {
    throw plan_error(formatted("cannot draw {}; its name must end in .png", o.picture));
  }
  if (!o.picture.empty() && !formats::has_image_libraries()) {
    throw plan_error("this build writes no PNG; configure with WINGBEAT_IMAGES=ON");
  }
  if (o.csv == "-" && o.is_json) {
    throw plan_error("--csv - and --json both print on stdout; write the CSV to a file");
  }
}

/// Returns what spectra are stored as, where it differs from the precision.
std::optional<precision> between_of(const options& o) {
  if (o.storage_name.empty()) return std::nullopt;
  const precision between = storage_named(o.storage_name);
  if (precision_named(o.precision_name) == precision::fp64) {
    throw plan_error(
        formatted("--storage {} does not go with --precision fp64, which is stored as fp64; leave "
                  "out one of the two",
                  o.storage_name));
  }
  if (between == precision::fp16 && !o.is_normalised) {
    throw plan_error(
        "--storage fp16 needs templates of a known range; add --normalised, which makes them unit "
        "templates, or use bf16");
  }
  return between;
}

match_request request_of(const options& o) {
  match_request request;
  request.mode = mode_named(o.mode);
  request.real = precision_named(o.precision_name);
  request.between = between_of(o);
  request.is_normalised = o.is_normalised;
  request.wants_scores = !o.projection.empty() || !o.numbers.empty();
  request.wants_sums = !o.mean.empty() || !o.variance.empty();
  request.wants_peaks = o.top || o.distance || o.threshold || !o.picture.empty() ||
                        !o.csv.empty() || o.is_json || !has_files_of_maps(o);
  if (o.threshold) request.most_peaks = std::numeric_limits<std::size_t>::max();
  if (o.top) request.most_peaks = *o.top;
  request.least_score = o.threshold;
  request.distance = o.distance;
  return request;
}

/// Returns the image to search, grey.
formats::image_stack read_image(const options& o, precision real) {
  formats::image_stack images = read_finite_images(o.image_file, real);
  if (images.n_images > 1 && !o.frame) {
    throw plan_error(formatted("{} holds {} images, and one is searched; choose it with --frame",
                               o.image_file, images.n_images));
  }
  const std::size_t frame = o.frame.value_or(0);
  if (frame >= images.n_images) {
    throw plan_error(formatted("{} has no image {}; it holds {}, counted from 0", o.image_file,
                               frame, counted(images.n_images, "image")));
  }
  if (images.n_channels > 1) {
    print_message("{} has {}; its grey is searched", o.image_file,
                  channels_text(images.n_channels));
  }
  if (images.n_images > 1) {
    const std::size_t samples = images.height * images.width * images.n_channels;
    images.samples = doubles_of(images, frame * samples, samples);
    images.n_images = 1;
  }
  images.is_stack = false;
  return to_grey(std::move(images));
}

/// Writes the map of each template as it comes, so that memory holds one.
class map_file {
 public:
  map_file(const options& o, const formats::image_stack& image, std::size_t n_maps)
      : file_(o.map), n_maps_(n_maps), pixel_angstrom_(image.pixel_angstrom) {
    const bool is_npy = formats::image_format_of(file_) == formats::image_format::npy;
    // What goes through a search was rounded to fp32 there.
    options_.is_double_precision =
        is_npy && !o.is_normalised && precision_named(o.precision_name) == precision::fp64;
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

void write_maps(const options& o, const formats::image_stack& image, const match_result& found) {
  write_map(o.projection, found.scores, image, found);
  // Where no template has a score, the number is -1.
  write_map(o.numbers, std::vector<std::int32_t>(found.numbers.begin(), found.numbers.end()), image,
            found);
  write_map(o.mean, found.mean, image, found);
  write_map(o.variance, found.variance, image, found);
}

void write_picture(const options& o, const formats::image_stack& image,
                   const template_files& templates, const match_result& found, extent mode) {
  if (o.picture.empty()) return;
  const auto boxes =
      boxes_of(found.peaks, mode, templates.height(), templates.width(), found.n_templates > 1);
  static_cast<void>(formats::write_images(o.picture, formats::draw_boxes(image, boxes),
                                          {.png_range = formats::value_range{0, 255}}));
  print_message("wrote {}: {} marked", o.picture, counted(boxes.size(), "peak"));
}

void report_peaks(const options& o, const match_request& request, const match_result& found) {
  if (!request.wants_peaks) return;
  if (!o.csv.empty() && o.csv != "-") {
    formats::atomic_file file{o.csv};
    file.write(peaks_csv(found.peaks));
    file.commit();
    print_message("wrote {}: {}", o.csv, counted(found.peaks.size(), "peak"));
  }
  if (o.is_json) {
    print(match_json(found.peaks));
  } else {
    print(o.csv == "-" ? peaks_csv(found.peaks) : peaks_table(found.peaks));
  }
}

int run(const options& o) {
  validate(o);
  match_request request = request_of(o);
  const device_info device = choose_device(o.device, request.real);
  const formats::image_stack image = read_image(o, request.real);
  template_files templates{o.template_files, request.real};
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
  if (templates.most_channels() > 1) {
    print_message("templates have {}; their grey was searched for",
                  channels_text(templates.most_channels()));
  }
  write_maps(o, image, found);
  write_picture(o, image, templates, found, request.mode);
  report_peaks(o, request, found);
  return exit_ok;
}

void add_options(CLI::App& command, options& o) {
  add_file(command, file_use::input, "IMAGE", o.image_file, "PNG, TIFF, MRC or .npy")->required();
  add_inputs(command, "TEMPLATE", o.template_files, "PNG, TIFF, MRC or .npy, images or stacks")
      ->required();
  add_text(command, "--mode", o.mode, "Places that have a score: full, same or valid");
  add_switch(command, "--normalised,--normalized", o.is_normalised,
             "Scores are correlation coefficients");
  add_count(command, "--frame", o.frame, {0, max_length}, "Image of a stack to search");
  add_count(command, "--top", o.top, {1, max_length}, "The K highest peaks");
  add_real(command, "--threshold", o.threshold, {-most_score, most_score},
           "Peaks of at least this score");
  add_count(command, "--min-distance", o.distance, {1, max_length},
            "No two peaks closer in both y and x; else half the template's shorter side");
  add_file_or_stdout(command, "--csv", o.csv, "Write peaks as template,y,x,score; - prints them");
  add_switch(command, "--json", o.is_json, "Print peaks as JSON instead of a table");
  add_file(command, file_use::output, "--picture", o.picture,
           "Draw the image with the peaks marked to FILE.png");
  add_file(command, file_use::output, "--map", o.map,
           "Write a map of scores for each template, as it comes");
  add_file(command, file_use::output, "--projection", o.projection,
           "Write the largest score of each place");
  add_file(command, file_use::output, "--numbers", o.numbers,
           "Write which template had it, int32 in .npy");
  add_file(command, file_use::output, "--mean", o.mean,
           "Write the mean score of each place over the templates");
  add_file(command, file_use::output, "--variance", o.variance, "Write the variance of its scores");
  add_text(command, "--precision", o.precision_name, "fp32 or fp64");
  add_text(command, "--storage", o.storage_name,
           "What is stored between launches: fp32, fp16 (--normalised) or bf16");
  add_text(command, "--device,--engine", o.device, "One device; the best one when not given");
}

}  // namespace

void add_match(CLI::App& program, int& exit_code) {
  CLI::App* const command =
      program.add_subcommand("match", "Finds templates in an image by correlation");
  command->footer(examples);
  auto chosen = std::make_shared<options>();
  add_options(*command, *chosen);
  command->callback([chosen, &exit_code] { exit_code = run(*chosen); });
}

}  // namespace wingbeat::cli
