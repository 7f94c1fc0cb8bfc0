// SPDX-License-Identifier: Apache-2.0
#include "convolving/projector.hpp"

#include <algorithm>  // max, min
#include <bit>        // bit_floor
#include <cmath>      // abs, ilogb
#include <complex>
#include <string>
#include <utility>  // move
#include <vector>

#include "backend/backend.hpp"                             // queue
#include "convolving/group_of_one.hpp"                     // group_of_one, pointer_of
#include "functors/device_functor.hpp"                     // device_functor
#include "kernel_text/kernel_body.hpp"                     // kernel_of, member_call
#include "text/formatted.hpp"                              // formatted
#include "tuning/compiled_engines.hpp"                     // compiles_kernels
#include "wingbeat/device/functors/filtered_slice.hpp"     // filtered_slice
#include "wingbeat/device/functors/projections.hpp"        // projections
#include "wingbeat/device/functors/scaled_projection.hpp"  // scaled_projection
#include "wingbeat/roots.hpp"                              // root

namespace wingbeat::convolving {
namespace {

constexpr std::size_t threads_of_slices = 256, threads_of_scales = 1024;

using device::half_float;
using device::functors::projection_scale;
using device::functors::projections;

template <class Number>
using complex_of = device::complex<Number>;

std::size_t filter_bytes(const orientation_spec& spec) {
  return (spec.has_complex_filters ? 2 : 1) * sizeof(float);
}

/// Returns the inverse transform of slices times filters, with the store that normalises.
plan_spec inverse_of(const orientation_spec& spec, std::size_t count) {
  const std::size_t n = spec.box, bins = n * (n / 2 + 1), rows = count * spec.filters;
  const device::functors::filtered_slice_numbers slices{.filters = spec.filters, .bins = bins};
  fused_load load =
      spec.has_complex_filters
          ? device_functor<device::functors::filtered_slice<complex_of<float>>>{slices}.load()
          : device_functor<device::functors::filtered_slice<float>>{slices}.load();
  load.in_bytes = count * bins * sizeof(complex_of<float>);
  load.moved_bytes = load.in_bytes + spec.filters * bins * filter_bytes(spec);
  fused_store store =
      device_functor<device::functors::scaled_projection>{{.values = n * n}}.store<float>();
  store.out_bytes = rows * n * n * sizeof(float);
  return {.lengths = {n, n},
          .batch = rows,
          .kind = transform::inverse_to_real,
          .scale = scaling::by_length,
          .load = std::move(load),
          .store = std::move(store)};
}

/// Returns the transform of ones at 1 .. n - 2 and zeros at 0 and n - 1.
std::vector<std::complex<float>> inner_spectrum(std::size_t n) {
  std::vector<std::complex<float>> bins;
  for (std::size_t k = 0; k < n; ++k) {
    const std::complex<double> inside = -1.0 - std::complex<double>{std::conj(root(k, n))};
    bins.emplace_back(k == 0 ? static_cast<double>(n) - 2 : inside);
  }
  return bins;
}

}  // namespace

projector::projector(const queue& on, const orientation_spec& spec, std::size_t count)
    : n_(spec.box),
      n_filters_(spec.filters),
      height_(spec.image[0]),
      width_(spec.image[1]),
      is_half_(spec.volume == precision::fp16),
      has_complex_filters_(spec.has_complex_filters),
      inverse_(on, inverse_of(spec, count)),
      volume_(on, volume_bytes() / (is_half_ ? 2 : 1)),
      filters_(on, n_filters_ * bins() * filter_bytes(spec)),
      inner_(on, n_ * sizeof(std::complex<float>)),
      slices_(on, count * bins() * sizeof(std::complex<float>)),
      scales_(on, count * n_filters_ * sizeof(projection_scale)) {
  inner_.write(inner_spectrum(n_).data(), inner_.size_bytes());
  if (!compiles_kernels(on.device().runs_on)) return;
  constexpr auto input = &kernel_parameter::input;
  constexpr auto output = &kernel_parameter::output;
  constexpr std::size_t number = sizeof(std::complex<float>);
  slice_.emplace(compiled(on, "slice", threads_of_slices,
                          {input(number / (is_half_ ? 2 : 1)), input(sizeof(float)), output(number),
                           kernel_parameter::value<std::uint64_t>()}));
  scale_.emplace(compiled(
      on, "scale", threads_of_scales,
      {input(number), input(filter_bytes(spec)), input(number), output(sizeof(projection_scale))}));
}

kernel projector::compiled(const queue& on, const char* function, std::size_t most_threads,
                           std::vector<kernel_parameter> parameters) const {
  const std::size_t threads = std::bit_floor(std::min(on.device().max_workgroup, most_threads));
  return kernel{on,
                kernel_text::kernel_of(
                    kernel_text::member_call{
                        .header = "wingbeat/device/functors/projections.hpp",
                        .object = formatted("functors::projections<{}, {}>{{{}, {}, {}, {}, {}}}",
                                            is_half_ ? "half_float" : "float",
                                            has_complex_filters_ ? "complex<float>" : "float", n_,
                                            n_filters_, threads, height_, width_),
                        .function = function,
                        .threads = static_cast<unsigned>(threads),
                        .scratch_bytes = threads * sizeof(std::complex<float>)},
                    std::move(parameters))};
}

std::size_t projector::device_bytes() const {
  return volume_.size_bytes() + filters_.size_bytes() + inner_.size_bytes() + slices_.size_bytes() +
         scales_.size_bytes();
}

void projector::set_volume(queue& on, buffer_view spectrum) {
  if (!is_half_) return on.impl()->copy(volume_.view(), spectrum);
  // The largest part becomes less than 2^15, whatever the volume's unit: projections are scaled.
  std::vector<float> parts(volume_bytes() / sizeof(float));
  on.impl()->read(parts.data(), spectrum);
  float largest = 0;
  for (const float part : parts) largest = std::max(largest, std::abs(part));
  const float scale = largest > 0 ? std::ldexp(1.0F, 14 - std::ilogb(largest)) : 1.0F;
  std::vector<half_float> halves;
  halves.reserve(parts.size());
  for (const float part : parts) halves.emplace_back(part * scale);
  volume_.write(halves.data(), volume_.size_bytes());
}

void projector::set_filters(queue& on, buffer_view filters) {
  on.impl()->copy(filters_.view(), filters);
}

/// Calls use(bodies, volume, filters) with those of workgroups of one thread.
template <class Use>
void projector::with_bodies(Use use) const {
  const auto call = [&]<class Stored, class Filter>(Stored, Filter) {
    use(projections<Stored, Filter>{.n = static_cast<unsigned>(n_),
                                    .filters = static_cast<unsigned>(n_filters_),
                                    .height = height_,
                                    .width = width_},
        pointer_of<const complex_of<Stored>>(volume_.view()),
        pointer_of<const Filter>(filters_.view()));
  };
  if (is_half_) {
    return has_complex_filters_ ? call(half_float{}, complex_of<float>{})
                                : call(half_float{}, 0.0F);
  }
  return has_complex_filters_ ? call(0.0F, complex_of<float>{}) : call(0.0F, 0.0F);
}

void projector::enqueue(queue& on, buffer_view axes, std::size_t count, buffer_view out) const {
  const std::size_t n_bins = count * bins(), n_templates = count * n_filters_;
  if (slice_) {
    const std::size_t threads =
        std::bit_floor(std::min(on.device().max_workgroup, threads_of_slices));
    slice_->enqueue(on, (n_bins + threads - 1) / threads,
                    {volume_.view(), axes, slices_.view(), std::uint64_t{count}});
    scale_->enqueue(on, n_templates,
                    {slices_.view(), filters_.view(), inner_.view(), scales_.view()});
  } else {
    with_bodies([&](const auto& bodies, const auto* volume, const auto* filters) {
      complex_of<float> of_thread;
      char* const scratch = reinterpret_cast<char*>(&of_thread);
      auto* const slices = pointer_of<complex_of<float>>(slices_.view());
      for (std::size_t i = 0; i < n_bins; ++i) {
        bodies.slice(group_of_one{i}, volume, pointer_of<const float>(axes), slices, count,
                     scratch);
      }
      for (std::size_t i = 0; i < n_templates; ++i) {
        bodies.scale(group_of_one{i}, slices, filters,
                     pointer_of<const complex_of<float>>(inner_.view()),
                     pointer_of<projection_scale>(scales_.view()), scratch);
      }
    });
  }
  inverse_.enqueue(on, slices_.view(), out,
                   run_operands{.load = {filters_.view()}, .store = {scales_.view()}});
}

}  // namespace wingbeat::convolving
