// SPDX-License-Identifier: Apache-2.0
// Shapes of what clusters take, and the passes that long axes are cut into.
#include <fmt/format.h>

#include <algorithm>  // max, min
#include <bit>        // countr_zero, has_single_bit
#include <functional>
#include <numeric>  // gcd
#include <utility>  // pair

#include "bench/shape_families.hpp"
#include "wingbeat/device/factors.hpp"  // greatest_factor

namespace wingbeat::bench {
namespace {

unsigned log2_of(std::size_t n) {
  return static_cast<unsigned>(std::countr_zero(n));
}

template <class Shape>
void forget_length(std::vector<Shape>& shapes, std::size_t length) {
  std::erase_if(shapes, [&](const Shape& each) { return each.length == length; });
}

using sink = std::function<void(const tuning::shape&)>;

void each_cluster(unsigned bits, unsigned min_lanes, unsigned max_lanes, unsigned first_from,
                  unsigned first_to, const sink& take) {
  const std::size_t min_points = bits > 11 ? 2048 : 512;
  for (unsigned first = first_from; first <= first_to; ++first) {
    for (const unsigned e : {4u, 8u, 16u, 32u}) {
      if (e == 4 && bits > 11) continue;
      for (const unsigned c : {1u, 2u, 4u, 8u, 16u}) {
        for (unsigned lanes = min_lanes; lanes <= max_lanes; lanes *= 2) {
          const std::size_t points = (std::size_t{lanes} << bits) / c;
          const std::size_t threads = points / e;
          if (points < min_points || points > 16384 || threads < 128 || threads > 1024) continue;
          if ((1u << first) < c || (1u << (bits - first)) < c || (1u << first) < e ||
              (1u << (bits - first)) < e) {
            continue;
          }
          // As many as leave 64 or 80 registers a thread; 40 of 8 elements, 100 or 128 of 32.
          const std::size_t most = e <= 8 ? 1536 : e == 16 ? 1024 : 640;
          const auto more = static_cast<unsigned>(most / threads);
          const auto fewer = static_cast<unsigned>((e < 32 ? most - 256 : most - 128) / threads);
          const auto take_resident = [&](unsigned resident) {
            take({.length = std::size_t{1} << bits,
                  .first = std::size_t{1} << first,
                  .elements = e,
                  .workgroups = c,
                  .lanes = lanes,
                  .resident = resident});
          };
          if (more > 0) take_resident(more);
          if (fewer > 0 && fewer < more) take_resident(fewer);
          // Of fp64 32 elements are 128 registers.
          if (e == 32 && more > 1 && threads >= 256) take_resident(1);
        }
      }
    }
  }
}

/// A cut as lengths that are powers of two.
tuning::cut cut_of(unsigned bits, unsigned first, unsigned second) {
  const unsigned rest = bits - first - second;
  tuning::cut result{.length = std::size_t{1} << bits,
                     .parts = {std::size_t{1} << first, std::size_t{1} << second}};
  if (rest > 0) result.parts[2] = std::size_t{1} << rest;
  return result;
}

void add_lines(list& candidates, const candidate& base, unsigned bits, bool is_of_many) {
  each_cluster(bits, 1, 1, 5, bits - 5, [&](tuning::shape shape) {
    for (const unsigned prefetch_mib : prefetch_mib_to_try) {
      if (prefetch_mib > 0 && !is_of_many) continue;
      shape.prefetch_mib = prefetch_mib;
      candidate tried = base;
      forget_length(tried.whole, shape.length);
      tried.lines = {shape};
      tried.label = text_of(shape);
      candidates.push_back(std::move(tried));
    }
  });
}

/// Lines of a length that is no power of two, in clusters of workgroups.
void add_mixed_lines(list& candidates, const candidate& base, std::size_t n) {
  for (unsigned first = 32; first <= 1024; ++first) {
    const std::size_t second = n / first;
    if (n % first != 0 || second < first / 2 || second > 4 * first) continue;
    for (const unsigned e : divisors_to_try(std::gcd(std::size_t{first}, second))) {
      for (const unsigned c : {1U, 2U, 4U, 5U, 6U, 8U, 10U, 12U, 16U}) {
        const std::size_t threads = n / c / e;
        if (e < 8 || first % c != 0 || second % c != 0 || threads < 96 || threads > 1024) continue;
        for (const unsigned at_once : {640U, 1024U}) {  // threads
          const auto resident = static_cast<unsigned>(at_once / threads);
          if (resident == 0) continue;
          candidate tried = base;
          forget_length(tried.whole, n);
          const tuning::shape shape{.length = n,
                                    .first = first,
                                    .elements = e,
                                    .workgroups = c,
                                    .resident = resident,
                                    .prefetch_mib = 4};
          tried.lines = {shape};
          tried.label = text_of(shape);
          candidates.push_back(std::move(tried));
        }
      }
    }
  }
}

/// Both passes of an evenly cut length by the same kind of column tile.
void add_column_lines(list& candidates, const candidate& base, unsigned bits) {
  const unsigned first_bits = (bits + 1) / 2, second_bits = bits / 2;
  each_cluster(first_bits, 8, 32, 5, std::max((first_bits + 1) / 2, first_bits - 5),
               [&](const tuning::shape& shape) {
                 candidate tried = base;
                 tried.column_lines = {shape};
                 tried.label = text_of(shape);
                 if (second_bits != first_bits) {
                   tuning::shape other = shape;
                   other.length = std::size_t{1} << second_bits;
                   other.first = std::size_t{1} << second_bits / 2;
                   tried.column_lines.push_back(other);
                   tried.label += " " + text_of(other);
                 }
                 tried.cuts = {cut_of(bits, first_bits, second_bits)};
                 candidates.push_back(std::move(tried));
               });
}

void add_columns(list& candidates, const candidate& base, unsigned bits) {
  const unsigned first = (bits + 1) / 2, second = bits - first;
  if (first > 12) return;
  for (const bool half_trade : {false, true}) {
    for (const unsigned e : {8u, 16u, 32u}) {
      for (const unsigned points : {2048u, 4096u, 8192u, 16384u}) {
        const unsigned lanes_1 = points >> first, lanes_2 = points >> second;
        if (lanes_1 < 2 || lanes_2 < 2 || points / e > 1024 || points / e < 128) continue;
        candidate tried = base;
        tried.lines.clear();
        tried.column_lines.clear();
        for (const auto& [part, lanes] : {std::pair{first, lanes_1}, {second, lanes_2}}) {
          put(tried.columns, {.length = std::size_t{1} << part,
                              .elements = e,
                              .lanes = lanes,
                              .half_trade = half_trade});
        }
        tried.cuts = {cut_of(bits, first, second)};
        tried.label = fmt::format("{} x {}, {} a thread, {} points{}", 1u << first, 1u << second, e,
                                  points, half_trade ? ", halves" : "");
        candidates.push_back(std::move(tried));
      }
    }
  }
}

/// Columns of two passes, or of three.
void add_together(list& candidates, const candidate& base, unsigned bits, unsigned passes,
                  unsigned max_elements) {
  const unsigned first = (bits + passes - 1) / passes, second = (bits - first) / (passes - 1);
  const unsigned third = bits - first - second;
  for (const unsigned e : {max_elements / 2, max_elements}) {
    for (const unsigned points : {4096u, 8192u, 16384u}) {
      for (const unsigned at_once : {0u, 512u, 640u, 1024u}) {  // threads
        for (const bool half_trade : {false, true}) {
          if (at_once > 0 && at_once < points / e) continue;
          if ((points >> first) < 4 || points / e > 1024 || points / e < 128) continue;
          candidate tried = base;
          tried.lines.clear();
          tried.column_lines.clear();
          for (const unsigned part : {first, second, third}) {
            if (part == 0) continue;
            put(tried.columns, {.length = std::size_t{1} << part,
                                .elements = e,
                                .lanes = points >> part,
                                .half_trade = half_trade,
                                .resident = at_once * e / points});
          }
          tried.cuts = {cut_of(bits, first, second)};
          tried.label =
              fmt::format("{} + {} + {}, {} a thread, {} points, {} resident{}", first, second,
                          third, e, points, at_once * e / points, half_trade ? ", halves" : "");
          candidates.push_back(std::move(tried));
        }
      }
    }
  }
}

/// Every way to cut an axis into two passes of columns, the longer at most 16 times the other.
void add_pairs_of_divisors(list& candidates, const candidate& base, std::size_t n) {
  for (std::size_t first = 16; first <= std::min<std::size_t>(n / 16, 8192); ++first) {
    const std::size_t second = n / first;
    if (n % first != 0 || second > 8192 || second > 16 * first || first > 16 * second) continue;
    candidate tried = base;
    tried.lines.clear();
    forget_length(tried.whole, n);
    tried.cuts = {{.length = n, .parts = {first, second}}};
    tried.label = fmt::format("{{.length = {}, .parts = {{{}, {}}}}}", n, first, second);
    candidates.push_back(std::move(tried));
  }
}

/// Columns of a long row that is convolved with a chirp, within some multiple of their length.
void add_chirped_columns(list& candidates, const candidate& base, std::size_t n) {
  constexpr std::size_t shortest_rows = 4096, longest_rows = 16384;
  const std::size_t first = (2 * n - 1) / longest_rows, last = (2 * n - 1) / shortest_rows;
  for (std::size_t length = 64; length <= last; length += 2) {
    if (length < first || device::greatest_factor(static_cast<unsigned>(length)) > 5) continue;
    for (const unsigned e : divisors_to_try(length)) {
      for (const unsigned lanes : {8U, 16U}) {
        const std::size_t threads = length / e * lanes;
        if (e < 16 || threads < 128 || threads > 800) continue;
        for (const bool half_trade : {false, true}) {
          candidate tried = base;
          put(tried.columns, tried.label,
              {.length = length, .elements = e, .lanes = lanes, .half_trade = half_trade});
          tried.columns.back().fraction = 1e6F;  // so that it is taken
          candidates.push_back(std::move(tried));
        }
      }
    }
  }
}

/// Every way to cut an axis into two or three passes of columns, as the data has them.
void add_cuts(list& candidates, const candidate& base, unsigned bits) {
  const auto add = [&](unsigned first, unsigned second) {
    candidate tried = base;
    tried.lines.clear();
    tried.cuts = {cut_of(bits, first, second)};
    tried.label = fmt::format("{{{}, {}, {}}}", bits, first, second);
    candidates.push_back(std::move(tried));
  };
  for (unsigned first = 7; first <= 13 && first + 7 <= bits; ++first) {
    if (bits - first <= 13) add(first, bits - first);
    for (unsigned second = 7; second <= first && first <= 10; ++second) {
      const unsigned rest = bits - first - second;
      if (rest >= 7 && rest <= second) add(first, second);
    }
  }
}

/// Long rows of reals, or of bins: the pass in which bins meet, its length and shape.
void add_mirrored(list& candidates, const candidate& base, unsigned bits) {
  for (unsigned last = 6; last <= 9; ++last) {
    for (const unsigned e : {16u, 32u}) {
      for (const unsigned points : {4096u, 8192u, 16384u}) {
        for (const bool half_trade : {false, true}) {
          for (const unsigned at_once : {0u, 512u, 640u, 1024u}) {  // threads
            const unsigned lanes = points >> last;
            if (lanes < 16 || lanes > 128 || points / e > 1024) continue;
            if (at_once > 0 && (at_once < points / e || (at_once == 1024) != (e == 16))) continue;
            if (half_trade && e == 16) continue;
            candidate tried = base;
            tried.mirrored.clear();
            put(tried.mirrored, tried.label,
                {.length = std::size_t{1} << last,
                 .elements = e,
                 .lanes = lanes,
                 .half_trade = half_trade,
                 .resident = at_once * e / points});
            tried.lines.clear();
            const bool is_last = base.is_forward;
            tried.cuts = {cut_of(bits, is_last ? bits - last : last, is_last ? last : bits - last)};
            candidates.push_back(std::move(tried));
          }
        }
      }
    }
  }
}

void add_planes(list& candidates, const candidate& base, unsigned rows, unsigned columns) {
  each_cluster(rows + columns, 1, 8, rows, rows, [&](tuning::shape shape) {
    if (shape.lanes > 1 && shape.workgroups > 1) return;
    for (const unsigned prefetch_mib : prefetch_mib_to_try) {
      shape.prefetch_mib = prefetch_mib;
      candidate tried = base;
      tried.planes = {shape};
      tried.label = text_of(shape);
      candidates.push_back(std::move(tried));
    }
  });
}

}  // namespace

bool add_cut_shapes(list& candidates, const candidate& base, const std::string& family,
                    const plan_spec& spec) {
  const std::size_t row = row_of(spec), axes = spec.lengths.size();
  const bool is_power = std::has_single_bit(row);
  const unsigned bits = log2_of(row);
  if (family == "lines" && !is_power) {
    add_mixed_lines(candidates, base, row);
  } else if (family == "lines") {
    add_lines(candidates, base, bits, std::size_t{spec.batch} << bits > std::size_t{1} << 22);
  } else if (family == "columns") {
    add_columns(candidates, base, bits);
  } else if (family == "pairs" || family == "thirds") {
    add_together(candidates, base, bits, family == "pairs" ? 2 : 3,
                 spec.real == precision::fp64 ? 16 : 32);
  } else if (family == "cuts" && is_power) {
    add_cuts(candidates, base, bits);
  } else if (family == "cuts") {
    add_pairs_of_divisors(candidates, base, row);
  } else if (family == "chirped-columns") {
    add_chirped_columns(candidates, base, row);
  } else if (family == "mirrored") {
    add_mirrored(candidates, base, bits);
  } else if (family == "column-lines") {
    add_column_lines(candidates, base, bits);
  } else if (family == "planes") {
    add_planes(candidates, base, log2_of(spec.lengths[axes - 2]), bits);
  } else {
    return false;
  }
  return true;
}

}  // namespace wingbeat::bench
