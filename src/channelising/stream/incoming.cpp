// SPDX-License-Identifier: Apache-2.0
#include "channelising/stream/incoming.hpp"

#include <algorithm>  // copy_n, fill_n, find, min, none_of
#include <utility>    // move

#include "arrays/view_part.hpp"                        // part_of
#include "channelising/arithmetic/delay_model.hpp"     // end_of_time
#include "channelising/arithmetic/packed_samples.hpp"  // pack_samples, unpack_samples
#include "channelising/spec.hpp"                       // parts_of
#include "text/formatted.hpp"                          // formatted
#include "text/reject.hpp"                             // reject

namespace wingbeat::channelising {
namespace {

bool has_no_data(const channeliser::samples& next) {
  return next.packed.empty() && next.integers.empty();
}

void require_flags(const channeliser_spec& spec, const channeliser::samples& next) {
  if (next.present.empty()) return;
  if (next.packet_samples == 0) reject("packets have 0 samples; give 1 or more");
  const std::size_t packets =
      next.count / next.packet_samples + (next.count % next.packet_samples > 0 ? 1 : 0);
  for (const auto& flags : next.present) {
    if (flags.size() == packets && next.present.size() == spec.polarisations) continue;
    reject(
        "{} packets of {} polarisations have flags; give one for each of {} "
        "of {}",
        flags.size(), next.present.size(), packets, spec.polarisations);
  }
}

/// Checks a push without data.
void require_all_missing(const channeliser::samples& next) {
  for (std::size_t p = 0; p < next.present.size(); ++p) {
    const std::vector<bool>& flags = next.present[p];
    const auto present = std::find(flags.begin(), flags.end(), true);
    if (present == flags.end()) continue;
    reject(
        "packet {} of polarisation {} is flagged as present, and neither packed samples "
        "nor integers are given; give them, or flag all packets as missing",
        present - flags.begin(), p);
  }
}

void require_within(const channeliser_spec& spec, std::span<const std::int16_t> samples,
                    std::size_t polarisation) {
  const unsigned bits = spec.sample_bits;
  const int most = (1 << (bits - 1)) - 1;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i] <= most && samples[i] >= -most - 1) continue;
    reject(
        "sample {} of polarisation {} is {}, which {} bits do not hold; give "
        "{} to {}",
        i / parts_of(spec), polarisation, samples[i], bits, -most - 1, most);
  }
}

void require_stream(const channeliser_spec& spec, std::size_t n_bytes, std::size_t n_samples,
                    std::size_t polarisation) {
  const std::size_t held = n_bytes * 8 / (parts_of(spec) * spec.sample_bits);
  if (held >= n_samples) return;
  reject("polarisation {} has {} bytes, which hold {} {}samples; give {}", polarisation, n_bytes,
         held, spec.complex_samples ? "complex " : "", n_samples);
}

void require_integers(const channeliser_spec& spec, std::span<const std::int16_t> integers,
                      std::size_t n_samples, std::size_t polarisation) {
  const std::size_t parts = parts_of(spec);
  reject_if(integers.size() / parts != n_samples || integers.size() % parts != 0,
            "polarisation {} has {} {}; give {}{}", polarisation, integers.size(),
            parts == 1 ? "samples" : "parts of samples", n_samples,
            parts == 1 ? "" : " samples, of two parts each");
  require_within(spec, integers, polarisation);
}

void require_samples(const channeliser_spec& spec, const channeliser::samples& next) {
  require_flags(spec, next);
  if (has_no_data(next)) return require_all_missing(next);
  const bool is_packed = !next.packed.empty();
  const std::size_t given = is_packed ? next.packed.size() : next.integers.size();
  reject_if(given != spec.polarisations || (is_packed && !next.integers.empty()),
            "{} packed and {} other polarisations are given; give {} of one", next.packed.size(),
            next.integers.size(), spec.polarisations);
  for (std::size_t p = 0; p < given; ++p) {
    if (is_packed) {
      require_stream(spec, next.packed[p].size(), next.count, p);
    } else {
      require_integers(spec, next.integers[p], next.count, p);
    }
  }
}

/// Shorter runs are read by the processor, because copies and launches for them would take longer.
constexpr std::size_t min_run = 1024;

/// This many pushes may be copied while the next arrives; a faster caller waits.
constexpr std::size_t max_kept = 1;

}  // namespace

