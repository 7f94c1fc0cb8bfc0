// SPDX-License-Identifier: Apache-2.0
#include "microscopy/particle_refinement.hpp"

#include <algorithm>  // max, min
#include <cmath>      // isfinite

#include "microscopy/orientations.hpp"        // orientation_grid, rotations_around, tilts_within
#include "microscopy/projection_filters.hpp"  // projection_filters
#include "microscopy/refinement.hpp"          // refinement
#include "text/reject.hpp"                    // reject_if

namespace wingbeat::microscopy {
namespace {

/// Returns `centre` and what lies up to `step` from it on both sides.
std::vector<double> values_around(double centre, double step, std::size_t parts) {
  if (step == 0) return {centre};
  std::vector<double> values;
  for (std::size_t i = 0; i <= 2 * parts; ++i) {
    const double place = static_cast<double>(i) / static_cast<double>(parts) - 1;
    values.push_back(centre + step * place);
  }
  return values;
}

}  // namespace

std::vector<located_particle> refined_particles(
    queue& on, const refined_data& data, const score_maps& maps, const refinement_steps& steps,
    std::span<const located_particle> found,
    const std::function<void(std::size_t n_done)>& report) {
  reject_if(steps.parts == 0 || steps.rounds == 0 || !(steps.defocus_angstrom >= 0),
            "a refinement has {} rounds of {} parts, within {} A; give at least 1 of both, and a "
            "defocus from 0 on",
            steps.rounds, steps.parts, steps.defocus_angstrom);
  const std::size_t shorter = std::min(data.height, data.width);
  const std::size_t n_defoci = values_around(0, steps.defocus_angstrom, steps.parts).size();
  refinement search{on,
                    {.image = {data.height, data.width},
                     .box = data.box,
                     .filters = n_defoci,
                     .has_complex_filters = data.microscope.is_complex(),
                     .reach = std::min(steps.reach, (shorter - std::min(shorter, data.box)) / 2),
                     .magnification = data.microscope.magnification}};
  search.set_volume(on, data.spectrum);

  std::vector<located_particle> result{found.begin(), found.end()};
  std::size_t n_done = 0;
  double psi = steps.psi_degrees, theta = steps.theta_degrees, defocus = steps.defocus_angstrom;
  const auto parts = static_cast<double>(steps.parts);
  for (std::size_t round = 0; round < steps.rounds; ++round) {
    const orientation_grid offsets{tilts_within(psi, theta, psi / parts, theta / parts)};
    for (located_particle& each : result) {
      const auto orientations = rotations_around(each.angles, offsets);
      const auto defoci = values_around(each.relative_defocus, defocus, steps.parts);
      const auto filters = projection_filters(data.microscope, data.box, data.image.filter, defoci);
      const detection best = search.refine(on, data.image.values, maps, orientations, filters,
                                           each.place.y, each.place.x);
      if (std::isfinite(best.score)) {
        each = {best, angles_of(orientations[best.number / n_defoci]),
                defoci[best.number % n_defoci]};
      }
      if (report) report(++n_done);
    }
    psi /= parts, theta /= parts, defocus /= parts;
  }
  return result;
}

}  // namespace wingbeat::microscopy
