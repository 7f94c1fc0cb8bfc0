// SPDX-License-Identifier: Apache-2.0
#include "distributing/phases.hpp"

#include <algorithm>  // find, max, min
#include <bit>        // bit_width
#include <cmath>      // sqrt
#include <complex>
#include <span>     // as_bytes
#include <utility>  // move

#include "arrays/array.hpp"                // bytes_of_real
#include "distributing/boxes.hpp"          // bytes_of_share
#include "distributing/part_functors.hpp"  // load_of_part, store_of_part
#include "functors/device_functor.hpp"     // device_functor
#include "request/resolved.hpp"            // factor_of
#include "request/traits.hpp"              // traits_of, count_of
#include "wingbeat/roots.hpp"              // root

namespace wingbeat::distributing {
namespace {

using device::functors::exchange_store;

/// Columns up to this length take one pass, which stores 16 neighbours together. With several
/// passes, the last one stores elements of one column, 8 bytes each to another row.
constexpr std::size_t max_column = 1024;

bool contains(const std::vector<std::size_t>& axes, std::size_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

/// Returns the distance from element to element of each axis, packed.
std::vector<std::size_t> strides_of(const std::vector<std::size_t>& lengths) {
  std::vector<std::size_t> strides(lengths.size(), 1);
  for (std::size_t i = lengths.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * lengths[i + 1];
  return strides;
}

/// Returns the layout of packed arrays for a transform of some axes, with the other axes as its
/// batch.
memory_layout layout_of(const std::vector<std::size_t>& lengths,
                        const std::vector<std::size_t>& axes) {
  const std::vector<std::size_t> strides = strides_of(lengths);
  memory_layout layout{.distances = {strides[0] * lengths[0]}};
  for (std::size_t axis = 0; axis < lengths.size(); ++axis) {
    (contains(axes, axis) ? layout.strides : layout.distances).push_back(strides[axis]);
  }
  return layout;
}

/// Puts the elements of an axis that are in memory into a phase's description of one side.
void put(const index_range& range, std::size_t axis, std::vector<std::size_t>& counts,
         std::vector<std::size_t>& firsts) {
  counts[axis] = range.end - range.first;
  firsts[axis] = range.first;
}

/// Returns the exponent bits of the first of two tables of roots.
unsigned fine_bits_of(std::size_t n) {
  return (static_cast<unsigned>(std::bit_width(n - 1)) + 1) / 2;
}

/// Returns the ranges of a plan's side along the axes that it transforms; empty if all is in
/// memory.
std::vector<index_range> valid_of(const std::vector<std::size_t>& lengths, request::domain side,
                                  const std::vector<std::size_t>& axes,
                                  const std::vector<std::size_t>& counts,
                                  const std::vector<std::size_t>& firsts) {
  const std::vector<std::size_t> elements = elements_of(lengths, side);
  std::vector<index_range> ranges;
  bool is_whole = true;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    ranges.push_back({firsts[axes[i]], firsts[axes[i]] + counts[axes[i]]});
    is_whole &= counts[axes[i]] == elements[i];
  }
  return is_whole ? std::vector<index_range>{} : ranges;
}

std::vector<std::size_t> firsts_of(const std::vector<index_range>& ranges) {
  std::vector<std::size_t> firsts;
  for (const index_range& each : ranges) firsts.push_back(each.first);
  return firsts;
}

template <class Real>
std::vector<std::byte> roots_as(std::size_t n) {
  const std::size_t fine = std::size_t{1} << fine_bits_of(n);
  std::vector<std::complex<Real>> roots;
  const auto add = [&](std::size_t e) { roots.push_back(std::complex<Real>(root(e, n))); };
  for (std::size_t e = 0; e < fine; ++e) add(e);
  for (std::size_t e = 0; e < n; e += fine) add(e);
  const auto bytes = std::as_bytes(std::span{roots});
  return {bytes.begin(), bytes.end()};
}

/// Returns the phases of a transform of one axis.
std::vector<phase> phases_of_one_axis(const plan_spec& spec) {
  const std::size_t first = request::traits_of(spec.kind).is_forward ? 0 : 1, second = 1 - first;
  return {{.axes = {first}, .cut = second, .next_cut = first, .kind = spec.kind},
          {.axes = {second}, .cut = first, .kind = spec.kind}};
}

}  // namespace

std::vector<std::size_t> elements_of(std::vector<std::size_t> lengths, request::domain side) {
  lengths.back() = request::count_of(side, lengths.back());
  return lengths;
}

std::vector<index_range> ranges_of(const std::vector<std::size_t>& lengths,
                                   const std::vector<index_range>& valid, request::domain side) {
  if (!valid.empty()) return valid;
  std::vector<index_range> ranges;
  for (const std::size_t length : elements_of(lengths, side)) ranges.push_back({0, length});
  return ranges;
}

std::vector<std::size_t> cut_lengths(const plan_spec& spec) {
  const request::traits& kind = request::traits_of(spec.kind);
  if (kind.is_real_to_real() || spec.bins != bin_order::natural) return {};
  if (spec.lengths.size() > 1) return spec.lengths;
  const std::size_t n = spec.lengths[0];
  if (kind.is_real()) return {};
  auto first = std::min(static_cast<std::size_t>(std::sqrt(static_cast<double>(n))), max_column);
  while (first > 1 && n % first != 0) --first;
  if (first <= 1) return {};
  return {first, n / first};
}

std::vector<std::size_t> column_lengths(const plan_spec& spec, bin_distribution bins,
                                        std::size_t ranks) {
  const request::traits& kind = request::traits_of(spec.kind);
  const bool is_whole = spec.valid_in.empty() && spec.valid_out.empty();
  const bool is_plain = is_whole && !spec.load.is_given() && !spec.store.is_given();
  const bool has_form = spec.lengths.size() == 2 && kind.is_forward && !kind.is_real();
  if (!has_form || bins != bin_distribution::transposed) return {};
  const std::size_t n = spec.lengths[0];
  if (!is_plain || n <= max_column || spec.lengths[1] < 2 * ranks) return {};
  auto first = std::min(static_cast<std::size_t>(std::sqrt(static_cast<double>(n))), max_column);
  while (first > 1 && (n % first != 0 || first % ranks != 0)) --first;
  if (first <= 1 || n / first > max_column) return {};
  return {first, n / first};
}

std::vector<phase> phases_of(const plan_spec& spec, const std::vector<std::size_t>& lengths,
                             bin_distribution bins, handover way) {
  const request::traits& kind = request::traits_of(spec.kind);
  const bool is_natural = bins == bin_distribution::natural;
  const bool is_to_reals = kind.out == request::domain::real;
  std::vector<std::size_t> behind_first{1};
  if (lengths.size() == 3) behind_first.push_back(2);
  std::vector<phase> phases;
  if (lengths.size() == 3 && spec.lengths.size() == 2) {
    phases = {{.axes = {2}, .cut = 0, .next_cut = 2, .kind = spec.kind, .chunked = 1},
              {.axes = {0}, .cut = 2, .kind = kind.other_axes, .chunked = 1, .begins_column = true},
              {.axes = {1}, .cut = 2, .kind = kind.other_axes, .ends_column = true}};
  } else if (spec.lengths.size() == 1) {
    phases = phases_of_one_axis(spec);
  } else if (kind.is_forward || (is_natural && !is_to_reals)) {
    phases = {{.axes = behind_first, .cut = 0, .next_cut = 1, .kind = spec.kind},
              {.axes = {0}, .cut = 1, .kind = kind.other_axes}};
    if (is_natural) phases.back().next_cut = 0;
  } else if (!is_natural && !is_to_reals && lengths.size() == 3 && way == handover::copies) {
    phases = {{.axes = {0, 2}, .cut = 1, .next_cut = 0, .kind = spec.kind},
              {.axes = {1}, .cut = 0, .kind = spec.kind}};
  } else if (!is_natural && !is_to_reals && lengths.size() == 3) {
    // The last axis comes before the exchange, because its rows then stay whole.
    phases = {{.axes = {0}, .cut = 1, .kind = spec.kind},
              {.axes = {2}, .cut = 1, .next_cut = 0, .kind = spec.kind},
              {.axes = {1}, .cut = 0, .kind = spec.kind}};
  } else if (!is_natural) {
    phases = {{.axes = {0}, .cut = 1, .next_cut = 0, .kind = kind.other_axes},
              {.axes = behind_first, .cut = 0, .kind = spec.kind}};
  } else {
    phases = {{.axes = {1}, .cut = 0, .next_cut = 1, .kind = kind.other_axes},
              {.axes = {0}, .cut = 1, .next_cut = 0, .kind = kind.other_axes},
              {.axes = {2}, .cut = 0, .kind = spec.kind}};
  }
  const std::vector<index_range> in = ranges_of(lengths, spec.valid_in, kind.in);
  const std::vector<index_range> out = ranges_of(lengths, spec.valid_out, kind.out);
  std::vector<std::size_t> counts(lengths.size()), firsts(lengths.size());
  for (std::size_t axis = 0; axis < lengths.size(); ++axis) put(in[axis], axis, counts, firsts);
  for (phase& each : phases) {
    each.in = counts;
    each.in_first = firsts;
    for (const std::size_t axis : each.axes) put(out[axis], axis, counts, firsts);
    each.out = counts;
    each.out_first = firsts;
  }
  return phases;
}

phased_transform::phased_transform(plan_spec spec, bin_distribution bins, std::size_t ranks,
                                   handover way, std::size_t workgroups)
    : spec_(std::move(spec)),
      lengths_(cut_lengths(spec_)),
      ranks_(ranks),
      inner_(lengths_),
      way_(way),
      workgroups_(workgroups) {
  if (way_ == handover::beside) {
    const std::vector<std::size_t> column = column_lengths(spec_, bins, ranks_);
    way_ = column.empty() ? handover::copies : way_;
    if (!column.empty()) inner_ = {column[0], column[1], lengths_[1]};
  }
  phases_ = phases_of(spec_, inner_, bins, way_);
}

bool phased_transform::has_follower(std::size_t number) const {
  return number + 1 < phases_.size() && phases_[number + 1].begins_column;
}

bool phased_transform::has_twiddles(std::size_t number) const {
  const phase& part = phases_[number];
  return part.begins_column || (part.next_cut && spec_.lengths.size() == 1);
}

std::vector<std::byte> phased_transform::roots() const {
  if (spec_.lengths.size() > 1 && !has_columns_of_two()) return {};
  return spec_.real == precision::fp64 ? roots_as<double>(spec_.lengths[0])
                                       : roots_as<float>(spec_.lengths[0]);
}

index_range phased_transform::chunk_range(std::size_t number, std::size_t rank) const {
  const phase& part = phases_[number];
  if (!part.chunked) return share(number, rank);
  return {0, part.in[*part.chunked]};
}

std::vector<std::size_t> phased_transform::store_numbers(std::size_t number, std::size_t rank,
                                                         const index_range& chunk,
                                                         bool is_packed) const {
  const phase& part = phases_[number];
  if (part.begins_column) return {0, chunk.first, chunk.first};
  if (!part.next_cut) return {};
  const std::size_t columns = part.chunked ? part.in[*part.chunked] : 1;
  const std::size_t begin = share(number, rank).first * columns + chunk.first;
  return {rank, begin, is_packed ? 0 : begin};
}

index_range phased_transform::share(std::size_t number, std::size_t rank) const {
  const phase& part = phases_[number];
  return share_of(part.in[part.cut], rank, ranks_);
}

precision phased_transform::computed() const {
  return spec_.real == precision::fp64 ? precision::fp64 : precision::fp32;
}

std::size_t phased_transform::complex_bytes() const {
  return 2 * bytes_of_real(computed());
}

device::functors::exchange_numbers phased_transform::exchange(const phase& part, std::size_t count,
                                                              bool is_packed) const {
  const bool has_rest = part.out.size() == 3;
  return {.cut = part.out[*part.next_cut],
          .ranks = ranks_,
          .whole = part.out[part.cut],
          .own = count,
          .rest = has_rest ? part.out[2] : 1,
          .cuts_first = *part.next_cut == 0,
          .has_twiddles = spec_.lengths.size() == 1,
          .is_inverse = !request::traits_of(spec_.kind).is_forward,
          .fine_bits = spec_.lengths.size() == 1 ? fine_bits_of(spec_.lengths[0]) : 0,
          .is_packed = is_packed,
          .batch = spec_.batch,
          .rest_in_row = has_rest && !contains(part.axes, 2),
          .cut_in_row = !contains(part.axes, *part.next_cut)};
}

device::functors::exchange_numbers phased_transform::exchange_in_columns(std::size_t number,
                                                                         std::size_t rank,
                                                                         std::size_t count) const {
  const phase& part = phases_[number];
  const index_range own = share(number, rank);
  const std::size_t in_share = own.end - own.first;
  if (!part.begins_column) {
    return {.cut = part.out[2],
            .ranks = ranks_,
            .whole = part.out[0] * part.out[1],
            .own = in_share * count,
            .block = count,
            .block_stride = part.out[1]};
  }
  return {.cut = part.out[0],
          .whole = part.out[1],
          .own = count,
          .rest = in_share,
          .cuts_first = true,
          .has_twiddles = true,
          .fine_bits = fine_bits_of(spec_.lengths[0]),
          .rest_in_row = true};
}

array_part phased_transform::part_of(std::size_t number, std::size_t rank, bool is_in) const {
  const phase& part = phases_[number];
  const request::traits& kind = request::traits_of(spec_.kind);
  const std::vector<std::size_t>& counts = is_in ? part.in : part.out;
  const index_range own = share(number, rank);
  array_part result{{1, 1, 1}, {}, {1, 1, 1}, {}, 0, false};
  const std::size_t n_missing = 3 - counts.size();
  for (std::size_t axis = 0; axis < counts.size(); ++axis) {
    const std::size_t i = n_missing + axis;
    result.length[i] = result.count[i] = counts[axis];
    result.is_transformed[i] = contains(part.axes, axis);
  }
  result.first[n_missing + part.cut] = own.first;
  result.count[n_missing + part.cut] = own.end - own.first;
  result.has_bins_of_one_axis = spec_.lengths.size() == 1 && is_in != kind.is_forward;
  return result;
}

plan_spec phased_transform::transforms(std::size_t number, std::size_t rank, std::size_t count,
                                       bool is_packed) const {
  const phase& part = phases_[number];
  const index_range own = share(number, rank);
  std::vector<std::size_t> in = part.in, out = part.out, batch{spec_.batch};
  in[part.cut] = out[part.cut] = own.end - own.first;
  plan_spec result;
  result.kind = part.kind;
  result.real = computed();
  for (std::size_t axis = 0; axis < in.size(); ++axis) {
    if (contains(part.axes, axis)) {
      result.lengths.push_back(inner_[axis]);
    } else {
      batch.push_back(axis == part.chunk_axis() ? count : in[axis]);
    }
  }
  result.batch = batch_shape{batch};
  result.in = layout_of(in, part.axes);
  const request::traits& kind = request::traits_of(part.kind);
  result.valid_in = valid_of(result.lengths, kind.in, part.axes, part.in, part.in_first);
  result.valid_out = valid_of(result.lengths, kind.out, part.axes, part.out, part.out_first);
  result.in.origin = firsts_of(result.valid_in);
  if (number == 0) result.in.stored = spec_.in.stored.value_or(spec_.real);
  if (has_load(number)) {
    result.load = load_of_part(
        spec_.load, part_of(number, rank, /*is_in=*/true),
        bytes_of_share(spec_.load.in_bytes, spec_.load.element_bytes, count, part.in[part.cut]));
    result.in = {};
  }
  if (number + 1 == phases_.size()) {
    result.factor = static_cast<double>(request::factor_of(spec_));
  }
  if (!part.next_cut && !part.begins_column) {
    result.out = layout_of(out, part.axes);
    if (part.ends_column) {
      result.out.strides = {out[0] * out[2]};
      result.out.distances[1] = out[2];
    }
    result.out.origin = firsts_of(result.valid_out);
    if (number + 1 == phases_.size()) result.out.stored = spec_.out.stored.value_or(spec_.real);
    if (!spec_.store.is_given() || number + 1 < phases_.size()) return result;
    result.store = store_of_part(spec_.store, part_of(number, rank, /*is_in=*/false),
                                 bytes_of_share(spec_.store.out_bytes, spec_.store.element_bytes,
                                                count, part.out[part.cut]));
    result.out = {};
    return result;
  }
  const auto numbers =
      part.chunked ? exchange_in_columns(number, rank, count) : exchange(part, count, is_packed);
  out[part.chunk_axis()] = count;
  result.store = spec_.real == precision::fp64
                     ? device_functor<exchange_store<double>>{numbers}.store<std::complex<double>>()
                     : device_functor<exchange_store<float>>{numbers}.store<std::complex<float>>();
  result.store.out_bytes = std::max(left_bytes(number, rank), complex_bytes());
  result.store.moved_bytes = spec_.batch * complex_bytes();
  for (const std::size_t length : out) result.store.moved_bytes *= length;
  if (has_follower(number)) result.store.max_workgroups = workgroups_;
  return result;
}

std::size_t phased_transform::stride_bytes(std::size_t number, std::size_t rank) const {
  const phase& part = phases_[number];
  const index_range own = share(number, rank);
  std::vector<std::size_t> in = part.in;
  in[part.cut] = own.end - own.first;
  const precision real = number == 0 ? spec_.in.stored.value_or(spec_.real) : computed();
  return strides_of(in)[part.chunk_axis()] * request::reals_of(request::traits_of(part.kind).in) *
         bytes_of_real(real);
}

bool phased_transform::leaves_in_output(std::size_t number) const {
  const phase& last = phases_.back();
  if (number + 1 == phases_.size()) return true;
  const bool is_in_place = !last.ends_column && !request::traits_of(last.kind).is_real() &&
                           last.in == last.out && last.in_first == last.out_first &&
                           spec_.out.stored.value_or(spec_.real) == computed();
  return number + 2 == phases_.size() && !last.next_cut && is_in_place && !spec_.store.is_given();
}

bool phased_transform::is_scattered(std::size_t number) const {
  const phase& part = phases_[number];
  if (!part.next_cut || part.chunked) return false;
  constexpr std::size_t max_bytes = std::size_t{1} << 15;  // measured up to this
  const auto numbers = exchange(part, 1, /*is_packed=*/false);
  if (numbers.cut_in_row) return false;
  const std::size_t stride = numbers.cuts_first ? numbers.whole * numbers.rest : numbers.rest;
  return stride > 1 && (numbers.cut > max_column || stride * complex_bytes() > max_bytes);
}

bool phased_transform::is_unaligned(std::size_t number) const {
  const phase& part = phases_[number];
  if (!part.next_cut || part.out.size() < 3 || part.chunked) return false;
  constexpr std::size_t link_bytes = 128;
  return part.out[2] * complex_bytes() % link_bytes != 0;
}

std::size_t phased_transform::left_bytes(std::size_t number, std::size_t rank) const {
  const phase& part = phases_[number];
  const index_range kept = share_of(part.out[part.left_cut()], rank, ranks_);
  std::size_t bytes = spec_.batch * complex_bytes();
  for (std::size_t axis = 0; axis < part.out.size(); ++axis) {
    bytes *= axis == part.left_cut() ? kept.end - kept.first : part.out[axis];
  }
  return bytes;
}

std::size_t phased_transform::received_bytes(std::size_t number, std::size_t rank) const {
  const phase& part = phases_[number];
  const index_range kept = share_of(part.out[*part.next_cut], rank, ranks_);
  std::size_t others = 1;
  for (std::size_t axis = 0; axis < part.out.size(); ++axis) {
    if (axis != part.cut && axis != *part.next_cut) others *= part.out[axis];
  }
  return spec_.batch * others * (kept.end - kept.first) * complex_bytes();
}

byte_range phased_transform::sent_range(std::size_t number, std::size_t rank,
                                        std::size_t peer) const {
  if (!phases_[number].next_cut || peer == rank) return {};
  const index_range own = share(number, rank);
  const std::size_t rows = own.end - own.first;
  std::size_t before = 0;
  for (std::size_t other = 0; other < peer; ++other) {
    if (other != rank) before += received_bytes(number, other);
  }
  return {rows * before, rows * received_bytes(number, peer)};
}

byte_rows phased_transform::received_rows(std::size_t number, std::size_t rank,
                                          std::size_t peer) const {
  const index_range own = share(number, rank);
  return received_rows(number, rank, peer, {0, own.end - own.first});
}

byte_rows phased_transform::received_rows(std::size_t number, std::size_t rank, std::size_t peer,
                                          const index_range& chunk) const {
  const phase& part = phases_[number];
  const std::size_t first = share(number, rank).first + chunk.first, whole = part.out[part.cut];
  // [b][count][whole][z]: one index of the axis that is cut next is a row; or [b][whole]: rows
  // follow each other.
  const index_range kept = share_of(part.out[*part.next_cut], peer, ranks_);
  const std::size_t count = spec_.batch * (*part.next_cut == 0 ? kept.end - kept.first : 1);
  const std::size_t bytes = count == 0 ? 0 : received_bytes(number, peer) / count;
  return {first * bytes, (chunk.end - chunk.first) * bytes, count, whole * bytes};
}

std::size_t phased_transform::sent_bytes(std::size_t number, std::size_t rank) const {
  std::size_t bytes = 0;
  for (std::size_t peer = 0; peer < ranks_; ++peer) bytes += sent_range(number, rank, peer).size;
  return bytes;
}

std::size_t phased_transform::sent_bytes(std::size_t number) const {
  std::size_t sum = 0;
  for (std::size_t rank = 0; rank < ranks_; ++rank) sum += sent_bytes(number, rank);
  return sum;
}

std::size_t phased_transform::sent_bytes() const {
  std::size_t sum = 0;
  for (std::size_t number = 0; number < phases_.size(); ++number) sum += sent_bytes(number);
  return sum;
}

}  // namespace wingbeat::distributing
