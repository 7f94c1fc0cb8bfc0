// SPDX-License-Identifier: Apache-2.0
#include "convolving/program.hpp"

#include <algorithm>  // max
#include <utility>    // move

#include "arrays/address_space.hpp"         // product_of
#include "arrays/array.hpp"                 // bytes_of_real
#include "convolving/block_program.hpp"     // preparing_block_program, running_block_program
#include "convolving/inner_transforms.hpp"  // inner_transforms, columns
#include "convolving/program_builder.hpp"   // program_builder
#include "request/validation.hpp"           // validated
#include "tuning/tuning.hpp"                // for_device

namespace wingbeat::convolving {
namespace {

using lengths = std::vector<std::size_t>;

class column_convolution {
 public:
  column_convolution(const std::shared_ptr<backend::queue>& on, const program_request& request)
      : device_(on->device()),
        spec_(request.spec),
        of_(request),
        made_(on, request),
        inner_(spec_, of_, made_) {}

  programs::program prepare() {
    role_ = spec_.prepared;
    const columns in = inner_.add_forward(role_);
    plan_spec rows = rows_of(in, {of_.count(), in.count}, {in.item_distance, in.distance});
    rows.kind = of_.kind(true, 0);
    rows.factor = of_.scale().forward(role_, 0);
    rows.out = {.strides = {1}, .distances = {of_.spectrum(), of_.bins(0)}};
    const array_ends ends{in.array, place::filter};
    if (!may_convolve_at_once() || !made_.add_spectra({rows}, ends)) {
      made_.add(rows, ends);
    }
    return made_.take();
  }

  programs::program run() {
    role_ = run_role(spec_);
    inner_.add_back(convolve(inner_.add_forward(role_)));
    return made_.take();
  }

 private:
  /// Whether columns are convolved in one crossing if the engine can. Their spectra have bins in
  /// the engine's native order, so the preparing and the running program must agree.
  [[nodiscard]] bool may_convolve_at_once() const {
    const bool loads_columns = of_.n_axes() == 1 && load_of(spec_, run_role(spec_)).is_given();
    // A load numbers one row per signal, but here each signal has several results.
    return !of_.is_real_row() && !(loads_columns && of_.prepared() > 1);
  }

  /// Returns the forward transforms of columns, with the batch's distances.
  [[nodiscard]] plan_spec rows_of(const columns& in, std::vector<std::size_t> batch,
                                  std::vector<std::size_t> distances) const {
    const signal_axis axis = of_.signal(role_)[0];
    plan_spec rows = of_.plan_of(axis.padded, std::move(batch), transform::forward);
    rows.in = {.strides = {1}, .distances = std::move(distances)};
    range_in(rows, axis);
    if (of_.n_axes() == 1) begin(rows, load_of(spec_, role_), {1, axis.length});
    return rows;
  }

  /// Returns the convolution of columns `in` with the spectra of the same columns, into columns
  /// `out`.
  [[nodiscard]] backend::convolution_of_rows products_of(const columns& in,
                                                         const columns& out) const {
    plan_spec rows =
        rows_of(in, {of_.count(), of_.prepared(), in.count}, {in.item_distance, 0, in.distance});
    const stored_scale& scale = of_.scale();
    rows.scale = scaling::by_length;
    rows.factor = scale.result(0) / (scale.spectrum(role_, 1) * scale.spectrum(spec_.prepared, 0));
    rows.out = {.strides = {1},
                .distances = {of_.prepared() * out.item_distance, out.item_distance, out.distance}};
    range_out(rows, of_.axis(0));
    if (of_.n_axes() == 1) finish(rows, spec_.store, {1, of_.axis(0).result()});
    const std::size_t item = of_.is_pairwise() ? of_.spectrum() : 0;
    return {rows,
            {.stored = stored_between(spec_),
             .distances = {item, of_.spectrum(), of_.bins(0)},
             .times = of_.times(),
             .blocks = out.blocks}};
  }

  /// Convolves columns with the spectra of the same columns.
  columns convolve(const columns& in) {
    const axis_geometry& slowest = of_.axis(0);
    const bool is_last = of_.n_axes() == 1;
    const std::size_t kept = is_last ? slowest.result() : of_.sector_aligned(slowest.result());
    columns out{place::output, in.count, kept, in.count * kept};
    const std::size_t n_numbers = of_.n_pairs() * out.item_distance;
    if (may_convolve_at_once()) {
      if (!is_last) out.array = made_.workspace_beside(in.array, n_numbers);
      const columns blocked = in_blocks(out);
      if (made_.add_in_one(products_of(in, blocked), {in.array, out.array})) return blocked;
    }
    if (!is_last)
      out.array = made_.workspace_beside(made_.workspace_beside(in.array, 0), n_numbers);
    made_.add_in_two(products_of(in, out),
                     {of_.scale().forward(role_, 0), of_.is_real_row(), false},
                     {in.array, out.array});
    return out;
  }

