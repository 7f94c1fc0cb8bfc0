// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/image_convolution.hpp"

#include "convolving/image_request.hpp"  // require_valid, planes_of, normalise
#include "convolving/interleaved.hpp"    // pixel_array
#include "formatted.hpp"                 // formatted
#include "moved_from.hpp"                // require_owned
#include "views.hpp"                     // require_memory, require_start
#include "wingbeat/error.hpp"            // plan_error

namespace wingbeat {

struct image_convolution::impl {
  image_convolution_spec spec;
  device_info device;
  convolution planes;

  [[nodiscard]] std::size_t pixel_bytes(std::size_t height, std::size_t width) const {
    return convolving::pixel_array{height, width, spec.channels, spec.stored}.bytes();
  }
  [[nodiscard]] std::size_t image_bytes() const { return pixel_bytes(spec.height, spec.width); }
};

namespace {

const auto& owned(const auto& impl) {
  return require_owned(impl, "image convolution");
}

/// Returns the part of a view that is used.
buffer_view used(std::string_view name, buffer_view view, std::size_t bytes) {
  if (view.size_bytes < bytes) {
    throw plan_error(formatted("the {} holds {} bytes; this image convolution needs {}", name,
                               view.size_bytes, bytes));
  }
  view.size_bytes = bytes;
  return view;
}

/// Returns a copy of the kernel on the device, divided as the request says.
buffer normalised(const queue& on, buffer_view kernel, const image_convolution_spec& spec) {
  const operand operand{"kernel", kernel, kernel.size_bytes};
  require_memory(operand, *on.impl());
  require_start(operand, {"a float", sizeof(float), sizeof(float), sizeof(float)},
                on.device().runs_on);
  std::vector<float> values(kernel.size_bytes / sizeof(float));
  on.impl()->read(values.data(), kernel);
  convolving::normalise(values, spec);
  buffer copy{on, kernel.size_bytes};
  copy.write(values.data(), copy.size_bytes());
  return copy;
}

}  // namespace

image_convolution::image_convolution(const queue& on, const image_convolution_spec& spec) {
  convolving::require_valid(spec);
  impl_ = std::make_unique<const impl>(
      impl{spec, on.device(), convolution{on, convolving::planes_of(spec)}});
}
image_convolution::image_convolution(image_convolution&&) noexcept = default;
image_convolution& image_convolution::operator=(image_convolution&&) noexcept = default;
image_convolution::~image_convolution() = default;

const image_convolution_spec& image_convolution::spec() const {
  return owned(impl_).spec;
}
std::vector<std::size_t> image_convolution::result() const {
  return convolving::result_of(owned(impl_).spec);
}
const std::vector<std::size_t>& image_convolution::padded() const {
  return owned(impl_).planes.padded();
}
std::size_t image_convolution::image_bytes() const {
  return owned(impl_).image_bytes();
}
std::size_t image_convolution::kernel_bytes() const {
  return owned(impl_).planes.kernel_bytes();
}
std::size_t image_convolution::output_bytes() const {
  return owned(impl_).planes.output_bytes();
}
std::size_t image_convolution::spectra_bytes() const {
  return owned(impl_).planes.spectra_bytes();
}
std::size_t image_convolution::workspace_bytes() const {
  return owned(impl_).planes.workspace_bytes();
}
std::size_t image_convolution::traffic_bytes() const {
  return owned(impl_).planes.traffic_bytes();
}
std::vector<pass_info> image_convolution::passes() const {
  return owned(impl_).planes.passes();
}

std::string image_convolution::explain() const {
  const impl& mine = owned(impl_);
  const image_convolution_spec& spec = mine.spec;
  return formatted(
             "{}x{} pixels of {} {} channels, border {}, kernel {}x{} of {} normalised by {}\n",
             spec.height, spec.width, spec.channels, name_of(spec.stored), name_of(spec.outside),
             spec.kernel_height, spec.kernel_width, spec.kernel_channels, name_of(spec.normalise)) +
         mine.planes.explain();
}

void image_convolution::prepare(queue& on, buffer_view kernel, buffer_view spectra,
                                buffer_view workspace) const {
  const impl& mine = owned(impl_);
  kernel = used("kernel", kernel, mine.planes.kernel_bytes());
  const device_info& device = on.device();
  const bool is_own = device.runs_on == mine.device.runs_on && device.index == mine.device.index;
  // Of another device's queue it is the convolution that says so.
  if (mine.spec.normalise == normalisation::none || !is_own) {
    return mine.planes.prepare(on, kernel, spectra, workspace);
  }
  const buffer copy = normalised(on, kernel, mine.spec);
  mine.planes.prepare(on, copy.view(), spectra, workspace);
  on.wait();
}

void image_convolution::enqueue(queue& on, buffer_view spectra, buffer_view image, buffer_view out,
                                buffer_view workspace) const {
  const impl& mine = owned(impl_);
  image = used("image", image, mine.image_bytes());
  const bool has_alpha = mine.spec.channels % 2 == 0;
  const std::vector<kernel_argument> given(has_alpha ? 1 : 0, kernel_argument{image});
  mine.planes.enqueue(on, spectra, image, out, given, workspace);
}

}  // namespace wingbeat
