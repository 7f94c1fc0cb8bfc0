// SPDX-License-Identifier: Apache-2.0
// Refines the particles of a search: orientation, defocus and place, in rounds of finer steps.
#pragma once

#include <cstddef>  // size_t
#include <functional>
#include <span>
#include <vector>

#include "microscopy/micrograph.hpp"      // micrograph
#include "microscopy/optics.hpp"          // optics
#include "microscopy/particle_table.hpp"  // located_particle
#include "wingbeat/buffer.hpp"            // buffer_view
#include "wingbeat/queue.hpp"             // queue

namespace wingbeat::microscopy {

/// Each round tries orientations and defoci within the steps of the one before, those of the search
/// at first, in `parts` steps to each side. At steps of 1.5 and 2.5 degrees, 200 A: up to 0.3 and
/// 0.5 degrees, 40 A in the first round, 0.06 and 0.1 degrees, 8 A in the second.
struct refinement_steps {
  double psi_degrees = 1.5, theta_degrees = 2.5;
  double defocus_angstrom = 200;  ///< 0: the defocus that was found.
  std::size_t parts = 5, rounds = 2;
  std::size_t reach = 8;  ///< Pixels around the place, in each round; fewer in a small image.
};

/// The image and volume of a search.
struct refined_data {
  const optics& microscope;
  const micrograph& image;  ///< As prepared for the search.
  std::size_t height = 0, width = 0, box = 0;
  buffer_view spectrum;  ///< As `orientation_search::set_volume` takes it.
};

/// Returns particles with the largest z of all that was tried, in the order of `found`; one whose
/// scores have no deviation stays as it is. Waits. maps: of the search. report: called with the
/// particles done in all rounds. Throws as `refinement` and `projection_filters` do.
[[nodiscard]] std::vector<located_particle> refined_particles(
    queue& on, const refined_data& data, const score_maps& maps, const refinement_steps& steps,
    std::span<const located_particle> found,
    const std::function<void(std::size_t n_done)>& report = {});

}  // namespace wingbeat::microscopy