  /// Returns the same columns in blocks, if the rows that are transformed next are real and gain by
  /// it.
  [[nodiscard]] columns in_blocks(columns result) const {
    const tuning::placement_rules& rules = tuning::for_device(device_).placing;
    const std::size_t bytes = of_.n_pairs() * result.item_distance * of_.number_bytes();
    if (!of_.is_real() || of_.n_axes() != 2 || rules.result_block == 0 ||
        of_.axis(0).result() < rules.result_block || bytes < rules.min_blocked_bytes) {
      return result;
    }
    const std::size_t block = std::max(rules.result_block, sector_bytes / of_.number_bytes());
    result.blocks = {block, result.count * block};
    result.distance = block;
    return result;
  }

  const device_info& device_;
  const convolution_spec& spec_;
  program_sizes of_;
  operand_role role_ = operand_role::image;  ///< The role whose signals are transformed.
  program_builder made_;
  inner_transforms inner_;
};

const lengths& lengths_of(const convolution_spec& spec, operand_role role) {
  return role == operand_role::image ? spec.image : spec.kernel;
}

/// Returns a program that transforms spectra to values and then applies `steps` to those values
/// instead of its input.
programs::program after_spectra(const std::shared_ptr<backend::queue>& on,
                                const program_request& made_for, const programs::program& steps) {
  const convolution_spec& spec = made_for.spec;
  const plan_spec inverse =
      values_of_spectra(lengths_of(spec, run_role(spec)), spec.holds, spec.real, made_for.count);
  programs::program result;
  const auto first = request::validated(inverse, on->device());
  result.add(*made_for.engine_for(*on).realise(on, first), {place::input, place::values});
  result.reserve(place::values, first.out_bytes());
  result.add(steps, {place::values, place::output});
  return result;
}

}  // namespace

programs::program preparing_program(const std::shared_ptr<backend::queue>& on,
                                    const program_request& request) {
  if (request.axes[0].hop != 0) return preparing_block_program(on, request);
  return column_convolution{on, request}.prepare();
}

programs::program running_program(const std::shared_ptr<backend::queue>& on,
                                  const program_request& request) {
  const programs::program steps = request.axes[0].hop != 0 ? running_block_program(on, request)
                                                           : column_convolution{on, request}.run();
  return request.spec.form == operand_form::spectrum ? after_spectra(on, request, steps) : steps;
}

plan_spec values_of_spectra(const lengths& of_one, values holds, precision real,
                            std::size_t count) {
  return {.lengths = of_one,
          .batch = count,
          .kind = holds == values::real ? transform::inverse_to_real : transform::inverse,
          .real = real,
          .scale = scaling::by_length};
}

std::size_t value_bytes(const convolution_spec& spec) {
  return (spec.holds == values::real ? 1 : 2) * bytes_of_real(spec.real);
}

std::size_t spectrum_bytes(const program_request& request) {
  const program_sizes sizes{request};
  return sizes.spectrum() * sizes.number_bytes();
}

std::size_t signal_bytes(const convolution_spec& spec, operand_role role) {
  const std::size_t count = role == operand_role::image ? spec.images : spec.kernels;
  if (load_of(spec, role).is_given()) return load_of(spec, role).in_bytes;
  if (spec.form == operand_form::spectrum && role == run_role(spec)) {
    return input_bytes(values_of_spectra(lengths_of(spec, role), spec.holds, spec.real, count));
  }
  return count * product_of(lengths_of(spec, role)) * value_bytes(spec);
}

std::size_t result_bytes(const program_request& request) {
  std::size_t n_results = 1;
  for (const axis_geometry& axis : request.axes) n_results *= axis.result();
  return n_results * value_bytes(request.spec);
}

const fused_load& load_of(const convolution_spec& spec, operand_role role) {
  return role == operand_role::image ? spec.image_load : spec.kernel_load;
}

operand_role run_role(const convolution_spec& spec) {
  return spec.prepared == operand_role::image ? operand_role::kernel : operand_role::image;
}

}  // namespace wingbeat::convolving
