// SPDX-License-Identifier: Apache-2.0
#include "views/views.hpp"

#include "text/reject.hpp"  // reject

namespace wingbeat {
namespace {

start_rule start_of(const arrays::array& side, std::string_view remedy) {
  const std::size_t real_bytes = side.real_bytes(), pair_bytes = 2 * real_bytes;
  if (side.has_whole_pairs()) {
    return {"a pair of real numbers", pair_bytes, real_bytes, pair_bytes, remedy};
  }
  if (side.unit_reals() == 1) return {"a real number", real_bytes, real_bytes, real_bytes};
  return {"a complex number", pair_bytes, real_bytes, pair_bytes};
}

start_rule start_of_elements(std::size_t element_bytes) {
  return {"an element of the functor's", element_bytes};
}

void require_origin(const operand& given, const backend::queue& on) {
  if (is_reachable(given.view, on)) return;
  const memory_origin& origin = *given.view.origin;
  const device_info& device = on.device();
  reject_if(
      origin.runs_on != device.runs_on || origin.device_index != device.index,
      "the {} is memory of {}:{} and the queue is of {}:{}; give it a buffer that was made with "
      "a queue of that device",
      given.name, name_of(origin.runs_on), origin.device_index, name_of(device.runs_on),
      device.index);
  reject(
      "the {} was allocated in another {} context than the queue's; give it a buffer that was made "
      "with a queue of the same context",
      given.name, name_of(device.runs_on));
}

}  // namespace

start_rule input_start(const request::resolved_spec& request) {
  const fused_load& load = request.spec.load;
  return load.is_given() ? start_of_elements(load.element_bytes)
                         : start_of(request.in, ", or read it with a load functor");
}

start_rule output_start(const request::resolved_spec& request) {
  const fused_store& store = request.spec.store;
  return store.is_given() ? start_of_elements(store.element_bytes)
                          : start_of(request.out, ", or write it with a store functor");
}

start_rule workspace_start(const plan_spec& spec) {
  const std::size_t real_bytes = spec.real == precision::fp64 ? sizeof(double) : sizeof(float);
  return {"a complex number", 2 * real_bytes, real_bytes, 2 * real_bytes};
}

memory_origin origin_of(const backend::queue& on) {
  return {on.device().runs_on, on.device().index, on.native_context()};
}

void require_memory(const operand& given, const backend::queue& on) {
  reject_if(
      !has_memory(given.view),
      "the {} has a size of {} bytes and no memory, for its handle is null; give it the view of "
      "a buffer, or the handle of your memory",
      given.name, given.view.size_bytes);
  reject_if(
      !is_in_address_space(given.view),
      "the {} starts at byte {} of its memory and has {} bytes, which ends beyond the address "
      "space; state where it lies inside its buffer",
      given.name, given.view.offset_bytes, given.view.size_bytes);
  require_origin(given, on);
}

void require_start(const operand& given, const start_rule& rule, engine runs_on) {
  reject_if(!starts_at_multiple(given.view, rule.bytes),
            "the {} starts at byte {}, within {}, which has {} bytes; start it at a "
            "multiple{}",
            given.name, given.view.offset_bytes, rule.number, rule.bytes, rule.remedy);
  const std::size_t alignment = rule.alignment_on(runs_on);
  const std::size_t beyond = misalignment_of(given.view, alignment);
  if (beyond == 0) return;
  reject(
      "the pointer to the {} lies {} bytes beyond a multiple of {}; {} of this plan has {} bytes, "
      "so give memory that is aligned to {}",
      given.name, beyond, alignment, rule.number, rule.bytes, alignment);
}

void view_owner::refuse_queue(const device_info& given) const {
  reject(
      "this {} was made for {}:{} and the queue is of {}:{}; give it a queue of its own "
      "device",
      noun, name_of(runs_on), device_index, name_of(given.runs_on), given.index);
}

void view_owner::require_operand(const operand& given, const start_rule& rule,
                                 const backend::queue& on) const {
  require_memory(given, on);
  reject_if(given.view.size_bytes < given.used_bytes, "the {} holds {} bytes; this {} needs {}",
            given.name, given.view.size_bytes, noun, given.used_bytes);
  require_start(given, rule, runs_on);
}

void require_apart(const operand& a, const operand& b, engine runs_on) {
  if (are_apart(a.view, a.used_bytes, b.view, b.used_bytes, runs_on)) return;
  const auto first_byte = [](const operand& given) {
    return address_of(given.view.handle) + given.view.offset_bytes;  // of one memory
  };
  const bool is_in_order = first_byte(a) <= first_byte(b);
  const operand& earlier = is_in_order ? a : b;
  const operand& later = is_in_order ? b : a;
  const std::uintptr_t distance = first_byte(later) - first_byte(earlier);
  reject(
      "the {} starts {} bytes behind the start of the {}, which takes {} bytes, so that "
      "they overlap; give them places apart",
      later.name, distance, earlier.name, earlier.used_bytes);
}

}  // namespace wingbeat
