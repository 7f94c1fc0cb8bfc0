// SPDX-License-Identifier: Apache-2.0
#include "views.hpp"

#include <cstdint>  // uintptr_t
#include <limits>

#include "formatted.hpp"       // formatted
#include "side.hpp"            // side, input_side, output_side
#include "wingbeat/error.hpp"  // plan_error

namespace wingbeat {
namespace {

start_rule start_of(const side& of) {
  const std::size_t pair_bytes = 2 * of.real_bytes;
  if (of.is_of_whole_pairs()) {
    return {"a pair of real numbers", pair_bytes, of.real_bytes, pair_bytes};
  }
  if (of.is_real || of.imaginary_at != 0) {
    return {"a real number", of.real_bytes, of.real_bytes, of.real_bytes};
  }
  return {"a complex number", pair_bytes, of.real_bytes, pair_bytes};
}

start_rule start_of_elements(std::size_t element_bytes) {
  return {"an element of the functor's", element_bytes};
}

bool is_of_this_process(engine runs_on) {
  return runs_on == engine::host || runs_on == engine::reference;
}

std::uintptr_t address_of(const void* handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}

/// Where a view starts. Places in different memories never overlap.
struct place {
  const void* memory;
  std::uintptr_t first_byte;
};

place place_of(buffer_view view, engine runs_on) {
  if (runs_on == engine::opencl) return {view.handle, view.offset_bytes};
  return {nullptr, address_of(view.handle) + view.offset_bytes};
}

void require_origin(const operand& given, const backend::queue& on) {
  if (!given.view.origin) return;
  const memory_origin& origin = *given.view.origin;
  const device_info& device = on.device();
  if (is_of_this_process(origin.runs_on) && is_of_this_process(device.runs_on)) return;
  if (origin.runs_on != device.runs_on || origin.device_index != device.index) {
    throw plan_error(formatted(
        "the {} is memory of {}:{} and the queue is of {}:{}; give it a buffer that was made with "
        "a queue of that device",
        given.name, name_of(origin.runs_on), origin.device_index, name_of(device.runs_on),
        device.index));
  }
  if (origin.context == on.native_context()) return;
  throw plan_error(formatted(
      "the {} was allocated in another {} context than the queue's; give it a buffer that was made "
      "with a queue of the same context",
      given.name, name_of(device.runs_on)));
}

}  // namespace

start_rule input_start(const plan_spec& spec) {
  return spec.load.is_given() ? start_of_elements(spec.load.element_bytes)
                              : start_of(input_side(spec));
}

start_rule output_start(const plan_spec& spec) {
  return spec.store.is_given() ? start_of_elements(spec.store.element_bytes)
                               : start_of(output_side(spec));
}

start_rule workspace_start(const plan_spec& spec) {
  const std::size_t real_bytes = spec.real == precision::fp64 ? sizeof(double) : sizeof(float);
  return {"a complex number", 2 * real_bytes, real_bytes, 2 * real_bytes};
}

memory_origin origin_of(const backend::queue& on) {
  return {on.device().runs_on, on.device().index, on.native_context()};
}

void require_memory(const operand& given, const backend::queue& on) {
  if (given.view.handle == nullptr && given.view.size_bytes != 0) {
    throw plan_error(formatted(
        "the {} has a size of {} bytes and no memory, for its handle is null; give it the view of "
        "a buffer, or the handle of your memory",
        given.name, given.view.size_bytes));
  }
  constexpr auto most = std::numeric_limits<std::size_t>::max();
  const auto begin = address_of(given.view.handle);
  if (given.view.offset_bytes > most - begin ||
      given.view.size_bytes > most - begin - given.view.offset_bytes) {
    throw plan_error(formatted(
        "the {} starts at byte {} of its memory and has {} bytes, which ends beyond the address "
        "space; state where it lies inside its buffer",
        given.name, given.view.offset_bytes, given.view.size_bytes));
  }
  require_origin(given, on);
}

void require_start(const operand& given, const start_rule& rule, engine runs_on) {
  if (given.view.offset_bytes % rule.bytes != 0) {
    throw plan_error(
        formatted("the {} starts at byte {}, within {}, which has {} bytes; start it at a "
                  "multiple",
                  given.name, given.view.offset_bytes, rule.number, rule.bytes));
  }
  if (runs_on == engine::opencl) return;
  const std::size_t alignment = runs_on == engine::cuda ? rule.cuda_alignment : rule.host_alignment;
  const std::size_t beyond = address_of(given.view.handle) % alignment;
  if (beyond == 0) return;
  throw plan_error(formatted(
      "the pointer to the {} lies {} bytes beyond a multiple of {}; {} of this plan has {} bytes, "
      "so give memory that is aligned to {}",
      given.name, beyond, alignment, rule.number, rule.bytes, alignment));
}

bool start_together(buffer_view a, buffer_view b, engine runs_on) {
  const place from = place_of(a, runs_on), to = place_of(b, runs_on);
  return from.memory == to.memory && from.first_byte == to.first_byte;
}

void require_apart(const operand& a, const operand& b, engine runs_on) {
  const place of_a = place_of(a.view, runs_on), of_b = place_of(b.view, runs_on);
  if (of_a.memory != of_b.memory) return;
  const bool is_in_order = of_a.first_byte <= of_b.first_byte;
  const operand& earlier = is_in_order ? a : b;
  const operand& later = is_in_order ? b : a;
  const std::uintptr_t distance =
      is_in_order ? of_b.first_byte - of_a.first_byte : of_a.first_byte - of_b.first_byte;
  if (distance >= earlier.used_bytes || later.used_bytes == 0) return;
  throw plan_error(
      formatted("the {} starts {} bytes behind the start of the {}, which takes {} bytes, so that "
                "they overlap; give them places apart",
                later.name, distance, earlier.name, earlier.used_bytes));
}

}  // namespace wingbeat