incoming::incoming(const queue& on, const channeliser_spec& spec, std::size_t capacity,
                   std::int64_t first)
    : spec_(spec),
      engine_(backend::engine_of(on.device().runs_on)),
      reads_(engine_.read_samples({})),
      bits_(spec.sample_bits),
      parts_(parts_of(spec)),
      form_(form_of_samples(on.device().runs_on, spec.complex_samples)),
      end_(first),
      store_(on, spec.polarisations,
             form_ == sample_form::packed ? bits_ : 8 * unsigned{sizeof(float)},
             capacity * parts_of(spec), first * parts_, written_by::copies),
      levels_(spec.polarisations),
      gaps_(spec.polarisations),
      staged_(spec.polarisations, {first * parts_}) {
  for (input_level& level : levels_) {
    level.parts = parts_of(spec);
    level.histogram.resize(std::size_t{1} << bits_);
  }
  if (form_ != sample_form::packed) return;
  counter_.emplace(on, histogram_for(bits_, on.device()), spec.polarisations);
}

incoming::~incoming() {
  end_copies();
}

void incoming::keep(std::shared_ptr<const void> owner) {
  if (const auto copied = store_.last_write()) kept_.push_back({std::move(owner), copied});
  while (!kept_.empty() && (kept_.size() > max_kept || kept_.front().copied->is_reached())) {
    kept_.front().copied->wait();
    kept_.pop_front();
  }
}

void incoming::wait_for_copies() {
  store_.wait_for_writes();
  kept_.clear();
}

void incoming::end_copies() noexcept {
  try {
    wait_for_copies();
  } catch (...) {
    kept_.clear();
  }
}

const std::vector<input_level>& incoming::levels() {
  if (counter_) counter_->collect(levels_);
  return levels_;
}

std::string incoming::explain() const {
  if (!counter_) return {};
  return formatted(
      "input: runs of {} packed samples and more are copied as they are, and read once more by a "
      "launch that counts their values\n",
      min_run);
}

template <class Call>
void incoming::by_runs(const channeliser::samples& next, std::size_t begin, std::size_t end,
                       Call call) const {
  const bool are_there = !has_no_data(next);
  const std::size_t parts = parts_of(spec_);
  for (std::size_t p = 0; p < spec_.polarisations; ++p) {
    if (next.present.empty()) {
      call(run{p, parts * begin, parts * end, are_there});
      continue;
    }
    const std::vector<bool>& flags = next.present[p];
    for (std::size_t first = begin, stop = begin; first < end; first = stop) {
      const bool is_present = flags[first / next.packet_samples];
      while (stop < end && flags[stop / next.packet_samples] == is_present) {
        stop = std::min((stop / next.packet_samples + 1) * next.packet_samples, end);
      }
      call(run{p, parts * first, parts * stop, is_present});
    }
  }
}

