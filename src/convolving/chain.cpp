// SPDX-License-Identifier: Apache-2.0
#include "convolving/chain.hpp"

#include <algorithm>  // max

#include "convolving/block_chain.hpp"   // preparing_block_chain, running_block_chain
#include "convolving/product.hpp"       // product_load
#include "convolving/renumbered.hpp"    // load_of_rows, store_of_rows
#include "convolving/stored_scale.hpp"  // stored_scale, stored_between
#include "plan_spec.hpp"                // validate
#include "side.hpp"                     // bytes_of_real
#include "spectra.hpp"                  // spectrum_array, product

namespace wingbeat::convolving {
namespace {

using lengths = std::vector<std::size_t>;

/// Smaller arrays of convolved columns are read from the cache, in blocks or not, and what blocks
/// leave over takes a launch of its own.
constexpr std::size_t least_blocked_bytes = std::size_t{16} << 20;

/// Elements of the slowest axis begin on whole sectors of 32 bytes in each column: so many fp32
/// complex numbers.
constexpr std::size_t sector_bytes = 32, least_sector_numbers = 4;

/// One axis of a signal: its elements, the index of the first, and the padded length.
struct signal_axis {
  std::size_t length, at, padded;

  [[nodiscard]] index_range valid() const { return {at, at + length}; }
};

/// Where columns along the slowest axis lie, in complex numbers; of real signals of one axis, in
/// reals.
struct columns {
  memory where = memory::signals;
  std::size_t count = 1;  ///< Of one item.
  std::size_t distance = 0;
  std::size_t item_distance = 0;
  result_blocks blocks = {};  ///< What elements of a column lie in.
};

/// What follows from a request's sizes.
class sizes {
 public:
  explicit sizes(const chain_request& request)
      : spec_(request.spec),
        axes_(request.axes),
        count_(request.count),
        prepared_(request.prepared),
        scale_(request.spec, request.axes) {}

  [[nodiscard]] const stored_scale& scale() const { return scale_; }
  [[nodiscard]] std::size_t n_axes() const { return axes_.size(); }
  [[nodiscard]] const axis_geometry& axis(std::size_t a) const { return axes_[a]; }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t prepared() const { return prepared_; }
  [[nodiscard]] std::size_t n_pairs() const { return count_ * prepared_; }
  [[nodiscard]] bool is_pairwise() const { return spec_.pairs == pairing::pairwise; }
  [[nodiscard]] bool is_real() const { return spec_.holds == values::real; }
  /// Whether the slowest axis is that of the real numbers.
  [[nodiscard]] bool is_real_row() const { return is_real() && n_axes() == 1; }

  /// Returns the bins of an axis.
  [[nodiscard]] std::size_t bins(std::size_t a) const {
    const bool is_half = is_real() && a + 1 == n_axes() && axes_[a].hop == 0;
    return is_half ? axes_[a].padded / 2 + 1 : axes_[a].padded;
  }
  /// Returns the numbers of one prepared spectrum.
  [[nodiscard]] std::size_t spectrum() const {
    std::size_t numbers = 1;
    for (std::size_t a = 0; a < n_axes(); ++a) numbers *= bins(a);
    return numbers;
  }
  /// Returns the bytes of a number of a spectrum, or of the workspace.
  [[nodiscard]] std::size_t number_bytes() const {
    return 2 * bytes_of_real(stored_between(spec_));
  }
  [[nodiscard]] std::size_t sector_aligned(std::size_t n) const {
    const std::size_t numbers = std::max(sector_bytes / number_bytes(), least_sector_numbers);
    return (n + numbers - 1) / numbers * numbers;
  }
  [[nodiscard]] std::size_t value_bytes() const {
    return (is_real() ? 1 : 2) * bytes_of_real(spec_.real);
  }

  [[nodiscard]] std::vector<signal_axis> signal(operand_role role) const {
    std::vector<signal_axis> all;
    for (const axis_geometry& axis : axes_) {
      if (role == operand_role::image) {
        all.push_back({axis.image, axis.image_at, axis.padded});
      } else {
        all.push_back({axis.kernel, 0, axis.padded});
      }
    }
    return all;
  }

