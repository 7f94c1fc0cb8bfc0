// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/channeliser.hpp"

#include <algorithm>  // all_of, fill, max, min, none_of
#include <cmath>      // log10
#include <limits>
#include <numbers>  // pi
#include <utility>  // move

#include "channelising/delay_model.hpp"     // delay_schedule, first_start
#include "channelising/downconverter.hpp"   // downconverter
#include "channelising/filter_bank.hpp"     // filter_bank, spectrum_entry
#include "channelising/packed_samples.hpp"  // pack_samples, unpack_samples
#include "channelising/sample_store.hpp"    // sample_store
#include "channelising/spec.hpp"            // validate
#include "formatted.hpp"                    // formatted
#include "moved_from.hpp"                   // require_owned
#include "wingbeat/error.hpp"               // plan_error

namespace wingbeat {

using namespace channelising;

namespace {

/// So many samples of each polarisation are taken at once.
constexpr std::size_t piece_samples = std::size_t{1} << 20;

using integers = std::vector<std::int16_t>;

/// Samples that are missing, from index `begin` on.
struct gap {
  std::int64_t begin, end;
};

std::size_t in_eights(std::size_t n) {
  return (n + 7) / 8 * 8;
}

/// Numbers of the bank that must be there at once, of decimated ones where there are such.
std::size_t bank_capacity(const channeliser_sizes& sizes, std::size_t kept_samples) {
  const std::size_t samples =
      sizes.window_samples + sizes.heap_samples + kept_samples + piece_samples;
  return in_eights(2 * (samples / sizes.subsampling + 64));
}

/// Input samples that must be there at once.
std::size_t input_capacity(const channeliser_sizes& sizes, std::size_t kept_samples) {
  if (sizes.subsampling == 1 && sizes.filter_taps == 1) return bank_capacity(sizes, kept_samples);
  return in_eights(2 * (piece_samples + sizes.filter_taps + sizes.subsampling + 64));
}

unsigned bits_of(sample_form form, unsigned sample_bits) {
  if (form == sample_form::packed) return sample_bits;
  return 8 * (form == sample_form::reals ? sizeof(float) : sizeof(std::complex<float>));
}

/// Returns samples as integers, after they were checked.
std::vector<integers> taken(const channeliser_spec& spec, const channeliser::samples& next) {
  const bool is_packed = !next.packed.empty();
  const std::size_t given = is_packed ? next.packed.size() : next.integers.size();
  if (given != spec.polarisations || (is_packed && !next.integers.empty())) {
    throw plan_error(formatted("{} packed and {} other polarisations are given; give {} of one",
                               next.packed.size(), next.integers.size(), spec.polarisations));
  }
  if (!next.present.empty()) {
    if (next.packet_samples == 0) throw plan_error("packets have 0 samples; give 1 or more");
    const std::size_t packets = (next.count + next.packet_samples - 1) / next.packet_samples;
    for (const auto& flags : next.present) {
      if (flags.size() == packets && next.present.size() == spec.polarisations) continue;
      throw plan_error(
          formatted("{} packets of {} polarisations have flags; give one for each of "
                    "{} of {}",
                    flags.size(), next.present.size(), packets, spec.polarisations));
    }
  }
  const int most = (1 << (spec.sample_bits - 1)) - 1;
  std::vector<integers> all(given, integers(next.count));
  for (std::size_t p = 0; p < given; ++p) {
    if (is_packed) {
      unpack_samples(next.packed[p], spec.sample_bits, 0, all[p]);
      continue;
    }
    if (next.integers[p].size() != next.count) {
      throw plan_error(formatted("polarisation {} has {} samples; give {}", p,
                                 next.integers[p].size(), next.count));
    }
    for (std::size_t i = 0; i < next.count; ++i) {
      const int sample = next.integers[p][i];
      if (sample <= most && sample >= -most - 1) {
        all[p][i] = next.integers[p][i];
        continue;
      }
      throw plan_error(
          formatted("sample {} of polarisation {} is {}, which {} bits do not hold; "
                    "give {} to {}",
                    i, p, sample, spec.sample_bits, -most - 1, most));
    }
  }
  return all;
}

/// One polarisation of the input.
struct polarisation {
  delay_schedule delays;
  std::vector<gap> gaps;  ///< By their begins.
  integers tail;          ///< Samples in a group of eight that is not whole yet.

