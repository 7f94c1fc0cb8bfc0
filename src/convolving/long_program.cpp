// SPDX-License-Identifier: Apache-2.0
#include "convolving/long_program.hpp"

#include <complex>
#include <utility>  // move
#include <vector>

#include "arrays/array.hpp"                              // bytes_of_real
#include "convolving/program_builder.hpp"                // program_builder
#include "device_functor.hpp"                            // device_functor
#include "stored_number.hpp"                             // with_stored
#include "wingbeat/device/functors/correlated_load.hpp"  // correlated_load
#include "wingbeat/device/functors/correlation_sum.hpp"  // correlation_sum
#include "wingbeat/device/functors/signal_load.hpp"      // signal_load
#include "wingbeat/device/functors/signal_store.hpp"     // signal_store
#include "wingbeat/device/functors/tap_load.hpp"         // tap_load
#include "wingbeat/device/functors/tap_store.hpp"        // tap_store

namespace wingbeat::convolving {
namespace {

namespace functors = device::functors;

/// Returns work(stored, computed), a value of each type.
template <class Work>
auto with_types(precision stored, const Work& work) {
  if (stored == precision::fp64) return work(double{}, double{});
  return with_stored<float>(stored, [&](auto number) { return work(number, float{}); });
}

template <template <class, class> class Functor>
fused_load load_of(precision stored, const typename Functor<float, float>::numbers& numbers) {
  return with_types(stored, [&](auto number, auto real) {
    return device_functor<Functor<decltype(number), decltype(real)>>{numbers}.load();
  });
}

template <template <class, class> class Functor>
fused_store store_of(precision stored, const typename Functor<float, float>::numbers& numbers) {
  return with_types(stored, [&](auto number, auto real) {
    using value = std::complex<decltype(real)>;
    return device_functor<Functor<decltype(number), decltype(real)>>{numbers}
        .template store<value>();
  });
}

functors::channel_taps_numbers taps_of(const long_convolution_spec& spec,
                                       const long_geometry& row) {
  return {row.taps, row.origin, spec.has_skip};
}

functors::signal_pair_numbers pairs_of(const long_convolution_spec& spec, bool is_gated) {
  return {spec.length, spec.channels, spec.batch, is_gated, spec.is_ragged, !spec.is_paired};
}

fused_load sum_of(const functors::correlation_sum_numbers& numbers, precision real) {
  if (real == precision::fp64) {
    return device_functor<functors::correlation_sum<double>>{numbers}.load();
  }
  return device_functor<functors::correlation_sum<float>>{numbers}.load();
}

}  // namespace

std::size_t signal_bytes(const long_convolution_spec& spec) {
  return spec.batch * spec.channels * spec.length * bytes_of_real(spec.stored);
}
std::size_t kernel_bytes(const long_convolution_spec& spec, const long_geometry& row) {
  return spec.channels * row.taps * bytes_of_real(kernels_stored(spec));
}
std::size_t skip_bytes(const long_convolution_spec& spec) {
  return spec.has_skip ? spec.channels * bytes_of_real(kernels_stored(spec)) : 0;
}
std::size_t spectra_bytes(const long_convolution_spec& spec, const long_geometry& row) {
  return spec.channels * row.padded * 2 * bytes_of_real(computed(spec));
}

plan_spec long_programs::rows(std::vector<std::size_t> batch) const {
  return {.lengths = {row_.padded},
          .batch = batch_shape{std::move(batch)},
          .kind = transform::forward,
          .real = computed(spec_)};
}

fused_load long_programs::signal_load(bool is_gated) const {
  fused_load load = load_of<functors::signal_load>(spec_.stored, pairs_of(spec_, is_gated));
  load.in_bytes = signal_bytes(spec_);
  load.moved_bytes = load.in_bytes * (is_gated ? 2 : 1);
  return load;
}

fused_store long_programs::signal_store(bool is_gated) const {
  fused_store store = store_of<functors::signal_store>(spec_.stored, pairs_of(spec_, is_gated));
  store.out_bytes = signal_bytes(spec_);
  store.moved_bytes = store.out_bytes * (is_gated ? 2 : 1);
  return store;
}

programs::program long_programs::prepare() const {
  program_builder steps{on_, engine_, computed(spec_), pairing::pairwise};
  plan_spec kernels = rows({spec_.channels});
  kernels.load = load_of<functors::tap_load>(kernels_stored(spec_), taps_of(spec_, row_));
  kernels.load.in_bytes = kernel_bytes(spec_, row_);
  kernels.load.moved_bytes = kernels.load.in_bytes + skip_bytes(spec_);
  kernels.valid_in = {{0, row_.taps}};
  kernels.scale = scaling::by_length;  // here once, and not of each result
  kernels.out = {.strides = {1}, .distances = {row_.padded}};
  const array_ends ends{place::input, place::filter};
  if (!steps.add_spectra({kernels}, ends)) steps.add(kernels, ends);
  return steps.take();
}

programs::program long_programs::convolved(index_range in, index_range out, const fused_load& load,
                                           const fused_store& store, product times) const {
  program_builder steps{on_, engine_, computed(spec_), pairing::pairwise};
  backend::convolution_of_rows request{
      rows({spec_.channels, 1, pairs()}),
      {.stored = computed(spec_), .distances = {row_.padded, 0, 0}, .times = times},
      true};
  request.rows.load = load;
  request.rows.store = store;
  request.rows.valid_in = {in};
  request.rows.valid_out = {out};
  if (!steps.add_in_one(request, {})) steps.add_in_two(request, {.has_one_column = true}, {});
  return steps.take();
}

programs::program long_programs::run() const {
  return convolved(row_.signals, row_.results, signal_load(spec_.has_gate_before),
                   signal_store(spec_.has_gate_after), product::plain);
}

programs::program long_programs::signal_gradient() const {
  return convolved(row_.results, row_.signals, signal_load(spec_.has_gate_after),
                   signal_store(spec_.has_gate_before), product::conjugate_spectrum);
}

plan_spec long_programs::kernels_of_spectra() const {
  plan_spec back = rows({spec_.channels});
  back.scale = scaling::by_length;
  back.store = store_of<functors::tap_store>(kernels_stored(spec_), taps_of(spec_, row_));
  back.store.out_bytes = kernel_bytes(spec_, row_);
  back.store.moved_bytes = back.store.out_bytes + skip_bytes(spec_);
  back.valid_out = {{0, row_.taps}};
  return back;
}

/// Adds the launch that makes the gradient of kernels in one crossing, if there are channels enough
/// for it, because a workgroup makes all of a channel's batch. A quarter of the device is as quick
/// as transforms of all, which move four times the bytes.
bool long_programs::add_correlations(program_builder& steps) const {
  if (4 * spec_.channels < on_->device().compute_units) return false;
  plan_spec correlated = kernels_of_spectra();
  const functors::correlated_numbers numbers{pairs_of(spec_, spec_.has_gate_before), row_.origin,
                                             spec_.has_gate_after};
  correlated.load = load_of<functors::correlated_load>(spec_.stored, numbers);
  correlated.load.in_bytes = signal_bytes(spec_);
  const std::size_t n_gates = (spec_.has_gate_before ? 1 : 0) + (spec_.has_gate_after ? 1 : 0);
  correlated.load.moved_bytes = (2 + n_gates) * signal_bytes(spec_);
  correlated.valid_in = {{0, row_.results.end}};
  array_ends ends;
  ends.load.emplace_back(place::filter);
  for (std::size_t i = 0; i < n_gates + (spec_.is_ragged ? 1 : 0); ++i) {
    ends.load.emplace_back(programs::run_operand{i});
  }
  return steps.add_correlations({correlated, pairs()}, ends);
}

programs::program long_programs::kernel_gradient() const {
  program_builder steps{on_, engine_, computed(spec_), pairing::pairwise};
  if (add_correlations(steps)) return steps.take();
  std::size_t next = 0;
  const std::size_t n_gates = (spec_.has_gate_before ? 1 : 0) + (spec_.has_gate_after ? 1 : 0);
  const auto transformed = [&](index_range range, bool is_gated, place from, place to) {
    plan_spec forward = rows({spec_.channels, pairs()});
    forward.load = signal_load(is_gated);
    forward.valid_in = {range};
    array_ends ends{from, to};
    if (is_gated) ends.load.emplace_back(programs::run_operand{next++});
    if (spec_.is_ragged) ends.load.emplace_back(programs::run_operand{n_gates});
    steps.add(forward, ends);
  };
  const place x = steps.workspace_beside(place::input, spectra());
  const place y = steps.workspace_beside(x, spectra());
  transformed(row_.signals, spec_.has_gate_before, place::input, x);
  transformed(row_.results, spec_.has_gate_after, place::filter, y);
  plan_spec back = kernels_of_spectra();
  back.kind = transform::inverse;
  back.load = sum_of({pairs(), row_.padded}, computed(spec_));
  back.load.in_bytes = spectra() * 2 * bytes_of_real(computed(spec_));
  back.load.moved_bytes = 2 * back.load.in_bytes;
  steps.add(back, {x, place::output, 0, 0, {y}});
  return steps.take();
}

}  // namespace wingbeat::convolving
