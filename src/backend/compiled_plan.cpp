// SPDX-License-Identifier: Apache-2.0
// A plan as a program of kernel launches: the same for every engine that compiles kernels.

#include <algorithm>  // max
#include <array>
#include <complex>
#include <functional>  // ref
#include <utility>     // exchange, move
#include <variant>     // get_if
#include <vector>

#include "backend/argument_list.hpp"  // argument_list, entry_parameters
#include "backend/kernel.hpp"         // kernel, kernel_compiler
#include "formatted.hpp"              // formatted
#include "planner/kernel_text.hpp"    // kernel_text, entry_name
#include "planner/program.hpp"        // make_program
#include "planner/roots.hpp"          // table_of
#include "tuning/tuning.hpp"          // for_device
#include "wingbeat/error.hpp"         // device_error, plan_error

namespace wingbeat::backend {
namespace {

using planner::pass;
using planner::place;

/// Device memory that lives as long as the plan.
class table_memory {
 public:
  table_memory(std::shared_ptr<queue> owner, std::size_t size_bytes)
      : owner_(std::move(owner)), view_{owner_->allocate(size_bytes), 0, size_bytes} {}
  table_memory(table_memory&& other) noexcept
      : owner_(std::move(other.owner_)), view_(std::exchange(other.view_, {})) {}
  table_memory& operator=(table_memory&&) = delete;
  ~table_memory() {
    if (view_.handle != nullptr) owner_->release(view_.handle);
  }
  [[nodiscard]] buffer_view view() const { return view_; }

  /// Writes bytes at an offset, and returns where they end.
  std::size_t write(const void* from, std::size_t size_bytes, std::size_t offset) {
    if (size_bytes > 0) owner_->write({view_.handle, offset, size_bytes}, from);
    return offset + size_bytes;
  }

 private:
  std::shared_ptr<queue> owner_;
  buffer_view view_;
};

/// Uploads the constants of a pass: the functors' parameters, then its roots.
template <class Real>
table_memory upload(const std::shared_ptr<queue>& on, const pass& planned) {
  const std::vector<std::byte> blocks = planned.parameter_blocks();
  const auto roots = planner::table_of<Real>(planned.numbers);
  const std::size_t roots_bytes = roots.size() * sizeof(std::complex<Real>);
  // Never empty.
  table_memory table{on, std::max(blocks.size() + roots_bytes, sizeof(std::complex<Real>))};
  const std::size_t roots_at = table.write(blocks.data(), blocks.size(), 0);
  table.write(roots.data(), roots_bytes, roots_at);
  return table;
}

bool has_functor(const pass& planned) {
  return planned.in.fused || planned.out.fused;
}

/// Returns the parameters of a pass's entry: see `enqueue`.
unsigned parameters_of(const pass& planned) {
  unsigned count = transform_parameters + (planned.filter ? filter_parameters : 0);
  for (const auto* fused : {&planned.in.fused, &planned.out.fused}) {
    if (*fused) count += entry_parameters((*fused)->operands);
  }
  return count;
}

/// Compiles one pass. Compile errors of a pass with functors are the request's: `plan_error`.
std::shared_ptr<const kernel> compiled_as(const kernel_compiler& compiler,
                                          const std::shared_ptr<queue>& on, const pass& planned) {
  const planner::tile_shape& shape = planned.shape();
  try {
    return compiler.compile(on, {.text = planner::kernel_text(planned),
                                 .entry = std::string{planner::entry_name},
                                 .n_parameters = parameters_of(planned),
                                 .threads = shape.threads(),
                                 .scratch_bytes = shape.scratch_bytes(),
                                 .workgroups = planned.workgroups(),
                                 .workgroups_of_cluster = shape.workgroups,
                                 .resident = planned.resident,
                                 .starts_early = planned.numbers.starts_early,
                                 .path = "wingbeat_pass.cpp"});
  } catch (const compile_error& refused) {
    if (!has_functor(planned)) throw;
    throw plan_error(
        formatted("a functor of this plan does not compile; the messages below count its lines "
                  "from 1, so correct its text: {}",
                  refused.what()));
  }
}

/// Compiles one pass. If a functor's registers make it spill, elements are not loaded early, if
/// that spills less.
std::shared_ptr<const kernel> compiled(const kernel_compiler& compiler,
                                       const std::shared_ptr<queue>& on, pass planned) {
  auto result = compiled_as(compiler, on, planned);
  const bool may_load_later = has_functor(planned) && planned.numbers.is_full;
  if (!may_load_later || result->resources().spill_bytes <= 0) return result;
  planned.numbers.is_full = false;
  auto later = compiled_as(compiler, on, planned);
  return later->resources().spill_bytes < result->resources().spill_bytes ? later : result;
}

/// Returns whether calls of a program are worth recording: see
/// `placement_rules::most_graph_bytes_of_one`. A program that clears memory cannot be recorded,
/// because that is no launch.
bool is_worth_recording(const planner::program& program, const device_info& device) {
  bool any_starts_early = false;
  std::size_t n_launches = 0;
  for (const planner::step& each : program.steps) {
    const auto* launched = std::get_if<pass>(&each);
    if (launched == nullptr) return false;
    any_starts_early |= launched->numbers.starts_early;
    ++n_launches;
  }
  if (!any_starts_early) return true;
  const tuning::placement_rules& rules = tuning::for_device(device).placing;
  const std::size_t most_bytes =
      n_launches == 1 ? rules.most_graph_bytes_of_one : rules.most_graph_bytes_of_several;
  return program.traffic_bytes() <= most_bytes;
}

class compiled_plan final : public plan {
 public:
  compiled_plan(const kernel_compiler& compiler, const std::shared_ptr<queue>& on,
                planner::program program)
      : program_(std::move(program)) {
    for (pass& each : program_.passes()) {
      auto table =
          each.real == precision::fp64 ? upload<double>(on, each) : upload<float>(on, each);
      auto kernel = compiled(compiler, on, each);
      launches_.push_back({std::move(each), std::move(table), std::move(kernel)});
    }
    calls_ = is_worth_recording(program_, on->device()) ? compiler.make_repeated_calls(*on)
                                                        : std::make_unique<unrecorded_calls>();
  }

