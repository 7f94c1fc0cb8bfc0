// SPDX-License-Identifier: Apache-2.0
#include "programs/prepared_program.hpp"

#include <algorithm>  // max
#include <array>
#include <complex>
#include <functional>  // ref
#include <span>
#include <utility>  // exchange, move
#include <vector>

#include "arrays/view_part.hpp"          // rest_of
#include "backend/argument_list.hpp"     // argument_list, entry_parameters
#include "backend/concurrent_work.hpp"   // each_concurrently
#include "kernel_text/pass_text.hpp"     // pass_text, entry_name
#include "planner/roots.hpp"             // table_of
#include "programs/real_transforms.hpp"  // transform_program
#include "request/validation.hpp"        // validated
#include "roots/chirp.hpp"               // chirp
#include "system/table_memory.hpp"       // count_table_bytes
#include "text/reject.hpp"               // reject
#include "tuning/tuning.hpp"             // for_device

namespace wingbeat::programs {

using backend::argument_list;
using backend::kernel;
using backend::kernel_compiler;
using backend::queue;

namespace {

/// Returns device memory that holds these bytes, then `others`; it is never empty.
std::shared_ptr<void> uploaded(const std::shared_ptr<queue>& on, std::span<const std::byte> bytes,
                               std::span<const std::byte> others = {}) {
  const std::size_t size_bytes = bytes.size() + others.size();
  const auto counted = static_cast<std::ptrdiff_t>(size_bytes);
  std::shared_ptr<void> memory{on->allocate(std::max(size_bytes, sizeof(std::complex<double>))),
                               [on, counted](void* handle) {
                                 on->release(handle);
                                 count_table_bytes(-counted);
                               }};
  count_table_bytes(counted);
  if (!bytes.empty()) on->write({memory.get(), 0, bytes.size()}, bytes.data());
  if (!others.empty()) on->write({memory.get(), bytes.size(), others.size()}, others.data());
  return memory;
}

/// Uploads the constants among arguments.
std::vector<std::shared_ptr<void>> uploaded(const std::shared_ptr<queue>& on,
                                            const std::vector<argument_source>& arguments) {
  std::vector<std::shared_ptr<void>> memory;
  for (const argument_source& source : arguments) {
    const auto* const values = std::get_if<constant>(&source);
    if (values != nullptr) memory.push_back(uploaded(on, values->bytes));
  }
  return memory;
}

/// Uploads the constants of a pass: the functors' parameters, then its roots.
template <class Real>
std::shared_ptr<void> uploaded(const std::shared_ptr<queue>& on, const pass& launch) {
  const auto roots = planner::table_of<Real>(launch.numbers, launch.convolved_by);
  return uploaded(on, launch.parameter_blocks(), std::as_bytes(std::span{roots}));
}

/// Frees the numbers of a chirp, often millions, after they are in the table. Its sizes stay, for
/// `describe`.
void free_numbers(std::shared_ptr<const chirp>& numbers) {
  if (!numbers) return;
  auto sizes = std::make_shared<chirp>(1, 1, true, precision::fp32);
  sizes->points = numbers->points;
  sizes->total = numbers->total;
  numbers = std::move(sizes);
}

bool has_functor(const pass& described) {
  return described.in.fused || described.out.fused;
}

/// Returns the number of parameters of a pass's entry: see `enqueue`.
unsigned parameters_of(const pass& described) {
  unsigned count =
      backend::transform_parameters + (described.filter ? backend::filter_parameters : 0);
  for (const auto* fused : {&described.in.fused, &described.out.fused}) {
    if (*fused) count += backend::entry_parameters((*fused)->operands);
  }
  return count;
}

/// Compiles one pass. Compile errors of a pass with functors become `plan_error`, because the
/// request's text is at fault.
std::shared_ptr<const kernel> compiled_as(const kernel_compiler& compiler,
                                          const std::shared_ptr<queue>& on, const pass& described) {
  const planner::tile_shape& shape = described.shape();
  try {
    return compiler.compile(on, {.text = kernel_text::pass_text(described),
                                 .entry = std::string{kernel_text::entry_name},
                                 .n_parameters = parameters_of(described),
                                 .threads = shape.threads(),
                                 .scratch_bytes = shape.scratch_bytes(),
                                 .workgroups = described.workgroups(),
                                 .workgroups_of_cluster = shape.workgroups,
                                 .resident = described.resident,
                                 .starts_early = described.numbers.starts_early,
                                 .path = "wingbeat_pass.cpp"});
  } catch (const backend::compile_error& refused) {
    if (!has_functor(described)) throw;
    reject(
        "a functor of this plan does not compile; the messages below count its lines "
        "from 1, so correct its text: {}",
        refused.what());
  }
}

/// Compiles one pass. If a functor's registers make the kernel spill, compiles it again without
/// early loads and returns the one that spills less.
std::shared_ptr<const kernel> compiled(const kernel_compiler& compiler,
                                       const std::shared_ptr<queue>& on, pass described) {
  auto result = compiled_as(compiler, on, described);
  const bool may_load_later = has_functor(described) && described.numbers.is_full;
  if (!may_load_later || result->resources().spill_bytes <= 0) return result;
  described.numbers.is_full = false;
  auto later = compiled_as(compiler, on, described);
  return later->resources().spill_bytes < result->resources().spill_bytes ? later : result;
}

/// Returns whether recording calls of a program is faster: see
/// `placement_rules::max_graph_bytes_of_one`. Programs with steps other than passes are not
/// recorded.
bool is_worth_recording(const program& steps, const device_info& device) {
  bool any_starts_early = false;
  for (const step& each : steps.steps) {
    if (each.launch() == nullptr) return false;
    any_starts_early |= each.launch()->numbers.starts_early;
  }
  if (!any_starts_early) return true;
  const tuning::placement_rules& rules = tuning::for_device(device).placing;
  const std::size_t max_bytes =
      steps.steps.size() == 1 ? rules.max_graph_bytes_of_one : rules.max_graph_bytes_of_several;
  return steps.traffic_bytes() <= max_bytes;
}

std::size_t first_element(buffer_view view, std::size_t element_bytes) {
  if (view.offset_bytes % element_bytes == 0) return view.offset_bytes / element_bytes;
  reject(
      "a buffer starts at byte {}; kernels need a multiple of {}, the size "
      "of a complex number (two reals)",
      view.offset_bytes, element_bytes);
}

/// Queues one launch. Its arguments live until `launch` returns.
void enqueue(backend::launch_sequence& sequence, const pass& launch, const kernel& compiled,
             void* table, const backend::run& run) {
  const backend::transform_arguments transform{
      .in = run.in,
      .out = run.out,
      .table = {.handle = table},
      .in_first = first_element(run.in, launch.in.buffer_element_bytes()),
      .out_first = first_element(run.out, launch.out.buffer_element_bytes()),
      .batch = launch.rows};
  const auto plain = transform.list();
  argument_list arguments;
  arguments.add(plain);
  const std::uint64_t filter_first =
      launch.filter ? first_element(run.filter, launch.filter->unit_bytes()) : 0;
  if (launch.filter) {
    const std::array filter{backend::kernel_argument::of(run.filter.handle),
                            backend::kernel_argument::of(filter_first)};
    arguments.add(filter);
  }
  if (launch.in.fused) arguments.add(launch.in.fused->operands, run.load);
  if (launch.out.fused) arguments.add(launch.out.fused->operands, run.store);
  sequence.launch(compiled, launch.workgroups(), arguments.list());
}

}  // namespace

std::vector<std::shared_ptr<const kernel>> compiled_kernels(const kernel_compiler& compiler,
                                                            const std::shared_ptr<queue>& on,
                                                            std::span<const program> programs) {
  std::vector<const step*> steps;
  std::vector<std::size_t> positions;  // of steps with a kernel
  for (const program& each : programs) {
    for (const step& part : each.steps) {
      if (part.launch() != nullptr || part.kernel() != nullptr) positions.push_back(steps.size());
      steps.push_back(&part);
    }
  }
  std::vector<std::shared_ptr<const kernel>> kernels(steps.size());
  backend::each_concurrently(positions.size(), [&](std::size_t i) {
    const step& part = *steps[positions[i]];
    kernels[positions[i]] = part.launch() != nullptr
                                ? compiled(compiler, on, *part.launch())
                                : compiler.compile(on, backend::source_of(part.kernel()->kernel));
  });
  return kernels;
}

void compile_transforms(const backend::engine& engine, const std::shared_ptr<queue>& on,
                        std::span<const plan_spec> specs) {
  std::vector<program> programs(specs.size());
  backend::each_concurrently(specs.size(), [&](std::size_t i) {
    programs[i] = transform_program(engine, on, request::validated(specs[i], on->device()));
  });
  static_cast<void>(compiled_kernels(engine, on, programs));
}

prepared_program::prepared_program(const kernel_compiler& compiler,
                                   const std::shared_ptr<queue>& on, programs::program program)
    : program_(std::move(program)) {
  auto kernels = compiled_kernels(compiler, on, {&program_, 1});
  for (step& each : program_.steps) {
    prepared_launch& added = launches_.emplace_back();
    added.constants = uploaded(on, each.arguments());
    added.of_store = uploaded(on, each.arrays.store);
    added.compiled = std::move(kernels[launches_.size() - 1]);
    auto* const launch = std::get_if<pass>(&each.operation);
    if (launch == nullptr) continue;
    added.table = launch->real == precision::fp64 ? uploaded<double>(on, *launch)
                                                  : uploaded<float>(on, *launch);
    free_numbers(launch->convolved_by.by_chirp);
  }
  if (is_worth_recording(program_, on->device())) {
    calls_ = on->make_repeated_calls();
  } else {
    calls_ = std::make_unique<backend::unrecorded_calls>();
  }
}

std::shared_ptr<const prepared_program> prepared_transform(
    const std::shared_ptr<backend::queue>& on, const request::resolved_spec& transform) {
  const backend::engine& engine = backend::engine_of(on->device().runs_on);
  return std::make_shared<const prepared_program>(engine, on,
                                                  transform_program(engine, on, transform));
}

std::vector<pass_info> prepared_program::passes() const {
  std::vector<pass_info> infos;
  for (const pass& each : program_.passes()) infos.push_back(planner::info_of(each));
  return infos;
}

std::vector<kernel_resources> prepared_program::resources() const {
  std::vector<kernel_resources> resources;
  for (const prepared_launch& each : launches_) {
    if (each.compiled) resources.push_back(each.compiled->resources());
  }
  return resources;
}

backend::direct_run prepared_program::direct() const noexcept {
  if (program_.steps.size() != 1) return {};
  const auto* const only = std::get_if<call>(&program_.steps.front().operation);
  return only == nullptr ? backend::direct_run{} : (*only)->direct();
}

void prepared_program::enqueue(queue& on, const backend::run& given,
                               const backend::mark* awaited) const {
  const auto steps = [&](backend::launch_sequence& sequence) {
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      const bool reaches_output = program_.steps[i].arrays.out == place::output;
      if (awaited != nullptr && reaches_output) on.after(*std::exchange(awaited, nullptr));
      enqueue_step(on, given, i, sequence);
    }
  };
  if (awaited == nullptr) return calls_->call(on, std::ref(steps));  // a copy would allocate
  backend::immediate_launches sequence{on};
  steps(sequence);
}

