// SPDX-License-Identifier: Apache-2.0
#include "distributing/box_copier.hpp"

#include <algorithm>  // min, stable_sort
#include <bit>        // bit_ceil, bit_floor, countr_zero
#include <vector>

#include "arrays/view_part.hpp"                   // part_of
#include "backend/backend.hpp"                    // queue
#include "distributing/boxes.hpp"                 // distances_of, place_of
#include "text/formatted.hpp"                     // formatted
#include "views/views.hpp"                        // is_of_this_process
#include "wingbeat/device/functors/box_copy.hpp"  // box_copy

namespace wingbeat::distributing {
namespace {

using device::functors::box_copy;

constexpr std::size_t max_threads = 256;

unsigned threads_of(const queue& on) {
  return static_cast<unsigned>(std::bit_floor(std::min(max_threads, on.device().max_workgroup)));
}

/// Returns the largest unit, in bytes, that divides an element.
std::size_t unit_of(std::size_t element_bytes) {
  constexpr std::size_t largest = 8;
  return std::min(largest, std::size_t{1} << std::countr_zero(element_bytes));
}

kernel_spec kernel_of(std::size_t unit_bytes, unsigned threads) {
  const char* const unit = unit_bytes == 8   ? "size"
                           : unit_bytes == 4 ? "unsigned"
                           : unit_bytes == 2 ? "unsigned short"
                                             : "unsigned char";
  return {.text = formatted("#include \"wingbeat/device/functors/box_copy.hpp\"\n"
                            "using namespace wingbeat::device;\n"
                            "using unit = {};\n"
                            "WINGBEAT_KERNEL({})\n"
                            "void copy_box(WINGBEAT_GLOBAL const unit* in, size in_first,\n"
                            "              WINGBEAT_GLOBAL unit* out, size out_first,\n"
                            "              functors::box_copy box WINGBEAT_SCRATCH_PARAMETER) {{\n"
                            "  box.copy(group{{}}, in + in_first, out + out_first, {});\n}}\n",
                            unit, threads, threads),
          .entry = "copy_box",
          .threads = threads,
          .parameters = {kernel_parameter::input(unit_bytes), kernel_parameter::output(unit_bytes),
                         kernel_parameter::value<box_copy>()}};
}

struct axis {
  std::size_t count, read_stride, write_stride;  // in units
};

/// Returns the axes of a copy, slowest first in the order of writing; axes that can be merged in
/// both memories are merged.
std::vector<axis> axes_of(const box& part, const box& from, const box& to, std::size_t units) {
  const auto from_strides = distances_of(from), to_strides = distances_of(to);
  std::vector<axis> axes;
  for (std::size_t i = 0; i < part.lower.size(); ++i) {
    if (part.length(i) > 1) {
      axes.push_back({part.length(i), from_strides[i] * units, to_strides[i] * units});
    }
  }
  std::stable_sort(axes.begin(), axes.end(),
                   [](const axis& a, const axis& b) { return a.write_stride > b.write_stride; });
  axes.push_back({units, 1, 1});
  std::vector<axis> joined;
  for (const axis& each : axes) {
    const bool continues = !joined.empty() &&
                           joined.back().read_stride == each.count * each.read_stride &&
                           joined.back().write_stride == each.count * each.write_stride;
    if (continues) {
      joined.back() = {joined.back().count * each.count, each.read_stride, each.write_stride};
    } else {
      joined.push_back(each);
    }
  }
  if (joined.size() > 1 && joined.back().count == 1) joined.pop_back();
  return joined;
}

/// Returns the copy divided into parts for `threads` threads.
box_copy copy_of(const std::vector<axis>& axes, unsigned threads) {
  box_copy result;
  for (unsigned i = 0; i < box_copy::max_axes; ++i) {
    const std::size_t absent = box_copy::max_axes - axes.size();
    const axis each = i < absent ? axis{1, 0, 0} : axes[i - absent];
    result.count[i] = each.count;
    result.read_stride[i] = each.read_stride;
    result.write_stride[i] = each.write_stride;
  }
  constexpr std::size_t units_of_thread = 8;
  const std::size_t row = result.count[box_copy::last];
  result.part_threads = static_cast<unsigned>(std::bit_ceil(std::min<std::size_t>(row, threads)));
  result.part_count = result.part_threads * units_of_thread;
  result.parts = (row + result.part_count - 1) / result.part_count;
  return result;
}

/// Returns the view from an element on.
buffer_view from_element(const placed_box& placed, const std::vector<std::size_t>& element,
                         std::size_t element_bytes) {
  const std::size_t begin = place_of(placed.elements, element) * element_bytes;
  auto view = part_of(placed.memory, begin, placed.elements.span() * element_bytes - begin);
  view.origin.reset();  // it may belong to another device
  return view;
}

std::byte* pointer_of(const buffer_view& view) {
  return static_cast<std::byte*>(view.handle) + view.offset_bytes;
}

}  // namespace

const std::size_t box_copier::max_axes = box_copy::max_axes - 1;

box_copier::context box_copier::context_of(const queue& on) {
  return {on.device().index, on.impl()->native_context()};
}

box_copier::box_copier(const domain& ranks, std::size_t element_bytes)
    : ranks_(ranks), element_bytes_(element_bytes), unit_bytes_(unit_of(element_bytes)) {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (!ranks_.has(rank) || is_of_this_process(ranks_.at(rank).device().runs_on)) continue;
    const queue& on = ranks_.at(rank);
    if (kernels_.count(context_of(on)) > 0) continue;
    kernels_.emplace(context_of(on), kernel{on, kernel_of(unit_bytes_, threads_of(on))});
  }
}

void box_copier::enqueue(std::size_t rank, const box& part, const placed_box& from,
                         const placed_box& to) {
  queue& on = ranks_.at(rank);
  if (is_of_this_process(on.device().runs_on)) {
    return copy_part(part, from.elements, pointer_of(from.memory), to.elements,
                     pointer_of(to.memory), element_bytes_);
  }
  const unsigned threads = threads_of(on);
  const box_copy copy =
      copy_of(axes_of(part, from.elements, to.elements, element_bytes_ / unit_bytes_), threads);
  const std::size_t parts_of_workgroup = threads / copy.part_threads;
  const std::size_t workgroups = (copy.all_parts() + parts_of_workgroup - 1) / parts_of_workgroup;
  kernels_.at(context_of(on))
      .enqueue(on, workgroups,
               {from_element(from, part.lower, element_bytes_),
                from_element(to, part.lower, element_bytes_), copy});
}

}  // namespace wingbeat::distributing
