// SPDX-License-Identifier: Apache-2.0
#include "backend/host/plan.hpp"

#include <fmt/core.h>

#include <algorithm>  // clamp, max, min
#include <cmath>      // log2, sqrt
#include <complex>
#include <cstdint>  // uintptr_t

#include "backend/host/ends.hpp"              // load_rows, store_rows
#include "backend/host/mirror_transform.hpp"  // mirror_transform
#include "backend/host/row_transform.hpp"     // row_transform
#include "backend/host/thread_pool.hpp"       // thread_pool

namespace wingbeat::backend::host {
namespace {

bool is_real(transform kind) {
  return kind == transform::forward_from_real || kind == transform::inverse_to_real;
}

/// Returns the complex numbers of one row of the transform itself: a real row is half as many.
std::size_t complex_length(const plan_spec& what) {
  return is_real(what.kind) ? what.lengths.front() / 2 : what.lengths.front();
}

double factor(const plan_spec& what) {
  const auto n = static_cast<double>(what.lengths.front());
  // `split` expects half the spectrum of the half-length transform.
  const double own = what.kind == transform::forward_from_real ? 0.5 : 1.0;
  switch (what.scale) {
    case scaling::none: return own;
    case scaling::by_length: return own / n;
    case scaling::by_sqrt_length: return own / std::sqrt(n);
  }
  return own;
}

/// A thread is worth waking for about 50 microseconds of work.
unsigned threads_for(const plan_spec& what) {
  constexpr double work_of_thread = 1 << 17;
  const auto n = static_cast<double>(what.lengths.front());
  const double work = n * static_cast<double>(what.batch) * std::log2(n);
  const double most = thread_pool::shared().n_threads();
  return static_cast<unsigned>(std::clamp(work / work_of_thread, 1.0, most));
}

template <class Real>
Real* at(buffer_view view) {
  return reinterpret_cast<Real*>(static_cast<std::byte*>(view.handle) + view.offset_bytes);
}

/// Returns the rows that pass through functors together: as many as stay in cache, and whole
/// vectors of short ones, so that each row meets the same kernel as without functors.
std::size_t block_rows(const plan_spec& what, std::size_t row_bytes) {
  constexpr std::size_t block_bytes_of_thread = std::size_t{1} << 18;
  constexpr std::size_t whole_vectors = 64;
  if (!what.load.is_given() && !what.store.is_given()) return what.batch;
  const std::size_t most = block_bytes_of_thread * thread_pool::shared().n_threads() / row_bytes;
  const std::size_t whole = most / whole_vectors * whole_vectors;
  return std::min<std::size_t>(what.batch, std::max<std::size_t>(whole > 0 ? whole : most, 1));
}

template <class Real>
class host_plan final : public backend::plan {
 public:
  host_plan(const kernels<Real>& with, const plan_spec& what)
      : spec_(what),
        n_threads_(threads_for(what)),
        rows_(with, complex_length(what), thread_pool::shared().n_threads()),
        mirror_(with, is_real(what.kind) ? complex_length(what) : 0),
        block_(block_rows(what, 2 * sizeof(Real) * pitch_of_bins())) {}

  [[nodiscard]] std::size_t workspace_bytes() const noexcept override {
    const std::size_t needed = rows_bytes() + loaded_bytes() + to_store_bytes();
    return needed == 0 ? 0 : needed + alignment_bytes;  // a caller's may start anywhere
  }
  [[nodiscard]] std::size_t traffic_bytes() const noexcept override;
  [[nodiscard]] std::string explain() const override;
  void enqueue(queue& on, buffer_view in, buffer_view out, buffer_view workspace) const override;

 private:
  using value = std::complex<Real>;

  /// Complex numbers from one row to the next, on the side of N reals and on that of bins.
  [[nodiscard]] std::size_t pitch_of_reals() const {
    return spec_.where == placement::in_place ? pitch_of_bins() : complex_length(spec_);
  }
  [[nodiscard]] std::size_t pitch_of_bins() const { return complex_length(spec_) + 1; }
  [[nodiscard]] std::size_t in_pitch() const;
  [[nodiscard]] std::size_t out_pitch() const;

  // The workspace: that of the rows, then one block before and one behind the transform.
  [[nodiscard]] std::size_t rows_bytes() const { return aligned_up(rows_.workspace_bytes()); }
  [[nodiscard]] std::size_t loaded_bytes() const {
    return spec_.load.is_given() ? aligned_up(block_ * in_pitch() * sizeof(value)) : 0;
  }
  [[nodiscard]] std::size_t to_store_bytes() const {
    return spec_.store.is_given() ? aligned_up(block_ * out_pitch() * sizeof(value)) : 0;
  }

  void load(const void* in, std::size_t first, std::size_t count, Real* into) const;
  void store(const Real* from, std::size_t first, std::size_t count, void* out) const;
  void transform_rows(const Real* in, Real* out, std::size_t count, void* scratch) const;

