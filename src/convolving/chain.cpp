// SPDX-License-Identifier: Apache-2.0
#include "convolving/chain.hpp"

#include <algorithm>  // max

#include "convolving/block_chain.hpp"       // preparing_block_chain, running_block_chain
#include "convolving/inner_transforms.hpp"  // inner_transforms, columns
#include "convolving/product.hpp"           // product_load
#include "request/validation.hpp"           // validated
#include "spectra.hpp"                      // spectrum_array, product

namespace wingbeat::convolving {
namespace {

using lengths = std::vector<std::size_t>;

/// Smaller arrays of convolved columns are read from the cache, in blocks or not, and what blocks
/// leave over takes a launch of its own.
constexpr std::size_t least_blocked_bytes = std::size_t{16} << 20;

class chain_builder {
 public:
  chain_builder(const std::shared_ptr<backend::queue>& on, const chain_request& request)
      : on_(on),
        spec_(request.spec),
        of_(request),
        engine_(request.engine_for(*on)),
        made_(on, request),
        inner_(spec_, of_, made_) {}

  chain prepare() {
    role_ = spec_.prepared;
    const columns in = inner_.add_forward(role_);
    plan_spec rows = rows_of(in);
    rows.out.distances = {of_.spectrum(), of_.bins(0)};
    rows.out.strides = {1};
    if (may_convolve_at_once()) {
      const plan_spec stored = made_.with_stored_types(rows, in.where, memory::spectra);
      if (auto made = engine_.make_spectra(on_, stored)) {
        made_.add({std::move(made), in.where, memory::spectra});
        return made_.take();
      }
    }
    made_.add(rows, in.where, memory::spectra);
    return made_.take();
  }

  chain run() {
    role_ = run_role(spec_);
    inner_.add_back(convolve(inner_.add_forward(role_)));
    return made_.take();
  }

 private:
  /// Whether columns are convolved in one crossing where the engine can. Spectra made for that have
  /// their bins in the engine's order, so that both chains must agree.
  [[nodiscard]] bool may_convolve_at_once() const {
    const bool loads_columns = of_.n_axes() == 1 && load_of(spec_, run_role(spec_)).is_given();
    // A load knows one row for each signal, and here each meets several spectra.
    return !of_.is_real_row() && !(loads_columns && of_.prepared() > 1);
  }

  /// Returns the forward transforms of columns, one item after another.
  [[nodiscard]] plan_spec rows_of(const columns& in) const {
    const signal_axis axis = of_.signal(role_)[0];
    plan_spec rows = of_.plan_of(axis.padded, {of_.count(), in.count}, of_.kind(true, 0));
    rows.factor = of_.scale().forward(role_, 0);
    rows.in = {.strides = {in.stride}, .distances = {in.item_distance, in.distance}};
    range_in(rows, axis);
    if (of_.n_axes() == 1) begin(rows, load_of(spec_, role_), {1, axis.length});
    return rows;
  }

  /// Convolves columns with the spectra of the same columns.
  columns convolve(const columns& in) {
    const axis_geometry& slowest = of_.axis(0);
    const bool is_last = of_.n_axes() == 1;
    const std::size_t kept = is_last ? slowest.result() : of_.sector_aligned(slowest.result());
    columns out{memory::output, in.count, kept, in.count * kept};
    if (of_.keeps_rows()) {
      const std::size_t pitch = of_.sector_aligned(in.count);
      out = {memory::output, in.count, 1, slowest.result() * pitch, pitch};
    }
    if (!is_last) out.where = made_.workspace_beside(in.where, of_.n_pairs() * out.item_distance);
    if (may_convolve_at_once()) {
      const columns blocked = in_blocks(out);
      if (auto made = native(in, blocked)) {
        made_.add({std::move(made), in.where, out.where, true});
        return blocked;
      }
    }
    plan_spec forward = rows_of(in);
    forward.out = {.strides = {1}, .distances = {of_.spectrum(), of_.bins(0)}};
    const memory between = made_.workspace_beside(in.where, of_.count() * of_.spectrum());
    made_.add(forward, in.where, between);
    plan_spec back = of_.plan_of(slowest.padded, {of_.n_pairs(), in.count}, of_.kind(false, 0));
    back.factor = product_factor(0);
    back.load = product_load({.run = of_.count(),
                              .prepared = of_.prepared(),
                              .is_pairwise = of_.is_pairwise(),
                              .columns = in.count,
                              .bins = of_.bins(0)},
                             of_.times(), stored_between(spec_), spec_.real);
    back.out = {.strides = {out.stride}, .distances = {out.item_distance, out.distance}};
    range_out(back, slowest);
    if (!is_last) out.where = made_.workspace_beside(between, of_.n_pairs() * out.item_distance);
    if (is_last) finish(back, spec_.store, {1, of_.axis(of_.n_axes() - 1).result()});
    made_.add(back, between, out.where);
    return out;
  }

  /// Returns the factor of the inverse transforms of products, where those of axis `a` and later
  /// were applied to the run's signals.
  [[nodiscard]] double product_factor(std::size_t a) const {
    const stored_scale& scale = of_.scale();
    return scale.result(0) / (scale.spectrum(role_, a) * scale.spectrum(spec_.prepared, 0));
  }

