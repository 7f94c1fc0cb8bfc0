// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/image_convolution.hpp"

#include "arrays/view_part.hpp"                 // part_of
#include "convolving/image_request.hpp"         // require_valid, planes_of, normalise
#include "convolving/prepared_convolution.hpp"  // prepared_convolution
#include "text/formatted.hpp"                   // formatted

namespace wingbeat {
namespace {

convolution_spec valid_planes_of(const image_convolution_spec& spec) {
  convolving::require_valid(spec);
  return convolving::planes_of(spec);
}

}  // namespace

/// Convolves planes, which functors read from pixels and store as pixels. With alpha, the store
/// functor also reads the image's alpha.
struct image_convolution::impl final : convolving::prepared_convolution {
  impl(const queue& on, const image_convolution_spec& given)
      : prepared_convolution(on, valid_planes_of(given), "image convolution"), request(given) {
    preparing_.operands[0].name = "kernel";
    running_.operands[0].name = "image";
    if (request.channels % 2 != 0) return;
    running_.operands[0].uses |= operations::by_store;
    running_.store = {};
  }

  [[nodiscard]] std::string heading() const override {
    const image_convolution_spec& spec = request;
    return formatted(
               "{}x{} pixels of {} {} channels, border {}, kernel {}x{} of {} normalised by {}\n",
               spec.height, spec.width, spec.channels, name_of(spec.stored), name_of(spec.outside),
               spec.kernel_height, spec.kernel_width, spec.kernel_channels,
               name_of(spec.normalise)) +
           prepared_convolution::heading();
  }

  /// Returns a copy of the kernel on the device, divided as the spec requires.
  template <class Real>
  [[nodiscard]] buffer normalised(const queue& on, const buffer_view& kernel) const {
    require_queue(on);
    const operations::operand_rule& rule = preparing_.operands[0];
    require_operand(rule, kernel, on);
    std::vector<Real> values(rule.bytes / sizeof(Real));
    buffer copy{on, rule.bytes};
    on.impl()->read(values.data(), part_of(kernel, 0, rule.bytes));
    convolving::normalise(std::span{values}, request);
    copy.write(values.data(), copy.size_bytes());
    return copy;
  }

  image_convolution_spec request;
};

image_convolution::image_convolution(const queue& on, const image_convolution_spec& spec)
    : prepared_operation(std::make_unique<const impl>(on, spec)) {}

const image_convolution::impl& image_convolution::own() const {
  return static_cast<const impl&>(owned());
}

const image_convolution_spec& image_convolution::spec() const {
  return own().request;
}
std::vector<std::size_t> image_convolution::result() const {
  return convolving::result_of(own().request);
}
const std::vector<std::size_t>& image_convolution::padded() const {
  return own().padded();
}
std::size_t image_convolution::image_bytes() const {
  return own().bytes_of(operand_role::image);
}
std::size_t image_convolution::kernel_bytes() const {
  return own().bytes_of(operand_role::kernel);
}
std::size_t image_convolution::output_bytes() const {
  return own().output_bytes();
}
std::size_t image_convolution::spectra_bytes() const {
  return own().spectra_bytes();
}

void image_convolution::prepare(queue& on, buffer_view kernel, buffer_view spectra,
                                buffer_view workspace) const {
  const impl& mine = own();
  if (mine.request.normalise == normalisation::none) {
    return mine.prepare(on, kernel, spectra, workspace);
  }
  const buffer copy = mine.request.stored == precision::fp64 ? mine.normalised<double>(on, kernel)
                                                             : mine.normalised<float>(on, kernel);
  mine.prepare(on, copy.view(), spectra, workspace);
  on.wait();
}

void image_convolution::enqueue(queue& on, buffer_view spectra, buffer_view image, buffer_view out,
                                buffer_view workspace) const {
  own().enqueue(on, spectra, image, out, {}, workspace);
}

}  // namespace wingbeat
