// SPDX-License-Identifier: Apache-2.0
#include "channelising/filter_bank.hpp"

#include <algorithm>  // min
#include <cstring>    // memcpy

#include "backend/backend.hpp"             // queue::clear
#include "channelising/bank_functors.hpp"  // bank_load, bank_store
#include "channelising/host_bank.hpp"      // make_host_bank, run_host_bank
#include "channelising/quantise.hpp"       // complex_bytes
#include "channelising/weights.hpp"        // filter_weights
#include "formatted.hpp"                   // formatted

namespace wingbeat::channelising {
namespace {

std::vector<float> rounded(const std::vector<double>& from) {
  std::vector<float> to(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<float>(from[i]);
  return to;
}

}  // namespace

filter_bank::filter_bank(const queue& on, const channeliser_spec& spec, const sample_planes& planes)
    : spec_(spec),
      sizes_(sizes_of(spec)),
      is_compiled_(form_of_samples(on.device().runs_on) == sample_form::packed),
      saturated_(on, 2 * saturation_counters * sizeof(std::uint32_t)) {
  const auto weights =
      rounded(filter_weights({sizes_.transform, spec.taps, spec.window, spec.weight_cutoff}));
  whole_ = make_host_bank(on.device().runs_on, spec, planes, weights);
  heap_ = buffer{on, sizes_.heap_bytes};
  if (whole_) return;
  entries_ = buffer{on, spec.polarisations * sizes_.spectra_per_heap * sizeof(spectrum_entry)};
  const auto tiles = tiles_of(spec, on.device());
  if (is_compiled_ && tiles) {
    fused_.emplace(on, spec, planes.plane_bytes, *tiles);
  } else {
    chained_.emplace(on, spec, planes);
  }
}
filter_bank::filter_bank(filter_bank&&) noexcept = default;
filter_bank::~filter_bank() = default;

void filter_bank::run(queue& on, buffer_view samples, const std::vector<spectrum_entry>& entries,
                      const std::vector<std::complex<float>>& gains) {
  if (whole_) return run_host_bank(*whole_, samples, entries, gains, heap_.view(), saturated_);
  entries_.write(entries.data(), entries.size() * sizeof(spectrum_entry));
  if (gains != gains_held_) {
    const std::size_t n_bytes = gains.size() * sizeof(gains.front());
    if (gains_.size_bytes() < n_bytes) gains_ = buffer{on, n_bytes};
    gains_.write(gains.data(), n_bytes);
    gains_held_ = gains;
  }
  on.impl()->clear(saturated_.view());
  const bank_views views{samples, entries_.view(), gains_.view(), heap_.view(), saturated_.view()};
  if (fused_) return fused_->enqueue(on, views, 1);
  chained_->enqueue(on, views);
}

void filter_bank::read_heap(std::vector<std::byte>& bytes) const {
  bytes.resize(sizes_.heap_bytes);
  heap_.read(bytes.data(), bytes.size());
}

std::vector<std::uint64_t> filter_bank::saturated() const {
  // An engine's own loop has one counter for each polarisation.
  const std::size_t each = whole_ ? 1 : saturation_counters;
  std::vector<std::uint32_t> counts(spec_.polarisations * each);
  saturated_.read(counts.data(), counts.size() * sizeof(counts.front()));
  std::vector<std::uint64_t> sums(spec_.polarisations);
  for (std::size_t i = 0; i < counts.size(); ++i) sums[i / each] += counts[i];
  return sums;
}

std::string filter_bank::explain() const {
  if (whole_) return whole_->explain() + '\n';
  return fused_ ? fused_->explain() : chained_->explain();
}

}  // namespace wingbeat::channelising