  /// Returns the kind of the transforms along an axis.
  [[nodiscard]] transform kind(bool is_forward, std::size_t a) const {
    if (!is_real() || a + 1 < n_axes()) return is_forward ? transform::forward : transform::inverse;
    return is_forward ? transform::forward_from_real : transform::inverse_to_real;
  }

  /// Returns a plan of one axis over `batch`, in its elements' memory.
  [[nodiscard]] plan_spec plan_of(std::size_t padded, lengths batch, transform kind) const {
    plan_spec spec{.lengths = {padded},
                   .batch = batch_shape{std::move(batch)},
                   .kind = kind,
                   .real = spec_.real};
    const bool is_inverse = kind == transform::inverse || kind == transform::inverse_to_real;
    spec.scale = is_inverse ? scaling::by_length : scaling::none;
    return spec;
  }

  /// Returns what becomes of a bin of the run and one of the prepared spectrum.
  [[nodiscard]] product times() const {
    if (spec_.kind == operation::convolve) return product::plain;
    const bool runs_kernels = run_role(spec_) == operand_role::kernel;
    return runs_kernels ? product::conjugate_row : product::conjugate_spectrum;
  }

 private:
  const convolution_spec& spec_;
  const std::vector<axis_geometry>& axes_;
  std::size_t count_, prepared_;
  stored_scale scale_;
};

void range_in(plan_spec& spec, const signal_axis& axis) {
  if (spec.in.strides.empty()) spec.in.strides = {1};
  spec.in.origin = {axis.at};
  spec.valid_in = {axis.valid()};
}
void range_out(plan_spec& spec, const axis_geometry& axis) {
  if (spec.out.strides.empty()) spec.out.strides = {1};
  spec.out.origin = {axis.wanted.first};
  spec.valid_out = {axis.wanted};
}

/// Puts a request's functor in front of the first plan.
void begin(plan_spec& first, const fused_load& load, const row_parts& parts) {
  if (!load.is_given()) return;
  first.in = {};
  first.load = load_of_rows(load, parts);
}

/// Puts a request's functor behind the last plan.
void finish(plan_spec& last, const fused_store& store, const row_parts& parts) {
  if (!store.is_given()) return;
  last.out = {};
  last.store = store_of_rows(store, parts);
}

/// A chain to which plans are added.
class growing_chain {
 public:
  growing_chain(const std::shared_ptr<backend::queue>& on, const chain_request& request)
      : on_(on), engine_(request.engine_for(*on)), between_(stored_between(request.spec)) {
    chain_.count = request.count;
  }

  /// Returns the request with the stored types of spectra and workspace where it reads or writes
  /// those.
  [[nodiscard]] plan_spec with_stored_types(plan_spec spec, memory from, memory to) const {
    if (from != memory::signals && !spec.load.is_given()) spec.in.stored = between_;
    if (to != memory::output) spec.out.stored = between_;
    return spec;
  }

  stage& add(stage made) {
    chain_.plan_bytes = std::max(chain_.plan_bytes, made.plan->workspace_bytes());
    chain_.stages.push_back(std::move(made));
    return chain_.stages.back();
  }
  stage& add(const plan_spec& given, memory from, memory to) {
    const plan_spec spec = with_stored_types(given, from, to);
    validate(spec, on_->device());
    const bool loads_product = spec.load.is_given() && from != memory::signals;
    return add({engine_.make_plan(on_, spec), from, to, false, loads_product});
  }

  /// Returns the workspace beside `used`, with room for so many numbers.
  memory workspace_beside(memory used, std::size_t numbers) {
    const bool is_a = used != memory::workspace_a;
    std::size_t& bytes = chain_.array_bytes[is_a ? 0 : 1];
    bytes = std::max(bytes, numbers * 2 * bytes_of_real(between_));
    return is_a ? memory::workspace_a : memory::workspace_b;
  }

  chain take() { return std::move(chain_); }

