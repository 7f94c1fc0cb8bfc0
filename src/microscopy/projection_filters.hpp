// SPDX-License-Identifier: Apache-2.0
// What slices of a volume are multiplied by: transfer functions times an image's filter.
#pragma once

#include <cstddef>  // size_t
#include <span>
#include <vector>

#include "microscopy/image_filters.hpp"  // radial_filter
#include "microscopy/optics.hpp"         // optics

namespace wingbeat::microscopy {

/// Returns filters [cs][defocus][ky][kx] of n and n/2 + 1 bins in the order of rfft2, as
/// `orientation_search::set_filters` takes them: reals, or complex numbers if
/// `microscope.is_complex()`. cs_mm: spherical aberrations; empty: the microscope's own. Throws
/// `plan_error` for an odd n or no defocus, and as `contrast_transfer` does.
[[nodiscard]] std::vector<float> projection_filters(const optics& microscope, std::size_t n,
                                                    const radial_filter& filter,
                                                    std::span<const double> defoci_angstrom,
                                                    std::span<const double> cs_mm = {});

}  // namespace wingbeat::microscopy
