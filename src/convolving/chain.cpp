// SPDX-License-Identifier: Apache-2.0
#include "convolving/chain.hpp"

#include <algorithm>  // max

#include "convolving/epilogue.hpp"  // store_of_rows
#include "convolving/product.hpp"   // product_load
#include "plan_spec.hpp"            // validate
#include "side.hpp"                 // bytes_of_real
#include "spectra.hpp"              // spectrum_array, product

namespace wingbeat::convolving {
namespace {

using lengths = std::vector<std::size_t>;

/// Elements of the slowest axis begin on whole sectors of 32 bytes in each column.
constexpr std::size_t sector_numbers = 4;

std::size_t sector_aligned(std::size_t n) {
  return (n + sector_numbers - 1) / sector_numbers * sector_numbers;
}

/// One axis of a signal: its elements, the index of the first, and the padded length.
struct signal_axis {
  std::size_t length, at, padded;

  [[nodiscard]] index_range valid() const { return {at, at + length}; }
};

/// Where columns along the slowest axis lie, in complex numbers; of real signals of one axis, reals.
struct columns {
  memory where = memory::signals;
  std::size_t count = 1;  ///< Of one item.
  std::size_t distance = 0;
  std::size_t item_distance = 0;
};

class chain_builder {
 public:
  chain_builder(const std::shared_ptr<backend::queue>& on, const chain_request& request)
      : on_(on),
        spec_(request.spec),
        axes_(request.axes),
        prepared_(request.prepared),
        engine_(backend::engine_of(on->device().runs_on)) {
    made_.count = request.count;
  }

  chain prepare() {
    const auto axes = axes_of(spec_.prepared);
    const columns in = transform_inner(axes);
    plan_spec rows = rows_of(in, axes[0]);
    rows.out.distances = {spectrum_numbers(), bins()};
    rows.out.strides = {1};
    if (!is_real_row()) {
      if (auto made = engine_.make_spectra(on_, rows)) {
        add({std::move(made), in.where, memory::spectra});
        return std::move(made_);
      }
    }
    add(rows, in.where, memory::spectra);
    return std::move(made_);
  }

  chain run() {
    const auto axes = axes_of(run_role(spec_));
    const columns in = transform_inner(axes);
    transform_back(convolve(in, axes[0]));
    return std::move(made_);
  }

  [[nodiscard]] std::size_t spectrum_numbers() const { return n_columns() * bins(); }
  [[nodiscard]] std::size_t number_bytes() const { return 2 * bytes_of_real(spec_.real); }

 private:
  [[nodiscard]] std::size_t n_axes() const { return axes_.size(); }
  [[nodiscard]] bool is_real() const { return spec_.holds == values::real; }
  /// Whether the slowest axis is that of the real numbers.
  [[nodiscard]] bool is_real_row() const { return is_real() && n_axes() == 1; }
  [[nodiscard]] std::size_t bins_of(std::size_t padded, bool is_last) const {
    return is_real() && is_last ? padded / 2 + 1 : padded;
  }
  [[nodiscard]] std::size_t bins() const { return bins_of(axes_[0].padded, n_axes() == 1); }
  [[nodiscard]] std::size_t n_columns() const {
    std::size_t count = 1;
    for (std::size_t a = 1; a < n_axes(); ++a) {
      count *= bins_of(axes_[a].padded, a + 1 == n_axes());
    }
    return count;
  }
  [[nodiscard]] std::size_t n_pairs() const { return made_.count * prepared_; }
  [[nodiscard]] bool is_pairwise() const { return spec_.pairs == pairing::pairwise; }

