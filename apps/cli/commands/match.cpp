// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/commands.hpp"

#include <CLI/CLI.hpp>  // App

#include <algorithm>  // min
#include <cmath>      // ceil
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/choose.hpp"                   // choose_device, listed_devices, add_mode, fp64_option
#include "cli/image_files.hpp"              // read_searched, frame_of, apply_mask, channels_text
#include "cli/match_run.hpp"                // match, match_request
#include "cli/memory_limit.hpp"             // require_memory
#include "cli/messages.hpp"                 // print_message, counted
#include "cli/option.hpp"                   // add_choice, add_command, add_file, add_count
#include "cli/reports/matches.hpp"          // match_outputs, report_matches
#include "cli/reports/peaks.hpp"            // boxes_of
#include "cli/search_part.hpp"              // shard_of, write_part
#include "cli/template_files.hpp"           // template_files
#include "formats/images/marks.hpp"         // draw_boxes, marks_for
#include "formats/images/reader.hpp"        // image_reader
#include "formats/images/writer.hpp"        // image_writer
#include "searching/part.hpp"               // search_source, shard
#include "searching/templates_at_once.hpp"  // templates_at_once
#include "text/formatted.hpp"               // formatted
#include "wingbeat/error.hpp"               // plan_error
#include "wingbeat/plan.hpp"                // max_length

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
  wingbeat match image.mrc orientations.mrcs --normalised --shard 3/16 --state part-3
      a sixteenth of a search, which wingbeat match-merge puts together
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
Files: PNG, JPEG, TIFF, FITS, MRC, .npy. Peaks are printed unless files of maps alone are given.)";

struct options {
  std::string image_file, state, mask, device;
  std::vector<std::string> template_files, devices;
  extent mode = extent::valid;
  precision real = precision::fp32;
  std::optional<precision> storage;
  std::optional<std::size_t> frame;
  std::optional<double> min_valid;
  std::optional<searching::shard> part;
  match_outputs outputs;
  memory_limit max_memory;
  bool is_normalised = false, keeps_moments = false;
};

/// Refuses options that contradict each other, before any work is done.
void validate(const options& o) {
  require_outputs(o.outputs);
  const std::string extension = std::filesystem::path(o.outputs.picture).extension().string();
  if (!o.outputs.picture.empty() && extension != ".png" && extension != ".PNG") {
    throw plan_error(formatted("cannot draw {}; its name must end in .png", o.outputs.picture));
  }
  if (!o.outputs.picture.empty() && !formats::has_image_libraries()) {
    throw plan_error("this build writes no PNG; configure with WINGBEAT_IMAGES=ON");
  }
  if (o.state.empty() && (o.part || o.keeps_moments)) {
    throw plan_error(
        "--shard and --moments are of searches that write what they keep; add --state FILE");
  }
  if (!o.state.empty() && has_outputs(o.outputs)) {
    throw plan_error(
        "--state is written in place of peaks and maps; give their options to wingbeat "
        "match-merge");
  }
  const bool has_sums = o.keeps_moments || !o.outputs.maps[0].empty() || !o.outputs.maps[1].empty();
  const bool is_cut = !o.state.empty() || o.devices.size() > 1;
  if (is_cut && has_sums && !o.is_normalised) {
    throw plan_error(
        "sums of plain scores depend on the order in which they are added; add --normalised, or "
        "search on one device, without --state, for --mean and --variance");
  }
  if (o.devices.size() > 1 && !o.outputs.map.empty()) {
    throw plan_error("--map is written in the order of the templates; give one device");
  }
}

/// Returns the type of stored spectra, if it differs from the precision.
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
  request_outputs(o.outputs, request);
  request.wants_state = !o.state.empty();
  if (request.wants_state) request.wants_peaks = false;
  request.search.keeps_sums |= o.keeps_moments;
  if (o.min_valid) request.min_valid = *o.min_valid / 100;
  request.fp64_name = fp64_option;
  return request;
}

