// SPDX-License-Identifier: Apache-2.0
// Names of a convolution's choices, the lengths of its results, and its validation.
#include "convolving/request.hpp"

#include <algorithm>  // max

#include "arrays/address_space.hpp"     // max_elements, rounded_product
#include "convolving/blocks.hpp"        // why_no_blocks
#include "convolving/geometry.hpp"      // geometry_of
#include "convolving/program.hpp"       // load_of, run_role
#include "convolving/stored_scale.hpp"  // require_peak, stored_between
#include "request/names.hpp"            // require_known, require_named, unnamed
#include "text/formatted.hpp"           // formatted, joined
#include "text/reject.hpp"              // reject
#include "wingbeat/error.hpp"           // plan_error
#include "wingbeat/good_length.hpp"     // max_length

namespace wingbeat {
namespace convolving {
namespace {

void require_choices(const convolution_spec& spec) {
  using request::require_known, request::require_named;
  require_named(spec.kind, "kind", "convolve or correlate");
  require_named(spec.mode, "mode", "full, same or valid");
  require_known(spec.holds == values::real || spec.holds == values::complex, "holds", spec.holds,
                "real or complex");
  require_known(spec.real == precision::fp32 || spec.real == precision::fp64, "real", spec.real,
                "fp32 or fp64");
  require_known(spec.pairs == pairing::each_with_each || spec.pairs == pairing::pairwise, "pairs",
                spec.pairs, "each_with_each or pairwise");
  require_known(spec.form == operand_form::values || spec.form == operand_form::spectrum, "form",
                spec.form, "values or spectrum");
  require_known(spec.prepared == operand_role::image || spec.prepared == operand_role::kernel,
                "prepared", spec.prepared, "image or kernel");
}

void require_lengths(const convolution_spec& spec) {
  reject_if(spec.image.empty() || spec.image.size() > max_axes,
            "image has {} axes; give 1 to {}, slowest first", spec.image.size(), max_axes);
  reject_if(spec.kernel.size() != spec.image.size(),
            "kernel has {} axes and image has {}; give both the same", spec.kernel.size(),
            spec.image.size());
  for (std::size_t a = 0; a < spec.image.size(); ++a) {
    const std::size_t image = spec.image[a], kernel = spec.kernel[a];
    reject_if(image == 0 || kernel == 0, "{} has a length of 0 on axis {}; give at least 1",
              image == 0 ? "image" : "kernel", a);
    reject_if(image > max_length || kernel > max_length,
              "axis {} has an image of {} and a kernel of {}; choose at most {}", a, image, kernel,
              max_length);
    if (spec.mode != extent::valid || kernel <= image) continue;
    reject(
        "the kernel is {} and the image {}, so the kernel lies within the image nowhere; "
        "choose mode full or same, or exchange the two",
        joined(spec.kernel, "x"), joined(spec.image, "x"));
  }
}

void require_counts(const convolution_spec& spec) {
  reject_if(spec.images == 0 || spec.kernels == 0,
            "images is {} and kernels is {}; make each at least 1", spec.images, spec.kernels);
  if (spec.pairs == pairing::each_with_each || spec.images == spec.kernels) return;
  reject(
      "pairs are to be made of {} images and {} kernels; give as many of both, or let "
      "each meet each",
      spec.images, spec.kernels);
}

/// Powers of two of this size, times those of all lengths, stay within fp32.
constexpr double largest_peak = 1e9;

void require_between(const convolution_spec& spec) {
  const precision between = stored_between(spec);
  request::require_named(between, "between", "fp32, fp16 or bf16, or leave it empty");
  reject_if((between == precision::fp64) != (spec.real == precision::fp64),
            "between is {} and real is {}, and fp64 mixes with no other precision; leave "
            "between empty, or compute in fp32",
            name_of(between), name_of(spec.real));
  const auto require = [&](std::string_view field, double peak) {
    require_peak(field, peak, largest_peak, between == precision::fp16,
                 formatted("between is {}", name_of(between)));
  };
  require("image_peak", spec.image_peak);
  require("kernel_peak", spec.kernel_peak);
}

void require_form(const convolution_spec& spec) {
  if (spec.form == operand_form::values) return;
  const operand_role role = run_role(spec);
  const std::string_view name = role == operand_role::image ? "image" : "kernel";
  reject_if(load_of(spec, role).is_given(),
            "form is spectrum and {}_load is given; give spectra in plain memory, or values", name);
}

void require_block(const convolution_spec& spec) {
  if (spec.block == 0) return;
  const std::string reason = why_no_blocks(spec, spec.block);
  if (!reason.empty()) throw plan_error(reason);
}

void require_functors(const convolution_spec& spec) {
  for (const fused_load* load : {&spec.image_load, &spec.kernel_load}) {
    if (load->operands.empty()) continue;
    reject(
        "{} has {} operands and runs give none to loads; put their values into its "
        "parameters",
        load == &spec.image_load ? "image_load" : "kernel_load", load->operands.size());
  }
  reject_if(spec.store.row_outputs > 0,
            "store.row_outputs is {} and the results of a convolution are stored one by one; let "
            "the store take elements",
            spec.store.row_outputs);
}

/// Requires that the padded results can be addressed; each image and each kernel is in one of them.
void require_address_space(const convolution_spec& spec, const std::vector<axis_geometry>& axes) {
  std::vector<std::size_t> lengths;
  for (const axis_geometry& axis : axes) {
    lengths.push_back(std::max(axis.padded, axis.image + axis.kernel));
  }
  const bool is_pairwise = spec.pairs == pairing::pairwise;
  const double results = rounded_product({spec.images, is_pairwise ? 1 : spec.kernels});
  if (results * rounded_product(lengths) <= max_elements) return;
  reject(
      "{} images of {} and {} kernels of {} have results beyond the address space; choose "
      "fewer or smaller ones",
      spec.images, joined(spec.image, "x"), spec.kernels, joined(spec.kernel, "x"));
}

}  // namespace

void require_valid(const convolution_spec& spec) {
  require_choices(spec);
  require_lengths(spec);
  require_counts(spec);
  require_between(spec);
  require_functors(spec);
  require_form(spec);
  require_block(spec);
  const std::vector<axis_geometry> axes = geometry_of(spec);
  for (const axis_geometry& axis : axes) {
    if (axis.padded <= max_length) continue;
    reject(
        "an image of {} and a kernel of {} take a transform of {}, and the longest is "
        "{}; cut the image into blocks",
        axis.image, axis.kernel, axis.padded, max_length);
  }
  require_address_space(spec, axes);
}

void require_valid(const convolution_spec& spec, const device_info& device) {
  require_valid(spec);
  reject_if(spec.real == precision::fp64 && !device.has_fp64,
            "{} has no fp64; ask for precision::fp32", device.name);
}

}  // namespace convolving

std::string_view name_of(operation kind) noexcept {
  switch (kind) {
    case operation::convolve: return "convolve";
    case operation::correlate: return "correlate";
  }
  return request::unnamed;
}

std::string_view name_of(extent mode) noexcept {
  switch (mode) {
    case extent::full: return "full";
    case extent::same: return "same";
    case extent::valid: return "valid";
  }
  return request::unnamed;
}

std::vector<std::size_t> result_lengths(const convolution_spec& spec) {
  convolving::require_valid(spec);
  std::vector<std::size_t> result;
  for (const convolving::axis_geometry& axis : convolving::geometry_of(spec)) {
    result.push_back(axis.result());
  }
  return result;
}

}  // namespace wingbeat
