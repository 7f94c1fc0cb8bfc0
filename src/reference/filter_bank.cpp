// SPDX-License-Identifier: Apache-2.0
#include "reference/filter_bank.hpp"

#include <numbers>  // pi

#include "channelising/arithmetic/dither.hpp"    // dither_at
#include "channelising/arithmetic/quantise.hpp"  // quantise, store_complex, complex_bytes
#include "reference/iterative.hpp"               // iterative, n_roots_of, roots_of_unity
#include "reference/queue.hpp"                   // first_byte
#include "text/formatted.hpp"                    // formatted

namespace wingbeat::reference {

filter_bank::filter_bank(const backend::bank_request& request)
    : request_(request),
      roots_(roots_of_unity<double>(n_roots_of(request.transform), request.transform,
                                    direction::forward)) {}

std::size_t filter_bank::traffic_bytes() const noexcept {
  const std::size_t samples = request_.transform * (request_.is_complex ? 2 : 1) * sizeof(float);
  const std::size_t values = request_.channels * channelising::complex_bytes(request_.output);
  return request_.polarisations * request_.spectra * (samples + values);
}

std::string filter_bank::explain() const {
  return formatted("rows of {} taps and transforms of {} in double", request_.taps,
                   request_.transform);
}

row<double> filter_bank::bins_of(const float* window) const {
  const std::size_t step = request_.transform;
  row<double> sums(step);
  for (std::size_t i = 0; i < request_.weights.size(); ++i) {
    const double w = request_.weights[i];
    sums[i % step] += request_.is_complex
                          ? std::complex<double>{w * window[2 * i], w * window[2 * i + 1]}
                          : std::complex<double>{w * window[i]};
  }
  iterative(sums, roots_);
  return sums;
}

std::size_t filter_bank::bin_of(std::size_t channel) const {
  if (!request_.is_complex) return channel;
  return (channel + request_.transform - request_.channels / 2) % request_.transform;
}

void filter_bank::enqueue(backend::queue& /*on*/, const backend::run& given) const {
  const auto at_operand = [&](std::size_t i) { return first_byte(given.load[i].view()); };
  const auto* const entries = reinterpret_cast<const backend::spectrum_entry*>(at_operand(0));
  const auto* const gains = reinterpret_cast<const std::complex<float>*>(at_operand(1));
  auto* const saturated = reinterpret_cast<std::uint32_t*>(at_operand(2));
  auto* const heap = reinterpret_cast<std::byte*>(first_byte(given.out));
  const std::size_t n_pols = request_.polarisations;
  const std::size_t value_bytes = channelising::complex_bytes(request_.output);
  const double middle = request_.is_complex ? static_cast<double>(request_.channels / 2)
                                            : static_cast<double>(request_.channels) / 2;
  for (std::size_t p = 0; p < n_pols; ++p) {
    saturated[p] = 0;
    for (std::size_t s = 0; s < request_.spectra; ++s) {
      const backend::spectrum_entry& entry = entries[p * request_.spectra + s];
      const auto* const plane =
          reinterpret_cast<const float*>(first_byte(given.in) + p * request_.plane_bytes);
      const row<double> bins = bins_of(plane + entry.first * (request_.is_complex ? 2 : 1));
      for (std::size_t k = 0; k < request_.channels; ++k) {
        const double turns = double{entry.phase_turns} +
                             double{entry.slope_turns} * (static_cast<double>(k) - middle);
        const std::complex<double> gain = gains[(entry.gains * n_pols + p) * request_.channels + k];
        const std::complex<double> q =
            bins[bin_of(k)] * std::polar(1.0, 2 * std::numbers::pi * turns) * gain;
        std::complex<double> dither = 0;
        if (request_.has_dither) {
          dither = channelising::dither_at(
              request_.seed, static_cast<std::int64_t>(entry.time), static_cast<std::uint32_t>(k),
              static_cast<std::uint32_t>(request_.channels), static_cast<std::uint32_t>(p));
        }
        const auto rounded = channelising::quantise(q, request_.output, dither);
        saturated[p] += rounded.is_saturated ? 1 : 0;
        channelising::store_complex(
            rounded.value, request_.output,
            {heap + ((k * request_.spectra + s) * n_pols + p) * value_bytes, value_bytes});
      }
    }
  }
}

}  // namespace wingbeat::reference
