// SPDX-License-Identifier: Apache-2.0
// Rows of reals: in registers, by a matrix, or of N = 2 H numbers as complex rows of H and the
// H + 1 bins of their spectra.
#include <algorithm>  // min
#include <utility>    // move

#include "backend/host/aligned.hpp"            // aligned_array, alignment_bytes
#include "backend/host/rows/chain_tables.hpp"  // table_writer
#include "backend/host/rows/kernel_rows.hpp"   // kernel_rows
#include "roots/root_products.hpp"             // root_products
#include "text/formatted.hpp"                  // formatted

namespace wingbeat::backend::host {
namespace {

using request::domain;
using request::traits;

template <class Real>
class mirrored_rows final : public row_method<Real> {
 public:
  mirrored_rows(const kernels<Real>& kernel_set, const real_row_spec& spec, unsigned n_slots)
      : kernels_(kernel_set),
        half_(spec.length / 2),
        is_back_(spec.kind.out == domain::real),
        through_(complex_rows(kernel_set, half_, n_slots)),
        width_(static_cast<std::size_t>(kernel_set.width)) {
    run_.scale = static_cast<Real>(is_back_ ? spec.scale : spec.scale / 2);  // see `split`
    run_.is_swapped = !spec.kind.is_forward;
    const std::size_t widest = width_, least = 16 / sizeof(Real),
                      row_bytes = 2 * sizeof(Real) * half_;
    while (width_ > 1 && 2 * width_ > half_) width_ = width_ > least ? width_ / 2 : 1;
    group_ = (limits.mirror_bytes / row_bytes + widest) / widest * widest;
    n_vectors_ = half_ / 2 / width_;
    has_last_ = half_ / 2 % width_ > 0;
    table_ = make_aligned<Real>(2 * (width_ + n_vectors_ + 1));
    const root_products<Real> roots{spec.length};
    const bool is_conjugated = spec.kind.is_conjugated();
    const auto w = [&](std::size_t k) { return is_conjugated ? std::conj(roots(k)) : roots(k); };
    table_writer<Real> table{table_.get()};
    table.split(width_, [&](std::size_t l) { return w(1 + l); });
    for (std::size_t v = 0; v < n_vectors_; ++v) table.put(w(v * width_));
    if (has_last_) table.put(w(half_ / 2 - width_));
  }

  [[nodiscard]] std::size_t workspace_bytes() const noexcept override {
    return through_->workspace_bytes();
  }
  [[nodiscard]] std::size_t rows_together() const noexcept override {
    return through_->rows_together();
  }
  [[nodiscard]] std::string explain() const override {
    const auto mirror = formatted("{} bins of {} and mirror image", half_ + 1, 2 * half_);
    return is_back_ ? mirror + " combined\n" + through_->explain()
                    : through_->explain() + "\n" + mirror + " separated";
  }

  /// Shares of the rows; where threads share a row, one row after another.
  void run(const rows<Real>& given, void* workspace, unsigned n_threads) const override {
    if (given.count == 1 && half_ <= longest_single) {
      return run_single(given.in, given.out, [&](const Real* in, Real* out) {
        rows<Real> row = complex_of(given);
        row.in = in;
        row.out = out;
        through_->run(row, workspace, 1);
      });
    }
    if (is_long<Real>(half_)) return run_rows(given, workspace, n_threads);
    if (given.count <= group_) return run_rows(given, workspace, 1);
    const auto share = [&](std::size_t i, unsigned) {
      const std::size_t n = std::min(group_, given.count - group_ * i);
      run_rows(part_of(given, group_ * i, n), workspace, 1);
    };
    thread_pool::shared().run((given.count + group_ - 1) / group_, n_threads, share);
  }

  /// Of one row, the kernel itself: a copy of `rows` would wait for the stores that made it, as
  /// long as the transform takes.
  [[nodiscard]] direct_run direct(prepared_rows<Real>& memory) const noexcept override {
    if (memory.shape.count != 1 || half_ > longest_single || !memory.begins_with_memory()) {
      return row_method<Real>::direct(memory);
    }
    memory.shape = complex_of(memory.shape);
    memory.inner = through_->direct(memory);
    if (memory.inner.prepared != &memory.single) return row_method<Real>::direct(memory);
    memory.method = this;
    return {[](const void* prepared, const std::byte* in, std::byte* out) {
              const auto& own = *static_cast<const prepared_rows<Real>*>(prepared);
              static_cast<const mirrored_rows*>(own.method)
                  ->run_single(reinterpret_cast<const Real*>(in), reinterpret_cast<Real*>(out),
                               [&](const Real* row, Real* bins) {
                                 own.inner.call(own.inner.prepared,
                                                reinterpret_cast<const std::byte*>(row),
                                                reinterpret_cast<std::byte*>(bins));
                               });
            },
            &memory};
  }

 private:
  static constexpr std::size_t longest_single = 512;