  void add_gap(std::int64_t begin, std::int64_t end) {
    if (!gaps.empty() && gaps.back().end == begin) {
      gaps.back().end = end;
    } else {
      gaps.push_back({begin, end});
    }
  }
  void forget_gaps_before(std::int64_t index) {
    std::erase_if(gaps, [&](const gap& each) { return each.end <= index; });
  }
  [[nodiscard]] bool is_whole(std::int64_t begin, std::int64_t end) const {
    return std::none_of(gaps.begin(), gaps.end(),
                        [&](const gap& each) { return each.begin < end && begin < each.end; });
  }
};

}  // namespace

struct channeliser::impl {
  using values = std::vector<std::vector<delay_value>>;  // [spectrum][polarisation]

  impl(const queue& on, channeliser_spec given, std::int64_t first_sample, std::size_t kept_samples)
      : spec(std::move(given)),
        sizes(sizes_of(spec)),
        kept(static_cast<std::int64_t>(kept_samples)),
        form(form_of_samples(on.device().runs_on)),
        end(first_sample),
        input(on, spec.polarisations, bits_of(form, spec.sample_bits),
              input_capacity(sizes, kept_samples), first_sample),
        pols(spec.polarisations) {
    for (std::size_t p = 0; p < pols.size(); ++p) {
      levels.push_back({});
      levels.back().histogram.resize(std::size_t{1} << spec.sample_bits);
      if (spec.delays.empty()) continue;
      for (const delay_model& model : spec.delays[p]) pols[p].delays.add(model);
    }
    sample_planes planes{form, spec.sample_bits, input.plane_bytes()};
    if (spec.narrowband) {
      converter.emplace(on, spec, planes);
      next_output = converter->first_from(first_sample);
      decimated.emplace(on, spec.polarisations, bits_of(sample_form::complex, 0),
                        bank_capacity(sizes, kept_samples), next_output);
      planes = {sample_form::complex, 0, decimated->plane_bytes()};
    }
    bank.emplace(on, spec, planes);
  }

  channeliser_spec spec;
  channeliser_sizes sizes;
  std::int64_t kept;
  sample_form form;
  std::int64_t end;  ///< Of the samples that were taken.
  sample_store input;
  std::vector<polarisation> pols;
  std::optional<downconverter> converter;
  std::optional<sample_store> decimated;
  std::int64_t next_output = 0;  ///< Of the decimated samples.
  std::optional<filter_bank> bank;
  std::vector<input_level> levels;
  heap_counts counts;
  std::int64_t earliest = 0;  ///< Output time of the next heap, or before it.
  std::int64_t expected = -1;
  std::vector<std::byte> bytes;

  /// Returns the first input sample of windows that the bank still has.
  [[nodiscard]] std::int64_t bank_begin() const {
    return decimated ? decimated->begin() * static_cast<std::int64_t>(sizes.subsampling)
                     : input.begin();
  }

  [[nodiscard]] std::optional<std::int64_t> next_heap() const {
    std::vector<delay_schedule> schedules;
    for (const polarisation& pol : pols) schedules.push_back(pol.delays);
    return first_start(schedules,
                       {earliest, static_cast<std::int64_t>(sizes.heap_samples), bank_begin(),
                        static_cast<std::int64_t>(sizes.subsampling), sizes.evaluation_offset});
  }

  /// Returns the first input sample that later heaps may need.
  [[nodiscard]] std::int64_t keep_from() const {
    std::int64_t first = end;
    const auto t = next_heap();
    if (!t) return first - static_cast<std::int64_t>(sizes.window_samples) - kept;
    for (const polarisation& pol : pols) {
      first = std::min(first, value_at(pol, *t).input_start);
    }
    return first - kept;
  }

  [[nodiscard]] delay_value value_at(const polarisation& pol, std::int64_t t) const {
    return aligned(pol.delays.at(t, sizes.evaluation_offset),
                   static_cast<std::int64_t>(sizes.subsampling));
  }

