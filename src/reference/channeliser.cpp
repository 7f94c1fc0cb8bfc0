// SPDX-License-Identifier: Apache-2.0
#include "reference/channeliser.hpp"

#include <algorithm>  // all_of, count, min
#include <span>

#include "channelising/arithmetic/delay_model.hpp"  // delay_schedule
#include "channelising/arithmetic/dither.hpp"       // dither_at
#include "channelising/arithmetic/floor_div.hpp"    // floor_div
#include "channelising/arithmetic/narrowband.hpp"   // downconverted
#include "channelising/arithmetic/quantise.hpp"     // quantise, store_complex
#include "channelising/arithmetic/weights.hpp"      // filter_weights
#include "reference/iterative.hpp"                  // iterative, n_roots_of, roots_of_unity
#include "text/reject.hpp"                          // reject

namespace wingbeat::reference {
namespace {

using namespace channelising;

void require_recording(const channeliser_spec& spec, const recording& input) {
  const std::size_t n_pols = spec.polarisations;
  reject_if(
      input.samples.size() != n_pols || (!input.present.empty() && input.present.size() != n_pols),
      "the recording has {} polarisations and packet flags of {}; give {}", input.samples.size(),
      input.present.size(), n_pols);
  const std::size_t length = input.samples.front().size() / parts_of(spec);
  if (input.packet_samples == 0) reject("packets have 0 samples; give 1 or more");
  const std::size_t n_packets = (length + input.packet_samples - 1) / input.packet_samples;
  for (const auto& flags : input.present) {
    if (flags.size() == n_packets) continue;
    reject("{} packets have flags; give one for each of {}", flags.size(), n_packets);
  }
  const int most = (1 << (spec.sample_bits - 1)) - 1;
  for (const auto& samples : input.samples) {
    if (samples.size() != length * parts_of(spec)) {
      reject(
          "polarisations have {} and {} integers; give equally many, {} for "
          "a sample",
          input.samples.front().size(), samples.size(), parts_of(spec));
    }
    for (const int sample : samples) {
      if (sample <= most && sample >= -most - 1) continue;
      reject("a sample is {}, which {} bits do not hold; give {} to {}", sample, spec.sample_bits,
             -most - 1, most);
    }
  }
}

/// One polarisation, with missing samples as 0.
struct polarisation {
  std::vector<std::int16_t> samples;     ///< [sample], or [sample][re, im]
  std::vector<std::uint64_t> n_missing;  ///< [packet] missing samples before it.
  /// Input of the filter bank: the samples, or those of a narrowband.
  std::vector<std::complex<double>> numbers;
  std::int64_t first_number = 0;  ///< Input sample of the first number, divided by the subsampling.
  input_level level;
};

void count(input_level& level, int sample) {
  level.sum_of_squares += static_cast<std::uint64_t>(std::int64_t{sample} * sample);
  ++level.histogram[level.histogram.size() / 2 + static_cast<std::size_t>(sample)];
}

/// Copies the samples, missing ones as 0, and counts them.
void take_samples(polarisation& pol, const recording& input, std::size_t p) {
  pol.samples = input.samples[p];
  pol.n_missing = {0};
  const std::size_t packet = input.packet_samples * pol.level.parts;
  for (std::size_t first = 0; first < pol.samples.size();) {
    const std::size_t end = first + std::min(packet, pol.samples.size() - first);
    const bool is_present = input.present.empty() || input.present[p][first / packet];
    pol.n_missing.push_back(pol.n_missing.back() + (is_present ? 0 : 1));
    if (is_present) pol.level.n_samples += (end - first) / pol.level.parts;
    for (; first < end; ++first) {
      if (is_present) {
        count(pol.level, pol.samples[first]);
      } else {
        pol.samples[first] = 0;
      }
    }
  }
}

void decimate(polarisation& pol, const channeliser_spec& spec, std::int64_t first_sample) {
  const channeliser_sizes sizes = sizes_of(spec);
  const auto s = static_cast<std::int64_t>(sizes.subsampling);
  pol.first_number = -channelising::floor_div(-first_sample, s);
  const auto skipped = static_cast<std::size_t>(pol.first_number * s - first_sample);
  if (skipped >= pol.samples.size()) return;
  const std::vector<double> taps =
      filter_taps({sizes.filter_taps, sizes.subsampling, pass_edge(spec)});
  pol.numbers = downconverted(std::span(pol.samples).subspan(skipped), pol.first_number * s, taps,
                              sizes.subsampling,
                              turn_per_sample(spec.narrowband->centre_hz, spec.adc_rate_hz));
}

/// Takes the samples as they are.
void take_numbers(polarisation& pol, std::int64_t first_sample) {
  pol.first_number = first_sample;
  const std::size_t parts = pol.level.parts;
  pol.numbers.resize(pol.samples.size() / parts);
  for (std::size_t i = 0; i < pol.numbers.size(); ++i) {
    const double im = parts == 2 ? pol.samples[2 * i + 1] : 0;
    pol.numbers[i] = {static_cast<double>(pol.samples[parts * i]), im};
  }
}

polarisation make_polarisation(const channeliser_spec& spec, const recording& input,
                               std::size_t p) {
  polarisation pol;
  pol.level.histogram.resize(std::size_t{1} << spec.sample_bits);
  pol.level.parts = parts_of(spec);
  take_samples(pol, input, p);
  if (spec.narrowband) {
    decimate(pol, spec, input.first_sample);
  } else {
    take_numbers(pol, input.first_sample);
  }
  return pol;
}

class channelisation {
 public:
  channelisation(const channeliser_spec& spec, const recording& input)
      : spec_(spec),
        sizes_(sizes_of(spec)),
        first_sample_(input.first_sample),
        end_sample_(first_sample_ +
                    static_cast<std::int64_t>(input.samples.front().size() / parts_of(spec))),
        packet_samples_(static_cast<std::int64_t>(input.packet_samples)),
        weights_(filter_weights({sizes_.transform, spec.taps, spec.window, spec.weight_cutoff})),
        roots_(roots_of_unity<double>(n_roots_of(sizes_.transform), sizes_.transform,
                                      direction::forward)) {
    schedules_.resize(spec.polarisations);
    for (std::size_t p = 0; p < spec.polarisations; ++p) {
      pols_.push_back(make_polarisation(spec, input, p));
      if (spec.delays.empty()) continue;
      for (const delay_model& model : spec.delays[p]) schedules_[p].add(model);
    }
  }

