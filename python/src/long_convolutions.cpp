// SPDX-License-Identifier: Apache-2.0
// Long convolutions and their gradients, of described arrays, by a bounded cache of the process.
#include "wingbeat/long_convolution.hpp"

#include <cstdint>  // uintptr_t
#include <memory>   // shared_ptr

#include "array.hpp"
#include "bindings.hpp"
#include "call_memory.hpp"
#include "latest_used.hpp"
#include "numpy_array.hpp"      // described
#include "wingbeat/buffer.hpp"  // buffer_view

namespace wingbeat::python {
namespace {

/// What tells one kept convolution from another.
struct long_convolution_key {
  engine runs_on;
  int device_index;
  std::size_t length, kernel, channels, batch;
  precision stored, kernel_stored;
  bool is_centred, is_paired, has_gate_before, has_gate_after, has_skip, is_ragged, has_gradients;

  friend bool operator==(const long_convolution_key&, const long_convolution_key&) = default;
};

std::shared_ptr<const long_convolution> long_convolution_of(const queue& on,
                                                            const long_convolution_key& key) {
  // Never destroyed: drivers may be gone when static objects are.
  static auto& kept = *new latest_used<long_convolution_key, long_convolution>{32};
  return kept.get(key, [&] {
    return std::make_shared<const long_convolution>(
        on, long_convolution_spec{
                .length = key.length,
                .kernel = key.kernel,
                .channels = key.channels,
                .batch = key.batch,
                .aligned = key.is_centred ? kernel_alignment::centred : kernel_alignment::causal,
                .stored = key.stored,
                .kernel_stored = key.kernel_stored,
                .has_gate_before = key.has_gate_before,
                .has_gate_after = key.has_gate_after,
                .has_skip = key.has_skip,
                .is_ragged = key.is_ragged,
                .has_gradients = key.has_gradients,
                .is_paired = key.is_paired});
  });
}

buffer_view view_of(nb::handle given) {
  return given.is_none() ? buffer_view{} : described(given).view();
}

/// What each call is given: signals [batch][channel][i], kernels or their gradients [channel][tap],
/// packed; None or gates as signals are; None or lengths, 32 bits of each of the batch in an array
/// of whatever type; whether kernels are causal, and signals in pairs.
struct long_request {
  long_request(nb::handle given_signals, nb::handle given_kernels, nb::tuple options)
      : signals(described(given_signals)),
        kernels(described(given_kernels)),
        operands{view_of(options[0]), view_of(options[1]), view_of(options[2])},
        key{signals.runs_on,
            signals.device_index,
            static_cast<std::size_t>(signals.shape[2]),
            static_cast<std::size_t>(kernels.shape[1]),
            static_cast<std::size_t>(signals.shape[1]),
            static_cast<std::size_t>(signals.shape[0]),
            signals.element.real,
            kernels.element.real,
            !nb::cast<bool>(options[3]),
            nb::cast<bool>(options[4]),
            !options[0].is_none(),
            !options[1].is_none(),
            false,
            !options[2].is_none(),
            false} {}

