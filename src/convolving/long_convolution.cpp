// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/long_convolution.hpp"

#include <algorithm>  // max
#include <cstdint>    // uint32_t
#include <optional>
#include <utility>  // move

#include "arrays/array.hpp"               // bytes_of_real
#include "convolving/long_program.hpp"    // long_programs
#include "convolving/long_request.hpp"    // require_valid, geometry_of
#include "formatted.hpp"                  // formatted
#include "moved_from.hpp"                 // require_owned
#include "programs/prepared_program.hpp"  // prepared_program
#include "views.hpp"                      // view_owner, operand, require_apart
#include "wingbeat/error.hpp"             // plan_error

namespace wingbeat {
namespace {

using programs::prepared_program;

/// A view of a run, and its element.
struct array_operand {
  operand given;
  std::size_t element_bytes = 1;
  bool is_written = false;
};

/// The views of one run that the request has.
class run_views {
 public:
  run_views(const view_owner& owner, const backend::queue& on) : owner_(owner), on_(on) {}

  void add(std::string_view name, const buffer_view& view, std::size_t used_bytes,
           std::size_t element_bytes, bool is_written = false) {
    const array_operand added{{name, view, used_bytes}, element_bytes, is_written};
    const std::size_t bytes = added.element_bytes;
    owner_.require_operand(added.given, {"a number", bytes, bytes, bytes}, on_);
    for (const array_operand& before : all_) {
      if (before.is_written || is_written) require_apart(before.given, added.given, owner_.runs_on);
    }
    all_.push_back(added);
  }

 private:
  const view_owner& owner_;
  const backend::queue& on_;
  std::vector<array_operand> all_;
};

}  // namespace

struct long_convolution::impl {
  long_convolution_spec spec;
  convolving::long_geometry row;
  view_owner own;
  std::optional<prepared_program> preparing, running, signal_gradient, kernel_gradient;
  std::optional<prepared_program> gradients;  ///< Both at once, where that takes less.

  [[nodiscard]] std::size_t signal_bytes() const { return convolving::signal_bytes(spec); }
  [[nodiscard]] std::size_t kernel_bytes() const { return convolving::kernel_bytes(spec, row); }
  [[nodiscard]] std::size_t skip_bytes() const { return convolving::skip_bytes(spec); }
  [[nodiscard]] std::size_t spectra_bytes() const { return convolving::spectra_bytes(spec, row); }
  [[nodiscard]] std::size_t value_bytes() const { return bytes_of_real(spec.stored); }
  [[nodiscard]] std::size_t tap_bytes() const {
    return bytes_of_real(convolving::kernels_stored(spec));
  }
  [[nodiscard]] std::size_t bin_bytes() const {
    return 2 * bytes_of_real(convolving::computed(spec));
  }

  [[nodiscard]] std::size_t workspace_bytes() const {
    std::size_t bytes = 0;
    for (const auto* program :
         {&preparing, &running, &signal_gradient, &kernel_gradient, &gradients}) {
      if (*program) bytes = std::max(bytes, (*program)->program().workspace_bytes());
    }
    return bytes;
  }

  /// Checks a view that some requests have, and adds it to the arguments of functors.
  void add_optional(run_views& views, std::string_view name, std::string_view field, bool is_there,
                    const buffer_view& view, std::size_t used_bytes, std::size_t element_bytes,
                    bool is_written = false) const {
    if (is_there) return views.add(name, view, used_bytes, element_bytes, is_written);
    if (view.handle == nullptr && view.size_bytes == 0) return;
    throw plan_error(
        formatted("a run has a {} and {} is false; set it, or give none", name, field));
  }

  void add_operands(run_views& views, const long_convolution_operands& given) const {
    add_optional(views, "gate before", "has_gate_before", spec.has_gate_before, given.gate_before,
                 signal_bytes(), value_bytes());
    add_optional(views, "gate after", "has_gate_after", spec.has_gate_after, given.gate_after,
                 signal_bytes(), value_bytes());
    add_optional(views, "table of lengths", "is_ragged", spec.is_ragged, given.lengths,
                 spec.batch * sizeof(std::uint32_t), sizeof(std::uint32_t));
  }