  channelised result() {
    channelised result;
    std::int64_t expected = -1;
    const auto hop = static_cast<std::int64_t>(sizes_.heap_samples);
    for (auto t = first_start(schedules_, rule_from(0)); t;) {
      std::vector<std::vector<delay_value>> values;  // [spectrum][polarisation]
      std::int64_t early = 0;
      const fit found = fit_at(*t, values, early);
      if (found == fit::ends) break;
      if (found == fit::early) {
        t = first_start(schedules_, rule_from(early + 1));
        continue;
      }
      if (expected >= 0) result.n_skipped += static_cast<std::uint64_t>((*t - expected) / hop);
      expected = *t + hop;
      add_heap(*t, values, result);
      t = expected;
    }
    for (polarisation& pol : pols_) result.levels.push_back(std::move(pol.level));
    return result;
  }

 private:
  enum class fit { whole, ends, early };

  start_rule rule_from(std::int64_t earliest) const {
    return {earliest, static_cast<std::int64_t>(sizes_.heap_samples), first_sample_,
            static_cast<std::int64_t>(sizes_.subsampling), sizes_.evaluation_offset};
  }

  /// Finds the windows of a heap's spectra, and whether all lie within the recording. `early` is
  /// the output time of a spectrum whose window starts before it.
  fit fit_at(std::int64_t t, std::vector<std::vector<delay_value>>& values,
             std::int64_t& early) const {
    for (std::size_t s = 0; s < sizes_.spectra_per_heap; ++s) {
      const std::int64_t time = t + static_cast<std::int64_t>(s * sizes_.spectrum_samples);
      std::vector<delay_value> of_spectrum;
      bool is_early = false, is_late = false;
      for (const delay_schedule& schedule : schedules_) {
        const delay_value value = aligned(schedule.at(time, sizes_.evaluation_offset),
                                          static_cast<std::int64_t>(sizes_.subsampling));
        const auto window = static_cast<std::int64_t>(sizes_.window_samples);
        is_early = is_early || value.input_start < first_sample_;
        is_late = is_late || value.input_start > end_sample_ - window;
        of_spectrum.push_back(value);
      }
      early = time;
      if (is_early) return fit::early;
      if (is_late) return fit::ends;
      values.push_back(std::move(of_spectrum));
    }
    return fit::whole;
  }

  bool is_whole(const polarisation& pol, std::int64_t input_start) const {
    const std::int64_t first = input_start - first_sample_;
    const std::int64_t last = first + static_cast<std::int64_t>(sizes_.window_samples) - 1;
    return pol.n_missing[static_cast<std::size_t>(first / packet_samples_)] ==
           pol.n_missing[static_cast<std::size_t>(last / packet_samples_ + 1)];
  }

