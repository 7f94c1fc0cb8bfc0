// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/short_time.hpp"

#include <cstdint>  // uint32_t
#include <utility>  // move

#include "operations/operation.hpp"  // operation, run_kind
#include "short_time/programs.hpp"   // short_time_programs
#include "short_time/request.hpp"    // require_valid, result_bytes
#include "text/formatted.hpp"        // formatted
#include "text/reject.hpp"           // reject_if

namespace wingbeat {
namespace {

using operations::run_kind;

short_time_spec valid(const short_time_spec& spec, const device_info& device) {
  short_times::require_valid(spec, device);
  return spec;
}

start_rule start_of_numbers(std::size_t bytes) {
  return {"a number", bytes, bytes, bytes};
}

}  // namespace

struct short_time::impl final : operations::operation {
  impl(const queue& on, const short_time_spec& given)
      : operation("short-time transform", on, start_of_numbers(2 * short_times::real_bytes(given))),
        spec(valid(given, on.device())) {
    set_operands();
    const backend::engine& engine = backend::engine_of(on.device().runs_on);
    const short_times::short_time_programs programs{on.impl(), engine, spec};
    const auto set = [&](run_kind& kind, programs::program steps) {
      kind.programs = {{std::make_shared<const programs::prepared_program>(engine, on.impl(),
                                                                           std::move(steps))}};
      add(kind, on);
    };
    set(running_, programs.run());
    if (spec.has_inverse) set(inverse, programs.inverse());
    if (!spec.has_gradients) return;
    set(gradient, programs.gradient());
    set(window_gradient, programs.window_gradient());
    if (spec.has_inverse) set(inverse_gradient, programs.inverse_gradient());
  }

  [[nodiscard]] const run_kind& running() const override { return running_; }
  [[nodiscard]] std::vector<const run_kind*> explained() const override {
    std::vector<const run_kind*> kinds;
    for (const run_kind* each :
         {&running_, &inverse, &gradient, &window_gradient, &inverse_gradient}) {
      if (!each->programs.empty()) kinds.push_back(each);
    }
    return kinds;
  }
  [[nodiscard]] std::string heading() const override {
    return formatted("{} rows of {} {} samples, {} frames of {} each, {} apart, {} weights\n",
                     spec.batch, spec.length, name_of(spec.samples), spec.frames(), spec.n_fft,
                     spec.hop, spec.weights());
  }

  void set_operands();
  /// Queues a run of these views, and those that the spec asks for.
  void enqueue(queue& on, const run_kind& kind, std::vector<buffer_view> views,
               const short_time_operands& given, const buffer_view& workspace) const {
    views.insert(views.end(), {given.window, given.lengths});
    operation::enqueue(on, kind, {.views = views, .workspace = workspace});
  }
  void require(const queue& on, bool is_planned, const char* field) const {
    require_queue(on);
    reject_if(!is_planned, "{} is false, and the run that is asked for needs it; set it", field);
  }

