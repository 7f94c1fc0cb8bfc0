// SPDX-License-Identifier: Apache-2.0
// A method that transforms rows: its workspace, its run, and one call for rows that need no more.
#pragma once

#include <algorithm>  // min
#include <cstddef>    // byte, size_t
#include <memory>     // unique_ptr
#include <string>

#include "backend/backend.hpp"            // direct_run
#include "backend/host/cpu.hpp"           // named_set
#include "backend/host/kernels.hpp"       // kernels, rows
#include "backend/host/line_kernels.hpp"  // row_product
#include "backend/host/thread_pool.hpp"   // thread_pool
#include "backend/host/thresholds.hpp"    // limits
#include "request/traits.hpp"             // traits

namespace wingbeat::backend::host {

template <class Real>
class row_method;

/// Rows that are transformed by one call: all but where memory begins. It outlives the call, and
/// the method outlives it.
template <class Real>
struct prepared_rows {
  rows<Real> shape;                         ///< Without memory.
  std::size_t in_first = 0, out_first = 0;  ///< Reals from where memory begins.
  // Written by `row_method::direct`.
  const row_method<Real>* method = nullptr;
  single_row<Real> single;
  row_product<Real> product;
  direct_run inner;  ///< The complex transform of one row of reals.

  [[nodiscard]] bool begins_with_memory() const { return in_first == 0 && out_first == 0; }
  [[nodiscard]] rows<Real> placed(const std::byte* in, std::byte* out) const {
    rows<Real> work = shape;
    work.in = reinterpret_cast<const Real*>(in) + in_first;
    work.out = reinterpret_cast<Real*>(out) + out_first;
    return work;
  }
};

template <class Real>
class row_method {
 public:
  virtual ~row_method() = default;

  /// Returns 0 where a row is one thread's, which then has memory of its own.
  [[nodiscard]] virtual std::size_t workspace_bytes() const noexcept { return 0; }

  /// Returns how many rows are transformed at once where there are as many.
  [[nodiscard]] virtual std::size_t rows_together() const noexcept { return 1; }

  /// Returns one line per pass.
  [[nodiscard]] virtual std::string explain() const = 0;

  /// Transforms the rows on at most `n_threads` threads. The result has the same bits for any
  /// number of them. `workspace` is aligned and holds workspace_bytes(). Outputs may replace the
  /// inputs of their row.
  virtual void run(const rows<Real>& given, void* workspace, unsigned n_threads) const = 0;

  /// Returns `run` of the rows on one thread as one call, of a method without a workspace.
  [[nodiscard]] virtual direct_run direct(prepared_rows<Real>& memory) const noexcept {
    memory.method = this;
    return {[](const void* prepared, const std::byte* in, std::byte* out) {
              const auto& own = *static_cast<const prepared_rows<Real>*>(prepared);
              own.method->run(own.placed(in, out), nullptr, 1);
            },
            &memory};
  }
};

template <class Real>
using row_method_pointer = std::unique_ptr<const row_method<Real>>;

/// Returns whether rows of `length` outgrow the inner cache: they are transformed in two halves,
/// which threads may share.
template <class Real>
constexpr bool is_long(std::size_t length) noexcept {
  return 2 * sizeof(Real) * length > limits.stockham_bytes;
}

/// Returns the method that costs least for complex rows of any length. `n_slots` threads may share
/// a row. Each run states its direction and scale.
template <class Real>
[[nodiscard]] row_method_pointer<Real> complex_rows(const kernels<Real>& kernel_set,
                                                    std::size_t length, unsigned n_slots);

/// The transform of rows one or both of whose sides are real.
struct real_row_spec {
  request::traits kind;
  std::size_t length = 1;
  long double scale = 1;
  bool orthogonalizes = false;
};

/// Returns whether the matrix that defines such rows, alone or with stages behind it, is quicker
/// than other methods. On their count and the widest vector this depends for transforms from reals
/// to reals alone: others have the same bits in any batch.
template <class Real>
[[nodiscard]] bool is_matrix_quickest(const request::traits& kind, std::size_t length,
                                      std::size_t count, int widest);

/// Returns the method that costs least for `count` rows of reals; null for odd ones that are
/// complex rows of the whole length.
template <class Real>
[[nodiscard]] row_method_pointer<Real> real_rows(const named_set& set, const real_row_spec& spec,
                                                 std::size_t count, unsigned n_slots);

// Candidates of these.

/// Rows of the matrix that defines them, or with stages behind it: see is_matrix_quickest().
template <class Real>
[[nodiscard]] row_method_pointer<Real> rows_by_matrix(const named_set& set,
                                                      const real_row_spec& spec);

/// Complex rows of a good length as columns, then rows, of a matrix, tile by tile. Of rows that
/// outgrow the inner cache the matrix between its halves lies in the workspace.
template <class Real>
[[nodiscard]] row_method_pointer<Real> matrix_rows(const kernels<Real>& kernel_set,
                                                   std::size_t length, unsigned n_slots);

/// Complex rows of any length that are convolved with a chirp within a good length or, of primes p
/// where that costs less, with the roots in Rader's order within p - 1: see rader.hpp.
template <class Real>
struct convolved_method {
  row_method_pointer<Real> method;
  double cost = 0;  ///< Of one row: see mixed_chain.hpp.
};
template <class Real>
[[nodiscard]] convolved_method<Real> convolved_rows(const kernels<Real>& kernel_set,
                                                    std::size_t length, unsigned n_slots);

/// Returns `count` rows from number `first` on.
template <class Real>
[[nodiscard]] rows<Real> part_of(const rows<Real>& given, std::size_t first, std::size_t count) {
  rows<Real> part = given;
  part.in += given.in_pitch * first;
  part.out += given.out_pitch * first;
  part.count = count;
  return part;
}

/// Calls `work(rows)` with shares of the rows, each of a multiple of `together`: every row meets
/// the same kernel on any thread.
template <class Real, class Work>
void share_rows(const rows<Real>& given, std::size_t together, unsigned n_threads,
                const Work& work) {
  if (n_threads <= 1) return work(given);
  const auto share = [&](std::size_t begin, std::size_t end, unsigned) {
    const std::size_t first = begin * together;
    work(part_of(given, first, std::min(end * together, given.count) - first));
  };
  thread_pool::shared().share((given.count + together - 1) / together, std::size_t{4} * n_threads,
                              n_threads, share);
}

/// Returns one side of a set's kernels.
template <class Real>
[[nodiscard]] const auto& kernels_of(const named_set& set) {
  if constexpr (sizeof(Real) == 8) return set.kernels->fp64;
  if constexpr (sizeof(Real) == 4) return set.kernels->fp32;
}
template <class Real>
[[nodiscard]] const auto& line_kernels_of(const named_set& set) {
  if constexpr (sizeof(Real) == 8) return set.lines->fp64;
  if constexpr (sizeof(Real) == 4) return set.lines->fp32;
}

}  // namespace wingbeat::backend::host