  void take_piece(queue& on, std::vector<integers>& all, std::size_t from, std::size_t count) {
    const std::int64_t keep =
        converter ? next_output * static_cast<std::int64_t>(sizes.subsampling) : keep_from();
    if (!input.make_room(on, keep, count)) {
      throw plan_error(
          formatted("delays need samples from {} on and the last one is {}; state a "
                    "larger kept_samples",
                    keep, end));
    }
    for (std::size_t p = 0; p < pols.size(); ++p) {
      write_piece(p, std::span(all[p]).subspan(from, count));
      pols[p].forget_gaps_before(bank_begin());
    }
    end += static_cast<std::int64_t>(count);
    input.extend(end);
    if (converter) decimate(on);
  }

  void write_piece(std::size_t p, std::span<const std::int16_t> samples) {
    if (form != sample_form::packed) {
      const std::vector<float> reals(samples.begin(), samples.end());
      return input.write(p, end, reals.data(), reals.size() * sizeof(float));
    }
    integers& tail = pols[p].tail;
    const std::int64_t first = end - static_cast<std::int64_t>(tail.size());
    tail.insert(tail.end(), samples.begin(), samples.end());
    std::vector<std::byte> packed(packed_bytes(tail.size(), spec.sample_bits));
    pack_samples(tail, spec.sample_bits, 0, packed);
    input.write(p, first, packed.data(), packed.size());
    // Groups of eight count from where the store begins, which moves by eights.
    const auto whole =
        static_cast<std::size_t>(first - input.begin() + static_cast<std::int64_t>(tail.size())) /
        8 * 8;
    tail.erase(tail.begin(),
               tail.end() - (first - input.begin() + static_cast<std::int64_t>(tail.size()) -
                             static_cast<std::int64_t>(whole)));
  }

  void decimate(queue& on) {
    const std::int64_t stop = converter->end_of(end);
    if (stop <= next_output) return;
    const auto count = static_cast<std::size_t>(stop - next_output);
    if (!decimated->make_room(on, converter->first_from(keep_from()), count)) {
      throw plan_error(
          "delays need more decimated samples than are kept; state a larger "
          "kept_samples");
    }
    converter->run(on, input, *decimated, next_output, count);
    next_output = stop;
    decimated->extend(stop);
  }

  enum class fit { whole, ends, early };

  fit fit_at(std::int64_t t, values& of_heap, std::int64_t& early) const {
    for (std::size_t s = 0; s < sizes.spectra_per_heap; ++s) {
      const std::int64_t time = t + static_cast<std::int64_t>(s * sizes.spectrum_samples);
      std::vector<delay_value> of_spectrum;
      bool is_early = false, is_late = false;
      for (const polarisation& pol : pols) {
        of_spectrum.push_back(value_at(pol, time));
        const std::int64_t start = of_spectrum.back().input_start;
        is_early = is_early || start < bank_begin();
        is_late = is_late || start > end - static_cast<std::int64_t>(sizes.window_samples);
      }
      early = time;
      if (is_early) return fit::early;
      if (is_late) return fit::ends;
      of_heap.push_back(std::move(of_spectrum));
    }
    return fit::whole;
  }

  void hand_on(queue& on, const taker& take) {
    while (const auto t = hand_on_next(on, take, fit::whole)) {
      expected = earliest = *t + static_cast<std::int64_t>(sizes.heap_samples);
    }
  }

  /// Hands on the next heap that starts within the samples, if it fits as `wanted`. Returns its
  /// output time.
  std::optional<std::int64_t> hand_on_next(queue& on, const taker& take, fit wanted) {
    const auto hop = static_cast<std::int64_t>(sizes.heap_samples);
    while (const auto t = next_heap()) {
      values of_heap;
      std::int64_t early = 0;
      const fit found = fit_at(*t, of_heap, early);
      if (found == fit::early) {
        earliest = early + 1;
        continue;
      }
      if (found != wanted || of_heap.empty()) return std::nullopt;
      if (expected >= 0) counts.skipped += static_cast<std::uint64_t>((*t - expected) / hop);
      make_heap(on, *t, of_heap, take);
      return t;
    }
    return std::nullopt;
  }

