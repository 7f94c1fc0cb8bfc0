// SPDX-License-Identifier: Apache-2.0
// Particles as tables of other programs: Leopard-EM's CSV and RELION's STAR.
#pragma once

#include <array>
#include <cstddef>  // size_t
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "microscopy/detections.hpp"    // detection, search_space
#include "microscopy/optics.hpp"        // optics
#include "microscopy/orientations.hpp"  // euler_angles

namespace wingbeat::microscopy {

/// A place with the template that fits best there.
struct located_particle {
  detection place;
  euler_angles angles;
  double relative_defocus = 0;  ///< Angstrom, beside the micrograph's.
};

struct particle {
  located_particle found;
  std::optional<located_particle> refined = {};
  std::optional<euler_angles> offset = {};  ///< Of a constrained search: from its partner's.

  /// Returns the refined place, or the found one.
  [[nodiscard]] const located_particle& best() const { return refined ? *refined : found; }
};

/// What the particles of a micrograph have in common.
struct particle_source {
  optics microscope;
  std::size_t box = 0;        ///< Edge of the volume.
  std::size_t templates = 0;  ///< Of the search.
  std::string micrograph, volume;
  /// Files of the search's maps: largest score, z, psi, theta, phi, defocus, mean, deviation.
  std::array<std::string, 8> maps = {};
  bool is_refined = false;  ///< Particles were refined, if there are any.
};

/// Returns CSV with the columns of Leopard-EM 1.3.0 in its order; those of refined and constrained
/// searches if all particles have them. As there, `correlation_variance` is the standard deviation.
/// There is no column for beam tilt.
[[nodiscard]] std::string particles_csv(std::span<const particle> particles,
                                        const particle_source& source);

/// A column of numbers; its unit is empty for counts, scores and places in pixels.
struct particle_column {
  std::string name, unit;
  std::vector<double> values;
};
/// Returns the columns of `particles_csv` that hold numbers, in its order.
[[nodiscard]] std::vector<particle_column> particle_columns(std::span<const particle> particles,
                                                            const particle_source& source);

/// Returns a STAR file of RELION 3.1 with one optics group. Coordinates are those of the template's
/// centre, box / 2, in pixels from 0; a refined place replaces the found one. Rot, tilt and psi are
/// phi, theta and psi; defoci include the relative defocus; the figure of merit is z. Zernike
/// terms, beam tilt and magnification are left out. micrograph: its name in RELION.
[[nodiscard]] std::string particles_star(std::span<const particle> particles,
                                         const particle_source& source,
                                         const std::string& micrograph);

}  // namespace wingbeat::microscopy
