// SPDX-License-Identifier: Apache-2.0
#include "bench/shape_families.hpp"

#include <fmt/ranges.h>

#include <algorithm>  // max, min
#include <bit>        // bit_ceil, countr_zero, has_single_bit
#include <functional>
#include <limits>
#include <map>
#include <numeric>  // gcd
#include <utility>  // move

#include "wingbeat/device/factors.hpp"           // greatest_factor, is_product_of_radices
#include "wingbeat/device/workgroup/advise.hpp"  // stage_cost
#include "wingbeat/error.hpp"                    // plan_error

namespace wingbeat::bench {
namespace {

using list = std::vector<candidate>;

candidate own(const plan_spec& spec, const device_info& device) {
  const tuning::architecture& data = tuning::for_device(device);
  const tuning::shapes& mine = tuning::shapes_for(data, spec.real);
  candidate result;
  result.label = "built in";
  result.bank_bytes = data.bank_bytes;
  result.placing = data.placing;
  const request::traits& kind = request::traits_of(spec.kind);
  result.is_forward = kind.is_forward;
  const bool is_odd = kind.is_real() && spec.lengths.back() % 2 == 1;
  const tuning::row_shapes& own = !kind.is_real() || is_odd ? mine.rows
                                  : kind.is_forward         ? mine.rows_of_reals
                                                            : mine.rows_of_bins;
  const tuning::row_shapes& rows = own.whole.is_empty() ? mine.rows : own;
  const auto copy = [](auto& shapes, const auto& table) {
    for (const auto& each : table) shapes.push_back(each);
  };
  if (is_odd && kind.is_forward) copy(result.whole, mine.odd_rows_of_reals);
  copy(result.whole, rows.whole);
  copy(result.lines, rows.lines);
  copy(result.cuts, rows.cuts);
  copy(result.convolutions, mine.convolutions);
  copy(result.primes, mine.primes);
  copy(result.primes_of_reals, mine.primes_of_reals);
  copy(result.chirps, mine.chirps);
  copy(result.columns, mine.columns);
  copy(result.column_lines, mine.column_lines);
  copy(result.planes, own.planes);
  copy(result.mirrored, own.mirrored);
  result.unmeasured_mirrored = mine.unmeasured_mirrored;
  return result;
}

std::size_t row_of(const plan_spec& spec) {
  const std::size_t points = spec.lengths.back();
  const bool has_pairs = request::traits_of(spec.kind).is_real() && points % 2 == 0;
  return has_pairs ? points / 2 : points;
}

std::string text_of(const tuning::shape& shape) {
  std::string text = fmt::format("{{.length = {}", shape.length);
  const auto add = [&](const char* name, auto value, auto otherwise) {
    if (value != otherwise) text += fmt::format(", .{} = {}", name, value);
  };
  add("first", shape.first, 1U);
  add("elements", shape.elements, 0U);
  add("workgroups", shape.workgroups, 1U);
  add("lanes", shape.lanes, 0U);
  add("half_trade", shape.half_trade, false);
  add("stage_in", shape.stage_in, false);
  add("stage_out", shape.stage_out, false);
  add("resident", shape.resident, 0U);
  add("prefetch_mib", shape.prefetch_mib, 0U);
  add("across", shape.across, false);
  return text + "}";
}

/// Replaces the shapes of its length by this one.
void put(std::vector<tuning::shape>& shapes, const tuning::shape& shape) {
  std::erase_if(shapes, [&](const tuning::shape& each) { return each.length == shape.length; });
  shapes.push_back(shape);
}

std::vector<unsigned> divisors_to_try(std::size_t n) {
  if (n == 1) return {1};
  std::vector<unsigned> found;
  for (unsigned e = 2; e <= std::min<std::size_t>(n, 32); ++e) {
    if (n % e == 0) found.push_back(e);
  }
  return found;
}

std::vector<unsigned> powers(unsigned least, unsigned most) {
  std::vector<unsigned> found;
  for (unsigned power = least; power <= most; power *= 2) found.push_back(power);
  return found;
}

/// The values to try: every product of these.
struct choices {
  tuning::shape common;  ///< Length and common fields.
  std::vector<unsigned> elements, lanes = {1};
  std::size_t min_threads = 64, max_threads = 1024;  ///< Of a workgroup with one row,
  std::size_t max_threads_of_several = 1024;         ///< and with several rows.
  std::vector<unsigned> resident_threads = {0};      ///< Threads per multiprocessor; 0: any.
  std::vector<unsigned> prefetch_mib = {0};
  bool may_halve = false;  ///< Also tries exchanges in halves.
};

template <class Take>
void each_shape(const choices& tried, const Take& take) {
  tuning::shape shape = tried.common;
  for (const unsigned elements : tried.elements) {
    for (const unsigned lanes : tried.lanes) {
      const std::size_t threads = shape.length / shape.workgroups / elements * lanes;
      const std::size_t most = lanes > 1 ? tried.max_threads_of_several : tried.max_threads;
      if (elements > shape.length || threads < tried.min_threads || threads > most) continue;
      shape.elements = elements;
      shape.lanes = lanes;
      for (const unsigned at_once : tried.resident_threads) {
        shape.resident = static_cast<unsigned>(at_once / threads);
        if (at_once > 0 && (shape.resident == 0 || shape.resident > 16)) continue;
        for (const unsigned prefetch_mib : tried.prefetch_mib) {
          shape.prefetch_mib = prefetch_mib;
          for (const bool half_trade : {false, true}) {
            shape.half_trade = half_trade;
            if (!half_trade || (tried.may_halve && elements < shape.length)) take(shape);
          }
        }
      }
    }
  }
}

/// Adds candidates that differ from others in the shape of one list.
class family {
 public:
  family(list& candidates, const candidate& base, std::vector<tuning::shape> candidate::*shapes)
      : candidates_(candidates), base_(base), shapes_(shapes) {}

