// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/kernel.hpp"

#include <array>
#include <string_view>
#include <utility>  // move
#include <vector>

#include "backend/backend.hpp"  // engine_of
#include "backend/kernel.hpp"   // kernel_source
#include "formatted.hpp"        // formatted
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
    throw plan_error(formatted(
        "this kernel was compiled for {}:{} and the queue is of {}:{}; give it a queue of its own "
        "device",
        name_of(runs_on), device_index, name_of(given.runs_on), given.index));
  }

  void require_launch(std::size_t workgroups, const queue& on) const {
    require_queue_of_device(on.device());
    if (workgroups != 0) return;
    throw plan_error(formatted(
        "the kernel '{}' was given 0 workgroups, which write nothing; launch 1 or more, or do not "
        "launch it",
        spec.entry));
  }

  void require_form(bool has_parameters) const {
    if (spec.parameters.empty() != has_parameters) return;
    throw plan_error(formatted(
        "the kernel '{}' was made {} a list of parameters and is enqueued {} one; use the other "
        "form of enqueue",
        spec.entry, has_parameters ? "without" : "with", has_parameters ? "with" : "without"));
  }

  /// What a kernel reads is unknown: all of a view counts.
  void require_operands(std::span<const operand> read, std::span<const operand> written,
                        const backend::queue& on) const {
    const auto require_view = [&](const operand& given) {
      require_memory(given, on);
      if (given.used_bytes != 0) return;
      throw plan_error(formatted(
          "the {} of kernel '{}' is an empty view; give it a buffer, any where the kernel does not "
          "touch it",
          given.name, spec.entry));
    };
    for (const operand& given : read) require_view(given);
    for (const operand& given : written) require_view(given);
    const auto require_pair = [&](const operand& a, const operand& b) {
      if (!start_together(a.view, b.view, runs_on)) require_apart(a, b, runs_on);
    };
    for (std::size_t i = 0; i < written.size(); ++i) {
      for (const operand& given : read) require_pair(given, written[i]);
      for (std::size_t j = 0; j < i; ++j) require_pair(written[j], written[i]);
    }
  }

  /// Throws unless the arguments are as the parameters say.
  void require_arguments(std::span<const kernel_argument> arguments) const {
    if (arguments.size() != spec.parameters.size()) {
      throw plan_error(formatted("the kernel '{}' has {} parameters and was given {} arguments",
                                 spec.entry, spec.parameters.size(), arguments.size()));
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const kernel_parameter& wanted = spec.parameters[i];
      const kernel_argument& given = arguments[i];
      if (wanted.is_memory() != given.is_memory()) {
        throw plan_error(formatted("argument {} of kernel '{}' is a {}; its parameter is a {}", i,
                                   spec.entry, given.is_memory() ? "view" : "value",
                                   wanted.is_memory() ? "view" : "value"));
      }
      if (given.is_memory() || given.value().size() == wanted.bytes()) continue;
      throw plan_error(formatted("argument {} of kernel '{}' has {} bytes; its parameter has {}", i,
                                 spec.entry, given.value().size(), wanted.bytes()));
    }
  }
};

namespace {

std::uint64_t first_element(std::string_view what, buffer_view of, std::size_t element_bytes) {
  if (of.offset_bytes % element_bytes == 0) return of.offset_bytes / element_bytes;
  throw plan_error(
      formatted("the {} starts at byte {}; its elements are of {} bytes, so start at "
                "a multiple of that",
                what, of.offset_bytes, element_bytes));
}

bool is_identifier(std::string_view name) {
  constexpr std::string_view allowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  return name.find_first_not_of(allowed) == std::string_view::npos;
}

/// A view is a pointer and its first element.
unsigned parameters_of_entry(const kernel_spec& spec) {
  if (spec.parameters.empty()) return 6;
  unsigned count = 0;
  for (const kernel_parameter& each : spec.parameters) count += each.is_memory() ? 2 : 1;
  return count;
}

void validate(const kernel_spec& what) {
  if (what.entry.empty()) throw plan_error("the kernel has no entry; name the function to start");
  if (!is_identifier(what.entry)) {
    throw plan_error(formatted(
        "'{}' is no name of a function; name the kernel's entry as its text does", what.entry));
  }
  if (what.threads == 0) {
    throw plan_error(formatted(
        "the kernel '{}' has 0 threads in a workgroup; state those of its WINGBEAT_KERNEL",
        what.entry));
  }
  bool has_bytes = what.in_element_bytes != 0 && what.out_element_bytes != 0;
  for (const kernel_parameter& each : what.parameters) has_bytes &= each.bytes() != 0;
  if (!has_bytes) throw plan_error("an element has 0 bytes; state sizeof its type");
  if (parameters_of_entry(what) <= backend::most_kernel_arguments) return;
  throw plan_error(
      formatted("the kernel '{}' has {} parameters; an entry takes up to {}, of "
                "which each view takes two",
                what.entry, parameters_of_entry(what), backend::most_kernel_arguments));
}

}  // namespace

kernel::kernel(const queue& where, kernel_spec what) {
  validate(what);
  const device_info& device = where.device();
  const backend::kernel_source source{.text = what.text,
                                      .entry = what.entry,
                                      .n_parameters = parameters_of_entry(what),
                                      .threads = what.threads,
                                      .scratch_bytes = what.scratch_bytes,
                                      .resident = what.resident,
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
  mine.require_form(/*has_parameters=*/false);
  mine.require_launch(workgroups, on);
  const std::array read{operand{"input", in, in.size_bytes},
                        operand{"table", table, table.size_bytes}};
  const std::array written{operand{"output", out, out.size_bytes}};
  mine.require_operands(read, written, *on.impl());
  if (table.offset_bytes != 0) {
    throw plan_error(formatted("the table starts at byte {} of its buffer; it must start at 0",
                               table.offset_bytes));
  }
  const backend::transform_arguments arguments{
      .in = in,
      .out = out,
      .table = table,
      .in_first = first_element("input", in, mine.spec.in_element_bytes),
      .out_first = first_element("output", out, mine.spec.out_element_bytes),
      .batch = batch};
  mine.made->launch(*on.impl(), workgroups, arguments.list());
}

void kernel::enqueue(queue& on, std::size_t workgroups,
                     std::span<const kernel_argument> arguments) const {
  const impl& mine = require_owned(impl_, "kernel");
  mine.require_form(/*has_parameters=*/true);
  mine.require_launch(workgroups, on);
  mine.require_arguments(arguments);
  std::vector<std::string> names(arguments.size());
  std::vector<operand> read, written;
  std::vector<std::uint64_t> firsts(arguments.size());
  std::vector<backend::kernel_argument> passed;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const kernel_parameter& as = mine.spec.parameters[i];
    if (!as.is_memory()) {
      passed.push_back({arguments[i].value().data(), as.bytes()});
      continue;
    }
    const buffer_view& view = arguments[i].view();
    names[i] = formatted("argument {}", i);
    firsts[i] = first_element(names[i], view, as.bytes());
    (as.is_written() ? written : read).push_back({names[i], view, view.size_bytes});
    passed.push_back(backend::kernel_argument::of(view.handle));
    passed.push_back(backend::kernel_argument::of(firsts[i]));
  }
  mine.require_operands(read, written, *on.impl());
  mine.made->launch(*on.impl(), workgroups, passed);
}

}  // namespace wingbeat
