// SPDX-License-Identifier: Apache-2.0
#include "channelising/banks/heap_entries.hpp"

#include <algorithm>  // fill_n
#include <numbers>    // pi
#include <span>
#include <utility>  // move

#include "channelising/spec.hpp"  // has_complex_bank

namespace wingbeat::channelising {
namespace {

/// Returns the gains that apply, or none before the first.
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

/// Makes entries of one polarisation.
class entry_rule {
 public:
  entry_rule(const channeliser_spec& spec, const channeliser_sizes& sizes, std::int64_t bank_begin)
      : has_complex_bank_(has_complex_bank(spec)),
        subsampling_(static_cast<std::int64_t>(sizes.subsampling)),
        // Over a real band, a fine delay of one sample is half a turn; over a complex band, a delay
        // of one of its numbers is a turn.
        slope_(-1 / static_cast<double>(has_complex_bank_ ? sizes.subsampling * sizes.transform
                                                          : 2 * spec.channels)),
        bank_begin_(bank_begin) {}

  /// Returns the phase at the middle of the band, and its slope per channel.
  [[nodiscard]] spectrum_entry operator()(const delay_value& value, std::int64_t time) const {
    constexpr double turn = 2 * std::numbers::pi;
    const double phase = has_complex_bank_ ? value.phase_rad : centre_phase(value);
    // Avoids a division, which takes as long as all the rest.
    const std::int64_t number =
        subsampling_ == 1 ? value.input_start : value.input_start / subsampling_;
    return {.first = static_cast<std::uint64_t>(number - bank_begin_),
            .time = static_cast<std::uint64_t>(time),
            .phase_turns = static_cast<float>(phase / turn),
            .slope_turns = static_cast<float>(value.fine * slope_)};
  }

 private:
  bool has_complex_bank_;
  std::int64_t subsampling_;
  double slope_;
  std::int64_t bank_begin_;
};

/// For each spectrum of a polarisation, counts the spectra from it on whose windows begin `step`
/// apart.
void count_followers(std::size_t step, std::span<spectrum_entry> entries) {
  for (std::size_t i = entries.size() - 1; i-- > 0;) {
    if (entries[i + 1].first == entries[i].first + step)
      entries[i].follow = entries[i + 1].follow + 1;
  }
}

/// Lets spectra from `n_whole` on, which have no samples of their own, repeat the first one with
/// gains of 0, set `n_sets`.
void fill_with_zeros(const channeliser_spec& spec, std::size_t n_whole, std::uint32_t n_sets,
                     heap_entries& entries) {
  const std::size_t n_spectra = entries.spectra.size() / spec.polarisations;
  for (std::size_t p = 0; p < spec.polarisations; ++p) {
    spectrum_entry silent = entries.spectra[p * n_spectra];
    silent.gains = n_sets;
    std::fill_n(entries.spectra.begin() + static_cast<std::ptrdiff_t>(p * n_spectra + n_whole),
                n_spectra - n_whole, silent);
  }
}

}  // namespace

heap_entries heap_entry_maker::make(const channeliser_spec& spec, std::int64_t t,
                                    const window_values& windows, std::int64_t bank_begin) {
  const channeliser_sizes sizes = sizes_of(spec);
  const std::size_t n = sizes.spectra_per_heap, n_whole = windows.front().size();
  const auto hop = static_cast<std::int64_t>(sizes.spectrum_samples);
  const entry_rule entry_of{spec, sizes, bank_begin};
  heap_entries entries;
  entries.spectra.resize(spec.polarisations * n);
  changes in_force;
  for (std::size_t p = 0; p < spec.polarisations; ++p) {
    in_force.clear();
    for (std::size_t s = 0; s < n_whole; ++s) {
      const std::int64_t time = t + static_cast<std::int64_t>(s) * hop;
      const gain_change* const change = gains_at(spec, time);
      if (s == 0 || change != in_force.back()) in_force.push_back(change);
      spectrum_entry& entry = entries.spectra[p * n + s];
      entry = entry_of(windows[p][s], time);
      entry.gains = static_cast<std::uint32_t>(in_force.size() - 1);
    }
  }
  if (n_whole < n) {
    fill_with_zeros(spec, n_whole, static_cast<std::uint32_t>(in_force.size()), entries);
  }
  entries.gains = sets_of(spec, in_force, n_whole < n);
  for (std::size_t p = 0; p < spec.polarisations; ++p) {
    count_followers(sizes.transform, std::span(entries.spectra).subspan(p * n, n));
  }
  return entries;
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
