// SPDX-License-Identifier: Apache-2.0
#include "channelising/stream/downconverter.hpp"

#include "arrays/view_part.hpp"                         // part_of
#include "channelising/arithmetic/floor_div.hpp"        // floor_div
#include "channelising/arithmetic/narrowband.hpp"       // filter_taps, mixer, turn_per_sample
#include "channelising/spec.hpp"                        // pass_edge
#include "kernel_text/constants.hpp"                    // assignments
#include "kernel_text/kernel_body.hpp"                  // kernel_of
#include "wingbeat/device/channeliser/downconvert.hpp"  // downconvert_numbers

namespace wingbeat::channelising {
namespace {

constexpr unsigned n_threads = 256;

/// Returns the taps times the mixer's phases, counted from the first tap; the phase of the first
/// tap itself is applied later.
std::vector<std::complex<float>> mixed_taps(const channeliser_spec& spec, std::uint64_t turn) {
  const channeliser_sizes sizes = sizes_of(spec);
  const auto taps = filter_taps({sizes.filter_taps, sizes.subsampling, pass_edge(spec)});
  std::vector<std::complex<float>> mixed;
  for (std::size_t a = 0; a < taps.size(); ++a) {
    const std::complex<double> tap = taps[a] * mixer(turn, static_cast<std::int64_t>(a));
    mixed.emplace_back(static_cast<float>(tap.real()), static_cast<float>(tap.imag()));
  }
  return mixed;
}

kernel_spec kernel_of(const channeliser_spec& spec) {
  const channeliser_sizes sizes = sizes_of(spec);
  constexpr auto number = &kernel_parameter::value<std::uint64_t>;
  const device::channeliser::downconvert_numbers numbers{
      .taps = static_cast<unsigned>(sizes.filter_taps),
      .subsampling = static_cast<unsigned>(sizes.subsampling),
      .sample_bits = static_cast<unsigned>(spec.sample_bits),
      .threads = n_threads};
  return kernel_text::kernel_of(
      {.header = "wingbeat/device/channeliser/downconvert.hpp",
       .type = "channeliser::downconversion",
       .numbers_type = "channeliser::downconvert_numbers",
       .constants = kernel_text::assignments(numbers),
       .entry = "downconvert",
       .threads = n_threads},
      {kernel_parameter::input(1), kernel_parameter::input(sizeof(std::complex<float>)),
       kernel_parameter::output(sizeof(std::complex<float>)), number(), number(), number(),
       number()});
}

}  // namespace

downconverter::downconverter(const queue& on, const channeliser_spec& spec, sample_form form)
    : spec_(spec),
      sizes_(sizes_of(spec)),
      turn_(turn_per_sample(spec.narrowband->centre_hz, spec.adc_rate_hz)),
      taps_(mixed_taps(spec, turn_)) {
  if (form != sample_form::packed) return;
  taps_there_ = buffer{on, taps_.size() * sizeof(taps_.front())};
  taps_there_.write(taps_.data(), taps_there_.size_bytes());
  kernel_.emplace(on, kernel_of(spec));
}

std::int64_t downconverter::first_from(std::int64_t index) const {
  return -floor_div(-index, static_cast<std::int64_t>(sizes_.subsampling));
}

std::int64_t downconverter::end_of(std::int64_t end) const {
  const auto taps = static_cast<std::int64_t>(sizes_.filter_taps);
  return floor_div(end - taps, static_cast<std::int64_t>(sizes_.subsampling)) + 1;
}

void downconverter::run(queue& on, const sample_store& from, const sample_store& to,
                        std::int64_t first, std::size_t count) {
  const std::size_t s = sizes_.subsampling;
  const std::int64_t input = first * static_cast<std::int64_t>(s);
  const auto offset = static_cast<std::size_t>(input - from.begin());
  for (std::size_t p = 0; p < spec_.polarisations; ++p) {
    if (kernel_) {
      const auto plane = part_of(from.view(), p * from.plane_bytes(), from.plane_bytes());
      const auto out = part_of(to.at(p, first), 0, count * sizeof(std::complex<float>));
      kernel_->enqueue(on, (count + n_threads - 1) / n_threads,
                       {plane, taps_there_.view(), out, offset, count,
                        static_cast<std::size_t>(turn_ * static_cast<std::uint64_t>(input)),
                        static_cast<std::size_t>(turn_ * s)});
      continue;
    }
    on.wait();  // until the samples are used
    const buffer_view plane = from.at(p, input), out = to.at(p, first);
    const auto* const x = reinterpret_cast<const float*>(
        static_cast<const std::byte*>(plane.handle) + plane.offset_bytes);
    auto* const y = reinterpret_cast<std::complex<float>*>(static_cast<std::byte*>(out.handle) +
                                                           out.offset_bytes);
    for (std::size_t j = 0; j < count; ++j) {
      float re = 0, im = 0;
      for (std::size_t a = 0; a < taps_.size(); ++a) {
        re += x[j * s + a] * taps_[a].real();
        im += x[j * s + a] * taps_[a].imag();
      }
      const auto phase = std::complex<float>(
          mixer(turn_, (first + static_cast<std::int64_t>(j)) * static_cast<std::int64_t>(s)));
      y[j] = {re * phase.real() - im * phase.imag(), re * phase.imag() + im * phase.real()};
    }
  }
}

}  // namespace wingbeat::channelising