 private:
  const std::shared_ptr<backend::queue>& on_;
  const backend::engine& engine_;
  precision between_;
  chain chain_;
};

/// The plans along every axis but the slowest.
class inner_transforms {
 public:
  /// All outlive this.
  inner_transforms(const convolution_spec& spec, const sizes& of, growing_chain& to)
      : spec_(spec), of_(of), made_(to) {}

  /// Adds those of a role's signals, and returns the columns that they leave.
  columns add_forward(operand_role role) {
    const std::vector<signal_axis> axes = of_.signal(role);
    const fused_load& load = load_of(spec_, role);
    const std::size_t rows = axes[0].length, n = of_.count();
    if (of_.n_axes() == 1) return {memory::signals, 1, rows, rows};
    const std::size_t pitch = of_.sector_aligned(rows), last = of_.n_axes() - 1;
    const std::size_t bins_of_last = of_.bins(last);
    plan_spec inner;
    if (of_.n_axes() == 2) {
      inner = of_.plan_of(axes[1].padded, {n, rows}, of_.kind(true, last));
      inner.factor = of_.scale().forward(role, last);
      inner.in = {.distances = {rows * axes[1].length, axes[1].length}};
      inner.out = {.strides = {pitch}, .distances = {bins_of_last * pitch, 1}};
      range_in(inner, axes[1]);
      begin(inner, load, {rows, axes[1].length});
      const memory a = made_.workspace_beside(memory::signals, n * bins_of_last * pitch);
      made_.add(inner, memory::signals, a);
      return {a, bins_of_last, pitch, bins_of_last * pitch};
    }
    const std::size_t mid = axes[1].length, row = axes[2].length;
    const std::size_t plane = mid * bins_of_last, volume = rows * plane;
    inner = of_.plan_of(axes[2].padded, {n, rows, mid}, of_.kind(true, last));
    inner.factor = of_.scale().forward(role, last);
    inner.in = {.distances = {rows * mid * row, mid * row, row}};
    inner.out = {.distances = {volume, plane, bins_of_last}};
    range_in(inner, axes[2]);
    begin(inner, load, {rows * mid, row});
    const memory first = made_.workspace_beside(memory::workspace_a, n * volume);
    made_.add(inner, memory::signals, first);
    const std::size_t all = bins_of_last * axes[1].padded;
    inner = of_.plan_of(axes[1].padded, {n, rows, bins_of_last}, transform::forward);
    inner.factor = of_.scale().forward(role, 1);
    inner.in = {.strides = {bins_of_last}, .distances = {volume, plane, 1}};
    inner.out = {.strides = {pitch}, .distances = {all * pitch, 1, axes[1].padded * pitch}};
    range_in(inner, axes[1]);
    const memory second = made_.workspace_beside(first, n * all * pitch);
    made_.add(inner, first, second);
    return {second, all, pitch, all * pitch};
  }

  /// Adds those that transform convolved columns back.
  void add_back(const columns& in) {
    if (of_.n_axes() == 1) return;
    const std::size_t rows = of_.axis(0).result(), last = of_.n_axes() - 1;
    const std::size_t n_last = of_.axis(last).result();
    if (of_.n_axes() == 2) {
      const std::size_t left = in.blocks.length == 0 ? rows : rows % in.blocks.length;
      if (left < rows) transform_blocks_back(in, rows - left);
      if (left > 0) transform_rows_back(in, rows - left, left);
      return;
    }
    const std::size_t mid = of_.axis(1).result(), bins_of_last = of_.bins(2);
    const std::size_t plane = mid * bins_of_last, volume = rows * plane;
    plan_spec back =
        of_.plan_of(of_.axis(1).padded, {of_.n_pairs(), rows, bins_of_last}, transform::inverse);
    back.factor = back_factor(1);
    back.in = {.strides = {in.distance},
               .distances = {in.item_distance, 1, of_.axis(1).padded * in.distance}};
    back.out = {.strides = {bins_of_last}, .distances = {volume, plane, 1}};
    range_out(back, of_.axis(1));
    const memory between = made_.workspace_beside(in.where, of_.n_pairs() * volume);
    made_.add(back, in.where, between);
    back = of_.plan_of(of_.axis(2).padded, {of_.n_pairs(), rows, mid}, of_.kind(false, last));
    back.factor = back_factor(2);
    back.in = {.strides = {1}, .distances = {volume, plane, bins_of_last}};
    back.out = {.distances = {rows * mid * n_last, mid * n_last, n_last}};
    range_out(back, of_.axis(2));
    finish(back, spec_.store, {rows * mid, of_.axis(of_.n_axes() - 1).result()});
    made_.add(back, between, memory::output);
  }