  [[nodiscard]] std::vector<kernel_argument> arguments(
      std::initializer_list<std::pair<bool, buffer_view>> candidates) const {
    std::vector<kernel_argument> list;
    for (const auto& [is_there, view] : candidates) {
      if (is_there) list.emplace_back(view);
    }
    return list;
  }

  [[nodiscard]] const prepared_program& gradient(
      const std::optional<prepared_program>& program) const {
    if (program) return *program;
    throw plan_error(
        "a gradient is asked for and has_gradients is false; set it, so that gradients are "
        "planned");
  }

  /// Queues a run of a program whose other views were checked.
  void enqueue(queue& on, const prepared_program& steps, run_views& views, backend::run run) const {
    const std::size_t needed = workspace_bytes();
    const bool is_own = run.workspace.handle != nullptr || run.workspace.size_bytes != 0;
    if (is_own) views.add("workspace", run.workspace, needed, bin_bytes(), true);
    if (needed == 0 || is_own) return steps.enqueue(*on.impl(), run);
    const auto held = on.impl()->lock();
    run.workspace = on.impl()->workspace(needed);
    steps.enqueue(*on.impl(), run);
  }
};

namespace {

const auto& owned(const auto& impl) {
  return require_owned(impl, "long convolution");
}

}  // namespace

long_convolution::long_convolution(const queue& on, const long_convolution_spec& spec) {
  convolving::require_valid(spec, on.device());
  auto prepared = std::make_unique<impl>();
  impl& mine = *prepared;
  mine.spec = spec;
  mine.row = convolving::geometry_of(spec, on.device());
  mine.own = {"long convolution", on.device()};
  const backend::engine& engine = backend::engine_of(on.device().runs_on);
  const convolving::long_programs programs{on.impl(), engine, mine.spec, mine.row};
  mine.preparing.emplace(engine, on.impl(), programs.prepare());
  mine.running.emplace(engine, on.impl(), programs.run());
  if (spec.has_gradients) {
    mine.signal_gradient.emplace(engine, on.impl(), programs.signal_gradient());
    mine.kernel_gradient.emplace(engine, on.impl(), programs.kernel_gradient());
    if (auto both = programs.gradients()) {
      mine.gradients.emplace(engine, on.impl(), std::move(*both));
    }
  }
  on.impl()->reserve(mine.workspace_bytes());
  impl_ = std::move(prepared);
}
long_convolution::long_convolution(long_convolution&&) noexcept = default;
long_convolution& long_convolution::operator=(long_convolution&&) noexcept = default;
long_convolution::~long_convolution() = default;

const long_convolution_spec& long_convolution::spec() const {
  return owned(impl_).spec;
}
std::size_t long_convolution::padded() const {
  return owned(impl_).row.row();
}
std::size_t long_convolution::signal_bytes() const {
  return owned(impl_).signal_bytes();
}
std::size_t long_convolution::kernel_bytes() const {
  return owned(impl_).kernel_bytes();
}
std::size_t long_convolution::skip_bytes() const {
  return owned(impl_).skip_bytes();
}
std::size_t long_convolution::spectra_bytes() const {
  return owned(impl_).spectra_bytes();
}
std::size_t long_convolution::workspace_bytes() const {
  return owned(impl_).workspace_bytes();
}
std::size_t long_convolution::traffic_bytes() const {
  return owned(impl_).running->program().traffic_bytes();
}
std::vector<pass_info> long_convolution::passes() const {
  return owned(impl_).running->passes();
}
std::vector<kernel_resources> long_convolution::resources() const {
  return owned(impl_).running->resources();
}

std::string long_convolution::explain() const {
  const impl& mine = owned(impl_);
  const long_convolution_spec& spec = mine.spec;
  std::string text =
      formatted("{} signals of {} channels of {} {} values, {} kernels of {} taps, padded to {}\n",
                spec.batch, spec.channels, spec.length, name_of(spec.stored), name_of(spec.aligned),
                mine.row.taps, mine.row.row());
  const auto add = [&](std::string_view title, const std::optional<prepared_program>& steps) {
    if (!steps) return;
    text += formatted("{}:\n{}moves {} bytes\n", title, steps->program().describe(),
                      steps->program().traffic_bytes());
  };
  add("run", mine.running);
  add("gradient of signals", mine.signal_gradient);
  add("gradient of kernels", mine.kernel_gradient);
  add("both gradients", mine.gradients);
  return text + formatted("workspace {} bytes\n", mine.workspace_bytes());
}

void long_convolution::prepare(queue& on, buffer_view kernels, buffer_view spectra,
                               buffer_view skip, buffer_view workspace) const {
  const impl& mine = owned(impl_);
  mine.own.require_queue(*on.impl());
  run_views views{mine.own, *on.impl()};
  views.add("array of kernels", kernels, mine.kernel_bytes(), mine.tap_bytes());
  mine.add_optional(views, "skip", "has_skip", mine.spec.has_skip, skip, mine.skip_bytes(),
                    mine.tap_bytes());
  views.add("array of spectra", spectra, mine.spectra_bytes(), mine.bin_bytes(), true);
  const auto load = mine.arguments({{mine.spec.has_skip, skip}});
  mine.enqueue(on, *mine.preparing, views,
               {.in = kernels, .out = {}, .workspace = workspace, .filter = spectra, .load = load});
}

void long_convolution::enqueue(queue& on, buffer_view spectra, buffer_view signals,
                               buffer_view results, const long_convolution_operands& given,
                               buffer_view workspace) const {
  const impl& mine = owned(impl_);
  mine.own.require_queue(*on.impl());
  run_views views{mine.own, *on.impl()};
  views.add("array of spectra", spectra, mine.spectra_bytes(), mine.bin_bytes());
  views.add("array of signals", signals, mine.signal_bytes(), mine.value_bytes());
  mine.add_operands(views, given);
  views.add("array of results", results, mine.signal_bytes(), mine.value_bytes(), true);
  const long_convolution_spec& spec = mine.spec;
  const auto load =
      mine.arguments({{spec.has_gate_before, given.gate_before}, {spec.is_ragged, given.lengths}});
  const auto store =
      mine.arguments({{spec.has_gate_after, given.gate_after}, {spec.is_ragged, given.lengths}});
  mine.enqueue(on, *mine.running, views,
               {.in = signals,
                .out = results,
                .workspace = workspace,
                .filter = spectra,
                .load = load,
                .store = store});
}

void long_convolution::enqueue_signal_gradient(queue& on, buffer_view spectra,
                                               buffer_view result_gradient,
                                               buffer_view signal_gradient,
                                               const long_convolution_operands& given,
                                               buffer_view workspace) const {
  const impl& mine = owned(impl_);
  mine.own.require_queue(*on.impl());
  const prepared_program& steps = mine.gradient(mine.signal_gradient);
  run_views views{mine.own, *on.impl()};
  views.add("array of spectra", spectra, mine.spectra_bytes(), mine.bin_bytes());
  views.add("gradient of the results", result_gradient, mine.signal_bytes(), mine.value_bytes());
  mine.add_operands(views, given);
  views.add("gradient of the signals", signal_gradient, mine.signal_bytes(), mine.value_bytes(),
            true);
  const long_convolution_spec& spec = mine.spec;
  const auto load =
      mine.arguments({{spec.has_gate_after, given.gate_after}, {spec.is_ragged, given.lengths}});
  const auto store =
      mine.arguments({{spec.has_gate_before, given.gate_before}, {spec.is_ragged, given.lengths}});
  mine.enqueue(on, steps, views,
               {.in = result_gradient,
                .out = signal_gradient,
                .workspace = workspace,
                .filter = spectra,
                .load = load,
                .store = store});
}

void long_convolution::enqueue_kernel_gradient(queue& on, buffer_view signals,
                                               buffer_view result_gradient,
                                               buffer_view kernel_gradient,
                                               buffer_view skip_gradient,
                                               const long_convolution_operands& given,
                                               buffer_view workspace) const {
  const impl& mine = owned(impl_);
  mine.own.require_queue(*on.impl());
  const prepared_program& steps = mine.gradient(mine.kernel_gradient);
  const long_convolution_spec& spec = mine.spec;
  run_views views{mine.own, *on.impl()};
  views.add("array of signals", signals, mine.signal_bytes(), mine.value_bytes());
  views.add("gradient of the results", result_gradient, mine.signal_bytes(), mine.value_bytes());
  mine.add_operands(views, given);
  views.add("gradient of the kernels", kernel_gradient, mine.kernel_bytes(), mine.tap_bytes(),
            true);
  mine.add_optional(views, "gradient of the skip", "has_skip", spec.has_skip, skip_gradient,
                    mine.skip_bytes(), mine.tap_bytes(), true);
  const auto load = mine.arguments({{spec.has_gate_before, given.gate_before},
                                    {spec.has_gate_after, given.gate_after},
                                    {spec.is_ragged, given.lengths}});
  const auto store = mine.arguments({{spec.has_skip, skip_gradient}});
  mine.enqueue(on, steps, views,
               {.in = signals,
                .out = kernel_gradient,
                .workspace = workspace,
                .filter = result_gradient,
                .load = load,
                .store = store});
}

void long_convolution::enqueue_gradients(queue& on, buffer_view spectra, buffer_view signals,
                                         buffer_view result_gradient, buffer_view signal_gradient,
                                         buffer_view kernel_gradient, buffer_view skip_gradient,
                                         const long_convolution_operands& given,
                                         buffer_view workspace) const {
  const impl& mine = owned(impl_);
  mine.own.require_queue(*on.impl());
  static_cast<void>(mine.gradient(mine.signal_gradient));
  const long_convolution_spec& spec = mine.spec;
  run_views views{mine.own, *on.impl()};
  views.add("array of spectra", spectra, mine.spectra_bytes(), mine.bin_bytes());
  views.add("array of signals", signals, mine.signal_bytes(), mine.value_bytes());
  views.add("gradient of the results", result_gradient, mine.signal_bytes(), mine.value_bytes());
  mine.add_operands(views, given);
  views.add("gradient of the signals", signal_gradient, mine.signal_bytes(), mine.value_bytes(),
            true);
  views.add("gradient of the kernels", kernel_gradient, mine.kernel_bytes(), mine.tap_bytes(),
            true);
  mine.add_optional(views, "gradient of the skip", "has_skip", spec.has_skip, skip_gradient,
                    mine.skip_bytes(), mine.tap_bytes(), true);
  if (!mine.gradients) {
    enqueue_signal_gradient(on, spectra, result_gradient, signal_gradient, given, workspace);
    return enqueue_kernel_gradient(on, signals, result_gradient, kernel_gradient, skip_gradient,
                                   given, workspace);
  }
  const auto load = mine.arguments({{true, result_gradient},
                                    {spec.has_gate_before, given.gate_before},
                                    {spec.has_gate_after, given.gate_after},
                                    {spec.is_ragged, given.lengths}});
  const auto store = mine.arguments({{spec.has_skip, skip_gradient},
                                     {spec.has_gate_before, given.gate_before},
                                     {spec.is_ragged, given.lengths}});
  mine.enqueue(on, *mine.gradients, views,
               {.in = signals,
                .out = signal_gradient,
                .workspace = workspace,
                .filter = spectra,
                .other_out = kernel_gradient,
                .load = load,
                .store = store});
}

}  // namespace wingbeat
