// SPDX-License-Identifier: Apache-2.0
#include "convolving/block_program.hpp"

#include <complex>
#include <utility>  // move

#include "convolving/blocks.hpp"           // block_rows_of
#include "convolving/program_builder.hpp"  // program_builder
#include "convolving/stored_scale.hpp"     // stored_scale, stored_between
#include "formatted.hpp"                   // formatted
#include "spectra.hpp"                     // spectrum_array

namespace wingbeat::convolving {
namespace {

bool is_real(const convolution_spec& spec) {
  return spec.holds == values::real;
}

/// Reads taps as complex numbers, those of a correlation reversed and conjugate.
template <class Real>
host_load taps_callable(std::size_t n_taps, bool are_real, bool are_reversed) {
  using number = std::complex<Real>;
  return run_reader<number>{[n_taps, are_real, are_reversed](const void* in, std::size_t row,
                                                             std::size_t first,
                                                             std::span<number> into) {
    const std::size_t reals = are_real ? 1 : 2;
    const Real* const taps = static_cast<const Real*>(in) + row * n_taps * reals;
    for (std::size_t i = 0; i < into.size(); ++i) {
      const std::size_t tap = are_reversed ? n_taps - 1 - first - i : first + i;
      const Real imaginary = are_real ? Real(0) : taps[2 * tap + 1];
      into[i] = {taps[reals * tap], are_reversed ? -imaginary : imaginary};
    }
  }};
}

std::string taps_text(const convolution_spec& spec, bool are_reversed) {
  const std::string_view real = spec.real == precision::fp64 ? "double" : "float";
  const std::string tap = are_reversed ? formatted("{} - i", spec.kernel[0] - 1) : std::string{"i"};
  return formatted(R"(#include "wingbeat/device/complex.hpp"
struct wingbeat_taps_load {{
  using number = wingbeat::device::complex<{0}>;
  using size = wingbeat::device::size;
  using element = {1};
  WINGBEAT_FN static number load(WINGBEAT_GLOBAL const element* in, size row, size i) {{
    using namespace wingbeat::device;
    const size at = row * {2} + {3};
    return {4};
  }}
}};
)",
                   real, is_real(spec) ? real : "number", spec.kernel[0], tap,
                   is_real(spec)  ? "number{in[at], 0}"
                   : are_reversed ? "conj(copied_from(in + at))"
                                  : "copied_from(in + at)");
}

fused_load taps_load(const convolution_spec& spec, std::size_t count) {
  const bool are_reversed = spec.kind == operation::correlate;
  fused_load load{.in_bytes = count * spec.kernel[0] * value_bytes(spec),
                  .element_bytes = value_bytes(spec),
                  .source = {.text = taps_text(spec, are_reversed), .type = "wingbeat_taps_load"}};
  if (spec.real == precision::fp64) {
    load.callable = taps_callable<double>(spec.kernel[0], is_real(spec), are_reversed);
  } else {
    load.callable = taps_callable<float>(spec.kernel[0], is_real(spec), are_reversed);
  }
  return load;
}

class block_convolution {
 public:
  block_convolution(const std::shared_ptr<backend::queue>& on, const program_request& request)
      : request_(request),
        spec_(request.spec),
        axis_(request.axes[0]),
        scale_(request.spec, request.axes),
        made_(on, request) {}

  programs::program prepare() {
    plan_spec rows = rows_of({request_.count});
    rows.load = taps_load(spec_, request_.count);
    rows.valid_in = {{0, spec_.kernel[0]}};
    rows.factor = scale_.forward(operand_role::kernel, 0);
    rows.out = {.strides = {1}, .distances = {axis_.padded}};
    const array_ends ends{place::input, place::filter};
    if (!made_.add_spectra({rows}, ends)) made_.add(rows, ends);
    return made_.take();
  }

  programs::program run() {
    for (const block_rows& each : block_rows_of(axis_, is_real(spec_))) convolve(each);
    return made_.take();
  }

 private:
  [[nodiscard]] plan_spec rows_of(std::vector<std::size_t> batch) const {
    return {.lengths = {axis_.padded},
            .batch = batch_shape{std::move(batch)},
            .kind = transform::forward,
            .real = spec_.real};
  }

  void convolve(const block_rows& given) {
    const std::size_t result = axis_.result(), prepared = request_.prepared;
    const bool is_pairwise = spec_.pairs == pairing::pairwise;
    backend::convolution_of_rows blocks{
        rows_of({request_.count, prepared, given.count}),
        {.stored = stored_between(spec_),
         .distances = {is_pairwise ? axis_.padded : 0, axis_.padded, 0}}};
    plan_spec& rows = blocks.rows;
    rows.in = {.strides = {1},
               .distances = {axis_.image, 0, given.distance},
               .imaginary_at = given.parts_distance,
               .origin = {given.in.first}};
    rows.valid_in = {given.in};
    rows.scale = scaling::by_length;
    rows.factor = 1 / scale_.spectrum(operand_role::kernel, 0);
    rows.out = {.strides = {1},
                .distances = {prepared * result, result, given.distance},
                .imaginary_at = given.parts_distance,
                .origin = {given.out.first}};
    rows.valid_out = {given.out};
    const array_ends ends{place::input, place::output, given.image_at * value_bytes(spec_),
                          given.result_at * value_bytes(spec_)};
    if (made_.add_in_one(blocks, ends)) return;
    made_.add_in_two(blocks, {scale_.forward(operand_role::image, 0), false, true}, ends);
  }

  const program_request& request_;
  const convolution_spec& spec_;
  const axis_geometry& axis_;
  stored_scale scale_;
  program_builder made_;
};

}  // namespace

programs::program preparing_block_program(const std::shared_ptr<backend::queue>& on,
                                          const program_request& request) {
  return block_convolution{on, request}.prepare();
}

programs::program running_block_program(const std::shared_ptr<backend::queue>& on,
                                        const program_request& request) {
  return block_convolution{on, request}.run();
}

}  // namespace wingbeat::convolving
