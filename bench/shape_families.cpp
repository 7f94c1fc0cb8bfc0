// SPDX-License-Identifier: Apache-2.0
#include "bench/shape_families.hpp"

#include <fmt/format.h>

#include <algorithm>  // find, max, min
#include <bit>        // bit_ceil, bit_floor, countr_zero, has_single_bit
#include <functional>
#include <numeric>    // gcd
#include <stdexcept>  // invalid_argument
#include <utility>    // pair

#include "wingbeat/device/factors.hpp"           // greatest_factor, is_product_of_radices
#include "wingbeat/device/workgroup/advise.hpp"  // stage_cost

namespace wingbeat::bench {
namespace {

unsigned log2_of(std::size_t n) {
  return static_cast<unsigned>(std::countr_zero(n));
}

candidate own(const plan_spec& what, const device_info& where) {
  const tuning::architecture& data = tuning::for_device(where);
  const tuning::shapes& mine = tuning::shapes_for(data, what.real);
  candidate all;
  all.label = "built in";
  all.bank_bytes = data.bank_bytes;
  all.placing = data.placing;
  const request::traits& kind = request::traits_of(what.kind);
  all.is_forward = kind.is_forward;
  const tuning::row_shapes& own = !kind.is_real()   ? mine.rows
                                  : kind.is_forward ? mine.rows_of_reals
                                                    : mine.rows_of_bins;
  const tuning::row_shapes& rows = own.whole.is_empty() ? mine.rows : own;
  const auto copy = [](auto& list, const auto& table) {
    for (const auto& each : table.entries()) list.push_back(each);
  };
  copy(all.whole, rows.whole);
  copy(all.lines, rows.lines);
  copy(all.cuts, rows.cuts);
  copy(all.convolutions, mine.convolutions);
  copy(all.primes, mine.primes);
  copy(all.primes_of_reals, mine.primes_of_reals);
  copy(all.chirps, mine.chirps);
  copy(all.columns, mine.columns);
  copy(all.column_lines, mine.column_lines);
  copy(all.planes, own.planes);
  copy(all.mirrored, own.mirrored);
  all.unmeasured_mirrored = mine.unmeasured_mirrored;
  return all;
}

using list = std::vector<candidate>;

/// How far ahead input is prefetched; 0: not at all.
constexpr unsigned prefetch_mib_to_try[] = {0, 4, 8};

/// Puts a shape in the place of those of its length.
template <class Shape>
void replace(std::vector<Shape>& shapes, const Shape& shape) {
  std::erase_if(shapes, [&](const Shape& each) { return each.length == shape.length; });
  shapes.push_back(shape);
}

std::string prefetch_text(unsigned mib) {
  return mib > 0 ? fmt::format(", .prefetch_mib = {}", mib) : "";
}

std::string resident_text(unsigned resident) {
  return resident > 0 ? fmt::format(", .resident = {}", resident) : "";
}

template <class Shape>
void forget_length(std::vector<Shape>& shapes, std::size_t length) {
  std::erase_if(shapes, [&](const Shape& each) { return each.length == length; });
}

/// Divisors of a length that a thread can hold.
std::vector<unsigned> elements_to_try(std::size_t n) {
  if (n == 1) return {1};
  std::vector<unsigned> found;
  for (unsigned e = 2; e <= std::min<std::size_t>(n, 32); ++e) {
    if (n % e == 0) found.push_back(e);
  }
  return found;
}

/// Convolutions of rows, for which the compiler is told how many workgroups are to be resident.
void add_convolutions(list& to, const candidate& base, std::size_t n) {
  for (const unsigned elements : elements_to_try(n)) {
    if (elements < 4 && n > 4) continue;
    for (const unsigned lanes : {1u, 2u, 4u, 8u}) {
      const std::size_t threads = n * lanes / elements;
      if (threads < 64 || threads > 1024) continue;
      for (const bool half_trade : {false, true}) {
        if (n == elements && half_trade) continue;
        for (const unsigned resident_threads : {0u, 512u, 768u, 1024u, 1536u}) {
          const auto resident = static_cast<unsigned>(resident_threads / threads);
          if (resident_threads > 0 && (resident == 0 || resident > 16)) continue;
          for (const unsigned prefetch_mib : {0u, 4u}) {
            candidate one = base;
            replace(one.convolutions, tuning::shape{.length = n,
                                                    .elements = elements,
                                                    .lanes = lanes,
                                                    .half_trade = half_trade,
                                                    .resident = resident,
                                                    .prefetch_mib = prefetch_mib});
            one.label = fmt::format(
                "{{.length = {}, .elements = {}, .lanes = {}{}, .resident = {}{}}}", n, elements,
                lanes, half_trade ? ", half_trade" : "", resident, prefetch_text(prefetch_mib));
            to.push_back(std::move(one));
          }
        }
      }
    }
  }
}

/// Rows of a prime convolved within a length. Of more than 256 points by as many elements a thread
/// as cost least, or nearly.
void add_convolved_rows(list& result, const candidate& base, std::size_t length,
                        std::vector<tuning::shape> candidate::*shapes) {
  const bool is_prime = shapes != &candidate::chirps;
  const auto cost = [&](unsigned elements) {
    return device::workgroup::stage_cost(static_cast<unsigned>(length), elements);
  };
  auto counts = elements_to_try(length);
  std::erase_if(counts, [&](unsigned elements) {
    return elements < (length < 64 ? 4 : 8) || length / elements > 512;
  });
  unsigned least = ~0U;
  for (const unsigned elements : counts) least = std::min(least, cost(elements));
  const auto add = [&](tuning::shape shape) {
    shape.length = length;
    shape.fraction = 1e6F;  // so that it is taken
    candidate data = base;
    replace(data.*shapes, shape);
    data.label = fmt::format("{{.length = {}, .elements = {}, .lanes = {}{}{}{}}}, {}", length,
                             shape.elements, shape.lanes, resident_text(shape.resident),
                             prefetch_text(shape.prefetch_mib),
                             shape.across ? ", .across = true" : "", is_prime ? "rader" : "chirp");
    result.push_back(std::move(data));
  };
  // Of primes, rows of a thread and halves of two.
  const std::size_t alone = shapes == &candidate::primes ? length / 2 : length;
  for (const unsigned lanes : {16U, 32U, 64U, 128U}) {
    if (!is_prime || alone > 65) break;
    const auto elements = static_cast<unsigned>(alone);
    add({.elements = elements, .lanes = lanes, .prefetch_mib = 4, .across = true});
    add({.elements = elements, .lanes = lanes, .across = true});
  }
  const bool may_be_fewer = length >= 1000 && (is_prime || std::has_single_bit(length));
  for (const unsigned elements : counts) {
    if (2 * cost(elements) > 3 * least && length > 256) continue;
    for (const unsigned lanes : {1U, 2U, 4U, 8U, 16U, 32U, 64U, 128U}) {
      const std::size_t threads = length / elements * lanes;
      if (threads < 64 || threads > (lanes == 1 ? 512 : 256)) continue;
      tuning::shape shape{.elements = elements, .lanes = lanes, .prefetch_mib = 4};
      add(shape);
      if (is_prime && length <= 128) add({.elements = elements, .lanes = lanes});
      if (may_be_fewer) {
        shape.resident = static_cast<unsigned>(1024 / threads);
        add(shape);
        shape.resident = 0;
      }
      shape.across = true;
      if (is_prime && lanes >= 4) add(shape);
    }
  }
}

/// Rows of a prime: by a convolution of one less, of reals of half as many, or with a chirp within
/// a power of two or one of the two least good lengths.
void add_primes(list& result, const candidate& base, std::size_t n, const request::traits& kind) {
  if (device::is_product_of_radices(n - 1)) {
    const auto shapes = kind.is_real() ? &candidate::primes_of_reals : &candidate::primes;
    add_convolved_rows(result, base, kind.is_real() ? n / 2 : n - 1, shapes);
  }
  const bool become_bins = kind.is_real() && kind.is_forward;
  const std::size_t least = become_bins ? n + n / 2 : 2 * n - 1, power = std::bit_ceil(least);
  unsigned count = 0;
  for (std::size_t m = least; m < power && count < 2; ++m) {
    if (device::greatest_factor(static_cast<unsigned>(m)) > 5) continue;
    add_convolved_rows(result, base, m, &candidate::chirps);
    ++count;
  }
  add_convolved_rows(result, base, power, &candidate::chirps);
}

/// Counts of rows that share a workgroup.
std::vector<unsigned> lanes_to_try(std::size_t n, unsigned elements) {
  std::vector<unsigned> found;
  for (unsigned lanes = 1; lanes <= 256; lanes *= 2) {
    const std::size_t threads = n / elements * lanes;
    if (threads >= 48 && threads <= (lanes > 1 ? 256 : 1024)) found.push_back(lanes);
  }
  return found;
}

/// Columns of one length, the slowest axis of a plane.
void add_column_shapes(list& to, const candidate& base, std::size_t n) {
  for (const unsigned e : elements_to_try(n)) {
    for (const unsigned lanes : {4U, 8U, 16U, 32U, 64U}) {
      const std::size_t threads = n / e * lanes;
      if (threads < 64 || threads > 1024) continue;
      for (const bool half_trade : {false, true}) {
        if (half_trade && n < 192) continue;
        for (const unsigned at_once : {0U, 640U, 1024U}) {  // threads
          const auto resident = static_cast<unsigned>(at_once / threads);
          if (at_once > 0 && (resident == 0 || resident > 16)) continue;
          const tuning::shape shape{.length = n,
                                    .elements = e,
                                    .lanes = lanes,
                                    .half_trade = half_trade,
                                    .resident = resident};
          candidate one = base;
          replace(one.columns, shape);
          one.label = fmt::format("{{.length = {}, .elements = {}, .lanes = {}{}, .resident = {}}}",
                                  n, e, lanes, half_trade ? ", .half_trade = true" : "", resident);
          to.push_back(std::move(one));
        }
      }
    }
  }
}

/// Rows in one workgroup, complex or real. Short ones may be staged, long ones exchanged in halves.
void add_rows(list& to, const candidate& base, std::size_t n, bool is_real) {
  const auto add = [&](tuning::shape shape) {
    for (const unsigned prefetch_mib : prefetch_mib_to_try) {
      if (prefetch_mib > (n < 48 ? 0U : n < 2048 ? 4U : 8U)) continue;
      candidate one = base;
      shape.length = n;
      shape.prefetch_mib = prefetch_mib;
      replace(one.whole, shape);
      one.lines.clear();
      one.label = fmt::format("{{.length = {}, .elements = {}, .lanes = {}{}{}{}{}}}", n,
                              shape.elements, shape.lanes, shape.half_trade ? ", half_trade" : "",
                              shape.stage_in ? ", stage_in" : "",
                              shape.stage_out ? ", stage_out" : "", prefetch_text(prefetch_mib));
      to.push_back(std::move(one));
    }
  };
  for (const unsigned e : elements_to_try(n)) {
    for (const unsigned lanes : lanes_to_try(n, e)) {
      const std::size_t threads = n / e * lanes;
      add({.elements = e, .lanes = lanes});
      if (n >= 2048) add({.elements = e, .lanes = lanes, .half_trade = true});
      const std::size_t longest = n % 4 == 0 ? 128 : 4096;  // others begin within sectors
      if (n > longest || threads > (n > 128 ? 256 : 128)) continue;
      if (is_real) {
        add({.elements = e, .lanes = lanes, .stage_out = true});
        add({.elements = e, .lanes = lanes, .stage_in = true});
      }
      add({.elements = e, .lanes = lanes, .stage_in = true, .stage_out = true});
    }
  }
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

std::string label_of(const tuning::shape& s) {
  return fmt::format(
      "{{.length = {}, .first = {}, .elements = {}, .workgroups = {}, .lanes = {}, .resident = "
      "{}{}}}",
      s.length, s.first, s.elements, s.workgroups, s.lanes, s.resident,
      prefetch_text(s.prefetch_mib));
}

void add_lines(list& to, const candidate& base, unsigned bits, bool is_of_many) {
  each_cluster(bits, 1, 1, 5, bits - 5, [&](tuning::shape shape) {
    for (const unsigned prefetch_mib : prefetch_mib_to_try) {
      if (prefetch_mib > 0 && !is_of_many) continue;
      shape.prefetch_mib = prefetch_mib;
      candidate one = base;
      forget_length(one.whole, shape.length);
      one.lines = {shape};
      one.label = label_of(shape);
      to.push_back(std::move(one));
    }
  });
}

/// Lines of a length that is no power of two, in clusters of workgroups.
void add_mixed_lines(list& to, const candidate& base, std::size_t n) {
  for (unsigned first = 32; first <= 1024; ++first) {
    const std::size_t second = n / first;
    if (n % first != 0 || second < first / 2 || second > 4 * first) continue;
    for (const unsigned e : elements_to_try(std::gcd(std::size_t{first}, second))) {
      for (const unsigned c : {1U, 2U, 4U, 5U, 6U, 8U, 10U, 12U, 16U}) {
        const std::size_t threads = n / c / e;
        if (e < 8 || first % c != 0 || second % c != 0 || threads < 96 || threads > 1024) continue;
        for (const unsigned at_once : {640U, 1024U}) {  // threads
          const auto resident = static_cast<unsigned>(at_once / threads);
          if (resident == 0) continue;
          candidate one = base;
          forget_length(one.whole, n);
          const tuning::shape shape{.length = n,
                                    .first = first,
                                    .elements = e,
                                    .workgroups = c,
                                    .resident = resident,
                                    .prefetch_mib = 4};
          one.lines = {shape};
          one.label = label_of(shape);
          to.push_back(std::move(one));
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

/// Both passes of an evenly cut length by the same kind of column tile.
void add_column_lines(list& to, const candidate& base, unsigned bits) {
  const unsigned first_bits = (bits + 1) / 2, second_bits = bits / 2;
  list shapes_of_first;
  each_cluster(first_bits, 8, 32, 5, std::max((first_bits + 1) / 2, first_bits - 5),
               [&](const tuning::shape& shape) {
                 candidate one = base;
                 one.column_lines = {shape};
                 one.label = label_of(shape);
                 if (second_bits != first_bits) {
                   tuning::shape other = shape;
                   other.length = std::size_t{1} << second_bits;
                   other.first = std::size_t{1} << second_bits / 2;
                   one.column_lines.push_back(other);
                   one.label += " " + label_of(other);
                 }
                 one.cuts = {cut_of(bits, first_bits, second_bits)};
                 to.push_back(std::move(one));
               });
}

void add_columns(list& to, const candidate& base, unsigned bits) {
  const unsigned first = (bits + 1) / 2, second = bits - first;
  if (first > 12) return;
  for (const bool half_trade : {false, true}) {
    for (const unsigned e : {8u, 16u, 32u}) {
      for (const unsigned points : {2048u, 4096u, 8192u, 16384u}) {
        const unsigned lanes_1 = points >> first, lanes_2 = points >> second;
        if (lanes_1 < 2 || lanes_2 < 2 || points / e > 1024 || points / e < 128) continue;
        candidate one = base;
        one.lines.clear();
        one.column_lines.clear();
        for (const auto& [part, lanes] : {std::pair{first, lanes_1}, {second, lanes_2}}) {
          replace(one.columns, {.length = std::size_t{1} << part,
                                .elements = e,
                                .lanes = lanes,
                                .half_trade = half_trade});
        }
        one.cuts = {cut_of(bits, first, second)};
        one.label = fmt::format("{} x {}, {} a thread, {} points{}", 1u << first, 1u << second, e,
                                points, half_trade ? ", halves" : "");
        to.push_back(std::move(one));
      }
    }
  }
}

/// Columns of two passes, or of three.
void add_together(list& to, const candidate& base, unsigned bits, unsigned passes,
                  unsigned max_elements) {
  const unsigned first = (bits + passes - 1) / passes, second = (bits - first) / (passes - 1);
  const unsigned third = bits - first - second;
  for (const unsigned e : {max_elements / 2, max_elements}) {
    for (const unsigned points : {4096u, 8192u, 16384u}) {
      for (const unsigned at_once : {0u, 512u, 640u, 1024u}) {  // threads
        for (const bool half_trade : {false, true}) {
          if (at_once > 0 && at_once < points / e) continue;
          if ((points >> first) < 4 || points / e > 1024 || points / e < 128) continue;
          candidate one = base;
          one.lines.clear();
          one.column_lines.clear();
          for (const unsigned part : {first, second, third}) {
            if (part == 0) continue;
            replace(one.columns, {.length = std::size_t{1} << part,
                                  .elements = e,
                                  .lanes = points >> part,
                                  .half_trade = half_trade,
                                  .resident = at_once * e / points});
          }
          one.cuts = {cut_of(bits, first, second)};
          one.label =
              fmt::format("{} + {} + {}, {} a thread, {} points, {} resident{}", first, second,
                          third, e, points, at_once * e / points, half_trade ? ", halves" : "");
          to.push_back(std::move(one));
        }
      }
    }
  }
}

/// Every way to cut an axis into two passes of columns, the longer at most 16 times the other.
void add_pairs_of_divisors(list& to, const candidate& base, std::size_t n) {
  for (std::size_t first = 16; first <= std::min<std::size_t>(n / 16, 8192); ++first) {
    const std::size_t second = n / first;
    if (n % first != 0 || second > 8192 || second > 16 * first || first > 16 * second) continue;
    candidate one = base;
    one.lines.clear();
    forget_length(one.whole, n);
    one.cuts = {{.length = n, .parts = {first, second}}};
    one.label = fmt::format("{{.length = {}, .parts = {{{}, {}}}}}", n, first, second);
    to.push_back(std::move(one));
  }
}

/// Every way to cut an axis into two or three passes of columns, as the data has them.
void add_cuts(list& to, const candidate& base, unsigned bits) {
  const auto add = [&](unsigned first, unsigned second) {
    candidate one = base;
    one.lines.clear();
    one.cuts = {cut_of(bits, first, second)};
    one.label = fmt::format("{{{}, {}, {}}}", bits, first, second);
    to.push_back(std::move(one));
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
void add_mirrored(list& to, const candidate& base, unsigned bits) {
  for (unsigned last = 6; last <= 9; ++last) {
    for (const unsigned e : {16u, 32u}) {
      for (const unsigned points : {4096u, 8192u, 16384u}) {
        for (const bool half_trade : {false, true}) {
          for (const unsigned at_once : {0u, 512u, 640u, 1024u}) {  // threads
            const unsigned lanes = points >> last;
            if (lanes < 16 || lanes > 128 || points / e > 1024) continue;
            if (at_once > 0 && (at_once < points / e || (at_once == 1024) != (e == 16))) continue;
            if (half_trade && e == 16) continue;
            candidate one = base;
            one.mirrored = {{.length = std::size_t{1} << last,
                             .elements = e,
                             .lanes = lanes,
                             .half_trade = half_trade,
                             .resident = at_once * e / points}};
            one.label = fmt::format(
                "{{.length = {}, .elements = {}, .lanes = {}, .resident = {}{}}}", 1U << last, e,
                lanes, at_once * e / points, half_trade ? ", half_trade" : "");
            one.lines.clear();
            const bool is_last = base.is_forward;
            one.cuts = {cut_of(bits, is_last ? bits - last : last, is_last ? last : bits - last)};
            to.push_back(std::move(one));
          }
        }
      }
    }
  }
}

void add_planes(list& to, const candidate& base, unsigned rows, unsigned columns) {
  each_cluster(rows + columns, 1, 8, rows, rows, [&](tuning::shape shape) {
    if (shape.lanes > 1 && shape.workgroups > 1) return;
    for (const unsigned prefetch_mib : prefetch_mib_to_try) {
      shape.prefetch_mib = prefetch_mib;
      candidate one = base;
      one.planes = {shape};
      one.label = label_of(shape);
      to.push_back(std::move(one));
    }
  });
}

}  // namespace

std::vector<std::size_t> lengths_of(std::string_view text) {
  std::vector<std::size_t> lengths;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('x'), text.size());
    const std::string one{text.substr(0, end)};
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool is_power = one.rfind("2^", 0) == 0;
    const std::size_t value = std::stoull(is_power ? one.substr(2) : one);
    lengths.push_back(is_power ? std::size_t{1} << value : value);
  }
  return lengths;
}

std::vector<candidate> candidates_of(const std::string& family, const plan_spec& what,
                                     const device_info& where) {
  const candidate base = own(what, where);
  const bool is_real = request::traits_of(what.kind).is_real();
  const std::size_t row = what.lengths.back() / (is_real ? 2 : 1);
  const unsigned bits = log2_of(row);
  list all{base};
  if (family == "built-in") {
    add_launches(all, base);
    return all;
  }
  if (family == "rows") {
    add_rows(all, base, row, is_real);
  } else if (family == "convolutions") {
    add_convolutions(all, base, row);
  } else if (family == "primes") {
    add_primes(all, base, what.lengths.back(), request::traits_of(what.kind));
  } else if (family == "lines" && !std::has_single_bit(row)) {
    add_mixed_lines(all, base, row);
  } else if (family == "lines") {
    add_lines(all, base, bits, std::size_t{what.batch} << bits > std::size_t{1} << 22);
  } else if (family == "columns") {
    add_columns(all, base, bits);
  } else if (family == "pairs" || family == "thirds") {
    add_together(all, base, bits, family == "pairs" ? 2 : 3,
                 what.real == precision::fp64 ? 16 : 32);
  } else if (family == "cuts" && std::has_single_bit(row)) {
    add_cuts(all, base, bits);
  } else if (family == "cuts") {
    add_pairs_of_divisors(all, base, row);
  } else if (family == "column-shapes") {
    add_column_shapes(all, base, what.lengths.front());
  } else if (family == "mirrored") {
    add_mirrored(all, base, bits);
  } else if (family == "few") {
    add_few(all, base, what);
  } else if (family == "column-lines") {
    add_column_lines(all, base, bits);
  } else if (family == "planes") {
    const std::size_t axes = what.lengths.size();
    add_planes(all, base, log2_of(what.lengths[axes - 2]), bits);
  } else {
    throw std::invalid_argument("family " + family + " is not known");
  }
  return all;
}

}  // namespace wingbeat::bench