  candidate& operator()(const tuning::shape& shape) const {
    candidate tried = base_;
    put(tried.*shapes_, shape);
    tried.label = text_of(shape);
    return candidates_.emplace_back(std::move(tried));
  }

 private:
  list& candidates_;
  const candidate& base_;
  std::vector<tuning::shape> candidate::*shapes_;
};

/// Adds rows in one workgroup, complex or real. Short ones may be staged, long ones exchanged in
/// halves.
void add_rows(list& candidates, const candidate& base, const plan_spec& spec) {
  const std::size_t n = row_of(spec);
  const bool may_store_alone = request::traits_of(spec.kind).is_real() || n % 2 == 1;
  const family rows{candidates, base, &candidate::whole};
  const auto add = [&](const tuning::shape& shape) { rows(shape).lines.clear(); };
  std::vector<unsigned> prefetch_mib{0};
  if (n >= 48) prefetch_mib.push_back(4);
  if (n >= 2048) prefetch_mib.push_back(8);
  each_shape({.common = {.length = n},
              .elements = divisors_to_try(n),
              .lanes = powers(1, 256),
              .min_threads = 48,
              .max_threads_of_several = 256,
              .prefetch_mib = prefetch_mib,
              .may_halve = n >= 2048},
             [&](tuning::shape shape) {
               const std::size_t threads = n / shape.elements * shape.lanes;
               add(shape);
               if (n >= 4096 && threads <= 512 && !shape.half_trade) {
                 tuning::shape alone = shape;
                 alone.resident = 2;
                 add(alone);
               }
               // Rows of other lengths than multiples of 4 begin within sectors.
               if (n > (n % 4 == 0 ? 128 : 4096) || threads > (n > 128 ? 256 : 128)) return;
               for (const auto& [in, out] : {std::pair{true, true}, {true, false}, {false, true}}) {
                 shape.stage_in = in;
                 shape.stage_out = out;
                 if ((in && out) || may_store_alone) add(shape);
               }
             });
}

/// Adds convolutions of rows, with numbers of resident workgroups for the compiler.
void add_convolutions(list& candidates, const candidate& base, std::size_t n) {
  auto elements = divisors_to_try(n);
  std::erase_if(elements, [&](unsigned each) { return each < 4 && n > 4; });
  each_shape({.common = {.length = n},
              .elements = elements,
              .lanes = powers(1, 8),
              .resident_threads = {0, 512, 768, 1024, 1536},
              .prefetch_mib = {0, 4},
              .may_halve = true},
             family{candidates, base, &candidate::convolutions});
}

/// Adds columns of one length, the slowest axis of a plane.
void add_column_shapes(list& candidates, const candidate& base, std::size_t n) {
  each_shape({.common = {.length = n},
              .elements = divisors_to_try(n),
              .lanes = powers(4, 64),
              .resident_threads = {0, 640, 1024},
              .may_halve = n >= 192},
             family{candidates, base, &candidate::columns});
}

/// Adds rows of a prime, convolved within a length. Above 256 points only with elements per thread
/// of the least estimated cost, or nearly.
void add_convolved_rows(list& result, const candidate& base, std::size_t length,
                        std::vector<tuning::shape> candidate::*shapes) {
  const bool is_prime = shapes != &candidate::chirps;
  const auto cost = [&](unsigned elements) {
    return device::workgroup::stage_cost(static_cast<unsigned>(length), elements);
  };
  auto counts = divisors_to_try(length);
  std::erase_if(counts, [&](unsigned elements) {
    return elements < (length < 64 ? 4 : 8) || length / elements > 512;
  });
  unsigned least = ~0U;
  for (const unsigned elements : counts) least = std::min(least, cost(elements));
  const auto add = [&](tuning::shape shape) {
    shape.length = length;
    shape.fraction = 1e6F;  // so that the planner takes it
    candidate data = base;
    put(data.*shapes, shape);
    data.label = text_of(shape);
    data.label += is_prime ? ", rader" : ", chirp";
    result.push_back(std::move(data));
  };
  // For primes, one thread has a row, or two have halves.
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
      for (const unsigned at_once : {640U, 768U, 896U, 1024U}) {  // threads, with 96 to 64
                                                                  // registers each
        shape.resident = static_cast<unsigned>(at_once / threads);
        if (may_be_fewer && shape.resident * threads == at_once) add(shape);
      }
      shape.resident = 0;
      shape.across = true;
      if (is_prime && lanes >= 4) add(shape);
    }
  }
}