  array signals, kernels;
  long_convolution_operands operands;
  long_convolution_key key;
};

/// Returns the spectra that were given, or if none were, those of a request's kernels.
buffer_view spectra_of(const long_request& request, const long_convolution& steps,
                       released_call& call, buffer_view given, buffer_view skips,
                       buffer_view workspace) {
  if (given.handle != nullptr) return given;
  const buffer_view bins = call.memory.get(steps.spectra_bytes());
  steps.prepare(call.on, request.kernels.view(), bins, skips, workspace);
  return bins;
}

/// Convolves, or with `is_gradient` computes the gradient of signals from that of results; with
/// `spectra` of these kernels, or else makes them.
void long_convolve(nb::handle signals, nb::handle kernels, nb::handle skip, nb::tuple options,
                   nb::handle spectra, nb::handle out, bool is_gradient, std::uintptr_t stream,
                   nb::handle allocate) {
  long_request request{signals, kernels, options};
  request.key.has_skip = !skip.is_none();
  request.key.has_gradients = is_gradient;
  const buffer_view result = view_of(out), skips = view_of(skip), prepared = view_of(spectra);
  released_call call{request.key.runs_on, request.key.device_index, stream, allocate};
  const auto steps = long_convolution_of(call.on, request.key);
  const buffer_view workspace = call.memory.get(steps->workspace_bytes());
  const buffer_view bins = spectra_of(request, *steps, call, prepared, skips, workspace);
  const buffer_view in = request.signals.view();
  if (is_gradient) {
    steps->enqueue_signal_gradient(call.on, bins, in, result, request.operands, workspace);
  } else {
    steps->enqueue(call.on, bins, in, result, request.operands, workspace);
  }
}

/// Computes the gradients of kernels, and of skips where there are any.
void long_convolve_kernel_gradient(nb::handle signals, nb::handle result_gradient,
                                   nb::tuple options, nb::handle kernel_gradient,
                                   nb::handle skip_gradient, std::uintptr_t stream,
                                   nb::handle allocate) {
  long_request request{signals, kernel_gradient, options};
  request.key.has_skip = !skip_gradient.is_none();
  request.key.has_gradients = true;
  const buffer_view given = view_of(result_gradient), skips = view_of(skip_gradient);
  released_call call{request.key.runs_on, request.key.device_index, stream, allocate};
  const auto steps = long_convolution_of(call.on, request.key);
  steps->enqueue_kernel_gradient(call.on, request.signals.view(), given, request.kernels.view(),
                                 skips, request.operands,
                                 call.memory.get(steps->workspace_bytes()));
}

/// Computes the gradients of signals, and of kernels and skips, which are `out`, at once.
void long_convolve_gradients(nb::handle signals, nb::handle kernels, nb::handle skip,
                             nb::handle result_gradient, nb::tuple options, nb::handle spectra,
                             nb::tuple out, std::uintptr_t stream, nb::handle allocate) {
  long_request request{signals, kernels, options};
  request.key.has_skip = !skip.is_none();
  request.key.has_gradients = true;
  const buffer_view given = view_of(result_gradient), skips = view_of(skip),
                    prepared = view_of(spectra);
  const buffer_view of_signals = view_of(out[0]), of_kernels = view_of(out[1]),
                    of_skips = view_of(out[2]);
  released_call call{request.key.runs_on, request.key.device_index, stream, allocate};
  const auto steps = long_convolution_of(call.on, request.key);
  const buffer_view workspace = call.memory.get(steps->workspace_bytes());
  const buffer_view bins = spectra_of(request, *steps, call, prepared, skips, workspace);
  steps->enqueue_gradients(call.on, bins, request.signals.view(), given, of_signals, of_kernels,
                           of_skips, request.operands, workspace);
}

/// Writes the spectra of kernels to an array of any type, or returns its bytes where it is None.
std::size_t prepare_long(nb::handle signals, nb::handle kernels, nb::handle skip, nb::tuple options,
                         nb::handle spectra, std::uintptr_t stream, nb::handle allocate) {
  long_request request{signals, kernels, options};
  request.key.has_skip = !skip.is_none();
  const buffer_view skips = view_of(skip), bins = view_of(spectra);
  const bool is_asked = spectra.is_none();
  released_call call{request.key.runs_on, request.key.device_index, stream, allocate};
  const auto steps = long_convolution_of(call.on, request.key);
  if (is_asked) return steps->spectra_bytes();
  steps->prepare(call.on, request.kernels.view(), bins, skips,
                 call.memory.get(steps->workspace_bytes()));
  return steps->spectra_bytes();
}

}  // namespace

void bind_long_convolutions(nb::module_& module) {
  using nb::literals::operator""_a;
  module.def("long_convolve", &long_convolve, "signals"_a, "kernels"_a, "skip"_a.none(),
             "options"_a, "spectra"_a.none(), "out"_a, "is_gradient"_a, "stream"_a = 0,
             "allocate"_a = nb::none(),
             "Convolves signals [batch][channel][i] with kernels [channel][tap], all packed; with "
             "is_gradient, signals are gradients of results, and out of signals. options: (gate "
             "before, gate after, lengths, is causal, is paired), the first three or None.");
  module.def("long_convolve_kernel_gradient", &long_convolve_kernel_gradient, "signals"_a,
             "result_gradient"_a, "options"_a, "kernel_gradient"_a, "skip_gradient"_a.none(),
             "stream"_a = 0, "allocate"_a = nb::none(),
             "Writes the gradients of kernels and skips from those of results.");
  module.def("long_convolve_gradients", &long_convolve_gradients, "signals"_a, "kernels"_a,
             "skip"_a.none(), "result_gradient"_a, "options"_a, "spectra"_a.none(), "out"_a,
             "stream"_a = 0, "allocate"_a = nb::none(),
             "Writes the gradients of signals, and of kernels and skips, which are out.");
  module.def("prepare_long", &prepare_long, "signals"_a, "kernels"_a, "skip"_a.none(), "options"_a,
             "spectra"_a.none(), "stream"_a = 0, "allocate"_a = nb::none(),
             "Writes the spectra of kernels, and returns their bytes; of None alone that.");
}

}  // namespace wingbeat::python
