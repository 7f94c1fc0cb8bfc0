// SPDX-License-Identifier: Apache-2.0
#include "convolving/long_program.hpp"

#include <complex>
#include <utility>  // move
#include <vector>

#include "arrays/array.hpp"                              // bytes_of_real
#include "convolving/program_builder.hpp"                // program_builder
#include "functors/device_functor.hpp"                   // device_functor
#include "functors/stored_number.hpp"                    // with_stored
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

functors::channel_taps_numbers taps_of(const long_convolution_spec& spec, const long_geometry& row,
                                       const std::optional<right_angle>& turned) {
  return {row.taps, row.origin, spec.has_skip, turned ? turned->length : 0};
}

functors::signal_pair_numbers rows_of(const long_convolution_spec& spec, bool is_gated,
                                      const std::optional<right_angle>& turned = {},
                                      std::size_t origin = 0) {
  return {.length = spec.length,
          .channels = spec.channels,
          .batch = spec.batch,
          .is_gated = is_gated,
          .is_ragged = spec.is_ragged,
          .are_alone = turned || !spec.is_paired,
          .right_angle = turned ? turned->length : 0,
          .origin = turned ? origin : 0};
}

std::size_t turns_of(const std::optional<right_angle>& turned) {
  return turned ? turned->turns : 0;
}

/// Divides by the number of points of all turns.
void scale(plan_spec& rows, const std::optional<right_angle>& turned) {
  rows.scale = scaling::by_length;
  if (turned) rows.factor = 1 / static_cast<double>(turned->turns);
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
  if (row.outer > 0) {  // in fp16, then a scale for each channel, in whole quads
    return spec.channels * row.row() * 4 + (spec.channels + 3) / 4 * 16;
  }
  return spec.channels * row.row() * 2 * bytes_of_real(computed(spec));
}

plan_spec long_programs::rows(const std::optional<right_angle>& turned,
                              std::vector<std::size_t> batch) const {
  return {.lengths = {turned ? turned->points() : row_.padded},
          .batch = batch_shape{std::move(batch)},
          .kind = transform::forward,
          .real = computed(spec_)};
}

fused_load long_programs::signal_load(const functors::signal_pair_numbers& numbers) const {
  fused_load load = load_of<functors::signal_load>(spec_.stored, numbers);
  load.in_bytes = signal_bytes(spec_);
  load.moved_bytes = load.in_bytes * (numbers.is_gated ? 2 : 1);
  return load;
}

fused_store long_programs::signal_store(const functors::signal_pair_numbers& numbers) const {
  fused_store store = store_of<functors::signal_store>(spec_.stored, numbers);
  store.out_bytes = signal_bytes(spec_);
  store.moved_bytes = store.out_bytes * (numbers.is_gated ? 2 : 1);
  return store;
}

plan_spec long_programs::kernel_rows(const std::optional<right_angle>& turned) const {
  plan_spec kernels = rows(turned, {spec_.channels});
  kernels.load = load_of<functors::tap_load>(kernels_stored(spec_), taps_of(spec_, row_, turned));
  kernels.load.in_bytes = kernel_bytes(spec_, row_);
  kernels.load.moved_bytes = kernels.load.in_bytes + skip_bytes(spec_);
  return kernels;
}

programs::program long_programs::prepare() const {
  if (row_.outer > 0) return prepare_tensor();
  program_builder steps{on_, engine_, computed(spec_), pairing::pairwise};
  plan_spec kernels = kernel_rows(row_.turned);
  scale(kernels, row_.turned);  // here once, not in each result
  if (!row_.turned) kernels.valid_in = {{0, row_.taps}};
  kernels.out = {.strides = {1}, .distances = {row_.row()}};
  const array_ends ends{place::input, place::filter};
  const backend::spectra_of_rows request{kernels, turns_of(row_.turned), row_.is_four_step};
  if (!steps.add_spectra(request, ends)) steps.add(kernels, ends);
  return steps.take();
}

backend::convolution_of_rows long_programs::convolution(index_range in, index_range out,
                                                        bool is_load_gated, bool is_store_gated,
                                                        product times) const {
  const auto load = rows_of(spec_, is_load_gated, row_.turned, in.first);
  const auto store = rows_of(spec_, is_store_gated, row_.turned, out.first);
  backend::convolution_of_rows request{
      rows(row_.turned, {spec_.channels, 1, load.pairs()}),
      {.stored = computed(spec_), .distances = {row_.row(), 0, 0}, .times = times},
      true,
      turns_of(row_.turned),
      row_.is_four_step};
  request.rows.load = signal_load(load);
  request.rows.store = signal_store(store);
  if (!row_.turned) {
    request.rows.valid_in = {in};
    request.rows.valid_out = {out};
  }
  return request;
}

programs::program long_programs::convolved(const backend::convolution_of_rows& request) const {
  program_builder steps{on_, engine_, computed(spec_), pairing::pairwise};
  if (!steps.add_in_one(request, {})) steps.add_in_two(request, {.has_one_column = true}, {});
  return steps.take();
}

programs::program long_programs::run() const {
  if (row_.outer > 0) return run_tensor(false);
  return convolved(convolution(row_.signals, row_.results, spec_.has_gate_before,
                               spec_.has_gate_after, product::plain));
}

backend::convolution_of_rows long_programs::signal_correlation() const {
  return convolution(row_.results, row_.signals, spec_.has_gate_after, spec_.has_gate_before,
                     product::conjugate_spectrum);
}

programs::program long_programs::signal_gradient() const {
  if (row_.outer > 0) return run_tensor(true);
  return convolved(signal_correlation());
}

