// SPDX-License-Identifier: Apache-2.0
// Particles that a search for a volume found, as a table, CSV, STAR, HDF5, pictures and maps.
#pragma once

#include <cstddef>  // size_t
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/files.hpp"                  // named_file
#include "formats/images/image.hpp"       // image_stack
#include "microscopy/detections.hpp"      // search_space, score_maps
#include "microscopy/optics.hpp"          // optics
#include "microscopy/particle_table.hpp"  // located_particle
#include "searching/part.hpp"             // search_part

namespace CLI {
class App;
}  // namespace CLI

namespace wingbeat::cli {

struct particle_outputs {
  std::string csv, star, maps, hdf5, z, picture, histogram;
  std::vector<std::string> map_files;  ///< In place of `maps`, which is a prefix of names.
  std::optional<std::size_t> top;
  std::optional<double> threshold, false_positives;
  double radius = 5;
};

/// The bins of --histogram.
inline constexpr score_bins histogram_bins{.begin = -12.5, .end = 22.5, .count = 512};

void add_particle_outputs(CLI::App& command, particle_outputs& target);

/// Returns the files that are written.
[[nodiscard]] std::vector<named_file> files_of(const particle_outputs& outputs);
[[nodiscard]] bool has_outputs(const particle_outputs& outputs);

/// Throws `plan_error` for files that cannot hold their output.
void require_outputs(const particle_outputs& outputs);

/// What was searched for particles.
struct particle_search {
  const formats::image_stack& micrograph;
  const microscopy::optics& microscope;
  const microscopy::search_space& space;
  std::size_t box = 0;
  std::string volume;  ///< Its file.
  /// Returns refined particles of found ones; empty: they are not refined.
  std::function<std::vector<microscopy::located_particle>(
      const microscopy::score_maps& maps, std::span<const microscopy::located_particle> found)>
      refine = {};
};

/// Writes and prints all outputs of a whole search.
void report_particles(const particle_outputs& outputs, const particle_search& searched,
                      const searching::search_part& part);

}  // namespace wingbeat::cli
