// SPDX-License-Identifier: Apache-2.0
// One transform of an array along some axes, by plans of the process's cache.
#pragma once

#include <array>
#include <cstddef>  // size_t
#include <functional>

#include "array.hpp"
#include "wingbeat/plan.hpp"        // transform, scaling
#include "wingbeat/plan_cache.hpp"  // plan_cache
#include "wingbeat/queue.hpp"       // queue

namespace wingbeat::python {

/// The kind of a transform and its axes. A longer axis of the input is cropped, a shorter one
/// padded with zeros.
struct transform_request {
  transform kind = transform::forward;
  int n_axes = 0;
  std::array<int, max_rank> axes;             ///< Of the array; the last one has the half spectrum.
  std::array<std::size_t, max_rank> lengths;  ///< Of the transforms, one per axis.
  scaling scale = scaling::none;
  bool orthogonalize = false;
  double factor = 1;
};

/// Returns whether a kind transforms reals to reals.
[[nodiscard]] bool is_real_to_real(transform kind) noexcept;

/// Return the elements along the last axis of a transform of `n` points, in and out.
[[nodiscard]] std::size_t input_count(transform kind, std::size_t n) noexcept;
[[nodiscard]] std::size_t output_count(transform kind, std::size_t n) noexcept;

/// Returns whether `run` can read `in` and write `out` without copies. Otherwise copy `in` if it is
/// not readable, or if one of more than three axes is padded; and `out` if it is not writable, or
/// overlaps `in` without being the same array.
[[nodiscard]] bool is_direct(const array& in, const array& out, const transform_request& request);

/// Returns memory of a given size for one run, valid until the next call.
using workspace_source = std::function<buffer_view(std::size_t)>;

/// Queues the transform, or runs it at once on the host. `out` has the shape of the result. For
/// kinds from reals to reals, complex arrays are two real ones. A queue without a workspace of its
/// own takes one from `workspace`. Throws as `plan` does.
void run(queue& on, const array& in, const array& out, const transform_request& request,
         const workspace_source& workspace = {});

/// Transforms real numbers by a complex kind, for host arrays: `run` makes bins 0 .. N/2 of the
/// last axis; the others follow by symmetry, X[-k] = conj X[k]. `is_inverse`: all are conjugated.
void run_by_half(queue& on, const array& in, const array& out, transform_request request,
                 bool is_inverse);

/// Returns the cache of plans of this process.
[[nodiscard]] plan_cache& shared_plans();

}  // namespace wingbeat::python
