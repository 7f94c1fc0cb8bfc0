// SPDX-License-Identifier: Apache-2.0
// The runs of one problem that share a wingbeat queue: wingbeat, cuFFT and a copy.
#pragma once

#include <cstddef>  // byte, size_t
#include <memory>   // unique_ptr
#include <span>
#include <vector>

#include "measure/library_run.hpp"  // library_run, preparation
#include "wingbeat/buffer.hpp"      // buffer
#include "wingbeat/plan.hpp"        // plan, plan_spec

namespace wingbeat::cli {

/// Device memory of one problem, shared by all runs on the queue.
struct bench_buffers {
  bench_buffers(const queue& on, const plan_spec& spec);

  buffer in;
  buffer out;     ///< In place: a copy of the input, from which `in` is restored.
  bool in_place;  ///< Input and output are both `in`.

  [[nodiscard]] const buffer_view& output() const { return in_place ? in.view() : out.view(); }
};

/// Returns a plan of wingbeat on the problem's buffers; `times` are those of `time_planning`.
[[nodiscard]] std::unique_ptr<measure::library_run> make_wingbeat_run(
    queue& on, plan planned, const measure::preparation& times, bench_buffers& memory);

/// Returns a plan of cuFFT on the problem's buffers. Throws `absent_error`, or `plan_error` for a
/// layout that cuFFT cannot express.
[[nodiscard]] std::unique_ptr<measure::library_run> make_cufft_run(queue& on, const plan_spec& spec,
                                                                   bench_buffers& memory);

/// Returns the bytes that the plain copy reads, and writes again: the mean of the problem's input
/// and output.
[[nodiscard]] std::size_t copied_bytes(const plan_spec& spec);

/// Returns the seconds of `n_runs` plain copies of `copied_bytes`.
[[nodiscard]] double time_copies(queue& on, const plan_spec& spec, bench_buffers& memory,
                                 std::size_t n_runs);

/// Plans without the kernel cache and, on engines with kernels, again with it. Returns the last
/// plan; `times` receives both times and the workspace. Prints a message if planning takes long.
[[nodiscard]] plan time_planning(const queue& on, const plan_spec& spec,
                                 measure::preparation& times);

}  // namespace wingbeat::cli