  plan_spec spec_;
  unsigned n_threads_;
  row_transform<Real> rows_;
  mirror_transform<Real> mirror_;
  std::size_t block_;
};

template <class Real>
std::size_t host_plan<Real>::in_pitch() const {
  switch (spec_.kind) {
    case transform::forward_from_real: return pitch_of_reals();
    case transform::inverse_to_real: return pitch_of_bins();
    default: return complex_length(spec_);
  }
}

template <class Real>
std::size_t host_plan<Real>::out_pitch() const {
  switch (spec_.kind) {
    case transform::forward_from_real: return pitch_of_bins();
    case transform::inverse_to_real: return pitch_of_reals();
    default: return complex_length(spec_);
  }
}

template <class Real>
std::size_t host_plan<Real>::traffic_bytes() const noexcept {
  const std::size_t row_bytes = 2 * sizeof(Real) * complex_length(spec_);
  const std::size_t outer = input_bytes(spec_) + output_bytes(spec_);
  const auto inner = static_cast<std::size_t>(rows_.n_crossings() - 1);
  // A mirror pass crosses memory of its own only when a row outgrows the cache.
  const bool is_mirrored_apart = is_real(spec_.kind) && rows_.how() == method::four_step;
  // So does a row between a functor and its transform.
  const bool is_staged_apart = rows_.how() == method::four_step;
  const int staged =
      is_staged_apart ? (spec_.load.is_given() ? 1 : 0) + (spec_.store.is_given() ? 1 : 0) : 0;
  return outer + 2 * spec_.batch * row_bytes *
                     (inner + (is_mirrored_apart ? 1 : 0) + static_cast<std::size_t>(staged));
}

template <class Real>
std::string host_plan<Real>::explain() const {
  std::string text;
  const auto mirror = fmt::format("{} bins of {} and mirror image", spec_.lengths.front() / 2 + 1,
                                  spec_.lengths.front());
  if (spec_.load.is_given()) text += "your load\n";
  if (spec_.kind == transform::inverse_to_real) text += mirror + " joined\n";
  text += rows_.explain();
  if (spec_.kind == transform::forward_from_real) text += "\n" + mirror + " split";
  if (spec_.store.is_given()) text += "\nyour store";
  return text;
}

template <class Real>
void host_plan<Real>::load(const void* in, std::size_t first, std::size_t count, Real* into) const {
  const std::size_t n = spec_.lengths.front();
  const host_load& functor = spec_.load.callable;
  if (spec_.kind == transform::forward_from_real) {
    load_rows<Real>(functor, in, {into, 2 * in_pitch(), n, first, count}, n_threads_);
  } else {
    const std::size_t values = spec_.kind == transform::inverse_to_real ? n / 2 + 1 : n;
    auto* const to = reinterpret_cast<value*>(into);
    load_rows<value>(functor, in, {to, in_pitch(), values, first, count}, n_threads_);
  }
}

template <class Real>
void host_plan<Real>::store(const Real* from, std::size_t first, std::size_t count,
                            void* out) const {
  const std::size_t n = spec_.lengths.front();
  const host_store& functor = spec_.store.callable;
  if (spec_.kind == transform::inverse_to_real) {
    store_rows<Real>(functor, {from, 2 * out_pitch(), n, first, count}, out, n_threads_);
  } else {
    const std::size_t values = spec_.kind == transform::forward_from_real ? n / 2 + 1 : n;
    const auto* const values_of = reinterpret_cast<const value*>(from);
    store_rows<value>(functor, {values_of, out_pitch(), values, first, count}, out, n_threads_);
  }
}

template <class Real>
void host_plan<Real>::transform_rows(const Real* in, Real* out, std::size_t count,
                                     void* scratch) const {
  rows<Real> what;
  what.in = in;
  what.out = out;
  what.in_pitch = in_pitch();
  what.out_pitch = out_pitch();
  what.count = count;
  what.scale = static_cast<Real>(factor(spec_));
  what.is_swapped = spec_.kind == transform::inverse || spec_.kind == transform::inverse_to_real;
  switch (spec_.kind) {
    case transform::forward:
    case transform::inverse: return rows_.run(what, scratch, n_threads_);
    case transform::forward_from_real: return mirror_.forward(rows_, what, scratch, n_threads_);
    case transform::inverse_to_real: return mirror_.inverse(rows_, what, scratch, n_threads_);
  }
}

template <class Real>
void host_plan<Real>::enqueue(queue&, buffer_view in, buffer_view out,
                              buffer_view workspace) const {
  std::byte* scratch = nullptr;
  if (workspace.handle != nullptr) {
    const auto address = reinterpret_cast<std::uintptr_t>(at<std::byte>(workspace));
    scratch = at<std::byte>(workspace) + (aligned_up(address) - address);
  }
  auto* const loaded = reinterpret_cast<Real*>(scratch + rows_bytes());
  auto* const to_store = reinterpret_cast<Real*>(scratch + rows_bytes() + loaded_bytes());
  for (std::size_t first = 0; first < spec_.batch; first += block_) {
    const std::size_t count = std::min(block_, spec_.batch - first);
    if (spec_.load.is_given()) load(at<std::byte>(in), first, count, loaded);
    transform_rows(spec_.load.is_given() ? loaded : at<Real>(in) + 2 * in_pitch() * first,
                   spec_.store.is_given() ? to_store : at<Real>(out) + 2 * out_pitch() * first,
                   count, scratch);
    if (spec_.store.is_given()) store(to_store, first, count, at<std::byte>(out));
  }
}

}  // namespace

std::shared_ptr<const backend::plan> make_plan(const named_set& with, const plan_spec& what) {
  if (what.real == precision::fp32) {
    return std::make_shared<host_plan<float>>(with.kernels->fp32, what);
  }
  return std::make_shared<host_plan<double>>(with.kernels->fp64, what);
}

}  // namespace wingbeat::backend::host
