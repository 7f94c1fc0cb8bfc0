// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/particles.hpp"

#include <CLI/CLI.hpp>  // App

#include <algorithm>  // any_of
#include <array>
#include <functional>
#include <string_view>
#include <vector>

#include "cli/files.hpp"                  // named_file, print_table
#include "cli/image_files.hpp"            // size_text
#include "cli/messages.hpp"               // print_message, counted
#include "cli/option.hpp"                 // add_file, add_count, add_real
#include "formats/files/atomic_file.hpp"  // atomic_file
#include "formats/files/extension.hpp"    // extension_of
#include "formats/files/hdf5.hpp"         // hdf5_writer
#include "formats/images/marks.hpp"       // draw_boxes, marks_for
#include "microscopy/particle_table.hpp"  // particles_csv, particle_columns
#include "text/formatted.hpp"             // formatted
#include "text/reject.hpp"                // reject_if
#include "wingbeat/plan.hpp"              // max_length

namespace wingbeat::cli {
namespace {

using microscopy::detection;
using microscopy::score_maps;
using microscopy::search_space;

/// A map of Leopard-EM: its name, its unit, and the value of a place.
struct named_map {
  std::string_view name, unit;
  std::function<double(std::size_t place)> value;
};

constexpr std::array map_names{"mip",
                               "scaled_mip",
                               "orientation_psi",
                               "orientation_theta",
                               "orientation_phi",
                               "relative_defocus",
                               "correlation_average",
                               "correlation_variance"};

/// Returns the files of --maps or --map-files.
std::vector<named_file> map_files_of(const particle_outputs& o) {
  std::vector<named_file> files;
  for (const std::string& file : o.map_files) files.push_back({"--map-files", file, false, true});
  if (o.maps.empty()) return files;
  for (const char* const name : map_names) {
    files.push_back({"--maps", formatted("{}_{}.mrc", o.maps, name), false, true});
  }
  return files;
}

/// Returns Leopard-EM's maps, in the order of `particle_source::maps`.
std::array<named_map, map_names.size()> maps_of(const score_maps& maps, const search_space& space) {
  const auto point = [&](std::size_t place) { return space.at(maps.numbers[place]); };
  return {{{map_names[0], "", [&](std::size_t i) { return maps.largest[i]; }},
           {map_names[1], "", [&](std::size_t i) { return maps.z[i]; }},
           {map_names[2], "degree", [=](std::size_t i) { return point(i).angles.psi; }},
           {map_names[3], "degree", [=](std::size_t i) { return point(i).angles.theta; }},
           {map_names[4], "degree", [=](std::size_t i) { return point(i).angles.phi; }},
           {map_names[5], "angstrom", [=](std::size_t i) { return point(i).defocus_offset; }},
           {map_names[6], "", [&](std::size_t i) { return maps.mean[i]; }},
           {map_names[7], "", [&](std::size_t i) { return maps.deviation[i]; }}}};
}

std::vector<double> values_of(const named_map& map, std::size_t n_places) {
  std::vector<double> values(n_places);
  for (std::size_t i = 0; i < n_places; ++i) values[i] = map.value(i);
  return values;
}

void write_map(const std::string& file, const score_maps& maps,
               const formats::image_stack& micrograph, const named_map& map) {
  static_cast<void>(formats::write_images(file, {.samples = values_of(map, maps.z.size()),
                                                 .height = maps.height,
                                                 .width = maps.width,
                                                 .pixel_angstrom = micrograph.pixel_angstrom}));
}

/// Writes maps, with the group and attributes that Leopard-EM reads, and the table of particles.
void write_hdf5(const std::string& file, const score_maps& maps, std::span<const named_map> named,
                std::span<const microscopy::particle> particles,
                const microscopy::particle_source& source, const search_space& space) {
  formats::atomic_file output{file};
  std::optional<formats::hdf5_writer> writer;
  const auto add = [&](const formats::hdf5_layout& layout, std::span<const double> numbers) {
    writer ? writer->begin(layout) : static_cast<void>(writer.emplace(output, layout));
    writer->write(numbers);
  };
  const double pixel = source.microscope.pixel_size_angstrom;
  for (const named_map& map : named) {
    add({.name = formatted("tensors/{}", map.name),
         .unit = std::string{map.unit},
         .axes = {formats::even_axis("y", "angstrom", maps.height, pixel),
                  formats::even_axis("x", "angstrom", maps.width, pixel)},
         .is_compressed = true},
        values_of(map, maps.z.size()));
  }
  for (const auto& [name, unit, values] : microscopy::particle_columns(particles, source)) {
    add({.name = formatted("particles/{}", name),
         .unit = unit,
         .axes = {formats::even_axis("particle", "", values.size())},
         .is_single_precision = false},
        values);
  }
  writer->set("total_projections", static_cast<double>(source.templates));
  writer->set("total_orientations", static_cast<double>(space.orientations.count()));
  writer->set("total_defocus", static_cast<double>(space.defocus_offsets.size()));
  writer->set("micrograph_path", source.micrograph);
  writer->set("template_path", source.volume);
  writer->finish();
  output.commit();
  print_message("wrote {}: eight maps of {}, {}", file, size_text(maps.height, maps.width),
                counted(particles.size(), "particle"));
}

void write_text(const std::string& file, std::size_t count, std::string_view text) {
  if (file.empty()) return;
  formats::atomic_file target{file};
  target.write(text);
  target.commit();
  print_message("wrote {}: {}", file, counted(count, "particle"));
}

void write_histogram(const std::string& file, const std::vector<std::uint64_t>& counts) {
  if (file.empty()) return;
  reject_if(counts.empty(), "the search kept no histogram for {}; search with --histogram", file);
  const auto& [begin, end, n] = histogram_bins;
  std::string text = "score_from,score_to,count\n";
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto edge = [&](std::size_t bin) {
      return begin + (end - begin) * static_cast<double>(bin) / static_cast<double>(n);
    };
    text += formatted("{},{},{}\n", edge(i), edge(i + 1), counts[i]);
    total += counts[i];
  }
  formats::write_whole_file(file, text);
  print_message("wrote {}: {} in {} bins", file, counted(total, "score"), n);
}

void draw(const std::string& file, const particle_search& searched,
          const std::vector<microscopy::particle>& particles) {
  if (file.empty()) return;
  std::vector<formats::image_box> boxes;
  for (const microscopy::particle& each : particles) {
    const auto& [place, angles, defocus] = each.best();
    boxes.push_back({.y = static_cast<std::ptrdiff_t>(place.y),
                     .x = static_cast<std::ptrdiff_t>(place.x),
                     .height = searched.box,
                     .width = searched.box,
                     .label = formatted("{:.1f}: {:.0f},{:.0f},{:.0f}", place.score, angles.phi,
                                        angles.theta, angles.psi)});
  }
  const formats::image_stack& image = searched.micrograph;
  const auto marked =
      formats::draw_boxes(image, boxes, formats::marks_for(image.height, image.width));
  static_cast<void>(formats::write_images(file, marked, {.range = formats::value_range{0, 255}}));
  print_message("wrote {}: {} marked", file, counted(boxes.size(), "particle"));
}

std::string table_of(const std::vector<microscopy::particle>& particles, double threshold) {
  if (particles.empty()) return formatted("no particle has a z above {:.3g}\n", threshold);
  std::string text = formatted("{:>6} {:>6} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9}\n", "y", "x", "z",
                               "score", "phi", "theta", "psi", "defocus");
  for (const microscopy::particle& each : particles) {
    const auto& [place, angles, defocus] = each.best();
    text += formatted("{:>6} {:>6} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.2f} {:>9.1f}\n",
                      place.y, place.x, place.score, place.largest, angles.phi, angles.theta,
                      angles.psi, defocus);
  }
  return text;
}

/// Returns the particles of a search, refined if it says how.
std::vector<microscopy::particle> particles_of(const particle_search& searched,
                                               const score_maps& maps, std::size_t n_templates,
                                               const microscopy::detection_request& request) {
  std::vector<microscopy::located_particle> found;
  for (const detection& each : detections_of(maps, n_templates, request)) {
    const search_space::point point = searched.space.at(static_cast<std::size_t>(each.number));
    found.push_back({each, point.angles, point.defocus_offset});
  }
  std::vector<microscopy::particle> particles(found.begin(), found.end());
  if (!searched.refine || found.empty()) return particles;
  const auto refined = searched.refine(maps, found);
  for (std::size_t i = 0; i < found.size(); ++i) particles[i].refined = refined[i];
  return particles;
}

}  // namespace