  /// Returns the same columns in blocks, where the rows that are transformed next are real and gain
  /// by it.
  [[nodiscard]] columns in_blocks(columns of) const {
    const std::size_t block = engine_.result_block(on_->device());
    const std::size_t bytes = of_.n_pairs() * of.item_distance * of_.number_bytes();
    if (!of_.is_real() || of_.n_axes() != 2 || of_.keeps_rows() || block == 0 ||
        of_.axis(0).result() < block || bytes < least_blocked_bytes) {
      return of;
    }
    of.blocks = {block, of.count * block};
    of.distance = block;
    return of;
  }

  /// Returns the plan that convolves in one crossing, or nullptr where the engine has none.
  [[nodiscard]] std::shared_ptr<const backend::plan> native(const columns& in,
                                                            const columns& out) const {
    const signal_axis axis = of_.signal(role_)[0];
    const fused_load& load = load_of(spec_, role_);
    plan_spec rows =
        of_.plan_of(axis.padded, {of_.count(), of_.prepared(), in.count}, transform::forward);
    rows.scale = scaling::by_length;
    rows.factor = product_factor(1);
    rows.in = {.strides = {in.stride}, .distances = {in.item_distance, 0, in.distance}};
    rows.out = {.strides = {out.stride},
                .distances = {of_.prepared() * out.item_distance, out.item_distance, out.distance}};
    range_in(rows, axis);
    if (of_.n_axes() == 1) begin(rows, load, {1, axis.length});
    range_out(rows, of_.axis(0));
    if (of_.n_axes() == 1) finish(rows, spec_.store, {1, of_.axis(of_.n_axes() - 1).result()});
    const std::size_t item = of_.is_pairwise() ? of_.spectrum() : 0;
    return engine_.make_convolution(on_, made_.with_stored_types(rows, in.where, out.where),
                                    {.stored = stored_between(spec_),
                                     .distances = {item, of_.spectrum(), of_.bins(0)},
                                     .times = of_.times(),
                                     .blocks = out.blocks});
  }

  const std::shared_ptr<backend::queue>& on_;
  const convolution_spec& spec_;
  chain_sizes of_;
  const backend::engine& engine_;
  operand_role role_ = operand_role::image;  ///< Whose signals go through the chain.
  growing_chain made_;
  inner_transforms inner_;
};

std::size_t product_of(const lengths& all) {
  std::size_t product = 1;
  for (const std::size_t n : all) product *= n;
  return product;
}

const lengths& lengths_of(const convolution_spec& spec, operand_role role) {
  return role == operand_role::image ? spec.image : spec.kernel;
}

/// Puts the plan that turns spectra into values in front of a chain, which then reads those.
void begin_with_spectra(const std::shared_ptr<backend::queue>& on, const chain_request& request,
                        chain& result) {
  const convolution_spec& spec = request.spec;
  const plan_spec inverse =
      values_of_spectra(lengths_of(spec, run_role(spec)), spec.holds, spec.real, request.count);
  for (stage& each : result.stages) {
    if (each.from == memory::signals) each.from = memory::values;
  }
  stage first{backend::engine_of(on->device().runs_on)
                  .make_plan(on, request::validated(inverse, on->device())),
              memory::signals, memory::values};
  result.plan_bytes = std::max(result.plan_bytes, first.plan->workspace_bytes());
  result.array_bytes[2] = output_bytes(inverse);
  result.stages.insert(result.stages.begin(), std::move(first));
}

std::size_t value_bytes(const convolution_spec& spec) {
  return (spec.holds == values::real ? 1 : 2) * bytes_of_real(spec.real);
}

}  // namespace

chain preparing_chain(const std::shared_ptr<backend::queue>& on, const chain_request& request) {
  if (request.axes[0].hop != 0) return preparing_block_chain(on, request);
  return chain_builder{on, request}.prepare();
}

chain running_chain(const std::shared_ptr<backend::queue>& on, const chain_request& request) {
  chain result = request.axes[0].hop != 0 ? running_block_chain(on, request)
                                          : chain_builder{on, request}.run();
  if (request.spec.form == operand_form::spectrum) begin_with_spectra(on, request, result);
  return result;
}

plan_spec values_of_spectra(const lengths& of_one, values holds, precision real,
                            std::size_t count) {
  return {.lengths = of_one,
          .batch = count,
          .kind = holds == values::real ? transform::inverse_to_real : transform::inverse,
          .real = real,
          .scale = scaling::by_length};
}

std::size_t spectrum_bytes(const chain_request& request) {
  const chain_sizes of{request};
  return of.spectrum() * of.number_bytes();
}

std::size_t signal_bytes(const convolution_spec& spec, operand_role role) {
  const std::size_t count = role == operand_role::image ? spec.images : spec.kernels;
  if (load_of(spec, role).is_given()) return load_of(spec, role).in_bytes;
  if (spec.form == operand_form::spectrum && role == run_role(spec)) {
    return input_bytes(values_of_spectra(lengths_of(spec, role), spec.holds, spec.real, count));
  }
  return count * product_of(lengths_of(spec, role)) * value_bytes(spec);
}

std::size_t result_bytes(const chain_request& request) {
  std::size_t numbers = 1;
  for (const axis_geometry& axis : request.axes) numbers *= axis.result();
  return numbers * value_bytes(request.spec);
}

const fused_load& load_of(const convolution_spec& spec, operand_role role) {
  return role == operand_role::image ? spec.image_load : spec.kernel_load;
}

operand_role run_role(const convolution_spec& spec) {
  return spec.prepared == operand_role::image ? operand_role::kernel : operand_role::image;
}

}  // namespace wingbeat::convolving
