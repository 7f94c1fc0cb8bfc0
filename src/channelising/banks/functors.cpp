// SPDX-License-Identifier: Apache-2.0
#include "channelising/banks/functors.hpp"

#include <complex>

#include "formatted.hpp"  // formatted

namespace wingbeat::channelising {
namespace {

/// Of complex numbers, which are filtered where they are loaded; real ones are on engines that
/// compile kernels filtered by a kernel of their own.
std::string load_text(const channeliser_spec& spec, const sample_planes& planes,
                      std::size_t n_heaps) {
  const channeliser_sizes sizes = sizes_of(spec);
  return formatted(
      R"(#include "wingbeat/device/channeliser/spectrum_entry.hpp"
#include "wingbeat/device/complex.hpp"
struct wingbeat_bank_load {{
  using size = wingbeat::device::size;
  using element = wingbeat::device::complex<float>;
  static constexpr bool in_order = false;
  struct operands {{
    WINGBEAT_GLOBAL const wingbeat::device::channeliser::spectrum_entry* spectra;
    WINGBEAT_GLOBAL const float* weights;
  }};
  WINGBEAT_FN static element load(WINGBEAT_GLOBAL const element* in, operands given, size row,
                                  size i) {{
    using namespace wingbeat::device;
    WINGBEAT_GLOBAL const element* const window =
        in + row / {0} * {1} + given.spectra[row].first + i;
    element sum{{}};
    for (unsigned m = 0; m < {2}; ++m) {{
      sum = sum + scaled(copied_from(window + m * size({3})), given.weights[m * size({3}) + i]);
    }}
    return sum;
  }}
}};
)",
      n_heaps * sizes.spectra_per_heap, planes.plane_bytes / sizeof(std::complex<float>), spec.taps,
      sizes.transform);
}

}  // namespace

sample_form form_of_samples(engine runs_on, bool is_complex) {
  const bool is_compiled = runs_on == engine::cuda || runs_on == engine::opencl;
  if (is_compiled) return sample_form::packed;
  return is_complex ? sample_form::complex : sample_form::reals;
}

fused_load bank_load(const channeliser_spec& spec, const sample_planes& planes,
                     std::size_t n_heaps) {
  return {.in_bytes = spec.polarisations * planes.plane_bytes,
          .element_bytes = sizeof(std::complex<float>),
          .source = {load_text(spec, planes, n_heaps), "wingbeat_bank_load"},
          .operands = {kernel_parameter::input(sizeof(spectrum_entry)),
                       kernel_parameter::input(sizeof(float))}};
}

}  // namespace wingbeat::channelising
