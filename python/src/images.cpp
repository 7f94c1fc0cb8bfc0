// SPDX-License-Identifier: Apache-2.0
// Convolutions of images with kernel images.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <array>
#include <memory>  // make_shared, shared_ptr
#include <string>

#include "bindings.hpp"
#include "device_copy.hpp"
#include "latest_used.hpp"
#include "queues.hpp"  // host_queue
#include "wingbeat/buffer.hpp"
#include "wingbeat/image_convolution.hpp"

namespace wingbeat::python {
namespace {

using pixels = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using written_pixels = nb::ndarray<nb::c_contig, nb::device::cpu>;

image_convolution_spec spec_of(const pixels& image, const pixels& kernel, int outside,
                               int normalise) {
  image_convolution_spec spec;
  spec.height = image.shape(0);
  spec.width = image.shape(1);
  spec.channels = image.shape(2);
  spec.kernel_height = kernel.shape(0);
  spec.kernel_width = kernel.shape(1);
  spec.kernel_channels = kernel.shape(2);
  spec.outside = static_cast<border>(outside);
  spec.normalise = static_cast<normalisation>(normalise);
  spec.stored = image.dtype() == nb::dtype<float>() ? precision::fp32 : precision::fp16;
  return spec;
}

/// What tells one kept convolution from another.
struct image_key {
  engine runs_on;
  int device_index;
  std::array<std::size_t, 6> lengths;  // height, width, channels of the image, then of the kernel
  border outside;
  normalisation normalise;
  precision stored;

  friend bool operator==(const image_key&, const image_key&) = default;
};

std::shared_ptr<const image_convolution> convolution_of(const queue& on,
                                                        const image_convolution_spec& spec) {
  // Never destroyed: drivers may be gone when static objects are.
  static auto& kept = *new latest_used<image_key, image_convolution>{8};
  const device_info& device = on.device();
  const image_key key{device.runs_on,
                      device.index,
                      {spec.height, spec.width, spec.channels, spec.kernel_height,
                       spec.kernel_width, spec.kernel_channels},
                      spec.outside,
                      spec.normalise,
                      spec.stored};
  return kept.get(key, [&] { return std::make_shared<const image_convolution>(on, spec); });
}

/// Convolves an image [y][x][channel], fp32 or fp16, with a kernel [y][x][channel] of fp32.
void convolve_image(pixels image, pixels kernel, written_pixels out, int outside, int normalise,
                    const queue* given) {
  const image_convolution_spec spec = spec_of(image, kernel, outside, normalise);
  const nb::gil_scoped_release released;
  queue on = given != nullptr ? *given : host_queue();
  const auto steps = convolution_of(on, spec);
  device_copy in{on, image.data(), image.nbytes()}, taps{on, kernel.data(), kernel.nbytes()};
  device_copy result{on, out.data(), out.nbytes()};
  in.send();
  taps.send();
  const buffer spectra{on, steps->spectra_bytes()}, workspace{on, steps->workspace_bytes()};
  steps->prepare(on, taps.view(), spectra.view(), workspace.view());
  steps->enqueue(on, spectra.view(), in.view(), result.view(), workspace.view());
  result.fetch(on);
}

}  // namespace

void bind_images(nb::module_& module) {
  using nb::literals::operator""_a;
  for (const border outside : {border::zero, border::mirror, border::repeat, border::clamp}) {
    const std::string name{name_of(outside)};
    module.attr(("border_" + name).c_str()) = static_cast<int>(outside);
  }
  module.def("convolve_image", &convolve_image, "image"_a, "kernel"_a, "out"_a, "outside"_a,
             "normalise"_a, "queue"_a.none(),
             "Convolves an image [y][x][channel] with a kernel [y][x][channel] to out.");
}

}  // namespace wingbeat::python