 private:
  /// Returns the factor of the inverse transforms along axis `a`.
  [[nodiscard]] double back_factor(std::size_t a) const {
    return of_.scale().result(a) / of_.scale().result(a - 1);
  }

  /// Transforms `count` rows of two axes back, the first of them row `first` of each result, from
  /// where the blocks end.
  void transform_rows_back(const columns& in, std::size_t first, std::size_t count) {
    const std::size_t rows = of_.axis(0).result(), n = of_.axis(1).result();
    plan_spec back = of_.plan_of(of_.axis(1).padded, {of_.n_pairs(), count}, of_.kind(false, 1));
    back.factor = back_factor(1);
    back.in = {.strides = {in.distance}, .distances = {in.item_distance, 1}};
    back.out = {.distances = {rows * n, n}};
    range_out(back, of_.axis(1));
    finish(back, spec_.store, {count, n, first});
    back.store.clears_output &= first == 0;
    stage& added = made_.add(back, in.where, memory::output);
    added.from_bytes = first * in.count * of_.number_bytes();
    if (!spec_.store.is_given()) added.to_bytes = first * n * of_.value_bytes();
  }

  /// Transforms the `count` rows of whole blocks back.
  void transform_blocks_back(const columns& in, std::size_t count) {
    const std::size_t rows = of_.axis(0).result(), n = of_.axis(1).result();
    const std::size_t block = in.blocks.length;
    plan_spec back =
        of_.plan_of(of_.axis(1).padded, {of_.n_pairs(), count / block, block}, of_.kind(false, 1));
    back.factor = back_factor(1);
    back.in = {.strides = {in.distance}, .distances = {in.item_distance, in.blocks.stride, 1}};
    back.out = {.distances = {rows * n, block * n, n}};
    range_out(back, of_.axis(1));
    finish(back, spec_.store, {count, n});
    made_.add(back, in.where, memory::output);
  }

  const convolution_spec& spec_;
  const sizes& of_;
  growing_chain& made_;
};

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
    if (!of_.is_real_row()) {
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
  /// Returns the forward transforms of columns, one item after another.
  [[nodiscard]] plan_spec rows_of(const columns& in) const {
    const signal_axis axis = of_.signal(role_)[0];
    plan_spec rows = of_.plan_of(axis.padded, {of_.count(), in.count}, of_.kind(true, 0));
    rows.factor = of_.scale().forward(role_, 0);
    rows.in = {.distances = {in.item_distance, in.distance}};
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
    if (!is_last) out.where = made_.workspace_beside(in.where, of_.n_pairs() * out.item_distance);
    if (!of_.is_real_row()) {
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
    back.out = {.distances = {out.item_distance, out.distance}};
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
    if (!of_.is_real() || of_.n_axes() != 2 || block == 0 || of_.axis(0).result() < block ||
        bytes < least_blocked_bytes) {
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
    rows.in = {.distances = {in.item_distance, 0, in.distance}};
    rows.out = {.distances = {of_.prepared() * out.item_distance, out.item_distance, out.distance}};
    range_in(rows, axis);
    if (of_.n_axes() == 1 && load.is_given()) {
      if (of_.prepared() > 1) return nullptr;  // a load knows one row for each signal
      begin(rows, load, {1, axis.length});
    }
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
  sizes of_;
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
  validate(inverse, on->device());
  for (stage& each : result.stages) {
    if (each.from == memory::signals) each.from = memory::values;
  }
  stage first{backend::engine_of(on->device().runs_on).make_plan(on, inverse), memory::signals,
              memory::values};
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
  const sizes of{request};
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