  short_time_spec spec;
  run_kind running_{.title = "run"}, inverse{.title = "inverse"},
      gradient{.title = "gradient of samples"}, window_gradient{.title = "gradient of the window"},
      inverse_gradient{.title = "gradient of spectra"};
};

void short_time::impl::set_operands() {
  using namespace operations;
  const std::size_t real = short_times::real_bytes(spec), value = short_times::value_bytes(spec);
  const std::size_t stored = short_times::bytes_of(spec.samples),
                    numbers = spec.batch * spec.length;
  const std::size_t of_result = spec.features.exponent == 0 ? 2 * real : real;
  const auto rule = [](std::string_view name, std::size_t bytes, std::size_t element, unsigned uses,
                       bool is_written = false, std::string_view field = {}, bool is_there = true) {
    return operand_rule{name, uses, bytes, start_of_numbers(element), is_written, field, is_there};
  };
  const auto with_given = [&](std::vector<operand_rule> list) {
    list.push_back(rule("window", spec.weights() * real, real, by_load, false, "an empty window",
                        spec.window.empty()));
    list.push_back(rule("table of lengths", spec.batch * sizeof(std::uint32_t),
                        sizeof(std::uint32_t), by_load, false, "is_ragged", spec.is_ragged));
    return list;
  };
  const std::size_t spectra = short_times::spectra_bytes(spec);
  const std::size_t result = short_times::result_bytes(spec);
  const operand_rule samples = rule("array of samples", numbers * stored, stored, as_in);
  const operand_rule result_gradient =
      rule("gradient of the results", result, of_result, as_filter);
  running_.operands =
      with_given({samples, rule("array of results", result, of_result, as_out, true)});
  inverse.operands = with_given({rule("array of spectra", spectra, 2 * real, as_in),
                                 rule("array of samples", numbers * value, value, as_out, true)});
  gradient.operands =
      with_given({samples, result_gradient,
                  rule("gradient of the samples", numbers * value, value, as_out, true)});
  window_gradient.operands =
      with_given({samples, result_gradient,
                  rule("gradient of the window", spec.weights() * real, real, as_out, true)});
  inverse_gradient.operands =
      with_given({rule("gradient of the samples", numbers * value, value, as_in),
                  rule("gradient of the spectra", spectra, 2 * real, as_out, true)});
}

short_time::short_time(const queue& on, const short_time_spec& spec)
    : prepared_operation(std::make_unique<const impl>(on, spec)) {}

const short_time::impl& short_time::own() const {
  return static_cast<const impl&>(owned());
}

const short_time_spec& short_time::spec() const {
  return own().spec;
}
std::size_t short_time::sample_bytes() const {
  const short_time_spec& spec = own().spec;
  return spec.batch * spec.length * short_times::bytes_of(spec.samples);
}
std::size_t short_time::result_bytes() const {
  return short_times::result_bytes(own().spec);
}
std::size_t short_time::spectra_bytes() const {
  return short_times::spectra_bytes(own().spec);
}

void short_time::enqueue(queue& on, buffer_view samples, buffer_view results,
                         const short_time_operands& given, buffer_view workspace) const {
  own().enqueue(on, own().running_, {samples, results}, given, workspace);
}

void short_time::enqueue_inverse(queue& on, buffer_view spectra, buffer_view samples,
                                 const short_time_operands& given, buffer_view workspace) const {
  own().require(on, own().spec.has_inverse, "has_inverse");
  own().enqueue(on, own().inverse, {spectra, samples}, given, workspace);
}

void short_time::enqueue_gradient(queue& on, buffer_view samples, buffer_view result_gradient,
                                  buffer_view sample_gradient, const short_time_operands& given,
                                  buffer_view workspace) const {
  own().require(on, own().spec.has_gradients, "has_gradients");
  own().enqueue(on, own().gradient, {samples, result_gradient, sample_gradient}, given, workspace);
}

void short_time::enqueue_window_gradient(queue& on, buffer_view samples,
                                         buffer_view result_gradient, buffer_view window_gradient,
                                         const short_time_operands& given,
                                         buffer_view workspace) const {
  own().require(on, own().spec.has_gradients, "has_gradients");
  own().enqueue(on, own().window_gradient, {samples, result_gradient, window_gradient}, given,
                workspace);
}

void short_time::enqueue_inverse_gradient(queue& on, buffer_view sample_gradient,
                                          buffer_view spectra_gradient,
                                          const short_time_operands& given,
                                          buffer_view workspace) const {
  const bool is_planned = own().spec.has_gradients && own().spec.has_inverse;
  own().require(on, is_planned, own().spec.has_inverse ? "has_gradients" : "has_inverse");
  own().enqueue(on, own().inverse_gradient, {sample_gradient, spectra_gradient}, given, workspace);
}

}  // namespace wingbeat
