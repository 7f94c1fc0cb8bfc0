// SPDX-License-Identifier: Apache-2.0
#include "channelising/incoming.hpp"

#include <algorithm>  // fill, min, none_of

#include "channelising/packed_samples.hpp"  // pack_samples, unpack_samples
#include "formatted.hpp"                    // formatted
#include "wingbeat/error.hpp"               // plan_error

namespace wingbeat::channelising {
namespace {

bool are_all_missing(const channeliser::samples& next) {
  return next.packed.empty() && next.integers.empty() && next.present.empty();
}

void require_flags(const channeliser_spec& spec, const channeliser::samples& next) {
  if (next.present.empty()) return;
  if (next.packet_samples == 0) throw plan_error("packets have 0 samples; give 1 or more");
  const std::size_t packets = (next.count + next.packet_samples - 1) / next.packet_samples;
  for (const auto& flags : next.present) {
    if (flags.size() == packets && next.present.size() == spec.polarisations) continue;
    throw plan_error(
        formatted("{} packets of {} polarisations have flags; give one for each of {} "
                  "of {}",
                  flags.size(), next.present.size(), packets, spec.polarisations));
  }
}

void require_within(std::span<const std::int16_t> samples, std::size_t polarisation,
                    unsigned bits) {
  const int most = (1 << (bits - 1)) - 1;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i] <= most && samples[i] >= -most - 1) continue;
    throw plan_error(
        formatted("sample {} of polarisation {} is {}, which {} bits do not hold; give "
                  "{} to {}",
                  i, polarisation, samples[i], bits, -most - 1, most));
  }
}

void require_samples(const channeliser_spec& spec, const channeliser::samples& next) {
  if (are_all_missing(next)) return;
  const bool is_packed = !next.packed.empty();
  const std::size_t given = is_packed ? next.packed.size() : next.integers.size();
  if (given != spec.polarisations || (is_packed && !next.integers.empty())) {
    throw plan_error(formatted("{} packed and {} other polarisations are given; give {} of one",
                               next.packed.size(), next.integers.size(), spec.polarisations));
  }
  require_flags(spec, next);
  for (std::size_t p = 0; p < given; ++p) {
    if (is_packed) {
      require_packed(next.packed[p].size(), spec.sample_bits, 0, next.count);
      continue;
    }
    if (next.integers[p].size() != next.count) {
      throw plan_error(formatted("polarisation {} has {} samples; give {}", p,
                                 next.integers[p].size(), next.count));
    }
    require_within(next.integers[p], p, spec.sample_bits);
  }
}

/// Calls `call(polarisation, first, end, is_present)` with the packets that samples `from` to `end`
/// lie in, of each polarisation.
template <class Call>
void by_packets(const channeliser_spec& spec, const channeliser::samples& next, std::size_t from,
                std::size_t end, Call call) {
  const bool has_flags = !next.present.empty(), are_there = !are_all_missing(next);
  for (std::size_t p = 0; p < spec.polarisations; ++p) {
    for (std::size_t first = from, stop = end; first < end; first = stop) {
      const std::size_t packet = has_flags ? first / next.packet_samples : 0;
      stop = has_flags ? std::min((packet + 1) * next.packet_samples, end) : end;
      call(p, first, stop, has_flags ? next.present[p][packet] : are_there);
    }
  }
}

}  // namespace

incoming::incoming(const queue& on, const channeliser_spec& spec, std::size_t capacity,
                   std::int64_t first)
    : spec_(spec),
      engine_(backend::engine_of(on.device().runs_on)),
      reads_(engine_.read_samples({})),
      bits_(spec.sample_bits),
      form_(form_of_samples(on.device().runs_on)),
      end_(first),
      store_(on, spec.polarisations,
             form_ == sample_form::packed ? bits_ : 8 * unsigned{sizeof(float)}, capacity, first),
      levels_(spec.polarisations),
      gaps_(spec.polarisations),
      tails_(spec.polarisations) {
  for (input_level& level : levels_) level.histogram.resize(std::size_t{1} << bits_);
}

void incoming::accept(const channeliser::samples& next) {
  require_samples(spec_, next);
  by_packets(spec_, next, 0, next.count,
             [&](std::size_t p, std::size_t first, std::size_t stop, bool is_present) {
               if (is_present) return;
               add_gap(p, {end_ + static_cast<std::int64_t>(first),
                           end_ + static_cast<std::int64_t>(stop)});
             });
  if (reads_) return;
  accepted_.assign(spec_.polarisations, std::vector<std::int16_t>(next.count));
  if (are_all_missing(next)) return;
  for (std::size_t p = 0; p < accepted_.size(); ++p) {
    if (next.packed.empty()) {
      accepted_[p].assign(next.integers[p].begin(), next.integers[p].end());
    } else {
      unpack_samples(next.packed[p], bits_, 0, accepted_[p]);
    }
  }
}

