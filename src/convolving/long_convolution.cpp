// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/long_convolution.hpp"

#include <cstdint>  // uint32_t
#include <utility>  // move

#include "arrays/array.hpp"             // bytes_of_real
#include "convolving/long_program.hpp"  // long_programs
#include "convolving/long_request.hpp"  // require_valid, geometry_of
#include "operations/operation.hpp"     // operation, run_kind
#include "text/formatted.hpp"           // formatted
#include "text/reject.hpp"              // reject

namespace wingbeat {
namespace {

using operations::run_kind;

long_convolution_spec valid(const long_convolution_spec& spec, const device_info& device) {
  convolving::require_valid(spec, device);
  return spec;
}

start_rule start_of_numbers(std::size_t bytes) {
  return {"a number", bytes, bytes, bytes};
}

/// Returns the bytes to which arrays of spectra are aligned.
std::size_t bin_bytes(const long_convolution_spec& spec) {
  if (spec.arithmetic != arithmetic::plain && bytes_of_real(spec.stored) == 2) return 16;
  return 2 * bytes_of_real(convolving::computed(spec));
}

}  // namespace

struct long_convolution::impl final : operations::operation {
  impl(const queue& on, const long_convolution_spec& given)
      : operation("long convolution", on, start_of_numbers(bin_bytes(given))),
        spec(valid(given, on.device())),
        row(convolving::geometry_of(spec, on.device())) {
    set_operands();
    const backend::engine& engine = backend::engine_of(on.device().runs_on);
    const convolving::long_programs programs{on.impl(), engine, spec, row};
    const auto set = [&](run_kind& kind, programs::program steps) {
      kind.programs = {{std::make_shared<const programs::prepared_program>(engine, on.impl(),
                                                                           std::move(steps))}};
      add(kind, on);
    };
    set(preparing, programs.prepare());
    set(running_, programs.run());
    add(gradients, on);
    if (!spec.has_gradients) return;
    set(signal_gradient, programs.signal_gradient());
    set(kernel_gradient, programs.kernel_gradient());
    if (auto both = programs.gradients()) set(gradients, std::move(*both));
  }

  [[nodiscard]] const run_kind& running() const override { return running_; }
  [[nodiscard]] std::vector<const run_kind*> explained() const override {
    return {&running_, &signal_gradient, &kernel_gradient, &gradients};
  }
  [[nodiscard]] std::string heading() const override {
    return formatted(
        "{} signals of {} channels of {} {} values, {} kernels of {} taps, padded to {}\n",
        spec.batch, spec.channels, spec.length, name_of(spec.stored), name_of(spec.aligned),
        row.taps, row.row());
  }

  [[nodiscard]] std::size_t skip_bytes() const { return convolving::skip_bytes(spec); }
  void set_operands();
  /// Queues a run of these views and the gates, in the order of the run's table.
  void enqueue(queue& on, const run_kind& kind, std::vector<buffer_view> views,
               const long_convolution_operands& gates, const buffer_view& workspace) const {
    views.insert(views.end(), {gates.gate_before, gates.gate_after, gates.lengths});
    operation::enqueue(on, kind, {.views = views, .workspace = workspace});
  }
  /// Queues a gradient likewise.
  void enqueue_gradient(queue& on, const run_kind& kind, std::vector<buffer_view> views,
                        const long_convolution_operands& gates,
                        const buffer_view& workspace) const {
    require_queue(on);
    reject_if(!spec.has_gradients,
              "a gradient is asked for and has_gradients is false; set it, so that gradients are "
              "planned");
    enqueue(on, kind, std::move(views), gates, workspace);
  }

