// SPDX-License-Identifier: Apache-2.0
#include "convolving/block_program.hpp"

#include <utility>  // move

#include "convolving/blocks.hpp"              // block_rows_of
#include "convolving/program_builder.hpp"     // program_builder
#include "convolving/stored_scale.hpp"        // stored_scale, stored_between
#include "functors/device_functor.hpp"        // device_functor
#include "wingbeat/device/functors/taps.hpp"  // taps

namespace wingbeat::convolving {
namespace {

using device::functors::taps;

bool is_real(const convolution_spec& spec) {
  return spec.holds == values::real;
}

template <class Real>
fused_load load_of(const convolution_spec& spec) {
  const device::functors::taps_numbers numbers{spec.kernel[0], spec.kind == operation::correlate};
  if (is_real(spec)) return device_functor<taps<Real, Real>>{numbers}.load();
  return device_functor<taps<device::complex<Real>, Real>>{numbers}.load();
}

fused_load taps_load(const convolution_spec& spec, std::size_t count) {
  fused_load load = spec.real == precision::fp64 ? load_of<double>(spec) : load_of<float>(spec);
  load.in_bytes = count * spec.kernel[0] * value_bytes(spec);
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
