// SPDX-License-Identifier: Apache-2.0
#include "convolving/long_request.hpp"

#include <algorithm>  // max
#include <bit>        // bit_ceil

#include "arrays/address_space.hpp"     // max_elements, rounded_product
#include "arrays/array.hpp"             // bytes_of_real
#include "programs/convolved_rows.hpp"  // can_convolve
#include "request/names.hpp"            // require_named, unnamed
#include "text/reject.hpp"              // reject
#include "tuning/compiled_engines.hpp"  // compiles_kernels
#include "tuning/padding.hpp"           // padded_length

namespace wingbeat {
namespace convolving {
namespace {

/// Returns whether one workgroup convolves rows of a length.
bool fits_workgroup(std::size_t length, const long_convolution_spec& spec,
                    const device_info& device) {
  if (length > max_length) return false;
  return programs::can_convolve({.lengths = {length}, .real = computed(spec)}, device);
}

/// Sets the length that rows of pairs are padded to, at least `least`. On engines that compile
/// kernels, a longer row that fits a workgroup is preferred to one that takes several launches.
void pad(long_geometry& row, std::size_t least, const long_convolution_spec& spec,
         const device_info& device) {
  row.padded = tuning::padded_length(least, device);
  if (!compiles_kernels(device.runs_on) || row.padded > max_length) return;
  const auto rows_of = [&](std::size_t length) {
    return plan_spec{.lengths = {length},
                     .batch = spec.channels * rows_of_channel(spec),
                     .real = computed(spec)};
  };
  if (fits_workgroup(row.padded, spec, device)) return;
  const std::size_t power = std::max<std::size_t>(std::bit_ceil(least), 2);
  if (fits_workgroup(power, spec, device)) {
    row.padded = power;
    return;
  }
  const std::size_t cut = programs::length_of_cut(least, rows_of(spec.length), device);
  row.is_four_step = programs::can_convolve_cut(rows_of(cut), device);
  if (row.is_four_step) row.padded = cut;
}

void require_precisions(const long_convolution_spec& spec, const device_info& device) {
  const precision kernels = kernels_stored(spec);
  request::require_named(spec.stored, "stored", "fp32, fp64, fp16 or bf16");
  request::require_named(kernels, "kernel_stored", "fp32, fp64, fp16 or bf16");
  reject_if((kernels == precision::fp64) != (spec.stored == precision::fp64),
            "kernel_stored is {} and stored is {}, and fp64 mixes with no other precision; "
            "leave kernel_stored empty",
            name_of(kernels), name_of(spec.stored));
  reject_if(spec.stored == precision::fp64 && !device.has_fp64, "{} has no fp64; store fp32",
            device.name);
}

void require_kernel(const long_convolution_spec& spec) {
  const bool is_causal = spec.aligned == kernel_alignment::causal;
  const std::size_t max_taps = is_causal ? spec.length : 2 * spec.length - 1;
  if (spec.kernel <= max_taps) return;
  reject(
      "kernel is {} and length {}, so that some taps meet no signal; give a {} kernel at "
      "most {}",
      spec.kernel, spec.length, name_of(spec.aligned), max_taps);
}

/// Returns the geometry of a spec without the padding, which depends on the device.
long_geometry unpadded(const long_convolution_spec& spec) {
  long_geometry row;
  row.taps = spec.kernel == 0 ? spec.length : spec.kernel;
  if (spec.aligned == kernel_alignment::centred) row.origin = (row.taps - 1) / 2;
  row.signals = {0, spec.length};
  row.results = {row.origin, row.origin + spec.length};
  return row;
}

/// Returns the minimum padded length of rows of pairs.
std::size_t least_of(const long_geometry& row) {
  return std::max(row.results.end, row.taps + row.signals.end - 1 - row.origin);
}

/// Returns the row by right angles for runs: none if pairs fit a workgroup, or if no number of
/// turns fits. Sums of turns are stored, so 16-bit results take one turn only.
std::optional<right_angle> right_angle_of(const long_geometry& row,
                                          const long_convolution_spec& spec,
                                          const device_info& device) {
  if (!compiles_kernels(device.runs_on) || fits_workgroup(row.padded, spec, device))
    return std::nullopt;
  const std::size_t max_turns = bytes_of_real(spec.stored) < 4 ? 1 : 2;
  for (right_angle turned = row.least_right_angle(); turned.turns <= max_turns;
       turned = turned.halved()) {
    if (turned.points() > 1 && fits_workgroup(turned.points(), spec, device)) return turned;
  }
  return std::nullopt;
}

/// Returns R of rows that tensor cores convolve, or 0: those of 16 bits whose bins fit the local
/// memory of a workgroup in fp16.
unsigned outer_of(const long_geometry& row, const long_convolution_spec& spec,
                  const device_info& device) {
  const bool is_asked =
      spec.arithmetic == arithmetic::tensor ||
      (spec.arithmetic == arithmetic::automatic && spec.stored == precision::bf16);
  if (!is_asked || device.runs_on != engine::cuda || device.capability_major < 8) return 0;
  // Results begin at index 0, because spectra are shifted by `origin`.
  const std::size_t least = std::max({2 * spec.length, row.origin + spec.length, least_of(row)});
  constexpr std::size_t shortest = 4096, longest = 16384;
  const std::size_t points = std::bit_ceil(least);
  return points >= shortest && points <= longest ? static_cast<unsigned>(points / 256) : 0;
}

void require_length(const long_convolution_spec& spec) {
  const auto is_short = [&](std::size_t length) {
    long_convolution_spec shorter = spec;
    shorter.length = length;
    return least_of(unpadded(shorter)) <= max_length;
  };
  if (spec.length > 0 && spec.length <= max_length && is_short(spec.length)) return;
  std::size_t longest = 0;
  for (std::size_t step = max_length; step > 0; step /= 2) {
    if (is_short(longest + step)) longest += step;
  }
  reject(
      "length is {}; choose 1 to {}, so that a signal and its kernel fit rows of {}, or "
      "cut signals into blocks and convolve those by wingbeat::convolution",
      spec.length, longest, max_length);
}

}  // namespace

std::size_t rows_of_channel(const long_convolution_spec& spec) {
  return spec.is_paired ? (spec.batch + 1) / 2 : spec.batch;
}

right_angle long_geometry::least_right_angle() const {
  // Values 0 .. K + L - 2 must all lie below 2N.
  const std::size_t values = taps + signals.end - 1;
  return {std::bit_ceil(std::max({results.end, (values + 1) / 2, std::size_t{2}}))};
}

precision computed(const long_convolution_spec& spec) {
  return spec.stored == precision::fp64 ? precision::fp64 : precision::fp32;
}

precision kernels_stored(const long_convolution_spec& spec) {
  return spec.kernel_stored.value_or(computed(spec));
}

long_geometry geometry_of(const long_convolution_spec& spec, const device_info& device) {
  long_geometry row = unpadded(spec);
  pad(row, least_of(row), spec, device);
  row.turned = right_angle_of(row, spec, device);
  if (row.turned) row.is_four_step = false;
  row.outer = outer_of(row, spec, device);
  return row;
}

void require_valid(const long_convolution_spec& spec, const device_info& device) {
  reject_if(spec.channels == 0 || spec.batch == 0,
            "channels is {} and batch is {}; make each at least 1", spec.channels, spec.batch);
  request::require_named(spec.aligned, "aligned", "causal or centred");
  require_precisions(spec, device);
  request::require_named(spec.arithmetic, "arithmetic", "automatic, plain or tensor");
  reject_if(spec.arithmetic == arithmetic::tensor && bytes_of_real(spec.stored) != 2,
            "arithmetic is tensor and stored is {}; tensor cores take bf16 and fp16",
            name_of(spec.stored));
  require_kernel(spec);
  require_length(spec);
  const std::size_t padded = geometry_of(spec, device).padded;
  if (rounded_product({padded, spec.channels, spec.batch}) <= max_elements) return;
  reject(
      "{} signals of {} channels of {} values are beyond the address space; choose fewer "
      "or shorter ones",
      spec.batch, spec.channels, spec.length);
}

}  // namespace convolving

std::string_view name_of(kernel_alignment aligned) noexcept {
  switch (aligned) {
    case kernel_alignment::causal: return "causal";
    case kernel_alignment::centred: return "centred";
  }
  return request::unnamed;
}

std::string_view name_of(arithmetic of_rows) noexcept {
  switch (of_rows) {
    case arithmetic::automatic: return "automatic";
    case arithmetic::plain: return "plain";
    case arithmetic::tensor: return "tensor";
  }
  return request::unnamed;
}

}  // namespace wingbeat