  [[nodiscard]] rows<Real> complex_of(const rows<Real>& given) const noexcept {
    return {given.in,    given.out,  given.in_pitch, given.out_pitch,
            given.count, run_.scale, run_.is_swapped};
  }

  /// Calls `transform(in, out)` of the row's complex numbers.
  template <class Transform>
  void run_single(const Real* in, Real* out, const Transform& transform) const {
    alignas(alignment_bytes) Real bins[2 * longest_single];
    if (is_back_) {
      mirror_row(in, bins, 1);
      return transform(bins, out);
    }
    transform(in, bins);
    mirror_row(bins, out, 1);
  }

  void run_rows(const rows<Real>& given, void* workspace, unsigned n_threads) const {
    rows<Real> complex = complex_of(given);
    if (!is_back_) through_->run(complex, workspace, n_threads);
    for (std::size_t row = 0; row < given.count; ++row) {
      Real* const out = given.out + given.out_pitch * row;
      mirror_row(is_back_ ? given.in + given.in_pitch * row : out, out, n_threads);
    }
    if (!is_back_) return;
    complex.in = given.out;
    complex.in_pitch = given.out_pitch;
    through_->run(complex, workspace, n_threads);
  }

  /// One row, its vectors shared among threads; the last whole one takes the one behind it along.
  void mirror_row(const Real* in, Real* out, unsigned n_threads) const {
    const auto share = [&](std::size_t begin, std::size_t end, unsigned) {
      (is_back_ ? kernels_.join : kernels_.split)(
          static_cast<int>(width_), {.in = in,
                                     .out = out,
                                     .half = half_,
                                     .lane = table_.get(),
                                     .first = table_.get() + 2 * width_,
                                     .begin = begin,
                                     .end = end + (has_last_ && end == n_vectors_ ? 1 : 0)});
    };
    if (n_threads <= 1) return share(0, n_vectors_, 0);  // the pool costs as much as a short row
    thread_pool::shared().share(n_vectors_, limits.mirror_per_thread * n_threads, n_threads, share);
  }

  kernels<Real> kernels_;
  std::size_t half_;
  bool is_back_;
  row_method_pointer<Real> through_;
  rows<Real> run_;                 ///< Direction and scale of complex rows.
  std::size_t width_, group_ = 1;  ///< Rows that meet their mirror image while they are in cache.
  std::size_t n_vectors_ = 0;      ///< Whole vectors of pairs in a row.
  bool has_last_ = false;          ///< Pairs behind them; never where `half` is a power of two.
  aligned_array<Real> table_;      ///< Lane roots, then first roots: see `mirror`.
};

/// Rows whose numbers are vectors, and the roots of even ones: see kernels::single_reals.
template <class Real>
row_method_pointer<Real> codelet_of_reals(const kernels<Real>& kernel_set,
                                          const real_row_spec& spec) {
  const std::size_t n = spec.length, half = n / 2;
  const bool is_back = spec.kind.out == domain::real, is_even = n % 2 == 0;
  row_kernels<Real> result;
  const single_kernel kernel = kernel_set.single_reals(n, is_back);
  result.single = {kernel, kernel};
  result.text = formatted("{} reals in registers", n);
  if (is_even) {
    result.table = make_aligned<Real>(n);
    table_writer<Real> pairs{result.table.get()};
    const root_products<Real> roots{n};
    for (std::size_t k = 1; 2 * k < half; ++k) {
      const std::complex<Real> root = roots(k);  // -i w = im w - i re w
      pairs.put({root.imag(), root.imag()});
      pairs.put({root.real(), -root.real()});
    }
  }
  return std::make_unique<const kernel_rows<Real>>(
      std::move(result), is_even ? half : n, static_cast<std::size_t>(kernel_set.width),
      static_cast<Real>(is_even && !is_back ? spec.scale / 2 : spec.scale));
}

}  // namespace

template <class Real>
row_method_pointer<Real> real_rows(const named_set& set, const real_row_spec& spec,
                                   std::size_t count, unsigned n_slots) {
  const auto& kernel_set = kernels_of<Real>(set);
  const traits& kind = spec.kind;
  if (!kind.is_real_to_real() && !kind.is_conjugated() &&
      has_real_numbers(spec.length, sizeof(Real))) {
    return codelet_of_reals(kernel_set, spec);
  }
  if (is_matrix_quickest<Real>(kind, spec.length, count, kernel_set.width)) {
    return rows_by_matrix<Real>(set, spec);
  }
  if (spec.length % 2 != 0) return nullptr;
  return std::make_unique<const mirrored_rows<Real>>(kernel_set, spec, n_slots);
}

template row_method_pointer<float> real_rows(const named_set&, const real_row_spec&, std::size_t,
                                             unsigned);
template row_method_pointer<double> real_rows(const named_set&, const real_row_spec&, std::size_t,
                                              unsigned);

}  // namespace wingbeat::backend::host
