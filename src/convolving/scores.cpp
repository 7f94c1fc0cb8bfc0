// SPDX-License-Identifier: Apache-2.0
#include "convolving/scores.hpp"

#include <algorithm>  // min, sort
#include <cmath>      // ldexp
#include <span>
#include <tuple>  // tie

#include "arrays/array.hpp"             // bytes_of_real
#include "backend/backend.hpp"          // queue
#include "functors/device_functor.hpp"  // device_functor
#include "text/formatted.hpp"           // formatted
#include "text/reject.hpp"              // reject

namespace wingbeat::convolving {
namespace {

using device::functors::kept_array;
using device::functors::score;
using device::functors::score_windows;

score_windows windows_of(const axis_geometry& axis) {
  return {.places = axis.result(),
          .length = axis.kernel,
          .image_begin = axis.image_at,
          .image_end = axis.image_at + axis.image};
}

/// Whether some windows extend beyond the image. Then a template's sum over the part inside is
/// needed, because the image's mean was subtracted only there.
bool has_rim(const score_windows& axis) {
  return axis.image_begin > 0 || axis.places + axis.length - 1 > axis.image_end;
}

/// Returns `use(functor)` with the functor that keeps these scores.
template <class Use>
auto with_functor(const kept_scores& kept, Use use) {
  if (kept.has_unit_sums && kept.real == precision::fp64) {
    return use(device_functor<score<double, device::size>>{kept.numbers});
  }
  if (kept.has_unit_sums) return use(device_functor<score<float, device::size>>{kept.numbers});
  if (kept.real == precision::fp64) return use(device_functor<score<double, double>>{kept.numbers});
  if (kept.has_fp64_sums) return use(device_functor<score<float, double>>{kept.numbers});
  return use(device_functor<score<float, float>>{kept.numbers});
}

/// Calls visit(name, bytes, array) for the keys and for each other array that is kept.
template <class Visit>
void each_array(const kept_scores& kept, Visit visit) {
  visit("keys", kept.places() * sizeof(std::uint64_t), kept_array{.is_always_written = false});
  with_functor(kept, [&]<class Functor>(const device_functor<Functor>&) {
    Functor::operands::each_kept(
        kept.numbers,
        [&]<class Of, class Element>(std::string_view name, Element* Of::*, kept_array array) {
          const std::size_t count =
              array.elements != 0 ? array.elements : kept.places() * array.per_place;
          visit(name, count * sizeof(Element), array);
        });
  });
}

}  // namespace

void require_numbers(std::size_t count, std::size_t before) {
  if (count < no_template && before < no_template && before + count <= no_template) return;
  reject("{} templates were added to {}, and a search numbers {}; begin again", count, before,
         no_template);
}

std::size_t kept_scores::rim_reals() const {
  return (axes[0].kernel + 1) * (axes[1].kernel + 1);
}

kept_scores kept_of(const search_spec& spec, std::size_t templates, bool has_fp64) {
  kept_scores kept{.axes = geometry_of({.image = spec.image,
                                        .kernel = spec.templates,
                                        .kind = operation::correlate,
                                        .mode = spec.mode}),
                   .real = spec.real,
                   .has_fp64_sums = has_fp64,
                   .has_unit_sums = spec.keeps_sums && spec.is_normalised,
                   .templates = templates,
                   .sum_unit = spec.sum_unit,
                   .table_capacity = spec.table_threshold ? spec.table_capacity : 0,
                   .histogram = spec.histogram};
  const score_windows y = windows_of(kept.axes[0]), x = windows_of(kept.axes[1]);
  kept.numbers = {.y = y,
                  .x = x,
                  .is_shared = templates > 1,
                  .has_sums = spec.keeps_sums,
                  .has_counts = spec.keeps_counts,
                  .is_normalised = spec.is_normalised,
                  // Norms fit beside rows, except with fp64 or sums.
                  .keeps_norms = spec.is_normalised && templates > 1 && !spec.keeps_sums &&
                                 spec.real == precision::fp32,
                  .has_rim = spec.is_normalised && (has_rim(y) || has_rim(x)),
                  .rounds_sums = spec.sum_unit != 0,
                  .has_table = spec.table_threshold.has_value(),
                  .may_end_early = spec.pads_runs && templates > 1,
                  .histogram_bins = spec.histogram.count};
  return kept;
}

/// Returns the bytes that `templates` templates also read; `with_norms` of them read windows'
/// norms.
std::size_t input_bytes_of(const kept_scores& kept, std::size_t templates, std::size_t with_norms) {
  std::size_t reals = 0;
  if (kept.numbers.is_normalised) reals += with_norms * kept.places();
  if (kept.numbers.has_rim) reals += templates * kept.rim_reals();
  return reals * bytes_of_real(kept.real);
}

score_bytes bytes_of_arrays(const kept_scores& kept) {
  score_bytes result;
  each_array(kept, [&](std::string_view, std::size_t bytes, kept_array array) {
    result.most += 2 * bytes;  // read and written
    result.always += (std::size_t{array.is_always_read} + array.is_always_written) * bytes;
  });
  return result;
}

score_bytes bytes_of_template(const kept_scores& kept) {
  score_bytes result = bytes_of_arrays(kept);
  result.most += input_bytes_of(kept, 1, 1);
  result.always += input_bytes_of(kept, 1, 1);
  return result;
}

fused_store score_store(const kept_scores& kept) {
  fused_store store = with_functor(
      kept, []<class Real, class Sum>(const device_functor<score<Real, Sum>>& functor) {
        return functor.template store<Real>();
      });
  store.out_bytes = kept.places() * sizeof(std::uint64_t);
  store.moved_bytes = kept.templates * bytes_of_template(kept).most;
  const std::size_t with_norms = kept.numbers.keeps_norms ? 1 : kept.templates;
  store.kept_moved_bytes =
      bytes_of_arrays(kept).most + input_bytes_of(kept, kept.templates, with_norms);
  if (kept.templates > score<float, double>::most_kept) store.kept_bytes = 0;
  return store;
}

std::vector<kernel_argument> score_arguments(const kept_scores& kept, std::uint32_t first,
                                             const std::vector<buffer_view>& arrays,
                                             const score_inputs& inputs) {
  const auto real = [&](double value) {
    return kept.real == precision::fp64 ? kernel_argument{value}
                                        : kernel_argument{static_cast<float>(value)};
  };
  std::vector<kernel_argument> result{first};
  const std::size_t n_tables = kept.numbers.has_table ? 2 : 0;
  const std::span others{arrays};
  for (const buffer_view& array : others.first(arrays.size() - n_tables)) {
    result.emplace_back(array);
  }
  if (kept.numbers.has_counts) result.push_back(real(inputs.threshold));
  if (kept.numbers.is_normalised) result.emplace_back(inputs.inverse_norms);
  if (kept.numbers.has_rim) {
    result.emplace_back(inputs.rim);
    result.push_back(real(inputs.mean));
  }
  if (kept.numbers.rounds_sums) {
    const int digits = kept.real == precision::fp64 ? 51 : 22;
    result.push_back(real(std::ldexp(3 * kept.sum_unit, digits)));
  }
  if (kept.numbers.has_table) {
    for (const buffer_view& table : others.last(n_tables)) result.emplace_back(table);
    result.emplace_back(static_cast<std::uint32_t>(kept.table_capacity));
    result.push_back(real(inputs.table_threshold));
  }
  if (kept.numbers.may_end_early) result.emplace_back(inputs.end);
  if (kept.numbers.histogram_bins != 0) {
    const auto& [begin, end, count] = kept.histogram;
    result.push_back(real(begin));
    result.push_back(real(static_cast<double>(count) / (end - begin)));
  }
  return result;
}

score_memory::score_memory(const queue& on, const kept_scores& kept) : kept_(kept) {
  each_array(kept, [&](std::string_view name, std::size_t bytes, kept_array) {
    arrays_.push_back({name, buffer{on, bytes}});
  });
  if (kept.numbers.has_table) {
    table_ = buffer{on, kept.table_capacity * sizeof(device::functors::listed_score)};
    n_listed_ = buffer{on, sizeof(std::uint32_t)};
  }
  clear(on);
}

void score_memory::clear(const queue& on) const {
  for (const array& each : arrays_) on.impl()->clear(each.memory.view());
  if (kept_.numbers.has_table) on.impl()->clear(n_listed_.view());
}

std::size_t score_memory::listed() const {
  if (!kept_.numbers.has_table) {
    reject("this search keeps no table; set table_threshold");
  }
  std::uint32_t count = 0;
  n_listed_.read(&count, sizeof count);
  return count;
}

score_table score_memory::take_table(const queue& on) const {
  const std::size_t found = listed(), stored = std::min(found, kept_.table_capacity);
  std::vector<device::functors::listed_score> cells(stored);
  if (stored > 0) table_.read(cells.data(), stored * sizeof cells[0]);
  on.impl()->clear(n_listed_.view());
  std::sort(cells.begin(), cells.end(), [](const auto& a, const auto& b) {
    return std::tie(a.number, a.place) < std::tie(b.number, b.place);
  });
  score_table result{.lost = found - stored};
  const std::size_t width = kept_.axes[1].result();
  for (const auto& cell : cells) {
    result.entries.push_back({.number = cell.number,
                              .y = static_cast<std::uint32_t>(cell.place / width),
                              .x = static_cast<std::uint32_t>(cell.place % width),
                              .score = cell.score});
  }
  return result;
}

std::vector<buffer_view> score_memory::others() const {
  std::vector<buffer_view> views;
  for (std::size_t i = 1; i < arrays_.size(); ++i) views.push_back(arrays_[i].memory.view());
  if (kept_.numbers.has_table) {
    views.push_back(table_.view());
    views.push_back(n_listed_.view());
  }
  return views;
}

std::size_t score_memory::device_bytes() const {
  std::size_t bytes = table_.size_bytes() + n_listed_.size_bytes();
  for (const array& each : arrays_) bytes += each.memory.size_bytes();
  return bytes;
}

std::string score_memory::explain() const {
  std::string text = "keeps the largest score and its template";
  for (std::size_t i = 1; i < arrays_.size(); ++i) text += formatted(", {}", arrays_[i].name);
  text += formatted(": {} bytes\n", device_bytes() - table_.size_bytes() - n_listed_.size_bytes());
  if (kept_.numbers.has_table) {
    text +=
        formatted("a table of {} scores: {} bytes\n", kept_.table_capacity, table_.size_bytes());
  }
  return text;
}

template <class Value>
std::vector<Value> score_memory::values_of(std::string_view name, std::string_view field) const {
  for (const array& each : arrays_) {
    if (each.name != name) continue;
    std::vector<Value> values(each.memory.size_bytes() / sizeof(Value));
    each.memory.read(values.data(), each.memory.size_bytes());
    return values;
  }
  reject("this search keeps no {}; set {}", name, field);
}

void score_memory::read_moments(search_state& target) const {
  constexpr std::string_view name = "moments", field = "keeps_sums";
  if (kept_.has_unit_sums) {
    target.unit_sums = values_of<std::uint64_t>(name, field);
  } else if (kept_.real == precision::fp64 || kept_.has_fp64_sums) {
    target.sums = values_of<double>(name, field);
  } else {
    const auto floats = values_of<float>(name, field);
    target.sums.assign(floats.begin(), floats.end());
  }
}

search_state score_memory::read(state_arrays wanted, std::size_t n_templates) const {
  search_state state{.height = kept_.axes[0].result(),
                     .width = kept_.axes[1].result(),
                     .templates = n_templates,
                     .is_normalised = kept_.numbers.is_normalised || kept_.has_unit_sums,
                     .sum_unit = kept_.sum_unit};
  if (wanted.keys) state.keys = values_of<std::uint64_t>("keys", "");
  if (wanted.moments) read_moments(state);
  if (wanted.counts) {
    state.counts = values_of<std::uint32_t>("counts", "keeps_counts, and a threshold");
  }
  return state;
}

search_state score_memory::read_all(std::size_t n_templates) const {
  search_state state =
      read({.keys = true, .moments = kept_.numbers.has_sums, .counts = kept_.numbers.has_counts},
           n_templates);
  state.histogram.resize(kept_.numbers.histogram_bins);
  if (state.histogram.empty()) return state;
  const auto copies = values_of<std::uint64_t>("histogram", "histogram");
  for (std::size_t i = 0; i < copies.size(); ++i) {
    state.histogram[i % state.histogram.size()] += copies[i];
  }
  return state;
}

}  // namespace wingbeat::convolving
