// SPDX-License-Identifier: Apache-2.0
// Long convolutions and their gradients, of described arrays, by a bounded cache of the process.
#include "wingbeat/long_convolution.hpp"

#include <cstdint>  // uintptr_t
#include <memory>   // shared_ptr
#include <vector>

#include "array.hpp"
#include "bindings.hpp"
#include "call_memory.hpp"
#include "latest_used.hpp"
#include "numpy_array.hpp"      // described
#include "queues.hpp"           // queue_of
#include "wingbeat/buffer.hpp"  // buffer_view

namespace wingbeat::python {
namespace {

/// What tells one kept convolution from another.
struct long_convolution_key {
  engine runs_on;
  int device_index;
  std::size_t length, kernel, channels, batch;
  precision stored, kernel_stored;
  bool has_gate, has_skip, has_gradients;

  friend bool operator==(const long_convolution_key&, const long_convolution_key&) = default;
};

std::shared_ptr<const long_convolution> long_convolution_of(const queue& on,
                                                            const long_convolution_key& key) {
  // Never destroyed: drivers may be gone when static objects are.
  static auto& kept = *new latest_used<long_convolution_key, long_convolution>{32};
  return kept.get(key, [&] {
    return std::make_shared<const long_convolution>(
        on, long_convolution_spec{.length = key.length,
                                  .kernel = key.kernel,
                                  .channels = key.channels,
                                  .batch = key.batch,
                                  .stored = key.stored,
                                  .kernel_stored = key.kernel_stored,
                                  .has_gate_after = key.has_gate,
                                  .has_skip = key.has_skip,
                                  .has_gradients = key.has_gradients});
  });
}

/// Signals are [batch][channel][i], kernels [channel][tap], all packed.
long_convolution_key key_of(const array& signals, const array& kernels, bool has_gate,
                            bool has_skip, bool has_gradients) {
  return {signals.runs_on,
          signals.device_index,
          static_cast<std::size_t>(signals.shape[2]),
          static_cast<std::size_t>(kernels.shape[1]),
          static_cast<std::size_t>(signals.shape[1]),
          static_cast<std::size_t>(signals.shape[0]),
          signals.element.real,
          kernels.element.real,
          has_gate,
          has_skip,
          has_gradients};
}

buffer_view view_of(nb::handle given) {
  return given.is_none() ? buffer_view{} : described(given).view();
}

/// Convolves, or with `is_gradient` computes the gradient of signals from that of results.
void long_convolve(nb::handle signals, nb::handle kernels, nb::handle skip, nb::handle gate,
                   nb::handle out, bool is_gradient, std::uintptr_t stream, nb::handle allocate) {
  const array in = described(signals), taps = described(kernels);
  const auto key = key_of(in, taps, !gate.is_none(), !skip.is_none(), is_gradient);
  const buffer_view result = view_of(out), skips = view_of(skip);
  const long_convolution_operands operands{.gate_after = view_of(gate)};
  std::vector<nb::object> owners;
  const nb::gil_scoped_release released;
  queue on = queue_of(in.runs_on, in.device_index, stream);
  call_memory memory{on, allocate, owners};
  const auto steps = long_convolution_of(on, key);
  const buffer_view spectra = memory.get(steps->spectra_bytes());
  const buffer_view workspace = memory.get(steps->workspace_bytes());
  steps->prepare(on, taps.view(), spectra, skips, workspace);
  if (is_gradient) {
    steps->enqueue_signal_gradient(on, spectra, in.view(), result, operands, workspace);
  } else {
    steps->enqueue(on, spectra, in.view(), result, operands, workspace);
  }
}

/// Computes the gradients of kernels, and of skips where there are any.
void long_convolve_kernel_gradient(nb::handle signals, nb::handle result_gradient, nb::handle gate,
                                   nb::handle kernel_gradient, nb::handle skip_gradient,
                                   std::uintptr_t stream, nb::handle allocate) {
  const array in = described(signals), taps = described(kernel_gradient);
  const auto key = key_of(in, taps, !gate.is_none(), !skip_gradient.is_none(), true);
  const buffer_view given = view_of(result_gradient), skips = view_of(skip_gradient);
  const long_convolution_operands operands{.gate_after = view_of(gate)};
  std::vector<nb::object> owners;
  const nb::gil_scoped_release released;
  queue on = queue_of(in.runs_on, in.device_index, stream);
  call_memory memory{on, allocate, owners};
  const auto steps = long_convolution_of(on, key);
  steps->enqueue_kernel_gradient(on, in.view(), given, taps.view(), skips, operands,
                                 memory.get(steps->workspace_bytes()));
}

}  // namespace

void bind_long_convolutions(nb::module_& module) {
  using nb::literals::operator""_a;
  module.def("long_convolve", &long_convolve, "signals"_a, "kernels"_a, "skip"_a.none(),
             "gate"_a.none(), "out"_a, "is_gradient"_a, "stream"_a = 0, "allocate"_a = nb::none(),
             "Convolves signals [batch][channel][i] causally with kernels [channel][tap], all "
             "packed; with is_gradient, signals are gradients of results, and out of signals.");
  module.def("long_convolve_kernel_gradient", &long_convolve_kernel_gradient, "signals"_a,
             "result_gradient"_a, "gate"_a.none(), "kernel_gradient"_a, "skip_gradient"_a.none(),
             "stream"_a = 0, "allocate"_a = nb::none(),
             "Writes the gradients of kernels and skips from those of results.");
}

}  // namespace wingbeat::python
