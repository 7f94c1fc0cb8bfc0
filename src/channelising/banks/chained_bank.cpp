// SPDX-License-Identifier: Apache-2.0
#include "channelising/banks/chained_bank.hpp"

#include "channelising/arithmetic/weights.hpp"  // rounded_weights
#include "channelising/banks/functors.hpp"      // bank_load
#include "channelising/banks/policy.hpp"        // filled
#include "channelising/spec.hpp"                // has_complex_bank, parts_of
#include "formatted.hpp"                        // formatted

namespace wingbeat::channelising {
namespace {

plan_spec spectra_spec(const channeliser_spec& spec, const sample_planes& planes,
                       std::size_t n_heaps) {
  const channeliser_sizes sizes = sizes_of(spec);
  plan_spec rows{
      .lengths = {sizes.transform},
      .batch = {spec.polarisations, n_heaps * sizes.spectra_per_heap},
      .kind = has_complex_bank(spec) ? transform::forward : transform::forward_from_real};
  if (planes.form != sample_form::packed) rows.load = bank_load(spec, planes, n_heaps);
  return rows;
}

}  // namespace

chained_bank::chained_bank(const queue& on, const channeliser_spec& spec,
                           const sample_planes& planes, std::size_t n_heaps)
    : sizes_(sizes_of(spec)),
      n_heaps_(n_heaps),
      spectra_(on, spectra_spec(spec, planes, n_heaps_)),
      finish_(on, spec) {
  const std::size_t n_rows = spec.polarisations * n_heaps_ * sizes_.spectra_per_heap;
  staged_ = buffer{on, n_rows * bins_of(spec) * sizeof(std::complex<float>)};
  if (planes.form == sample_form::packed) {
    filters_.emplace(on, spec, planes.plane_bytes);
    filtered_ = buffer{on, n_rows * sizes_.transform * parts_of(spec) * sizeof(float)};
  } else {
    weights_ = filled(on, rounded_weights(spec));
  }
}

void chained_bank::enqueue(queue& on, const bank_views& views) const {
  const std::uint64_t n_spectra = n_heaps_ * sizes_.spectra_per_heap;
  run_operands operands;
  buffer_view rows = views.samples;
  if (filters_) {
    filters_->enqueue(on, views.samples, views.entries, filtered_.view(), n_spectra, n_spectra);
    rows = filtered_.view();
  } else {
    operands.load = {views.entries, weights_.view()};
  }
  spectra_.enqueue(on, rows, staged_.view(), operands);
  finish_.enqueue(on, staged_.view(), views, n_heaps_, n_spectra);
}

std::string chained_bank::explain() const {
  const std::size_t filtered = filters_ ? filtered_.size_bytes() : 0;
  return (filters_ ? formatted("filters store {} bytes\n", filtered) : std::string{}) +
         spectra_.explain() +
         formatted("then {} bytes become {} of heaps\n", staged_.size_bytes(),
                   n_heaps_ * sizes_.heap_bytes);
}

}  // namespace wingbeat::channelising
