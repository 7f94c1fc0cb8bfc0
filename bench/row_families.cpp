// SPDX-License-Identifier: Apache-2.0
// Shapes of what one workgroup takes: rows, rows that are convolved, columns of the slowest axis.
#include <algorithm>  // min
#include <bit>        // bit_ceil, has_single_bit

#include "bench/shape_families.hpp"
#include "wingbeat/device/factors.hpp"           // greatest_factor, is_product_of_radices
#include "wingbeat/device/workgroup/advise.hpp"  // stage_cost

namespace wingbeat::bench {
namespace {

/// Counts of rows that share a workgroup.
std::vector<unsigned> lanes_to_try(std::size_t n, unsigned elements) {
  std::vector<unsigned> found;
  for (unsigned lanes = 1; lanes <= 256; lanes *= 2) {
    const std::size_t threads = n / elements * lanes;
    if (threads >= 48 && threads <= (lanes > 1 ? 256 : 1024)) found.push_back(lanes);
  }
  return found;
}

/// Rows of a prime convolved within a length. Of more than 256 points by as many elements a thread
/// as cost least, or nearly.
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
    shape.fraction = 1e6F;  // so that it is taken
    candidate data = base;
    put(data.*shapes, data.label, shape);
    data.label += is_prime ? ", rader" : ", chirp";
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
      for (const unsigned at_once : {640U, 768U, 896U, 1024U}) {  // threads, of 96 to 64 registers
        shape.resident = static_cast<unsigned>(at_once / threads);
        if (may_be_fewer && shape.resident * threads == at_once) add(shape);
      }
      shape.resident = 0;
      shape.across = true;
      if (is_prime && lanes >= 4) add(shape);
    }
  }
}

/// Convolutions of rows, for which the compiler is told how many workgroups are to be resident.
void add_convolutions(list& candidates, const candidate& base, std::size_t n) {
  for (const unsigned elements : divisors_to_try(n)) {
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
            candidate tried = base;
            put(tried.convolutions, tried.label,
                {.length = n,
                 .elements = elements,
                 .lanes = lanes,
                 .half_trade = half_trade,
                 .resident = resident,
                 .prefetch_mib = prefetch_mib});
            candidates.push_back(std::move(tried));
          }
        }
      }
    }
  }
}

/// Rows of a prime: by a convolution of one less, of reals of half as many or, with a large factor,
/// within a power of two; or with a chirp within a power of two or one of the two least good
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

/// Columns of one length, the slowest axis of a plane.
void add_column_shapes(list& candidates, const candidate& base, std::size_t n) {
  for (const unsigned e : divisors_to_try(n)) {
    for (const unsigned lanes : {4U, 8U, 16U, 32U, 64U}) {
      const std::size_t threads = n / e * lanes;
      if (threads < 64 || threads > 1024) continue;
      for (const bool half_trade : {false, true}) {
        if (half_trade && n < 192) continue;
        for (const unsigned at_once : {0U, 640U, 1024U}) {  // threads
          const auto resident = static_cast<unsigned>(at_once / threads);
          if (at_once > 0 && (resident == 0 || resident > 16)) continue;
          candidate tried = base;
          put(tried.columns, tried.label,
              {.length = n,
               .elements = e,
               .lanes = lanes,
               .half_trade = half_trade,
               .resident = resident});
          candidates.push_back(std::move(tried));
        }
      }
    }
  }
}

/// Rows in one workgroup, complex or real. Short ones may be staged, long ones exchanged in halves.
void add_rows(list& candidates, const candidate& base, std::size_t n, bool is_real) {
  const auto add = [&](tuning::shape shape) {
    for (const unsigned prefetch_mib : prefetch_mib_to_try) {
      if (prefetch_mib > (n < 48 ? 0U : n < 2048 ? 4U : 8U)) continue;
      candidate tried = base;
      shape.length = n;
      shape.prefetch_mib = prefetch_mib;
      put(tried.whole, tried.label, shape);
      tried.lines.clear();
      candidates.push_back(std::move(tried));
    }
  };
  for (const unsigned e : divisors_to_try(n)) {
    for (const unsigned lanes : lanes_to_try(n, e)) {
      const std::size_t threads = n / e * lanes;
      add({.elements = e, .lanes = lanes});
      if (n >= 2048) add({.elements = e, .lanes = lanes, .half_trade = true});
      if (n >= 4096 && threads <= 512) add({.elements = e, .lanes = lanes, .resident = 2});
      const std::size_t longest = n % 4 == 0 ? 128 : 4096;  // others begin within sectors
      if (n > longest || threads > (n > 128 ? 256 : 128)) continue;
      if (is_real || n % 2 == 1) {
        add({.elements = e, .lanes = lanes, .stage_out = true});
        add({.elements = e, .lanes = lanes, .stage_in = true});
      }
      add({.elements = e, .lanes = lanes, .stage_in = true, .stage_out = true});
    }
  }
}

}  // namespace

void add_real_lines(list& candidates, const candidate& base, const plan_spec& spec) {
  const std::size_t n = spec.lengths.back();
  const std::size_t length = spec.kind == transform::dct1   ? n - 1
                             : spec.kind == transform::dst1 ? n + 1
                                                            : n / 2;
  for (const unsigned e : divisors_to_try(length)) {
    for (unsigned lanes = 1; lanes <= 256; lanes *= 2) {
      const std::size_t threads = length / e * lanes;
      if (threads < 32 || threads > (lanes > 1 ? 256 : 512)) continue;
      for (const unsigned prefetch_mib : {0U, 4U}) {
        candidate tried = base;
        tried.of_lines = {
            .length = length, .elements = e, .lanes = lanes, .prefetch_mib = prefetch_mib};
        tried.label = text_of(tried.of_lines);
        candidates.push_back(std::move(tried));
      }
    }
  }
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

bool add_row_shapes(list& candidates, const candidate& base, const std::string& family,
                    const plan_spec& spec) {
  if (family == "rows") {
    add_rows(candidates, base, row_of(spec), request::traits_of(spec.kind).is_real());
  } else if (family == "convolutions") {
    add_convolutions(candidates, base, row_of(spec));
  } else if (family == "primes") {
    add_primes(candidates, base, spec.lengths.back(), request::traits_of(spec.kind));
  } else if (family == "column-shapes") {
    add_column_shapes(candidates, base, spec.lengths.front());
  } else {
    return false;
  }
  return true;
}

}  // namespace wingbeat::bench