  void add_heap(std::int64_t t, const std::vector<std::vector<delay_value>>& values,
                channelised& result) const {
    heap next{.timestamp = t};
    for (std::size_t p = 0; p < pols_.size(); ++p) {
      next.is_complete.push_back(std::all_of(values.begin(), values.end(), [&](const auto& value) {
        return is_whole(pols_[p], value[p].input_start);
      }));
    }
    const bool is_touched = std::count(next.is_complete.begin(), next.is_complete.end(), false) > 0;
    if (is_touched && spec_.missing == missing_policy::withhold) {
      result.withheld.push_back(t);
      return;
    }
    next.saturated.resize(pols_.size());
    next.spectra.resize(spec_.channels * values.size() * pols_.size());
    next.bytes.resize(sizes_.heap_bytes);
    for (std::size_t s = 0; s < values.size(); ++s) {
      for (std::size_t p = 0; p < pols_.size(); ++p) add_spectrum(next, s, p, values[s][p]);
    }
    result.heaps.push_back(std::move(next));
  }

  void add_spectrum(heap& filled, std::size_t s, std::size_t p, const delay_value& value) const {
    const row<double> transformed = transform(pols_[p], value.input_start);
    const std::int64_t t =
        filled.timestamp + static_cast<std::int64_t>(s * sizes_.spectrum_samples);
    const std::vector<std::complex<float>>* const gains = gains_at(t, p);
    const std::size_t value_bytes = complex_bytes(spec_.output);
    for (std::size_t k = 0; k < spec_.channels; ++k) {
      const std::int64_t offset =
          static_cast<std::int64_t>(k) - static_cast<std::int64_t>(spec_.channels / 2);
      // Channels of complex numbers lie around bin 0; those of real samples start there.
      const std::size_t n = sizes_.transform;
      const bool is_complex = has_complex_bank(spec_);
      const std::size_t bin =
          is_complex ? static_cast<std::size_t>(offset + static_cast<std::int64_t>(n)) % n : k;
      const double phase = is_complex ? narrowband_phase(value, offset, n, sizes_.subsampling)
                                      : wideband_phase(value, k, spec_.channels);
      std::complex<double> q = transformed[bin] * std::polar(1.0, phase);
      if (gains != nullptr) q *= std::complex<double>((*gains)[gains->size() == 1 ? 0 : k]);
      const std::size_t index =
          (k * sizes_.spectra_per_heap + s) * pols_.size() + p;  // [channel][spectrum][pol]
      filled.spectra[index] = q;
      std::complex<double> dither = 0;
      if (has_dither(spec_)) {
        dither =
            dither_at(spec_.seed, t, static_cast<std::uint32_t>(k),
                      static_cast<std::uint32_t>(spec_.channels), static_cast<std::uint32_t>(p));
      }
      const auto rounded = quantise(q, spec_.output, dither);
      filled.saturated[p] += rounded.is_saturated ? 1 : 0;
      store_complex(rounded.value, spec_.output,
                    std::span(filled.bytes).subspan(index * value_bytes, value_bytes));
    }
  }

  row<double> transform(const polarisation& pol, std::int64_t input_start) const {
    const std::size_t step = sizes_.transform;
    row<double> y(step);
    const auto s = static_cast<std::int64_t>(sizes_.subsampling);
    const auto first = static_cast<std::size_t>(input_start / s - pol.first_number);
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      y[i % step] += pol.numbers[first + i] * weights_[i];
    }
    iterative(y, roots_);
    return y;
  }

  /// Returns the gains in force, or null before the first.
  const std::vector<std::complex<float>>* gains_at(std::int64_t t, std::size_t p) const {
    const std::vector<std::complex<float>>* gains = nullptr;
    for (const gain_change& change : spec_.gains) {
      if (change.start_samples <= t) gains = &change.gains[p];
    }
    return gains;
  }

  const channeliser_spec& spec_;
  channeliser_sizes sizes_;
  std::int64_t first_sample_, end_sample_, packet_samples_;
  std::vector<double> weights_;
  row<double> roots_;
  std::vector<polarisation> pols_;
  std::vector<delay_schedule> schedules_;  ///< [polarisation]
};

}  // namespace

channelised channelise(const channeliser_spec& spec, const recording& input) {
  validate(spec);
  require_recording(spec, input);
  return channelisation(spec, input).result();
}

}  // namespace wingbeat::reference
