// SPDX-License-Identifier: Apache-2.0
#include "channelise_peer.hpp"

#include <fmt/core.h>

#include <cstdlib>  // getenv
#include <sstream>

#include "channelising/banks/bank_programs.hpp"  // row_filter, row_finish

namespace wingbeat {

using namespace channelising;

namespace {

/// WINGBEAT_FILTER has a multiprocessor hold so many workgroups of filters.
tuning::bank_rules filter_rules(const device_info& device) {
  tuning::bank_rules rules = tuning::for_device(device).banks;
  if (const char* const given = std::getenv("WINGBEAT_FILTER")) {
    std::istringstream{given} >> rules.resident_filters;
  }
  return rules;
}

}  // namespace

bank::bank(const queue& on, const programs::program& steps)
    : steps_(backend::engine_of(on.device().runs_on), on.impl(), steps) {
  const std::size_t n_bytes = steps.workspace_bytes();
  if (n_bytes > 0) workspace_ = buffer{on, n_bytes};
}

void bank::enqueue(queue& on, const bank_views& views) const {
  const kernel_argument operands[] = {views.entries, views.gains, views.saturated};
  steps_.enqueue(
      *on.impl(),
      {.in = views.samples, .out = views.heaps, .workspace = workspace_.view(), .load = operands});
}

unfused_bank::unfused_bank(const queue& on, const channeliser_spec& spec,
                           const sample_planes& planes, std::size_t n_heaps)
    : filter_(on, row_filter(spec, planes, filter_rules(on.device()), n_heaps)),
      finish_(on, row_finish(spec, n_heaps)),
      rows_(on, {.lengths = {sizes_of(spec).transform},
                 .batch = 2 * n_heaps * sizes_of(spec).spectra_per_heap,
                 .kind = transform::forward_from_real}),
      filtered_(on, 2 * n_heaps * sizes_of(spec).heap_samples * 4),
      bins_(on, 2 * n_heaps * sizes_of(spec).spectra_per_heap * (spec.channels + 1) * 8) {}

void unfused_bank::enqueue(queue& on, const bank_views& views) const {
  for (const step& each : steps(on, views)) each.enqueue();
}

std::vector<unfused_bank::step> unfused_bank::steps(queue& on, const bank_views& views) const {
  bank_views filtered = views, finished = views;
  filtered.heaps = filtered_.view();
  finished.samples = bins_.view();
  return {{"filter", [this, &on, filtered] { filter_.enqueue(on, filtered); }},
          {"cufft", [this] { rows_.run(filtered_.view(), bins_.view()); }},
          {"finish", [this, &on, finished] { finish_.enqueue(on, finished); }}};
}

double differing_part(queue& on, const buffer& a, const buffer& b) {
  on.wait();
  const std::size_t n_bytes = std::min(a.size_bytes(), std::size_t{1} << 26);
  std::vector<signed char> of_a(n_bytes), of_b(n_bytes);
  a.read(of_a.data(), n_bytes);
  b.read(of_b.data(), n_bytes);
  std::size_t n_differing = 0;
  for (std::size_t i = 0; i < n_bytes; ++i) n_differing += of_a[i] != of_b[i] ? 1 : 0;
  return static_cast<double>(n_differing) / static_cast<double>(n_bytes);
}

}  // namespace wingbeat
