// SPDX-License-Identifier: Apache-2.0
// A run of a short-time transform on described arrays, by a bounded cache of this process.
#pragma once

#include <array>
#include <cstddef>  // size_t
#include <cstdint>  // int64_t
#include <memory>   // shared_ptr

#include "array.hpp"
#include "transform.hpp"            // workspace_source
#include "wingbeat/queue.hpp"       // queue
#include "wingbeat/short_time.hpp"  // short_time_operands, short_time_spec

namespace wingbeat::python {

/// What is made of rows [..][i] of samples, `given` and `out`:
///     run               rows, -, results
///     inverse           rows, which are written, spectra, -
///     gradient          rows, gradient of results, gradient of samples
///     window_gradient   rows, gradient of results, gradient of weights
///     inverse_gradient  gradient of the inverse's rows, -, gradient of spectra
enum class short_time_kind { run, inverse, gradient, window_gradient, inverse_gradient };

struct short_time_arrays {
  array rows;
  buffer_view given, out;
  short_time_operands operands;
};

/// A spec without its rows; Python keeps it from call to call.
struct described_frames {
  std::shared_ptr<const short_time_spec> spec;

  /// Copies of a spec, or equal ones, whose weights are then compared.
  friend bool operator==(const described_frames& a, const described_frames& b) {
    return a.spec == b.spec || *a.spec == *b.spec;
  }
};

/// Queues a run. `frames`: of a row, if other than the spec's; 0: those. All arrays are packed and
/// in one memory. Throws as `short_time` does.
void run(queue& on, const described_frames& description, short_time_kind kind,
         const short_time_arrays& arrays, std::size_t frames, const workspace_source& workspace);

/// The digest of a description, by which compiled functions name it.
using description_key = std::array<std::int64_t, 2>;

/// Returns the description that Python stated for a key. Throws `plan_error` if there is none.
[[nodiscard]] described_frames description_of(const description_key& key);

}  // namespace wingbeat::python