std::vector<named_file> files_of(const particle_outputs& o) {
  std::vector<named_file> files = map_files_of(o);
  files.insert(files.end(), {{"--csv", o.csv, false, true},
                             {"--star", o.star, false, true},
                             {"--hdf5", o.hdf5, false, true},
                             {"--z", o.z, false, true},
                             {"--histogram", o.histogram, false, true},
                             {"--picture", o.picture, false, true}});
  return files;
}

bool has_outputs(const particle_outputs& o) {
  return std::ranges::any_of(files_of(o), [](const auto& file) { return !file.path.empty(); });
}

void require_outputs(const particle_outputs& o) {
  const std::string extension = formats::extension_of(o.picture);
  reject_if(!o.picture.empty() && extension != ".png", "cannot draw {}; its name must end in .png",
            o.picture);
  reject_if(!o.picture.empty() && !formats::has_image_libraries(),
            "this build writes no PNG; configure with WINGBEAT_IMAGES=ON");
  reject_if(!o.hdf5.empty() && !formats::has_hdf5_library(),
            "this build writes no HDF5; configure with WINGBEAT_HDF5=ON");
  constexpr std::size_t n_maps = std::tuple_size_v<decltype(microscopy::particle_source::maps)>;
  reject_if(!o.map_files.empty() && o.map_files.size() != n_maps,
            "--map-files has {}; give {}, in the order of --maps",
            counted(o.map_files.size(), "name"), n_maps);
  reject_if(!o.map_files.empty() && !o.maps.empty(),
            "--maps and --map-files name the same maps; leave out one of the two");
  for (const std::string& file : o.map_files) formats::require_holds(file, 1, 1);
  if (!o.z.empty()) formats::require_holds(o.z, 1, 1);
}

