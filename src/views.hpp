// SPDX-License-Identifier: Apache-2.0
// Validation of the views passed to a plan or a kernel, the same on every engine.
#pragma once

#include <cstddef>  // size_t
#include <string_view>

#include "backend/backend.hpp"  // queue

namespace wingbeat {

/// A view, and how many bytes from its start a run reads or writes.
struct operand {
  std::string_view name;  ///< "input"
  buffer_view view;
  std::size_t used_bytes = 0;
};

/// Which unit a view must start at a multiple of, and the alignment of pointers to it.
struct start_rule {
  std::string_view number;  ///< "a complex number"
  std::size_t bytes = 1;
  std::size_t host_alignment = 1, cuda_alignment = 1;  ///< In bytes.
};

/// Returns where views of a plan may start.
[[nodiscard]] start_rule input_start(const plan_spec& spec);
[[nodiscard]] start_rule output_start(const plan_spec& spec);
[[nodiscard]] start_rule workspace_start(const plan_spec& spec);

/// Returns the origin of memory that a queue allocates.
[[nodiscard]] memory_origin origin_of(const backend::queue& on);

/// Throws `plan_error` where a view has a size and no memory, or memory that `on` cannot reach.
void require_memory(const operand& given, const backend::queue& on);

/// Throws `plan_error` where a view starts within a number, or its pointer is not aligned.
void require_start(const operand& given, const start_rule& rule, engine runs_on);

/// Returns whether two views start at the same byte. Views of opencl do if they have the same
/// `cl_mem` and offset; handles of other engines are addresses.
[[nodiscard]] bool start_together(buffer_view a, buffer_view b, engine runs_on);

/// Throws `plan_error` where the used bytes of two views overlap. Two `cl_mem`s never do.
void require_apart(const operand& a, const operand& b, engine runs_on);

}  // namespace wingbeat