void prepared_program::enqueue_step(queue& on, const backend::run& given,
                                    std::size_t number) const {
  backend::immediate_launches sequence{on};
  enqueue_step(on, given, number, sequence);
}

void prepared_program::enqueue_step(queue& on, const backend::run& given, std::size_t number,
                                    backend::launch_sequence& sequence) const {
  const step& each = program_.steps[number];
  const prepared_launch& ready = launches_[number];
  const array_ends& arrays = each.arrays;
  backend::run run{.in = view_of(given, arrays.in, arrays.in_bytes),
                   .out = view_of(given, arrays.out, arrays.out_bytes),
                   .workspace = given.workspace,
                   .filter = given.filter,
                   .multiplier = given.multiplier};
  const auto arguments = arguments_of(each.arguments(), ready.constants, given, given.load, run);
  const auto of_store = arguments_of(arrays.store, ready.of_store, given, given.store, run);
  if (!arguments.empty()) {
    run.load = arguments;
  } else if (arrays.in == place::input) {
    run.load = given.load;
  }
  if (!of_store.empty()) {
    run.store = of_store;
  } else if (arrays.out == place::output || arrays.out == place::other_output) {
    run.store = given.store;
  }
  if (const pass* const launch = each.launch()) {
    programs::enqueue(sequence, *launch, *ready.compiled, ready.table.get(), run);
  } else if (const kernel_launch* const kernel = each.kernel()) {
    argument_list list;
    list.add(kernel->kernel.parameters, arguments);
    sequence.launch(*ready.compiled, kernel->workgroups, list.list());
  } else if (const auto* const cleared = std::get_if<clear>(&each.operation)) {
    run.out.size_bytes = cleared->size_bytes;
    on.clear(run.out);
  } else {
    const call& work = std::get<call>(each.operation);
    if (work->workspace_bytes() > 0) run.workspace = view_of(given, place::workspace_a, 0);
    work->enqueue(on, run);
  }
}