/// Adds rows of a prime: by a convolution of p - 1 points, for reals of (p - 1)/2, or with a large
/// factor within a power of two; or with a chirp, within a power of two or one of the two next good
/// lengths.
void add_primes(list& result, const candidate& base, std::size_t n, const request::traits& kind) {
  if (device::is_product_of_radices(n - 1)) {
    const auto shapes = kind.is_real() ? &candidate::primes_of_reals : &candidate::primes;
    add_convolved_rows(result, base, kind.is_real() ? n / 2 : n - 1, shapes);
  }
  if (kind.is_real() && device::greatest_factor(static_cast<unsigned>(n - 1)) > 13) {
    add_convolved_rows(result, base, std::bit_ceil(n - 1), &candidate::primes_of_reals);
  }
  const std::size_t least = kind.is_real() ? n + n / 2 : 2 * n - 1, power = std::bit_ceil(least);
  unsigned count = 0;
  for (std::size_t m = least; m < power && count < 2; ++m) {
    if (device::greatest_factor(static_cast<unsigned>(m)) > 5) continue;
    add_convolved_rows(result, base, m, &candidate::chirps);
    ++count;
  }
  add_convolved_rows(result, base, power, &candidate::chirps);
}

/// Adds shapes for lines of reals that become reals.
void add_real_lines(list& candidates, const candidate& base, const plan_spec& spec) {
  const std::size_t n = spec.lengths.back();
  const std::size_t length = spec.kind == transform::dct1   ? n - 1
                             : spec.kind == transform::dst1 ? n + 1
                                                            : n / 2;
  each_shape({.common = {.length = length},
              .elements = divisors_to_try(length),
              .lanes = powers(1, 256),
              .min_threads = 32,
              .max_threads = 512,
              .max_threads_of_several = 256,
              .prefetch_mib = {0, 4}},
             [&](const tuning::shape& shape) {
               candidates.push_back(base);
               candidates.back().of_lines = shape;
               candidates.back().label = text_of(shape);
             });
}

