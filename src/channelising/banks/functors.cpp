// SPDX-License-Identifier: Apache-2.0
#include "channelising/banks/functors.hpp"

#include <algorithm>  // min
#include <array>
#include <atomic>   // atomic_ref
#include <cmath>    // cos, sin
#include <numbers>  // pi

#include "channelising/arithmetic/dither.hpp"    // dither_at
#include "channelising/arithmetic/quantise.hpp"  // quantise, store_complex
#include "channelising/spec.hpp"                 // has_complex_bank, has_dither, middle_channel
#include "formatted.hpp"                         // formatted

namespace wingbeat::channelising {
namespace {

/// Of complex numbers, which are filtered where they are loaded; real ones are on engines that
/// compile kernels filtered by a kernel of their own.
std::string load_text(const channeliser_spec& spec, const sample_planes& planes,
                      std::size_t n_heaps) {
  const channeliser_sizes sizes = sizes_of(spec);
  return formatted(
      R"(#include "wingbeat/device/channeliser/spectrum_entry.hpp"
#include "wingbeat/device/complex.hpp"
struct wingbeat_bank_load {{
  using size = wingbeat::device::size;
  using element = wingbeat::device::complex<float>;
  static constexpr bool in_order = false;
  struct operands {{
    WINGBEAT_GLOBAL const wingbeat::device::channeliser::spectrum_entry* spectra;
    WINGBEAT_GLOBAL const float* weights;
  }};
  WINGBEAT_FN static element load(WINGBEAT_GLOBAL const element* in, operands given, size row,
                                  size i) {{
    using namespace wingbeat::device;
    WINGBEAT_GLOBAL const element* const window =
        in + row / {0} * {1} + given.spectra[row].first + i;
    element sum{{}};
    for (unsigned m = 0; m < {2}; ++m) {{
      sum = sum + scaled(copied_from(window + m * size({3})), given.weights[m * size({3}) + i]);
    }}
    return sum;
  }}
}};
)",
      n_heaps * sizes.spectra_per_heap, planes.plane_bytes / sizeof(std::complex<float>), spec.taps,
      sizes.transform);
}

/// Filters in pieces that stay in the first cache while taps are added to them.
template <class Number>
host_load load_callable(const channeliser_spec& spec, const sample_planes& planes) {
  const channeliser_sizes sizes = sizes_of(spec);
  const std::size_t plane = planes.plane_bytes / sizeof(Number), step = sizes.transform;
  const std::size_t n_spectra = sizes.spectra_per_heap, taps = spec.taps;
  return operand_reader<Number>{[=](const void* in, const host_arguments& given, std::size_t row,
                                    std::size_t first, std::span<Number> into) {
    constexpr std::size_t piece = 1024;
    const spectrum_entry& entry = given.memory<const spectrum_entry>(0)[row];
    const float* const weights = given.memory<const float>(1) + first;
    const Number* const x =
        static_cast<const Number*>(in) + row / n_spectra * plane + entry.first + first;
    for (std::size_t begin = 0; begin < into.size(); begin += piece) {
      const std::size_t end = std::min(begin + piece, into.size());
      for (std::size_t i = begin; i < end; ++i) into[i] = weights[i] * x[i];
      for (std::size_t m = 1; m < taps; ++m) {
        const Number* const of_tap = x + m * step;
        const float* const w = weights + m * step;
        for (std::size_t i = begin; i < end; ++i) into[i] += w[i] * of_tap[i];
      }
    }
  }};
}

/// Which channel bin k of a transform is; `n_channels` or more where it is none.
class channel_order {
 public:
  explicit channel_order(const channeliser_spec& spec)
      : shift_(has_complex_bank(spec) ? spec.channels / 2 : 0), length_(sizes_of(spec).transform) {}

  [[nodiscard]] std::size_t channel_of(std::size_t bin) const { return (bin + shift_) % length_; }

 private:
  std::size_t shift_, length_;
};

/// exp(2 pi i (phase + n slope)), n in sequence: products of two short tables.
class turning {
 public:
  turning(double phase, double slope, double first) : phase_(phase + slope * first), slope_(slope) {
    for (std::size_t i = 0; i < fine; ++i) steps_[i] = at_turns(slope * static_cast<double>(i));
  }
  [[nodiscard]] std::complex<float> at(std::size_t i) {
    if (i % fine == 0) coarse_ = at_turns(phase_ + slope_ * static_cast<double>(i));
    const std::complex<float> a = coarse_, b = steps_[i % fine];
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }

