// SPDX-License-Identifier: Apache-2.0
// Validates the views passed to a plan or a kernel, in the same way on every engine.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uintptr_t
#include <string_view>

#include "backend/backend.hpp"  // queue

namespace wingbeat {

/// A view, and how many bytes from its start a run reads or writes.
struct operand {
  std::string_view name;  ///< "input"
  buffer_view view;
  std::size_t used_bytes = 0;
};

/// The unit at whose multiples a view must start, and the alignment of pointers to it.
struct start_rule {
  std::string_view number;  ///< "a complex number"
  std::size_t bytes = 1;
  std::size_t host_alignment = 1, cuda_alignment = 1;  ///< In bytes, powers of two.
  std::string_view remedy = {};                        ///< What to do instead, as a clause.

  /// Returns the alignment that an engine needs; handles of opencl are no pointers.
  [[nodiscard]] std::size_t alignment_on(engine runs_on) const {
    if (runs_on == engine::opencl) return 1;
    return runs_on == engine::cuda ? cuda_alignment : host_alignment;
  }
};

/// What views are passed to, and the device that it was made for.
struct view_owner {
  std::string_view noun;  ///< "plan"
  engine runs_on = engine::reference;
  int device_index = 0;

  view_owner() = default;
  view_owner(std::string_view name, const device_info& device)
      : noun(name), runs_on(device.runs_on), device_index(device.index) {}

  /// Throws `plan_error` unless a queue is of that device.
  void require_queue(const backend::queue& on) const {
    const device_info& given = on.device();
    if (given.runs_on != runs_on || given.index != device_index) refuse_queue(given);
  }
  /// Throws `plan_error` if a view is too small, starts within a number, or has memory that the
  /// queue's device cannot reach.
  void require_operand(const operand& given, const start_rule& rule,
                       const backend::queue& on) const;

 private:
  [[noreturn, gnu::cold, gnu::noinline]] void refuse_queue(const device_info& given) const;
};

/// Returns where views of a plan may start.
[[nodiscard]] start_rule input_start(const request::resolved_spec& request);
[[nodiscard]] start_rule output_start(const request::resolved_spec& request);
[[nodiscard]] start_rule workspace_start(const plan_spec& spec);

/// Returns the origin of memory that a queue allocates.
[[nodiscard]] memory_origin origin_of(const backend::queue& on);

// The tests of each run are inline, because they cost as much as the transform of a short row; the
// functions `require_..` use the same tests and word the error.

[[nodiscard]] inline bool is_of_this_process(engine runs_on) {
  return runs_on == engine::host || runs_on == engine::reference;
}

[[nodiscard]] inline std::uintptr_t address_of(const void* handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}

/// Returns whether a view with a size has memory.
[[nodiscard]] inline bool has_memory(const buffer_view& view) {
  return view.handle != nullptr || view.size_bytes == 0;
}

/// Returns whether a view ends within the address space.
[[nodiscard]] inline bool is_in_address_space(const buffer_view& view) {
  const std::uintptr_t begin = address_of(view.handle) + view.offset_bytes;
  return begin >= view.offset_bytes && begin + view.size_bytes >= begin;  // neither wraps
}

/// Returns whether `on` reaches the memory of a view, if its origin is known.
[[nodiscard]] inline bool is_reachable(const buffer_view& view, const backend::queue& on) {
  if (!view.origin) return true;
  const memory_origin& origin = *view.origin;
  const device_info& device = on.device();
  if (is_of_this_process(device.runs_on)) return is_of_this_process(origin.runs_on);
  return origin.runs_on == device.runs_on && origin.device_index == device.index &&
         origin.context == on.native_context();
}

/// Returns whether a view starts at a multiple of `bytes`. A division costs more than all other
/// tests, and most views start at 0.
[[nodiscard]] inline bool starts_at_multiple(const buffer_view& view, std::size_t bytes) {
  return view.offset_bytes == 0 || view.offset_bytes % bytes == 0;
}

/// Returns the bytes by which a pointer lies beyond an alignment.
[[nodiscard]] inline std::size_t misalignment_of(const buffer_view& view, std::size_t alignment) {
  return address_of(view.handle) & (alignment - 1);
}

/// Returns whether two views start at the same byte. Views of opencl do if they have the same
/// `cl_mem` and offset; handles of other engines are addresses.
[[nodiscard]] inline bool start_together(const buffer_view& a, const buffer_view& b,
                                         engine runs_on) {
  if (runs_on == engine::opencl) return a.handle == b.handle && a.offset_bytes == b.offset_bytes;
  return address_of(a.handle) + a.offset_bytes == address_of(b.handle) + b.offset_bytes;
}

/// Returns whether the used bytes of two views are disjoint. Those of two `cl_mem`s always are.
[[nodiscard]] inline bool are_apart(const buffer_view& a, std::size_t used_of_a,
                                    const buffer_view& b, std::size_t used_of_b, engine runs_on) {
  const bool is_handle = runs_on == engine::opencl;
  if (is_handle && a.handle != b.handle) return true;
  const std::uintptr_t from_a = a.offset_bytes + (is_handle ? 0 : address_of(a.handle));
  const std::uintptr_t from_b = b.offset_bytes + (is_handle ? 0 : address_of(b.handle));
  if (from_a <= from_b) return from_b - from_a >= used_of_a || used_of_b == 0;
  return from_a - from_b >= used_of_b || used_of_a == 0;
}

/// Throws `plan_error` if a view has a size but no memory, or memory that `on` cannot reach.
void require_memory(const operand& given, const backend::queue& on);

/// Throws `plan_error` if a view starts within a number, or its pointer is not aligned.
void require_start(const operand& given, const start_rule& rule, engine runs_on);

/// Throws `plan_error` if the used bytes of two views overlap.
void require_apart(const operand& a, const operand& b, engine runs_on);

}  // namespace wingbeat