/// Adds lines in clusters of workgroups.
void add_lines(list& candidates, const candidate& base, std::size_t n) {
  for (unsigned first = 32; first <= 1024; ++first) {
    const std::size_t second = n / first;
    if (n % first != 0 || second < first / 2 || second > 4 * first) continue;
    for (const unsigned workgroups : {1U, 2U, 4U, 5U, 6U, 8U, 10U, 12U, 16U}) {
      if (first % workgroups != 0 || second % workgroups != 0) continue;
      auto elements = divisors_to_try(std::gcd(std::size_t{first}, second));
      std::erase_if(elements, [](unsigned each) { return each < 8; });
      each_shape({.common = {.length = n, .first = first, .workgroups = workgroups},
                  .elements = elements,
                  .min_threads = 96,
                  .resident_threads = {512, 640, 1024},
                  .prefetch_mib = {0, 4}},
                 [&](const tuning::shape& shape) {
                   candidate& tried = family{candidates, base, &candidate::lines}(shape);
                   std::erase_if(tried.whole, [&](const auto& each) { return each.length == n; });
                 });
    }
  }
}

/// Adds every cut of an axis into two or three passes of columns.
void add_cuts(list& candidates, const candidate& base, std::size_t n) {
  const auto add = [&](const std::vector<std::size_t>& parts) {
    candidate tried = base;
    tried.lines.clear();
    std::erase_if(tried.whole, [&](const auto& each) { return each.length == n; });
    tried.cuts = {{.length = n, .parts = {parts[0], parts[1]}}};
    if (parts.size() > 2) tried.cuts.front().parts[2] = parts[2];
    tried.label = fmt::format("{{.length = {}, .parts = {{{}}}}}", n, fmt::join(parts, ", "));
    candidates.push_back(std::move(tried));
  };
  for (std::size_t first = 16; first <= std::min<std::size_t>(n / 16, 8192); ++first) {
    const std::size_t rest = n / first;
    if (n % first != 0) continue;
    if (rest <= 8192 && rest <= 16 * first && first <= 16 * rest) add({first, rest});
    for (std::size_t second = 128; second <= first && first <= 1024; ++second) {
      const std::size_t third = rest / second;
      if (rest % second == 0 && third >= 128 && third <= second) add({first, second, third});
    }
  }
}

/// Adds long rows of reals or of bins: the length and shape of the pass in which bins meet.
void add_mirrored(list& candidates, const candidate& base, unsigned bits) {
  candidate whole = base;
  whole.mirrored.clear();
  whole.lines.clear();
  for (unsigned last = 6; last <= 9; ++last) {
    const std::size_t length = std::size_t{1} << last, rest = std::size_t{1} << (bits - last);
    each_shape({.common = {.length = length},
                .elements = {16, 32},
                .lanes = powers(std::max(16U, 4096U >> last), std::min(128U, 16384U >> last)),
                .resident_threads = {0, 512, 640, 1024},
                .may_halve = true},
               [&](const tuning::shape& shape) {
                 if (shape.half_trade && shape.elements == 16) return;
                 candidate& tried = family{candidates, whole, &candidate::mirrored}(shape);
                 const std::size_t first = base.is_forward ? rest : length;
                 const std::size_t second = base.is_forward ? length : rest;
                 tried.cuts = {{.length = length * rest, .parts = {first, second}}};
               });
  }
}

