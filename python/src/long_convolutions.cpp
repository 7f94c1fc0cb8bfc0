// SPDX-License-Identifier: Apache-2.0
// Long convolutions and their gradients on described arrays, by a bounded cache of this process.
#include "wingbeat/long_convolution.hpp"

#include "array_library.hpp"  // given_array, described
#include "bindings.hpp"
#include "call_memory.hpp"
#include "kept_by_device.hpp"
#include "wingbeat/buffer.hpp"  // buffer_view

namespace wingbeat::python {
namespace {

auto& kept_long_convolutions = *new kept_by_device<long_convolution_spec, long_convolution>;

/// The arguments of each call: packed signals [batch][channel][i]; packed kernels, or their
/// gradients, [channel][tap]; gates in the signals' layout, or None; lengths, one 32-bit integer
/// per signal of the batch in an array of any type, or None; whether kernels are causal, and
/// signals taken in pairs.
struct long_request {
  long_request(nb::handle given_signals, nb::handle given_kernels, nb::tuple options)
      : operand(given_array::of(given_signals)),
        kernels(described(given_kernels)),
        operands{memory_of(options[0]), memory_of(options[1]), memory_of(options[2])} {
    spec.length = static_cast<std::size_t>(signals.shape[2]);
    spec.kernel = static_cast<std::size_t>(kernels.shape[1]);
    spec.channels = static_cast<std::size_t>(signals.shape[1]);
    spec.batch = static_cast<std::size_t>(signals.shape[0]);
    spec.stored = signals.element.real;
    spec.kernel_stored = kernels.element.real;
    spec.has_gate_before = !options[0].is_none();
    spec.has_gate_after = !options[1].is_none();
    spec.is_ragged = !options[2].is_none();
    if (!nb::cast<bool>(options[3])) spec.aligned = kernel_alignment::centred;
    spec.is_paired = nb::cast<bool>(options[4]);
  }

  given_array operand;
  const array& signals = operand.view;
  array kernels;
  long_convolution_operands operands;
  long_convolution_spec spec;
};

/// Returns the given spectra or, if none are given, those of a request's kernels.
buffer_view spectra_of(const long_request& request, const long_convolution& steps,
                       released_call& call, buffer_view given, buffer_view skips,
                       buffer_view workspace) {
  if (given.handle != nullptr) return given;
  const buffer_view bins = call.memory(steps.spectra_bytes());
  steps.prepare(call.on, request.kernels.view(), bins, skips, workspace);
  return bins;
}

/// Convolves or, with `is_gradient`, computes the gradient of signals from that of results. Uses
/// `spectra` of these kernels if given.
void long_convolve(nb::handle signals, nb::handle kernels, nb::handle skip, nb::tuple options,
                   nb::handle spectra, nb::handle out, bool is_gradient) {
  long_request request{signals, kernels, options};
  request.spec.has_skip = !skip.is_none();
  request.spec.has_gradients = is_gradient;
  const buffer_view result = memory_of(out), skips = memory_of(skip), prepared = memory_of(spectra);
  released_call call{request.operand};
  const auto steps = kept_long_convolutions.get(call.on, request.spec);
  const buffer_view workspace = call.memory(steps->workspace_bytes());
  const buffer_view bins = spectra_of(request, *steps, call, prepared, skips, workspace);
  const buffer_view in = request.signals.view();
  if (is_gradient) {
    steps->enqueue_signal_gradient(call.on, bins, in, result, request.operands, workspace);
  } else {
    steps->enqueue(call.on, bins, in, result, request.operands, workspace);
  }
}

/// Computes the gradients of signals, kernels and skips into `out`; without the first of these,
/// only the others.
void long_convolve_gradients(nb::handle signals, nb::handle kernels, nb::handle skip,
                             nb::handle result_gradient, nb::tuple options, nb::handle spectra,
                             nb::tuple out) {
  long_request request{signals, kernels, options};
  request.spec.has_skip = !out[2].is_none();
  request.spec.has_gradients = true;
  const buffer_view given = memory_of(result_gradient), skips = memory_of(skip),
                    prepared = memory_of(spectra);
  const buffer_view of_signals = memory_of(out[0]), of_kernels = memory_of(out[1]),
                    of_skips = memory_of(out[2]);
  released_call call{request.operand};
  const auto steps = kept_long_convolutions.get(call.on, request.spec);
  const buffer_view workspace = call.memory(steps->workspace_bytes());
  if (of_signals.handle == nullptr) {
    return steps->enqueue_kernel_gradient(call.on, request.signals.view(), given, of_kernels,
                                          of_skips, request.operands, workspace);
  }
  const buffer_view bins = spectra_of(request, *steps, call, prepared, skips, workspace);
  steps->enqueue_gradients(call.on, bins, request.signals.view(), given, of_signals, of_kernels,
                           of_skips, request.operands, workspace);
}

/// Writes the spectra of kernels to an array of any type; for None returns the bytes that they
/// take.
std::size_t prepare_long(nb::handle signals, nb::handle kernels, nb::handle skip, nb::tuple options,
                         nb::handle spectra) {
  long_request request{signals, kernels, options};
  request.spec.has_skip = !skip.is_none();
  const buffer_view skips = memory_of(skip), bins = memory_of(spectra);
  const bool is_asked = spectra.is_none();
  released_call call{request.operand};
  const auto steps = kept_long_convolutions.get(call.on, request.spec);
  if (is_asked) return steps->spectra_bytes();
  steps->prepare(call.on, request.kernels.view(), bins, skips,
                 call.memory(steps->workspace_bytes()));
  return steps->spectra_bytes();
}

}  // namespace

void bind_long_convolutions(nb::module_& module) {
  using nb::literals::operator""_a;
  module.def("long_convolve", &long_convolve, "signals"_a, "kernels"_a, "skip"_a.none(),
             "options"_a, "spectra"_a.none(), "out"_a, "is_gradient"_a,
             "Convolves signals [batch][channel][i] with kernels [channel][tap], all packed; with "
             "is_gradient, signals are gradients of results, and out of signals. options: (gate "
             "before, gate after, lengths, is causal, is paired), the first three or None.");
  module.def("long_convolve_gradients", &long_convolve_gradients, "signals"_a, "kernels"_a,
             "skip"_a.none(), "result_gradient"_a, "options"_a, "spectra"_a.none(), "out"_a,
             "Writes the gradients of signals, or None, and of kernels and skips, which are out.");
  module.def("prepare_long", &prepare_long, "signals"_a, "kernels"_a, "skip"_a.none(), "options"_a,
             "spectra"_a.none(),
             "Writes the spectra of kernels, and returns their bytes; of None alone that.");
}

}  // namespace wingbeat::python
