// SPDX-License-Identifier: Apache-2.0
// Convolutions of images with kernel images.
#include <array>
#include <memory>  // make_shared, shared_ptr
#include <string>

#include "array.hpp"
#include "bindings.hpp"
#include "call_memory.hpp"
#include "device_copy.hpp"
#include "latest_used.hpp"
#include "numpy_array.hpp"  // described
#include "stored_between.hpp"
#include "wingbeat/image_convolution.hpp"

namespace wingbeat::python {
namespace {

image_convolution_spec spec_of(const array& image, const array& kernel, int outside,
                               const stored_between& between) {
  const auto count = [](const array& x, int d) { return static_cast<std::size_t>(x.shape[d]); };
  image_convolution_spec spec;
  spec.height = count(image, 0);
  spec.width = count(image, 1);
  spec.channels = count(image, 2);
  spec.kernel_height = count(kernel, 0);
  spec.kernel_width = count(kernel, 1);
  spec.kernel_channels = count(kernel, 2);
  spec.outside = static_cast<border>(outside);
  spec.stored = image.element.real;
  spec.between = between.stored.value_or(precision::fp32);
  spec.image_peak = between.image_peak;
  spec.kernel_peak = between.kernel_peak;
  return spec;
}

/// What tells one kept convolution from another.
struct image_key {
  engine runs_on;
  int device_index;
  std::array<std::size_t, 6> lengths;  // height, width, channels of the image, then of the kernel
  border outside;
  precision stored, between;
  double image_peak, kernel_peak;

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
                      spec.stored,
                      spec.between,
                      spec.image_peak,
                      spec.kernel_peak};
  return kept.get(key, [&] { return std::make_shared<const image_convolution>(on, spec); });
}

/// Where the steps of a call find their operands.
struct image_operands {
  buffer_view image, kernel, out;
};

void run(queue& on, const image_convolution_spec& spec, const image_operands& given,
         call_memory& memory) {
  const auto steps = convolution_of(on, spec);
  const buffer_view spectra = memory.get(steps->spectra_bytes());
  const buffer_view workspace = memory.get(steps->workspace_bytes());
  steps->prepare(on, given.kernel, spectra, workspace);
  steps->enqueue(on, spectra, given.image, given.out, workspace);
}

/// Convolves an image [y][x][channel], fp32 or fp16, with a kernel [y][x][channel] of fp32, all
/// packed and in one place: on their device, or by way of the device of a queue that is given.
void convolve_image(nb::handle image, nb::handle kernel, nb::handle out, int outside,
                    nb::tuple between, const queue* given, std::uintptr_t stream,
                    nb::handle allocate) {
  const array pixels = described(image), taps = described(kernel), result = described(out);
  const image_convolution_spec spec = spec_of(pixels, taps, outside, stored_between{between});
  if (given == nullptr) {
    released_call call{pixels.runs_on, pixels.device_index, stream, allocate};
    return run(call.on, spec, {pixels.view(), taps.view(), result.view()}, call.memory);
  }
  released_call call{*given, allocate};
  queue& on = call.on;
  device_copy image_copy{on, pixels.data, pixels.extent_bytes()},
      kernel_copy{on, taps.data, taps.extent_bytes()};
  device_copy out_copy{on, result.data, result.extent_bytes()};
  image_copy.send();
  kernel_copy.send();
  run(on, spec, {image_copy.view(), kernel_copy.view(), out_copy.view()}, call.memory);
  out_copy.fetch(on);
}

}  // namespace

void bind_images(nb::module_& module) {
  using nb::literals::operator""_a;
  for (const border outside : {border::zero, border::mirror, border::repeat, border::clamp}) {
    const std::string name{wingbeat::name_of(outside)};
    module.attr(("border_" + name).c_str()) = static_cast<int>(outside);
  }
  module.def("convolve_image", &convolve_image, "image"_a, "kernel"_a, "out"_a, "outside"_a,
             "between"_a, "queue"_a.none(), "stream"_a = 0, "allocate"_a = nb::none(),
             "Convolves an image [y][x][channel] with a kernel [y][x][channel] to out.");
}

}  // namespace wingbeat::python