/// Adds planes in one workgroup, or in a cluster.
void add_planes(list& candidates, const candidate& base, unsigned rows, std::size_t columns) {
  candidate empty = base;
  empty.planes.clear();
  for (const unsigned workgroups : powers(1, 16)) {
    each_shape({.common = {.length = rows * columns, .first = rows, .workgroups = workgroups},
                .elements = powers(4, 32),
                .lanes = powers(1, workgroups > 1 ? 1 : 8),
                .min_threads = 128,
                .resident_threads = {0, 512, 640, 1024, 1536},
                .prefetch_mib = {0, 4, 8}},
               family{candidates, empty, &candidate::planes});
  }
}

/// Adds the built-in shapes with other launches: none early, all early, none spread.
void add_launches(list& candidates, const candidate& base) {
  const auto add = [&](const char* label, std::size_t max_early_bytes, bool spreads) {
    candidate tried = base;
    tried.label = label;
    tried.placing.max_early_bytes = max_early_bytes;
    tried.spreads = spreads;
    candidates.push_back(std::move(tried));
  };
  add("built in, none early", 0, true);
  add("built in, all early", std::numeric_limits<std::size_t>::max(), true);
  add("built in, not spread", base.placing.max_early_bytes, false);
}

}  // namespace

std::vector<std::size_t> lengths_of(std::string_view text) {
  std::vector<std::size_t> lengths;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('x'), text.size());
    const std::string part{text.substr(0, end)};
    text.remove_prefix(std::min(end + 1, text.size()));
    const bool is_power = part.rfind("2^", 0) == 0;
    const std::size_t value = std::stoull(is_power ? part.substr(2) : part);
    lengths.push_back(is_power ? std::size_t{1} << value : value);
  }
  return lengths;
}

void reshape(planner::pass& lines, const tuning::shape& shape) {
  device::grid::pass_numbers& numbers = lines.numbers;
  numbers.shape.elements_per_thread = shape.elements;
  numbers.shape.lanes = shape.lanes;
  numbers.is_full = lines.lane_count() % shape.lanes == 0;
  const bool has_bin_behind = numbers.shape.source == device::grid::row::half_spectrum;
  const std::size_t elements = numbers.shape.elements() + (has_bin_behind ? 1 : 0);
  const std::size_t tile_bytes = elements * shape.lanes * numbers.shape.element_bytes;
  numbers.prefetch_tiles =
      static_cast<unsigned>((std::size_t{shape.prefetch_mib} << 20) / tile_bytes);
  numbers.prefetch_elements = numbers.prefetch_tiles > 0 ? elements : 0;
  lines.resident = 0;
}

std::vector<candidate> candidates_of(const std::string& family_name, const plan_spec& spec,
                                     const device_info& device) {
  const candidate base = own(spec, device);
  list candidates{base};
  const std::size_t row = row_of(spec);
  const auto bits = static_cast<unsigned>(std::countr_zero(row));
  const request::traits& kind = request::traits_of(spec.kind);
  const std::map<std::string, std::function<void()>> families{
      {"built-in", [&] { add_launches(candidates, base); }},
      {"rows", [&] { add_rows(candidates, base, spec); }},
      {"convolutions", [&] { add_convolutions(candidates, base, row); }},
      {"primes", [&] { add_primes(candidates, base, spec.lengths.back(), kind); }},
      {"columns", [&] { add_column_shapes(candidates, base, spec.lengths.front()); }},
      {"real-lines", [&] { add_real_lines(candidates, base, spec); }},
      {"lines", [&] { add_lines(candidates, base, row); }},
      {"cuts", [&] { add_cuts(candidates, base, row); }},
      {"mirrored", [&] { add_mirrored(candidates, base, bits); }},
      {"planes", [&] {
         const std::size_t rows = spec.lengths[spec.lengths.size() - 2];
         add_planes(candidates, base, static_cast<unsigned>(rows), row);
       }}};
  const auto found = families.find(family_name);
  if (found == families.end()) throw plan_error("family " + family_name + " is not known");
  found->second();
  return candidates;
}

}  // namespace wingbeat::bench
