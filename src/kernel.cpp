// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/kernel.hpp"

#include <fmt/core.h>

#include <string_view>
#include <utility>  // move

#include "backend/backend.hpp"  // engine_of
#include "backend/kernel.hpp"   // kernel_source
#include "moved_from.hpp"       // require_owned
#include "views.hpp"            // operand, require_memory
#include "wingbeat/error.hpp"   // plan_error

namespace wingbeat {

struct kernel::impl {
  kernel_spec spec;
  engine runs_on;
  int device_index;
  std::shared_ptr<const backend::kernel> made;

  void require_queue_of_device(const device_info& given) const {
    if (given.runs_on == runs_on && given.index == device_index) return;
    throw plan_error(fmt::format(
        "this kernel was compiled for {}:{} and the queue is of {}:{}; give it a queue of its own "
        "device",
        name_of(runs_on), device_index, name_of(given.runs_on), given.index));
  }

  /// What a kernel reads is unknown: all of a view counts.
  void require_operands(buffer_view in, buffer_view out, buffer_view table,
                        const backend::queue& on) const {
    const operand reads{"input", in, in.size_bytes}, writes{"output", out, out.size_bytes};
    const operand roots{"table", table, table.size_bytes};
    for (const operand& given : {reads, writes, roots}) {
      require_memory(given, on);
      if (given.used_bytes != 0) continue;
      throw plan_error(fmt::format(
          "the {} of kernel '{}' is an empty view; give it a buffer, any where the kernel does not "
          "touch it",
          given.name, spec.entry));
    }
    for (const operand& given : {reads, roots}) {
      if (!start_together(given.view, out, runs_on)) require_apart(given, writes, runs_on);
    }
  }
};

namespace {

std::uint64_t first_element(const char* what, buffer_view of, std::size_t element_bytes) {
  if (of.offset_bytes % element_bytes == 0) return of.offset_bytes / element_bytes;
  throw plan_error(
      fmt::format("the {} starts at byte {}; its elements are of {} bytes, so start at "
                  "a multiple of that",
                  what, of.offset_bytes, element_bytes));
}

bool is_identifier(std::string_view name) {
  constexpr std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  return name.find_first_not_of(allowed) == std::string_view::npos;
}

void validate(const kernel_spec& what) {
  if (what.entry.empty()) throw plan_error("the kernel has no entry; name the function to start");
  if (!is_identifier(what.entry)) {
    throw plan_error(fmt::format(
        "'{}' is no name of a function; name the kernel's entry as its text does", what.entry));
  }
  if (what.threads == 0) {
    throw plan_error(fmt::format(
        "the kernel '{}' has 0 threads in a workgroup; state those of its WINGBEAT_KERNEL",
        what.entry));
  }
  if (what.in_element_bytes == 0 || what.out_element_bytes == 0) {
    throw plan_error("an element has 0 bytes; state sizeof its type");
  }
}

}  // namespace

kernel::kernel(const queue& where, kernel_spec what) {
  validate(what);
  const device_info& device = where.device();
  const backend::kernel_source source{.text = what.text,
                                      .entry = what.entry,
                                      .threads = what.threads,
                                      .scratch_bytes = what.scratch_bytes,
                                      .path = what.entry,
                                      .states_scratch = true};
  auto made = backend::engine_of(device.runs_on).compile(where.impl(), source);
  impl_.reset(new impl{std::move(what), device.runs_on, device.index, std::move(made)});
}
kernel::kernel(kernel&&) noexcept = default;
kernel& kernel::operator=(kernel&&) noexcept = default;
kernel::~kernel() = default;

kernel_resources kernel::resources() const {
  return require_owned(impl_, "kernel").made->resources();
}

void kernel::enqueue(queue& on, std::size_t workgroups, buffer_view in, buffer_view out,
                     buffer_view table, std::uint64_t batch) const {
  const impl& mine = require_owned(impl_, "kernel");
  mine.require_queue_of_device(on.device());
  if (workgroups == 0) {
    throw plan_error(fmt::format(
        "the kernel '{}' was given 0 workgroups, which write nothing; launch 1 or more, or do not "
        "launch it",
        mine.spec.entry));
  }
  mine.require_operands(in, out, table, *on.impl());
  if (table.offset_bytes != 0) {
    throw plan_error(fmt::format("the table starts at byte {} of its buffer; it must start at 0",
                                 table.offset_bytes));
  }
  mine.made->launch(*on.impl(), workgroups,
                    {.in = in,
                     .out = out,
                     .table = table,
                     .in_first = first_element("input", in, mine.spec.in_element_bytes),
                     .out_first = first_element("output", out, mine.spec.out_element_bytes),
                     .batch = batch});
}

}  // namespace wingbeat
