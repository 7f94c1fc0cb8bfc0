// SPDX-License-Identifier: Apache-2.0
// One length in one precision: kernels around workgroup::fft in every order, checked and timed in
// turn with a copy of the same bytes and with cuFFT.
#pragma once

#include <cstddef>  // size_t
#include <string>
#include <vector>

#include "inside_kernel_text.hpp"  // work
#include "wingbeat/buffer.hpp"     // buffer
#include "wingbeat/plan.hpp"       // kernel_resources

namespace wingbeat::bench {

/// What is asked of every length.
struct method {
  std::vector<device::order> orders;
  int n_rounds = 9;
  bool searches = false;  ///< Tries shapes; else the advised one.
  bool has_cufft = false;
};

/// One way to do the work, and its figures.
struct contestant {
  std::string name;     ///< "forward", "convolve", "three" (kernels, one after another) or "cufft".
  workgroup_fft shape;  ///< Its `spectrum_order` is the order. Of cufft: not used.
  kernel_resources takes;
  int workgroups_at_once = 0;  ///< Of one multiprocessor, by arithmetic; 0: unknown.
  double median_s = 0, min_s = 0, max_s = 0;
  double relative_l2 = 0;        ///< Worst of the rows that were compared.
  double relative_l2_bound = 0;  ///< What the accuracy table allows.
  bool is_identical = false;     ///< Three runs, each on poisoned output, gave the same bits.
  bool is_complete = false;      ///< No poison was left.

  [[nodiscard]] bool is_right() const {
    return is_identical && is_complete && relative_l2 <= relative_l2_bound;
  }
};

struct problem_result {
  unsigned length = 0;
  scalar real = scalar::fp32;
  std::size_t batch = 0;  ///< Rows.
  std::size_t copied_bytes = 0;
  double copy_s = 0;
  std::vector<contestant> all;

  /// Returns that contestant of that order (any, for cufft); null where there is none.
  [[nodiscard]] const contestant* find(const std::string& name, device::order in_order) const;
  /// Returns the quickest three kernels of all orders; 0 where there are none.
  [[nodiscard]] double three_s() const;
};

/// Buffers that all problems of one precision share. The input is noise in [-1, 1).
struct memory {
  memory(const queue& on, scalar real, std::size_t size_bytes);
  buffer in, out, digest;
};

/// Checks and times everything. Throws `plan_error`, `device_error`.
[[nodiscard]] problem_result run_problem(queue& on, unsigned length, scalar real, memory& data,
                                         const method& how);

}  // namespace wingbeat::bench
