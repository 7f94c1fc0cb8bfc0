// SPDX-License-Identifier: Apache-2.0
#include "channelising/heap_entries.hpp"

#include <algorithm>  // fill_n
#include <numbers>    // pi
#include <utility>    // move

namespace wingbeat::channelising {
namespace {

/// Returns the gains in force, or none before the first.
const gain_change* gains_at(const channeliser_spec& spec, std::int64_t t) {
  const gain_change* found = nullptr;
  for (const gain_change& change : spec.gains) {
    if (change.start_samples <= t) found = &change;
  }
  return found;
}

/// Adds [polarisation][channel] of a change; ones before the first.
void add_gain_set(const channeliser_spec& spec, const gain_change* change,
                  std::vector<std::complex<float>>& gains) {
  for (std::size_t p = 0; p < spec.polarisations; ++p) {
    if (change == nullptr) {
      gains.insert(gains.end(), spec.channels, 1.0F);
    } else if (change->gains[p].size() == 1) {
      gains.insert(gains.end(), spec.channels, change->gains[p].front());
    } else {
      gains.insert(gains.end(), change->gains[p].begin(), change->gains[p].end());
    }
  }
}

/// The phase at the middle of the band, and from a channel to the next.
spectrum_entry entry_of(const channeliser_spec& spec, const channeliser_sizes& sizes,
                        const delay_value& value, std::int64_t bank_begin) {
  constexpr double turn = 2 * std::numbers::pi;
  const std::size_t n = spec.channels;
  double phase = 0, slope = 0;
  if (spec.narrowband) {
    phase = narrowband_phase(value, 0, sizes.transform, sizes.subsampling);
    slope = -value.fine / static_cast<double>(sizes.subsampling * sizes.transform);
  } else {
    phase = wideband_phase(value, n / 2, n);
    slope = -value.fine / (2 * static_cast<double>(n));
  }
  const std::int64_t first =
      value.input_start / static_cast<std::int64_t>(sizes.subsampling) - bank_begin;
  return {.first = static_cast<std::uint64_t>(first),
          .phase_turns = static_cast<float>(phase / turn),
          .slope_turns = static_cast<float>(slope)};
}

/// States how many spectra follow each other, step by step, from each one on.
void count_followers(std::size_t n_spectra, std::size_t step, std::vector<spectrum_entry>& of) {
  for (std::size_t i = of.size(); i-- > 0;) {
    const bool is_followed = (i + 1) % n_spectra != 0 && of[i + 1].first == of[i].first + step;
    of[i].follow = is_followed ? of[i + 1].follow + 1 : 1;
  }
}

/// Has spectra from `n_whole` on repeat the first one, times gains of 0, set `n_sets`: they have no
/// samples of their own.
void fill_with_zeros(const channeliser_spec& spec, std::size_t n_whole, std::uint32_t n_sets,
                     heap_entries& to) {
  const std::size_t n_spectra = to.spectra.size() / spec.polarisations;
  for (std::size_t p = 0; p < spec.polarisations; ++p) {
    spectrum_entry silent = to.spectra[p * n_spectra];
    silent.gains = n_sets;
    std::fill_n(to.spectra.begin() + static_cast<std::ptrdiff_t>(p * n_spectra + n_whole),
                n_spectra - n_whole, silent);
  }
}

}  // namespace

heap_entries heap_entry_maker::make(const channeliser_spec& spec, std::int64_t t,
                                    const window_values& windows, std::int64_t bank_begin) {
  const channeliser_sizes sizes = sizes_of(spec);
  const std::size_t n_whole = windows.front().size();
  heap_entries made;
  made.spectra.resize(spec.polarisations * sizes.spectra_per_heap);
  changes in_force;
  for (std::size_t s = 0; s < n_whole; ++s) {
    const std::int64_t time = t + static_cast<std::int64_t>(s * sizes.spectrum_samples);
    const gain_change* const now = gains_at(spec, time);
    if (s == 0 || now != in_force.back()) in_force.push_back(now);
    for (std::size_t p = 0; p < spec.polarisations; ++p) {
      spectrum_entry& entry = made.spectra[p * sizes.spectra_per_heap + s];
      entry = entry_of(spec, sizes, windows[p][s], bank_begin);
      entry.time = static_cast<std::uint64_t>(time);
      entry.gains = static_cast<std::uint32_t>(in_force.size() - 1);
    }
  }
  const bool has_silence = n_whole < sizes.spectra_per_heap;
  if (has_silence) {
    fill_with_zeros(spec, n_whole, static_cast<std::uint32_t>(in_force.size()), made);
  }
  made.gains = sets_of(spec, in_force, has_silence);
  count_followers(sizes.spectra_per_heap, sizes.transform, made.spectra);
  return made;
}

gain_sets heap_entry_maker::sets_of(const channeliser_spec& spec, const changes& in_force,
                                    bool has_silence) {
  if (gains_ != nullptr && in_force == in_force_ && has_silence == has_silence_) return gains_;
  std::vector<std::complex<float>> sets;
  for (const gain_change* const change : in_force) add_gain_set(spec, change, sets);
  if (has_silence) sets.resize(sets.size() + spec.polarisations * spec.channels);
  gains_ = std::make_shared<const std::vector<std::complex<float>>>(std::move(sets));
  in_force_ = in_force;
  has_silence_ = has_silence;
  return gains_;
}

}  // namespace wingbeat::channelising