  long_convolution_spec spec;
  convolving::long_geometry row;
  run_kind preparing, running_{.title = "run"}, signal_gradient{.title = "gradient of signals"},
      kernel_gradient{.title = "gradient of kernels"};
  run_kind gradients{.title = "both gradients"};  ///< Without programs, two runs replace it.
};

void long_convolution::impl::set_operands() {
  using namespace operations;
  const std::size_t number = bytes_of_real(spec.stored), length = sizeof(std::uint32_t);
  const std::size_t tap = bytes_of_real(convolving::kernels_stored(spec));
  const auto array_of = [](std::size_t bytes, std::size_t element, std::string_view field = {},
                           bool is_there = true) {
    return [=](std::string_view name, unsigned uses, bool is_written = false) {
      return operand_rule{name,       uses,  bytes,   start_of_numbers(element),
                          is_written, field, is_there};
    };
  };
  const std::size_t signal_bytes = convolving::signal_bytes(spec);
  const auto values = array_of(signal_bytes, number);
  const auto taps = array_of(convolving::kernel_bytes(spec, row), tap);
  const auto skips = array_of(skip_bytes(), tap, "has_skip", spec.has_skip);
  const auto before = array_of(signal_bytes, number, "has_gate_before", spec.has_gate_before);
  const auto after = array_of(signal_bytes, number, "has_gate_after", spec.has_gate_after);
  const auto lengths = array_of(spec.batch * length, length, "is_ragged", spec.is_ragged);
  const auto bins = array_of(convolving::spectra_bytes(spec, row), bin_bytes(spec));
  // Appends the rules of the gates and lengths, with the functors that use each.
  const auto gated = [&](std::vector<operand_rule> list, unsigned by_before, unsigned by_after,
                         unsigned by_lengths) {
    list.push_back(before("gate before", by_before));
    list.push_back(after("gate after", by_after));
    list.push_back(lengths("table of lengths", by_lengths));
    return list;
  };
  // A kernel of tensor cores has all operands in one list.
  const unsigned store = row.outer > 0 ? by_load : by_store;
  const operand_rule spectra = bins("array of spectra", as_filter);
  const operand_rule signals = values("array of signals", as_in);
  const std::string_view of_results = "gradient of the results";
  const std::string_view of_signals = "gradient of the signals";
  const std::string_view of_kernels = "gradient of the kernels";
  const operand_rule skip_gradient = skips("gradient of the skip", by_store, true);
  preparing.operands = {taps("array of kernels", as_in), skips("skip", by_load),
                        bins("array of spectra", as_filter, true)};
  running_.operands = gated({spectra, signals, values("array of results", as_out, true)}, by_load,
                            store, by_load | store);
  signal_gradient.operands =
      gated({spectra, values(of_results, as_in), values(of_signals, as_out, true)}, store, by_load,
            by_load | store);
  kernel_gradient.operands =
      gated({signals, values(of_results, as_filter), taps(of_kernels, as_out, true), skip_gradient},
            by_load, by_load, by_load);
  gradients.operands =
      gated({spectra, signals, values(of_results, by_load), values(of_signals, as_out, true),
             taps(of_kernels, as_other_out, true), skip_gradient},
            by_load | by_store, by_load, by_load | by_store);
}

long_convolution::long_convolution(const queue& on, const long_convolution_spec& spec)
    : prepared_operation(std::make_unique<const impl>(on, spec)) {}

const long_convolution::impl& long_convolution::own() const {
  return static_cast<const impl&>(owned());
}

const long_convolution_spec& long_convolution::spec() const {
  return own().spec;
}
std::size_t long_convolution::padded() const {
  return own().row.row();
}
std::size_t long_convolution::signal_bytes() const {
  return convolving::signal_bytes(own().spec);
}
std::size_t long_convolution::kernel_bytes() const {
  return convolving::kernel_bytes(own().spec, own().row);
}
std::size_t long_convolution::skip_bytes() const {
  return own().skip_bytes();
}
std::size_t long_convolution::spectra_bytes() const {
  return convolving::spectra_bytes(own().spec, own().row);
}

void long_convolution::prepare(queue& on, buffer_view kernels, buffer_view spectra,
                               buffer_view skip, buffer_view workspace) const {
  const buffer_view views[] = {kernels, skip, spectra};
  owned().enqueue(on, own().preparing, {.views = views, .workspace = workspace});
}

void long_convolution::enqueue(queue& on, buffer_view spectra, buffer_view signals,
                               buffer_view results, const long_convolution_operands& given,
                               buffer_view workspace) const {
  own().enqueue(on, own().running_, {spectra, signals, results}, given, workspace);
}

void long_convolution::enqueue_signal_gradient(queue& on, buffer_view spectra,
                                               buffer_view result_gradient,
                                               buffer_view signal_gradient,
                                               const long_convolution_operands& given,
                                               buffer_view workspace) const {
  own().enqueue_gradient(on, own().signal_gradient, {spectra, result_gradient, signal_gradient},
                         given, workspace);
}

void long_convolution::enqueue_kernel_gradient(queue& on, buffer_view signals,
                                               buffer_view result_gradient,
                                               buffer_view kernel_gradient,
                                               buffer_view skip_gradient,
                                               const long_convolution_operands& given,
                                               buffer_view workspace) const {
  own().enqueue_gradient(on, own().kernel_gradient,
                         {signals, result_gradient, kernel_gradient, skip_gradient}, given,
                         workspace);
}

void long_convolution::enqueue_gradients(queue& on, buffer_view spectra, buffer_view signals,
                                         buffer_view result_gradient, buffer_view signal_gradient,
                                         buffer_view kernel_gradient, buffer_view skip_gradient,
                                         const long_convolution_operands& given,
                                         buffer_view workspace) const {
  own().enqueue_gradient(
      on, own().gradients,
      {spectra, signals, result_gradient, signal_gradient, kernel_gradient, skip_gradient}, given,
      workspace);
  if (!own().gradients.programs.empty()) return;
  enqueue_signal_gradient(on, spectra, result_gradient, signal_gradient, given, workspace);
  enqueue_kernel_gradient(on, signals, result_gradient, kernel_gradient, skip_gradient, given,
                          workspace);
}

}  // namespace wingbeat
