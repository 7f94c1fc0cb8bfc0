// SPDX-License-Identifier: Apache-2.0
// One transform of an array along some of its axes, as plans of the process's cache.
#pragma once

#include <array>
#include <cstddef>  // size_t
#include <functional>

#include "array.hpp"
#include "wingbeat/plan.hpp"        // transform, scaling
#include "wingbeat/plan_cache.hpp"  // plan_cache
#include "wingbeat/queue.hpp"       // queue

namespace wingbeat::python {

/// What to transform along which axes. An axis of the input that is longer than needed is cropped,
/// a shorter one padded with zeros.
struct transform_request {
  transform kind = transform::forward;
  int n_axes = 0;
  std::array<int, max_rank> axes;             ///< Of the array. Of a half spectrum, the last one.
  std::array<std::size_t, max_rank> lengths;  ///< Of the transforms, one per axis.
  scaling scale = scaling::none;
  bool orthogonalize = false;
  double factor = 1;
};

/// Returns whether a kind is one of real numbers to real numbers.
[[nodiscard]] bool is_real_to_real(transform kind) noexcept;

/// Returns the elements along the last axis of a transform of `n` points, in and out.
[[nodiscard]] std::size_t input_count(transform kind, std::size_t n) noexcept;
[[nodiscard]] std::size_t output_count(transform kind, std::size_t n) noexcept;

/// Returns whether `run` can read `in` and write `out` where they are. If not, copy: `in` where it
/// is not readable, or padded along one of more than three axes; `out` where it is not writable or
/// overlaps `in` otherwise than in one place.
[[nodiscard]] bool is_direct(const array& in, const array& out, const transform_request& request);

/// Returns memory of a number of bytes for one run, valid until the next call.
using workspace_source = std::function<buffer_view(std::size_t)>;

/// Queues the transform, or does it at once on host. `out` has the shape of the result. Complex
/// arrays of kinds between reals are two real ones. A queue without a workspace of its own takes it
/// from `workspace`. Throws as `plan` does.
void run(queue& on, const array& in, const array& out, const transform_request& request,
         const workspace_source& workspace = {});

/// Transforms real numbers by a complex kind, of host arrays: bins 0 .. N/2 of the last axis by
/// `run`, and the others by symmetry, X[-k] = conj X[k]; all are conjugated if `is_inverse`.
void run_by_half(queue& on, const array& in, const array& out, transform_request request,
                 bool is_inverse);

/// Returns the cache of plans of this process.
[[nodiscard]] plan_cache& shared_plans();

}  // namespace wingbeat::python
