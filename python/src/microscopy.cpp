// SPDX-License-Identifier: Apache-2.0
// What prepares searches of micrographs: orientations, optics, filters, spectra of volumes.
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>  // copy_n
#include <array>
#include <complex>
#include <cstddef>  // size_t
#include <span>
#include <string_view>
#include <utility>  // move
#include <vector>

#include "bindings.hpp"
#include "fields.hpp"                         // read
#include "microscopy/micrograph.hpp"          // filtered_micrograph
#include "microscopy/orientations.hpp"        // orientation_grid, axes_of, rotation_of
#include "microscopy/projection_filters.hpp"  // projection_filters
#include "microscopy/volume.hpp"              // volume_spectrum
#include "optics.hpp"                         // optics_of
#include "owned_array.hpp"

namespace wingbeat::python {
namespace {

using namespace microscopy;

template <class Value>
std::span<const Value> values_of(const packed_array<Value>& x) {
  return {x.data(), x.size()};
}

/// Returns an array of rows, one for each of `count` arrays that `row` returns.
template <class Value, std::size_t Length, class Row>
nb::object rows_of(std::size_t count, const Row& row) {
  std::vector<Value> values;
  values.reserve(count * Length);
  for (std::size_t i = 0; i < count; ++i) {
    const std::array<Value, Length> next = row(i);
    values.insert(values.end(), next.begin(), next.end());
  }
  return owned_array(std::move(values), {count, Length});
}

nb::object rotations_of_angles(const packed_array<double>& angles) {
  return rows_of<float, 9>(angles.size() / 3, [&](std::size_t i) {
    const double* const each = angles.data() + 3 * i;
    return rotation_of({each[0], each[1], each[2]});
  });
}

nb::object axes_of_rotations(const packed_array<float>& rotations,
                             const std::array<double, 4>& magnification) {
  return rows_of<float, 6>(rotations.size() / 9, [&](std::size_t i) {
    rotation each;
    std::copy_n(rotations.data() + 9 * i, 9, each.begin());
    return axes_of(each, magnification);
  });
}

/// ranges: first and last phi, theta and psi.
nb::object grid_of(int directions, double psi_step, double theta_step, double phi_step,
                   const std::array<double, 6>& ranges) {
  const auto& [phi, phi_last, theta, theta_last, psi, psi_last] = ranges;
  const orientation_grid grid{{static_cast<direction_grid>(directions),
                               psi_step,
                               theta_step,
                               phi_step,
                               {phi, phi_last, theta, theta_last, psi, psi_last}}};
  return rows_of<double, 3>(grid.count(), [&](std::size_t i) {
    const euler_angles each = grid.angles(i);
    return std::array{each.phi, each.theta, each.psi};
  });
}

std::array<double, 6> ranges_of_symmetry(std::string_view symmetry) {
  const angle_ranges found = ranges_of(symmetry);
  return {found.phi_first,  found.phi_last,  found.theta_first,
          found.theta_last, found.psi_first, found.psi_last};
}

/// Returns filters [cs][defocus][ky][kx]; `filter` may be None.
nb::object filters_of(nb::handle given, std::size_t n, const radial_filter* filter,
                      const std::vector<double>& defoci, const std::vector<double>& cs) {
  const optics microscope = optics_of(given);
  std::vector<float> values;
  {
    const released_gil released;
    values = projection_filters(microscope, n, filter == nullptr ? radial_filter{} : *filter,
                                defoci, cs);
  }
  const std::size_t n_cs = cs.empty() ? 1 : cs.size();
  if (!microscope.is_complex()) {
    return owned_array(std::move(values), {n_cs, defoci.size(), n, n / 2 + 1});
  }
  const nb::object parts = owned_array(std::move(values), {n_cs, defoci.size(), n, n + 2});
  return parts.attr("view")("complex64");
}

/// Returns (image, filter).
nb::tuple micrograph_of(queue& on, const packed_array<float>& image, nb::handle given) {
  filter_options options;
  radial_curve curve;
  read(given, "whitening", options.whitening.enabled, "max_frequency", options.whitening.max_freq,
       "bandpass", options.bandpass.enabled, "low", options.bandpass.low_freq_cutoff, "high",
       options.bandpass.high_freq_cutoff, "falloff", options.bandpass.falloff, "frequencies",
       curve.frequencies, "values", curve.values);
  if (!curve.frequencies.empty()) options.curve = curve;
  micrograph result;
  {
    const released_gil released;
    result = filtered_micrograph(on, values_of(image), image.shape(0), image.shape(1), options);
  }
  return nb::make_tuple(owned_array(std::move(result.values), {image.shape(0), image.shape(1)}),
                        nb::cast(std::move(result.filter)));
}

nb::object spectrum_of(queue& on, const packed_array<float>& volume) {
  const std::array lengths{volume.shape(0), volume.shape(1), volume.shape(2)};
  std::vector<std::complex<float>> bins;
  {
    const released_gil released;
    const buffer spectrum = volume_spectrum(on, values_of(volume), lengths);
    bins.resize(spectrum.size_bytes() / sizeof bins[0]);
    spectrum.read(bins.data(), spectrum.size_bytes());
  }
  return owned_array(std::move(bins), {lengths[0], lengths[1], lengths[2] / 2 + 1});
}

}  // namespace

microscopy::optics optics_of(nb::handle given) {
  optics result;
  auto& [voltage, pixel_size, defocus_u, defocus_v, astigmatism, cs, contrast, phase_shift,
         b_factor, zernikes, beam_tilt, magnification] = result;
  read(given, "voltage", voltage, "pixel_size", pixel_size, "defocus_u", defocus_u, "defocus_v",
       defocus_v, "astigmatism_angle", astigmatism, "spherical_aberration", cs,
       "amplitude_contrast", contrast, "phase_shift", phase_shift, "b_factor", b_factor, "zernikes",
       zernikes, "beam_tilt", beam_tilt, "magnification", magnification);
  return result;
}

void bind_microscopy(nb::module_& module) {
  using nb::literals::operator""_a;
  nb::class_<radial_filter>(module, "RadialFilter",
                            "What a micrograph and its templates are multiplied by, as a function "
                            "of the frequency in cycles/pixel.")
      .def("__call__", &radial_filter::at, "frequency"_a);
  module.def("rotations", &rotations_of_angles, "angles"_a);
  module.def("plane_axes", &axes_of_rotations, "rotations"_a, "magnification"_a);
  module.def("orientation_grid", &grid_of, "directions"_a, "psi_step"_a, "theta_step"_a,
             "phi_step"_a, "ranges"_a);
  module.def("symmetry_ranges", &ranges_of_symmetry, "symmetry"_a);
  module.def("projection_filters", &filters_of, "optics"_a, "n"_a, "filter"_a.none(), "defoci"_a,
             "spherical_aberrations"_a);
  module.def("filtered_micrograph", &micrograph_of, "queue"_a, "image"_a, "options"_a);
  module.def("volume_spectrum", &spectrum_of, "queue"_a, "volume"_a);
}

}  // namespace wingbeat::python