std::vector<wingbeat::kernel_argument> prepared_program::arguments_of(
    const std::vector<argument_source>& sources, const std::vector<device_memory>& constants,
    const backend::run& given, std::span<const kernel_argument> operands,
    const backend::run& own) const {
  std::vector<wingbeat::kernel_argument> arguments;
  arguments.reserve(sources.size());
  auto next_constant = constants.begin();
  for (const argument_source& each : sources) {
    if (const auto* const location = std::get_if<place>(&each)) {
      arguments.emplace_back(view_of(own, *location, 0));
    } else if (const auto* const operand = std::get_if<run_operand>(&each)) {
      arguments.push_back(
          (operand->is_of_multiplier ? given.multiplier : operands)[operand->number]);
    } else if (std::holds_alternative<constant>(each)) {
      arguments.emplace_back(buffer_view{next_constant++->get(), 0, 0});
    } else {
      arguments.emplace_back(std::get<std::uint64_t>(each));
    }
  }
  return arguments;
}

buffer_view prepared_program::view_of(const backend::run& given, place location,
                                      std::size_t first_byte) const {
  buffer_view view = given.workspace;
  switch (location) {
    case place::input: view = given.in; break;
    case place::output: view = given.out; break;
    case place::filter: view = given.filter; break;
    case place::other_output: view = given.other_out; break;
    default: first_byte += program_.offset_bytes(location);
  }
  return rest_of(view, first_byte);
}

void transform_forward(std::vector<std::complex<double>>& row) {
  const backend::engine& host = backend::host_engine();
  const auto on = host.open(host.devices().front());
  const auto prepared = prepared_transform(
      on, request::resolved_spec{{.lengths = {row.size()}, .real = precision::fp64}});
  const std::size_t workspace_bytes = prepared->program().workspace_bytes();
  on->reserve(workspace_bytes);
  const auto lent = on->lend(workspace_bytes);
  const buffer_view whole{row.data(), 0, row.size() * sizeof(row.front())};
  prepared->enqueue(*on, {.in = whole, .out = whole, .workspace = lent.view()});
}

}  // namespace wingbeat::programs
