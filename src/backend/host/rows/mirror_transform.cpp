// SPDX-License-Identifier: Apache-2.0
#include "backend/host/rows/mirror_transform.hpp"

#include <algorithm>  // min

#include "backend/host/rows/chain_tables.hpp"  // table_writer
#include "backend/host/thread_pool.hpp"        // thread_pool
#include "backend/host/thresholds.hpp"         // limits
#include "roots/root_products.hpp"             // root_products

namespace wingbeat::backend::host {

template <class Real>
mirror_transform<Real>::mirror_transform(const kernels<Real>& table, std::size_t half,
                                         bool is_conjugated)
    : kernels_(table), half_(half), width_(table.width) {
  if (half == 0) return;
  const int least = 16 / int{sizeof(Real)};
  while (width_ > 1 && 2 * static_cast<std::size_t>(width_) > half) {
    width_ = width_ > least ? width_ / 2 : 1;
  }
  const auto width = static_cast<std::size_t>(width_);
  const std::size_t row_bytes = 2 * sizeof(Real) * half;
  const auto widest = static_cast<std::size_t>(table.width);
  group_ = (limits.mirror_bytes / row_bytes + widest) / widest * widest;
  const std::size_t n_vectors = n_vectors_ = half / 2 / width;
  has_last_ = half / 2 % width > 0;
  table_ = make_aligned<Real>(2 * (width + n_vectors + 1));
  const root_products<Real> roots{2 * half};
  const auto w = [&](std::size_t k) { return is_conjugated ? std::conj(roots(k)) : roots(k); };
  table_writer<Real> writer{table_.get()};
  writer.split(width, [&](std::size_t l) { return w(1 + l); });
  for (std::size_t v = 0; v < n_vectors; ++v) writer.one(w(v * width));
  if (has_last_) writer.one(w(half / 2 - width));
  if (is_conjugated || table.single_reals(2 * half, false) == nullptr) return;
  pairs_ = make_aligned<Real>(2 * half);
  table_writer<Real> pairs{pairs_.get()};
  for (std::size_t k = 1; 2 * k < half; ++k) {
    const std::complex<Real> root = roots(k);  // -i w = im w - i re w
    pairs.one({root.imag(), root.imag()});
    pairs.one({root.real(), -root.real()});
  }
}

/// Vectors `begin` to `end` of one row; the last whole one takes the one behind it along.
template <class Real>
void mirror_transform<Real>::mirror_vectors(bool is_join, const Real* in, Real* out,
                                            std::size_t begin, std::size_t end) const {
  mirror<Real> part;
  part.in = in;
  part.out = out;
  part.half = half_;
  part.lane = table_.get();
  part.first = table_.get() + 2 * width_;
  part.begin = begin;
  part.end = end + (has_last_ && end == n_vectors_ ? 1 : 0);
  (is_join ? kernels_.join : kernels_.split)(width_, part);
}

/// One row, its vectors shared among threads.
template <class Real>
void mirror_transform<Real>::mirror_row(bool is_join, const Real* in, Real* out,
                                        unsigned n_threads) const {
  const auto share = [&](std::size_t begin, std::size_t end, unsigned) {
    mirror_vectors(is_join, in, out, begin, end);
  };
  if (n_threads <= 1) return share(0, n_vectors_, 0);  // the pool costs as much as a short row
  thread_pool::shared().share(n_vectors_, limits.mirror_per_thread * n_threads, n_threads, share);
}

/// Calls `work(rows, threads of a row)` with shares of the rows; where threads share a row, with
/// all of them.
template <class Real>
template <class Work>
void mirror_transform<Real>::by_rows(const row_transform<Real>& through, const rows<Real>& given,
                                     unsigned n_threads, Work work) const {
  if (through.n_crossings() == 2) return work(given, n_threads);
  if (given.count <= group_) return work(given, 1);
  const auto share = [&](std::size_t i, unsigned) {
    rows<Real> part = given;
    part.in += 2 * given.in_pitch * group_ * i;
    part.out += 2 * given.out_pitch * group_ * i;
    part.count = std::min(group_, given.count - group_ * i);
    work(part, 1);
  };
  thread_pool::shared().run((given.count + group_ - 1) / group_, n_threads, share);
}

template <class Real>
void mirror_transform<Real>::run(bool is_back, const row_transform<Real>& through,
                                 const rows<Real>& given, void* workspace,
                                 unsigned n_threads) const {
  if (pairs_) return run_singly(through, given, is_back, n_threads);
  if (given.count == 1 && half_ <= longest_of_one) {
    alignas(alignment_bytes) Real bins[2 * longest_of_one];
    rows<Real> packed = given;
    if (is_back) {
      mirror_row(true, given.in, bins, 1);
      packed.in = bins;
      return through.run(packed, workspace, 1);
    }
    packed.out = bins;
    through.run(packed, workspace, 1);
    return mirror_row(false, bins, given.out, 1);
  }
  by_rows(through, given, n_threads, [&](const rows<Real>& share, unsigned n_threads_of_row) {
    if (!is_back) through.run(share, workspace, n_threads_of_row);
    for (std::size_t row = 0; row < share.count; ++row) {
      Real* const out = share.out + 2 * share.out_pitch * row;
      mirror_row(is_back, is_back ? share.in + 2 * share.in_pitch * row : out, out,
                 n_threads_of_row);
    }
    if (!is_back) return;
    rows<Real> joined = share;
    joined.in = share.out;
    joined.in_pitch = share.out_pitch;
    through.run(joined, workspace, n_threads_of_row);
  });
}

/// Rows one by one that meet their mirror images in registers.
template <class Real>
void mirror_transform<Real>::run_singly(const row_transform<Real>& through, const rows<Real>& given,
                                        bool is_back, unsigned n_threads) const {
  const single_kernel kernel = kernel_of_one(is_back);
  const single_row<Real> of_one = row_of_one(given.scale);
  by_rows(through, given, n_threads, [&](const rows<Real>& share, unsigned) {
    for (std::size_t row = 0; row < share.count; ++row) {
      kernel(&of_one, reinterpret_cast<const std::byte*>(share.in + 2 * share.in_pitch * row),
             reinterpret_cast<std::byte*>(share.out + 2 * share.out_pitch * row));
    }
  });
}

/// A copy of `rows` would wait for the stores that made it, as long as the transform takes.
template <class Real>
void mirror_transform<Real>::run_one(bool is_back, single_kernel kernel,
                                     const single_row<Real>& given, const std::byte* in,
                                     std::byte* out) const {
  alignas(alignment_bytes) Real bins[2 * longest_of_one];
  if (is_back) {
    mirror_row(true, reinterpret_cast<const Real*>(in), bins, 1);
    return kernel(&given, reinterpret_cast<const std::byte*>(bins), out);
  }
  kernel(&given, in, reinterpret_cast<std::byte*>(bins));
  mirror_row(false, bins, reinterpret_cast<Real*>(out), 1);
}

template class mirror_transform<float>;
template class mirror_transform<double>;

}  // namespace wingbeat::backend::host