void incoming::add_gap(std::size_t polarisation, gap missing) {
  auto& gaps = gaps_[polarisation];
  if (!gaps.empty() && gaps.back().end == missing.begin) {
    gaps.back().end = missing.end;
  } else {
    gaps.push_back(missing);
  }
}

void incoming::count(std::size_t polarisation, std::span<const std::int16_t> samples) {
  input_level& level = levels_[polarisation];
  const std::size_t zero = level.histogram.size() / 2;
  for (const std::int64_t sample : samples) {
    level.sum_of_squares += static_cast<std::uint64_t>(sample * sample);
    ++level.histogram[zero + static_cast<std::size_t>(sample)];
  }
}

bool incoming::append(queue& on, const channeliser::samples& next, std::size_t from,
                      std::size_t count_all, std::int64_t keep) {
  if (!store_.make_room(on, keep, count_all)) return false;
  by_packets(spec_, next, from, from + count_all,
             [&](std::size_t p, std::size_t first, std::size_t stop, bool is_present) {
               if (is_present) levels_[p].n_samples += stop - first;
               if (reads_) return;
               const auto samples = std::span(accepted_[p]).subspan(first, stop - first);
               if (is_present) return count(p, samples);
               std::fill(samples.begin(), samples.end(), std::int16_t{0});
             });
  if (reads_) {
    on.wait();
    read(next, from, count_all);
  } else {
    for (std::size_t p = 0; p < accepted_.size(); ++p) {
      write(p, std::span(accepted_[p]).subspan(from, count_all));
    }
  }
  end_ += static_cast<std::int64_t>(count_all);
  store_.extend(end_);
  return true;
}

void incoming::read(const channeliser::samples& next, std::size_t from, std::size_t count_all) {
  std::vector<backend::sample_run> runs;
  by_packets(spec_, next, from, from + count_all,
             [&](std::size_t p, std::size_t first, std::size_t stop, bool is_present) {
               const buffer_view at = store_.at(p, end_ + static_cast<std::int64_t>(first - from));
               auto* const out =
                   reinterpret_cast<float*>(static_cast<std::byte*>(at.handle) + at.offset_bytes);
               if (!is_present) {
                 std::fill_n(out, stop - first, 0.0F);
                 return;
               }
               backend::sample_run run{.bits = bits_,
                                       .first = first,
                                       .count = stop - first,
                                       .out = out,
                                       .histogram = levels_[p].histogram.data(),
                                       .sum_of_squares = &levels_[p].sum_of_squares};
               if (next.packed.empty()) {
                 run.integers = next.integers[p].data();
               } else {
                 run.packed = next.packed[p];
               }
               runs.push_back(run);
             });
  static_cast<void>(engine_.read_samples(runs));
}

void incoming::write(std::size_t polarisation, std::span<const std::int16_t> samples) {
  if (form_ != sample_form::packed) {
    const std::vector<float> reals(samples.begin(), samples.end());
    return store_.write(polarisation, end_, reals.data(), reals.size() * sizeof(float));
  }
  // Groups of eight count from where the store begins, which moves by eights.
  std::vector<std::int16_t>& tail = tails_[polarisation];
  const std::int64_t first = end_ - static_cast<std::int64_t>(tail.size());
  tail.insert(tail.end(), samples.begin(), samples.end());
  std::vector<std::byte> packed(packed_bytes(tail.size(), bits_));
  pack_samples(tail, bits_, 0, packed);
  store_.write(polarisation, first, packed.data(), packed.size());
  tail.erase(tail.begin(), tail.end() - static_cast<std::ptrdiff_t>(tail.size() % 8));
}

void incoming::restart(std::int64_t first) {
  end_ = first;
  store_.restart(first);
  for (auto& gaps : gaps_) gaps.clear();
  for (auto& tail : tails_) tail.clear();
}

bool incoming::is_whole(std::size_t polarisation, std::int64_t begin, std::int64_t end) const {
  const auto& gaps = gaps_[polarisation];
  return std::none_of(gaps.begin(), gaps.end(),
                      [&](const gap& each) { return each.begin < end && begin < each.end; });
}

void incoming::forget_gaps_before(std::int64_t index) {
  for (auto& gaps : gaps_) {
    std::erase_if(gaps, [&](const gap& each) { return each.end <= index; });
  }
}

}  // namespace wingbeat::channelising