 private:
  static constexpr std::size_t fine = 64;
  static std::complex<float> at_turns(double turns) {
    const double angle = 2 * std::numbers::pi * turns;
    return {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
  }

  double phase_, slope_;
  std::array<std::complex<float>, fine> steps_;
  std::complex<float> coarse_;
};

host_store store_callable(const channeliser_spec& spec) {
  const channeliser_sizes sizes = sizes_of(spec);
  const channel_order order{spec};
  const std::size_t n = spec.channels, n_spectra = sizes.spectra_per_heap;
  const std::size_t n_bytes = complex_bytes(spec.output);
  const double middle = middle_channel(spec);
  const bool dithers = has_dither(spec);
  return operand_writer<std::complex<float>>{[=, n_pols = spec.polarisations, kind = spec.output,
                                              seed = spec.seed](
                                                 void* out, const host_arguments& given,
                                                 std::size_t row, std::size_t first,
                                                 std::span<const std::complex<float>> values) {
    const std::size_t pol = row / n_spectra;
    const spectrum_entry& entry = given.memory<const spectrum_entry>(0)[row];
    const auto* const gains =
        given.memory<const std::complex<float>>(1) + (entry.gains * n_pols + pol) * n;
    auto* const bytes = static_cast<std::byte*>(out) + row * n * n_bytes;
    std::uint32_t saturated = 0;
    for (std::size_t i = 0; i < values.size();) {
      // Channels in sequence, up to where they begin again.
      const std::size_t channel = order.channel_of(first + i);
      if (channel >= n) {
        ++i;
        continue;
      }
      const std::size_t count = std::min(values.size() - i, n - channel);
      turning turns{entry.phase_turns, entry.slope_turns, static_cast<double>(channel) - middle};
      for (std::size_t j = 0; j < count; ++j) {
        const std::size_t k = channel + j;
        const std::complex<float> z = values[i + j], w = turns.at(j), g = gains[k];
        const std::complex<float> t{z.real() * w.real() - z.imag() * w.imag(),
                                    z.real() * w.imag() + z.imag() * w.real()};
        const std::complex<float> q{t.real() * g.real() - t.imag() * g.imag(),
                                    t.real() * g.imag() + t.imag() * g.real()};
        std::complex<float> dither = 0;
        if (dithers) {
          dither = dither_at(seed, static_cast<std::int64_t>(entry.time),
                             static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(pol));
        }
        const auto rounded = quantise(q, kind, dither);
        saturated += rounded.is_saturated ? 1 : 0;
        store_complex(rounded.value, kind, {bytes + k * n_bytes, n_bytes});
      }
      i += count;
    }
    if (saturated > 0) {
      std::atomic_ref{given.memory<std::uint32_t>(2)[pol * saturation_counters]} += saturated;
    }
  }};
}

}  // namespace

sample_form form_of_samples(engine runs_on, bool is_complex) {
  const bool is_compiled = runs_on == engine::cuda || runs_on == engine::opencl;
  if (is_compiled) return sample_form::packed;
  return is_complex ? sample_form::complex : sample_form::reals;
}

fused_load bank_load(const channeliser_spec& spec, const sample_planes& planes,
                     std::size_t n_heaps) {
  fused_load load{.in_bytes = spec.polarisations * planes.plane_bytes,
                  .operands = {kernel_parameter::input(sizeof(spectrum_entry)),
                               kernel_parameter::input(sizeof(float))}};
  if (planes.form == sample_form::complex) {
    load.element_bytes = sizeof(std::complex<float>);
    load.source = {load_text(spec, planes, n_heaps), "wingbeat_bank_load"};
    load.callable = load_callable<std::complex<float>>(spec, planes);
  } else {
    load.element_bytes = sizeof(float);
    load.callable = load_callable<float>(spec, planes);
  }
  return load;
}

fused_store bank_store(const channeliser_spec& spec) {
  const channeliser_sizes sizes = sizes_of(spec);
  return {.out_bytes = sizes.heap_bytes,
          .element_bytes = complex_bytes(spec.output),
          .callable = store_callable(spec),
          .operands = {kernel_parameter::input(sizeof(spectrum_entry)),
                       kernel_parameter::input(sizeof(std::complex<float>)),
                       kernel_parameter::output(sizeof(std::uint32_t))}};
}

}  // namespace wingbeat::channelising
