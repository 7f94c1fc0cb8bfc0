// SPDX-License-Identifier: Apache-2.0
#include "backend/host/plan.hpp"

#include <fmt/core.h>

#include <algorithm>  // clamp
#include <cmath>      // log2, sqrt
#include <cstdint>    // uintptr_t

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

template <class Real>
class host_plan final : public backend::plan {
 public:
  host_plan(const kernels<Real>& with, const plan_spec& what)
      : spec_(what),
        n_threads_(threads_for(what)),
        rows_(with, complex_length(what), thread_pool::shared().n_threads()),
        mirror_(with, is_real(what.kind) ? complex_length(what) : 0) {}

  [[nodiscard]] std::size_t workspace_bytes() const noexcept override {
    const std::size_t needed = rows_.workspace_bytes();
    return needed == 0 ? 0 : needed + alignment_bytes;  // a caller's may start anywhere
  }
  [[nodiscard]] std::size_t traffic_bytes() const noexcept override;
  [[nodiscard]] std::string explain() const override;
  void enqueue(queue& on, buffer_view in, buffer_view out, buffer_view workspace) const override;

 private:
  /// Complex numbers from one row to the next, on the side of N reals and on that of bins.
  [[nodiscard]] std::size_t pitch_of_reals() const {
    return spec_.where == placement::in_place ? pitch_of_bins() : complex_length(spec_);
  }
  [[nodiscard]] std::size_t pitch_of_bins() const { return complex_length(spec_) + 1; }

  plan_spec spec_;
  unsigned n_threads_;
  row_transform<Real> rows_;
  mirror_transform<Real> mirror_;
};

template <class Real>
std::size_t host_plan<Real>::traffic_bytes() const noexcept {
  const std::size_t row_bytes = 2 * sizeof(Real) * complex_length(spec_);
  const std::size_t outer = input_bytes(spec_) + output_bytes(spec_);
  const auto inner = static_cast<std::size_t>(rows_.n_crossings() - 1);
  // A mirror pass crosses memory of its own only when a row outgrows the cache.
  const bool is_mirrored_apart = is_real(spec_.kind) && rows_.how() == method::four_step;
  return outer + 2 * spec_.batch * row_bytes * (inner + (is_mirrored_apart ? 1 : 0));
}

template <class Real>
std::string host_plan<Real>::explain() const {
  std::string text;
  const auto mirror = fmt::format("{} bins of {} and mirror image", spec_.lengths.front() / 2 + 1,
                                  spec_.lengths.front());
  if (spec_.kind == transform::inverse_to_real) text += mirror + " joined\n";
  text += rows_.explain();
  if (spec_.kind == transform::forward_from_real) text += "\n" + mirror + " split";
  return text;
}

template <class Real>
void host_plan<Real>::enqueue(queue&, buffer_view in, buffer_view out,
                              buffer_view workspace) const {
  rows<Real> what;
  what.in = at<Real>(in);
  what.out = at<Real>(out);
  what.in_pitch = what.out_pitch = complex_length(spec_);
  what.count = spec_.batch;
  what.scale = static_cast<Real>(factor(spec_));
  what.is_swapped = spec_.kind == transform::inverse || spec_.kind == transform::inverse_to_real;
  void* scratch = nullptr;
  if (workspace.handle != nullptr) {
    const auto address = reinterpret_cast<std::uintptr_t>(at<std::byte>(workspace));
    scratch = at<std::byte>(workspace) + (aligned_up(address) - address);
  }
  switch (spec_.kind) {
    case transform::forward:
    case transform::inverse: return rows_.run(what, scratch, n_threads_);
    case transform::forward_from_real:
      what.in_pitch = pitch_of_reals();
      what.out_pitch = pitch_of_bins();
      return mirror_.forward(rows_, what, scratch, n_threads_);
    case transform::inverse_to_real:
      what.in_pitch = pitch_of_bins();
      what.out_pitch = pitch_of_reals();
      return mirror_.inverse(rows_, what, scratch, n_threads_);
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
