// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/kernel.hpp"

#include <array>
#include <string_view>
#include <utility>  // move

#include "backend/argument_list.hpp"  // argument_list, entry_parameters, source_of
#include "backend/backend.hpp"        // engine_of
#include "backend/kernel.hpp"         // kernel_source
#include "text/formatted.hpp"         // formatted
#include "text/moved_from.hpp"        // require_owned
#include "text/reject.hpp"            // reject
#include "views/arguments.hpp"        // require_arguments, argument_views, require_views
#include "views/views.hpp"            // view_owner, operand, require_apart

namespace wingbeat {

struct kernel::impl {
  kernel_spec spec;
  view_owner own;
  std::shared_ptr<const backend::kernel> compiled;

  void require_launch(std::size_t workgroups, const queue& on) const {
    own.require_queue(*on.impl());
    if (workgroups != 0) return;
    reject(
        "the kernel '{}' was given 0 workgroups, which write nothing; launch 1 or more, or do not "
        "launch it",
        spec.entry);
  }

  void require_form(bool has_parameters) const {
    if (spec.parameters.empty() != has_parameters) return;
    reject(
        "the kernel '{}' was made {} a list of parameters and is enqueued {} one; use the other "
        "form of enqueue",
        spec.entry, has_parameters ? "without" : "with", has_parameters ? "with" : "without");
  }

  void require_operands(std::span<const operand> read, std::span<const operand> written,
                        const backend::queue& on, std::string_view of_owner = "") const {
    require_views(read, on, of_owner);
    require_views(written, on, of_owner);
    const auto require_pair = [&](const operand& a, const operand& b) {
      if (!start_together(a.view, b.view, own.runs_on)) require_apart(a, b, own.runs_on);
    };
    for (std::size_t i = 0; i < written.size(); ++i) {
      for (const operand& given : read) require_pair(given, written[i]);
      for (std::size_t j = 0; j < i; ++j) require_pair(written[j], written[i]);
    }
  }

  /// The kernel's name in messages.
  [[nodiscard]] std::string title() const { return formatted("kernel '{}'", spec.entry); }
};

namespace {

std::uint64_t first_element(std::string_view name, buffer_view view, std::size_t element_bytes) {
  if (view.offset_bytes % element_bytes == 0) return view.offset_bytes / element_bytes;
  reject(
      "the {} starts at byte {}; its elements are of {} bytes, so start at "
      "a multiple of that",
      name, view.offset_bytes, element_bytes);
}

bool is_identifier(std::string_view name) {
  constexpr std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  return name.find_first_not_of(allowed) == std::string_view::npos;
}

void validate(const kernel_spec& spec) {
  if (spec.entry.empty()) reject("the kernel has no entry; name the function to start");
  reject_if(!is_identifier(spec.entry),
            "'{}' is no name of a function; name the kernel's entry as its text does", spec.entry);
  reject_if(spec.threads == 0,
            "the kernel '{}' has 0 threads in a workgroup; state those of its WINGBEAT_KERNEL",
            spec.entry);
  bool has_bytes = spec.in_element_bytes != 0 && spec.out_element_bytes != 0;
  for (const kernel_parameter& each : spec.parameters) has_bytes &= each.bytes() != 0;
  if (!has_bytes) reject("an element has 0 bytes; state sizeof its type");
  if (backend::entry_parameters(spec) <= backend::max_kernel_arguments) return;
  reject(
      "the kernel '{}' has {} parameters; an entry takes up to {}, of "
      "which each view takes two",
      spec.entry, backend::entry_parameters(spec), backend::max_kernel_arguments);
}

}  // namespace

kernel::kernel(const queue& on, kernel_spec spec) {
  validate(spec);
  const device_info& device = on.device();
  auto compiled = backend::engine_of(device.runs_on).compile(on.impl(), backend::source_of(spec));
  impl_.reset(new impl{std::move(spec), {"kernel", device}, std::move(compiled)});
}
kernel::kernel(kernel&&) noexcept = default;
kernel& kernel::operator=(kernel&&) noexcept = default;
kernel::~kernel() = default;

kernel_resources kernel::resources() const {
  return require_owned(impl_, "kernel").compiled->resources();
}

void kernel::enqueue(queue& on, std::size_t workgroups, buffer_view in, buffer_view out,
                     buffer_view table, std::uint64_t batch) const {
  const impl& mine = require_owned(impl_, "kernel");
  mine.require_form(/*has_parameters=*/false);
  mine.require_launch(workgroups, on);
  const std::array read{operand{"input", in, in.size_bytes},
                        operand{"table", table, table.size_bytes}};
  const std::array written{operand{"output", out, out.size_bytes}};
  mine.require_operands(read, written, *on.impl(), " of " + mine.title());
  reject_if(table.offset_bytes != 0,
            "the table starts at byte {} of its buffer; it must start at 0", table.offset_bytes);
  const backend::transform_arguments arguments{
      .in = in,
      .out = out,
      .table = table,
      .in_first = first_element("input", in, mine.spec.in_element_bytes),
      .out_first = first_element("output", out, mine.spec.out_element_bytes),
      .batch = batch};
  mine.compiled->launch(*on.impl(), workgroups, arguments.list());
}

void kernel::enqueue(queue& on, std::size_t workgroups,
                     std::span<const kernel_argument> arguments) const {
  const impl& mine = require_owned(impl_, "kernel");
  mine.require_form(/*has_parameters=*/true);
  mine.require_launch(workgroups, on);
  const std::string title = mine.title();
  require_arguments(title, mine.spec.parameters, arguments);
  const argument_views views{title, mine.spec.parameters, arguments};
  mine.require_operands(views.read(), views.written(), *on.impl());
  backend::argument_list passed;
  passed.add(mine.spec.parameters, arguments);
  mine.compiled->launch(*on.impl(), workgroups, passed.list());
}

}  // namespace wingbeat