  [[nodiscard]] std::vector<signal_axis> axes_of(operand_role role) const {
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

  void add(stage made) {
    made_.plan_bytes = std::max(made_.plan_bytes, made.plan->workspace_bytes());
    made_.stages.push_back(std::move(made));
  }
  void add(const plan_spec& spec, memory from, memory to) {
    validate(spec, on_->device());
    add({engine_.make_plan(on_, spec), from, to, false, spec.load.is_given()});
  }
  /// Returns the workspace beside `used`, with room for so many numbers.
  memory workspace_beside(memory used, std::size_t numbers) {
    const bool is_a = used != memory::workspace_a;
    std::size_t& bytes = made_.array_bytes[is_a ? 0 : 1];
    bytes = std::max(bytes, numbers * number_bytes());
    return is_a ? memory::workspace_a : memory::workspace_b;
  }

  [[nodiscard]] transform kind(bool is_forward, bool is_last) const {
    if (!is_real() || !is_last) return is_forward ? transform::forward : transform::inverse;
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

  /// Transforms every axis but the slowest.
  columns transform_inner(const std::vector<signal_axis>& axes) {
    const std::size_t rows = axes[0].length, n = made_.count;
    if (n_axes() == 1) return {memory::signals, 1, rows, rows};
    const std::size_t pitch = sector_aligned(rows), last = n_axes() - 1;
    const std::size_t bins_of_last = bins_of(axes[last].padded, true);
    plan_spec inner;
    if (n_axes() == 2) {
      inner = plan_of(axes[1].padded, {n, rows}, kind(true, true));
      inner.in = {.distances = {rows * axes[1].length, axes[1].length}};
      inner.out = {.strides = {pitch}, .distances = {bins_of_last * pitch, 1}};
      range_in(inner, axes[1]);
      const memory a = workspace_beside(memory::signals, n * bins_of_last * pitch);
      add(inner, memory::signals, a);
      return {a, bins_of_last, pitch, bins_of_last * pitch};
    }
    const std::size_t mid = axes[1].length, row = axes[2].length;
    const std::size_t plane = mid * bins_of_last, volume = rows * plane;
    inner = plan_of(axes[2].padded, {n, rows, mid}, kind(true, true));
    inner.in = {.distances = {rows * mid * row, mid * row, row}};
    inner.out = {.distances = {volume, plane, bins_of_last}};
    range_in(inner, axes[2]);
    const memory first = workspace_beside(memory::workspace_a, n * volume);
    add(inner, memory::signals, first);
    const std::size_t all = bins_of_last * axes[1].padded;
    inner = plan_of(axes[1].padded, {n, rows, bins_of_last}, transform::forward);
    inner.in = {.strides = {bins_of_last}, .distances = {volume, plane, 1}};
    inner.out = {.strides = {pitch}, .distances = {all * pitch, 1, axes[1].padded * pitch}};
    range_in(inner, axes[1]);
    const memory second = workspace_beside(first, n * all * pitch);
    add(inner, first, second);
    return {second, all, pitch, all * pitch};
  }

  static void range_in(plan_spec& spec, const signal_axis& axis) {
    if (spec.in.strides.empty()) spec.in.strides = {1};
    spec.in.origin = {axis.at};
    spec.valid_in = {axis.valid()};
  }
  static void range_out(plan_spec& spec, const axis_geometry& axis) {
    if (spec.out.strides.empty()) spec.out.strides = {1};
    spec.out.origin = {axis.wanted.first};
    spec.valid_out = {axis.wanted};
  }

  /// Returns the forward transforms of columns, one item after another.
  [[nodiscard]] plan_spec rows_of(const columns& in, const signal_axis& axis) const {
    plan_spec rows = plan_of(axis.padded, {made_.count, in.count}, kind(true, n_axes() == 1));
    rows.in = {.distances = {in.item_distance, in.distance}};
    range_in(rows, axis);
    return rows;
  }

  [[nodiscard]] product times() const {
    if (spec_.kind == operation::convolve) return product::plain;
    const bool runs_kernels = run_role(spec_) == operand_role::kernel;
    return runs_kernels ? product::conjugate_row : product::conjugate_spectrum;
  }

  /// Convolves columns with the spectra of the same columns.
  columns convolve(const columns& in, const signal_axis& axis) {
    const axis_geometry& slowest = axes_[0];
    const bool is_last = n_axes() == 1;
    const std::size_t kept = is_last ? slowest.result() : sector_aligned(slowest.result());
    columns out{memory::output, in.count, kept, in.count * kept};
    if (!is_last) out.where = workspace_beside(in.where, n_pairs() * out.item_distance);
    if (!is_real_row()) {
      if (auto made = native(in, axis, out)) {
        add({std::move(made), in.where, out.where, true});
        return out;
      }
    }
    plan_spec forward = rows_of(in, axis);
    forward.out = {.strides = {1}, .distances = {spectrum_numbers(), bins()}};
    const memory between = workspace_beside(in.where, made_.count * spectrum_numbers());
    add(forward, in.where, between);
    plan_spec back = plan_of(slowest.padded, {n_pairs(), in.count}, kind(false, is_last));
    back.load = product_load({.run = made_.count,
                              .prepared = prepared_,
                              .is_pairwise = is_pairwise(),
                              .columns = in.count,
                              .bins = bins()},
                             times(), spec_.real);
    back.out = {.distances = {out.item_distance, out.distance}};
    range_out(back, slowest);
    if (!is_last) out.where = workspace_beside(between, n_pairs() * out.item_distance);
    if (is_last) finish(back, 1);
    add(back, between, out.where);
    return out;
  }

  /// Returns the plan that convolves in one crossing, or nullptr where the engine has none.
  [[nodiscard]] std::shared_ptr<const backend::plan> native(const columns& in,
                                                            const signal_axis& axis,
                                                            const columns& out) const {
    plan_spec rows = plan_of(axis.padded, {made_.count, prepared_, in.count}, transform::forward);
    rows.scale = scaling::by_length;
    rows.in = {.distances = {in.item_distance, 0, in.distance}};
    rows.out = {.distances = {prepared_ * out.item_distance, out.item_distance, out.distance}};
    range_in(rows, axis);
    range_out(rows, axes_[0]);
    if (n_axes() == 1) finish(rows, 1);
    const std::size_t item = is_pairwise() ? spectrum_numbers() : 0;
    return engine_.make_convolution(
        on_, rows,
        {.stored = spec_.real, .distances = {item, spectrum_numbers(), bins()}, .times = times()});
  }

  /// Transforms back every axis but the slowest.
  void transform_back(const columns& in) {
    if (n_axes() == 1) return;
    const std::size_t rows = axes_[0].result(), last = n_axes() - 1;
    const std::size_t n_last = axes_[last].result();
    if (n_axes() == 2) {
      plan_spec back = plan_of(axes_[1].padded, {n_pairs(), rows}, kind(false, true));
      back.in = {.strides = {in.distance}, .distances = {in.item_distance, 1}};
      back.out = {.distances = {rows * n_last, n_last}};
      range_out(back, axes_[1]);
      finish(back, rows);
      return add(back, in.where, memory::output);
    }
    const std::size_t mid = axes_[1].result(), bins_of_last = bins_of(axes_[2].padded, true);
    const std::size_t plane = mid * bins_of_last, volume = rows * plane;
    plan_spec back = plan_of(axes_[1].padded, {n_pairs(), rows, bins_of_last}, transform::inverse);
    back.in = {.strides = {in.distance},
               .distances = {in.item_distance, 1, axes_[1].padded * in.distance}};
    back.out = {.strides = {bins_of_last}, .distances = {volume, plane, 1}};
    range_out(back, axes_[1]);
    const memory between = workspace_beside(in.where, n_pairs() * volume);
    add(back, in.where, between);
    back = plan_of(axes_[2].padded, {n_pairs(), rows, mid}, kind(false, true));
    back.in = {.strides = {1}, .distances = {volume, plane, bins_of_last}};
    back.out = {.distances = {rows * mid * n_last, mid * n_last, n_last}};
    range_out(back, axes_[2]);
    finish(back, rows * mid);
    add(back, between, memory::output);
  }

  /// Puts the request's functor behind the last plan, which has `rows` rows of one result.
  void finish(plan_spec& last, std::size_t rows) const {
    if (!spec_.store.is_given()) return;
    last.out = {};
    last.store = store_of_rows(spec_.store, rows, axes_.back().result());
  }

  const std::shared_ptr<backend::queue>& on_;
  const convolution_spec& spec_;
  const std::vector<axis_geometry>& axes_;
  std::size_t prepared_;
  const backend::engine& engine_;
  chain made_;
};

std::size_t product_of(const lengths& all) {
  std::size_t product = 1;
  for (const std::size_t n : all) product *= n;
  return product;
}

std::size_t value_bytes(const convolution_spec& spec) {
  return (spec.holds == values::real ? 1 : 2) * bytes_of_real(spec.real);
}

}  // namespace

chain preparing_chain(const std::shared_ptr<backend::queue>& on, const chain_request& request) {
  return chain_builder{on, request}.prepare();
}

chain running_chain(const std::shared_ptr<backend::queue>& on, const chain_request& request) {
  return chain_builder{on, request}.run();
}

std::size_t spectrum_bytes(const chain_request& request) {
  std::size_t numbers = 1;
  for (std::size_t a = 0; a < request.axes.size(); ++a) {
    const bool is_half = request.spec.holds == values::real && a + 1 == request.axes.size();
    numbers *= is_half ? request.axes[a].padded / 2 + 1 : request.axes[a].padded;
  }
  return numbers * 2 * bytes_of_real(request.spec.real);
}

std::size_t signal_bytes(const convolution_spec& spec, operand_role role) {
  return product_of(role == operand_role::image ? spec.image : spec.kernel) * value_bytes(spec);
}

std::size_t result_bytes(const chain_request& request) {
  std::size_t numbers = 1;
  for (const axis_geometry& axis : request.axes) numbers *= axis.result();
  return numbers * value_bytes(request.spec);
}

operand_role run_role(const convolution_spec& spec) {
  return spec.prepared == operand_role::image ? operand_role::kernel : operand_role::image;
}

}  // namespace wingbeat::convolving