  std::size_t workspace_bytes() const noexcept override { return program_.workspace_bytes(); }
  std::size_t traffic_bytes() const noexcept override { return program_.traffic_bytes(); }
  double predicted_fraction(std::size_t copied_bytes) const override {
    return program_.predicted_fraction(copied_bytes);
  }
  std::size_t bin_at(std::size_t place) const override { return program_.bin_at(place); }
  std::string explain() const override { return program_.describe(); }

  std::vector<pass_info> passes() const override {
    std::vector<pass_info> infos;
    for (const pass& each : program_.passes()) infos.push_back(planner::info_of(each));
    return infos;
  }

  std::vector<kernel_resources> resources() const override {
    std::vector<kernel_resources> resources;
    for (const prepared_launch& each : launches_) resources.push_back(each.compiled->resources());
    return resources;
  }

  void enqueue(queue& on, const run& given) const override {
    const auto steps = [&](launch_sequence& sequence) {
      auto launch = launches_.begin();
      for (const planner::step& each : program_.steps) {
        if (const auto* cleared = std::get_if<planner::clear>(&each)) {
          buffer_view memory = locate(cleared->location, given);
          memory.size_bytes = cleared->size_bytes;
          on.clear(memory);
        } else {
          enqueue(sequence, *launch++, given);
        }
      }
    };
    calls_->call(on, std::ref(steps));  // by reference: a copy would be allocated
  }

 private:
  struct prepared_launch {
    pass of;
    table_memory table;
    std::shared_ptr<const kernel> compiled;
  };

  void enqueue(launch_sequence& sequence, const prepared_launch& launch, const run& given) const {
    const pass& planned = launch.of;
    const buffer_view from = locate(planned.in.location, given),
                      to = locate(planned.out.location, given);
    const transform_arguments transform{
        .in = from,
        .out = to,
        .table = launch.table.view(),
        .in_first = first_element(from, planned.in.buffer_element_bytes()),
        .out_first = first_element(to, planned.out.buffer_element_bytes()),
        .batch = planned.rows};
    const auto plain = transform.list();
    argument_list arguments;
    arguments.add(plain);
    const std::uint64_t filter_first =
        planned.filter ? first_element(given.filter, planned.filter->unit_bytes()) : 0;
    if (planned.filter) {
      const std::array filter{kernel_argument::of(given.filter.handle),
                              kernel_argument::of(filter_first)};
      arguments.add(filter);
    }
    if (planned.in.fused) arguments.add(planned.in.fused->operands, given.load);
    if (planned.out.fused) arguments.add(planned.out.fused->operands, given.store);
    sequence.launch(*launch.compiled, planned.workgroups(), arguments.list());
  }

  buffer_view locate(place location, const run& given) const {
    buffer_view memory = given.workspace;
    switch (location) {
      case place::input: return given.in;
      case place::output: return given.out;
      case place::filter: return given.filter;
      case place::workspace_a: break;
      case place::workspace_b: memory.offset_bytes += program_.workspace_a_bytes; break;
    }
    return memory;
  }

  static std::size_t first_element(buffer_view view, std::size_t element_bytes) {
    if (view.offset_bytes % element_bytes == 0) return view.offset_bytes / element_bytes;
    throw plan_error(
        formatted("a buffer starts at byte {}; kernels need a multiple of {}, the size "
                  "of a complex number (two reals)",
                  view.offset_bytes, element_bytes));
  }

  planner::program program_;
  std::vector<prepared_launch> launches_;
  std::unique_ptr<repeated_calls> calls_;
};

}  // namespace

std::shared_ptr<const plan> make_compiled_plan(const kernel_compiler& compiler,
                                               const std::shared_ptr<queue>& on,
                                               const request::resolved_spec& request) {
  return make_compiled_plan(compiler, on, planner::make_program(request, on->device()));
}

std::shared_ptr<const plan> make_compiled_plan(const kernel_compiler& compiler,
                                               const std::shared_ptr<queue>& on,
                                               planner::program program) {
  return std::make_shared<compiled_plan>(compiler, on, std::move(program));
}

std::size_t compiled_result_block(const device_info& device) {
  return tuning::for_device(device).placing.result_block;
}

std::shared_ptr<const plan> make_compiled_convolution(const kernel_compiler& compiler,
                                                      const std::shared_ptr<queue>& on,
                                                      const plan_spec& rows,
                                                      const spectrum_array& spectra) {
  if (!planner::can_convolve(rows, on->device())) return nullptr;
  return make_compiled_plan(compiler, on,
                            planner::make_convolution_program(rows, spectra, on->device()));
}

std::shared_ptr<const plan> make_compiled_spectra(const kernel_compiler& compiler,
                                                  const std::shared_ptr<queue>& on,
                                                  const plan_spec& rows) {
  if (!planner::can_convolve(rows, on->device())) return nullptr;
  return make_compiled_plan(compiler, on, planner::make_spectrum_program(rows, on->device()));
}

}  // namespace wingbeat::backend