void incoming::accept(const channeliser::samples& next) {
  reject_if(next.count > static_cast<std::size_t>(end_of_time - end_),
            "{} samples follow sample {}; samples are numbered up to {}", next.count, end_,
            end_of_time);
  require_samples(spec_, next);
  by_runs(next, 0, next.count, [&](const run& each) {
    if (each.is_present) return;
    add_gap(each.polarisation, {end_ + static_cast<std::int64_t>(each.first) / parts_,
                                end_ + static_cast<std::int64_t>(each.stop) / parts_});
  });
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

bool incoming::append(queue& on, const channeliser::samples& next, std::size_t begin,
                      std::size_t count_all, std::int64_t keep) {
  const std::size_t parts = parts_of(spec_);
  if (!store_.make_room(on, keep * parts_, count_all * parts)) return false;
  by_runs(next, begin, begin + count_all, [&](const run& each) {
    if (each.is_present) levels_[each.polarisation].n_samples += (each.stop - each.first) / parts;
    if (!reads_) take(next, each);
  });
  if (reads_) {
    on.wait();
    read(next, begin, count_all);
  } else {
    for (std::size_t p = 0; p < staged_.size(); ++p) write_staged(p);
    store_.publish(on);
    count_copied(on);
  }
  end_ += static_cast<std::int64_t>(count_all);
  store_.extend(end_ * parts_);
  return true;
}

void incoming::read(const channeliser::samples& next, std::size_t begin, std::size_t count_all) {
  std::vector<backend::sample_run> runs;
  const std::int64_t index = (end_ - static_cast<std::int64_t>(begin)) * parts_;
  by_runs(next, begin, begin + count_all, [&](const run& each) {
    const std::size_t p = each.polarisation, n = each.stop - each.first;
    const buffer_view plane = store_.at(p, index + static_cast<std::int64_t>(each.first));
    auto* const out =
        reinterpret_cast<float*>(static_cast<std::byte*>(plane.handle) + plane.offset_bytes);
    if (!each.is_present) {
      std::fill_n(out, n, 0.0F);
      return;
    }
    backend::sample_run read{.bits = bits_,
                             .first = each.first,
                             .count = n,
                             .out = out,
                             .histogram = levels_[p].histogram.data(),
                             .sum_of_squares = &levels_[p].sum_of_squares};
    if (next.packed.empty()) {
      read.integers = next.integers[p].data();
    } else {
      read.packed = next.packed[p];
    }
    runs.push_back(read);
  });
  static_cast<void>(engine_.read_samples(runs));
}

void incoming::take(const channeliser::samples& next, const run& taken) {
  const run whole = whole_bytes(next, taken);
  run before = taken, behind = taken;
  before.stop = whole.first;
  behind.first = whole.stop;
  stage(next, before);
  if (whole.first < whole.stop) {
    write_staged(taken.polarisation);  // which end with a whole group
    take_whole_bytes(next, whole);
  }
  stage(next, behind);
}

incoming::run incoming::whole_bytes(const channeliser::samples& next, const run& taken) const {
  run whole = taken;
  whole.first = taken.stop;
  if (form_ != sample_form::packed || (taken.is_present && next.packed.empty())) return whole;
  // Groups of eight samples begin at a byte, groups of 32 at a word, the unit in which memory is
  // cleared.
  const std::size_t group = taken.is_present ? 8 : 32;
  const staged_samples& staged = staged_[taken.polarisation];
  const auto before =
      static_cast<std::size_t>(staged.begin - store_.begin()) + staged.samples.size();
  const std::size_t first = taken.first + (group - before % group) % group;
  if (first >= taken.stop || (taken.is_present && first % 8 * bits_ % 8 != 0)) return whole;
  const std::size_t stop = first + (taken.stop - first) / group * group;
  if (stop - first < min_run) return whole;
  return {taken.polarisation, first, stop, taken.is_present};
}

void incoming::take_whole_bytes(const channeliser::samples& next, const run& taken) {
  const std::size_t p = taken.polarisation, n = taken.stop - taken.first;
  std::int64_t& index = staged_[p].begin;
  const std::size_t size_bytes = n / 8 * bits_;
  if (taken.is_present) {
    const std::size_t first_byte = taken.first / 8 * bits_ + taken.first % 8 * bits_ / 8;
    store_.write_later(p, index, &next.packed[p][first_byte], size_bytes);
    copied_.push_back({p, n, index});
  } else {
    store_.clear(p, index, size_bytes);
  }
  index += static_cast<std::int64_t>(n);
}

void incoming::count_copied(queue& on) {
  for (const copied_samples& each : copied_) {
    const auto plane =
        part_of(store_.at(each.polarisation, store_.begin()), 0, store_.plane_bytes());
    counter_->enqueue(on, each.polarisation, plane,
                      static_cast<std::size_t>(each.begin - store_.begin()), each.count);
  }
  copied_.clear();
}

void incoming::stage(const channeliser::samples& next, const run& taken) {
  const std::size_t p = taken.polarisation, n = taken.stop - taken.first;
  std::vector<std::int16_t>& samples = staged_[p].samples;
  samples.resize(samples.size() + n);  // missing ones are 0
  if (!taken.is_present) return;
  const std::span<std::int16_t> added = std::span(samples).last(n);
  if (next.packed.empty()) {
    std::copy_n(next.integers[p].begin() + static_cast<std::ptrdiff_t>(taken.first), n,
                added.begin());
  } else {
    unpack_samples(next.packed[p], bits_, taken.first, added);
  }
  count(p, added);
}

void incoming::write_staged(std::size_t polarisation) {
  auto& [begin, samples] = staged_[polarisation];
  if (form_ != sample_form::packed) {
    const std::vector<float> reals(samples.begin(), samples.end());
    store_.write(polarisation, begin, reals.data(), reals.size() * sizeof(float));
    begin += static_cast<std::int64_t>(samples.size());
    samples.clear();
    return;
  }
  // Groups of eight are counted from the beginning of the store, which moves by multiples of eight.
  std::vector<std::byte> packed(packed_bytes(samples.size(), bits_));
  pack_samples(samples, bits_, 0, packed);
  store_.write(polarisation, begin, packed.data(), packed.size());
  const auto n_whole = static_cast<std::ptrdiff_t>(samples.size() / 8 * 8);
  samples.erase(samples.begin(), samples.begin() + n_whole);
  begin += n_whole;
}

void incoming::restart(std::int64_t first) {
  end_ = first;
  store_.restart(first * parts_);
  for (auto& gaps : gaps_) gaps.clear();
  for (staged_samples& staged : staged_) staged = {first * parts_};
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