void report_particles(const particle_outputs& o, const particle_search& searched,
                      const searching::search_part& part) {
  const score_maps maps = microscopy::maps_of(part.kept);
  microscopy::detection_request request{.false_positives = o.false_positives.value_or(1),
                                        .threshold = o.threshold,
                                        .radius = o.radius};
  if (o.top) request.most = *o.top;
  const double n_scores =
      static_cast<double>(maps.z.size()) * static_cast<double>(part.n_templates);
  const double threshold =
      o.threshold ? *o.threshold : microscopy::threshold_of(request.false_positives, n_scores);
  const auto particles = particles_of(searched, maps, part.n_templates, request);
  microscopy::particle_source source{.microscope = searched.microscope,
                                     .box = searched.box,
                                     .templates = part.n_templates,
                                     .micrograph = part.source.image_file,
                                     .volume = searched.volume,
                                     .is_refined = static_cast<bool>(searched.refine)};
  const auto named = maps_of(maps, searched.space);
  const std::vector<named_file> files = map_files_of(o);
  const bool has_maps = !files.empty();
  for (std::size_t i = 0; i < named.size(); ++i) {
    source.maps[i] = has_maps ? files[i].path : o.hdf5;
    if (has_maps) write_map(source.maps[i], maps, searched.micrograph, named[i]);
  }
  if (has_maps) {
    print_message("wrote {} and seven others: maps of {}", source.maps[0],
                  size_text(maps.height, maps.width));
  }
  if (!o.z.empty()) write_map(o.z, maps, searched.micrograph, named[1]);
  if (!o.hdf5.empty()) write_hdf5(o.hdf5, maps, named, particles, source, searched.space);
  write_text(o.csv, particles.size(), microscopy::particles_csv(particles, source));
  write_text(o.star, particles.size(),
             microscopy::particles_star(particles, source, part.source.micrograph));
  write_histogram(o.histogram, part.kept.histogram);
  draw(o.picture, searched, particles);
  print_table(table_of(particles, threshold), {o.csv, o.star, o.z, o.picture, o.histogram});
}

void add_particle_outputs(CLI::App& command, particle_outputs& o) {
  constexpr double most = 1e9;
  add_real(command, "--false-positives", o.false_positives, {0, most, true},
           "Places that noise is expected to bring above the threshold");
  add_real(command, "--threshold", o.threshold, {-most, most}, "Of z, in place of that for these");
  add_real(command, "--radius", o.radius, {0, 4096}, "Pixels; nearer to a particle is no other");
  add_count(command, "--top", o.top, {1, max_length}, "At most so many particles");
  add_file(command, file_use::output, "--csv", o.csv, "Write particles as Leopard-EM does");
  add_file(command, file_use::output, "--star", o.star, "Write particles of RELION to FILE.star");
  add_text(command, "--maps", o.maps, "Write Leopard-EM's eight maps, PREFIX_mip.mrc and so on")
      ->type_name("PREFIX");
  add_outputs(command, "--map-files", o.map_files,
              "Names for these maps: largest score, z, psi, theta, phi, defocus, mean, deviation");
  add_file(command, file_use::output, "--hdf5", o.hdf5,
           "Write these maps and the table of particles into one file");
  add_file(command, file_use::output, "--z", o.z, "Write z of each place as an image");
  add_file(command, file_use::output, "--histogram", o.histogram,
           "Write how many scores of all templates and places are in each of 512 bins");
  add_file(command, file_use::output, "--picture", o.picture,
           "Draw the micrograph with the particles, z and angles to FILE.png");
}

}  // namespace wingbeat::cli
