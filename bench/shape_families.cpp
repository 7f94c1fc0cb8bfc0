// SPDX-License-Identifier: Apache-2.0
#include "bench/shape_families.hpp"

#include <fmt/format.h>

#include <algorithm>  // min
#include <stdexcept>  // invalid_argument

namespace wingbeat::bench {
namespace {

candidate own(const plan_spec& spec, const device_info& device) {
  const tuning::architecture& data = tuning::for_device(device);
  const tuning::shapes& mine = tuning::shapes_for(data, spec.real);
  candidate all;
  all.label = "built in";
  all.bank_bytes = data.bank_bytes;
  all.placing = data.placing;
  const request::traits& kind = request::traits_of(spec.kind);
  all.is_forward = kind.is_forward;
  const bool is_odd = kind.is_real() && spec.lengths.back() % 2 == 1;
  const tuning::row_shapes& own = !kind.is_real() || is_odd ? mine.rows
                                  : kind.is_forward         ? mine.rows_of_reals
                                                            : mine.rows_of_bins;
  const tuning::row_shapes& rows = own.whole.is_empty() ? mine.rows : own;
  const auto copy = [](auto& list, const auto& table) {
    for (const auto& each : table) list.push_back(each);
  };
  if (is_odd && kind.is_forward) copy(all.whole, mine.odd_rows_of_reals);
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

}  // namespace

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

void put(std::vector<tuning::shape>& shapes, const tuning::shape& shape) {
  std::erase_if(shapes, [&](const tuning::shape& each) { return each.length == shape.length; });
  shapes.push_back(shape);
}

void put(std::vector<tuning::shape>& shapes, std::string& label, const tuning::shape& shape) {
  put(shapes, shape);
  label = text_of(shape);
}

std::vector<unsigned> divisors_to_try(std::size_t n) {
  if (n == 1) return {1};
  std::vector<unsigned> found;
  for (unsigned e = 2; e <= std::min<std::size_t>(n, 32); ++e) {
    if (n % e == 0) found.push_back(e);
  }
  return found;
}

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

std::vector<candidate> candidates_of(const std::string& family, const plan_spec& spec,
                                     const device_info& device) {
  const candidate base = own(spec, device);
  list all{base};
  if (family == "built-in") {
    add_launches(all, base);
  } else if (family == "few") {
    add_few(all, base, spec);
  } else if (family == "real-lines") {
    add_real_lines(all, base, spec);
  } else if (!add_row_shapes(all, base, family, spec) && !add_cut_shapes(all, base, family, spec)) {
    throw std::invalid_argument("family " + family + " is not known");
  }
  return all;
}

}  // namespace wingbeat::bench