plan_spec long_programs::kernels_of_spectra(const std::optional<right_angle>& turned) const {
  plan_spec back = rows(turned, {spec_.channels});
  scale(back, turned);
  back.store = store_of<functors::tap_store>(kernels_stored(spec_), taps_of(spec_, row_, turned));
  back.store.out_bytes = kernel_bytes(spec_, row_);
  back.store.moved_bytes = back.store.out_bytes + skip_bytes(spec_);
  if (!turned) back.valid_out = {{0, row_.taps}};
  return back;
}

/// Returns the correlations of signals with the gradients of their results.
backend::correlation_of_rows long_programs::correlations(
    const std::optional<right_angle>& turned) const {
  plan_spec rows = kernels_of_spectra(turned);
  const functors::correlated_numbers numbers{rows_of(spec_, spec_.has_gate_before, turned),
                                             row_.origin, spec_.has_gate_after};
  rows.load = load_of<functors::correlated_load>(spec_.stored, numbers);
  rows.load.in_bytes = signal_bytes(spec_);
  rows.load.moved_bytes = (2 + n_gates()) * signal_bytes(spec_);
  if (!turned) rows.valid_in = {{0, row_.results.end}};
  return {rows, numbers.signals.pairs(), turns_of(turned)};
}

std::size_t long_programs::n_gates() const {
  return (spec_.has_gate_before ? 1 : 0) + (spec_.has_gate_after ? 1 : 0);
}

/// Adds the launch that makes the gradient of kernels in one crossing, if a workgroup takes whole
/// rows; otherwise, if `request` is cut, the three launches of rows that are cut.
bool long_programs::add_correlations(program_builder& steps,
                                     const backend::correlation_of_rows& request) const {
  array_ends ends;
  ends.load.emplace_back(place::filter);
  for (std::size_t i = 0; i < n_gates() + (spec_.is_ragged ? 1 : 0); ++i) {
    ends.load.emplace_back(programs::run_operand{i});
  }
  return steps.add_correlations(request, ends);
}

/// Adds correlations of pairs of signals or, if those rows are too long, of rows by right angles.
/// Each turn reads all signals, so beyond two turns, three launches move fewer bytes. PoCL (3.1)
/// takes minutes to compile rows by right angles.
bool long_programs::add_correlations(program_builder& steps) const {
  if (add_correlations(steps, correlations(std::nullopt))) return true;
  if (!on_->device().is_gpu) return false;
  const std::size_t max_turns = bytes_of_real(kernels_stored(spec_)) < 4 ? 1 : 2;
  for (right_angle turned = row_.least_right_angle();
       turned.turns <= max_turns && turned.points() > 1; turned = turned.halved()) {
    if (add_correlations(steps, correlations(turned))) return true;
  }
  return false;
}

std::optional<programs::program> long_programs::gradients() const {
  if (!row_.is_four_step || row_.outer > 0) return std::nullopt;
  backend::correlation_of_rows request = correlations(std::nullopt);
  request.is_four_step = true;
  request.convolution = signal_correlation();
  array_ends ends;
  const std::size_t n_lengths = spec_.is_ragged ? 1 : 0, n_skips = spec_.has_skip ? 1 : 0;
  for (std::size_t i = 0; i < 1 + n_gates() + n_lengths; ++i) {
    ends.load.emplace_back(programs::run_operand{i});
  }
  for (std::size_t i = 0; i < (spec_.has_gate_before ? 1 : 0) + n_lengths; ++i) {
    ends.store.emplace_back(programs::run_operand{n_skips + i});
  }
  program_builder steps{on_, engine_, computed(spec_), pairing::pairwise};
  if (!steps.add_correlations(request, ends)) return std::nullopt;
  return steps.take();
}

programs::program long_programs::kernel_gradient() const {
  program_builder steps{on_, engine_, computed(spec_), pairing::pairwise};
  // One workgroup takes the whole batch of a channel. Even if workgroups fill only a quarter of the
  // device, this is as fast as transforms of all signals, which move four times the bytes.
  const bool is_wide = 4 * spec_.channels >= on_->device().compute_units;
  if (is_wide && add_correlations(steps)) return steps.take();
  backend::correlation_of_rows cut = correlations(std::nullopt);
  cut.is_four_step = true;
  if (add_correlations(steps, cut)) return steps.take();
  std::size_t next = 0;
  const auto transformed = [&](index_range range, bool is_gated, place from, place to) {
    plan_spec forward = rows(std::nullopt, {spec_.channels, pairs()});
    forward.load = signal_load(rows_of(spec_, is_gated));
    forward.valid_in = {range};
    array_ends ends{from, to};
    if (is_gated) ends.load.emplace_back(programs::run_operand{next++});
    if (spec_.is_ragged) ends.load.emplace_back(programs::run_operand{n_gates()});
    steps.add(forward, ends);
  };
  const place x = steps.workspace_beside(place::input, spectra());
  const place y = steps.workspace_beside(x, spectra());
  transformed(row_.signals, spec_.has_gate_before, place::input, x);
  transformed(row_.results, spec_.has_gate_after, place::filter, y);
  plan_spec back = kernels_of_spectra(std::nullopt);
  back.kind = transform::inverse;
  back.load = sum_of({pairs(), row_.padded}, computed(spec_));
  back.load.in_bytes = spectra() * 2 * bytes_of_real(computed(spec_));
  back.load.moved_bytes = 2 * back.load.in_bytes;
  steps.add(back, {x, place::output, 0, 0, {y}});
  return steps.take();
}

}  // namespace wingbeat::convolving
