// SPDX-License-Identifier: Apache-2.0
// Convolutions of images with kernel images.
#include <string>

#include "array_library.hpp"  // given_array, described
#include "bindings.hpp"
#include "call_memory.hpp"
#include "device_copy.hpp"
#include "fields.hpp"  // read
#include "kept_by_device.hpp"
#include "wingbeat/image_convolution.hpp"

namespace wingbeat::python {
namespace {

image_convolution_spec spec_of(const array& image, const array& kernel, nb::handle choices) {
  const auto count = [](const array& x, int d) { return static_cast<std::size_t>(x.shape[d]); };
  image_convolution_spec spec;
  auto& [height, width, channels, kernel_height, kernel_width, kernel_channels, mode, outside,
         normalise, stored, between, image_peak, kernel_peak] = spec;
  height = count(image, 0);
  width = count(image, 1);
  channels = count(image, 2);
  kernel_height = count(kernel, 0);
  kernel_width = count(kernel, 1);
  kernel_channels = count(kernel, 2);
  stored = image.element.real;
  read(choices, "outside", outside, "between", between, "image_peak", image_peak, "kernel_peak",
       kernel_peak);
  return spec;
}

auto& kept_image_convolutions = *new kept_by_device<image_convolution_spec, image_convolution>;

/// The operands of the steps of a call.
struct image_operands {
  buffer_view image, kernel, out;
};

void run(released_call& call, const image_convolution_spec& spec, const image_operands& given) {
  const auto steps = kept_image_convolutions.get(call.on, spec);
  const buffer_view spectra = call.memory(steps->spectra_bytes());
  const buffer_view workspace = call.memory(steps->workspace_bytes());
  steps->prepare(call.on, given.kernel, spectra, workspace);
  steps->enqueue(call.on, spectra, given.image, given.out, workspace);
}

/// Convolves an image [y][x][channel], fp32 or fp16, with an fp32 kernel [y][x][channel]. All
/// arrays are packed and in one memory; they run on its device, or are copied to the device of a
/// given queue.
void convolve_image(nb::handle image, nb::handle kernel, nb::handle out, nb::handle choices,
                    const queue* given) {
  const given_array operand = given_array::of(image);
  const array &pixels = operand.view, taps = described(kernel), result = described(out);
  const image_convolution_spec spec = spec_of(pixels, taps, choices);
  if (given == nullptr) {
    released_call call{operand};
    return run(call, spec, {pixels.view(), taps.view(), result.view()});
  }
  released_call call{*given};
  queue& on = call.on;
  device_copy image_copy{on, pixels.data, pixels.extent_bytes()},
      kernel_copy{on, taps.data, taps.extent_bytes()};
  device_copy out_copy{on, result.data, result.extent_bytes()};
  image_copy.send();
  kernel_copy.send();
  run(call, spec, {image_copy.view(), kernel_copy.view(), out_copy.view()});
  out_copy.fetch(on);
}

}  // namespace

void bind_images(nb::module_& module) {
  using nb::literals::operator""_a;
  for (const border outside :
       {border::zero, border::mirror, border::repeat, border::clamp, border::reflect}) {
    const std::string name{wingbeat::name_of(outside)};
    module.attr(("border_" + name).c_str()) = static_cast<int>(outside);
  }
  module.def("convolve_image", &convolve_image, "image"_a, "kernel"_a, "out"_a, "choices"_a,
             "queue"_a.none(),
             "Convolves an image [y][x][channel] with a kernel [y][x][channel] to out.");
}

}  // namespace wingbeat::python