  void make_heap(queue& on, std::int64_t t, const values& of_heap, const taker& take) {
    channelised_heap heap{.timestamp = t, .n_spectra = of_heap.size()};
    const auto window = static_cast<std::int64_t>(sizes.window_samples);
    bool is_touched = false;
    for (std::size_t p = 0; p < pols.size(); ++p) {
      const bool is_whole =
          std::all_of(of_heap.begin(), of_heap.end(), [&](const auto& of_spectrum) {
            const std::int64_t start = of_spectrum[p].input_start;
            return pols[p].is_whole(start, start + window);
          });
      heap.is_complete.push_back(is_whole);
      is_touched = is_touched || !is_whole;
    }
    if (is_touched && spec.missing == missing_policy::withhold) {
      ++counts.withheld;
      return;
    }
    std::vector<std::complex<float>> gains;
    const auto entries = entries_of(t, of_heap, gains);
    bank->run(on, decimated ? decimated->view() : input.view(), entries, gains);
    bank->read_heap(bytes);
    heap.bytes = bytes;
    heap.saturated = bank->saturated();
    ++counts.sent;
    if (take) take(heap);
  }

  std::vector<spectrum_entry> entries_of(std::int64_t t, const values& of_heap,
                                         std::vector<std::complex<float>>& gains) const {
    const std::size_t n_spectra = sizes.spectra_per_heap;
    std::vector<spectrum_entry> entries(pols.size() * n_spectra);
    const gain_change* in_force = nullptr;
    std::uint32_t n_sets = 0;
    for (std::size_t s = 0; s < of_heap.size(); ++s) {
      const std::int64_t time = t + static_cast<std::int64_t>(s * sizes.spectrum_samples);
      const gain_change* const now = gains_at(time);
      if (s == 0 || now != in_force) {
        add_gain_set(now, gains);
        ++n_sets;
        in_force = now;
      }
      for (std::size_t p = 0; p < pols.size(); ++p) {
        entries[p * n_spectra + s] = entry_of(of_heap[s][p], time, n_sets - 1);
      }
    }
    if (of_heap.size() == n_spectra) return entries;
    // Spectra without samples of their own repeat the first one, times 0.
    gains.resize(gains.size() + pols.size() * spec.channels);
    for (std::size_t p = 0; p < pols.size(); ++p) {
      spectrum_entry silent = entries[p * n_spectra];
      silent.gains = n_sets;
      std::fill(entries.begin() + static_cast<std::ptrdiff_t>(p * n_spectra + of_heap.size()),
                entries.begin() + static_cast<std::ptrdiff_t>((p + 1) * n_spectra), silent);
    }
    return entries;
  }

  [[nodiscard]] spectrum_entry entry_of(const delay_value& value, std::int64_t time,
                                        std::uint32_t gains) const {
    // The phase at the middle of the band, and from a channel to the next.
    constexpr double turn = 2 * std::numbers::pi;
    const std::size_t n = spec.channels;
    double phase = 0, slope = 0;
    std::int64_t first = 0;
    if (spec.narrowband) {
      const double channels = static_cast<double>(sizes.subsampling * sizes.transform);
      phase = narrowband_phase(value, 0, sizes.transform, sizes.subsampling);
      slope = -value.fine / channels;
      first = value.input_start / static_cast<std::int64_t>(sizes.subsampling) - decimated->begin();
    } else {
      phase = wideband_phase(value, n / 2, n);
      slope = -value.fine / (2 * static_cast<double>(n));
      first = value.input_start - input.begin();
    }
    return {static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(time),
            static_cast<float>(phase / turn), static_cast<float>(slope), gains};
  }

  [[nodiscard]] const gain_change* gains_at(std::int64_t t) const {
    const gain_change* found = nullptr;
    for (const gain_change& change : spec.gains) {
      if (change.start_samples <= t) found = &change;
    }
    return found;
  }

  /// Adds [polarisation][channel] of a change; ones before the first.
  void add_gain_set(const gain_change* change, std::vector<std::complex<float>>& gains) const {
    for (std::size_t p = 0; p < pols.size(); ++p) {
      if (change == nullptr) {
        gains.insert(gains.end(), spec.channels, 1.0F);
      } else if (change->gains[p].size() == 1) {
        gains.insert(gains.end(), spec.channels, change->gains[p].front());
      } else {
        gains.insert(gains.end(), change->gains[p].begin(), change->gains[p].end());
      }
    }
  }

