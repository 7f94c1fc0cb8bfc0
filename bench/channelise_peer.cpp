// SPDX-License-Identifier: Apache-2.0
#include "channelise_peer.hpp"

#include <fmt/core.h>

#include <cstdlib>  // getenv
#include <sstream>

namespace wingbeat {

using namespace channelising;

namespace {

/// WINGBEAT_FILTER="spectra resident" shapes the filter otherwise.
filter_shape_of_rows filter_shape() {
  filter_shape_of_rows shape;
  if (const char* const given = std::getenv("WINGBEAT_FILTER")) {
    std::istringstream{given} >> shape.sliding >> shape.resident;
  }
  return shape;
}

}  // namespace

unfused_bank::unfused_bank(const queue& on, const channeliser_spec& spec, std::size_t plane_bytes,
                           std::size_t n_spectra)
    : spec_(spec),
      sizes_(sizes_of(spec)),
      n_spectra_(n_spectra),
      filter_(on, spec, plane_bytes, filter_shape()),
      finish_(on, spec),
      rows_(on, {.lengths = {sizes_.transform},
                 .batch = 2 * n_spectra,
                 .kind = transform::forward_from_real}),
      filtered_(on, 2 * n_spectra * sizes_.transform * 4),
      bins_(on, 2 * n_spectra * (spec.channels + 1) * 8) {}

void unfused_bank::filter(queue& on, const bank_views& views) const {
  filter_.enqueue(on, views.samples, views.entries, filtered_.view(), n_spectra_, n_spectra_);
}

void unfused_bank::transform() const {
  rows_.run(filtered_.view(), bins_.view());
}

void unfused_bank::finish(queue& on, const bank_views& views) const {
  finish_.enqueue(on, bins_.view(), views, n_spectra_ / sizes_.spectra_per_heap, n_spectra_);
}

void unfused_bank::enqueue(queue& on, const bank_views& views) const {
  filter(on, views);
  transform();
  finish(on, views);
}

std::vector<unfused_bank::step> unfused_bank::steps(queue& on, const bank_views& views) const {
  return {{"filter", [this, &on, &views] { filter(on, views); }},
          {"cufft", [this] { transform(); }},
          {"finish", [this, &on, &views] { finish(on, views); }}};
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
