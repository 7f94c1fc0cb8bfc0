// SPDX-License-Identifier: Apache-2.0
// Shapes for calls of few transforms, which spread each over many multiprocessors: small
// workgroups, few elements a thread, cuts that make the passes alike.
#include <fmt/format.h>

#include <algorithm>  // min
#include <bit>        // has_single_bit
#include <limits>

#include "bench/shape_families.hpp"

namespace wingbeat::bench {
namespace {

/// Elements of a thread, as tried.
constexpr unsigned elements_to_try[] = {2, 4, 8, 16, 32};
/// Lanes of a workgroup of columns, as tried: 32 to 256 bytes of fp32 side by side.
constexpr unsigned columns_to_try[] = {4, 8, 16, 32};

candidate without_clusters(const candidate& base) {
  candidate tried = base;
  tried.lines.clear();
  tried.column_lines.clear();
  tried.planes.clear();
  tried.spreads = false;
  return tried;
}

bool can_launch(std::size_t length, unsigned elements, unsigned lanes) {
  const std::size_t threads = length * lanes / elements;
  return elements <= length && threads >= 32 && threads <= 1024;
}

void add_few_rows(list& candidates, const candidate& base, std::size_t n,
                  const std::string& before) {
  for (const unsigned e : elements_to_try) {
    for (const unsigned lanes : {1U, 2U, 4U, 8U, 16U}) {
      if (!can_launch(n, e, lanes) || (lanes > 1 && n * lanes / e > 128)) continue;
      for (const bool is_staged : {false, true}) {
        if (is_staged && n > 64) continue;
        candidate tried = without_clusters(base);
        put(tried.whole, {.length = n,
                          .elements = e,
                          .lanes = lanes,
                          .stage_in = is_staged,
                          .stage_out = is_staged});
        tried.label = fmt::format("{}row {} by {}, {} lanes{}", before, n, e, lanes,
                                  is_staged ? ", staged" : "");
        candidates.push_back(std::move(tried));
      }
    }
  }
}

/// Both passes of a cut; the one in which bins meet by its own shapes.
void add_few_cuts(list& candidates, const candidate& base, std::size_t n, bool is_real) {
  for (std::size_t first = 32; first <= std::min<std::size_t>(n / 32, 2048); first *= 2) {
    const std::size_t second = n / first;
    if (second > 2048 || first > 16 * second || second > 16 * first) continue;
    for (const unsigned e : elements_to_try) {
      for (const unsigned lanes : columns_to_try) {
        const unsigned doubled = is_real ? 2 * lanes : lanes;
        if (e < 4 || !can_launch(first, e, lanes) || !can_launch(second, e, doubled)) continue;
        candidate tried = without_clusters(base);
        std::erase_if(tried.whole, [&](const tuning::shape& each) { return each.length == n; });
        tried.cuts = {{.length = n, .parts = {first, second}}};
        for (const std::size_t part : {first, second}) {
          put(tried.columns, {.length = part, .elements = e, .lanes = lanes});
        }
        if (is_real) {
          const std::size_t meeting = base.is_forward ? second : first;
          tried.mirrored = {{.length = meeting, .elements = e, .lanes = doubled}};
        }
        tried.label = fmt::format("{} x {} by {}, {} lanes", first, second, e, lanes);
        candidates.push_back(std::move(tried));
      }
    }
  }
}

/// Columns of the axes before the last, all alike, and the rows as they are.
void add_axes(list& candidates, const candidate& base, const plan_spec& spec, std::size_t row) {
  for (const unsigned e : elements_to_try) {
    for (const unsigned lanes : columns_to_try) {
      candidate tried = without_clusters(base);
      bool can = true;
      for (std::size_t a = 0; a + 1 < spec.lengths.size(); ++a) {
        can &= can_launch(spec.lengths[a], e, lanes);
        put(tried.columns, {.length = spec.lengths[a], .elements = e, .lanes = lanes});
      }
      if (!can || e < 4) continue;
      add_few_rows(candidates, tried, row, fmt::format("columns by {}, {} lanes, ", e, lanes));
    }
  }
}

}  // namespace

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

void add_few(list& candidates, const candidate& base, const plan_spec& spec) {
  const bool is_real = request::traits_of(spec.kind).is_real();
  const std::size_t row = row_of(spec);
  if (spec.lengths.size() > 1) return add_axes(candidates, base, spec, row);
  add_few_rows(candidates, base, row, "");
  if (std::has_single_bit(row)) add_few_cuts(candidates, base, row, is_real);
}

}  // namespace wingbeat::bench
