// SPDX-License-Identifier: Apache-2.0
#include "microscopy/projection_filters.hpp"

#include "microscopy/half_plane.hpp"  // half_plane
#include "text/reject.hpp"            // reject

namespace wingbeat::microscopy {

std::vector<float> projection_filters(const optics& microscope, std::size_t n,
                                      const radial_filter& filter,
                                      std::span<const double> defoci_angstrom,
                                      std::span<const double> cs_mm) {
  if (n == 0 || n % 2 != 0) {
    reject("the template's edge is {}; give an even number of pixels", n);
  }
  if (defoci_angstrom.empty()) {
    reject("no relative defocus was given; give at least one, such as 0");
  }
  if (cs_mm.empty()) cs_mm = {&microscope.cs_mm, 1};
  const half_plane plane{n, n};
  std::vector<double> factors;
  for (std::size_t bin = 0; bin < plane.bins(); ++bin) {
    factors.push_back(filter.at(plane.radius(bin)));
  }
  std::vector<float> result;
  for (const double cs : cs_mm) {
    for (const double defocus : defoci_angstrom) {
      const auto values = ctf_of(microscope, n, defocus, cs, factors);
      result.insert(result.end(), values.begin(), values.end());
    }
  }
  return result;
}

}  // namespace wingbeat::microscopy
