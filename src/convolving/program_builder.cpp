// SPDX-License-Identifier: Apache-2.0
#include "convolving/program_builder.hpp"

#include <utility>  // move

#include "arrays/array.hpp"        // bytes_of_real
#include "convolving/product.hpp"  // product_load
#include "request/validation.hpp"  // validated

namespace wingbeat::convolving {

plan_spec program_builder::with_stored_types(plan_spec spec, const array_ends& ends) const {
  if (ends.in != place::input && !spec.load.is_given()) spec.in.stored = between_;
  if (ends.out != place::output) spec.out.stored = between_;
  return spec;
}

bool program_builder::add_realised(const backend::step_request& step, const array_ends& ends) {
  const auto part = engine_.realise(on_, step);
  if (part) program_.add(*part, ends);
  return part.has_value();
}

void program_builder::add(const plan_spec& spec, const array_ends& ends,
                          const result_blocks& blocks) {
  request::resolved_spec request = request::validated(with_stored_types(spec, ends), on_->device());
  request.in.batches.back().block = blocks.length;
  request.in.batches.back().block_distance = blocks.stride;
  static_cast<void>(add_realised(request, ends));
}

bool program_builder::add_spectra(backend::spectra_of_rows request, const array_ends& ends) {
  request.rows = with_stored_types(std::move(request.rows), ends);
  return add_realised(request, ends);
}

bool program_builder::add_in_one(backend::convolution_of_rows request, const array_ends& ends) {
  request.rows = with_stored_types(std::move(request.rows), ends);
  return add_realised(request, ends);
}

void program_builder::add_in_two(const backend::convolution_of_rows& request,
                                 const row_factors& factors, const array_ends& ends) {
  const plan_spec& rows = request.rows;
  const spectrum_array& spectra = request.spectra;
  const std::size_t run = rows.batch.counts()[0], prepared = rows.batch.counts()[1];
  const std::size_t columns = rows.batch.counts()[2];
  const std::size_t bins = factors.are_real ? rows.lengths[0] / 2 + 1 : rows.lengths[0];
  plan_spec forward = rows, back = rows;
  forward.batch = {run, columns};
  forward.scale = scaling::none;
  forward.factor = factors.forward;
  forward.out = {};
  forward.valid_out = {};
  forward.store = {};
  back.batch = {run * prepared, columns};
  back.kind = transform::inverse;
  back.factor = rows.factor / factors.forward;
  back.in = {};
  back.valid_in = {};
  back.load = product_load({.prepared = prepared,
                            .columns = columns,
                            .bins = bins,
                            .is_pairwise = pairs_ == pairing::pairwise,
                            .has_one_column = factors.has_one_column,
                            .times = spectra.times},
                           run, between_);
  if (factors.are_real) {
    forward.kind = transform::forward_from_real;
    back.kind = transform::inverse_to_real;
  }
  // Rows of functors have no distances.
  if (auto& steps = forward.in.distances; !steps.empty()) steps = {steps[0], steps[2]};
  if (auto& steps = back.out.distances; !steps.empty()) steps = {steps[1], steps[2]};
  const place middle = workspace_beside(ends.in, run * columns * bins);
  add(forward, {ends.in, middle, ends.in_bytes});
  add(back, {middle, ends.out, 0, ends.out_bytes, {place::filter}});
}

place program_builder::workspace_beside(place used, std::size_t n_numbers) {
  const place found = used == place::between_a ? place::between_b : place::between_a;
  program_.reserve(found, n_numbers * 2 * bytes_of_real(between_));
  return found;
}

}  // namespace wingbeat::convolving