  /// Sets missing samples to 0, and counts the others.
  void mark(std::vector<integers>& all, const samples& next) {
    for (std::size_t p = 0; p < all.size(); ++p) {
      input_level& level = levels[p];
      const std::size_t packet = next.present.empty() ? next.count : next.packet_samples;
      for (std::size_t first = 0; first < next.count; first += packet) {
        const std::size_t stop = std::min(first + packet, next.count);
        if (!next.present.empty() && !next.present[p][first / packet]) {
          std::fill(all[p].begin() + static_cast<std::ptrdiff_t>(first),
                    all[p].begin() + static_cast<std::ptrdiff_t>(stop), std::int16_t{0});
          pols[p].add_gap(end + static_cast<std::int64_t>(first),
                          end + static_cast<std::int64_t>(stop));
          continue;
        }
        level.n_samples += stop - first;
        const std::size_t zero = level.histogram.size() / 2;
        for (std::size_t i = first; i < stop; ++i) {
          const std::int64_t sample = all[p][i];
          level.sum_of_squares += static_cast<std::uint64_t>(sample * sample);
          ++level.histogram[zero + static_cast<std::size_t>(sample)];
        }
      }
    }
  }
};

double input_level::dbfs() const {
  if (sum_of_squares == 0) return std::numeric_limits<double>::lowest();
  const double full_scale = static_cast<double>(histogram.size() / 2 - 1);
  const double mean = static_cast<double>(sum_of_squares) / static_cast<double>(n_samples);
  return 10 * std::log10(mean / (full_scale * full_scale / 2));
}

channeliser::channeliser(const queue& on, channeliser_spec spec, std::int64_t first_sample,
                         std::size_t kept_samples) {
  validate(spec);
  constexpr std::size_t most_kept = std::size_t{1} << 32;
  if (first_sample < 0 || kept_samples > most_kept) {
    throw plan_error(
        formatted("the first sample is {} and {} are kept; give 0 or more, and at most "
                  "{}",
                  first_sample, kept_samples, most_kept));
  }
  impl_ = std::make_unique<impl>(on, std::move(spec), first_sample, kept_samples);
}
channeliser::channeliser(channeliser&&) noexcept = default;
channeliser& channeliser::operator=(channeliser&&) noexcept = default;
channeliser::~channeliser() = default;

const channeliser_spec& channeliser::spec() const {
  return require_owned(impl_, "channeliser").spec;
}
const channeliser_sizes& channeliser::sizes() const {
  return require_owned(impl_, "channeliser").sizes;
}
const std::vector<input_level>& channeliser::levels() const {
  return require_owned(impl_, "channeliser").levels;
}
const heap_counts& channeliser::counts() const {
  return require_owned(impl_, "channeliser").counts;
}
std::string channeliser::explain() const {
  return require_owned(impl_, "channeliser").bank->explain();
}

void channeliser::push(queue& on, const samples& next, const taker& take) {
  static_cast<void>(spec());
  impl& mine = *impl_;
  auto all = taken(mine.spec, next);
  mine.mark(all, next);
  for (std::size_t first = 0; first < next.count; first += piece_samples) {
    mine.take_piece(on, all, first, std::min(piece_samples, next.count - first));
    mine.hand_on(on, take);
  }
}

void channeliser::flush(queue& on, const taker& take) {
  static_cast<void>(spec());
  const std::uint64_t skipped = impl_->counts.skipped;
  const auto t = impl_->hand_on_next(on, take, impl::fit::ends);
  // A heap that is handed on again must not be counted as skipped again.
  if (t && impl_->counts.skipped != skipped) impl_->expected = *t;
}

std::int64_t channeliser::add_delay(std::size_t polarisation, const delay_model& model) {
  static_cast<void>(spec());
  if (polarisation >= impl_->pols.size()) {
    throw plan_error(formatted("polarisation {} gets a delay; there are {}, numbered from 0",
                               polarisation, impl_->pols.size()));
  }
  impl_->pols[polarisation].delays.add(model);
  return std::max(model.start_samples, impl_->earliest);
}

std::int64_t channeliser::add_gains(gain_change change) {
  static_cast<void>(spec());
  channeliser_spec changed = impl_->spec;
  std::erase_if(changed.gains, [&](const gain_change& each) {
    return each.start_samples >= change.start_samples;
  });
  const std::int64_t start = change.start_samples;
  changed.gains.push_back(std::move(change));
  validate(changed);
  impl_->spec.gains = std::move(changed.gains);
  return std::max(start, impl_->earliest);
}

}  // namespace wingbeat
