// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>  // App

#include <algorithm>  // copy, find_if, min
#include <array>
#include <cmath>  // abs, cbrt, floor, lround
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/choose.hpp"                      // choose_device, listed_devices
#include "cli/commands/commands.hpp"           // add_match_volume
#include "cli/files.hpp"                       // named_file, require_files
#include "cli/image_files.hpp"                 // read_searched, read_finite, frame_of, size_text
#include "cli/leopard_configuration.hpp"       // add_leopard_configuration
#include "cli/messages.hpp"                    // print_message, counted
#include "cli/option.hpp"                      // add_choice, add_command, add_file, add_real
#include "cli/progress.hpp"                    // rate_bar
#include "cli/reports/listed_scores.hpp"       // listed_scores
#include "cli/reports/particles.hpp"           // particle_outputs, files_of, report_particles
#include "cli/search_part.hpp"                 // shard_of
#include "cli/volume_run.hpp"                  // searched, merged
#include "formats/images/reader.hpp"           // image_reader
#include "microscopy/particle_refinement.hpp"  // refined_particles
#include "microscopy/volume.hpp"               // volume_spectrum
#include "text/formatted.hpp"                  // formatted, joined
#include "text/reject.hpp"                     // reject_if

namespace wingbeat::cli {
namespace {

using microscopy::direction_grid;

constexpr double far = 1e6;
constexpr double defocus_step = 200, table_threshold = 5.5;  // unless others are given

constexpr const char* examples = R"(Examples:
  wingbeat match-volume micrograph.mrc map.mrc --pixel-size 1.06 --defocus 5200,4950
      --astigmatism 25 --defocus-range 1200 --csv found.csv --maps found --picture found.png
      particles of one micrograph: 1,584,480 orientations at 13 defoci, some 30 minutes on an H200
  wingbeat match-volume micrograph.mrc map.mrc --pixel-size 1.06 --defocus 5200 --psi-step 10
      --theta-step 15 --top 3
      a coarse look, in seconds
  wingbeat match-volume --config match.yaml --csv found.csv --refine
      the search of a configuration of Leopard-EM, whose files are written by its names
  wingbeat match-volume .. --state part-3 --shard 3/16
      a sixteenth of a search, which goes on where it was stopped if it is started again
  wingbeat match-volume .. --merge part-0,part-1,part-2 --csv found.csv
      what the parts found, with the options that they were searched with

The volume is a density of the molecule in a cube of even edge, as bright as it is dense, at the
micrograph's pixel size. It is projected at every orientation, filtered by the microscope's contrast
transfer function at each defocus and by the filter that whitens the micrograph, and correlated with
all of the micrograph. Scores have variance 1 in noise. At each place the largest is kept, with the
mean and the deviation of all; z = (largest - mean) / deviation. Particles are places whose z is
above what noise reaches --false-positives times in the whole search, best first.
Angles are Euler's, ZYZ in degrees; defoci are in angstrom, positive below focus.
--maps PREFIX writes Leopard-EM's eight maps, PREFIX_mip.mrc and so on; its map named
correlation_variance holds the standard deviation, as Leopard-EM's does.)";

struct options {
  std::string micrograph, volume, device, defocus, symmetry = "C1";
  std::string defocus_range = "0", phi, theta, psi, magnification;
  std::vector<std::string> devices, merge, zernikes;
  std::optional<std::size_t> frame;
  std::optional<double> pixel_size, defocus_step;
  double astigmatism = 0, cs = 2.7, voltage = 300, amplitude = 0.07, phase_shift = 0, b_factor = 0,
         max_device_gb = 0;
  std::optional<double> low_cutoff, high_cutoff, falloff;
  bool has_no_whitening = false, refines = false;
  std::string table;
  std::optional<double> table_threshold;
  microscopy::grid_spec grid;
  std::optional<precision> storage;
  volume_run run;
  particle_outputs outputs;
};

/// Returns the `least` to `most` numbers of an option; `form` shows them.
std::vector<double> numbers_of(const std::string& option, const std::string& text,
                               std::size_t least, std::size_t most, const char* form) {
  std::vector<double> numbers;
  for (const std::string& part : parts_of(option, text)) {
    numbers.push_back(real_of(option, part, {-far, far}));
  }
  reject_if(numbers.size() < least || numbers.size() > most, "{} is '{}'; give {}", option, text,
            form);
  return numbers;
}

microscopy::optics optics_of(const options& o, const formats::image_stack& image) {
  const std::vector<double> defoci = numbers_of("--defocus", o.defocus, 1, 2, "U or U,V");
  const double pixel = o.pixel_size.value_or(image.pixel_angstrom.x);
  reject_if(pixel == 0, "{} does not say how large its pixels are; add --pixel-size ANGSTROM",
            o.micrograph);
  std::map<std::string, double> zernikes;
  for (const std::string& term : o.zernikes) {
    const std::size_t sign = term.find('=');
    reject_if(sign == std::string::npos, "--zernikes has '{}'; give NAME=NUMBER, as Z44c=1.5",
              term);
    const std::string name = term.substr(0, sign);
    reject_if(zernikes.contains(name), "--zernikes has {} twice; give it once", name);
    zernikes[name] = real_of("--zernikes", term.substr(sign + 1), {-1e300, 1e300});
  }
  std::array<double, 4> magnification{1, 0, 0, 1};
  if (!o.magnification.empty()) {
    std::ranges::copy(numbers_of("--magnification", o.magnification, 4, 4, "YY,YX,XY,XX"),
                      magnification.begin());
  }
  return {.voltage_kv = o.voltage,
          .pixel_size_angstrom = pixel,
          .defocus_u_angstrom = defoci.front(),
          .defocus_v_angstrom = defoci.back(),
          .astigmatism_degrees = o.astigmatism,
          .cs_mm = o.cs,
          .amplitude_contrast = o.amplitude,
          .phase_shift_degrees = o.phase_shift,
          .b_factor_angstrom2 = o.b_factor,
          .zernikes = std::move(zernikes),
          .magnification = magnification};
}

/// Returns the defoci that are searched, ascending, 0 among them.
std::vector<double> defoci_of(const options& o) {
  const auto range = numbers_of("--defocus-range", o.defocus_range, 1, 2, "RANGE or FIRST,LAST");
  const double step = o.defocus_step.value_or(defocus_step);
  std::vector<double> defoci;
  const auto steps_within = [&](double length) { return std::floor(length / step * (1 + 1e-9)); };
  const double first = range.size() == 2 ? range[0] : -steps_within(range[0]) * step;
  const double n_steps = steps_within(range.back() - first);
  reject_if(n_steps < 0 || n_steps > 65535,
            "--defocus-range is '{}'; give a shorter one, from 0 on "
            "or from a first to a larger last number",
            o.defocus_range);
  for (double i = 0; i <= n_steps; ++i) defoci.push_back(first + i * step);
  constexpr double rounding = 1e-6;
  const auto zero = std::ranges::find_if(defoci, [](double d) { return d > -rounding; });
  if (zero != defoci.end() && *zero < rounding) {
    *zero = 0;
  } else {
    defoci.insert(zero, 0);
  }
  return defoci;
}

microscopy::search_space space_of(const options& o) {
  microscopy::grid_spec grid = o.grid;
  grid.ranges = microscopy::ranges_of(o.symmetry);
  const auto take = [](const char* option, const std::string& text, double& first, double& last) {
    if (text.empty()) return;
    const auto range = numbers_of(option, text, 2, 2, "FIRST,LAST");
    first = range[0], last = range[1];
  };
  take("--phi", o.phi, grid.ranges.phi_first, grid.ranges.phi_last);
  take("--theta", o.theta, grid.ranges.theta_first, grid.ranges.theta_last);
  take("--psi", o.psi, grid.ranges.psi_first, grid.ranges.psi_last);
  return {.orientations = microscopy::orientation_grid{grid},
          .defocus_offsets = defoci_of(o),
          .spherical_aberrations = {o.cs}};
}

std::vector<float> floats_of(const formats::image_samples& samples) {
  const std::vector<double> values = formats::to_doubles(samples);
  return {values.begin(), values.end()};
}

/// Returns the volume and its lengths. Says if the file states another pixel than is searched with.
std::pair<std::vector<float>, std::array<std::size_t, 3>> read_volume(const std::string& file,
                                                                      double pixel) {
  formats::image_reader images{file};
  const formats::image_stack& shape = images.shape();
  reject_if(shape.n_channels != 1, "{} has {} a voxel; give one", file,
            counted(shape.n_channels, "number"));
  const double stated = shape.pixel_angstrom.x;
  if (stated != 0 && std::abs(stated - pixel) > 0.01 * pixel) {
    print_message("{} says that its voxels are {:.4g} angstrom wide; they are taken for {:.4g}",
                  file, stated, pixel);
  }
  const auto read = read_finite(images, file, 0, shape.n_images, precision::fp32);
  return {floats_of(read.samples), {shape.n_images, shape.height, shape.width}};
}

/// Returns the part of a search before anything is kept, by whose hash files of other options are
/// refused.
searching::search_part part_of(const options& o, const formats::image_stack& image,
                               const std::vector<float>& pixels, const std::vector<float>& volume,
                               const microscopy::optics& microscope,
                               const microscopy::search_space& space) {
  searching::word_hash hash;
  hash.add(std::as_bytes(std::span{volume}));
  const std::vector<double> numbers{microscope.voltage_kv,
                                    microscope.pixel_size_angstrom,
                                    microscope.defocus_u_angstrom,
                                    microscope.defocus_v_angstrom,
                                    microscope.astigmatism_degrees,
                                    microscope.cs_mm,
                                    microscope.amplitude_contrast,
                                    microscope.phase_shift_degrees,
                                    microscope.b_factor_angstrom2,
                                    o.grid.psi_step,
                                    o.grid.theta_step,
                                    o.low_cutoff.value_or(-1),
                                    o.high_cutoff.value_or(-1),
                                    o.falloff.value_or(0)};
  const std::vector<std::string> texts{
      joined(numbers, " "),
      joined(space.defocus_offsets, ","),
      joined(microscope.magnification, ","),
      joined(o.zernikes, ","),
      o.symmetry,
      o.phi,
      o.theta,
      o.psi,
      formatted("{} {}", static_cast<int>(o.grid.directions), o.has_no_whitening)};
  const std::string described = joined(texts, ";");
  hash.add(std::as_bytes(std::span{described}));
  const std::size_t n = static_cast<std::size_t>(std::lround(std::cbrt(volume.size())));
  searching::search_source source = searching::source_of(
      {.templates = {n, n}, .between = o.storage}, searching::search_source{}.min_valid);
  source.micrograph = o.frame ? formatted("{:06}@{}", *o.frame + 1, o.micrograph) : o.micrograph;
  source.image_file = o.micrograph;
  source.pixel_angstrom = image.pixel_angstrom;
  return {.source = source,
          .image_hash = searching::hash_of<float>(image.height, image.width, pixels),
          .templates_hash = hash.value(),
          .n_templates = space.orientations.count() * space.n_filters()};
}

microscopy::filter_options filters_of(const options& o) {
  return {.whitening = {.enabled = !o.has_no_whitening},
          .bandpass = {.enabled = o.low_cutoff || o.high_cutoff,
                       .low_freq_cutoff = o.low_cutoff.value_or(0),
                       .high_freq_cutoff = o.high_cutoff.value_or(1),
                       .falloff = o.falloff.value_or(0)}};
}

std::vector<device_info> devices_of(const options& o) {
  if (!o.devices.empty()) return listed_devices(o.devices, precision::fp32);
  return {choose_device(o.device, precision::fp32)};
}

searching::search_part searched_part(const options& o, const microscopy::volume_request& request,
                                     const microscopy::search_space& space,
                                     const std::vector<float>& pixels,
                                     const std::vector<float>& volume,
                                     searching::search_part empty) {
  const std::vector<device_info> devices = devices_of(o);
  for (const device_info& each : devices) empty.devices.insert(searching::kind_of(each));
  microscopy::volume_search search{std::vector<queue>(devices.begin(), devices.end()), request,
                                   space, pixels, volume};
  print_message("searching {} for {} orientations with {} within {:.3g} GB of the device",
                size_text(request.height, request.width), space.orientations.count(),
                counted(space.n_filters(), "filter"),
                1e-9 * static_cast<double>(search.orientations().first().device_bytes()));
  if (o.table.empty()) return searched(search, space, empty, o.run);
  listed_scores table{o.table, space};
  searching::search_part part =
      searched(search, space, empty, o.run, [&] { table.add(search.orientations().take_table()); });
  table.commit(*request.table_threshold);
  return part;
}

std::vector<microscopy::located_particle> refined_of(
    const options& o, const microscopy::volume_request& request, const std::vector<float>& pixels,
    const std::vector<float>& volume, const microscopy::score_maps& maps,
    std::span<const microscopy::located_particle> found) {
  queue on{devices_of(o).front()};
  const microscopy::micrograph image =
      microscopy::filtered_micrograph(on, pixels, request.height, request.width, request.filters);
  const buffer spectrum = microscopy::volume_spectrum(on, volume, request.volume);
  const microscopy::refinement_steps steps{
      .psi_degrees = o.grid.psi_step,
      .theta_degrees = o.grid.theta_step,
      .defocus_angstrom = o.defocus_step.value_or(defocus_step)};
  rate_bar bar{"match-volume", "refinement"};
  const auto n = static_cast<double>(found.size() * steps.rounds);
  return refined_particles(on,
                           {.microscope = request.microscope,
                            .image = image,
                            .height = request.height,
                            .width = request.width,
                            .box = request.volume[0],
                            .spectrum = spectrum.view()},
                           maps, steps, found, [&](std::size_t n_done) {
                             bar.show(n_done, static_cast<double>(n_done) / n);
                           });
}

/// Refuses options that contradict each other, before any work is done.
void validate(const options& o) {
  require_outputs(o.outputs);
  std::vector<named_file> files = files_of(o.outputs);
  files.insert(files.end(), {{"MICROGRAPH", o.micrograph, true},
                             {"VOLUME", o.volume, true},
                             {"--state", o.run.state_file, true, true},
                             {"--table", o.table, false, true}});
  for (const std::string& part : o.merge) files.push_back({"--merge", part, true});
  require_files(files);
  reject_if(o.run.every_s && o.run.state_file.empty(),
            "--every is between writes of what is kept; add --state FILE");
  reject_if(o.outputs.false_positives && o.outputs.threshold,
            "--threshold replaces that for --false-positives; leave out one of the two");
  reject_if(!o.merge.empty() && (!o.run.state_file.empty() || o.run.part.count > 1),
            "--merge takes what other searches kept; leave out --state and --shard");
  reject_if(o.run.part.count > 1 && o.run.state_file.empty(),
            "--shard is of searches that write what they keep; add --state FILE");
  reject_if(o.defocus_step && o.defocus_range == "0" && !o.refines,
            "--defocus-step is between defoci of a range; add --defocus-range");
  reject_if(o.falloff && !o.low_cutoff && !o.high_cutoff,
            "--falloff is beside a cutoff; add --low-cutoff or --high-cutoff");
  reject_if(o.table_threshold && o.table.empty(),
            "--table-threshold is of a table of scores; add --table FILE");
  reject_if(
      !o.table.empty() && (!o.run.state_file.empty() || !o.merge.empty()),
      "--table lists scores while they are computed, and --state and --merge keep none; leave "
      "out one of the two");
}

int run(const options& o) {
  validate(o);
  formats::image_reader images{o.micrograph};
  const std::size_t frame = frame_of(o.micrograph, images.shape(), o.frame);
  const auto image = read_searched(images, o.micrograph, frame, precision::fp32);
  reject_if(count_absent(image) > 0,
            "{} has pixels that are NaN; replace them by their surroundings", o.micrograph);
  const std::vector<float> pixels = floats_of(image.samples);
  const microscopy::optics microscope = optics_of(o, image);
  const auto [volume, lengths] = read_volume(o.volume, microscope.pixel_size_angstrom);
  const microscopy::search_space space = space_of(o);
  const searching::search_part empty = part_of(o, image, pixels, volume, microscope, space);
  const microscopy::volume_request request{
      .volume = lengths,
      .height = image.height,
      .width = image.width,
      .microscope = microscope,
      .filters = filters_of(o),
      .storage = o.storage,
      .table_threshold = o.table.empty()
                             ? std::nullopt
                             : std::optional{o.table_threshold.value_or(table_threshold)},
      .histogram = o.outputs.histogram.empty() ? score_bins{} : histogram_bins,
      .max_device_bytes = static_cast<std::size_t>(1e9 * o.max_device_gb)};
  const searching::search_part part = o.merge.empty()
                                          ? searched_part(o, request, space, pixels, volume, empty)
                                          : merged(o.merge, empty);
  if (!o.run.state_file.empty()) {
    print_message("wrote {}: {} of {}", o.run.state_file, counted(part.kept.templates, "template"),
                  part.n_templates);
  }
  if (part.missing().empty()) {
    particle_search found{image, microscope, space, lengths[0], o.volume};
    if (o.refines) {
      found.refine = [&, &density = volume](const auto& maps, auto places) {
        return refined_of(o, request, pixels, density, maps, places);
      };
    }
    report_particles(o.outputs, found, part);
  } else if (has_outputs(o.outputs)) {
    print_message("particles and maps are written by --merge, of the states of all parts");
  }
  return exit_ok;
}

void add_options(CLI::App& command, options& o) {
  add_leopard_configuration(command);
  add_file(command, file_use::input, "MICROGRAPH", o.micrograph, "MRC, TIFF, .npy ..")->required();
  add_file(command, file_use::input, "VOLUME", o.volume, "MRC, TIFF stack, .npy ..")->required();
  add_count(command, "--frame", o.frame, {0, max_length}, "Image of a stack to search");
  add_real(command, "--pixel-size", o.pixel_size, {0, 1e3, true},
           "Angstrom of a pixel, if the micrograph does not say it");
  add_text(command, "--defocus", o.defocus, "Defocus in angstrom: U or U,V")->required();
  add_real(command, "--astigmatism", o.astigmatism, {-360, 360},
           "Angle of U from the x axis in degrees");
  add_real(command, "--voltage", o.voltage, {1, 1e4}, "In kV");
  add_real(command, "--cs", o.cs, {0, 100}, "Spherical aberration in mm");
  add_real(command, "--amplitude-contrast", o.amplitude, {0, 0.999}, "A part of 1");
  add_real(command, "--phase-shift", o.phase_shift, {-360, 360}, "In degrees");
  add_real(command, "--b-factor", o.b_factor, {0, far}, "In square angstrom");
  add_list(command, "--zernikes", o.zernikes, "Further terms, as Z44c=1.5,Z31s=-2, in rad A^p");
  add_text(command, "--magnification", o.magnification,
           "Anisotropic magnification of (y, x): YY,YX,XY,XX");
}

void add_search_options(CLI::App& command, options& o) {
  add_text(command, "--defocus-range", o.defocus_range,
           "Search defoci up to so far from the given one, in angstrom; or from FIRST,LAST of it");
  add_real(command, "--defocus-step", o.defocus_step, {0, far, true},
           "Between these defoci; else 200");
  add_real(command, "--psi-step", o.grid.psi_step, {0, 360, true}, "Degrees within the plane");
  add_real(command, "--theta-step", o.grid.theta_step, {0, 180, true},
           "Degrees between directions");
  add_choice(command, "--grid", o.grid.directions,
             choices<direction_grid>{{"uniform", direction_grid::uniform},
                                     {"healpix", direction_grid::healpix},
                                     {"cartesian", direction_grid::cartesian}},
             "Directions: ");
  add_text(command, "--symmetry", o.symmetry, "Of the volume: C1, C2 .., D2 .., T, O or I");
  add_text(command, "--phi", o.phi, "FIRST,LAST in degrees, in place of the symmetry's range");
  add_text(command, "--theta", o.theta, "The same of theta, which tilts");
  add_text(command, "--psi", o.psi, "The same of psi, in the plane");
  add_switch(command, "--no-whitening", o.has_no_whitening,
             "Leave the micrograph's noise coloured");
  add_real(command, "--low-cutoff", o.low_cutoff, {0, 0.71},
           "Drop frequencies below, in cycles/pixel");
  add_real(command, "--high-cutoff", o.high_cutoff, {0, 0.71, true},
           "Drop frequencies above, in cycles/pixel");
  add_real(command, "--falloff", o.falloff, {0, 1}, "Of these cutoffs, in cycles/pixel");
  add_choice(command, "--storage", o.storage,
             named_choices({precision::fp32, precision::fp16, precision::bf16}),
             "What is stored between launches: ");
  add_file(command, file_use::state, "--state", o.run.state_file,
           "Write what is kept now and then, and continue from it");
  add_real(command, "--every", o.run.every_s, {0, 1e6}, "Seconds between two writes of --state");
  add_text(command, "--shard", "Search part I of N of the orientations, from 0/N on", "",
           [&o](const std::string& text) { o.run.part = shard_of(text); });
  add_list(command, "--merge", o.merge,
           "What --state wrote of the parts of a whole search, in place of one");
  add_real(command, "--max-device-memory", o.max_device_gb, {0, far},
           "GB that a search takes of a device; 0: most of it");
  add_device(command, o.device);
  add_devices(command, o.devices, "Several devices at once, as 0,1 or opencl:0,host");
  add_particle_outputs(command, o.outputs);
  add_switch(command, "--refine", o.refines,
             "Refine angles, defocus and place of the particles that are found");
  add_file(command, file_use::output, "--table", o.table,
           "Write all scores above a threshold, with place and template, as CSV");
  add_real(command, "--table-threshold", o.table_threshold, {-far, far},
           "Of these scores; else 5.5");
}

}  // namespace

void add_match_volume(CLI::App& program, int& exit_code) {
  add_command<options>(
      program, exit_code,
      {"match-volume", "Finds a molecule in a micrograph, at any orientation", examples}, run,
      add_options, add_search_options);
}

}  // namespace wingbeat::cli