/// Returns the image to search in grey, with NaN for missing pixels.
formats::image_stack read_image(const options& o, formats::image_reader& images, precision real) {
  if (images.shape().n_channels > 1) {
    print_message("{} has {}; its grey is searched", o.image_file,
                  channels_text(images.shape().n_channels));
  }
  formats::image_stack image =
      read_searched(images, o.image_file, frame_of(o.image_file, images.shape(), o.frame), real);
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

/// Returns the bytes of the arrays of a search. A masked one is in fp64 and has an array for each
/// of its sums.
double needed_bytes(const match_request& request, const formats::image_stack& image,
                    const template_files& templates, bool is_masked) {
  const auto height = static_cast<double>(image.height), width = static_cast<double>(image.width);
  const auto template_height = static_cast<double>(templates.height());
  const auto template_width = static_cast<double>(templates.width());
  const double pixels = height * width * static_cast<double>(image.n_channels);
  const double padded = (height + template_height) * (width + template_width);
  if (is_masked) return 28 * pixels + 150 * padded;
  const auto at_once = static_cast<double>(request.search.templates_at_once);
  const double number_bytes = request.search.real == precision::fp64 ? 8 : 4;
  return 28 * pixels + number_bytes * (6 + 4 * at_once) * padded + 32 * padded +
         (16 + number_bytes) * at_once * template_height * template_width;
}

/// Returns the bytes of the most peaks that fit a map.
double peak_bytes(const options& o, const match_request& request, const formats::image_stack& image,
                  const template_files& templates) {
  if (!request.wants_peaks) return 0;
  const std::size_t shorter = std::min(templates.height(), templates.width());
  const auto distance = static_cast<double>(request.distance_of(shorter));
  const auto along = [&](std::size_t length, std::size_t of_template) {
    const std::size_t most = o.mode == extent::full ? length + of_template : length;
    return std::ceil(static_cast<double>(most) / distance);
  };
  const double count =
      std::min(static_cast<double>(request.max_peaks),
               along(image.height, templates.height()) * along(image.width, templates.width()));
  return count * (sizeof(peak) + sizeof(searching::located_peak));
}

/// Writes each template's map when it is complete, so that memory holds only one.
class map_file {
 public:
  map_file(const options& o, const searching::search_source& source, std::size_t n_maps)
      : file_(o.outputs.map), n_maps_(n_maps), source_(source) {
    // The search itself rounds the maps of normalised scores to fp32.
    if (!o.is_normalised) options_.type = float_type_of(file_, o.real);
  }

  void add(std::size_t height, std::size_t width, const formats::image_samples& map) {
    if (!to_) {
      to_.emplace(file_,
                  formats::image_stack{.n_images = n_maps_,
                                       .height = height,
                                       .width = width,
                                       .pixel_angstrom = source_.pixel_angstrom,
                                       .placement = source_.placement},
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
  searching::search_source source_;
  formats::image_write_options options_;
  std::optional<formats::image_writer> to_;
};

void write_picture(const options& o, const formats::image_stack& image, const match_result& found,
                   const peak_frame& frame) {
  if (o.outputs.picture.empty()) return;
  const auto boxes = boxes_of(found.peaks, frame);
  const auto marked =
      formats::draw_boxes(image, boxes, formats::marks_for(image.height, image.width));
  static_cast<void>(
      formats::write_images(o.outputs.picture, marked, {.range = formats::value_range{0, 255}}));
  print_message("wrote {}: {} marked", o.outputs.picture, counted(boxes.size(), "peak"));
}

searching::search_source source_of(const options& o, const match_request& request,
                                   const formats::image_stack& image,
                                   const template_files& templates) {
  auto placement = image.placement;
  if (placement) {
    placement->first[0] = first_of(templates.width(), o.mode);
    placement->first[1] = first_of(templates.height(), o.mode);
  }
  searching::search_source source = searching::source_of(request.search, request.min_valid);
  source.micrograph = o.frame ? formatted("{:06}@{}", *o.frame + 1, o.image_file) : o.image_file;
  source.image_file = o.image_file;
  source.pixel_angstrom = image.pixel_angstrom;
  // Scores are no samples, and have not their unit.
  if (placement) {
    std::erase_if(placement->fits_cards, [](auto& card) { return card.starts_with("BUNIT"); });
  }
  source.placement = placement;
  return source;
}

/// Leaves this part's templates to the search, and returns the part before anything is kept.
searching::search_part selected_part(const options& o, const match_request& request,
                                     const formats::image_stack& image, template_files& templates) {
  const std::vector<double> samples = formats::to_doubles(image.samples);
  searching::search_part part{
      .source = source_of(o, request, image, templates),
      .image_hash = searching::hash_of<double>(image.height, image.width, samples),
      .templates_hash = hash_of(o.template_files),
      .n_templates = templates.count()};
  const searching::template_range range =
      o.part.value_or(searching::shard{}).of(part.n_templates, request.search.templates_at_once);
  templates.select(range.begin, range.end);
  if (range.begin < range.end) part.templates.push_back(range);
  return part;
}

void write_state(const options& o, const std::vector<device_info>& devices,
                 searching::search_part part, match_result& found) {
  part.kept = std::move(found.kept);
  for (const device_info& device : devices) {
    part.devices.insert(searching::kind_of(device));
  }
  write_part(o.state, part);
  print_message("wrote {}: {} of {}", o.state, counted(found.n_templates, "template"),
                part.n_templates);
}

int run(const options& o) {
  validate(o);
  match_request request = request_of(o);
  const std::vector<device_info> devices =
      o.devices.empty() ? std::vector{choose_device(o.device, request.search.real)}
                        : listed_devices(o.devices, request.search.real);
  formats::image_reader images{o.image_file};
  static_cast<void>(frame_of(o.image_file, images.shape(), o.frame));
  template_files templates{o.template_files, request.search.real};
  request.search.image = {images.shape().height, images.shape().width};
  request.search.templates = {templates.height(), templates.width()};
  request.search.templates_at_once =
      searching::templates_at_once(request.search, templates.expected());
  const auto require = [&](bool is_masked) {
    return require_memory("searching " + size_text(images.shape().height, images.shape().width),
                          needed_bytes(request, images.shape(), templates, is_masked) *
                                  static_cast<double>(devices.size()) +
                              static_cast<double>(images.kept_bytes()) +
                              peak_bytes(o, request, images.shape(), templates),
                          o.max_memory);
  };
  std::string memory = require(!o.mask.empty());
  const formats::image_stack image = read_image(o, images, request.search.real);
  if (o.mask.empty() && count_absent(image) > 0) memory = require(true);
  std::optional<map_file> maps;
  if (!o.outputs.map.empty()) {
    formats::require_holds(o.outputs.map, templates.expected(), 1);
    maps.emplace(o, source_of(o, request, image, templates), templates.count());
    request.take_map = [&maps](std::size_t height, std::size_t width, const auto& map) {
      maps->add(height, width, map);
    };
  }
  std::optional<searching::search_part> part;
  if (!o.state.empty()) part = selected_part(o, request, image, templates);
  match_result found = match(devices, image, templates, request);
  if (maps) maps->commit(found);
  if (templates.max_channels() > 1) {
    print_message("templates have {}; their grey was searched for",
                  channels_text(templates.max_channels()));
  }
  const searching::search_source source = source_of(o, request, image, templates);
  write_picture(o, image, found, frame_of(source, found));
  if (part) {
    write_state(o, devices, *std::move(part), found);
  } else {
    report_matches(o.outputs, source, request, found);
  }
  print_message("searched {} for {} within {}", size_text(image.height, image.width),
                counted(found.n_templates, "template"), memory);
  return exit_ok;
}

void add_options(CLI::App& command, options& o) {
  add_file(command, file_use::input, "IMAGE", o.image_file,
           "PNG, JPEG, TIFF, FITS, MRC or .npy; '-' is stdin")
      ->required();
  add_inputs(command, "TEMPLATE", o.template_files,
             "PNG, JPEG, TIFF, FITS, MRC or .npy, images or stacks")
      ->required();
  add_mode(command, o.mode, "Places that have a score: ");
  add_switch(command, "--normalised,--normalized", o.is_normalised,
             "Scores are correlation coefficients");
  add_count(command, "--frame", o.frame, {0, max_length}, "Image of a stack to search");
  add_file(command, file_use::output, "--picture", o.outputs.picture,
           "Draw the image with the peaks marked to FILE.png");
  add_file(command, file_use::output, "--map", o.outputs.map,
           "Write a map of scores for each template, as it comes");
  add_match_outputs(command, o.outputs);
  add_file(command, file_use::input, "--mask", o.mask,
           "Image of the same size; pixels where it is 0 are not there, as those that are NaN");
  add_real(command, "--min-valid", o.min_valid, {0, 100},
           "Percent of a template's pixels that must be there; else 50");
  add_memory_limit(command, o.max_memory);
  add_precision(command, o.real);
  add_choice(command, "--storage", o.storage,
             named_choices({precision::fp32, precision::fp16, precision::bf16}),
             "What is stored between launches (fp16 with --normalised): ");
  add_text(command, "--shard", "Search for part I of N of the templates, from 0/N on", "",
           [&o](const std::string& text) { o.part = shard_of(text); });
  add_file(command, file_use::output, "--state", o.state,
           "Write what the search kept, for wingbeat match-merge, in place of peaks and maps");
  add_switch(command, "--moments", o.keeps_moments,
             "Keep sums for --mean and --variance of match-merge");
  add_device(command, o.device);
  add_devices(command, o.devices, "Several devices at once, as 0,1 or opencl:0,host");
}

}  // namespace

void add_match(CLI::App& program, int& exit_code) {
  add_command<options>(program, exit_code,
                       {"match", "Finds templates in an image by correlation", examples}, run,
                       add_options);
}

}  // namespace wingbeat::cli
